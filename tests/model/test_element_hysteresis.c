/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "fixture.h"

#include "element_samples.h"

#include <string.h>

static ifd_element made(const sample *s)
{
    ifd_element e;
    assert_int_equal(sample_make(s, arena, &e, NULL), IFD_OK);
    return e;
}

static ifd_element bouc_wen(double k, double alpha, double beta, double gamma, double n)
{
    const sample s = {"bouc-wen",
                      1,
                      1,
                      1,
                      1,
                      {{.name = "stiffness", .number = k},
                       {.name = "alpha", .number = alpha},
                       {.name = "beta", .number = beta},
                       {.name = "gamma", .number = gamma},
                       {.name = "n", .number = n}}};
    return made(&s);
}

static const double triple[] = {6.67e7, 1.5e-3, 1.15e6, 0.07};
static const sample bearing = {
    "sliders", 1, 1,
    1,         1, {{.name = "sliders", .data = triple, .rows = 2, .cols = 2}, {.name = "spring", .number = 5e5}}};

static double force(const ifd_element *e, double q, const double *s)
{
    point p = {.q = {q}};
    memcpy(p.s, s, sizeof(double) * (size_t)e->ns);
    return answer_at(e, &p).r[0];
}

/* Work of the second of two cycles 0, A, -A, 0 in pieces. The force is piecewise linear, so that the trapezoidal rule
 * is exact but for the pieces that hold a kink. */
static double cycle_work(const ifd_element *e, double amplitude, int pieces)
{
    double s[SAMPLE_MAX] = {0}, q = 0, work = 0, r = 0;
    for (int k = 0; k < 8 * pieces; k++) {
        int quarter = k / pieces % 4;
        double dq = (quarter == 0 || quarter == 3 ? 1 : -1) * amplitude / pieces;
        e->ops->advance(e, &dq, s, NULL);
        q += dq;
        double next = force(e, q, s);
        if (k >= 4 * pieces)
            work += 0.5 * (r + next) * dq;
        r = next;
    }
    return work;
}

/* Exact: sum of 4 k_i d_i (A - d_i) over the sliders that slip; 49079.7 J and 19409.7 J are printed in the notes on
 * the bearing. */
TEST(the_triple_concave_bearing_dissipates_its_loop_energy)
{
    const double amplitude[] = {0.1, 0.05, 0.001}, printed[] = {49079.7, 19409.7, 0};
    ifd_element e = made(&bearing);
    for (size_t i = 0; i < COUNT(amplitude); i++) {
        double exact = 0;
        for (int k = 0; k < 2; k++)
            exact += 4 * triple[2 * k] * triple[2 * k + 1] * fmax(amplitude[i] - triple[2 * k + 1], 0);
        assert_near(exact, printed[i], 0.05, "A = %g", amplitude[i]);
        assert_near(cycle_work(&e, amplitude[i], 20000), exact, 1e-7 * 49079.7, "A = %g", amplitude[i]);
    }
}

TEST(bilinear_is_one_slider_beside_a_spring)
{
    const double k = 4e8, alpha = 0.05, yield = 0.003, rows[] = {(1 - alpha) * k, yield};
    const sample one = {
        "bilinear",
        1,
        1,
        1,
        1,
        {{.name = "stiffness", .number = k}, {.name = "ratio", .number = alpha}, {.name = "yield", .number = yield}}};
    const sample same = {
        "sliders",
        1,
        1,
        1,
        1,
        {{.name = "sliders", .data = rows, .rows = 1, .cols = 2}, {.name = "spring", .number = alpha * k}}};
    ifd_element a = made(&one), b = made(&same);
    double sa = 0, sb = 0, q = 0;
    for (int i = 0; i < 200; i++) {
        double dq = 0.002 * random_unit();
        q += dq;
        a.ops->advance(&a, &dq, &sa, NULL);
        b.ops->advance(&b, &dq, &sb, NULL);
        assert_near(force(&a, q, &sa), force(&b, q, &sb), 0, "step %d", i);
    }
    double first = 0.5 * yield, s = first;
    assert_near_rel(force(&a, first, &s), k * first, 1e-14, "before yielding");
    double far = 10 * yield;
    s = yield;
    assert_near_rel(force(&a, far, &s), k * yield + alpha * k * (far - yield), 1e-14, "after yielding");
}

TEST(a_slider_slips_only_when_pushed_further_at_its_limit)
{
    ifd_element e = made(&bearing);
    const double limit = 1.5e-3;
    const struct {
        double s, v, rate;
    } at[] = {{limit, 1, 0},         {limit, -1, -1}, {-limit, -1, 0}, {-limit, 1, 1},        {1.1 * limit, 1, 0},
              {1.1 * limit, -1, -1}, {0, 1, 1},       {0, -1, -1},     {0.999 * limit, 1, 1}, {limit, 0, 0}};
    for (size_t i = 0; i < COUNT(at); i++) {
        point p = {.v = {at[i].v}, .s = {at[i].s, 0}};
        answer a = answer_at(&e, &p);
        assert_near(a.g[0], at[i].rate, 0, "s = %g, v = %g", at[i].s, at[i].v);
        assert_near(a.g[1], at[i].v, 0, "the other slider, s = %g", at[i].s);
        if (at[i].v < 0 || at[i].v > 0)
            assert_near(a.g_v[0], at[i].rate / at[i].v, 0, "s = %g, v = %g", at[i].s, at[i].v);
    }
}

TEST(settling_clamps_and_stops_rate_and_pseudo_rate)
{
    ifd_element e = made(&bearing);
    double s[] = {2e-3, -0.05}, rate[] = {3, 4}, pseudo[] = {5, 6};
    e.ops->settle(&e, s, rate, pseudo);
    assert_near(s[0], 1.5e-3, 0, "clamped");
    assert_near(s[1], -0.05, 0, "inside");
    assert_near(rate[0] + pseudo[0], 0, 0, "stopped");
    assert_near(rate[1], 4, 0, "kept");
    assert_near(pseudo[1], 6, 0, "kept");
    double t[] = {-2e-3, -0.08};
    e.ops->settle(&e, t, NULL, NULL);
    assert_near(t[0], -1.5e-3, 0, "clamped below");
    assert_near(t[1], -0.07, 0, "clamped below");
}

/* n = 1: the limit force is K0 / (beta + gamma); any n: K0 (beta + gamma)^(-1/n). */
TEST(bouc_wen_reaches_its_limit_force_from_both_sides)
{
    const double n[] = {1, 1.5, 2, 5};
    for (size_t i = 0; i < COUNT(n); i++) {
        ifd_element e = bouc_wen(1e5, 0, 40, 10, n[i]);
        double limit = 1e5 * pow(50, -1 / n[i]);
        for (int side = -1; side <= 1; side += 2) {
            double s = -0.01 * side, dq = side * 0.05 * limit / 1e5;
            for (int k = 0; k < 2000; k++)
                e.ops->advance(&e, &dq, &s, NULL);
            assert_near_rel(force(&e, 0, &s), side * limit, 1e-12, "n = %g", n[i]);
            double far = 1000 * dq;
            s = -0.01 * side;
            e.ops->advance(&e, &far, &s, NULL);
            assert_near_rel(force(&e, 0, &s), side * limit, 1e-12, "n = %g in one move", n[i]);
        }
    }
}

/* r' = K0 v - beta |v| r - gamma v |r|, written down here on its own. */
TEST(displacement_and_force_form_of_bouc_wen_agree_for_n_one)
{
    const double k = 1e5, beta = 40, gamma = 10;
    ifd_element e = bouc_wen(k, 0, beta, gamma, 1);
    for (int i = 0; i < 200; i++) {
        point p = {.q = {random_unit()}, .v = {random_unit()}, .s = {0.03 * random_unit()}};
        answer a = answer_at(&e, &p);
        double r = a.r[0], v = p.v[0];
        assert_near(r, k * p.s[0], 1e-12 * k, "force");
        assert_near(a.r_s[0] * a.g[0], k * v - beta * fabs(v) * r - gamma * v * fabs(r), 1e-12 * k, "rate of force");
    }
}

/* y' = 1 - A y on loading has y = (1 - e^(-A x)) / A; y' = 1 - A y^2 has y = tanh(x sqrt A) / sqrt A, both from 0. */
TEST(bouc_wen_follows_its_closed_forms)
{
    for (double x = 1e-3; x < 0.05; x *= 1.7) {
        double s = 0, back = -x;
        ifd_element one = bouc_wen(1, 0, 40, 10, 1), two = bouc_wen(1, 0, 1500, 1000, 2);
        one.ops->advance(&one, &x, &s, NULL);
        assert_near_rel(s, -expm1(-50 * x) / 50, 1e-14, "n = 1, x = %g", x);
        /* unloading: y' = -1 + (beta - gamma) |y| along the way back, or y = (e^(-30 x)(1 + ...)) until zero */
        double zero = log1p(30 * s) / 30, from = s;
        one.ops->advance(&one, &back, &s, NULL);
        double expected = x < zero ? ((1 + 30 * from) * exp(-30 * x) - 1) / 30 : expm1(-50 * (x - zero)) / 50;
        assert_near(s, expected, 1e-16, "n = 1, back by %g", x);
        s = 0;
        two.ops->advance(&two, &x, &s, NULL);
        assert_near_rel(s, tanh(50 * x) / 50, 1e-8, "n = 2, x = %g", x);
    }
}

TEST(a_small_move_of_bouc_wen_is_followed_to_ten_digits)
{
    ifd_element two = bouc_wen(1, 0, 1500, 1000, 2); /* limit 0.02 */
    double s = 0, q = 0, dq = 0.002;
    for (int i = 0; i < 20; i++) {
        two.ops->advance(&two, &dq, &s, NULL);
        q += dq;
        assert_near_rel(s, tanh(50 * q) / 50, 1e-10, "q = %g", q);
    }
}

static double stored_in(const ifd_element *e, double q, double s)
{
    point p = {.q = {q}, .s = {s}};
    ifd_element_in in = point_in(&p);
    double stored, power;
    e->ops->energy(e, &in, &stored, &power);
    return stored;
}

TEST(the_work_on_bouc_wen_is_stored_or_dissipated)
{
    ifd_element e = bouc_wen(1e5, 0.1, 40, 10, 1);
    const int pieces = 20000;
    double s = 0, q = 0, work = 0, lost = 0, amplitude = 0.06;
    for (int k = 0; k < 5 * pieces; k++) {
        int quarter = k / pieces % 4;
        double dq = (quarter == 0 || quarter == 3 ? 1 : -1) * amplitude / pieces, half = 0.5 * dq, stored, power;
        e.ops->advance(&e, &half, &s, NULL);
        q += half;
        point p = {.q = {q}, .v = {dq}, .s = {s}};
        ifd_element_in in = point_in(&p);
        e.ops->energy(&e, &in, &stored, &power);
        work += answer_at(&e, &p).r[0] * dq;
        lost += power;
        e.ops->advance(&e, &half, &s, NULL);
        q += half;
    }
    assert_true(work > 0);
    assert_near_rel(lost + stored_in(&e, q, s), work, 1e-8, "");
}

TEST(bad_parameters_of_hysteresis_are_named)
{
    const double ragged[] = {1, 2, 3}, negative[] = {1, -0.01};
    const struct {
        sample s;
        ifd_status expected;
        const char *word;
    } bad[] = {
        {{"sliders", 1, 1, 1, 1, {{.name = "sliders", .data = ragged, .rows = 1, .cols = 3}}}, IFD_SHAPE, "sliders"},
        {{"sliders", 1, 1, 1, 1, {{.name = "sliders", .data = negative, .rows = 1, .cols = 2}}},
         IFD_RANGE,
         "sliders"},
        {{"sliders", 1, 1, 1, 1, {{.name = "spring", .number = 1}}}, IFD_MISSING_KEY, "sliders"},
        {{"bilinear",
          1,
          1,
          1,
          1,
          {{.name = "stiffness", .number = 1}, {.name = "yield", .number = 1}, {.name = "ratio", .number = 1.5}}},
         IFD_RANGE,
         "ratio"},
        {{"bouc-wen",
          1,
          1,
          1,
          1,
          {{.name = "stiffness", .number = 1}, {.name = "beta", .number = 1}, {.name = "gamma", .number = -2}}},
         IFD_RANGE,
         "beta + gamma"},
        {{"bouc-wen",
          1,
          1,
          1,
          1,
          {{.name = "stiffness", .number = 1},
           {.name = "beta", .number = 1},
           {.name = "gamma", .number = 1},
           {.name = "n", .number = 0.5}}},
         IFD_RANGE,
         "'n'"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        ifd_note_init(&note, arena);
        ifd_element e;
        assert_int_equal(sample_make(&bad[i].s, arena, &e, &note), bad[i].expected);
        assert_int_equal(note.errors, 1);
        assert_non_null(strstr(note.first->text, bad[i].word));
    }
}

TESTS_WITH(open_arena, close_arena)
