/* SPDX-License-Identifier: MIT */
/* Chooses the factor of a matrix by its kind and applies it. */
#include "algebra/solver.h"
#include "algebra/crew.h"
#include "algebra/dense.h"
#include "algebra/factor.h"
#include "algebra/factors.h"
#include "algebra/solver_parts.h"
#include "algebra/team.h"
#include "base/arena.h"
#include "base/memory.h"
#include "algebra/sparse.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Solution with a matrix that has a part of low rank, S = S0 + weight Z Z^T, from the factor of S0 (Woodbury):
 *
 *     S^-1 b = x - Y (I / weight + Z^T Y)^-1 Z^T x,    x = S0^-1 b,    Y = S0^-1 Z */

struct ifd_solver;

typedef struct ifd__low_rank {
    int n, rank;
    double weight;
    const double *Z; /* n x rank */
    double *Y;       /* n x rank */
    double *G;       /* rank x rank: LU of I / weight + Z^T Y */
    int *pivot;
    double *w; /* scratch of the solver of S0 */
} ifd__low_rank;

/* Corrects a solution for a part of low rank (Woodbury). */

/* y := Z^T x */
static IFD_RT void along(const ifd__low_rank *l, const double *x, double *y)
{
    for (int k = 0; k < l->rank; k++)
        y[k] = ifd__dot(l->n, l->Z + (size_t)k * (size_t)l->n, x);
}

/* After base was factored again. False: S is singular. */
static IFD_RT bool low_rank_update(ifd__low_rank *l, const ifd_solver *base)
{
    size_t n = (size_t)l->n, rank = (size_t)l->rank;
    memcpy(l->Y, l->Z, n * rank * sizeof *l->Y);
    for (size_t k = 0; k < rank; k++) {
        ifd__solver_solve(base, l->Y + k * n, l->w);
        along(l, l->Y + k * n, l->G + k * rank);
        l->G[k + k * rank] += 1.0 / l->weight;
    }
    return ifd__lu_factor(l->rank, l->G, l->pivot);
}

/* base: solver of A without its Z. */
static ifd_status low_rank_make(ifd_arena *arena, const ifd_sparse *A, const ifd_solver *base, ifd__low_rank **out)
{
    size_t n = (size_t)A->n, rank = (size_t)A->rank;
    ifd__low_rank *l;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(l, 1)));
    *l = (ifd__low_rank){.n = A->n, .rank = A->rank, .weight = A->weight, .Z = A->Z};
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(l->Y, n * rank), IFD__ARRAY(l->G, rank * rank), IFD__ARRAY(l->pivot, rank),
                      IFD__ARRAY(l->w, ifd__solver_work(base))));
    *out = l;
    return low_rank_update(l, base) ? IFD_OK : IFD_SINGULAR;
}

/* x = S0^-1 b becomes S^-1 b. w: rank doubles. */
static IFD_RT void low_rank_correct(const ifd__low_rank *l, double *x, double *w)
{
    along(l, x, w);
    ifd__lu_solve(l->rank, l->G, l->pivot, 1, w);
    ifd__mul_add(l->n, l->rank, -1.0, l->Y, w, x);
}

/* Rounds the panels of a factor to single precision. */

/* Numbers too small for single precision become zero: computing with subnormal numbers is slow. */
static bool round_all(size_t count, const double *from, float *to)
{
    bool fits = true;
    for (size_t k = 0; k < count; k++) {
        double size = fabs(from[k]);
        fits = fits && size <= (double)FLT_MAX;
        to[k] = size >= (double)FLT_MIN ? (float)from[k] : 0.0f;
    }
    return fits;
}

/* Replaces the numbers of panels, so many in the squares and below, by numbers in single precision of the arena, and
 * moves the panels there. IFD_RANGE: one of them does not fit. */
static ifd_status panels_round(ifd_arena *arena, const size_t numbers[2], ifd__panels *P)
{
    const ifd__panels from = *P;
    size_t pieces = 0;
    for (int p = 0; p < P->count; p++)
        pieces += (size_t)P->panel[p].pieces;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(P->square_single, numbers[0] + IFD__MOST_LANES),
                      IFD__ARRAY(P->below_single, numbers[1] + IFD__MOST_LANES), IFD__ARRAY(P->piece, pieces),
                      IFD__ARRAY(P->panel, P->count)));
    memcpy(P->piece, from.piece, pieces * sizeof *P->piece);
    memcpy(P->panel, from.panel, (size_t)P->count * sizeof *P->panel);
    P->square = P->below = NULL;
    bool fits = round_all(numbers[0], from.square, P->square_single);
    return round_all(numbers[1], from.below, P->below_single) && fits ? IFD_OK : IFD_RANGE;
}

/* A factor in panels, of a symmetric or an unsymmetric matrix: permutations, plan, numbers. */

static const double MANY = 3e7; /* operations of a factorisation that takes several milliseconds */

static ifd_status runs_make(ifd_arena *arena, int lanes, int n, const int *perm, ifd__permutation *out)
{
    out->runs = ifd__runs_pack(n, perm, lanes, NULL);
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(out->run, out->runs)));
    ifd__runs_pack(n, perm, lanes, out->run);
    return IFD_OK;
}

static ifd_status permute(ifd_arena *arena, ifd_arena *scratch, int lanes, int n, const int *perm, ifd_solver *s)
{
    int *place;
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(place, n)));
    for (int k = 0; k < n; k++)
        place[perm[k]] = k;
    IFD_TRY(runs_make(arena, lanes, n, perm, &s->there));
    return runs_make(arena, lanes, n, place, &s->back);
}

static void count_reads(ifd_solver *s)
{
    s->facts.stored = s->facts.reads = 0;
    for (int p = 0; p < s->panels.count; p++) {
        const ifd__panel *J = s->panels.panel + p;
        long square = (long)ifd__block_size(J->width, J->width, &s->panels);
        long below = (long)ifd__block_size(J->rows, J->width, &s->panels);
        s->facts.stored += square + (s->panels.upper ? 2 : 1) * below;
        s->facts.reads += square + 2 * below;
    }
}

/* Threads cost some 50 us. */
static int threads_for(const ifd__supernodes *S)
{
    double operations = 0.0;
    for (int s = 0; s < S->count; s++)
        operations += ifd__factor_operations(S, s);
    return operations > MANY ? ifd__team_cores() : 1;
}

/* The panels. IFD_NOT_POSITIVE or, of an unsymmetric matrix, IFD_SINGULAR: *bad is the row of the first bad pivot. */
static ifd_status solver_factor(const ifd__solver_request *r, const ifd__symbolic *symbolic, ifd_solver *s, int *bad)
{
    const ifd_sparse *A = r->A;
    s->facts.ordering = symbolic->ordering;
    s->facts.nonzeros = A->symmetric ? symbolic->nonzeros : 2 * symbolic->nonzeros - A->n;
    s->facts.supernodes = symbolic->S.count;
    ifd__factor *F;
    IFD_TRY(IFD__TAKE(r->plan, IFD__ARRAY(F, 1)));
    IFD_TRY(permute(r->arena, r->plan, s->kernels->lanes, A->n, symbolic->S.perm, s));
    IFD_TRY(ifd__factor_plan(r->plan, r->single ? r->plan : r->arena, &symbolic->S, s->kernels, !A->symmetric, F));
    IFD_TRY(ifd__factor_work_make(r->plan, F, &F->work));
    IFD_TRY(ifd__factor_places(r->plan, A, F));
    IFD_TRY(ifd__factor_numbers_by(r->plan, threads_for(&symbolic->S), F, A->x, bad));
    if (*bad >= 0)
        return A->symmetric ? IFD_NOT_POSITIVE : IFD_SINGULAR;
    s->panels = F->P;
    if (r->changes)
        s->again = F;
    count_reads(s);
    return r->single ? panels_round(r->arena, F->numbers, &s->panels) : IFD_OK;
}

/* The factor of an unsymmetric matrix: sparse (factor_lu.c), or full.
 *
 * The sparse one exchanges rows inside the squares of its panels only. That is enough for the matrices of a
 * structure, whose symmetric part dominates, but not for every matrix. A trial decides: two right-hand sides are
 * solved, and the componentwise backward error (Oettli and Prager 1964) is measured. One is random. If the matrix is
 * nearly singular, its solution is a large multiple of one vector, which hides the errors of all others; so the other
 * one is that of a random solution. A factor that fails is replaced by a full one, which may exchange all rows. */

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
    trial *t;
    IFD_TRY(IFD__TAKE(r->plan, IFD__ARRAY(t, 1)));
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
    IFD_TRY(solver_factor(r, symbolic, s, &v->bad));
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
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s->place, s->entries)));
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

static ifd_status solver_lu(const ifd__solver_request *r, ifd_solver *s, ifd_note *note)
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

/* The factor of an unsymmetric matrix, in panels or full. */
IFD_RT static bool solver_lu_again(ifd_solver *s, const double *values)
{
    if (s->again) /* the trial is one of the numbers, without a part of low rank */
        return ifd__factor_numbers(s->again, values) < 0 &&
               trial_error(s->trial, s->base ? s->base : s, values) <= MOST_ERROR;
    memset(s->a, 0, sizeof(double) * (size_t)s->n * (size_t)s->n);
    for (int k = 0; k < s->entries; k++)
        s->a[s->place[k]] = values[k];
    return ifd__lu_factor(s->n, s->a, s->pivot);
}

static bool is_diagonal(const ifd_sparse *A)
{
    for (int j = 0; j < A->n; j++)
        if (A->p[j + 1] - A->p[j] != 1)
            return false;
    return true;
}

static ifd_status not_positive(ifd_note *note, int row)
{
    return ifd_note_add(note, IFD_NOT_POSITIVE, NULL,
                        "the matrix is not positive definite: the pivot of row %d is not positive", row + 1);
}

static ifd_status make_diagonal(ifd_arena *arena, const ifd_sparse *A, ifd_solver *s, ifd_note *note)
{
    if (!is_diagonal(A))
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL, "the matrix is not diagonal");
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s->a, A->n)));
    for (int j = 0; j < A->n; j++) {
        double d = A->x[A->p[j]];
        if (A->symmetric && !(d > 0.0 && isfinite(d)))
            return not_positive(note, j);
        if (!isfinite(d) || d == 0.0)
            return ifd_note_add(note, IFD_SINGULAR, NULL, "the matrix is singular: the pivot of row %d is zero",
                                j + 1);
        s->a[j] = 1.0 / d;
    }
    s->facts.nonzeros = s->facts.stored = s->facts.reads = A->n;
    return IFD_OK;
}

static ifd_status make_arrow(ifd_arena *arena, const ifd_sparse *A, ifd_solver *s, ifd_note *note)
{
    int border = ifd__arrow_border(A), bad;
    if (!border)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL, "the matrix is not an arrow");
    IFD_TRY(ifd__arrow_make(arena, A, border, &s->arrow));
    s->a = s->arrow.diagonal;
    s->facts.nonzeros = A->p[A->n];
    s->facts.stored = s->facts.reads = (long)ifd__arrow_size(border, s->arrow.rest);
    return ifd__arrow_factor(&s->arrow, &bad) ? IFD_OK : not_positive(note, bad);
}

static ifd_status make_cholesky(const ifd__solver_request *r, ifd_solver *s, ifd_note *note)
{
    const ifd__symbolic *symbolic;
    int bad = 0;
    IFD_TRY(ifd__symbolic_make(r->arena, r->A, r->kind, &symbolic));
    s->facts.kind = symbolic->kind;
    ifd_status status = solver_factor(r, symbolic, s, &bad);
    return status == IFD_NOT_POSITIVE ? not_positive(note, bad) : status;
}

static bool is_lu(ifd__solver_kind kind)
{
    return kind == IFD__SOLVER_DENSE_LU || kind == IFD__SOLVER_SPARSE_LU;
}

/* A factor with a plan, which a solver of a matrix that does not change leaves behind. */
static ifd_status make_planned(const ifd__solver_request *asked, ifd_solver *s, ifd_note *note)
{
    ifd__solver_request r = *asked;
    r.plan = r.changes ? r.arena : ifd_arena_open();
    ifd_status status = !r.plan ? IFD_NO_MEMORY
                        : is_lu(r.kind) || (r.kind == IFD__SOLVER_AUTO && !r.A->symmetric)
                            ? solver_lu(&r, s, note)
                            : make_cholesky(&r, s, note);
    if (!r.changes)
        ifd_arena_close(r.plan);
    return status;
}

static ifd_status make_new(const ifd__solver_request *r, ifd_solver **out, ifd_note *note)
{
    ifd_arena *arena = r->arena;
    const ifd_sparse *A = r->A;
    ifd__solver_kind kind = r->kind;
    if (kind == IFD__SOLVER_AUTO && is_diagonal(A))
        kind = IFD__SOLVER_DIAGONAL;
    else if (kind == IFD__SOLVER_AUTO && !r->changes && ifd__arrow_border(A))
        kind = IFD__SOLVER_ARROW;
    ifd_solver *s;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s, 1)));
    s->n = A->n;
    s->symmetric = A->symmetric;
    s->kernels = r->kernels;
    s->facts = (ifd__solver_facts){.kind = kind, .kernel = r->kernels->name, .ordering = "none"};
    if (kind == IFD__SOLVER_DIAGONAL)
        IFD_TRY(make_diagonal(arena, A, s, note));
    else if (kind == IFD__SOLVER_ARROW)
        IFD_TRY(make_arrow(arena, A, s, note));
    else if (!A->symmetric && kind != IFD__SOLVER_AUTO && !is_lu(kind))
        return ifd_note_add(note, IFD_NOT_SYMMETRIC, NULL, "the matrix is not symmetric");
    else
        IFD_TRY(make_planned(r, s, note));
    *out = s;
    return IFD_OK;
}

ifd_status ifd__solver_share(ifd_arena *arena, ifd_solver *s, int threads)
{
    IFD_TRY(ifd__crew_open(arena, s, threads, &s->crew));
    s->facts.threads = ifd__crew_size(s->crew);
    return IFD_OK;
}

/* *solver becomes one of the matrix with its part of low rank. */
static ifd_status add_low_rank(ifd_arena *arena, const ifd_sparse *A, ifd_solver **solver, ifd_note *note)
{
    if (!A->rank)
        return IFD_OK;
    const ifd_solver *base = *solver;
    ifd_solver *s;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s, 1)));
    *s = *base;
    s->base = base;
    ifd_status made = low_rank_make(arena, A, base, &s->low);
    if (made == IFD_SINGULAR)
        return ifd_note_add(note, IFD_SINGULAR, NULL, "the matrix is singular");
    *solver = s;
    return made;
}

ifd_status ifd__solver_make_with(ifd_arena *arena, const ifd_sparse *A, ifd__solver_kind kind,
                                 const ifd__kernels *kernels, ifd_solver **out, ifd_note *note)
{
    ifd__factors *kept = ifd__arena_keeps(arena)->factors;
    if (kept && (*out = ifd__factors_find(kept, A, kind)))
        return add_low_rank(arena, A, out, note);
    ifd__solver_request r = {.arena = arena, .A = A, .kind = kind, .kernels = kernels};
    IFD_TRY(make_new(&r, out, note));
    IFD_TRY(ifd__solver_share(arena, *out, ifd__arena_keeps(arena)->sharing));
    if (kept)
        ifd__factors_note(kept, A, kind, *out);
    return add_low_rank(arena, A, out, note);
}

ifd_status ifd__solver_make(ifd_arena *arena, const ifd_sparse *A, ifd__solver_kind kind, ifd_solver **out,
                            ifd_note *note)
{
    return ifd__solver_make_with(arena, A, kind, ifd__kernels_best(), out, note);
}

ifd_status ifd__solver_make_single(ifd_arena *arena, const ifd_sparse *A, const ifd__kernels *kernels,
                                   ifd_solver **out, ifd_note *note)
{
    if (ifd__arena_keeps(arena)->factors)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "a factor in single precision is not available in an exported model");
    ifd__solver_request r = {.arena = arena, .A = A, .kind = IFD__SOLVER_SPARSE, .kernels = kernels, .single = true};
    ifd_status status = make_new(&r, out, note);
    if (status == IFD_RANGE)
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "the factor has numbers that exceed the range of single precision");
    IFD_TRY(status);
    (*out)->facts.single = true;
    IFD_TRY(ifd__solver_share(arena, *out, ifd__arena_keeps(arena)->sharing));
    return add_low_rank(arena, A, out, note);
}

ifd_status ifd__solver_make_changing(ifd_arena *arena, const ifd_sparse *A, ifd_solver **out, ifd_note *note)
{
    ifd__solver_request r = {.arena = arena, .A = A, .kernels = ifd__kernels_best(), .changes = true};
    IFD_TRY(make_new(&r, out, note));
    return add_low_rank(arena, A, out, note);
}

static bool refactor_diagonal(ifd_solver *s, const double *values)
{
    bool good = true;
    for (int j = 0; j < s->n; j++) {
        good = good && isfinite(values[j]) && (s->symmetric ? values[j] > 0.0 : values[j] != 0.0);
        s->a[j] = 1.0 / values[j];
    }
    return good;
}

static bool refactor(ifd_solver *s, const double *values)
{
    assert((s->again || s->place || s->facts.kind == IFD__SOLVER_DIAGONAL) && "made by ifd__solver_make_changing");
    if (is_lu(s->facts.kind))
        return solver_lu_again(s, values);
    return s->again ? ifd__factor_numbers(s->again, values) < 0 : refactor_diagonal(s, values);
}

bool ifd__solver_refactor(ifd_solver *s, const double *values)
{
    return refactor(s, values) && (!s->low || low_rank_update(s->low, s->base));
}

ifd_status ifd__negative_eigenvalues(const ifd_sparse *A, int *count)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    const ifd__symbolic *symbolic;
    ifd__factor F;
    if (!scratch)
        return IFD_NO_MEMORY;
    IFD_TRY(ifd__symbolic_make(scratch, A, IFD__SOLVER_SPARSE, &symbolic));
    IFD_TRY(ifd__factor_plan(scratch, scratch, &symbolic->S, ifd__kernels_best(), false, &F));
    IFD_TRY(ifd__factor_work_make(scratch, &F, &F.work));
    IFD_TRY(ifd__factor_places(scratch, A, &F));
    return ifd__factor_inertia(scratch, A, &F, count);
}

static size_t padded(int n)
{
    return ((size_t)n + IFD__MOST_LANES - 1) & ~(size_t)(IFD__MOST_LANES - 1);
}

static bool in_halves(const ifd_solver *s)
{
    return s->there.run || s->arrow.border;
}

size_t ifd__solver_work(const ifd_solver *s)
{
    size_t above = s->panels.parts ? padded(s->n - s->panels.above) : 0;
    size_t own = in_halves(s) ? 2 * (padded(s->n) + IFD__MOST_LANES) + above : 0;
    return s->low && (size_t)s->low->rank > own ? (size_t)s->low->rank : own;
}

bool ifd__solver_has_halves(const ifd_solver *s)
{
    return in_halves(s) && !s->low && !s->panels.upper;
}

double *ifd__solver_y(const ifd_solver *s, double *w)
{
    (void)s;
    return w;
}

double *ifd__solver_z(const ifd_solver *s, double *w)
{
    return w + padded(s->n) + IFD__MOST_LANES;
}

/* The parts one after the other. Each adds its products for the rows above to zeros; their sums follow in the order
 * of the parts, as on several threads. */
IFD_RT static void forward_parts(const ifd_solver *s, double *w)
{
    const ifd__panels *P = &s->panels;
    double *z = ifd__solver_z(s, w), *above = w + P->above, *sum = z + padded(s->n) + IFD__MOST_LANES;
    size_t rows = (size_t)(P->n - P->above);
    memcpy(sum, above, rows * sizeof *sum);
    for (int k = 0; k < P->parts; k++) {
        const ifd__panels part = ifd__panels_part(P, k);
        memset(above, 0, rows * sizeof *above);
        ifd__sweep_forward(s->kernels, &part, w, z);
        for (size_t i = 0; i < rows; i++)
            sum[i] += above[i];
    }
    memcpy(above, sum, rows * sizeof *sum);
    const ifd__panels top = ifd__panels_part(P, P->parts);
    ifd__sweep_forward(s->kernels, &top, w, z);
}

void ifd__solver_forward(const ifd_solver *s, const double *x, double *w)
{
    if (s->crew && ifd__crew_forward(s->crew, x, w, ifd__solver_z(s, w)))
        return;
    if (s->arrow.border) {
        ifd__arrow_forward(&s->arrow, s->kernels, x, w, ifd__solver_z(s, w));
        return;
    }
    s->kernels->pick(s->there.runs, s->there.run, x, w);
    if (s->panels.parts)
        forward_parts(s, w);
    else
        ifd__sweep_forward(s->kernels, &s->panels, w, ifd__solver_z(s, w));
}

void ifd__solver_backward(const ifd_solver *s, double *w, double *x)
{
    double *z = ifd__solver_z(s, w);
    if (s->crew && ifd__crew_backward(s->crew, z, x))
        return;
    if (s->arrow.border) {
        ifd__arrow_backward(&s->arrow, s->kernels, z, x);
        return;
    }
    ifd__sweep_backward(s->kernels, &s->panels, z);
    s->kernels->pick(s->back.runs, s->back.run, z, x);
}

static IFD_RT void solve_stored(const ifd_solver *s, double *x, double *w)
{
    if (s->crew && ifd__crew_solve(s->crew, x))
        return;
    if (s->arrow.border)
        ifd__arrow_solve(&s->arrow, s->kernels, x, w);
    else if (s->there.run) {
        ifd__solver_forward(s, x, w);
        ifd__solver_backward(s, w, x);
    } else if (s->pivot)
        ifd__lu_solve(s->n, s->a, s->pivot, 1, x);
    else
        for (int i = 0; i < s->n; i++)
            x[i] *= s->a[i];
}

void ifd__solver_solve(const ifd_solver *s, double *x, double *w)
{
    solve_stored(s, x, w);
    if (s->low)
        low_rank_correct(s->low, x, w);
}

ifd__solver_facts ifd__solver_facts_of(const ifd_solver *s)
{
    return s->facts;
}

/* Solutions for several right-hand sides: eight at a time, in the order of the factor, the eight numbers of a row
 * together. */

enum { BLOCK = 8 };

size_t ifd__solver_block_work(const ifd_solver *s)
{
    size_t one = ifd__solver_work(s), eight = 2 * BLOCK * ((size_t)s->n + 1);
    return s->there.run && eight > one ? eight : one;
}

/* Between `columns` columns of n numbers and rows of eight, by the runs of a permutation. */
static void gather(const ifd__permutation *p, int n, int columns, const double *X, double *to)
{
    for (int k = 0, row = 0; k < p->runs; k++)
        for (uint32_t i = p->run[k] >> 4; i < (p->run[k] >> 4) + (p->run[k] & 15); i++, row++)
            for (int c = 0; c < BLOCK; c++)
                to[row * (ptrdiff_t)BLOCK + c] = c < columns ? X[i + (size_t)c * (size_t)n] : 0.0;
}

static void spread(const ifd__permutation *p, int n, int columns, const double *from, double *X)
{
    for (int k = 0, row = 0; k < p->runs; k++)
        for (uint32_t i = p->run[k] >> 4; i < (p->run[k] >> 4) + (p->run[k] & 15); i++, row++)
            for (int c = 0; c < columns; c++)
                X[i + (size_t)c * (size_t)n] = from[row * (ptrdiff_t)BLOCK + c];
}

void ifd__solver_solve_block(const ifd_solver *s, int count, double *X, double *w)
{
    size_t n = (size_t)s->n;
    const ifd__panels back = ifd__panels_back(&s->panels);
    for (int first = 0; first < count; first += BLOCK) {
        int columns = count - first < BLOCK ? count - first : BLOCK;
        double *at = X + (size_t)first * n, *z = w + BLOCK * n;
        if (!s->there.run || columns < 3 || s->facts.single) { /* few columns: one at a time is faster */
            for (int c = 0; c < columns; c++)
                ifd__solver_solve(s, at + (size_t)c * n, w);
            continue;
        }
        gather(&s->there, s->n, columns, at, w);
        s->kernels->forward_block(&s->panels, w, z);
        s->kernels->backward_block(&back, z);
        spread(&s->there, s->n, columns, z, at);
        for (int c = 0; s->low && c < columns; c++)
            low_rank_correct(s->low, at + (size_t)c * n, w);
    }
}
