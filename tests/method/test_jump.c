/* SPDX-License-Identifier: MIT */
/* A load that is held from the first instant of a step, and the work it does. A single mass answers a force that is
 * held over an exchange step of N steps of a method by increments D_1, D_2, ... of its displacement; the work of any
 * sequence f of such forces is f . W f, with W lower triangular and Toeplitz. A passive mass has sym(W) >= 0. */
#include "method/whole.h"

enum { K = 48 };

/* Smallest eigenvalue of sym(W) over the largest. */
static double least_work(ifd_arena *arena, const char *method, const char *parameter, double value, double Omega,
                         int N, bool held)
{
    const pair set[] = {{parameter, value, NULL}, {0}};
    const double h = 0.01 / N, w = Omega / 0.01; /* a mass of 1 kg, 1 % of critical damping */
    const ifd_model *m = made(arena, chain_builder(arena, 1, 1, 2 * 0.01 * w, w * w));
    ifd_step_options opt = options(method, h, parameter ? set : NULL);
    ifd_stepper *s = stepper_of(arena, &opt, m);
    double *x = zeros(arena, ifd_stepper_size(s), 1), D[K], W[K * K] = {0}, root[K], before = 0;
    ifd_stepper_start(s, 0, NULL, x);
    for (int k = 0; k < K; k++) {
        const double force = k == 0, change = k == 0 ? 1 : -1;
        if (held && k < 2)
            ifd_stepper_jump(s, h * N * k, &change, x);
        for (int i = 0; i < N; i++)
            for (int stage = 0; stage < ifd_stepper_stages(s); stage++)
                ifd_stepper_stage(s, stage, h * (N * k + i), &force, x);
        D[k] = x[0] - before;
        before = x[0];
    }
    for (int i = 0; i < K; i++)
        for (int j = 0; j <= i; j++)
            W[i + j * K] = i == j ? D[0] : 0.5 * D[i - j];
    assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', K, W, K, root), 0);
    return root[0] / root[K - 1];
}

static const double Omega[] = {0.1, 1, 5};

/* Values to the two digits that an independent computation gives. */
TEST_IN_ARENA(a_load_that_is_held_does_no_negative_work)
{
    static const struct {
        int N;
        double without[3], with[3];
    } row[] = {{1, {-3.9e-2, -1.7e-1, -4.8e-1}, {3.8e-8, 6.2e-7, 4.5e-7}},
               {2, {-1.8e-2, -6.6e-2, -2.1e-1}, {8.9e-6, 9.5e-6, 4.9e-7}},
               {10, {-3.4e-3, -5.9e-3, -1.3e-2}, {1.2e-5, 9.2e-6, 9.8e-6}}};
    for (size_t r = 0; r < COUNT(row); r++)
        for (int k = 0; k < 3; k++) {
            double with = least_work(*state, "generalized-alpha", "rho", 1, Omega[k], row[r].N, true),
                   without = least_work(*state, "generalized-alpha", "rho", 1, Omega[k], row[r].N, false);
            assert_near_rel(with, row[r].with[k], 0.05, "N = %d, Omega %g", row[r].N, Omega[k]);
            assert_near_rel(without, row[r].without[k], 0.05, "not held, N = %d, Omega %g", row[r].N, Omega[k]);
        }
}

/* The least over three frequencies. Generalized-alpha and HHT with damping have no exact law of energy when every
 * step has a force of its own. */
TEST_IN_ARENA(every_method_holds_its_load)
{
    static const struct {
        const char *method, *parameter;
        double value, least[2]; /* of N = 1, 2, to two digits */
    } row[] = {{"generalized-alpha", "rho", 0.8, {-5.4e-7, 6.3e-7}},
               {"generalized-alpha", "rho", 0.5, {-4.6e-4, 1.7e-6}},
               {"hht", "alpha", 0.1, {-1.9e-6, 1.3e-6}},
               {"newmark", NULL, 0, {3.8e-8, 4.9e-7}},
               {"mg-alpha", "rho", 1, {3.8e-8, 4.9e-7}},
               {"chang", NULL, 0, {3.8e-8, 4.9e-7}},
               {"mg-alpha", "rho", 0.8, {6.4e-7, 3.3e-6}},
               {"lsrt2", NULL, 0, {8.7e-6, 9.7e-6}}};
    for (size_t r = 0; r < COUNT(row); r++)
        for (int N = 1; N <= 2; N++) {
            double least = 1;
            for (int k = 0; k < 3; k++)
                least =
                    fmin(least, least_work(*state, row[r].method, row[r].parameter, row[r].value, Omega[k], N, true));
            assert_near_rel(least, row[r].least[N - 1], 0.05, "%s %g, N = %d", row[r].method, row[r].value, N);
        }
    assert_true(least_work(*state, "central-difference", NULL, 0, 1, 1, true) > 0);
    assert_true(least_work(*state, "central-difference", NULL, 0, 1, 1, false) < -0.1);
}

TESTS()
