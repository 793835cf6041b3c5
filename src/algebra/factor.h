/* SPDX-License-Identifier: MIT */
/* Numeric factorisation of a matrix with known supernodes, straight into the panels of a solver: Cholesky for a
 * symmetric matrix, blocks of LU (factor_lu.c) for others.
 *
 *     ifd__factor F;
 *     ifd__factor_plan(plan, arena, &S, kernels, false, &F) layout of the panels, sources of every supernode
 *     ifd__factor_places(plan, &A, &F)                      places of the entries of A
 *     ifd__factor_numbers(&F, A.x)                          L, then the form of kernels.h, in place
 *
 * While L is computed, a panel of k columns stores it in tiles of 8 rows, each by columns, where its packed form will
 * be. Local row i of a supernode of w columns begins a tile if i - w is a multiple of 8, so all panels of a supernode
 * divide their rows in the same way, and the rows of a tile are adjacent in memory for every column. The inverse of
 * the diagonal block is at the place of the packed square. No second copy of the factor exists.
 *
 * Each number of L is one sum in a fixed order, whatever the number of threads. */
#pragma once

#include "algebra/supernodes.h"

/* Rows rows[from .. to - 1] of supernode c are columns of the supernode to which this source belongs. */
typedef struct ifd__source {
    int c, from, to;
} ifd__source;

/* Place of a row in the first column of a panel, and step from column to column. */
typedef struct ifd__row_place {
    ptrdiff_t at;
    int ld;
} ifd__row_place;

/* Memory of one thread. */
typedef struct ifd__factor_work {
    int *local;         /* row -> local row of the supernode in work */
    ifd__row_place *to; /* of the rows of a source in the panel in work */
    double *B;          /* columns of a source, by tiles */
    double *square;     /* 2 blocks of IFD__WIDEST^2 */
    double *panel;      /* one panel, column-major */
} ifd__factor_work;

typedef struct ifd__factor {
    ifd__supernodes S;
    const ifd__kernels *kernels;
    ifd__panels P;
    int *cut;   /* count + 1: first panel of a supernode */
    int *of;    /* column -> supernode */
    int *panel; /* column -> panel */
    int *at;    /* places of the pieces */
    size_t *begin;
    ifd__source *source; /* of supernode s: begin[s] .. begin[s + 1] - 1 */
    size_t numbers[2];   /* of the squares, and of the rows below with those of the upper triangle */
    bool unsymmetric;    /* the panels have a second rectangle, upper */
    int entries;
    ptrdiff_t *place; /* of the entries of the matrix: an index of the squares, or -1 - an index below */
    bool clean;       /* the panels are all zero */
    double *sign;     /* A = L diag(sign) L^T; NULL: Cholesky, all signs are positive */
    ifd__factor_work work;
} ifd__factor;

/* Tile that contains local row i of a panel: place of the row in its first column, and step from column to column. */
typedef struct ifd__tile_place {
    ptrdiff_t at;
    int ld, left; /* left: rows from i to the end of the tile */
} ifd__tile_place;

/* Of a supernode of w columns and high local rows; the panel ends before column `end` and has k columns. i >= end. */
IFD_RT static inline ifd__tile_place ifd__tile_of(int w, int high, int end, int k, int i)
{
    int offset = (i - w) & (IFD__TILE - 1), begin = i - offset, stop = begin + IFD__TILE;
    begin = begin < end ? end : begin;
    stop = stop > high ? high : stop;
    return (ifd__tile_place){(ptrdiff_t)(begin - end) * k + (i - begin), stop - begin, stop - i};
}

/* Memory of the plan comes from plan, that of the panels from arena. */
ifd_status ifd__factor_plan(ifd_arena *plan, ifd_arena *arena, const ifd__supernodes *S, const ifd__kernels *kernels,
                            bool unsymmetric, ifd__factor *out);
ifd_status ifd__factor_work_make(ifd_arena *arena, const ifd__factor *F, ifd__factor_work *out);

/* Sets the places of the entries of A. */
ifd_status ifd__factor_places(ifd_arena *plan, const ifd_sparse *A, ifd__factor *F);

/* Factors the matrix whose entry k has the value x[k]. -1, or the (original) row of the first pivot that is not
 * positive; the panels are then useless. No allocation; a fixed number of operations. */
IFD_RT int ifd__factor_numbers(ifd__factor *F, const double *x);

/* The same on several threads, with the same result; at set-up only. *bad: -1, or the row. */
ifd_status ifd__factor_numbers_by(ifd_arena *scratch, int threads, ifd__factor *F, const double *x, int *bad);

/* Number of multiplications for supernode s, about. */
double ifd__factor_operations(const ifd__supernodes *S, int s);

/* The number of negative pivots of A = L diag(+-1) L^T without exchanges, which is that of its negative eigenvalues
 * (Sylvester). IFD_SINGULAR: a pivot is too small for a decision. */
ifd_status ifd__factor_inertia(ifd_arena *scratch, const ifd_sparse *A, ifd__factor *F, int *negative);
