/* SPDX-License-Identifier: MIT */
/* Stable, unstable or not decided: recurrences with known roots, probed through noise. */
#include "check.h"
#include "fixture.h"

#include <complex.h>
#include <lapacke.h>
#include <string.h>

#include "analysis/verdict.h"
#include "base/random.h"

enum { MOST = 8 };

/* A := Q A Q' of random rotations Q: nothing stays triangular, and norms are kept. */
static void rotate(ifd__random *r, int n, double *A)
{
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            double angle = 6.28 * ifd__random_unit(r), c = cos(angle), s = sin(angle);
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

/* A recurrence with an error of every answer. */
typedef struct noisy {
    int n;
    double A[MOST * MOST], noise;
    ifd__random random;
} noisy;

static const double small = 0x1p-20;

static bool step(void *what, double *x)
{
    noisy *s = what;
    double y[MOST] = {0};
    for (int i = 0; i < s->n; i++) {
        for (int j = 0; j < s->n; j++)
            y[i] += s->A[i + j * s->n] * x[j];
        y[i] += small * s->noise * ifd__random_normal(&s->random);
    }
    memcpy(x, y, sizeof *y * (size_t)s->n);
    return true;
}

static ifd__decision decide(noisy *s)
{
    static const int all[MOST] = {0, 1, 2, 3, 4, 5, 6, 7};
    double A[MOST * MOST], scale[MOST];
    ifd__decision d;
    ifd__roots r;
    const ifd__probe p = {.size = s->n, .n = s->n, .state = all, .amplitude = small, .step = step, .what = s};
    assert_int_equal(ifd__verdict_of(&p, arena, &(ifd__balanced){A, scale, &d}, false, &r, NULL), IFD_OK);
    assert_false(d.stable && d.undecided);
    return d;
}

/* The least singular value of z I - A. */
static double distance(int n, const double *A, double complex z)
{
    lapack_complex_double B[MOST * MOST];
    double s[MOST], rest[MOST];
    for (int i = 0; i < n * n; i++)
        B[i] = (i % (n + 1) ? 0.0 : z) - A[i];
    assert_int_equal(LAPACKE_zgesvd(LAPACK_COL_MAJOR, 'N', 'N', n, n, B, n, s, NULL, 1, NULL, 1, rest), 0);
    return s[n - 1];
}

/* The smallest error that brings a root to the circle of radius r is the least singular value of z I - A on it. */
TEST_IN_ARENA(the_resolution_is_where_the_circle_leaves_the_errors)
{
    ifd__random random;
    ifd__random_seed(&random, 11);
    for (int trial = 0; trial < 40; trial++) {
        int n = 2 + trial % 7;
        double A[MOST * MOST], real[MOST], imag[MOST], copy[MOST * MOST], radius = 0.0, least = HUGE_VAL, found;
        for (int i = 0; i < n * n; i++)
            A[i] = ifd__random_normal(&random);
        memcpy(copy, A, sizeof A);
        assert_int_equal(LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'N', n, copy, n, real, imag, NULL, 1, NULL, 1), 0);
        for (int i = 0; i < n; i++)
            radius = fmax(radius, hypot(real[i], imag[i]));
        for (int i = 0; i < n * n; i++)
            A[i] *= (0.5 + 0.49 * ifd__random_unit(&random)) / radius;
        double growth = pow(10.0, -3.0 * ifd__random_unit(&random));
        for (int k = 0; k <= 4000; k++)
            least =
                fmin(least, distance(n, A, (1.0 + growth) * cexp((double complex)I * 3.14159265358979 * k / 4000.0)));
        /* On a circle of 4000 points the minimum is missed by 4e-4 of the arc at most. */
        const ifd__errors inside = {.solver = 0.98 * least - 8e-4}, outside = {.solver = 1.02 * least + 8e-4};
        if (inside.solver <= 0.0)
            continue;
        assert_int_equal(ifd__resolution(n, A, &inside, growth, &found), IFD_OK);
        assert_near(found, growth, 0.0, "trial %d", trial);
        assert_int_equal(ifd__resolution(n, A, &outside, growth, &found), IFD_OK);
        assert_true(found > growth);
    }
}

/* One root as given, others well inside. Errors e of this matrix, normal apart from rotations, move a root by e. */
TEST_IN_ARENA(a_root_near_one_is_decided_as_far_as_noise_allows)
{
    static const double root[] = {0.999, 1.0, 1.001, 1.01, 1.05};
    for (size_t k = 0; k < COUNT(root); k++)
        for (double noise = 1e-14; noise < 2e-2; noise *= 10.0)
            for (int trial = 0; trial < 5; trial++) {
                noisy s = {.n = 4, .noise = noise};
                ifd__random_seed(&s.random, 100 * (unsigned)trial + 7);
                for (int i = 0; i < 4; i++)
                    s.A[i * 5] = i ? 0.3 + 0.1 * i : root[k];
                s.A[4] = 0.2;
                rotate(&s.random, 4, s.A);
                ifd__decision d = decide(&s);
                bool unstable = !d.stable && !d.undecided;
                assert_false(d.stable && root[k] > 1.0);
                /* 16 numbers with the noise of two answers, 5 times the largest of 8: at most 5 * 2 * 2 * 4. */
                double reach = 80.0 * noise;
                if (root[k] > 1.0 && reach < root[k] - 1.0)
                    assert_true(unstable);
                if (root[k] <= 1.0 && reach < 1e-6 + 1.0 - root[k])
                    assert_true(d.stable);
                if (root[k] <= 1.0 && noise > 1e-2)
                    assert_true(d.undecided);
                assert_true(!d.undecided || d.resolution > 1e-6);
            }
}

/* Two roots equal to one with one vector, as a mass without a spring has, and three. Errors e split them by sqrt(e c)
 * and (e c^2)^(1/3). Growth of 1e-4 is the same matrix with a split as large. */
TEST_IN_ARENA(multiple_roots_equal_to_one_are_decided_by_the_root_of_the_noise)
{
    for (int block = 2; block <= 3; block++)
        for (double growth = 0.0; growth<2e-2; growth = growth> 0.0 ? 10.0 * growth : 1e-5)
            for (double noise = 1e-16; noise < 2e-2; noise *= 10.0) {
                noisy s = {.n = 5, .noise = noise};
                double c = 0.1;
                ifd__random_seed(&s.random, 3);
                for (int i = 0; i < 5; i++)
                    s.A[i * 6] = i < block ? 1.0 : 0.4;
                for (int i = 0; i + 1 < block; i++)
                    s.A[i + (i + 1) * 5] = c;
                s.A[block - 1] = pow(growth, block) / pow(c, block - 1); /* roots 1 + growth times roots of unity */
                rotate(&s.random, 5, s.A);
                ifd__decision d = decide(&s);
                assert_false(d.stable && growth > 0.0);
                if (block == 2 && growth == 0.0 && noise <= 1e-15) /* sqrt(1e-13 c) is below 1e-6 */
                    assert_true(d.stable);
                if (block == 2 && growth >= 1e-4 && noise <= 1e-13)
                    assert_true(!d.stable && !d.undecided);
                if (growth == 0.0 && noise >= 1e-10)
                    assert_true(d.undecided);
            }
}

/* A number that every step keeps, beside numbers with noise: the error of the sum is zero, and so is the doubt. */
static bool keep(void *what, double *x)
{
    noisy *s = what;
    double sum = x[0] + x[1];
    x[1] = 0.9 * x[1] + small * s->noise * ifd__random_normal(&s->random);
    x[0] = sum - x[1];
    return true;
}

TEST_IN_ARENA(a_number_that_is_kept_is_one_whatever_the_noise)
{
    for (double noise = 1e-12; noise < 2e-4; noise *= 10.0) {
        static const int all[] = {0, 1};
        noisy s = {.n = 2, .noise = noise};
        double A[4], scale[2];
        ifd__decision d;
        ifd__roots r;
        const ifd__probe p = {.size = 2, .n = 2, .state = all, .amplitude = small, .step = keep, .what = &s};
        ifd__random_seed(&s.random, 5);
        assert_int_equal(ifd__verdict_of(&p, arena, &(ifd__balanced){A, scale, &d}, false, &r, NULL), IFD_OK);
        assert_true(d.stable);
    }
}

/* The adversary: random roots, one of them near the circle, random vectors, coupling and noise. What truly grows
 * by more than 2e-6 is never stable; what is quiet and truly inside is never anything else. */
TEST_IN_ARENA(no_random_recurrence_that_grows_passes_as_stable)
{
    enum { TRIALS = 4000 };
    ifd__random random;
    int stable = 0, unstable = 0, undecided = 0;
    ifd__random_seed(&random, 23);
    for (int trial = 0; trial < TRIALS; trial++) {
        noisy s = {.n = 2 + (int)(7.0 * ifd__random_unit(&random))};
        int n = s.n;
        double sign = ifd__random_unit(&random) < 0.3 ? -1.0 : 1.0, off = pow(10.0, -9.0 * ifd__random_unit(&random));
        double near = 1.0 + sign * (ifd__random_unit(&random) < 0.2 ? 0.0 : 0.2 * off);
        double most = near, c = pow(10.0, 2.0 - 4.0 * ifd__random_unit(&random));
        bool pair = ifd__random_unit(&random) < 0.4, twice = ifd__random_unit(&random) < 0.3 && n > 3;
        s.noise = pow(10.0, -15.0 + 13.0 * ifd__random_unit(&random));
        ifd__random_seed(&s.random, (unsigned)trial);
        for (int i = 0; i < n; i++)
            s.A[i * (n + 1)] =
                i == 0 || (i == 1 && pair) || (i < 4 && twice) ? near : 0.95 * ifd__random_unit(&random);
        if (pair) {
            double angle = 3.0 * ifd__random_unit(&random);
            s.A[0] = s.A[n + 1] = near * cos(angle);
            s.A[1] = near * sin(angle);
            s.A[n] = -near * sin(angle);
        }
        for (int j = 2; j < n; j++)
            for (int i = 0; i < j && !(pair && twice); i++)
                s.A[i + j * n] = c * ifd__random_normal(&random);
        rotate(&random, n, s.A);
        ifd__decision d = decide(&s);
        assert_false(d.stable && most > 1.0 + 2e-6);
        stable += d.stable;
        undecided += d.undecided;
        unstable += !d.stable && !d.undecided;
        if (!twice && !pair && c < 0.1 && s.noise < 1e-12 && near < 1.0 - 1e-3)
            assert_true(d.stable);
    }
    print_message("%d stable, %d unstable, %d not decided\n", stable, unstable, undecided);
    assert_true(stable > TRIALS / 10 && unstable > TRIALS / 10 && undecided > TRIALS / 10);
}

TESTS()
