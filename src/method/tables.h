/* SPDX-License-Identifier: MIT */
/* Constants and rows of the method table. */
#pragma once

#include <interfield/method.h>

#define IFD__GAMMA_MINUS 0.29289321881345247560 /* 1 - sqrt(2)/2 */
#define IFD__GAMMA_PLUS 1.7071067811865475244   /* 1 + sqrt(2)/2 */

/* A Rosenbrock method of two stages for y' = f(y), W = 1 - gamma h J:
 *
 *     W k1 = h f(y),   W k2 = h f(y + alpha21 k1) + gamma21 h J k1,   y1 = y + b1 k1 + b2 k2
 *
 * gamma21 is a multiple of gamma here; b1 is zero, so k1 is not added. */
typedef struct ifd__rosenbrock_table {
    double alpha21, gamma21, b1, b2;
} ifd__rosenbrock_table;

extern const ifd__rosenbrock_table ifd__lsrt2_table;

#define METHOD(x) extern const ifd_method ifd__method_##x;
#include "method/methods.def"
