/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* The Newmark family: every step must satisfy the equations that define it. */
#include "method/whole.h"

#include "method/stepper.h"

typedef struct spec {
    const char *method;
    pair set[3];
    double am, af, beta, gamma;
} spec;

static const spec implicit[] = {
    {"newmark", {{0}}, 0, 0, 0.25, 0.5},
    {"newmark", {{"beta", 0.3025, NULL}, {"gamma", 0.6, NULL}}, 0, 0, 0.3025, 0.6},
    {"hht", {{"alpha", 0.2, NULL}}, 0, 0.2, 0.36, 0.7},
    {"generalized-alpha", {{"rho", 0.5, NULL}}, 0, 1.0 / 3, 4.0 / 9, 5.0 / 6},
    {"generalized-alpha", {{"rho", 0.2, NULL}}, -0.5, 1.0 / 6, 25.0 / 36, 7.0 / 6},
    {"central-difference", {{0}}, 0, 0, 0, 0.5},
    {"chang", {{0}}, 0, 0, 0, 0.5},
};

static const double *row_of(const ifd_stepper *s, const char *name, const double *x)
{
    int count;
    const ifd_state_row *row = ifd_stepper_states(s, &count);
    for (int i = 0; i < count; i++)
        if (strcmp(row[i].name, name) == 0)
            return x + row[i].offset;
    return NULL;
}

/* Elements with an exact update follow it, the other states the trapezoidal rule. */
static void check_states(whole *w, const spec *s, double h, double t, const double *x0, const double *x, int step)
{
    const ifd_model *m = w->m;
    double q0[128], q1[128], qd[128], s1[128], g0[128];
    whole_at(w, t, x0, NULL, NULL);
    memcpy(g0, w->g, sizeof(double) * (size_t)w->ns);
    whole_at(w, t + h, x, NULL, NULL);
    ifd__model_coordinates(m, t, x0, x0 + w->n, q0, qd);
    ifd__model_coordinates(m, t + h, x, x + w->n, q1, qd);
    for (int c = 0; c < m->nq; c++)
        q1[c] -= q0[c];
    memcpy(s1, x0 + 2 * w->n, sizeof(double) * (size_t)w->ns);
    for (int e = 0; e < m->ne; e++) {
        const ifd_element *el = &m->element[e];
        for (int i = m->s_of[e]; i < m->s_of[e + 1]; i++)
            s1[i] += el->ops->advance ? 0 : 0.5 * h * (g0[i] + w->g[i]);
        if (el->ns && el->ops->advance)
            el->ops->advance(el, q1 + m->q_of[e], s1 + m->s_of[e], NULL);
    }
    assert_near(gap_of(w->ns, s1, x + 2 * w->n), 0, 1e-10, "%s: states, step %d", s->method, step);
}

static void check_step(whole *w, const spec *s, const ifd_stepper *st, double t, const double *x0, const double *x,
                       int step)
{
    int n = w->n;
    double h = st->h, size = 1;
    const double *a0 = row_of(st, "a", x0), *a1 = row_of(st, "a", x), *z0 = row_of(st, "z", x0),
                 *z1 = row_of(st, "z", x);
    z0 = z0 ? z0 : a0;
    z1 = z1 ? z1 : a1;
    whole_at(w, t + h, x, NULL, NULL);
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(z1[i]));
    for (int i = 0; i < n; i++) {
        double v = x0[n + i] + h * ((1 - s->gamma) * a0[i] + s->gamma * a1[i]);
        double u = x0[i] + h * x0[n + i] + h * h * ((0.5 - s->beta) * a0[i] + s->beta * a1[i]);
        assert_near(x[n + i], v, 1e-14, "%s: v of dof %d, step %d", s->method, i, step);
        if (strcmp(s->method, "chang") != 0)
            assert_near(x[i], u, 1e-14, "%s: u of dof %d, step %d", s->method, i, step);
        assert_near((1 - s->am) * a1[i] + s->am * a0[i] - (1 - s->af) * z1[i] - s->af * z0[i], 0, 1e-13 * size,
                    "%s: weights of dof %d, step %d", s->method, i, step);
        assert_near(z1[i], w->a[i], 1e-8 * size, "%s: balance of dof %d, step %d", s->method, i, step);
    }
}

static void run_and_check(ifd_arena *arena, const ifd_model *m, double h, int steps)
{
    whole w = whole_make(arena, m);
    for (size_t k = 0; k < COUNT(implicit); k++) {
        ifd_step_options opt = options(implicit[k].method, h, implicit[k].set);
        ifd_stepper *s = stepper_of(arena, &opt, m);
        double *x = state_of(arena, s), *x0 = zeros(arena, ifd_stepper_size(s), 1);
        for (int step = 0; step < steps; step++) {
            memcpy(x0, x, sizeof(double) * (size_t)ifd_stepper_size(s));
            advance_steps(s, step, 1, x);
            check_step(&w, &implicit[k], s, h * step, x0, x, step);
            check_states(&w, &implicit[k], h, h * step, x0, x, step);
        }
        assert_int_equal(ifd_stepper_fault(s, x), IFD_STEP_OK);
    }
}

TEST_IN_ARENA(every_step_satisfies_its_equations)
{
    run_and_check(*state, made(*state, everything_builder(*state, 5)), 0.005, 30);
    run_and_check(*state, made(*state, everything_builder(*state, 70)), 0.005, 8);
    ifd_builder *b = chain_builder(*state, 6, 1, 0.5, 80);
    ifd_builder_rayleigh(b, 0.1, 0.002);
    ifd_builder_force(b, 3, signal_of(*state, "sine", "amplitude", 5.0, "frequency", 2.0, NULL));
    run_and_check(*state, made(*state, b), 0.01, 30);
}

/* (M + h/2 C0 + h^2/4 K0) (u1 - u) = (M + h/2 C0) h v + h^2/2 M a, a slider at rest being a spring. */
TEST_IN_ARENA(chang_predicts_with_the_initial_tangents)
{
    static const double pairs[] = {40, 0.5};
    double h = 0.2;
    ifd_builder *b = chain_builder(*state, 3, 1, 0.8, 60);
    add_sliders(b, 0, 2, 1, pairs, 5);
    ifd_model *m = made(*state, b);
    ifd_builder *elastic = chain_builder(*state, 3, 1, 0.8, 60);
    ifd_builder_spring(elastic, IFD_STIFFNESS, 0, 2, 45);
    whole w = whole_make(*state, made(*state, elastic));
    ifd_step_options opt = options("chang", h, NULL);
    ifd_stepper *s = stepper_of(*state, &opt, m);
    double *x = state_of(*state, s), A[9], right[3] = {0};
    whole_at(&w, 0, x, NULL, NULL);
    const double *a = row_of(s, "a", x), *v = x + 3;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double M = w.M[i + 3 * j], C = w.Rv[i + 3 * j], K = w.Ru[i + 3 * j];
            A[i + 3 * j] = M + h / 2 * C + h * h / 4 * K;
            right[i] += (M + h / 2 * C) * h * v[j] + h * h / 2 * M * a[j];
        }
    solve_whole(3, A, 1, right);
    ifd_stepper_stage(s, 0, 0, NULL, x);
    double u[3], vu[3];
    ifd_stepper_aim(s, 1, 0, x, u, vu);
    for (int i = 0; i < 3; i++)
        assert_near(u[i] - x[i], right[i], 1e-14, "dof %d", i);
}

/* On a linear model Chang's displacements are those of average acceleration when its velocities start
 * consistently. */
TEST_IN_ARENA(chang_keeps_the_energy_of_a_linear_model)
{
    const char *method[] = {"newmark", "chang"};
    for (int k = 0; k < 2; k++) {
        ifd_model *m = oscillator(*state, 2, 0, 50, 0.3, 1);
        ifd_step_options opt = options(method[k], 0.5, NULL);
        ifd_stepper *s = stepper_of(*state, &opt, m);
        double *x = state_of(*state, s), most = 0;
        for (int step = 0; step < 2000; step++) {
            advance_steps(s, step, 1, x);
            most = fmax(most, 0.5 * 2 * x[1] * x[1] + 0.5 * 50 * x[0] * x[0]);
        }
        double first = 0.5 * 2 + 0.5 * 50 * 0.09;
        assert_true(most < 20 * first); /* bounded though omega h = 2.5 */
        if (k == 0)
            assert_near(0.5 * 2 * x[1] * x[1] + 0.5 * 50 * x[0] * x[0], first, 1e-10, "average acceleration");
    }
}

TEST_IN_ARENA(damped_methods_take_energy_from_high_frequencies_only)
{
    const char *method[] = {"hht", "generalized-alpha", "mg-alpha", "lsrt2"};
    for (int k = 0; k < 4; k++) {
        double left[2];
        for (int fast = 0; fast < 2; fast++) {
            double w = fast ? 100 : 0.1;
            ifd_model *m = oscillator(*state, 1, 0, w * w, 1, 0);
            ifd_step_options opt = options(method[k], 0.1, NULL);
            double *x = run_to(*state, &opt, m, 10);
            left[fast] = x[1] * x[1] / (w * w) + x[0] * x[0];
        }
        assert_near(left[0], 1, 1e-3, "%s keeps what it resolves", method[k]);
        assert_true(left[1] < 1e-3);
    }
}

TEST_IN_ARENA(one_iteration_is_enough_for_a_linear_model_and_latched_for_another)
{
    const pair one[] = {{"iterations", 1, NULL}, {0}};
    const char *method[] = {"newmark", "hht", "generalized-alpha"};
    for (int k = 0; k < 3; k++) {
        ifd_step_options opt = options(method[k], 0.1, one);
        ifd_stepper *s = stepper_of(*state, &opt, oscillator(*state, 1, 0.1, 4, 1, 0));
        double *x = state_of(*state, s);
        advance_steps(s, 0, 10, x);
        assert_int_equal(ifd_stepper_fault(s, x), IFD_STEP_OK);
        ifd_builder *b = oscillator_builder(*state, 1, 0, 0, 1, 0);
        add_pair(b, "cubic-spring", IFD_GROUND, 0, "stiffness", 4.0, "epsilon", 3.0, NULL);
        s = stepper_of(*state, &opt, made(*state, b));
        x = state_of(*state, s);
        advance_steps(s, 0, 10, x);
        assert_int_equal(ifd_stepper_fault(s, x), IFD_STEP_ITERATIONS);
    }
}

/* Exact cycle energy of section-wise sliders: sum 4 k_i d_i max(A - d_i, 0). The bearing hangs between a support that
 * moves and the ground; a mass beside it only makes the model one. */
static double cycle_energy(ifd_arena *arena, const char *method, const pair *set, double amplitude)
{
    static const double rows[] = {6.67e7, 1.5e-3, 1.15e6, 0.07};
    const double h = 2e-5, period = 1;
    ifd_builder *b = oscillator_builder(arena, 1, 0, 1, 0, 0);
    int top =
        ifd_builder_support(b, "table", signal_of(arena, "sine", "amplitude", amplitude, "frequency", 1.0, NULL));
    add_sliders(b, IFD_GROUND, top, 2, rows, 5e5);
    ifd_model *m = made(arena, b);
    ifd_step_options opt = options(method, h, set);
    ifd_stepper *s = stepper_of(arena, &opt, m);
    double *x = state_of(arena, s), q, qd, r, g[2], q0 = 0, r0 = 0, work = 0;
    long cycle = lround(period / h);
    for (long k = 0; k < 2 * cycle; k++) {
        advance_steps(s, k, 1, x);
        ifd__model_coordinates(m, h * (double)(k + 1), x, x + 1, &q, &qd);
        ifd__model_forces(m, &(ifd_element_in){.t = h * (double)(k + 1), .q = &q, .qd = &qd, .s = x + 2}, &r, g);
        work += k >= cycle ? 0.5 * (r + r0) * (q - q0) : 0;
        q0 = q;
        r0 = r;
    }
    return work;
}

TEST_IN_ARENA(loops_of_the_triple_concave_bearing_have_their_energy)
{
    const char *method[] = {"newmark", "lsrt2", "mg-alpha"};
    for (int k = 0; k < 3; k++) {
        assert_near(cycle_energy(*state, method[k], NULL, 0.1), 49079.7, 0.05, "%s at 0.1 m", method[k]);
        assert_near(cycle_energy(*state, method[k], NULL, 0.05), 19409.7, 0.02, "%s at 0.05 m", method[k]);
    }
}

TESTS()
