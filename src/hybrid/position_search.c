/* SPDX-License-Identifier: MIT */
/* The search for the position of the rig before arming: position_search.h. */
#include "hybrid/position_search.h"

#include <math.h>
#include <stddef.h>

#include "hybrid/checkpoint.h"
#include "hybrid/power.h"
#include "hybrid/pressure.h"
#include "hybrid/part.h"

static const uint32_t needed = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS;
/* They do not make a measurement unsound. */
static const uint32_t beside = IFD_INPUT_START | IFD_INPUT_UNPOWERED | IFD_INPUT_NOT_ALLOWED | IFD_INPUT_KEPT;

static const struct {
    const char *name, *text;
} waits[] = {
#define ROW(name, text) {#name, text},
    IFD_WAIT_LIST(ROW)
#undef ROW
};

const char *ifd_wait_name(ifd_wait wait)
{
    return (unsigned)wait < IFD_WAIT_COUNT ? waits[wait].name : "UNKNOWN";
}

const char *ifd_wait_text(ifd_wait wait)
{
    return (unsigned)wait < IFD_WAIT_COUNT ? waits[wait].text : "an unknown condition";
}

static int doubles(const ifd_hybrid *h)
{
    return h->actuators * IFD__DOUBLES(ifd__finding);
}

void ifd__finding_begin(ifd__finding *r, double x)
{
    r->first = r->low = r->high = x;
    r->sum = 0.0;
}

double ifd__finding_add(ifd__finding *r, double x, bool found)
{
    r->low = fmin(r->low, x);
    r->high = fmax(r->high, x);
    r->sum += x - r->first;
    return found ? fabs(x - r->at) : r->high - r->low;
}

void ifd__finding_end(ifd__finding *r, double samples)
{
    r->at = r->first + r->sum / samples;
}

/* The bounds of an actuator of the rig; who: its number in faults. */
IFD_RT static const ifd__bounds *bounds_of(const ifd_hybrid *h, int actuator, int *who)
{
    const ifd__owner o = ifd__owner_of(h, h->interfaces + actuator);
    *who = o.drive ? h->interfaces + actuator : o.interface;
    return o.drive ? &o.drive->bounds[o.j] : &h->interface[o.interface].bounds;
}

/* Sets the condition for which the test waits, its owner, value and limits; returns true. */
static IFD_RT bool wait_for(ifd_hybrid *h, ifd_wait wait, int channel, double value, double low, double high)
{
    ifd__test_state *t = h->test;
    t->wait = (double)wait;
    t->wait_owner = channel;
    t->wait_value = value;
    t->wait_low = low;
    t->wait_high = high;
    return true;
}

/* Clears the found positions and stops commands. */
static IFD_RT void forget(ifd_hybrid *h)
{
    ifd__test_state *t = h->test;
    t->agreeing = t->found = t->commanded = 0.0;
    t->waited = 0.0;
    t->searched = t->tick;
    wait_for(h, IFD_WAIT_NO_MEASUREMENT, -1, 0.0, 0.0, 0.0);
}

static IFD_RT bool rig_unsound(ifd_hybrid *h, const ifd__rig_link *rig)
{
    if (rig->state->heard == 0.0)
        return wait_for(h, IFD_WAIT_NO_MEASUREMENT, rig->who, 0.0, 0.0, 0.0);
    if (rig->state->leads > 0.0)
        return wait_for(h, IFD_WAIT_COMMUNICATION, rig->who, rig->state->leads, 0.0, 0.0);
    if (rig->state->silent > rig->limit)
        return wait_for(h, IFD_WAIT_COMMUNICATION, rig->who, rig->state->silent, 0.0, rig->limit);
    if (!(rig->inputs & IFD_INPUT_NO_STOP))
        return wait_for(h, IFD_WAIT_STOP_PRESSED, rig->who, 0.0, 0.0, 0.0);
    if (!(rig->inputs & IFD_INPUT_HYDRAULICS))
        return wait_for(h, ifd__pressure_wait(h) == IFD_WAIT_LOW ? IFD_WAIT_LOW : IFD_WAIT_HYDRAULICS, rig->who, 0.0,
                        0.0, 0.0);
    if ((rig->inputs & ~beside) != needed)
        return wait_for(h, IFD_WAIT_RIG_STOPPED, rig->who, 0.0, 0.0, 0.0);
    return false;
}

/* Conditions that invalidate the newest sample, except a position outside the stroke. */
static IFD_RT bool unsound(ifd_hybrid *h)
{
    const ifd_channel_map *map = h->opt.map;
    int who;
    for (int r = 0; r < ifd__rigs_count(h); r++) {
        const ifd__rig_link rig = ifd__rigs_link(h, r);
        if (rig_unsound(h, &rig))
            return true;
    }
    for (int a = 0; a < h->actuators; a++) {
        (void)bounds_of(h, a, &who);
        if (!isfinite(h->measure.position[a]))
            return wait_for(h, IFD_WAIT_NOT_FINITE, who, h->measure.position[a], 0.0, 0.0);
    }
    for (int i = 0; map && i < map->rows; i++)
        if (ifd_channel_outside(&map->row[i], h->value[i]))
            return wait_for(h, IFD_WAIT_RANGE, h->interfaces + h->actuators + i, h->value[i], map->row[i].low,
                            map->row[i].high);
    for (int d = 0; d < h->drives; d++)
        if (*h->pose[d] > 0.0)
            return wait_for(h, IFD_WAIT_POSE, h->drive[d].o->interface[0], 0.0, 0.0, 0.0);
    return false;
}

/* Starts a series with the present sample. */
static IFD_RT void begin_series(ifd_hybrid *h)
{
    for (int a = 0; a < h->actuators; a++)
        ifd__finding_begin(&h->finding[a], h->measure.position[a]);
    h->test->agreeing = 1.0;
    h->test->found = 0.0;
}

/* Adds the present sample to the series; false: it does not agree with the earlier ones. */
static IFD_RT bool add_sample(ifd_hybrid *h)
{
    ifd__test_state *t = h->test;
    bool found = t->found > 0.0;
    for (int a = 0; a < h->actuators; a++) {
        int who;
        const ifd__bounds *b = bounds_of(h, a, &who);
        double off = ifd__finding_add(&h->finding[a], h->measure.position[a], found);
        double most = h->opt.arm_spread * (b->high - b->low);
        if (off > most)
            return !wait_for(h, IFD_WAIT_NOT_AT_REST, who, off, 0.0, most);
    }
    if (found)
        return true;
    t->agreeing += 1.0;
    if (t->agreeing < h->opt.arm_samples)
        return true;
    for (int a = 0; a < h->actuators; a++)
        ifd__finding_end(&h->finding[a], t->agreeing);
    t->found = 1.0;
    return true;
}

/* The first position outside a stroke: of an actuator, found or measured, or of a dof of a drive. */
static IFD_RT bool outside(ifd_hybrid *h)
{
    bool found = h->test->found > 0.0;
    for (int a = 0; a < h->actuators; a++) {
        int who;
        const ifd__bounds *b = bounds_of(h, a, &who);
        double at = h->finding[a].at, x = h->measure.position[a];
        double p = found && x >= b->low && x <= b->high ? at : x;
        if (!(p >= b->low && p <= b->high))
            return wait_for(h, IFD_WAIT_OUTSIDE, who, p, b->low, b->high);
    }
    for (int k = 0; k < h->interfaces; k++) {
        const ifd__bounds *b = &h->interface[k].bounds;
        double x = h->each[k]->measured_x;
        if (h->interface[k].actuator < 0 && !(x >= b->low && x <= b->high))
            return wait_for(h, IFD_WAIT_OUTSIDE, k, x, b->low, b->high);
    }
    return false;
}

bool ifd__find_heard(const ifd_hybrid *h)
{
    return ifd__rigs_unheard(h, h->test->searched) == ifd__rigs_count(h);
}

/* Whether an actuator, or a dof of its drive, is outside its stroke. */
static IFD_RT bool strays(const ifd_hybrid *h, int actuator)
{
    const ifd__owner o = ifd__owner_of(h, h->interfaces + actuator);
    int who;
    const ifd__bounds *b = bounds_of(h, actuator, &who);
    double x = h->measure.position[actuator];
    bool out = !(x >= b->low && x <= b->high);
    for (int i = 0; o.drive && i < o.drive->o->drive.dofs; i++) {
        b = &h->interface[o.drive->o->interface[i]].bounds;
        x = h->each[o.drive->o->interface[i]]->measured_x;
        out = out || !(x >= b->low && x <= b->high);
    }
    return out;
}

int ifd__find_locked(const ifd_hybrid *h, bool returns)
{
    const ifd_channel_map *map = h->opt.map;
    for (int i = 0; map && i < map->rows; i++) {
        const ifd_channel_row *row = &map->row[i];
        bool itself = returns && row->meaning == IFD_MEANS_POSITION && row->actuator >= 0 && strays(h, row->actuator);
        if (ifd_channel_locked(row, h->value[i]) && !itself)
            return i;
    }
    return -1;
}

static IFD_RT bool locked(ifd_hybrid *h)
{
    int i = ifd__find_locked(h, false);
    return i >= 0 && wait_for(h, IFD_WAIT_INTERLOCK, h->interfaces + h->actuators + i, h->value[i],
                              h->opt.map->row[i].arm_low, h->opt.map->row[i].arm_high);
}

/* Last of the conditions: a specimen as it was stored, the operator or the master. */
static IFD_RT void judge_start(ifd_hybrid *h)
{
    bool by_itself = !(h->gate & IFD_GATE_ORDERS) && h->test->armed == 0.0;
    ifd__checkpoint_change changed;
    if (h->going_on && ifd__checkpoint_changed(h, &changed)) {
        wait_for(h, changed.force ? IFD_WAIT_CHANGED_FORCE : IFD_WAIT_CHANGED_POSITION, changed.interface,
                 changed.found, changed.stored - changed.permitted, changed.stored + changed.permitted);
        return;
    }
    ifd_wait last = !by_itself ? IFD_WAIT_ORDER : ifd__start_known(h) ? IFD_WAIT_NONE : IFD_WAIT_MASTER;
    wait_for(h, last, -1, 0.0, 0.0, 0.0);
}

/* Remaining conditions of a valid rig: agreement, stroke, master, operator. */
static IFD_RT void judge(ifd_hybrid *h, bool agrees)
{
    const ifd__test_state *t = h->test;
    bool moved = (int)t->wait == IFD_WAIT_NOT_AT_REST;
    ifd_wait pressure = ifd__pressure_wait(h);
    int refuses = ifd__rigs_refuse(h);
    if (outside(h) || !agrees)
        return;
    if (t->found == 0.0) {
        if (!moved) /* until the series is complete, the last disagreement is reported */
            wait_for(h, IFD_WAIT_MEASURING, -1, t->agreeing, 0.0, h->opt.arm_samples);
    } else if (h->gate & (IFD_GATE_COMPARE | IFD_GATE_PERIOD))
        wait_for(h, h->gate & IFD_GATE_PERIOD ? IFD_WAIT_PERIOD : IFD_WAIT_COMPARE, -1, 0.0, 0.0, 0.0);
    else if (!ifd__find_heard(h))
        wait_for(h, IFD_WAIT_COMMUNICATION, ifd__rigs_link(h, ifd__rigs_unheard(h, t->searched)).who,
                 t->tick - t->searched, 0.0, 0.0);
    else if (refuses >= 0)
        wait_for(h, IFD_WAIT_ALLOW, ifd__rigs_link(h, refuses).who, 0.0, 0.0, 0.0);
    else if (!ifd__fresh_enough(h))
        wait_for(h, IFD_WAIT_STALE, -1, 1.0 - ifd__fresh_missed(h), 1.0 - h->opt.stale_fraction, 1.0);
    else if (pressure != IFD_WAIT_NONE)
        wait_for(h, pressure, -1, 0.0, 0.0, 0.0);
    else if (!locked(h))
        judge_start(h);
}

/* s of wall-clock time since the last tick: ticks in lockstep can be slow. The virtual rig waits for nobody. */
static IFD_RT double passed(ifd_hybrid *h)
{
    double last = h->orders->wall;
    h->orders->wall = h->wall;
    return h->facts.real && h->wall > 0.0 ? fmax(0.0, h->wall - last) : h->period;
}

/* Waiting for a master does not count for the timeout. */
static IFD_RT void grow_impatient(ifd_hybrid *h)
{
    ifd__test_state *t = h->test;
    bool by_itself = !(h->gate & IFD_GATE_ORDERS) && t->armed == 0.0;
    double *waited = &t->waited;
    double more = passed(h);
    *waited = by_itself && ifd__start_known(h) ? *waited + more : 0.0;
    bool missed = (h->gate_before & IFD_GATE_READY) && !(h->gate & IFD_GATE_READY); /* its ramp-in is due */
    bool changed = by_itself && ((int)t->wait == IFD_WAIT_CHANGED_POSITION || (int)t->wait == IFD_WAIT_CHANGED_FORCE);
    if (!(*waited > h->opt.arm_timeout || missed || changed) || t->fault != IFD_TRIP_NONE)
        return;
    double value = t->wait_value, low = t->wait_low;
    (void)ifd__fault_note(&h->faults, IFD_TRIP_NOT_ARMED, -1, 0.0, 0.0, IFD_ACTION_NOTE);
    /* The state idle does not react to faults, so it is latched here. */
    ifd__fault_latch(&h->faults, IFD_TRIP_NOT_ARMED, (int)t->wait_owner, value, value < low ? low : t->wait_high);
}

/* Idle: evaluates the newest measurement and sets the condition for which the test waits. */
static IFD_RT ifd_action search(ifd_hybrid *h)
{
    if (unsound(h)) {
        h->test->agreeing = h->test->found = 0.0;
    } else if (h->rigs.several ? h->rigs.sampled : h->io.fresh) {
        bool first = h->test->agreeing == 0.0, agrees = first || add_sample(h);
        if (first || !agrees)
            begin_series(h);
        judge(h, agrees);
    }
    grow_impatient(h);
    return IFD_ACTION_NOTE;
}

/* Why a rig that is not ready is not armed; 0: RIG_NOT_READY. */
static const ifd_answer reasons[IFD_WAIT_COUNT] = {[IFD_WAIT_STOP_PRESSED] = IFD_ANSWER_STOP_PRESSED,
                                                   [IFD_WAIT_HYDRAULICS] = IFD_ANSWER_PRESSURE_OFF,
                                                   [IFD_WAIT_RIG_STOPPED] = IFD_ANSWER_RIG_STOPPED,
                                                   [IFD_WAIT_LOW] = IFD_ANSWER_NO_HIGH,
                                                   [IFD_WAIT_RISES] = IFD_ANSWER_NO_HIGH,
                                                   [IFD_WAIT_HIGH] = IFD_ANSWER_NO_HIGH,
                                                   [IFD_WAIT_ALLOW] = IFD_ANSWER_NOT_ALLOWED,
                                                   [IFD_WAIT_STALE] = IFD_ANSWER_STALE,
                                                   [IFD_WAIT_CHANGED_POSITION] = IFD_ANSWER_CHANGED_POSITION,
                                                   [IFD_WAIT_CHANGED_FORCE] = IFD_ANSWER_CHANGED_FORCE,
                                                   [IFD_WAIT_INTERLOCK] = IFD_ANSWER_INTERLOCK};

/* Nobody is surprised by a rig that moves when its pressure returns: a test by orders waits for a second. */
static IFD_RT ifd_answer just_back(const ifd_hybrid *h)
{
    static const ifd_answer back[IFD_WAIT_COUNT] = {[IFD_WAIT_STOP_PRESSED] = IFD_ANSWER_STOP_BACK,
                                                    [IFD_WAIT_HYDRAULICS] = IFD_ANSWER_PRESSURE_BACK,
                                                    [IFD_WAIT_RIG_STOPPED] = IFD_ANSWER_RIG_BACK};
    double since;
    return h->gate & IFD_GATE_ORDERS ? back[ifd__orders_wrong(h, &since)] : IFD_ANSWER_NONE;
}

ifd_answer ifd__find_unready(const ifd_hybrid *h)
{
    ifd_wait wait = (ifd_wait)(int)h->test->wait;
    bool nothing_else = wait == IFD_WAIT_NONE || wait == IFD_WAIT_ORDER || wait == IFD_WAIT_MASTER;
    ifd_answer why = reasons[wait] != IFD_ANSWER_NONE ? reasons[wait] : IFD_ANSWER_RIG_NOT_READY;
    if (why == IFD_ANSWER_RIG_NOT_READY && just_back(h) != IFD_ANSWER_NONE)
        return just_back(h);
    if (h->test->found == 0.0 || !nothing_else)
        return why;
    return h->test->rig.stale == 0.0 ? IFD_ANSWER_NONE : IFD_ANSWER_NOT_FRESH;
}

ifd_answer ifd__find_kept(const ifd_hybrid *h)
{
    if (ifd__find_locked(h, true) >= 0)
        return IFD_ANSWER_INTERLOCK;
    return ifd__fresh_enough(h) ? just_back(h) : IFD_ANSWER_STALE;
}

bool ifd__find_given_up(const ifd_hybrid *h)
{
    return (int)h->test->state == IFD_MACHINE_IDLE && h->test->fault == (double)IFD_TRIP_NOT_ARMED;
}

bool ifd__find_pose(const ifd_hybrid *h, const ifd__driven *d, double *s, double *q)
{
    for (int j = 0; j < d->o->drive.actuators; j++)
        s[j] = h->finding[d->first + j].at;
    ifd__io_gather(&h->io, d, IFD__MEMBER_AT(ifd__interface_state, measured_x), q);
    return ifd_drive_pose(d->drive, s, q);
}

/* The block of a drive at the found positions of its actuators. */
static IFD_RT void take_drive(ifd_hybrid *h, const ifd__driven *d)
{
    double s[IFD_DRIVE_ACTUATORS], q[IFD_DRIVE_DOFS];
    (void)ifd__find_pose(h, d, s, q); /* solved for every sample of the series, and these are between the samples */
    for (int i = 0; i < d->o->drive.dofs; i++)
        h->each[d->o->interface[i]]->command = q[i];
    for (int j = 0; j < d->o->drive.actuators; j++) {
        ifd__actuator_state *a = ifd__actuator_of(h, d, j);
        a->command = a->requested = s[j];
        a->step = 0.0;
    }
    ifd__sharing_step(h, d, true);
}

void ifd__find_take(ifd_hybrid *h)
{
    ifd__test_state *t = h->test;
    for (int k = 0; k < h->interfaces; k++)
        if (h->interface[k].actuator >= 0)
            h->each[k]->command = h->finding[h->interface[k].actuator].at;
    for (int d = 0; d < h->drives; d++)
        take_drive(h, &h->drive[d]);
    for (int k = 0; k < h->interfaces; k++) {
        ifd__interface_state *s = h->each[k];
        double p = s->command;
        s->start = s->next_target = s->target = p;
        s->step = s->next_target_v = s->target_v = 0.0;
    }
    wait_for(h, IFD_WAIT_NONE, -1, 0.0, 0.0, 0.0);
    t->commanded = 1.0;
    t->armed += 1.0;
    t->armed_tick = t->tick;
}

/* Whether the position of the rig is known and the rig acknowledges commands. */
static IFD_RT bool in_touch(const ifd_hybrid *h)
{
    bool known = true;
    for (int r = 0; r < ifd__rigs_count(h); r++) {
        const ifd__rig_link rig = ifd__rigs_link(h, r);
        known = known && rig.state->silent <= rig.limit && rig.state->leads == 0.0 &&
                !(rig.inputs & IFD_INPUT_RIG_STOPPED);
    }
    for (int a = 0; a < h->actuators; a++)
        known = known && isfinite(h->measure.position[a]);
    for (int d = 0; d < h->drives; d++)
        known = known && *h->pose[d] == 0.0;
    return known;
}

void ifd__find_power(ifd_hybrid *h)
{
    ifd_machine s = (ifd_machine)(int)h->test->state;
    bool over = s == IFD_MACHINE_TRIPPED || s == IFD_MACHINE_STOPPED;
    bool pressure = h->measure.inputs & IFD_INPUT_HYDRAULICS && !ifd__power_missing(h, h->measure.inputs);
    if (s == IFD_MACHINE_IDLE || !pressure || (over && ifd__hybrid_still(h) && !in_touch(h)))
        h->test->commanded = 0.0;
}

ifd_wait_facts ifd_hybrid_wait(const ifd_hybrid *h)
{
    ifd__test_state *t = h->test;
    return (ifd_wait_facts){.wait = (ifd_wait)(int)t->wait,
                            .owner = (int)t->wait_owner,
                            .value = t->wait_value,
                            .low = t->wait_low,
                            .high = t->wait_high,
                            .seconds = t->waited,
                            .timeout = h->opt.arm_timeout};
}

void ifd_hybrid_wait_limits(const ifd_hybrid *h, int channel, double *low, double *high)
{
    const ifd__bounds *b = NULL;
    int who;
    if (channel >= 0 && channel < h->interfaces + h->actuators)
        b = channel < h->interfaces ? &h->interface[channel].bounds : bounds_of(h, channel - h->interfaces, &who);
    *low = b ? b->low : 0.0;
    *high = b ? b->high : 0.0;
}

const ifd__part ifd__part_position_search = {.name = "position search",
                                             .about = "where the specimens are before the test is armed",
                                             .in = IFD__IN(IDLE),
                                             .doubles = doubles,
                                             .own = offsetof(ifd_hybrid, finding),
                                             .restart = forget,
                                             .judge = search};
