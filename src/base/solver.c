/* SPDX-License-Identifier: MIT */
#include "base/solver.h"

#include <lapacke.h>
#include <math.h>

#include "base/dense.h"

enum { LARGEST_LU = 500 };

struct ifd_solver {
    ifd__solver_facts facts;
    int n;
    int *pivot;
    double *a; /* diagonal: reciprocals; otherwise the n x n factor, column-major */
};

static bool is_diagonal(const ifd_sparse *A)
{
    for (int j = 0; j < A->n; j++)
        if (A->p[j + 1] - A->p[j] != 1)
            return false;
    return true;
}

static ifd_status not_positive(ifd_note *note, int row)
{
    return ifd_note_add(note, IFD_NOT_POSITIVE, NULL, "the matrix is not positive definite: pivot of row %d", row + 1);
}

static ifd_status make_diagonal(ifd_arena *arena, const ifd_sparse *A, ifd_solver *s, ifd_note *note)
{
    s->a = ifd_arena_array(arena, (size_t)A->n, sizeof *s->a);
    if (!s->a)
        return IFD_NO_MEMORY;
    for (int j = 0; j < A->n; j++) {
        double d = ifd__sparse_get(A, j, j);
        if (!isfinite(d) || d == 0.0 || (A->symmetric && d < 0.0))
            return A->symmetric ? not_positive(note, j)
                                : ifd_note_add(note, IFD_SINGULAR, NULL, "the matrix is singular: pivot of row %d", j + 1);
        s->a[j] = 1.0 / d;
    }
    s->facts.nonzeros = s->facts.stored = A->n;
    return IFD_OK;
}

static void fill(const ifd_sparse *A, double *a)
{
    for (int j = 0; j < A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++) {
            a[(size_t)A->i[k] + (size_t)j * (size_t)A->n] = A->x[k];
            if (A->symmetric)
                a[(size_t)j + (size_t)A->i[k] * (size_t)A->n] = A->x[k];
        }
}

static ifd_status make_dense(ifd_arena *arena, const ifd_sparse *A, ifd_solver *s, ifd_note *note)
{
    size_t n = (size_t)A->n;
    s->a = ifd_arena_array(arena, n * n, sizeof *s->a);
    s->pivot = ifd_arena_array(arena, n, sizeof *s->pivot);
    if (!s->a || !s->pivot)
        return IFD_NO_MEMORY;
    fill(A, s->a);
    s->facts.nonzeros = s->facts.stored = (long)(n * n);
    if (s->facts.kind == IFD__SOLVER_DENSE_LU)
        return ifd__lu_factor(A->n, s->a, s->pivot)
                   ? IFD_OK
                   : ifd_note_add(note, IFD_SINGULAR, NULL, "the matrix is singular");
    lapack_int bad = n ? LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', A->n, s->a, A->n) : 0;
    return bad ? not_positive(note, (int)bad - 1) : IFD_OK;
}

ifd_status ifd__solver_make(ifd_arena *arena, const ifd_sparse *A, ifd__solver_kind kind, ifd_solver **out,
                            ifd_note *note)
{
    if (kind == IFD__SOLVER_AUTO)
        kind = is_diagonal(A)   ? IFD__SOLVER_DIAGONAL
               : !A->symmetric  ? IFD__SOLVER_DENSE_LU
                                : IFD__SOLVER_DENSE_CHOLESKY;
    if (kind == IFD__SOLVER_SPARSE)
        kind = IFD__SOLVER_DENSE_CHOLESKY;
    if (kind == IFD__SOLVER_DENSE_LU && A->n > LARGEST_LU)
        return ifd_note_add(note, IFD_TOO_LARGE, NULL, "an unsymmetric matrix of %d unknowns; the limit is %d", A->n,
                            LARGEST_LU);
    ifd_solver *s = ifd_arena_take(arena, sizeof *s);
    if (!s)
        return IFD_NO_MEMORY;
    s->n = A->n;
    s->facts = (ifd__solver_facts){.kind = kind, .kernel = "plain", .ordering = "none"};
    IFD_TRY(kind == IFD__SOLVER_DIAGONAL ? make_diagonal(arena, A, s, note) : make_dense(arena, A, s, note));
    *out = s;
    return IFD_OK;
}

size_t ifd__solver_work(const ifd_solver *solver)
{
    (void)solver;
    return 0;
}

static void cholesky_solve(int n, const double *a, double *x)
{
    size_t ld = (size_t)n;
    for (int j = 0; j < n; j++) {
        x[j] /= a[(size_t)j * (ld + 1)];
        for (int i = j + 1; i < n; i++)
            x[i] -= a[(size_t)i + (size_t)j * ld] * x[j];
    }
    for (int j = n - 1; j >= 0; j--) {
        for (int i = j + 1; i < n; i++)
            x[j] -= a[(size_t)i + (size_t)j * ld] * x[i];
        x[j] /= a[(size_t)j * (ld + 1)];
    }
}

void ifd__solver_solve(const ifd_solver *s, double *x, double *w)
{
    (void)w;
    if (s->facts.kind == IFD__SOLVER_DENSE_LU)
        ifd__lu_solve(s->n, s->a, s->pivot, 1, x);
    else if (s->facts.kind == IFD__SOLVER_DENSE_CHOLESKY)
        cholesky_solve(s->n, s->a, x);
    else
        for (int i = 0; i < s->n; i++)
            x[i] *= s->a[i];
}

ifd__solver_facts ifd__solver_facts_of(const ifd_solver *solver)
{
    return solver->facts;
}
