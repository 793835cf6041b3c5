/* SPDX-License-Identifier: MIT */
/* Elements in series: their deformations d_i add up to q, their forces are equal,
 *
 *     sum d_i = q,    r_i(d_i, d_i', s_i) = r.
 *
 * The connections between them have no mass. A step is solved implicitly for the rates v_i of the elements, in two
 * L-stable stages of second order (an SDIRK method), because a spring in series with a dashpot may be much faster
 * than the step:
 *
 *     stage 1, at gamma h:  d = d0 + gamma h v_1,      stage 2, at h:  d = d0 + (1 - gamma) h v_1 + gamma h v_2
 *
 * Within a stage, Newton's method with the tangents k_i = dr_i/dd_i of the elements has the closed form
 *
 *     r = (q - sum d_i + sum r_i/k_i) / sum 1/k_i,    d_i += (r - r_i)/k_i,
 *
 * halved where the difference of the forces would increase (a kink). States of elements with an exact update, or that
 * follow a motion, advance from the start of the step.
 *
 * States: r, d_1 .. d_n, then those of the elements. */
#include "model/signal/sampled.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "model/element.h"

enum { MOST_STATES = 64, SUBSTEPS = 2, ITERATIONS = 24, RUNGE_KUTTA = 8 };

typedef struct chain {
    int count, ns;
    ifd_element part[IFD__SERIES_PARTS];
    int at[IFD__SERIES_PARTS]; /* offsets of the states of each element, after r and the deformations */
} chain;

/* The first member is the table to which the ops of an element point. */
typedef struct series {
    ifd_element_ops ops;
    int count;
    ifd__series_part part[IFD__SERIES_PARTS];
} series;

static const double gamma_ = 0.29289321881345247560; /* 1 - sqrt(2)/2 */

static IFD_RT double force(const ifd_element *e, const ifd_element_in *in, double *k, double *c)
{
    double r = 0.0, r_q = 0.0, r_v = 0.0;
    e->ops->eval(e, in, &(ifd_element_out){.r = &r, .r_q = &r_q, .r_v = &r_v});
    *k = r_q;
    *c = r_v;
    return r;
}

/* States of an element with rates only, along a straight line: the classical Runge-Kutta method. */
static IFD_RT void integrate(const ifd_element *e, double t, double h, double d, double v, double *s)
{
    static const double node[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0};
    double dt = h / RUNGE_KUTTA, k[MOST_STATES], y[MOST_STATES], sum[MOST_STATES], zero = 0.0;
    for (int i = 0; i < RUNGE_KUTTA; i++) {
        memset(k, 0, sizeof k);
        memset(sum, 0, sizeof sum);
        for (int stage = 0; stage < 4; stage++) {
            double q = d + v * dt * (i + node[stage]);
            for (int j = 0; j < e->ns; j++)
                y[j] = s[j] + dt * node[stage] * k[j];
            memset(k, 0, sizeof *k * (size_t)e->ns);
            const ifd_element_in in = {.t = t + dt * (i + node[stage]), .q = &q, .qd = &v, .qdd = &zero, .s = y};
            e->ops->eval(e, &in, &(ifd_element_out){.g = k});
            for (int j = 0; j < e->ns; j++)
                sum[j] += weight[stage] * k[j];
        }
        for (int j = 0; j < e->ns; j++)
            s[j] += dt * sum[j];
        if (e->ops->settle)
            e->ops->settle(e, s, NULL, NULL);
    }
}

/* s := states of an element after a linear change of its deformation from d0 to d. */
static IFD_RT void advance_part(const ifd_element *e, double t, double h, double d0, double d, double *s)
{
    double dq = d - d0, v = dq / h;
    const ifd_element_move move = {.from = t, .to = t + h, .q0 = &d0, .v0 = &v, .q1 = &d, .v1 = &v};
    if (!e->ns)
        return;
    if (e->ops->accept)
        e->ops->accept(e, &(ifd_element_in){.t = t + h, .q = &d, .qd = &v, .qdd = &v, .s = s}, s);
    else if (e->ops->advance)
        e->ops->advance(e, &dq, s, NULL);
    else if (e->ops->follow)
        e->ops->follow(e, &move, s);
    else
        integrate(e, t, h, d0, v, s);
}

/* One stage: the start of the elements, and their deformations in it. */
typedef struct stage {
    double t, h; /* start of the step, and length of the stage */
    double gh;   /* gamma h of the step: v = (d - base)/gh */
    double d0[IFD__SERIES_PARTS], base[IFD__SERIES_PARTS];
    const double *s0; /* states of all elements at the start */
    double d[IFD__SERIES_PARTS], r[IFD__SERIES_PARTS], k[IFD__SERIES_PARTS];
} stage;

/* The force of element i at the deformation d, and its states there. */
static IFD_RT double answer(const chain *c, const stage *g, int i, double d, double *k, double *s)
{
    const ifd_element *e = &c->part[i];
    double damping, v = (d - g->base[i]) / g->gh, zero = 0.0;
    memcpy(s, g->s0 + c->at[i], sizeof *s * (size_t)e->ns);
    advance_part(e, g->t, g->h, g->d0[i], d, s);
    double r = force(e, &(ifd_element_in){.t = g->t + g->h, .q = &d, .qd = &v, .qdd = &zero, .s = s}, k, &damping);
    *k += damping / g->gh;
    return r;
}

/* Forces and tangents of all elements at g->d. A small step gives the contribution of the states to a tangent. */
static IFD_RT void answers(const chain *c, stage *g)
{
    double s[MOST_STATES], k, beside;
    for (int i = 0; i < c->count; i++) {
        double step = 1e-6 * (fabs(g->d[i] - g->d0[i]) + 1e-6);
        g->r[i] = answer(c, g, i, g->d[i], &g->k[i], s);
        if (!c->part[i].ns)
            continue;
        beside = answer(c, g, i, g->d[i] + step, &k, s);
        g->k[i] = (beside - g->r[i]) / step;
    }
}

static IFD_RT double spread(const stage *g, int n)
{
    double low = g->r[0], high = g->r[0];
    for (int i = 1; i < n; i++) {
        low = fmin(low, g->r[i]);
        high = fmax(high, g->r[i]);
    }
    return high - low;
}

/* The common force for which the linearised deformations add up to q. */
static IFD_RT double common(const chain *c, const stage *g, double q, double *k)
{
    double most = 0.0, soft = 0.0, sum = q;
    for (int i = 0; i < c->count; i++)
        most = fmax(most, fabs(g->k[i]));
    for (int i = 0; i < c->count; i++) {
        k[i] = fmax(g->k[i], 1e-9 * most + 1e-30); /* an element without resistance takes all the motion */
        soft += 1.0 / k[i];
        sum += g->r[i] / k[i] - g->d[i];
    }
    return sum / soft;
}

/* Equal forces with the sum of deformations q; returns the common force. */
static IFD_RT double balance(const chain *c, stage *g, double q)
{
    double k[IFD__SERIES_PARTS], way[IFD__SERIES_PARTS] = {0.0}, last = HUGE_VAL, share = 1.0, r = 0.0;
    for (int n = 0; n < ITERATIONS; n++) {
        answers(c, g);
        double now = spread(g, c->count), size = 0.0;
        if (n > 1 && now > last && share > 1e-3) { /* back by half */
            share *= 0.5;
            for (int i = 0; i < c->count; i++)
                g->d[i] -= share * way[i];
            continue;
        }
        last = now;
        share = 1.0;
        r = common(c, g, q, k);
        for (int i = 0; i < c->count; i++) {
            way[i] = (r - g->r[i]) / k[i];
            g->d[i] += way[i];
            size = fmax(size, fabs(way[i]));
        }
        if (size <= 1e-14 * (fabs(q) + 1e-6))
            break;
    }
    return r;
}

/* One step: s is [r, d, states of the elements]. */
static IFD_RT void step(const chain *c, double t, double h, double q0, double q1, double *s)
{
    double start[MOST_STATES], first[IFD__SERIES_PARTS];
    stage g = {.t = t, .h = gamma_ * h, .gh = gamma_ * h, .s0 = start};
    memcpy(start, s + 1 + c->count, sizeof *start * (size_t)c->ns);
    for (int i = 0; i < c->count; i++)
        g.d[i] = g.d0[i] = g.base[i] = s[1 + i];
    (void)balance(c, &g, q0 + gamma_ * (q1 - q0));
    for (int i = 0; i < c->count; i++) {
        first[i] = (g.d[i] - g.d0[i]) / g.gh;
        g.base[i] = g.d0[i] + (1.0 - gamma_) * h * first[i];
        g.d[i] = g.base[i] + g.gh * first[i];
    }
    g.h = h;
    s[0] = balance(c, &g, q1);
    for (int i = 0; i < c->count; i++) {
        s[1 + i] = g.d[i];
        advance_part(&c->part[i], t, h, g.d0[i], g.d[i], s + 1 + c->count + c->at[i]);
    }
}

static IFD_RT void follow(const ifd_element *e, const ifd_element_move *move, double *s)
{
    const chain *c = e->data;
    double h = (move->to - move->from) / SUBSTEPS, q = move->q0[0];
    if (!(h > 0.0))
        return;
    for (int i = 1; i <= SUBSTEPS; i++) {
        double next = ifd__move_at(move, 0, (double)i / SUBSTEPS);
        step(c, move->from + (i - 1) * h, h, q, next, s);
        q = next;
    }
}

/* An element at the current state: its stiffness with states that follow the motion, its damping, its force, and the
 * rate of the force at constant deformation. */
typedef struct part_now {
    double k, c, r, relaxes, g0[MOST_STATES], g_v[MOST_STATES];
} part_now;

static IFD_RT void look(const ifd_element *e, double t, double d, const double *s, part_now *out)
{
    double r_s[MOST_STATES] = {0.0}, zero = 0.0;
    memset(out, 0, sizeof *out);
    const ifd_element_in in = {.t = t, .q = &d, .qd = &zero, .qdd = &zero, .s = s};
    e->ops->eval(
        e, &in,
        &(ifd_element_out){.r = &out->r, .r_q = &out->k, .r_v = &out->c, .r_s = r_s, .g = out->g0, .g_v = out->g_v});
    for (int i = 0; i < e->ns; i++) {
        out->relaxes += r_s[i] * out->g0[i];
        out->k += r_s[i] * out->g_v[i];
    }
}

/* Rates of all states near rest, for linearisation: elements with damping move at (r - r_i)/c_i, the others share the
 * rest of v according to their flexibility. */
static IFD_RT double rates(const chain *c, double t, double v, const double *s, double *g)
{
    part_now now[IFD__SERIES_PARTS];
    double free_rate = v, soft = 0.0, viscous = 0.0, r = s[0];
    for (int i = 0; i < c->count; i++) {
        look(&c->part[i], t, s[1 + i], s + 1 + c->count + c->at[i], &now[i]);
        if (now[i].c > 0.0)
            viscous += 1.0 / now[i].c;
        else
            soft += 1.0 / fmax(now[i].k, 1e-30);
    }
    if (soft == 0.0) { /* dashpots only: they determine the force */
        r = v / viscous;
        for (int i = 0; i < c->count; i++)
            r += now[i].r / now[i].c / viscous;
    }
    for (int i = 0; i < c->count; i++)
        free_rate -= now[i].c > 0.0 ? (r - now[i].r) / now[i].c : -now[i].relaxes / fmax(now[i].k, 1e-30);
    double rate = soft > 0.0 ? free_rate / soft : 0.0;
    g[0] = rate;
    for (int i = 0; i < c->count; i++) {
        double vi = now[i].c > 0.0 ? (r - now[i].r) / now[i].c : (rate - now[i].relaxes) / fmax(now[i].k, 1e-30);
        g[1 + i] = vi;
        for (int j = 0; j < c->part[i].ns; j++)
            g[1 + c->count + c->at[i] + j] = now[i].g0[j] + now[i].g_v[j] * vi;
    }
    return r;
}

static IFD_RT bool dashpots_alone(const chain *c, double t, const double *s)
{
    part_now now;
    for (int i = 0; i < c->count; i++) {
        look(&c->part[i], t, s[1 + i], s + 1 + c->count + c->at[i], &now);
        if (!(now.c > 0.0))
            return false;
    }
    return true;
}

/* The force is a state. Derivatives are needed at rest only, for the linearisation of a test. */
static IFD_RT void eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const chain *c = e->data;
    double g[MOST_STATES + 1 + IFD__SERIES_PARTS], low[MOST_STATES + 1 + IFD__SERIES_PARTS],
        s[MOST_STATES + 1 + IFD__SERIES_PARTS];
    const double small = 1e-6;
    if (out->r)
        out->r[0] = in->s[0];
    if (!out->g && !out->r_v && !out->r_s && !out->g_v && !out->g_s)
        return;
    bool alone = dashpots_alone(c, in->t, in->s);
    double r = rates(c, in->t, in->qd[0], in->s, g);
    if (out->g)
        memcpy(out->g, g, sizeof *g * (size_t)e->ns);
    if (out->r_s && !alone)
        out->r_s[0] = 1.0;
    double beside = rates(c, in->t, in->qd[0] + small, in->s, low);
    if (out->r_v && alone)
        out->r_v[0] = (beside - r) / small;
    for (int i = 0; out->g_v && i < e->ns; i++)
        out->g_v[i] = (low[i] - g[i]) / small;
    for (int j = 0; j < e->ns && (out->g_s || (out->r_s && alone)); j++) {
        memcpy(s, in->s, sizeof *s * (size_t)e->ns);
        double h = j == 0 ? 1.0 : 1e-9; /* N, or m and similar units */
        s[j] += h;
        beside = rates(c, in->t, in->qd[0], s, low);
        for (int i = 0; out->g_s && i < e->ns; i++)
            out->g_s[i + j * e->ns] = (low[i] - g[i]) / h;
        if (out->r_s && alone)
            out->r_s[j] = (beside - r) / h;
    }
}

static ifd_status refuse(const ifd_element *e, const ifd__series_part *p, const char *why, ifd_note *note)
{
    return ifd_note_add(note, IFD_UNSUPPORTED, &p->place, "'%s': element %s in series %s", e->name, p->ops->name,
                        why);
}

static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const series *from = (const series *)e->ops;
    chain *c;
    double k, damping, zero = 0.0, m;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(c, 1)));
    c->count = from->count;
    for (int i = 0; i < c->count; i++) {
        const ifd__series_part *p = &from->part[i];
        c->part[i] = (ifd_element){.ops = p->ops, .name = p->ops->name, .nq = 1};
        IFD_TRY(p->ops->make(&c->part[i], p->values, arena, note));
        c->at[i] = c->ns;
        c->ns += c->part[i].ns;
        if (c->ns > MOST_STATES)
            return refuse(e, p, "has too many states", note);
    }
    e->ns = 1 + c->count + c->ns;
    double *s0;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s0, e->ns)));
    for (int i = 0; i < c->count; i++) {
        const ifd_element *part = &c->part[i];
        double *s = s0 + 1 + c->count + c->at[i];
        m = 0.0;
        if (part->s0)
            memcpy(s, part->s0, sizeof *s * (size_t)part->ns);
        const ifd_element_in in = {.q = &zero, .qd = &zero, .qdd = &zero, .s = s};
        part->ops->eval(part, &in, &(ifd_element_out){.m = &m});
        if (m != 0.0)
            return refuse(e, &from->part[i], "has mass: model the connection as a dof in a `model`", note);
        if (force(part, &in, &k, &damping) != 0.0)
            return refuse(e, &from->part[i],
                          "has a force at rest: the connections would have to move before the test begins", note);
    }
    e->s0 = s0;
    e->data = c;
    return IFD_OK;
}

const ifd_element_ops *ifd__series_ops(ifd_arena *arena, int count, const ifd__series_part *part)
{
    static const ifd_param none[] = {{0}};
    series *s = ifd_arena_take(arena, sizeof *s);
    if (!s || count < 1 || count > IFD__SERIES_PARTS)
        return NULL;
    s->ops = (ifd_element_ops){.abi = IFD_ELEMENT_ABI,
                               .name = "series",
                               .summary = "elements in series, connections without mass",
                               .equation = "sum d_i = q, r_i(d_i) = r",
                               .params = none,
                               .make = make,
                               .eval = eval,
                               .follow = follow};
    s->count = count;
    memcpy(s->part, part, sizeof *part * (size_t)count);
    return &s->ops;
}
