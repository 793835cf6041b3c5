/* SPDX-License-Identifier: MIT */
/* ctest: begins 33 of the first, not with sanitizers, unless every test is asked for */
#include "couple/orders.h"
#include "couple/random_parts.h"

#include <interfield/analysis.h>

#include "couple/rich.h"

static const double minus = 0.29289321881345247560, plus = 1.70710678118654752440;
static const double b1s[] = {0.1, 0.5, 1.0, 10.0};
static const int sss[] = {1, 2, 10};

static ifd_step_options lsrt2(double gamma)
{
    return options("lsrt2", 1.0, (pair[]){{"gamma", gamma, NULL}, {0}});
}

TEST_IN_ARENA(every_step_equals_the_plain_formulas)
{
    unsigned seed = 23;
    for (int trial = 0; trial < 18; trial++) {
        int ss = sss[trial % 3];
        double yA[PLAIN_Y], yB[PLAIN_Y], dt = 0.01;
        plain_pair s = {.rows = 1 + trial % 2, .gamma = trial % 4 < 2 ? minus : plus};
        wild_part(&seed, 3, 2.0, 50.0, trial % 5 ? 0.0 : 0.2, &s.A);
        wild_part(&seed, 2 + trial % 3, 0.7, 90.0, trial % 5 ? 0.0 : 0.2, &s.B);
        wild_joints(&seed, &s);
        wild_state(&seed, s.A.n, yA);
        wild_state(&seed, s.B.n, yB);
        cut *c = cut_make(*state, "parallel", dt);
        ifd_joint_term term[PLAIN_R * PLAIN_Y];
        cut_part(c, "A", model_of(*state, &s.A, yA), lsrt2(s.gamma), 1);
        cut_part(c, "B", model_of(*state, &s.B, yB), lsrt2(s.gamma), ss);
        c->part[0].coarse = true;
        joints_of(&s, c, term);
        c->opt.project_start = true;
        if (trial % 3 == 0) {
            c->opt.drift = IFD_DRIFT_FEEDBACK;
            c->opt.drift_factor = 0.2;
            s.feedback = 0.2 / (4 * dt);
        }
        running r = cut_start(c);
        memcpy(yA, cut_state(&r, 0), sizeof(double) * 2 * (size_t)s.A.n);
        memcpy(yB, cut_state(&r, 1), sizeof(double) * 2 * (size_t)s.B.n);
        plain_history y;
        plain_parallel_start(&s, dt, yA, yB, &y);
        for (int k = 2; k < 100; k++)
            plain_parallel(&s, k * dt, dt, ss, &y);
        cut_cycles(&r, 100);
        assert_near(gap_of(2 * s.A.n, cut_state(&r, 0), y.A[2]), 0.0, 1e-13, "A, trial %d, ss = %d", trial, ss);
        assert_near(gap_of(2 * s.B.n, cut_state(&r, 1), y.B[2]), 0.0, 1e-13, "B, trial %d, ss = %d", trial, ss);
    }
}

TEST_IN_ARENA(second_order_in_both_parts)
{
    assert_second_order(&linear_problem, "parallel", (double[]){0.5 / 2048, 0.5 / 8192}, COUNT(b1s), b1s, IN_LAMBDA);
}

TEST_IN_ARENA(second_order_with_springs_hysteresis_and_pendulum)
{
    assert_second_order(&nonlinear_problem, "parallel", (double[]){0.5 / 512, 0.5 / 2048}, 1, (double[]){0},
                        IN_LAMBDA);
}

/* The roots of the recurrence of the split mass, largest first. */
static int roots(ifd_arena *arena, double gamma, double b1, int ss, double omega, double *re, double *im)
{
    int n;
    ifd_step_options step = lsrt2(gamma);
    double *A = cut_probe(split_mass(arena, "parallel", b1, 1.0, 0.25 * omega, ss, &step), &n);
    assert_int_equal(n, 14);
    assert_int_equal(ifd_roots(n, A, re, im, NULL), IFD_OK);
    return n;
}

TEST_IN_ARENA(ten_of_fourteen_roots_are_not_zero_and_one_is_one)
{
    double re[14], im[14];
    for (size_t i = 0; i < COUNT(b1s); i++)
        for (size_t k = 0; k < COUNT(sss); k++)
            for (int g = 0; g < 2; g++) {
                int n = roots(*state, g ? plus : minus, b1s[i], sss[k], 0.9, re, im), alive = 0, ones = 0;
                for (int j = 0; j < n; j++) {
                    alive +=
                        hypot(re[j], im[j]) > 1e-3; /* the four zeros are defective: LAPACK finds them near 1e-4 */
                    ones += hypot(re[j] - 1.0, im[j]) < 1e-9;
                }
                assert_int_equal(alive, 10);
                assert_int_equal(ones, 1);
            }
}

static double radius(ifd_arena *arena, double gamma, double b1, int ss, double omega)
{
    double re[14], im[14];
    roots(arena, gamma, b1, ss, omega, re, im);
    return hypot(re[0], im[0]);
}

TEST_IN_ARENA(gamma_plus_is_stable_up_to_two_subcycles_but_not_with_ten)
{
    for (size_t i = 0; i < COUNT(b1s); i++)
        for (double w = -2.0; w <= 3.0; w += 0.1)
            for (int ss = 1; ss <= 2; ss++)
                assert_near(radius(*state, plus, b1s[i], ss, pow(10.0, w)), 1.0, 1e-6,
                            "b1 = %g, ss = %d, Omega = 1e%g", b1s[i], ss, w);
    assert_near(radius(*state, plus, 0.5, 10, 23.0), 1.0488, 2e-4, "worst of b1 = 0.5");
    const double limit[][2] = {{1.0, 18.0}, {0.5, 21.0}, {0.1, 40.0}};
    for (size_t i = 0; i < COUNT(limit); i++) {
        assert_near(radius(*state, plus, limit[i][0], 10, 0.9 * limit[i][1]), 1.0, 1e-6, "b1 = %g below",
                    limit[i][0]);
        assert_true(radius(*state, plus, limit[i][0], 10, 1.06 * limit[i][1]) > 1.0 + 1e-4);
    }
}

/* Two coarse parts and two fine ones in a ring of joints: against small steps of the same scheme. */
static void four_parts_at(double h, double *y)
{
    ifd_arena *arena = ifd_arena_open();
    cut *c = cut_make(arena, "parallel", h);
    const double k[] = {20.0, 35.0, 50.0, 15.0}, m[] = {1.0, 0.7, 0.9, 1.2};
    for (int p = 0; p < 4; p++) {
        ifd_builder *b = ifd_builder_make(arena);
        for (int i = 0; i < 2; i++) {
            ifd_builder_dof(b, i ? "right" : "left", IFD_DOF_X);
            ifd_builder_add(b, IFD_MASS, i, i, m[p] + 0.1 * i);
            ifd_builder_initial(b, i, (p + i) % 4 == 1 ? 1.0 : 0.0, (p + i) % 4 == 2 ? -1.0 : 0.0);
        }
        ifd_builder_spring(b, IFD_STIFFNESS, 0, 1, k[p]);
        ifd_builder_spring(b, IFD_STIFFNESS, IFD_GROUND, p % 2, 5.0);
        add_pair(b, "cubic-spring", 0, 1, "stiffness", 4.0, "epsilon", 0.5, NULL);
        cut_part(c, "part", made(arena, b), lsrt2(minus), p < 2 ? 1 : p);
        c->part[p].coarse = p < 2;
    }
    for (int p = 0; p < 3; p++)
        cut_joint(c, "ring", p, 1, p + 1, 0);
    running r = cut_run(c, 0.5);
    for (int p = 0; p < 4; p++)
        memcpy(y + 4 * p, cut_state(&r, p), 4 * sizeof *y);
    ifd_arena_close(arena);
}

TEST_IN_ARENA(several_coarse_and_fine_parts_converge_at_second_order)
{
    double y[3][16];
    for (int level = 0; level < 3; level++)
        four_parts_at(0.5 / (512 << level), y[level]);
    double ratio = gap_of(16, y[0], y[1]) / gap_of(16, y[1], y[2]);
    assert_near(log2(ratio), 2.0, 0.05, "of differences between levels");
}

/* All state is in x: a copy taken at the end of a cycle continues to the same bits, in the start-up too. */
TEST_IN_ARENA(a_saved_state_continues_to_the_same_bits)
{
    for (long saved = 0; saved < 5; saved++) {
        running r = cut_start(rich_cut(*state, "parallel", "lsrt2", 1));
        size_t bytes = sizeof(double) * (size_t)r.c->size;
        double *copy = ifd_arena_take(*state, bytes), *end = ifd_arena_take(*state, bytes);
        cut_cycles(&r, saved);
        memcpy(copy, r.x, bytes);
        cut_cycles(&r, 20);
        memcpy(end, r.x, bytes);
        memcpy(r.x, copy, bytes);
        r.cycle = saved;
        cut_cycles(&r, 20);
        assert_memory_equal(end, r.x, bytes);
    }
}

TESTS()
