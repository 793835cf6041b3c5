/* SPDX-License-Identifier: MIT */
/* Shared by the products (factor_products.c) and the factorisation (factor.c). */
#ifndef IFD_ALGEBRA_FACTOR_INSIDE_H
#define IFD_ALGEBRA_FACTOR_INSIDE_H

#include "algebra/factor.h"

/* One panel in work on one thread: panel J of supernode s. Indices are local rows of the supernode. */
typedef struct ifd__target {
    const ifd__factor *F;
    const ifd__factor_work *w;
    const ifd__panel *J;
    int s, width, high, end; /* columns and local rows of the supernode; end of the columns of J */
    int from, to;            /* rows below of this thread: it changes no others */
    bool square_too;         /* it also changes the square */
    double *square, *below;
} ifd__target;

/* Subtracts the products of all earlier supernodes and panels. */
IFD_RT void ifd__products_subtract(const ifd__target *t);

#endif
