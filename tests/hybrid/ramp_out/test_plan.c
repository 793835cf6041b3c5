/* SPDX-License-Identifier: MIT */
/* Brakes, moves and the release of a controlled force in ramp-out, by closed forms of the commands. */
#include "hybrid/units.h"
#include "scene.h"

/* Velocity (1 - 3 s^2 + 2 s^3) v + s (1 - s)^2 a T. */
static double braked(double p, double v, double a, double T, double t)
{
    double s = fmin(t / T, 1.0);
    return p + v * T * (s - pow(s, 3.0) + 0.5 * pow(s, 4.0)) +
           a * T * T * (0.5 * s * s - 2.0 / 3.0 * pow(s, 3.0) + 0.25 * pow(s, 4.0));
}

/* v in m/s, between two ticks; a in m/s2, at most A = 8; V: largest of the run. T is the largest of 2.1 |v|/A unless
 * a decelerates, 2 |a| V/A^2, sqrt(3 |v| V)/A and two ticks. */
TEST(a_brake_is_as_long_as_its_motion_asks_for)
{
    static const struct {
        double v, a, V;
    } rows[] = {{1.0, 0.0, 0.0},  {1.0, 2.0, 0.0}, {1.0, 8.0, 0.0},  {1.0, -2.0, 0.0}, {1.0, -8.0, 0.0},
                {1.0, 12.0, 0.0}, {0.5, 4.0, 3.0}, {0.5, 0.0, 1.5},  {0.5, -0.5, 1.5}, {0.25, -8.0, 2.0},
                {0.0, 8.0, 1.0},  {0.0, 0.0, 0.0}, {1e-4, 0.0, 0.0}, {1e-3, 0.0, 1.0}, {1.0, -12.0, 4.0}};
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int sign = -1; sign < 2; sign += 2) {
            scene(period, IFD_RAMP_OUT_STAY);
            double A = 8.0, a = sign * fmax(-A, fmin(rows[i].a, A)), old = sign * rows[i].v;
            double v = old + 0.5 * a * dt, V = fmax(rows[i].V, fabs(v));
            double T = fmax(2.0 * fabs(a) * V / (A * A), sqrt(3.0 * fabs(v) * V) / A);
            if (a * v >= 0.0)
                T = fmax(T, 2.1 * fabs(v) / A);
            T = fmax(T, 2.0 * dt);
            interface()->command = 2.0;
            interface()->step = old * dt;
            seen()->a = seen()->a_twice = sign * rows[i].a;
            seen()->peak_v = rows[i].V;
            ifd__ramp_out_begin(&bare, 1);
            long last = (long)ceil(T / dt * (1.0 - 1e-12)) + 1; /* a tick at its end */
            for (long n = 1; n <= last + 3; n++) {
                assert_int_equal(ifd__ramp_out_step(&bare, 1), n > last);
                assert_near(interface()->command, braked(2.0, v, a, T, (double)n * dt), 1e-13, "row %d, tick %ld",
                            (int)i, n);
                assert_near(interface()->next_target, interface()->command, 0.0, "aimed");
                assert_near(interface()->next_target_v, interface()->step / dt, 0.0, "velocity");
            }
            assert_near(interface()->step, 0.0, 0.0, "row %d: at rest", (int)i);
        }
}

/* The observed acceleration is twice the smoothed one minus the doubly smoothed one. */
TEST(a_brake_begins_with_the_present_acceleration)
{
    scene(period, IFD_RAMP_OUT_STAY);
    interface()->step = 1.0 * dt;
    seen()->a = 3.0;
    seen()->a_twice = 2.0;
    ifd__ramp_out_begin(&bare, 1);
    (void)ifd__ramp_out_step(&bare, 1);
    double v = 1.0 + 2.0 * dt, T = fmax(2.1 * v / 8.0, 2.0 * 4.0 * v / 64.0);
    assert_near(interface()->command, braked(0.0, v, 4.0, T, dt), 1e-15, "command");
}

/* Its end, p + T (v/2 + a T/12), is kept inside by brakes of 0.7 of the time, at most eight times; after that only
 * the limit of the stroke keeps it. If it ends exactly at the limit, its length is unchanged. */
TEST(a_brake_is_shortened_to_stay_inside)
{
    static const struct {
        double a, room; /* of the complete brake */
        int times;
    } rows[] = {{0.0, 1.0 + 1e-9, 0},  {0.0, 1.0 - 1e-9, 1},  {4.0, 1.0 + 1e-9, 0}, {4.0, 1.0 - 1e-9, 1},
                {-4.0, 1.0 + 1e-9, 0}, {-4.0, 1.0 - 1e-9, 1}, {0.0, 0.2, 5},        {0.0, 0.0577, 8},
                {0.0, 0.06, 8},        {0.0, 0.0412, 8},      {0.0, 0.0823543, 7}};
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int sign = -1; sign < 2; sign += 2) {
            scene(period, IFD_RAMP_OUT_STAY);
            double A = 8.0, v0 = 2.0, v = v0 + 0.5 * rows[i].a * dt, a = rows[i].a;
            double T = fmax(2.0 * fabs(a) * v / (A * A), sqrt(3.0) * v / A);
            if (a >= 0.0)
                T = fmax(T, 2.1 * v / A);
            double room = rows[i].room * T * (0.5 * v + a * T / 12.0);
            bare_interface[1].bounds.acceleration = 5e4; /* not limiting here */
            (sign > 0 ? (bare_interface[1].bounds.high = room) : (bare_interface[1].bounds.low = -room));
            interface()->step = sign * v0 * dt;
            seen()->a = seen()->a_twice = sign * a;
            ifd__ramp_out_begin(&bare, 1);
            T *= pow(0.7, rows[i].times);
            for (long n = 1; n <= 400; n++) {
                (void)ifd__ramp_out_step(&bare, 1);
                double due = fmin(braked(0.0, v, a, T, (double)n * dt), room);
                assert_near(sign * interface()->command, due, 1e-12, "row %d, tick %ld", (int)i, n);
            }
        }
    for (int edge = 0; edge < 3; edge++) { /* at rest: two ticks, one at its end, then arrived */
        scene(period, IFD_RAMP_OUT_STAY);
        interface()->command = edge == 0   ? bare_interface[1].bounds.low
                               : edge == 1 ? bare_interface[1].bounds.high
                                           : 0.0;
        ifd__ramp_out_begin(&bare, 1);
        assert_int_equal(arrives(100), 4);
    }
}

/* A command beyond its stroke, as possible on a virtual rig, returns to the limit; then the brake ends. */
TEST(a_brake_waits_for_the_governor)
{
    scene(period, IFD_RAMP_OUT_STAY);
    bare_interface[1].bounds.acceleration = 8.0;
    interface()->command = bare_interface[1].bounds.high + 0.01;
    ifd__ramp_out_begin(&bare, 1);
    long n = arrives(2000);
    assert_true(n > 20 && n < 100);
    assert_near(interface()->command, bare_interface[1].bounds.high, 0.0, "at the edge");
}

/* 10 s^3 - 15 s^4 + 6 s^5 of the distance, in the largest of 1.875 d/creep, sqrt(5.7735 d/A), cbrt(60 d V/(2 A^2))
 * and a tick. It starts at the end of the brake of a command at rest, after three ticks. */
TEST(a_move_is_as_long_as_its_limits_ask_for)
{
    static const struct {
        double d, V, creep;
    } rows[] = {{1.5, 0.0, 0.5},  {0.1, 0.0, 1e3},    {0.1, 50.0, 1e3},  {0.3, 4.0, 1e3},
                {1e-9, 0.0, 1e3}, {2.0, 1.0, 0.0625}, {0.003, 0.0, 1e3}, {0.7, 0.5, 1e3}};
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int sign = -1; sign < 2; sign += 2) {
            scene(period, IFD_RAMP_OUT_START);
            double p = sign * 0.1, end = p + sign * rows[i].d, A = 8.0;
            double T = fmax(1.875 * rows[i].d / rows[i].creep, sqrt(10.0 / sqrt(3.0) * rows[i].d / A));
            T = fmax(fmax(T, cbrt(30.0 * rows[i].d * rows[i].V / (A * A))), dt);
            interface()->command = p;
            interface()->start = end;
            seen()->peak_v = rows[i].V;
            bare_interface[1].creep = rows[i].creep;
            ifd__ramp_out_begin(&bare, 1);
            for (int n = 0; n < 3; n++)
                assert_false(ifd__ramp_out_step(&bare, 1));
            assert_near(interface()->command, p, 0.0, "braked");
            long last = (long)ceil(T / dt * (1.0 - 1e-12)) + 1;
            for (long n = 1; n <= last + 2; n++) {
                assert_int_equal(ifd__ramp_out_step(&bare, 1), n > last);
                double s = fmin((double)n * dt / T, 1.0);
                double due = p + (end - p) * (10.0 * pow(s, 3.0) - 15.0 * pow(s, 4.0) + 6.0 * pow(s, 5.0));
                assert_near(interface()->command, due, 1e-13, "row %d, tick %ld", (int)i, n);
            }
            assert_near(interface()->command, end, 0.0, "row %d: to the bit", (int)i);
        }
}

/* For these numbers p + (end - p) is not end; and the move takes a whole number of ticks. */
TEST(a_move_ends_where_it_should_to_the_bit)
{
    scene(period, IFD_RAMP_OUT_START);
    double p = 0.1, end = -0.342, d = fabs(end - p), creep = 0.0;
    long ticks = 500;
    for (; creep == 0.0 || 1.875 * d / creep != (double)ticks * dt; ticks++)
        creep = 1.875 * d / ((double)(ticks + 1) * dt);
    assert_true(p + (end - p) != end);
    interface()->command = p;
    interface()->start = end;
    bare_interface[1].creep = creep;
    ifd__ramp_out_begin(&bare, 1);
    for (long n = 0; n < 3 + ticks; n++)
        assert_false(ifd__ramp_out_step(&bare, 1));
    assert_near(interface()->command, end, 0.0, "to the bit, %ld ticks", ticks);
    assert_true(arrives(5000) > 0);
    assert_near(interface()->command, end, 0.0, "to the bit");
}

/* Phase after the brake: rest for a force to be unloaded, the move to the start, or none. */
TEST(what_follows_a_brake)
{
    static const struct {
        ifd_ramp_out_end leave;
        bool away, controlled;
        long arrives; /* ticks: 4 if nothing follows; 0: not in 50 */
    } rows[] = {{IFD_RAMP_OUT_STAY, false, false, 4},      {IFD_RAMP_OUT_STAY, true, false, 4},
                {IFD_RAMP_OUT_START, false, false, 4},     {IFD_RAMP_OUT_START, true, false, 0},
                {IFD_RAMP_OUT_ZERO_FORCE, true, false, 0}, {IFD_RAMP_OUT_ZERO_FORCE, false, false, 0},
                {IFD_RAMP_OUT_STAY, true, true, 4},        {IFD_RAMP_OUT_START, true, true, 0},
                {IFD_RAMP_OUT_START, false, true, 4},      {IFD_RAMP_OUT_ZERO_FORCE, true, true, 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        scene(period, rows[i].leave);
        interface()->start = rows[i].away ? 1.0 : 0.0;
        bare_option[1].force = rows[i].controlled ? &force : NULL;
        interface()->force_target = interface()->measured_f = 100.0;
        ifd__ramp_out_begin(&bare, 1);
        long n = arrives(50);
        if (n != rows[i].arrives)
            fail_msg("row %d: %ld ticks, expected %ld", (int)i, n, rows[i].arrives);
    }
}

/* From 1 - 10 s^3 + 15 s^4 - 6 s^5 of its initial value, in the time of ramp-in, longer if its rate of 64 N/s
 * requires it: 1.875 F/64 s. */
TEST(a_controlled_force_is_let_go_smoothly)
{
    static const double forces[] = {20.0, -20.0, 100.0, -100.0};
    for (size_t i = 0; i < COUNT(forces); i++) {
        scene(period, IFD_RAMP_OUT_ZERO_FORCE);
        bare_option[1].force = &force;
        ifd__ramp_out_begin(&bare, 1);
        out()->began = 7.0; /* of an earlier ramp-out */
        double F = interface()->force_target = interface()->measured_f = forces[i],
               T = fmax(1.0, 1.875 * fabs(F) / 64.0);
        interface()->step = 0.0;
        long last = (long)ceil(T / dt * (1.0 - 1e-12));
        for (long n = 1; n <= last; n++) {
            assert_false(ifd__ramp_out_step(&bare, 1));
            double s = fmin((double)n * dt / T, 1.0);
            double due = F * (1.0 - 10.0 * pow(s, 3.0) + 15.0 * pow(s, 4.0) - 6.0 * pow(s, 5.0));
            assert_near(interface()->force_target, due, 1e-9, "force %g, tick %ld", F, n);
            interface()->measured_f = interface()->force_target;
            assert_int_equal(ifd__ramp_out_released(&bare), true);
            assert_int_equal(ifd__ramp_out_guard(&bare, 1, IFD_ACTION_NOTE), IFD_ACTION_NOTE);
        }
        assert_near(interface()->force_target, 0.0, 0.0, "at its end");
        long n = arrives(200); /* a brake of the remaining speed */
        assert_true(n >= 3 && n < 100);
        assert_near(interface()->step, 0.0, 0.0, "at rest");
    }
    /* A force outside its tolerance is awaited. */
    scene(period, IFD_RAMP_OUT_ZERO_FORCE);
    bare_option[1].force = &force;
    ifd__ramp_out_begin(&bare, 1);
    interface()->force_target = 10.0;
    for (int n = 0; n < 1000; n++) {
        interface()->measured_f = interface()->force_target + 0.501;
        assert_false(ifd__ramp_out_step(&bare, 1));
    }
    interface()->measured_f = 0.5;
    assert_true(arrives(200) > 0);
}

/* Its brake starts at its turn, with the present speed and no acceleration. */
TEST(a_controlled_force_brakes_when_its_turn_comes)
{
    for (int controlled = 0; controlled < 2; controlled++) {
        scene(period, IFD_RAMP_OUT_STAY);
        bare_option[1].force = controlled ? &force : NULL;
        seen()->a = seen()->a_twice = 4.0;
        interface()->step = 1.0 * dt;
        ifd__ramp_out_begin(&bare, 1);
        double a = controlled ? 0.0 : 4.0, v = 1.0 + 0.5 * a * dt, T = fmax(2.1 * v / 8.0, 2.0 * a * v / 64.0);
        for (long n = 1; n < 100; n++) {
            (void)ifd__ramp_out_step(&bare, 1);
            assert_near(interface()->command, braked(0.0, v, a, T, (double)n * dt), 1e-14, "%d, tick %ld", controlled,
                        n);
        }
    }
}

/* Not controlled: a deviation of 0.2 of the released force, at least five tolerances. Not before its first tick. */
TEST(a_force_that_is_not_led_is_a_fault)
{
    static const struct {
        double F, most;
    } rows[] = {{100.0, 20.0}, {-100.0, 20.0}, {4.0, 2.5}, {12.5, 2.5}, {13.0, 2.6}};
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int side = 0; side < 4; side++) {
            scene(period, IFD_RAMP_OUT_ZERO_FORCE);
            bare_option[1].force = &force;
            ifd__ramp_out_begin(&bare, 1);
            interface()->force_target = interface()->measured_f = rows[i].F;
            (void)ifd__ramp_out_step(&bare, 1);
            interface()->force_target = 0.0;
            double most = fmax(0.2 * fabs(rows[i].F), 2.5), off = side % 2 ? nextafter(most, 1e9) : most;
            assert_near(most, rows[i].most, 1e-12, "row %d", (int)i);
            interface()->measured_f = side < 2 ? off : -off;
            ifd_action action = ifd__ramp_out_guard(&bare, 1, IFD_ACTION_NOTE);
            assert_near(noted(IFD_TRIP_UNLOADING), side % 2, 0.0, "row %d, side %d", (int)i, side);
            assert_int_equal(action, side % 2 ? ifd_trip_action(IFD_TRIP_UNLOADING) : IFD_ACTION_NOTE);
            if (side % 2) {
                assert_near(ifd__test_of(&bare)->fault_value, interface()->measured_f, 0.0, "value");
                assert_near(ifd__test_of(&bare)->fault_limit, most, 0.0, "limit");
                assert_near(ifd__test_of(&bare)->fault_owner, 1.0, 0.0, "channel");
            }
            out()->time = 0.0;
            (void)ifd__ramp_out_guard(&bare, 1, IFD_ACTION_NOTE);
            assert_near(noted(IFD_TRIP_UNLOADING), side % 2, 0.0, "before its first tick");
        }
    for (int sign = -1; sign < 2; sign += 2) { /* during the release: distance from its target */
        scene(period, IFD_RAMP_OUT_ZERO_FORCE);
        bare_option[1].force = &force;
        ifd__ramp_out_begin(&bare, 1);
        interface()->force_target = interface()->measured_f = 100.0;
        (void)ifd__ramp_out_step(&bare, 1);
        interface()->force_target = 64.0;
        interface()->measured_f = 64.0 + sign * 21.0;
        assert_int_equal(ifd__ramp_out_guard(&bare, 1, IFD_ACTION_NOTE), ifd_trip_action(IFD_TRIP_UNLOADING));
        assert_near(ifd__test_of(&bare)->fault_value, sign * 21.0, 0.0, "value on its way");
    }
}

/* Time since the last command came to rest; controlled forces are not included. */
TEST(time_counts_since_all_are_braked)
{
    scene(period, IFD_RAMP_OUT_STAY);
    bare_option[0].force = NULL;
    for (int k = 0; k < 2; k++)
        ifd__ramp_out_begin(&bare, k);
    for (int n = 1; n <= 8; n++) { /* the first arrives after three ticks, the second, started later, after five */
        (void)ifd__ramp_out_step(&bare, 0);
        if (n > 2)
            (void)ifd__ramp_out_step(&bare, 1);
        ifd__ramp_out_braked(&bare);
        assert_near(ifd__test_of(&bare)->braked, n < 5 ? 0.0 : (n - 4) * dt, 0.0, "tick %d", n);
        assert_false(ifd__ramp_out_released(&bare));
    }
    ifd__test_of(&bare)->state = IFD_MACHINE_RUN;
    ifd__ramp_out_braked(&bare);
    assert_near(ifd__test_of(&bare)->braked, 0.0, 0.0, "of another state");
    scene(period, IFD_RAMP_OUT_ZERO_FORCE); /* reversed: the first is the last */
    bare_option[0].force = NULL;
    for (int k = 0; k < 2; k++)
        ifd__ramp_out_begin(&bare, k);
    for (int n = 1; n <= 4; n++) {
        (void)ifd__ramp_out_step(&bare, 1);
        ifd__ramp_out_braked(&bare);
        assert_near(ifd__test_of(&bare)->braked, 0.0, 0.0, "tick %d", n);
    }
    bare_option[0].force = &force;
    ifd__ramp_out_begin(&bare, 0);
    (void)ifd__ramp_out_step(&bare, 0);
    assert_true(ifd__ramp_out_released(&bare));
    scene(period, IFD_RAMP_OUT_STAY);
    bare_option[1].force = &force;
    ifd__ramp_out_begin(&bare, 1);
    ifd__ramp_out_braked(&bare);
    assert_near(ifd__test_of(&bare)->braked, dt, 0.0, "with controlled forces only");
    assert_false(ifd__ramp_out_released(&bare));
    interface()->step = 1e-3;
    assert_false(ifd__ramp_out_step(&bare, 1)); /* it brakes, and is not kept again */
    assert_true(ifd__ramp_out_released(&bare));
    ifd__ramp_out_begin(&bare, 1);
    bare_option[0].force = bare_option[1].force = NULL;
    ifd__ramp_out_braked(&bare);
    assert_near(ifd__test_of(&bare)->braked, 0.0, 0.0, "while one brakes");
}

/* The force, smoothed over this number of ticks: 1/(1 + 4). The slow mean over 0.2 s. In ramp-out only. */
TEST(readings_are_smoothed)
{
    for (int s = 0; s < 2 * IFD_MACHINE_COUNT; s++) {
        scene(period, IFD_RAMP_OUT_STAY);
        ifd__test_of(&bare)->state = s % IFD_MACHINE_COUNT;
        bare_interface[1].stiffness = s < IFD_MACHINE_COUNT ? 1e6 : 0.0; /* unknown, it requires no smoothing */
        interface()->measured_f = 10.0;
        interface()->measured_x = 5.0;
        (void)ifd__part_limits.make(&bare, NULL, NULL);
        assert_int_equal(ifd__guard_rules(&bare, 1, bare_interface[1].rules, IFD_ACTION_HOLD), IFD_ACTION_HOLD);
        bool now = ifd__test_of(&bare)->state == (double)IFD_MACHINE_RAMP_OUT;
        assert_near(out()->force, now ? 2.0 : 0.0, 1e-15, "force");
        assert_near(out()->x, now ? 1.0 : 0.0, 1e-15, "position");
        assert_near(out()->slow_force, now ? 2.0 * dt / (dt + 0.2) : 0.0, 1e-15, "slow mean");
    }
}

/* For 5 v/A of the motion with the largest, at least four ticks; a force in control has no path. */
TEST(a_ramp_in_brakes_as_long_as_its_fastest_motion_asks_for)
{
    const ifd_driven pair = {.drive = {.actuators = 2, .dofs = 1}};
    static const double most[] = {64.0, 128.0, 32.0, 16.0, 8.0, 4.0}; /* m/s2: interfaces, then actuators */
    for (int i = -1; i < 7; i++) {
        scene(period, IFD_RAMP_OUT_STAY);
        bool forced = i == 6; /* interface 0 */
        bare_option[0].force = forced ? &force : NULL;
        bare_drives(2, &pair, 1.0);
        for (int k = 0; k < 2; k++)
            bare_interface[k].bounds.acceleration = most[k];
        for (int a = 0; a < 4; a++)
            bare_drive[a / 2].bounds[a % 2].acceleration = most[2 + a];
        double step = (i % 2 ? 3.0 : -3.0) * dt;
        if (i == 0 || i == 1 || forced)
            ifd__interface_of(&bare, i % 6)->step = step;
        else if (i > 0)
            ifd__actuator_of(&bare, &bare_drive[(i - 2) / 2], i % 2)->step = step;
        ifd__test_of(&bare)->state_time = 0.75;
        bare.ramps = 0.25 * dt;
        interface()->start = 3.0;
        interface()->to_u = 5.0;
        ifd__ramp_out_leave_ramp(&bare);
        const ifd__orders *o = bare.orders;
        assert_near(o->along_brake, i < 0 || forced ? 4.0 * dt : 15.0 / most[i], 1e-12, "motion %d", i);
        assert_true(o->along == 0.75 && o->along_rate == 0.25);
        assert_true(out()->p == 3.0 && out()->end == 5.0);
    }
}

/* From 0 to 8 m in 1 s, left in the middle at 15 m/s: the parameter advances by B (s - s^3 + s^4/2) more, s = t/B. */
TEST(a_ramp_in_comes_to_rest_on_its_path)
{
    scene(period, IFD_RAMP_OUT_STAY);
    ifd__test_of(&bare)->state_time = 0.5;
    interface()->to_u = 8.0;
    interface()->command = 4.0;
    interface()->step = 15.0 * dt;
    ifd__ramp_out_leave_ramp(&bare);
    ifd__ramp_out_begin(&bare, 1);
    const double B = 75.0 / 64.0;
    for (int n = 1; n * dt < B; n++) {
        double s = n * dt / B, x = fmin(0.5 + B * (s - s * s * s + 0.5 * s * s * s * s), 1.0);
        assert_false(ifd__ramp_out_step(&bare, 1));
        assert_near(interface()->command, 8.0 * x * x * x * (10.0 - 15.0 * x + 6.0 * x * x), 1e-12, "tick %d", n);
    }
}

/* Noise s of the force: t T k A = 12 s and T = 5 t give t = sqrt(2.4 s/(k A)), at most 0.5 s. */
TEST(readings_with_noise_are_smoothed_longer)
{
    static const double rows[][2] = {{0.0625, 0.0625}, {0.375, 0.375}, {0.4999, 0.4999}, {0.625, 0.5}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        scene(period, IFD_RAMP_OUT_STAY);
        double noise = rows[i][0] * rows[i][0] * 1e6 * 8.0 / 2.4;
        seen()->noise_f = noise * noise;
        interface()->measured_f = 10.0;
        (void)ifd__part_limits.make(&bare, NULL, NULL);
        (void)ifd__guard_rules(&bare, 1, bare_interface[1].rules, IFD_ACTION_NOTE);
        assert_near(out()->force, 10.0 * dt / (dt + rows[i][1]), 1e-12, "time %g s", rows[i][1]);
    }
}

/* From 0 to 1 m in 1 s, left in the middle at v m/s, with the command `lag` behind the path. Within a step it stays
 * on the path; 2^-40 m more, or at rest, and it brakes where it is: over v T/2, T being B = 5 |v|/A as on the path,
 * less where that would pass the target, and a tick at least. Then it returns to its start. */
TEST(a_ramp_in_behind_its_path_comes_to_rest_before_its_target)
{
    static const double w = 1.0 / 512.0, more = 1.0 / 1099511627776.0;
    const struct {
        double lag, v, T; /* 0: on the path */
    } rows[] = {{w, 1.0, 0.0},
                {-w, 1.0, 0.0},
                {w + more, 1.0, 5.0 / 64.0},
                {-w - more, 1.0, 5.0 / 64.0},
                {w, -1.0, 0.0},
                {0.25, -1.0, 5.0 / 64.0},
                {0.25, 1.0, 5.0 / 64.0},
                {0.25, 16.0, 0.09375}, /* 0.75 m are left */
                {-0.46875, 1.0, 0.0625},
                {-0.5, 1.0, w}, /* nothing is left */
                {0.0, 0.0, 4.0 * w},
                {0.25, 0.0, 4.0 * w}};
    for (size_t i = 0; i < 2 * COUNT(rows); i++)
        for (int sign = -1; sign < 2; sign += 2) {
            double v = rows[i / 2].v, T = rows[i / 2].T, p = 0.5 - rows[i / 2].lag, rate = i % 2 ? 0.5 : 1.0;
            bool path = T == 0.0;
            scene(period, IFD_RAMP_OUT_START);
            bare.ramps = rate * dt;
            ifd__test_of(&bare)->state_time = 0.5;
            interface()->to_u = sign;
            interface()->command = sign * p;
            interface()->step = sign * v * dt;
            ifd__ramp_out_leave_ramp(&bare);
            bare_interface[1].bounds.acceleration = 5e4; /* not limiting here */
            ifd__ramp_out_begin(&bare, 1);
            T = path ? 5.0 * fabs(v) / 64.0 : T;
            for (int n = 1; n * dt <= T + 0.5 * dt; n++) {
                double s = fmin(n * dt / T, 1.0), x = 0.5 + rate * T * (s - s * s * s + 0.5 * s * s * s * s);
                double due = path ? x * x * x * (10.0 - 15.0 * x + 6.0 * x * x) : braked(p, v, 0.0, T, n * dt);
                assert_false(ifd__ramp_out_step(&bare, 1));
                assert_near(sign * interface()->command, due, 1e-12, "row %d, tick %d", (int)i, n);
            }
            assert_true(arrives(10000) > 0);
            assert_near(interface()->command, 0.0, 0.0, "row %d: at its start", (int)i);
        }
}

/* A slow pace makes the motions of a ramp-out slower; its brakes are as short as ever. */
TEST(a_brake_takes_its_time_at_any_pace_of_a_ramp)
{
    scene(period, IFD_RAMP_OUT_START);
    bare.ramps = 0.25 * dt;
    interface()->step = 1.0 * dt;
    interface()->start = 2.0;
    ifd__ramp_out_begin(&bare, 1);
    double T = 2.1 / 8.0, d = 2.0 - 0.5 * T, move = 1.875 * d / 0.5;
    long last = (long)ceil(T / dt) + 1;
    for (long n = 1; n <= last; n++) {
        assert_false(ifd__ramp_out_step(&bare, 1));
        assert_near(interface()->command, braked(0.0, 1.0, 0.0, T, (double)n * dt), 1e-13, "brake, tick %ld", n);
    }
    for (long n = 1; (double)n < 4.0 * move / dt; n++) {
        double s = (double)n * 0.25 * dt / move, due = 2.0 - d + d * s * s * s * (10.0 - 15.0 * s + 6.0 * s * s);
        assert_false(ifd__ramp_out_step(&bare, 1));
        assert_near(interface()->command, due, 1e-12, "move, tick %ld", n);
    }
    for (int sign = -1; sign < 2; sign += 2) { /* the brake at the end of unloading */
        unloading u = plain;
        u.F = sign * 1e5;
        unload(&u);
        bare.ramps = 0.25 * dt;
        for (int n = 0; n < 1000; n++)
            (void)ifd__ramp_out_step(&bare, 1);
        double p = interface()->command, v = interface()->step / dt;
        T = 2.1 * fabs(v) / 8.0;
        assert_true(T > 8.0 * dt);
        out()->force = 0.0;
        for (long n = 1; (double)n * dt < T + 2.0 * dt; n++) {
            assert_false(ifd__ramp_out_step(&bare, 1));
            assert_near(interface()->command, braked(p, v, 0.0, T, (double)n * dt), 1e-13, "halt, tick %ld", n);
        }
    }
}

/* A force that the computed part commands is one delay ahead of its reference. Its release begins where that comes to
 * rest, so that the commanded force, reference and lead, has no jump. */
TEST(a_computed_force_is_let_go_from_what_was_commanded)
{
    const ifd_force_command law = {.delay = 1.0};
    for (int sign = -1; sign < 2; sign += 2) {
        scene(period, IFD_RAMP_OUT_START);
        force.computed = &law;
        bare_option[1].force = &force;
        bare_option[1].limits.force = 1e3;
        ifd__pushed *pushed = bare.io.pushed[1] = (ifd__pushed *)(bare_x + BARE_PUSHED);
        interface()->force_target = interface()->measured_f = sign * 100.0;
        pushed->led_f = sign * 10.0;
        ifd__ramp_out_begin(&bare, 1);
        assert_false(ifd__ramp_out_step(&bare, 1));
        assert_near(interface()->force_target + pushed->lead, sign * 110.0, 1e-3, "commanded force");
        assert_near(interface()->force_target, sign * (100.0 + 10.0 * dt / (dt + 1.0)), 1e-3, "reference");
    }
}

/* A motion gets nearer to its end until its planned time has passed, a prescribed force that is kept until it rests;
 * a rest, an unloading and a release have limits of their own. One of any interface counts. */
TEST(what_nears_the_end_of_a_ramp_out)
{
    scene(period, IFD_RAMP_OUT_STAY);
    ifd__ramp_out_begin(&bare, 1); /* at rest: two ticks */
    assert_true(ifd__ramp_out_nears_end(&bare));
    for (int n = 1; n <= 2; n++) {
        (void)ifd__ramp_out_step(&bare, 1);
        assert_true(ifd__ramp_out_nears_end(&bare));
    }
    out()->time = nextafter(2.0 * dt, 1.0);
    assert_false(ifd__ramp_out_nears_end(&bare));
    assert_true(arrives(10) > 0);
    assert_false(ifd__ramp_out_nears_end(&bare));
    ifd__interface_of(&bare, 0)->force_step = 1.0; /* a kept force, the first interface */
    assert_true(ifd__ramp_out_nears_end(&bare));
    for (int i = 0; i < 8; i++) {
        static const double times[] = {0.0, 1.0, 2.0, 2.0000001};
        bool rests = i % 2;
        double time = times[i / 2] * dt;
        scene(period, IFD_RAMP_OUT_STAY);
        bare_option[0].force = NULL;
        bare_option[1].force = &force;
        for (int k = 0; k < 2; k++)
            ifd__ramp_out_begin(&bare, k);
        for (int n = 0; n < 4; n++)
            (void)ifd__ramp_out_step(&bare, 0);
        out()->time = time;
        interface()->force_step = rests ? 0.0 : 1.0;
        assert_int_equal(ifd__ramp_out_nears_end(&bare), time == 0.0 ? !rests : time <= 2.0 * dt);
    }
    scene(period, IFD_RAMP_OUT_ZERO_FORCE);
    rest(100.0);
    assert_true(ifd__ramp_out_nears_end(&bare));
    unload(&plain);
    assert_true(ifd__ramp_out_nears_end(&bare));
    scene(period, IFD_RAMP_OUT_ZERO_FORCE);
    bare_option[1].force = &force;
    interface()->force_target = interface()->measured_f = 100.0;
    ifd__ramp_out_begin(&bare, 1);
    (void)ifd__ramp_out_step(&bare, 1);
    assert_true(ifd__ramp_out_nears_end(&bare));
}

TESTS()
