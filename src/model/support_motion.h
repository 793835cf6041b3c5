/* SPDX-License-Identifier: MIT */
/* Support motions that another substructure determines, instead of a formula.
 *
 *     y, y', y'' are polynomials of x = (t - start)/length, set before each step by the leading substructure.
 *
 * The signal reads its ifd__support_motion, which is scratch of the coupling that owns it. */
#pragma once

#include "model/model.h"

enum { IFD__SUPPORT_TERMS = 10 };

typedef struct ifd__support_motion {
    double start, length;
    double c[3][IFD__SUPPORT_TERMS]; /* coefficients of y, y', y'' */
} ifd__support_motion;

ifd_status ifd__support_motion_make(ifd_arena *arena, ifd__support_motion **motion, const ifd_signal **signal);

/* Constant y, y', y'': an instant. */
IFD_RT void ifd__support_motion_point(ifd__support_motion *motion, const double y[3]);
/* The quintic with given y, y', y'' at both ends of a step, and its derivatives. */
IFD_RT void ifd__support_motion_hermite(ifd__support_motion *motion, double start, double length,
                                        const double from[3], const double to[3]);
/* Each of y, y', y'' by a separate polynomial through count values at x = 1 - count + 1 .. 1, three numbers each. */
IFD_RT void ifd__support_motion_lagrange(ifd__support_motion *motion, double start, double length, int count,
                                         const double *values, int stride);

/* A copy of a model with support j reading signal[j] where that is not NULL. */
ifd_status ifd__model_with_supports(ifd_arena *arena, const ifd_model *m, const ifd_signal *const *signal,
                                    ifd_model **out);
/* A copy of a model with mass added to one dof; the ground does not drive this mass. */
ifd_status ifd__model_with_mass(ifd_arena *arena, const ifd_model *m, int dof, double mass, ifd_model **out,
                                ifd_note *note);
