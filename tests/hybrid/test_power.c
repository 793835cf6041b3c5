/* SPDX-License-Identifier: MIT */
/* Power of the axes: a rig whose drives are off until they are requested, judged by the commands that it receives. */
#include "check.h"
#include "hybrid/hybrid_stand.h"
#include "hybrid/hybrid.h"
#include "hybrid/power.h"

#include <math.h>
#include <string.h>

static struct {
    int delay;       /* ticks from the request to power; -1: never */
    int since;       /* ticks with the request */
    double x, drift; /* m; m per tick while it receives power */
    uint32_t inputs;
    bool fails; /* loses its power when it moves */
    uint64_t heard;
    uint32_t requests, states; /* outputs and states of all commands */
    long requested, positions, unpowered_positions;
} rig;

static ifd_status open_rig(ifd_rig *r, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)values;
    (void)arena;
    (void)note;
    r->size = 0;
    return IFD_OK;
}

static bool powered(void)
{
    return rig.delay >= 0 && rig.since > rig.delay && !rig.fails;
}

static bool sense(ifd_rig *r, ifd_measure *out, double *x)
{
    (void)r;
    (void)x;
    *out = (ifd_measure){
        .tick = rig.heard, .inputs = rig.inputs | (powered() ? 0u : (uint32_t)IFD_INPUT_UNPOWERED), .channels = 1};
    if (rig.since > 0 && !powered())
        rig.x += rig.drift;
    out->position[0] = rig.x;
    out->force[0] = 2e5 * rig.x;
    return true;
}

static void command(ifd_rig *r, const ifd_command *c, double *x)
{
    (void)r;
    (void)x;
    bool asked = c->outputs & IFD_OUTPUT_ENABLE;
    rig.since = asked ? rig.since + 1 : 0;
    rig.requested += asked;
    rig.requests |= c->outputs;
    rig.states |= 1u << c->state;
    rig.positions += c->commanded;
    rig.unpowered_positions += c->commanded && !powered() && !rig.fails;
    if (c->commanded && powered())
        rig.x = c->position[0];
    rig.heard = c->tick;
}

static const ifd_param none[] = {{0}};
static const ifd_rig_ops ops = {
    .abi = IFD_RIG_ABI, .name = "drives", .params = none, .open = open_rig, .sense = sense, .command = command};

static void prepare(stand *s, int delay)
{
    stand_prepare(s, 4e5, 2e5);
    memset(&rig, 0, sizeof rig);
    rig.delay = delay;
    rig.inputs = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS;
    s->channel.limits.force = 5e3;
    s->channel.limits.tracking = 0.02;
    s->opt.rig = &ops;
    s->opt.rig_setup = NULL;
    s->opt.automatic = false;
    s->opt.arm_samples = 10;
    stand_make(s);
    rig.x = 0.003;
}

static ifd_answer tick(stand *s, ifd_order order)
{
    (void)s->t.tick(s->t.self, &(ifd_tick_in){.order = order});
    return (ifd_answer)s->t.trace(s->t.self)->answer;
}

/* Ticks until a state; -1: not within `most`. */
static long until(stand *s, ifd_machine state, long most)
{
    long k = 0;
    for (; k < most && ifd_hybrid_state(s->h) != state; k++)
        tick(s, IFD_ORDER_NONE);
    return ifd_hybrid_state(s->h) == state ? k : -1;
}

static void rest(stand *s, long ticks)
{
    for (long k = 0; k < ticks; k++)
        assert_int_equal(tick(s, IFD_ORDER_NONE), IFD_ANSWER_NONE);
}

TEST(without_an_order_nothing_is_requested)
{
    stand s;
    prepare(&s, 0);
    rest(&s, 30000); /* 60 s */
    assert_int_equal(rig.requests & IFD_OUTPUT_ENABLE, 0);
    assert_int_equal(rig.positions, 0);
    assert_int_equal(tick(&s, IFD_ORDER_RUN), IFD_ANSWER_NOT_ARMED);
    assert_int_equal(rig.requests & IFD_OUTPUT_ENABLE, 0);
    ifd_arena_close(s.arena);
}

TEST(arm_waits_for_power_on_every_axis)
{
    static const int delays[] = {0, 1, 40, 2400};
    for (size_t i = 0; i < COUNT(delays); i++) {
        stand s;
        prepare(&s, delays[i]);
        rest(&s, 50);
        assert_int_equal(tick(&s, IFD_ORDER_ARM), IFD_ANSWER_NONE);
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_IDLE);
        long took = until(&s, IFD_MACHINE_READY, 3000);
        assert_in_range(took, delays[i] + 1, delays[i] + 2);
        assert_int_equal(rig.unpowered_positions, 0);
        assert_near(rig.x, 0.003, 0.0, "held");
        rest(&s, 100);
        assert_int_equal(tick(&s, IFD_ORDER_RUN), IFD_ANSWER_NONE);
        assert_true(until(&s, IFD_MACHINE_RUN, 10000) > 0);
        ifd_arena_close(s.arena);
    }
}

TEST(without_power_after_5_s_arm_is_refused_and_the_request_ends)
{
    stand s;
    prepare(&s, -1);
    rest(&s, 50);
    assert_int_equal(tick(&s, IFD_ORDER_ARM), IFD_ANSWER_NONE);
    long k = 0;
    ifd_answer answer;
    while ((answer = tick(&s, IFD_ORDER_NONE)) == IFD_ANSWER_NONE && k < 5000)
        k++;
    assert_int_equal(answer, IFD_ANSWER_NO_POWER);
    assert_in_range(k, 2500, 2502); /* of 2 ms */
    assert_int_equal(rig.since, 0);
    assert_int_equal(rig.positions, 0);
    assert_true(ifd_answer_refuses(answer));
    rest(&s, 100);
    rig.delay = 3; /* power is there now: nothing starts by itself, a new order acts */
    rest(&s, 1000);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_IDLE);
    assert_int_equal(tick(&s, IFD_ORDER_ARM), IFD_ANSWER_NONE);
    assert_in_range(until(&s, IFD_MACHINE_READY, 100), 1, 6);
    ifd_arena_close(s.arena);
}

/* 0.05 m to either side and arm-spread of 0.5 %: 0.5 mm. */
TEST(a_position_that_moves_meanwhile_ends_the_request)
{
    stand s;
    prepare(&s, 1000);
    rest(&s, 50);
    rig.drift = 1e-5;
    assert_int_equal(tick(&s, IFD_ORDER_ARM), IFD_ANSWER_NONE);
    long k = 0;
    ifd_answer answer;
    while ((answer = tick(&s, IFD_ORDER_NONE)) == IFD_ANSWER_NONE && k < 5000)
        k++;
    assert_int_equal(answer, IFD_ANSWER_POWER_MOVED);
    assert_near(rig.x - 0.003, 5e-4, 3e-5, "m");
    assert_int_equal(rig.since, 0);
    assert_int_equal(rig.positions, 0);
    ifd_arena_close(s.arena);
}

TEST(the_stop_or_another_order_ends_the_request)
{
    static const ifd_order orders[] = {IFD_ORDER_TRIP, IFD_ORDER_QUIT, IFD_ORDER_NONE};
    for (size_t i = 0; i < COUNT(orders); i++) {
        stand s;
        prepare(&s, 1000);
        rest(&s, 50);
        tick(&s, IFD_ORDER_ARM);
        rest(&s, 100);
        assert_true(rig.since > 0);
        if (orders[i] == IFD_ORDER_NONE)
            rig.inputs = IFD_INPUT_HYDRAULICS;
        tick(&s, orders[i]);
        assert_true(rig.since == 0 || ifd_hybrid_state(s.h) == IFD_MACHINE_TRIPPED);
        assert_int_equal(rig.positions, 0);
        ifd_arena_close(s.arena);
    }
}

/* Such an order costs no time either: ready comes as without it. */
TEST(a_refused_order_leaves_the_request_as_it_is)
{
    static const struct {
        ifd_order order;
        ifd_answer answer;
    } rows[] = {{IFD_ORDER_RUN, IFD_ANSWER_NOT_ARMED},
                {IFD_ORDER_HOLD, IFD_ANSWER_NOT_STARTED},
                {IFD_ORDER_RAMP_OUT, IFD_ANSWER_NOT_STARTED},
                {IFD_ORDER_RESET, IFD_ANSWER_NOT_TRIPPED},
                {IFD_ORDER_UNLOAD, IFD_ANSWER_NOT_ARMED},
                {IFD_ORDER_SLOWER, IFD_ANSWER_SCALE_NOT_NOW},
                {IFD_ORDER_CHECKPOINT, IFD_ANSWER_NO_CHECKPOINT},
                {IFD_ORDER_UPDATE_OFF, IFD_ANSWER_NO_UPDATES},
                {IFD_ORDER_ARM, IFD_ANSWER_POWER_AWAITED},
                {IFD_ORDER_RETURN, IFD_ANSWER_POWER_AWAITED}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        stand s;
        prepare(&s, 200);
        rest(&s, 50);
        assert_int_equal(tick(&s, IFD_ORDER_ARM), IFD_ANSWER_NONE);
        rest(&s, 100);
        assert_int_equal(tick(&s, rows[i].order), rows[i].answer);
        assert_true(ifd_answer_refuses(rows[i].answer));
        assert_int_equal(s.t.trace(s.t.self)->answer_order, rows[i].order);
        assert_int_equal(rig.since, 102);
        assert_in_range(until(&s, IFD_MACHINE_READY, 1000), 100, 101);
        assert_int_equal(rig.unpowered_positions, 0);
        ifd_arena_close(s.arena);
    }
}

TEST(updates_are_switched_beside_the_request)
{
    stand s;
    prepare(&s, 200);
    rest(&s, 50);
    tick(&s, IFD_ORDER_ARM);
    rest(&s, 100);
    s.h->ordered = IFD_ORDER_UPDATE_ON;
    s.h->trace.answer = IFD_ANSWER_NONE;
    ifd__power_ordered(s.h);
    assert_int_equal(s.h->trace.answer, IFD_ANSWER_NONE);
    assert_int_equal(ifd__power_outputs(s.h), IFD_OUTPUT_ENABLE);
    ifd_arena_close(s.arena);
}

/* And stays in idle, also when power comes afterwards. */
TEST(an_executed_order_cancels_the_request_and_says_so)
{
    static const ifd_order orders[] = {IFD_ORDER_OFF,  IFD_ORDER_LOW,  IFD_ORDER_HIGH,
                                       IFD_ORDER_STOP, IFD_ORDER_QUIT, IFD_ORDER_TRIP};
    for (size_t i = 0; i < COUNT(orders); i++) {
        stand s;
        char text[100];
        prepare(&s, 1000);
        rest(&s, 50);
        tick(&s, IFD_ORDER_ARM);
        rest(&s, 100);
        assert_int_equal(tick(&s, orders[i]), IFD_ANSWER_POWER_CANCELLED);
        assert_int_equal(s.t.trace(s.t.self)->answer_order, orders[i]);
        ifd_answer_print(s.t.trace(s.t.self), text, sizeof text);
        assert_string_equal(text, "the order that waited for power on every axis is cancelled");
        assert_false(ifd_answer_refuses(IFD_ANSWER_POWER_CANCELLED));
        assert_true(rig.since == 0 || orders[i] == IFD_ORDER_TRIP);
        rig.delay = 3;
        rest(&s, 500);
        assert_int_equal(ifd_hybrid_state(s.h), orders[i] == IFD_ORDER_TRIP ? IFD_MACHINE_TRIPPED : IFD_MACHINE_IDLE);
        assert_int_equal(rig.positions, 0);
        ifd_arena_close(s.arena);
    }
}

/* What ends the wait for power is named, and with it the order that waited. */
TEST(the_order_that_waited_and_its_reason_are_named)
{
    static const struct {
        uint32_t inputs;
        ifd_answer answer;
    } rows[] = {{IFD_INPUT_HYDRAULICS, IFD_ANSWER_STOP_PRESSED},
                {IFD_INPUT_NO_STOP, IFD_ANSWER_PRESSURE_OFF},
                {IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS | IFD_INPUT_NOT_ALLOWED, IFD_ANSWER_NOT_ALLOWED}};
    for (int outside = 0; outside < 2; outside++)
        for (size_t i = 0; i < COUNT(rows); i++) {
            stand s;
            prepare(&s, 1000);
            rig.x = outside ? 0.06 : 0.003;
            rest(&s, 600);
            ifd_order order = outside ? IFD_ORDER_RETURN : IFD_ORDER_ARM;
            assert_int_equal(tick(&s, order), IFD_ANSWER_NONE);
            rest(&s, 100);
            assert_true(rig.since > 0);
            rig.inputs = rows[i].inputs;
            assert_int_equal(tick(&s, IFD_ORDER_NONE), rows[i].answer);
            assert_int_equal(s.t.trace(s.t.self)->answer_order, order);
            assert_int_equal(rig.since, 0);
            ifd_arena_close(s.arena);
        }
}

TEST(power_that_fails_in_motion_trips)
{
    stand s;
    prepare(&s, 2);
    rest(&s, 50);
    tick(&s, IFD_ORDER_ARM);
    assert_true(until(&s, IFD_MACHINE_READY, 100) > 0);
    tick(&s, IFD_ORDER_RUN);
    assert_true(until(&s, IFD_MACHINE_RUN, 10000) > 0);
    rig.fails = true;
    tick(&s, IFD_ORDER_NONE);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_TRIPPED);
    assert_int_equal(ifd_hybrid_trip(s.h).trip, IFD_TRIP_HYDRAULICS);
    long before = rig.positions;
    rest(&s, 100);
    assert_int_equal(rig.positions, before);
    ifd_arena_close(s.arena);
}

static bool frees;

static ifd_status open_free(ifd_rig *r, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    r->free_at_end = frees;
    return open_rig(r, values, arena, note);
}

static const ifd_rig_ops free_ops = {
    .abi = IFD_RIG_ABI, .name = "drives", .params = none, .open = open_free, .sense = sense, .command = command};

static void runs(stand *s)
{
    stand_prepare(s, 4e5, 2e5);
    memset(&rig, 0, sizeof rig);
    rig.inputs = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS;
    s->channel.limits.force = 5e3;
    s->channel.limits.tracking = 0.02;
    s->opt.rig = &free_ops;
    s->opt.rig_setup = NULL;
    s->opt.automatic = false;
    s->opt.wait_tripped = true;
    s->opt.arm_samples = 10;
    stand_make(s);
    rest(s, 50);
    tick(s, IFD_ORDER_ARM);
    assert_true(until(s, IFD_MACHINE_READY, 100) > 0);
    tick(s, IFD_ORDER_RUN);
    assert_true(until(s, IFD_MACHINE_RUN, 10000) > 0);
}

/* 10 mm of 0.2 MN/m are 2 kN on an axis that loses its power. */
TEST(a_loaded_specimen_is_not_left_on_a_free_axis)
{
    for (int k = 0; k < 2; k++) {
        stand s;
        frees = k;
        runs(&s);
        ifd_answer parked = tick(&s, IFD_ORDER_PARK);
        assert_int_equal(parked, frees ? IFD_ANSWER_PARK_FREES : IFD_ANSWER_PARKS);
        assert_int_equal(ifd_hybrid_state(s.h), frees ? IFD_MACHINE_RUN : IFD_MACHINE_HOLD);
        tick(&s, IFD_ORDER_TRIP);
        for (int i = 0; i < 500; i++)
            tick(&s, IFD_ORDER_NONE);
        assert_true(fabs(2e5 * rig.x) > 50.0);
        const ifd_tick_in quit = {.order = IFD_ORDER_QUIT};
        if (frees) {
            char text[100];
            assert_int_equal(s.t.tick(s.t.self, &quit), IFD_RUN_GOING);
            assert_int_equal(s.t.trace(s.t.self)->answer, IFD_ANSWER_QUIT_FREES);
            ifd_answer_print(s.t.trace(s.t.self), text, sizeof text);
            char expected[100];
            snprintf(expected, sizeof expected, "switches axis 1 off: %.2g kN are released. Type quit again",
                     1e-3 * fabs(2e5 * rig.x));
            assert_string_equal(text, expected);
        }
        assert_int_equal(s.t.tick(s.t.self, &quit), IFD_RUN_FAULT);
        ifd_arena_close(s.arena);
    }
}

TEST(a_signal_is_not_asked_twice)
{
    stand s;
    frees = true;
    runs(&s);
    tick(&s, IFD_ORDER_TRIP);
    for (int i = 0; i < 500; i++)
        tick(&s, IFD_ORDER_NONE);
    const ifd_tick_in quit = {.order = IFD_ORDER_QUIT, .source = IFD_SOURCE_SIGNAL};
    assert_int_equal(s.t.tick(s.t.self, &quit), IFD_RUN_FAULT);
    assert_int_equal(s.t.trace(s.t.self)->answer, IFD_ANSWER_QUIT_FREED);
    ifd_arena_close(s.arena);
}

TESTS()
