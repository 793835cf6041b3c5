/* SPDX-License-Identifier: MIT */
/* The law of steel.c, for elements that contain it: force and deformation, or stress and strain. */
#ifndef IFD_MODEL_ELEMENT_STEEL_H
#define IFD_MODEL_ELEMENT_STEEL_H

#include "model/element.h"

enum { IFD__STEEL_STATES = 9, IFD__STEEL_R = 1 }; /* memory; the force (stress) in it */

typedef struct ifd__steel {
    double k, yield, b, R0, c1, c2; /* N/m, N, -, -, -, - (or Pa, Pa) */
    double a[2][2];                 /* a1, a2 in compression; a3, a4 in tension */
    double q_y;                     /* m (or 1) */
} ifd__steel;

/* Parameters of the shape: hardening, r0, c1, c2, a1 to a4. */
#define IFD__STEEL_SHAPE(least)                                                                                      \
    {.name = "hardening",                                                                                            \
     .preset = 0.01,                                                                                                 \
     IFD_WITHIN(least, 0.5),                                                                                         \
     .doc = "b, ratio of the stiffness after yielding to the elastic one"},                                          \
        {.name = "r0", .preset = 20, IFD_WITHIN(10, 20), .doc = "R0, sharpness of the first yielding"},              \
        {.name = "c1",                                                                                               \
         .preset = 0.925,                                                                                            \
         IFD_WITHIN(0, 0.99),                                                                                        \
         .doc = "c1, effect of plastic deformation on the curvature R"},                                             \
        {.name = "c2",                                                                                               \
         .preset = 0.15,                                                                                             \
         IFD_WITHIN(1e-3, 10),                                                                                       \
         .doc = "c2, plastic deformation of this effect, relative to the yield deformation"},                        \
        {.name = "a1", IFD_WITHIN(0, 10), .doc = "isotropic hardening in compression"},                              \
        {.name = "a2",                                                                                               \
         .preset = 1,                                                                                                \
         IFD_WITHIN(1e-3, 1e3),                                                                                      \
         .doc = "a2, deformation range of a1, relative to the yield deformation"},                                   \
        {.name = "a3", IFD_WITHIN(0, 10), .doc = "isotropic hardening in tension"},                                  \
    {                                                                                                                \
        .name = "a4", .preset = 1, IFD_WITHIN(1e-3, 1e3),                                                            \
        .doc = "a4, deformation range of a3, relative to the yield deformation"                                      \
    }

/* From the parameters stiffness and yield by their names, and those of the shape. */
ifd__steel ifd__steel_of(const ifd_param *params, const ifd_value *values, const char *stiffness, const char *yield);

/* r after a move from the last accepted point in the memory s to q; k := the tangent there. s1: the memory after it,
 * or NULL. */
IFD_RT double ifd__steel_move(const ifd__steel *d, const double *s, double q, double *k, double *s1);

#endif
