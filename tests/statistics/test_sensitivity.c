/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "fixture.h"
#include "statistics/statistics.h"

#include <string.h>

static double ishigami(const double *u)
{
    double x[3];
    for (int i = 0; i < 3; i++)
        x[i] = M_PI * (2 * u[i] - 1);
    return sin(x[0]) + 7 * pow(sin(x[1]), 2) + 0.1 * pow(x[2], 4) * sin(x[0]);
}

enum { SAMPLES = 1 << 14 };

/* A Korobov lattice of six variables: equally distributed, and independent of any generator of the program. */
static void lattice(int k, double *u)
{
    long generator = 1;
    for (int i = 0; i < 6; i++) {
        u[i] = (double)((k * generator) % SAMPLES) / SAMPLES + 0.5 / SAMPLES;
        generator = generator * 1267 % SAMPLES;
    }
}

static ifd__sobol ishigami_sample(void)
{
    double *a = ifd_arena_array(arena, SAMPLES, sizeof *a), *b = ifd_arena_array(arena, SAMPLES, sizeof *b);
    double *ab = ifd_arena_array(arena, 3 * SAMPLES, sizeof *ab);
    for (int k = 0; k < SAMPLES; k++) {
        double u[6], mixed[3];
        lattice(k, u);
        a[k] = ishigami(u);
        b[k] = ishigami(u + 3);
        for (int i = 0; i < 3; i++) {
            memcpy(mixed, u, sizeof mixed);
            mixed[i] = u[3 + i];
            ab[i * SAMPLES + k] = ishigami(mixed);
        }
    }
    return (ifd__sobol){.variables = 3, .samples = SAMPLES, .a = a, .b = b, .ab = ab};
}

/* Standard deviation of the ratio of mean((f(A) - f(AB))^2) / 2 and the variance, linearised at the closed form: mean
 * 3.5, variance 13.8446. */
static double ratio_deviation(const ifd__sobol *s, int i, double total)
{
    double sum = 0, square = 0;
    for (int k = 0; k < SAMPLES; k++) {
        double spread = (pow(s->a[k] - 3.5, 2) + pow(s->b[k] - 3.5, 2)) / 2;
        double term = (pow(s->a[k] - s->ab[i * SAMPLES + k], 2) / 2 - total * spread) / 13.8446;
        sum += term;
        square += term * term;
    }
    return sqrt((square - sum * sum / SAMPLES) / SAMPLES / SAMPLES);
}

TEST_IN_ARENA(indices_of_the_ishigami_function_agree_with_the_closed_form)
{
    static const double first[] = {0.3139, 0.4424, 0}, total[] = {0.5576, 0.4424, 0.2437};
    ifd__sobol s = ishigami_sample();
    ifd__sobol_bootstrap b = {.replicates = 200, .seed = 1, .level = 0.95};
    ifd__index index[3];
    assert_int_equal(ifd__sobol_intervals(arena, &s, &b, index), IFD_OK);
    for (int i = 0; i < 3; i++) {
        assert_near(index[i].first, first[i], 0.01, "first %d", i);
        assert_near(index[i].total, total[i], 0.01, "total %d", i);
        assert_true(index[i].first_band[0] < index[i].first && index[i].first < index[i].first_band[1]);
        assert_true(index[i].total_band[0] < total[i] && total[i] < index[i].total_band[1]);
        assert_near_rel(index[i].total_band[1] - index[i].total_band[0], 2 * 1.96 * ratio_deviation(&s, i, total[i]),
                        0.25, "");
    }
    ifd__sobol flat = {
        .variables = 1, .samples = 2, .a = (double[]){1, 1}, .b = (double[]){1, 1}, .ab = (double[]){1, 1}};
    assert_int_equal(ifd__sobol_indices(&flat, index), IFD_RANGE);
}

/* f = 2 x0 - 3 x1 + x1 x2: effects 2, -3 + x2, x1. */
static double bilinear(const double *x)
{
    return 2 * x[0] - 3 * x[1] + x[1] * x[2];
}

TEST(elementary_effects_agree_with_the_derivatives)
{
    enum { TRAJECTORIES = 400 };
    static double x[TRAJECTORIES * 4 * 3], f[TRAJECTORIES * 4];
    ifd__morris_design d = {.variables = 3, .levels = 4, .seed = 11};
    double absolute = 0;
    for (int t = 0; t < TRAJECTORIES; t++) {
        int order[3];
        double *p = x + (size_t)t * 12, again[12];
        ifd__morris_trajectory(&d, t, order, p);
        ifd__morris_trajectory(&d, t, order, again);
        assert_memory_equal(again, p, sizeof again);
        for (int i = 0; i < 12; i++)
            assert_true(fabs(p[i] * 3 - round(p[i] * 3)) < 1e-12 && p[i] > -1e-12 && p[i] < 1 + 1e-12);
        for (int i = 0; i < 4; i++)
            f[t * 4 + i] = bilinear(p + (size_t)i * 3);
        for (int i = 0; i < 3; i++)
            if (p[i * 3 + 1] != p[i * 3 + 4])
                absolute += fabs(-3 + p[i * 3 + 2]) / TRAJECTORIES;
    }
    ifd__effect e[3];
    assert_int_equal(ifd__morris_effects(3, TRAJECTORIES, x, f, e), IFD_OK);
    assert_near(e[0].mean, 2, 1e-12, "");
    assert_near(e[0].absolute, 2, 1e-12, "");
    assert_near(e[0].deviation, 0, 1e-12, "");
    assert_near(e[1].absolute, absolute, 1e-11, "");
    assert_near(e[1].mean, -e[1].absolute, 1e-12, "");
    assert_near(e[2].mean, 0.5, 0.06, "mean of a level, deviation 0.37 / 20");
    assert_near(e[2].deviation, sqrt(5.0 / 36), 0.03, "levels 0, 1/3, 2/3, 1");
    x[0] = 7;
    x[1] = 7;
    assert_int_equal(ifd__morris_effects(3, TRAJECTORIES, x, f, e), IFD_RANGE);
    assert_int_equal(ifd__morris_effects(3, 0, x, f, e), IFD_RANGE);
}

/* The same indices from one sample without design; 50 groups of 327: error sqrt(2 * 50) / 16384 and the width of a
 * group. */
TEST_IN_ARENA(explained_variance_of_the_ishigami_function_is_its_first_index)
{
    static const double first[] = {0.3139, 0.4424, 0};
    double *x[3], *f = ifd_arena_array(arena, SAMPLES, sizeof *f);
    for (int i = 0; i < 3; i++)
        x[i] = ifd_arena_array(arena, SAMPLES, sizeof **x);
    for (int k = 0; k < SAMPLES; k++) {
        double u[6];
        lattice(k, u);
        f[k] = ishigami(u);
        for (int i = 0; i < 3; i++)
            x[i][k] = u[i];
    }
    for (int i = 0; i < 3; i++) {
        double index;
        assert_int_equal(ifd__explained_variance(arena, SAMPLES, x[i], f, 50, &index), IFD_OK);
        assert_near(index, first[i], 0.01, "variable %d", i);
    }
    double index;
    assert_int_equal(ifd__explained_variance(arena, 3, x[0], f, 2, &index), IFD_RANGE);
}

TEST_IN_ARENA(rank_correlation_agrees_with_the_closed_form)
{
    const double x[] = {1, 2, 3, 4, 5, 6}, f[] = {2, 1, 4, 3, 8, 5}, tied[] = {1, 1, 2, 2, 3, 3}, flat[] = {1, 1, 1};
    double r;
    assert_int_equal(ifd__rank_correlation(arena, 6, x, f, &r), IFD_OK);
    assert_near(r, 1 - 6.0 * 6 / (6 * 35), 1e-15, "six ranks differ by one");
    assert_int_equal(ifd__rank_correlation(arena, 6, x, tied, &r), IFD_OK);
    assert_near(r, 16 / sqrt(17.5 * 16), 1e-15, "mean ranks");
    assert_int_equal(ifd__rank_correlation(arena, 3, x, flat, &r), IFD_RANGE);
}

TESTS()
