/* SPDX-License-Identifier: MIT */
/* r = r0 + r_q (q - q0) + r_v v + r_s (s - s0), s' = g0 + g_q (q - q0) + g_v v + g_s (s - s0), all at rest.
 *
 * Rate-independent elements (those with `advance`) have g = g_v(s, sgn v) v: g_v jumps at a reversal. Of its two
 * values the one with the larger stiffness r_q + r_s g_v is used. */
#include "model/linearised.h"

#include <math.h>
#include <string.h>

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
    int ns;
    double q0, r0, r_q, r_v;
    double *s0, *r_s, *g0, *g_q, *g_v, *g_s; /* ns, g_s ns x ns */
} tangent;

bool ifd__linearisable(const ifd_element_ops *ops)
{
    return ops->attach == IFD_ATTACH_PAIR && !(ops->flags & (IFD_ELEMENT_LINEAR | IFD_ELEMENT_INERTIAL)) &&
           !ops->carry && ops != &ifd__relaxation; /* already linear */
}

static IFD_RT void eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const tangent *t = e->data;
    int ns = t->ns;
    double dq = in->q[0] - t->q0, v = in->qd[0], r = t->r0 + t->r_q * dq + t->r_v * v;
    for (int j = 0; j < ns; j++)
        r += t->r_s[j] * (in->s[j] - t->s0[j]);
    if (out->r)
        out->r[0] = r;
    if (out->r_q)
        out->r_q[0] = t->r_q;
    if (out->r_v)
        out->r_v[0] = t->r_v;
    for (int i = 0; i < ns; i++) {
        double g = t->g0[i] + t->g_q[i] * dq + t->g_v[i] * v;
        for (int j = 0; j < ns; j++)
            g += t->g_s[i + j * ns] * (in->s[j] - t->s0[j]);
        if (out->g)
            out->g[i] = g;
        if (out->r_s)
            out->r_s[i] = t->r_s[i];
        if (out->g_q)
            out->g_q[i] = t->g_q[i];
        if (out->g_v)
            out->g_v[i] = t->g_v[i];
    }
    if (out->g_s)
        memcpy(out->g_s, t->g_s, sizeof *t->g_s * (size_t)(ns * ns));
}

bool ifd__linearised(const ifd_element *e)
{
    return e->ops->eval == eval;
}

static IFD_RT void advance(const ifd_element *e, const double *dq, double *s, double *s_q)
{
    const tangent *t = e->data;
    for (int i = 0; i < t->ns; i++) {
        s[i] += t->g_v[i] * dq[0];
        if (s_q)
            s_q[i] = t->g_v[i];
    }
}

/* Largest r_q at q0 and on both sides of it. */
static double steepest(const ifd_element *e, double q0, const double *s)
{
    double most = -(double)INFINITY, zero = 0.0;
    for (int side = -1; side <= 1; side++) {
        double q = q0 + side * beside_kink, r_q = 0.0;
        const ifd_element_in in = {.q = &q, .qd = &zero, .qdd = &zero, .s = s};
        e->ops->eval(e, &in, &(ifd_element_out){.r_q = &r_q});
        most = fmax(most, r_q);
    }
    return most;
}

/* g_v of the direction in which the element is stiffer. */
static void stiffer_direction(const ifd_element *e, tangent *t, double *g_v)
{
    double best = -(double)INFINITY, zero = 0.0;
    for (int way = 1; way >= -1; way -= 2) {
        double v = way, k = 0.0;
        const ifd_element_in in = {.q = &t->q0, .qd = &v, .qdd = &zero, .s = t->s0};
        memset(g_v, 0, sizeof *g_v * (size_t)t->ns);
        e->ops->eval(e, &in, &(ifd_element_out){.g_v = g_v});
        for (int i = 0; i < t->ns; i++)
            k += t->r_s[i] * g_v[i];
        if (k > best)
            memcpy(t->g_v, g_v, sizeof *g_v * (size_t)t->ns);
        best = fmax(best, k);
    }
}

static tangent *tangent_of(ifd_arena *arena, const ifd_element *e, double q0)
{
    size_t ns = (size_t)e->ns;
    tangent *t = ifd_arena_take(arena, sizeof *t);
    double *room = ifd_arena_array(arena, 6 * ns + ns * ns + 1, sizeof *room), zero = 0.0;
    if (!t || !room)
        return NULL;
    *t = (tangent){.ns = e->ns,
                   .q0 = q0,
                   .s0 = room,
                   .r_s = room + ns,
                   .g0 = room + 2 * ns,
                   .g_q = room + 3 * ns,
                   .g_v = room + 4 * ns,
                   .g_s = room + 6 * ns};
    if (e->s0)
        memcpy(t->s0, e->s0, ns * sizeof *room);
    const ifd_element_in in = {.q = &t->q0, .qd = &zero, .qdd = &zero, .s = t->s0};
    e->ops->eval(
        e, &in,
        &(ifd_element_out){
            .r = &t->r0, .r_v = &t->r_v, .r_s = t->r_s, .g = t->g0, .g_q = t->g_q, .g_v = t->g_v, .g_s = t->g_s});
    t->r_q = steepest(e, q0, t->s0);
    if (e->ops->advance)
        stiffer_direction(e, t, room + 5 * ns);
    return t;
}

static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const linearised *l = (const linearised *)e->ops;
    ifd_element inner = *e;
    inner.ops = l->inner;
    IFD_TRY(inner.ops->make(&inner, values, arena, note));
    tangent *t = tangent_of(arena, &inner, l->q0);
    if (!t)
        return IFD_NO_MEMORY;
    t->r0 *= l->factor;
    t->r_q *= l->factor;
    t->r_v *= l->factor;
    for (int i = 0; i < t->ns; i++)
        t->r_s[i] *= l->factor;
    for (int i = 0; i < t->ns && inner.ops->advance; i++)
        t->r_q += t->r_s[i] * t->g_v[i];
    t->ns = inner.ops->advance || inner.ops->accept ? 0 : t->ns;
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

ifd_status ifd__linearise_elements(ifd_arena *arena, ifd_model *m)
{
    ifd_element *element = ifd_arena_array(arena, (size_t)m->ne + 1, sizeof *element);
    if (!element)
        return IFD_NO_MEMORY;
    for (int i = 0; i < m->ne; i++) {
        const ifd_element *from = &m->element[i];
        element[i] = *from;
        if (!ifd__linearisable(from->ops) || ifd__linearised(from))
            continue;
        linearised *l = ifd_arena_take(arena, sizeof *l);
        tangent *t = tangent_of(arena, from, 0.0);
        if (!l || !t)
            return IFD_NO_MEMORY;
        *l = (linearised){.ops = tangent_ops(from->ops), .inner = from->ops, .factor = 1.0};
        l->ops.advance = from->ops->advance ? advance : NULL;
        element[i].ops = &l->ops;
        element[i].nroot = 0;
        element[i].data = t;
    }
    m->element = element;
    return IFD_OK;
}
