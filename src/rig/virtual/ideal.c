/* SPDX-License-Identifier: MIT */
/* A specimen with an ideal actuator and load cell. */
#include "rig/virtual/ideal.h"

#include <string.h>

#include "base/state_block.h"

enum { SUBSTEPS = 8, COORDINATES = 2 };

static ifd_status refuse_mass(const ifd__ideal *rig, ifd_note *note)
{
    const ifd_element *e = &rig->element;
    double zero[COORDINATES] = {0.0}, m[COORDINATES * COORDINATES] = {0.0};
    const ifd_element_in in = {.q = zero, .qd = zero, .qdd = zero, .s = e->s0 ? e->s0 : rig->w};
    const ifd_element_out out = {.m = m};
    e->ops->eval(e, &in, &out);
    if (m[0] != 0.0)
        return ifd_note_add(
            note, IFD_UNSUPPORTED, NULL,
            "specimen '%s' has mass. The force of an ideal specimen depends only on displacement and velocity. Add "
            "the mass to the model",
            e->name);
    return IFD_OK;
}

ifd_status ifd__ideal_make(ifd__ideal *rig, ifd_arena *arena, const ifd_element_ops *ops, const char *name,
                           const ifd_value *values, ifd_note *note)
{
    if (ops->attach != IFD_ATTACH_PAIR)
        return ifd_note_add(
            note, IFD_UNSUPPORTED, NULL,
            "specimen '%s' is of kind %s, expected an element between two points (spring, bouc-wen, sliders, ...)",
            name, ops->name);
    rig->element = (ifd_element){.ops = ops, .name = name, .nq = rig->pressed ? COORDINATES : 1};
    IFD_TRY(ops->make(&rig->element, values, arena, note));
    rig->w = ifd_arena_array(arena, 6 * (size_t)rig->element.ns + 1, sizeof *rig->w);
    return rig->w ? refuse_mass(rig, note) : IFD_NO_MEMORY;
}

/* N = load - watched w: with a load of zero and a watched stiffness of 1 the second coordinate is -N. */
ifd_status ifd__ideal_make_pressed(ifd__ideal *rig, ifd_arena *arena, const ifd_element_ops *ops, const char *name,
                                   const ifd_value *values, ifd_note *note)
{
    static const char *const key[] = {"watched", "load", "schedule"};
    int count = ifd_param_count(ops->params);
    ifd_value *own = ifd_arena_array(arena, (size_t)count, sizeof *own);
    if (!own)
        return IFD_NO_MEMORY;
    memcpy(own, values, (size_t)count * sizeof *own);
    for (int i = 0; i < 3; i++) {
        int at = ifd_param_find(ops->params, key[i]);
        if (at < 0)
            return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                                "specimen '%s' is of kind %s, expected a friction-pendulum where another actuator "
                                "compresses it",
                                name, ops->name);
        own[at] = i < 2 ? ifd_number(i == 0 ? 1.0 : 0.0) : (ifd_value){0};
    }
    rig->pressed = true;
    return ifd__ideal_make(rig, arena, ops, name, own, note);
}

int ifd__ideal_size(const ifd__ideal *rig)
{
    return IFD__DOUBLES(ifd__ideal_state) + rig->element.ns + (rig->pressed ? 2 : 0);
}

void ifd__ideal_press(const ifd__ideal *rig, double N, double *x)
{
    if (rig->pressed)
        ((ifd__ideal_state *)x)->s[rig->element.ns + 1] = N;
}

/* Coordinates with a deformation q: at the last command, or at the next. */
static void coordinates(const ifd__ideal *rig, const ifd__ideal_state *x, double q, bool next,
                        double out[COORDINATES])
{
    out[0] = q;
    out[1] = rig->pressed ? -x->s[rig->element.ns + next] : 0.0;
}

/* The position is accepted independently of later motion: a reversal there is stored. */
static void measure(const ifd__ideal *rig, double t, double q, double v, ifd__ideal_state *x)
{
    const ifd_element *e = &rig->element;
    const double zero[COORDINATES] = {0.0}, rate[COORDINATES] = {v};
    double at[COORDINATES], r[COORDINATES] = {0.0};
    x->t = t;
    x->q = q;
    x->v = v;
    coordinates(rig, x, q, true, at);
    if (rig->pressed)
        x->s[e->ns] = x->s[e->ns + 1];
    const ifd_element_in in = {.t = x->t, .q = at, .qd = rate, .qdd = zero, .s = x->s};
    if (e->ops->accept)
        e->ops->accept(e, &in, x->s);
    e->ops->eval(e, &in, &(ifd_element_out){.r = r});
    x->f = r[0];
}

void ifd__ideal_begin(const ifd__ideal *rig, double t, double q, double v, double *state)
{
    ifd__ideal_state *x = (ifd__ideal_state *)state;
    for (int i = 0; i < rig->element.ns; i++)
        x->s[i] = rig->element.s0 ? rig->element.s0[i] : 0.0;
    if (rig->element.ops->carry)
        rig->element.ops->carry(&rig->element, t, t, q, v, x->s);
    measure(rig, t, q, v, x);
}

static void rates(const ifd_element *e, double t, double q, double v, const double *s, double *g)
{
    const double zero = 0.0;
    memset(g, 0, sizeof(double) * (size_t)e->ns);
    e->ops->eval(e, &(ifd_element_in){.t = t, .q = &q, .qd = &v, .qdd = &zero, .s = s}, &(ifd_element_out){.g = g});
}

/* Classical Runge-Kutta method over [t0, t1] along q(t) = q0 + v (t - t0). */
static void integrate(const ifd__ideal *rig, double t0, double q0, double t1, double v, double *s)
{
    const ifd_element *e = &rig->element;
    int ns = e->ns;
    double h = (t1 - t0) / SUBSTEPS;
    double *k[4] = {rig->w, rig->w + ns, rig->w + 2 * ns, rig->w + 3 * ns}, *y = rig->w + 4 * ns;
    static const double node[4] = {0.0, 0.5, 0.5, 1.0};
    for (int step = 0; step < SUBSTEPS; step++) {
        double t = t0 + step * h;
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < ns; j++)
                y[j] = s[j] + (i ? h * node[i] * k[i - 1][j] : 0.0);
            rates(e, t + node[i] * h, q0 + v * (t + node[i] * h - t0), v, y, k[i]);
        }
        for (int j = 0; j < ns; j++)
            s[j] += h / 6.0 * (k[0][j] + 2.0 * k[1][j] + 2.0 * k[2][j] + k[3][j]);
        if (e->ops->settle)
            e->ops->settle(e, s, NULL, NULL);
    }
}

/* Between two commands the compression varies linearly. */
static void follow(const ifd__ideal *rig, double t, double q, double v, ifd__ideal_state *x)
{
    const ifd_element *e = &rig->element;
    double from[COORDINATES], to[COORDINATES], h = t - x->t;
    coordinates(rig, x, x->q, false, from);
    coordinates(rig, x, q, true, to);
    const double v0[COORDINATES] = {x->v, (to[1] - from[1]) / h}, v1[COORDINATES] = {v, v0[1]};
    e->ops->follow(e, &(ifd_element_move){.from = x->t, .to = t, .q0 = from, .v0 = v0, .q1 = to, .v1 = v1}, x->s);
}

void ifd__ideal_command(const ifd__ideal *rig, double t, double q, double v, double *state)
{
    ifd__ideal_state *x = (ifd__ideal_state *)state;
    const ifd_element *e = &rig->element;
    double dq = q - x->q, dt = t - x->t;
    if (e->ops->carry)
        e->ops->carry(e, x->t, t, q, v, x->s);
    else if (e->ns && e->ops->advance)
        e->ops->advance(e, &dq, x->s, NULL);
    else if (e->ns && e->ops->follow && dt > 0.0)
        follow(rig, t, q, v, x);
    else if (e->ns && !e->ops->accept && dt > 0.0)
        integrate(rig, x->t, x->q, t, dq / dt, x->s);
    measure(rig, t, q, v, x);
}

void ifd__ideal_tick(const ifd__ideal *rig, ifd__instant at, double q, double v, double *x)
{
    if (!rig->element.ops->carry) {
        ((ifd__ideal_state *)x)->t = at.simulated - at.tick;
        at.rig = at.simulated;
    }
    ifd__ideal_command(rig, at.rig, q, v, x);
}
