/* SPDX-License-Identifier: MIT */
#include "method/whole.h"

#include "method/stepper.h"

static const pair one_shot[] = {{0}}, newton[] = {{"solve", 0, "newton"}, {0}};

static void sample_of_an_oscillator_to_all_digits(void **state)
{
    ifd_model *m = oscillator(*state, 1, 0, 1, 1, 1);
    const pair *sets[] = {one_shot, newton};
    for (int k = 0; k < 2; k++) {
        ifd_step_options opt = options("mg-alpha", 0.1, sets[k]);
        double *x = run_to(*state, &opt, m, 10);
        assert_near(x[0], -1.380448192, 5e-10, "u");
        assert_near(x[1], -0.3069620713, 5e-11, "v");
    }
}

/* The rows of the method's state behind u, v, s. */
static double *row_of(const ifd_stepper *s, const char *name, double *x)
{
    int count;
    const ifd_state_row *row = ifd_stepper_states(s, &count);
    for (int i = 0; i < count; i++)
        if (strcmp(row[i].name, name) == 0)
            return x + row[i].offset;
    fail_msg("no row %s", name);
    return NULL;
}

typedef struct weights {
    double am, af, gamma, b;
} weights;

static weights weights_of(double rho, double h)
{
    double am = (3 - rho) / (2 * (1 + rho)), af = 1 / (1 + rho), gamma = 0.5 + am - af;
    return (weights){am, af, gamma, h * gamma * af / am};
}

/* One solve of the whole system: (M + b K(Y*)) dx = F - M x - R(Y*). */
static void whole_correct(whole *w, const weights *c, double t1, const double *Yt, double *rate)
{
    int n = w->n, N = w->N;
    double *K = malloc(sizeof(double) * (size_t)(N * N)), *Y = malloc(2 * sizeof(double) * (size_t)N), *dx = Y + N;
    for (int i = 0; i < N; i++)
        Y[i] = Yt[i] + c->b * rate[i];
    whole_at(w, t1, Y, NULL, rate + n);
    whole_stiffness(w, K);
    for (int i = 0; i < N * N; i++)
        K[i] *= c->b;
    for (int i = 0; i < N; i++) {
        dx[i] = (i < n ? Y[n + i] : i < 2 * n ? w->F[i - n] : w->g[i - 2 * n]) - (i < n || i >= 2 * n ? rate[i] : 0);
        if (i < n || i >= 2 * n)
            K[i + N * i] += 1;
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            K[n + i + N * (n + j)] += w->M[i + n * j];
            dx[n + i] -= w->M[i + n * j] * rate[n + j];
        }
    solve_whole(N, K, 1, dx);
    for (int i = 0; i < N; i++)
        rate[i] += dx[i];
    free(K);
    free(Y);
}

/* x = (Y, Yd, V), N each. */
static void whole_step(whole *w, const weights *c, double h, double t, int solves, double *Y, double *Yd, double *V)
{
    int N = w->N;
    double *Yt = malloc(2 * sizeof(double) * (size_t)N), *rate = Yt + N;
    for (int i = 0; i < N; i++) {
        Yt[i] = Y[i] + h * (1 - c->gamma) * V[i] + h * c->gamma / c->am * ((1 - c->af) * Yd[i] - (1 - c->am) * V[i]);
        rate[i] = Yd[i];
    }
    for (int k = 0; k < solves; k++)
        whole_correct(w, c, t + h, Yt, rate);
    for (int i = 0; i < N; i++) {
        V[i] = (c->af * rate[i] + (1 - c->af) * Yd[i] - (1 - c->am) * V[i]) / c->am;
        Yd[i] = rate[i];
        Y[i] = Yt[i] + c->b * rate[i];
    }
    ifd__model_settle(w->m, Y + 2 * w->n, Yd + 2 * w->n, V + 2 * w->n);
    free(Yt);
}

static void compare_steps(ifd_arena *arena, const char *what, const ifd_model *m, double rho, const pair *set,
                          int solves)
{
    double h = 0.01;
    whole w = whole_make(arena, m);
    weights c = weights_of(rho, h);
    size_t bytes = sizeof(double) * (size_t)w.N;
    double *Y = zeros(arena, w.N, 1), *Yd = zeros(arena, w.N, 1), *V = zeros(arena, w.N, 1);
    ifd_step_options opt = options("mg-alpha", h, set);
    ifd_step_options_set(&opt, "rho", ifd_number(rho));
    ifd_stepper *s = stepper_of(arena, &opt, m);
    double *x = state_of(arena, s);
    for (int step = 0; step < 12; step++) {
        memcpy(Y, x, bytes);
        memcpy(Yd, row_of(s, "Yd", x), bytes);
        memcpy(V, row_of(s, "V", x), bytes);
        whole_step(&w, &c, h, h * step, solves, Y, Yd, V);
        advance_steps(s, step, 1, x);
        double size = 1;
        for (int i = 0; i < w.N; i++)
            size = fmax(size, fabs(Yd[i]));
        assert_near(gap_of(w.N, x, Y), 0, 1e-13, "%s: Y, step %d", what, step);
        assert_near(gap_of(w.N, row_of(s, "Yd", x), Yd), 0, 2e-12 * size, "%s: Yd, step %d", what, step);
        assert_near(gap_of(w.N, row_of(s, "V", x), V), 0, 2e-12 * size, "%s: V, step %d", what, step);
    }
    assert_int_equal(ifd_stepper_fault(s, x), IFD_STEP_OK);
}

static void the_reduced_step_is_the_whole_step(void **state)
{
    const double rho[] = {0, 0.8, 1};
    for (size_t k = 0; k < COUNT(rho); k++) {
        compare_steps(*state, "small", made(*state, everything_builder(*state, 5)), rho[k], one_shot, 1);
        compare_steps(*state, "large", made(*state, everything_builder(*state, 70)), rho[k], one_shot, 1);
    }
}

/* Smooth, so that Newton's iteration converges: then further solves change nothing. */
static void newton_reaches_the_solution_of_the_whole_system(void **state)
{
    ifd_builder *b = chain_builder(*state, 3, 1, 0.5, 40);
    int th = ifd_builder_dof(b, "th", IFD_DOF_ANGLE);
    add_pair(b, "cubic-spring", IFD_GROUND, 0, "stiffness", 20.0, "epsilon", 900.0, NULL);
    add_element(b, "pendulum", 2, (int[]){1, th}, "mass", 0.6, "length", 0.7, NULL);
    ifd_builder_initial(b, th, 1.1, -0.5);
    compare_steps(*state, "newton", made(*state, b), 0.6, newton, 8);
}

static void the_start_is_in_balance(void **state)
{
    ifd_model *m = made(*state, everything_builder(*state, 5));
    whole w = whole_make(*state, m);
    ifd_step_options opt = options("mg-alpha", 0.01, NULL);
    ifd_stepper *s = stepper_of(*state, &opt, m);
    double *x = state_of(*state, s), *Yd = row_of(s, "Yd", x), *V = row_of(s, "V", x);
    whole_at(&w, 0, x, NULL, NULL);
    assert_near(gap_of(w.n, Yd, x + w.n), 0, 0, "u'");
    assert_near(gap_of(w.n, Yd + w.n, w.a), 0, 1e-12, "v'");
    assert_near(gap_of(w.ns, Yd + 2 * w.n, w.g), 0, 1e-13, "s'");
    assert_memory_equal(Yd, V, sizeof(double) * (size_t)w.N);
}

static ifd_element_ops unclamped;

/* A mass of 2e5 kg on one triple concave bearing, shaken for two seconds; with or without the clamping of its
 * sliders. */
static ifd_model *bearing(ifd_arena *arena, bool clamp)
{
    static const double rows[] = {6.67e7, 1.5e-3, 1.15e6, 0.07};
    unclamped = *ifd_element_find("sliders");
    if (!clamp)
        unclamped.settle = NULL;
    ifd_builder *b = oscillator_builder(arena, 2e5, 0, 0, 0, 0);
    ifd_value v[8];
    ifd_param_preset(unclamped.params, v);
    v[ifd_param_find(unclamped.params, "sliders")] = ifd_matrix(rows, 2, 2);
    v[ifd_param_find(unclamped.params, "spring")] = ifd_number(5e5);
    double one = 1;
    ifd_coordinate q = {1, (int[]){0}, &one};
    static ifd_element_ops kept[2]; /* the model keeps the pointer */
    kept[clamp] = unclamped;
    assert_int_equal(ifd_builder_element(b, &kept[clamp], "bearing", 1, &q, v, NULL), IFD_OK);
    ifd_builder_ground(b, IFD_DOF_X, signal_of(arena, "sine", "amplitude", 4.0, "frequency", 0.7, NULL));
    return made(arena, b);
}

/* Largest error of the displacement over the run. */
static double error_of(ifd_arena *arena, const ifd_model *m, const ifd_model *exact, double h)
{
    ifd_step_options opt = options("mg-alpha", h, NULL), best = options("reference", h, NULL);
    ifd_stepper *s = stepper_of(arena, &opt, m), *r = stepper_of(arena, &best, exact);
    double *x = state_of(arena, s), *y = state_of(arena, r), most = 0;
    for (long k = 0; k < lround(4 / h); k++) {
        advance_steps(s, k, 1, x);
        advance_steps(r, k, 1, y);
        most = fmax(most, fabs(x[0] - y[0]));
    }
    return most;
}

static void clamping_both_rates_of_a_slider_is_what_makes_it_accurate(void **state)
{
    ifd_model *exact = bearing(*state, true), *loose = bearing(*state, false);
    double h = 1e-3, with = error_of(*state, exact, exact, h), without = error_of(*state, loose, exact, h);
    print_message("bearing: error %g m clamped, %g m not, ratio %.0f\n", with, without, without / with);
    assert_true(without > 50 * with);
    assert_true(with < 1e-4);
}

static void newton_that_cannot_converge_is_latched(void **state)
{
    /* A stiff gap that the step jumps over again and again. */
    ifd_builder *b = oscillator_builder(*state, 1, 0, 1, 0, 1);
    add_pair(b, "power-dashpot", IFD_GROUND, 0, "coefficient", 1e9, "exponent", 0.05, "smoothing", 1e-12, NULL);
    ifd_step_options opt = options("mg-alpha", 0.1, newton);
    ifd_stepper *s = stepper_of(*state, &opt, made(*state, b));
    double *x = state_of(*state, s);
    advance_steps(s, 0, 5, x);
    assert_int_equal(ifd_stepper_fault(s, x), IFD_STEP_ITERATIONS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_arena(sample_of_an_oscillator_to_all_digits),
        in_arena(the_reduced_step_is_the_whole_step),
        in_arena(newton_reaches_the_solution_of_the_whole_system),
        in_arena(the_start_is_in_balance),
        in_arena(clamping_both_rates_of_a_slider_is_what_makes_it_accurate),
        in_arena(newton_that_cannot_converge_is_latched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
