/* SPDX-License-Identifier: MIT */
/* A step that does not reduce the residual is halved. Members that turn are the exception: their first step across
 * lengthens them, and a whole step corrects that at once, while halved ones hardly move. */
#include "model/equilibrium/equilibrium.h"

#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "base/arena.h"
#include "model/element/large_member.h"
#include "model/equilibrium/gravity_state.h"

enum { HALVINGS = 12, LARGEST_DENSE = 500 };

ifd_status ifd__equilibrium_make(ifd_arena *arena, const ifd_model *m, ifd__equilibrium *e)
{
    size_t n = (size_t)m->n;
    *e = (ifd__equilibrium){.m = m, .largest_dense = LARGEST_DENSE, .change = 1e-13, .most = IFD__EQUILIBRIUM_STEPS};
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(e->P, 5 * n)));
    e->F = e->P + n;
    e->du = e->P + 2 * n;
    e->trial = e->P + 3 * n;
    e->zero = e->P + 4 * n;
    for (int i = 0; i < m->ne && !e->from; i++)
        if (ifd__large_member_of(&m->element[i]) && !(e->from = ifd_arena_array(arena, n, sizeof *e->from)))
            return IFD_NO_MEMORY;
    return ifd__rest_make(arena, m, &e->rest);
}

/* Elements with mass on an accelerating ground: r += m(q) a, k += m_q(a). */
static void add_ground(ifd__equilibrium *x, int e)
{
    enum { MOST = IFD__INERTIAL_COORDINATES };
    const ifd_model *m = x->m;
    const ifd_element *element = &m->element[e];
    int at = m->q_of[e], nq = element->nq;
    double mm[MOST * MOST] = {0.0}, m_q[MOST * MOST] = {0.0}, zero[MOST] = {0.0};
    ifd_element_in in = {.t = x->t, .q = x->rest.q + at, .qd = zero, .qdd = x->a + at, .s = x->rest.s + m->s_of[e]};
    ifd_element_out out = {.m = mm, .m_q = m_q};
    element->ops->eval(element, &in, &out);
    ifd__mul_add(nq, nq, 1.0, mm, x->a + at, x->rest.r + at);
    for (int i = 0; i < nq * nq; i++)
        x->rest.k[m->mm_of[e] + i] += m_q[i];
}

void ifd__equilibrium_residual(ifd__equilibrium *x, const double *u)
{
    const ifd_model *m = x->m;
    memset(x->F, 0, (size_t)m->n * sizeof *x->F);
    ifd__sparse_mul_add(&m->K, -1.0, u, x->F);
    x->scale = 0.0;
    for (int i = 0; i < m->n; i++) {
        x->scale = fmax(x->scale, fmax(fabs(x->F[i]), fabs(x->P[i])));
        x->F[i] += x->P[i];
    }
    if (!m->ne)
        return;
    ifd__model_coordinates(m, x->t, u, x->zero, x->rest.q, x->rest.w);
    ifd__rest_eval(&x->rest, x->t);
    for (int e = 0; x->a && e < m->ne; e++)
        if (m->element[e].ops->flags & IFD_ELEMENT_INERTIAL)
            add_ground(x, e);
    ifd__model_scatter(m, -1.0, x->rest.r, x->F);
    for (int c = 0; c < m->nq; c++)
        x->scale = fmax(x->scale, fabs(x->rest.r[c]));
}

/* Residual with springs; returns its norm. */
static double residual(ifd__equilibrium *x, const double *u)
{
    ifd__equilibrium_residual(x, u);
    for (int k = 0; k < x->springs; k++) {
        const ifd__spring *s = &x->spring[k];
        double f = s->stiffness * ifd__deformation(s->ends, u);
        x->scale = fmax(x->scale, fabs(f));
        ifd__add_restoring_force(s->ends, f, x->F);
    }
    return sqrt(ifd__dot(x->m->n, x->F, x->F));
}

/* Entry (i, j) of k b b^T of a spring; false if an end is the ground. */
static bool spring_entry(const ifd__spring *s, int i, int j, int *row, int *column, double *value)
{
    double left, right;
    *row = ifd__end(s->ends, i, &left);
    *column = ifd__end(s->ends, j, &right);
    *value = left * s->stiffness * right;
    return *row >= 0 && *column >= 0;
}

static ifd_status add_springs(const ifd__equilibrium *x, ifd_arena *arena, const ifd_sparse *K, ifd_sparse *out)
{
    ifd__triplets t = {.arena = arena};
    ifd_sparse B;
    double value;
    for (int k = 0, row, column; k < x->springs; k++)
        for (int i = 0, ends = ifd__ends_count(x->spring[k].ends); i < ends * ends; i++)
            if (spring_entry(&x->spring[k], i / ends, i % ends, &row, &column, &value))
                ifd__triplet(&t, row, column, value);
    IFD_TRY(ifd__sparse_make(arena, K->n, &t, true, &B));
    return ifd__sparse_add(arena, 1.0, K, 1.0, &B, out);
}

ifd_status ifd__equilibrium_factor(const ifd__equilibrium *x, ifd_arena *arena, ifd_arena *scratch, ifd_solver **out)
{
    ifd_sparse K = x->m->K, A;
    if (x->m->ne)
        IFD_TRY(ifd__rest_stiffness(scratch, &x->rest, NULL, &K));
    A = K;
    if (x->springs)
        IFD_TRY(add_springs(x, scratch, &K, &A));
    ifd_status made = ifd__solver_make(arena, &A, IFD__SOLVER_AUTO, out, NULL);
    return made == IFD_NOT_POSITIVE ? IFD_SINGULAR : made;
}

static ifd_status solve_dense(ifd__equilibrium *x, ifd_arena *scratch)
{
    size_t n = (size_t)x->m->n;
    double *A, value;
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(A, n * n)));
    ifd__sparse_fill(&x->m->K, A);
    for (int e = 0; e < x->m->ne; e++)
        ifd__rest_add(&x->rest, e, A);
    for (int k = 0, row, column; k < x->springs; k++)
        for (int i = 0, ends = ifd__ends_count(x->spring[k].ends); i < ends * ends; i++)
            if (spring_entry(&x->spring[k], i / ends, i % ends, &row, &column, &value))
                A[(size_t)row + (size_t)column * n] += value;
    int verdict = ifd__scaled_solve(x->m->n, A, 1, x->du);
    x->loose = verdict;
    return verdict == IFD__SOLVE_NO_MEMORY ? IFD_NO_MEMORY : verdict == IFD__SOLVED ? IFD_OK : IFD_SINGULAR;
}

static ifd_status solve_sparse(ifd__equilibrium *x, ifd_arena *scratch)
{
    ifd_solver *solver;
    x->loose = -1;
    IFD_TRY(ifd__equilibrium_factor(x, scratch, scratch, &solver));
    double *w;
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(w, ifd__solver_work(solver))));
    ifd__solver_solve(solver, x->du, w);
    return IFD_OK;
}

/* du := tangent^-1 F */
static ifd_status step(ifd__equilibrium *x)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    if (!scratch)
        return IFD_NO_MEMORY;
    memcpy(x->du, x->F, (size_t)x->m->n * sizeof *x->du);
    int most = x->m->K.symmetric ? x->largest_dense : LARGEST_DENSE;
    return (x->m->n <= most ? solve_dense : solve_sparse)(x, scratch);
}

/* u += du, halved until the residual decreases; returns the new residual. */
static double advance(ifd__equilibrium *x, double *u, double before)
{
    int n = x->m->n;
    double after = before, factor = 1.0;
    for (int i = 0; i < (x->whole ? 1 : HALVINGS); i++, factor *= 0.5) {
        for (int j = 0; j < n; j++)
            x->trial[j] = u[j] + factor * x->du[j];
        after = residual(x, x->trial);
        if (after < before || after <= 1e-13 * x->scale)
            break;
    }
    memcpy(u, x->trial, (size_t)n * sizeof *u);
    return after;
}

static ifd_status iterate(ifd__equilibrium *x, double *u)
{
    double now = residual(x, u);
    for (int k = 0; k < x->most; k++) {
        double change = 0.0, size = 0.0;
        IFD_TRY(step(x));
        for (int i = 0; i < x->m->n; i++)
            change = fmax(change, fabs(x->du[i]));
        now = advance(x, u, now);
        for (int i = 0; i < x->m->n; i++)
            size = fmax(size, fabs(u[i]));
        bool balanced = x->m->ne == 0 || now <= 1e-13 * x->scale;
        if (change <= x->change * size || (balanced && !x->refine))
            return IFD_OK;
    }
    /* Limit of round-off for an element with a kink. */
    return !x->refine && now <= 1e-9 * x->scale ? IFD_OK : IFD_DIVERGED;
}

ifd_status ifd__equilibrium_find(ifd__equilibrium *x, double *u)
{
    size_t bytes = (size_t)x->m->n * sizeof *u;
    if (!x->from)
        return iterate(x, u);
    memcpy(x->from, u, bytes);
    x->whole = true;
    ifd_status status = iterate(x, u);
    x->whole = false;
    if (status != IFD_DIVERGED && status != IFD_SINGULAR)
        return status;
    memcpy(u, x->from, bytes);
    return iterate(x, u);
}

/* The velocity of a support has no effect here. */
static void drop_damping(const ifd_model *m, double t, double *P)
{
    double y[3];
    for (int j = 0; j < m->nsupport; j++) {
        ifd_signal_eval(m->support[j], t, y);
        for (int i = 0; i < m->n; i++)
            P[i] -= y[1] * m->Cs[(size_t)i + (size_t)j * (size_t)m->n];
    }
}

ifd_status ifd_model_static(const ifd_model *m, double t, ifd_arena *arena, double *u, ifd_note *note)
{
    ifd__equilibrium x;
    ifd_model *own = ifd__arena_copy(arena, m, 1, sizeof *own);
    IFD_TRY(own ? ifd__iterate_members(arena, own) : IFD_NO_MEMORY);
    IFD_TRY(ifd__equilibrium_make(arena, own, &x));
    x.t = t;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(x.a, m->nq)));
    ifd__model_load(m, t, x.P);
    drop_damping(m, t, x.P);
    ifd__model_ground_q(m, t, x.a);
    memset(u, 0, (size_t)m->n * sizeof *u);
    if (m->settled)
        memcpy(u, m->u0, (size_t)m->n * sizeof *u);
    ifd_status status = ifd__equilibrium_find(&x, u);
    if (status == IFD_SINGULAR && x.loose >= 0)
        return ifd_note_add(note, status, NULL,
                            "the structure has no static equilibrium: dof '%s' can move without resistance",
                            m->dof_name[x.loose]);
    if (status == IFD_SINGULAR)
        return ifd_note_add(note, status, NULL, "the structure is a mechanism, or unstable under its loads");
    if (status == IFD_DIVERGED)
        return ifd_note_add(note, status, NULL, "no static equilibrium was found in %d iterations",
                            IFD__EQUILIBRIUM_STEPS);
    IFD_TRY(status);
    for (int e = 0; e < m->ne; e++)
        if (x.rest.held[e])
            ifd_note_remark(note, NULL, "element '%s' (%s) cannot come to rest: its states keep their initial values",
                            m->element[e].name, m->element[e].ops->name);
    return IFD_OK;
}
