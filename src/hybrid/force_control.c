/* SPDX-License-Identifier: MIT */
/* The outer loop of a controlled force: force_control.h. */
#include "hybrid/force_control.h"

#include <math.h>

#include "hybrid/checkpoint.h"
#include "rig/quintic.h"
#include "hybrid/ramp_out/ramp_out.h"
#include "hybrid/pace/scaled.h"

static const double two_pi = 6.28318530717958647693;

void ifd_force_control_defaults(ifd_force_control *f)
{
    *f = (ifd_force_control){.error = (double)INFINITY};
}

ifd_status ifd__force_check(const ifd_interface_options *c, ifd_note *note)
{
    const ifd_force_control *f = c->force;
    if (!f->target && !f->computed)
        return ifd_note_add(note, IFD_MISSING_KEY, NULL, "interface '%s' is in force control and has no target",
                            c->name);
    if (!(f->error > 0.0) || !isfinite(f->error))
        return ifd_note_add(
            note, IFD_RANGE, NULL,
            "interface '%s': the limit 'error' is %g N, expected a finite number above zero: it alone "
            "detects a load cell that does not follow its target",
            c->name, f->error);
    if (!(f->stiffness > 0.0 && f->bandwidth > 0.0 && f->rate > 0.0 && f->tolerance > 0.0))
        return ifd_note_add(
            note, IFD_RANGE, NULL,
            "interface '%s' is in force control: stiffness, bandwidth, rate and tolerance must be above 0", c->name);
    return IFD_OK;
}

static double clamp(double x, double most)
{
    return fabs(x) > most ? copysign(most, x) : x;
}

bool ifd__force_step(ifd_hybrid *h, int k, double target)
{
    ifd__interface_state *s = h->each[k];
    const ifd__test_interface *w = &h->interface[k];
    const ifd_force_control *f = w->o->force;
    double within = f->computed ? clamp(target, w->o->limits.force) : target;
    double *aim = &s->force_target, way = within - *aim, change = clamp(way, f->rate * h->period);
    *aim += change;
    s->force_step = change;
    double error = *aim - s->measured_f, late = f->computed ? error - change : error; /* a fast force: as of now */
    double step = (change + two_pi * f->bandwidth * h->period * late) / f->stiffness;
    if (f->computed)
        step += ifd__push_follow(&h->io, k, f->stiffness);
    if (within != target)
        ifd__fault_note(&h->faults, IFD_TRIP_GOVERNED, k, target, within, IFD_ACTION_NOTE);
    ifd__governed g = {s->command, s->step};
    double asked = g.p + step;
    if (!ifd__governor_step(&w->bounds, asked, step, &g))
        ifd__fault_note(&h->faults, IFD_TRIP_GOVERNED, k, asked, g.p, IFD_ACTION_NOTE);
    s->command = s->next_target = g.p;
    s->step = g.w;
    /* a computed target follows a noisy position: the sum above may differ from it by rounding in any tick */
    bool there = f->computed ? within == target && change == way : *aim == target;
    return there && fabs(error) <= f->tolerance;
}

static double target(const ifd_hybrid *h, int k, double t)
{
    double y[3];
    ifd_signal_eval(h->interface[k].o->force->target, t, y);
    return y[0];
}

double ifd__force_ramp(const ifd_hybrid *h, int k, double s)
{
    double from = h->each[k]->force_start, share = ifd__rest_to_rest(0.0, 1.0, s);
    double to = h->going_on                     ? ifd__checkpoint_force(h, k)
                : ifd__pushes(&h->interface[k]) ? ifd__push_rest(&h->io, k, share)
                                                : target(h, k, 0.0);
    return ifd__rest_to_rest(from, to, s);
}

double ifd__force_run(ifd_hybrid *h, int k, double elapsed)
{
    double *t = &h->each[k]->force_time;
    *t += elapsed;
    return ifd__pushes(&h->interface[k]) ? ifd__push_reference(&h->io, k, elapsed / h->period) : target(h, k, *t);
}

/* A kept force comes to rest within this fraction of the ramp-in time. */
static const double fade = 0.15;

/* A signal comes to rest on itself, in simulated time that slows down. In ramp-in the last change decays, so that the
 * sum of all changes, step tau/dt, does not exceed the target. In both cases the force remains within what is
 * prescribed. */
double ifd__force_keep(ifd_hybrid *h, int k)
{
    ifd__interface_state *s = h->each[k];
    double tau = fade * h->opt.ramp_in, rate = ifd__time_rate(h) / h->opt.lambda;
    if (s->force_time > 0.0)
        return ifd__force_run(h, k, rate * h->period * exp(-h->test->state_time / tau));
    double left = ifd__force_ramp(h, k, 1.0) - s->force_target;
    if (left * s->force_step > 0.0)
        tau = fmin(tau, left / s->force_step * h->period);
    return s->force_target + s->force_step * tau / (tau + h->period);
}

bool ifd__force_rests(const ifd_hybrid *h)
{
    bool all = true;
    for (int k = 0; k < h->interfaces; k++) {
        const ifd_force_control *f = h->interface[k].o->force;
        double left = fabs(h->each[k]->force_step) * fade * h->opt.ramp_in / h->period;
        all = all && (!f || f->computed || left <= f->tolerance);
    }
    return all;
}

/* In ramp-out until a release, which has a guard of its own, or until a position is commanded. */
static bool kept(const ifd_hybrid *h, int k)
{
    return h->interface[k].o->force->computed || !ifd__ramp_out_released(h);
}

ifd_action ifd__force_guard(ifd_hybrid *h, int k, ifd_action worst)
{
    ifd__interface_state *s = h->each[k];
    const ifd_force_control *f = h->interface[k].o->force;
    ifd_machine state = ifd__state_of(h);
    double off = s->measured_f - s->force_target;
    if (ifd__on_wall(&h->interface[k]))
        worst = ifd__wall_guard(&h->io, k, worst);
    if (f->computed)
        worst = ifd__spring_guard(h, k, worst);
    bool ramps = state == IFD_MACHINE_RAMP_IN || (state == IFD_MACHINE_RAMP_OUT && kept(h, k));
    if (state != IFD_MACHINE_RUN && state != IFD_MACHINE_HOLD && !ramps)
        return worst;
    if (!ramps || f->computed)
        s->peak_force_error = fmax(s->peak_force_error, fabs(off));
    if (fabs(off) > f->error)
        worst = ifd__fault_note(&h->faults, IFD_TRIP_FORCE_ERROR, k, off, f->error, worst);
    return worst;
}
