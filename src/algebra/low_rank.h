/* SPDX-License-Identifier: MIT */
/* Solution with a matrix that has a part of low rank, S = S0 + weight Z Z^T, from the factor of S0 (Woodbury):
 *
 *     S^-1 b = x - Y (I / weight + Z^T Y)^-1 Z^T x,    x = S0^-1 b,    Y = S0^-1 Z */
#pragma once

#include "algebra/sparse.h"

struct ifd_solver;

typedef struct ifd__low_rank {
    int n, rank;
    double weight;
    const double *Z; /* n x rank */
    double *Y;       /* n x rank */
    double *G;       /* rank x rank: LU of I / weight + Z^T Y */
    int *pivot;
    double *w; /* scratch of the solver of S0 */
} ifd__low_rank;

/* base: solver of A without its Z. */
ifd_status ifd__low_rank_make(ifd_arena *arena, const ifd_sparse *A, const struct ifd_solver *base,
                              ifd__low_rank **out);
/* After base was factored again. False: S is singular. */
IFD_RT bool ifd__low_rank_update(ifd__low_rank *l, const struct ifd_solver *base);
/* x = S0^-1 b becomes S^-1 b. w: rank doubles. */
IFD_RT void ifd__low_rank_correct(const ifd__low_rank *l, double *x, double *w);
