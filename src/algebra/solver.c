/* SPDX-License-Identifier: MIT */
/* Chooses the factor of a matrix by its kind and applies it. */
#include "algebra/solver.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "algebra/crew.h"
#include "algebra/dense.h"
#include "algebra/factor.h"
#include "algebra/factors.h"
#include "algebra/low_rank.h"
#include "algebra/solver_parts.h"

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
    s->a = ifd_arena_array(arena, (size_t)A->n, sizeof *s->a);
    if (!s->a)
        return IFD_NO_MEMORY;
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
    ifd_status status = ifd__solver_factor(r, symbolic, s, &bad);
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
                            ? ifd__solver_lu(&r, s, note)
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
    ifd_solver *s = ifd_arena_take(arena, sizeof *s);
    if (!s)
        return IFD_NO_MEMORY;
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
    ifd_solver *s = ifd_arena_take(arena, sizeof *s);
    if (!s)
        return IFD_NO_MEMORY;
    *s = *base;
    s->base = base;
    ifd_status made = ifd__low_rank_make(arena, A, base, &s->low);
    if (made == IFD_SINGULAR)
        return ifd_note_add(note, IFD_SINGULAR, NULL, "the matrix is singular");
    *solver = s;
    return made;
}

ifd_status ifd__solver_make_with(ifd_arena *arena, const ifd_sparse *A, ifd__solver_kind kind,
                                 const ifd__kernels *kernels, ifd_solver **out, ifd_note *note)
{
    ifd__factors *kept = ifd__arena_factors(arena);
    if (kept && (*out = ifd__factors_find(kept, A, kind)))
        return add_low_rank(arena, A, out, note);
    ifd__solver_request r = {.arena = arena, .A = A, .kind = kind, .kernels = kernels};
    IFD_TRY(make_new(&r, out, note));
    IFD_TRY(ifd__solver_share(arena, *out, ifd__arena_sharing(arena)));
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
    if (ifd__arena_factors(arena))
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "a factor in single precision is not available in an exported model");
    ifd__solver_request r = {.arena = arena, .A = A, .kind = IFD__SOLVER_SPARSE, .kernels = kernels, .single = true};
    ifd_status status = make_new(&r, out, note);
    if (status == IFD_RANGE)
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "the factor has numbers that exceed the range of single precision");
    IFD_TRY(status);
    (*out)->facts.single = true;
    IFD_TRY(ifd__solver_share(arena, *out, ifd__arena_sharing(arena)));
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
        return ifd__solver_lu_again(s, values);
    return s->again ? ifd__factor_numbers(s->again, values) < 0 : refactor_diagonal(s, values);
}

bool ifd__solver_refactor(ifd_solver *s, const double *values)
{
    return refactor(s, values) && (!s->low || ifd__low_rank_update(s->low, s->base));
}

static ifd_status count_negative(ifd_arena *scratch, const ifd_sparse *A, int *count)
{
    const ifd__symbolic *symbolic;
    ifd__factor F;
    IFD_TRY(ifd__symbolic_make(scratch, A, IFD__SOLVER_SPARSE, &symbolic));
    IFD_TRY(ifd__factor_plan(scratch, scratch, &symbolic->S, ifd__kernels_best(), false, &F));
    IFD_TRY(ifd__factor_work_make(scratch, &F, &F.work));
    IFD_TRY(ifd__factor_places(scratch, A, &F));
    return ifd__factor_inertia(scratch, A, &F, count);
}

ifd_status ifd__negative_eigenvalues(const ifd_sparse *A, int *count)
{
    ifd_arena *scratch = ifd_arena_open();
    ifd_status status = scratch ? count_negative(scratch, A, count) : IFD_NO_MEMORY;
    ifd_arena_close(scratch);
    return status;
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
        ifd__low_rank_correct(s->low, x, w);
}

ifd__solver_facts ifd__solver_facts_of(const ifd_solver *s)
{
    return s->facts;
}
