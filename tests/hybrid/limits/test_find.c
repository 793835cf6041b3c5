/* SPDX-License-Identifier: MIT */
/* Search for a rig and its return into the stroke, at both sides of every number. The outputs are checked: the tick
 * of the first command, its positions, and the reported condition. The rig has no common code with the library;
 * numbers are exact in binary. */
#include "hybrid/find_scene.h"

/* Shown values. */
static double scatters(long i, int k)
{
    return k == 0 && i % 2 == 0 ? spread : 0.0;
}
static double scatters_more(long i, int k)
{
    return k == 0 && i % 2 == 0 ? nextafter(spread, 1.0) : 0.0;
}
static double block_scatters(long i, int k)
{
    return k == 2 && i % 2 == 0 ? -spread : 0.0;
}
static double block_scatters_more(long i, int k)
{
    return k == 2 && i % 2 == 0 ? -nextafter(spread, 1.0) : 0.0;
}
static double jumps(long i, int k)
{
    return k == 0 && i >= 20 ? 1.0 : 0.0;
}
static double highest(long i, int k)
{
    return k == 0 && i > 0 ? high : 0.0;
}
static double lowest(long i, int k)
{
    return k == 1 && i > 0 ? high : low;
}
static double too_low(long i, int k)
{
    return k == 0 && i > 0 ? nextafter(low, -9.0) : 0.0;
}
static double too_high(long i, int k)
{
    return k == 0 && i > 0 ? nextafter(high, 9.0) : 0.0;
}
static double left_too_high(long i, int k)
{
    return k == 1 && i > 0 ? nextafter(high, 9.0) : 0.0;
}
static double right_too_low(long i, int k)
{
    return k == 2 && i > 0 ? nextafter(low, -9.0) : 0.0;
}
static double block_pressed(long i, int k)
{
    return k == 1 && i > 0 ? 1.25 : k == 2 ? 1.0 : 0.0;
}
static double no_number(long i, int k)
{
    return k == 0 && i <= 5 ? (double)NAN : 0.0;
}
static double block_no_number(long i, int k)
{
    return k == 2 && i <= 5 ? (double)INFINITY : 0.0;
}

/* The tick and position of the first command of a test with automatic arming. */
TEST(a_rig_is_found_by_samples_that_agree)
{
    static const struct {
        const char *name;
        double (*show)(long i, int channel);
        bool block;
        int samples;        /* of the options; 0: default */
        double time;        /* s, likewise; -1: default */
        long first;         /* sample; 0: never */
        double led[3];      /* first command */
        ifd_wait wait;      /* otherwise */
        int channel;        /* as reported */
        double value, edge; /* reported value, and reported upper limit */
    } rows[] = {
        {"at rest", NULL, false, 0, -1.0, SERIES, {0.0}, IFD_WAIT_NONE, -1, 0.0, 0.0},
        {"ten", NULL, false, 0, 10.0 / 512.0, 10, {0.0}, IFD_WAIT_NONE, -1, 0.0, 0.0},
        {"eleven", NULL, false, 0, 10.0 / 512.0 + 1e-9, 11, {0.0}, IFD_WAIT_NONE, -1, 0.0, 0.0},
        {"twenty", NULL, false, 20, 10.0 / 512.0, 20, {0.0}, IFD_WAIT_NONE, -1, 0.0, 0.0},
        {"scatters", scatters, false, 0, -1.0, SERIES, {0.03125}, IFD_WAIT_NONE, -1, 0.0, 0.0},
        {"too much", scatters_more, false, 0, -1.0, 0, {0.0}, IFD_WAIT_NOT_AT_REST, 0, 0x1.0000000000001p-4, spread},
        {"a jack of two", block_scatters, true, 0, -1.0, SERIES, {0.0, 0.0, -0.03125}, IFD_WAIT_NONE, -1, 0.0, 0.0},
        {"too much",
         block_scatters_more,
         true,
         0,
         -1.0,
         0,
         {0.0},
         IFD_WAIT_NOT_AT_REST,
         4,
         0x1.0000000000001p-4,
         spread},
        {"jumps", jumps, false, 0, -1.0, 19 + SERIES, {1.0}, IFD_WAIT_NONE, -1, 0.0, 0.0},
        {"at the upper end", highest, false, 0, -1.0, SERIES, {high}, IFD_WAIT_NONE, -1, 0.0, 0.0},
        {"at the ends", lowest, false, 0, -1.0, SERIES, {low}, IFD_WAIT_NONE, -1, 0.0, 0.0},
        {"below", too_low, false, 0, -1.0, 0, {0.0}, IFD_WAIT_OUTSIDE, 0, -0x1.0000000000001p+2, high},
        {"above", too_high, false, 0, -1.0, 0, {0.0}, IFD_WAIT_OUTSIDE, 0, 0x1.1000000000001p+3, high},
        {"left above", left_too_high, true, 0, -1.0, 0, {0.0}, IFD_WAIT_OUTSIDE, 3, 0x1.1000000000001p+3, high},
        {"right below", right_too_low, true, 0, -1.0, 0, {0.0}, IFD_WAIT_OUTSIDE, 4, -0x1.0000000000001p+2, high},
        {"no number", no_number, false, 0, -1.0, 5 + SERIES, {0.0}, IFD_WAIT_NONE, -1, 0.0, 0.0},
        {"of a block", block_no_number, true, 0, -1.0, 5 + SERIES, {0.0}, IFD_WAIT_NONE, -1, 0.0, 0.0},
        {"pressed", block_pressed, true, 0, -1.0, SERIES, {0.0, 1.25, 1.0}, IFD_WAIT_NONE, -1, 0.0, 0.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bench b;
        bench_prepare(&b, rows[i].block ? BLOCK : ONE);
        rig.show = rows[i].show;
        if (rows[i].samples)
            b.s.opt.arm_samples = rows[i].samples;
        if (rows[i].time >= 0.0)
            b.s.opt.arm_time = rows[i].time;
        stand_make(&b.s);
        for (long k = 0; k < 300 && rig.first == 0; k++)
            assert_int_equal(tick(&b, IFD_ORDER_NONE), IFD_RUN_GOING);
        if (rig.first != rows[i].first)
            fail_msg("%s: first command after %ld samples, expected %ld", rows[i].name, rig.first, rows[i].first);
        for (int k = 0; k < (rows[i].block ? 3 : 1); k++)
            assert_near(rig.led[k], rows[i].led[k], 1e-15, "%s: channel %d", rows[i].name, k);
        ifd_wait_facts w = ifd_hybrid_wait(b.s.h);
        if (w.wait != rows[i].wait || w.owner != rows[i].channel)
            fail_msg("%s: told %s of %d", rows[i].name, ifd_wait_name(w.wait), w.owner);
        for (int n = 0; n < 3 && rig.first;
             n++) { /* arming causes no jump; ramp-in starts with 8.5 m 10 (3/1024)^3 */
            tick(&b, IFD_ORDER_NONE);
            for (int k = 0; k < (rows[i].block ? 3 : 1); k++)
                assert_near(rig.at[rig.commands - 1][k], rig.led[k], 2.2e-6, "%s: channel %d", rows[i].name, k);
        }
        assert_near(w.value, rows[i].value, 0.0, "%s: value", rows[i].name);
        assert_near(w.high, rows[i].edge, 0.0, "%s: limit", rows[i].name);
        assert_near(w.low, rows[i].wait == IFD_WAIT_OUTSIDE ? low : 0.0, 0.0, "%s: lower limit", rows[i].name);
        bench_close(&b);
    }
}

/* The sensor shows zero except in one sample, long after the search: permitted deviation, and samples in which an
 * order to arm is accepted. */
static double late_value;
static bool late_silent;
enum { LATE = 200 };

static double late(long i, int k)
{
    return k == 0 && i == LATE ? late_value : 0.0;
}
static bool late_news(long i)
{
    return !late_silent || i != LATE;
}

TEST(an_order_to_arm_needs_a_sample_that_agrees)
{
    const struct {
        const char *name;
        double value;
        bool silent;
        ifd_answer answer;
        bool again; /* a new series is required */
    } rows[] = {
        {"as found", 0.0, false, IFD_ANSWER_NONE, false},
        {"off by the scatter", spread, false, IFD_ANSWER_NONE, false},
        {"below", -spread, false, IFD_ANSWER_NONE, false},
        {"off by more", nextafter(spread, 1.0), false, IFD_ANSWER_RIG_NOT_READY, true},
        {"below", -nextafter(spread, 1.0), false, IFD_ANSWER_RIG_NOT_READY, true},
        {"no number", (double)NAN, false, IFD_ANSWER_RIG_NOT_READY, true},
        {"no news in its tick", 0.0, true, IFD_ANSWER_NOT_FRESH, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int after = 0; after < 2; after++) {
            bench b;
            bench_prepare(&b, ONE);
            rig.show = late;
            rig.fresh = late_news;
            late_value = rows[i].value;
            late_silent = rows[i].silent;
            b.s.opt.automatic = false;
            stand_make(&b.s);
            for (long k = 1; k < LATE + after; k++)
                tick(&b, IFD_ORDER_NONE);
            tick(&b, IFD_ORDER_ARM);
            bool refused = after ? rows[i].again : rows[i].answer != IFD_ANSWER_NONE;
            if (rig.first != (refused ? 0 : LATE + after))
                fail_msg("%s, %d later: first command after %ld", rows[i].name, after, rig.first);
            assert_int_equal(b.s.t.trace(b.s.t.self)->answer, refused ? rows[i].answer : IFD_ANSWER_NONE);
            while (rig.first == 0 && rig.samples < 400)
                tick(&b, IFD_ORDER_ARM);
            /* the deviating sample starts a series unless it is not finite; the next does not agree with it */
            if (rows[i].again)
                assert_int_equal(rig.first, LATE + SERIES);
            bench_close(&b);
        }
}

/* The line `waiting` shows the order, so the refusal itself tells what is missing. */
TEST(a_tick_without_a_measurement_is_named)
{
    const char *text = ifd_answer_text(IFD_ANSWER_NOT_FRESH);
    assert_true(ifd_answer_refuses(IFD_ANSWER_NOT_FRESH));
    assert_non_null(strstr(text, "no new measurement in this tick"));
    assert_non_null(strstr(text, "Give the order again"));
}

/* Found, without automatic arming; found again after a test. */
TEST(an_order_to_arm_is_waited_for)
{
    for (int automatic = 0; automatic < 2; automatic++) {
        bench b;
        bench_prepare(&b, ONE);
        b.s.opt.automatic = automatic;
        b.s.opt.wait_tripped = true;
        bench_plays(&b, "until samples >= 100");
        assert_int_equal(rig.first != 0, automatic);
        if (automatic) {
            play(&b.s.p, "wait NONE; trip; 20 reset; until samples >= 300; state = idle");
        }
        ifd_wait_facts w = ifd_hybrid_wait(b.s.h);
        assert_int_equal(w.wait, IFD_WAIT_ORDER);
        assert_int_equal(w.owner, -1);
        assert_near(w.seconds, 0.0, 0.0, "its patience is not used up");
        bench_close(&b);
    }
}

/* A mean inside is not sufficient if the present sample is outside; nor the reverse. */
static double around_the_edge(long i, int k)
{
    return k == 0 && i % 2 == 0 ? nextafter(high, 9.0) : high - 0.03125;
}

static double mostly_outside(long i, int k)
{
    return k == 0 && i % 4 != 0 ? high + 0.03125 : high;
}

TEST(who_stands_on_the_edge_is_armed_inside_only)
{
    bench b;
    bench_prepare(&b, ONE);
    rig.show = around_the_edge;
    stand_make(&b.s);
    while (rig.samples < 300 && rig.first == 0)
        tick(&b, IFD_ORDER_NONE);
    assert_int_equal(rig.first, SERIES + 1); /* the 52nd sample is outside */
    bench_close(&b);
    bench_prepare(&b, ONE);
    rig.show = mostly_outside;
    bench_plays(&b, "until samples >= 300; first = 0");
    assert_near(ifd_hybrid_wait(b.s.h).value, high + 0.0234375, 1e-15, "the place that was found");
    bench_close(&b);
}

/* Inputs and silence until sample 30. */
static uint32_t early_inputs;

static uint32_t inputs_at(long i)
{
    return i <= 30 ? early_inputs : GOOD;
}
static bool news_at(long i)
{
    return i > 30;
}
static bool gap_at(long i)
{
    return i < 20 || i > 31;
}

static bool short_gap_at(long i)
{
    return i < 20 || i > 29;
}
static long ahead_by_3(long i)
{
    return i <= 30 ? 3 : 0;
}

TEST(what_keeps_a_rig_from_being_found_is_told)
{
    static const struct {
        const char *name;
        bool (*fresh)(long i);
        uint32_t inputs;
        ifd_wait wait;
        double value, high; /* reported */
        long first;
        long (*ahead)(long i);
    } rows[] = {
        {"good", NULL, GOOD, IFD_WAIT_MEASURING, 30.0, SERIES, SERIES, NULL},
        {"stop", NULL, IFD_INPUT_HYDRAULICS, IFD_WAIT_STOP_PRESSED, 0.0, 0.0, 30 + SERIES, NULL},
        {"both", NULL, 0, IFD_WAIT_STOP_PRESSED, 0.0, 0.0, 30 + SERIES, NULL},
        {"pressure", NULL, IFD_INPUT_NO_STOP, IFD_WAIT_HYDRAULICS, 0.0, 0.0, 30 + SERIES, NULL},
        {"stopped", NULL, GOOD | IFD_INPUT_RIG_STOPPED, IFD_WAIT_RIG_STOPPED, 0.0, 0.0, 30 + SERIES, NULL},
        {"never heard", news_at, GOOD, IFD_WAIT_NO_MEASUREMENT, 0.0, 0.0, 30 + SERIES, NULL},
        {"silent for 12 ticks", gap_at, GOOD, IFD_WAIT_COMMUNICATION, 11.0, 10.0, 31 + SERIES, NULL},
        {"silent for 10 ticks", short_gap_at, GOOD, IFD_WAIT_MEASURING, 20.0, SERIES, 10 + SERIES, NULL},
        {"acknowledges what was not sent", NULL, GOOD, IFD_WAIT_COMMUNICATION, 3.0, 0.0, 30 + SERIES, ahead_by_3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bench b;
        bench_prepare(&b, ONE);
        rig.fresh = rows[i].fresh;
        rig.ahead = rows[i].ahead;
        rig.inputs = inputs_at;
        early_inputs = rows[i].inputs;
        b.s.opt.stale_fraction = 1.0; /* the share of ticks with a measurement is tested elsewhere */
        stand_make(&b.s);
        ifd_wait_facts w = ifd_hybrid_wait(b.s.h);
        assert_true(w.wait == IFD_WAIT_NO_MEASUREMENT && w.owner == -1);
        play(&b.s.p, "until samples >= 30");
        w = ifd_hybrid_wait(b.s.h);
        if (w.wait != rows[i].wait)
            fail_msg("%s: told %s", rows[i].name, ifd_wait_name(w.wait));
        assert_int_equal(w.owner, -1);
        assert_near(w.value, rows[i].value, 0.0, "%s: value", rows[i].name);
        assert_near(w.low, 0.0, 0.0, "%s: low", rows[i].name);
        assert_near(w.high, rows[i].high, 0.0, "%s: high", rows[i].name);
        while (rig.samples < 300 && rig.first == 0)
            tick(&b, IFD_ORDER_NONE);
        if (rig.first != rows[i].first)
            fail_msg("%s: first command after %ld, expected %ld", rows[i].name, rig.first, rows[i].first);
        bench_close(&b);
    }
}

/* 512 periods are a second: the 513th tick is the first beyond it. No timeout without automatic arming. */
TEST(a_test_that_cannot_be_armed_gives_up_in_time)
{
    static const struct {
        double (*show)(long i, int channel);
        double value, limit;
        bool by_hand;
    } rows[] = {{too_low, -0x1.0000000000001p+2, low, false},
                {too_high, 0x1.1000000000001p+3, high, false},
                {too_low, 0.0, 0.0, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bench b;
        bench_prepare(&b, ONE);
        rig.show = rows[i].show;
        b.s.opt.arm_timeout = 1.0;
        b.s.opt.automatic = !rows[i].by_hand;
        stand_make(&b.s);
        long ticks = 1;
        while (ticks < 1000 && tick(&b, IFD_ORDER_NONE) == IFD_RUN_GOING)
            ticks++;
        ifd_trip_facts f = ifd_hybrid_trip(b.s.h);
        assert_int_equal(ticks, rows[i].by_hand ? 1000 : 513);
        assert_int_equal(f.trip, rows[i].by_hand ? IFD_TRIP_NONE : IFD_TRIP_NOT_ARMED);
        assert_int_equal(ifd_hybrid_count(b.s.h, IFD_TRIP_NOT_ARMED), !rows[i].by_hand);
        if (!rows[i].by_hand) {
            assert_int_equal(f.tick, 513);
            assert_int_equal(f.owner, 0);
            assert_near(f.value, rows[i].value, 0.0, "value");
            assert_near(f.limit, rows[i].limit, 0.0, "limit");
        }
        assert_int_equal(rig.first, 0);
        bench_close(&b);
    }
}

/* In states tripped and stopped a rig at rest is commanded to hold while it communicates: measurements and
 * acknowledgements arrive, positions are finite, it has not stopped by itself. Without pressure nothing is commanded
 * in any state. */
static long trouble;

static uint32_t trouble_inputs(long i)
{
    static const uint32_t as[] = {GOOD, IFD_INPUT_NO_STOP, GOOD | IFD_INPUT_RIG_STOPPED, IFD_INPUT_HYDRAULICS, GOOD,
                                  GOOD};
    return i >= 300 ? as[trouble] : GOOD;
}
static double trouble_position(long i, int k)
{
    return i >= 300 && trouble == 4 && k == 0 ? (double)NAN : 0.0;
}
static bool trouble_news(long i)
{
    return i < 300 || trouble != 5;
}

TEST(a_test_that_is_over_holds_its_rig_while_it_is_in_touch)
{
    static const long until[] = {MOST, 299, 299,
                                 MOST, 299, 309}; /* the last sample with a command; ten silent ones are tolerated */
    for (int row = 0; row < 24; row++) {
        bool stopped = row >= 12;
        trouble = row % 6;
        bench b;
        bench_prepare(&b, row / 6 % 2 ? BLOCK : ONE);
        rig.show = trouble_position;
        rig.inputs = trouble_inputs;
        rig.fresh = trouble_news;
        b.s.opt.wait_tripped = true;
        b.s.opt.settle = 0.0625;
        b.s.opt.ramp_in = 0.0625;
        bench_plays(&b, "until samples >= 200");
        tick(&b, stopped ? IFD_ORDER_RAMP_OUT : IFD_ORDER_TRIP);
        play(&b.s.p, "until samples >= 299");
        assert_int_equal(rig.state[rig.commands - 1], stopped ? IFD_MACHINE_STOPPED : IFD_MACHINE_TRIPPED);
        play(&b.s.p, "until samples >= 400");
        for (long k = 200; k < rig.commands; k++)
            if (rig.commanded[k] != (k + 1 <= until[trouble]))
                fail_msg("row %d: command %ld", row, k + 1);
        bench_close(&b);
    }
}

static double interlocked[2];
static double interlocks(long i, int channel)
{
    (void)i;
    return channel < 2 ? interlocked[channel] : 0.0;
}

/* At both ends of the range, for each of two channels; it does not trip a test that is armed. */
TEST(an_interlock_prevents_arming_outside_its_range)
{
    static const struct {
        double first, second;
        int wrong; /* -1: none */
    } rows[] = {{1.0, 1.0, -1},
                {1.5, 2.0, -1},
                {0x1.fffffffffffffp-1, 1.0, 0},
                {1.0, 0x1.0000000000001p+1, 1},
                {0x1.0000000000001p+1, 1.0, 0},
                {2.0, 0x1.fffffffffffffp-1, 1},
                {0.5, 0.5, 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        bench b;
        ifd_channel_row row[2];
        bench_prepare(&b, BLOCK);
        for (int k = 0; k < 2; k++) {
            ifd_channel_row_defaults(&row[k]);
            row[k].name = k ? "oil" : "door";
            row[k].unit = "V";
            row[k].source = IFD_SOURCE_POSITION;
            row[k].input = k;
            row[k].arm_low = 1.0;
            row[k].arm_high = 2.0;
        }
        const ifd_channel_map map = {.rows = 2, .row = row};
        b.s.opt.map = &map;
        b.s.opt.automatic = false;
        rig.show = interlocks;
        interlocked[0] = rows[i].first;
        interlocked[1] = rows[i].second;
        b.matrix[1] = 1.0;
        bench_plays(&b, "%ld", (long)(4 * SERIES));
        ifd_wait_facts w = ifd_hybrid_wait(b.s.h);
        if (rows[i].wrong >= 0 && w.wait == IFD_WAIT_INTERLOCK) {
            assert_int_equal(w.owner, b.s.opt.interfaces + ifd_hybrid_actuators(b.s.h) + rows[i].wrong);
            assert_near(w.value, interlocked[rows[i].wrong], 0.0, "value");
            assert_true(w.low == 1.0 && w.high == 2.0);
        } else
            assert_int_equal(rows[i].wrong >= 0 ? IFD_WAIT_INTERLOCK : IFD_WAIT_ORDER, w.wait);
        tick(&b, IFD_ORDER_ARM);
        const ifd_tick_trace *t = b.s.t.trace(b.s.t.self);
        assert_int_equal(t->answer, rows[i].wrong < 0 ? IFD_ANSWER_NONE : IFD_ANSWER_INTERLOCK);
        assert_int_equal(ifd_hybrid_state(b.s.h), rows[i].wrong < 0 ? IFD_MACHINE_READY : IFD_MACHINE_IDLE);
        if (rows[i].wrong >= 0) {
            assert_int_equal(t->answer_owner, rows[i].wrong);
            assert_near(t->answer_value, interlocked[rows[i].wrong], 0.0, "value of the answer");
        }
        bench_close(&b);
    }
}

TEST(names_of_what_is_waited_for_end_where_the_list_ends)
{
    assert_string_equal(ifd_wait_name(IFD_WAIT_ORDER), "ORDER");
    assert_string_equal(ifd_wait_text(IFD_WAIT_ORDER), "the order to arm");
    assert_string_equal(ifd_wait_name(IFD_WAIT_COUNT), "UNKNOWN");
    assert_string_equal(ifd_wait_text(IFD_WAIT_COUNT), "an unknown condition");
}

/* Of a jack, a block and its two jacks. */
TEST(limits_are_told_of_interfaces_and_actuators)
{
    bench b;
    bench_prepare(&b, BLOCK);
    b.channels[0].limits.high = 1.0;
    b.channels[1].limits.high = 2.0;
    b.limits[0].high = 3.0;
    b.limits[1].high = 4.0;
    stand_make(&b.s);
    const double expected[] = {0.0, 1.0, 2.0, 1.0, 3.0, 4.0, 0.0};
    for (int who = -1; who < 6; who++) {
        double edges[2] = {9.0, 9.0};
        ifd_hybrid_wait_limits(b.s.h, who, &edges[0], &edges[1]);
        assert_near(edges[1], expected[who + 1], 0.0, "high of %d", who);
        assert_near(edges[0], expected[who + 1] > 0.0 ? low : 0.0, 0.0, "low of %d", who);
    }
    bench_close(&b);
}

TESTS()
