/* SPDX-License-Identifier: MIT */
/* The one definition of stable: matrices whose roots are known, and recurrences whose growth has a closed form. */
#include "analysis/verdict.h"

#include <string.h>

#include "hybrid/cut.h"

/* y := Q^T x of a rotation-rich orthogonal Q, so that nothing stays triangular: A := Q A Q^T. */
static void disguise(int n, double *A)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++) {
                double c = cos(1.0 + i + 2.0 * j + pass), s = sin(1.0 + i + 2.0 * j + pass);
                for (int k = 0; k < n; k++) {
                    double a = A[i + k * n], b = A[j + k * n];
                    A[i + k * n] = c * a - s * b;
                    A[j + k * n] = s * a + c * b;
                }
                for (int k = 0; k < n; k++) {
                    double a = A[k + i * n], b = A[k + j * n];
                    A[k + i * n] = c * a - s * b;
                    A[k + j * n] = s * a + c * b;
                }
            }
}

static bool stable(ifd_arena *arena, int n, const double *A, double noise)
{
    ifd__roots r;
    assert_int_equal(ifd__roots_find(arena, n, A, false, &r, NULL), IFD_OK);
    assert_int_equal(ifd__roots_judge(n, A, noise, &r), IFD_OK);
    return ifd__roots_stable(&r);
}

enum { N = 6 };

/* Jordan blocks of one (drift of a joint, a double integrator) are split by rounding, up to 1e-5 for three; growth
 * far below that, from IFD__LEAST_DOUBT on, is seen in a root that is alone, beside them too. */
TEST_IN_ARENA(rounding_of_defective_roots_is_told_from_growth)
{
    static const double grown[] = {0.0, 0.9e-9, 1.1e-9, 1e-7, 1e-3}; /* both sides of IFD__LEAST_DOUBT */
    for (int block = 1; block <= 3; block++)
        for (size_t g = 0; g < COUNT(grown); g++) {
            double A[N * N] = {0}, angle = 0.7, size = 1.0 + grown[g];
            for (int i = 0; i < N; i++)
                A[i * (N + 1)] = i < block ? 1.0 : 0.3;
            for (int i = 0; i + 1 < block; i++)
                A[i + (i + 1) * N] = 0.5;
            A[4 + 4 * N] = A[5 + 5 * N] = size * cos(angle);
            A[4 + 5 * N] = -size * sin(angle);
            A[5 + 4 * N] = size * sin(angle);
            disguise(N, A);
            assert_int_equal(stable(*state, N, A, 0.0), grown[g] < IFD__LEAST_DOUBT);
        }
}

/* mu^2 (mu - d) = a^2 p of roots 1 + mu: a pair split by sqrt(a^2 p / d), here 1e-5, and a root close to 1 + d that
 * errors of size e move by a^2 e / d^2, less than d above (a^2 e)^(1/3) = 1.6e-3. Below, the three cannot be told
 * apart. */
TEST_IN_ARENA(growth_beside_a_defective_pair_is_seen_as_soon_as_errors_cannot_reach_it)
{
    static const double d[] = {-5e-3, 1e-4, 5e-4, 5e-3, 2e-2};
    for (size_t k = 0; k < COUNT(d); k++) {
        double a = 50.0, A[9] = {1.0, 0.0, -1e-10 * d[k] / (a * a), a, 1.0, 0.0, 0.0, a, 1.0 + d[k]};
        disguise(3, A);
        assert_int_equal(stable(*state, 3, A, 0.0), d[k] < 1e-3);
    }
}

TEST_IN_ARENA(a_double_pair_on_the_circle_is_stable)
{
    double A[N * N] = {0}, c = cos(0.4), s = sin(0.4);
    for (int b = 0; b < 2; b++) {
        int i = 2 * b;
        A[i + i * N] = A[i + 1 + (i + 1) * N] = c;
        A[i + (i + 1) * N] = -s;
        A[i + 1 + i * N] = s;
    }
    A[0 + 2 * N] = A[1 + 3 * N] = 1.0; /* not diagonalisable */
    A[4 + 4 * N] = A[5 + 5 * N] = 0.2;
    disguise(N, A);
    assert_true(stable(*state, N, A, 0.0));
}

enum { STATES = 6 };

static bool multiply(void *what, double *x)
{
    const double *A = what;
    double y[STATES] = {0};
    for (int i = 0; i < STATES; i++)
        for (int j = 0; j < STATES; j++)
            y[i] += A[i + j * STATES] * x[j];
    memcpy(x, y, sizeof y);
    return true;
}

/* An oscillation of 0.06 degrees a step beside what no root can depend on: a force that is only kept (read by
 * nothing), and two numbers that read nothing but each other, one after the other: roots equal to one, with one
 * vector. */
TEST_IN_ARENA(numbers_that_close_no_loop_hide_no_growth)
{
    static const double grown[] = {-1e-8, 0.0, 0.9e-9, 1.1e-9, 1e-7}; /* both sides of IFD__LEAST_DOUBT */
    static const int all[STATES] = {0, 1, 2, 3, 4, 5};
    for (size_t g = 0; g < COUNT(grown); g++) {
        double A[STATES * STATES] = {0}, B[STATES * STATES], scale[STATES], size = 1.0 + grown[g], angle = 1e-3;
        A[0] = A[1 + STATES] = size * cos(angle);
        A[STATES] = -size * sin(angle);
        A[1] = size * sin(angle);
        A[2] = 1e9;                                   /* kept: 1e9 of the first number */
        A[3 + 3 * STATES] = A[4 + 4 * STATES] = 1.0;  /* stay */
        A[3 + 4 * STATES] = A[0 + 3 * STATES] = 0.25; /* the second drives the first, and that the oscillation */
        A[5 + 5 * STATES] = 0.3;
        ifd__roots r;
        const ifd__probe p = {
            .size = STATES, .n = STATES, .state = all, .amplitude = 0x1p-20, .step = multiply, .what = A};
        assert_int_equal(ifd__verdict_of(&p, *state, &(ifd__balanced){B, scale, NULL}, false, &r, NULL), IFD_OK);
        assert_int_equal(ifd__roots_stable(&r), grown[g] < IFD__LEAST_DOUBT);
        int ones = 0, beyond = 0;
        for (int i = 0; i < r.n; i++) {
            ones += ifd__root_is_one(&r, i);
            beyond += r.imag[i] != 0.0 && ifd__root_doubt(&r, i) < 1e-12;
        }
        assert_int_equal(ones, 2);
        assert_int_equal(beyond, 2);
        assert_int_equal(ifd__roots_inside(&r), grown[g] < 0.0);
    }
}

/* Noise of the matrix hides growth below it, and none above 1e-6. */
TEST_IN_ARENA(noise_of_the_matrix_widens_the_bound_up_to_a_limit)
{
    double A[4] = {1.0 + 1e-8, 0, 0, 0.5};
    assert_false(stable(*state, 2, A, 0.0));
    assert_true(stable(*state, 2, A, 1e-8));
    A[0] = -(1.0 + 1e-5);
    assert_false(stable(*state, 2, A, 1e-2));
}

/* Within loud noise a root of 1.05 may be one. A search over steps accepts that; a loop of a test does not. A root
 * that is one within less than the growth that always counts stays one for both. */
TEST_IN_ARENA(growth_that_noise_may_have_made_is_growth_where_safety_needs_it)
{
    static const struct {
        double root, noise;
        bool trusted, safe;
    } row[] = {
        {1.05, 0.1, true, false}, {1.001, 1e-2, true, false}, {1.0, 1e-2, true, true}, {1.05, 1e-3, false, false}};
    for (size_t k = 0; k < COUNT(row); k++) {
        double A[4] = {row[k].root, 0, 0.1, 0.5};
        ifd__roots r;
        ifd__decision d;
        assert_int_equal(ifd__roots_find(*state, 2, A, false, &r, NULL), IFD_OK);
        assert_int_equal(ifd__roots_judge(2, A, row[k].noise, &r), IFD_OK);
        assert_int_equal(ifd__roots_stable(&r), row[k].trusted);
        ifd__roots_decide(&r, &d);
        assert_int_equal(d.undecided, row[k].trusted && !row[k].safe);
        ifd__roots_distrust(&r);
        assert_int_equal(ifd__roots_stable(&r), row[k].safe);
    }
}

static ifd_model *with_dashpot(ifd_arena *arena, double damping, double stiffness)
{
    ifd_builder *b = oscillator_builder(arena, 1.0, 0, stiffness, 1, 0);
    ifd_builder_add(b, IFD_DAMPING, 0, 0, damping);
    return made(arena, b);
}

/* Average acceleration, |z|^2 = (1 + k h^2/4m - c h/2m) / (1 + k h^2/4m + c h/2m): with a negative dashpot motion
 * grows at the same rate per second for every small step, and is called unstable for every step. */
TEST_IN_ARENA(slow_growth_is_seen_at_every_step)
{
    const double w = 6.0, zeta = -1e-5;
    for (double h = 0.1; h > 2e-5; h /= 3.0) {
        ifd_stability s;
        ifd_run_options run = {.model = with_dashpot(*state, 2 * zeta * w, w * w),
                               .step = options("newmark", h, NULL)};
        assert_int_equal(ifd_stability_find(*state, &run, &s, NULL), IFD_OK);
        double a = 1 + w * w * h * h / 4, b = zeta * w * h;
        assert_near(s.radius - 1.0, sqrt((a - b) / (a + b)) - 1.0, 1e-13, "h = %g", h);
        assert_false(s.stable);
        run.model = oscillator(*state, 1.0, 0, w * w, 1, 0);
        assert_int_equal(ifd_stability_find(*state, &run, &s, NULL), IFD_OK);
        assert_true(s.stable);
    }
}

/* Staggered, gamma minus, b1 = 10, ss 10: growth of 2.57e-4 Omega^4 per step, by a separate implementation. Sweep and
 * search agree. */
TEST_IN_ARENA(the_slow_growth_of_a_coupling_is_seen_by_all_analyses)
{
    static const double omega[] = {0.05, 0.1, 0.19}, growth[] = {1.6095e-9, 2.5717e-8, 3.3352e-7};
    cut c;
    ifd_stability_row row[3];
    cut_single_dof(&c, *state, 10, "lsrt2", (pair[]){{"gamma", 0, "minus"}, {0}}, 10);
    const ifd_run_options *run = cut_run(&c, "staggered", 0.05, 1);
    assert_int_equal(ifd_stability_sweep(run, "omega", 3, omega, row, NULL), IFD_OK);
    for (int k = 0; k < 3; k++) {
        assert_near_rel(row[k].radius - 1.0, growth[k], 1e-3, "Omega %g", omega[k]);
        assert_false(row[k].stable);
    }
    ifd_critical_step v;
    const ifd_critical_options o = {.from = 0.05, .to = 0.2};
    assert_int_equal(ifd_stability_critical(*state, run, &o, &v, NULL), IFD_OK);
    assert_true(v.found && !v.current_stable);
}

TESTS()
