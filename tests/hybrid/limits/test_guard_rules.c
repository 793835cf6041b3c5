/* SPDX-License-Identifier: MIT */
/* Rules of the guard on counts, sums and flags, at both sides of each: acknowledgement, silence, digital inputs, late
 * ticks and substructures, a stuck position, a diverged compensator. */
#include "hybrid/find_scene.h"

#include "hybrid/hybrid.h"

/* A test with a mass without forces. Its stale limit is 8 ticks, more than the minimum of 0.01 s. */
static void prepare(bench *b, kind k)
{
    bench_prepare(b, k);
    b->s.opt.arm_time = 0.0;
    b->s.opt.ramp_in = b->s.opt.settle = 0.0625;
    b->s.opt.stale_limit = 8;
    b->s.opt.stale_time = 0.0;
    rig.follows = true;
}

#define RUNS "until state = run within 2000; "

static void assert_told(const bench *b, const char *what, ifd_trip trip, double value, double limit)
{
    ifd_trip_facts f = ifd_hybrid_trip(b->s.h);
    if (f.trip != trip || f.owner != -1 || f.value != value || f.limit != limit)
        fail_msg("%s: %s of %d, %.17g at a limit of %.17g; expected %s of -1, %.17g at %.17g", what,
                 ifd_trip_name(f.trip), f.owner, f.value, f.limit, ifd_trip_name(trip), value, limit);
}

/* Behaviour of a rig from sample `from` on: lag of its acknowledgement in ticks, and whether it sends; one behaviour
 * before sample `to`, then the other. */
static struct {
    long from, to;
    long behind[2];
    bool silent[2];
} says;

static int part_of(long i)
{
    return i < says.from ? -1 : i >= says.to;
}

static long acknowledges(long i)
{
    return part_of(i) < 0 ? 0 : -says.behind[part_of(i)];
}

static bool news(long i)
{
    return part_of(i) < 0 || !says.silent[part_of(i)];
}

/* Eight ticks without a measurement are tolerated, and an acknowledgement that lags by eight plus one; none may
 * lead. */
TEST(a_rig_that_does_not_hear_is_lost_in_time)
{
    static const struct {
        const char *name;
        long first, behind[2]; /* ticks of the first behaviour; then the second one */
        bool silent[2];
        long lost; /* after this number of ticks; -1: never */
        double value, limit;
        long stale; /* counted ticks without a measurement */
    } rows[] = {
        {"as it should", 5, {0, 0}, {false, false}, -1, 0.0, 0.0, 0},
        {"behind by the tolerated number", 5, {9, 9}, {false, false}, -1, 0.0, 0.0, 0},
        {"by one more", 5, {10, 10}, {false, false}, 1, 9.0, 8.0, 0},
        {"one that was overtaken by too many", 1, {10, 0}, {false, false}, 1, 9.0, 8.0, 0},
        {"one that was overtaken", 1, {9, 0}, {false, false}, -1, 0.0, 0.0, 0},
        {"ahead", 1, {-1, 0}, {false, false}, 1, 1.0, 0.0, 0},
        {"ahead by many", 1, {-1000, 0}, {false, false}, 1, 1000.0, 0.0, 0},
        {"silent for the tolerated time", 8, {0, 0}, {true, false}, -1, 0.0, 0.0, 8},
        {"silent for longer", 9, {0, 0}, {true, false}, 9, 9.0, 8.0, 9},
        {"silent when its last words were old", 12, {9, 0}, {false, true}, 13, 9.0, 8.0, 1},
        {"silent when its last word was not", 2, {1, 0}, {false, true}, 11, 9.0, 8.0, 9},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bench b;
        prepare(&b, ONE);
        says.from = says.to = MOST;
        memcpy(says.behind, rows[i].behind, sizeof says.behind);
        memcpy(says.silent, rows[i].silent, sizeof says.silent);
        rig.ahead = acknowledges;
        rig.fresh = news;
        bench_plays(&b, RUNS "10");
        long before = rig.commands;
        says.from = rig.samples + 1;
        says.to = says.from + rows[i].first;
        for (int k = 0; k < 20 && state_now() == IFD_MACHINE_RUN; k++)
            tick(&b, IFD_ORDER_NONE);
        long ran = rig.commands - before;
        if (state_now() != (rows[i].lost < 0 ? IFD_MACHINE_RUN : IFD_MACHINE_TRIPPED) ||
            (rows[i].lost >= 0 && ran != rows[i].lost))
            fail_msg("%s: %s after %ld ticks, expected a trip after %ld", rows[i].name, ifd_machine_name(state_now()),
                     ran, rows[i].lost);
        if (rows[i].lost >= 0)
            assert_told(&b, rows[i].name, IFD_TRIP_LOST, rows[i].value, rows[i].limit);
        assert_int_equal(ifd_hybrid_count(b.s.h, IFD_TRIP_STALE), rows[i].stale);
        bench_close(&b);
    }
}

/* One sample with an unexpected input, or without an expected one. */
static uint32_t odd;

static uint32_t inputs(long i)
{
    return i == says.from ? odd : GOOD;
}

TEST(every_input_trips_and_is_no_other)
{
    static const struct {
        uint32_t inputs;
        ifd_trip trip;
        ifd_trip second; /* counted, not reported */
    } rows[] = {{GOOD, IFD_TRIP_NONE, IFD_TRIP_NONE},
                {IFD_INPUT_HYDRAULICS, IFD_TRIP_STOP_PRESSED, IFD_TRIP_NONE},
                {IFD_INPUT_NO_STOP, IFD_TRIP_HYDRAULICS, IFD_TRIP_NONE},
                {GOOD | IFD_INPUT_RIG_STOPPED, IFD_TRIP_RIG_STOPPED, IFD_TRIP_NONE},
                {0, IFD_TRIP_STOP_PRESSED, IFD_TRIP_HYDRAULICS},
                {IFD_INPUT_HYDRAULICS | IFD_INPUT_RIG_STOPPED, IFD_TRIP_RIG_STOPPED, IFD_TRIP_STOP_PRESSED}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bench b;
        prepare(&b, ONE);
        rig.inputs = inputs;
        odd = rows[i].inputs;
        says.from = MOST;
        bench_plays(&b, RUNS);
        says.from = rig.samples + 1;
        play(&b.s.p, rows[i].trip ? "1; state = tripped" : "1; state = run");
        if (rows[i].trip)
            assert_told(&b, ifd_trip_name(rows[i].trip), rows[i].trip, 0.0, 0.0);
        for (int t = IFD_TRIP_NONE + 1; t < IFD_TRIP_COUNT; t++)
            assert_int_equal(ifd_hybrid_count(b.s.h, (ifd_trip)t),
                             t == (int)rows[i].trip || t == (int)rows[i].second);
        bench_close(&b);
    }
}

/* A force that jumps by 1 N after `silent` ticks without a measurement: 512/(1 + silent) N/s. */
static double steps_up(long i, int k)
{
    return k == 0 && i >= says.from ? 1.0 : 0.0;
}

TEST(a_rate_is_of_the_time_between_two_news)
{
    for (int silent = 0; silent < 3; silent++)
        for (int over = 0; over < 2; over++) {
            bench b;
            prepare(&b, ONE);
            double rate = 512.0 / (1 + silent);
            b.channels[0].limits.force_rate = over ? nextafter(rate, 0.0) : rate;
            says.from = says.to = MOST;
            says.silent[0] = true;
            says.silent[1] = false;
            says.behind[0] = says.behind[1] = 0;
            rig.fresh = news;
            rig.force = steps_up;
            bench_plays(&b, RUNS);
            says.from = rig.samples + 1;
            says.to = says.from + silent;
            play(&b.s.p, "%d; state = %s; count.FORCE_RATE = %d", silent + 1, over ? "tripped" : "run", over);
            bench_close(&b);
        }
}

/* A tripped test that waits records one tick per second: the rate is that of this second, 512 ticks. */
TEST(a_rate_after_a_parked_second_is_of_that_second)
{
    for (int over = 0; over < 2; over++) {
        bench b;
        prepare(&b, ONE);
        b.s.opt.wait_tripped = true;
        b.channels[0].limits.force_rate = over ? nextafter(1.0, 0.0) : 1.0;
        says.from = MOST;
        rig.force = steps_up;
        bench_plays(&b, RUNS "trip");
        while (rig.commands < MOST - 1 && !b.s.t.trace(b.s.t.self)->quiet)
            tick(&b, IFD_ORDER_NONE);
        says.from = rig.samples + 1;
        while (rig.commands < MOST - 1 && b.s.t.trace(b.s.t.self)->quiet)
            tick(&b, IFD_ORDER_NONE);
        assert_int_equal(rig.samples - says.from + 1, 511); /* and the one before */
        assert_int_equal(ifd_hybrid_count(b.s.h, IFD_TRIP_FORCE_RATE), over);
        bench_close(&b);
    }
}

/* Ticks in which a substructure on a worker is not ready. Simulated time is stopped meanwhile. */
TEST(late_parts_are_borne_as_often_as_the_policy_says)
{
    static const struct {
        const char *name;
        ifd_overrun overrun;
        int limit, missed, again; /* missed in succession; then, after a good tick, again */
        ifd_machine state;
    } rows[] = {
        {"none", IFD_OVERRUN_HOLD, 3, 0, 0, IFD_MACHINE_RUN},
        {"hold", IFD_OVERRUN_HOLD, 3, 1, 0, IFD_MACHINE_HOLD},
        {"stop", IFD_OVERRUN_STOP, 3, 1, 0, IFD_MACHINE_RAMP_OUT},
        {"as many as are tolerated", IFD_OVERRUN_EXTRAPOLATE, 3, 3, 0, IFD_MACHINE_RUN},
        {"one more", IFD_OVERRUN_EXTRAPOLATE, 3, 4, 0, IFD_MACHINE_HOLD},
        {"twice as many as are tolerated", IFD_OVERRUN_EXTRAPOLATE, 3, 3, 3, IFD_MACHINE_RUN},
        {"one is tolerated", IFD_OVERRUN_EXTRAPOLATE, 1, 1, 1, IFD_MACHINE_RUN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bench b;
        prepare(&b, ONE);
        b.s.opt.overrun = rows[i].overrun;
        b.s.opt.late_limit = rows[i].limit;
        b.s.opt.late_time = 0.0;
        bench_plays(&b, RUNS "11; from := time; job_late := 1");
        const char *end = ifd_machine_name(rows[i].state);
        if (rows[i].missed > 0) /* time does not pass while a part is missed */
            play(&b.s.p, "%d; state = run; time = from; 1; state = %s; time = from", rows[i].missed - 1, end);
        if (rows[i].state == IFD_MACHINE_RUN)
            play(&b.s.p, "job_late := 0; 8; due := 8 * period; time = from + due +- 1e-12; fault NONE");
        play(&b.s.p, "job_late := 1; %d; state = %s; count.LATE_JOB = %d", rows[i].again, end,
             rows[i].missed + rows[i].again);
        if (rows[i].state != IFD_MACHINE_RUN)
            assert_told(&b, rows[i].name, IFD_TRIP_LATE_JOB, rows[i].missed * period, 0.0);
        bench_close(&b);
    }
}

/* A substructure that is abandoned within a step, under every policy: there is no state for continuation. */
static long given_up_at;

static ifd_fault gives_up(const ifd__substructure *s, const double *x)
{
    (void)s, (void)x;
    return rig.samples >= given_up_at ? IFD_FAULT_LATE : IFD_FAULT_NONE;
}

TEST(a_part_that_is_given_up_ends_the_run)
{
    static const ifd_overrun policies[] = {IFD_OVERRUN_HOLD, IFD_OVERRUN_STOP, IFD_OVERRUN_EXTRAPOLATE};
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        bench b;
        prepare(&b, ONE);
        b.s.opt.overrun = policies[i];
        stand_make(&b.s);
        ifd__substructure_ops fake = *b.s.h->numerical.ops;
        fake.fault = gives_up;
        given_up_at = MOST;
        b.s.h->numerical.ops = &fake;
        play(&b.s.p, RUNS "10; state = run");
        given_up_at = rig.samples + 1;
        play(&b.s.p, "until state = ramp-out within 2; count.LATE_JOB = 1");
        assert_told(&b, "given up", IFD_TRIP_LATE_JOB, 0.0, 0.0);
        bench_close(&b);
    }
}

/* It leads once, and then acknowledges nothing: leading is no acknowledgement. */
static long leads_once(long i)
{
    return i == 1 ? 1000 : -(long)rig.tick;
}

TEST(who_led_once_and_hears_nothing_is_not_armed)
{
    bench b;
    prepare(&b, ONE);
    b.s.opt.arm_samples = 2;
    rig.ahead = leads_once;
    bench_plays(&b, "20 with first = 0; wait COMMUNICATION");
    bench_close(&b);
}

/* No load cell shows a force while all are moved by 1 m. Cells that must show one: all of a real rig, and those of
 * specimens with a stiffness in the case. */
TEST(a_force_is_owed_by_a_real_rig_and_a_known_stiffness)
{
    static const ifd_estimate estimates[] = {{.from = IFD_GROUND, .to = 0, .stiffness = 1e6},
                                             {.from = IFD_GROUND, .to = 1, .stiffness = 1e6}};
    static const struct {
        bool real;
        int first, known; /* estimates that are given */
        int channel;      /* reported; -2: none */
    } rows[] = {{false, 0, 0, -2}, {true, 0, 0, 0}, {false, 0, 1, 0}, {false, 1, 1, 3}, {true, 0, 2, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bench b;
        prepare(&b, BLOCK);
        ifd_rig_ops real = ops;
        real.name = "hydraulic";
        bench_moves(&b, (const double[2]){1.0, 1.0}, (const double[2]){0.0});
        for (int k = 0; k < 2; k++) {
            b.channels[k].limits.force = b.limits[k].force = 1e6;
            b.channels[k].limits.tracking = b.limits[k].tracking = 10.0;
        }
        b.s.opt.step.estimates = rows[i].known;
        b.s.opt.step.estimate = &estimates[rows[i].first];
        b.s.opt.rig = rows[i].real ? &real : &ops;
        b.s.opt.stuck_limit = 1;
        b.s.opt.stuck_time = 0.0;
        stand_make(&b.s);
        for (int k = 0; k < 300 && (rig.commands == 0 || state_now() != IFD_MACHINE_TRIPPED); k++)
            tick(&b, IFD_ORDER_NONE);
        ifd_trip_facts f = ifd_hybrid_trip(b.s.h);
        if (f.trip != (rows[i].channel == -2 ? IFD_TRIP_NONE : IFD_TRIP_FORCE_STUCK))
            fail_msg("row %zu: %s, %s", i, ifd_trip_name(f.trip), ifd_machine_name(state_now()));
        if (rows[i].channel != -2)
            assert_int_equal(f.owner, rows[i].channel);
        bench_close(&b);
    }
}

/* One of three is at rest while all are moved at 1 m/s, 2^-9 m per tick. Its stroke is 15.625 m: 0.001 of it, 2^-6 m,
 * is 8 ticks, and the ninth exceeds it. */
static int stuck;

static double sticks(long i, int k, double shown)
{
    (void)i;
    return k == stuck ? 0.0 : shown;
}

TEST(a_position_is_stuck_beyond_a_thousandth_of_the_stroke)
{
    for (stuck = 0; stuck < 3; stuck++)
        for (int sign = -1; sign <= 1; sign += 2) {
            bench b;
            prepare(&b, BLOCK);
            bench_moves(&b, (const double[2]){sign, sign}, (const double[2]){0.0});
            for (int i = 0; i < 2; i++) {
                b.channels[i].limits.high = b.limits[i].high = 11.625;
                b.channels[i].limits.velocity = b.limits[i].velocity = 1.0;
                b.channels[i].lag = 0.0;
            }
            b.s.opt.ramp_in = period;
            b.s.opt.stuck_limit = 1;
            b.s.opt.stuck_time = 0.0;
            rig.alter = sticks;
            /* the way of the command, and the tolerated number */
            bench_plays(&b,
                        "until state = ramp-in within 2000; until state = tripped within 100; waited = 9\n"
                        "fault FROZEN; fault.channel = %d; fault.value = %.17g; fault.limit = %.17g",
                        stuck == 0 ? 0 : 2 + stuck, 9.0 / 512.0, 1.0 / 64.0);
            bench_close(&b);
        }
}

/* The output of a compensator is checked in run and hold. The number is set directly. */
TEST(a_compensator_that_diverged_ends_run_and_hold)
{
    static const struct {
        const char *until, *then, *state;
        bool ends;
    } rows[] = {{"ready", "0", "ready", false},
                {"ramp-in", "0", "ramp-in", false},
                {"run", "0", "run", true},
                {"run", "hold", "hold", true},
                {"run", "ramp-out", "ramp-out", false}};
    static const double asked[] = {0.0, (double)NAN, (double)INFINITY, -(double)INFINITY};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t j = 0; j < sizeof asked / sizeof *asked; j++) {
            bench b;
            prepare(&b, TWO);
            bench_plays(&b, "until state = %s within 2000; %s; state = %s", rows[i].until, rows[i].then,
                        rows[i].state);
            ifd__interface_of(b.s.h, 1)->requested = asked[j];
            play(&b.s.p, rows[i].ends && j > 0
                             ? "1; fault SOLVER; count.SOLVER = 1; state = ramp-out; fault.channel = 1"
                             : "1; fault NONE; count.SOLVER = 0");
            bench_close(&b);
        }
}

TESTS()
