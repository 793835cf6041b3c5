/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* `jacobian: bounded` for six laws, in the middle of a step, at constant cost, and its remark. */
#include "method/fixtures.h"

#include "method/stepper.h"
#include "method/tangent_inside.h"

enum { MASSES = 40 };

typedef struct law {
    const char *name, *kind;
    double stiffness;
    const char *key[3];
    double number[3];
    double linear, velocity, h; /* springs beside the elements, N/m; initial velocity, m/s; step, s */
} law;

/* Masses of 1 t; the highest frequency is 2 sqrt(k/m). */
static const law laws[] = {
    {"yielding", "bouc-wen", 4e8, {"alpha", "beta", "gamma"}, {0.05, 100, 100}, 4e6, 3.0, 1e-3},
    {"softening", "cubic-spring", 4e8, {"epsilon"}, {-1e3}, 4e6, 3.0, 1e-3},
    {"hardening 3.4 times", "cubic-spring", 4e7, {"epsilon", "largest"}, {2000, 0.02}, 4e6, 3.0, 1e-3},
    {"hardening 31 times", "cubic-spring", 4e7, {"epsilon", "largest"}, {25000, 0.02}, 0, 6.0, 2e-3},
    {"contact, small step", "gap", 5e7, {"gap", "side"}, {2e-3, 2}, 2e6, 1.0, 1e-3},
    {"contact, large step", "gap", 1e9, {"gap", "side"}, {2e-3, 2}, 4e7, 6.0, 2e-3},
};

static const ifd_model *chain_of(ifd_arena *arena, const law *l)
{
    ifd_builder *b = ifd_builder_make(arena);
    const ifd_element_ops *ops = ifd_element_find(l->kind);
    for (int i = 0; i < MASSES; i++) {
        char name[16];
        snprintf(name, sizeof name, "x%d", i);
        int x = ifd_builder_dof(b, name, IFD_DOF_X), other = i ? x - 1 : IFD_GROUND;
        ifd_builder_add(b, IFD_MASS, x, x, 1000);
        ifd_builder_spring(b, IFD_STIFFNESS, other, x, l->linear);
        ifd_value v[16];
        ifd_param_preset(ops->params, v);
        v[ifd_param_find(ops->params, "stiffness")] = ifd_number(l->stiffness);
        for (int k = 0; k < 3 && l->key[k]; k++)
            v[ifd_param_find(ops->params, l->key[k])] = ifd_number(l->number[k]);
        ifd_coordinate q = {2, (int[]){x, other}, (double[]){1, -1}};
        assert_int_equal(ifd_builder_element(b, ops, name, &(ifd_coordinates){1, &q}, v, NULL), IFD_OK);
        ifd_builder_initial(b, x, 0, l->velocity * sin(0.08 * (i + 1)));
    }
    return made(arena, b);
}

static double largest(int count, const double *x)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fabs(x[i]) <= most ? most : fabs(x[i]);
    return most;
}

static ifd_step_options bounded(double h, int cap, double tolerance)
{
    const pair set[] = {
        {"jacobian", 0, "bounded"}, {"tangent-cap", cap, NULL}, {"tangent-tolerance", tolerance, NULL}, {0}};
    return options("lsrt2", h, set);
}

static int row_of(const ifd_stepper *s, const char *name)
{
    int count;
    const ifd_state_row *row = ifd_stepper_states(s, &count);
    for (int i = 0; i < count; i++)
        if (strcmp(row[i].name, name) == 0)
            return row[i].offset;
    fail_msg("no row %s", name);
    return -1;
}

/* The stiffest base never loses stability, whatever is corrected, and no budget is exceeded. It may be up to five
 * times less accurate than the exact Jacobian. IFD_LARGE: 100,000 steps instead of 3,000. */
TEST_IN_ARENA(six_laws_are_stable_and_accurate)
{
    const int caps[] = {0, 8, 64};
    for (size_t k = 0; k < COUNT(laws); k++) {
        const law *l = &laws[k];
        const ifd_model *m = chain_of(*state, l);
        ifd_step_options fine = options("lsrt2", l->h / 16, NULL);
        const double *truth = run_to(*state, &fine, m, 0.1);
        ifd_step_options plain = options("lsrt2", l->h, NULL);
        double exact = gap_of(m->n, run_to(*state, &plain, m, 0.1), truth);
        for (size_t c = 0; c < COUNT(caps); c++) {
            ifd_step_options opt = bounded(l->h, caps[c], 1e-2);
            ifd_stepper *s = stepper_of(*state, &opt, m);
            double *x = state_of(*state, s), most = 0;
            double error = gap_of(m->n, run_to(*state, &opt, m, 0.1), truth);
            for (int step = 0; step < (getenv("IFD_LARGE") ? 100000 : 3000); step++) {
                advance_steps(s, step, 1, x);
                most = fmax(most, largest(m->n, x));
            }
            assert_int_equal(ifd_stepper_fault(s, x), IFD_STEP_OK);
            assert_true(x[row_of(s, "tangent.beyond")] == 0);
            assert_true(most < 1 && error < 5 * exact);
        }
    }
}

/* A state between two stages in another stepper: the Jacobian of the first stage is computed again, bit by bit. */
TEST_IN_ARENA(a_step_continues_in_its_middle_with_the_same_bits)
{
    static const pair sets[][4] = {{{0}},
                                   {{"jacobian", 0, "refactor"}},
                                   {{"jacobian", 0, "bounded"}, {"tangent-cap", 7, NULL}},
                                   {{"jacobian", 0, "bounded"}, {"tangent-cap", 1000, NULL}}};
    for (size_t k = 0; k < COUNT(sets); k++) {
        const ifd_model *m = chain_of(*state, &laws[0]);
        ifd_step_options opt = options("lsrt2", 1e-3, sets[k]);
        ifd_stepper *a = stepper_of(*state, &opt, m), *b = stepper_of(*state, &opt, m);
        size_t bytes = sizeof(double) * (size_t)ifd_stepper_size(a);
        double *x = state_of(*state, a), *y = state_of(*state, b);
        advance_steps(a, 0, 60, x);
        advance_steps(b, 0, 7, y); /* the other one comes from elsewhere */
        ifd_stepper_stage(a, 0, 0.06, NULL, x);
        memcpy(y, x, bytes);
        ifd_stepper_stage(a, 1, 0.06, NULL, x);
        ifd_stepper_stage(b, 1, 0.06, NULL, y);
        assert_memory_equal(x, y, bytes);
        advance_steps(a, 61, 20, x);
        advance_steps(b, 61, 20, y);
        assert_memory_equal(x, y, bytes);
    }
}

/* Tolerance 0: all places are used in every step. */
TEST_IN_ARENA(without_a_tolerance_the_cost_is_constant)
{
    const ifd_model *m = chain_of(*state, &laws[0]);
    ifd_step_options opt = bounded(1e-3, 9, 0);
    ifd_stepper *s = stepper_of(*state, &opt, m);
    double *x = state_of(*state, s);
    int at = row_of(s, "tangent.active");
    for (int step = 0; step < 100; step++) {
        int active = 0;
        advance_steps(s, step, 1, x);
        for (int e = 0; e < m->ne; e++)
            active += x[at + e] != 0;
        assert_int_equal(active, 9);
    }
}

/* Springs with an understated `largest`: `warn` continues and counts the steps. */
TEST_IN_ARENA(a_warning_continues_and_counts)
{
    law l = laws[3];
    l.number[1] = 0.005;
    const ifd_model *m = chain_of(*state, &l);
    ifd_step_options opt = bounded(l.h, 0, 1e-2), stops = opt;
    assert_true(ifd_step_options_set(&opt, "tangent-beyond", ifd_word("warn")));
    ifd_stepper *s = stepper_of(*state, &opt, m), *t = stepper_of(*state, &stops, m);
    double *x = state_of(*state, s), *y = state_of(*state, t);
    advance_steps(s, 0, 50, x);
    advance_steps(t, 0, 50, y);
    double counted = x[row_of(s, "tangent.beyond")];
    assert_true(counted > 0 && counted == y[row_of(t, "tangent.beyond")]);
    assert_int_equal(ifd_stepper_fault(s, x), IFD_STEP_OK);
    assert_int_equal(ifd_stepper_fault(t, y), IFD_STEP_TANGENT);
}

static bool remarked(ifd_arena *arena, const law *l, double h)
{
    ifd_note note;
    ifd_stepper *s;
    ifd_note_init(&note, arena);
    ifd_step_options opt = bounded(h, 64, 1e-2);
    assert_int_equal(ifd_stepper_make(arena, &opt, chain_of(arena, l), &s, &note), IFD_OK);
    if (note.remark_first)
        assert_non_null(strstr(note.remark_first->text, "more than 10 times its initial stiffness"));
    return note.remark_first != NULL;
}

/* More than 10 times the initial stiffness, and omega h above 0.1. */
TEST_IN_ARENA(a_base_that_costs_accuracy_is_remarked)
{
    assert_false(remarked(*state, &laws[0], 2e-3)); /* the base is the initial stiffness, or at most twice it */
    assert_false(remarked(*state, &laws[1], 2e-3));
    assert_false(remarked(*state, &laws[2], 1e-3)); /* 3.4 times */
    assert_true(remarked(*state, &laws[3], 2e-3));
    assert_false(remarked(*state, &laws[3], 1e-4));
    assert_true(remarked(*state, &laws[5], 2e-3));
    assert_false(remarked(*state, &laws[5], 2e-5));
}

TESTS()
