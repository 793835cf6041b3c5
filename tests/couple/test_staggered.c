/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
#include "couple/orders.h"
#include "couple/random_parts.h"

#include <interfield/analysis.h>

static const double minus = 0.29289321881345247560, plus = 1.70710678118654752440;
static const double b1s[] = {0.1, 0.5, 1.0, 10.0};
static const int sss[] = {1, 2, 10};

static ifd_step_options lsrt2(double gamma)
{
    return options("lsrt2", 1.0, (pair[]){{"gamma", gamma, NULL}, {0}});
}

/* 100 steps of random parts with damping and loads, one to three joint rows of dense coefficients. */
TEST_IN_ARENA(every_step_equals_the_plain_formulas)
{
    unsigned seed = 5;
    for (int trial = 0; trial < 18; trial++) {
        int ss = sss[trial % 3];
        double yA[PLAIN_Y], yB[PLAIN_Y], h = 0.02;
        plain_pair s = {.rows = 1 + trial % 2, .gamma = trial % 4 < 2 ? minus : plus};
        wild_part(&seed, 3, 2.0, 50.0, trial % 5 ? 0.0 : 0.2, &s.A);
        wild_part(&seed, 2 + trial % 3, 0.7, 90.0, trial % 5 ? 0.0 : 0.2, &s.B);
        wild_joints(&seed, &s);
        wild_state(&seed, s.A.n, yA);
        wild_state(&seed, s.B.n, yB);
        cut *c = cut_make(*state, "staggered", h);
        ifd_joint_term term[PLAIN_R * PLAIN_Y];
        cut_part(c, "A", model_of(*state, &s.A, yA), lsrt2(s.gamma), 1);
        cut_part(c, "B", model_of(*state, &s.B, yB), lsrt2(s.gamma), ss);
        joints_of(&s, c, term);
        c->opt.project_start = true;
        if (trial % 3 == 0) {
            c->opt.drift = IFD_DRIFT_FEEDBACK;
            c->opt.drift_factor = 0.2;
            s.feedback = 0.2 / h;
        }
        running r = cut_start(c);
        memcpy(yA, cut_state(&r, 0), sizeof(double) * 2 * (size_t)s.A.n);
        memcpy(yB, cut_state(&r, 1), sizeof(double) * 2 * (size_t)s.B.n);
        for (int k = 0; k < 100; k++)
            plain_staggered(&s, k * h, h, ss, yA, yB);
        cut_cycles(&r, 100);
        double lam[PLAIN_R];
        plain_lambda(&s, 100 * h, yA, yB, lam);
        assert_near(gap_of(2 * s.A.n, cut_state(&r, 0), yA), 0.0, 1e-13, "A, trial %d, ss = %d", trial, ss);
        assert_near(gap_of(2 * s.B.n, cut_state(&r, 1), yB), 0.0, 1e-13, "B, trial %d, ss = %d", trial, ss);
        assert_near(gap_of(s.rows, r.x + r.c->lambda, lam), 0.0, 5e-12, "Lam, trial %d, ss = %d", trial, ss);
    }
}

TEST_IN_ARENA(second_order_in_both_parts)
{
    assert_second_order(&linear_problem, "staggered", (double[]){0.5 / 128, 0.5 / 1024}, COUNT(b1s), b1s, IN_LAMBDA);
}

TEST_IN_ARENA(second_order_with_springs_hysteresis_and_pendulum)
{
    assert_second_order(&nonlinear_problem, "staggered", (double[]){0.5 / 128, 0.5 / 1024}, 1, (double[]){0}, PLACES);
}

/* With LSRT1 on one side the whole is of first order on both. */
TEST_IN_ARENA(one_side_of_first_order_makes_the_whole_so)
{
    for (int side = 0; side < 2; side++)
        for (size_t k = 0; k < COUNT(sss); k++) {
            scheme s = {.coupling = "staggered",
                        .A = lsrt2(minus),
                        .B = lsrt2(minus),
                        .b1 = 0.5,
                        .h = 0.5 / 256,
                        .ss = sss[k]};
            *(side ? &s.A : &s.B) = options("lsrt1", 1.0, NULL);
            double order[PLACES];
            observed_orders(&linear_problem, &s, order);
            assert_near(order[IN_A], 1.0, 0.05, "LSRT1 in %c, ss = %d, part A", side ? 'A' : 'B', sss[k]);
            assert_near(order[IN_B], 1.0, 0.05, "LSRT1 in %c, ss = %d, part B", side ? 'A' : 'B', sss[k]);
        }
}

/* Four masses in a row cut twice in the middle of a mass, into parts with 1, 2 and 6 subcycles. */
static void chain_rate(double t, const double *y, double *f)
{
    (void)t;
    for (int i = 0; i < 4; i++) {
        double left = i ? y[i - 1] : 0.0, right = i < 3 ? y[i + 1] : y[i];
        f[i] = y[4 + i];
        f[4 + i] = -30.0 * (y[i] - left) - 30.0 * (y[i] - right);
    }
}

static ifd_model *link_of_chain(ifd_arena *arena, double m0, double m1, bool held, const double *u)
{
    ifd_builder *b = ifd_builder_make(arena);
    ifd_builder_dof(b, "left", IFD_DOF_X);
    ifd_builder_dof(b, "right", IFD_DOF_X);
    ifd_builder_add(b, IFD_MASS, 0, 0, m0);
    ifd_builder_add(b, IFD_MASS, 1, 1, m1);
    ifd_builder_spring(b, IFD_STIFFNESS, 0, 1, 30.0);
    if (held)
        ifd_builder_spring(b, IFD_STIFFNESS, IFD_GROUND, 0, 30.0);
    for (int i = 0; i < 2; i++)
        ifd_builder_initial(b, i, u[i], 0.0);
    return made(arena, b);
}

static double chain_error(double h)
{
    ifd_arena *arena = ifd_arena_open();
    cut *c = cut_make(arena, "staggered", h);
    double y[8] = {1.0, -0.5, 0.3, 0.8}, error = 0.0;
    cut_part(c, "lower", link_of_chain(arena, 1.0, 0.4, true, y), lsrt2(minus), 1);
    cut_part(c, "middle", link_of_chain(arena, 0.6, 0.5, false, y + 1), lsrt2(minus), 2);
    cut_part(c, "upper", link_of_chain(arena, 0.5, 1.0, false, y + 2), lsrt2(minus), 6);
    cut_joint(c, "first", 0, 1, 1, 0);
    cut_joint(c, "second", 1, 1, 2, 0);
    running r = cut_run(c, 0.5);
    runge_kutta(chain_rate, 8, 0.5, 4000, y);
    for (int p = 0; p < 3; p++)
        for (int i = 0; i < 2; i++)
            error =
                fmax(error, fmax(fabs(cut_state(&r, p)[i] - y[p + i]), fabs(cut_state(&r, p)[2 + i] - y[4 + p + i])));
    ifd_arena_close(arena);
    return error;
}

TEST_IN_ARENA(three_parts_with_their_own_steps_are_of_second_order)
{
    double coarse = chain_error(0.5 / 128), fine = chain_error(0.5 / 256);
    assert_near(log2(coarse / fine), 2.0, 0.05, "errors %g, %g", coarse, fine);
}

/* The coupling of one is the method itself, to the last bit. */
TEST_IN_ARENA(a_part_alone_is_its_method)
{
    ifd_model *m = made(*state, everything_builder(*state, 6));
    ifd_step_options step = options("lsrt2", 0.01, NULL);
    cut *c = cut_make(*state, "staggered", 0.01);
    cut_part(c, "all", m, step, 1);
    running r = cut_run(c, 1.0);
    double *x = run_to(*state, &step, m, 1.0);
    assert_memory_equal(cut_state(&r, 0), x, sizeof(double) * (size_t)(2 * m->n + m->ns));
}

static double radius(ifd_arena *arena, double gamma, double b1, int ss, double omega)
{
    int n;
    ifd_step_options step = lsrt2(gamma);
    double *A = cut_probe(split_mass(arena, "staggered", b1, 1.0, omega, ss, &step), &n), re[8], im[8];
    assert_int_equal(n, 4);
    assert_int_equal(ifd_roots(n, A, re, im, NULL), IFD_OK);
    return hypot(re[0], im[0]);
}

TEST_IN_ARENA(gamma_plus_is_stable_and_gamma_minus_is_not_with_ten_subcycles)
{
    for (size_t i = 0; i < COUNT(b1s); i++)
        for (double w = -2.0; w <= 3.0; w += 0.1) {
            double omega = pow(10.0, w);
            for (size_t k = 0; k < COUNT(sss); k++)
                assert_near(radius(*state, plus, b1s[i], sss[k], omega), 1.0, 1e-6, "b1 = %g, ss = %d, Omega = %g",
                            b1s[i], sss[k], omega);
        }
    assert_true(radius(*state, minus, 1.0, 10, 8.4) > 1.5);
    assert_true(radius(*state, minus, 0.5, 10, 10.6) > 1.4);
    assert_true(radius(*state, minus, 0.1, 10, 21.1) > 1.05);
    assert_true(radius(*state, minus, 10.0, 10, 7.5) > 1.05);
    assert_true(radius(*state, minus, 1.0, 2, 100.0) > 1.05);
    assert_near(radius(*state, minus, 0.5, 2, 100.0), 1.0, 1e-6, "gamma minus, b1 = 0.5, ss = 2");
}

TESTS()
