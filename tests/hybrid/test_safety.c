/* SPDX-License-Identifier: MIT */
/* Reaction of a test to unexpected behaviour of its rig or operator. */
#include <interfield/hybrid.h>
#include <interfield/virtual.h>

#include <string.h>

#include "check.h"
#include "hybrid/hybrid_stand.h"
#include "hybrid/hybrid.h"

/* Measurements and commands of the rig, with changes. */
static struct {
    long commands, nothing; /* with positions, and without */
    long silent_before;     /* no measurement before this call of sense */
    long senses;
    bool silent, deaf;
    uint32_t set, clear; /* inputs */
    double shift;        /* m, of the measured position */
    double last[3];      /* commands, newest first */
    double worst_step;   /* largest change of velocity between commands */
    uint64_t heard;
} rig;

static ifd_rig_ops ops;

static bool sense(ifd_rig *r, ifd_measure *out, double *x)
{
    bool fresh = ifd_virtual_rig.sense(r, out, x);
    out->inputs = (out->inputs | rig.set) & ~rig.clear;
    out->position[0] += rig.shift;
    if (rig.deaf)
        out->tick = rig.heard;
    fresh = fresh || rig.commands + rig.nothing == 0; /* hardware measures with and without commands */
    return fresh && !rig.silent && ++rig.senses > rig.silent_before;
}

static void command(ifd_rig *r, const ifd_command *c, double *x)
{
    if (c->commanded) {
        rig.last[2] = rig.last[1];
        rig.last[1] = rig.last[0];
        rig.last[0] = c->position[0];
        if (++rig.commands > 2)
            rig.worst_step = fmax(rig.worst_step, fabs(rig.last[0] - 2.0 * rig.last[1] + rig.last[2]));
    } else {
        rig.nothing++;
    }
    if (!rig.deaf)
        rig.heard = c->tick;
    ifd_virtual_rig.command(r, c, x);
}

static void prepare(stand *s)
{
    stand_prepare(s, 4e5, 2e5);
    memset(&rig, 0, sizeof rig);
    ops = ifd_virtual_rig;
    ops.sense = sense;
    ops.command = command;
    s->bench.start = 0.005;
    s->opt.rig = &ops;
}

static ifd_run_state tick(stand *s, ifd_order order)
{
    return s->t.tick(s->t.self, &(ifd_tick_in){.order = order});
}

static void ticks(stand *s, int count)
{
    for (int k = 0; k < count; k++)
        tick(s, IFD_ORDER_NONE);
}

static void run_until(stand *s, ifd_machine state)
{
    for (long k = 0; ifd_hybrid_state(s->h) != state && k < 100000; k++)
        tick(s, IFD_ORDER_NONE);
    assert_int_equal(ifd_hybrid_state(s->h), state);
}

static void start(stand *s)
{
    ticks(s, 3);
    tick(s, IFD_ORDER_ARM);
    assert_int_equal(ifd_hybrid_state(s->h), IFD_MACHINE_READY);
    tick(s, IFD_ORDER_RUN);
}

TEST(nothing_is_commanded_before_the_rig_was_heard)
{
    stand s;
    prepare(&s);
    rig.silent_before = 50;
    stand_make(&s);
    for (int k = 0; k < 50; k++)
        tick(&s, k > 20 ? IFD_ORDER_ARM : IFD_ORDER_NONE);
    assert_int_equal(rig.commands, 0);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_IDLE);
    ticks(&s, 3);
    assert_int_equal(rig.commands, 0);
    assert_true(rig.nothing > 50); /* they reset its watchdog */
    tick(&s, IFD_ORDER_ARM);
    assert_true(rig.commands > 0);
    assert_near(rig.last[0], 0.005, 0.0, "the first command");
    assert_near(rig.worst_step, 0.0, 0.0, "a step");
    ifd_arena_close(s.arena);
}

/* A position sensor with an offset: a command that followed it in every tick would drift at 0.1 m/s. */
TEST(an_idle_rig_is_commanded_nothing)
{
    stand s;
    prepare(&s);
    rig.shift = 2e-4;
    stand_make(&s);
    ticks(&s, 2000);
    assert_int_equal(rig.commands, 0);
    tick(&s, IFD_ORDER_ARM);
    ticks(&s, 100);
    assert_near(rig.last[0], 0.0052, 1e-15, "armed");
    ifd_arena_close(s.arena);
}

TEST(a_rig_moved_by_others_is_found_again_before_it_is_armed)
{
    stand s;
    prepare(&s);
    stand_make(&s);
    ticks(&s, 5);
    rig.shift = 0.02; /* an external push */
    tick(&s, IFD_ORDER_ARM);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_IDLE);
    ticks(&s, 600);
    assert_int_equal(rig.commands, 0);
    tick(&s, IFD_ORDER_ARM);
    assert_near(rig.last[0], 0.025, 1e-12, "command");
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_READY);
    ifd_arena_close(s.arena);
}

/* Ten ticks of 0.25 ms can be less than the latency of an ordinary kernel: the preset is ten milliseconds there. */
TEST(a_fast_rig_may_be_silent_for_ten_milliseconds)
{
    stand s;
    prepare(&s);
    s.opt.step.h = 0.0005;
    stand_make(&s);
    assert_near(ifd_hybrid_period(s.h), 0.00025, 1e-15, "period");
    start(&s);
    run_until(&s, IFD_MACHINE_RUN);
    rig.silent = true;
    ticks(&s, 40);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RUN);
    ticks(&s, 1);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_TRIPPED);
    assert_int_equal(ifd_hybrid_trip(s.h).trip, IFD_TRIP_LOST);
    rig.silent = false;
    ifd_arena_close(s.arena);
}

TEST(a_rig_that_does_not_hear_is_lost)
{
    stand s;
    prepare(&s);
    stand_make(&s);
    start(&s);
    run_until(&s, IFD_MACHINE_RUN);
    rig.deaf = true;
    ticks(&s, 10);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RUN);
    ticks(&s, 3);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_TRIPPED);
    assert_int_equal(ifd_hybrid_trip(s.h).trip, IFD_TRIP_LOST);
    ifd_arena_close(s.arena);
}

TEST(inputs_trip_by_their_names)
{
    const struct {
        uint32_t set, clear;
        ifd_trip trip;
    } rows[] = {{IFD_INPUT_RIG_STOPPED, 0, IFD_TRIP_RIG_STOPPED},
                {0, IFD_INPUT_NO_STOP, IFD_TRIP_STOP_PRESSED},
                {0, IFD_INPUT_HYDRAULICS, IFD_TRIP_HYDRAULICS}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        stand s;
        prepare(&s);
        stand_make(&s);
        start(&s);
        run_until(&s, IFD_MACHINE_RUN);
        rig.set = rows[i].set;
        rig.clear = rows[i].clear;
        tick(&s, IFD_ORDER_NONE);
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_TRIPPED);
        assert_int_equal(ifd_hybrid_trip(s.h).trip, rows[i].trip);
        ticks(&s, 200);
        tick(&s, IFD_ORDER_RESET);
        tick(&s, IFD_ORDER_ARM); /* not while the cause is present */
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_IDLE);
        ifd_arena_close(s.arena);
    }
}

/* A reset during the brake would set the command to the measured position, at full speed. */
TEST(a_reset_waits_for_the_brakes)
{
    stand s;
    prepare(&s);
    s.channel.limits.acceleration = 5.0;
    stand_make(&s);
    start(&s);
    run_until(&s, IFD_MACHINE_RUN);
    ticks(&s, 30); /* a quarter of a period: near the largest velocity */
    tick(&s, IFD_ORDER_TRIP);
    for (int k = 0; k < 400; k++)
        tick(&s, IFD_ORDER_RESET);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_IDLE);
    assert_true(rig.worst_step <= 5.0 * 0.002 * 0.002 * (1.0 + 1e-6));
    ifd_arena_close(s.arena);
}

/* After a reset the test restarts, only on order. */
TEST(a_reset_test_starts_over_and_not_by_itself)
{
    stand s;
    prepare(&s);
    s.opt.automatic = true;
    stand_make(&s);
    run_until(&s, IFD_MACHINE_RUN);
    ticks(&s, 100);
    tick(&s, IFD_ORDER_TRIP);
    ticks(&s, 100);
    tick(&s, IFD_ORDER_RESET);
    ticks(&s, 1000);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_IDLE);
    assert_near(ifd_hybrid_time(s.h), 0.0, 0.0, "simulated time");
    tick(&s, IFD_ORDER_ARM);
    ticks(&s, 100);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_READY);
    tick(&s, IFD_ORDER_RUN);
    run_until(&s, IFD_MACHINE_RUN);
    tick(&s, IFD_ORDER_NONE);
    assert_near(rig.last[0], 0.010, 1e-4, "where the model starts");
    run_until(&s, IFD_MACHINE_STOPPED);
    ifd_arena_close(s.arena);
}

TEST(a_rig_that_does_not_follow_the_ramp_in_trips)
{
    stand s;
    prepare(&s);
    s.channel.limits.tracking = 0.001;
    stand_make(&s);
    start(&s);
    ticks(&s, 3);
    rig.shift = 0.002;
    ticks(&s, 1);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_TRIPPED);
    assert_int_equal(ifd_hybrid_trip(s.h).trip, IFD_TRIP_TRACKING);
    ifd_arena_close(s.arena);
}

/* Five ticks without a measurement and then the complete change: this is not a fast change. */
TEST(a_gap_in_the_news_is_no_jump_of_the_force)
{
    stand s;
    prepare(&s);
    s.channel.limits.force_rate = 1.5 * 2e5 * 0.25; /* k v, v about 0.2 m/s */
    stand_make(&s);
    start(&s);
    run_until(&s, IFD_MACHINE_RUN);
    ticks(&s, 20);
    rig.silent = true;
    ticks(&s, 5);
    rig.silent = false;
    ticks(&s, 20);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RUN);
    assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_FORCE_RATE), 0);
    ifd_arena_close(s.arena);
}

/* The governor holds for a command that is not finite; the structure must not continue. */
TEST(a_compensator_that_diverges_ends_the_run)
{
    ifd_value values[IFD_COMPENSATOR_PARAMS] = {0};
    stand s;
    prepare(&s);
    s.channel.compensator = ifd_compensator_find("polynomial");
    ifd_param_preset(s.channel.compensator->params, values);
    values[ifd_param_find(s.channel.compensator->params, "delay")] = ifd_number(0.005);
    s.channel.compensator_values = values;
    stand_make(&s);
    start(&s);
    run_until(&s, IFD_MACHINE_RUN);
    ticks(&s, 100);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RUN);
    for (int i = 0; i < s.h->interface[0].compensator->size; i++)
        s.h->x[s.h->interface[0].at + IFD__DOUBLES(ifd__interface_state) + i] = (double)NAN;
    ticks(&s, 3);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RAMP_OUT);
    assert_int_equal(ifd_hybrid_trip(s.h).trip, IFD_TRIP_SOLVER);
    assert_true(isfinite(rig.last[0]));
    ifd_hybrid_close(s.h);
    ifd_arena_close(s.arena);
}

/* Faults of a step that the motion itself does not show. */
TEST(a_step_that_is_not_trusted_ends_the_run)
{
    static const ifd_step_fault untrusted[] = {IFD_STEP_SINGULAR, IFD_STEP_TANGENT, IFD_STEP_PRECISION};
    for (size_t k = 0; k < COUNT(untrusted); k++) {
        stand s;
        prepare(&s);
        stand_make(&s);
        start(&s);
        run_until(&s, IFD_MACHINE_RUN);
        ticks(&s, 10);
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RUN);
        for (int r = 0; r < s.h->numerical.rows; r++)
            if (strcmp(s.h->numerical.row[r].name, "fault") == 0)
                s.h->x[s.h->numerical.row[r].offset] = (double)untrusted[k];
        ticks(&s, 3);
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RAMP_OUT);
        assert_int_equal(ifd_hybrid_trip(s.h).trip, IFD_TRIP_SOLVER);
        ifd_hybrid_close(s.h);
        ifd_arena_close(s.arena);
    }
}

TEST(what_cannot_be_safe_is_refused)
{
    stand s;
    prepare(&s);
    s.channel.limits.high = 0.009; /* the model starts at 10 mm */
    assert_int_equal(ifd_hybrid_make(s.arena, &s.opt, &s.h, NULL), IFD_RANGE);
    ifd_arena_close(s.arena);
    prepare(&s);
    ops.name = "laboratory"; /* limits that are only observed require a virtual rig */
    s.opt.observe = true;
    assert_int_equal(ifd_hybrid_make(s.arena, &s.opt, &s.h, NULL), IFD_CONFLICT);
    ifd_arena_close(s.arena);
}

TESTS()
