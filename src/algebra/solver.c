/* SPDX-License-Identifier: MIT */
#include "algebra/solver.h"

#include <math.h>

#include "algebra/dense.h"
#include "algebra/factors.h"
#include "algebra/solver_parts.h"
#include "algebra/supernodes.h"

enum { LARGEST_LU = 500 };

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

static ifd_status make_lu(ifd_arena *arena, const ifd_sparse *A, ifd_solver *s, ifd_note *note)
{
    size_t n = (size_t)A->n;
    if (A->n > LARGEST_LU)
        return ifd_note_add(note, IFD_TOO_LARGE, NULL,
                            "the matrix is unsymmetric and has %d unknowns; the limit for unsymmetric matrices is %d",
                            A->n, LARGEST_LU);
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s->a, n * n), IFD__ARRAY(s->pivot, n)));
    ifd__sparse_fill(A, s->a);
    s->facts.nonzeros = s->facts.stored = s->facts.reads = (long)(n * n);
    if (!ifd__lu_factor(A->n, s->a, s->pivot))
        return ifd_note_add(note, IFD_SINGULAR, NULL, "the matrix is singular");
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

typedef struct choice {
    ifd__supernodes S;
    const char *ordering;
    double cost;
} choice;

/* Tries AMD and METIS on the pattern and keeps the best result so far. */
static ifd_status try_pattern(ifd_arena *scratch, const ifd__pattern *g, choice *best)
{
    for (int metis = 0; metis < 2 && g->p; metis++) {
        ifd__ordering ordering;
        choice c;
        IFD_TRY(ifd__ordering_make(scratch, g, metis, &ordering));
        IFD_TRY(ifd__supernodes_make(scratch, g, &ordering, &c.S));
        c.ordering = ordering.name;
        c.cost = ifd__supernodes_cost(&c.S);
        if (!best->ordering || c.cost < best->cost)
            *best = c;
    }
    return IFD_OK;
}

/* Blocks are those that the matrix labels. Without labels, and always for small matrices, where trials are cheap,
 * several block sizes are tried. The modelled time decides. */
static ifd_status choose(ifd_arena *scratch, const ifd_sparse *A, const ifd__pattern *own, choice *best)
{
    static const int periods[] = {3, 6, 2, 4, 8, 9, 12};
    int guesses = A->n <= 1000 ? (int)(sizeof periods / sizeof *periods) : A->block ? 0 : 2;
    ifd__pattern closed;
    IFD_TRY(try_pattern(scratch, own, best));
    if (A->block) {
        IFD_TRY(ifd__pattern_close(scratch, own, A->block, 1, &closed));
        IFD_TRY(try_pattern(scratch, &closed, best));
    }
    for (int k = 0; k < guesses; k++) {
        IFD_TRY(ifd__pattern_close(scratch, own, NULL, periods[k], &closed));
        IFD_TRY(try_pattern(scratch, &closed, best));
    }
    return IFD_OK;
}

/* The supernodes of the given kind; AUTO compares the modelled times. */
static ifd_status analyse(ifd_arena *scratch, const ifd_sparse *A, ifd_solver *s, ifd__supernodes *out)
{
    ifd__pattern own;
    ifd__supernodes dense;
    choice sparse = {0};
    ifd__solver_kind kind = s->facts.kind;
    if (kind != IFD__SOLVER_SPARSE)
        IFD_TRY(ifd__supernodes_dense(scratch, A->n, &dense));
    if (kind != IFD__SOLVER_DENSE_CHOLESKY) {
        IFD_TRY(ifd__pattern_make(scratch, A, &own));
        IFD_TRY(choose(scratch, A, &own, &sparse));
    }
    if (kind == IFD__SOLVER_AUTO)
        kind = ifd__supernodes_cost(&dense) <= sparse.cost ? IFD__SOLVER_DENSE_CHOLESKY : IFD__SOLVER_SPARSE;
    bool is_sparse = kind == IFD__SOLVER_SPARSE;
    *out = is_sparse ? sparse.S : dense;
    s->facts.kind = kind;
    s->facts.ordering = is_sparse ? sparse.ordering : "none";
    s->facts.nonzeros = (long)A->n * (A->n + 1L) / 2;
    s->facts.supernodes = out->count;
    return is_sparse ? ifd__fill_count(scratch, &own, out->perm, &s->facts.nonzeros) : IFD_OK;
}

static ifd_status runs_make(ifd_arena *arena, int lanes, int n, const int *perm, ifd__permutation *out)
{
    out->runs = ifd__runs_pack(n, perm, lanes, NULL);
    out->run = ifd_arena_array(arena, (size_t)out->runs, sizeof *out->run);
    if (!out->run)
        return IFD_NO_MEMORY;
    ifd__runs_pack(n, perm, lanes, out->run);
    return IFD_OK;
}

static ifd_status permute(ifd_arena *arena, ifd_arena *scratch, int lanes, int n, const int *perm, ifd_solver *s)
{
    int *place = ifd_arena_array(scratch, (size_t)n, sizeof *place);
    if (!place)
        return IFD_NO_MEMORY;
    for (int k = 0; k < n; k++)
        place[perm[k]] = k;
    IFD_TRY(runs_make(arena, lanes, n, perm, &s->there));
    return runs_make(arena, lanes, n, place, &s->back);
}

static ifd_status cholesky(ifd_arena *arena, ifd_arena *scratch, const ifd_sparse *A, ifd_solver *s, int *bad)
{
    ifd__supernodes S;
    IFD_TRY(analyse(scratch, A, s, &S));
    IFD_TRY(permute(arena, scratch, s->kernels->lanes, A->n, S.perm, s));
    IFD_TRY(ifd__factor_make(arena, scratch, A, &S, s->kernels, &s->panels, bad));
    s->facts.stored = s->facts.reads = 0;
    for (int p = 0; p < s->panels.count; p++) {
        const ifd__panel *J = s->panels.panel + p;
        long square = (long)ifd__block_size(J->width, J->width, &s->panels);
        long below = (long)ifd__block_size(J->rows, J->width, &s->panels);
        s->facts.stored += square + below;
        s->facts.reads += square + 2 * below;
    }
    return IFD_OK;
}

static ifd_status make_cholesky(ifd_arena *arena, const ifd_sparse *A, ifd_solver *s, ifd_note *note)
{
    int bad = 0;
    ifd_arena *scratch = ifd_arena_open();
    ifd_status status = scratch ? cholesky(arena, scratch, A, s, &bad) : IFD_NO_MEMORY;
    ifd_arena_close(scratch);
    return status == IFD_NOT_POSITIVE ? not_positive(note, bad) : status;
}

static ifd_status make_new(ifd_arena *arena, const ifd_sparse *A, ifd__solver_kind kind, const ifd__kernels *kernels,
                           ifd_solver **out, ifd_note *note)
{
    if (kind == IFD__SOLVER_AUTO && is_diagonal(A))
        kind = IFD__SOLVER_DIAGONAL;
    else if (kind == IFD__SOLVER_AUTO && ifd__arrow_border(A))
        kind = IFD__SOLVER_ARROW;
    else if (kind == IFD__SOLVER_AUTO && !A->symmetric)
        kind = IFD__SOLVER_DENSE_LU;
    ifd_solver *s = ifd_arena_take(arena, sizeof *s);
    if (!s)
        return IFD_NO_MEMORY;
    s->n = A->n;
    s->kernels = kernels;
    s->facts = (ifd__solver_facts){.kind = kind, .kernel = kernels->name, .ordering = "none"};
    if (kind == IFD__SOLVER_DIAGONAL)
        IFD_TRY(make_diagonal(arena, A, s, note));
    else if (kind == IFD__SOLVER_ARROW)
        IFD_TRY(make_arrow(arena, A, s, note));
    else if (kind == IFD__SOLVER_DENSE_LU)
        IFD_TRY(make_lu(arena, A, s, note));
    else if (!A->symmetric)
        return ifd_note_add(note, IFD_NOT_SYMMETRIC, NULL, "the matrix is not symmetric");
    else
        IFD_TRY(make_cholesky(arena, A, s, note));
    *out = s;
    return IFD_OK;
}

ifd_status ifd__solver_make_with(ifd_arena *arena, const ifd_sparse *A, ifd__solver_kind kind,
                                 const ifd__kernels *kernels, ifd_solver **out, ifd_note *note)
{
    ifd__factors *kept = ifd__arena_factors(arena);
    if (kept && (*out = ifd__factors_find(kept, A, kind)))
        return IFD_OK;
    IFD_TRY(make_new(arena, A, kind, kernels, out, note));
    if (kept)
        ifd__factors_note(kept, A, kind, *out);
    return IFD_OK;
}

ifd_status ifd__solver_make(ifd_arena *arena, const ifd_sparse *A, ifd__solver_kind kind, ifd_solver **out,
                            ifd_note *note)
{
    return ifd__solver_make_with(arena, A, kind, ifd__kernels_best(), out, note);
}

static ifd_status count_negative(ifd_arena *scratch, const ifd_sparse *A, int *count)
{
    ifd_solver s = {.facts = {.kind = IFD__SOLVER_SPARSE}};
    ifd__supernodes S;
    IFD_TRY(analyse(scratch, A, &s, &S));
    return ifd__factor_inertia(scratch, A, &S, count);
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

size_t ifd__solver_work(const ifd_solver *s)
{
    return ifd__solver_has_halves(s) ? 2 * (padded(s->n) + IFD__MOST_LANES) : 0;
}

bool ifd__solver_has_halves(const ifd_solver *s)
{
    return s->there.run || s->arrow.border;
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

void ifd__solver_forward(const ifd_solver *s, const double *x, double *w)
{
    if (s->arrow.border) {
        ifd__arrow_forward(&s->arrow, s->kernels, x, w, ifd__solver_z(s, w));
        return;
    }
    s->kernels->pick(s->there.runs, s->there.run, x, w);
    s->kernels->forward(&s->panels, w, ifd__solver_z(s, w));
}

void ifd__solver_backward(const ifd_solver *s, double *w, double *x)
{
    double *z = ifd__solver_z(s, w);
    if (s->arrow.border) {
        ifd__arrow_backward(&s->arrow, s->kernels, z, x);
        return;
    }
    s->kernels->backward(&s->panels, z);
    s->kernels->pick(s->back.runs, s->back.run, z, x);
}

void ifd__solver_solve(const ifd_solver *s, double *x, double *w)
{
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

ifd__solver_facts ifd__solver_facts_of(const ifd_solver *s)
{
    return s->facts;
}
