/* SPDX-License-Identifier: MIT */
/* Set-up of the panels of a Cholesky factor from a symmetric matrix:
 *
 *     pattern      of the matrix, or closed over the dofs of a node
 *     ordering     AMD or METIS nested dissection, elimination tree, column counts
 *     supernodes   columns with the same structure; small ones merged where this saves time
 *     panels       numeric factorisation (factor.h) into the packed form of kernels.h
 *
 * All data but the panels is in a scratch arena, which the caller closes afterwards. */
#pragma once

#include "algebra/kernels.h"
#include "algebra/sparse.h"

/* count numbers, zero, and one more; NULL without memory. */
static inline int *ifd__ints(ifd_arena *scratch, int count)
{
    return ifd_arena_array(scratch, (size_t)count + 1, sizeof(int));
}

/* Both halves of a symmetric pattern by columns, without the diagonal. */
typedef struct ifd__pattern {
    int n, *p, *i;
} ifd__pattern;

ifd_status ifd__pattern_make(ifd_arena *scratch, const ifd_sparse *A, ifd__pattern *out);

typedef struct ifd__ordering {
    const char *name;
    int n;
    int *perm;     /* perm[new] = old; a postorder of the elimination tree */
    int *parent;   /* of column new, -1 for a root */
    int *count;    /* nonzeros of column new of L, diagonal included */
    long nonzeros; /* their sum */
} ifd__ordering;

ifd_status ifd__ordering_make(ifd_arena *scratch, const ifd__pattern *g, bool metis, ifd__ordering *out);

/* METIS on the graph of the blocks, with several options, for the pattern closed over them. */
ifd_status ifd__ordering_of_blocks(ifd_arena *scratch, const ifd__pattern *closed, const ifd__pattern *blocks,
                                   const int *start, ifd__ordering *out);

/* Nonzeros of L, diagonal included, for the order perm. */
ifd_status ifd__fill_count(ifd_arena *scratch, const ifd__pattern *g, const int *perm, long *nonzeros);

typedef struct ifd__supernodes {
    int n, count;
    int *perm;                /* perm[new] = old */
    int *first;               /* count + 1: columns of a supernode */
    int *parent;              /* supernode, -1 for a root */
    size_t *start;            /* count + 1: start of the rows below */
    int *rows;                /* these rows, sorted */
    int parts;                /* IFD__PARTS, or 0: not divided */
    int part[IFD__PARTS + 1]; /* first supernode of each part, then of those above */
} ifd__supernodes;

ifd_status ifd__supernodes_make(ifd_arena *scratch, const ifd__pattern *g, const ifd__ordering *ordering,
                                ifd__supernodes *out);

/* Divides a large factor into parts: reorders the supernodes. Otherwise it changes nothing. */
ifd_status ifd__supernodes_split(ifd_arena *scratch, ifd__supernodes *S);

/* All columns in one supernode, in the given order. */
ifd_status ifd__supernodes_dense(ifd_arena *scratch, int n, ifd__supernodes *out);

/* Modelled time of one solution, in units of one number read. */
double ifd__supernodes_cost(const ifd__supernodes *S);
