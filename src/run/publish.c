/* SPDX-License-Identifier: MIT */
/* publish: the record of a finished step, and the energy balance, which is kept for every run.
 *
 * Work of loads and damping is the trapezoidal rule over steps of P . v and of the dissipated power; a step in which
 * a load or the motion of a support jumps is cut there. Kinetic and stored energy are exact at each instant. What is
 * left, input + joints - (kinetic + stored - start) - dissipated - specimens, is what the method (and the quadrature,
 * of second order in the step) made or took. */
#include <math.h>
#include <string.h>

#include "method/reference.h"
#include "run/run.h"

IFD_RT static ifd__point point_of(const ifd_run *r, const ifd__run_model *b, double t)
{
    const double *u = r->x + b->at;
    return (ifd__point){.t = t, .u = u, .v = u + b->m->n, .s = u + 2 * b->m->n};
}

/* Adds the power or energy of every model. */
static ifd__energy energy_now(const ifd_run *r, double t)
{
    ifd__energy sum = {0.0, 0.0, 0.0, 0.0};
    for (int p = 0; p < r->models; p++) {
        const ifd__run_model *b = &r->model[p];
        ifd__energy e;
        const ifd__point at = point_of(r, b, t);
        ifd__model_energy(b->m, &at, &e, b->w);
        sum.kinetic += e.kinetic;
        sum.stored += e.stored;
        sum.dissipated += e.dissipated;
        sum.input += e.input;
    }
    return sum;
}

enum { MOST_CORNERS = 64 }; /* looked at in one step: a record sampled more finely counts as smooth beyond */

/* Beside a jump: far above the round-off of times, far below a step. */
static double beside(const ifd_run *r, double t)
{
    const double of_step = 1e-6, of_time = 1e-11; /* signals take what is within 1e-12 of a time for it */
    return fmax(of_step * r->numerical.step, of_time * (1.0 + fabs(t)));
}

/* Whether a signal jumps at t, in its value or so many derivatives. */
static bool signal_jumps(const ifd_run *r, const ifd_signal *s, double t, int derivatives)
{
    const double small = 1e-5; /* of the value: a smooth signal changes by less in that instant, or passes zero */
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

static bool loads_jump(const ifd_run *r, double t)
{
    bool jumps = false;
    for (int p = 0; p < r->models && !jumps; p++) {
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

/* The first jump behind t and not behind end; HUGE_VAL when there is none. */
static double next_jump(const ifd_run *r, double t, double end)
{
    for (int k = 0; k < MOST_CORNERS; k++) {
        double corner = HUGE_VAL;
        for (int p = 0; p < r->models; p++)
            corner = fmin(corner, ifd__next_corner(r->model[p].m, t));
        if (corner > end)
            break;
        if (loads_jump(r, corner))
            return corner;
        t = corner;
    }
    return HUGE_VAL;
}

static void add_power(ifd__energy *sum, double share, ifd__energy e)
{
    sum->input += share * e.input;
    sum->dissipated += share * e.dissipated;
}

/* Power along a step is w0(t) p0(t) + w1(t) p1(t): of the loads at t with the motion of either end, w linear from 1
 * to 0 and back. Returns what the present motion, that of the start or of the end, adds to twice its mean: `here`,
 * the power now, when nothing jumps; otherwise by the trapezoidal rule between the jumps. */
static ifd__energy step_power(const ifd_run *r, double from, bool at_end, ifd__energy here)
{
    double to = from + r->numerical.step, at = from, near = beside(r, to);
    double corner = next_jump(r, from + near, to + near);
    ifd__energy sum = {0.0, 0.0, 0.0, 0.0}, after = here;
    if (corner == HUGE_VAL)
        return here;
    for (int k = 0; k < MOST_CORNERS; k++) {
        bool last = corner > to - near || k == MOST_CORNERS - 1;
        double end = last ? to : corner;
        double begins = at_end ? at - from : to - at, ends = at_end ? end - from : to - end;
        add_power(&sum, (end - at) * begins / (r->numerical.step * r->numerical.step), after);
        add_power(&sum, (end - at) * ends / (r->numerical.step * r->numerical.step),
                  corner < HUGE_VAL ? energy_now(r, end - near) : here);
        if (last)
            break;
        after = energy_now(r, end + near);
        at = end;
        corner = next_jump(r, end + near, to + near);
    }
    return sum;
}

/* Gaps at the joints; the power created there. */
static double joints_now(ifd_run *r, double t)
{
    double gap[4];
    if (r->numerical.outside.step)
        ifd__run_own(r)->worst[0] = r->numerical.outside.gap(r->numerical.outside.self);
    if (!r->numerical.coupled)
        return 0.0;
    ifd__coupled_gap(r->numerical.coupled, t, r->x, gap);
    for (int k = 0; k < 3; k++) {
        double *worst = &ifd__run_own(r)->worst[k];
        ifd__run_own(r)->gap[k] = gap[k];
        *worst = gap[k] > *worst ? gap[k] : *worst;
    }
    return gap[3];
}

void ifd__publish_energy(ifd_run *r, double t, bool first)
{
    ifd__run_state *s = ifd__run_own(r);
    double joints = joints_now(r, t);
    ifd__energy e = energy_now(r, t);
    if (first) {
        s->energy_start = e.kinetic + e.stored;
    } else {
        ifd__energy end = step_power(r, t - r->numerical.step, true, e);
        s->input += 0.5 * r->numerical.step * (s->input_power + end.input);
        s->dissipated += 0.5 * r->numerical.step * (s->dissipated_power + end.dissipated);
        s->joints += 0.5 * r->numerical.step * (s->joint_power + joints);
    }
    ifd__energy next = step_power(r, t, false, e);
    s->input_power = next.input;
    s->dissipated_power = next.dissipated;
    s->joint_power = joints;
    s->kinetic = e.kinetic;
    s->stored = e.stored;
    const double sizes[] = {fabs(s->input), e.kinetic + fabs(e.stored), fabs(s->dissipated)};
    for (int i = 0; i < 3; i++)
        s->scale = sizes[i] > s->scale ? sizes[i] : s->scale;
}

ifd_energy ifd_run_energy(const ifd_run *r)
{
    const ifd__run_state *s = ifd__run_own(r);
    ifd_energy e = {.input = s->input,
                    .kinetic = s->kinetic,
                    .stored = s->stored,
                    .dissipated = s->dissipated,
                    .specimens = s->specimens,
                    .joints = s->joints,
                    .scale = s->scale};
    e.numerical = e.input + e.joints - (e.kinetic + e.stored - s->energy_start) - e.dissipated - e.specimens;
    return e;
}

/* a := M(u)^-1 (P - R + what is measured or transmitted at joints), the accelerations of a model. */
static void accelerations(ifd_run *r, int p, double t)
{
    ifd__run_model *b = &r->model[p];
    const ifd__point at = point_of(r, b, t);
    ifd__model_balance(b->m, &at, b->a, b->g, b->w);
    if (r->numerical.coupled) { /* what is measured is in its load; without a lead-in the
                       * specimens stand where the step ended */
        if (r->numerical.model[p].measured && !r->numerical.coupled->lead_in) {
            ifd__run_load(r);
            ifd__coupled_measured(r->numerical.coupled, p, r->numerical.model[p].load);
        }
        ifd__coupled_load(r->numerical.coupled, p, r->x, b->load);
        for (int i = 0; i < b->m->n; i++)
            b->a[i] += b->load[i];
    }
    for (int k = 0; !r->numerical.coupled && k < r->specimens; k++) {
        const ifd_specimen *one = &r->specimen[k];
        ifd__add_restoring_force(one->from, one->to, ifd__run_interface_force(r, k), b->a);
    }
    ifd__tangent_update(b->mass, &at);
    ifd__tangent_solve(b->mass, b->a);
}

static double ground(const ifd_model *m, int direction, double t)
{
    double y[3] = {0.0, 0.0, 0.0};
    if (m->ground[direction].signal)
        ifd_signal_eval(m->ground[direction].signal, t, y);
    return y[0];
}

static double energy_value(const ifd_run *r, int k)
{
    ifd_energy e = ifd_run_energy(r);
    const double value[] = {e.input, e.kinetic, e.stored, e.dissipated, e.specimens, e.joints, e.numerical};
    return value[k];
}

static double value_of(const ifd_run *r, ifd_quantity quantity, ifd__column_place at, double t)
{
    const ifd__run_model *b = &r->model[at.model];
    const ifd__point now = point_of(r, b, t);
    switch ((int)quantity) {
    case IFD_COLUMN_DISPLACEMENT:
        return at.condensed ? ifd__model_gone(b->m, at.index, t, now.u, now.s) : now.u[at.index];
    case IFD_COLUMN_VELOCITY:
        return now.v[at.index];
    case IFD_COLUMN_ACCELERATION:
        return b->a[at.index];
    case IFD_COLUMN_TOTAL_ACCELERATION:
        return b->a[at.index] + ground(b->m, (int)b->m->dof_kind[at.index], t);
    case IFD_COLUMN_ELEMENT_DEFORMATION:
        return b->q[at.index];
    case IFD_COLUMN_ELEMENT_FORCE:
        return b->r[at.index];
    case IFD_COLUMN_ELEMENT_STATE:
        return now.s[at.index];
    case IFD_COLUMN_GROUND_X:
    case IFD_COLUMN_GROUND_Y:
    case IFD_COLUMN_GROUND_Z:
        return ground(b->m, at.index, t);
    default:
        return quantity >= IFD_COLUMN_ENERGY_INPUT ? energy_value(r, (int)(quantity - IFD_COLUMN_ENERGY_INPUT))
                                                   : r->x[at.index];
    }
}

void ifd__publish_values(ifd_run *r, double t)
{
    if (r->numerical.outside.step) {
        memcpy(r->values, ifd__external_values(r->x), (size_t)r->columns * sizeof *r->values);
        return;
    }
    for (int p = 0; p < r->models; p++) {
        ifd__run_model *b = &r->model[p];
        if (r->what & IFD_RECORD_ACCELERATION)
            accelerations(r, p, t);
        if (r->what & IFD_RECORD_ELEMENTS && b->m->ne) {
            const ifd__point at = point_of(r, b, t);
            ifd__model_coordinates(b->m, t, at.u, at.v, b->q, b->qd);
            ifd__model_forces(b->m, &(ifd_element_in){.t = t, .q = b->q, .qd = b->qd, .s = at.s}, b->r, b->g);
        }
    }
    for (int k = 0; k < r->columns; k++)
        r->values[k] = value_of(r, r->column[k].quantity, r->place[k], t);
}
