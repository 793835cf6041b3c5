/* SPDX-License-Identifier: MIT */
#include "run/preload.h"

#include <math.h>
#include <string.h>

enum { STEPS = 60 };

static bool constant(const ifd_signal *s)
{
    return s && ifd_signal_end(s) <= 0.0;
}

/* Constant forces and ground accelerations, and supports where they stand at the start. */
static ifd_status static_load(const ifd_model *m, double *P, ifd_note *note)
{
    double y[3];
    for (int i = 0; i < m->nload; i++) {
        if (!constant(m->load[i].signal))
            continue;
        ifd_signal_eval(m->load[i].signal, 0.0, y);
        for (int k = 0; k < m->load[i].count; k++)
            P[m->load[i].dof[k]] += m->load[i].value[k] * y[0];
    }
    for (int j = 0; j < m->nsupport; j++) {
        ifd_signal_eval(m->support[j], 0.0, y);
        for (int i = 0; i < m->n; i++)
            P[i] += y[0] * m->Ks[(size_t)i + (size_t)j * (size_t)m->n];
    }
    for (int d = 0; d < 3; d++) {
        if (!constant(m->ground[d].signal))
            continue;
        if (m->inertial)
            return ifd_note_add(
                note, IFD_UNSUPPORTED, NULL,
                "preload: a constant ground acceleration cannot act on elements with mass of their own");
        ifd_signal_eval(m->ground[d].signal, 0.0, y);
        for (int i = 0; i < m->n; i++)
            P[i] += y[0] * m->ground[d].p[i];
    }
    return IFD_OK;
}

/* F := P - K u - B r(B^T u), the states of the elements following slowly. */
static IFD_RT void residual(ifd__preload *p, const double *u, double *F)
{
    const ifd_model *m = p->m;
    memcpy(F, p->P, (size_t)m->n * sizeof *F);
    ifd__sparse_mul_add(&m->K, -1.0, u, F);
    if (m->ne == 0)
        return;
    ifd__model_coordinates(m, 0.0, u, p->zero, p->rest.q, p->rest.w);
    ifd__rest_eval(&p->rest, 0.0);
    ifd__model_scatter(m, -1.0, p->rest.r, F);
}

static ifd_status add_estimates(ifd_arena *arena, const ifd_step_options *step, const ifd_sparse *K, ifd_sparse *out)
{
    int at = 0, n = 4 * step->estimates, *row = ifd_arena_array(arena, (size_t)n, sizeof *row);
    int *column = ifd_arena_array(arena, (size_t)n, sizeof *column);
    double *value = ifd_arena_array(arena, (size_t)n, sizeof *value);
    ifd_sparse B;
    if (!row || !column || !value)
        return IFD_NO_MEMORY;
    for (int e = 0; e < step->estimates; e++) {
        const int end[2] = {step->estimate[e].from, step->estimate[e].to};
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                if (end[i] >= 0 && end[j] >= 0) {
                    row[at] = end[i];
                    column[at] = end[j];
                    value[at++] = i == j ? step->estimate[e].stiffness : -step->estimate[e].stiffness;
                }
    }
    IFD_TRY(ifd__sparse_make(arena, K->n, at, row, column, value, true, &B));
    return ifd__sparse_add(arena, 1.0, K, 1.0, &B, out);
}

/* The factor of A at the states of the last residual. */
static ifd_status factor(ifd_arena *arena, ifd_arena *scratch, const ifd__preload *p, const ifd_step_options *step,
                         ifd_solver **out, ifd_note *note)
{
    ifd_sparse K, A;
    if (p->m->ne)
        IFD_TRY(ifd__rest_stiffness(scratch, &p->rest, &K));
    IFD_TRY(add_estimates(scratch, step, p->m->ne ? &K : &p->m->K, &A));
    ifd_status made = ifd__solver_make(arena, &A, IFD__SOLVER_AUTO, out, NULL);
    if (made != IFD_NOT_POSITIVE && made != IFD_SINGULAR)
        return made;
    ifd_note_add(note, IFD_SINGULAR, NULL, "preload: the structure is not held under its constant loads");
    ifd_note_hint(note, "where only a specimen holds it, give the specimen's `estimate: {stiffness: ...}`");
    return IFD_SINGULAR;
}

/* One step of Newton's method with the estimates in the place of the specimens; whether it was the last. */
static ifd_status newton(ifd__preload *p, ifd_arena *scratch, const ifd_step_options *step, bool *last,
                         ifd_note *note)
{
    int n = p->m->n;
    double change = 0.0, size = 0.0;
    ifd_solver *solver;
    residual(p, p->u, p->du);
    for (int e = 0; e < step->estimates; e++) {
        const ifd_estimate *s = &step->estimate[e];
        ifd__add_restoring_force(s->from, s->to, s->stiffness * ifd__deformation(s->from, s->to, p->u), p->du);
    }
    IFD_TRY(factor(scratch, scratch, p, step, &solver, note));
    double *w = ifd_arena_array(scratch, ifd__solver_work(solver), sizeof *w);
    if (!w)
        return IFD_NO_MEMORY;
    ifd__solver_solve(solver, p->du, w);
    for (int i = 0; i < n; i++) {
        p->u[i] += p->du[i];
        change = fmax(change, fabs(p->du[i]));
        size = fmax(size, fabs(p->u[i]));
    }
    *last = !(change > 1e-12 * size);
    return isfinite(size) ? IFD_OK : IFD_DIVERGED;
}

static ifd_status start(ifd__preload *p, const ifd_step_options *step, ifd_note *note)
{
    bool last = false;
    ifd_status status = IFD_OK;
    for (int k = 0; k < STEPS && !last && status == IFD_OK; k++) {
        ifd_arena *scratch = ifd_arena_open();
        status = scratch ? newton(p, scratch, step, &last, note) : IFD_NO_MEMORY;
        if (scratch)
            ifd_arena_close(scratch);
    }
    if (status == IFD_DIVERGED || (status == IFD_OK && !last))
        return ifd_note_add(note, IFD_DIVERGED, NULL,
                            "preload: no static equilibrium was found with the estimates of the specimens");
    return status;
}

/* The factor that stays, and what a force of each specimen does to the stretch of every other. */
static ifd_status finish(ifd__preload *p, ifd_arena *arena, const ifd_step_options *step, ifd_note *note)
{
    size_t n = (size_t)p->m->n;
    residual(p, p->u, p->du);
    ifd_arena *scratch = ifd_arena_open();
    ifd_status status = scratch ? factor(arena, scratch, p, step, &p->solver, note) : IFD_NO_MEMORY;
    if (scratch)
        ifd_arena_close(scratch);
    IFD_TRY(status);
    p->w = ifd_arena_array(arena, ifd__solver_work(p->solver), sizeof *p->w);
    if (!p->w)
        return IFD_NO_MEMORY;
    for (int k = 0; k < p->channels; k++) {
        memset(p->du, 0, n * sizeof *p->du);
        ifd__add_restoring_force(p->from[k], p->to[k], -1.0, p->du);
        ifd__solver_solve(p->solver, p->du, p->w);
        for (int j = 0; j < p->channels; j++)
            p->flexibility[j + k * p->channels] = ifd__preload_deformation(p, j, p->du);
    }
    return IFD_OK;
}

ifd_status ifd__preload_make(ifd_arena *arena, const ifd_model *m, const ifd_step_options *step, int channels,
                             const int *from, const int *to, ifd__preload **out, ifd_note *note)
{
    ifd__preload *p = ifd_arena_take(arena, sizeof *p);
    size_t n = (size_t)m->n;
    double *room = ifd_arena_array(arena, 4 * n + (size_t)(channels * channels), sizeof *room);
    if (!p || !room)
        return IFD_NO_MEMORY;
    if (!m->symmetric)
        return ifd_note_add(note, IFD_NOT_SYMMETRIC, NULL, "preload: the model's matrices are not symmetric");
    p->m = m;
    p->channels = channels;
    p->from = from;
    p->to = to;
    p->P = room;
    p->u = room + n;
    p->du = room + 2 * n;
    p->zero = room + 3 * n;
    p->flexibility = room + 4 * n;
    IFD_TRY(ifd__rest_make(arena, m, &p->rest));
    IFD_TRY(static_load(m, p->P, note));
    IFD_TRY(start(p, step, note));
    IFD_TRY(finish(p, arena, step, note));
    *out = p;
    return IFD_OK;
}

void ifd__preload_correct(ifd__preload *p, const double *u, const double *f)
{
    residual(p, u, p->du);
    for (int k = 0; k < p->channels; k++)
        ifd__add_restoring_force(p->from[k], p->to[k], f[k], p->du);
    ifd__solver_solve(p->solver, p->du, p->w);
}
