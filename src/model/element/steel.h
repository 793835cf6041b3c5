/* SPDX-License-Identifier: MIT */
/* The law of steel.c, for elements that contain it: force and deformation, or stress and strain. */
#pragma once

#include "model/element.h"

enum { IFD__STEEL_STATES = 9, IFD__STEEL_R = 1 }; /* memory; the force (stress) in it */

typedef struct ifd__steel {
    double k, yield, b, R0, c1, c2; /* N/m, N, -, -, -, - (or Pa, Pa) */
    double a[2][2];                 /* a1, a2 in compression; a3, a4 in tension */
    double q_y;                     /* m (or 1) */
} ifd__steel;

/* Parameters of the shape: hardening, r0, c1, c2, a1 to a4, in the member `law` of a struct. */
#define IFD__STEEL_SHAPE(least, type, law)                                                                           \
    IFD_OPTION("hardening", NONE, least, 0.5, 0.01, "b, stiffness after yielding divided by the elastic one",        \
               IFD_AT(type, law.b)),                                                                                 \
        IFD_OPTION("r0", NONE, 10, 20, 20, "R0, sharpness of the first yielding", IFD_AT(type, law.R0)),             \
        IFD_OPTION("c1", NONE, 0, 0.99, 0.925, "c1, effect of plastic deformation on R", IFD_AT(type, law.c1)),      \
        IFD_OPTION("c2", NONE, 1e-3, 10, 0.15,                                                                       \
                   "c2, plastic deformation of this effect, divided by the yield deformation",                       \
                   IFD_AT(type, law.c2)),                                                                            \
        IFD_OPTION("a1", NONE, 0, 10, 0, "isotropic hardening in compression", IFD_AT(type, law.a[0][0])),           \
        IFD_OPTION("a2", NONE, 1e-3, 1e3, 1, "a2, deformation range of a1, divided by the yield deformation",        \
                   IFD_AT(type, law.a[0][1])),                                                                       \
        IFD_OPTION("a3", NONE, 0, 10, 0, "isotropic hardening in tension", IFD_AT(type, law.a[1][0])),               \
        IFD_OPTION("a4", NONE, 1e-3, 1e3, 1, "a4, deformation range of a3, divided by the yield deformation",        \
                   IFD_AT(type, law.a[1][1]))

/* r after a move from the last accepted point in the memory s to q; k := the tangent there. s1: the memory after it,
 * or NULL. */
IFD_RT double ifd__steel_move(const ifd__steel *d, const double *s, double q, double *k, double *s1);
