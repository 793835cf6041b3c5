/* SPDX-License-Identifier: MIT */
/* The monitor of stability: a loop that a delay of the actuator makes unstable is held before a limit is reached, and
 * a stable one is left alone. Judged on the commands that the rig receives, and on its positions. */
#include "hybrid/case_stand.h"

/* loop.yaml: the critical delay is c/k = 2 ms; a tick is 1/1024 s. */
#define CASE IFD_SOURCE_DIR "/tests/hybrid/loop.yaml"
#define LATE(ms) "specimen.0.actuator={delay: {delay: " #ms " ms}}; "
#define TWELVE_TICKS LATE(11.71875)
#define SIX_TICKS LATE(5.859375)
#define MONITOR(set) "test.monitor={" set "}"

static stand s;
static struct {
    double far; /* m, largest command in run and hold */
} seen;

static void command(ifd_rig *r, const ifd_command *c, double *x)
{
    if (c->state == IFD_MACHINE_RUN || c->state == IFD_MACHINE_HOLD)
        seen.far = fmax(seen.far, fabs(c->position[0]));
    ifd_virtual_rig.command(r, c, x);
}

/* Notes of the monitor. */
static double noted(const ifd_hybrid *h)
{
    return (double)(ifd_hybrid_count(h, IFD_TRIP_LOOP_ENERGY) + ifd_hybrid_count(h, IFD_TRIP_LOOP_DELAY) +
                    ifd_hybrid_count(h, IFD_TRIP_LOOP_CAUTION) + ifd_hybrid_count(h, IFD_TRIP_LOOP_SLOWED));
}

static const quantity own[] = {
    QUANTITY(seen, far), {.name = "reached", .of = reached}, {.name = "noted", .of = noted}, {0}};

static player *open(const char *set)
{
    seen.far = 0.0;
    s = (stand){.own = own};
    return stand_case(&s, CASE, set, NULL, command);
}

static void end(void)
{
    unmake(&s);
}

#define HELD(t, name) "until reached >= " #t "; is hold; fault " name
#define RUNS(t) "until reached >= " #t "; is run; fault NONE"

static const scenario loops[] = {
    /* Six times the critical delay: without the monitor the motion would reach 68 mm at 4 s. Held after window and
     * persistence. */
    {"an unstable loop is held before it moves far", TWELVE_TICKS,
     HELD(10, "LOOP_ENERGY") "; fault.value > 1; fault.limit = 1; time = 1.1 +- 0.03; 2000; far < 0.03"},
    /* 1.5 times the critical delay: grows slowly, and is still held. */
    {"a loop just beyond its margin is held", LATE(3), "until reached >= 10; is hold; far < 0.015"},
    {"a loop without delay is left alone", NULL, RUNS(9.9) "; noted = 0"},
    {"a loop with half the critical delay is left alone", LATE(0.9), RUNS(9.9) "; noted = 0"},
    {"a loop with three quarters of it is noted", LATE(1.5), RUNS(9.9) "; count.LOOP_ENERGY = 0; noted > 0"},
    /* Without damping every delay makes the loop unstable, and no dissipated energy is there to compare with. */
    {"an undamped loop without delay runs", "model.damping=[0]", RUNS(9.9) "; noted = 0; far < 0.015"},
    {"an undamped loop with a delay is held", LATE(2.5) "model.damping=[0]",
     "until reached >= 9.9; is hold; noted > 0; far < 0.015"},
};
SCENARIOS(loops, open, end)

#define TRIPS(name) "until reached >= 10; is tripped; fault " name
static const scenario levels[] = {
    {"a level of energy can trip", TWELVE_TICKS MONITOR("hold: trip"), TRIPS("LOOP_ENERGY")},
    {"a level of delay can trip", LATE(1.5) MONITOR("delay-margin: 1.6 ms, hold: trip"), TRIPS("LOOP_DELAY")},
    {"a level of passivity can trip", SIX_TICKS MONITOR("window: 100 s, passivity: trip"), TRIPS("LOOP_PASSIVITY")},
    {"a level of growth can trip", TWELVE_TICKS MONITOR("window: 100 s, growth-frequency: 1.5915 Hz, hold: trip"),
     TRIPS("LOOP_GROWTH")},
    /* At half of the rate the actuator is late by half as much of the simulated time: 1.5 times the critical delay
     * becomes 0.75 of it, and the motion decays: e^(0.05 1.1) = 1.06 of 10 mm before; from there to 5 s
     * e^(-0.025 3.9) = 0.91. */
    {"a slower test becomes stable", LATE(3) MONITOR("act: slow, hold: note"),
     "until reached >= 5; count.LOOP_SLOWED = 1; is run; [rate] = 0.5 +- 1e-12; before := far; far := 0\n"
     "until reached >= 9; before = 0.0106 +- 3e-4; ratio := far / before; ratio = 0.91 +- 0.04"},
    /* The rate is halved once: a second level with `slow` has nothing to slow down, and is a note. */
    {"a slowed test is not called slowed again", LATE(6) MONITOR("caution: slow, act: slow, hold: note, persist: 0"),
     "until reached >= 3; [rate] = 0.5 +- 1e-12; count.LOOP_SLOWED = 1; count.LOOP_CAUTION = 2"},
};
SCENARIOS(levels, open, end)

/* Both sides of 0.9 of the margin; the delay is that of the actuator. */
static const scenario margins[] = {
    {"a delay close to its margin is held", LATE(1.5) MONITOR("delay-margin: 1.6 ms"), HELD(5, "LOOP_DELAY")},
    {"a delay farther from it is not", LATE(1.5) MONITOR("delay-margin: 1.75 ms"), RUNS(5)},
    {"nor one that is expected", LATE(1.5) MONITOR("delay-margin: 1.6 ms, expected-delay: 1.5 ms"), RUNS(5)},
    {"nor one below its level", LATE(1.5) MONITOR("delay-margin: 1.6 ms, level: 50 %"), RUNS(5)},
    /* As a certificate gives them: what the monitor states itself goes first. */
    {"the margin of a certificate is used",
     LATE(1.5) "test.monitor=yes; test.thresholds={delay-margin: 1.6 ms, "
               "delays: [0 s]}",
     HELD(5, "LOOP_DELAY")},
    {"a larger margin of a certificate holds nothing",
     LATE(1.5) "test.monitor=yes; test.thresholds={delay-margin: 1.75 ms, delays: [0 s]}", RUNS(5)},
    {"the delay of a certificate is expected",
     LATE(1.5) "test.monitor=yes; test.thresholds={delay-margin: 1.6 ms, delays: [1.5 ms]}", RUNS(5)},
    {"a position that is early is no delay",
     LATE(1.5) "test.monitor=yes; test.thresholds={delay-margin: 1.6 ms, delays: [5 ms]}", RUNS(5)},
    {"a monitor without margin has none of a certificate",
     LATE(1.5) MONITOR("delay-margin: none") "; test.thresholds={delay-margin: 1.6 ms, delays: [0 s]}", RUNS(5)},
    {"the margin of the monitor goes before that of a certificate",
     LATE(1.5) MONITOR("delay-margin: 1.75 ms") "; test.thresholds={delay-margin: 1.6 ms, delays: [0 s]}", RUNS(5)},
    {"the delay of the monitor goes before that of a certificate",
     LATE(1.5) MONITOR("expected-delay: 1.5 ms") "; test.thresholds={delay-margin: 1.6 ms, delays: [0 s]}", RUNS(5)},
};
SCENARIOS(margins, open, end)

#define GROWTH(frequency) MONITOR("window: 100 s, growth-frequency: " frequency)
static const scenario rules[] = {
    /* A frequency of 1.59 Hz: three periods are 1.9 s. In them twelve ticks of delay grow by 2.5, 3 ms by less than
     * 1.2. No window of the energy ends within the test. Twice running: at the end of the third three periods. */
    {"a growing oscillation is held", TWELVE_TICKS GROWTH("1.5915 Hz"),
     "until reached >= 9.9; fault LOOP_GROWTH; time = 5.655042412817 +- 0.05"},
    {"without a frequency growth is not judged", TWELVE_TICKS GROWTH("none"), RUNS(4) /* before a limit trips */},
    {"slow growth is not held", LATE(3) GROWTH("1.5915 Hz"), RUNS(9.9)},
    {"no growth is not held", GROWTH("1.5915 Hz"), RUNS(9.9)},
    /* A tenth of the stored energy: a delay d takes 2 pi w d of it in a period, 0.63 s. */
    {"a specimen that seems to deliver energy is held", SIX_TICKS MONITOR("window: 100 s, passivity: hold"),
     HELD(9.9, "LOOP_PASSIVITY")},
    {"without the rule of passivity it is not", SIX_TICKS MONITOR("window: 100 s"), RUNS(9.9)},
    {"a specimen that delivers none is not held", MONITOR("window: 100 s, passivity: hold"), RUNS(9.9)},
    {"a specimen that seems to deliver energy is noted", SIX_TICKS MONITOR("window: 100 s, passivity: note"),
     "until reached >= 2; count.LOOP_CAUTION = 1; is run"},
};
SCENARIOS(rules, open, end)

/* The window remains simulated time: over half a period the ratio is even, over a quarter it would not be. */
TEST(the_window_of_a_slower_test_is_as_long)
{
    double least = (double)INFINITY, most = 0;
    play(open(LATE(1.5) MONITOR("caution: slow, hold: note, window: 0.31416 s, persist: 0")),
         "until reached >= 2; [rate] = 0.5 +- 1e-12");
    int ratio = ifd_column_find(s.channel, s.t.count, "", IFD_COLUMN_LOOP_RATIO);
    assert_true(ratio >= 0);
    for (int k = 0; k < 3000; k++) {
        player_tick(&s.p, IFD_ORDER_NONE);
        least = fmin(least, s.t.values(s.t.self)[ratio]);
        most = fmax(most, s.t.values(s.t.self)[ratio]);
    }
    assert_true(least > 0 && most < 1.3 * least);
    end();
}

TEST(a_rate_dependent_specimen_is_not_slowed)
{
    static const char *const set[] = {"test.rate-dependent=yes", "test.monitor={act: slow}"};
    s = (stand){0};
    assert_int_equal(stand_try(&s, &(ifd_case_source){.path = CASE, .sets = 2, .set = set}, NULL, NULL),
                     IFD_CONFLICT);
    ifd_arena_close(s.arena);
}

TESTS()
