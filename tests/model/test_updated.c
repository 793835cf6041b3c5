/* SPDX-License-Identifier: MIT */
/* Elements with parameters that a test identifies: with deviations they are the elements of the changed parameters.
 * Those are computed by other code: by their own solution of a move, or by small steps of their rates. */
#include "check.h"
#include "fixture.h"

#include <string.h>

#include "element_samples.h"
#include "model/element.h"
#include "model/element/law.h"

#define NUM(which, x)                                                                                                \
    {                                                                                                                \
        .name = (which), .number = (x)                                                                               \
    }

/* The start, the deviations of the identified parameters, and the parameters that result. */
typedef struct row {
    sample start;
    double deviation[IFD__LAW_PARAMS];
    sample changed;
} row;

/* y = (beta + gamma)^(-1/n), b = beta/(beta + gamma). From y 10 mm, b 0.6, n 1.5 to 12 mm, 0.48, 1.8. */
static const row rows[] = {
    {{"bouc-wen",
      1,
      0.05,
      1,
      1,
      {NUM("stiffness", 2e7), NUM("alpha", 0.1), NUM("beta", 600), NUM("gamma", 400), NUM("n", 1.5)}},
     {-0.2, 0.2, 0.2, -0.2, 0.2},
     {"bouc-wen",
      1,
      0.05,
      1,
      1,
      {NUM("stiffness", 1.6e7), NUM("alpha", 0.12), NUM("beta", 1376.3059724444563), NUM("gamma", 1490.9981368148276),
       NUM("n", 1.8)}}},
    {{"lead-rubber",
      1,
      0.05,
      1,
      1,
      {NUM("yield-force", 2e5), NUM("yield-displacement", 0.01), NUM("ratio", 0.1), NUM("b", 0.3), NUM("n", 3)}},
     {0.25, -0.1, 0.5},
     {"lead-rubber",
      1,
      0.05,
      1,
      1,
      {NUM("yield-force", 2.5e5), NUM("yield-displacement", 0.009), NUM("ratio", 0.15), NUM("b", 0.3), NUM("n", 3)}}},
    {{"lead-rubber", 1, 0.05, 1, 1, {NUM("yield-force", 2e5), NUM("yield-displacement", 0.01), NUM("ratio", 0.1)}},
     {0.0, 0.0, 0.0},
     {"lead-rubber", 1, 0.05, 1, 1, {NUM("yield-force", 2e5), NUM("yield-displacement", 0.01), NUM("ratio", 0.1)}}},
    {{"friction-pendulum", 1, 0.05, 1, 1, {NUM("load", 2e6), NUM("radius", 2), NUM("friction", 0.05)}},
     {0.4, 0.5},
     {"friction-pendulum", 1, 0.05, 1, 1, {NUM("load", 2e6), NUM("radius", 3), NUM("friction", 0.07)}}},
    {{"bilinear", 1, 0.05, 1, 1, {NUM("stiffness", 2e7), NUM("ratio", 0.1), NUM("yield", 0.01)}},
     {-0.25, 1.0, 0.3},
     {"bilinear", 1, 0.05, 1, 1, {NUM("stiffness", 1.5e7), NUM("ratio", 0.2), NUM("yield", 0.013)}}},
    {{"spring", 1, 0.05, 1, 1, {NUM("stiffness", 2e7)}}, {0.1}, {"spring", 1, 0.05, 1, 1, {NUM("stiffness", 2.2e7)}}},
};

static double path(double t)
{
    return 0.04 * sin(7 * t) * (0.2 + t) + 0.011 * sin(31 * t);
}

static double force_of(const ifd_element *e, double q, const double *s)
{
    double v = 0, r = 0;
    e->ops->eval(e, &(ifd_element_in){.q = &q, .qd = &v, .qdd = &v, .s = s}, &(ifd_element_out){.r = &r});
    return r;
}

/* The plain element over a move from a to b in many small steps of its rates (midpoint rule), or by itself. */
static void move_plain(const ifd_element *e, double a, double b, double *s)
{
    enum { PARTS = 400 };
    double dq = b - a, g, v = dq / PARTS, middle;
    if (e->ops->advance) {
        e->ops->advance(e, &dq, s, NULL);
        return;
    }
    for (int i = 0; i < PARTS && e->ns; i++) {
        e->ops->eval(e, &(ifd_element_in){.q = &a, .qd = &v, .qdd = &v, .s = s}, &(ifd_element_out){.g = &g});
        middle = s[0] + 0.5 * g;
        e->ops->eval(e, &(ifd_element_in){.q = &a, .qd = &v, .qdd = &v, .s = &middle}, &(ifd_element_out){.g = &g});
        s[0] += g;
    }
}

static ifd_element updated_of(const sample *start)
{
    ifd_element plain, e;
    sample_make(start, arena, &plain, NULL);
    const ifd__law *law = ifd__law_of(plain.ops);
    ifd_value values[16];
    assert_non_null(law);
    assert_ptr_equal(ifd__law_of(law->updated), law);
    ifd_param_preset(law->updated->params, values);
    for (const setting *p = start->set; p->name; p++) {
        int i = ifd_param_find(law->updated->params, p->name);
        values[i] = ifd_number(p->number);
        values[i].given = true;
    }
    e = (ifd_element){.ops = law->updated, .name = "copy", .nq = 1};
    assert_int_equal(law->updated->make(&e, values, arena, NULL), IFD_OK);
    assert_int_equal(e.ns, 1 + law->params);
    return e;
}

TEST_IN_ARENA(a_copy_is_the_element_of_its_parameters)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        ifd_element plain, copy = updated_of(&rows[i].start);
        assert_int_equal(sample_make(&rows[i].changed, arena, &plain, NULL), IFD_OK);
        double s[1 + IFD__LAW_PARAMS] = {0}, z[4] = {0}, most = 0, worst = 0;
        memcpy(s + 1, rows[i].deviation, sizeof rows[i].deviation);
        for (int k = 1; k <= 400; k++) {
            double a = path(0.005 * (k - 1)), b = path(0.005 * k), dq = b - a;
            move_plain(&plain, a, b, z);
            copy.ops->advance(&copy, &dq, s, NULL);
            double r = force_of(&plain, b, z);
            most = fmax(most, fabs(r));
            worst = fmax(worst, fabs(force_of(&copy, b, s) - r));
        }
        assert_true(most > 1e5);
        assert_near(worst / most, 0, 2e-5, "%s, row %zu", rows[i].start.element, i);
    }
}

/* Against central differences, away from kinks; the deviations have no rate. */
TEST_IN_ARENA(its_derivatives_are_right)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        ifd_element e = updated_of(&rows[i].start);
        for (int k = 0; k < 8; k++) {
            double q = 0.02, v = k & 1 ? 0.3 : -0.2,
                   s[6] = {0.3 + 0.1 * k - (k & 2 ? 1.2 : 0), 0.1, -0.1, 0.05, 0, 0};
            double g_v[6] = {0}, g_s[36] = {0}, r_q = 0, r_s[6] = {0}, g[2][6] = {{0}};
            const ifd_element_in at = {.q = &q, .qd = &v, .qdd = &v, .s = s};
            e.ops->eval(&e, &at, &(ifd_element_out){.r_q = &r_q, .r_s = r_s, .g_v = g_v, .g_s = g_s});
            const double small = 1e-6;
            for (int side = 0; side < 2; side++) {
                double vv = v + (side ? small : -small);
                e.ops->eval(&e, &(ifd_element_in){.q = &q, .qd = &vv, .qdd = &v, .s = s},
                            &(ifd_element_out){.g = g[side]});
            }
            assert_near((g[1][0] - g[0][0]) / (2 * small), g_v[0], 1e-6 * (1 + fabs(g_v[0])), "g_v, row %zu", i);
            double up[6], down[6];
            memcpy(up, s, sizeof s);
            memcpy(down, s, sizeof s);
            up[0] += small;
            down[0] -= small;
            assert_near((force_of(&e, q, up) - force_of(&e, q, down)) / (2 * small), r_s[0],
                        1e-6 * (1 + fabs(r_s[0])), "r_s, row %zu", i);
            assert_near((force_of(&e, q + small, s) - force_of(&e, q - small, s)) / (2 * small), r_q,
                        1e-6 * (1 + fabs(r_q)), "r_q, row %zu", i);
            for (int side = 0; side < 2; side++)
                e.ops->eval(&e, &(ifd_element_in){.q = &q, .qd = &v, .qdd = &v, .s = side ? up : down},
                            &(ifd_element_out){.g = g[side]});
            assert_near((g[1][0] - g[0][0]) / (2 * small), g_s[0], 1e-4 * (1 + fabs(g_s[0])), "g_s, row %zu", i);
            for (int j = 1; j < e.ns; j++)
                assert_true(g[0][j] == 0 && g_v[j] == 0 && r_s[j] == 0);
        }
    }
}

/* The stiffness at rest: k of bouc-wen and bilinear, Fy/Y, N/R + mu N/Y. */
TEST_IN_ARENA(the_stiffness_at_rest_is_that_of_the_first_move)
{
    static const double expected[] = {2e7, 2e7, 2e7, 1e6 + 0.05 * 2e6 / 1e-3, 2e7, 2e7};
    for (size_t i = 0; i < COUNT(rows); i++) {
        ifd_element e = updated_of(&rows[i].start);
        double p[IFD__LAW_NUMBERS], s[6] = {0}, dq = 1e-9;
        ifd__law_start(&e, p);
        e.ops->advance(&e, &dq, s, NULL);
        assert_near_rel(ifd__law_stiffness(ifd__law_of(e.ops), p), expected[i], 1e-12, "row %zu", i);
        assert_near_rel(force_of(&e, dq, s) / dq, expected[i], 1e-4, "row %zu", i);
    }
}

TEST_IN_ARENA(what_the_filter_does_not_describe_is_refused)
{
    static const sample wrong[] = {
        {"lead-rubber", 1, 1, 1, 1, {NUM("yield-force", 2e5), NUM("yield-displacement", 0.01), NUM("damping", 10)}},
        {"lead-rubber",
         1,
         1,
         1,
         1,
         {NUM("yield-force", 2e5), NUM("yield-displacement", 0.01), NUM("heating", 1), NUM("lead-volume", 0.1)}},
        {"lead-rubber", 1, 1, 1, 1, {NUM("yield-force", 2e5), NUM("yield-displacement", 0.01), NUM("ratio", 0)}},
        {"friction-pendulum",
         1,
         1,
         1,
         1,
         {NUM("load", 2e6), NUM("radius", 2), NUM("friction", 0.05), NUM("friction-slow", 0.02)}},
        {"friction-pendulum", 1, 1, 1, 1, {NUM("load", 2e6), NUM("friction", 0.05)}},
        {"bilinear", 1, 1, 1, 1, {NUM("stiffness", 2e7), NUM("yield", 0.01)}},
        {"spring", 1, 1, 1, 1, {NUM("stiffness", -2e7)}},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        ifd_element plain, e;
        sample_make(&wrong[i], arena, &plain, NULL);
        const ifd__law *law = ifd__law_of(plain.ops);
        ifd_value values[16];
        ifd_param_preset(law->updated->params, values);
        for (const setting *p = wrong[i].set; p->name; p++) {
            values[ifd_param_find(law->updated->params, p->name)] = ifd_number(p->number);
            values[ifd_param_find(law->updated->params, p->name)].given = true;
        }
        e = (ifd_element){.ops = law->updated, .name = "copy", .nq = 1};
        assert_int_not_equal(law->updated->make(&e, values, arena, &note), IFD_OK);
        assert_int_equal(note.errors, (int)i + 1);
    }
}

TESTS()
