/* SPDX-License-Identifier: MIT */
/* Sparse square matrices in compressed columns, and their products.
 *
 * A symmetric matrix stores its lower triangle (with the diagonal); an unsymmetric one stores all entries. Row
 * indices are sorted within each column, without repetition. Immutable after make.
 *
 * A symmetric matrix may have a part of low rank in addition, weight Z Z^T, such as modal damping of a large model.
 * Products, sums, entries and solvers contain it; p, i and x do not. */
#pragma once

#include <stdbool.h>

#include "base/arena.h"

struct ifd__packed;

typedef struct ifd_sparse {
    int n;
    bool symmetric;
    int *p;           /* n + 1 column starts */
    int *i;           /* p[n] row indices */
    double *x;        /* p[n] values */
    const int *block; /* n labels, equal for adjacent indices that belong together (the dofs of a node); or NULL */
    const struct ifd__packed *packed; /* for fast products, or NULL */
    int rank;                         /* columns of Z */
    const double *Z;                  /* n x rank */
    double weight;                    /* positive if there is a Z */
} ifd_sparse;

/* Entries of a matrix to be made: {.arena = ...} to begin with. Memory comes from that arena as entries are added;
 * without memory, entries are dropped and ifd__sparse_make returns IFD_NO_MEMORY. */
typedef struct ifd__triplets {
    ifd_arena *arena;
    bool failed;
    int count, room;
    int *row, *column;
    double *value;
} ifd__triplets;

void ifd__triplet(ifd__triplets *t, int row, int column, double value);
/* factor times the first columns of A, both triangles, with rows and columns counted from first; without Z. */
void ifd__triplet_columns(ifd__triplets *t, int first, int columns, double factor, const ifd_sparse *A);

/* From the entries of t; repeated ones are summed. Exact zeros are dropped except on the diagonal, which is always
 * present. If symmetric, entries above the diagonal are ignored: supply each pair once or both. */
ifd_status ifd__sparse_make(ifd_arena *arena, int n, const ifd__triplets *t, bool symmetric, ifd_sparse *out);

/* out = alpha A + beta B, same n. out is symmetric if both are. A or B may be empty (n entries of zero diagonal).
 * Keeps the blocks of A, otherwise of B. At most one of them may have a Z, which both then share. */
ifd_status ifd__sparse_add(ifd_arena *arena, double alpha, const ifd_sparse *A, double beta, const ifd_sparse *B,
                           ifd_sparse *out);

/* Packs A for fast products: mul_add then uses the packed form. Worth its memory for matrices used in ticks. */
ifd_status ifd__sparse_pack(ifd_arena *arena, ifd_sparse *A);

/* y += alpha A x. x and y do not overlap. */
IFD_RT void ifd__sparse_mul_add(const ifd_sparse *A, double alpha, const double *x, double *y);

/* Entry (row, column), 0 if it is not stored. Set-up only. */
double ifd__sparse_get(const ifd_sparse *A, int row, int column);

/* a := A, dense n x n, both triangles. */
void ifd__sparse_fill(const ifd_sparse *A, double *a);
