/* SPDX-License-Identifier: MIT */
/* Nearest states without gap in a metric that includes strain energy.
 *
 *     d_p = -W_p^-1 G_p^T (sum_q G_q W_q^-1 G_q^T)^-1 g,     W = M + gamma h C + (gamma h)^2 K
 *
 * h: coarse step, the same for every substructure; gamma: that of the method of the substructure. W is the matrix
 * that a Rosenbrock step of the substructure factors. In the metric of the mass alone, a correction may add any
 * amount of strain energy, which destroys stability (docs/stability.md). Elements enter with their tangents at the
 * initial state. */
#pragma once

#include "couple/interface.h"

typedef struct ifd__nearest {
    double **WG; /* per substructure, n x rows: W^-1 G^T */
    double *LU;  /* rows x rows: factors of sum G W^-1 G^T; NULL without projection */
    int *pivot;
} ifd__nearest;

/* Refuses methods with gamma below 1: motion grows there in this metric too. */
ifd_status ifd__nearest_make(ifd_arena *arena, const ifd_couple_options *opt, const ifd__interface *I, double coarse,
                             ifd__nearest *out, ifd_note *note);

/* gap (rows) := multipliers of the correction, once; then for every substructure x (n) += d_p. */
IFD_RT void ifd__nearest_reaction(const ifd__nearest *N, int rows, double *gap);
IFD_RT void ifd__nearest_correct(const ifd__nearest *N, const ifd__interface *I, int p, const double *gap, double *x);
