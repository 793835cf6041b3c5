/* SPDX-License-Identifier: MIT */
/* An element is rate-independent if, in any state, its force does not change with the rate, and its states change in
 * proportion to it: r(q, c v, s) = r(q, v, s), g(q, c v, s) = c g(q, v, s) for c > 0. Both are examined at states
 * along motions of several sizes. How exactly these states are computed does not matter. */
#include "model/rate.h"

#include <math.h>
#include <string.h>

enum { POINTS = 192, SMALLEST = -7, LARGEST = 0 };
static const double FASTER = 8.0, TOLERANCE = 1e-9;

typedef struct probe {
    const ifd_element *e;
    double *q, *v, *fast, *zero;  /* nq */
    double *r, *r_fast;           /* nq */
    double *s, *g, *g_fast, *old; /* ns */
    double t;
} probe;

static bool probe_make(probe *p, ifd_arena *scratch)
{
    size_t nq = (size_t)p->e->nq, ns = (size_t)p->e->ns;
    double *room = ifd_arena_array(scratch, 6 * nq + 4 * ns + 1, sizeof *room);
    if (!room)
        return false;
    double **coordinates[] = {&p->q, &p->v, &p->fast, &p->zero, &p->r, &p->r_fast};
    double **states[] = {&p->s, &p->g, &p->g_fast, &p->old};
    for (size_t i = 0; i < sizeof coordinates / sizeof *coordinates; i++, room += nq)
        *coordinates[i] = room;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++, room += ns)
        *states[i] = room;
    return true;
}

static void evaluate(const probe *p, const double *v, double *r, double *g)
{
    size_t nq = (size_t)p->e->nq, ns = (size_t)p->e->ns;
    memset(r, 0, nq * sizeof *r);
    memset(g, 0, ns * sizeof *g);
    p->e->ops->eval(p->e, &(ifd_element_in){.t = p->t, .q = p->q, .qd = v, .qdd = p->zero, .s = p->s},
                    &(ifd_element_out){.r = r, .g = ns ? g : NULL});
}

static bool are_numbers(int n, const double *x)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]) || fabs(x[i]) > 1e200)
            return false;
    return true;
}

/* b = c a, up to rounding of the largest. */
static bool proportional(int n, const double *a, double c, const double *b)
{
    double largest = 0.0, off = 0.0;
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, fmax(fabs(c * a[i]), fabs(b[i])));
        off = fmax(off, fabs(b[i] - c * a[i]));
    }
    return off <= TOLERANCE * largest;
}

/* An element that accepts steps has the same memory after the same move at another rate. */
static bool accepts_alike(probe *p)
{
    size_t bytes = (size_t)p->e->ns * sizeof(double);
    if (!p->e->ops->accept)
        return true;
    memcpy(p->old, p->s, bytes);
    p->e->ops->accept(p->e, &(ifd_element_in){.t = p->t, .q = p->q, .qd = p->fast, .qdd = p->fast, .s = p->s}, p->s);
    memcpy(p->g, p->s, bytes);
    memcpy(p->s, p->old, bytes);
    p->e->ops->accept(p->e, &(ifd_element_in){.t = p->t, .q = p->q, .qd = p->v, .qdd = p->v, .s = p->s}, p->s);
    return proportional(p->e->ns, p->s, 1.0, p->g);
}

/* Moves for a time h along v; false: its states are no numbers any more. */
static bool move(probe *p, double h)
{
    const ifd_element *e = p->e;
    for (int i = 0; i < e->nq; i++) {
        p->fast[i] = h * p->v[i];
        p->q[i] += p->fast[i];
    }
    if (e->ops->advance && e->ns)
        e->ops->advance(e, p->fast, p->s, NULL);
    for (int i = 0; i < e->ns && !e->ops->advance && !e->ops->accept; i++)
        p->s[i] += h * p->g[i];
    if (e->ops->settle && !e->ops->advance)
        e->ops->settle(e, p->s, NULL, NULL);
    return are_numbers(e->ns, p->s);
}

/* At the present point; undecided: it is not a number. */
static bool differs(probe *p, bool *undecided)
{
    const ifd_element *e = p->e;
    for (int i = 0; i < e->nq; i++)
        p->fast[i] = FASTER * p->v[i];
    evaluate(p, p->v, p->r, p->g);
    evaluate(p, p->fast, p->r_fast, p->g_fast);
    *undecided = !are_numbers(e->nq, p->r) || !are_numbers(e->nq, p->r_fast) || !are_numbers(e->ns, p->g) ||
                 !are_numbers(e->ns, p->g_fast);
    if (*undecided)
        return false;
    if (!proportional(e->nq, p->r, 1.0, p->r_fast))
        return true;
    if (e->ops->accept)
        return !accepts_alike(p);
    return !e->ops->advance && !proportional(e->ns, p->g, FASTER, p->g_fast);
}

/* Back and forth: two cycles with the amplitude in four seconds each, then one with half of it. The coordinates move
 * in different proportions. */
static bool differs_along(probe *p, double amplitude)
{
    const ifd_element *e = p->e;
    bool undecided = false;
    p->t = 0.0;
    memset(p->q, 0, (size_t)e->nq * sizeof *p->q);
    memset(p->g, 0, (size_t)e->ns * sizeof *p->g);
    for (int i = 0; i < e->ns; i++)
        p->s[i] = e->s0 ? e->s0[i] : 0.0;
    for (int k = 0; k < POINTS && !undecided; k++) {
        int quarter = k / (POINTS / 12);
        double direction = (quarter + 1) / 2 % 2 == 0 ? 1.0 : -1.0;
        for (int i = 0; i < e->nq; i++)
            p->v[i] = direction * amplitude * (1.0 - 0.3 * i / e->nq) * (quarter < 8 ? 1.0 : 0.5);
        if (!move(p, 12.0 / POINTS))
            return false;
        if (differs(p, &undecided))
            return true;
    }
    return false;
}

static bool has_mass(const ifd_element *e, ifd_arena *scratch)
{
    size_t nq = (size_t)e->nq;
    double *m = ifd_arena_array(scratch, nq * nq + nq + (size_t)e->ns + 1, sizeof *m), *zero = m + nq * nq;
    if (!m)
        return true;
    e->ops->eval(e, &(ifd_element_in){.q = zero, .qd = zero, .qdd = zero, .s = e->s0 ? e->s0 : zero + nq},
                 &(ifd_element_out){.m = m});
    for (size_t i = 0; i < nq * nq; i++)
        if (m[i] != 0.0)
            return true;
    return false;
}

bool ifd__element_rate_dependent(const ifd_element *e, ifd_arena *scratch)
{
    probe p = {.e = e};
    if (e->ops->carry || e->ops->flags & IFD_ELEMENT_INERTIAL || has_mass(e, scratch) || !probe_make(&p, scratch))
        return true;
    for (int decade = SMALLEST; decade <= LARGEST; decade++)
        if (differs_along(&p, pow(10.0, decade)))
            return true;
    return false;
}

static bool any(int n, const double *x)
{
    for (int i = 0; x && i < n; i++)
        if (x[i] != 0.0)
            return true;
    return false;
}

bool ifd__model_rate_dependent(const ifd_model *m, ifd_arena *scratch)
{
    int ns = m->nsupport;
    if (m->n > 0 || m->inertial || m->relaxing || any(ns * ns, m->Mss) || any(ns * ns, m->Css))
        return true;
    for (int e = 0; e < m->ne; e++)
        if (ifd__element_rate_dependent(&m->element[e], scratch))
            return true;
    return false;
}
