/* SPDX-License-Identifier: MIT */
/* The factor of an unsymmetric matrix: sparse (factor_lu.c), or full.
 *
 * The sparse one exchanges rows inside the squares of its panels only. That is enough for the matrices of a
 * structure, whose symmetric part dominates, but not for every matrix. A trial decides: two right-hand sides are
 * solved, and the componentwise backward error (Oettli and Prager 1964) is measured. One is random. If the matrix is
 * nearly singular, its solution is a large multiple of one vector, which hides the errors of all others; so the other
 * one is that of a random solution. A factor that fails is replaced by a full one, which may exchange all rows. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "algebra/dense.h"
#include "algebra/factor.h"
#include "algebra/solver_parts.h"
#include "base/memory.h"

/* Rows up to which a full factor is used, although a sparse one is faster from about 50 rows on: any nonsingular
 * matrix has one. */
enum { SMALL = 100, WORTH_A_REMARK = 500 };

/* Most backward error of a trial. Frames have 3e-13 at most, with any share of mass. Chains of 100 and more beams
 * without mass, whose stiffness varies by four decades, have up to 5e-6 where a full factor has 5e-12: they need the
 * full one. */
static const double MOST_ERROR = 1e-11;

typedef struct ifd__trial {
    int n;
    const int *p, *i;
    double *any;              /* random numbers */
    double *b, *x, *size, *w; /* b: also the residual; size: |A| |x| + |b| */
} trial;

/* In (-1, 1) and not small, the same every time. */
static double any(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    double value = (double)(*state >> 11) * 0x1p-53;
    return *state & 1024 ? 0.5 + 0.5 * value : -0.5 - 0.5 * value;
}

static ifd_status trial_make(const ifd__solver_request *r, const ifd_solver *s, trial **out)
{
    const ifd_sparse *A = r->A;
    size_t n = (size_t)A->n, entries = (size_t)A->p[n];
    uint64_t state = 1;
    int *p, *i;
    trial *t = ifd_arena_take(r->plan, sizeof *t);
    if (!t)
        return IFD_NO_MEMORY;
    IFD_TRY(IFD__TAKE(r->plan, IFD__ARRAY(t->any, n), IFD__ARRAY(t->b, n), IFD__ARRAY(t->x, n),
                      IFD__ARRAY(t->size, n), IFD__ARRAY(t->w, ifd__solver_work(s)), IFD__ARRAY(p, n + 1),
                      IFD__ARRAY(i, entries)));
    memcpy(p, A->p, sizeof *p * (n + 1));
    memcpy(i, A->i, sizeof *i * entries);
    t->n = A->n;
    t->p = p;
    t->i = i;
    for (size_t k = 0; k < n; k++)
        t->any[k] = any(&state);
    *out = t;
    return IFD_OK;
}

/* The backward error of the solution of b; NAN if a number is not finite. */
static IFD_RT double error_of(const trial *t, const ifd_solver *s, const double *values)
{
    double worst = 0.0;
    memcpy(t->x, t->b, sizeof *t->x * (size_t)t->n);
    ifd__solver_solve(s, t->x, t->w);
    for (int j = 0; j < t->n; j++)
        t->size[j] = fabs(t->b[j]);
    for (int j = 0; j < t->n; j++)
        for (int k = t->p[j]; k < t->p[j + 1]; k++) {
            t->b[t->i[k]] -= values[k] * t->x[j];
            t->size[t->i[k]] += fabs(values[k] * t->x[j]);
        }
    for (int j = 0; j < t->n; j++) {
        double error = fabs(t->b[j]) / t->size[j];
        if (!(error <= worst || isnan(worst)))
            worst = error;
    }
    return worst;
}

/* The larger error of both right-hand sides, or NAN. */
static IFD_RT double trial_error(const trial *t, const ifd_solver *s, const double *values)
{
    memcpy(t->b, t->any, sizeof *t->b * (size_t)t->n);
    double first = error_of(t, s, values);
    memset(t->b, 0, sizeof *t->b * (size_t)t->n);
    for (int j = 0; j < t->n; j++)
        for (int k = t->p[j]; k < t->p[j + 1]; k++)
            t->b[t->i[k]] += values[k] * t->any[j];
    double second = error_of(t, s, values);
    return first > second || isnan(first) ? first : second;
}

/* The pattern of A + A^T: its lower triangle. */
static ifd_status both_halves(ifd_arena *scratch, const ifd_sparse *A, ifd_sparse *out)
{
    ifd__triplets t = {.arena = scratch};
    for (int j = 0; j < A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++)
            ifd__triplet(&t, A->i[k] > j ? A->i[k] : j, A->i[k] > j ? j : A->i[k], 1.0);
    IFD_TRY(ifd__sparse_make(scratch, A->n, &t, true, out));
    out->block = A->block;
    return IFD_OK;
}

/* Why there is no sparse factor. */
typedef struct verdict {
    int bad;      /* row of a zero pivot, or -1 */
    double error; /* of the trial */
} verdict;

/* IFD_SINGULAR: the factor is useless. */
static ifd_status make_panels(const ifd__solver_request *r, const ifd__symbolic *symbolic, ifd_solver *s, verdict *v)
{
    trial *t;
    IFD_TRY(ifd__solver_factor(r, symbolic, s, &v->bad));
    IFD_TRY(trial_make(r, s, &t));
    if (r->changes)
        s->trial = t;
    v->error = trial_error(t, s, r->A->x);
    return v->error <= MOST_ERROR ? IFD_OK : IFD_SINGULAR;
}

/* IFD_SINGULAR: the sparse factor is useless; IFD_TOO_LARGE: it has no advantage. */
static ifd_status make_sparse(const ifd__solver_request *r, ifd_solver *s, verdict *v, ifd_note *note)
{
    ifd_sparse both;
    const ifd__symbolic *symbolic;
    ifd_solver sparse = *s;
    IFD_TRY(both_halves(r->plan, r->A, &both));
    IFD_TRY(ifd__symbolic_make(r->arena, &both, IFD__SOLVER_SPARSE, &symbolic));
    double numbers = ifd__supernodes_cost(&symbolic->S); /* one for each number read, and some more */
    if (r->kind == IFD__SOLVER_AUTO && numbers >= (double)r->A->n * r->A->n)
        return IFD_TOO_LARGE;
    IFD_TRY(ifd__memory_check(8.0 * numbers, "the sparse factor of an unsymmetric matrix", note));
    sparse.facts.kind = IFD__SOLVER_SPARSE_LU;
    IFD_TRY(make_panels(r, symbolic, &sparse, v));
    *s = sparse;
    return IFD_OK;
}

/* Places of the entries in the full matrix. */
static ifd_status index_entries(ifd_arena *arena, const ifd_sparse *A, ifd_solver *s)
{
    s->entries = A->p[A->n];
    s->place = ifd_arena_array(arena, (size_t)s->entries, sizeof *s->place);
    if (!s->place)
        return IFD_NO_MEMORY;
    for (int j = 0; j < A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++)
            s->place[k] = (size_t)A->i[k] + (size_t)j * (size_t)A->n;
    return IFD_OK;
}

static ifd_status make_full(const ifd__solver_request *r, ifd_solver *s, ifd_note *note)
{
    size_t n = (size_t)r->A->n;
    IFD_TRY(ifd__memory_check(8.0 * r->A->n * r->A->n, "the full factor of an unsymmetric matrix", note));
    IFD_TRY(IFD__TAKE(r->arena, IFD__ARRAY(s->a, n * n), IFD__ARRAY(s->pivot, n)));
    ifd_sparse numbers = *r->A;
    numbers.rank = 0; /* a part of low rank is added later */
    ifd__sparse_fill(&numbers, s->a);
    s->facts.kind = IFD__SOLVER_DENSE_LU;
    s->facts.nonzeros = s->facts.stored = s->facts.reads = (long)(n * n);
    if (!ifd__lu_factor(r->A->n, s->a, s->pivot))
        return ifd_note_add(note, IFD_SINGULAR, NULL, "the matrix is singular");
    return r->changes ? index_entries(r->arena, r->A, s) : IFD_OK;
}

enum { REASON = 120 };

static void explain(const verdict *v, ifd_status sparse, char reason[REASON])
{
    if (sparse == IFD_TOO_LARGE)
        snprintf(reason, REASON, "a sparse factor would not be smaller");
    else if (v->bad >= 0)
        snprintf(reason, REASON, "its sparse factor has no pivot in row %d", v->bad + 1);
    else
        snprintf(reason, REASON, "its sparse factor has a backward error of %.1e, more than %.0e", v->error,
                 MOST_ERROR);
}

/* The row of a number that is not finite, or -1. */
static int not_finite(const ifd_sparse *A)
{
    for (int k = 0; k < A->p[A->n]; k++)
        if (!isfinite(A->x[k]))
            return A->i[k];
    return -1;
}

/* A full factor where a sparse one is missing. */
static ifd_status make_instead(const ifd__solver_request *r, const char *reason, ifd_solver *s, ifd_note *note)
{
    static const char advice[] = "make the unsymmetric part a substructure of its own, and join it with the rest";
    int n = r->A->n;
    ifd_status status = make_full(r, s, note);
    if (status == IFD_NO_MEMORY && note)
        ifd_note_hint(note, "%s: %s", reason, advice);
    if (status == IFD_OK && n > WORTH_A_REMARK && note)
        ifd_note_remark(note, NULL,
                        "the factor of an unsymmetric matrix of %d rows is a full one of %.3g GB, which every step "
                        "reads: %s. If this is too slow, %s",
                        n, 8e-9 * n * n, reason, advice);
    return status;
}

ifd_status ifd__solver_lu(const ifd__solver_request *r, ifd_solver *s, ifd_note *note)
{
    verdict v = {.bad = -1};
    char reason[REASON];
    int row = not_finite(r->A);
    if (row >= 0)
        return ifd_note_add(note, IFD_SINGULAR, NULL, "the matrix has a number in row %d that is not finite",
                            row + 1);
    if (r->kind == IFD__SOLVER_DENSE_LU || (r->kind == IFD__SOLVER_AUTO && r->A->n <= SMALL))
        return make_full(r, s, note);
    if (r->A->symmetric)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL, "the matrix is symmetric");
    ifd_status sparse = make_sparse(r, s, &v, note);
    if (sparse != IFD_SINGULAR && sparse != IFD_TOO_LARGE)
        return sparse;
    explain(&v, sparse, reason);
    if (r->kind == IFD__SOLVER_SPARSE_LU)
        return ifd_note_add(note, IFD_SINGULAR, NULL, "the matrix is singular, or %s", reason);
    return make_instead(r, reason, s, note);
}

bool ifd__solver_lu_again(ifd_solver *s, const double *values)
{
    if (s->again) /* the trial is one of the numbers, without a part of low rank */
        return ifd__factor_numbers(s->again, values) < 0 &&
               trial_error(s->trial, s->base ? s->base : s, values) <= MOST_ERROR;
    memset(s->a, 0, sizeof(double) * (size_t)s->n * (size_t)s->n);
    for (int k = 0; k < s->entries; k++)
        s->a[s->place[k]] = values[k];
    return ifd__lu_factor(s->n, s->a, s->pivot);
}
