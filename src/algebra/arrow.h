/* SPDX-License-Identifier: MIT */
/* Symmetric arrow matrices: few leading rows, the border, couple with all others, which are diagonal. Reduced models
 * have them (superelement/basis.h). A product or a solution reads the coupling once or twice, in long columns.
 *
 *     A = [ corner  coupling^T ]        factor: diagonal^-1,  E = diagonal^-1 coupling,
 *         [ coupling  diagonal ]                (corner - coupling^T E)^-1 */
#pragma once

#include "algebra/kernels.h"
#include "algebra/sparse.h"

typedef struct ifd__arrow {
    int border, rest;
    bool coupled;     /* false: the coupling is zero */
    double *diagonal; /* rest */
    double *coupling; /* rest x border */
    double *corner;   /* border x border */
} ifd__arrow;

/* Number of rows in the border; 0: not an arrow, or one for which other forms are faster. */
int ifd__arrow_border(const ifd_sparse *A);

/* Numbers in all parts, which are one array that begins with the diagonal. */
size_t ifd__arrow_size(int border, int rest);
void ifd__arrow_at(ifd__arrow *a, int border, int rest, double *numbers);

ifd_status ifd__arrow_make(ifd_arena *arena, const ifd_sparse *A, int border, ifd__arrow *out);
/* A matrix becomes its factor. False with the row of a pivot that is not positive. */
bool ifd__arrow_factor(ifd__arrow *a, int *bad);

/* y += alpha A x */
IFD_RT void ifd__arrow_product(const ifd__arrow *a, const ifd__kernels *kernels, double alpha, const double *x,
                               double *y);
/* Of a factor; the halves as in solver.h. w: border numbers. */
IFD_RT void ifd__arrow_forward(const ifd__arrow *a, const ifd__kernels *kernels, const double *x, double *y,
                               double *z);
IFD_RT void ifd__arrow_backward(const ifd__arrow *a, const ifd__kernels *kernels, const double *z, double *x);
IFD_RT void ifd__arrow_solve(const ifd__arrow *a, const ifd__kernels *kernels, double *x, double *w);
