/* SPDX-License-Identifier: MIT */
/* A position sensor that does not change: sound digital sensors behind a dead time, and stuck ones. The readings are
 * computed here from the command: rounded to the step of the sensor, after the dead time. Stroke -125 to 125 mm,
 * ticks of 1 ms. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "rig/sensors.h"

enum { TICKS = 6000, MOTIONS = 5, STEPS = 5 };

static ifd__reading reading;
static ifd_limits limits;
static ifd__stuck facts = {.period = 0.001, .limit = 200};
static ifd__watched w;
static double command[TICKS];

static void begin(double lag)
{
    memset(&reading, 0, sizeof reading);
    ifd_limits_defaults(&limits);
    limits.low = -0.125;
    limits.high = 0.125;
    w = (ifd__watched){.fresh = true, .limits = &limits, .reading = &reading, .lag = lag};
}

/* The tick before `ticks` in which the reading x[] is frozen; -1: none. */
static long frozen_at(const double *x, long ticks)
{
    for (long i = 1; i < ticks; i++) {
        w.xm = x[i];
        w.xm_old = x[i - 1];
        w.step = i > 1 ? command[i - 1] - command[i - 2] : 0.0;
        double range[2];
        if (ifd__frozen(&facts, &w, range))
            return i;
    }
    return -1;
}

static double noise(long i)
{
    uint32_t z = (uint32_t)i * 2654435761u;
    z ^= z >> 15;
    return (double)((z * 2246822519u) >> 8) / 16777216.0 - 0.5;
}

/* Motions that start from rest: a run, the cycles of a characterisation, creep, a noisy command, a step. */
static double motion(int which, double t)
{
    const double two_pi = 6.28318530717958647693;
    double s = fmax(t - 1.5, 0.0);
    switch (which) {
    case 0:
        return 0.015 * cos(two_pi * 3.5 * s);
    case 1:
        return 0.0024 * sin(two_pi * (s < 4.0 ? 0.25 : 4.0) * s);
    case 2:
        return 0.0005 * s;
    case 3:
        return 0.001 * sin(two_pi * 0.1 * s) + (s > 0.0 ? 6e-5 * noise((long)(s * 1000.0)) : 0.0);
    default:
        return s > 0.02 ? 0.01 : 0.5 * s;
    }
}

static void sense(int which, double step, long dead, double *x)
{
    for (long i = 0; i < TICKS; i++)
        command[i] = motion(which, (double)i * 0.001);
    for (long i = 0; i < TICKS; i++)
        x[i] = step * floor(command[i > dead ? i - dead : 0] / step);
}

static const double sizes[STEPS] = {1e-6, 5e-6, 2e-5, 1e-4, 2e-4};
static const long dead[STEPS] = {3, 6, 10, 15, 20};

TEST(sound_sensors_are_not_frozen)
{
    static double x[TICKS];
    for (int which = 0; which < MOTIONS; which++)
        for (int q = 0; q < STEPS; q++) {
            sense(which, sizes[q], dead[(q + which) % STEPS], x);
            begin(0.05);
            long at = frozen_at(x, TICKS);
            if (at >= 0)
                fail_msg("motion %d, step %g m: frozen in tick %ld", which, sizes[q], at);
        }
}

/* In every motion that continues: after 200 ticks, and the two of the command and of its step. */
TEST(a_stuck_sensor_is_frozen_after_the_time)
{
    static double x[TICKS];
    for (int q = 0; q < STEPS - 1; q++) {
        sense(0, sizes[q], dead[q], x);
        for (long i = 1700; i < TICKS; i++)
            x[i] = x[1699];
        begin(0.05);
        long at = frozen_at(x, TICKS);
        if (at < 1900 || at > 1902)
            fail_msg("step %g m: frozen in tick %ld, expected 1900 to 1902", sizes[q], at);
    }
}

/* The command moves by 30 um in each tick, and its first step reaches the guard in tick 2. Before any change q is a
 * third of `least` (0.25 mm), which three steps exceed; afterwards 0.1 mm, which four exceed. Then 200 ticks, or four
 * lags of 0.1 s. */
TEST(times_and_ranges_are_those_of_the_rule)
{
    static const struct {
        double lag, step;
        long first; /* reading that changes by the step; 0: none */
        long frozen;
    } rows[] = {{0.05, 0.0, 0, 1 + 3 + 200}, {0.1, 0.0, 0, 1 + 3 + 400}, {0.05, 1e-4, 10, 10 + 4 + 200}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static double x[TICKS];
        for (long k = 0; k < TICKS; k++) {
            command[k] = 3e-5 * (double)k;
            x[k] = rows[i].first > 0 && k >= rows[i].first ? rows[i].step : 0.0;
        }
        begin(rows[i].lag);
        assert_int_equal(frozen_at(x, TICKS), rows[i].frozen);
    }
}

/* R must exceed 0.25 mm, and three steps of the sensor. */
TEST(small_motions_do_not_count)
{
    static const struct {
        double range, step;
        bool frozen;
    } rows[] = {{2.499e-4, 1e-6, false}, {2.501e-4, 1e-6, true}, {5.99e-4, 2e-4, false}, {6.01e-4, 2e-4, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static double x[TICKS];
        for (long k = 0; k < TICKS; k++) {
            command[k] = k < 100 ? 0.0 : k % 2 ? rows[i].range : 0.0;
            x[k] = k < 50 ? 0.0 : rows[i].step;
        }
        begin(0.05);
        bool frozen = frozen_at(x, TICKS) >= 0;
        if (frozen != rows[i].frozen)
            fail_msg("range %g m, step %g m: %s", rows[i].range, rows[i].step, frozen ? "frozen" : "not frozen");
    }
}

/* A sensor of 2^-12 m, a command that is 2^-12 m away for a second and then 16 times as far: the time counts from
 * the larger one on, as the smaller one may have no step yet. A tick without a measurement does not count. */
TEST(one_step_and_stale_ticks_do_not_count)
{
    static double x[TICKS];
    const double step = 1.0 / 4096.0;
    for (long k = 0; k < TICKS; k++) {
        command[k] = k < 100 ? 0.0 : k < 1100 ? step : 16.0 * step;
        x[k] = k < 50 ? 0.0 : step;
    }
    begin(0.05);
    assert_int_equal(frozen_at(x, TICKS), 1101 + 200);
    begin(0.05);
    w.fresh = false;
    assert_int_equal(frozen_at(x, TICKS), -1);
    assert_near(reading.ticks, 0.0, 0.0, "ticks");
    ifd_interface_options c;
    ifd_interface_defaults(&c);
    assert_near(c.lag, 0.05, 0.0, "lag of an actuator of which nothing is known");
}

TESTS()
