/* SPDX-License-Identifier: MIT */
/* Indicators of actuators in a running test, and limits on the measured motion. */
#include "check.h"
#include "hybrid/hybrid_stand.h"

#include <math.h>
#include <string.h>

#include <interfield/hybrid.h>
#include <interfield/virtual.h>

/* A stiff structure in free vibration at 3 Hz, with little effect of its specimen; the delay of the actuator is 12
 * ms. */
static void prepare(stand *s)
{
    stand_prepare(s, 355305.758, 100.0);
    const ifd_actuator_kind *delay = ifd_actuator_find("delay");
    ifd_param_preset(delay->params, s->actuator);
    s->actuator[ifd_param_find(delay->params, "delay")] = ifd_number(0.012);
    s->bench.actuator = delay;
    s->bench.actuator_values = s->actuator;
    s->opt.end = 3.0;
    s->opt.automatic = true;
}

static double shown(const stand *s, const char *name)
{
    int count;
    const ifd_column *c = ifd_hybrid_columns(s->h, &count);
    for (int i = 0; i < count; i++)
        if (strcmp(c[i].name, name) == 0)
            return s->t.values(s->t.self)[i];
    fail_msg("there is no column '%s'", name);
    return 0.0;
}

static void run_until(stand *s, double time)
{
    for (int k = 0; k < 100000 && ifd_hybrid_time(s->h) < time && ifd_hybrid_state(s->h) <= IFD_MACHINE_RUN; k++)
        s->t.tick(s->t.self, &(ifd_tick_in){.order = IFD_ORDER_NONE});
}

TEST(a_delay_is_seen_while_the_test_runs)
{
    stand s;
    prepare(&s);
    stand_make(&s);
    run_until(&s, 2.5);
    ifd_tracking t = ifd_hybrid_tracking(s.h, 0);
    const double w = 18.8496;
    assert_near(t.delay, 0.012, 1e-4, "delay");
    assert_near(t.amplitude, 1.0, 2e-3, "amplitude");
    assert_near(t.rms, 2.0 * sin(0.5 * w * 0.012), 5e-3, "error of a sine that is late");
    assert_near(shown(&s, "spring delay"), t.delay, 1e-3, "column");
    assert_near(shown(&s, "spring amplitude"), t.amplitude, 1e-2, "column");
    assert_near(shown(&s, "spring tracking rms"), t.rms, 1e-2, "column");
    assert_near(shown(&s, "spring tracking energy"), t.energy, 1e-6, "column");
    ifd_hybrid_close(s.h);
    ifd_arena_close(s.arena);
}

/* The motion is 10 mm at 3 Hz: 0.188 m/s and 3.55 m/s2. */
TEST(a_measured_motion_beyond_its_limit_trips)
{
    static const struct {
        double velocity, acceleration;
        ifd_trip trip;
    } row[] = {
        {0.15, INFINITY, IFD_TRIP_VELOCITY}, {INFINITY, 3.0, IFD_TRIP_ACCELERATION}, {0.25, 5.0, IFD_TRIP_NONE}};
    for (size_t i = 0; i < COUNT(row); i++) {
        stand s;
        prepare(&s);
        s.channel.limits.measured_velocity = row[i].velocity;
        s.channel.limits.measured_acceleration = row[i].acceleration;
        stand_make(&s);
        run_until(&s, 2.0);
        ifd_trip_facts f = ifd_hybrid_trip(s.h);
        assert_int_equal(f.trip, row[i].trip);
        assert_int_equal(ifd_hybrid_state(s.h), row[i].trip ? IFD_MACHINE_TRIPPED : IFD_MACHINE_RUN);
        if (row[i].trip) {
            assert_int_equal(f.channel, 0);
            assert_near(f.limit, fmin(row[i].velocity, row[i].acceleration), 0.0, "limit");
            assert_true(fabs(f.value) > f.limit && fabs(f.value) < 1.2 * f.limit);
        }
        ifd_hybrid_close(s.h);
        ifd_arena_close(s.arena);
    }
}

TEST(observed_limits_on_motion_are_counted_only)
{
    stand s;
    prepare(&s);
    s.opt.observe = true;
    s.channel.limits.measured_velocity = 0.1;
    stand_make(&s);
    run_until(&s, 1.0);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RUN);
    assert_true(ifd_hybrid_count(s.h, IFD_TRIP_VELOCITY) > 100);
    ifd_hybrid_close(s.h);
    ifd_arena_close(s.arena);
}

/* The path needs 0.19 m/s; half of it is permitted, which would limit a real rig. */
TEST(observed_limits_on_commands_hold_nothing_back)
{
    for (int observe = 0; observe < 2; observe++) {
        stand s;
        double fastest = 0.0, last = 0.0;
        prepare(&s);
        s.opt.observe = observe;
        s.channel.limits.velocity = 0.1;
        stand_make(&s);
        for (int k = 0; k < 100000 && ifd_hybrid_time(s.h) < 1.0 && ifd_hybrid_state(s.h) <= IFD_MACHINE_RUN; k++) {
            s.t.tick(s.t.self, &(ifd_tick_in){.order = IFD_ORDER_NONE});
            double p = shown(&s, "spring command");
            if (ifd_hybrid_time(s.h) > 0.0)
                fastest = fmax(fastest, fabs(p - last) / ifd_hybrid_period(s.h));
            last = p;
        }
        assert_true(ifd_hybrid_count(s.h, IFD_TRIP_GOVERNED) > 50);
        if (observe)
            assert_near(fastest, 0.1885, 0.002, "speed of the command, observed");
        else
            assert_near(fastest, 0.1, 1e-9, "speed of the command, governed");
        ifd_hybrid_close(s.h);
        ifd_arena_close(s.arena);
    }
}

TESTS()
