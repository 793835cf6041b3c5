/* SPDX-License-Identifier: MIT */
/* Force against stiffness times travel, called by itself: values at a bound, which is exact in binary numbers, and on
 * both sides of it. */
#include "check.h"

#include "hybrid/bare.h"
#include "hybrid/limits/stiffness.h"

static ifd__interface_state *c;
static const double measured[] = {1.0}, reversed[] = {-1.0};
static const ifd_force_command computed;
static ifd_force_control loop;

/* 1 N/m; 1, 5 and 10 % of the force limit are 1, 5 and 10 N. */
static void begin(bool controlled)
{
    c = bare_begin();
    bare_interface[0].stiffness = 1.0;
    bare_option[0].limits.force = 100.0;
    memset(&loop, 0, sizeof loop);
    bare_option[0].force = controlled ? &loop : NULL;
}

static ifd_action tick(ifd_machine state, double x, double f)
{
    bare_state(state);
    c->measured_x = x;
    c->measured_f = f;
    return ifd__stiffness_asked(&bare, 0) ? ifd__stiffness_guard(&bare, 0, IFD_ACTION_NOTE) : IFD_ACTION_NOTE;
}

/* The means are x and f, after one tick. */
static ifd_action at(ifd_machine state, double x, double f)
{
    for (int i = 0; i < IFD__MEAN; i++) {
        c->response.x[i] = x;
        c->response.f[i] = f;
    }
    return tick(state, x, f);
}

/* At rest in `from`, then x and f in `state`. */
static ifd_action moved(ifd_machine from, ifd_machine state, double x, double f)
{
    for (int i = 0; i < IFD__MEAN; i++)
        (void)tick(from, 0.0, 0.0);
    (void)tick(state, 0.0, 0.0);
    return at(state, x, f);
}

static ifd_action in(double x, double f)
{
    return moved(IFD_MACHINE_READY, IFD_MACHINE_RAMP_IN, x, f);
}

TEST(the_smallest_travel_is_that_of_the_rule)
{
    static const struct {
        double noise_f, noise_x, x;
        const double *known;
        ifd_action action;
    } rows[] = {
        {0.0, 0.0, 1.0, NULL, IFD_ACTION_NOTE},      {0.0, 0.0, 1.005, NULL, IFD_ACTION_TRIP},
        {0.5, 0.0, 5.0, NULL, IFD_ACTION_NOTE},      {0.5, 0.0, 5.03, NULL, IFD_ACTION_TRIP},
        {0.0, 0.5, 5.0, NULL, IFD_ACTION_NOTE},      {0.0, 0.5, 5.03, NULL, IFD_ACTION_TRIP},
        {0.0, 0.5, -5.0, reversed, IFD_ACTION_NOTE}, {0.0, 0.5, -5.03, reversed, IFD_ACTION_TRIP},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(false);
        bare.opt.characterised = rows[i].known;
        c->seen.noise_f = rows[i].noise_f * rows[i].noise_f;
        c->seen.noise_x = rows[i].noise_x * rows[i].noise_x;
        if (in(rows[i].x, rows[i].known ? rows[i].x : -rows[i].x) != rows[i].action)
            fail_msg("row %zu", i);
    }
}

TEST(the_ratio_at_its_bounds_is_permitted)
{
    static const struct {
        bool controlled;
        double x, f;
        ifd_action action;
    } rows[] = {
        {false, 5.0, 0.0, IFD_ACTION_NOTE},     {false, 5.02, 0.0, IFD_ACTION_RAMP_OUT},
        {false, 6.0, 2.0, IFD_ACTION_NOTE},     {false, 6.0, 1.99, IFD_ACTION_RAMP_OUT},
        {false, 6.0, 18.0, IFD_ACTION_NOTE},    {false, 6.0, 18.01, IFD_ACTION_RAMP_OUT},
        {true, 100.0, 42.0, IFD_ACTION_NOTE},   {true, 100.0, 41.9, IFD_ACTION_TRIP},
        {true, 100.0, 240.0, IFD_ACTION_NOTE},  {true, 100.0, 240.1, IFD_ACTION_TRIP},
        {true, 100.0, -100.0, IFD_ACTION_TRIP}, {true, 3.0, -3.0, IFD_ACTION_NOTE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(rows[i].controlled);
        bare.opt.characterised = measured;
        if (in(rows[i].x, rows[i].f) != rows[i].action)
            fail_msg("row %zu", i);
    }
}

/* A specimen whose own force is -f at x = 2, beside 3 N of damping at 1 m/s and 5 N of mass at 1 m/s2. */
TEST(in_run_damping_and_mass_are_no_stiffness)
{
    static const struct {
        double f;
        bool taken_out;
        ifd_action action;
    } rows[] = {
        {7.0, false, IFD_ACTION_TRIP}, {8.0, false, IFD_ACTION_NOTE}, {9.0, false, IFD_ACTION_NOTE},
        {2.0, true, IFD_ACTION_TRIP},  {3.0, true, IFD_ACTION_NOTE},  {4.0, true, IFD_ACTION_NOTE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(false);
        bare_interface[0].damping = 3.0;
        bare_option[0].mass = 5.0;
        bare_option[0].taken_out = rows[i].taken_out;
        for (int k = 0; k < IFD__FITTED; k++) {
            double t = k - IFD__FITTED / 2;
            c->past_x[k] = t + 0.5 * t * t;
        }
        if (moved(IFD_MACHINE_RAMP_IN, IFD_MACHINE_RUN, 2.0, rows[i].f) != rows[i].action)
            fail_msg("row %zu", i);
    }
}

/* Which interfaces, in which states. */
TEST(only_a_force_of_its_own_motion_is_judged)
{
    for (int i = 0; i < 10; i++) {
        begin(i == 6 || i == 7);
        bare.opt.force_stuck = i == 0 ? IFD_STUCK_OFF : IFD_STUCK_NOISE;
        bare_option[0].loose = i == 1;
        bare_interface[0].stiffness = i == 2 ? 0.0 : 1.0;
        bare_interface[0].actuator = i == 3 || i == 7 ? -1 : 0;
        bare_option[0].carried = i == 4;
        bare_option[0].floor_motion = i == 5;
        loop.computed = i == 6 ? &computed : NULL;
        ifd__test_of(&bare)->rig.stale = i == 8 ? 1.0 : 0.0;
        bool judged = i == 7 || i == 9;
        if ((in(30.0, -30.0) == IFD_ACTION_TRIP) != judged || (c->response.known > 0.0) != judged)
            fail_msg("row %d", i);
    }
    for (ifd_machine s = IFD_MACHINE_IDLE; s <= IFD_MACHINE_RETURN; s++) {
        begin(false);
        if ((moved(IFD_MACHINE_READY, s, 30.0, -30.0) == IFD_ACTION_TRIP) !=
            (s == IFD_MACHINE_RAMP_IN || s == IFD_MACHINE_RUN))
            fail_msg("position, %s", ifd_machine_name(s));
        for (int unloads = 0; unloads < 2; unloads++) {
            begin(true);
            c->out.time = unloads;
            bool judged = s == IFD_MACHINE_RAMP_IN || s == IFD_MACHINE_RUN || s == IFD_MACHINE_HOLD ||
                          (s == IFD_MACHINE_RAMP_OUT && !unloads);
            if ((moved(IFD_MACHINE_READY, s, 30.0, 0.0) == IFD_ACTION_TRIP) != judged)
                fail_msg("loop, %s, %d", ifd_machine_name(s), unloads);
        }
    }
}

TEST(the_means_are_complete_and_the_reference_is_that_before)
{
    begin(false);
    for (int i = 1; i <= IFD__MEAN; i++) {
        assert_int_equal(tick(IFD_MACHINE_RAMP_IN, 80.0, -80.0), i < IFD__MEAN ? IFD_ACTION_NOTE : IFD_ACTION_TRIP);
        assert_near(c->response.known, i, 0.0, "ticks");
    }
    (void)tick(IFD_MACHINE_RAMP_IN, 80.0, -80.0);
    assert_near(c->response.known, IFD__MEAN, 0.0, "ticks");
    begin(false); /* ramp-in that moves nothing; neither hold nor its motion gives a reference */
    assert_int_equal(in(0.5, 0.0), IFD_ACTION_NOTE);
    (void)at(IFD_MACHINE_HOLD, 64.0, 64.0);
    (void)at(IFD_MACHINE_HOLD, 32.0, 16.0);
    assert_near(c->response.x0, 0.0, 0.0, "reference");
    (void)tick(IFD_MACHINE_RUN, 32.0, 16.0);
    assert_near(c->response.x0, 32.0, 0.0, "reference");
    assert_near(c->response.f0, 16.0, 0.0, "reference");
    assert_int_equal(at(IFD_MACHINE_RUN, 34.0, 17.0), IFD_ACTION_NOTE);
    begin(true); /* the size of a loop is judged in ramp-in only */
    assert_int_equal(moved(IFD_MACHINE_READY, IFD_MACHINE_RUN, 10.0, 3.0), IFD_ACTION_NOTE);
}

/* Travels of more than 10 N; 2 N, a fifth of them, move the reference. */
TEST(a_loop_at_its_bounds)
{
    static const struct {
        double x, f, x2, f2;
        ifd_action action;
    } rows[] = {{0.0, 0.0, 10.0, 0.0, IFD_ACTION_NOTE},    {0.0, 0.0, 10.05, 0.0, IFD_ACTION_TRIP},
                {0.0, 0.0, 15.0, 3.0, IFD_ACTION_NOTE},    {0.0, 0.0, 15.0, 3.02, IFD_ACTION_NOTE},
                {0.0, 0.0, 15.0, 2.98, IFD_ACTION_TRIP},   {8.0, 1.99, 15.0, 2.5, IFD_ACTION_TRIP},
                {8.0, 2.0, 15.0, 2.5, IFD_ACTION_NOTE},    {8.0, 2.01, 15.0, 2.5, IFD_ACTION_NOTE},
                {8.0, -2.0, 15.0, 0.0, IFD_ACTION_TRIP},   {8.0, 2.0, 18.0, 2.0, IFD_ACTION_NOTE},
                {8.0, 2.0, 18.1, 2.0, IFD_ACTION_TRIP},    {0.0, 0.0, -10.05, 0.0, IFD_ACTION_TRIP},
                {-8.0, -2.0, -15.0, -2.0, IFD_ACTION_NOTE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(true);
        assert_int_equal(moved(IFD_MACHINE_READY, IFD_MACHINE_RUN, rows[i].x, rows[i].f), IFD_ACTION_NOTE);
        if (at(IFD_MACHINE_RUN, rows[i].x2, rows[i].f2) != rows[i].action)
            fail_msg("row %zu", i);
    }
    begin(true); /* after a fault the reference is there */
    assert_int_equal(moved(IFD_MACHINE_READY, IFD_MACHINE_RUN, 16.0, 0.0), IFD_ACTION_TRIP);
    assert_int_equal(at(IFD_MACHINE_RUN, 24.0, 0.0), IFD_ACTION_NOTE);
    assert_int_equal(at(IFD_MACHINE_RUN, 27.0, 0.0), IFD_ACTION_TRIP);
}

TESTS()
