/* SPDX-License-Identifier: MIT */
/* Search for a rig, and commands before, after and in between. The rig has no common code with the library: an
 * actuator with a lag, sensors with errors, and a check of every received command. */
#include "check.h"
#include "hybrid/hybrid_stand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum error {
    NO_ERROR,
    FIRST_OFF,   /* the first sample, by 40 mm */
    FIRST_FAR,   /* by 1.5 m */
    FAR,         /* every one */
    ALTERNATING, /* by 1 mm to either side */
    DRIFTING,    /* at 20 mm/s */
    CREEPING,    /* at 0.2 mm/s */
    NO_NUMBER_FIRST,
    NO_NUMBER,
    OUTSIDE, /* actual position 10 mm outside */
    FIRST_ERROR_OF_TICKS,
    TICK_ZERO = FIRST_ERROR_OF_TICKS,
    TICK_MINUS_ONE,
    TICK_AHEAD,
    TICK_HUGE,
    TICK_RANDOM,
    TICK_CONSTANT,
    TICK_BACKWARDS,
    TICK_AHEAD_EACH_SECOND, /* correct ones in between */
    TICK_ZERO_EACH_SECOND,
    ERRORS
} error;

static struct {
    error e;
    long samples;
    double x, target; /* m, actual */
    bool powered;     /* has a target */
    uint32_t inputs;
    uint64_t heard, stuck;
    double p, w; /* last command and its step */
    bool commanded;
    long commands, nothing;
    double first;                                 /* m, first command after commands without position */
    double speed;                                 /* m/s, largest of the actual position */
    double position, velocity, acceleration, out; /* largest: m beyond the stroke, m/s, m/s2; m outward */
} rig;
static const double stroke = 0.05, lag = 0.002, tick_length = 0.002;

static ifd_status open_rig(ifd_rig *r, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)values;
    (void)arena;
    (void)note;
    r->size = 0;
    return IFD_OK;
}

static double shown(void)
{
    switch (rig.e) {
    case FIRST_OFF:
        return rig.x + (rig.samples == 1 ? 0.04 : 0.0);
    case FIRST_FAR:
        return rig.x + (rig.samples == 1 ? 1.5 : 0.0);
    case FAR:
        return 1.5;
    case ALTERNATING:
        return rig.x + (rig.samples % 2 ? 1e-3 : -1e-3);
    case DRIFTING:
        return rig.x + 0.02 * tick_length * (double)(rig.samples % 500);
    case CREEPING:
        return rig.x + 2e-4 * tick_length * (double)rig.samples;
    case NO_NUMBER_FIRST:
        return rig.samples <= 5 ? (double)NAN : rig.x;
    case NO_NUMBER:
        return (double)NAN;
    default:
        return rig.x;
    }
}

static uint64_t acknowledged(void)
{
    switch (rig.e) {
    case TICK_ZERO:
        return 0;
    case TICK_MINUS_ONE:
        return UINT64_MAX;
    case TICK_AHEAD:
        return rig.heard + 1000;
    case TICK_HUGE:
        return (uint64_t)1 << 62;
    case TICK_RANDOM:
        return (uint64_t)rand() * (uint64_t)rand();
    case TICK_CONSTANT:
        return rig.stuck ? rig.stuck : (rig.stuck = rig.heard);
    case TICK_BACKWARDS:
        return rig.stuck ? --rig.stuck : (rig.stuck = rig.heard);
    case TICK_AHEAD_EACH_SECOND:
        return rig.heard + (rig.samples % 2 ? 1000 : 0);
    case TICK_ZERO_EACH_SECOND:
        return rig.samples % 2 ? 0 : rig.heard;
    default:
        return rig.heard;
    }
}

static bool sense(ifd_rig *r, ifd_measure *out, double *x)
{
    (void)x;
    double before = rig.x;
    if (rig.powered)
        rig.x += (rig.target - rig.x) * -expm1(-r->tick / lag);
    rig.speed = fmax(rig.speed, fabs(rig.x - before) / r->tick);
    rig.samples++;
    *out = (ifd_measure){.tick = acknowledged(), .time = (double)rig.samples, .inputs = rig.inputs, .channels = 1};
    out->position[0] = shown();
    out->force[0] = 2e5 * rig.x;
    return true;
}

/* By the output of the program only. */
static void judge(const ifd_command *c)
{
    double p = c->position[0], v = p - rig.p;
    if (!rig.commanded) {
        rig.first = p;
        v = rig.w = 0.0;
    }
    bool outside = rig.commanded && fabs(rig.p) > stroke;
    if (rig.commanded || c->state != IFD_MACHINE_RETURN)
        rig.position = fmax(rig.position, fabs(p) - fmax(stroke, rig.commanded ? fabs(rig.p) : stroke));
    rig.out = fmax(rig.out, outside ? fabs(p) - fabs(rig.p) : 0.0);
    rig.velocity = fmax(rig.velocity, fabs(v) / tick_length);
    rig.acceleration = fmax(rig.acceleration, fabs(v - rig.w) / (tick_length * tick_length));
    rig.w = v;
    rig.p = p;
    rig.commands++;
}

static void command(ifd_rig *r, const ifd_command *c, double *x)
{
    (void)r;
    (void)x;
    assert_true(isfinite(c->position[0]) && isfinite(c->velocity[0]));
    if (c->commanded) {
        judge(c);
        rig.target = c->position[0];
        rig.powered = true;
        assert_int_not_equal(c->state, IFD_MACHINE_IDLE);
        assert_true(rig.inputs & IFD_INPUT_HYDRAULICS);
    } else {
        rig.nothing++;
        assert_true(c->position[0] == rig.p && c->velocity[0] == 0.0); /* the last ones, and 0 before any */
    }
    rig.commanded = c->commanded;
    rig.heard = c->tick;
}

static const ifd_param none[] = {{0}};
static const ifd_rig_ops ops = {
    .abi = IFD_RIG_ABI, .name = "judge", .params = none, .open = open_rig, .sense = sense, .command = command};

static void prepare_patient(stand *s, error e, double start, int stale_limit)
{
    stand_prepare(s, 4e5, 2e5);
    memset(&rig, 0, sizeof rig);
    rig.e = e;
    rig.x = start;
    rig.inputs = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS;
    s->channel.limits.force = 5e3;
    s->channel.limits.tracking = 0.02;
    s->opt.rig = &ops;
    s->opt.rig_setup = NULL;
    s->opt.automatic = true;
    s->opt.arm_samples = 10;
    s->opt.arm_time = 0.1;
    s->opt.arm_timeout = 3.0;
    s->opt.stale_limit = stale_limit;
    s->opt.stale_time = 0.0;
    stand_make(s);
}

static void prepare(stand *s, error e, double start)
{
    prepare_patient(s, e, start, 10);
}

static ifd_run_state tick(stand *s, ifd_order order)
{
    return s->t.tick(s->t.self, &(ifd_tick_in){.order = order});
}

static ifd_run_state run(stand *s, long ticks)
{
    ifd_run_state r = IFD_RUN_GOING;
    for (long k = 0; k < ticks && r == IFD_RUN_GOING; k++)
        r = tick(s, IFD_ORDER_NONE);
    return r;
}

static void until(stand *s, ifd_machine state)
{
    for (long k = 0; k < 100000 && ifd_hybrid_state(s->h) != state; k++)
        tick(s, IFD_ORDER_NONE);
    assert_int_equal(ifd_hybrid_state(s->h), state);
}

static void assert_limits_kept(void)
{
    assert_true(rig.position <= 0.0);
    assert_true(rig.out <= 0.0);
    assert_true(rig.velocity <= 1.0 * (1.0 + 1e-9));
    assert_true(rig.acceleration <= 100.0 * (1.0 + 1e-6));
}

TEST(a_wrong_first_sample_is_not_followed)
{
    const error errors[] = {NO_ERROR, FIRST_OFF, FIRST_FAR, NO_NUMBER_FIRST, CREEPING};
    for (size_t i = 0; i < COUNT(errors); i++) {
        stand s;
        prepare(&s, errors[i], 0.003);
        until(&s, IFD_MACHINE_READY);
        assert_true(rig.nothing >= 49); /* 0.1 s */
        assert_near(rig.first, 0.003, errors[i] == CREEPING ? 2e-4 : 0.0, "found with error %d", (int)errors[i]);
        assert_near(rig.p, rig.first, 0.0, "ready");
        ifd_run_state end = run(&s, 100000);
        if (end != IFD_RUN_DONE)
            fail_msg("ends in %s", ifd_trip_name(ifd_hybrid_trip(s.h).trip));
        assert_string_equal(ifd_trip_name(ifd_hybrid_trip(s.h).trip), "NONE");
        assert_limits_kept();
        assert_true(rig.speed < 1.0);
        ifd_arena_close(s.arena);
    }
}

TEST(without_a_position_nothing_is_commanded_and_the_test_ends)
{
    static const struct {
        error e;
        double start;
        ifd_wait wait;
        double value, low, high;
    } rows[] = {{FAR, 0.0, IFD_WAIT_OUTSIDE, 1.5, -0.05, 0.05},
                {OUTSIDE, -0.06, IFD_WAIT_OUTSIDE, -0.06, -0.05, 0.05},
                {ALTERNATING, 0.0, IFD_WAIT_NOT_AT_REST, 2e-3, 0.0, 5e-4},
                {NO_NUMBER, 0.0, IFD_WAIT_NOT_FINITE, NAN, 0.0, 0.0},
                {DRIFTING, 0.0, IFD_WAIT_NOT_AT_REST, NAN, 0.0, 5e-4}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        stand s;
        prepare(&s, rows[i].e, rows[i].start);
        assert_int_equal(run(&s, 100000), IFD_RUN_FAULT);
        ifd_wait_facts w = ifd_hybrid_wait(s.h);
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_IDLE);
        assert_int_equal(ifd_hybrid_trip(s.h).trip, IFD_TRIP_NOT_ARMED);
        assert_int_equal(w.wait, rows[i].wait);
        assert_int_equal(w.channel, 0);
        if (isfinite(rows[i].value))
            assert_near(w.value, rows[i].value, 1e-12, "row %zu: value", i);
        assert_near(w.low, rows[i].low, 1e-12, "row %zu: low", i);
        assert_near(w.high, rows[i].high, 1e-12, "row %zu: high", i);
        assert_near(w.seconds, 3.0, 0.01, "waited");
        assert_int_equal(rig.commands, 0);
        assert_near(rig.x, rows[i].start, 0.0, "moved");
        tick(&s, IFD_ORDER_ARM); /* nor on order */
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_IDLE);
        assert_int_equal(rig.commands, 0);
        ifd_arena_close(s.arena);
    }
}

TEST(a_rig_that_acknowledges_nothing_is_never_armed)
{
    for (int e = FIRST_ERROR_OF_TICKS; e < ERRORS; e++) {
        stand s;
        prepare(&s, (error)e, 0.003);
        assert_int_equal(run(&s, 100000), IFD_RUN_FAULT);
        assert_int_equal(ifd_hybrid_wait(s.h).wait, IFD_WAIT_COMMUNICATION);
        assert_int_equal(rig.commands, 0);
        ifd_arena_close(s.arena);
    }
}

/* A stale limit that is never reached must not replace an acknowledgement. */
TEST(a_large_stale_limit_needs_an_acknowledgement_too)
{
    for (int e = FIRST_ERROR_OF_TICKS; e < ERRORS; e++) {
        if (e == TICK_CONSTANT || e == TICK_BACKWARDS || e == TICK_ZERO_EACH_SECOND)
            continue; /* they have answered once, and within this limit no more is required */
        stand s;
        prepare_patient(&s, (error)e, 0.003, 1000000);
        assert_int_equal(run(&s, 100000), IFD_RUN_FAULT);
        assert_int_equal(ifd_hybrid_wait(s.h).wait, IFD_WAIT_COMMUNICATION);
        assert_int_equal(rig.commands, 0);
        ifd_arena_close(s.arena);
    }
}

TEST(one_that_ceases_to_acknowledge_is_lost_within_the_stale_limit)
{
    const ifd_machine states[] = {IFD_MACHINE_READY, IFD_MACHINE_RAMP_IN, IFD_MACHINE_RUN, IFD_MACHINE_RAMP_OUT};
    for (int e = FIRST_ERROR_OF_TICKS; e < ERRORS; e++)
        for (size_t i = 0; i < COUNT(states); i++) {
            stand s;
            prepare(&s, NO_ERROR, 0.003);
            until(&s, states[i]);
            rig.e = (error)e;
            int ticks = 0;
            for (; ticks < 100 && ifd_hybrid_state(s.h) != IFD_MACHINE_TRIPPED; ticks++)
                tick(&s, IFD_ORDER_NONE);
            assert_int_equal(ifd_hybrid_trip(s.h).trip, IFD_TRIP_LOST);
            assert_true(ticks <= 13); /* the limit is 10, and one command is always in transit */
            run(&s, 200);
            assert_limits_kept();
            ifd_arena_close(s.arena);
        }
}

TEST(a_rig_that_lags_a_few_ticks_is_heard)
{
    stand s;
    prepare(&s, NO_ERROR, 0.003);
    assert_int_equal(run(&s, 100000), IFD_RUN_DONE);
    assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_LOST), 0);
    ifd_arena_close(s.arena);
}

TEST(after_a_trip_no_sample_moves_anything)
{
    const error errors[] = {FAR, ALTERNATING, NO_NUMBER, DRIFTING};
    for (size_t i = 0; i < COUNT(errors); i++) {
        stand s;
        prepare(&s, NO_ERROR, 0.003);
        until(&s, IFD_MACHINE_RUN);
        run(&s, 60);
        tick(&s, IFD_ORDER_TRIP);
        rig.e = errors[i];
        run(&s, 100);
        double at = rig.p;
        run(&s, 100);
        assert_near(rig.p, at, 0.0, "held");
        assert_int_equal(rig.commanded, errors[i] != NO_NUMBER);
        tick(&s, IFD_ORDER_RESET);
        run(&s, 100);
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_IDLE);
        assert_false(rig.commanded);
        rig.e = NO_ERROR;
        run(&s, 200);
        tick(&s, IFD_ORDER_ARM);
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_READY);
        assert_near(rig.first, rig.x, 5e-4, "found again"); /* within the scatter */
        assert_limits_kept();
        ifd_arena_close(s.arena);
    }
}

TEST(without_pressure_nothing_is_commanded_until_armed_again)
{
    const ifd_machine states[] = {IFD_MACHINE_READY, IFD_MACHINE_RAMP_IN, IFD_MACHINE_RUN, IFD_MACHINE_RAMP_OUT,
                                  IFD_MACHINE_STOPPED};
    for (size_t i = 0; i < COUNT(states); i++) {
        stand s;
        prepare(&s, NO_ERROR, 0.003);
        until(&s, states[i]);
        run(&s, 30);
        rig.inputs = IFD_INPUT_NO_STOP;
        tick(&s, IFD_ORDER_NONE);
        assert_false(rig.commanded);
        run(&s, 50);
        rig.inputs |= IFD_INPUT_HYDRAULICS; /* pressure returns */
        rig.x += 0.004;                     /* and it has sagged meanwhile */
        rig.powered = false;
        run(&s, 200);
        assert_false(rig.commanded);
        tick(&s, IFD_ORDER_RESET);
        run(&s, 200);
        assert_false(rig.commanded);
        tick(&s, IFD_ORDER_ARM);
        if (states[i] != IFD_MACHINE_STOPPED) {
            assert_true(rig.commanded);
            assert_near(rig.first, rig.x, 1e-9, "where it has sagged to");
        }
        assert_limits_kept();
        ifd_arena_close(s.arena);
    }
}

TEST(from_outside_the_stroke_it_moves_inward_on_order_only)
{
    for (int side = -1; side <= 1; side += 2) {
        stand s;
        prepare(&s, OUTSIDE, side * 0.06);
        s.channel.limits.force = 2e4; /* it is loaded there */
        run(&s, 500);
        assert_int_equal(rig.commands, 0);
        tick(&s, IFD_ORDER_ARM);
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_IDLE);
        assert_int_equal(ifd_hybrid_wait(s.h).wait, IFD_WAIT_OUTSIDE);
        tick(&s, IFD_ORDER_RETURN);
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RETURN);
        assert_near(rig.first, side * 0.06, 0.0, "first command");
        until(&s, IFD_MACHINE_IDLE);
        assert_near(rig.p, side * 0.049, 1e-12, "inside by a hundredth of the stroke");
        assert_true(rig.velocity <= 0.1 * (1.0 + 1e-9)); /* creep speed */
        assert_true(rig.acceleration <= 10.0 * (1.0 + 1e-6));
        assert_limits_kept();
        run(&s, 500);
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_IDLE); /* and does not arm automatically */
        tick(&s, IFD_ORDER_ARM);
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_READY);
        ifd_arena_close(s.arena);
    }
}

TEST(limits_guard_the_way_back)
{
    for (int cause = 0; cause < 3; cause++) {
        stand s;
        prepare(&s, OUTSIDE, 0.06);
        s.channel.limits.force = 2e4; /* read at every tick */
        run(&s, 200);
        tick(&s, IFD_ORDER_RETURN);
        run(&s, 60);
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RETURN);
        if (cause == 0)
            s.channel.limits.force = 1e3;
        if (cause == 1)
            rig.e = FAR;
        tick(&s, cause == 2 ? IFD_ORDER_TRIP : IFD_ORDER_NONE);
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_TRIPPED);
        run(&s, 200);
        assert_near(rig.w, 0.0, 0.0, "at rest");
        assert_limits_kept();
        ifd_arena_close(s.arena);
    }
}

TESTS()
