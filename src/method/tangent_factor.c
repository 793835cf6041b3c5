/* SPDX-License-Identifier: MIT */
/* Tangent that is factored again at every update, with the symbolic analysis of set-up: a fixed number of operations
 * and no memory, whatever the number of elements that change.
 *
 * Elements with one coordinate and members of frames are part of the matrix, S = S_linear + sum_e B_e D_e B_e^T, on a
 * pattern that contains all of them. The others (pivots, first-order blocks) may be unsymmetric: they correct S as in
 * tangent.c, with Z = S^-1 B and F = B^T Z of their coordinates, which are solved again at every update.
 *
 * A matrix that is not positive definite has no factor: that of the initial state takes its place, so that the
 * numbers of this step stay finite, and the caller reports a fault. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "base/arena.h"
#include "base/memory.h"
#include "method/tangent_inside.h"
#include "model/element/large_member.h"
#include "model/fibre/element.h"

/* Adds the entry if the matrix stores it: a symmetric one only its lower triangle. */
static bool stored(const ifd_sparse *S, int row, int column)
{
    return !S->symmetric || row >= column;
}

/* Whether element e is a part of the matrix: its D is symmetric. */
static bool joins(const ifd__tangent *T, int e)
{
    const ifd_element *element = &T->m->element[e];
    return T->block[e].nq == 1 || ifd__fibre_member_of(element) || ifd__large_member_of(element);
}

/* A pair of terms of the coordinates of an element. */
typedef struct term {
    int row, column, entry; /* dofs; place in D */
    double weight;
} term;

/* The pairs of element e in *out, which has room for them, or NULL; returns their number. */
static int terms_of(const ifd__tangent *T, int e, term *out)
{
    const ifd_model *m = T->m;
    int nq = T->block[e].nq, first = T->block[e].q, count = 0;
    for (int i = 0; joins(T, e) && i < nq * nq; i++)
        for (int k = m->b_start[first + i % nq]; k < m->b_start[first + i % nq + 1]; k++)
            for (int l = m->b_start[first + i / nq]; l < m->b_start[first + i / nq + 1]; l++, count++)
                if (out)
                    out[count] = (term){m->b_dof[k], m->b_dof[l], i, m->b_value[k] * m->b_value[l]};
    return count;
}

static ifd_status take_terms(const ifd__tangent *T, ifd_arena *arena, term **out)
{
    int most = 0;
    for (int e = 0; e < T->ne; e++) {
        int count = terms_of(T, e, NULL);
        most = count > most ? count : most;
    }
    *out = ifd_arena_array(arena, (size_t)most + 1, sizeof **out);
    return *out ? IFD_OK : IFD_NO_MEMORY;
}

/* The pattern of S and of the elements that join it. Numbers are positive: none cancels and is dropped. */
static ifd_status pattern_of(const ifd__tangent *T, ifd_arena *arena, const ifd_sparse *S, ifd_sparse *out)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    ifd__triplets t = {.arena = scratch};
    term *each;
    IFD_TRY(scratch ? take_terms(T, scratch, &each) : IFD_NO_MEMORY);
    for (int j = 0; j < S->n; j++)
        for (int k = S->p[j]; k < S->p[j + 1]; k++)
            ifd__triplet(&t, S->i[k], j, 1.0);
    for (int e = 0; e < T->ne; e++)
        for (int k = 0, count = terms_of(T, e, each); k < count; k++)
            ifd__triplet(&t, each[k].row, each[k].column, 1.0);
    ifd_status status = ifd__sparse_make(arena, T->m->n, &t, S->symmetric, out);
    out->block = S->block;
    out->rank = S->rank;
    out->Z = S->Z;
    out->weight = S->weight;
    return status;
}

/* Place of an entry that the pattern has. */
static int place_of(const ifd_sparse *A, int row, int column)
{
    int low = A->p[column], high = A->p[column + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (A->i[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Places, entries and weights of the numbers that each element adds. */
static ifd_status index_elements(ifd__tangent *T, ifd_arena *arena)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    ifd__factored *f = T->factored;
    int used = 0;
    term *each;
    IFD_TRY(scratch ? take_terms(T, scratch, &each) : IFD_NO_MEMORY);
    for (int e = 0; e < T->ne; e++)
        used += terms_of(T, e, NULL);
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(f->start, T->ne + 1), IFD__ARRAY(f->place, used), IFD__ARRAY(f->entry, used),
                      IFD__ARRAY(f->weight, used)));
    used = 0;
    for (int e = 0; e < T->ne; e++) {
        f->start[e] = used;
        for (int k = 0, count = terms_of(T, e, each); k < count; k++)
            if (stored(&f->A, each[k].row, each[k].column)) {
                f->place[used] = place_of(&f->A, each[k].row, each[k].column);
                f->entry[used] = each[k].entry;
                f->weight[used++] = each[k].weight;
            }
    }
    f->start[T->ne] = used;
    return IFD_OK;
}

/* A->x := S_linear + sum_e B_e D_e B_e^T. */
static IFD_RT void assemble(ifd__tangent *T)
{
    ifd__factored *f = T->factored;
    memcpy(f->A.x, f->linear, sizeof(double) * (size_t)f->A.p[f->A.n]);
    for (int e = 0; e < T->ne; e++)
        for (int k = f->start[e]; k < f->start[e + 1]; k++)
            f->A.x[f->place[k]] += f->weight[k] * T->block[e].D[f->entry[k]];
}

/* y[k] := coordinate k of the active ones. */
static IFD_RT void gather_active(const ifd__tangent *T, const double *x, double *y)
{
    const ifd_model *m = T->m;
    for (int k = 0; k < T->na; k++) {
        y[k] = 0.0;
        for (int l = m->b_start[T->aq[k]]; l < m->b_start[T->aq[k] + 1]; l++)
            y[k] += m->b_value[l] * x[m->b_dof[l]];
    }
}

/* Z, F and the LU of I + D F of the elements with several coordinates. */
static IFD_RT bool correct(ifd__tangent *T)
{
    const ifd_model *m = T->m;
    int n = m->n, na = T->na;
    for (int c = 0; c < na; c++) {
        double *z = T->Z + (size_t)c * (size_t)n;
        memset(z, 0, sizeof(double) * (size_t)n);
        for (int k = m->b_start[T->aq[c]]; k < m->b_start[T->aq[c] + 1]; k++)
            z[m->b_dof[k]] += m->b_value[k];
        ifd__solver_solve(T->base, z, T->wbase);
        gather_active(T, z, T->F + (size_t)c * (size_t)na);
    }
    for (int c = 0; c < na; c++) {
        double *column = T->S + (size_t)c * (size_t)na;
        const double *f = T->F + (size_t)c * (size_t)na;
        memset(column, 0, sizeof(double) * (size_t)na);
        for (int k = 0, at = 0; k < T->actives; k++) {
            const ifd__block *b = &T->block[T->active[k]];
            ifd__mul_add(b->nq, b->nq, 1.0, b->D, f + at, column + at);
            at += b->nq;
        }
        column[c] += 1.0;
    }
    return na == 0 || ifd__lu_factor(na, T->S, T->pivot);
}

bool ifd__tangent_factor(ifd__tangent *T)
{
    assemble(T);
    bool good = ifd__solver_refactor(T->factored->solver, T->factored->A.x);
    if (!good)
        ifd__solver_refactor(T->factored->solver, T->factored->first);
    return correct(T) && good;
}

void ifd__tangent_factored_solve(ifd__tangent *T, double *x)
{
    ifd__solver_solve(T->base, x, T->wbase);
    if (!T->na)
        return;
    gather_active(T, x, T->wq);
    ifd__tangent_capacitance(T);
    ifd__mul_add(T->m->n, T->na, -1.0, T->Z, T->wq2, x);
}

/* The numbers of S at their places in the pattern. */
static ifd_status linear_values(ifd__factored *f, ifd_arena *arena, const ifd_sparse *S)
{
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(f->linear, f->A.p[f->A.n]), IFD__ARRAY(f->first, f->A.p[f->A.n])));
    for (int j = 0; j < S->n; j++)
        for (int k = S->p[j]; k < S->p[j + 1]; k++)
            f->linear[place_of(&f->A, S->i[k], j)] = S->x[k];
    return IFD_OK;
}

ifd_status ifd__tangent_make_factored(ifd__tangent *T, ifd_arena *arena, const ifd_sparse *S, ifd_note *note)
{
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(T->factored, 1)));
    T->mode = TANGENT_FACTORED;
    T->actives = T->na = 0;
    for (int e = 0; e < T->ne; e++)
        if (!joins(T, e))
            ifd__tangent_activate(T, e);
    IFD_TRY(pattern_of(T, arena, S, &T->factored->A));
    IFD_TRY(linear_values(T->factored, arena, S));
    IFD_TRY(index_elements(T, arena));
    assemble(T);
    memcpy(T->factored->first, T->factored->A.x, sizeof(double) * (size_t)T->factored->A.p[T->m->n]);
    IFD_TRY(ifd__solver_make_changing(arena, &T->factored->A, &T->factored->solver, note));
    T->base = T->factored->solver;
    size_t n = (size_t)T->m->n, na = (size_t)T->na;
    IFD_TRY(ifd__memory_check(8.0 * T->na * (T->m->n + 2.0 * T->na), "the corrections of the Jacobian", note));
    return IFD__TAKE(arena, IFD__ARRAY(T->wbase, ifd__solver_work(T->base)), IFD__ARRAY(T->Z, n * na),
                     IFD__ARRAY(T->F, na * na), IFD__ARRAY(T->S, na * na), IFD__ARRAY(T->pivot, na));
}

/* Solutions with the factor of S in single precision, F ~ S^-1, and S itself in double precision. Each solution
 * starts from the last one, x0, and adds one correction, so that the number of operations is fixed:
 *
 *     x = x0 + F (b - S x0),   x - S^-1 b = (I - F S) (x0 - S^-1 b)
 *
 * The error is that of x0 times the contraction theta = |I - F S| in the norm |x|^2 = x^T S x, which is an energy for
 * the increments of a step (M + c C + c^2 K): theta is a few times the unit round-off of single precision, 6e-8, for
 * the matrix of a frame, and grows with its condition. It is measured at set-up.
 *
 * The residual b - S x of a solution is measured in the next one, which computes S x anyway. It is the force that the
 * step has added to the structure, times h; relative to the largest b so far it is the error of the load. The norm of
 * both has the weights 1 / S_ii, which make forces and moments comparable. */

enum { ITERATIONS = 12 /* of the power method; the estimate is then within a few per cent for frames */ };

static const double MOST_THETA = 1e-4;    /* at set-up */
static const double MOST_RESIDUAL = 1e-5; /* of the largest b */

int ifd__tangent_last(const ifd__tangent *T, int part)
{
    const int count[] = {T->m->n, T->m->n, IFD__LAST_MEASURES};
    return T->single ? count[part] : 0;
}

void ifd__tangent_from(ifd__tangent *T, double *last)
{
    if (T->single)
        T->single->last = last;
}

bool ifd__tangent_precise(const ifd__tangent *T)
{
    return !T->single || T->single->last[2 * T->m->n + IFD__LAST_RESIDUAL] <= MOST_RESIDUAL;
}

/* y -= B D B^T x of the elements that correct the base. */
static void subtract_active(ifd__tangent *T, const double *x, double *y)
{
    const ifd_model *m = T->m;
    for (int k = 0; k < T->actives; k++) {
        const ifd__block *b = &T->block[T->active[k]];
        double *q = T->wq + b->q, *f = T->wq2 + b->q;
        for (int i = 0; i < b->nq; i++) {
            q[i] = f[i] = 0.0;
            for (int l = m->b_start[b->q + i]; l < m->b_start[b->q + i + 1]; l++)
                q[i] += m->b_value[l] * x[m->b_dof[l]];
        }
        ifd__mul_add(b->nq, b->nq, 1.0, b->D, q, f);
        for (int i = 0; i < b->nq; i++)
            for (int l = m->b_start[b->q + i]; l < m->b_start[b->q + i + 1]; l++)
                y[m->b_dof[l]] -= m->b_value[l] * f[i];
    }
}

/* The residual of the last solution, whose product with S is q; then the largest b. */
static void measure(const ifd__single *p, int n, const double *q, const double *b)
{
    const double *rest = p->last + n;
    double *measured = p->last + 2 * n, *r = p->r;
    for (int i = 0; i < n; i++)
        r[i] = (rest[i] - q[i]) * p->weight[i];
    double residual = sqrt(ifd__dot(n, r, r));
    for (int i = 0; i < n; i++)
        r[i] = b[i] * p->weight[i];
    double size = sqrt(ifd__dot(n, r, r)), relative = residual / measured[IFD__LAST_LARGEST];
    if (residual != 0.0 && !(relative <= measured[IFD__LAST_RESIDUAL]))
        measured[IFD__LAST_RESIDUAL] = isfinite(relative) ? relative : DBL_MAX;
    if (size > measured[IFD__LAST_LARGEST])
        measured[IFD__LAST_LARGEST] = size;
}

void ifd__tangent_single_solve(ifd__tangent *T, double *x)
{
    const ifd__single *p = T->single;
    int n = T->m->n;
    double *last = p->last, *rest = last + n, *q = p->q;
    memset(q, 0, sizeof(double) * (size_t)n);
    ifd__sparse_mul_add(&p->S, 1.0, last, q);
    measure(p, n, q, x);
    for (int i = 0; i < n; i++) {
        rest[i] = x[i];
        x[i] -= q[i];
    }
    subtract_active(T, last, x);
    ifd__tangent_base_solve(T, x);
    for (int i = 0; i < n; i++) {
        x[i] += last[i];
        last[i] = x[i];
    }
    subtract_active(T, last, rest);
}

/* The largest |eigenvalue| of I - F S by the power method; the operator is symmetric in the product x^T S y. */
static double contraction(const ifd__tangent *T, double *x, double *y)
{
    const ifd__single *p = T->single;
    int n = T->m->n;
    double theta = 0.0, before = 0.0;
    for (int i = 0; i < n; i++)
        x[i] = ((i * 37 + 11) % 101 / 50.0 - 1.0) * p->weight[i];
    for (int k = 0; k <= ITERATIONS; k++) {
        memset(y, 0, sizeof(double) * (size_t)n);
        ifd__sparse_mul_add(&p->S, 1.0, x, y);
        double size = sqrt(fabs(ifd__dot(n, x, y)));
        if (!(size > 0.0) || !isfinite(size))
            return size == 0.0 ? 0.0 : (double)INFINITY;
        theta = k ? size / before : 0.0;
        for (int i = 0; i < n; i++) {
            x[i] /= size;
            y[i] /= size;
        }
        before = 1.0;
        ifd__solver_solve(T->base, y, T->wbase);
        for (int i = 0; i < n; i++)
            x[i] -= y[i];
    }
    return theta;
}

ifd_status ifd__tangent_make_single(ifd__tangent *T, ifd_arena *arena, const ifd_sparse *S, ifd_note *note)
{
    ifd__single *p = ifd_arena_take(arena, sizeof *p);
    size_t n = (size_t)T->m->n;
    if (!p)
        return IFD_NO_MEMORY;
    p->S = *S;
    IFD_TRY(ifd__sparse_pack(arena, &p->S));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(p->weight, n), IFD__ARRAY(p->r, n), IFD__ARRAY(p->q, n)));
    for (size_t i = 0; i < n; i++)
        p->weight[i] = 1.0 / sqrt(ifd__sparse_get(S, (int)i, (int)i));
    T->single = p;
    p->contraction = contraction(T, p->r, p->q);
    if (p->contraction <= MOST_THETA)
        return IFD_OK;
    return ifd_note_add(
        note, IFD_RANGE, &T->opt.single->place,
        "'factor: single' leaves %.2g of the error of a solution, expected %.2g or less: the matrix of "
        "the step is too ill-conditioned (very stiff beside soft parts); use 'factor: double'",
        p->contraction, MOST_THETA);
}
