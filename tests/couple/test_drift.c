/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* The joint drifts because only accelerations are matched: the three-dof beam of Jia, Li, Liu, Yang, Wu (2012),
 * equation (3.5), with l_A = l_B = 5 m, from rest in displacement, and what drift control does to gap, order and
 * spectrum. */
#include "couple/orders.h"

#include <interfield/analysis.h>

static const double EI = 2e11 * 2e-5, length = 5.0, m1 = 1e4, m2 = 5e3, gyration = 2.0, ratio = 2.0;
static const double v0[3] = {0.001, 0.01, 0.001};

static ifd_model *piece(ifd_arena *arena, int n, const double *mass, const double *stiffness)
{
    const char *names[] = {"u1", "theta1", "u2"};
    ifd_builder *b = ifd_builder_make(arena);
    for (int i = 0; i < n; i++)
        ifd_builder_dof(b, names[i], i == 1 ? IFD_DOF_RZ : IFD_DOF_Y);
    for (int i = 0; i < n; i++) {
        ifd_builder_add(b, IFD_MASS, i, i, mass[i]);
        ifd_builder_initial(b, i, 0.0, v0[i]);
        for (int j = 0; j < n; j++)
            ifd_builder_add(b, IFD_STIFFNESS, i, j, EI / (length * length * length) * stiffness[i * n + j]);
    }
    return made(arena, b);
}

static cut *beam(ifd_arena *arena, const char *coupling, double h, const char *gamma)
{
    const double l = length, share = ratio / (1.0 + ratio), I1 = gyration * gyration * m1;
    const double MA[] = {share * m1, share * I1}, MB[] = {(1 - share) * m1, (1 - share) * I1, m2};
    const double KA[] = {12, 6 * l, 6 * l, 7 * l * l}, KB[] = {3, -3 * l, -3, -3 * l, 6 * l * l, 3 * l, -3, 3 * l, 3};
    ifd_step_options step = options("lsrt2", h, (pair[]){{"gamma", 0, gamma}, {0}});
    cut *c = cut_make(arena, coupling, h);
    cut_part(c, "A", piece(arena, 2, MA, KA), step, 1);
    cut_part(c, "B", piece(arena, 3, MB, KB), step, 10);
    c->part[0].coarse = true;
    cut_joint(c, "u1", 0, 0, 1, 0);
    cut_joint(c, "theta1", 0, 1, 1, 1);
    return c;
}

static void beam_rate(double t, const double *y, double *f)
{
    const double l = length, k = EI / (l * l * l), M[] = {m1, gyration * gyration * m1, m2};
    const double K[3][3] = {{15, 3 * l, -3}, {3 * l, 13 * l * l, 3 * l}, {-3, 3 * l, 3}};
    (void)t;
    for (int i = 0; i < 3; i++) {
        f[i] = y[3 + i];
        f[3 + i] = -k * (K[i][0] * y[0] + K[i][1] * y[1] + K[i][2] * y[2]) / M[i];
    }
}

/* Over 10 s, beside the exact peaks of u1 and theta1: the gap at the end, its largest value, the largest error. */
typedef struct outcome {
    double end[2], gap[2], error[2];
} outcome;

static outcome drift_of(const char *coupling, double h, const char *gamma, ifd_constraint_drift drift, double factor)
{
    ifd_arena *arena = ifd_arena_open();
    cut *c = beam(arena, coupling, h, gamma);
    c->opt.drift = drift;
    c->opt.drift_factor = factor;
    running r = cut_start(c);
    outcome o = {0};
    double y[6] = {0, 0, 0, v0[0], v0[1], v0[2]}, peak[2] = {0};
    for (long k = 0; k < lround(10.0 / h); k++) {
        cut_cycles(&r, 1);
        runge_kutta(beam_rate, 6, h, 8, y);
        for (int d = 0; d < 2; d++) {
            double a = cut_state(&r, 0)[d], b = cut_state(&r, 1)[d];
            o.end[d] = fabs(a - b);
            o.gap[d] = fmax(o.gap[d], o.end[d]);
            o.error[d] = fmax(o.error[d], fmax(fabs(a - y[d]), fabs(b - y[d])));
            peak[d] = fmax(peak[d], fabs(y[d]));
        }
    }
    for (int d = 0; d < 2; d++) {
        o.end[d] /= peak[d];
        o.gap[d] /= peak[d];
        o.error[d] /= peak[d];
    }
    ifd_arena_close(arena);
    return o;
}

TEST_IN_ARENA(without_control_the_gap_reaches_three_peaks_and_falls_with_the_square_of_the_step)
{
    outcome at10 = drift_of("parallel", 0.01, "minus", IFD_DRIFT_NONE, 0);
    outcome at5 = drift_of("parallel", 0.005, "minus", IFD_DRIFT_NONE, 0);
    outcome at2 = drift_of("parallel", 0.0025, "minus", IFD_DRIFT_NONE, 0);
    assert_near(at10.end[0], 3.0, 0.05, "gap of u1 after 10 s, in peaks");
    assert_near(at10.end[1], 1.0, 0.05, "gap of theta1 after 10 s, in peaks");
    for (int d = 0; d < 2; d++)
        assert_near(log2(at5.gap[d] / at2.gap[d]), 2.0, 0.05, "dof %d", d);
}

static double error_order(const char *coupling, const char *gamma, double h, ifd_constraint_drift drift,
                          double factor)
{
    double coarse = drift_of(coupling, h, gamma, drift, factor).error[0],
           fine = drift_of(coupling, 0.5 * h, gamma, drift, factor).error[0];
    return log2(coarse / fine);
}

TEST_IN_ARENA(feedback_and_projection_keep_second_order)
{
    const char *coupling[] = {"staggered", "parallel"};
    for (size_t i = 0; i < COUNT(coupling); i++) {
        double h = 0.0025, large = 0.4;
        assert_near(error_order(coupling[i], "minus", h, IFD_DRIFT_FEEDBACK, 0), 2.0, 0.12, "%s", coupling[i]);
        assert_near(error_order(coupling[i], "minus", h, IFD_DRIFT_FEEDBACK, large), 2.0, 0.12, "%s", coupling[i]);
        assert_near(error_order(coupling[i], "plus", 0.1 * h, IFD_DRIFT_PROJECT, 0), 2.0, 0.12, "%s", coupling[i]);
    }
}

TEST_IN_ARENA(feedback_cuts_the_gap_and_projection_closes_it)
{
    const char *coupling[] = {"staggered", "parallel"};
    for (size_t i = 0; i < COUNT(coupling); i++) {
        double none = drift_of(coupling[i], 0.01, "minus", IFD_DRIFT_NONE, 0).gap[0];
        double fed = none / drift_of(coupling[i], 0.01, "minus", IFD_DRIFT_FEEDBACK, 0.1).gap[0];
        print_message("%s: the gap is %.1f times smaller\n", coupling[i], fed);
        assert_true(fed > 5.0);
        assert_near(drift_of(coupling[i], 0.01, "plus", IFD_DRIFT_PROJECT, 0).gap[0], 0.0, 1e-13, "%s", coupling[i]);
    }
}

static double radius(ifd_arena *arena, const char *coupling, const char *gamma, double b1, double omega,
                     ifd_constraint_drift drift, double factor)
{
    int n;
    ifd_step_options step = options("lsrt2", 1.0, (pair[]){{"gamma", 0, gamma}, {0}});
    double h = strcmp(coupling, "parallel") == 0 ? 0.25 * omega : omega, re[16], im[16];
    cut *c = split_mass(arena, coupling, b1, 1.0, h, 2, &step);
    c->opt.drift = drift;
    c->opt.drift_factor = factor;
    double *A = cut_probe(c, &n);
    assert_int_equal(ifd_roots(n, A, re, im, NULL), IFD_OK);
    return hypot(re[0], im[0]);
}

/* Why no control is the default: with gamma minus it lifts the spectral radius above one where the masses are split
 * unequally. */
TEST_IN_ARENA(feedback_costs_stability_with_gamma_minus)
{
    const char *coupling[] = {"staggered", "parallel"};
    for (size_t i = 0; i < COUNT(coupling); i++) {
        assert_near(radius(*state, coupling[i], "minus", 0.1, 0.32, IFD_DRIFT_DEFAULT, 0), 1.0, 1e-6, "no control");
        double most = 1.0;
        for (double w = -2.0; w <= 1.0; w += 0.02)
            most = fmax(most, radius(*state, coupling[i], "minus", 0.1, pow(10.0, w), IFD_DRIFT_FEEDBACK, 0.1));
        assert_near(most - 1.0, i ? 4.4e-4 : 1.7e-3, i ? 0.4e-4 : 1e-4, "%s: growth with gamma minus", coupling[i]);
        for (double w = -2.0; w <= 3.0; w += 0.1)
            for (int b = 0; b < 3; b++)
                assert_near(fmax(1.0, radius(*state, coupling[i], "plus", (double[]){0.1, 1.0, 10.0}[b], pow(10.0, w),
                                             IFD_DRIFT_FEEDBACK, 0)),
                            1.0, 1e-5, "%s, preset, gamma plus, Omega = 1e%g", coupling[i], w);
    }
}

/* Couplings that match velocities drift in displacement only; projection closes that too. */
TEST_IN_ARENA(projection_works_where_velocities_are_matched)
{
    ifd_step_options step = options("mg-alpha", 1.0, NULL);
    for (int project = 0; project < 2; project++) {
        cut *c = split_mass(*state, "pg-alpha", 0.5, 1.0, 0.05, 10, &step);
        c->opt.drift = project ? IFD_DRIFT_PROJECT : IFD_DRIFT_NONE;
        running r = cut_run(c, 2.0);
        double gap = fabs(cut_state(&r, 0)[0] - cut_state(&r, 1)[0]);
        if (project)
            assert_near(gap, 0.0, 1e-15, "projected");
        else
            assert_true(gap > 1e-6);
    }
    const char *text;
    cut *c = split_mass(*state, "pg-alpha", 0.5, 1.0, 0.05, 10, &step);
    c->opt.drift = IFD_DRIFT_FEEDBACK;
    assert_int_equal(cut_refusal(c, &text), IFD_UNSUPPORTED);
    assert_non_null(strstr(text, "pg-alpha"));
}

TESTS()
