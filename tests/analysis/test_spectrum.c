/* SPDX-License-Identifier: MIT */
/* Spectra found by probing the step code, against amplification matrices written down here from the methods'
 * equations. */
#include "method/fixtures.h"

#include <complex.h>

#include <interfield/analysis.h>

static const double omegas[] = {0.01, 0.1, 0.5, 1, 1.5, 1.9, 2, 3, 5, 10, 30, 100};
static const double zetas[] = {0, 0.05, 0.3};

/* x := B^-1 x for nrhs columns, n <= 4, by elimination with pivoting. */
static void solve(int n, double *B, int nrhs, double *x)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k; i < n; i++)
            p = fabs(B[i + n * k]) > fabs(B[p + n * k]) ? i : p;
        for (int j = 0; j < n; j++) {
            double swap = B[k + n * j];
            B[k + n * j] = B[p + n * j];
            B[p + n * j] = swap;
        }
        for (int j = 0; j < nrhs; j++) {
            double swap = x[k + n * j];
            x[k + n * j] = x[p + n * j];
            x[p + n * j] = swap;
        }
        for (int i = 0; i < n; i++) {
            double f = i == k ? 0 : B[i + n * k] / B[k + n * k];
            for (int j = 0; j < n; j++)
                B[i + n * j] -= f * B[k + n * j];
            for (int j = 0; j < nrhs; j++)
                x[i + n * j] -= f * x[k + n * j];
        }
    }
    for (int j = 0; j < nrhs; j++)
        for (int i = 0; i < n; i++)
            x[i + n * j] /= B[i + n * i];
}

/* All in the variables (u, v/w): A = [0 w; -w -2 zeta w], h = 1. */
static void system_matrix(double w, double zeta, double A[4])
{
    A[0] = 0;
    A[1] = -w;
    A[2] = w;
    A[3] = -2 * zeta * w;
}

static void mul2(const double *A, const double *B, double *C)
{
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 2; i++)
            C[i + 2 * j] = A[i] * B[2 * j] + A[i + 2] * B[1 + 2 * j];
}

static void rosenbrock(double w, double zeta, double gamma, int stages, double *out)
{
    double A[4], W[4], k1[4], f[4], ym[4], Ak1[4];
    system_matrix(w, zeta, A);
    memcpy(k1, A, sizeof k1);
    for (int i = 0; i < 4; i++)
        W[i] = (i % 3 == 0) - gamma * A[i];
    solve(2, W, 2, k1);
    for (int i = 0; i < 4; i++)
        ym[i] = (i % 3 == 0) + 0.5 * k1[i];
    mul2(A, ym, f);
    mul2(A, k1, Ak1);
    for (int i = 0; i < 4; i++) {
        W[i] = (i % 3 == 0) - gamma * A[i];
        f[i] -= gamma * Ak1[i];
    }
    solve(2, W, 2, f);
    for (int i = 0; i < 4; i++)
        out[i] = (i % 3 == 0) + (stages == 1 ? k1[i] : f[i]);
}

/* (u, v/w, a/w^2) -> the same, from the weighted balance at two instants. */
static void weighted(double w, double zeta, double am, double af, double beta, double gamma, double *out)
{
    for (int j = 0; j < 3; j++) {
        double u = j == 0, v = w * (j == 1), a = w * w * (j == 2), k = w * w, c = 2 * zeta * w;
        double up = u + v + (0.5 - beta) * a, vp = v + (1 - gamma) * a;
        double right = -am * a - (1 - af) * (c * vp + k * up) - af * (c * v + k * u);
        double a1 = right / (1 - am + (1 - af) * (gamma * c + beta * k));
        out[3 * j] = up + beta * a1;
        out[1 + 3 * j] = (vp + gamma * a1) / w;
        out[2 + 3 * j] = a1 / (w * w);
    }
}

/* (u, v/w) with a from balance. */
static void two_states(double w, double zeta, double beta, double gamma, bool chang, double *out)
{
    for (int j = 0; j < 2; j++) {
        double u = j == 0, v = w * (j == 1), k = w * w, c = 2 * zeta * w, a = -c * v - k * u;
        double d = 1 + c / 2 + k / 4, up = u + v + (0.5 - beta) * a, vp = v + (1 - gamma) * a;
        if (chang)
            up = u + (1 + c / 2) / d * v + 0.5 / d * a;
        double a1 = (-c * vp - k * up) / (1 + gamma * c + beta * k);
        out[2 * j] = up + beta * a1;
        out[1 + 2 * j] = (vp + gamma * a1) / w;
    }
}

/* (Y, V) -> the same, Yd = A Y. */
static void state_space(double w, double zeta, double rho, double *out)
{
    double am = (3 - rho) / (2 * (1 + rho)), af = 1 / (1 + rho), gamma = 0.5 + am - af, A[4], B[4], Y[8], AY[8];
    system_matrix(w, zeta, A);
    for (int i = 0; i < 4; i++) {
        B[i] = (i % 3 == 0) - gamma * af / am * A[i];
        Y[i] = (i % 3 == 0) + gamma / am * (1 - af) * A[i];
        Y[4 + i] = (i % 3 == 0) * (1 - gamma - gamma / am * (1 - am));
    }
    solve(2, B, 4, Y);
    mul2(A, Y, AY);
    mul2(A, Y + 4, AY + 4);
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 2; i++) {
            double V = j < 2 ? (1 - af) * A[i + 2 * j] : -(1 - am) * (i == j - 2);
            out[i + 4 * j] = Y[i + 2 * j];
            out[2 + i + 4 * j] = (af * AY[i + 2 * j] + V) / am;
        }
}

typedef struct spec {
    const char *method;
    pair set[3];
    double p; /* gamma, rho, alpha or beta as the assembled matrix needs it */
} spec;

static const double minus = 0.29289321881345247560, plus = 1.7071067811865475244;

static const spec rows[] = {
    {"lsrt1", {{0}}, 1},
    {"lsrt1", {{"gamma", 0.7, NULL}}, 0.7},
    {"lsrt2", {{0}}, 0.29289321881345247560},
    {"lsrt2", {{"gamma", 0, "plus"}}, 1.7071067811865475244},
    {"lsrt2", {{"gamma", 0.5, NULL}}, 0.5},
    {"lsrt2", {{"gamma", 0, "minus"}, {"jacobian", 0, "frozen"}}, 0.29289321881345247560},
    {"mg-alpha", {{0}}, 0.8},
    {"mg-alpha", {{"rho", 0, NULL}}, 0},
    {"mg-alpha", {{"rho", 1, NULL}, {"solve", 0, "newton"}}, 1},
    {"newmark", {{0}}, 0.25},
    {"newmark", {{"beta", 1.0 / 6, NULL}}, 1.0 / 6},
    {"hht", {{0}}, 0.1},
    {"hht", {{"alpha", 0.3, NULL}}, 0.3},
    {"generalized-alpha", {{0}}, 0.8},
    {"generalized-alpha", {{"rho", 0.3, NULL}}, 0.3},
    {"generalized-alpha", {{"rho", 1, NULL}}, 1},
    {"central-difference", {{0}}, 0},
    {"chang", {{0}}, 0},
};

static int assembled(const spec *r, double w, double zeta, double *A)
{
    double p = r->p;
    if (strncmp(r->method, "lsrt", 4) == 0) {
        rosenbrock(w, zeta, p, r->method[4] - '0', A);
        return 2;
    }
    if (strcmp(r->method, "mg-alpha") == 0) {
        state_space(w, zeta, p, A);
        return 4;
    }
    if (strcmp(r->method, "hht") == 0) {
        weighted(w, zeta, 0, p, (1 + p) * (1 + p) / 4, 0.5 + p, A);
        return 3;
    }
    if (strcmp(r->method, "generalized-alpha") == 0) {
        double am = (2 * p - 1) / (p + 1), af = p / (p + 1), b = 1 - am + af;
        weighted(w, zeta, am, af, b * b / 4, 0.5 - am + af, A);
        return 3;
    }
    two_states(w, zeta, p, 0.5, strcmp(r->method, "chang") == 0, A);
    return 2;
}

/* Coefficients of prod (x - z_i), highest first. */
static void polynomial(int n, const double complex *z, double complex *c)
{
    c[0] = 1;
    for (int i = 0; i < n; i++) {
        c[i + 1] = 0;
        for (int k = i + 1; k > 0; k--)
            c[k] -= z[i] * c[k - 1];
    }
}

/* Least distance of two roots, or of a root from the zero ones that dependent states add. */
static double separation(int n, const double complex *z, bool zero)
{
    double least = HUGE_VAL;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++)
            least = fmin(least, cabs(z[i] - z[j]));
        least = zero ? fmin(least, cabs(z[i])) : least;
    }
    return least;
}

static void compare_polynomials(int n, const double complex *expected, const double complex *z, const spec *r,
                                double w)
{
    double complex a[17], b[17];
    double scale = 1; /* an unstable root brings its size into every coefficient */
    polynomial(n, z, a);
    polynomial(n, expected, b);
    for (int i = 0; i < n; i++)
        scale *= fmax(1, cabs(expected[i]));
    for (int i = 0; i <= n; i++)
        assert_near(cabs(a[i] - b[i]), 0, 1e-12 * scale, "%s: coefficient %d at Omega %g", r->method, i, w);
}

/* Each of the n expected roots is met by one of the found ones; what is left must be zero. Near a root of
 * multiplicity m the roots move by eps^(1/m) and the polynomial by eps only: that is what is compared then. */
static void compare(int n, double complex *expected, int found, double complex *z, const spec *r, double w)
{
    for (int i = n; i < found; i++)
        expected[i] = 0;
    if (separation(n, expected, found > n) < 0.05) {
        compare_polynomials(found, expected, z, r, w);
        return;
    }
    for (int i = 0; i < n; i++) {
        int best = i;
        for (int j = i; j < found; j++)
            best = cabs(z[j] - expected[i]) < cabs(z[best] - expected[i]) ? j : best;
        double complex root = z[best];
        z[best] = z[i];
        z[i] = root;
        assert_near(cabs(root - expected[i]), 0, 1e-12 * fmax(1, cabs(root)), "%s: root %d at Omega %g", r->method, i,
                    w);
    }
    for (int i = n; i < found; i++)
        assert_near(cabs(z[i]), 0, 1e-12, "%s: extra root %d at Omega %g", r->method, i, w);
}

static void roots_of(int n, const double *A, double complex *z)
{
    double re[16], im[16];
    assert_int_equal(ifd_roots(n, A, re, im, NULL), IFD_OK);
    for (int i = 0; i < n; i++)
        z[i] = re[i] + im[i] * (double complex)I;
}

TEST_IN_ARENA(every_spectrum_equals_the_assembled_one)
{
    ifd_arena *arena = *state;
    for (size_t r = 0; r < COUNT(rows); r++)
        for (size_t k = 0; k < COUNT(omegas); k++)
            for (size_t d = 0; d < COUNT(zetas); d++) {
                double A[16], w = omegas[k], zeta = zetas[d];
                double complex expected[16], found[16];
                /* Far beyond their limits (2 sqrt(3) and 2) these two only cancel large numbers. */
                if ((rows[r].p == 1.0 / 6 || strcmp(rows[r].method, "central-difference") == 0) && w > 5)
                    continue;
                ifd_step_options opt = options(rows[r].method, 1, rows[r].set);
                ifd_model *m = oscillator(arena, 1, 2 * zeta * w, w * w, 0, 0);
                ifd_amplification_matrix probed;
                assert_int_equal(ifd_amplification(arena, &opt, m, &probed, NULL), IFD_OK);
                int n = assembled(&rows[r], w, zeta, A);
                roots_of(n, A, expected);
                roots_of(probed.n, probed.A, found);
                compare(n, expected, probed.n, found, &rows[r], w);
            }
}

static ifd_spectrum_row at(const char *method, const pair *set, double omega, double zeta)
{
    ifd_step_options opt = options(method, 1, set);
    ifd_spectrum_row row;
    assert_int_equal(ifd_spectrum(&opt, zeta, 1, &omega, &row, NULL), IFD_OK);
    return row;
}

TEST_IN_ARENA(rosenbrock_radii_are_the_closed_forms)
{
    for (size_t k = 0; k < COUNT(omegas); k++) {
        double w = omegas[k];
        assert_near(at("lsrt1", NULL, w, 0).radius, 1 / sqrt(1 + w * w), 1e-13, "lsrt1 at %g", w);
        const double gamma[] = {minus, plus, 0.5, 1};
        for (size_t g = 0; g < COUNT(gamma); g++) {
            /* R(z) = [1 + (1 - 2 g) z + (g^2 - 2 g + 1/2) z^2] / (1 - g z)^2; z^2 vanishes for the L-stable two. */
            double g2 = gamma[g] * gamma[g], y = (1 - 2 * gamma[g]) * w, x = 1 - (g2 - 2 * gamma[g] + 0.5) * w * w;
            double closed = hypot(x, y) / (1 + g2 * w * w);
            assert_near(at("lsrt2", (pair[]){{"gamma", gamma[g], NULL}, {0}}, w, 0).radius, closed, 1e-12,
                        "lsrt2 gamma %g at %g", gamma[g], w);
        }
    }
    assert_near(at("lsrt1", NULL, 2, 0).radius, 0.447213595, 5e-10, "");
    assert_near(at("lsrt2", NULL, 2, 0).radius, 0.96681456, 5e-9, "");
    assert_near(at("lsrt2", (pair[]){{"gamma", 0, "plus"}, {0}}, 2, 0).radius, 0.38958284, 5e-9, "");
}

TEST_IN_ARENA(average_acceleration_and_chang_keep_every_frequency)
{
    for (size_t k = 0; k < COUNT(omegas); k++) {
        double w = omegas[k], turn = 2 * atan(w / 2);
        const char *method[] = {"newmark", "chang"};
        for (int i = 0; i < 2; i++) {
            ifd_spectrum_row r = at(method[i], NULL, w, 0);
            assert_near(r.radius, 1, 1e-12, "%s at %g", method[i], w);
            assert_true(r.oscillates);
            assert_near(r.damping, 0, 1e-11, "%s at %g", method[i], w);
            assert_near(r.frequency_error, (w - turn) / w, 1e-11, "%s at %g", method[i], w);
            assert_near(r.spurious, 0, 1e-10, "%s at %g", method[i], w);
        }
    }
}

TEST_IN_ARENA(radius_at_high_frequency_is_the_one_asked_for)
{
    const double rho[] = {0.2, 0.5, 0.8, 1};
    for (size_t i = 0; i < COUNT(rho); i++) {
        pair set[] = {{"rho", rho[i], NULL}, {0}};
        assert_near(at("mg-alpha", set, 1e6, 0).radius, rho[i], 1e-3, "mg-alpha");
        assert_near(at("generalized-alpha", set, 1e6, 0).radius, rho[i], 1e-3, "generalized-alpha");
    }
    assert_near(at("lsrt1", NULL, 1e6, 0).radius, 0, 2e-6, "lsrt1 is L-stable");
    assert_near(at("lsrt2", NULL, 1e6, 0).radius, 0, 1e-5, "lsrt2 is L-stable");
}

TEST_IN_ARENA(stable_methods_never_amplify)
{
    for (size_t r = 0; r < COUNT(rows); r++) {
        if (strcmp(rows[r].method, "central-difference") == 0 || rows[r].p == 1.0 / 6)
            continue;
        for (int k = -20; k <= 30; k++)
            for (size_t d = 0; d < COUNT(zetas); d++) {
                double w = pow(10, 0.1 * k);
                double radius = at(rows[r].method, rows[r].set, w, zetas[d]).radius;
                if (!(radius <= 1 + 1e-6))
                    assert_near(radius, 1, 1e-6, "%s at %g, zeta %g", rows[r].method, w, zetas[d]);
            }
    }
}

TEST_IN_ARENA(central_difference_is_stable_below_two_only)
{
    assert_near(at("central-difference", NULL, 1.99, 0).radius, 1, 1e-12, "");
    ifd_spectrum_row r = at("central-difference", NULL, 2.01, 0);
    assert_true(r.radius > 1.1);
    assert_false(r.oscillates);
}

TEST_IN_ARENA(damping_of_the_structure_shows_at_low_frequency)
{
    for (size_t r = 0; r < COUNT(rows); r++) {
        double zeta = 0.05, w = 1e-3, exact = zeta / sqrt(1 - zeta * zeta);
        ifd_spectrum_row s = at(rows[r].method, rows[r].set, w, zeta);
        double first = strcmp(rows[r].method, "lsrt1") == 0 ? (rows[r].p - 0.5) * w * (1 + 3 * zeta) : 1e-6;
        assert_near(s.damping, exact, first + 1e-8, "%s", rows[r].method);
    }
}

TEST_IN_ARENA(bad_questions_are_refused)
{
    ifd_step_options opt = options("lsrt2", 1, NULL);
    ifd_spectrum_row row;
    assert_int_equal(ifd_spectrum(&opt, 1.0, 1, (double[]){1}, &row, NULL), IFD_RANGE);
    assert_int_equal(ifd_spectrum(&opt, 0.0, 1, (double[]){-1}, &row, NULL), IFD_RANGE);
    ifd_builder *b = oscillator_builder(*state, 1, 0, 0, 0, 0);
    add_pair(b, "cubic-spring", IFD_GROUND, 0, "stiffness", 1.0, "epsilon", 1.0, NULL);
    ifd_amplification_matrix A;
    assert_int_equal(ifd_amplification(*state, &opt, made(*state, b), &A, NULL), IFD_UNSUPPORTED);
}

TESTS()
