/* SPDX-License-Identifier: MIT */
/* The stages of the power supply: pressure.h. */
#include "hybrid/pressure.h"

#include <math.h>

#include "hybrid/part.h"

static const double rises_within = 10.0, watched_for = 2.0; /* s */
static const double force_fraction = 0.02;                  /* of its limit */

static IFD_RT ifd__pressure_stage stage_of(const ifd_hybrid *h)
{
    return (ifd__pressure_stage)(int)h->orders->pressure_stage;
}

static IFD_RT void enter(ifd_hybrid *h, ifd__pressure_stage stage)
{
    h->orders->pressure_stage = (double)stage;
    h->orders->pressure_tick = h->test->tick;
    if (stage == IFD__PRESSURE_OFF)
        h->orders->pressure = 0.0;
}

/* Off, with the reason. */
static IFD_RT void give_up(ifd_hybrid *h, ifd_answer why, double value, double limit)
{
    enter(h, IFD__PRESSURE_OFF);
    h->orders->pressure_said = (double)why;
    h->orders->pressure_value = value;
    h->orders->pressure_limit = limit;
}

/* The reference of motion is taken at the order: the rig can move before its pressure switch closes. */
static IFD_RT void begin(ifd_hybrid *h)
{
    for (int a = 0; a < h->actuators; a++) {
        h->finding[a].pressed_x = h->measure.position[a];
        h->finding[a].pressed_f = h->measure.force[a];
    }
    enter(h, IFD__PRESSURE_RISES);
}

/* Whether every rig has sent a new measurement in this tick. */
static IFD_RT bool all_fresh(const ifd_hybrid *h)
{
    bool all = true;
    for (int r = 0; r < ifd__rigs_count(h); r++)
        all = all && ifd__rigs_link(h, r).fresh;
    return all;
}

/* Without measurements nobody sees whether a rig moves. At high pressure the fault LOST decides. */
static IFD_RT void end_if_silent(ifd_hybrid *h)
{
    for (int r = 0; r < ifd__rigs_count(h); r++) {
        const ifd__rig_link rig = ifd__rigs_link(h, r);
        double ticks = rig.fresh ? 0.0 : rig.state->stale + 1.0; /* with this one, which is counted later */
        if (ticks <= rig.limit)
            continue;
        give_up(h, IFD_ANSWER_LOW_SILENT, ticks * h->period, rig.limit * h->period);
        return;
    }
}

/* A change that is not a number is one that is too large. */
static IFD_RT bool moved(ifd_hybrid *h)
{
    for (int a = 0; a < h->actuators; a++) {
        const ifd__finding *f = &h->finding[a];
        ifd_limits l;
        ifd_hybrid_rig_limits(h, a, &l);
        double by = fabs(h->measure.position[a] - f->pressed_x), spread = h->opt.arm_spread * (l.high - l.low);
        double loaded = fabs(h->measure.force[a] - f->pressed_f), most = force_fraction * l.force;
        if (!(by <= spread)) {
            give_up(h, IFD_ANSWER_LOW_MOVED, by, spread);
            return true;
        }
        if (!(loaded <= most)) {
            give_up(h, IFD_ANSWER_LOW_LOADED, loaded, most);
            return true;
        }
    }
    return false;
}

static IFD_RT void watch(ifd_hybrid *h, double ticks)
{
    if (moved(h) || !all_fresh(h) || ticks < watched_for / h->period)
        return;
    enter(h, IFD__PRESSURE_LOW);
    h->orders->pressure_said = (double)IFD_ANSWER_LOW_STEADY;
}

static IFD_RT void rise(ifd_hybrid *h, double ticks, bool pressure)
{
    if (moved(h))
        return;
    if (!pressure && ticks > rises_within / h->period)
        give_up(h, IFD_ANSWER_NO_PRESSURE, 0.0, 0.0);
    else if (pressure && all_fresh(h))
        enter(h, IFD__PRESSURE_WATCHED);
}

static IFD_RT void take_over(ifd_hybrid *h)
{
    const uint32_t needed = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS | IFD_INPUT_KEPT;
    bool all = ifd__state_of(h) == IFD_MACHINE_IDLE && h->orders->pressure_tick == 0.0;
    for (int r = 0; r < ifd__rigs_count(h) && all; r++)
        all = (ifd__rigs_link(h, r).inputs & needed) == needed;
    if (!all)
        return;
    h->orders->pressure = IFD_OUTPUT_LOW | IFD_OUTPUT_HIGH;
    enter(h, IFD__PRESSURE_KEPT);
}

static IFD_RT void sense(ifd_hybrid *h)
{
    take_over(h);
    if (stage_of(h) == IFD__PRESSURE_KEPT && ifd__state_of(h) != IFD_MACHINE_IDLE)
        enter(h, IFD__PRESSURE_HIGH);
    double ticks = h->test->tick - h->orders->pressure_tick;
    bool pressure = h->measure.inputs & IFD_INPUT_HYDRAULICS;
    if (stage_of(h) == IFD__PRESSURE_OFF)
        return;
    if (h->orders->pressure == 0.0) /* by the emergency stop */
        enter(h, IFD__PRESSURE_OFF);
    else if (stage_of(h) != IFD__PRESSURE_RISES && !pressure)
        give_up(h, IFD_ANSWER_PRESSURE_LOST, 0.0, 0.0);
    else if (stage_of(h) < IFD__PRESSURE_HIGH)
        end_if_silent(h);
    if (stage_of(h) == IFD__PRESSURE_RISES)
        rise(h, ticks, pressure);
    else if (stage_of(h) == IFD__PRESSURE_WATCHED)
        watch(h, ticks);
}

void ifd__pressure_order(ifd_hybrid *h, ifd_order order)
{
    if (order == IFD_ORDER_LOW)
        begin(h);
    if (order == IFD_ORDER_HIGH)
        enter(h, IFD__PRESSURE_HIGH);
}

void ifd__pressure_answer(ifd_hybrid *h, ifd_order order)
{
    ifd__orders *o = h->orders;
    bool ordered = order != IFD_ORDER_NONE || h->ordered != IFD_ORDER_NONE;
    if (o->pressure_said == 0.0 || ordered || h->trace.answer != IFD_ANSWER_NONE)
        return;
    h->trace.answer = (uint32_t)o->pressure_said;
    h->trace.answer_order = IFD_ORDER_LOW;
    h->trace.answer_owner = -1;
    h->trace.answer_value = o->pressure_value;
    h->trace.answer_limit = o->pressure_limit;
    o->pressure_said = 0.0;
}

const ifd__part ifd__part_pressure = {
    .name = "pressure", .about = "stages of the power supply", .gate = IFD_GATE_PRESSURE, .sense = sense};
