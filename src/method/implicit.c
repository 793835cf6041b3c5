/* SPDX-License-Identifier: MIT */
/* Newton's iteration of an implicit step. */
#include "method/implicit.h"

#include <math.h>
#include <string.h>

#include "algebra/dense.h"

ifd_status ifd__implicit_make(const ifd_stepper *s, ifd_arena *arena, const ifd_step_options *opt, ifd__implicit *d)
{
    const ifd_model *m = s->model;
    size_t n = (size_t)m->n, ns = (size_t)m->ns, nq = (size_t)m->nq;
    d->tolerance = ifd__step_value(opt, "tolerance")->number;
    d->cap = (int)ifd__step_value(opt, "iterations")->number;
    return IFD__TAKE(arena, IFD__ARRAY(d->F, n), IFD__ARRAY(d->du, n), IFD__ARRAY(d->dv, n), IFD__ARRAY(d->up, n),
                     IFD__ARRAY(d->vp, n), IFD__ARRAY(d->zp, n), IFD__ARRAY(d->u, n), IFD__ARRAY(d->v, n),
                     IFD__ARRAY(d->acc, n), IFD__ARRAY(d->z1, n), IFD__ARRAY(d->g, ns), IFD__ARRAY(d->g0, ns),
                     IFD__ARRAY(d->sb, ns), IFD__ARRAY(d->s1, ns), IFD__ARRAY(d->sp, ns), IFD__ARRAY(d->rs, ns),
                     IFD__ARRAY(d->acc0, n), IFD__ARRAY(d->sp0, ns), IFD__ARRAY(d->dir, n), IFD__ARRAY(d->ds, ns),
                     IFD__ARRAY(d->acc_k, n), IFD__ARRAY(d->sp_k, ns), IFD__ARRAY(d->q0, nq), IFD__ARRAY(d->dq, nq),
                     IFD__ARRAY(d->w, ifd__model_work(m)));
}

void ifd__implicit_begin(const ifd_stepper *s, const ifd__implicit *d, double t, const double *x)
{
    const ifd_model *m = s->model;
    if (!m->ne)
        return;
    const double *es = x + 2 * m->n;
    double *qd = d->w, *force = qd + m->nq;
    ifd__model_coordinates(m, t, x, x + m->n, d->q0, qd);
    if (!m->ns)
        return;
    ifd__model_forces(m, &(ifd_element_in){.t = t, .q = d->q0, .qd = qd, .s = es}, force, d->g0);
    memcpy(d->sp, es, sizeof(double) * (size_t)m->ns);
}

/* u, v, z1 and dq for the present acc. */
IFD_RT static void place(const ifd_stepper *s, const ifd__implicit *d, const ifd__implicit_rule *rule, double t1)
{
    const ifd_model *m = s->model;
    for (int i = 0; i < m->n; i++) {
        d->u[i] = d->up[i] + rule->cu * d->acc[i];
        d->v[i] = d->vp[i] + rule->cv * d->acc[i];
        d->z1[i] = d->zp[i] + rule->cm * d->acc[i];
    }
    if (!m->ne)
        return;
    ifd__model_coordinates(m, t1, d->u, d->v, d->dq, d->w);
    for (int q = 0; q < m->nq; q++)
        d->dq[q] -= d->q0[q];
}

/* s1: the states at the current iterate. */
static IFD_RT void advance(const ifd__implicit *d, const ifd_model *m)
{
    memcpy(d->s1, d->sp, sizeof(double) * (size_t)m->ns);
    for (int e = 0; e < m->ne; e++) {
        const ifd_element *el = &m->element[e];
        if (el->ns && el->ops->advance)
            el->ops->advance(el, d->dq + m->q_of[e], d->s1 + m->s_of[e], NULL);
    }
}

/* F -= element forces; rs := residual of the states that are not advanced exactly. */
static IFD_RT void element_residual(const ifd__implicit *d, const ifd_model *m, double cs, double t1)
{
    double *q = d->w, *qd = q + m->nq, *force = qd + m->nq;
    advance(d, m);
    ifd__model_coordinates(m, t1, d->u, d->v, q, qd);
    ifd__model_forces(m, &(ifd_element_in){.t = t1, .q = q, .qd = qd, .s = d->s1}, force, d->g);
    ifd__model_scatter(m, -1.0, force, d->F);
    for (int e = 0; e < m->ne; e++) {
        bool exact = m->element[e].ops->advance;
        for (int i = m->s_of[e]; i < m->s_of[e + 1]; i++)
            d->rs[i] = exact ? 0.0 : d->sb[i] + cs * d->g[i] - d->s1[i];
    }
}

/* F := residual at the present place, without the part of states that are not advanced exactly, which is rs. */
static IFD_RT void residual(const ifd_model *m, const ifd__implicit *d, const ifd__implicit_rule *rule,
                            ifd__implicit_end end)
{
    ifd__model_load_with(m, end.t, end.load, d->F);
    if (m->ne)
        element_residual(d, m, rule->cs, end.t);
    ifd__tangent_mass(rule->T, -1.0, d->z1, d->F);
    ifd__model_linear(m, -1.0, d->u, d->v, d->w, d->F);
    ifd__tangent_reduce(rule->T, -1.0, d->rs, d->F);
}

static IFD_RT double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Line search along the correction. Laws that soften at a kink make Newton's iteration alternate between two sides of
 * the solution; the work of the residual on the correction, positive at its beginning, is then negative at its end. A
 * place where it is at most half of the first is between them, found by the secant within the bracket. */
enum { SEARCHES = 8 };
static const double enough = 0.5, least_part = 0.1;

static IFD_RT void search(const ifd_stepper *s, const ifd__implicit *d, const ifd__implicit_rule *rule,
                          ifd__implicit_end end, double first)
{
    const ifd_model *m = s->model;
    double low = 0.0, high = 1.0, at_low = first, at_high = 0.0, f = 1.0;
    for (int k = 0; k < SEARCHES; k++) {
        for (int i = 0; i < m->n; i++)
            d->acc[i] = d->acc_k[i] + f * d->dir[i];
        for (int i = 0; i < m->ns; i++)
            d->sp[i] = d->sp_k[i] + f * d->ds[i];
        place(s, d, rule, end.t);
        residual(m, d, rule, end);
        double work = dot(m->n, d->F, d->dir);
        if (fabs(work) <= enough * fabs(first) || (k == 0 && work >= 0.0))
            return;
        if (work > 0.0)
            low = f, at_low = work;
        else
            high = f, at_high = work;
        double part = at_low / (at_low - at_high);
        f = low + (high - low) * fmin(fmax(part, least_part), 1.0 - least_part);
    }
}

/* One Newton step on a1 (and on the states inside the elements). Returns true if it was small in displacements, which
 * round-off of stiff forces does not affect. */
static IFD_RT bool correct(const ifd_stepper *s, const ifd__implicit *d, const ifd__implicit_rule *rule,
                           ifd__implicit_end end, bool searches, double *x)
{
    const ifd_model *m = s->model;
    double h = s->h;
    place(s, d, rule, end.t);
    const ifd__point at = {.t = end.t, .u = d->u, .v = d->v, .s = d->sp, .a = d->z1, .dq = d->dq};
    if (!ifd__tangent_update(rule->T, &at))
        ifd__latch(s, x, IFD_STEP_SINGULAR);
    residual(m, d, rule, end);
    if (searches)
        memcpy(d->dir, d->F, sizeof(double) * (size_t)m->n);
    ifd__tangent_solve(rule->T, d->F);
    double first = searches ? dot(m->n, d->dir, d->F) : 0.0;
    for (int i = 0; i < m->n; i++) {
        d->acc_k[i] = d->acc[i];
        d->acc[i] += d->F[i];
        d->du[i] = rule->cu * d->F[i];
        d->dv[i] = rule->cv * d->F[i];
    }
    ifd__tangent_expand(rule->T, d->du, d->dv, d->rs);
    for (int i = 0; i < m->ns; i++) {
        d->sp_k[i] = d->sp[i];
        d->sp[i] += d->rs[i];
    }
    double scale = ifd__largest(m->n, d->u) + h * ifd__largest(m->n, d->v) + h * h * ifd__largest(m->n, d->acc);
    bool states = !m->ns || ifd__largest(m->ns, d->rs) <= d->tolerance * (ifd__largest(m->ns, d->sp) + scale);
    bool small = states && h * h * ifd__largest(m->n, d->F) <= d->tolerance * scale;
    if (searches && !small) {
        memcpy(d->dir, d->F, sizeof(double) * (size_t)m->n);
        memcpy(d->ds, d->rs, sizeof(double) * (size_t)m->ns);
        search(s, d, rule, end, first);
    }
    return small;
}

void ifd__implicit_solve(const ifd_stepper *s, const ifd__implicit *d, const ifd__implicit_rule *rule,
                         ifd__implicit_end end, double *x)
{
    const ifd_model *m = s->model;
    bool converged = false;
    int cap = m->ne ? d->cap : 1; /* a linear model needs one iteration */
    memcpy(d->acc0, d->acc, sizeof(double) * (size_t)m->n);
    memcpy(d->sp0, d->sp, sizeof(double) * (size_t)m->ns);
    for (int k = 0; k < cap && !converged; k++)
        converged = correct(s, d, rule, end, false, x);
    if (m->ne && !converged) {
        memcpy(d->acc, d->acc0, sizeof(double) * (size_t)m->n);
        memcpy(d->sp, d->sp0, sizeof(double) * (size_t)m->ns);
    }
    for (int k = 0; m->ne && k < cap && !converged; k++)
        converged = correct(s, d, rule, end, true, x);
    if (m->ne && !converged)
        ifd__latch(s, x, IFD_STEP_ITERATIONS);
    place(s, d, rule, end.t);
    if (!m->ns)
        return;
    advance(d, m);
    ifd__model_settle(m, d->s1, NULL, NULL);
}
