/* SPDX-License-Identifier: MIT */
/* Dofs without mass that remain: which, the mass with ones in their place, and their start. */
#include "model/equilibrium/massless.h"

#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "base/arena.h"

/* Of the builder: dofs of nonlinear elements. */
static void mark_touched(const ifd__making *k, bool *touched)
{
    for (int e = 0; e < k->b->element.count; e++) {
        const ifd__attached *a = &IFD__AT(k->b->element, ifd__attached, e);
        for (int i = 0; i < a->start[a->element.nq]; i++)
            if (a->ref[i] >= 0 && a->coefficient[i] != 0.0)
                touched[a->ref[i]] = true;
    }
}

static bool inertial(const ifd__making *k)
{
    bool any = false;
    for (int e = 0; e < k->b->element.count; e++)
        any = any || IFD__AT(k->b->element, ifd__attached, e).element.ops->flags & IFD_ELEMENT_INERTIAL;
    return any;
}

/* Dofs without mass that a dashpot connects to a marked one; false if there are none. */
static bool spread(const ifd__making *k, const bool *massless, bool *stay)
{
    const ifd_sparse *C = &k->s.A[IFD_DAMPING];
    bool more = false;
    for (int j = 0; j < k->s.n; j++)
        for (int p = C->p[j]; massless[j] && p < C->p[j + 1]; p++) {
            int i = C->i[p];
            if (i >= k->s.n || C->x[p] == 0.0 || !massless[i] || stay[i] == stay[j])
                continue;
            stay[i] = stay[j] = more = true;
        }
    return more;
}

/* t += B A B^T of the symmetric tangent A of an element at its initial state. number: of the dofs of the builder. */
static ifd_status add_tangent(ifd_arena *scratch, const ifd__attached *a, const int *number, ifd__triplets *t)
{
    size_t nq = (size_t)a->element.nq, ns = (size_t)a->element.ns;
    double *zero, *s, *A;
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(zero, nq), IFD__ARRAY(s, ns), IFD__ARRAY(A, 2 * nq * nq)));
    if (a->element.s0 && ns)
        memcpy(s, a->element.s0, ns * sizeof *s);
    const ifd_element_in in = {.q = zero, .qd = zero, .qdd = zero, .s = s};
    a->element.ops->eval(&a->element, &in, &(ifd_element_out){.r_q = A, .r_v = A + nq * nq});
    for (size_t c = 0; c < nq; c++)
        for (size_t d = 0; d < nq; d++)
            for (int k = a->start[c]; k < a->start[c + 1]; k++)
                for (int l = a->start[d]; l < a->start[d + 1]; l++) {
                    int i = a->ref[k] >= 0 ? number[a->ref[k]] : -1, j = a->ref[l] >= 0 ? number[a->ref[l]] : -1;
                    double tangent = A[c + d * nq] + A[nq * nq + c + d * nq];
                    if (i >= 0 && j >= 0)
                        ifd__triplet(t, i, j, a->coefficient[k] * a->coefficient[l] * tangent);
                }
    return IFD_OK;
}

/* Whether the block of K + C of the marked dofs is positive definite, with the tangents of elements at the start.
 * Then S is, with every positive factor. */
static ifd_status held(ifd__making *k, const bool *stay, int count, bool *out)
{
    int *number, *of, next = 0;
    ifd__triplets t = {.arena = k->scratch};
    ifd_sparse A;
    ifd_solver *solver;
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(number, k->s.n), IFD__ARRAY(of, k->b->dof.count)));
    for (int i = 0; i < k->b->dof.count; i++)
        of[i] = -1;
    for (int i = 0; i < k->s.n; i++)
        of[k->s.dof[i]] = number[i] = stay[i] ? next++ : -1;
    for (int e = 0; e < k->b->element.count; e++)
        IFD_TRY(add_tangent(k->scratch, &IFD__AT(k->b->element, ifd__attached, e), of, &t));
    for (int which = IFD_DAMPING; which <= IFD_STIFFNESS; which++)
        for (int j = 0; j < k->s.n; j++)
            for (int p = k->s.A[which].p[j]; stay[j] && p < k->s.A[which].p[j + 1]; p++) {
                int i = k->s.A[which].i[p];
                if (i < k->s.n && stay[i])
                    ifd__triplet(&t, number[i], number[j], k->s.A[which].x[p]);
            }
    IFD_TRY(ifd__sparse_make(k->scratch, count, &t, true, &A));
    ifd_status made = ifd__solver_make(k->scratch, &A, IFD__SOLVER_AUTO, &solver, NULL);
    *out = made == IFD_OK;
    return made == IFD_NOT_POSITIVE ? IFD_OK : made;
}

ifd_status ifd__massless_stay(ifd__making *k, const bool *massless, bool *stay)
{
    bool *touched, regular = true;
    int n = k->s.n;
    if (!k->b->stay || k->b->nzeta || k->b->condense || k->b->reduction || inertial(k) ||
        !k->s.symmetric[IFD_DAMPING] || !k->s.symmetric[IFD_STIFFNESS])
        return IFD_OK;
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(touched, k->b->dof.count)));
    mark_touched(k, touched);
    for (int i = 0; i < n; i++)
        stay[i] = massless[i] && touched[k->s.dof[i]];
    while (spread(k, massless, stay))
        continue;
    int count = ifd__count_marked(stay, n);
    if (count)
        IFD_TRY(held(k, stay, count, &regular));
    for (int i = 0; i < n && !regular; i++)
        stay[i] = false;
    return IFD_OK;
}

ifd_status ifd__massless_find(ifd_arena *arena, ifd_model *m)
{
    bool *massless, any = false;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(massless, m->n)));
    for (int i = 0; i < m->n; i++)
        any = (massless[i] = ifd__sparse_get(&m->M, i, i) == 0.0) || any;
    m->massless = any ? massless : NULL;
    return IFD_OK;
}

ifd_status ifd__massless_filled(ifd_arena *arena, const ifd_model *m, const ifd_sparse *A, ifd_sparse *out)
{
    ifd__triplets t = {.arena = arena};
    ifd_sparse ones;
    for (int i = 0; i < m->n; i++)
        if (m->massless[i])
            ifd__triplet(&t, i, i, 1.0);
    IFD_TRY(ifd__sparse_make(arena, m->n, &t, true, &ones));
    return ifd__sparse_add(arena, 1.0, A, 1.0, &ones, out);
}

typedef struct starting {
    const ifd_model *m;
    int count, *dof, *number; /* number: n, -1 for the others */
    double *F, *g, *w;        /* residual of all dofs */
    double *f, *K;            /* of these dofs: count, count x count */
    double *q, *A;            /* 3 nq; tangent of the largest element */
} starting;

static ifd_status take(ifd_arena *scratch, const ifd_model *m, starting *x)
{
    size_t n = (size_t)m->n, most = 0, count;
    *x = (starting){.m = m};
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(x->dof, n), IFD__ARRAY(x->number, n), IFD__ARRAY(x->F, n),
                      IFD__ARRAY(x->g, m->ns), IFD__ARRAY(x->w, ifd__model_work(m))));
    for (int i = 0; i < m->n; i++) {
        x->number[i] = m->massless[i] ? x->count : -1;
        if (m->massless[i])
            x->dof[x->count++] = i;
    }
    for (int e = 0; e < m->ne; e++)
        most = most < (size_t)m->element[e].nq ? (size_t)m->element[e].nq : most;
    count = (size_t)x->count;
    return IFD__TAKE(scratch, IFD__ARRAY(x->f, count), IFD__ARRAY(x->K, count * count),
                     IFD__ARRAY(x->q, 3 * (size_t)m->nq), IFD__ARRAY(x->A, most * most));
}

static void add_element(starting *x, int e, const double *A)
{
    const ifd_model *m = x->m;
    int nq = m->element[e].nq, first = m->q_of[e];
    for (int d = 0; d < nq; d++)
        for (int c = 0; c < nq; c++)
            for (int k = m->b_start[first + c]; k < m->b_start[first + c + 1]; k++)
                for (int l = m->b_start[first + d]; l < m->b_start[first + d + 1]; l++) {
                    int i = x->number[m->b_dof[k]], j = x->number[m->b_dof[l]];
                    if (i >= 0 && j >= 0)
                        x->K[i + j * x->count] += m->b_value[k] * A[c + d * nq] * m->b_value[l];
                }
}

static void tangent(starting *x, const double *u0)
{
    const ifd_model *m = x->m;
    size_t count = (size_t)x->count, nq = (size_t)m->nq;
    memset(x->K, 0, count * count * sizeof *x->K);
    for (int j = 0; j < m->n; j++)
        for (int p = m->K.p[j]; p < m->K.p[j + 1]; p++) {
            int row = x->number[m->K.i[p]], column = x->number[j];
            if (row < 0 || column < 0)
                continue;
            x->K[row + column * x->count] += m->K.x[p];
            if (row != column)
                x->K[column + row * x->count] += m->K.x[p];
        }
    ifd__model_coordinates(m, 0.0, u0, m->v0, x->q, x->q + nq);
    for (int e = 0; e < m->ne; e++) {
        const double *q = x->q + m->q_of[e];
        const ifd_element_in in = {.q = q, .qd = q + nq, .qdd = q + 2 * nq, .s = m->s0 + m->s_of[e]};
        memset(x->A, 0, (size_t)m->element[e].nq * (size_t)m->element[e].nq * sizeof *x->A);
        m->element[e].ops->eval(&m->element[e], &in, &(ifd_element_out){.r_q = x->A});
        add_element(x, e, x->A);
    }
}

/* One step of Newton's method in these dofs; its size. False: the tangent is singular. */
static bool improve(starting *x, double *u0, double *change)
{
    const ifd__point at = {.u = u0, .v = x->m->v0, .s = x->m->s0};
    bool balanced = true;
    ifd__model_balance(x->m, &at, x->F, x->g, x->w);
    *change = 0.0;
    for (int j = 0; j < x->count; j++)
        balanced = (x->f[j] = x->F[x->dof[j]]) == 0.0 && balanced;
    if (balanced)
        return true;
    tangent(x, u0);
    if (ifd__scaled_solve(x->count, x->K, 1, x->f) != IFD__SOLVED)
        return false;
    for (int j = 0; j < x->count; j++) {
        u0[x->dof[j]] += x->f[j];
        *change = fmax(*change, fabs(x->f[j]));
    }
    return isfinite(*change);
}

ifd_status ifd__massless_start(ifd_arena *scratch, ifd_model *m, double *u0, ifd_note *note)
{
    enum { STEPS = 50 };
    static const double small = 1e-12; /* relative to the largest displacement */
    starting x;
    IFD_TRY(take(scratch, m, &x));
    for (int i = 0; i < STEPS; i++) {
        double change = 0.0, largest = 0.0;
        if (!improve(&x, u0, &change))
            break;
        for (int j = 0; j < m->n; j++)
            largest = fmax(largest, fabs(u0[j]));
        if (change <= small * largest)
            return IFD_OK;
    }
    return ifd_note_about(note, IFD_DIVERGED, "mass",
                          "no equilibrium at the start was found for the dofs without mass under nonlinear elements "
                          "(the first is '%s')",
                          m->dof_name[x.dof[0]]);
}
