/* SPDX-License-Identifier: MIT */
/* Observed orders of couplings: errors at t = 1/2 with two steps, the second half the first. */
#pragma once

#include "couple/fixtures.h"

enum { IN_A, IN_B, IN_LAMBDA, PLACES };

typedef struct scheme {
    const char *coupling;
    ifd_step_options A, B; /* h is not read */
    double b1, h;
    int ss;
    ifd_constraint_drift drift;
    double factor;
} scheme;

/* A problem: makes the division for a step, and gives the exact values at t = 1/2: n numbers, u and v of A's dofs, of
 * B's, then Lam. */
typedef struct problem {
    cut *(*make)(ifd_arena *arena, const scheme *s, double h);
    void (*truth)(const scheme *s, double *A, double *B, double *lambda);
} problem;

UNUSED static void errors_at(const problem *p, const scheme *s, double h, double error[PLACES])
{
    ifd_arena *arena = ifd_arena_open();
    cut *c = p->make(arena, s, h);
    c->opt.drift = s->drift;
    c->opt.drift_factor = s->factor;
    running r = cut_run(c, 0.5);
    double truth[PLACES][32] = {{0}};
    p->truth(s, truth[IN_A], truth[IN_B], truth[IN_LAMBDA]);
    for (int part = 0; part < 2; part++) {
        const double *y = cut_state(&r, part);
        error[part] = 0.0;
        for (int i = 0; i < 2 * c->part[part].model->n; i++)
            error[part] = hypot(error[part], y[i] - truth[part][i]);
    }
    error[IN_LAMBDA] = fabs(r.x[r.c->lambda] - truth[IN_LAMBDA][0]);
    ifd_arena_close(arena);
}

UNUSED static void observed_orders(const problem *p, const scheme *s, double order[PLACES])
{
    double coarse[PLACES], fine[PLACES];
    errors_at(p, s, s->h, coarse);
    errors_at(p, s, 0.5 * s->h, fine);
    for (int k = 0; k < PLACES; k++)
        order[k] = log2(coarse[k] / fine[k]);
}

UNUSED static cut *linear_make(ifd_arena *arena, const scheme *s, double h)
{
    cut *c = split_mass(arena, s->coupling, s->b1, 1.0, h, s->ss, &s->A);
    c->part[1].step = s->B;
    return c;
}

/* u'' + u = 0; Lam = m_A u'' + k_A u */
UNUSED static void linear_truth(const scheme *s, double *A, double *B, double *lambda)
{
    double share = 1.0 / (1.0 + s->b1);
    A[0] = B[0] = cos(0.5) + sin(0.5);
    A[1] = B[1] = cos(0.5) - sin(0.5);
    lambda[0] = (1.0 - s->b1) * share * A[0];
}

static const problem linear_problem UNUSED = {linear_make, linear_truth};

/* A smooth nonlinear problem, from u = v = 1: A has mass 0.8, a spring and a cubic one; B has mass 1.2, a Bouc-Wen
 * spring with n = 2 that is never unloaded before t = 1/2, a force, and a pendulum whose angle is its second dof. */
enum { mA_10 = 8, mB_10 = 12 };
static const double kA = 1.5, cubic = 0.6, kB = 2.0, bw_alpha = 0.3, bw_beta = 0.2, bw_gamma = 0.1, bob = 0.4,
                    rod = 0.7, gravity = 9.81, push = 0.5, push_frequency = 0.8;

UNUSED static cut *nonlinear_make(ifd_arena *arena, const scheme *s, double h)
{
    cut *c = cut_make(arena, s->coupling, h);
    ifd_builder *a = oscillator_builder(arena, 0.1 * mA_10, 0.0, kA, 1.0, 1.0);
    add_pair(a, "cubic-spring", IFD_GROUND, 0, "stiffness", cubic, "epsilon", 1.0, NULL);
    ifd_builder *b = oscillator_builder(arena, 0.1 * mB_10, 0.1, 0.0, 1.0, 1.0);
    add_pair(b, "bouc-wen", IFD_GROUND, 0, "stiffness", kB, "alpha", bw_alpha, "beta", bw_beta, "gamma", bw_gamma,
             "n", 2.0, NULL);
    int angle = ifd_builder_dof(b, "angle", IFD_DOF_ANGLE);
    add_element(b, "pendulum", 2, (int[]){0, angle}, "mass", bob, "length", rod, "gravity", gravity, NULL);
    ifd_builder_initial(b, angle, 0.6, -0.5);
    ifd_builder_force(b, 0, signal_of(arena, "cosine", "amplitude", push, "frequency", push_frequency, NULL));
    cut_part(c, "A", made(arena, a), s->A, 1);
    cut_part(c, "B", made(arena, b), s->B, s->ss);
    c->part[0].coarse = true;
    cut_joint(c, "middle", 0, 0, 1, 0);
    return c;
}

/* y = x, angle, x', angle', z of the assembled system */
UNUSED static void nonlinear_rate(double t, const double *y, double *f)
{
    double x = y[0], th = y[1], v = y[2], w = y[3], z = y[4], ml = bob * rod;
    double force = push * cos(2.0 * 3.14159265358979323846 * push_frequency * t) - kA * x - cubic * (x + x * x * x) -
                   0.1 * v - bw_alpha * kB * x - (1.0 - bw_alpha) * kB * z + ml * w * w * sin(th);
    double m00 = 0.1 * (mA_10 + mB_10) + bob, m01 = ml * cos(th), m11 = ml * rod, torque = -ml * gravity * sin(th);
    double det = m00 * m11 - m01 * m01;
    f[0] = v;
    f[1] = w;
    f[2] = (m11 * force - m01 * torque) / det;
    f[3] = (m00 * torque - m01 * force) / det;
    f[4] = v - bw_beta * fabs(v) * fabs(z) * z - bw_gamma * v * z * z;
}

UNUSED static void nonlinear_truth(const scheme *s, double *A, double *B, double *lambda)
{
    (void)s;
    double y[5] = {1.0, 0.6, 1.0, -0.5, 0.0}, f[5];
    runge_kutta(nonlinear_rate, 5, 0.5, 4000, y);
    nonlinear_rate(0.5, y, f);
    A[0] = B[0] = y[0];
    A[1] = B[2] = y[2];
    B[1] = y[1];
    B[3] = y[3];
    lambda[0] = 0.1 * mA_10 * f[2] + kA * y[0] + cubic * (y[0] + y[0] * y[0] * y[0]);
}

static const problem nonlinear_problem UNUSED = {nonlinear_make, nonlinear_truth};

/* LSRT2 on both sides is of order 2 in the first `places` places, with gamma minus and plus from the steps h[0] and
 * h[1], for every share of the mass and every number of sub-steps. */
UNUSED static void assert_second_order(const problem *p, const char *coupling, const double h[2], int shares,
                                       const double *share, int places)
{
    static const double gamma[] = {0.29289321881345247560, 1.70710678118654752440}; /* 1 -+ sqrt(2)/2 */
    static const int sss[] = {1, 2, 10};
    for (int i = 0; i < 2 * shares * (int)COUNT(sss); i++) {
        int g = i % 2, ss = sss[i / 2 % (int)COUNT(sss)];
        double b1 = share[i / 2 / (int)COUNT(sss)], order[PLACES];
        ifd_step_options lsrt2 = options("lsrt2", 1.0, (pair[]){{"gamma", gamma[g], NULL}, {0}});
        observed_orders(p, &(scheme){.coupling = coupling, .A = lsrt2, .B = lsrt2, .b1 = b1, .h = h[g], .ss = ss},
                        order);
        for (int k = 0; k < places; k++)
            assert_near(order[k], 2.0, 0.05, "gamma %.3f, b1 = %g, ss = %d, place %d", gamma[g], b1, ss, k);
    }
}
