/* SPDX-License-Identifier: MIT */
/* Unloading in ramp-out, at both sides of each number: start, speed and end. Checked by commands; the supervision is
 * in test_watch.c, specimens are in test_unloading.c. */
#include "scene.h"

#include "hybrid/ramp_out/ramp_out.h"

static double smooth(double s)
{
    s = fmin(s, 1.0);
    return s * s * (3.0 - 2.0 * s);
}

/* s: the largest of 0.1; five lags in both directions, three for each of several channels; sqrt(3.75 F/(k A)); that
 * of a mass. The lag of the smoothed force is 0.25 of that of the actuator, four ticks, the time for the noise or for
 * supervision, at most 0.5 s; for a specimen that slips at most 0.25 s, shared by several channels. */
static double time_constant(const unloading *u)
{
    double noise = sqrt(u->variance), calm = fmin(sqrt(2.4 * noise / (u->k * 8.0)), 0.5);
    calm = fmax(calm, ifd__supervising_time(u->F, noise, 0.0, u->shown, dt));
    calm = fmax(calm, ifd__slipping_time(u->F, noise, 0.0, 0.25 * 5.0 / fmax(5.0, 3.0 * (1 + u->others)), dt));
    double smoothing = fmax(fmax(4.0 * dt, 0.25 * u->lag), calm);
    double T = fmax(0.1, (u->lag + smoothing + 2.0 * dt) * fmax(5.0, 3.0 * (1 + u->others)));
    return fmax(T, fmax(sqrt(3.75 * fabs(u->F) / (u->k * 8.0)), sqrt(30.0 * u->mass / (2.0 * u->k))));
}

/* After `settle` or eight lags, whichever is longer, a force must be constant for 0.3 s: 154 ticks, the first of them
 * at the end of that time. Its slow mean, the initial force of unloading, is then constant. */
TEST(a_force_is_taken_off_when_it_has_settled)
{
    static const struct {
        double settle, lag;
        long ticks;
    } rows[] = {{0.125, 1.0 / 128.0, 64 + 153}, {0.0625, 1.0 / 64.0, 64 + 153}, {0.25, 1.0 / 64.0, 128 + 153}};
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int sign = -1; sign < 2; sign += 2) {
            scene(period, IFD_RAMP_OUT_ZERO_FORCE);
            bare.opt.settle = rows[i].settle;
            seen()->lag_sum = 64.0 * rows[i].lag;
            rest(sign * 1000.0);
            assert_int_equal(rested(2000), rows[i].ticks);
        }
    for (int sign = -1; sign < 2; sign += 2) { /* measured in every tick, as in a test */
        scene(period, IFD_RAMP_OUT_ZERO_FORCE);
        seen()->stiffness = 1e6;
        rest(sign * 1000.0);
        for (long n = 0; n < 64 + 153; n++) {
            (void)ifd__ramp_out_guard(&bare, 1, IFD_ACTION_NOTE);
            assert_false(ifd__ramp_out_step(&bare, 1));
            assert_near(interface()->step, 0.0, 0.0, "tick %ld", n);
        }
        (void)ifd__ramp_out_guard(&bare, 1, IFD_ACTION_NOTE);
        assert_false(ifd__ramp_out_step(&bare, 1));
        double T = time_constant(&(unloading){sign * 1000.0, 1e6, 1.0 / 64.0, 0.0, 0.0, 0, true});
        assert_near_rel(interface()->step, -smooth(dt / T) * sign * 1000.0 / (1e6 * T) * dt, 1e-9, "unloaded");
    }
    scene(0.15, IFD_RAMP_OUT_ZERO_FORCE); /* twice that is exactly 0.3 s; the brake takes one more tick */
    seen()->lag_sum = 0.0;
    rest(1000.0);
    assert_int_equal(rested(100), 1 + 8 + 1);
}

/* A force that changes by more than 0.02 between its means, and by more than six deviations, is awaited for at most 5
 * s. Unloading starts from its slow mean. */
TEST(a_force_that_changes_is_waited_for)
{
    static const struct {
        double slow, variance;
        bool waits;
    } rows[] = {{98.0, 0.0, false},  {97.999, 0.0, true}, {102.0, 0.0, false}, {102.001, 0.0, true},
                {94.0, 16.0, false}, {93.99, 16.0, true}, {106.0, 16.0, false}};
    for (size_t j = 0; j < 2 * COUNT(rows); j++) {
        double sign = j < COUNT(rows) ? 1.0 : -1.0;
        size_t i = j % COUNT(rows);
        scene(period, IFD_RAMP_OUT_ZERO_FORCE);
        seen()->lag_sum = 4.0; /* 1/16 s: a mean over 8 ticks leaves a quarter of the noise; 256 ticks of rest */
        seen()->noise_f = rows[i].variance;
        seen()->stiffness = 1e6;
        rest(sign * 100.0);
        for (int n = 0; n < 200; n++)
            assert_false(ifd__ramp_out_step(&bare, 1));
        out()->slow_force = sign * rows[i].slow;
        long n = rested(3000);
        if (n != (rows[i].waits ? 2561 - 200 : 256 + 153 - 200))
            fail_msg("row %d: %ld ticks", (int)i, n);
        double T = 5.0 * (1.0 / 16.0 + 8.0 * dt + 2.0 * dt), s = dt / T,
               from = sign * (rows[i].waits ? 100.0 : rows[i].slow);
        if (rows[i].variance == 0.0)
            assert_near_rel(interface()->step, -s * s * (3.0 - 2.0 * s) * from / (1e6 * T) * dt, 1e-12, "row %d",
                            (int)i);
    }
}

/* During half of eight lags the actuator is still moving: changes of the force are ignored. */
TEST(the_slow_mean_begins_when_the_actuator_has_arrived)
{
    for (int late = 0; late < 2; late++) {
        scene(period, IFD_RAMP_OUT_ZERO_FORCE);
        rest(1000.0);
        for (int n = 1; n < 32; n++)
            (void)ifd__ramp_out_step(&bare, 1);
        if (late)
            (void)ifd__ramp_out_step(&bare, 1);
        out()->force = 500.0; /* in the 32nd tick of rest, and in the 33rd */
        (void)ifd__ramp_out_step(&bare, 1);
        out()->force = late ? 1000.0 : 500.0;
        assert_int_equal(rested(3000), 64 + 153 - 32 - late);
    }
}

/* A force within three deviations of its noise, or 0.002 of the largest, is zero. A force below the resolution for
 * supervision remains, with a note. */
TEST(a_force_within_its_dead_band_is_left)
{
    static const struct {
        double F, variance, peak, step;
        bool shown, unloads, noted;
    } rows[] = {{2.0, 0.0, 1000.0, 0.0, true, false, false},   {-2.0, 0.0, 1000.0, 0.0, true, false, false},
                {2.001, 0.0, 1000.0, 0.0, true, true, false},  {12.0, 16.0, 1000.0, 0.0, true, false, false},
                {12.01, 16.0, 1000.0, 0.0, true, false, true}, {18.7, 16.0, 1000.0, 0.0, true, false, true},
                {18.8, 16.0, 1000.0, 0.0, true, true, false},  {-18.8, 16.0, 1000.0, 0.0, true, true, false},
                {29.9, 16.0, 1000.0, 0.0, false, false, true}, {30.1, 16.0, 1000.0, 0.0, false, true, false},
                {13.8, 0.0, 0.0, 1.0, true, false, true},      {13.9, 0.0, 0.0, 1.0, true, true, false},
                {-13.8, 0.0, 0.0, 1.0, true, false, true},     {0.5, 0.0, 1000.0, 0.0, false, false, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        scene(period, IFD_RAMP_OUT_ZERO_FORCE);
        seen()->noise_f = rows[i].variance;
        seen()->peak_f = rows[i].peak;
        seen()->step_f = rows[i].step;
        seen()->stiffness = rows[i].shown ? 1e6 : 0.0;
        rest(rows[i].F);
        long n = rested(3000);
        if ((n > 0) != rows[i].unloads || (noted(IFD_TRIP_NOT_UNLOADED) > 0.0) != rows[i].noted)
            fail_msg("row %d: %ld ticks, %g notes", (int)i, n, noted(IFD_TRIP_NOT_UNLOADED));
    }
    scene(period, IFD_RAMP_OUT_ZERO_FORCE); /* the smallest force */
    seen()->noise_f = 16.0;
    rest(ifd__supervisable(ifd__certain_change(4.0 * sqrt(dt), 0.0), false));
    assert_int_equal(rested(3000), 0);
    for (int waits = 0; waits < 2; waits++) { /* within it, but it changes */
        scene(period, IFD_RAMP_OUT_ZERO_FORCE);
        seen()->peak_f = 1000.0;
        rest(2.0);
        for (int n = 0; n < 40; n++)
            (void)ifd__ramp_out_step(&bare, 1);
        out()->slow_force = waits ? 1.0 : 2.0;
        assert_int_equal(arrives(3000), waits ? 2561 + 1 - 40 : 64 + 1 - 40);
    }
}

/* A force with two sign changes, each beyond six deviations, oscillates by itself. */
TEST(a_force_that_swings_is_left)
{
    static const struct {
        double F[3];
        bool left;
    } rows[] = {{{100.0, -100.0, 100.0}, true}, {{-100.0, 100.0, -100.0}, true}, {{100.0, 100.0, -100.0}, false},
                {{100.0, -6.0, 100.0}, false},  {{100.0, -6.001, 100.0}, true},  {{-100.0, 6.001, -100.0}, true},
                {{-100.0, 6.0, -100.0}, false}, {{6.0, -100.0, 100.0}, false},   {{100.0, -100.0, -100.0}, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        scene(period, IFD_RAMP_OUT_ZERO_FORCE);
        seen()->lag_sum = 4.0;
        seen()->noise_f = 16.0; /* a quarter of 4 N remains */
        seen()->stiffness = 1e6;
        rest(100.0);
        for (int n = 0; n < 128; n++) { /* it passes zero while the actuator is moving */
            out()->force = n % 2 ? 100.0 : -100.0;
            (void)ifd__ramp_out_step(&bare, 1);
        }
        for (int k = 0; k < 3; k++) {
            out()->force = out()->slow_force = rows[i].F[k];
            (void)ifd__ramp_out_step(&bare, 1);
        }
        out()->force = out()->slow_force = copysign(100.0, rows[i].F[2]);
        assert_int_equal(arrives(400) > 0, rows[i].left);
    }
}

/* x' = -g F/(k T), at most creep; g engages within T, or 20 T if no motion has shown the stiffness. */
TEST(unloading_goes_by_force_stiffness_and_time)
{
    static const unloading rows[] = {
        {1000.0, 1e6, 1.0 / 64.0, 0.0, 0.0, 0, true},  {-1000.0, 1e6, 1.0 / 64.0, 0.0, 0.0, 0, true},
        {1000.0, 1e6, 1.0 / 64.0, 0.0, 0.0, 0, false}, {1000.0, 1e6, 1.0 / 512.0, 0.0, 0.0, 0, true},
        {1000.0, 1e6, 1.0 / 64.0, 0.0, 0.0, 1, true},  {1e5, 1e6, 1.0 / 64.0, 0.0, 0.0, 0, true},
        {-1e5, 1e6, 1.0 / 64.0, 0.0, 0.0, 0, true},    {1000.0, 1e6, 1.0 / 64.0, 0.0, 1e4, 0, true},
        {1000.0, 1e6, 0.125, 0.0, 0.0, 0, true},       {1e6, 1e8, 1.0 / 64.0, 1e10, 0.0, 0, true},
        {1e6, 1e6, 1.0 / 64.0, 1e10, 0.0, 0, true},    {-1e7, 1e6, 1.0 / 64.0, 1e12, 0.0, 0, true}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        unload(&rows[i]);
        double T = time_constant(&rows[i]), slow = rows[i].shown ? 1.0 : 20.0;
        long last = lround(1.2 * T / dt);
        seen()->noise_f = 0.0; /* its time constant remains that of the initial noise */
        for (long n = 1; n <= last; n++) {
            double speed = -smooth((double)n * dt / (slow * T)) * rows[i].F / (rows[i].k * T);
            speed = fmax(-0.5, fmin(speed, 0.5));
            assert_near_rel(interface()->step, speed * dt, 1e-9, "row %d, tick %ld", (int)i, n);
            assert_false(ifd__ramp_out_step(&bare, 1));
        }
    }
    for (int sign = -1; sign < 2; sign += 2) { /* unknown stiffness: 0.01 of the stroke of 16 m */
        unloading unknown = {sign * 1000.0, 0.0, 1.0 / 64.0, 0.0, 0.0, 0, false};
        unload(&unknown);
        unknown.k = 1000.0 / 0.16;
        double T = time_constant(&unknown);
        assert_near_rel(interface()->step, -sign * smooth(dt / (20.0 * T)) * 0.16 / T * dt, 1e-9,
                        "unknown stiffness");
    }
}

/* The gain increases by at most 2 dt/T per tick, and never decreases; the stiffness follows the observed one within
 * T. */
TEST(unloading_follows_what_it_learns)
{
    unloading u = plain;
    u.shown = false;
    unload(&u);
    double T = time_constant(&u);
    for (int n = 1; n < 200; n++)
        (void)ifd__ramp_out_step(&bare, 1);
    double gain = smooth(200.0 * dt / (20.0 * T));
    seen()->stiffness = 1e6;
    for (int n = 1; n < 20; n++) {
        (void)ifd__ramp_out_step(&bare, 1);
        assert_near_rel(interface()->step, -(gain + 2.0 * n * dt / T) * 1e-3 / T * dt, 1e-9, "shown, tick %d", n);
    }
    unload(&plain);
    for (int n = 1; n < 40; n++)
        (void)ifd__ramp_out_step(&bare, 1);
    u = plain;
    u.lag = 0.125;
    seen()->lag_sum = 8.0;
    (void)ifd__ramp_out_step(&bare, 1);
    assert_near_rel(interface()->step, -smooth(40.0 * dt / T) * 1e-3 / time_constant(&u) * dt, 1e-9,
                    "it never falls");
    unload(&plain);
    out()->stiffness_goal = 2e6;
    double k = 1e6;
    for (int n = 2; n < 40; n++) {
        (void)ifd__ramp_out_step(&bare, 1);
        k = 2e6 - (2e6 - k) / (1.0 + dt / T);
        assert_near_rel(interface()->step, -smooth(n * dt / T) * 1000.0 / (k * T) * dt, 1e-9, "learnt, tick %d", n);
    }
}

/* At half the dead band, or beyond zero, it brakes in the same tick, by the cubic of the velocity. */
TEST(unloading_ends_in_a_brake)
{
    static const struct {
        double F, variance;
        bool ends;
    } rows[] = {{1.0, 0.0, true},  {1.001, 0.0, false}, {-500.0, 0.0, true}, {0.0, 0.0, true},
                {6.0, 16.0, true}, {6.01, 16.0, false}, {-6.01, 16.0, true}};
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int sign = -1; sign < 2; sign += 2) {
            unloading u = plain;
            u.F = sign * 1000.0;
            unload(&u);
            seen()->peak_f = 1000.0;
            seen()->noise_f = rows[i].variance;
            for (int n = 1; n < 40; n++)
                (void)ifd__ramp_out_step(&bare, 1);
            double p = interface()->command, v = interface()->step / dt;
            out()->force = sign * rows[i].F;
            (void)ifd__ramp_out_step(&bare, 1);
            double T = fmax(2.1 * fabs(v) / 8.0, 2.0 * dt), s = dt / T;
            double brakes = p + v * T * (s - s * s * s + 0.5 * s * s * s * s);
            assert_int_equal(fabs(interface()->command - brakes) < 1e-15, rows[i].ends);
            if (rows[i].ends) {
                out()->force = out()->slow_force = 0.0;
                assert_int_equal(arrives(1000), 2 + 64 + 1 - 1 + 1); /* last tick, end, rest, arrived */
            }
        }
}

/* More than 5 s in one stay inside the dead band, 2 N here, end unloading as well: 2560 ticks are exactly 5 s. */
TEST(a_force_that_stays_inside_the_dead_band_is_left)
{
    static const struct {
        double F;
        bool ends;
    } rows[] = {{2.0, true}, {1.5, true}, {2.001, false}, {-2.0, true}};
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int again = 0; again < 2; again++) {
            unloading u = plain;
            u.F = rows[i].F < 0.0 ? -1000.0 : 1000.0;
            unload(&u);
            seen()->peak_f = 1000.0;
            out()->force = rows[i].F;
            if (again) { /* a tick outside begins a new stay */
                for (int n = 0; n < 2000; n++)
                    (void)ifd__ramp_out_step(&bare, 1);
                out()->force = 2.5 * rows[i].F;
                (void)ifd__ramp_out_step(&bare, 1);
                out()->force = rows[i].F;
            }
            double phase = out()->phase;
            for (int n = 0; n < 2560; n++)
                (void)ifd__ramp_out_step(&bare, 1);
            assert_true(out()->phase == phase);
            (void)ifd__ramp_out_step(&bare, 1);
            assert_int_equal(out()->phase != phase, rows[i].ends);
        }
}

TESTS()
