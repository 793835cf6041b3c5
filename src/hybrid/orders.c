/* SPDX-License-Identifier: MIT */
/* What orders leave behind, and who may give them: orders.h. */
#include "hybrid/orders.h"

#include "hybrid/checkpoint.h"
#include "hybrid/pressure.h"
#include "hybrid/part.h"

static const double apart = 0.5;      /* s between two stops that are two; of the start button after ready began */
static const double announced = 10.0; /* s of an automatic stop on a hold at rest */
static const double right_for = 1.0;  /* s of pressure before arm */
static const double rounding = 1e-9;  /* of times that are sums of ticks */

static double seconds_since(const ifd_hybrid *h, double tick)
{
    return (h->test->tick - tick) * h->period;
}

static IFD_RT ifd_wait wrong_input(const ifd_hybrid *h, bool *started)
{
    ifd_wait wrong = IFD_WAIT_NONE;
    *started = false;
    for (int r = 0; r < ifd__rigs_count(h); r++) {
        const ifd__rig_link rig = ifd__rigs_link(h, r);
        if (rig.state->heard == 0.0)
            continue;
        *started = *started || (rig.inputs & IFD_INPUT_START);
        if (!(rig.inputs & IFD_INPUT_NO_STOP))
            wrong = IFD_WAIT_STOP_PRESSED;
        else if (wrong == IFD_WAIT_NONE && !(rig.inputs & IFD_INPUT_HYDRAULICS))
            wrong = IFD_WAIT_HYDRAULICS;
        else if (wrong == IFD_WAIT_NONE && (rig.inputs & IFD_INPUT_RIG_STOPPED))
            wrong = IFD_WAIT_RIG_STOPPED;
    }
    return wrong;
}

/* After the measurement of a tick: emergency stop, pressure and start button. */
static IFD_RT void sense(ifd_hybrid *h)
{
    ifd__orders *o = h->orders;
    bool pressed;
    ifd_wait wrong = wrong_input(h, &pressed);
    o->start_edge = pressed && o->start_button == 0.0;
    o->start_button = pressed;
    if (wrong != IFD_WAIT_NONE) {
        o->wrong = (double)wrong;
        o->wrong_tick = h->test->tick;
    }
    if (wrong == IFD_WAIT_STOP_PRESSED)
        o->pressure = 0.0;
}

bool ifd__orders_pressed(const ifd_hybrid *h)
{
    bool started;
    return wrong_input(h, &started) == IFD_WAIT_STOP_PRESSED;
}

ifd_wait ifd__orders_wrong(const ifd_hybrid *h, double *since)
{
    *since = seconds_since(h, h->orders->wrong_tick);
    return *since < right_for - rounding ? (ifd_wait)(int)h->orders->wrong : IFD_WAIT_NONE;
}

void ifd__orders_clear(ifd_hybrid *h)
{
    ifd__orders *o = h->orders;
    bool rises = (h->gate & IFD_GATE_CHECKED) && !(h->gate_before & IFD_GATE_CHECKED);
    if (ifd__state_of(h) != IFD_MACHINE_READY || !(h->gate & IFD_GATE_CHECKED))
        o->cleared = 0.0;
    else if (rises)
        o->cleared = 1.0;
    if ((h->gate & IFD_GATE_CHECKS) && o->cleared == 0.0)
        o->agreed = 0.0; /* a clearance given again needs a new run */
}

bool ifd__orders_barred(const ifd_hybrid *h)
{
    return (h->gate & IFD_GATE_CHECKS) && ifd__state_of(h) == IFD_MACHINE_READY && h->orders->cleared == 0.0;
}

bool ifd__orders_started(const ifd_hybrid *h)
{
    return h->orders->start_edge > 0.0 && ifd__state_of(h) == IFD_MACHINE_READY &&
           h->test->state_time >= apart - rounding;
}

void ifd__orders_ask(const ifd_hybrid *h, uint32_t source, ifd__machine_in *in)
{
    const ifd__orders *o = h->orders;
    bool viewer = source >= IFD_SOURCE_VIEWER, automatic = source == IFD_SOURCE_AUTOMATIC;
    bool rested = in->rests && h->test->checkpoint_held > 0.0; /* its checkpoint is taken */
    in->simulated = h->gate & IFD_GATE_SIMULATED;
    in->from = automatic ? IFD__FROM_ITSELF : viewer ? IFD__FROM_VIEWER : IFD__FROM_HOLDER;
    in->wants = (ifd__wants)(int)o->wants;
    in->again = o->stop_tick > 0.0;
    in->second = in->again && seconds_since(h, o->stop_tick) >= apart - rounding &&
                 (!viewer || (double)source == o->stop_source);
    in->due = in->wants == IFD__WANTS_LATER ? o->later * h->period >= announced - rounding : rested;
}

static IFD_RT void keep_stop(ifd__orders *o, ifd_answer answer, ifd_machine next)
{
    if (next != IFD_MACHINE_HOLD || answer == IFD_ANSWER_STOP_SAME)
        return;
    o->wants = answer == IFD_ANSWER_STOP_LATER ? IFD__WANTS_LATER : IFD__WANTS_STOP;
    o->later = 0.0;
}

/* Whether specimens stay loaded after the end of this state, which needs pressure: park, `leave: stay`, or as found
 * behind a rig server. */
static IFD_RT bool stays(const ifd_hybrid *h)
{
    ifd_machine now = ifd__state_of(h);
    bool leaves = h->opt.ramp_out_end == IFD_RAMP_OUT_STAY && !ifd__orders_unload(h);
    bool found = now == IFD_MACHINE_IDLE && h->orders->pressure_stage == (double)IFD__PRESSURE_KEPT;
    return found || now == IFD_MACHINE_HOLD || now == IFD_MACHINE_STOPPED || (now == IFD_MACHINE_RAMP_OUT && leaves);
}

static IFD_RT void keep_power(ifd__orders *o, ifd_order order, ifd_machine now, ifd_machine next, bool kept)
{
    bool ends = (order == IFD_ORDER_QUIT || order == IFD_ORDER_STOP) &&
                (now == IFD_MACHINE_IDLE || now == IFD_MACHINE_TRIPPED);
    if (order == IFD_ORDER_LOW)
        o->pressure = IFD_OUTPUT_LOW;
    if (order == IFD_ORDER_HIGH)
        o->pressure = (double)((uint32_t)o->pressure | IFD_OUTPUT_HIGH);
    if (order == IFD_ORDER_OFF || ((ends || next == IFD_MACHINE_STOPPED) && !kept))
        o->pressure = 0.0;
    if (order == IFD_ORDER_OFF)
        o->off = 1.0;
    if (next == IFD_MACHINE_IDLE) /* the next enable needs a new arm */
        o->off = 0.0;
}

void ifd__orders_keep(ifd_hybrid *h, const ifd__machine_in *in, uint32_t source, ifd_machine next, ifd_answer answer)
{
    ifd__orders *o = h->orders;
    ifd_machine now = ifd__state_of(h);
    ifd_order order = ifd_answer_refuses(answer) ? IFD_ORDER_NONE : in->order;
    bool ordered = source != (uint32_t)IFD_SOURCE_AUTOMATIC; /* otherwise the end of a script, or a missed start */
    bool in_ramp = now == IFD_MACHINE_RAMP_IN && ordered && (order == IFD_ORDER_HOLD || order == IFD_ORDER_RAMP_OUT);
    if ((order == IFD_ORDER_STOP || in_ramp) && !in->again && answer != IFD_ANSWER_STOP_LATER) {
        o->stop_tick = h->test->tick;
        o->stop_source = source;
    }
    if (order == IFD_ORDER_STOP)
        keep_stop(o, answer, next);
    else if (order != IFD_ORDER_NONE && in->wants == IFD__WANTS_LATER && in->from != IFD__FROM_ITSELF)
        o->wants = o->stop_tick = 0.0;
    if (order == IFD_ORDER_PARK)
        o->wants = IFD__WANTS_PARK;
    if (next != IFD_MACHINE_HOLD)
        o->wants = IFD__WANTS_NOTHING;
    if (next == IFD_MACHINE_TRIPPED)
        o->stop_tick = o->unloads = 0.0;
    if (order == IFD_ORDER_UNLOAD)
        o->unloads = 1.0;
    keep_power(o, order, now, next, stays(h));
    if (h->gate & IFD_GATE_PRESSURE)
        ifd__pressure_order(h, order);
}

void ifd__orders_arrived(ifd_hybrid *h)
{
    if (ifd__state_of(h) == IFD_MACHINE_RAMP_OUT && !stays(h))
        h->orders->pressure = 0.0;
}

void ifd__orders_tick(ifd_hybrid *h)
{
    if (ifd__state_of(h) != IFD_MACHINE_READY)
        h->orders->agreed = 0.0;
    if (h->orders->wants == IFD__WANTS_LATER && ifd__checkpoint_rests(h))
        h->orders->later += 1.0;
}

uint32_t ifd__orders_outputs(const ifd_hybrid *h, uint32_t heartbeat)
{
    uint32_t outputs = ifd__machine_outputs(ifd__state_of(h)) | (uint32_t)h->orders->pressure;
    if ((h->orders->off > 0.0 && ifd__hybrid_still(h)) || h->test->power_cut > 0.0)
        outputs &= ~(uint32_t)IFD_OUTPUT_ENABLE;
    return heartbeat & 1 ? outputs | IFD_OUTPUT_BEAT : outputs;
}

bool ifd__orders_unload(const ifd_hybrid *h)
{
    return h->opt.ramp_out_end == IFD_RAMP_OUT_ZERO_FORCE || h->orders->unloads > 0.0;
}

const ifd__part ifd__part_orders = {
    .name = "orders", .about = "stop, park, clearance and inputs of people at the rig", .sense = sense};
