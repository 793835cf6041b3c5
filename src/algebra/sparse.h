/* SPDX-License-Identifier: MIT */
/* Sparse square matrices in compressed columns, and their products.
 *
 * A symmetric matrix stores its lower triangle (diagonal included); an unsymmetric one stores everything. Row indices
 * are sorted within each column, no entry stands twice. Immutable after make. */
#ifndef IFD_ALGEBRA_SPARSE_H
#define IFD_ALGEBRA_SPARSE_H

#include <stdbool.h>

#include <interfield/arena.h>

struct ifd__packed;

typedef struct ifd_sparse {
    int n;
    bool symmetric;
    int *p;           /* n + 1 column starts */
    int *i;           /* p[n] row indices */
    double *x;        /* p[n] values */
    const int *block; /* n labels, equal for adjacent indices that belong together (the dofs of a node); or NULL */
    const struct ifd__packed *packed; /* for fast products, or NULL */
} ifd_sparse;

/* From count triplets (row, column, value); repeated ones are summed, exact zeros are dropped except on the diagonal,
 * which is always present. With symmetric set, entries above the diagonal are ignored: give each pair once or
 * both. */
ifd_status ifd__sparse_make(ifd_arena *arena, int n, int count, const int *row, const int *column,
                            const double *value, bool symmetric, ifd_sparse *out);

/* out = alpha A + beta B, same n. out is symmetric when both are. A or B may be empty (n entries of zero diagonal).
 * Keeps the blocks of A, or else of B. */
ifd_status ifd__sparse_add(ifd_arena *arena, double alpha, const ifd_sparse *A, double beta, const ifd_sparse *B,
                           ifd_sparse *out);

/* Packs A for fast products: from then on mul_add uses the packed form. Worth its memory for what ticks multiply
 * with. */
ifd_status ifd__sparse_pack(ifd_arena *arena, ifd_sparse *A);

/* y += alpha A x. x and y do not overlap. */
IFD_RT void ifd__sparse_mul_add(const ifd_sparse *A, double alpha, const double *x, double *y);

/* Entry (row, column), 0 where none is stored. Set-up only. */
double ifd__sparse_get(const ifd_sparse *A, int row, int column);

#endif
