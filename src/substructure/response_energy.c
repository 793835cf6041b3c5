/* SPDX-License-Identifier: MIT */
/* The energy balance of a numerical substructure, step by step.
 *
 * Work of loads and damping is the trapezoidal rule over steps of P . v and of the dissipated power; a step in which
 * a load or the motion of a support jumps is divided there. Kinetic and stored energy are exact at each instant. The
 * rest, input + joints - (kinetic + stored - start) - dissipated - specimens, is energy that the method (and the
 * quadrature, of second order in the step) creates or removes. */
#include <math.h>

#include "method/reference.h"
#include "substructure/response.h"

/* Adds the power or energy of every model. */
static IFD_RT ifd__energy energy_now(const ifd__response *r, const double *x, double t)
{
    ifd__energy sum = {0.0, 0.0, 0.0, 0.0};
    for (int p = 0; p < r->s->models; p++) {
        const ifd__response_model *b = &r->model[p];
        const double *u = x + b->at;
        ifd__energy e;
        const ifd__point at = {.t = t, .u = u, .v = u + b->m->n, .s = u + 2 * b->m->n};
        ifd__model_energy(b->m, &b->forms, &at, &e, b->w);
        sum.kinetic += e.kinetic;
        sum.stored += e.stored;
        sum.dissipated += e.dissipated;
        sum.input += e.input;
    }
    return sum;
}

enum { MOST_CORNERS = 64 }; /* limit per step: a record with finer samples counts as smooth beyond it */

/* A time next to a jump: far above the round-off of times, far below a step. */
static IFD_RT double beside(const ifd__response *r, double t)
{
    const double of_step = 1e-6, of_time = 1e-11; /* signals treat times within 1e-12 as equal */
    return fmax(of_step * r->s->step, of_time * (1.0 + fabs(t)));
}

/* True if a signal, or one of the given number of derivatives, jumps at t. */
static IFD_RT bool signal_jumps(const ifd__response *r, const ifd_signal *s, double t, int derivatives)
{
    const double small = 1e-5; /* relative to the value: a smooth signal changes by less in that time, or passes
                                * zero */
    double a[3], b[3];
    if (!s)
        return false;
    ifd_signal_eval(s, t - beside(r, t), a);
    ifd_signal_eval(s, t + beside(r, t), b);
    for (int k = 0; k <= derivatives; k++)
        if (fabs(a[k] - b[k]) > small * (fabs(a[k]) + fabs(b[k])))
            return true;
    return false;
}

static IFD_RT bool loads_jump(const ifd__response *r, double t)
{
    bool jumps = false;
    for (int p = 0; p < r->s->models && !jumps; p++) {
        const ifd_model *m = r->model[p].m;
        for (int d = 0; d < 3 && !jumps; d++)
            jumps = signal_jumps(r, m->ground[d].signal, t, 0);
        for (int k = 0; k < m->nload && !jumps; k++)
            jumps = signal_jumps(r, m->load[k].signal, t, 0);
        for (int k = 0; k < m->nsupport && !jumps; k++)
            jumps = signal_jumps(r, m->support[k], t, 2);
    }
    return jumps;
}

/* The first jump after t and not after end; HUGE_VAL if there is none. The corner beyond `end` answers the questions
 * of the next steps, unless signals change with the motion. */
static IFD_RT double next_jump(const ifd__response *r, double t, double end)
{
    const double from = t;
    if (r->smooth && from >= r->smooth[0] && end < r->smooth[1])
        return HUGE_VAL;
    for (int k = 0; k < MOST_CORNERS; k++) {
        double corner = HUGE_VAL;
        for (int p = 0; p < r->s->models; p++)
            corner = fmin(corner, ifd__next_corner(r->model[p].m, t));
        if (corner > end && r->smooth) {
            r->smooth[0] = from;
            r->smooth[1] = corner;
        }
        if (corner > end)
            break;
        if (loads_jump(r, corner))
            return corner;
        t = corner;
    }
    return HUGE_VAL;
}

static IFD_RT void add_power(ifd__energy *sum, double share, ifd__energy e)
{
    sum->input += share * e.input;
    sum->dissipated += share * e.dissipated;
}

/* Power along a step is w0(t) p0(t) + w1(t) p1(t): loads at t with the motion of either end, w linear from 1 to 0 and
 * back. Returns the contribution of the current motion, that of the start or of the end, to twice its mean: `here`,
 * the current power, without jumps; otherwise by the trapezoidal rule between the jumps. */
static IFD_RT ifd__energy step_power(const ifd__response *r, const double *x, double from, bool at_end,
                                     ifd__energy here)
{
    double h = r->s->step, to = from + h, at = from, near = beside(r, to);
    double corner = next_jump(r, from + near, to + near);
    ifd__energy sum = {0.0, 0.0, 0.0, 0.0}, after = here;
    if (corner == HUGE_VAL)
        return here;
    for (int k = 0; k < MOST_CORNERS; k++) {
        bool last = corner > to - near || k == MOST_CORNERS - 1;
        double end = last ? to : corner;
        double begins = at_end ? at - from : to - at, ends = at_end ? end - from : to - end;
        add_power(&sum, (end - at) * begins / (h * h), after);
        add_power(&sum, (end - at) * ends / (h * h), corner < HUGE_VAL ? energy_now(r, x, end - near) : here);
        if (last)
            break;
        after = energy_now(r, x, end + near);
        at = end;
        corner = next_jump(r, end + near, to + near);
    }
    return sum;
}

/* Gaps at the joints, and the power created there. */
static IFD_RT double joints_now(const ifd__response *r, double *x, double t)
{
    double gap[4];
    ifd__energy_state *s = ifd__energy_state_of(r, x);
    if (!r->s->coupled)
        return 0.0;
    ifd__coupled_gap(r->s->coupled, t, x, gap);
    for (int k = 0; k < 3; k++) {
        s->gap[k] = gap[k];
        s->worst[k] = gap[k] > s->worst[k] ? gap[k] : s->worst[k];
    }
    return gap[3];
}

enum { POINTS = 3 };

/* Integrals of a and of (1 - x) a over one interval, x from 0 to 1. */
static IFD_RT void integrate_interval(const ifd_signal *s, double t, double h, double out[2])
{
    static const double x[POINTS] = {0.11270166537925831148, 0.5, 0.88729833462074168852}; /* (1 -+ sqrt(3/5))/2 */
    static const double w[POINTS] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
    out[0] = out[1] = 0.0;
    for (int i = 0; i < POINTS; i++) {
        double y[3];
        ifd_signal_eval(s, t + x[i] * h, y);
        out[0] += w[i] * y[0];
        out[1] += w[i] * (1.0 - x[i]) * y[0];
    }
}

void ifd__ground_integrate(const ifd_signal *s, double t, double T, int pieces, double motion[2])
{
    double *u = &motion[0], *v = &motion[1], h = T / pieces, a[2];
    for (int j = 0; j < pieces; j++) {
        integrate_interval(s, t + j * h, h, a);
        *u += h * (*v + h * a[1]);
        *v += h * a[0];
    }
}

/* Motion of the ground over the step that ends at t, if its velocity is needed. */
static IFD_RT void move_ground(const ifd__response *r, double *x, double t)
{
    ifd__energy_state *s = ifd__energy_state_of(r, x);
    for (int d = 0; d < 3 && r->opt.what & IFD_RECORD_VELOCITY; d++)
        for (int p = 0; p < r->s->models; p++)
            if (r->model[p].m->ground[d].signal) {
                ifd__ground_integrate(r->model[p].m->ground[d].signal, t - r->s->step, r->s->step, 1,
                                      &s->ground[2 * d]);
                break;
            }
}

void ifd__response_energy(const ifd__response *r, double *x, double t, bool first)
{
    ifd__energy_state *s = ifd__energy_state_of(r, x);
    double h = r->s->step, joints = r->opt.gapless ? 0.0 : joints_now(r, x, t);
    if (!first)
        move_ground(r, x, t);
    if (!r->opt.balanced)
        return;
    ifd__energy e = energy_now(r, x, t);
    if (first) {
        s->energy_start = e.kinetic + e.stored;
    } else {
        ifd__energy end = step_power(r, x, t - h, true, e);
        s->input += 0.5 * h * (s->input_power + end.input);
        s->dissipated += 0.5 * h * (s->dissipated_power + end.dissipated);
        s->joints += 0.5 * h * (s->joint_power + joints);
    }
    ifd__energy next = step_power(r, x, t, false, e);
    s->input_power = next.input;
    s->dissipated_power = next.dissipated;
    s->joint_power = joints;
    s->kinetic = e.kinetic;
    s->stored = e.stored;
    const double sizes[] = {fabs(s->input), e.kinetic + fabs(e.stored), fabs(s->dissipated)};
    for (int i = 0; i < 3; i++)
        s->scale = sizes[i] > s->scale ? sizes[i] : s->scale;
}

ifd_energy ifd__balance_energy(const ifd__energy_state *s)
{
    ifd_energy e = {.input = s->input,
                    .kinetic = s->kinetic,
                    .stored = s->stored,
                    .dissipated = s->dissipated,
                    .specimens = s->specimens,
                    .joints = s->joints,
                    .scale = s->scale,
                    .start = s->energy_start,
                    .updates = s->updates};
    e.numerical =
        e.input + e.joints + e.updates - (e.kinetic + e.stored - s->energy_start) - e.dissipated - e.specimens;
    return e;
}
