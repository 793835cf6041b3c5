/* SPDX-License-Identifier: MIT */
/* Shared by the products (factor_products.c) and the factorisation (factor.c). */
#pragma once

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
    const double *rows, *across; /* sources: rectangles with the rows, and with the columns, of a product */
} ifd__target;

/* Panel q of supernode s, all of its rows. */
IFD_RT ifd__target ifd__target_of(const ifd__factor *F, const ifd__factor_work *w, int s, int q);

/* Enters the entries of the matrix into cleared panels. */
IFD_RT void ifd__factor_fill(ifd__factor *F, const double *x);

/* Sets w->local for supernode s: before the products of its panels. */
IFD_RT void ifd__factor_enter(const ifd__factor *F, const ifd__factor_work *w, int s);

/* The square of a panel: factored and inverted. Row of the first bad pivot, or -1. */
IFD_RT int ifd__factor_eliminate(const ifd__target *t);

/* The rows below: W := W L^-T. */
IFD_RT void ifd__factor_scale(const ifd__target *t);

/* All of this for all panels of supernode s; row of the first bad pivot, or -1. */
IFD_RT int ifd__factor_supernode(const ifd__factor *F, const ifd__factor_work *w, int s);

/* Replaces L by the form of kernels.h in the panels of supernode s. */
IFD_RT void ifd__factor_pack(const ifd__factor *F, const ifd__factor_work *w, int s);

/* These three for an unsymmetric matrix (factor_lu.c). */
IFD_RT int ifd__lu_eliminate(const ifd__target *t);
IFD_RT void ifd__lu_scale(const ifd__target *t);
IFD_RT void ifd__lu_pack(const ifd__target *t);

/* B(k, j) = inverse(k, g + j), or inverse(g + j, k) if transposed; w rows, 8 columns, zeros beyond the matrix. */
IFD_RT void ifd__factor_gather(const double *inverse, int w, int g, bool transposed, double *B);

/* w->panel := the rows below times the inverse in the square, column-major. */
IFD_RT void ifd__factor_product(const ifd__target *t);

/* Subtracts the products of all earlier supernodes and panels. */
IFD_RT void ifd__products_subtract(const ifd__target *t);
