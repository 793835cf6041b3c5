/* SPDX-License-Identifier: MIT */
/* Steel after Giuffre, Menegotto and Pinto, with isotropic hardening after Filippou, Popov and Bertero.
 *
 * Between two reversals the force follows one curve from the point of reversal (q_r, r_r). The curve starts with the
 * elastic stiffness k and approaches the hardening line of stiffness b k, which the elastic line meets at q_0:
 *
 *     r = r_r + k (q - q_r) [b + (1 - b) (1 + |X|^R)^(-1/R)],         X = (q - q_r)/(q_0 - q_r)
 *     R = R0 (1 - c1 xi/(c2 + xi)),                                   xi = |q_p - q_0|/q_y,   q_y = r_y/k
 *
 * (the force r_0 at q_0, which papers use, is r_r + k (q_0 - q_r)). q_p is the largest deformation so far in the
 * direction of the move. Isotropic hardening shifts the line by the factor
 *
 *     S = 1 + a1 ((q_max - q_min)/(2 a2 q_y))^0.8 in compression, with a3 and a4 in tension.
 *
 * A reversal is stored when a step is accepted: until then every trial is one monotone move from the last accepted
 * point. The force after a monotone move does not depend on the number of steps. A known limit of the model: after a
 * small unloading, the reloading curve does not rejoin the previous curve but lies above it.
 *
 * Menegotto, Pinto (1973), IABSE Reports 13:15-22; Filippou, Popov, Bertero (1983), EERC 83-19. */
#include "model/element/steel.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef ifd__steel steel;

/* States of the last accepted step. */
typedef struct memory {
    double q, r;         /* current point: m, N */
    double direction;    /* of the last move, -1 or 1; 0: no move yet */
    double q_r, r_r;     /* the last reversal */
    double q_0;          /* intersection of the elastic line from there with the hardening line */
    double q_min, q_max; /* largest deformations so far, at least those of yielding */
    double q_p;          /* the one in the direction of the move */
} memory;

enum { STATES = IFD__STEEL_STATES };
static_assert(sizeof(memory) == STATES * sizeof(double), "the states are 9 numbers");

typedef struct bar {
    steel law;
} bar;

static const ifd_param params[] = {
    IFD_NEEDED("stiffness", STIFFNESS, 1e-9, 1e18, "k, elastic stiffness", IFD_AT(bar, law.k)),
    IFD_NEEDED("yield-force", FORCE, 1e-9, 1e15, "r_y, yield force", IFD_AT(bar, law.yield)),
    IFD__STEEL_SHAPE(0, bar, law),
    {0}};

static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    bar d = {{0}};
    ifd_param_store(params, values, &d);
    d.law.q_y = d.law.yield / d.law.k;
    e->ns = STATES;
    e->nroot = 1;
    ifd__element_stiffest_at_rest(e);
    return ifd__element_keep(e, arena, &d, sizeof d);
}

/* The curve of a move that begins at m, in the direction sign. */
static IFD_RT void turn(const steel *d, double sign, memory *m)
{
    if (m->direction == 0.0) {
        m->q_max = d->q_y;
        m->q_min = -d->q_y;
        m->q_0 = m->q_p = sign * d->q_y;
    } else {
        m->q_r = m->q;
        m->r_r = m->r;
        m->q_min = fmin(m->q_min, m->q);
        m->q_max = fmax(m->q_max, m->q);
        const double *a = d->a[sign > 0.0];
        double S = 1.0 + a[0] * pow((m->q_max - m->q_min) / (2.0 * a[1] * d->q_y), 0.8);
        m->q_0 = (sign * (1.0 - d->b) * d->yield * S - m->r_r + d->k * m->q_r) / ((1.0 - d->b) * d->k);
        m->q_p = sign > 0.0 ? m->q_max : m->q_min;
    }
    m->direction = sign;
}

/* m: from the last accepted step to q, in one move; k := the tangent there, in the direction of the move. */
static IFD_RT memory moved(const steel *d, const double *s, double q, double *k)
{
    memory m;
    memcpy(&m, s, sizeof m);
    double sign = q > m.q ? 1.0 : -1.0;
    *k = d->k;
    if (q != m.q && !(sign * m.direction > 0.0))
        turn(d, sign, &m);
    m.q = q;
    if (m.direction == 0.0)
        return m;
    double xi = fabs(m.q_p - m.q_0) / d->q_y, R = d->R0 * (1.0 - d->c1 * xi / (d->c2 + xi));
    double X = q != m.q_r ? fabs((q - m.q_r) / (m.q_0 - m.q_r)) : 0.0;
    double p = 1.0 + pow(X, R), bend = pow(p, -1.0 / R);
    m.r = m.r_r + d->k * (q - m.q_r) * (d->b + (1.0 - d->b) * bend);
    *k = d->k * (d->b + (1.0 - d->b) * bend / p);
    return m;
}

double ifd__steel_move(const steel *d, const double *s, double q, double *k, double *s1)
{
    const memory m = moved(d, s, q, k);
    if (s1)
        memcpy(s1, &m, sizeof m);
    return m.r;
}

static IFD_RT void eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    double k;
    const memory m = moved(e->data, in->s, in->q[0], &k);
    if (out->r)
        out->r[0] = m.r;
    if (out->r_q)
        out->r_q[0] = k;
}

static IFD_RT void accept(const ifd_element *e, const ifd_element_in *in, double *s)
{
    double k;
    const memory m = moved(e->data, in->s, in->q[0], &k);
    memcpy(s, &m, sizeof m);
}

/* Energy that elastic unloading would return. The rest of the work counts as dissipated, although hardening and the
 * Bauschinger effect return some of it within a cycle. */
static IFD_RT void energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    const steel *d = e->data;
    double k;
    const memory m = moved(d, in->s, in->q[0], &k);
    *stored = 0.5 * m.r * m.r / d->k;
    *dissipated = m.r * in->qd[0] * (1.0 - k / d->k);
}

/* A reversal. */
static void events(const ifd_element *e, const ifd_element_in *in, double *root)
{
    root[0] = in->qd[0];
}

const ifd_element_ops ifd__element_steel = {
    IFD__ELEMENT_OWN,
    .name = "steel",
    .summary = "a steel bar, brace or hinge (model of Giuffre, Menegotto and Pinto) with isotropic hardening",
    .equation = "r = r_r + k (q - q_r) [b + (1 - b) (1 + |X|^R)^(-1/R)], X = (q - q_r)/(q_0 - q_r) since the last "
                "reversal r; R = R0 (1 - c1 xi/(c2 + xi))",
    .accept = accept,
    .events = events,
    .flags = IFD_ELEMENT_STOREY,
};
