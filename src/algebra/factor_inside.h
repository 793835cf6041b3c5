/* SPDX-License-Identifier: MIT */
/* Shared by the factorisations of symmetric and of unsymmetric matrices (factor.c, factor_lu.c). */
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

/* These three for an unsymmetric matrix (factor_lu.c). */
IFD_RT int ifd__lu_eliminate(const ifd__target *t);
IFD_RT void ifd__lu_scale(const ifd__target *t);
IFD_RT void ifd__lu_pack(const ifd__target *t);

/* B(k, j) = inverse(k, g + j), or inverse(g + j, k) if transposed; w rows, 8 columns, zeros beyond the matrix. */
IFD_RT void ifd__factor_gather(const double *inverse, int w, int g, bool transposed, double *B);

/* w->panel := the rows below times the inverse in the square, column-major. */
IFD_RT void ifd__factor_product(const ifd__target *t);
