/* SPDX-License-Identifier: MIT */
/* K u + B r(q) = P by Newton's method; the states of the elements follow q slowly from their initial values. A step
 * that does not reduce the residual is halved. */
#include <interfield/model.h>

#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/scaled.h"
#include "model/rest.h"

enum { STEPS = 60, HALVINGS = 12, LARGEST_DENSE = 500 };

typedef struct search {
    const ifd_model *m;
    double t;
    ifd__rest rest;
    double *P, *F, *du, *trial, *zero, *a; /* n each, a: nq */
    ifd_note *note;
} search;

/* Elements with mass in an accelerating ground: r += m(q) a, k += m_q(a). */
static void add_ground(search *x, int e)
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

/* F := P - K u - B r, and the tangents of the elements; returns its norm, in units of the forces at work. */
static double residual(search *x, const double *u, double *scale)
{
    const ifd_model *m = x->m;
    memset(x->F, 0, (size_t)m->n * sizeof *x->F);
    ifd__sparse_mul_add(&m->K, -1.0, u, x->F);
    *scale = 0.0;
    for (int i = 0; i < m->n; i++) {
        *scale = fmax(*scale, fmax(fabs(x->F[i]), fabs(x->P[i])));
        x->F[i] += x->P[i];
    }
    if (m->ne) {
        ifd__model_coordinates(m, x->t, u, x->zero, x->rest.q, x->rest.w);
        ifd__rest_eval(&x->rest, x->t);
        for (int e = 0; e < m->ne; e++)
            if (m->element[e].ops->flags & IFD_ELEMENT_INERTIAL)
                add_ground(x, e);
        ifd__model_scatter(m, -1.0, x->rest.r, x->F);
        for (int c = 0; c < m->nq; c++)
            *scale = fmax(*scale, fabs(x->rest.r[c]));
    }
    return sqrt(ifd__dot(m->n, x->F, x->F));
}

static ifd_status loose(const search *x, int dof)
{
    ifd_note_add(x->note, IFD_SINGULAR, NULL, "the structure is not held: dof '%s' can move without resistance",
                 x->m->dof_name[dof]);
    return IFD_SINGULAR;
}

static ifd_status step_dense(search *x, ifd_arena *scratch)
{
    size_t n = (size_t)x->m->n;
    double *A = ifd_arena_array(scratch, n * n, sizeof *A);
    if (!A)
        return IFD_NO_MEMORY;
    ifd__sparse_fill(&x->m->K, A);
    for (int e = 0; e < x->m->ne; e++)
        ifd__rest_add(&x->rest, e, A);
    memcpy(x->du, x->F, n * sizeof *x->du);
    int verdict = ifd__scaled_solve(x->m->n, A, 1, x->du);
    if (verdict == IFD__SOLVE_NO_MEMORY)
        return IFD_NO_MEMORY;
    return verdict == IFD__SOLVED ? IFD_OK : loose(x, verdict);
}

/* Large models: the lower triangle of K + B k B^T, factored as it is. */
static ifd_status step_sparse(search *x, ifd_arena *scratch)
{
    const ifd_model *m = x->m;
    ifd_sparse A;
    ifd_solver *solver;
    IFD_TRY(ifd__rest_stiffness(scratch, &x->rest, &A));
    ifd_status made = ifd__solver_make(scratch, &A, IFD__SOLVER_AUTO, &solver, NULL);
    if (made == IFD_NOT_POSITIVE || made == IFD_SINGULAR)
        return ifd_note_add(x->note, IFD_SINGULAR, NULL, "the structure is not held, or unstable under its loads");
    IFD_TRY(made);
    double *w = ifd_arena_array(scratch, ifd__solver_work(solver), sizeof *w);
    if (!w)
        return IFD_NO_MEMORY;
    memcpy(x->du, x->F, (size_t)m->n * sizeof *x->du);
    ifd__solver_solve(solver, x->du, w);
    return IFD_OK;
}

static ifd_status step(search *x)
{
    ifd_arena *scratch = ifd_arena_open();
    if (!scratch)
        return IFD_NO_MEMORY;
    ifd_status status = x->m->n <= LARGEST_DENSE ? step_dense(x, scratch) : step_sparse(x, scratch);
    ifd_arena_close(scratch);
    return status;
}

/* u += du, halved until the residual falls; returns the new residual. */
static double advance(search *x, double *u, double before, double *scale)
{
    int n = x->m->n;
    double after = before, factor = 1.0;
    for (int i = 0; i < HALVINGS; i++, factor *= 0.5) {
        for (int j = 0; j < n; j++)
            x->trial[j] = u[j] + factor * x->du[j];
        after = residual(x, x->trial, scale);
        if (after < before || after <= 1e-13 * *scale)
            break;
    }
    memcpy(u, x->trial, (size_t)n * sizeof *u);
    return after;
}

static ifd_status iterate(search *x, double *u)
{
    int n = x->m->n;
    double scale, now = residual(x, u, &scale);
    for (int k = 0; k < STEPS; k++) {
        double change = 0.0, size = 0.0;
        IFD_TRY(step(x));
        for (int i = 0; i < n; i++)
            change = fmax(change, fabs(x->du[i]));
        now = advance(x, u, now, &scale);
        for (int i = 0; i < n; i++)
            size = fmax(size, fabs(u[i]));
        if (x->m->ne == 0 || now <= 1e-13 * scale || change <= 1e-13 * size)
            return IFD_OK;
    }
    if (now <= 1e-9 * scale)
        return IFD_OK; /* as far as round-off lets a kinked element go */
    return ifd_note_add(x->note, IFD_DIVERGED, NULL, "no static equilibrium was found in %d steps", STEPS);
}

/* The velocity of a support does not count here. */
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
    search x = {.m = m, .t = t, .note = note};
    size_t n = (size_t)m->n;
    double *room = ifd_arena_array(arena, 5 * n + (size_t)m->nq, sizeof *room);
    if (!room)
        return IFD_NO_MEMORY;
    x.P = room;
    x.F = room + n;
    x.du = room + 2 * n;
    x.trial = room + 3 * n;
    x.zero = room + 4 * n;
    x.a = room + 5 * n;
    IFD_TRY(ifd__rest_make(arena, m, &x.rest));
    ifd__model_load(m, t, x.P);
    drop_damping(m, t, x.P);
    ifd__model_ground_q(m, t, x.a);
    memset(u, 0, n * sizeof *u);
    IFD_TRY(iterate(&x, u));
    for (int e = 0; e < m->ne; e++)
        if (x.rest.held[e])
            ifd_note_remark(note, NULL, "element '%s' (%s) cannot come to rest: its states keep their initial values",
                            m->element[e].name, m->element[e].ops->name);
    return IFD_OK;
}
