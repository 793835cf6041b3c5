/* SPDX-License-Identifier: MIT */
/* Supervision of unloading, at both sides of each number: a force that grows or is constant, the stiffness of a
 * segment, and the time. Checked by faults and by the stiffness. */
#include "scene.h"

#include "hybrid/ramp_out/ramp_out.h"

/* Whether the first travel is over, which has a rule of its own. */
static bool later = true;

/* Unloading from 1000 N: the force is F after the motion x; a fault with a value and a limit, or none. */
static void guard(double F, double at, double value, double limit, const char *name)
{
    double before = noted(IFD_TRIP_UNLOADING);
    interface()->measured_f = out()->force = F;
    interface()->measured_x = out()->x = at;
    if (later)
        out()->from_x = at;
    ifd__test_of(&bare)->fault = IFD_TRIP_NONE;
    ifd__test_of(&bare)->state = IFD_MACHINE_RAMP_OUT;
    ifd_action action = ifd__ramp_out_guard(&bare, 1, IFD_ACTION_NOTE);
    bool raised = noted(IFD_TRIP_UNLOADING) > before;
    if (raised != (limit > 0.0))
        fail_msg("%s: %s", name, raised ? "a fault" : "no fault");
    assert_int_equal(action, raised ? ifd_trip_action(IFD_TRIP_UNLOADING) : IFD_ACTION_NOTE);
    if (raised && ifd__test_of(&bare)->fault != IFD_TRIP_NONE) {
        assert_near_rel(ifd__test_of(&bare)->fault_value, value, 1e-12, "%s: value", name);
        assert_near_rel(ifd__test_of(&bare)->fault_limit, limit, 1e-12, "%s: limit", name);
    }
}

/* Beyond 0.05 more than its initial value, or the significant change; either sign. */
TEST(a_force_that_grows_is_not_unloaded)
{
    for (int sign = -1; sign < 2; sign += 2) {
        unloading u = plain;
        u.F = sign * 1000.0;
        unload(&u);
        guard(sign * 1050.0, 0.0, 0.0, 0.0, "a twentieth");
        guard(sign * 1050.001, 0.0, sign * 1050.001, 1050.0, "more");
        guard(-sign * 1050.001, 0.0, -sign * 1050.001, 1050.0, "the other way");
        seen()->step_f = 200.0; /* of a coarse converter: one step; smoothing over 0.5 s has no effect */
        double certain = 200.0 + 6.0 * sqrt(2.0) * 200.0 / sqrt(12.0) * sqrt(dt);
        guard(sign * (999.999 + certain), 0.0, 0.0, 0.0, "what is not certain");
        guard(sign * (1000.001 + certain), 0.0, sign * (1000.001 + certain), 1000.0 + certain, "what is");
    }
}

/* An unchanged force over 2 F/(1.25 k) is a fault if motion has shown k; over 2 F/(2 k), at most 0.01 of the stroke
 * of 16 m, otherwise. At least over the travel in which a force ten times softer shows twice the significant change,
 * 2 N, and twice that of the position. Unchanged: within it, or bit-identical. */
TEST(a_force_that_stays_is_not_unloaded)
{
    static const struct {
        bool shown;
        double F, k, step_x, travel;
    } rows[] = {{true, 1000.0, 1e6, 0.0, 1.6e-3},
                {false, 1000.0, 1e6, 0.0, 1e-3},
                {false, 1000.0, 1e3, 0.0, 0.16},
                {true, 1000.0, 1e3, 0.0, 1.6},
                {true, 1000.0, 1e6, 0.125, 0.4665}};
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int sign = -1; sign < 2; sign += 2) {
            unloading u = plain;
            u.shown = rows[i].shown;
            u.k = rows[i].k;
            u.F = sign * rows[i].F;
            unload(&u);
            seen()->step_x = rows[i].step_x;
            double travel = rows[i].travel;
            if (rows[i].step_x > 0.0) {
                travel = 2.0 * (rows[i].step_x + 6.0 * sqrt(2.0) * rows[i].step_x / sqrt(12.0) * sqrt(0.125));
                assert_near(travel, rows[i].travel, 1e-3, "row %d", (int)i);
            }
            interface()->last_f = 0.0;
            guard(u.F, -sign * travel * (1.0 - 1e-9), 0.0, 0.0, "within");
            if (rows[i].step_x == 0.0 && travel != 0.16)
                guard(u.F, -sign * ifd__idle_travel(rows[i].F, u.k, u.shown), 0.0, 0.0, "as far as it may");
            guard(u.F, -sign * travel * (1.0 + 1e-9), travel * (1.0 + 1e-9), travel, "beyond");
            guard(u.F, sign * travel * (1.0 + 1e-9), travel * (1.0 + 1e-9), travel, "the other way");
            guard(u.F - sign * 1.999, -sign * travel * (1.0 + 1e-9), travel * (1.0 + 1e-9), travel, "within 2 N");
            guard(u.F - sign * 2.0, -sign * travel * (1.0 + 1e-9), 0.0, 0.0, "2 N, which are certain");
            unload(&u);
            seen()->step_x = rows[i].step_x;
            interface()->last_f = 0.0;
            guard(u.F - sign * 2.001, -sign * travel * (1.0 + 1e-9), 0.0, 0.0, "beyond 2 N");
        }
    unload(&plain); /* bit-identical, for any force at the start of its segment */
    guard(950.0, 0.0, 0.0, 0.0, "it changes");
    interface()->last_f = 950.0;
    guard(950.0, -1.599e-3, 0.0, 0.0, "then the same to the bit");
    guard(950.0, -1.601e-3, 1.601e-3, 1.6e-3, "farther");
    interface()->last_f = 949.0;
    guard(950.0, -2e-3, 0.0, 0.0, "another reading");
    interface()->last_f = 950.0;
    guard(950.0, -3.1e-3, 0.0, 0.0, "counts anew"); /* and a segment was used at 1.599 mm */
    unload(&plain);                                 /* soft: the new stiffness makes the travel longer */
    out()->stiffness_goal = 1e4;
    interface()->last_f = 0.0;
    guard(1000.0, -3.99e-3, 0.0, 0.0, "within 2 x 10 x 2 N over what it tends to");
    guard(1000.0, -4.01e-3, 4.01e-3, 4e-3, "beyond");
}

/* The first travel is due a fifth of the force, ten standard deviations of its noise, and ten times the significant
 * change (2 N), at least. A sixth of it must be seen after a travel in any direction; with other interfaces, the
 * significant change. With an estimate or a shown stiffness. At least twice that of the position. */
TEST(the_first_travel_changes_the_force)
{
    static const struct {
        bool shown;
        double k, variance, step_x, travel;
    } rows[] = {{true, 1e6, 0.0, 0.0, 2e-4},
                {false, 1e6, 0.0, 0.0, 2e-4},
                {true, 2e6, 0.0, 0.0, 1e-4},
                {true, 1e6, 900.0, 0.0, 3e-4},
                {true, 1e6, 0.0, 0.125, 0.4665}};
    later = false;
    for (int alone = 0; alone < 2; alone++)
        for (size_t i = 0; i < COUNT(rows); i++)
            for (int sign = -1; sign < 2; sign += 2) {
                unloading u = plain;
                u.shown = rows[i].shown;
                u.k = rows[i].k;
                u.F = sign * 1000.0;
                u.variance = rows[i].variance;
                unload(&u);
                bare.interfaces = alone ? 1 : 2;
                seen()->step_x = rows[i].step_x;
                seen()->noise_f = 0.0;
                double travel = rows[i].travel, due = alone ? (rows[i].variance > 0.0 ? 50.0 : 100.0 / 3.0) : 2.0;
                if (rows[i].step_x > 0.0)
                    travel = 2.0 * (rows[i].step_x + 6.0 * sqrt(2.0) * rows[i].step_x / sqrt(12.0) * sqrt(0.125));
                interface()->last_f = 0.0;
                double beyond = travel * (1.0 + 1e-9);
                guard(u.F, -sign * travel * (1.0 - 1e-9), 0.0, 0.0, "within");
                guard(u.F, -sign * beyond, beyond, travel, "beyond");
                guard(u.F, sign * beyond, beyond, travel, "the other way");
                guard(u.F - sign * 0.999 * due, -sign * beyond, beyond, travel, "less than due");
                if (alone)
                    guard(u.F + sign * 40.0, -sign * beyond, beyond, travel, "more force");
                guard(u.F - sign * 1.001 * due, -sign * beyond, 0.0, 0.0, "as due");
            }
    for (int alone = 0; alone < 2; alone++) { /* to the bit: 192 N are due, a sixth is 32 N; 200 N, 2 N are certain */
        unloading even = plain;
        even.F = alone ? 960.0 : 1000.0;
        even.k = 1048576.0;
        double travel = 0.2 * even.F / even.k;
        unload(&even);
        bare.interfaces = alone ? 1 : 2;
        interface()->last_f = 0.0;
        guard(even.F, -travel, 0.0, 0.0, "as far as it may");
        guard(even.F, -nextafter(travel, 1.0), nextafter(travel, 1.0), travel, "beyond");
        guard(even.F - (alone ? 32.0 : 2.0), -2.0 * travel, 0.0, 0.0, "just what is due");
    }
    unloading u = plain;
    u.shown = false;
    unload(&u);
    bare_interface[1].stiffness = 0.0; /* nothing is known: only the rule of the whole travel */
    interface()->last_f = 0.0;
    guard(u.F, -3e-4, 0.0, 0.0, "not known");
    later = true;
}

/* A secant over a segment of 0.05, 50 N, or over 3 expected segments with an observed change of 2 N. A softer one
 * only beyond six deviations and a step of a single reading. */
TEST(secants_of_whole_pieces_are_learnt)
{
    static const struct {
        const char *name;
        double df, dx, variance, learnt; /* N/m; 0: none */
    } rows[] = {{"a piece", -50.0, -1e-4, 0.0, 5e5},
                {"less", -49.9, -1e-4, 0.0, 0.0},
                {"stiffer", -50.0, -1e-5, 0.0, 5e6},
                {"against the motion", -50.0, 1e-4, 0.0, 0.0},
                {"three were due", -2.0, -1.501e-4, 0.0, 2.0 / 1.501e-4},
                {"not yet three", -2.0, -1.499e-4, 0.0, 0.0},
                {"nothing seen", -1.999, -1.501e-4, 0.0, 0.0},
                {"loading", 49.9, 1.501e-4, 0.0, 49.9 / 1.501e-4},
                {"a single reading is off by less", -120.0, -2e-4, 400.0, 6e5},
                {"no single reading", -121.0, -2e-4, 400.0, 6.05e5},
                {"a single reading", -119.0, -2e-4, 400.0, 0.0},
                {"a single reading, as stiff", -119.0, -1.19e-4, 400.0, 0.0},
                {"a single reading, stiffer", -119.0, -1.18e-4, 400.0, 119.0 / 1.18e-4}};
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int sign = -1; sign < 2; sign += 2) {
            unloading u = plain;
            u.F = sign * 1000.0;
            u.variance = rows[i].variance;
            unload(&u);
            seen()->noise_f = 0.0;
            interface()->last_f = 0.0;
            guard(sign * (1000.0 + rows[i].df), sign * rows[i].dx, 0.0, 0.0, rows[i].name);
            assert_near_rel(seen()->stiffness, rows[i].learnt > 0.0 ? rows[i].learnt : 1e6, 1e-9, "%s", rows[i].name);
            assert_near_rel(out()->stiffness_goal, seen()->stiffness, 1e-12, "%s", rows[i].name);
            bool marked = rows[i].learnt > 0.0 || rows[i].dx > 0.0;
            assert_near(out()->mark_f, sign * (1000.0 + (marked ? rows[i].df : 0.0)), 1e-9, "%s", rows[i].name);
            assert_near(out()->mark_x, sign * (marked ? rows[i].dx : 0.0), 1e-15, "%s", rows[i].name);
        }
    for (int more = 0; more < 2; more++) { /* the error of a single reading includes a step of its converter, 12 N */
        unloading u = plain;
        u.variance = 400.0;
        unload(&u);
        seen()->noise_f = 0.0;
        seen()->step_f = 12.0;
        interface()->last_f = 0.0;
        guard(more ? 867.9 : 868.1, -2e-4, 0.0, 0.0, "a reading and a step");
        assert_near_rel(seen()->stiffness, more ? 6.605e5 : 1e6, 1e-9, "more: %d", more);
    }
    unloading even = plain; /* exactly three segments were expected: not yet */
    even.k = 1048576.0;
    unload(&even);
    interface()->last_f = 0.0;
    guard(998.0, -150.0 / even.k, 0.0, 0.0, "three pieces");
    assert_near(seen()->stiffness, even.k, 0.0, "three pieces");
    unload(&plain); /* insignificant positions have no effect */
    seen()->step_x = 1e-5;
    double certain = 2.0 * (1e-5 + 6.0 * sqrt(2.0) * 1e-5 / sqrt(12.0) * sqrt(0.125));
    guard(900.0, -certain * 0.999, 0.0, 0.0, "near");
    assert_near(seen()->stiffness, 1e6, 0.0, "near");
    guard(900.0, -certain * 1.001, 0.0, 0.0, "far");
    assert_near_rel(seen()->stiffness, 100.0 / (certain * 1.001), 1e-9, "far");
}

/* 25 s, plus twice the time of the travel at creep, 0.5 m/s: 1000 N over the softer of the known and the used
 * stiffness, at most the stroke; plus six times sqrt(3.75 travel/A), A being 8 m/s2. During the rest before: 25 s.
 * A controlled force: plus its time, from its turn. */
TEST(unloading_is_given_up)
{
    static const struct {
        double known, now, creeping, travel;
    } rows[] = {{1e6, 1e6, 25.004, 1e-3}, {1e3, 1e6, 29.0, 1.0}, {1e6, 1e3, 29.0, 1.0}, {1.0, 1e6, 89.0, 16.0}};
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int sign = -1; sign < 2; sign += 2) {
            unloading u = plain;
            double most = rows[i].creeping + 6.0 * sqrt(3.75 * rows[i].travel / 8.0);
            u.F = sign * 1000.0;
            unload(&u);
            out()->stiffness_known = rows[i].known;
            out()->stiffness = rows[i].now;
            ifd__test_of(&bare)->state_time = most - 1e-9;
            guard(u.F, 0.0, 0.0, 0.0, "in time");
            ifd__test_of(&bare)->state_time = most + 1e-9;
            guard(u.F, 0.0, most + 1e-9, most, "too late");
        }
    scene(period, IFD_RAMP_OUT_ZERO_FORCE);
    rest(1000.0);
    ifd__test_of(&bare)->state_time = 25.0;
    guard(1000.0, 0.0, 0.0, 0.0, "at rest");
    ifd__test_of(&bare)->state_time = nextafter(25.0, 26.0);
    guard(1000.0, 0.0, ifd__test_of(&bare)->state_time, 25.0, "at rest, too late");
    scene(period, IFD_RAMP_OUT_STAY);
    rest(1000.0);
    ifd__test_of(&bare)->state_time = 1000.0;
    guard(1000.0, 0.0, 0.0, 0.0, "who stays has all time");
    scene(period, IFD_RAMP_OUT_ZERO_FORCE);
    bare_option[1].force = &force;
    ifd__ramp_out_begin(&bare, 1);
    interface()->force_target = 128.0; /* 1.875 x 128/64 = 3.75 s */
    (void)ifd__ramp_out_step(&bare, 1);
    interface()->force_target = 128.0;
    ifd__test_of(&bare)->state_time = 1000.0;
    out()->time = 28.75;
    guard(128.0, 0.0, 0.0, 0.0, "released");
    out()->time = nextafter(28.75, 29.0);
    guard(128.0, 0.0, out()->time, 28.75, "released, too late");
}

TESTS()
