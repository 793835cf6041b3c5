/* SPDX-License-Identifier: MIT */
/* Internal data of a solver, shared by solver.c, which makes and applies it, and factors.c, which stores it. */
#ifndef IFD_ALGEBRA_SOLVER_PARTS_H
#define IFD_ALGEBRA_SOLVER_PARTS_H

#include "algebra/arrow.h"
#include "algebra/kernels.h"
#include "algebra/solver.h"

typedef struct ifd__permutation {
    int runs;
    uint32_t *run;
} ifd__permutation;

struct ifd_solver {
    ifd__solver_facts facts;
    int n;
    bool symmetric; /* the matrix */
    const ifd__kernels *kernels;
    double *a;                    /* diagonal: reciprocals; LU: the factors, column-major; arrow: all its numbers */
    int *pivot;                   /* LU */
    ifd__permutation there, back; /* Cholesky: into the order of the factor, and back */
    ifd__panels panels;           /* Cholesky */
    struct ifd__crew *crew;       /* threads that share a solution, or NULL */
    ifd__arrow arrow;
    struct ifd__factor *again; /* Cholesky of a matrix that changes; NULL for others */
    int entries;
    size_t *place;             /* LU of a matrix that changes: places of its entries */
    struct ifd__low_rank *low; /* NULL: the matrix has no part of low rank */
    const ifd_solver *base;    /* the solver without it */
};

/* Replaces the numbers of panels, so many in the squares and below, by numbers in single precision of the arena, and
 * moves the panels there. IFD_RANGE: one of them does not fit. */
ifd_status ifd__panels_round(ifd_arena *arena, const size_t numbers[2], ifd__panels *P);

#endif
