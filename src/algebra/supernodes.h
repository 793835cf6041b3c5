/* SPDX-License-Identifier: MIT */
/* The way from a symmetric matrix to the panels of its Cholesky factor, all of it set-up:
 *
 *     pattern      of the matrix, or closed over the dofs of a node
 *     ordering     AMD or METIS nested dissection, elimination tree, column counts
 *     supernodes   columns of one structure together, small ones merged where that costs less time than it saves
 *     panels       numeric factorisation with LAPACK, then the packed form that kernels.h sweeps over
 *
 * Everything but the panels lives in a scratch arena that the caller closes afterwards. */
#ifndef IFD_ALGEBRA_SUPERNODES_H
#define IFD_ALGEBRA_SUPERNODES_H

#include "algebra/kernels.h"
#include "algebra/sparse.h"

/* Both halves of a symmetric pattern by columns, without the diagonal. */
typedef struct ifd__pattern {
    int n, *p, *i;
} ifd__pattern;

ifd_status ifd__pattern_make(ifd_arena *scratch, const ifd_sparse *A, ifd__pattern *out);

/* The pattern closed over blocks of adjacent indices: of equal label, or of period indices when label is NULL. out->p
 * stays NULL where no closed pattern is worth having. */
ifd_status ifd__pattern_close(ifd_arena *scratch, const ifd__pattern *g, const int *label, int period,
                              ifd__pattern *out);

typedef struct ifd__ordering {
    const char *name;
    int n;
    int *perm;     /* perm[new] = old; a postorder of the elimination tree */
    int *parent;   /* of column new, -1 for a root */
    int *count;    /* nonzeros of column new of L, diagonal included */
    long nonzeros; /* their sum */
} ifd__ordering;

ifd_status ifd__ordering_make(ifd_arena *scratch, const ifd__pattern *g, bool metis, ifd__ordering *out);

/* Nonzeros of L, diagonal included, for the order perm. */
ifd_status ifd__fill_count(ifd_arena *scratch, const ifd__pattern *g, const int *perm, long *nonzeros);

typedef struct ifd__supernodes {
    int n, count;
    int *perm;     /* perm[new] = old */
    int *first;    /* count + 1: columns of a supernode */
    int *parent;   /* supernode, -1 for a root */
    size_t *start; /* count + 1: its rows below ... */
    int *rows;     /* ... in here, sorted */
} ifd__supernodes;

/* For the pattern that was ordered. */
ifd_status ifd__supernodes_make(ifd_arena *scratch, const ifd__pattern *g, const ifd__ordering *ordering,
                                ifd__supernodes *out);

/* All columns in one supernode, in the order given. */
ifd_status ifd__supernodes_dense(ifd_arena *scratch, int n, ifd__supernodes *out);

/* Modelled time of one solve, in numbers read. */
double ifd__supernodes_cost(const ifd__supernodes *S);

/* Factors A and packs the factor. IFD_NOT_POSITIVE sets *bad to the (original) row of the first bad pivot. */
ifd_status ifd__factor_make(ifd_arena *arena, ifd_arena *scratch, const ifd_sparse *A, const ifd__supernodes *S,
                            const ifd__kernels *kernels, ifd__panels *out, int *bad);

#endif
