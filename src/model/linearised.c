/* SPDX-License-Identifier: MIT */
/* r = r0 + r_q (q - q0) + r_v v + r_s (s - s0), s' = g0 + g_q (q - q0) + g_v v + g_s (s - s0), all at rest.
 *
 * Rate-independent elements (those with `advance`) have g = g_v(s, sgn v) v: g_v jumps at a reversal. Of its two
 * values the one with the larger stiffness r_q + r_s g_v is used. */
#include "model/linearised.h"

#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "base/arena.h"
#include "model/equilibrium/relax.h"

/* m: leaves a kink of r(q) at q0, such as a contact that just closes, and is negligible for a smooth law. */
static const double beside_kink = 1e-9;

/* The first member is the table to which the ops of an element point. */
typedef struct linearised {
    ifd_element_ops ops;
    const ifd_element_ops *inner;
    double q0, factor;
} linearised;

typedef struct tangent {
    int nq, ns;
    double *q0, *r0, *r_q, *r_v;             /* nq, nq, nq x nq, nq x nq */
    double *s0, *r_s, *g0, *g_q, *g_v, *g_s; /* ns; r_s nq x ns, g_q and g_v ns x nq, g_s ns x ns */
} tangent;

bool ifd__linearisable(const ifd_element_ops *ops)
{
    return ops->attach == IFD_ATTACH_PAIR && !(ops->flags & (IFD_ELEMENT_LINEAR | IFD_ELEMENT_INERTIAL)) &&
           !ops->carry && ops != &ifd__relaxation; /* already linear */
}

/* out := at + A (x - x0), rows x cols; x0 may be NULL. */
static IFD_RT void add(int rows, int cols, const double *A, const double *x, const double *x0, double *out)
{
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++)
            out[i] += A[i + j * rows] * (x[j] - (x0 ? x0[j] : 0.0));
}

static IFD_RT void give(int count, const double *from, double *out)
{
    if (out)
        memcpy(out, from, sizeof *out * (size_t)count);
}

static IFD_RT void eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const tangent *t = e->data;
    int nq = t->nq, ns = t->ns;
    if (out->r) {
        give(nq, t->r0, out->r);
        add(nq, nq, t->r_q, in->q, t->q0, out->r);
        add(nq, nq, t->r_v, in->qd, NULL, out->r);
        add(nq, ns, t->r_s, in->s, t->s0, out->r);
    }
    if (out->g) {
        give(ns, t->g0, out->g);
        add(ns, nq, t->g_q, in->q, t->q0, out->g);
        add(ns, nq, t->g_v, in->qd, NULL, out->g);
        add(ns, ns, t->g_s, in->s, t->s0, out->g);
    }
    give(nq * nq, t->r_q, out->r_q);
    give(nq * nq, t->r_v, out->r_v);
    give(nq * ns, t->r_s, out->r_s);
    give(ns * nq, t->g_q, out->g_q);
    give(ns * nq, t->g_v, out->g_v);
    give(ns * ns, t->g_s, out->g_s);
}

bool ifd__linearised(const ifd_element *e)
{
    return e->ops->eval == eval;
}

static IFD_RT void advance(const ifd_element *e, const double *dq, double *s, double *s_q)
{
    const tangent *t = e->data;
    add(t->ns, t->nq, t->g_v, dq, NULL, s);
    give(t->ns * t->nq, t->g_v, s_q);
}

/* r_q at q0; of one coordinate the largest of q0 and both sides of it. */
static void steepest(const ifd_element *e, tangent *t, const double *zero)
{
    for (int side = -1; side <= 1; side++) {
        double q = t->q0[0] + side * beside_kink, r_q = 0.0;
        const ifd_element_in in = {.q = &q, .qd = zero, .qdd = zero, .s = t->s0};
        if (t->nq > 1)
            return;
        e->ops->eval(e, &in, &(ifd_element_out){.r_q = &r_q});
        t->r_q[0] = side < 0 ? r_q : fmax(t->r_q[0], r_q);
    }
}

/* g_v of the direction in which the element is stiffer; one coordinate. */
static void stiffer_direction(const ifd_element *e, tangent *t, double *g_v)
{
    double best = -(double)INFINITY, zero = 0.0;
    for (int way = 1; way >= -1; way -= 2) {
        double v = way, k = 0.0;
        const ifd_element_in in = {.q = t->q0, .qd = &v, .qdd = &zero, .s = t->s0};
        memset(g_v, 0, sizeof *g_v * (size_t)t->ns);
        e->ops->eval(e, &in, &(ifd_element_out){.g_v = g_v});
        for (int i = 0; i < t->ns; i++)
            k += t->r_s[i] * g_v[i];
        if (k > best)
            memcpy(t->g_v, g_v, sizeof *g_v * (size_t)t->ns);
        best = fmax(best, k);
    }
}

/* At q0 (NULL: zero) and the initial states of the element. States of a material that remembers reversals are
 * constant, so that their derivatives take no room. */
static tangent *tangent_of(ifd_arena *arena, const ifd_element *e, const double *q0)
{
    size_t ns = (size_t)e->ns, nq = (size_t)e->nq, nd = e->ops->accept ? 0 : ns;
    tangent *t = ifd_arena_take(arena, sizeof *t);
    double *zero, *g_v;
    if (!t || IFD__TAKE(arena, IFD__ARRAY(t->q0, nq), IFD__ARRAY(t->r0, nq), IFD__ARRAY(t->r_q, nq * nq),
                        IFD__ARRAY(t->r_v, nq * nq), IFD__ARRAY(t->s0, ns), IFD__ARRAY(t->r_s, nq * nd),
                        IFD__ARRAY(t->g0, ns), IFD__ARRAY(t->g_q, nd * nq), IFD__ARRAY(t->g_v, nd * nq),
                        IFD__ARRAY(t->g_s, nd * nd), IFD__ARRAY(zero, nq), IFD__ARRAY(g_v, ns)) != IFD_OK)
        return NULL;
    t->nq = e->nq;
    t->ns = (int)nd;
    if (q0)
        memcpy(t->q0, q0, nq * sizeof *t->q0);
    if (e->s0)
        memcpy(t->s0, e->s0, ns * sizeof *t->s0);
    const ifd_element_in in = {.q = t->q0, .qd = zero, .qdd = zero, .s = t->s0};
    ifd_element_out out = {.r = t->r0, .r_q = t->r_q, .r_v = t->r_v};
    if (nd) {
        out.r_s = t->r_s;
        out.g = t->g0;
        out.g_q = t->g_q;
        out.g_v = t->g_v;
        out.g_s = t->g_s;
    }
    e->ops->eval(e, &in, &out);
    steepest(e, t, zero);
    if (e->ops->advance && t->nq == 1)
        stiffer_direction(e, t, g_v);
    return t;
}

static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const linearised *l = (const linearised *)e->ops;
    ifd_element inner = *e;
    inner.ops = l->inner;
    IFD_TRY(inner.ops->make(&inner, values, arena, note));
    tangent *t = tangent_of(arena, &inner, e->nq == 1 ? &l->q0 : NULL);
    if (!t)
        return IFD_NO_MEMORY;
    int nq = e->nq, ns = t->ns;
    for (int i = 0; i < nq; i++)
        t->r0[i] *= l->factor;
    for (int i = 0; i < nq * nq; i++) {
        t->r_q[i] *= l->factor;
        t->r_v[i] *= l->factor;
    }
    for (int i = 0; i < nq * ns; i++)
        t->r_s[i] *= l->factor;
    if (inner.ops->advance)
        ifd__matmul_add(nq, nq, ns, 1.0, t->r_s, t->g_v, t->r_q);
    t->ns = inner.ops->advance ? 0 : t->ns;
    e->ns = t->ns;
    e->s0 = t->ns ? inner.s0 : NULL;
    e->nroot = 0;
    e->data = t;
    return IFD_OK;
}

static ifd_element_ops tangent_ops(const ifd_element_ops *inner)
{
    ifd_element_ops ops = *inner;
    ops.make = make;
    ops.eval = eval;
    ops.energy = NULL;
    ops.settle = NULL;
    ops.advance = NULL;
    ops.events = NULL;
    ops.follow = NULL;
    ops.relaxations = NULL;
    ops.accept = NULL;
    ops.residual = NULL;
    ops.jump = NULL;
    return ops;
}

const ifd_element_ops *ifd__linearised_specimen(ifd_arena *arena, const ifd_element_ops *ops, double q0,
                                                double factor)
{
    linearised *l = ifd_arena_take(arena, sizeof *l);
    if (!l)
        return NULL;
    *l = (linearised){.ops = tangent_ops(ops), .inner = ops, .q0 = q0, .factor = factor};
    return &l->ops;
}

ifd_status ifd__linearised_at(ifd_arena *arena, const ifd_element *from, const double *q, const double *s,
                              const ifd_element *e)
{
    ifd_element at = *from;
    at.s0 = s;
    const tangent *now = tangent_of(arena, &at, q), *t = e->data;
    if (!now)
        return IFD_NO_MEMORY;
    size_t nq = (size_t)t->nq, ns = (size_t)t->ns, one = sizeof(double);
    memcpy(t->r_q, now->r_q, nq * nq * one);
    memcpy(t->r_v, now->r_v, nq * nq * one);
    memcpy(t->r_s, now->r_s, nq * ns * one);
    memcpy(t->g_q, now->g_q, ns * nq * one);
    memcpy(t->g_v, now->g_v, ns * nq * one);
    memcpy(t->g_s, now->g_s, ns * ns * one);
    return IFD_OK;
}

/* A tangent has no memory of reversals, which would be a root of one for each state. */
static ifd_status forget(ifd_arena *arena, ifd_model *m, ifd_element *element)
{
    double *s0;
    int *s_of, first = m->first_state;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s_of, (size_t)m->ne + 1), IFD__ARRAY(s0, m->ns)));
    for (int e = 0; e < m->ne; e++) {
        bool idle = m->element[e].ops->accept && !element[e].ops->accept;
        element[e].ns = idle ? 0 : element[e].ns;
        element[e].s0 = idle ? NULL : element[e].s0;
        for (int i = 0; i < element[e].ns; i++)
            s0[s_of[e] + i] = m->s0[m->s_of[e] + i];
        s_of[e + 1] = s_of[e] + element[e].ns;
        m->first_state -= idle && m->s_of[e] < first ? m->element[e].ns : 0;
    }
    m->ns = s_of[m->ne];
    m->s_of = s_of;
    m->s0 = s0;
    return IFD_OK;
}

ifd_status ifd__linearise_elements(ifd_arena *arena, ifd_model *m)
{
    ifd_element *element;
    double *q0;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(element, (size_t)m->ne + 1), IFD__ARRAY(q0, m->nq)));
    if (m->settled)
        ifd__model_start(m, q0);
    for (int i = 0; i < m->ne; i++) {
        const ifd_element *from = &m->element[i];
        element[i] = *from;
        if (!ifd__linearisable(from->ops) || ifd__linearised(from))
            continue;
        linearised *l = ifd_arena_take(arena, sizeof *l);
        ifd_element there = *from;
        there.s0 = m->s0 + m->s_of[i];
        tangent *t = tangent_of(arena, &there, q0 + m->q_of[i]);
        if (!l || !t)
            return IFD_NO_MEMORY;
        for (int c = 0; m->settled && c < from->nq; c++)
            t->q0[c] = t->r0[c] = 0.0;
        *l = (linearised){.ops = tangent_ops(from->ops), .inner = from->ops, .factor = 1.0};
        l->ops.advance = from->ops->advance ? advance : NULL;
        element[i].ops = &l->ops;
        element[i].nroot = 0;
        element[i].data = t;
    }
    IFD_TRY(forget(arena, m, element));
    m->element = element;
    if (m->settled)
        m->origin = NULL;
    return IFD_OK;
}
