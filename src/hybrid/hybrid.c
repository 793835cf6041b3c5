/* SPDX-License-Identifier: MIT */
/* One tick of a hybrid test: wait > sense > load > solve > shape > record > command > publish. The executor waits and
 * publishes; sense, load and solve are in exchange.c. The record is made before the command: it contains the command
 * of an actuator of a drive at the time of the measurement.
 *
 * A stage of the method supplies displacement and velocity of the specimens at the next instant with a measured
 * force. The path to it is a cubic through both ends (pace/scaled.h). Each tick commands the position at the
 * *next* tick. Hold and resume change the rate of simulated time; the specimen slows down on its path. */
#include "hybrid/checkpoint.h"

#include <math.h>
#include <string.h>

#include <interfield/characterise.h>

#include "hybrid/force_control.h"
#include "hybrid/ramp_out/ramp_out.h"
#include "hybrid/pace/scaled.h"
#include "hybrid/power.h"
#include "hybrid/hold_force.h"
#include "hybrid/response.h"
#include "hybrid/standstill.h"
#include "hybrid/start_test.h"
#include "hybrid/units.h"
#include "hybrid/rig_ready.h"
#include "hybrid/pressure.h"
#include "rig/rig.h"

/* Change of the target u of interface k in a tick: as in the last tick, because a compensated command leads the path
 * with another velocity; as along the path if the target jumps. */
static double target_step(ifd_hybrid *h, int k, double u, double along)
{
    const ifd__bounds *b = &h->interface[k].bounds;
    double step = u - h->each[k]->requested;
    h->each[k]->requested = u;
    return fabs(step - h->each[k]->step) <= b->acceleration * b->dt * b->dt ? step : along;
}

/* shape: path, ... */
static ifd_compensator_in aim(ifd_hybrid *h, int k)
{
    ifd__interface_state *s = h->each[k];
    double y[3], scale = h->pace->scale(h);
    if (h->interface[k].o->force) {
        (void)ifd__force_step(h, k, ifd__force_run(h, k, scale * h->period));
        return (ifd_compensator_in){0};
    }
    h->pace->path(h, k, y);
    s->next_target = y[0];
    s->next_target_v = y[1] * scale;
    ifd_compensator_in in = {.x = y[0],
                             .v = y[1] * scale,
                             .a = y[2] * scale * scale,
                             .xm = s->measured_x,
                             .fm = s->measured_f,
                             .now_x = s->target,
                             .now_u = s->command,
                             .frozen = h->facts.frozen,
                             .rests = ifd__state_of(h) != IFD_MACHINE_RUN,
                             .next = true,
                             .am = ifd__rig_acceleration(h, k)};
    return in;
}

/* ... compensation, governor. */
static void shape_run(ifd_hybrid *h, int k, const ifd_compensator_in *in)
{
    ifd__interface_state *s = h->each[k];
    const ifd__test_interface *w = &h->interface[k];
    double u = in->x;
    if (w->o->force)
        return;
    if (w->compensator)
        u = h->pace->lead ? h->pace->lead(h, k, u)
                          : ifd_compensator_step(w->compensator, in, ifd__compensator_of(h, k));
    ifd__governed g = {s->command, s->step};
    double before = g.p, last = s->requested;
    double step = target_step(h, k, u, in->v * h->period);
    if (w->compensator && h->pace->calmed && h->pace->calmed(h, k, last, &u))
        step = u - before;
    if (!ifd__governor_step(&w->bounds, u, step, &g)) {
        ifd__fault_note(&h->faults, IFD_TRIP_GOVERNED, k, u, g.p, IFD_ACTION_NOTE);
        if (h->opt.observe && isfinite(u))
            g = (ifd__governed){u, u - before};
    }
    s->command = g.p;
    s->step = g.w;
}

/* Without commands there is no tracking error. */
static void follow(ifd_hybrid *h)
{
    for (int k = 0; k < h->interfaces; k++) {
        ifd__interface_state *s = h->each[k];
        double xm = s->measured_x;
        s->next_target = isfinite(xm) ? xm : s->next_target;
        s->step = s->next_target_v = 0.0;
        ifd__measured_rest(h, k);
    }
    if (h->drives)
        ifd__drives_still(h);
    h->test->state_time += h->period;
}

static ifd_order order_of(const ifd_hybrid *h, const ifd_tick_in *in)
{
    ifd_machine s = ifd__state_of(h);
    double armed = h->test->armed;
    bool barred = ifd__orders_barred(h);
    if (in->order == IFD_ORDER_RUN && (barred || (h->gate & IFD_GATE_READY)))
        return IFD_ORDER_NONE; /* answered in answer_gate */
    if (in->order == IFD_ORDER_NONE && ifd__orders_started(h) && !barred && !(h->gate & IFD_GATE_READY))
        return IFD_ORDER_RUN;
    if (in->order != IFD_ORDER_NONE)
        return in->order;
    if (h->pace->given && h->pace->given(h) != IFD_ORDER_NONE)
        return h->pace->given(h);
    if (h->gate & IFD_GATE_ORDERS)
        return h->orders->agreed > 0.0 && s == IFD_MACHINE_READY && !barred && !(h->gate & IFD_GATE_READY)
                   ? IFD_ORDER_RUN
                   : IFD_ORDER_NONE;
    if (s == IFD_MACHINE_IDLE && armed == 0.0 && ifd__start_known(h)) /* automatic arming, only once, not after a
                                                                       * trip */
        return IFD_ORDER_ARM;
    bool waits = h->gate & IFD_GATE_READY;
    return s == IFD_MACHINE_READY && armed == 1.0 && !waits && !barred ? IFD_ORDER_RUN : IFD_ORDER_NONE;
}

/* The specimens are at the starting position: the model starts with the forces measured there, and the lead-in of the
 * method supplies the first target. */
static void begin_run(ifd_hybrid *h)
{
    h->pace->begin(h);
    for (int k = 0; k < h->interfaces; k++) {
        ifd__interface_state *s = h->each[k];
        s->requested = s->command;
        ifd__calm_begin(&h->each[k]->calm, s->command);
        if (h->interface[k].compensator)
            ifd_compensator_begin(h->interface[k].compensator, s->command, ifd__compensator_of(h, k));
    }
    ifd__units_begin(h);
    h->slowdown = (ifd_slowdown){0};
    ifd__exchange_begin(h);
}

static const ifd__rest_change unchanged = {.interface = -1};

/* The numbers of an answer. */
static void answer(ifd_hybrid *h, ifd_answer what, const ifd__rest_change *changed)
{
    ifd_tick_trace *t = &h->trace;
    t->answer = (uint32_t)what;
    t->answer_owner = -1;
    t->answer_value = t->answer_limit = 0.0;
    if (what == IFD_ANSWER_RELAXED) {
        t->answer_owner = changed->interface;
        t->answer_value = changed->change;
        t->answer_limit = changed->limit;
    }
    if (what == IFD_ANSWER_STOP_BACK || what == IFD_ANSWER_PRESSURE_BACK || what == IFD_ANSWER_RIG_BACK)
        (void)ifd__orders_wrong(h, &t->answer_value);
    if (what == IFD_ANSWER_STALE) {
        t->answer_value = 1.0 - ifd__fresh_missed(h);
        t->answer_limit = 1.0 - h->opt.stale_fraction;
    }
    if (what == IFD_ANSWER_CHANGED_POSITION || what == IFD_ANSWER_CHANGED_FORCE) {
        const ifd_wait_facts wait = ifd_hybrid_wait(h);
        t->answer_owner = wait.owner;
        t->answer_value = wait.value;
        t->answer_limit = 0.5 * (wait.low + wait.high);
    }
    if (what == IFD_ANSWER_INTERLOCK) {
        const ifd_wait_facts wait = ifd_hybrid_wait(h);
        bool arms = wait.wait == IFD_WAIT_INTERLOCK; /* otherwise a return */
        t->answer_owner = arms ? wait.owner - h->interfaces - h->actuators : ifd__find_locked(h, true);
        t->answer_value = arms ? wait.value : h->value[t->answer_owner];
    }
}

static bool characterises(const ifd_hybrid *h)
{
    return h->opt.protocol && ifd_protocol_characterises(h->opt.protocol);
}

static ifd__machine_in conditions(ifd_hybrid *h, ifd_order order, uint32_t source, ifd_action action)
{
    bool returns = order == IFD_ORDER_RETURN && ifd__find_may_return(h);
    const ifd_answer kept = returns ? ifd__find_kept(h) : IFD_ANSWER_NONE;
    bool outside = returns && kept == IFD_ANSWER_NONE, way_back = outside && ifd__return_free(h);
    const ifd_answer unready = ifd__find_unready(h);
    ifd__machine_in in = {.order = order,
                          .action = action,
                          .finished = h->test->step >= (double)h->steps,
                          .ready = unready == IFD_ANSWER_NONE,
                          .unready = unready,
                          .alone = !ifd__start_known(h),
                          .unsteady =
                              ifd__pressure_wait(h) == IFD_WAIT_LOW || ifd__pressure_wait(h) == IFD_WAIT_RISES,
                          .unseen = ifd__pressure_unseen(h),
                          .pressed = ifd__orders_pressed(h),
                          .forbidden = ifd__rigs_refuse(h) >= 0,
                          .may_return = way_back,
                          .blocked = outside && !way_back,
                          .kept = kept,
                          .may_resume = ifd_hybrid_may_resume(&h->opt),
                          .silent = h->io.hold && !ifd__rest_fresh(&h->io),
                          .rests = ifd__checkpoint_rests(h),
                          .still = order == IFD_ORDER_QUIT ? ifd__hybrid_may_quit(h) : ifd__hybrid_still(h), /* idle
                                   commands no motion: the brake must end before */
                          .remote = h->pace->elsewhere,
                          .under_way = h->pace->awaits,
                          .updates = h->opt.identified > 0,
                          .paced = !h->pace->elsewhere && !characterises(h),
                          .slowest = ifd__time_slowest(h),
                          .fastest = h->test->pace >= 1.0,
                          .watched = ifd__time_watched(h)};
    ifd__orders_ask(h, source, &in);
    return in;
}

/* From one state to another one. */
static void change(ifd_hybrid *h, ifd_machine now, ifd_machine next)
{
    ifd__test_state *t = h->test;
    h->orders->along_brake = 0.0;
    if (now == IFD_MACHINE_RAMP_IN && next == IFD_MACHINE_RAMP_OUT && !ifd__start_rehearses(h) &&
        !ifd__start_brakes(h))
        ifd__ramp_out_leave_ramp(h);
    t->state = (double)next;
    t->state_time = t->settled = 0.0;
    if (now == IFD_MACHINE_HOLD && next != IFD_MACHINE_STOPPED)
        t->checkpoint_held = 0.0;
    for (int k = 0; k < h->interfaces; k++) {
        if (next == IFD_MACHINE_RAMP_IN)
            ifd__force_begin(h, k);
        if (next == IFD_MACHINE_RAMP_OUT)
            ifd__ramp_out_begin(h, k);
    }
    if (next == IFD_MACHINE_RUN && now == IFD_MACHINE_RAMP_IN)
        begin_run(h);
    if (next == IFD_MACHINE_HOLD && h->pace->hold)
        h->pace->hold(h);
    if (next == IFD_MACHINE_RUN && now == IFD_MACHINE_HOLD) {
        t->fault = IFD_TRIP_NONE; /* the fault of a resumed hold is cleared */
        ifd__why_keep(h, false);
        ifd__units_resume(h);
        if (h->pace->resume)
            h->pace->resume(h);
    }
    if (next == IFD_MACHINE_READY || next == IFD_MACHINE_RETURN)
        ifd__find_take(h);
    if (h->pace->arm && (next == IFD_MACHINE_READY || next == IFD_MACHINE_RETURN))
        h->pace->arm(h);
    if (next == IFD_MACHINE_RETURN)
        ifd__return_begin(h);
    if (next == IFD_MACHINE_RAMP_IN && characterises(h) && !h->going_on)
        ifd__start_here(h);
    if (next == IFD_MACHINE_IDLE)
        ifd__hybrid_restart(h);
}

/* The state of the test for this tick. Without an order, a fault, an end or something that waits for rest, it is that
 * of the last tick. */
static void decide(ifd_hybrid *h, ifd_order order, ifd_action action, bool arrived)
{
    ifd_machine now = ifd__state_of(h);
    bool ends = arrived || (now == IFD_MACHINE_RUN && h->test->step >= (double)h->steps);
    if (order == IFD_ORDER_NONE && action == IFD_ACTION_NOTE && !ends && h->orders->wants == IFD__WANTS_NOTHING)
        return;
    uint32_t source = order == h->ordered ? h->source : (uint32_t)IFD_SOURCE_AUTOMATIC;
    const ifd__rest_change changed = h->io.hold ? ifd__rest_changed(&h->io) : unchanged;
    ifd__machine_in in = conditions(h, order, source, action);
    in.arrived = arrived;
    in.relaxed = changed.interface >= 0;
    ifd_machine next = ifd__machine_next(now, &in);
    if (order == IFD_ORDER_TRIP || (next == IFD_MACHINE_TRIPPED && now != next && action < IFD_ACTION_TRIP))
        in.action = ifd__fault_note(&h->faults, IFD_TRIP_ORDERED, -1, 0.0, 0.0, action);
    ifd_answer said = order == IFD_ORDER_NONE ? IFD_ANSWER_NONE : ifd__machine_answer(now, &in);
    if (order != IFD_ORDER_NONE)
        answer(h, said, &changed);
    ifd__orders_keep(h, &in, source, next, said);
    if (next != now)
        change(h, now, next);
}

static bool shape(ifd_hybrid *h)
{
    ifd_machine state = ifd__state_of(h);
    ifd__find_power(h);
    if (h->test->commanded == 0.0) {
        follow(h);
        return false;
    }
    if (state == IFD_MACHINE_RUN || state == IFD_MACHINE_HOLD || ifd__start_rehearses(h)) {
        ifd_compensator_in in[IFD_RIG_ACTUATORS], coupled[IFD_RIG_ACTUATORS];
        h->pace->advance(h);
        for (int k = 0; k < h->interfaces; k++)
            in[k] = aim(h, k);
        ifd__units_aim(h, in);
        if (h->drives)
            ifd__drives_couple(h, in, coupled);
        for (int k = 0; k < h->interfaces; k++)
            shape_run(h, k, &in[k]);
        return false;
    }
    return ifd__ramps_shape(h, state);
}

void ifd__hybrid_deliver(ifd_hybrid *h)
{
    const ifd_command *c = &h->command;
    ifd_command raw = *c;
    if (h->opt.map)
        ifd_channel_map_command(h->opt.map, c, &raw);
    ifd__rig_command(&h->rig, &raw, h->rig.size ? h->x + h->rig_at : NULL);
}

/* Without a drive, an interface is an actuator of the rig. */
static void command_interfaces(ifd_hybrid *h, ifd_command *c)
{
    for (int k = 0; k < h->interfaces; k++) {
        ifd__interface_state *s = h->each[k];
        int a = h->interface[k].actuator;
        s->peak_command = fmax(s->peak_command, fabs(s->command));
        if (a < 0)
            continue;
        c->position[a] = s->command;
        c->velocity[a] = s->step / h->period;
    }
}

static void send(ifd_hybrid *h)
{
    ifd_command *c = &h->command;
    c->tick = (uint64_t)h->test->tick;
    c->time = h->pace->progress ? h->pace->progress(h) : ifd_hybrid_time(h);
    c->state = (uint32_t)ifd__state_of(h);
    c->heartbeat++;
    c->actuators = (uint32_t)h->actuators;
    c->outputs = ifd__orders_outputs(h, c->heartbeat) | ifd__power_outputs(h);
    c->commanded = h->test->commanded > 0.0;
    if (c->commanded) {
        command_interfaces(h, c);
        if (h->drives)
            ifd__drives_command(h, c);
    } else /* the positions remain those of the last command */
        memset(c->velocity, 0, sizeof c->velocity);
    if (h->pace->sent)
        h->pace->sent(h);
    ifd__hybrid_deliver(h);
}

/* A tripped test ends when its specimens are at rest and the operator quits, or without an operator after a time
 * without reset. */
static ifd_run_state outcome(const ifd_hybrid *h, ifd_order order)
{
    const double reset_within = 1.0; /* s, for a program that can still give the order */
    ifd_machine s = ifd__state_of(h);
    if ((h->pace->gone && h->pace->gone(h)) || ifd__find_given_up(h))
        return IFD_RUN_FAULT;
    bool quits = order == IFD_ORDER_QUIT || order == IFD_ORDER_STOP;
    if (s == IFD_MACHINE_STOPPED || (s == IFD_MACHINE_IDLE && quits))
        return IFD_RUN_DONE;
    bool waited = !h->opt.wait_tripped && h->test->state_time > reset_within;
    bool over = s == IFD_MACHINE_TRIPPED && (waited || order == IFD_ORDER_QUIT) && ifd__hybrid_may_quit(h);
    return over ? IFD_RUN_FAULT : IFD_RUN_GOING;
}

double ifd_hybrid_time(const ifd_hybrid *h)
{
    return ifd__start_rehearses(h) ? 0.0 : h->numerical.step * h->test->step;
}

/* The newest measurement and its limits. */
static ifd_action sense_and_guard(ifd_hybrid *h, const ifd_tick_in *in)
{
    h->io.in = in;
    h->io.fresh = ifd__exchange_sense(h);
    for (int k = 0; k < h->interfaces; k++)
        h->io.renewed[k] = ifd__rigs_fresh(h, k);
    if (h->forces)
        ifd__chain_sense(&h->io);
    ifd__beat_at(h->rig.beat, IFD_AT_SOLVE);
    if (h->pace->hear)
        h->pace->hear(h);
    h->io.age = h->pace->older ? h->pace->older(h) : 0.0;
    ifd__units_sense(h);
    ifd__exchange_motion(h);
    ifd__trace_stage(h, IFD_STAGE_SENSE);
    ifd__units_observe(h);
    return ifd__units_judge(h);
}

/* The refusal of an order that waited for power, or at the end of power. */
static void answer_power(ifd_hybrid *h, ifd_order order)
{
    ifd_answer refused = (ifd_answer)(int)h->test->power_refused;
    if (refused != IFD_ANSWER_NONE) {
        answer(h, refused, &unchanged);
        ifd__power_answer(h);
    }
    if (h->trace.answer_order == IFD_ORDER_NONE)
        h->trace.answer_order = (uint64_t)(order != IFD_ORDER_NONE ? order : h->ordered);
}

static void answer_gate(ifd_hybrid *h, ifd_order order)
{
    if (order == IFD_ORDER_NONE && ifd__orders_started(h))
        h->trace.answer_order = order = IFD_ORDER_RUN; /* of the start button */
    if (order == IFD_ORDER_NONE)
        h->trace.answer = IFD_ANSWER_NONE; /* no order */
    if (order == IFD_ORDER_RUN && ifd__orders_barred(h)) {
        h->trace.answer = IFD_ANSWER_NOT_CHECKED;
        return;
    }
    if (order != IFD_ORDER_RUN || !(h->gate & IFD_GATE_READY))
        return;
    bool agrees = (h->gate & IFD_GATE_ORDERS) && ifd__state_of(h) == IFD_MACHINE_READY, alone = !ifd__start_known(h);
    h->trace.answer = !agrees ? IFD_ANSWER_START_AT : alone ? IFD_ANSWER_NO_MASTER : IFD_ANSWER_START_AGREED;
    agrees = agrees && !alone;
    if (agrees)
        h->orders->agreed = 1.0;
}

/* The start instant has come before the end of the ramp-in: nothing starts late. */
static void start_missed(ifd_hybrid *h)
{
    bool now = (h->gate_before & IFD_GATE_START) && !(h->gate & IFD_GATE_START);
    if (!now || ifd__state_of(h) != IFD_MACHINE_RAMP_IN)
        return;
    uint32_t answer_before = h->trace.answer;
    decide(h, IFD_ORDER_RAMP_OUT, IFD_ACTION_NOTE, false);
    h->trace.answer = answer_before;
}

bool ifd_hybrid_simulated(const ifd_hybrid *h)
{
    return h->opt.rehearse || ifd__rig_simulated(&h->rig);
}

bool ifd_hybrid_frees(const ifd_hybrid *h)
{
    return !h->opt.rehearse && h->rig.free_at_end != 0;
}

/* Of the rig, once it is warm. */
static uint32_t gates_of_rig(const ifd_hybrid *h)
{
    const uint32_t pressure = IFD_OUTPUT_LOW | IFD_OUTPUT_HIGH;
    return (ifd_hybrid_simulated(h) ? IFD_GATE_SIMULATED : 0) | (ifd_hybrid_frees(h) ? IFD_GATE_FREES : 0) |
           (h->rig.outputs & pressure ? IFD_GATE_PRESSURE : 0);
}

static bool stands(const ifd_hybrid *h)
{
    return h->pace->stands && h->pace->stands(h);
}

ifd__tick ifd__hybrid_tick_begin(ifd_hybrid *h, const ifd_tick_in *in)
{
    ifd__tick t = {.in = in};
    ifd__trace_begin(h);
    if (h->test->tick == 0.0)
        h->rig_gates = gates_of_rig(h);
    h->gate_before = h->gate;
    h->gate = in->gate | h->rig_gates | (h->opt.automatic ? 0 : IFD_GATE_ORDERS) |
              (h->opt.accept_change ? IFD_GATE_CHANGED : 0);
    h->wall = in->wall;
    h->trace.gate = h->gate;
    t.complete = ifd__state_of(h) == IFD_MACHINE_TRIPPED && ifd__park_tick(h, in);
    if (t.complete)
        return t;
    h->test->tick += 1.0;
    ifd__orders_clear(h);
    t.worst = stands(h) && h->test->rig.heard > 0.0 ? IFD_ACTION_NOTE : sense_and_guard(h, in);
    if (h->pace->steer)
        h->pace->steer(h);
    bool under_way =
        ifd__state_of(h) == IFD_MACHINE_RUN || (ifd__state_of(h) == IFD_MACHINE_HOLD && !h->pace->rests(h));
    bool rehearses = ifd__start_rehearses(h) && t.worst < IFD_ACTION_RAMP_OUT;
    if (rehearses && h->pace->due(h))
        rehearses = !ifd__start_ends(h, &t.worst);
    if (h->pace->meet)
        t.worst = h->pace->meet(h, t.worst);
    else if ((under_way || rehearses) && t.worst < IFD_ACTION_RAMP_OUT && h->pace->due(h)) {
        t.solves = ifd__guard_job(h, in, &t.worst);
        if (t.solves)
            t.exchange = ifd__exchange_prepare(h, &t.worst);
        else if (h->pace->late)
            h->pace->late(h, t.worst);
    }
    bool over = h->test->step >= (double)h->steps;
    if (!t.solves && (over || ifd__state_of(h) == IFD_MACHINE_HOLD))
        ifd__response_idle(h);
    return t;
}

static void record(ifd_hybrid *h)
{
    if (ifd__state_of(h) == IFD_MACHINE_RUN)
        ifd_slowdown_add(&h->slowdown, ifd__time_rate(h), ifd__answer_age(h), h->period);
    ifd__columns_record(h);
}

static double simulated_time(const ifd__column_source *source)
{
    return ifd__response_time(source->self);
}

static double rate(const ifd__column_source *source)
{
    return ifd__io_rate(source->io);
}

static const ifd__column_row of_test[] = {{IFD_COLUMN_TEST_TIME, 0, simulated_time},
                                          IFD__COLUMN(TEST_STATE, ifd__test_state, state),
                                          {IFD_COLUMN_TEST_RATE, 0, rate},
                                          IFD__COLUMN(TEST_FAULT, ifd__test_state, fault),
                                          IFD__COLUMN(TEST_COMMANDED, ifd__test_state, commanded),
                                          IFD__COLUMN(TEST_WAITING, ifd__test_state, wait),
                                          IFD__COLUMN(TEST_WAITING_OWNER, ifd__test_state, wait_owner),
                                          IFD__COLUMN(TEST_WAITING_VALUE, ifd__test_state, wait_value)};

ifd_status ifd__tick_columns(ifd_hybrid *h, ifd_arena *arena)
{
    const ifd__column_set set = {.owner = "", .block = h->test, IFD__ROWS(of_test)};
    return ifd__columns_add(h, arena, &set);
}

void ifd__columns_record(ifd_hybrid *h)
{
    bool whole = h->local || ifd__substructure_whole(&h->numerical, (int)h->test->exchange);
    for (int i = 0; i < h->columns; i++) {
        const ifd__column_source *s = &h->column_source[i];
        if ((s->value || s->block) && (whole || !s->steps))
            h->values[i] = s->value ? s->value(s) : s->block[s->index];
    }
    if (h->local && h->recorded->taken == 0.0)
        ifd__response_rest(&h->response, h->x, h->step_values);
}

/* shape, record, command. */
static ifd_run_state act(ifd_hybrid *h, const ifd_tick_in *in, ifd_action worst)
{
    h->source = in->order == IFD_ORDER_NONE ? (uint32_t)IFD_SOURCE_AUTOMATIC : in->source;
    h->ordered = order_of(h, in);
    bool power = ifd__power_concerns(h, h->ordered);
    if (power)
        h->ordered = ifd__power_order(h, h->ordered);
    decide(h, h->ordered, worst, false);
    if (power)
        ifd__power_ordered(h);
    ifd__units_order(h, in->order);
    if (h->trace.answer == IFD_ANSWER_NONE && h->pace->order)
        h->pace->order(h, in->order);
    answer_gate(h, in->order);
    answer_power(h, in->order);
    if (h->gate & IFD_GATE_PRESSURE)
        ifd__pressure_answer(h, in->order);
    bool arrived = shape(h) && !(ifd__state_of(h) == IFD_MACHINE_RAMP_IN && (h->gate & IFD_GATE_START));
    if (arrived)
        ifd__orders_arrived(h);
    else
        start_missed(h);
    record(h);
    ifd__trace_stage(h, IFD_STAGE_SHAPE);
    send(h);
    bool resumed = arrived && h->going_on && ifd__checkpoint_resume(h);
    if (arrived && !resumed) {
        ifd_action action = IFD_ACTION_NOTE;
        bool done = !h->preload || ifd__preload_arrived(h, &action);
        if (done && !ifd__start_arrived(h)) {
            ifd__start_begin(h);
            begin_run(h);
            done = false;
        }
        decide(h, IFD_ORDER_NONE, action, done);
    }
    if (!resumed && ifd__checkpoint_asked(h, in->order))
        ifd__checkpoint_tick(h, in->order);
    ifd__orders_tick(h);
    if (h->pace->tell)
        h->pace->tell(h);
    ifd__trace_stage(h, IFD_STAGE_COMMAND);
    ifd__trace_end(h);
    return outcome(h, h->trace.answer == IFD_ANSWER_QUIT_FREES ? IFD_ORDER_NONE : in->order);
}

ifd_run_state ifd__hybrid_tick_end(ifd_hybrid *h, const ifd__tick *t)
{
    ifd_action worst = t->worst;
    if (t->complete)
        return IFD_RUN_GOING;
    if (t->exchange)
        worst = ifd__exchange_finish(h, (int)h->test->exchange, worst);
    if (t->solves)
        h->pace->solved(h);
    ifd__trace_stage(h, IFD_STAGE_SOLVE);
    if (stands(h) && t->in->order == IFD_ORDER_NONE) {
        record(h); /* free-running: no time passes while another program computes */
        ifd__trace_end(h);
        return IFD_RUN_GOING;
    }
    return act(h, t->in, ifd__standstill_tick(h, t->solves, worst));
}
