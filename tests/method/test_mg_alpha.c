/* SPDX-License-Identifier: MIT */
#include "method/whole.h"

#include "method/stepper.h"

static const pair one_shot[] = {{0}}, newton[] = {{"solve", 0, "newton"}, {0}};

TEST_IN_ARENA(sample_of_an_oscillator_to_all_digits)
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

TEST_IN_ARENA(the_reduced_step_is_the_whole_step)
{
    const double rho[] = {0, 0.8, 1};
    for (size_t k = 0; k < COUNT(rho); k++) {
        compare_steps(*state, "small", made(*state, everything_builder(*state, 5)), rho[k], one_shot, 1);
        compare_steps(*state, "large", made(*state, everything_builder(*state, 70)), rho[k], one_shot, 1);
    }
}

/* Smooth, so that Newton's iteration converges: then further solves change nothing. */
TEST_IN_ARENA(newton_reaches_the_solution_of_the_whole_system)
{
    ifd_builder *b = chain_builder(*state, 3, 1, 0.5, 40);
    int th = ifd_builder_dof(b, "th", IFD_DOF_ANGLE);
    add_pair(b, "cubic-spring", IFD_GROUND, 0, "stiffness", 20.0, "epsilon", 900.0, NULL);
    add_element(b, "pendulum", 2, (int[]){1, th}, "mass", 0.6, "length", 0.7, NULL);
    ifd_builder_initial(b, th, 1.1, -0.5);
    compare_steps(*state, "newton", made(*state, b), 0.6, newton, 8);
}

TEST_IN_ARENA(the_start_is_in_balance)
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
    assert_int_equal(ifd_builder_element(b, &kept[clamp], "bearing", &(ifd_coordinates){1, &q}, v, NULL), IFD_OK);
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

TEST_IN_ARENA(clamping_both_rates_of_a_slider_is_what_makes_it_accurate)
{
    ifd_model *exact = bearing(*state, true), *loose = bearing(*state, false);
    double h = 1e-3, with = error_of(*state, exact, exact, h), without = error_of(*state, loose, exact, h);
    print_message("bearing: error %g m clamped, %g m not, ratio %.0f\n", with, without, without / with);
    assert_true(without > 50 * with);
    assert_true(with < 1e-4);
}

TEST_IN_ARENA(newton_that_cannot_converge_is_latched)
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

/* A linear spring whose tangent is wrong by a factor: Newton's corrections then shrink by one and the same ratio. It
 * keeps the velocities that it was asked for. */
static struct {
    double tangent, v[40];
    int asked;
} wrong;

static void wrong_eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    ifd_element_find("cubic-spring")->eval(e, in, out);
    if (!out->r_q)
        return;
    out->r_q[0] *= wrong.tangent;
    if (wrong.asked < 40)
        wrong.v[wrong.asked++] = in->qd[0];
}

/* One step of 1 kg on 1e4 N/m, with this initial velocity, and corrections that shrink by `ratio`. Fills their sizes
 * (of the acceleration, which stays below 1 m/s2) and returns how many there were. */
static int corrections(ifd_arena *arena, double v0, double ratio, double *size, int *fault)
{
    static ifd_element_ops ops;
    const double h = 0.1, k = 1e4;
    ops = *ifd_element_find("cubic-spring");
    ops.eval = wrong_eval;
    ifd_builder *b = oscillator_builder(arena, 1, 0, 0, 0, v0);
    ifd_value v[16];
    ifd_param_preset(ops.params, v);
    v[ifd_param_find(ops.params, "stiffness")] = ifd_number(k);
    v[ifd_param_find(ops.params, "epsilon")] = ifd_number(0);
    int dof = 0;
    double one = 1;
    ifd_coordinate q = {1, &dof, &one};
    assert_int_equal(ifd_builder_element(b, &ops, "wrong", &(ifd_coordinates){1, &q}, v, NULL), IFD_OK);
    ifd_step_options opt = options("mg-alpha", h, newton);
    weights c = weights_of(ifd__step_value(&opt, "rho")->number, h);
    double stiff = c.b * c.b * k; /* ratio = 1 - (1 + stiff)/(1 + stiff tangent) */
    wrong.tangent = ((1 + stiff) / (1 - ratio) - 1) / stiff;
    ifd_stepper *s = stepper_of(arena, &opt, made(arena, b));
    double *x = state_of(arena, s);
    wrong.asked = 0;
    advance_steps(s, 0, 1, x);
    for (int i = 0; i < wrong.asked; i++)
        size[i] = fabs((i + 1 < wrong.asked ? wrong.v[i + 1] : x[1]) - wrong.v[i]) / c.b;
    *fault = (int)ifd_stepper_fault(s, x);
    return wrong.asked;
}

/* Over at 1e-12; or below 1e-8 where a correction is more than half of the last one; latched after twenty. */
TEST_IN_ARENA(newton_ends_when_it_has_converged_or_stays_at_round_off)
{
    static const struct {
        double first, ratio;
        int count;
        bool latched;
    } rows[] = {
        {2e-7, 0.7, 10, false},                           /* 0.7^9 2e-7 = 8.1e-9 is the first below 1e-8 */
        {2e-7, 0.5025, 6, false},                         /* 0.5025^5 2e-7 = 6.4e-9 */
        {2e-7, 0.4975, 19, false},                        /* 0.4975^18 2e-7 = 7.0e-13 is the first below 1e-12 */
        {2e-7, 0.3, 12, false},                           /* 0.3^11 2e-7 = 3.5e-13 */
        {1e-5, 0.7, 20, true},                            /* 0.7^19 1e-5 = 1.1e-8 is latched, */
        {8.7e-6, 0.7, 20, false},                         /* and 9.9e-9 is not */
        {1e-3, 0.7, 20, true},     {5e-9, 0.7, 2, false}, /* the first one has none before it */
        {5e-13, 0.7, 1, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        double size[40];
        int fault;
        (void)corrections(*state, 1e-6, rows[i].ratio, size, &fault);
        double v0 = 1e-6 * rows[i].first / size[0];
        int count = corrections(*state, v0, rows[i].ratio, size, &fault);
        assert_near(size[0], rows[i].first, 1e-3 * rows[i].first, "row %d: first correction", (int)i);
        if (count > 1)
            assert_near(size[1], rows[i].ratio * size[0], 1e-4 * size[0], "row %d: the next one", (int)i);
        if (count != rows[i].count || (fault == IFD_STEP_ITERATIONS) != rows[i].latched)
            fail_msg("row %d: %d corrections, fault %d, expected %d", (int)i, count, fault, rows[i].count);
    }
}

/* A prescribed force that does not depend on the motion, on 1 kg: each correction of the acceleration is the
 * difference of two forces, to the bit. A bound that is met exactly is met; exactly half of the last is no stall. */
static struct {
    double force[8];
    int asked;
} told;

static void told_eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    (void)e, (void)in;
    if (out->r)
        out->r[0] = told.force[told.asked < 8 ? told.asked : 7];
    if (out->r_q)
        told.asked++;
}

TEST_IN_ARENA(newton_meets_its_bounds_to_the_bit)
{
    static const struct {
        double force[8]; /* the last one stays */
        int count;
    } rows[] = {
        {{1e-12, 1e-12, 1e-12}, 1},
        {{1.5e-8, 1.5e-8 - 1e-8, 1.5e-8 - 1e-8, 1.5e-8 - 1e-8}, 2},
        {{8e-9, 4e-9, 4e-9, 4e-9}, 3},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        static ifd_element_ops ops;
        ops = *ifd_element_find("cubic-spring");
        ops.eval = told_eval;
        ifd_builder *b = oscillator_builder(*state, 1, 0, 0, 0, 0);
        ifd_value v[16];
        ifd_param_preset(ops.params, v);
        v[ifd_param_find(ops.params, "stiffness")] = v[ifd_param_find(ops.params, "epsilon")] = ifd_number(1);
        int dof = 0;
        double one = 1;
        ifd_coordinate q = {1, &dof, &one};
        assert_int_equal(ifd_builder_element(b, &ops, "told", &(ifd_coordinates){1, &q}, v, NULL), IFD_OK);
        memset(&told, 0, sizeof told);
        ifd_step_options opt = options("mg-alpha", 0.01, newton);
        ifd_stepper *s = stepper_of(*state, &opt, made(*state, b));
        double *x = state_of(*state, s);
        for (int k = 0; k < 8; k++)
            told.force[k] = rows[i].force[k < 3 ? k : 2];
        told.asked = 0;
        advance_steps(s, 0, 1, x);
        assert_int_equal(told.asked, rows[i].count);
        assert_int_equal(ifd_stepper_fault(s, x), IFD_STEP_OK);
    }
}

TESTS()
