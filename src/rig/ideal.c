/* SPDX-License-Identifier: MIT */
#include "rig/ideal.h"

#include <string.h>

enum { SUBSTEPS = 8 };

static ifd_status refuse_mass(const ifd__ideal *rig, ifd_note *note)
{
    const ifd_element *e = &rig->element;
    double zero = 0.0, m = 0.0;
    const ifd_element_in in = {.q = &zero, .qd = &zero, .qdd = &zero, .s = e->s0 ? e->s0 : rig->w};
    const ifd_element_out out = {.m = &m};
    e->ops->eval(e, &in, &out);
    if (m != 0.0)
        return ifd_note_add(
            note, IFD_UNSUPPORTED, NULL,
            "specimen '%s' has mass: an ideal specimen answers displacement and velocity only; give the "
            "mass to the model",
            e->name);
    return IFD_OK;
}

ifd_status ifd__ideal_make(ifd__ideal *rig, ifd_arena *arena, const ifd_element_ops *ops, const char *name,
                           const ifd_value *values, ifd_note *note)
{
    if (ops->attach != IFD_ATTACH_PAIR)
        return ifd_note_add(
            note, IFD_UNSUPPORTED, NULL,
            "specimen '%s' is a %s; a specimen acts between two points (spring, bouc-wen, sliders, ...)", name,
            ops->name);
    rig->element = (ifd_element){.ops = ops, .name = name, .nq = 1};
    IFD_TRY(ops->make(&rig->element, values, arena, note));
    rig->w = ifd_arena_array(arena, 6 * (size_t)rig->element.ns + 1, sizeof *rig->w);
    return rig->w ? refuse_mass(rig, note) : IFD_NO_MEMORY;
}

int ifd__ideal_size(const ifd__ideal *rig)
{
    return IFD__IDEAL_S + rig->element.ns;
}

static void measure(const ifd__ideal *rig, double *x)
{
    const ifd_element *e = &rig->element;
    const double zero = 0.0;
    const ifd_element_in in = {
        .t = x[IFD__IDEAL_T], .q = x + IFD__IDEAL_Q, .qd = x + IFD__IDEAL_V, .qdd = &zero, .s = x + IFD__IDEAL_S};
    x[IFD__IDEAL_F] = 0.0;
    e->ops->eval(e, &in, &(ifd_element_out){.r = x + IFD__IDEAL_F});
}

void ifd__ideal_begin(const ifd__ideal *rig, double t, double q, double v, double *x)
{
    x[IFD__IDEAL_T] = t;
    x[IFD__IDEAL_Q] = q;
    x[IFD__IDEAL_V] = v;
    for (int i = 0; i < rig->element.ns; i++)
        x[IFD__IDEAL_S + i] = rig->element.s0 ? rig->element.s0[i] : 0.0;
    if (rig->element.ops->carry)
        rig->element.ops->carry(&rig->element, t, t, q, v, x + IFD__IDEAL_S);
    measure(rig, x);
}

static void rates(const ifd_element *e, double t, double q, double v, const double *s, double *g)
{
    const double zero = 0.0;
    memset(g, 0, sizeof(double) * (size_t)e->ns);
    e->ops->eval(e, &(ifd_element_in){.t = t, .q = &q, .qd = &v, .qdd = &zero, .s = s}, &(ifd_element_out){.g = g});
}

/* Classical Runge-Kutta over [t0, t1] along q(t) = q0 + v (t - t0). */
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

void ifd__ideal_command(const ifd__ideal *rig, double t, double q, double v, double *x)
{
    const ifd_element *e = &rig->element;
    double dq = q - x[IFD__IDEAL_Q], dt = t - x[IFD__IDEAL_T];
    if (e->ops->carry)
        e->ops->carry(e, x[IFD__IDEAL_T], t, q, v, x + IFD__IDEAL_S);
    else if (e->ns && e->ops->advance)
        e->ops->advance(e, &dq, x + IFD__IDEAL_S, NULL);
    else if (e->ns && e->ops->follow && dt > 0.0)
        e->ops->follow(
            e,
            &(ifd_element_move){
                .from = x[IFD__IDEAL_T], .to = t, .q0 = x + IFD__IDEAL_Q, .v0 = x + IFD__IDEAL_V, .q1 = &q, .v1 = &v},
            x + IFD__IDEAL_S);
    else if (e->ns && dt > 0.0)
        integrate(rig, x[IFD__IDEAL_T], x[IFD__IDEAL_Q], t, dq / dt, x + IFD__IDEAL_S);
    x[IFD__IDEAL_T] = t;
    x[IFD__IDEAL_Q] = q;
    x[IFD__IDEAL_V] = v;
    measure(rig, x);
}

void ifd__ideal_tick(const ifd__ideal *rig, ifd__instant at, double q, double v, double *x)
{
    if (!rig->element.ops->carry) {
        x[IFD__IDEAL_T] = at.simulated - at.tick;
        at.rig = at.simulated;
    }
    ifd__ideal_command(rig, at.rig, q, v, x);
}
