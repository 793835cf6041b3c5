/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* The certificate against transfer functions of the full structure, which LAPACK computes from its modes or, with
 * dashpots, from its dense dynamic stiffness. */
#include "check.h"

#include <complex.h>
#include <lapacke.h>

#include "fixture.h"
#include "tower.h"

enum { FREQUENCIES = 60 };
static const double TOP = 50.0; /* Hz */

typedef double complex number;

/* The full structure's modes: lambda, and W in them (n x columns). */
typedef struct full {
    int n, columns;
    double *lambda, *Q;
} full;

static full full_make(const ifd__linear_structure *of, const ifd__basis *b)
{
    size_t n = (size_t)b->n, columns = (size_t)b->columns;
    full f = {.n = b->n, .columns = b->columns};
    double *K = ifd_arena_array(arena, n * n, sizeof *K), *M = ifd_arena_array(arena, n * n, sizeof *M);
    f.lambda = ifd_arena_array(arena, n, sizeof(double));
    f.Q = ifd_arena_array(arena, n * columns, sizeof(double));
    assert_true(K && M && f.lambda && f.Q);
    ifd__sparse_fill(of->K, K);
    ifd__sparse_fill(of->M, M);
    assert_int_equal(LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, 'V', 'L', b->n, K, b->n, M, b->n, f.lambda), 0);
    for (size_t c = 0; c < columns; c++)
        for (size_t i = 0; i < n; i++)
            for (size_t l = 0; l < n; l++)
                f.Q[i + c * n] += K[l + i * n] * b->W[l + c * n];
    return f;
}

static number full_at(const full *f, const ifd__linear_structure *of, double omega, int row, int column)
{
    number s = omega * (number)I, h = 0.0;
    const double *a = f->Q + (size_t)row * (size_t)f->n, *b = f->Q + (size_t)column * (size_t)f->n;
    for (int i = 0; i < f->n; i++)
        h += a[i] * b[i] / (f->lambda[i] * (1.0 + s * of->ray_k) + s * s + s * of->ray_m);
    return h;
}

typedef struct reduced {
    ifd__basis basis;
    ifd__diagonal diagonal;
    ifd__certifier *certifier;
} reduced;

static void reduce(const ifd__linear_structure *of, int order, reduced *r)
{
    assert_int_equal(ifd__basis_make(arena, of, 2.0 * acos(-1.0) * 0.3 * TOP, order, &r->basis, &note), IFD_OK);
    ifd__basis_extend(&r->basis, order);
    ifd__basis_close(&r->basis);
    assert_int_equal(ifd__diagonal_make(arena, &r->basis, &r->diagonal, &note), IFD_OK);
    assert_int_equal(ifd__certifier_make(arena, &r->basis, &r->diagonal, &r->certifier), IFD_OK);
}

/* Largest error and largest bound, both of the largest |H| of all; every bound must hold. */
static void compare(const ifd__linear_structure *of, const full *f, reduced *r, double *error, double *bound)
{
    size_t columns = (size_t)r->basis.columns;
    double *H = ifd_arena_array(arena, 2 * columns * columns, sizeof *H), peak = 0.0;
    double *rho = ifd_arena_array(arena, columns, sizeof *rho);
    *error = *bound = 0.0;
    for (int k = 1; k <= FREQUENCIES; k++) {
        double omega = 2.0 * acos(-1.0) * TOP * k / FREQUENCIES;
        ifd__transfer at = {.H = H, .rho = rho};
        assert_int_equal(ifd__certifier_at(r->certifier, omega, &at), IFD_OK);
        for (size_t j = 0; j < columns; j++)
            for (size_t i = 0; i < columns; i++) {
                number h = full_at(f, of, omega, (int)i, (int)j);
                double off = cabs(h - H[2 * (i + j * columns)] - H[2 * (i + j * columns) + 1] * (number)I);
                double most = at.alpha * rho[i] * rho[j];
                if (off > most + 1e-10 * cabs(h) + 1e-10)
                    fail_msg("entry (%zu, %zu) at %d: error %g, bound %g", i, j, k, off, most);
                *error = fmax(*error, off);
                *bound = fmax(*bound, most);
                peak = fmax(peak, cabs(h));
            }
    }
    *error /= peak;
    *bound /= peak;
}

TEST_IN_ARENA(bounds_hold_at_every_frequency)
{
    tower t;
    reduced r;
    full f = {0};
    double error, bound;
    tower_make(arena, tower_builder(arena, BRIEF ? 2 : 4, BRIEF ? 5 : 10), BRIEF ? "s3x2y2" : "s5x3y3", &t);
    for (int order = BRIEF ? 99 : 207; order <= (BRIEF ? 99 : 405); order += 99) {
        reduce(&t.of, order, &r);
        assert_int_equal(r.basis.order, order);
        if (!f.n)
            f = full_make(&t.of, &r.basis);
        compare(&t.of, &f, &r, &error, &bound);
        print_message("%d of %d: error %.2e, bound %.2e\n", order, t.m->n, error, bound);
    }
    if (!BRIEF)
        assert_true(error < 1e-4);
    assert_true(bound < 40.0 * error);
}

/* rho without solves is the K^-1 norm of the residual. */
TEST_IN_ARENA(few_directions_hold_the_residual)
{
    tower t;
    reduced r;
    double rho[TOWER_INTERFACES + TOWER_INPUTS], direct[TOWER_INTERFACES + TOWER_INPUTS];
    tower_make(arena, tower_builder(arena, 2, 5), "s3x2y2", &t);
    reduce(&t.of, 90, &r);
    for (int k = 1; k <= 5; k++) {
        double omega = 2.0 * acos(-1.0) * 10.0 * k;
        ifd__transfer at = {.rho = rho};
        assert_int_equal(ifd__certifier_at(r.certifier, omega, &at), IFD_OK);
        assert_int_equal(ifd__certifier_direct(r.certifier, omega, direct), IFD_OK);
        for (int j = 0; j < r.basis.columns; j++)
            assert_near(rho[j], direct[j], 1e-6 * direct[j] + 1e-9, "column %d at %d Hz", j, 10 * k);
    }
}

/* X (n x columns) := (K + s C + s^2 M)^-1 X with dense matrices; C is the whole damping matrix. */
static void solve_dense(int n, const double *const MCK[3], double omega, int columns, number *X)
{
    number s = omega * (number)I, *A = calloc((size_t)n * (size_t)n, sizeof *A);
    int *pivot = calloc((size_t)n, sizeof *pivot);
    assert_true(A && pivot);
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++)
        A[i] = MCK[2][i] + s * MCK[1][i] + s * s * MCK[0][i];
    assert_int_equal(LAPACKE_zgesv(LAPACK_COL_MAJOR, n, columns, (lapack_complex_double *)A, n, pivot,
                                   (lapack_complex_double *)X, n),
                     0);
    free(A);
    free(pivot);
}

static double *dense(const ifd_sparse *A)
{
    double *a = ifd_arena_array(arena, (size_t)A->n * (size_t)A->n, sizeof *a);
    assert_non_null(a);
    ifd__sparse_fill(A, a);
    return a;
}

/* A dashpot between two storeys: its dofs belong to the interface. */
TEST_IN_ARENA(a_dashpot_is_in_the_bound)
{
    tower t;
    reduced r;
    int top = 0, middle = 0;
    ifd_builder *b = tower_builder(arena, 2, 5);
    assert_true(ifd_builder_find(b, "s5x1y1.x", &top));
    assert_true(ifd_builder_find(b, "s2x1y1.x", &middle));
    ifd_builder_spring(b, IFD_DAMPING, middle, top, 3e6);
    tower_make(arena, b, "s3x2y2", &t);
    t.interface[t.of.interfaces++] = top;
    t.interface[t.of.interfaces++] = middle;
    reduce(&t.of, 176, &r);
    size_t n = (size_t)t.m->n, columns = (size_t)r.basis.columns;
    double *M = dense(t.of.M), *C = dense(t.of.C), *K = dense(t.of.K);
    for (size_t i = 0; i < n * n; i++)
        C[i] += t.of.ray_m * M[i] + t.of.ray_k * K[i];
    number *X = ifd_arena_array(arena, n * columns, sizeof *X);
    double *H = ifd_arena_array(arena, 2 * columns * columns, sizeof *H), error = 0.0, peak = 0.0;
    double *rho = ifd_arena_array(arena, columns, sizeof *rho);
    for (int k = 1; k <= 12; k++) {
        double omega = 2.0 * acos(-1.0) * TOP * k / 12;
        ifd__transfer at = {.H = H, .rho = rho};
        assert_int_equal(ifd__certifier_at(r.certifier, omega, &at), IFD_OK);
        for (size_t i = 0; i < n * columns; i++)
            X[i] = r.basis.W[i];
        solve_dense((int)n, (const double *const[3]){M, C, K}, omega, (int)columns, X);
        for (size_t j = 0; j < columns; j++)
            for (size_t i = 0; i < columns; i++) {
                number h = 0.0;
                for (size_t l = 0; l < n; l++)
                    h += r.basis.W[l + i * n] * X[l + j * n];
                double off = cabs(h - H[2 * (i + j * columns)] - H[2 * (i + j * columns) + 1] * (number)I);
                assert_true(off <= at.alpha * rho[i] * rho[j] + 1e-9);
                error = fmax(error, off);
                peak = fmax(peak, cabs(h));
            }
    }
    print_message("dashpot: error %.2e\n", error / peak);
    assert_true(error > 0.0 && error < 1e-3 * peak);
}

/* The full structure with one dashpot of coefficient c between the last two columns of the interface, unscaled: the
 * formula of Sherman and Morrison on the modes of LAPACK. */
static number damped_at(const full *f, const reduced *r, const ifd__linear_structure *of, double omega,
                        const int at[2])
{
    const double c = 3e6;
    int a = of->interfaces - 2, b = of->interfaces - 1;
    double sa = r->basis.scale[a], sb = r->basis.scale[b];
    number s = omega * (number)I;
    number left = full_at(f, of, omega, at[0], a) / sa - full_at(f, of, omega, at[0], b) / sb;
    number right = full_at(f, of, omega, a, at[1]) / sa - full_at(f, of, omega, b, at[1]) / sb;
    number own = full_at(f, of, omega, a, a) / (sa * sa) - 2.0 * full_at(f, of, omega, a, b) / (sa * sb) +
                 full_at(f, of, omega, b, b) / (sb * sb);
    return full_at(f, of, omega, at[0], at[1]) - left * right / (1.0 / (s * c) + own);
}

/* A frame of 1,500 dofs with a dashpot of 3 MN s/m between two storeys. The bound that lacks the dashpot's dofs must
 * tell: it is far above the tolerance. */
TEST_IN_ARENA(a_dashpot_of_a_large_frame_belongs_to_the_interface)
{
    tower t;
    reduced r;
    ifd__certificate with, without;
    int top = 0, middle = 0, order = BRIEF ? 121 : 407;
    ifd_builder *b = tower_builder(arena, BRIEF ? 2 : 4, BRIEF ? 5 : 10);
    assert_true(ifd_builder_find(b, BRIEF ? "s5x1y1.x" : "s8x1y1.x", &top));
    assert_true(ifd_builder_find(b, BRIEF ? "s2x1y1.x" : "s3x1y1.x", &middle));
    ifd_builder_spring(b, IFD_DAMPING, middle, top, 3e6);
    tower_make(arena, b, BRIEF ? "s3x2y2" : "s5x3y3", &t);
    reduce(&t.of, order, &r);
    assert_int_equal(ifd__certify(arena, r.certifier, TOP, &without), IFD_OK);
    t.interface[t.of.interfaces++] = top;
    t.interface[t.of.interfaces++] = middle;
    reduce(&t.of, order, &r);
    assert_int_equal(ifd__certify(arena, r.certifier, TOP, &with), IFD_OK);
    full f = full_make(&t.of, &r.basis);
    size_t columns = (size_t)r.basis.columns;
    double *H = ifd_arena_array(arena, 2 * columns * columns, sizeof *H), error = 0.0, peak = 0.0;
    double *rho = ifd_arena_array(arena, columns, sizeof *rho);
    for (int k = 1; k <= FREQUENCIES; k++) {
        double omega = 2.0 * acos(-1.0) * TOP * k / FREQUENCIES;
        ifd__transfer at = {.H = H, .rho = rho};
        assert_int_equal(ifd__certifier_at(r.certifier, omega, &at), IFD_OK);
        for (size_t j = 0; j < columns; j++)
            for (size_t i = 0; i < columns; i++) {
                number h = damped_at(&f, &r, &t.of, omega, (const int[]){(int)i, (int)j});
                double off = cabs(h - H[2 * (i + j * columns)] - H[2 * (i + j * columns) + 1] * (number)I);
                if (off > at.alpha * rho[i] * rho[j] + 1e-9)
                    fail_msg("entry (%zu, %zu) at %d: error %g, bound %g", i, j, k, off, at.alpha * rho[i] * rho[j]);
                error = fmax(error, off);
                peak = fmax(peak, cabs(h));
            }
    }
    print_message("order %d: error %.1e, bound %.1e with the dashpot, %.1e without\n", r.basis.order, error / peak,
                  with.bound, without.bound);
    if (!BRIEF) /* the accuracy is that of order 407 on the large frame; the small one has fewer dofs per input */
        assert_true(error < 1e-3 * peak);
    assert_true(without.bound > 0.1);
}

/* H of the first interface dof, of the full structure or of the reduced one. */
typedef struct response {
    const full *f;
    const ifd__linear_structure *of;
    reduced *r;
    double *H, *rho;
} response;

static number response_at(const response *x, double omega)
{
    if (x->f)
        return full_at(x->f, x->of, omega, 0, 0);
    ifd__transfer at = {.H = x->H, .rho = x->rho};
    assert_int_equal(ifd__certifier_at(x->r->certifier, omega, &at), IFD_OK);
    return x->H[0] + x->H[1] * (number)I;
}

/* A spring of kappa times the static stiffness, whose force is late by tau: 1 + kappa H exp(-j omega tau) = 0 first
 * occurs where |kappa H| = 1. */
static double delay_margin(const response *x, double kappa)
{
    double least = HUGE_VAL, step = 2.0 * acos(-1.0) * 0.05, pi = acos(-1.0);
    for (double low = step; low < 2.0 * pi * TOP; low += step) {
        double a = low, b = low + step, before = cabs(kappa * response_at(x, a)) - 1.0;
        if (before * (cabs(kappa * response_at(x, b)) - 1.0) > 0.0)
            continue;
        for (int k = 0; k < 60; k++) {
            double middle = 0.5 * (a + b), here = cabs(kappa * response_at(x, middle)) - 1.0;
            if (here * before > 0.0)
                a = middle;
            else
                b = middle;
        }
        least = fmin(least, (pi + carg(response_at(x, a))) / a);
    }
    return least;
}

TEST_IN_ARENA(delay_margins_are_those_of_the_full_structure)
{
    tower t;
    reduced r;
    tower_make(arena, tower_builder(arena, BRIEF ? 2 : 4, BRIEF ? 5 : 10), BRIEF ? "s3x2y2" : "s5x3y3", &t);
    reduce(&t.of, BRIEF ? 99 : 306, &r);
    full f = full_make(&t.of, &r.basis);
    size_t columns = (size_t)r.basis.columns;
    response whole = {.f = &f, .of = &t.of}, small = {.r = &r};
    small.H = ifd_arena_array(arena, 2 * columns * columns, sizeof(double));
    small.rho = ifd_arena_array(arena, columns, sizeof(double));
    for (int k = 0; k < 2; k++) {
        double kappa = k ? 1.0 : 0.3, expected = delay_margin(&whole, kappa), found = delay_margin(&small, kappa);
        print_message("spring of %.1f: delay margin %.6f ms, reduced %.6f ms\n", kappa, 1e3 * expected, 1e3 * found);
        assert_true(isfinite(expected));
        assert_near_rel(found, expected, 1e-4, "delay margin");
    }
}

/* The form with interface dofs has the transfer functions of the diagonal one, unit rows of the interface, and
 * positive definite matrices. */
TEST_IN_ARENA(physical_form_is_the_same_structure)
{
    tower t;
    reduced r;
    ifd__physical f;
    tower_make(arena, tower_builder(arena, 2, 5), "s3x2y2", &t);
    reduce(&t.of, 90, &r);
    assert_int_equal(ifd__physical_make(arena, arena, &r.basis, &r.diagonal, &f), IFD_OK);
    size_t n = (size_t)f.order, p = (size_t)f.interfaces, columns = (size_t)r.basis.columns;
    double *M = ifd_arena_array(arena, n * n, sizeof *M), *C = ifd_arena_array(arena, n * n, sizeof *C);
    double *K = ifd_arena_array(arena, n * n, sizeof *K), *work = ifd_arena_array(arena, n * n, sizeof *work);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            size_t low = i < j ? i : j, high = i < j ? j : i;
            M[i + j * n] = high < p ? f.mass[low + high * p] : low < p ? f.coupling[low + (high - p) * p] : i == j;
            K[i + j * n] = high < p ? f.stiffness[low + high * p] : i == j ? f.lambda[i - p] : 0.0;
            C[i + j * n] = t.of.ray_m * M[i + j * n] + t.of.ray_k * K[i + j * n];
        }
    number *X = ifd_arena_array(arena, n * columns, sizeof *X);
    double *H = ifd_arena_array(arena, 2 * columns * columns, sizeof *H);
    double *rho = ifd_arena_array(arena, columns, sizeof *rho);
    for (int k = 1; k <= 12; k++) {
        double omega = 2.0 * acos(-1.0) * TOP * k / 12;
        ifd__transfer at = {.H = H, .rho = rho};
        assert_int_equal(ifd__certifier_at(r.certifier, omega, &at), IFD_OK);
        for (size_t i = 0; i < n * columns; i++)
            X[i] = f.P[i];
        solve_dense((int)n, (const double *const[3]){M, C, K}, omega, (int)columns, X);
        for (size_t j = 0; j < columns; j++)
            for (size_t i = 0; i < columns; i++) {
                number h = 0.0;
                for (size_t l = 0; l < n; l++)
                    h += f.P[l + i * n] * X[l + j * n];
                h *= r.basis.scale[i] * r.basis.scale[j];
                assert_near(cabs(h - H[2 * (i + j * columns)] - H[2 * (i + j * columns) + 1] * (number)I), 0.0, 1e-8,
                            "entry (%zu, %zu)", i, j);
            }
    }
    for (int k = 0; k < 2; k++) {
        memcpy(work, k ? K : M, n * n * sizeof *work);
        assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (int)n, work, (int)n), 0);
    }
}

TEST_IN_ARENA(tolerance_decides_the_order)
{
    tower t;
    ifd__superelement loose, tight, again;
    ifd__superelement_goal goal = {.frequency = 20.0, .tolerance = 1e-2, .most = 576};
    tower_make(arena, tower_builder(arena, 3, 6), "s3x2y2", &t);
    assert_int_equal(ifd__superelement_make(arena, &t.of, &goal, &loose, &note), IFD_OK);
    goal.tolerance = 1e-6;
    assert_int_equal(ifd__superelement_make(arena, &t.of, &goal, &tight, &note), IFD_OK);
    assert_int_equal(ifd__superelement_make(arena, &t.of, &goal, &again, &note), IFD_OK);
    print_message("%d of %d dofs: bound %.1e; %d: %.1e\n", loose.form.order, t.m->n, loose.certificate.bound,
                  tight.form.order, tight.certificate.bound);
    assert_true(loose.certificate.bound <= 1e-2 && loose.certificate.bound > 0.0);
    assert_true(tight.certificate.bound <= 1e-6 && tight.form.order > loose.form.order && tight.form.order < t.m->n);
    size_t modes = (size_t)(tight.form.order - tight.form.interfaces);
    assert_memory_equal(tight.form.lambda, again.form.lambda, modes * sizeof(double));
    assert_memory_equal(tight.form.coupling, again.form.coupling, modes * sizeof(double) * TOWER_INTERFACES);
}

TEST_IN_ARENA(a_structure_without_supports_is_refused)
{
    tower t;
    ifd__basis b;
    ifd__triplets none = {.arena = arena};
    ifd_sparse zero;
    tower_make(arena, tower_builder(arena, 1, 1), "s1x1y1", &t);
    assert_int_equal(ifd__sparse_make(arena, t.m->n, &none, true, &zero), IFD_OK);
    t.of.K = &zero;
    assert_int_equal(ifd__basis_make(arena, &t.of, 1.0, 10, &b, &note), IFD_NOT_POSITIVE);
}

TESTS()
