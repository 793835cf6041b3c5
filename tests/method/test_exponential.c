/* SPDX-License-Identifier: MIT */
/* Exponential methods: exactness, orders, the alpha form's roots, dense output. */
#include "method/fixtures.h"

#include <complex.h>

#include <interfield/analysis.h>

static const char *const family[] = {"exponential", "taylor", "exponential-alpha", "mtl"};

static ifd_model *chain_under_load(ifd_arena *arena)
{
    ifd_builder *b = chain_builder(arena, 4, 1, 0.4, 60);
    ifd_builder_rayleigh(b, 0.05, 0.002);
    ifd_builder_ground(b, IFD_DOF_X, signal_of(arena, "sine", "amplitude", 2.0, "frequency", 1.1, NULL));
    ifd_builder_force(b, 2, signal_of(arena, "cosine", "amplitude", 5.0, "frequency", 0.6, NULL));
    return made(arena, b);
}

TEST_IN_ARENA(a_free_linear_model_is_solved_exactly_at_any_step)
{
    ifd_builder *b = chain_builder(*state, 5, 1, 0.3, 400);
    ifd_model *m = made(*state, b);
    const double step[] = {0.01, 0.25, 5};
    for (size_t k = 0; k < COUNT(step); k++) {
        ifd_step_options opt = options("exponential", step[k], NULL), exact = options("reference", step[k], NULL);
        double *x = run_to(*state, &opt, m, 20 * step[k]), *y = run_to(*state, &exact, m, 20 * step[k]);
        assert_near(gap_of(5, x, y), 0, 1e-12, "u, step %g", step[k]);
        assert_near(gap_of(5, x + 5, y + 5), 0, 1e-11, "v, step %g", step[k]);
    }
}

/* Closed form of the undamped oscillator under 2 t, a polynomial that the grid holds. */
TEST_IN_ARENA(a_polynomial_load_is_integrated_exactly)
{
    double w = 3;
    ifd_builder *b = oscillator_builder(*state, 1, 0, w * w, 0, 0);
    ifd_builder_force(b, 0, signal_of(*state, "ramp", "amplitude", 20.0, "rise", 10.0, NULL));
    ifd_model *m = made(*state, b);
    for (size_t k = 0; k < COUNT(family); k += 3) {
        ifd_step_options opt = options(family[k], 0.4, NULL);
        double *x = run_to(*state, &opt, m, 4);
        assert_near(x[0], 2 * (4 / (w * w) - sin(4 * w) / (w * w * w)), 1e-13, "%s u", family[k]);
        assert_near(x[1], 2 * (1 - cos(4 * w)) / (w * w), 1e-13, "%s v", family[k]);
    }
}

static double order_of(ifd_arena *arena, const char *method, const pair *set, const ifd_model *m, double h,
                       double end)
{
    ifd_note note;
    ifd_note_init(&note, arena);
    ifd_run_options opt = {.model = m, .step = options(method, h, set), .end = end};
    ifd_convergence c;
    assert_ok(ifd_converge(arena, &opt, 3, &c, &note), &note);
    assert_true(c.row[2].error_v < 2e-3 &&
                c.row[2].error_v >
                    (ifd_model_linear(m) ? 1e-12 : 1e-10)); /* small, and above the reference's own error */
    return c.row[2].order_v;
}

/* Even grids gain an order at the end of a step, as Newton-Cotes rules do. */
TEST_IN_ARENA(loads_are_integrated_with_the_order_of_the_grid)
{
    ifd_model *m = chain_under_load(*state);
    const double expected[] = {2, 4, 4, 6};
    for (int grid = 1; grid <= 4; grid++)
        assert_near(order_of(*state, "exponential", (pair[]){{"grid", grid, NULL}, {0}}, m, 0.08, 1.6),
                    expected[grid - 1], 0.05, "grid %d", grid);
}

TEST_IN_ARENA(the_taylor_form_has_order_p)
{
    ifd_model *m = chain_under_load(*state);
    for (int p = 1; p <= 6; p++) {
        double h = p == 1 ? 0.0005 : p < 4 ? 0.01 : 0.02;
        assert_near(order_of(*state, "taylor", (pair[]){{"order", p, NULL}, {"grid", 6, NULL}, {0}}, m, h, 64 * h), p,
                    0.06, "p = %d", p);
    }
}

TEST_IN_ARENA(the_alpha_form_has_order_p_with_loads)
{
    ifd_model *m = chain_under_load(*state);
    const double alpha[] = {0, 0.3, 1};
    for (int p = 2; p <= 4; p++)
        for (size_t k = 0; k < COUNT(alpha); k++) {
            double h = p < 4 ? 0.005 : 0.01;
            assert_near(order_of(*state, "exponential-alpha",
                                 (pair[]){{"order", p, NULL}, {"alpha", alpha[k], NULL}, {0}}, m, h, 64 * h),
                        p, 0.06, "p = %d, alpha %g", p, alpha[k]);
        }
}

/* Half of the last term at either end is the trapezoidal rule for p = 1 and gains an order. */
TEST_IN_ARENA(the_alpha_form_of_first_order_with_one_half_is_the_trapezoidal_rule)
{
    ifd_model *m = oscillator(*state, 1, 0.2, 9, 1, 0.5);
    ifd_step_options opt = options("exponential-alpha", 0.1, (pair[]){{"order", 1, NULL}, {"alpha", 0.5, NULL}, {0}});
    ifd_step_options newmark = options("newmark", 0.1, NULL);
    double *x = run_to(*state, &opt, m, 5), *y = run_to(*state, &newmark, m, 5);
    assert_near(x[0], y[0], 1e-12, "u");
    assert_near(x[1], y[1], 1e-12, "v");
}

/* R(z) = (1 + z + ... + (1 - a) z^p/p!)/(1 - a z^p/p!) at z = lambda h. */
static double complex root_of(int p, double a, double complex z)
{
    double complex sum = 0, power = 1;
    double factorial = 1;
    for (int k = 0; k <= p; k++) {
        sum += power / factorial * (k == p ? 1 - a : 1);
        if (k < p) {
            power *= z;
            factorial *= k + 1;
        }
    }
    return sum / (1 - a * power / factorial);
}

TEST_IN_ARENA(the_alpha_form_has_its_closed_eigenvalues)
{
    ifd_note note;
    ifd_note_init(&note, *state);
    const double omega[] = {0.1, 1, 2, 5, 20}, alpha[] = {0, 0.5, 0.7, 1, 1.8}, zeta[] = {0, 0.05, 0.3};
    for (int p = 1; p <= 4; p++)
        for (size_t i = 0; i < COUNT(alpha); i++)
            for (size_t k = 0; k < COUNT(zeta); k++) {
                ifd_step_options opt =
                    options("exponential-alpha", 1, (pair[]){{"order", p, NULL}, {"alpha", alpha[i], NULL}, {0}});
                ifd_spectrum_row row[COUNT(omega)];
                assert_ok(ifd_spectrum(&opt, zeta[k], COUNT(omega), omega, row, &note), &note);
                for (size_t j = 0; j < COUNT(omega); j++) {
                    double complex z = omega[j] * (-zeta[k] + csqrt(zeta[k] * zeta[k] - 1));
                    double radius = fmax(cabs(root_of(p, alpha[i], z)), cabs(root_of(p, alpha[i], conj(z))));
                    assert_near_rel(row[j].radius, radius, 1e-9, "p %d alpha %g zeta %g Omega %g", p, alpha[i],
                                    zeta[k], omega[j]);
                }
            }
}

/* A mass on a hardening spring; order against s, with the presets' number of iterations. */
TEST_IN_ARENA(mtl_gains_an_order_with_every_sub_interval)
{
    ifd_builder *b = oscillator_builder(*state, 1, 0.1, 2, 1, 0.5);
    add_pair(b, "cubic-spring", IFD_GROUND, 0, "stiffness", 4.0, "epsilon", 0.8, NULL);
    ifd_builder_force(b, 0, signal_of(*state, "cosine", "amplitude", 1.0, "frequency", 0.3, NULL));
    ifd_model *m = made(*state, b);
    const double expected[] = {2, 4, 4, 6}, h[] = {0.02, 0.08, 0.08, 0.22};
    for (int s = 1; s <= 4; s++)
        assert_near(order_of(*state, "mtl", (pair[]){{"order", s, NULL}, {0}}, m, h[s - 1], 16 * h[s - 1]),
                    expected[s - 1], 0.1, "s = %d", s);
}

TEST_IN_ARENA(mtl_has_its_order_on_a_pendulum_and_with_states)
{
    ifd_builder *b = oscillator_builder(*state, 3, 0.5, 80, 0.02, 0.1);
    int th = ifd_builder_dof(b, "theta", IFD_DOF_ANGLE);
    add_element(b, "pendulum", 2, (int[]){0, th}, "mass", 1.0, "length", 0.7, NULL);
    ifd_builder_initial(b, th, 0.9, 0.3);
    ifd_model *m = made(*state, b);
    assert_near(order_of(*state, "mtl", (pair[]){{"order", 3, NULL}, {0}}, m, 0.04, 1.28), 4, 0.1, "pendulum");
    b = oscillator_builder(*state, 1, 0.2, 3, 0.01, 1.5);
    add_pair(b, "bouc-wen", IFD_GROUND, 0, "stiffness", 8.0, "alpha", 0.1, "beta", 2.0, "gamma", 1.0, NULL);
    m = made(*state, b);
    assert_near(order_of(*state, "mtl", (pair[]){{"order", 3, NULL}, {0}}, m, 0.08, 0.32), 4, 0.1, "bouc-wen");
}

/* k passes from a constant give order k + 1 at most, whatever the grid. */
TEST_IN_ARENA(fewer_iterations_cost_order)
{
    ifd_builder *b = oscillator_builder(*state, 1, 0.1, 2, 1, 1.5);
    add_pair(b, "power-dashpot", IFD_GROUND, 0, "coefficient", 0.8, "exponent", 3.0, NULL);
    ifd_model *m = made(*state, b);
    ifd_step_options best = options("mtl", 0.01, (pair[]){{"order", 8, NULL}, {"iterations", 20, NULL}, {0}});
    double exact = run_to(*state, &best, m, 0.64)[1], error[2];
    for (int k = 1; k <= 4; k++) {
        for (int level = 0; level < 2; level++) {
            ifd_step_options opt =
                options("mtl", 0.02 / (1 << level), (pair[]){{"order", 6, NULL}, {"iterations", k, NULL}, {0}});
            error[level] = fabs(run_to(*state, &opt, m, 0.64)[1] - exact);
        }
        assert_near(log2(error[0] / error[1]), k + 1, 0.1, "%d iterations: %g, %g", k, error[0], error[1]);
    }
}

TEST_IN_ARENA(the_solution_inside_a_step_is_continuous_and_exact)
{
    ifd_model *m = chain_under_load(*state);
    const double h = 0.1, theta[] = {0, 0.13, 0.5, 0.77, 1};
    for (size_t f = 0; f < COUNT(family); f++) {
        ifd_step_options opt = options(family[f], h, f ? (pair[]){{"order", 4, NULL}, {0}} : NULL);
        ifd_stepper *s = stepper_of(*state, &opt, m);
        double *x = state_of(*state, s), u[4], v[4];
        advance_steps(s, 0, 3, x);
        double before[8];
        memcpy(before, x, sizeof before);
        advance_steps(s, 3, 1, x);
        for (size_t k = 0; k < COUNT(theta); k++) {
            assert_true(ifd_stepper_inside(s, theta[k], x, u, v));
            /* A stepper of the same kind that makes the part of the step in one go. */
            double part[128] = {0}, *y = part;
            if (theta[k] > 0) {
                ifd_step_options shorter = options("reference", theta[k] * h, NULL);
                ifd_stepper *r = stepper_of(*state, &shorter, m);
                y = ifd_arena_array(*state, (size_t)ifd_stepper_size(r), sizeof *y);
                memcpy(y, before, sizeof before);
                ifd_stepper_start(r, 3 * h, NULL, y);
                ifd_stepper_stage(r, 0, 3 * h, NULL, y);
            } else {
                memcpy(y, before, sizeof before);
            }
            double tol = f == 1 || f == 2 ? 2e-3 : 2e-6;
            assert_near(gap_of(4, u, y), 0, tol, "%s u at %g", family[f], theta[k]);
            assert_near(gap_of(4, v, y + 4), 0, 10 * tol, "%s v at %g", family[f], theta[k]);
        }
        assert_near(gap_of(4, u, x), 0, 1e-13, "%s: the end of the step, u", family[f]);
        assert_near(gap_of(4, v, x + 4), 0, 1e-12, "%s: the end of the step, v", family[f]);
        ifd_stepper_inside(s, 0, x, u, v);
        assert_near(gap_of(4, u, before), 0, 0, "%s: its start", family[f]);
    }
    ifd_step_options other = options("newmark", h, NULL);
    ifd_stepper *s = stepper_of(*state, &other, m);
    double *x = state_of(*state, s), u[4], v[4];
    assert_false(ifd_stepper_inside(s, 0.5, x, u, v));
}

/* A spring fed back as a measured load: order as the polynomial through the last values. */
TEST_IN_ARENA(measured_forces_are_continued_with_their_order)
{
    ifd_model *m = oscillator(*state, 1, 0.3, 6, 1, 0), *whole = oscillator(*state, 1, 0.3, 10, 1, 0);
    for (int past = 1; past <= 4; past++) {
        double error[2];
        for (int level = 0; level < 2; level++) {
            double h = 0.01 / (1 << level), exact_x[64], *x, load;
            ifd_step_options opt = options("exponential", h, (pair[]){{"past", past, NULL}, {0}});
            ifd_stepper *s = stepper_of(*state, &opt, m);
            x = state_of(*state, s);
            ifd_step_options reference = options("reference", h, NULL);
            ifd_stepper *r = stepper_of(*state, &reference, whole);
            memcpy(exact_x, state_of(*state, r), sizeof(double) * (size_t)ifd_stepper_size(r));
            error[level] = 0;
            for (long k = 0; k < lround(2 / h); k++) {
                /* The start has few values: it is helped by the exact solution, which is not what is asked about. */
                bool help = k < past;
                load = -4 * (help ? exact_x[0] : x[0]);
                ifd_stepper_stage(s, 0, h * (double)k, &load, x);
                ifd_stepper_stage(r, 0, h * (double)k, NULL, exact_x);
                if (help)
                    memcpy(x, exact_x, 2 * sizeof *x);
                error[level] = fmax(error[level], fabs(x[0] - exact_x[0]));
            }
        }
        assert_near(log2(error[0] / error[1]), past, 0.1, "%d values: %g, %g", past, error[0], error[1]);
    }
}

/* Mode j of a chain held at one end: u_i = sin(i theta) cos(omega t), theta = (2 j - 1) pi / (2 n + 1), omega = 2
 * sqrt(k/m) sin(theta/2). A step of the series of order 4 errs by (omega h)^5 / 120. */
TEST_IN_ARENA(hundreds_of_dofs_follow_a_mode)
{
    enum { N = 320, MODE = 150, STEPS = 20 };
    const double k = 10, h = 0.02, theta = (2 * MODE - 1) * acos(-1.0) / (2 * N + 1),
                 w = 2 * sqrt(k) * sin(theta / 2);
    ifd_step_options opt = options("taylor", h, (pair[]){{"order", 4, NULL}, {0}});
    ifd_builder *b = ifd_builder_make(*state);
    for (int i = 0; i < N; i++) {
        char name[16];
        snprintf(name, sizeof name, "x%d", i);
        int at = ifd_builder_dof(b, name, IFD_DOF_X);
        ifd_builder_add(b, IFD_MASS, at, at, 1);
        ifd_builder_spring(b, IFD_STIFFNESS, i ? at - 1 : IFD_GROUND, at, k);
    }
    ifd_stepper *s = stepper_of(*state, &opt, made(*state, b));
    double *x = state_of(*state, s), bound = STEPS * pow(w * h, 5) / 120, gap = 0;
    for (int i = 0; i < N; i++) {
        x[i] = sin((i + 1) * theta);
        x[N + i] = 0;
    }
    for (int j = 0; j < STEPS; j++)
        ifd_stepper_stage(s, 0, h * j, NULL, x);
    for (int i = 0; i < N; i++)
        gap = fmax(gap, fabs(x[i] - sin((i + 1) * theta) * cos(w * h * STEPS)));
    assert_true(bound < 1e-6);
    assert_near(gap, 0, bound, "largest error");
}

TEST_IN_ARENA(what_is_too_large_or_not_whole_is_refused)
{
    ifd_stepper *s;
    ifd_step_options opt = options("exponential", 0.01, NULL);
    ifd_note note;
    ifd_note_init(&note, *state);
    assert_int_equal(ifd_stepper_make(*state, &opt, made(*state, chain_builder(*state, 60000, 1, 0, 10)), &s, &note),
                     IFD_NO_MEMORY);
    /* 8 bytes of (2 n)^2 numbers, at the very least: 115 GB, and not what 8 n^2 wraps to as an integer */
    const char *text = note.first->text;
    assert_true(strstr(text, "an exponential method needs ") && strtod(strstr(text, "needs ") + 6, NULL) > 115);
    ifd_model *m = oscillator(*state, 1, 0, 1, 1, 0);
    opt = options("taylor", 0.01, (pair[]){{"order", 2.5, NULL}, {0}});
    assert_int_equal(ifd_stepper_make(*state, &opt, m, &s, NULL), IFD_RANGE);
    opt = options("mtl", 0.01, (pair[]){{"order", 9, NULL}, {0}});
    assert_int_equal(ifd_stepper_make(*state, &opt, m, &s, NULL), IFD_RANGE);
    opt = options("exponential-alpha", 1, (pair[]){{"order", 2, NULL}, {"alpha", -2, NULL}, {0}});
    assert_int_equal(ifd_stepper_make(*state, &opt, m, &s, NULL), IFD_SINGULAR);
}

TESTS()
