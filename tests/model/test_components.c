/* SPDX-License-Identifier: MIT */
/* Two components of a generated ground motion: their correlation. The peak of one. */
#include "check.h"

#include <interfield/signal.h>

#include <math.h>

/* The motion of a seed; other: the seed of the first component, or a negative number. */
static const ifd_signal *component(ifd_arena *arena, int seed, double correlation, int other)
{
    const ifd_signal_kind *k = ifd_signal_find("kanai-tajimi");
    const ifd_signal *out = NULL;
    ifd_value v[IFD_SIGNAL_PARAMS];
    ifd_param_preset(k->params, v);
    v[ifd_param_find(k->params, "seed")] = ifd_number(seed);
    v[ifd_param_find(k->params, "duration")] = ifd_number(60);
    v[ifd_param_find(k->params, "max-frequency")] = ifd_number(8);
    if (other >= 0) {
        v[ifd_param_find(k->params, "correlation")] = ifd_number(correlation);
        v[ifd_param_find(k->params, "correlated-with")] = ifd_number(other);
        v[ifd_param_find(k->params, "peak")] = ifd_number(1);
    }
    assert_int_equal(ifd_signal_make(arena, k, v, NULL, &out, NULL), IFD_OK);
    return out;
}

/* Coefficient of correlation of two components. Independent values are about 1 / (2 B) apart with the band B of 4 Hz:
 * 480 in 60 s, so that the mean of eight pairs has a standard deviation of at most 0.016. */
static double correlation(double asked, int seed)
{
    ifd_arena *arena = ifd_arena_open();
    const ifd_signal *x = component(arena, seed, 0, -1), *y = component(arena, seed + 100, asked, seed);
    double xx = 0, yy = 0, xy = 0, a[3], b[3];
    for (int i = 0; i < 3000; i++) {
        ifd_signal_eval(x, 0.02 * i, a);
        ifd_signal_eval(y, 0.02 * i, b);
        xx += a[0] * a[0];
        yy += b[0] * b[0];
        xy += a[0] * b[0];
    }
    assert_near(ifd_signal_peak(y, 60, 0.002), 1, 1e-2, "peak of the second component");
    ifd_arena_close(arena);
    return xy / sqrt(xx * yy);
}

TEST(components_have_the_correlation_asked_for)
{
    const double asked[] = {-0.6, 0, 0.3, 0.9};
    (void)state;
    for (size_t k = 0; k < COUNT(asked); k++) {
        double mean = 0;
        for (int seed = 1; seed <= 8; seed++)
            mean += correlation(asked[k], seed) / 8;
        assert_near(mean, asked[k], 0.06, "mean of eight pairs");
    }
    assert_near(correlation(1, 5), 1, 1e-12, "equal components");
    assert_near(correlation(-1, 5), -1, 1e-12, "opposite components");
}

/* Samples every 1/64 s. Between them a sum of cosines up to 8 Hz is at most 1/cos(pi/8) of the largest. */
TEST(the_peak_is_that_of_the_samples)
{
    const double pi = 3.14159265358979323846, peak = 2.941995;
    double most = 0.0;
    ifd_arena *arena = ifd_arena_open();
    for (int seed = 1; seed <= 20; seed++) {
        const ifd_signal *s = component(arena, seed, 0.0, -1);
        double samples = 0.0, a[3];
        for (int i = 0; i <= 60 * 64 * 16; i++) {
            ifd_signal_eval(s, i / 1024.0, a);
            most = fmax(most, fabs(a[0]) / peak);
            samples = i % 16 ? samples : fmax(samples, fabs(a[0]));
        }
        assert_near(samples, peak, 1e-12, "seed %d", seed);
    }
    print_message("between samples %.4f of the peak\n", most);
    assert_true(most > 1.001 && most < 1.0 / cos(pi / 8.0));
    ifd_arena_close(arena);
}

TESTS()
