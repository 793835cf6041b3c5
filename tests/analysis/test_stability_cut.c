/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* Stability of couplings, against the roots of the schemes written out by hand and what is known of them. */
#include "hybrid/cut.h"

#include "analysis/probe.h"

static const double gamma_minus = 1 - 0.70710678118654752440, gamma_plus = 1 + 0.70710678118654752440;

/* The single-dof problem by hand: parts 0 (A) and 1 (B) with y = (u, v), undamped. */
typedef struct hand {
    double m[2], k[2], gamma;
    int ss;
} hand;

typedef double vector[2];

/* Acceleration continuity: the force on A that makes both accelerations equal. */
static double multiplier(const hand *p, const double *ya, const double *yb)
{
    double aa = -p->k[0] * ya[0] / p->m[0], ab = -p->k[1] * yb[0] / p->m[1];
    return -(aa - ab) / (1 / p->m[0] + 1 / p->m[1]);
}

/* (I - gamma h J) k = r with J = [0 1; -k/m 0]. */
static void solve(const hand *p, int i, double h, const double *r, double *k)
{
    double c = p->gamma * h, w = p->k[i] / p->m[i];
    k[1] = (r[1] - c * w * r[0]) / (1 + c * c * w);
    k[0] = r[0] + c * k[1];
}

static void stage1(const hand *p, int i, double h, const double *y, double force, double *k1)
{
    double r[2] = {h * y[1], h * (-p->k[i] * y[0] + force) / p->m[i]};
    solve(p, i, h, r, k1);
}

/* y := y + k2 */
static void stage2(const hand *p, int i, double h, const double *k1, double force, double *y)
{
    double ym[2] = {y[0] + k1[0] / 2, y[1] + k1[1] / 2}, k2[2];
    double r[2] = {h * (ym[1] - p->gamma * k1[1]),
                   h * ((-p->k[i] * ym[0] + force) / p->m[i] + p->gamma * p->k[i] / p->m[i] * k1[0])};
    solve(p, i, h, r, k2);
    y[0] += k2[0];
    y[1] += k2[1];
}

static void between(const double *from, const double *to, double theta, double *y)
{
    for (int i = 0; i < 2; i++)
        y[i] = from[i] + theta * (to[i] - from[i]);
}

/* count LSRT2 steps of B over a span in which A goes straight from one state to another. */
static void fine_steps(const hand *p, double h, int count, const double *from, const double *to, double *yb)
{
    for (int j = 0; j < count; j++) {
        double ya[2], k1[2], middle[2];
        between(from, to, (double)j / count, ya);
        stage1(p, 1, h, yb, -multiplier(p, ya, yb), k1);
        between(from, to, (j + 0.5) / count, ya);
        between(yb, (double[]){yb[0] + k1[0], yb[1] + k1[1]}, 0.5, middle);
        stage2(p, 1, h, k1, -multiplier(p, ya, middle), yb);
    }
}

/* Staggered, one coarse step; x = (A, B). */
static void staggered_by_hand(const hand *p, double h, double *x)
{
    double *ya = x, *yb = x + 2, k1[2], start[2] = {ya[0], ya[1]}, half[2];
    stage1(p, 0, h, ya, multiplier(p, ya, yb), k1);
    between(ya, (double[]){ya[0] + k1[0], ya[1] + k1[1]}, 0.5, half);
    if (p->ss == 1) {
        double kb[2], middle[2];
        stage1(p, 1, h, yb, -multiplier(p, ya, yb), kb);
        between(yb, (double[]){yb[0] + kb[0], yb[1] + kb[1]}, 0.5, middle);
        double force = multiplier(p, half, middle);
        stage2(p, 0, h, k1, force, ya);
        stage2(p, 1, h, kb, -force, yb);
        return;
    }
    fine_steps(p, h / p->ss, p->ss / 2, start, half, yb);
    stage2(p, 0, h, k1, multiplier(p, half, yb), ya);
    fine_steps(p, h / p->ss, p->ss / 2, half, ya, yb);
}

/* PLSRT2, one system step; x = A(i-2), B(i-2), A(i-1), B(i-1), A(i), B(i), A(i+1). */
static void parallel_by_hand(const hand *p, double dt, double *x)
{
    vector *y = (vector *)x;
    double k1[2], half[2], next[2] = {y[0][0], y[0][1]}, yb[2] = {y[5][0], y[5][1]};
    stage1(p, 0, 4 * dt, y[0], multiplier(p, y[0], y[1]), k1);
    between(y[0], (double[]){y[0][0] + k1[0], y[0][1] + k1[1]}, 0.5, half);
    stage2(p, 0, 4 * dt, k1, multiplier(p, half, y[5]), next);
    fine_steps(p, dt / p->ss, p->ss, y[4], y[6], yb);
    memmove(y[0], y[2], 8 * sizeof(double));
    memcpy(y[4], y[6], sizeof y[4]);
    memcpy(y[5], yb, sizeof yb);
    memcpy(y[6], next, sizeof next);
}

/* Roots of the scheme by hand, largest first. */
static void roots_by_hand(const hand *p, bool parallel, double h, double *real, double *imag)
{
    int n = parallel ? 14 : 4;
    double A[14 * 14], x[14];
    for (int j = 0; j < n; j++) {
        memset(x, 0, sizeof x);
        x[j] = 1;
        parallel ? parallel_by_hand(p, h, x) : staggered_by_hand(p, h, x);
        memcpy(A + j * n, x, (size_t)n * sizeof *x);
    }
    assert_int_equal(ifd_roots(n, A, real, imag, NULL), IFD_OK);
}

/* Coefficients of the characteristic polynomial: symmetric functions of the roots do not suffer where roots meet. */
static void polynomial(int n, const double *real, const double *imag, double *re, double *im)
{
    memset(re, 0, sizeof *re * (size_t)(n + 1));
    memset(im, 0, sizeof *im * (size_t)(n + 1));
    re[0] = 1;
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i > 0; i--) {
            re[i] -= real[k] * re[i - 1] - imag[k] * im[i - 1];
            im[i] -= real[k] * im[i - 1] + imag[k] * re[i - 1];
        }
}

static void check_by_hand(ifd_arena *arena, bool parallel, double b1, int ss, double gamma, double omega)
{
    cut c;
    cut_single_dof(&c, arena, b1, "lsrt2", (pair[]){{"gamma", gamma, NULL}, {0}}, ss);
    double h = parallel ? omega / 4 : omega, real[14] = {0}, imag[14] = {0}, hr[14], hi[14], a[2][15], b[2][15];
    ifd_stability s = stability(arena, cut_run(&c, parallel ? "parallel" : "staggered", h, 1));
    hand p = {{b1 / (1 + b1), 1 / (1 + b1)}, {1 / (1 + b1), b1 / (1 + b1)}, gamma, ss};
    roots_by_hand(&p, parallel, h, hr, hi);
    assert_int_equal(s.states, parallel ? 14 : 4);
    for (int k = 0; k < s.states; k++) {
        real[k] = s.root[k].real;
        imag[k] = s.root[k].imag;
    }
    polynomial(s.states, real, imag, a[0], a[1]);
    polynomial(s.states, hr, hi, b[0], b[1]);
    for (int i = 0; i <= s.states; i++)
        assert_near(a[0][i], b[0][i], 2e-9 * fmax(1, fabs(b[0][i])),
                    "%s b1 %g ss %d gamma %g Omega %g, coefficient %d", parallel ? "parallel" : "staggered", b1, ss,
                    gamma, omega, i);
}

TEST_IN_ARENA(the_roots_are_those_of_the_schemes_written_out_by_hand)
{
    const double b1[] = {0.1, 0.5, 1, 10}, omega[] = {0.05, 1, 7, 300};
    const int ss[] = {1, 2, 10};
    for (size_t b = 0; b < COUNT(b1); b++)
        for (size_t k = 0; k < COUNT(ss); k++)
            for (size_t o = 0; o < COUNT(omega); o++)
                for (int which = 0; which < 4; which++)
                    check_by_hand(*state, which & 1, b1[b], ss[k], which & 2 ? gamma_plus : gamma_minus, omega[o]);
}

TEST_IN_ARENA(parallel_has_ten_nonzero_roots_of_fourteen_and_one_drifts)
{
    for (int k = 0; k < 3; k++) {
        cut c;
        cut_single_dof(&c, *state, 0.5, "lsrt2", (pair[]){{"gamma", 0, "plus"}, {0}}, (int[]){1, 2, 10}[k]);
        ifd_stability s = stability(*state, cut_run(&c, "parallel", 0.25, 1));
        assert_int_equal(s.states, 14);
        assert_int_equal(s.states - s.zeros, 10);
        assert_int_equal(s.ones, 1);
        assert_int_equal(s.rigid, 0);
        assert_near(s.omega, 1, 1e-12, "Omega refers to the coarse step, four of the system's");
    }
}

typedef struct finding {
    const char *coupling, *gamma;
    double b1;
    int ss;
    double first, last; /* Omega of the coarse step: the ends of what is unstable (with stable gaps); 0: nothing is */
    double worst;
} finding;

/* As measured by an independent program, and the edges on a grid of 1,500 steps over five decades. */
static const finding findings[] = {
    {"staggered", "plus", 0.1, 10, 0, 0, 1},
    {"staggered", "plus", 1, 10, 0, 0, 1},
    {"staggered", "plus", 10, 2, 0, 0, 1},
    {"staggered", "minus", 0.5, 1, 0, 0, 1},
    {"staggered", "minus", 0.1, 2, 0, 0, 1},
    {"staggered", "minus", 1, 2, 17.9, 1000, 1.181},
    {"staggered", "minus", 0.1, 10, 20.57, 32.36, 1.10},
    {"staggered", "minus", 0.5, 10, 9.70, 20.73, 1.44},
    {"staggered", "minus", 1, 10, 3.57, 16.85, 1.67},
    {"staggered", "minus", 10, 10, 0.251, 8.25, 1.08},
    {"parallel", "plus", 0.5, 1, 0, 0, 1},
    {"parallel", "plus", 1, 2, 0, 0, 1},
    {"parallel", "plus", 10, 10, 0, 0, 1},
    {"parallel", "plus", 1, 10, 18.2, 21.2, 1.0072},
    {"parallel", "plus", 0.5, 10, 20.7, 32.6, 1.0493},
    {"parallel", "plus", 0.1, 10, 39.5, 70.3, 1.034},
    {"parallel", "minus", 1, 1, 1.445, 1000, 1.413},
    {"parallel", "minus", 10, 10, 0.251, 1000, 1.846},
};

static void check_finding(ifd_arena *arena, const finding *f)
{
    enum { N = 601 };
    static double omega[N];
    static ifd_stability_row row[N];
    cut c;
    cut_single_dof(&c, arena, f->b1, "lsrt2", (pair[]){{"gamma", 0, f->gamma}, {0}}, f->ss);
    double from = f->last > 0 ? f->first / 1.3 : 0.01, to = f->last > 0 ? fmin(1000, 1.3 * f->last) : 1000;
    for (int k = 0; k < N; k++)
        omega[k] = from * pow(to / from, k / (N - 1.0));
    assert_int_equal(ifd_stability_sweep(cut_run(&c, f->coupling, 0.1, 1), "omega", N, omega, row, NULL), IFD_OK);
    double first = 0, last = 0, worst = 0;
    for (int k = 0; k < N; k++) {
        worst = fmax(worst, row[k].radius);
        bool small = row[k].radius <= 1 + 1e-6; /* the table's "stable"; the verdict sees slower growth */
        last = small ? last : omega[k];
        first = small || first > 0 ? first : omega[k];
    }
    const char *form = "%s gamma %s b1 %g ss %d: %s";
    assert_near(first, f->first, 0.02 * f->first, form, f->coupling, f->gamma, f->b1, f->ss, "first unstable");
    assert_near(last, f->last, 0.02 * f->last, form, f->coupling, f->gamma, f->b1, f->ss, "last unstable");
    assert_near(worst, f->worst, f->last > 0 ? 0.01 : 1e-6, form, f->coupling, f->gamma, f->b1, f->ss,
                "worst radius");
}

TEST_IN_ARENA(couplings_are_stable_where_the_papers_and_the_measurements_say)
{
    for (size_t k = 0; k < COUNT(findings); k++)
        check_finding(*state, &findings[k]);
}

TEST_IN_ARENA(parallel_with_gamma_plus_is_unstable_for_ten_subcycles)
{
    cut c;
    ifd_stability_row row;
    cut_single_dof(&c, *state, 0.5, "lsrt2", (pair[]){{"gamma", 0, "plus"}, {0}}, 10);
    assert_int_equal(ifd_stability_sweep(cut_run(&c, "parallel", 0.1, 1), "omega", 1, (double[]){23}, &row, NULL),
                     IFD_OK);
    assert_near(row.radius, 1.0488, 5e-5, "b1 = 0.5, Omega = 23");
}

TEST_IN_ARENA(pg_alpha_is_stable_for_every_step)
{
    enum { N = 40 };
    const double b1[] = {0.1, 1, 10}, rho[] = {0, 0.5, 0.8};
    double omega[N];
    for (int k = 0; k < N; k++)
        omega[k] = 0.01 * pow(1e5, k / (N - 1.0));
    for (size_t i = 0; i < COUNT(b1); i++)
        for (size_t j = 0; j < COUNT(rho); j++)
            for (int s = 0; s < 3; s++) {
                cut c;
                ifd_stability_row row[N];
                cut_single_dof(&c, *state, b1[i], "mg-alpha", (pair[]){{"rho", rho[j], NULL}, {0}},
                               (int[]){1, 3, 10}[s]);
                assert_int_equal(ifd_stability_sweep(cut_run(&c, "pg-alpha", 0.1, 1), "omega", N, omega, row, NULL),
                                 IFD_OK);
                for (int k = 0; k < N; k++)
                    assert_near(row[k].radius, 1, 1e-6, "b1 %g rho %g Omega %g", b1[i], rho[j], omega[k]);
            }
}

TEST_IN_ARENA(the_critical_step_of_a_coupling_is_where_its_map_says)
{
    cut c;
    ifd_critical_step v;
    cut_single_dof(&c, *state, 0.5, "lsrt2", (pair[]){{"gamma", 0, "plus"}, {0}}, 10);
    assert_int_equal(ifd_stability_critical(*state, cut_run(&c, "parallel", 0.1, 1), NULL, &v, NULL), IFD_OK);
    assert_true(v.found);
    assert_near(v.omega, 20.65, 0.1, "b1 = 0.5, ss = 10: beyond about 21");
    ifd_stability_row row[2];
    const double omega[] = {v.omega * (1 - 1e-6), v.omega * (1 + 1e-6)};
    assert_int_equal(ifd_stability_sweep(&c.run, "omega", 2, omega, row, NULL), IFD_OK);
    assert_true(row[0].stable && !row[1].stable);
}

TEST_IN_ARENA(sweeps_set_what_they_name)
{
    cut c;
    ifd_stability_row row[3];
    cut_single_dof(&c, *state, 1, "lsrt2", NULL, 1);
    const ifd_run_options *opt = cut_run(&c, "staggered", 20, 1);
    assert_int_equal(ifd_stability_sweep(opt, "ss", 3, (double[]){1, 2, 10}, row, NULL), IFD_OK);
    assert_true(row[0].stable && !row[1].stable);
    assert_near(row[1].step, 20, 0, "step kept");
    assert_int_equal(ifd_stability_sweep(opt, "gamma", 2, (double[]){gamma_plus, 0.1}, row, NULL), IFD_OK);
    assert_true(row[0].stable && !row[1].stable);
    assert_int_equal(ifd_stability_sweep(opt, "dt", 2, (double[]){0.5, 3}, row, NULL), IFD_OK);
    assert_near_rel(row[1].omega, 3.0, 1e-12, "omega = 1 rad/s");
    assert_int_equal(c.part[1].subcycles, 1);
    assert_near(c.couple.h, 20, 0, "the options are as they were");
    assert_int_equal(ifd_stability_sweep(opt, "ss", 1, (double[]){3}, row, NULL), IFD_RANGE);
    assert_int_equal(ifd_stability_sweep(opt, "ss", 1, (double[]){1.5}, row, NULL), IFD_RANGE);
    assert_int_equal(ifd_stability_sweep(opt, "rho", 1, (double[]){0.5}, row, NULL), IFD_UNKNOWN_NAME);
    assert_int_equal(ifd_stability_sweep(opt, "dt", 1, (double[]){-1}, row, NULL), IFD_RANGE);
}

/* Three parts with damping, every coupling: stable at a fine step, lightly damped modes close to the exact ones. */
TEST_IN_ARENA(three_damped_parts_keep_their_modes)
{
    static const char *const coupling[] = {"staggered", "parallel", "pg-alpha"}, *const method[] = {"lsrt2", "lsrt2",
                                                                                                    "mg-alpha"};
    for (int k = 0; k < 3; k++) {
        cut c;
        memset(&c, 0, sizeof c);
        for (int p = 0; p < 3; p++)
            cut_part(&c, made(*state, chain_builder(*state, 2, 1 + p, 0.2, 50)), method[k], NULL,
                     p == 2 ? 4
                     : p    ? 2
                            : 1);
        cut_tie(&c, 0, 1, 1, 0);
        cut_tie(&c, 1, 1, 2, 0);
        ifd_stability s = stability(*state, cut_run(&c, coupling[k], 0.0025, 1));
        assert_true(s.stable);
        assert_int_equal(s.modes, 4);
        for (int i = 0; i < 4; i++) {
            assert_true(s.mode[i].resolved);
            assert_near(s.mode[i].damping, s.mode[i].exact_damping, 4e-3, "%s mode %d", coupling[k], i);
            assert_near(s.mode[i].frequency_error, 0, 4e-3, "%s mode %d", coupling[k], i);
        }
    }
}

/* Three cycles from a state of arbitrary numbers are A three times over: the numbers probed are all that a cycle
 * hands on. */
static void check_complete(ifd_arena *arena, const ifd_run_options *opt, const char *what)
{
    enum { MOST = 200 };
    static double A[MOST * MOST];
    ifd_run_options rest;
    ifd__probed_run p;
    ifd_note note;
    ifd_note_init(&note, arena);
    assert_ok(ifd__probe_options(arena, opt, &rest), &note);
    assert_ok(ifd__probe_run(arena, &rest, &p, &note), &note);
    int n = p.probe.n;
    assert_in_range(n, 1, MOST);
    assert_int_equal(ifd__probe_matrix(&p.probe, A), IFD_OK);
    double *x = ifd_arena_array(arena, (size_t)p.probe.size, sizeof *x), y[MOST], z[MOST], size = 0;
    memcpy(x, p.probe.rest, sizeof *x * (size_t)p.probe.size);
    for (int i = 0; i < n; i++)
        x[p.probe.state[i]] = y[i] = 1e-3 * sin(1.0 + 2.7 * i);
    for (int k = 0; k < 3; k++) {
        assert_true(p.probe.step(p.probe.what, x));
        for (int i = 0; i < n; i++) {
            z[i] = 0;
            for (int j = 0; j < n; j++)
                z[i] += A[i + j * n] * y[j];
        }
        memcpy(y, z, sizeof *y * (size_t)n);
    }
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(y[i]));
    for (int i = 0; i < n; i++)
        assert_near(x[p.probe.state[i]], y[i], 1e-11 * size, "%s: number %d of %d after three cycles", what, i, n);
    ifd_run_close(p.run);
}

TEST_IN_ARENA(what_is_probed_is_all_that_a_step_hands_on)
{
    for (int k = 0; k < ifd_method_count; k++) {
        ifd_run_options run = {.model = made(*state, chain_builder(*state, 3, 1, 0.2, 50)),
                               .step = options(ifd_methods[k]->name, 0.02, NULL)};
        if (!ifd_methods[k]->offline)
            check_complete(*state, &run, ifd_methods[k]->name);
    }
    for (int k = 0; k < ifd_coupling_count; k++) {
        const ifd_coupling *coupling = ifd_couplings[k];
        char method[40];
        if (strcmp(coupling->name, "rts") == 0)
            continue; /* joined by moving supports, not by joints */
        snprintf(method, sizeof method, "%.*s", (int)strcspn(coupling->methods, "|"), coupling->methods);
        cut c;
        memset(&c, 0, sizeof c);
        cut_part(&c, made(*state, chain_builder(*state, 2, 1, 0.1, 50)),
                 coupling == ifd_coupling_find("parallel") ? "lsrt2" : method, NULL, 1);
        cut_part(&c, made(*state, chain_builder(*state, 3, 2, 0.2, 40)), method, NULL, 2);
        cut_tie(&c, 0, 1, 1, 0);
        check_complete(*state, cut_run(&c, coupling->name, 0.02, 1), coupling->name);
        ifd_stability s = stability(*state, &c.run);
        assert_int_equal(s.modes, 4);
    }
}

TESTS()
