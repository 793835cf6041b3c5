/* SPDX-License-Identifier: MIT */
/* Tangent that is factored again at every update, with the symbolic analysis of set-up: a fixed number of operations
 * and no memory, whatever the number of elements that change.
 *
 * Elements with one coordinate are part of the matrix, S = S_linear + sum_e D_e b_e b_e^T, on a pattern that contains
 * all of them. The others (pivots, first-order blocks) may be unsymmetric: they correct S as in tangent.c, with Z =
 * S^-1 B and F = B^T Z of their coordinates, which are solved again at every update.
 *
 * A matrix that is not positive definite has no factor: that of the initial state takes its place, so that the
 * numbers of this step stay finite, and the caller reports a fault. */
#include <string.h>

#include "algebra/dense.h"
#include "method/tangent_inside.h"
#include "base/memory.h"

/* Adds the entry if the matrix stores it: a symmetric one only its lower triangle. */
static bool stored(const ifd_sparse *S, int row, int column)
{
    return !S->symmetric || row >= column;
}

/* The pattern of S and of all elements with one coordinate. Numbers are positive: none cancels and is dropped. */
static ifd_status pattern_of(const ifd__tangent *T, ifd_arena *arena, const ifd_sparse *S, ifd_sparse *out)
{
    const ifd_model *m = T->m;
    ifd__triplets t = {.arena = ifd_arena_open()};
    if (!t.arena)
        return IFD_NO_MEMORY;
    for (int j = 0; j < S->n; j++)
        for (int k = S->p[j]; k < S->p[j + 1]; k++)
            ifd__triplet(&t, S->i[k], j, 1.0);
    for (int e = 0; e < T->ne; e++)
        for (int k = m->b_start[T->block[e].q]; T->block[e].nq == 1 && k < m->b_start[T->block[e].q + 1]; k++)
            for (int l = m->b_start[T->block[e].q]; l < m->b_start[T->block[e].q + 1]; l++)
                ifd__triplet(&t, m->b_dof[k], m->b_dof[l], 1.0);
    ifd_status status = ifd__sparse_make(arena, m->n, &t, S->symmetric, out);
    out->block = S->block;
    out->rank = S->rank;
    out->Z = S->Z;
    out->weight = S->weight;
    ifd_arena_close(t.arena);
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

/* Places and weights of the numbers that element e adds; counts only without memory for them. */
static int element_places(const ifd__tangent *T, int e, int used)
{
    const ifd_model *m = T->m;
    ifd__factored *f = T->factored;
    int first = m->b_start[T->block[e].q], end = m->b_start[T->block[e].q + 1];
    for (int k = first; T->block[e].nq == 1 && k < end; k++)
        for (int l = first; l < end; l++) {
            if (!stored(&f->A, m->b_dof[k], m->b_dof[l]))
                continue;
            if (f->place) {
                f->place[used] = place_of(&f->A, m->b_dof[k], m->b_dof[l]);
                f->weight[used] = m->b_value[k] * m->b_value[l];
            }
            used++;
        }
    return used;
}

static ifd_status index_elements(ifd__tangent *T, ifd_arena *arena)
{
    ifd__factored *f = T->factored;
    int used = 0;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(f->start, T->ne + 1)));
    for (int e = 0; e < T->ne; e++)
        used = element_places(T, e, used);
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(f->place, used), IFD__ARRAY(f->weight, used)));
    used = 0;
    for (int e = 0; e < T->ne; e++) {
        f->start[e] = used;
        used = element_places(T, e, used);
    }
    f->start[T->ne] = used;
    return IFD_OK;
}

/* A->x := S_linear + sum_e D_e b_e b_e^T. */
static IFD_RT void assemble(ifd__tangent *T)
{
    ifd__factored *f = T->factored;
    memcpy(f->A.x, f->linear, sizeof(double) * (size_t)f->A.p[f->A.n]);
    for (int e = 0; e < T->ne; e++)
        for (int k = f->start[e]; k < f->start[e + 1]; k++)
            f->A.x[f->place[k]] += f->weight[k] * T->block[e].D[0];
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
    T->factored = ifd_arena_take(arena, sizeof *T->factored);
    if (!T->factored)
        return IFD_NO_MEMORY;
    T->mode = TANGENT_FACTORED;
    T->actives = T->na = 0;
    for (int e = 0; e < T->ne; e++)
        if (T->block[e].nq > 1)
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
