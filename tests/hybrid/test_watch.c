/* SPDX-License-Identifier: MIT */
/* The monitor of stability: a loop that a delay of the actuator makes unstable is held before a limit is reached, and
 * a stable one is left alone. Judged on the commands that the rig receives, and on its positions. */
#include "check.h"
#include "fixture.h"

#include <string.h>

#include <interfield/case.h>
#include <interfield/virtual.h>

#include "hybrid/hybrid.h"

/* loop.yaml: the critical delay is c/k = 2 ms; a tick is 1/1024 s. */
#define CASE IFD_SOURCE_DIR "/tests/hybrid/loop.yaml"

static ifd_rig_ops rig;
static double far; /* m, largest command in run and hold */

static void command(ifd_rig *r, const ifd_command *c, double *x)
{
    if (c->state == IFD_MACHINE_RUN || c->state == IFD_MACHINE_HOLD)
        far = fmax(far, fabs(c->position[0]));
    ifd_virtual_rig.command(r, c, x);
}

typedef struct stand {
    ifd_hybrid *h;
    ifd_ticked t;
} stand;

static void open_stand(stand *s, double delay, int count, const char *const *more)
{
    const char *set[8];
    char late[80];
    ifd_case *c;
    snprintf(late, sizeof late, "specimen.0.actuator={delay: {delay: %.9g s}}", delay);
    int sets = 0;
    if (delay > 0)
        set[sets++] = late;
    for (int i = 0; i < count; i++)
        set[sets++] = more[i];
    ifd_status status = ifd_case_read(arena, CASE, sets, set, &c, &note);
    for (const ifd_finding *f = note.first; f && status != IFD_OK; f = f->next)
        print_error("%s\n", f->text);
    assert_int_equal(status, IFD_OK);
    ifd_hybrid_options o = *c->test;
    rig = ifd_virtual_rig;
    rig.command = command;
    o.rig = &rig;
    far = 0;
    assert_int_equal(ifd_hybrid_make(arena, &o, &s->h, &note), IFD_OK);
    s->t = ifd_hybrid_ticked(s->h);
}

static void run_on(stand *s, double t)
{
    for (long k = 0; k < 40000 && ifd_hybrid_time(s->h) < t; k++) {
        s->t.tick(s->t.self, &(ifd_tick_in){0});
        ifd_machine state = ifd_hybrid_state(s->h);
        if (state == IFD_MACHINE_HOLD || state == IFD_MACHINE_TRIPPED || state == IFD_MACHINE_RAMP_OUT)
            return;
    }
}

static long noted(const stand *s)
{
    return ifd_hybrid_count(s->h, IFD_TRIP_LOOP_ENERGY) + ifd_hybrid_count(s->h, IFD_TRIP_LOOP_DELAY) +
           ifd_hybrid_count(s->h, IFD_TRIP_LOOP_CAUTION) + ifd_hybrid_count(s->h, IFD_TRIP_LOOP_SLOWED);
}

/* Twelve ticks, six times the critical delay: without the monitor the motion would reach 68 mm at 4 s. */
TEST_IN_ARENA(an_unstable_loop_is_held_before_it_moves_far)
{
    stand s;
    open_stand(&s, 12.0 / 1024, 0, NULL);
    run_on(&s, 10);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_HOLD);
    ifd_trip_facts f = ifd_hybrid_trip(s.h);
    assert_string_equal(ifd_trip_name(f.trip), "LOOP_ENERGY");
    assert_true(f.value > 1.0 && f.limit == 1.0);
    assert_near(ifd_hybrid_time(s.h), 1.1, 0.03, "window and persistence");
    for (int k = 0; k < 2000; k++)
        s.t.tick(s.t.self, &(ifd_tick_in){0});
    assert_true(far < 0.03);
    ifd_hybrid_close(s.h);
}

/* 1.5 times the critical delay: grows slowly, and is still held. */
TEST_IN_ARENA(a_loop_just_beyond_its_margin_is_held)
{
    stand s;
    open_stand(&s, 3.0e-3, 0, NULL);
    run_on(&s, 10);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_HOLD);
    assert_true(far < 0.015);
    ifd_hybrid_close(s.h);
}

TEST_IN_ARENA(a_stable_loop_is_left_alone)
{
    static const double delay[] = {0, 0.9e-3, 1.5e-3};
    for (size_t i = 0; i < COUNT(delay); i++) {
        stand s;
        open_stand(&s, delay[i], 0, NULL);
        run_on(&s, 9.9);
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RUN);
        assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_LOOP_ENERGY), 0);
        assert_int_equal(noted(&s) > 0, delay[i] > 1e-3); /* 0.75 of the critical delay: caution */
        ifd_hybrid_close(s.h);
    }
}

/* Without damping every delay makes the loop unstable, and no dissipated energy is there to compare with. */
TEST_IN_ARENA(an_undamped_loop_is_held)
{
    static const double delay[] = {0, 2.5e-3};
    for (size_t i = 0; i < COUNT(delay); i++) {
        stand s;
        const char *const set[] = {"model.damping=[0]"};
        open_stand(&s, delay[i], 1, set);
        run_on(&s, 9.9);
        assert_int_equal(ifd_hybrid_state(s.h), i ? IFD_MACHINE_HOLD : IFD_MACHINE_RUN);
        assert_int_equal(noted(&s) > 0, i > 0);
        assert_true(far < 0.015);
        ifd_hybrid_close(s.h);
    }
}

TEST_IN_ARENA(a_level_of_each_rule_can_trip)
{
    static const struct {
        double delay;
        const char *set, *fault;
    } row[] = {{12.0 / 1024, "test.monitor={hold: trip}", "LOOP_ENERGY"},
               {1.5e-3, "test.monitor={delay-margin: 1.6 ms, hold: trip}", "LOOP_DELAY"},
               {6.0 / 1024, "test.monitor={window: 100 s, passivity: trip}", "LOOP_PASSIVITY"},
               {12.0 / 1024, "test.monitor={window: 100 s, growth-frequency: 1.5915 Hz, hold: trip}", "LOOP_GROWTH"}};
    for (size_t i = 0; i < COUNT(row); i++) {
        stand s;
        open_stand(&s, row[i].delay, 1, &row[i].set);
        run_on(&s, 10);
        assert_string_equal(ifd_trip_name(ifd_hybrid_trip(s.h).trip), row[i].fault);
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_TRIPPED);
        ifd_hybrid_close(s.h);
    }
}

/* At half of the rate the actuator is late by half as much of the simulated time: 1.5 times the critical delay
 * becomes 0.75 of it, and the motion decays. */
TEST_IN_ARENA(a_slower_test_becomes_stable)
{
    stand s;
    const char *const set[] = {"test.monitor={act: slow, hold: note}"};
    open_stand(&s, 3.0e-3, 1, set);
    run_on(&s, 5);
    assert_true(ifd_hybrid_count(s.h, IFD_TRIP_LOOP_SLOWED) == 1);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RUN);
    assert_near(ifd__test_of(s.h)->rate, 0.5, 1e-12, "rate");
    double before = far;
    far = 0;
    run_on(&s, 9);
    /* e^(0.05 1.1) = 1.06 of 10 mm before; from there to 5 s e^(-0.025 3.9) = 0.91 */
    assert_near(before, 0.0106, 3e-4, "largest command before");
    assert_near(far / before, 0.91, 0.04, "from 5 s on");
    ifd_hybrid_close(s.h);
}

/* The rate is halved once: a second level with `slow` has nothing to slow down, and is a note. */
TEST_IN_ARENA(a_slowed_test_is_not_called_slowed_again)
{
    stand s;
    const char *const set[] = {"test.monitor={caution: slow, act: slow, hold: note, persist: 0}"};
    open_stand(&s, 6.0e-3, 1, set);
    run_on(&s, 3);
    assert_near(ifd__test_of(s.h)->rate, 0.5, 1e-12, "rate");
    assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_LOOP_SLOWED), 1);
    assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_LOOP_CAUTION), 2);
    ifd_hybrid_close(s.h);
}

/* The window remains simulated time: over half a period the ratio is even, over a quarter it would not be. */
TEST_IN_ARENA(the_window_of_a_slower_test_is_as_long)
{
    stand s;
    const char *const set[] = {"test.monitor={caution: slow, hold: note, window: 0.31416 s, persist: 0}"};
    double least = INFINITY, most = 0;
    open_stand(&s, 1.5e-3, 1, set);
    run_on(&s, 2);
    assert_near(ifd__test_of(s.h)->rate, 0.5, 1e-12, "rate");
    int count, ratio = ifd_column_find(ifd_hybrid_columns(s.h, &count), s.t.count, "", IFD_COLUMN_LOOP_RATIO);
    assert_true(ratio >= 0);
    for (int k = 0; k < 3000; k++) {
        s.t.tick(s.t.self, &(ifd_tick_in){0});
        least = fmin(least, s.t.values(s.t.self)[ratio]);
        most = fmax(most, s.t.values(s.t.self)[ratio]);
    }
    assert_true(least > 0 && most < 1.3 * least);
    ifd_hybrid_close(s.h);
}

/* Both sides of 0.9 of the margin; the delay is that of the actuator. */
TEST_IN_ARENA(a_delay_close_to_its_margin_is_held)
{
    static const struct {
        const char *set;
        bool held;
    } row[] = {{"test.monitor={delay-margin: 1.6 ms}", true},
               {"test.monitor={delay-margin: 1.75 ms}", false},
               {"test.monitor={delay-margin: 1.6 ms, expected-delay: 1.5 ms}", false},
               {"test.monitor={delay-margin: 1.6 ms, level: 50 %}", false}};
    for (size_t i = 0; i < COUNT(row); i++) {
        stand s;
        open_stand(&s, 1.5e-3, 1, &row[i].set);
        run_on(&s, 5);
        assert_int_equal(ifd_hybrid_state(s.h), row[i].held ? IFD_MACHINE_HOLD : IFD_MACHINE_RUN);
        assert_string_equal(ifd_trip_name(ifd_hybrid_trip(s.h).trip), row[i].held ? "LOOP_DELAY" : "NONE");
        ifd_hybrid_close(s.h);
    }
}

/* A held loop, and its fault. */
static void check_held(double delay, const char *set, const char *fault)
{
    stand s;
    open_stand(&s, delay, 1, &set);
    run_on(&s, delay > 0.01 && !fault ? 4 : 9.9); /* before a limit trips */
    assert_int_equal(ifd_hybrid_state(s.h), fault ? IFD_MACHINE_HOLD : IFD_MACHINE_RUN);
    assert_string_equal(ifd_trip_name(ifd_hybrid_trip(s.h).trip), fault ? fault : "NONE");
    ifd_hybrid_close(s.h);
}

/* A frequency of 1.59 Hz: three periods are 1.9 s. In them twelve ticks of delay grow by 2.5, 3 ms by less than 1.2.
 * No window of the energy ends within the test. */
TEST_IN_ARENA(a_growing_oscillation_is_held)
{
    stand s;
    const char *const set[] = {"test.monitor={window: 100 s, growth-frequency: 1.5915 Hz}"};
    open_stand(&s, 12.0 / 1024, 1, set);
    run_on(&s, 9.9);
    assert_string_equal(ifd_trip_name(ifd_hybrid_trip(s.h).trip), "LOOP_GROWTH");
    assert_near(ifd_hybrid_time(s.h), 3 * 3 / 1.5915, 0.05, "twice running: at the end of the third three periods");
    ifd_hybrid_close(s.h);
    check_held(12.0 / 1024, "test.monitor={window: 100 s, growth-frequency: none}", NULL);
    check_held(3.0e-3, "test.monitor={window: 100 s, growth-frequency: 1.5915 Hz}", NULL);
    check_held(0, "test.monitor={window: 100 s, growth-frequency: 1.5915 Hz}", NULL);
}

/* A tenth of the stored energy: a delay d takes 2 pi w d of it in a period, 0.63 s. */
TEST_IN_ARENA(a_specimen_that_seems_to_deliver_energy_is_held)
{
    check_held(6.0 / 1024, "test.monitor={window: 100 s, passivity: hold}", "LOOP_PASSIVITY");
    check_held(6.0 / 1024, "test.monitor={window: 100 s}", NULL);
    check_held(0, "test.monitor={window: 100 s, passivity: hold}", NULL);
    stand s;
    const char *const note_it[] = {"test.monitor={window: 100 s, passivity: note}"};
    open_stand(&s, 6.0 / 1024, 1, note_it);
    run_on(&s, 2);
    assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_LOOP_CAUTION), 1);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RUN);
    ifd_hybrid_close(s.h);
}

/* As a certificate gives them: what the monitor states itself goes first. A position that is early is no delay. */
TEST_IN_ARENA(thresholds_of_a_certificate_are_used)
{
    static const struct {
        const char *monitor, *thresholds;
        bool held;
    } row[] = {
        {"test.monitor=yes", "test.thresholds={delay-margin: 1.6 ms, delays: [0 s]}", true},
        {"test.monitor=yes", "test.thresholds={delay-margin: 1.75 ms, delays: [0 s]}", false},
        {"test.monitor=yes", "test.thresholds={delay-margin: 1.6 ms, delays: [1.5 ms]}", false},
        {"test.monitor=yes", "test.thresholds={delay-margin: 1.6 ms, delays: [5 ms]}", false},
        {"test.monitor={delay-margin: none}", "test.thresholds={delay-margin: 1.6 ms, delays: [0 s]}", false},
        {"test.monitor={delay-margin: 1.75 ms}", "test.thresholds={delay-margin: 1.6 ms, delays: [0 s]}", false},
        {"test.monitor={expected-delay: 1.5 ms}", "test.thresholds={delay-margin: 1.6 ms, delays: [0 s]}", false},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        stand s;
        const char *const set[] = {row[i].monitor, row[i].thresholds};
        open_stand(&s, 1.5e-3, 2, set);
        run_on(&s, 5);
        assert_int_equal(ifd_hybrid_state(s.h), row[i].held ? IFD_MACHINE_HOLD : IFD_MACHINE_RUN);
        ifd_hybrid_close(s.h);
    }
}

TEST_IN_ARENA(a_rate_dependent_specimen_is_not_slowed)
{
    ifd_case *c;
    ifd_hybrid *h;
    const char *const set[] = {"test.rate-dependent=yes", "test.monitor={act: slow}"};
    assert_int_equal(ifd_case_read(arena, CASE, 2, set, &c, &note), IFD_OK);
    assert_int_equal(ifd_hybrid_make(arena, c->test, &h, &note), IFD_CONFLICT);
}

TESTS()
