/* SPDX-License-Identifier: MIT */
/* The packed forms of a sparse matrix that products use: which one is the fastest depends on the pattern and the
 * size. */
#ifndef IFD_ALGEBRA_PACKED_H
#define IFD_ALGEBRA_PACKED_H

#include "algebra/kernels.h"
#include "algebra/sparse.h"

typedef enum ifd__packing {
    IFD__PACK_NONE,     /* products from the compressed columns */
    IFD__PACK_DIAGONAL, /* only the diagonal */
    IFD__PACK_HALF,     /* symmetric: panels of the lower triangle, read once for both halves */
    IFD__PACK_WHOLE     /* panels of all of it: twice the numbers, but no sum waits for another */
} ifd__packing;

typedef struct ifd__packed {
    ifd__packing kind;
    const ifd__kernels *kernels;
    ifd__panels panels;
    size_t bytes; /* of the panels' numbers */
} ifd__packed;

/* Modelled time of a product over one panel, in nanoseconds. */
double ifd__packed_time(ifd__packing kind, int width, int pieces);

/* Fills packed->panels for packed->kind, HALF or WHOLE. With arena NULL it only sets *time. */
ifd_status ifd__panels_of(ifd_arena *arena, const ifd_sparse *A, ifd__packed *packed, double *time);

/* Packs A in the form asked for. ifd__sparse_pack asks for the one with the least modelled time. */
ifd_status ifd__sparse_pack_as(ifd_arena *arena, ifd_sparse *A, ifd__packing kind, const ifd__kernels *kernels);

#endif
