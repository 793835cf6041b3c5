/* SPDX-License-Identifier: MIT */
/* Limits on measurements. The governor keeps commands within their limits. */
#include <math.h>
#include <string.h>

#include "base/beat.h"
#include "hybrid/force_control.h"
#include "hybrid/limits/fault_text.h"
#include "hybrid/ramp_out/ramp_out.h"
#include "hybrid/power.h"
#include "hybrid/pace/scaled.h"
#include "hybrid/limits/stiffness.h"
#include "hybrid/orders.h"
#include "hybrid/observe.h"
#include "hybrid/rig_ready.h"
#include "hybrid/part.h"
#include "rig/limits.h"
#include "rig/no_force.h"

/* A level of the monitor with an action. */
static bool of_monitor(ifd_trip trip)
{
    return trip == IFD_TRIP_LOOP_ENERGY || trip == IFD_TRIP_LOOP_DELAY || trip == IFD_TRIP_LOOP_PASSIVITY ||
           trip == IFD_TRIP_LOOP_GROWTH;
}

/* A limit of the case that a virtual rig can be permitted only to observe. */
static bool is_limit(ifd_trip trip)
{
    return trip == IFD_TRIP_POSITION || trip == IFD_TRIP_VELOCITY || trip == IFD_TRIP_ACCELERATION ||
           trip == IFD_TRIP_FORCE || trip == IFD_TRIP_FORCE_RATE || trip == IFD_TRIP_TRACKING ||
           trip == IFD_TRIP_ENERGY || of_monitor(trip);
}

/* Permitted tracking error. Ramp-out is not compensated: the lag of a first-order actuator with the time constant
 * IFD__UNCOMPENSATED_LAG is added to the limit. */
static double tracking_limit(const ifd_hybrid *h, const ifd__watched *w)
{
    *w->slow_lag = (*w->slow_lag + fabs(w->step)) / (1.0 + h->period / IFD__UNCOMPENSATED_LAG);
    bool out = ifd__state_of(h) == IFD_MACHINE_RAMP_OUT;
    return w->limits->tracking + (out ? *w->slow_lag : 0.0);
}

/* Action of a fault in this test; late ticks and substructures by its policy, the monitor by its level. */
static ifd_action action_of(const ifd_hybrid *h, ifd_trip trip)
{
    if (of_monitor(trip))
        return (ifd_action)(int)h->test->watch_action;
    bool late = trip == IFD_TRIP_LATE || trip == IFD_TRIP_LATE_JOB;
    return late && h->opt.overrun == IFD_OVERRUN_STOP ? IFD_ACTION_RAMP_OUT : ifd_trip_action(trip);
}

void ifd__fault_latch(ifd__faults *faults, ifd_trip trip, int channel, double value, double limit)
{
    ifd_hybrid *h = faults->test;
    ifd__test_state *t = h->test;
    t->fault = (double)trip;
    t->fault_tick = t->tick;
    t->fault_owner = channel;
    t->fault_value = value;
    t->fault_limit = limit;
    ifd__why_keep(h, true);
}

/* The latched fault of this tick on another channel that is farther from its limit. */
static bool farther(const ifd__test_state *t, ifd_trip trip, const double value[2])
{
    bool same = t->fault == (double)trip && t->fault_tick == t->tick;
    return same && fabs(value[0] * t->fault_limit) > fabs(t->fault_value * value[1]);
}

/* The first of the worst faults that changed the state of the test is latched, and of the channels that have this
 * fault in this tick the one farthest beyond its limit. Faults without an action are not latched, and a trip replaces
 * a hold. */
static void latch(ifd_hybrid *h, ifd_trip trip, ifd_action action, int channel, const double value[2])
{
    ifd_machine state = ifd__state_of(h);
    ifd_trip before = (ifd_trip)(int)h->test->fault;
    const ifd__machine_in in = {.order = trip == IFD_TRIP_ORDERED ? IFD_ORDER_TRIP : IFD_ORDER_NONE,
                                .action = action};
    bool worse = before == IFD_TRIP_NONE || action > action_of(h, before) || farther(h->test, trip, value);
    if (ifd__machine_next(state, &in) != state && worse)
        ifd__fault_latch(&h->faults, trip, channel, value[0], value[1]);
}

static void count(ifd_hybrid *h, ifd_trip trip)
{
    h->test->faults[trip] += 1.0;
    h->trace.faults |= (uint64_t)1 << trip;
}

static ifd_action worse(ifd_action a, ifd_action b)
{
    return a > b ? a : b;
}

ifd_action ifd__fault_note(ifd__faults *faults, ifd_trip trip, int channel, double value, double limit,
                           ifd_action so_far)
{
    ifd_hybrid *h = faults->test;
    ifd_action action = action_of(h, trip);
    if (action != IFD_ACTION_NOTE && !(h->opt.observe && is_limit(trip)))
        return ifd__fault_act(faults, trip, action, channel, (const double[]){value, limit}, so_far);
    count(h, trip);
    return so_far;
}

ifd_action ifd__fault_act(ifd__faults *faults, ifd_trip trip, ifd_action action, int channel, const double value[2],
                          ifd_action so_far)
{
    ifd_hybrid *h = faults->test;
    count(h, trip);
    latch(h, trip, action, channel, value);
    return worse(action, so_far);
}

ifd_action ifd__fault_of_monitor(ifd__faults *faults, ifd_trip trip, ifd_action action, int channel,
                                 const double value[2], ifd_action so_far)
{
    faults->test->test->watch_action = action;
    return ifd__fault_note(faults, trip, channel, value[0], value[1], so_far);
}

bool ifd__faults_slow(ifd__faults *faults, double share)
{
    return ifd__time_slow(faults->test, share);
}

/* A value beyond its limit: its usual action, or that of the case. */
static ifd_action beyond(ifd_hybrid *h, ifd_trip trip, int who, const double value[2], ifd_limit_action action,
                         ifd_action worst)
{
    static const ifd_action acts[] = {[IFD_LIMIT_HOLD] = IFD_ACTION_HOLD,
                                      [IFD_LIMIT_RAMP_OUT] = IFD_ACTION_RAMP_OUT,
                                      [IFD_LIMIT_TRIP] = IFD_ACTION_TRIP,
                                      [IFD_LIMIT_POWER_OFF] = IFD_ACTION_TRIP};
    if (action == IFD_LIMIT_USUAL || h->opt.observe)
        return ifd__fault_note(&h->faults, trip, who, value[0], value[1], worst);
    if (action == IFD_LIMIT_POWER_OFF && ifd__state_of(h) != IFD_MACHINE_IDLE)
        h->test->power_cut = 1.0;
    return ifd__fault_act(&h->faults, trip, acts[action], who, value, worst);
}

static ifd_action near(ifd_hybrid *h, int who, const double value[2], bool holds, ifd_action worst)
{
    ifd_action action = holds && !h->opt.observe ? IFD_ACTION_HOLD : IFD_ACTION_NOTE;
    return ifd__fault_act(&h->faults, IFD_TRIP_NEAR, action, who, value, worst);
}

/* Limits of one interface or actuator, in the order of their table. */
static ifd_action limits(ifd_hybrid *h, const ifd__watched *w, ifd_action worst)
{
    const double seen[IFD__SEEN] = {[IFD__SEEN_POSITION] = w->xm,
                                    [IFD__SEEN_VELOCITY] = w->motion[0],
                                    [IFD__SEEN_ACCELERATION] = w->motion[1],
                                    [IFD__SEEN_FORCE] = w->fm,
                                    [IFD__SEEN_FORCE_RATE] = w->force_rate,
                                    [IFD__SEEN_TRACKING] = w->off,
                                    [IFD__SEEN_ENERGY] = w->energy};
    const ifd_machine state = ifd__state_of(h);
    ifd_limits l = *w->limits;
    l.tracking = tracking_limit(h, w);
    if (state == IFD_MACHINE_RETURN || state == IFD_MACHINE_TRIPPED)
        ifd__return_limits(h, w->who, &l);
    for (int i = 0; i < IFD__SEEN; i++) {
        const ifd__limit *row = &ifd__limit_rows[i];
        double edge;
        if (!(row->states >> state & 1u))
            continue;
        if (ifd__limit_broken(row, &l, seen[i], &edge))
            worst = beyond(h, row->trip, w->who, (const double[]){seen[i], edge}, l.action[i], worst);
        else if (l.warn[i] > 0.0 && fabs(seen[i]) > l.warn[i])
            worst = near(h, w->who, (const double[]){seen[i], l.warn[i]}, l.warn_holds[i], worst);
    }
    return worst;
}

/* Of a compensator: the governor then holds. */
static ifd_action command_finite(ifd_hybrid *h, int k, ifd_action worst)
{
    return isfinite(h->each[k]->requested) ? worst : ifd__fault_note(&h->faults, IFD_TRIP_SOLVER, k, 0.0, 0.0, worst);
}

/* Specimens with a gap are not judged: a smaller cycle may not close it. */
static bool may_lose_force(const ifd_hybrid *h, int k)
{
    return h->opt.force_stuck != IFD_STUCK_OFF && !h->interface[k].o->force && !h->interface[k].o->loose;
}

static ifd_action no_force(ifd_hybrid *h, int k, ifd_action worst)
{
    ifd__interface_state *c = h->each[k];
    const ifd_limits *l = &h->interface[k].o->limits;
    if (ifd__rigs_stale(h, k) > 0.0)
        return worst;
    if (c->cycles.known == 0.0)
        ifd__cycles_begin(&c->cycles, c->measured_x);
    double ticks = 0.0, least = ifd__cycles_least(l->high - l->low, ifd__observed_position_noise(&h->io, k));
    bool empty = ifd__cycles_step(&c->cycles, c->measured_x, c->measured_f, least, &ticks);
    return empty ? ifd__fault_note(&h->faults, IFD_TRIP_NO_FORCE, k, ticks * h->period, 0.0, worst) : worst;
}

static bool is_force(const ifd_hybrid *h, int k)
{
    return h->interface[k].o->force != NULL;
}

/* What is judged of an interface only, in the order of the calls. */
static const struct {
    unsigned in;                               /* states in which it judges */
    bool (*asked)(const ifd_hybrid *h, int k); /* at set-up; NULL: of every interface */
    IFD_RT ifd_action (*judge)(ifd_hybrid *h, int k, ifd_action worst);
} rules[] = {{IFD__IN(RUN) | IFD__IN(HOLD), NULL, command_finite},
             {IFD__IN(RAMP_OUT), NULL, ifd__ramp_out_guard},
             {~0u, ifd__stiffness_asked, ifd__stiffness_guard},
             {IFD__IN(RUN), may_lose_force, no_force},
             {~0u, is_force, ifd__force_guard}};
enum { RULES = sizeof rules / sizeof *rules };

ifd_action ifd__guard_rules(ifd_hybrid *h, int k, unsigned asked, ifd_action worst)
{
    ifd_machine state = ifd__state_of(h);
    for (int i = 0; i < RULES; i++)
        if ((rules[i].in >> state & 1u) && (asked >> i & 1u))
            worst = rules[i].judge(h, k, worst);
    return worst;
}

ifd_action ifd__guard_watched(ifd_hybrid *h, const ifd__watched *w, ifd_action worst)
{
    ifd_machine state = ifd__state_of(h);
    if (!isfinite(w->xm) || !isfinite(w->fm) || !w->known)
        return ifd__fault_note(&h->faults, IFD_TRIP_NOT_FINITE, w->who, isfinite(w->xm) ? w->fm : w->xm, 0.0, worst);
    worst = limits(h, w, worst);
    if (w->who < h->interfaces)
        worst = ifd__guard_rules(h, w->who, h->interface[w->who].rules, worst);
    if (state == IFD_MACHINE_RUN || state == IFD_MACHINE_HOLD)
        *w->peak_tracking = fmax(*w->peak_tracking, fabs(w->off));
    *w->peak_force = fmax(*w->peak_force, fabs(w->fm));
    if (!w->actuator)
        return worst;
    ifd__watched sensor = *w;
    double found[2];
    sensor.fresh = !(ifd__rigs_stale(h, w->who) > 0.0);
    sensor.moves = ifd__machine_moves(state);
    if (ifd__force_stuck(&h->facts.stuck, &sensor, found))
        worst = ifd__fault_note(&h->faults, IFD_TRIP_FORCE_STUCK, w->who, found[0], found[1], worst);
    if (ifd__frozen(&h->facts.stuck, &sensor, found))
        worst = ifd__fault_note(&h->faults, IFD_TRIP_FROZEN, w->who, found[0], found[1], worst);
    return worst;
}

/* ticks: between the last two measurements. */
static ifd_action watch_interface(ifd_hybrid *h, int k, double ticks, ifd_action worst)
{
    ifd__interface_state *s = h->each[k];
    double xm = s->measured_x, fm = s->measured_f;
    ifd__watched w = {.who = k,
                      .limits = &h->interface[k].o->limits,
                      .owes = h->facts.real || h->interface[k].stiffness > 0.0,
                      .stiffness = h->interface[k].stiffness,
                      .known = ifd__rig_mass_known(h, k),
                      .actuator = h->interface[k].actuator >= 0,
                      .xm = xm,
                      .xm_old = s->last_x,
                      .fm = fm,
                      .force_rate = (fm - s->last_f) / (ticks * h->period),
                      .off = xm - s->target,
                      .energy = s->energy,
                      .step = s->step,
                      .slow_lag = &s->slow_lag,
                      .lag = h->interface[k].o->lag,
                      .reading = &s->reading,
                      .load_cell = &s->load_cell,
                      .peak_tracking = &s->peak_tracking,
                      .peak_force = &s->peak_force};
    if (h->pace->answered) {
        double command[2];
        h->pace->answered(h, k, command);
        w.step = command[1];
    }
    ifd__observed_motion(&h->io, k, w.motion);
    return ifd__guard_watched(h, &w, worst);
}

/* The executor decides which ticks are late. The value of the fault is the largest lateness of the row; it has no
 * limit, since `late-after` may depend on the rig, which a replay does not have (fault_text.h prints it). */
static ifd_action late(ifd_hybrid *h, const ifd_tick_in *in, ifd_action worst)
{
    ifd__test_state *t = h->test;
    if (!(h->gate & (IFD_GATE_LATE | IFD_GATE_PERIOD))) {
        t->late = t->late_most = 0.0;
        return worst;
    }
    t->late += 1.0;
    t->late_most = fmax(t->late_most, in->late);
    bool may = !(h->gate & IFD_GATE_PERIOD); /* another period: velocities are not those of the limits */
    if (may && h->opt.overrun == IFD_OVERRUN_EXTRAPOLATE && t->late <= h->opt.late_limit) {
        count(h, IFD_TRIP_LATE);
        return worst;
    }
    worst = ifd__fault_note(&h->faults, IFD_TRIP_LATE, -1, t->late_most, 0.0, worst);
    ifd__fault_text_late(h);
    return worst;
}

bool ifd__guard_job(ifd_hybrid *h, const ifd_tick_in *in, ifd_action *worst)
{
    const ifd__substructure *s = &h->numerical;
    double *row = &h->test->not_ready;
    ifd__beat_at(h->rig.beat, IFD_AT_WORKER);
    bool ready = !s->ops->ready || s->ops->ready(s, (int)h->test->exchange, in->job_late ? 0.0 : in->patience);
    ifd__beat_at(h->rig.beat, IFD_AT_SOLVE);
    if (ready && !in->job_late) {
        *row = 0.0;
        return true;
    }
    *row += 1.0;
    if (h->opt.overrun == IFD_OVERRUN_EXTRAPOLATE && *row <= h->opt.late_limit) {
        count(h, IFD_TRIP_LATE_JOB);
        return false;
    }
    *worst = ifd__fault_note(&h->faults, IFD_TRIP_LATE_JOB, -1, *row * h->period, 0.0, *worst);
    return false;
}

/* The tick acknowledged by the newest measurement, and its lag in ticks. A valid acknowledgement names a sent
 * command; measurements can overtake each other by less than the stale limit. */
static double acknowledge(const ifd_hybrid *h, const ifd__rig_link *rig)
{
    double sent = (double)h->command.tick;
    if (rig->state->arrived <= sent)
        rig->state->acknowledged = fmax(rig->state->acknowledged, rig->state->arrived);
    rig->state->leads = fmax(rig->state->arrived - sent, 0.0);
    return sent - rig->state->arrived;
}

/* A rig is lost without new measurements, and also if it does not receive commands: acknowledged ticks must advance,
 * must not exceed the sent ticks, and must not lag by more than the stale limit. Answers that are used later
 * (`equalise`) may lag by that time in addition. */
static ifd_action lost(ifd_hybrid *h, const ifd__rig_link *rig, ifd_action worst)
{
    double *stale = &rig->state->stale;
    double lag = rig->answers ? acknowledge(h, rig) : 0.0, leads = rig->state->leads;
    lag = fmax(lag, (double)h->command.tick - rig->state->acknowledged);
    *stale = rig->fresh ? 0.0 : *stale + 1.0;
    if (!rig->fresh)
        worst = ifd__fault_note(&h->faults, IFD_TRIP_STALE, rig->who, *stale, 0.0, worst);
    double most = rig->state->silent = fmax(*stale, lag - rig->delay);
    bool ahead = leads > 0.0;
    if (!ahead && most <= rig->limit)
        return worst;
    worst =
        ifd__fault_note(&h->faults, IFD_TRIP_LOST, rig->who, ahead ? leads : most, ahead ? 0.0 : rig->limit, worst);
    ifd__fault_text_lost(h, rig);
    return worst;
}

/* Before its first measurement a rig can report only that it has stopped: its other inputs are not known. */
static ifd_action inputs(ifd_hybrid *h, const ifd__rig_link *rig, ifd_action worst)
{
    if (rig->inputs & IFD_INPUT_RIG_STOPPED)
        worst = ifd__fault_note(&h->faults, IFD_TRIP_RIG_STOPPED, rig->who, 0.0, 0.0, worst);
    if (rig->state->heard == 0.0)
        return worst;
    if (!(rig->inputs & IFD_INPUT_NO_STOP))
        worst = ifd__fault_note(&h->faults, IFD_TRIP_STOP_PRESSED, rig->who, 0.0, 0.0, worst);
    if (!(rig->inputs & IFD_INPUT_HYDRAULICS) || ifd__power_missing(h, rig->inputs))
        worst = ifd__fault_note(&h->faults, IFD_TRIP_HYDRAULICS, rig->who, 0.0, 0.0, worst);
    return worst;
}

/* Values of the channel map. */
static ifd_action channels(ifd_hybrid *h, ifd_action worst)
{
    const ifd_channel_map *map = h->opt.map;
    for (int i = 0; map && i < map->rows; i++)
        if (h->test->rig.heard > 0.0 && ifd_channel_outside(&map->row[i], h->value[i]))
            worst = ifd__fault_note(&h->faults, IFD_TRIP_RANGE, h->interfaces + h->actuators + i, h->value[i],
                                    h->value[i] > map->row[i].high ? map->row[i].high : map->row[i].low, worst);
    return worst;
}

void ifd__fresh_count(ifd_hybrid *h)
{
    double stale = h->test->rig.stale > 0.0;
    bool heard = true;
    for (int r = 0; r < ifd__rigs_count(h); r++)
        heard = heard && h->rigs.block[r].heard > 0.0;
    if (!heard)
        return;
    ifd__missed_count(&h->orders->missed, stale, h->period);
    if ((int)h->test->state != IFD_MACHINE_RUN)
        return;
    h->orders->run_stale += stale;
    h->orders->run_ticks += 1.0;
}

static ifd_action measure(ifd_hybrid *h, const ifd_tick_in *in)
{
    double ticks[IFD__RIGS]; /* between the last two measurements of a rig */
    ifd_action worst = late(h, in, IFD_ACTION_NOTE);
    for (int r = 0; r < ifd__rigs_count(h); r++) {
        const ifd__rig_link rig = ifd__rigs_link(h, r);
        ticks[r] = rig.state->stale + h->test->parked + 1.0;
        worst = lost(h, &rig, worst);
        worst = inputs(h, &rig, worst);
    }
    if (h->rigs.several)
        ifd__rigs_summarise(h);
    ifd__fresh_count(h);
    for (int k = 0; k < h->interfaces; k++)
        worst = watch_interface(h, k, ticks[ifd__rigs_of(h, k)], worst);
    if (h->drives)
        worst = ifd__drives_guard(h, ticks, worst);
    return channels(h, worst);
}

static ifd_status make(ifd_hybrid *h, ifd_arena *arena, ifd_note *note)
{
    (void)arena, (void)note;
    for (int k = 0; k < h->interfaces; k++)
        for (int i = 0; i < RULES; i++)
            h->interface[k].rules |= (unsigned)(!rules[i].asked || rules[i].asked(h, k)) << i;
    return IFD_OK;
}

static IFD_RT void restart(ifd_hybrid *h)
{
    for (int k = 0; k < h->interfaces; k++) {
        ifd__interface_state *s = h->each[k];
        memset(&s->load_cell, 0, sizeof(ifd__load_cell));
        memset(&s->reading, 0, sizeof(ifd__reading));
        memset(&s->response, 0, sizeof(ifd__responding));
        memset(&s->cycles, 0, sizeof(ifd__cycles));
    }
}

static IFD_RT ifd_action judge(ifd_hybrid *h)
{
    return measure(h, h->io.in);
}

const ifd__part ifd__part_limits = {.name = "limits",
                                    .about = "limits, sensors and communication of every interface and actuator",
                                    .make = make,
                                    .restart = restart,
                                    .judge = judge};
