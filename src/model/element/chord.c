/* SPDX-License-Identifier: MIT */
/* An element of one coordinate along a chord that turns: X is the line between its ends at rest, D = X + u_b - u_a,
 *
 *     L = |D|,   n = D/L,   q = L - L0 = (D + X).(D - X)/(L + L0),   q' = n . D'
 *
 * The coordinates are the components of D - X. With the force r of the element r_D = r n, and with P = I - n n^T
 *
 *     dr_D/dD  = r_q n n^T + (r/L) P + r_v n (D'^T P)/L,        dr_D/dD' = r_v n n^T,
 *     dg/dD    = g_q n^T + g_v (D'^T P)/L,                      dg/dD'   = g_v n^T. */
#include "model/element.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"

enum { AXES = 3, MOST_STATES = 64 };

static const double shortest = 0.05; /* of L0 */

typedef struct chord {
    ifd_element law; /* of one coordinate */
    int axes;
    double X[AXES], L0;
} chord;

/* The first member is the table to which the ops of an element point. */
typedef struct along {
    ifd_element_ops ops;
    const ifd_element_ops *law;
    int axes;
    double X[AXES];
} along;

/* At one instant; turn: D'^T P/L. */
typedef struct pose {
    double L, n[AXES], turn[AXES], q, v;
} pose;

static IFD_RT pose look(const chord *c, const double *d, const double *rate)
{
    pose p = {0};
    double D[AXES], product = 0.0;
    for (int i = 0; i < c->axes; i++) {
        D[i] = c->X[i] + d[i];
        p.L += D[i] * D[i];
        product += (D[i] + c->X[i]) * d[i];
    }
    p.L = sqrt(p.L);
    p.q = product / (p.L + c->L0);
    for (int i = 0; i < c->axes; i++) {
        p.n[i] = D[i] / p.L;
        p.v += p.n[i] * rate[i];
    }
    for (int i = 0; i < c->axes; i++)
        p.turn[i] = (rate[i] - p.v * p.n[i]) / p.L;
    return p;
}

static IFD_RT void eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const chord *c = e->data;
    const pose p = look(c, in->q, in->qd);
    const double zero = 0.0;
    double r = 0.0, r_q = 0.0, r_v = 0.0, r_s[MOST_STATES] = {0.0}, g_q[MOST_STATES] = {0.0},
           g_v[MOST_STATES] = {0.0};
    const ifd_element_in at = {.t = in->t, .q = &p.q, .qd = &p.v, .qdd = &zero, .s = in->s};
    const ifd_element_out of = {.r = &r,
                                .g = out->g,
                                .r_q = out->r_q ? &r_q : NULL,
                                .r_v = out->r_q || out->r_v ? &r_v : NULL,
                                .r_s = out->r_s ? r_s : NULL,
                                .g_q = out->g_q ? g_q : NULL,
                                .g_v = out->g_q || out->g_v ? g_v : NULL,
                                .g_s = out->g_s};
    c->law.ops->eval(&c->law, &at, &of);
    for (int j = 0; j < c->axes; j++) {
        if (out->r)
            out->r[j] = r * p.n[j];
        for (int i = 0; i < c->axes; i++) {
            double across = (i == j) - p.n[i] * p.n[j];
            if (out->r_q)
                out->r_q[i + j * c->axes] = r_q * p.n[i] * p.n[j] + r / p.L * across + r_v * p.n[i] * p.turn[j];
            if (out->r_v)
                out->r_v[i + j * c->axes] = r_v * p.n[i] * p.n[j];
        }
        for (int k = 0; k < e->ns; k++) {
            if (out->r_s)
                out->r_s[j + k * c->axes] = r_s[k] * p.n[j];
            if (out->g_q)
                out->g_q[k + j * e->ns] = g_q[k] * p.n[j] + g_v[k] * p.turn[j];
            if (out->g_v)
                out->g_v[k + j * e->ns] = g_v[k] * p.n[j];
        }
    }
}

static IFD_RT void energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    const chord *c = e->data;
    const pose p = look(c, in->q, in->qd);
    const double zero = 0.0;
    const ifd_element_in at = {.t = in->t, .q = &p.q, .qd = &p.v, .qdd = &zero, .s = in->s};
    c->law.ops->energy(&c->law, &at, stored, dissipated);
}

static IFD_RT void settle(const ifd_element *e, double *s, double *rate, double *pseudo)
{
    const chord *c = e->data;
    c->law.ops->settle(&c->law, s, rate, pseudo);
}

static void events(const ifd_element *e, const ifd_element_in *in, double *root)
{
    const chord *c = e->data;
    const pose p = look(c, in->q, in->qd);
    const double zero = 0.0;
    c->law.ops->events(&c->law, &(ifd_element_in){.t = in->t, .q = &p.q, .qd = &p.v, .qdd = &zero, .s = in->s}, root);
}

static IFD_RT void follow(const ifd_element *e, const ifd_element_move *move, double *s)
{
    const chord *c = e->data;
    const pose a = look(c, move->q0, move->v0), b = look(c, move->q1, move->v1);
    c->law.ops->follow(
        &c->law,
        &(ifd_element_move){.from = move->from, .to = move->to, .q0 = &a.q, .v0 = &a.v, .q1 = &b.q, .v1 = &b.v}, s);
}

static double relaxations(const ifd_element *e, double h, bool followed)
{
    const chord *c = e->data;
    return c->law.ops->relaxations(&c->law, h, followed);
}

static IFD_RT void accept(const ifd_element *e, const ifd_element_in *in, double *s)
{
    const chord *c = e->data;
    const pose p = look(c, in->q, in->qd);
    const double zero = 0.0;
    c->law.ops->accept(&c->law, &(ifd_element_in){.t = in->t, .q = &p.q, .qd = &p.v, .qdd = &zero, .s = in->s}, s);
}

static IFD_RT double residual(const ifd_element *e, const double *s)
{
    const chord *c = e->data;
    return c->law.ops->residual(&c->law, s);
}

static double jump(const ifd_element *e, double t)
{
    const chord *c = e->data;
    return c->law.ops->jump(&c->law, t);
}

static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const along *of = (const along *)e->ops;
    chord *c;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(c, 1)));
    c->law = (ifd_element){.ops = of->law, .name = e->name, .nq = 1};
    c->axes = of->axes;
    for (int i = 0; i < of->axes; i++) {
        c->X[i] = of->X[i];
        c->L0 += of->X[i] * of->X[i];
    }
    c->L0 = sqrt(c->L0);
    IFD_TRY(of->law->make(&c->law, values, arena, note));
    if (c->law.ns > MOST_STATES)
        return ifd_note_add(note, IFD_TOO_LARGE, NULL, "element '%s' has %d states; a large chord has at most %d",
                            e->name, c->law.ns, (int)MOST_STATES);
    e->ns = c->law.ns;
    e->nroot = c->law.nroot;
    e->s0 = c->law.s0;
    e->data = c;
    return IFD_OK;
}

bool ifd__element_turns(const ifd_element *e)
{
    return e->ops->eval == eval;
}

bool ifd__element_short(const ifd_element *e, const double *q)
{
    static const double rest[AXES] = {0.0};
    const chord *c = e->data;
    return !(look(c, q, rest).L >= shortest * c->L0);
}

const ifd_element_ops *ifd__chord_ops(ifd_arena *arena, const ifd_element_ops *law, int axes, const double *X)
{
    along *a = ifd_arena_take(arena, sizeof *a);
    if (!a)
        return NULL;
    a->ops = (ifd_element_ops){.abi = IFD_ELEMENT_ABI,
                               .name = ifd_arena_print(arena, "large %s", law->name),
                               .summary = law->summary,
                               .equation = law->equation,
                               .params = law->params,
                               .flags = law->flags & (IFD_ELEMENT_CONTACT | IFD_ELEMENT_ITERATE | IFD_ELEMENT_FIBRES),
                               .make = make,
                               .eval = eval,
                               .energy = law->energy ? energy : NULL,
                               .settle = law->settle ? settle : NULL,
                               .events = law->events ? events : NULL,
                               .follow = law->follow ? follow : NULL,
                               .relaxations = law->relaxations ? relaxations : NULL,
                               .accept = law->accept ? accept : NULL,
                               .residual = law->residual ? residual : NULL,
                               .jump = law->jump ? jump : NULL};
    if (law->settle && law->advance)
        a->ops.flags |= IFD__ELEMENT_STOPS;
    a->law = law;
    a->axes = axes;
    for (int i = 0; i < axes; i++)
        a->X[i] = X[i];
    return a->ops.name ? &a->ops : NULL;
}
