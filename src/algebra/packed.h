/* SPDX-License-Identifier: MIT */
/* Packed forms of a sparse matrix for products. The fastest form depends on pattern and size. */
#pragma once

#include "algebra/kernels.h"
#include "algebra/sparse.h"

/* Symmetric arrow matrices: few leading rows, the border, couple with all others, which are diagonal. Reduced models
 * have them (superelement/basis.h). A product or a solution reads the coupling once or twice, in long columns.
 *
 *     A = [ corner  coupling^T ]        factor: diagonal^-1,  E = diagonal^-1 coupling,
 *         [ coupling  diagonal ]                (corner - coupling^T E)^-1 */

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

/* Of a factor; the halves as in solver.h. w: border numbers. */
IFD_RT void ifd__arrow_forward(const ifd__arrow *a, const ifd__kernels *kernels, const double *x, double *y,
                               double *z);
IFD_RT void ifd__arrow_backward(const ifd__arrow *a, const ifd__kernels *kernels, const double *z, double *x);
IFD_RT void ifd__arrow_solve(const ifd__arrow *a, const ifd__kernels *kernels, double *x, double *w);

typedef enum ifd__packing {
    IFD__PACK_NONE,     /* products from the compressed columns */
    IFD__PACK_DIAGONAL, /* only the diagonal */
    IFD__PACK_ARROW,    /* symmetric: ifd__arrow */
    IFD__PACK_HALF,     /* symmetric: panels of the lower triangle, read once for both halves */
    IFD__PACK_WHOLE,    /* panels of the whole matrix: twice the numbers, but no sum depends on another */
    IFD__PACK_BANDS     /* diagonals of the whole matrix, for small matrices with few diagonals */
} ifd__packing;

typedef struct ifd__packed {
    ifd__packing kind;
    const ifd__kernels *kernels;
    ifd__panels panels; /* HALF, WHOLE */
    ifd__bands bands;   /* BANDS */
    ifd__arrow arrow;   /* ARROW */
    size_t bytes;       /* of the numbers in panels */
} ifd__packed;

/* Packs A in the given form. ifd__sparse_pack uses the form with the least modelled time. */
ifd_status ifd__sparse_pack_as(ifd_arena *arena, ifd_sparse *A, ifd__packing kind, const ifd__kernels *kernels);
