/* SPDX-License-Identifier: MIT */
/* Solver: the factor of one matrix, made at set-up, applied on the tick path.
 *
 *     ifd_solver *s;
 *     IFD_TRY(ifd__solver_make(arena, &A, IFD__SOLVER_AUTO, &s, note));
 *     double *w = ifd_arena_array(arena, ifd__solver_work(s), sizeof *w);
 *     ...
 *     ifd__solver_solve(s, x, w);                  // IFD_RT: x := A^-1 x
 *
 * AUTO selects: diagonal if A is diagonal; an arrow (packed.h) if A is one; if A is unsymmetric, dense LU for
 * small or full matrices and where the sparse LU fails its test (solver.c), otherwise supernodal sparse LU; dense
 * Cholesky for small symmetric matrices; otherwise supernodal sparse Cholesky. A solver is constant after make
 * (except by refactor); the caller supplies the scratch. */
#pragma once

#include <stddef.h>

#include "algebra/sparse.h"

typedef struct ifd_solver ifd_solver;

typedef enum ifd__solver_kind {
    IFD__SOLVER_AUTO,
    IFD__SOLVER_DIAGONAL,
    IFD__SOLVER_DENSE_CHOLESKY,
    IFD__SOLVER_DENSE_LU,
    IFD__SOLVER_SPARSE,
    IFD__SOLVER_ARROW,
    IFD__SOLVER_SPARSE_LU
} ifd__solver_kind;

typedef struct ifd__solver_facts {
    ifd__solver_kind kind;
    const char *kernel;   /* variant of the kernels in use: "plain", "avx2", "avx512" */
    const char *ordering; /* "amd", "metis", "none" */
    long nonzeros;        /* nonzeros of L (or of L and U) without padding */
    long stored;          /* stored numbers with padding */
    long reads;           /* numbers read by one solution, with padding */
    int supernodes;
    int threads; /* that share a solution */
    bool single; /* the numbers of the factor are in single precision */
} ifd__solver_facts;

/* IFD_NOT_POSITIVE (symmetric; the note contains the row of the first pivot that is not positive), IFD_SINGULAR (LU),
 * IFD_NO_MEMORY (LU; the note has the numbers). */
ifd_status ifd__solver_make(ifd_arena *arena, const ifd_sparse *A, ifd__solver_kind kind, ifd_solver **out,
                            ifd_note *note);

/* As above with a given variant of the kernels instead of the fastest one. For tests. */
struct ifd__kernels;
ifd_status ifd__solver_make_with(ifd_arena *arena, const ifd_sparse *A, ifd__solver_kind kind,
                                 const struct ifd__kernels *kernels, ifd_solver **out, ifd_note *note);

/* The sparse Cholesky factor of a symmetric A, computed in double and stored in single precision: half the memory to
 * read. A solution sums in double precision; x := S^-1 x with a matrix S near A. Where the error is measured and
 * reduced: method/tangent_factor.c. IFD_RANGE: a number does not fit. */
ifd_status ifd__solver_make_single(ifd_arena *arena, const ifd_sparse *A, const struct ifd__kernels *kernels,
                                   ifd_solver **out, ifd_note *note);

/* A solver for matrices of one pattern; A is the first of them. refactor replaces the factor by that of the matrix of
 * this pattern with the given values, in the order of A->x: no allocation, no library, a fixed number of operations,
 * and the numbers that a new solver of this kind would have, bit by bit. False: this matrix is not positive definite
 * (symmetric), singular, or fails the test of a sparse LU (others), and the solver must not be used until a refactor
 * succeeds. */
ifd_status ifd__solver_make_changing(ifd_arena *arena, const ifd_sparse *A, ifd_solver **out, ifd_note *note);
IFD_RT bool ifd__solver_refactor(ifd_solver *solver, const double *values);

/* The number of negative eigenvalues of a symmetric matrix, from the signs of its pivots. IFD_SINGULAR: a pivot is
 * too small for a decision. Set-up only. */
ifd_status ifd__negative_eigenvalues(const ifd_sparse *A, int *count);

/* From now on, up to `threads` threads share each solution if the factor is large. The results are the same, bit by
 * bit. The threads end with the arena. `sharing` of the arena (base/arena.h) does this for all
 * later solvers. */
ifd_status ifd__solver_share(ifd_arena *arena, ifd_solver *solver, int threads);

/* Doubles of scratch that solve needs. */
size_t ifd__solver_work(const ifd_solver *solver);

/* x := A^-1 x. Fixed number of operations, no allocation. w: ifd__solver_work doubles, 64-byte aligned. */
IFD_RT void ifd__solver_solve(const ifd_solver *solver, double *x, double *w);

/* X := A^-1 X for `count` columns of n numbers, eight at a time for factors in panels, which reads the factor once
 * for all eight. w: ifd__solver_block_work doubles, 64-byte aligned. For set-up; the last bits may differ from those
 * of single solutions. */
size_t ifd__solver_block_work(const ifd_solver *solver);
void ifd__solver_solve_block(const ifd_solver *solver, int count, double *X, double *w);

/* The Cholesky kinds also solve in two halves, A = U^T D U with U unit upper in the order of the solver: forward
 * leaves y = U^-T x and z = D^-1 y in w, backward ends with x = U^-1 z. Between the two a change of low rank costs
 * little, because U^-T of a column with few entries has few entries. A matrix with a part of low rank has none. */
bool ifd__solver_has_halves(const ifd_solver *solver);
IFD_RT void ifd__solver_forward(const ifd_solver *solver, const double *x, double *w);
IFD_RT void ifd__solver_backward(const ifd_solver *solver, double *w, double *x);
/* y and z in w, n numbers each. */
IFD_RT double *ifd__solver_y(const ifd_solver *solver, double *w);
IFD_RT double *ifd__solver_z(const ifd_solver *solver, double *w);

ifd__solver_facts ifd__solver_facts_of(const ifd_solver *solver);
