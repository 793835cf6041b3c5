/* SPDX-License-Identifier: MIT */
/* Packed forms of a sparse matrix for products. The fastest form depends on pattern and size. */
#pragma once

#include "algebra/arrow.h"
#include "algebra/kernels.h"
#include "algebra/sparse.h"

typedef enum ifd__packing {
    IFD__PACK_NONE,     /* products from the compressed columns */
    IFD__PACK_DIAGONAL, /* only the diagonal */
    IFD__PACK_ARROW,    /* symmetric: algebra/arrow.h */
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
