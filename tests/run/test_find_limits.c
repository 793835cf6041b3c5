/* SPDX-License-Identifier: MIT */
/* Where a rig is found and how it is led back into its stroke, at both sides of every number of it. Judged is what
 * leaves the program: the tick of the first command, its positions, and what the operator is told. The rig shares no
 * code with the library; numbers are such that "equal to the limit" is meant to the bit. */
#include "hybrid_stand.h"

#include <math.h>

/* A period of 2^-9 s; a stroke of 12.5 m, of which 1/200 is 2^-4 m; series of 0.1 s, 52 samples. */
static const double period = 1.0 / 512.0, low = -4.0, high = 8.5, spread = 0.0625;
enum { SERIES = 52, MOST = 8192, GOOD = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS };

/* The rig stands still, and shows what the scene says of its i-th sample, from 1 on: positions, inputs, news. */
static struct {
    double (*show)(long i, int channel);
    uint32_t (*inputs)(long i);
    bool (*fresh)(long i);
    long samples, commands;
    long first; /* the sample before the first command of a position; 0: none yet */
    uint64_t tick;
    double at[MOST], led[3]; /* all commands of the first channel; the first command */
    bool commanded[MOST];
    uint32_t state[MOST];
} rig;

static ifd_status rig_open(ifd_rig *r, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)values, (void)arena, (void)note;
    r->size = 0;
    return IFD_OK;
}

static bool rig_sense(ifd_rig *r, ifd_measure *m, double *x)
{
    (void)x;
    long i = ++rig.samples;
    if (rig.fresh && !rig.fresh(i))
        return false;
    *m = (ifd_measure){.tick = rig.tick, .inputs = rig.inputs ? rig.inputs(i) : GOOD, .time = (double)i};
    m->channels = (uint32_t)r->channels;
    for (int k = 0; k < r->channels; k++)
        m->position[k] = rig.show ? rig.show(i, k) : 0.0;
    return true;
}

static void rig_command(ifd_rig *r, const ifd_command *c, double *x)
{
    (void)x;
    assert_true(rig.commands < MOST);
    rig.tick = c->tick;
    if (c->commanded && rig.first == 0) {
        rig.first = rig.samples;
        memcpy(rig.led, c->position, (size_t)r->channels * sizeof *rig.led);
    }
    rig.at[rig.commands] = c->position[0];
    rig.commanded[rig.commands] = c->commanded;
    rig.state[rig.commands++] = c->state;
}

static const ifd_rig_ops ops = {.abi = IFD_RIG_ABI,
                                .name = "virtual", /* so that a limit may be absent */
                                .summary = "a rig of this test",
                                .open = rig_open,
                                .sense = rig_sense,
                                .command = rig_command};

/* Two interfaces: a jack of its own, and a block that two jacks move; or the first alone. */
typedef struct bench {
    stand s;
    ifd_channel_options channels[2];
    ifd_limits limits[2];
    double matrix[2];
    const char *names[2];
    int second;
    ifd_driven drive;
} bench;

static void set_limits(ifd_limits *l)
{
    l->low = low;
    l->high = high;
    l->velocity = 100.0;
    l->acceleration = 1e5;
}

static void bench_prepare(bench *b, bool block)
{
    memset(b, 0, sizeof *b);
    memset(&rig, 0, sizeof rig);
    b->s.arena = ifd_arena_open();
    ifd_builder *m = ifd_builder_make(b->s.arena);
    ifd_model *model = NULL;
    for (int i = 0; i < 2; i++) {
        ifd_builder_dof(m, i ? "y" : "x", IFD_DOF_X);
        ifd_builder_add(m, IFD_MASS, i, i, 1e12);
        ifd_channel_defaults(&b->channels[i]);
        b->channels[i].name = i ? "block" : "jack";
        b->channels[i].to = i;
        ifd_limits_defaults(&b->limits[i]);
        set_limits(&b->channels[i].limits);
        set_limits(&b->limits[i]);
        b->matrix[i] = 1.0;
        b->names[i] = i ? "right" : "left";
    }
    assert_int_equal(ifd_model_make(b->s.arena, m, &model, NULL), IFD_OK);
    b->second = 1;
    b->drive = (ifd_driven){.drive = {.name = "block", .dofs = 1, .actuators = 2, .matrix = b->matrix},
                            .channel = &b->second,
                            .name = b->names,
                            .limits = b->limits};
    ifd_hybrid_defaults(&b->s.opt);
    b->s.opt.model = model;
    b->s.opt.end = 1000.0;
    b->s.opt.channels = block ? 2 : 1;
    b->s.opt.channel = b->channels;
    b->s.opt.drives = block;
    b->s.opt.drive = &b->drive;
    b->s.opt.rig = &ops;
    b->s.opt.automatic = true;
    ifd_step_options_defaults(ifd_method_find("lsrt2"), 2.0 * period, &b->s.opt.step);
}

static ifd_run_state tick(bench *b, ifd_order order)
{
    return b->s.t.tick(b->s.t.self, &(ifd_tick_in){.order = order});
}

static void bench_close(bench *b)
{
    ifd_hybrid_close(b->s.h);
    ifd_arena_close(b->s.arena);
}

/* What is shown. */
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
static double no_number(long i, int k)
{
    return k == 0 && i <= 5 ? (double)NAN : 0.0;
}
static double block_no_number(long i, int k)
{
    return k == 2 && i <= 5 ? (double)INFINITY : 0.0;
}

/* The tick in which a test that arms by itself first commands, and where. */
static void a_rig_is_found_by_samples_that_agree(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double (*show)(long i, int channel);
        bool block;
        int samples;        /* of the options; 0: as it is */
        double time;        /* s, likewise; -1: as it is */
        long first;         /* sample; 0: never */
        double led[3];      /* first command */
        ifd_wait wait;      /* otherwise */
        int channel;        /* as it is told */
        double value, edge; /* told, and the upper limit that is told */
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
        {"at the ends", lowest, false, 0, -1.0, SERIES, {low}, IFD_WAIT_NONE, -1, 0.0, 0.0},
        {"below", too_low, false, 0, -1.0, 0, {0.0}, IFD_WAIT_OUTSIDE, 0, -0x1.0000000000001p+2, high},
        {"above", too_high, false, 0, -1.0, 0, {0.0}, IFD_WAIT_OUTSIDE, 0, 0x1.1000000000001p+3, high},
        {"left above", left_too_high, true, 0, -1.0, 0, {0.0}, IFD_WAIT_OUTSIDE, 3, 0x1.1000000000001p+3, high},
        {"right below", right_too_low, true, 0, -1.0, 0, {0.0}, IFD_WAIT_OUTSIDE, 4, -0x1.0000000000001p+2, high},
        {"no number", no_number, false, 0, -1.0, 5 + SERIES, {0.0}, IFD_WAIT_NONE, -1, 0.0, 0.0},
        {"of a block", block_no_number, true, 0, -1.0, 5 + SERIES, {0.0}, IFD_WAIT_NONE, -1, 0.0, 0.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bench b;
        bench_prepare(&b, rows[i].block);
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
        if (w.wait != rows[i].wait || w.channel != rows[i].channel)
            fail_msg("%s: told %s of %d", rows[i].name, ifd_wait_name(w.wait), w.channel);
        assert_near(w.value, rows[i].value, 0.0, "%s: value", rows[i].name);
        assert_near(w.high, rows[i].edge, 0.0, "%s: limit", rows[i].name);
        assert_near(w.low, rows[i].wait == IFD_WAIT_OUTSIDE ? low : 0.0, 0.0, "%s: lower limit", rows[i].name);
        bench_close(&b);
    }
}

/* The sensor shows zero but in one sample, long after the rig was found: what it may be off by then, and in which
 * samples an order to arm is accepted. */
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

static void an_order_to_arm_needs_a_sample_that_agrees(void **state)
{
    (void)state;
    const struct {
        const char *name;
        double value;
        bool silent;
        ifd_answer answer;
        bool again; /* a new series is needed */
    } rows[] = {
        {"as found", 0.0, false, IFD_ANSWER_NONE, false},
        {"off by the scatter", spread, false, IFD_ANSWER_NONE, false},
        {"below", -spread, false, IFD_ANSWER_NONE, false},
        {"off by more", nextafter(spread, 1.0), false, IFD_ANSWER_RIG_NOT_READY, true},
        {"below", -nextafter(spread, 1.0), false, IFD_ANSWER_RIG_NOT_READY, true},
        {"no number", (double)NAN, false, IFD_ANSWER_RIG_NOT_READY, true},
        {"no news", 0.0, true, IFD_ANSWER_RIG_NOT_READY, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int after = 0; after < 2; after++) {
            bench b;
            bench_prepare(&b, false);
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
            assert_int_equal(b.s.t.trace(b.s.t.self)->answer, refused ? IFD_ANSWER_RIG_NOT_READY : IFD_ANSWER_NONE);
            while (rig.first == 0 && rig.samples < 400)
                tick(&b, IFD_ORDER_ARM);
            /* the sample that did not agree begins a series unless it is no number; it does not agree with the next */
            if (rows[i].again)
                assert_int_equal(rig.first, LATE + SERIES);
            bench_close(&b);
        }
}

/* A mean that lies inside is not enough where the present sample lies outside; nor the reverse. */
static double around_the_edge(long i, int k)
{
    return k == 0 && i % 2 == 0 ? nextafter(high, 9.0) : high - 0.03125;
}

static double mostly_outside(long i, int k)
{
    return k == 0 && i % 4 != 0 ? high + 0.03125 : high;
}

static void who_stands_on_the_edge_is_armed_inside_only(void **state)
{
    (void)state;
    bench b;
    bench_prepare(&b, false);
    rig.show = around_the_edge;
    stand_make(&b.s);
    while (rig.samples < 300 && rig.first == 0)
        tick(&b, IFD_ORDER_NONE);
    assert_int_equal(rig.first, SERIES + 1); /* the 52nd sample lies outside */
    bench_close(&b);
    bench_prepare(&b, false);
    rig.show = mostly_outside;
    stand_make(&b.s);
    while (rig.samples < 300)
        tick(&b, IFD_ORDER_NONE);
    assert_int_equal(rig.first, 0);
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

static void what_keeps_a_rig_from_being_found_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool (*fresh)(long i);
        uint32_t inputs;
        ifd_wait wait;
        long first;
    } rows[] = {
        {"good", NULL, GOOD, IFD_WAIT_MEASURING, SERIES},
        {"stop", NULL, IFD_INPUT_HYDRAULICS, IFD_WAIT_STOP_PRESSED, 30 + SERIES},
        {"both", NULL, 0, IFD_WAIT_STOP_PRESSED, 30 + SERIES},
        {"pressure", NULL, IFD_INPUT_NO_STOP, IFD_WAIT_HYDRAULICS, 30 + SERIES},
        {"stopped", NULL, GOOD | IFD_INPUT_RIG_STOPPED, IFD_WAIT_RIG_STOPPED, 30 + SERIES},
        {"never heard", news_at, GOOD, IFD_WAIT_NO_MEASUREMENT, 30 + SERIES},
        {"silent for 12 ticks", gap_at, GOOD, IFD_WAIT_COMMUNICATION, 31 + SERIES},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bench b;
        bench_prepare(&b, false);
        rig.fresh = rows[i].fresh;
        rig.inputs = inputs_at;
        early_inputs = rows[i].inputs;
        stand_make(&b.s);
        while (rig.samples < 30)
            tick(&b, IFD_ORDER_NONE);
        if (ifd_hybrid_wait(b.s.h).wait != rows[i].wait)
            fail_msg("%s: told %s", rows[i].name, ifd_wait_name(ifd_hybrid_wait(b.s.h).wait));
        while (rig.samples < 300 && rig.first == 0)
            tick(&b, IFD_ORDER_NONE);
        if (rig.first != rows[i].first)
            fail_msg("%s: first command after %ld, expected %ld", rows[i].name, rig.first, rows[i].first);
        bench_close(&b);
    }
}

/* 512 periods are a second: the 513th tick is the first beyond it. Not where nobody wants to arm by itself. */
static void a_test_that_cannot_be_armed_gives_up_in_time(void **state)
{
    (void)state;
    static const struct {
        double (*show)(long i, int channel);
        double value, limit;
        bool by_hand;
    } rows[] = {{too_low, -0x1.0000000000001p+2, low, false},
                {too_high, 0x1.1000000000001p+3, high, false},
                {too_low, 0.0, 0.0, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bench b;
        bench_prepare(&b, false);
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
            assert_int_equal(f.channel, 0);
            assert_near(f.value, rows[i].value, 0.0, "value");
            assert_near(f.limit, rows[i].limit, 0.0, "limit");
        }
        assert_int_equal(rig.first, 0);
        bench_close(&b);
    }
}

/* In state tripped a rig that rests is commanded its place while it is in touch: heard, acknowledging, its positions
 * numbers, not stopped by itself. Without pressure nothing is commanded in any state. */
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

static void a_tripped_rig_is_commanded_while_it_is_in_touch(void **state)
{
    (void)state;
    static const long until[] = {MOST, 299, 299,
                                 MOST, 299, 309}; /* the last sample with a command; ten silent ones are borne */
    for (trouble = 0; trouble < 6; trouble++) {
        bench b;
        bench_prepare(&b, false);
        rig.show = trouble_position;
        rig.inputs = trouble_inputs;
        rig.fresh = trouble_news;
        b.s.opt.wait_tripped = true;
        stand_make(&b.s);
        while (rig.samples < 200)
            tick(&b, IFD_ORDER_NONE);
        tick(&b, IFD_ORDER_TRIP);
        while (rig.samples < 400)
            tick(&b, IFD_ORDER_NONE);
        for (long k = 200; k < rig.commands; k++)
            if (rig.commanded[k] != (k + 1 <= until[trouble]))
                fail_msg("trouble %ld: command %ld", trouble, k + 1);
        bench_close(&b);
    }
}

static void names_of_what_is_waited_for_end_where_the_list_ends(void **state)
{
    (void)state;
    assert_string_equal(ifd_wait_name(IFD_WAIT_ORDER), "ORDER");
    assert_string_equal(ifd_wait_text(IFD_WAIT_ORDER), "the order to arm");
    assert_string_equal(ifd_wait_name(IFD_WAIT_COUNT), "UNKNOWN");
    assert_string_equal(ifd_wait_text(IFD_WAIT_COUNT), "something unknown");
}

/* Of a jack, a block and its two jacks. */
static void limits_are_told_of_interfaces_and_actuators(void **state)
{
    (void)state;
    bench b;
    bench_prepare(&b, true);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rig_is_found_by_samples_that_agree),
        cmocka_unit_test(an_order_to_arm_needs_a_sample_that_agrees),
        cmocka_unit_test(who_stands_on_the_edge_is_armed_inside_only),
        cmocka_unit_test(what_keeps_a_rig_from_being_found_is_told),
        cmocka_unit_test(a_test_that_cannot_be_armed_gives_up_in_time),
        cmocka_unit_test(a_tripped_rig_is_commanded_while_it_is_in_touch),
        cmocka_unit_test(names_of_what_is_waited_for_end_where_the_list_ends),
        cmocka_unit_test(limits_are_told_of_interfaces_and_actuators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
