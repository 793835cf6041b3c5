/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* Drift control against tables that a separate implementation of both couplings computed (Python, the equations of
 * the papers for two masses, nothing of this library): errors, orders, gaps on a split mass, growth over Omega. */
#include "couple/orders.h"

#include <interfield/analysis.h>

enum { LEVELS = 8, TABLE = 6 };

/* Over 4 s: the largest error of either side over 0.23 m, and the largest gap (m). */
typedef struct worst {
    double error, gap;
} worst;

typedef struct rule {
    const char *coupling, *gamma;
    ifd_constraint_drift drift;
    double c;
} rule;

/* 0.3 and 0.7 kg, 10 and 25 N/m, ss 2, from 0.1 m and 0.5 m/s. */
static worst over_four_seconds(const rule *r, double h)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_step_options step = options("lsrt2", h, (pair[]){{"gamma", 0, r->gamma}, {0}});
    cut *s = cut_make(arena, r->coupling, h);
    cut_part(s, "A", oscillator(arena, 0.3, 0, 10, 0.1, 0.5), step, 1);
    cut_part(s, "B", oscillator(arena, 0.7, 0, 25, 0.1, 0.5), step, 2);
    s->part[0].coarse = true;
    cut_joint(s, "u", 0, 0, 1, 0);
    s->opt.drift = r->drift;
    s->opt.drift_factor = r->c;
    running run = cut_start(s);
    worst w = {0};
    double root = sqrt(35.0);
    for (long k = 1; k <= lround(4.0 / h); k++) {
        cut_cycles(&run, 1);
        double t = (double)k * h, exact = 0.1 * cos(root * t) + 0.5 / root * sin(root * t), a = cut_state(&run, 0)[0],
               b = cut_state(&run, 1)[0];
        w.error = fmax(w.error, fmax(fabs(a - exact), fabs(b - exact)) / 0.23);
        w.gap = fmax(w.gap, fabs(a - b));
    }
    ifd_arena_close(arena);
    return w;
}

/* Printed with two or three digits: half a unit of the last one. */
TEST_IN_ARENA(feedback_has_the_errors_orders_and_gaps_of_the_table)
{
    static const struct {
        rule rule;
        double first, last, order[TABLE - 1], gap_first, gap_last;
    } row[] = {
        {{"staggered", "minus", IFD_DRIFT_NONE, 0}, 1.39e-2, 1.39e-5, {1.98, 1.99, 2.00, 2.00, 2.00}, 4.0e-4, 5.0e-7},
        {{"staggered", "minus", IFD_DRIFT_FEEDBACK, 0.05},
         1.34e-2,
         1.33e-5,
         {1.99, 1.98, 1.98, 2.01, 2.01},
         3.5e-4,
         5.6e-8},
        {{"staggered", "minus", IFD_DRIFT_FEEDBACK, 0.1},
         1.34e-2,
         1.32e-5,
         {1.98, 1.98, 2.01, 2.01, 2.01},
         3.2e-4,
         2.9e-8},
        {{"staggered", "minus", IFD_DRIFT_FEEDBACK, 0.2},
         1.36e-2,
         1.32e-5,
         {1.98, 2.01, 2.01, 2.01, 2.00},
         2.7e-4,
         1.4e-8},
        {{"staggered", "plus", IFD_DRIFT_NONE, 0}, 0.376, 9.4e-4, {1.11, 1.70, 1.90, 1.96, 1.98}, 2.9e-2, 1.9e-4},
        {{"staggered", "plus", IFD_DRIFT_FEEDBACK, 0.1},
         0.381,
         4.6e-4,
         {1.62, 2.05, 2.03, 2.01, 2.01},
         1.7e-2,
         9.8e-7},
        {{"parallel", "minus", IFD_DRIFT_NONE, 0}, 4.7e-2, 5.4e-5, {1.86, 1.95, 1.98, 1.99, 1.99}, 8.9e-3, 1.1e-5},
        {{"parallel", "minus", IFD_DRIFT_FEEDBACK, 0.1},
         2.7e-2,
         2.7e-5,
         {1.95, 1.95, 2.00, 2.04, 2.04},
         3.1e-3,
         3.1e-7},
        {{"parallel", "plus", IFD_DRIFT_NONE, 0}, 0.657, 3.5e-3, {1.25, 0.86, 1.63, 1.87, 1.95}, 8.4e-2, 8.6e-4},
        {{"parallel", "plus", IFD_DRIFT_FEEDBACK, 0.05},
         0.500,
         1.3e-3,
         {0.87, 1.66, 1.98, 2.01, 2.04},
         5.7e-2,
         2.1e-5},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(row); i++) {
        const rule *r = &row[i].rule;
        double h = strcmp(r->coupling, "parallel") == 0 ? 0.02 : 0.04;
        worst now = over_four_seconds(r, h), next;
        assert_near_rel(now.error, row[i].first, 0.02, "%s %s %g: first error", r->coupling, r->gamma, r->c);
        assert_near_rel(now.gap, row[i].gap_first, 0.03, "%s %s %g: first gap", r->coupling, r->gamma, r->c);
        for (int level = 1; level < TABLE; level++, now = next) {
            next = over_four_seconds(r, ldexp(h, -level));
            assert_near(log2(now.error / next.error), row[i].order[level - 1], 0.0051, "%s %s %g, level %d",
                        r->coupling, r->gamma, r->c, level);
        }
        assert_near_rel(now.error, row[i].last, 0.02, "%s %s %g: last error", r->coupling, r->gamma, r->c);
        assert_near_rel(now.gap, row[i].gap_last, 0.04, "%s %s %g: last gap", r->coupling, r->gamma, r->c);
    }
}

/* No floor at any factor, and none with projection. With gamma plus the first steps are too large for an order. */
TEST_IN_ARENA(every_rule_keeps_second_order_to_the_smallest_of_eight_steps)
{
    static const rule on_offer[] = {
        {"staggered", "minus", IFD_DRIFT_NONE, 0},       {"staggered", "minus", IFD_DRIFT_FEEDBACK, 0.02},
        {"staggered", "minus", IFD_DRIFT_FEEDBACK, 0.2}, {"staggered", "plus", IFD_DRIFT_NONE, 0},
        {"staggered", "plus", IFD_DRIFT_FEEDBACK, 0.1},  {"staggered", "plus", IFD_DRIFT_PROJECT, 0},
        {"parallel", "minus", IFD_DRIFT_NONE, 0},        {"parallel", "minus", IFD_DRIFT_FEEDBACK, 0.02},
        {"parallel", "minus", IFD_DRIFT_FEEDBACK, 0.2},  {"parallel", "plus", IFD_DRIFT_NONE, 0},
        {"parallel", "plus", IFD_DRIFT_FEEDBACK, 0.1},   {"parallel", "plus", IFD_DRIFT_PROJECT, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(on_offer); i++) {
        const rule *r = &on_offer[i];
        worst last = {0};
        for (int level = 0; level < LEVELS; level++) {
            worst now = over_four_seconds(r, ldexp(strcmp(r->coupling, "parallel") == 0 ? 0.02 : 0.04, -level));
            if (level >= 4)
                assert_near(log2(last.error / now.error), 2.0, 0.14, "%s, gamma %s, rule %d, c %g, level %d",
                            r->coupling, r->gamma, r->drift, r->c, level);
            if (level == LEVELS - 1)
                assert_near(log2(last.error / now.error), 2.0, 0.05, "%s, gamma %s, rule %d, c %g, last", r->coupling,
                            r->gamma, r->drift, r->c);
            if (r->drift == IFD_DRIFT_PROJECT)
                assert_near(now.gap, 0.0, 1e-15, "gap");
            last = now;
        }
    }
}

/* omega: of A's step */
static double radius(const rule *r, double b1, int ss, double omega)
{
    int n;
    ifd_arena *arena = ifd_arena_open();
    ifd_step_options step = options("lsrt2", 1.0, (pair[]){{"gamma", 0, r->gamma}, {0}});
    double h = strcmp(r->coupling, "parallel") == 0 ? 0.25 * omega : omega, re[16], im[16];
    cut *c = split_mass(arena, r->coupling, b1, 1.0, h, ss, &step);
    c->opt.drift = r->drift;
    c->opt.drift_factor = r->c;
    double *A = cut_probe(c, &n);
    assert_true(n <= 16);
    assert_int_equal(ifd_roots(n, A, re, im, NULL), IFD_OK);
    ifd_arena_close(arena);
    return hypot(re[0], im[0]);
}

static const double split[] = {0.1, 0.5, 1.0};
static const int fine[] = {1, 2, 10};

/* Points of equal factors from..to. */
static double most_over(const rule *r, double b1, int ss, int points, double from, double to)
{
    double most = 0.0;
    for (int i = 0; i < points; i++)
        most = fmax(most, radius(r, b1, ss, from * pow(to / from, i / (points - 1.0))));
    return most;
}

/* Rounding splits the double root of the drift by up to 1e-6; the table prints 1.0000. */
TEST_IN_ARENA(gamma_plus_is_stable_with_feedback_and_with_projection)
{
    for (int b = 0; b < 3; b++)
        for (int s = 0; s < 3; s++) {
            for (int k = 0; k < 4; k++) {
                const double c = (double[]){0.02, 0.05, 0.1, 0.2}[k];
                const rule one = {"staggered", "plus", IFD_DRIFT_FEEDBACK, c};
                assert_near(most_over(&one, split[b], fine[s], 66, 0.005, 100), 1.0, 1e-5, "staggered %g %d %g",
                            split[b], fine[s], c);
                const rule two = {"parallel", "plus", IFD_DRIFT_FEEDBACK, c};
                if (k > 0 && fine[s] < 10)
                    assert_near(most_over(&two, split[b], fine[s], 66, 0.005, 100), 1.0, 1e-5, "parallel %g %d %g",
                                split[b], fine[s], c);
            }
            const rule project = {"staggered", "plus", IFD_DRIFT_PROJECT, 0};
            assert_near(fmax(1.0, most_over(&project, split[b], fine[s], 66, 0.005, 100)), 1.0, 1e-9,
                        "projection, %g %d", split[b], fine[s]);
        }
    const rule project[] = {{"staggered", "plus", IFD_DRIFT_PROJECT, 0}, {"parallel", "plus", IFD_DRIFT_PROJECT, 0}};
    for (int s = 0; s < 3; s++)
        for (int b = 0; b < 3; b++)
            assert_near(fmax(1.0, most_over(&project[0], (double[]){0.01, 10, 100}[b], fine[s], 66, 0.005, 100)), 1.0,
                        1e-9, "projection, other splits");
    /* Not promised: what `parallel` does where the coarse side is light. */
    assert_near(fmax(1.0, most_over(&project[1], 0.1, 10, 66, 0.005, 100)), 1.1167, 1e-4, "parallel, b1 0.1, ss 10");
    assert_near(fmax(1.0, most_over(&project[1], 1.0, 10, 66, 0.005, 100)), 1.0, 1e-9, "parallel, b1 1, ss 10");
    /* omega dt 0.005 to 100, dt a quarter of A's step */
    static const double without[] = {1.0288, 1.0404, 1.0068}, with[] = {1.0283, 1.0403, 1.0080};
    for (int b = 0; b < 3; b++) {
        const rule none = {"parallel", "plus", IFD_DRIFT_NONE, 0},
                   fed = {"parallel", "plus", IFD_DRIFT_FEEDBACK, 0.1};
        assert_near(most_over(&none, split[b], 10, 40, 0.02, 400), without[b], 6e-5, "parallel, ss 10, none");
        assert_near(most_over(&fed, split[b], 10, 40, 0.02, 400), with[b], 6e-5, "parallel, ss 10, 0.1");
    }
}

/* Below the first critical Omega of the scheme without control. */
static double growth(const char *coupling, double c, double b1, int ss)
{
    const rule none = {coupling, "minus", IFD_DRIFT_NONE, 0}, fed = {coupling, "minus", IFD_DRIFT_FEEDBACK, c};
    double most = 0.0;
    for (int i = 0; i < 66; i++) {
        double omega = 0.005 * pow(20000.0, i / 65.0);
        if (radius(&none, b1, ss, omega) > 1.0 + 1e-6)
            break;
        most = fmax(most, radius(&fed, b1, ss, omega) - 1.0);
    }
    return most;
}

TEST_IN_ARENA(gamma_minus_grows_with_the_square_of_the_factor)
{
    static const struct {
        const char *coupling;
        double c, grown[2][3]; /* b1 0.1, 0.5; ss 1, 2, 10 */
    } row[] = {
        {"staggered", 0.02, {{7.4e-5, 6.3e-5, 6.3e-5}, {9.1e-6, 5.2e-6, 6.2e-6}}},
        {"staggered", 0.05, {{4.8e-4, 4.1e-4, 4.1e-4}, {5.7e-5, 3.3e-5, 4.0e-5}}},
        {"staggered", 0.1, {{2.0e-3, 1.7e-3, 1.7e-3}, {2.3e-4, 1.4e-4, 1.6e-4}}},
        {"parallel", 0.05, {{1.1e-4, 1.1e-4, 1.1e-4}, {1.4e-5, 1.4e-5, 1.4e-5}}},
        {"parallel", 0.1, {{4.4e-4, 4.4e-4, 4.4e-4}, {5.6e-5, 5.7e-5, 5.8e-5}}},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(row); i++)
        for (int b = 0; b < 2; b++)
            for (int s = 0; s < 3; s++)
                assert_near_rel(growth(row[i].coupling, row[i].c, split[b], fine[s]), row[i].grown[b][s], 0.05,
                                "%s, c %g, b1 %g, ss %d", row[i].coupling, row[i].c, split[b], fine[s]);
    for (int s = 0; s < 3; s++) {
        assert_near(growth("staggered", 0.1, 1.0, fine[s]), 0.0, 1e-11, "staggered, b1 1, ss %d", fine[s]);
        assert_near(growth("parallel", 0.05, 1.0, fine[s]), 2.5e-9, 2.5e-9, "parallel, b1 1, ss %d", fine[s]);
        assert_near(growth("parallel", 0.1, 1.0, fine[s]), 3.5e-8, 3.5e-8, "parallel, b1 1, ss %d", fine[s]);
    }
}

TEST_IN_ARENA(projection_is_refused_with_gamma_minus)
{
    for (int i = 0; i < 2; i++) {
        const char *text;
        ifd_step_options step = options("lsrt2", 0.01, (pair[]){{"gamma", 0, "minus"}, {0}});
        cut *c = split_mass(*state, i ? "parallel" : "staggered", 1.0, 1.0, 0.01, 2, &step);
        c->opt.drift = IFD_DRIFT_PROJECT;
        assert_int_equal(cut_refusal(c, &text), IFD_CONFLICT);
        assert_non_null(strstr(text, "substructure 'A' has gamma 0.2929: use 'drift: feedback'"));
    }
}

TESTS()
