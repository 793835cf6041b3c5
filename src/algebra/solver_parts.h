/* SPDX-License-Identifier: MIT */
/* Internal data of a solver, for the files solver*.c, which make and apply it, and factors.c, which stores it. */
#pragma once

#include "algebra/packed.h"
#include "algebra/kernels.h"
#include "algebra/solver.h"
#include "algebra/symbolic.h"

typedef struct ifd__permutation {
    int runs;
    uint32_t *run;
} ifd__permutation;

struct ifd_solver {
    ifd__solver_facts facts;
    int n;
    bool symmetric; /* the matrix */
    const ifd__kernels *kernels;
    double *a;  /* diagonal: reciprocals; full LU: the factors, column-major; arrow: all its numbers */
    int *pivot; /* full LU */
    ifd__permutation there, back; /* panels: into the order of the factor, and back */
    ifd__panels panels;           /* Cholesky, sparse LU */
    struct ifd__crew *crew;       /* threads that share a solution, or NULL */
    ifd__arrow arrow;
    struct ifd__factor *again; /* panels of a matrix that changes; NULL for others */
    struct ifd__trial *trial;  /* sparse LU of a matrix that changes: its test */
    int entries;
    size_t *place;             /* full LU of a matrix that changes: places of its entries */
    struct ifd__low_rank *low; /* NULL: the matrix has no part of low rank */
    const ifd_solver *base;    /* the solver without it */
};

/* A solver to be made. plan: memory of what only a factorisation needs, and of a factor that is rounded to single
 * precision. */
typedef struct ifd__solver_request {
    ifd_arena *arena, *plan;
    const ifd_sparse *A;
    ifd__solver_kind kind;
    const ifd__kernels *kernels;
    bool changes, single;
} ifd__solver_request;
