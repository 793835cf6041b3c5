/* SPDX-License-Identifier: MIT */
/* Limits on what is measured. What is commanded cannot break a limit: the governor sees to that. */
#include <math.h>

#include "run/force_control.h"

/* A limit of the case, which it may only observe on a virtual rig. */
static bool is_limit(ifd_trip trip)
{
    return trip == IFD_TRIP_POSITION || trip == IFD_TRIP_VELOCITY || trip == IFD_TRIP_ACCELERATION ||
           trip == IFD_TRIP_FORCE || trip == IFD_TRIP_FORCE_RATE || trip == IFD_TRIP_TRACKING ||
           trip == IFD_TRIP_ENERGY;
}

/* What a fault does in this test: late ticks and parts as its policy says. */
static ifd_action action_of(const ifd_hybrid *h, ifd_trip trip)
{
    bool late = trip == IFD_TRIP_LATE || trip == IFD_TRIP_LATE_JOB;
    return late && h->opt.overrun == IFD_OVERRUN_STOP ? IFD_ACTION_RAMP_OUT : ifd_trip_action(trip);
}

/* Latched is the first of the worst that changed the state of the machine: what only passed by must not stand for it,
 * nor what led to a hold for what tripped the test later. */
static void latch(ifd_hybrid *h, ifd_trip trip, ifd_action action, int channel, const double value[2])
{
    ifd_machine state = (ifd_machine)(int)*ifd__hyb(h, HYB_STATE);
    ifd_trip before = (ifd_trip)(int)*ifd__hyb(h, HYB_TRIP);
    const ifd__machine_in in = {.order = trip == IFD_TRIP_ORDERED ? IFD_ORDER_TRIP : IFD_ORDER_NONE,
                                .action = action};
    if (ifd__machine_next(state, &in) == state || (before != IFD_TRIP_NONE && action <= action_of(h, before)))
        return;
    *ifd__hyb(h, HYB_TRIP) = (double)trip;
    *ifd__hyb(h, HYB_TRIP_TICK) = *ifd__hyb(h, HYB_TICK);
    *ifd__hyb(h, HYB_TRIP_CHANNEL) = channel;
    *ifd__hyb(h, HYB_TRIP_VALUE) = value[0];
    *ifd__hyb(h, HYB_TRIP_LIMIT) = value[1];
}

static void count(ifd_hybrid *h, ifd_trip trip)
{
    *ifd__hyb(h, HYB_COUNTS + (int)trip) += 1.0;
    h->trace.faults |= (uint64_t)1 << trip;
}

ifd_action ifd__guard_note(ifd_hybrid *h, ifd_trip trip, int channel, double value, double limit, ifd_action so_far)
{
    count(h, trip);
    ifd_action action = action_of(h, trip);
    if (action == IFD_ACTION_NOTE || (h->opt.observe && is_limit(trip)))
        return so_far;
    latch(h, trip, action, channel, (const double[]){value, limit});
    return action > so_far ? action : so_far;
}

ifd_action ifd__guard_given_up(ifd_hybrid *h, ifd_action so_far)
{
    count(h, IFD_TRIP_LATE_JOB);
    latch(h, IFD_TRIP_LATE_JOB, IFD_ACTION_RAMP_OUT, -1, (const double[]){0.0, 0.0});
    return so_far > IFD_ACTION_RAMP_OUT ? so_far : IFD_ACTION_RAMP_OUT;
}

/* A limit of 0 is none. */
static ifd_action above(ifd_hybrid *h, ifd_trip trip, int k, double value, double limit, ifd_action so_far)
{
    return limit > 0.0 && fabs(value) > limit ? ifd__guard_note(h, trip, k, value, limit, so_far) : so_far;
}

/* A position that stays exactly the same while the command travels is a stuck sensor or a dead actuator;
 * without news it tells nothing. */
static ifd_action frozen(ifd_hybrid *h, int k, ifd_action worst)
{
    double *ticks = ifd__way_row(h, k, CH_FROZEN), *moved = ifd__way_row(h, k, CH_MOVED);
    const ifd__bounds *b = &h->way[k].bounds;
    if (*ifd__hyb(h, HYB_STALE) > 0.0)
        return worst;
    if (*ifd__way_row(h, k, CH_XM) != *ifd__way_row(h, k, CH_XM_OLD)) {
        *ticks = *moved = 0.0;
        return worst;
    }
    *ticks += 1.0;
    *moved += fabs(*ifd__way_row(h, k, CH_W));
    if (*ticks > h->opt.frozen_limit && *moved > 1e-3 * (b->high - b->low))
        return ifd__guard_note(h, IFD_TRIP_FROZEN, k, *moved, 1e-3 * (b->high - b->low), worst);
    return worst;
}

double ifd__guard_tracking(const ifd_hybrid *h, const ifd_limits *l, double creep)
{
    const double lag = 0.1; /* s; the way out is not compensated */
    ifd_machine state = (ifd_machine)(int)*ifd__hyb(h, HYB_STATE);
    if (state == IFD_MACHINE_RAMP_OUT && *ifd__hyb(h, HYB_RAMP) > h->opt.brake)
        return l->tracking > 0.0 ? l->tracking + lag * creep : 0.0;
    bool led = state == IFD_MACHINE_READY || state == IFD_MACHINE_RAMP_IN || state == IFD_MACHINE_RUN ||
               state == IFD_MACHINE_HOLD;
    return led ? l->tracking : 0.0;
}

/* ticks: from the news before to these. */
static ifd_action channel(ifd_hybrid *h, int k, double ticks, ifd_action worst)
{
    const ifd_limits *l = &h->way[k].o->limits;
    double xm = *ifd__way_row(h, k, CH_XM), fm = *ifd__way_row(h, k, CH_FM);
    double rate = (fm - *ifd__way_row(h, k, CH_FM_OLD)) / (ticks * h->period),
           off = xm - *ifd__way_row(h, k, CH_WANTED);
    if (!isfinite(xm) || !isfinite(fm) || !ifd__rig_mass_known(h, k))
        return ifd__guard_note(h, IFD_TRIP_NOT_FINITE, k, isfinite(xm) ? fm : xm, 0.0, worst);
    if (xm > l->high || xm < l->low)
        worst = ifd__guard_note(h, IFD_TRIP_POSITION, k, xm, xm > l->high ? l->high : l->low, worst);
    double moves[2];
    ifd__indicate_motion(h, k, moves);
    worst = above(h, IFD_TRIP_VELOCITY, k, moves[0], l->measured_velocity, worst);
    worst = above(h, IFD_TRIP_ACCELERATION, k, moves[1], l->measured_acceleration, worst);
    worst = above(h, IFD_TRIP_FORCE, k, fm, l->force, worst);
    ifd_machine state = (ifd_machine)(int)*ifd__hyb(h, HYB_STATE);
    if (state != IFD_MACHINE_IDLE) /* where the news before may be none at all */
        worst = above(h, IFD_TRIP_FORCE_RATE, k, rate, l->force_rate, worst);
    worst = above(h, IFD_TRIP_TRACKING, k, off, ifd__guard_tracking(h, l, h->way[k].creep), worst);
    if (state == IFD_MACHINE_RUN || state == IFD_MACHINE_HOLD) {
        if (!isfinite(*ifd__way_row(h, k, CH_ASKED))) /* of a compensator: the governor stands still since */
            worst = ifd__guard_note(h, IFD_TRIP_SOLVER, k, 0.0, 0.0, worst);
        worst = above(h, IFD_TRIP_ENERGY, k, *ifd__way_row(h, k, CH_ENERGY), l->energy, worst);
        *ifd__way_row(h, k, CH_PEAK_TRACKING) = fmax(*ifd__way_row(h, k, CH_PEAK_TRACKING), fabs(off));
    }
    *ifd__way_row(h, k, CH_PEAK_FORCE) = fmax(*ifd__way_row(h, k, CH_PEAK_FORCE), fabs(fm));
    if (h->way[k].o->force)
        worst = ifd__force_guard(h, k, worst);
    return h->way[k].actuator < 0 ? worst : frozen(h, k, worst);
}

static ifd_action late(ifd_hybrid *h, const ifd_tick_in *in, ifd_action worst)
{
    double *row = ifd__hyb(h, HYB_LATE);
    if (in->late < h->period) {
        *row = 0.0;
        return worst;
    }
    *row += 1.0;
    if (h->opt.overrun == IFD_OVERRUN_EXTRAPOLATE && *row <= h->opt.late_limit) {
        count(h, IFD_TRIP_LATE);
        return worst;
    }
    return ifd__guard_note(h, IFD_TRIP_LATE, -1, in->late, h->period, worst);
}

bool ifd__guard_job(ifd_hybrid *h, const ifd_tick_in *in, ifd_action *worst)
{
    const ifd__computed *s = &h->computed;
    double *row = ifd__hyb(h, HYB_LATE_JOB);
    bool ready = !s->ops->ready || s->ops->ready(s, (int)*ifd__hyb(h, HYB_DUE), in->job_late ? 0.0 : in->patience);
    if (ready && !in->job_late) {
        *row = 0.0;
        return true;
    }
    *row += 1.0;
    if (h->opt.overrun == IFD_OVERRUN_EXTRAPOLATE && *row <= h->opt.late_limit) {
        count(h, IFD_TRIP_LATE_JOB);
        return false;
    }
    *worst = ifd__guard_note(h, IFD_TRIP_LATE_JOB, -1, *row * h->period, 0.0, *worst);
    return false;
}

/* A rig is lost when it says nothing new, and as well when what it says shows that it does not hear us. */
static ifd_action lost(ifd_hybrid *h, bool fresh, ifd_action worst)
{
    double *stale = ifd__hyb(h, HYB_STALE), limit = h->opt.stale_limit;
    uint64_t sent = h->command.tick, heard = h->measure.tick;
    double behind = heard > 0 && sent > heard ? (double)(sent - heard) : 0.0;
    *stale = fresh ? 0.0 : *stale + 1.0;
    if (!fresh)
        worst = ifd__guard_note(h, IFD_TRIP_STALE, -1, *stale, 0.0, worst);
    double most = fmax(*stale, behind - 1.0);
    return most > limit ? ifd__guard_note(h, IFD_TRIP_LOST, -1, most, limit, worst) : worst;
}

ifd_action ifd__guard_measure(ifd_hybrid *h, bool fresh, const ifd_tick_in *in)
{
    ifd_action worst = late(h, in, IFD_ACTION_NOTE);
    double ticks = *ifd__hyb(h, HYB_STALE) + 1.0;
    worst = lost(h, fresh, worst);
    if (h->measure.inputs & IFD_INPUT_RIG_STOPPED)
        worst = ifd__guard_note(h, IFD_TRIP_RIG_STOPPED, -1, 0.0, 0.0, worst);
    if (!(h->measure.inputs & IFD_INPUT_NO_STOP))
        worst = ifd__guard_note(h, IFD_TRIP_STOP_PRESSED, -1, 0.0, 0.0, worst);
    if (!(h->measure.inputs & IFD_INPUT_HYDRAULICS))
        worst = ifd__guard_note(h, IFD_TRIP_HYDRAULICS, -1, 0.0, 0.0, worst);
    for (int k = 0; k < h->channels; k++)
        worst = channel(h, k, ticks, worst);
    return ifd__drives_guard(h, ticks, worst);
}
