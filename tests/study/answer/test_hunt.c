/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "study/answer/curves.h"

#include <string.h>

enum { MOST = 64 };

static const ifd__hunt usual = {.first = 0.1,
                                .step = 0.1,
                                .limit = INFINITY,
                                .slope = 0,
                                .resolution = 0.05,
                                .most = INFINITY,
                                .runs = 40,
                                .fill = 0};

/* Elastic with slope 2, then collapse at 1.03. */
static double brittle(double x)
{
    return x < 1.03 ? 0.5 * x : (double)INFINITY;
}

static int hunt(const ifd__hunt *h, double (*demand)(double), ifd__hunt_point *p)
{
    int n = 0;
    double x;
    while (n < MOST && ifd__hunt_next(h, n, p, &x)) {
        p[n].intensity = x;
        p[n++].demand = demand(x);
    }
    return n;
}

/* 0.1, 0.2, 0.4, 0.8, 1.6 collapses; then 1.2, 1.0, 1.1, 1.05, and 1.0 to 1.05 is within 5 %. */
TEST(the_step_doubles_and_the_gap_is_halved)
{
    static const double expected[] = {0.1, 0.2, 0.4, 0.8, 1.6, 1.2, 1.0, 1.1, 1.05};
    ifd__hunt_point p[MOST];
    int n = hunt(&usual, brittle, p);
    assert_int_equal(n, COUNT(expected));
    for (int i = 0; i < n; i++)
        assert_near(p[i].intensity, expected[i], 1e-12, "run %d", i);
    ifd__capacity c = ifd__hunt_capacity(&usual, n, p);
    assert_true(c.collapsed);
    assert_near(c.low, 1.0, 1e-12, "");
    assert_near(c.high, 1.05, 1e-12, "");
    assert_near(c.value, 1.025, 1e-12, "");
}

TEST(the_largest_gaps_are_filled)
{
    ifd__hunt h = usual;
    h.fill = 3;
    ifd__hunt_point p[MOST];
    int n = hunt(&h, brittle, p);
    static const double expected[] = {0.6, 0.3, 0.5}; /* of 0.4 to 0.8, then 0.2 to 0.4, then 0.4 to 0.6 */
    assert_int_equal(n, 12);
    for (int i = 0; i < 3; i++)
        assert_near(p[9 + i].intensity, expected[i], 1e-12, "fill %d", i);
    h.runs = 4;
    assert_int_equal(hunt(&h, brittle, p), 4);
    assert_false(ifd__hunt_capacity(&h, 4, p).collapsed);
    assert_near(ifd__hunt_capacity(&h, 4, p).value, 0.8, 1e-12, "a bound");
}

static double softening(double x)
{
    return x < 0.5 ? 0.5 * x : 0.25 + 5 * (x - 0.5); /* a slope of 0.2 after 2: a tenth */
}

TEST(slope_and_limit_are_criteria_of_collapse)
{
    ifd__hunt h = usual;
    ifd__hunt_point p[MOST];
    h.most = 3;
    int n = hunt(&h, softening, p);
    assert_false(ifd__hunt_capacity(&h, n, p).collapsed);
    assert_near(p[n - 1].intensity, 3, 1e-12, "the largest intensity");
    h.slope = 0.2;
    n = hunt(&h, softening, p);
    ifd__capacity c = ifd__hunt_capacity(&h, n, p);
    assert_true(c.collapsed && c.low <= 0.52 && c.high >= 0.5);
    h.slope = 0;
    h.limit = 1.0; /* at 0.65 */
    n = hunt(&h, softening, p);
    c = ifd__hunt_capacity(&h, n, p);
    assert_true(c.collapsed && c.low <= 0.65 && c.high > 0.65 && c.high - c.low <= 0.05 * c.low + 1e-12);
}

static double weak(double x)
{
    return x < 0.01 ? x : (double)NAN;
}

TEST(a_first_run_at_collapse_is_halved)
{
    ifd__hunt_point p[MOST];
    int n = hunt(&usual, weak, p);
    ifd__capacity c = ifd__hunt_capacity(&usual, n, p);
    assert_true(c.low < 0.01 && c.high >= 0.01 && c.high <= 1.05 * c.low + 1e-12);
}

/* Any number of runs gives the same next intensity, in any repetition: the search can be continued. */
TEST(the_next_intensity_depends_on_the_runs_only)
{
    ifd__hunt h = usual;
    h.fill = 4;
    ifd__hunt_point p[MOST], part[MOST];
    int n = hunt(&h, brittle, p);
    for (int k = 0; k < n; k++) {
        double x;
        memcpy(part, p, (size_t)k * sizeof *p);
        assert_true(ifd__hunt_next(&h, k, part, &x));
        assert_near(x, p[k].intensity, 0, "run %d", k);
    }
}

TEST(bands_count_collapse_as_infinite_demand)
{
    static const ifd__hunt_point a[] = {{1, 2}, {2, 6}}, b[] = {{1, 1}, {3, 3}}, d[] = {{1, 4}};
    const ifd__ida_curve c[] = {
        {2, a, {true, 2, 2.2, 2.1}}, {2, b, {true, 3, 3.4, 3.2}}, {1, d, {true, 1, 1.2, 1.1}}};
    double scratch[3], band[3];
    assert_near(ifd__ida_demand(&c[0], 0.5), 1, 1e-15, "");
    assert_near(ifd__ida_demand(&c[0], 1.5), 4, 1e-15, "");
    assert_near(ifd__ida_demand(&c[0], 2.05), 6, 1e-15, "");
    assert_true(isinf(ifd__ida_demand(&c[0], 2.15)));
    assert_near(ifd__ida_intensity(&c[0], 4), 1.5, 1e-15, "");
    assert_near(ifd__ida_intensity(&c[0], 60), 2.1, 1e-15, "");
    ifd__ida_demand_band(3, c, 1, scratch, band);
    assert_near(band[0], 1 + 0.32 * 1, 1e-12, "position 0.32 of 1, 2, 4");
    assert_near(band[1], 2, 1e-12, "");
    assert_near(band[2], 2 + 0.68 * 2, 1e-12, "position 1.68");
    ifd__ida_demand_band(3, c, 1.5, scratch, band);
    assert_near(band[1], 4, 1e-12, "1.5, 4, collapse");
    assert_true(isinf(band[2]));
    ifd__ida_intensity_band(3, c, 4, scratch, band);
    assert_near(band[1], 1.5, 1e-12, "1, 1.5, 3.2");
    const ifd__ida_curve open = {2, a, {false, 2, INFINITY, 2}};
    assert_true(isinf(ifd__ida_intensity(&open, 7)) && isinf(ifd__ida_demand(&open, 2.01)));
}

TESTS()
