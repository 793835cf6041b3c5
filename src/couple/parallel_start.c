/* SPDX-License-Identifier: MIT */
/* The start of PLSRT2: two staggered cycles with equal steps dt and the same methods, with stages at tick 0 and at
 * the middle of the cycle, and a third step that supplies y_A,3 only.
 *
 * With a measured substructure, the first two cycles use the forces measured at both instants; in the ticks between
 * them the specimen moves on an interpolated path. The third step is ahead of the test. It is computed at the last
 * tick of the second cycle and assumes that the force changes from there according to the estimates of the
 * substructure (not at all without estimates). This causes one error of order dt^2 in y_A,3, so the order of the
 * method is unchanged. */
#include <string.h>

#include "couple/parallel.h"
#include "model/dof_pair.h"

static void start_load(const ifd__parallel_coupling *l, const double *x)
{
    memset(l->xstart, 0, sizeof(double) * (size_t)l->start_size);
    for (int p = 0; p < l->parts; p++)
        if (l->start.stepper[p])
            memcpy(l->xstart + l->start_at[p], x + l->side[p].now, sizeof(double) * (size_t)l->side[p].size);
}

static void instant(ifd__coupled *c, int j, double t, double *x, double *lambda)
{
    ifd__parallel_coupling *l = c->data;
    if (!ifd__events_instant(&l->start, j, t, l->xstart, lambda))
        ifd__raise(&x[c->fault], IFD_STEP_SINGULAR);
}

/* Force on substructure p at u, v: the last measured force plus the change given by the estimates. u and v become the
 * change. */
static void guess(ifd__coupled *c, int p, double *u, double *v)
{
    const ifd__parallel_coupling *l = c->data;
    const ifd__parallel_side *b = &l->side[p];
    int n = c->member[p].model->n;
    double *f = c->I.part[p].measured;
    memcpy(f, b->f0, sizeof *f * (size_t)n);
    for (int i = 0; i < n; i++) {
        u[i] -= b->last[i];
        v[i] -= b->last[n + i];
    }
    for (int k = 0; k < b->estimates; k++) {
        const ifd_estimate *e = &b->estimate[k];
        double du = ifd__deformation(e->from, e->to, u), dv = ifd__deformation(e->from, e->to, v);
        ifd__add_restoring_force(e->from, e->to, e->stiffness * du + e->damping * dv, f);
    }
}

/* The third step, from i = 2, which supplies y_A,3. */
static void look_ahead(ifd__coupled *c, double t, double *x)
{
    ifd__parallel_coupling *l = c->data;
    for (int p = 0; p < l->parts; p++)
        if (l->side[p].measured)
            memcpy(l->side[p].f0, c->I.part[p].measured, sizeof(double) * (size_t)c->member[p].model->n);
    ifd__events_begin(&l->start, l->xstart);
    for (int j = 0; j < l->start.instants; j++) {
        for (int p = 0; p < l->parts; p++)
            if (l->side[p].measured) {
                ifd__events_aim(&l->start, j, l->xstart, p, l->u, l->v);
                guess(c, p, l->u, l->v);
            }
        instant(c, j, t, x, NULL);
    }
    ifd__events_latch(&l->start, l->xstart, &x[c->fault]);
    for (int p = 0; p < l->parts; p++)
        if (l->side[p].coarse && l->start.stepper[p])
            memcpy(x + l->side[p].next, l->xstart + l->start_at[p], sizeof(double) * (size_t)l->side[p].size);
}

static void cycle_end(ifd__coupled *c, double t, double *x)
{
    ifd__parallel_coupling *l = c->data;
    ifd__events_latch(&l->start, l->xstart, &x[c->fault]);
    for (int p = 0; p < l->parts; p++) {
        const ifd__parallel_side *a = &l->side[p];
        size_t bytes = sizeof(double) * (size_t)a->size;
        if (!l->start.stepper[p])
            continue;
        memcpy(x + a->past, x + a->before, bytes);
        memcpy(x + a->before, x + a->now, bytes);
        memcpy(x + a->now, l->xstart + l->start_at[p], bytes);
    }
    x[l->phase] += 1.0;
    if (x[l->phase] == 2.0)
        look_ahead(c, t + l->dt, x);
}

/* Displacements of the measured substructures in tick k. */
static void stand(ifd__coupled *c, int k, const double *x)
{
    const ifd__parallel_coupling *l = c->data;
    for (int p = 0; p < l->parts; p++) {
        const ifd__parallel_side *b = &l->side[p];
        if (!b->measured)
            continue;
        int n = c->member[p].model->n;
        ifd__parallel_start_aim(c, k, x, p, b->last, b->last + n);
    }
}

void ifd__parallel_start_tick(ifd__coupled *c, int k, double t, double *x)
{
    ifd__parallel_coupling *l = c->data;
    if (k == 0) {
        start_load(l, x);
        ifd__events_begin(&l->start, l->xstart);
        ifd__parallel_shift_forces(c, x);
    }
    stand(c, k, x);
    for (int j = 0; j < l->start.instants; j++)
        if (j * c->ticks / l->start.instants == k)
            instant(c, j, t, x, c->measured && j == 0 ? x + c->lambda : NULL);
    if (k == c->ticks - 1)
        cycle_end(c, t, x);
}

/* u and v at the fraction theta of half a cycle: the cubic through both ends, which hold u, v. */
typedef struct half {
    double T;            /* s */
    const double *a, *b; /* 2 n each */
} half;

static void between(int n, const half *way, double theta, double *u, double *v)
{
    const double *a = way->a, *b = way->b, T = way->T;
    for (int i = 0; i < n; i++) {
        double d = b[i] - a[i], va = T * a[n + i], vb = T * b[n + i];
        double c2 = 3.0 * d - 2.0 * va - vb, c3 = va + vb - 2.0 * d;
        u[i] = a[i] + theta * (va + theta * (c2 + theta * c3));
        v[i] = (va + theta * (2.0 * c2 + 3.0 * c3 * theta)) / T;
    }
}

void ifd__parallel_start_aim(ifd__coupled *c, int k, const double *x, int p, double *u, double *v)
{
    const ifd__parallel_coupling *l = c->data;
    const ifd__parallel_side *b = &l->side[p];
    int n = c->member[p].model->n;
    size_t bytes = sizeof(double) * (size_t)n;
    const double *now = x + b->now;
    if (k == 0) {
        memcpy(u, now, bytes);
        memcpy(v, now + n, bytes);
    } else if (2 * k <= c->ticks) {
        ifd__events_aim(&l->start, 1, l->xstart, p, b->middle, b->middle + n);
        memcpy(u, b->middle, bytes);
        memcpy(v, b->middle + n, bytes);
        if (2 * k < c->ticks)
            between(n, &(half){0.5 * l->dt, now, b->middle}, 2.0 * k / c->ticks, u, v);
    } else {
        between(n, &(half){0.5 * l->dt, b->middle, l->xstart + l->start_at[p]}, 2.0 * k / c->ticks - 1.0, u, v);
    }
}
