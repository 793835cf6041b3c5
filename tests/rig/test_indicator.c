/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "fixture.h"

#include "base/random.h"
#include "rig/bench.h"

static const double tick = 1.0 / 4096, two_pi = 6.28318530717958647693;

static double *begun(double memory, ifd_indicator **c)
{
    assert_int_equal(ifd_indicator_make(arena, memory, tick, c, NULL), IFD_OK);
    double *s = ifd_arena_array(arena, (size_t)(*c)->size, sizeof *s);
    ifd_indicator_begin(*c, s);
    return s;
}

/* A sine of 2 mm, ten whole periods, measured late and attenuated. */
TEST(delay_and_amplitude_of_a_sine_are_found)
{
    const double delay[] = {0.3 * tick, -1.5 * tick, 0, 25e-3, -12e-3}, amplitude[] = {1, 0.93, 1.2, 0.9159, 1};
    const double w = two_pi * 4, offset = 5e-3;
    for (size_t i = 0; i < COUNT(delay); i++) {
        ifd_indicator *c;
        double *s = begun(0, &c);
        for (int k = 0; k < 10 * 1024; k++) {
            double t = k * tick;
            ifd_indicator_in in = {.x = offset + 2e-3 * sin(w * t), .v = 2e-3 * w * cos(w * t)};
            in.xm = offset + amplitude[i] * 2e-3 * sin(w * (t - delay[i]));
            ifd_indicator_step(c, &in, s);
        }
        assert_near(ifd_indicator_read(s).delay, delay[i], 1e-12, "delay %zu", i);
        assert_near(ifd_indicator_read(s).amplitude, amplitude[i], 1e-11, "amplitude %zu", i);
    }
}

/* Two frequencies: the delay is still found if it is small relative to the periods. */
TEST(a_small_delay_of_a_mixed_motion_is_found)
{
    const double w1 = two_pi * 3, w2 = two_pi * 11, delay = 0.5 * tick;
    ifd_indicator *c;
    double *s = begun(0, &c);
    for (int k = 0; k < 8 * 4096; k++) {
        double t = k * tick, late = t - delay;
        ifd_indicator_in in = {.x = sin(w1 * t) + 0.4 * sin(w2 * t + 1),
                               .v = w1 * cos(w1 * t) + 0.4 * w2 * cos(w2 * t + 1)};
        in.xm = sin(w1 * late) + 0.4 * sin(w2 * late + 1);
        ifd_indicator_step(c, &in, s);
    }
    /* next term of the series: (w tau)^2 / 6 relative, w2 tau = 0.0084 */
    assert_near(ifd_indicator_read(s).delay, delay, 2e-5 * delay, "delay");
}

/* Deviation of the estimate: sigma / (sqrt(N) v_rms); five of them. */
TEST(noise_does_not_bias_the_delay)
{
    enum { N = 20 * 4096 };
    const double w = two_pi * 4, sigma = 1e-4, delay = 0.25 * tick;
    ifd__random r;
    ifd__random_seed(&r, 5);
    ifd_indicator *c;
    double *s = begun(0, &c);
    for (int k = 0; k < N; k++) {
        double t = k * tick;
        ifd_indicator_in in = {.x = 1e-3 * sin(w * t), .v = 1e-3 * w * cos(w * t)};
        in.xm = 1e-3 * sin(w * (t - delay)) + sigma * ifd__random_normal(&r);
        ifd_indicator_step(c, &in, s);
    }
    double v_rms = 1e-3 * w / sqrt(2);
    assert_near(ifd_indicator_read(s).delay, delay, 5 * sigma / (sqrt(N) * v_rms), "delay");
}

TEST(a_delay_that_changes_is_followed)
{
    const double w = two_pi * 4;
    ifd_indicator *c;
    double *s = begun(0.5, &c);
    for (int k = 0; k < 8 * 4096; k++) {
        double t = k * tick, delay = t < 4 ? 2e-3 : 6e-3;
        ifd_indicator_in in = {.x = sin(w * t), .v = w * cos(w * t), .xm = sin(w * (t - delay))};
        ifd_indicator_step(c, &in, s);
        if (k == 4 * 4096 - 1)
            /* a memory of two periods: w is known to 1/(2 w memory) = 4 %, with an effect of (w tau)^2/3 times
             * that */
            assert_near(ifd_indicator_read(s).delay, 2e-3, 2e-3 * 8.4e-4 * 0.08, "before");
    }
    /* remainder of the old value: e^{-4/0.5} of 4 ms */
    assert_near(ifd_indicator_read(s).delay, 6e-3, 4e-3 * exp(-8) * 2, "after");
}

/* f = k x_m, x_m late by phi: the structure receives pi k A^2 sin(phi) per cycle. */
TEST(energy_and_area_grow_with_a_late_actuator)
{
    enum { CYCLES = 8 };
    const double w = two_pi * 4, A = 2e-3, k = 1e6, phi = 0.2;
    for (int sign = -1; sign <= 1; sign += 2) {
        ifd_indicator *c;
        double *s = begun(0, &c);
        for (int i = 0; i <= CYCLES * 1024; i++) {
            double t = i * tick;
            ifd_indicator_in in = {.x = A * sin(w * t), .v = A * w * cos(w * t), .xm = A * sin(w * t - sign * phi)};
            in.fm = k * in.xm;
            ifd_indicator_step(c, &in, s);
        }
        double area = CYCLES * 3.14159265358979323846 * A * A * sin(sign * phi);
        /* the trapezoidal rule of a circle: (w h)^2 / 6 relative; for |f dx| also the loss at reversals */
        assert_near(ifd_indicator_read(s).area, area, 1e-5 * fabs(area), "area");
        assert_near(ifd_indicator_read(s).energy, k * area, 1e-5 * k * fabs(area), "energy");
        assert_near(ifd_indicator_read(s).work, CYCLES * 2 * k * A * A, 3.8e-5 * CYCLES * 2 * k * A * A,
                    "work of a spring");
    }
}

TEST(tracking_errors_are_those_of_their_definition)
{
    ifd_indicator *c;
    double *s = begun(0, &c);
    const double x[] = {1, -2, 0.5, 4}, xm[] = {1.1, -2.3, 0.5, 3.9};
    double e2 = 0, x2 = 0;
    for (size_t i = 0; i < COUNT(x); i++) {
        ifd_indicator_step(c, &(ifd_indicator_in){.x = x[i], .xm = xm[i]}, s);
        e2 += (xm[i] - x[i]) * (xm[i] - x[i]);
        x2 += x[i] * x[i];
    }
    assert_near(ifd_indicator_read(s).nrms, sqrt(e2 / x2), 1e-15, "nrms");
    assert_near(ifd_indicator_read(s).peak, 0.3 / 4, 1e-15, "peak");
}

TEST(at_rest_nothing_is_claimed)
{
    ifd_indicator *c;
    double *s = begun(1, &c);
    check_states(c->size, c->rows, c->row, "indicator");
    for (int k = 0; k < 1000; k++)
        ifd_indicator_step(c, &(ifd_indicator_in){.xm = 1e-5}, s);
    assert_near(ifd_indicator_read(s).delay, 0, 0, "delay");
    assert_near(ifd_indicator_read(s).amplitude, 1, 0, "amplitude");
    assert_near(ifd_indicator_read(s).nrms, 0, 0, "nrms");
    ifd_indicator *none;
    assert_int_equal(ifd_indicator_make(arena, -1, tick, &none, NULL), IFD_RANGE);
}

TESTS_WITH(open_arena, close_arena)
