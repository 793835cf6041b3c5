/* SPDX-License-Identifier: MIT */
/* Tests of loading protocols: targets in every tick, orders inside a swing, several specimens, bounds. */
#include "check.h"

#include <math.h>
#include <stdio.h>

#include "hybrid/case_stand.h"

#define LIMITS "limits: {stroke: 60 mm, velocity: 0.2 m/s, acceleration: 2 m/s2, force: 400 kN}"
#define TWO                                                                                                          \
    "time: {step: 1 ms}\n"                                                                                           \
    "specimen:\n"                                                                                                    \
    "  - {name: a, bilinear: {stiffness: 4 MN/m, yield: 5 mm, ratio: 0.05}, " LIMITS "}\n"                           \
    "  - {name: b, spring: {stiffness: 1 MN/m}, " LIMITS "}\n"                                                       \
    "  - {name: c, series: {of: [{spring: {stiffness: 1 MN/m}}, {dashpot: {damping: 1e5}}]}, " LIMITS "}\n"          \
    "protocol:\n"                                                                                                    \
    "  - {specimen: a, displacement: {cycles: {amplitudes: [20 mm, 30 mm], velocity: 0.1 m/s}}}\n"                   \
    "  - {specimen: b, displacement: {cycles: {points: [10 mm, -20 mm], shape: sine, velocity: 50 mm/s}}}\n"         \
    "test: {rig: virtual, leave: start}\n"

/* What a rig receives, of a program that shares no code with the test. */
typedef struct watcher {
    double last[3], step[3], v, a, far;
    int ticks;
} watcher;
static watcher seen;

static void command(ifd_rig *r, const ifd_command *c, double *x)
{
    for (int k = 0; k < 3 && c->commanded; k++) {
        double step = c->position[k] - seen.last[k];
        if (seen.ticks > 0)
            seen.v = fmax(seen.v, fabs(step) / r->tick);
        if (seen.ticks > 1)
            seen.a = fmax(seen.a, fabs(step - seen.step[k]) / (r->tick * r->tick));
        seen.far = fmax(seen.far, fabs(c->position[k]));
        seen.last[k] = c->position[k];
        seen.step[k] = step;
    }
    seen.ticks += c->commanded > 0;
    ifd_virtual_rig.command(r, c, x);
}

static void watched_within(double stroke, double v, double a)
{
    assert_true(seen.ticks > 1000);
    assert_true(seen.far <= stroke * (1 + 1e-9));
    assert_true(seen.v <= v * (1 + 1e-9));
    assert_near(seen.a, fmin(seen.a, a), 1e-6 * a, "acceleration of the commands");
}

/* The target of a tick is the signal at its simulated time; the default acceleration is half the limit. */
static void check_targets(const char *set, double lambda)
{
    stand s = {.arena = NULL};
    double y[3], most[2] = {0.0};
    seen = (watcher){0};
    stand_case(&s, TWO, set, NULL, command);
    const ifd_protocol *p = s.c->test->protocol;
    assert_near(s.c->run.end, 0.3 + 0.5 + 0.6 + 0.7 + 0.4, 1e-12, "end of the longest signal");
    assert_near(ifd_hybrid_period(s.h), 1e-3 * lambda, 1e-15, "tick");
    while (s.t.tick(s.t.self, &(ifd_tick_in){0}) == IFD_RUN_GOING) {
        if (ifd_hybrid_state(s.h) != IFD_MACHINE_RUN)
            continue;
        static const char *const target[] = {"a target", "b target"};
        for (int k = 0; k < 2; k++) {
            double before[3], now = column(&s, target[k]);
            ifd_signal_eval(ifd_protocol_signal(p, k), ifd_hybrid_time(s.h), y);
            ifd_signal_eval(ifd_protocol_signal(p, k), fmax(0.0, ifd_hybrid_time(s.h) - 1e-3), before);
            assert_true(fabs(now - y[0]) < 1e-15 || fabs(now - before[0]) < 1e-15);
            most[k] = fmax(most[k], fabs(now));
        }
        assert_near(column(&s, "c target"), 0.0, 0.0, "a specimen without an entry rests");
    }
    assert_near(most[0], 0.03, 1e-9, "peak of a");
    assert_near(most[1], 0.02, 1e-7, "peak of b");
    assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_GOVERNED), 0);
    assert_true(ifd_hybrid_complete(s.h));
    watched_within(0.03, 0.1, 1.0);
    unmake(&s);
}

TEST(targets_are_the_signals_in_every_tick)
{
    check_targets("", 1.0);
    check_targets("test.lambda=4", 4.0);
}

TEST(a_hold_inside_a_swing_is_resumed_on_its_path)
{
    stand s = {.arena = NULL};
    seen = (watcher){0};
    player *p = stand_case(&s, TWO, "test.allow-resume=yes", NULL, command);
    play(p, "until run; until time >= 0.53; hold; until rests = 1; at := [a target]; 200; [a target] = at +- 1e-7;"
            "is hold; resume; is run; until ramp-out; time >= 2.499; until the end; result DONE; count.GOVERNED = 0");
    assert_true(ifd_hybrid_complete(s.h));
    watched_within(0.03, 0.1, 2.0);
    unmake(&s);
}

static const char block[] =
    "time: {step: 2 ms}\n"
    "specimen:\n"
    "  - {name: sway, spring: {stiffness: 160 kN/m}, limits: {stroke: 0.4 m, velocity: 2 m/s, acceleration: 60 "
    "m/s2}}\n"
    "  - {name: heave, spring: {stiffness: 900 kN/m}, limits: {stroke: 0.4 m, velocity: 2 m/s, acceleration: 60 "
    "m/s2}}\n"
    "  - {name: turn, spring: {stiffness: 120000}, limits: {stroke: 1, velocity: 8, acceleration: 200}}\n"
    "drives:\n"
    "  - name: block\n"
    "    dofs: {x: sway, y: heave, rz: turn}\n"
    "    actuators:\n"
    "      - {name: side, base: [-4 m, 0.1 m], at: [-0.2 m, 0.1 m], limits: {stroke: 1 m, velocity: 4 m/s, "
    "acceleration: 150 m/s2}}\n"
    "      - {name: foot1, base: [-1.5 m, -3 m], at: [-1 m, 0.3 m], limits: {stroke: 1 m, velocity: 4 m/s, "
    "acceleration: 150 m/s2}}\n"
    "      - {name: foot2, base: [1.7 m, -2.9 m], at: [1 m, 0.3 m], limits: {stroke: 1 m, velocity: 4 m/s, "
    "acceleration: 150 m/s2}}\n"
    "protocol:\n"
    "  - {specimen: sway, displacement: {cycles: {amplitudes: 0.1 m, velocity: 0.2 m/s}}}\n"
    "  - {specimen: turn, displacement: {cycles: {points: [5 deg, -5 deg], velocity: 10 deg/s, acceleration: 100 "
    "deg/s2}}}\n"
    "test: {leave: start}\n";

TEST(a_drive_of_three_actuators_follows_two_entries)
{
    stand s = {.arena = NULL};
    double far[3] = {0.0};
    stand_case(&s, block, "", NULL, NULL);
    while (s.t.tick(s.t.self, &(ifd_tick_in){0}) == IFD_RUN_GOING) {
        static const char *const name[] = {"sway deformation", "heave deformation", "turn deformation"};
        for (int k = 0; k < 3 && ifd_hybrid_state(s.h) == IFD_MACHINE_RUN; k++)
            far[k] = fmax(far[k], fabs(column(&s, name[k])));
    }
    assert_true(ifd_hybrid_complete(s.h));
    assert_near(far[0], 0.1, 1.6e-5, "sway" /* 30 m/s2 for half a tick */);
    assert_near(far[1], 0.0, 1e-9, "heave rests");
    assert_near(far[2], 5 * 3.14159265358979 / 180, 1e-6, "turn");
    unmake(&s);
}

/* The side actuator follows the sway and the turn: 0.2 m/s of sway, and 10 deg/s at 0.1 m above the point. */
TEST(a_protocol_above_a_limit_of_an_actuator_is_no_test)
{
    static const struct {
        const char *set;
        ifd_status status;
    } row[] = {{"drives.0.actuators.0.limits.velocity=0.25", IFD_OK},
               {"drives.0.actuators.0.limits.velocity=0.19", IFD_RANGE},
               {"drives.0.actuators.0.limits.stroke=0.09", IFD_RANGE},
               {"drives.0.actuators.0.limits.acceleration=15", IFD_RANGE}};
    for (size_t i = 0; i < COUNT(row); i++) {
        stand s = {.arena = NULL};
        const ifd_case_source source = {.path = "case.yaml", .text = block, .sets = 1, .set = &row[i].set};
        assert_int_equal(stand_try(&s, &source, NULL, NULL), row[i].status);
        if (row[i].status != IFD_OK)
            assert_non_null(strstr(s.note.first->text, "actuator 'side'"));
        unmake(&s);
    }
}

/* Just within a limit, and just above it. */
TEST(a_protocol_above_a_limit_is_no_test)
{
    static const struct {
        const char *limit;
        double value;
        const char *said;
    } row[] = {{"stroke", 0.03, "stroke"}, {"velocity", 0.1, "velocity"}, {"acceleration", 1.0, "acceleration"}};
    for (size_t i = 0; i < COUNT(row); i++)
        for (int above = 0; above < 2; above++) {
            char set[2][80];
            snprintf(set[0], sizeof set[0], "specimen.0.limits.%s=%.9g", row[i].limit,
                     row[i].value * (above ? 0.9999 : 1.0));
            snprintf(set[1], sizeof set[1], "protocol.0.displacement.cycles.acceleration=1");
            const char *sets[] = {set[1], set[0]};
            stand s = {.arena = NULL};
            const ifd_case_source source = {.path = "case.yaml", .text = TWO, .sets = 2, .set = sets};
            ifd_status status = stand_try(&s, &source, NULL, NULL);
            assert_int_equal(status, above ? IFD_RANGE : IFD_OK);
            if (above)
                assert_non_null(strstr(s.note.first->text, row[i].said));
            unmake(&s);
        }
}

/* The velocity would jump at the start: the governor would shape it. */
TEST(a_motion_that_begins_with_a_velocity_is_no_test)
{
    stand s = {.arena = NULL};
    const char *sets[] = {"protocol.1.displacement={sine: {amplitude: 5 mm, frequency: 1 Hz}}", "time.end=1"};
    const ifd_case_source source = {.path = "case.yaml", .text = TWO, .sets = 2, .set = sets};
    assert_int_equal(stand_try(&s, &source, NULL, NULL), IFD_RANGE);
    unmake(&s);
}

/* A force protocol: the force follows its signal, and nothing else moves. */
TEST(forces_alone_are_a_protocol)
{
    static const char text[] =
        "time: {step: 1 ms}\n"
        "force-control:\n"
        "  - {name: jack, force: {cycles: {amplitudes: [20 kN], shape: sine, frequency: 0.5 Hz}}, stiffness: 10 MN/m,"
        " bandwidth: 2 Hz, rate: 1e6, error: 10 kN, twin: {spring: {stiffness: 10 MN/m}},"
        " limits: {stroke: 20 mm, velocity: 0.2 m/s, acceleration: 20 m/s2, force: 50 kN}}\n"
        "protocol: []\n"
        "test: {rig: virtual}\n";
    stand s = {.arena = NULL};
    double most = 0.0;
    stand_case(&s, text, "", NULL, NULL);
    assert_near(s.c->run.end, 2.0, 1e-12, "one period");
    while (s.t.tick(s.t.self, &(ifd_tick_in){0}) == IFD_RUN_GOING)
        most = ifd_hybrid_state(s.h) == IFD_MACHINE_RUN ? fmax(most, column(&s, "jack force")) : most;
    assert_true(ifd_hybrid_complete(s.h));
    assert_near_rel(most, 20e3, 0.02, "force");
    unmake(&s);
}

TESTS()
