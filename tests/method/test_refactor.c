/* SPDX-License-Identifier: MIT */
/* `jacobian: refactor`: the exact Jacobian by another way, its fixed cost, and matrices that have no factor. */
#include "method/fixtures.h"

#include "base/memory.h"
#include "method/stepper.h"
#include "method/tangent_inside.h"

static const pair anew[] = {{"jacobian", 0, "refactor"}, {0}};

static double largest(int count, const double *x)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* Steps of both Jacobians from the same state, which then continues with the exact one. */
static void compare(ifd_arena *arena, const char *method, const ifd_model *m, double h, int steps)
{
    ifd_step_options exact = options(method, h, NULL), factored = options(method, h, anew);
    ifd_stepper *a = stepper_of(arena, &exact, m), *b = stepper_of(arena, &factored, m);
    double *x = state_of(arena, a), *y = state_of(arena, b), moved = 0, worst = 0;
    int count = 2 * m->n + m->ns;
    assert_int_equal(ifd_stepper_size(a), ifd_stepper_size(b));
    for (int step = 0; step < steps; step++) {
        memcpy(y, x, sizeof(double) * (size_t)ifd_stepper_size(a));
        advance_steps(a, step, 1, x);
        advance_steps(b, step, 1, y);
        assert_int_equal(ifd_stepper_fault(b, y), IFD_STEP_OK);
        moved = fmax(moved, largest(count, x));
        for (int i = 0; i < count; i++)
            worst = fmax(worst, fabs(x[i] - y[i]));
    }
    assert_true(moved > 0 && worst <= 1e-11 * moved);
}

TEST_IN_ARENA(it_is_the_exact_jacobian_with_every_kind_of_element)
{
    ifd_model *m = made(*state, followers_builder(*state, 70));
    assert_true(m->n > 64 && m->n > m->nq && m->inertial);
    compare(*state, "lsrt2", m, 0.002, 300);
    compare(*state, "lsrt1", m, 0.002, 300);
}

/* Masses in a row with two hysteretic elements in each place, and one across: more coordinates than dofs. */
static const ifd_model *crowded(ifd_arena *arena, int masses)
{
    ifd_builder *b = chain_builder(arena, masses, 1000, 500, 4e6);
    for (int i = 1; i < masses; i++) {
        add_pair(b, "bouc-wen", i - 1, i, "stiffness", 4e7, "alpha", 0.05, "beta", 900.0, "gamma", 100.0, NULL);
        add_pair(b, "cubic-spring", i - 1, i, "stiffness", 1e7, "epsilon", 4e3, NULL);
        if (i % 5 == 0)
            add_pair(b, "power-dashpot", i - 5, i, "coefficient", 1e4, "exponent", 0.5, NULL);
        ifd_builder_initial(b, i, 0, 2 * sin(0.4 + 0.9 * i));
    }
    return made(arena, b);
}

TEST_IN_ARENA(more_coordinates_than_dofs_are_no_limit)
{
    const ifd_model *m = crowded(*state, 100);
    assert_true(m->nq > m->n && m->n > 64);
    compare(*state, "lsrt2", m, 1e-3, 200);
}

/* Large enough for the sparse factor of an unsymmetric matrix; a load follows every third mass. */
TEST_IN_ARENA(an_unsymmetric_matrix_is_factored_in_every_step)
{
    ifd_builder *b = chain_builder(*state, 140, 1000, 500, 4e6);
    for (int i = 1; i < 140; i++) {
        if (i % 3 == 0)
            ifd_builder_add(b, IFD_STIFFNESS, i - 1, i, 1e6);
        if (i % 2)
            add_pair(b, "bouc-wen", i - 1, i, "stiffness", 4e7, "alpha", 0.05, "beta", 900.0, "gamma", 100.0, NULL);
        ifd_builder_initial(b, i, 0, 2 * sin(0.4 + 0.9 * i));
    }
    const ifd_model *m = made(*state, b);
    assert_true(!m->symmetric && m->nq < m->n);
    compare(*state, "lsrt2", m, 1e-3, 100);
}

static ifd__tangent *tangent(ifd_arena *arena, const ifd_model *m, ifd__jacobian jacobian, ifd_status expected)
{
    const ifd__tangent_options opt = {.cm = 1.0, .cv = 3e-4, .cu = 9e-8, .cs = 3e-4, .jacobian = jacobian};
    ifd__tangent *T = NULL;
    ifd_note note;
    ifd_note_init(&note, arena);
    assert_int_equal(ifd__tangent_make(arena, m, &opt, &T, &note), expected);
    if (expected != IFD_OK)
        assert_non_null(strstr(note.first->text, "of memory"));
    return T;
}

/* More coordinates than dofs: the frozen Jacobian of a large model is sparse, and that of a new factor. */
TEST_IN_ARENA(a_large_frozen_jacobian_is_sparse)
{
    const ifd_model *m = crowded(*state, 2001);
    ifd__tangent *frozen = tangent(*state, m, IFD__JACOBIAN_FROZEN, IFD_OK);
    ifd__tangent *anew_made = tangent(*state, m, IFD__JACOBIAN_REFACTOR, IFD_OK);
    double x[2001], y[2001];
    assert_true(m->nq > m->n && m->n == 2001);
    assert_int_equal(frozen->mode, TANGENT_CAPACITANCE);
    for (int i = 0; i < m->n; i++)
        x[i] = y[i] = sin(1.0 + i);
    ifd__tangent_solve(frozen, x);
    ifd__tangent_solve(anew_made, y);
    for (int i = 0; i < m->n; i++)
        assert_near(x[i], y[i], 1e-13 * largest(m->n, y), "dof %d", i);
    const ifd_model *smaller = crowded(*state, 120);
    assert_int_equal(tangent(*state, smaller, IFD__JACOBIAN_FROZEN, IFD_OK)->mode, TANGENT_DENSE);
}

/* As many springs as dofs, and two full matrices that do not fit. */
TEST_IN_ARENA(a_full_jacobian_without_room_is_refused)
{
    double available = ifd__memory_available();
    int n = (int)sqrt(available / 16.0 * 1.5);
    if (!isfinite(available) || n > 150000)
        return;
    ifd_builder *b = chain_builder(*state, n, 1000, 0, 4e6);
    for (int i = 0; i < n; i++)
        add_pair(b, "cubic-spring", i ? i - 1 : IFD_GROUND, i, "stiffness", 1e6, "epsilon", 1.0, NULL);
    tangent(*state, made(*state, b), IFD__JACOBIAN_EXACT, IFD_NO_MEMORY);
}

TEST_IN_ARENA(a_small_model_has_the_bits_of_the_exact_jacobian)
{
    const ifd_model *m = crowded(*state, 20);
    ifd_step_options exact = options("lsrt2", 1e-3, NULL), factored = options("lsrt2", 1e-3, anew);
    const double *x = run_to(*state, &exact, m, 0.2), *y = run_to(*state, &factored, m, 0.2);
    assert_memory_equal(x, y, sizeof(double) * (size_t)(2 * m->n + m->ns));
}

/* No memory of earlier steps beside the state: a second stepper continues with the same bits, also after it was
 * elsewhere. */
TEST_IN_ARENA(a_run_continues_from_its_state_with_the_same_bits)
{
    const ifd_model *m = crowded(*state, 100);
    ifd_step_options opt = options("lsrt2", 1e-3, anew);
    ifd_stepper *a = stepper_of(*state, &opt, m), *b = stepper_of(*state, &opt, m);
    size_t bytes = sizeof(double) * (size_t)ifd_stepper_size(a);
    double *x = state_of(*state, a), *y = state_of(*state, b);
    advance_steps(b, 0, 20, y);
    advance_steps(a, 0, 50, x);
    memcpy(y, x, bytes);
    advance_steps(a, 50, 50, x);
    advance_steps(b, 50, 50, y);
    assert_memory_equal(x, y, bytes);
}

/* A spring that softens to a negative stiffness beyond that of mass and other springs. */
TEST_IN_ARENA(a_matrix_that_is_not_positive_definite_is_a_fault)
{
    ifd_builder *b = chain_builder(*state, 80, 1000, 0, 4e6);
    add_pair(b, "cubic-spring", 39, 40, "stiffness", 1e11, "epsilon", -1e4, NULL);
    for (int i = 0; i < 80; i++)
        ifd_builder_initial(b, i, 0, 0);
    const ifd_model *m = made(*state, b);
    ifd_step_options opt = options("lsrt2", 1e-3, anew);
    ifd_stepper *s = stepper_of(*state, &opt, m);
    double *x = state_of(*state, s);
    memset(x, 0, sizeof(double) * (size_t)ifd_stepper_size(s));
    x[40] = 9e-3; /* 1 + 3 epsilon q^2 is below zero beyond 5.8 mm */
    ifd_stepper_stage(s, 0, 0, NULL, x);
    assert_int_equal(ifd_stepper_fault(s, x), IFD_STEP_SINGULAR);
    ifd_stepper_stage(s, 1, 0, NULL, x);
    for (int i = 0; i < ifd_stepper_size(s); i++)
        assert_true(isfinite(x[i]));
    memset(x, 0, sizeof(double) * (size_t)ifd_stepper_size(s)); /* it is not damaged by that */
    x[40] = 2e-3;
    ifd_stepper_stage(s, 0, 0, NULL, x);
    assert_int_equal(ifd_stepper_fault(s, x), IFD_STEP_OK);
}

TEST_IN_ARENA(order_two_holds)
{
    ifd_builder *b = chain_builder(*state, 80, 1000, 0, 4e6);
    for (int i = 1; i < 80; i++) {
        add_pair(b, "cubic-spring", i - 1, i, "stiffness", 4e7, "epsilon", -1e3, NULL);
        ifd_builder_initial(b, i, 0, 3 * sin(0.4 + 0.9 * i));
    }
    const ifd_model *m = made(*state, b);
    ifd_step_options fine = options("lsrt2", 3.125e-5, NULL);
    const double *truth = run_to(*state, &fine, m, 0.064);
    double error[3];
    for (int i = 0; i < 3; i++) {
        ifd_step_options opt = options("lsrt2", 1e-3 / (1 << i), anew);
        error[i] = gap_of(m->n, run_to(*state, &opt, m, 0.064), truth);
    }
    for (int i = 0; i < 2; i++)
        assert_near(log2(error[i] / error[i + 1]), 2, 0.1, "errors %g %g", error[i], error[i + 1]);
}

TESTS()
