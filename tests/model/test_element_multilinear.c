/* SPDX-License-Identifier: MIT */
/* Straight segments between points: the four rules against values of an independent computation and closed forms. */
#include "check.h"
#include "fixture.h"

#include <string.h>

#include "element_samples.h"
#include "model/element/multilinear.h"
#include "model/element/soil.h"

enum { ROWS = 10 };

/* Sand of 35 degrees and 10 kN/m3 at 1.5 m: p = P tanh(k z y/P) at ten points. */
static const double P = 97607.7097, kz = 33e6;

static void sand(double *row)
{
    for (int i = 1; i <= ROWS; i++) {
        double x = 1.0 - (1.0 - (double)i / ROWS) * (1.0 - (double)i / ROWS);
        row[2 * i - 2] = (i < ROWS ? atanh(x) : 3.8) * P / kz;
        row[2 * i - 1] = x * P;
    }
}

static ifd__multilinear law(ifd__multilinear_rule rule, double drag, const double *row, int rows)
{
    ifd__multilinear d = {.rule = (int)rule, .drag = drag};
    ifd_value v = ifd_matrix(row, rows, 2);
    assert_int_equal(ifd__multilinear_make(&v, "law", &d, &note), IFD_OK);
    return d;
}

static double go(const ifd__multilinear *d, double *s, double q)
{
    double k;
    return ifd__multilinear_move(d, s, q, &k, s);
}

TEST_IN_ARENA(a_spring_of_sand_has_the_forces_of_an_independent_computation)
{
    static const double path[][3] = {{5, 90723.396, 90723.396},       {-5, -90723.396, -90723.396},
                                     {20, 97607.7097, 97607.7097},    {10, -83839.0824, -25151.7247},
                                     {-20, -97607.7097, -97607.7097}, {0, 96898.3087, 29069.4926},
                                     {40, 97607.7097, 97607.7097},    {-10, -97607.7097, -29282.3129}};
    double row[2 * ROWS], s[IFD__MULTILINEAR_STATES] = {0}, apart[IFD__MULTILINEAR_STATES] = {0};
    sand(row);
    ifd__multilinear masing = law(IFD__MULTILINEAR_MASING, 1, row, ROWS),
                     gapping = law(IFD__MULTILINEAR_GAPPING, 0.3, row, ROWS);
    for (size_t i = 0; i < COUNT(path); i++) {
        assert_near_rel(go(&masing, s, 1e-3 * path[i][0]), path[i][1], 6e-9, "masing at %g mm", path[i][0]);
        assert_near_rel(go(&gapping, apart, 1e-3 * path[i][0]), path[i][2], 6e-9, "gapping at %g mm", path[i][0]);
    }
}

/* The tip of a pile of 0.6 m. */
TEST_IN_ARENA(a_base_that_separates_follows_its_points_and_has_no_tension)
{
    static const double row[] = {0.0012, 2e5, 0.0078, 4e5, 0.0252, 6e5, 0.0438, 7.2e5, 0.06, 8e5};
    static const double path[][2] = {{5, 315151.515}, {0, 0},           {20, 540229.885}, {15, 0},
                                     {-10, 0},        {30, 630967.742}, {80, 800000}};
    ifd__multilinear d = law(IFD__MULTILINEAR_UPLIFT, 1, row, 5), other = d;
    double s[IFD__MULTILINEAR_STATES] = {0}, below[IFD__MULTILINEAR_STATES] = {0};
    other.below = 1;
    for (size_t i = 0; i < COUNT(path); i++) {
        assert_near(go(&d, s, 1e-3 * path[i][0]), path[i][1], 6e-4, "at %g mm", path[i][0]);
        assert_near(go(&other, below, -1e-3 * path[i][0]), -path[i][1], 6e-4, "below, at %g mm", path[i][0]);
    }
}

TEST_IN_ARENA(elastic_segments_go_on_beyond_the_last_points_on_both_sides)
{
    static const double row[] = {-2, -3, -1, -2.5, 1, 1, 3, 5};
    static const double at[][2] = {{0, 0},        {0.5, 0.5},    {2, 3},   {5, 9},
                                   {-0.5, -1.25}, {-1.5, -2.75}, {-4, -4}, {1, 1}};
    ifd__multilinear d = law(IFD__MULTILINEAR_ELASTIC, 1, row, 4);
    double s[IFD__MULTILINEAR_STATES] = {0};
    for (size_t i = 0; i < COUNT(at); i++)
        assert_near(go(&d, s, at[i][0]), at[i][1], 1e-14, "at %g", at[i][0]);
}

/* Rounding of a sum of ten forces. */
TEST_IN_ARENA(a_move_in_pieces_is_the_move)
{
    double row[2 * ROWS];
    sand(row);
    random_restart();
    for (int rule = 0; rule < 4; rule++) {
        ifd__multilinear d = law((ifd__multilinear_rule)rule, 0.3, row, ROWS);
        double a[IFD__MULTILINEAR_STATES] = {0}, b[IFD__MULTILINEAR_STATES] = {0};
        for (int i = 0; i < 500; i++) {
            double from = a[0], to = 0.02 * random_unit(), r = go(&d, a, to), cut = 0.5 + 0.5 * random_unit();
            (void)go(&d, b, from + cut * (to - from));
            assert_near(go(&d, b, to), r, 1e-8 * P, "rule %d from %g to %g", rule, from, to);
        }
    }
}

static void refused(ifd__multilinear_rule rule, const double *row, int rows, const char *with)
{
    ifd__multilinear d = {.rule = (int)rule};
    ifd_value v = ifd_matrix(row, rows, 2);
    assert_int_not_equal(ifd__multilinear_make(&v, "law", &d, &note), IFD_OK);
    assert_non_null(strstr(note.last->text, with));
}

TEST_IN_ARENA(points_in_a_wrong_order_are_refused)
{
    static const double back[] = {1, 1, 0.5, 2}, steeper[] = {1, 1, 2, 3}, falls[] = {1, 1, 2, 0.5},
                        negative[] = {-1, -1, 1, 1}, many[40] = {0};
    refused(IFD__MULTILINEAR_MASING, back, 2, "point 2 of 'points' is at 0.5; expected ascending q");
    refused(IFD__MULTILINEAR_MASING, steeper, 2, "the slope of 'points' is 1 up to point 1 and 2 after it");
    refused(IFD__MULTILINEAR_UPLIFT, falls, 2, "none below zero");
    refused(IFD__MULTILINEAR_GAPPING, negative, 2, "above zero");
    refused(IFD__MULTILINEAR_ELASTIC, many, 20, "expected 1 to 16 points");
}

/* Coefficients for 35 degrees, and the curve at 1.5 m. */
TEST_IN_ARENA(sand_has_the_coefficients_and_the_strength_of_an_independent_computation)
{
    static const double expected[] = {2.97044752, 3.41918228, 53.7934533};
    double C[3];
    ifd__soil_sand(35 * 3.14159265358979323846 / 180, C);
    for (int i = 0; i < 3; i++)
        assert_near_rel(C[i], expected[i], 2e-9, "C%d", i + 1);
}

/* 0.5 pu (y/y50)^(1/3) at y50 = 15 mm: pu = (3 c + w z + J c z/D) D. */
TEST_IN_ARENA(clay_has_half_of_its_strength_at_y50)
{
    const double of[] = {40e3, 8e3, 0.01, 0.5}, pu = (3 * 40e3 + 8e3 * 1.5 + 0.5 * 40e3 * 1.5 / 0.6) * 0.6;
    const ifd_element_ops *ops = ifd_element_find("p-y");
    ifd_element e = {.ops = ops, .name = "side", .nq = 1};
    ifd_value v[16];
    ifd_param_preset(ops->params, v);
    v[ifd_param_find(ops->params, "depth")] = ifd_number(1.5);
    v[ifd_param_find(ops->params, "diameter")] = ifd_number(0.6);
    v[ifd_param_find(ops->params, "length")] = ifd_number(0.5);
    v[ifd_param_find(ops->params, "soil")] = ifd_list(of, 4);
    assert_int_equal(ops->make(&e, v, arena, &note), IFD_OK);
    double s[SAMPLE_STATES] = {0}, zero = 0;
    for (int i = 0; i <= 10; i++) {
        double y = i < 10 ? 0.1 * pow(80, i / 9.0) : 20, q = y * 0.015, r = 0;
        e.ops->eval(&e, &(ifd_element_in){.q = &q, .qd = &zero, .qdd = &zero, .s = s}, &(ifd_element_out){.r = &r});
        assert_near_rel(r, 0.5 * 0.5 * pu * cbrt(fmin(y, 8)), 1e-9, "at %g y50", y);
    }
}

TESTS()
