/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "fixture.h"

#include <string.h>

#include "rig/bench.h"

static const double tick = 1e-3, two_pi = 6.28318530717958647693;

static double show(const sensor *c, double truth)
{
    return ifd_sensor_step(c->c, truth, false, c->s);
}

TEST(converters_round_half_away_from_zero)
{
    const ifd_converter c = {0.25, 0};
    const double in[] = {0.124, 0.125, -0.125, 0.374, -0.375, 7}, out[] = {0, 0.25, -0.25, 0.25, -0.5, 7};
    for (size_t i = 0; i < COUNT(in); i++) {
        assert_near(ifd_converter_in(c, in[i]), out[i], 0, "A/D of %g", in[i]);
        assert_near(ifd_converter_out(c, in[i]), out[i], 0, "D/A of %g", in[i]);
    }
    assert_near(ifd_converter_in((ifd_converter){0, 0}, 0.1234), 0.1234, 0, "no limits");
}

/* They differ where the range is not a multiple of the quantum. */
TEST(one_clips_first_and_the_other_rounds_first)
{
    const ifd_converter c = {0.3, 1.0};
    assert_near(ifd_converter_in(c, 5), 0.3 * 3, 1e-15, "A/D: 1.0, then 0.9");
    assert_near(ifd_converter_out(c, 5), 1.0, 0, "D/A: 5.1, then 1.0");
    assert_near(ifd_converter_in(c, -5), -0.3 * 3, 1e-15, "A/D");
    assert_near(ifd_converter_out(c, -5), -1.0, 0, "D/A");
}

TEST(a_perfect_sensor_shows_the_truth)
{
    sensor c = sensor_of(arena, NULL, tick);
    for (int k = 0; k < 100; k++)
        assert_true(show(&c, sin(k)) == sin(k));
    assert_near(c.s[IFD_SENSOR_LOST], 0, 0, "lost");
}

TEST(gain_bias_drift_range_and_resolution_add_up)
{
    setting s[] = {{"gain", 2, NULL},  {"bias", 0.5, NULL},         {"drift", 10, NULL},
                   {"range", 8, NULL}, {"resolution", 0.125, NULL}, {0}};
    sensor c = sensor_of(arena, s, tick);
    assert_near(show(&c, 1), 2.5, 0, "at 0");
    for (int k = 1; k < 100; k++)
        show(&c, 1);
    assert_near(show(&c, 1), 3.5, 0, "after 0.1 s of drift");
    assert_near(show(&c, 100), 8, 0, "clipped");
    assert_near(show(&c, 1.03), 3.625, 0, "2.06 + 0.5 + 1.02 = 3.58, rounded");
    assert_near(ifd_sensor_step(c.c, 1.03, true, c.s), 2.06, 0, "probing: gain only");
}

/* Five standard errors. */
TEST(noise_is_white_and_of_its_deviation)
{
    enum { N = 100000 };
    sensor c = sensor_of(arena, (setting[]){{"noise", 3, NULL}, {"seed", 7, NULL}, {0}}, tick);
    double mean = 0, square = 0, product = 0, last = 0;
    for (int k = 0; k < N; k++) {
        double n = show(&c, 1) - 1;
        mean += n / N;
        square += n * n / N;
        product += n * last / N;
        last = n;
    }
    assert_near(mean, 0, 5 * 3 / sqrt(N), "mean");
    assert_near(square, 9, 5 * 9 * sqrt(2.0 / N), "variance");
    assert_near(product, 0, 5 * 9 / sqrt(N), "correlation of neighbours");
}

TEST(seeds_differ_and_repeat)
{
    sensor one = sensor_of(arena, (setting[]){{"noise", 1, NULL}, {"seed", 1, NULL}, {0}}, tick);
    sensor again = sensor_of(arena, (setting[]){{"noise", 1, NULL}, {"seed", 1, NULL}, {0}}, tick);
    sensor two = sensor_of(arena, (setting[]){{"noise", 1, NULL}, {"seed", 2, NULL}, {0}}, tick);
    int same = 0;
    for (int k = 0; k < 100; k++) {
        double a = show(&one, 0), b = show(&again, 0), c = show(&two, 0);
        assert_true(a == b);
        same += a == c;
    }
    assert_int_equal(same, 0);
}

/* The generator is in the state: a restored state reproduces the noise. */
TEST(noise_replays_from_a_copy_of_the_state)
{
    sensor c =
        sensor_of(arena, (setting[]){{"noise", 1, NULL}, {"dropout", 0.3, NULL}, {"filter", 50, NULL}, {0}}, tick);
    check_states(c.c->size, c.c->rows, c.c->row, "sensor");
    size_t bytes = sizeof(double) * (size_t)c.c->size;
    for (int k = 0; k < 37; k++)
        show(&c, k);
    double *saved = ifd_arena_take(arena, bytes), first[50];
    memcpy(saved, c.s, bytes);
    for (int k = 0; k < 50; k++)
        first[k] = show(&c, k);
    memcpy(c.s, saved, bytes);
    for (int k = 0; k < 50; k++)
        assert_true(show(&c, k) == first[k]);
}

TEST(a_dropout_keeps_the_last_value)
{
    enum { N = 20000 };
    sensor c = sensor_of(arena, (setting[]){{"dropout", 0.2, NULL}, {0}}, tick);
    int kept = 0;
    double last = 0;
    for (int k = 1; k <= N; k++) {
        double shown = show(&c, k);
        assert_true(shown == k || shown == last);
        kept += shown == last;
        last = shown;
    }
    assert_near(kept, c.s[IFD_SENSOR_LOST], 0, "counted");
    assert_near((double)kept / N, 0.2, 5 * sqrt(0.2 * 0.8 / N), "rate");
}

TEST(a_stuck_sensor_freezes_and_recovers)
{
    setting s[] = {{"stuck-from", 0.010, NULL}, {"stuck-for", 0.005, NULL}, {0}};
    sensor c = sensor_of(arena, s, tick);
    for (int k = 0; k < 30; k++) {
        double expected = k >= 10 && k < 15 ? 9 : k;
        assert_near(show(&c, k), expected, 0, "tick %d", k);
    }
}

/* 3 dB at the cut-off, four powers of ten per decade above it. */
TEST(the_filter_is_a_fourth_order_butterworth)
{
    const double cutoff = 10, hz[] = {1, 10, 20};
    for (size_t i = 0; i < COUNT(hz); i++) {
        sensor c = sensor_of(arena, (setting[]){{"filter", cutoff, NULL}, {0}}, 1e-4);
        double re = 0, im = 0, w = two_pi * hz[i];
        int period = (int)lround(1e4 / hz[i]), settle = 10 * period > 20000 ? 10 * period : 20000;
        settle -= settle % period;
        for (int k = 0; k < settle + period; k++) {
            double y = show(&c, sin(w * k * 1e-4));
            if (k >= settle) {
                re += y * sin(w * k * 1e-4) * 2 / period;
                im += y * cos(w * k * 1e-4) * 2 / period;
            }
        }
        double expected = 1 / sqrt(1 + pow(hz[i] / cutoff, 8));
        /* the input is linear between samples: (w h)^2 / 12 less */
        assert_near(hypot(re, im), expected, 1e-4 * expected, "gain at %g Hz", hz[i]);
    }
}

TEST(a_sensor_begun_at_a_value_shows_it)
{
    sensor c = sensor_of(arena, (setting[]){{"filter", 10, NULL}, {0}}, tick);
    ifd_sensor_begin(c.c, 3.5, c.s);
    for (int k = 0; k < 100; k++)
        assert_near(show(&c, 3.5), 3.5, 1e-13, "tick %d", k);
}

TESTS_WITH(open_arena, close_arena)
