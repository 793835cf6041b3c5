/* SPDX-License-Identifier: MIT */
/* `jacobian: bounded`: order, bits, budget of stability, and the effect of an exceeded budget. */
#include "method/fixtures.h"

#include <lapacke.h>

#include "method/stepper.h"
#include "method/tangent_inside.h"

enum { MASSES = 40 };

typedef struct law {
    const char *kind;
    const char *name[4];
    double number[4];
} law;

/* Masses of 1 t in a row, an element of the law between each two of them; the highest frequency of the chain with
 * elements of stiffness k is 2 sqrt(k/m). */
static ifd_builder *chain_of(ifd_arena *arena, int masses, const law *l, double linear, double velocity)
{
    ifd_builder *b = ifd_builder_make(arena);
    const ifd_element_ops *ops = ifd_element_find(l->kind);
    for (int i = 0; i < masses; i++) {
        char name[16];
        snprintf(name, sizeof name, "x%d", i);
        int x = ifd_builder_dof(b, name, IFD_DOF_X), ref[2] = {x, i ? x - 1 : IFD_GROUND};
        ifd_builder_add(b, IFD_MASS, x, x, 1000);
        ifd_builder_spring(b, IFD_STIFFNESS, ref[1], x, linear);
        ifd_value v[16];
        ifd_param_preset(ops->params, v);
        for (int k = 0; k < 4 && l->name[k]; k++)
            v[ifd_param_find(ops->params, l->name[k])] = ifd_number(l->number[k]);
        ifd_coordinate q = {2, ref, (double[]){1, -1}};
        assert_int_equal(ifd_builder_element(b, ops, name, &(ifd_coordinates){1, &q}, v, NULL), IFD_OK);
        ifd_builder_initial(b, x, 0, velocity * sin(0.4 + 0.9 * i));
    }
    return b;
}

static int row_of(const ifd_stepper *s, const char *name)
{
    int count;
    const ifd_state_row *row = ifd_stepper_states(s, &count);
    for (int i = 0; i < count; i++)
        if (strcmp(row[i].name, name) == 0)
            return row[i].offset;
    return -1;
}

static double largest(const double *x, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fabs(x[i]) > most || isnan(x[i]) ? fabs(x[i]) : most;
    return most;
}

/* Elements that are corrected in the state x. */
static int actives(const ifd_stepper *s, const double *x)
{
    int at = row_of(s, "tangent.active"), sum = 0;
    for (int e = 0; e < ifd_stepper_model(s)->ne; e++)
        sum += x[at + e] != 0;
    return sum;
}

/* k = 4e7: the highest frequency is 400 rad/s. */
static const law softening = {"cubic-spring", {"stiffness", "epsilon"}, {4e7, -1e3}},
                 yielding = {"bouc-wen", {"stiffness", "alpha", "beta", "gamma"}, {4e7, 0.05, 500, 500}},
                 unloading = {"bouc-wen", {"stiffness", "alpha", "beta", "gamma"}, {4e7, 0.05, 900, 100}};

TEST_IN_ARENA(order_two_holds_for_every_choice)
{
    static const pair sets[][4] = {{{0}},
                                   {{"jacobian", 0, "frozen"}},
                                   {{"jacobian", 0, "bounded"}, {"tangent-cap", 0, NULL}},
                                   {{"jacobian", 0, "bounded"}, {"tangent-cap", 8, NULL}},
                                   {{"jacobian", 0, "bounded"}, {"tangent-cap", 1000, NULL}}};
    const double end = 0.064;
    const ifd_model *m = made(*state, chain_of(*state, MASSES, &softening, 4e6, 3.0));
    ifd_step_options fine = options("lsrt2", 3.125e-5, NULL);
    const double *truth = run_to(*state, &fine, m, end);
    for (size_t k = 0; k < COUNT(sets); k++) {
        double error[3];
        for (int i = 0; i < 3; i++) {
            ifd_step_options opt = options("lsrt2", 1e-3 / (1 << i), sets[k]);
            error[i] = gap_of(m->n, run_to(*state, &opt, m, end), truth);
        }
        assert_true(largest(truth, m->n) > 5e-3);
        for (int i = 0; i < 2; i++)
            assert_near(log2(error[i] / error[i + 1]), 2, 0.1, "choice %zu, step %g, errors %g %g", k,
                        1e-3 / (1 << i), error[i], error[i + 1]);
    }
}

/* 90 masses, every second spring yields: above the size of dense systems, more dofs than coordinates. From rest: the
 * exact Jacobian then begins with the stiffest tangents too. */
static const ifd_model *large(ifd_arena *arena, const law *l)
{
    ifd_builder *b = chain_builder(arena, 90, 1000, 0, 4e7);
    for (int i = 0; i < 90; i++)
        ifd_builder_initial(b, i, 0, 0);
    for (int i = 1; i < 90; i += 2)
        add_pair(b, l->kind, i - 1, i, l->name[0], l->number[0], l->name[1], l->number[1], l->name[2], l->number[2],
                 l->name[3], l->number[3], NULL);
    ifd_builder_rayleigh(b, 0.2, 1e-5);
    ifd_builder_ground(b, IFD_DOF_X, signal_of(arena, "sine", "amplitude", 60.0, "frequency", 8.0, NULL));
    return made(arena, b);
}

TEST_IN_ARENA(without_tolerance_and_cap_the_bits_are_those_of_the_exact_jacobian)
{
    const ifd_model *m = large(*state, &yielding);
    assert_true(m->n > 64 && m->n > m->nq);
    const pair all[] = {{"jacobian", 0, "bounded"}, {"tangent-tolerance", 0, NULL}, {"tangent-cap", 1000, NULL}, {0}};
    ifd_step_options exact = options("lsrt2", 1e-3, NULL), bounded = options("lsrt2", 1e-3, all);
    ifd_stepper *a = stepper_of(*state, &exact, m), *b = stepper_of(*state, &bounded, m);
    double *x = state_of(*state, a), *y = state_of(*state, b);
    for (int step = 0; step < 200; step++) {
        advance_steps(a, step, 1, x);
        advance_steps(b, step, 1, y);
        assert_memory_equal(x, y, sizeof(double) * (size_t)(2 * m->n + m->ns));
        assert_int_equal(actives(b, y), m->ne);
    }
    assert_true(largest(x, m->n) > 0.01);
}

TEST_IN_ARENA(frozen_is_bounded_without_any_correction)
{
    const ifd_model *m = large(*state, &yielding);
    const pair none[] = {{"jacobian", 0, "bounded"}, {"tangent-cap", 0, NULL}, {0}};
    const pair once[] = {{"jacobian", 0, "frozen"}, {0}};
    ifd_step_options frozen = options("lsrt2", 1e-3, once), bounded = options("lsrt2", 1e-3, none);
    const double *x = run_to(*state, &frozen, m, 0.2), *y = run_to(*state, &bounded, m, 0.2);
    assert_memory_equal(x, y, sizeof(double) * (size_t)(2 * m->n + m->ns));
}

/* The choice is part of the state: a stepper that begins with it continues with the same bits. */
TEST_IN_ARENA(a_run_continues_from_its_state_with_the_same_bits)
{
    const ifd_model *m = large(*state, &unloading);
    const pair some[] = {{"jacobian", 0, "bounded"}, {"tangent-cap", 7, NULL}, {0}};
    ifd_step_options opt = options("lsrt2", 1e-3, some);
    ifd_stepper *a = stepper_of(*state, &opt, m), *b = stepper_of(*state, &opt, m);
    size_t bytes = sizeof(double) * (size_t)ifd_stepper_size(a);
    double *x = state_of(*state, a), *y = state_of(*state, b), *z = state_of(*state, b);
    advance_steps(a, 0, 150, x);
    memcpy(y, x, bytes);
    int active = actives(a, x);
    assert_true(active > 0 && active <= 7 && active < m->ne);
    advance_steps(a, 150, 150, x);
    advance_steps(b, 150, 150, y);
    assert_memory_equal(x, y, bytes);
    advance_steps(b, 0, 300, z);
    assert_memory_equal(x, z, bytes);
}

/* Hysteresis of the choice: below the tolerance, above half of it, an element stays as it was. */
TEST_IN_ARENA(a_corrected_element_is_kept_down_to_half_the_tolerance)
{
    const ifd_model *m = large(*state, &yielding);
    const pair one[] = {
        {"jacobian", 0, "bounded"}, {"tangent-tolerance", 2e-3, NULL}, {"tangent-cap", 1000, NULL}, {0}};
    ifd_step_options opt = options("lsrt2", 1e-3, one);
    ifd_stepper *s = stepper_of(*state, &opt, m);
    double *x = state_of(*state, s), *y = state_of(*state, s);
    int at = row_of(s, "tangent.active"), kept = 0, taken = 0, dropped = 0;
    for (int step = 0; step < 200; step++) {
        memcpy(y, x, sizeof(double) * (size_t)ifd_stepper_size(s));
        for (int e = 0; e < m->ne; e++) {
            x[at + e] = 0; /* none was corrected in the step before */
            y[at + e] = 1; /* all were */
        }
        advance_steps(s, step, 1, x);
        advance_steps(s, step, 1, y);
        for (int e = 0; e < m->ne; e++) {
            assert_true(y[at + e] >= x[at + e]);
            kept += y[at + e] > x[at + e];
            taken += x[at + e] != 0;
            dropped += y[at + e] == 0;
        }
    }
    assert_true(taken > 0 && kept > 0 && dropped > 0);
}

/* A state that is not a number must reach the guard of the run, whatever was chosen. */
TEST_IN_ARENA(numbers_that_are_none_do_no_harm)
{
    const law *laws[] = {&yielding, &unloading};
    for (int k = 0; k < 2; k++) {
        const ifd_model *m = large(*state, laws[k]);
        const pair some[] = {{"jacobian", 0, "bounded"}, {"tangent-cap", 7, NULL}, {0}};
        ifd_step_options opt = options("lsrt2", 1e-3, some);
        ifd_stepper *s = stepper_of(*state, &opt, m);
        const double bad[] = {NAN, -NAN, INFINITY, -1e300};
        for (size_t i = 0; i < COUNT(bad); i++) {
            double *x = state_of(*state, s);
            advance_steps(s, 0, 20, x);
            x[m->n + 4] = bad[i];
            advance_steps(s, 20, 20, x);
            assert_false(fabs(x[4]) < 1e12);
        }
    }
}

/* Largest |u| over so many steps, and the first step beyond the budget (-1: none), counted from 1. */
static double survive(const ifd_stepper *s, double *x, int steps, int *first)
{
    int at = row_of(s, "tangent.beyond");
    double most = 0;
    *first = -1;
    for (int step = 0; step < steps && most < 1e3; step++) {
        advance_steps(s, step, 1, x);
        if (*first < 0 && at >= 0 && x[at] > 0)
            *first = step + 1;
        most = fmax(most, largest(x, ifd_stepper_model(s)->n));
        if (!isfinite(most))
            most = HUGE_VAL;
    }
    return most;
}

/* The latched fault does not stop the stepper, only the run. */
static const pair none_corrected[] = {{"jacobian", 0, "bounded"}, {"tangent-cap", 0, NULL}, {0}};

/* Hardening, 31 times, omega h = 0.8: with the initial stiffness the step is unstable, with the stiffest tangent it
 * is stable, and where the stiffest was understated, the budget is exceeded before the motion grows. */
TEST_IN_ARENA(hardening_springs_exceed_the_budget_before_they_grow)
{
    const double h = 2e-3, q = 0.02, eps = 10 / (q * q);
    const law honest = {"cubic-spring", {"stiffness", "epsilon", "largest"}, {4e7, eps, q}};
    const law understated = {"cubic-spring", {"stiffness", "epsilon", "largest"}, {4e7, eps, q / 10}};
    int first;
    const ifd_model *m = made(*state, chain_of(*state, MASSES, &honest, 0, 6.0));
    ifd_step_options frozen = options("lsrt2", h, (pair[]){{"jacobian", 0, "frozen"}, {0}});
    ifd_stepper *s = stepper_of(*state, &frozen, m);
    assert_true(survive(s, state_of(*state, s), 2000, &first) >= 1e3);

    ifd_step_options bounded = options("lsrt2", h, none_corrected);
    s = stepper_of(*state, &bounded, m);
    double *x = state_of(*state, s);
    assert_true(survive(s, x, 100000, &first) < 1);
    assert_int_equal(first, -1);

    m = made(*state, chain_of(*state, MASSES, &understated, 0, 6.0));
    s = stepper_of(*state, &bounded, m);
    assert_true(survive(s, x = state_of(*state, s), 2000, &first) >= 1e3);
    assert_true(first > 0);
    int beyond = first;

    s = stepper_of(*state, &bounded, m);
    x = state_of(*state, s);
    advance_steps(s, 0, beyond - 1, x);
    assert_int_equal(ifd_stepper_fault(s, x), IFD_STEP_OK);
    advance_steps(s, beyond - 1, 1, x);
    assert_int_equal(ifd_stepper_fault(s, x), IFD_STEP_TANGENT);
    assert_true(largest(x, m->n) < 1); /* nothing has grown yet */
    ifd_step_options all = bounded;
    assert_true(ifd_step_options_set(&all, "tangent-beyond", ifd_word("exact")));
    s = stepper_of(*state, &all, m);
    assert_true(survive(s, x = state_of(*state, s), 2000, &first) < 1);
    assert_int_equal(first, beyond); /* counted, and all springs updated */
    assert_int_equal(ifd_stepper_fault(s, x), IFD_STEP_OK);
}

/* States of elements left out are advanced explicitly. A motion of several yield deformations in a step makes that
 * unstable: such elements are corrected, and without room for them the budget is exceeded before anything grows. */
TEST_IN_ARENA(states_that_change_fast_are_corrected_or_reported)
{
    const ifd_model *m = made(*state, chain_of(*state, MASSES, &unloading, 4e6, 12.0));
    int first;
    ifd_step_options none = options("lsrt2", 2e-3, none_corrected);
    ifd_stepper *s = stepper_of(*state, &none, m);
    double *x = state_of(*state, s);
    assert_true(survive(s, x, 500, &first) >= 1e3 && first > 0);
    advance_steps(s, 0, first, x = state_of(*state, s));
    assert_true(largest(x, m->n) < 1);
    ifd_step_options room = options("lsrt2", 2e-3, (pair[]){{"jacobian", 0, "bounded"}, {0}});
    s = stepper_of(*state, &room, m);
    assert_true(survive(s, x = state_of(*state, s), 5000, &first) < 1);
    assert_int_equal(first, -1);
    assert_int_equal(ifd_stepper_fault(s, x), IFD_STEP_OK);
}

/* A bad number in the first step, before anything was factored, with fewer places than coordinates. */
TEST_IN_ARENA(a_bad_first_step_is_singular)
{
    const ifd_model *m = large(*state, &yielding);
    const pair two[] = {{"jacobian", 0, "bounded"}, {"tangent-cap", 2, NULL}, {0}};
    ifd_step_options opt = options("lsrt2", 1e-3, two);
    ifd_stepper *s = stepper_of(*state, &opt, m);
    double *x = state_of(*state, s);
    x[m->n + 4] = NAN;
    advance_steps(s, 0, 1, x);
    assert_int_equal(ifd_stepper_fault(s, x), IFD_STEP_SINGULAR);
}

/* Bouc-Wen parameters for which no base is safe or accurate: always updated, as with the exact Jacobian. */
TEST_IN_ARENA(bouc_wen_elements_without_a_safe_base_are_always_updated)
{
    const double rows[][3] = {
        {0, 1000, 0.6}, {5, 995, 2.0}, {100, 900, 2.0}, {2000, -1000, 2.0}, {10500, -9500, 2.0}};
    for (size_t k = 0; k < COUNT(rows); k++) {
        const law l = {"bouc-wen", {"stiffness", "alpha", "beta", "gamma"}, {4e7, 0.05, rows[k][0], rows[k][1]}};
        const ifd_model *m = made(*state, chain_of(*state, MASSES, &l, 4e6, rows[k][2]));
        ifd_step_options bounded = options("lsrt2", 1e-3, none_corrected), exact = options("lsrt2", 1e-3, NULL);
        ifd_stepper *s = stepper_of(*state, &bounded, m);
        double *x = state_of(*state, s);
        advance_steps(s, 0, 500, x);
        assert_int_equal(actives(s, x), m->ne);
        const double *y = run_to(*state, &exact, m, 0.5);
        assert_true(gap_of(m->n, x, y) < 1e-8 * largest(y, m->n));
    }
}

/* A spring that hardens beyond its base beside one that softened: its effect is judged with the softened matrix. */
TEST_IN_ARENA(the_budget_is_that_of_the_softened_matrix)
{
    for (int cap = 1; cap <= 2; cap++) {
        ifd_builder *b = ifd_builder_make(*state);
        int x = ifd_builder_dof(b, "x", IFD_DOF_X);
        ifd_builder_add(b, IFD_MASS, x, x, 1000);
        /* 1e12 N/m at rest, nearly 0 at 0.01 m; 1e8 N/m at 1 mm declared, about 100 times that at 0.01 m */
        add_pair(b, "cubic-spring", IFD_GROUND, x, "stiffness", 1e12, "epsilon", -1 / (3 * 1e-4), NULL);
        add_pair(b, "cubic-spring", IFD_GROUND, x, "stiffness", 1e8, "epsilon", 3.3e5, "largest", 1e-4, NULL);
        ifd_builder_initial(b, x, 0.01, 0);
        const ifd_model *m = made(*state, b);
        ifd_step_options opt =
            options("lsrt2", 1e-3, (pair[]){{"jacobian", 0, "bounded"}, {"tangent-cap", cap, NULL}, {0}});
        ifd_stepper *s = stepper_of(*state, &opt, m);
        double *y = state_of(*state, s);
        ifd_stepper_stage(s, 0, 0, NULL, y);
        bool all = actives(s, y) == 2;
        assert_int_equal(ifd_stepper_fault(s, y), all ? IFD_STEP_OK : IFD_STEP_TANGENT);
    }
}

/* Stability first: springs beyond their base get their places before those that only yielded. */
TEST_IN_ARENA(stiffened_elements_come_before_softened_ones)
{
    const law plastic = {"bilinear", {"stiffness", "ratio", "yield"}, {4e9, 0.05, 1e-4}};
    ifd_builder *b = chain_of(*state, 100, &plastic, 4e6, 1.5);
    for (int i = 0; i < 4; i++)
        add_pair(b, "cubic-spring", i * 20, i * 20 + 1, "stiffness", 1e8, "epsilon", 1e7, "largest", 1e-5, NULL);
    const ifd_model *m = made(*state, b);
    const pair few[] = {{"jacobian", 0, "bounded"}, {"tangent-cap", 4, NULL}, {"tangent-tolerance", 1e-6, NULL}, {0}};
    ifd_step_options opt = options("lsrt2", 5e-4, few);
    ifd_stepper *s = stepper_of(*state, &opt, m);
    double *x = state_of(*state, s);
    int at = row_of(s, "tangent.active"), stiffened = 0, full = 0;
    for (int step = 0; step < 300; step++) {
        advance_steps(s, step, 1, x);
        full += actives(s, x) == 4;
        for (int e = 100; e < 104; e++)
            stiffened += x[at + e] != 0;
    }
    assert_true(stiffened > 20 && full > 20);
    assert_int_equal(ifd_stepper_fault(s, x), IFD_STEP_OK);
}

/* Below these values of gamma the budget of 0.05 does not keep the method stable. */
TEST_IN_ARENA(a_small_gamma_is_refused)
{
    const ifd_model *m = large(*state, &yielding);
    const struct {
        const char *method;
        double gamma;
        ifd_status status;
    } rows[] = {{"lsrt2", 0.29, IFD_RANGE}, {"lsrt2", 0.3, IFD_OK}, {"lsrt1", 0.99, IFD_RANGE}, {"lsrt1", 1, IFD_OK}};
    for (size_t k = 0; k < COUNT(rows); k++) {
        ifd_stepper *s;
        ifd_step_options opt =
            options(rows[k].method, 1e-3, (pair[]){{"jacobian", 0, "bounded"}, {"gamma", rows[k].gamma, NULL}, {0}});
        assert_int_equal(ifd_stepper_make(*state, &opt, m, &s, NULL), rows[k].status);
    }
}

/* Contact 25 times as stiff as the chain: closed in the Jacobian, it is stable; open, it is not. */
TEST_IN_ARENA(contact_keeps_its_closed_tangent)
{
    const double h = 2e-3;
    const law contact = {"gap", {"stiffness", "gap", "side"}, {1e9, 2e-3, 2}};
    const ifd_model *m = made(*state, chain_of(*state, MASSES, &contact, 4e7, 6.0));
    int first;
    ifd_step_options frozen = options("lsrt2", h, (pair[]){{"jacobian", 0, "frozen"}, {0}});
    ifd_stepper *s = stepper_of(*state, &frozen, m);
    assert_true(survive(s, state_of(*state, s), 2000, &first) >= 1e3);
    ifd_step_options bounded = options("lsrt2", h, (pair[]){{"jacobian", 0, "bounded"}, {0}});
    double *x = state_of(*state, s = stepper_of(*state, &bounded, m));
    assert_true(survive(s, x, 100000, &first) < 1);
    assert_int_equal(first, -1);
    assert_int_equal(actives(s, x), 0);
}

/* Elements whose stiffest tangent is not known are always corrected, also beyond the cap. */
TEST_IN_ARENA(viscous_elements_are_always_corrected)
{
    ifd_builder *b = chain_of(*state, MASSES, &yielding, 4e6, 3.0);
    for (int i = 0; i < 3; i++)
        add_pair(b, "power-dashpot", i, i + 5, "coefficient", 1e4, "exponent", 0.5, NULL);
    const ifd_model *m = made(*state, b);
    ifd_step_options opt = options("lsrt2", 1e-3, none_corrected);
    ifd_stepper *s = stepper_of(*state, &opt, m);
    double *x = state_of(*state, s);
    advance_steps(s, 0, 50, x);
    int at = row_of(s, "tangent.active");
    assert_int_equal(actives(s, x), 3);
    for (int e = MASSES; e < m->ne; e++)
        assert_true(x[at + e] == 1);
}

static double uniform(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1 << 24);
}

/* Largest real part of an eigenvalue of D F. */
static double worst_eigenvalue(int n, const double *D, const double *F)
{
    double A[16], re[4], im[4], most = -HUGE_VAL;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            A[i + j * n] = 0;
            for (int k = 0; k < n; k++)
                A[i + j * n] += D[i + k * n] * F[k + j * n];
        }
    assert_int_equal(LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'N', n, A, n, re, im, NULL, 1, NULL, 1), 0);
    for (int i = 0; i < n; i++)
        most = fmax(most, re[i]);
    return most;
}

TEST(the_budget_bounds_the_eigenvalue_of_random_blocks)
{
    unsigned seed = 7;
    int stiffer = 0;
    for (int trial = 0; trial < 1000; trial++) {
        int n = 1 + trial % 4;
        double D[16], F[16], G[16], pi, trace = 0;
        for (int i = 0; i < n * n; i++)
            G[i] = 2 * uniform(&seed) - 1;
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++) {
                D[i + j * n] = D[j + i * n] = 2 * uniform(&seed) - 1;
                double sum = 0;
                for (int k = 0; k < n; k++)
                    sum += G[i + k * n] * G[j + k * n];
                F[i + j * n] = F[j + i * n] = sum;
            }
        ifd__block b = {.nq = n, .D = D};
        double mu = ifd__bound_change(&b, F, &pi), true_value = worst_eigenvalue(n, D, F);
        for (int i = 0; i < n; i++)
            trace += fabs(D[i + i * n]) * F[i + i * n];
        assert_true(pi >= true_value - 1e-12 && mu >= trace - 1e-12);
        stiffer += true_value > 0;
    }
    assert_true(stiffer > 500);
}

TESTS()
