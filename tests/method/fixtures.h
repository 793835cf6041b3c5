/* SPDX-License-Identifier: MIT */
/* Models and small tools for the tests of methods and analyses. Everything lives in the arena of the test. */
#pragma once

#include "check.h"

#include <stdlib.h>
#include <string.h>

#include <interfield/method.h>

#define UNUSED __attribute__((unused))

/* Fails the test with the first finding of the note when status is not IFD_OK. */
#define assert_ok(status, note) check_ok((status), (note), __FILE__, __LINE__)

UNUSED static void check_ok(ifd_status status, const ifd_note *note, const char *file, int line)
{
    if (status == IFD_OK)
        return;
    print_error("%s: %s\n", ifd_status_name(status), note && note->first ? note->first->text : "");
    _fail(file, line);
}

/* One element on one coordinate between two references; numbers by name, the list ended by NULL. */
UNUSED static void add_pair(ifd_builder *b, const char *kind, int from, int to, ...)
{
    const ifd_element_ops *ops = ifd_element_find(kind);
    assert_non_null(ops);
    ifd_value v[32];
    ifd_param_preset(ops->params, v);
    va_list args;
    va_start(args, to);
    for (const char *name; (name = va_arg(args, const char *));) {
        int i = ifd_param_find(ops->params, name);
        assert_true(i >= 0);
        v[i] = ifd_number(va_arg(args, double));
    }
    va_end(args);
    assert_int_equal(ifd_param_check(ops->params, v, kind, NULL, NULL), IFD_OK);
    int ref[2] = {to, from};
    double coefficient[2] = {1, -1};
    ifd_coordinate q = {2, ref, coefficient};
    assert_int_equal(ifd_builder_element(b, ops, kind, &(ifd_coordinates){1, &q}, v, NULL), IFD_OK);
}

/* An element whose coordinates are dofs themselves. */
UNUSED static void add_on_dofs(ifd_builder *b, const char *kind, int nq, const int *dof, const ifd_value *v)
{
    double one = 1;
    ifd_coordinate q[8];
    for (int i = 0; i < nq; i++)
        q[i] = (ifd_coordinate){1, &dof[i], &one};
    assert_int_equal(ifd_builder_element(b, ifd_element_find(kind), kind, &(ifd_coordinates){nq, q}, v, NULL),
                     IFD_OK);
}

/* Sliders with rows [k, d] beside a spring. */
UNUSED static void add_sliders(ifd_builder *b, int from, int to, int rows, const double *pairs, double spring)
{
    const ifd_element_ops *ops = ifd_element_find("sliders");
    ifd_value v[8];
    ifd_param_preset(ops->params, v);
    v[ifd_param_find(ops->params, "sliders")] = ifd_matrix(pairs, rows, 2);
    v[ifd_param_find(ops->params, "spring")] = ifd_number(spring);
    int ref[2] = {to, from};
    double coefficient[2] = {1, -1};
    ifd_coordinate q = {2, ref, coefficient};
    assert_int_equal(ifd_builder_element(b, ops, "sliders", &(ifd_coordinates){1, &q}, v, NULL), IFD_OK);
}

/* An element whose coordinates are dofs; numbers by name, the list ended by NULL. */
UNUSED static void add_element(ifd_builder *b, const char *kind, int nq, const int *dof, ...)
{
    const ifd_element_ops *ops = ifd_element_find(kind);
    ifd_value v[32];
    ifd_param_preset(ops->params, v);
    va_list args;
    va_start(args, dof);
    for (const char *name; (name = va_arg(args, const char *));) {
        int i = ifd_param_find(ops->params, name);
        assert_true(i >= 0);
        v[i] = ifd_number(va_arg(args, double));
    }
    va_end(args);
    add_on_dofs(b, kind, nq, dof, v);
}

UNUSED static const ifd_signal *signal_of(ifd_arena *arena, const char *kind, ...)
{
    const ifd_signal_kind *k = ifd_signal_find(kind);
    assert_non_null(k);
    ifd_value v[IFD_SIGNAL_PARAMS];
    ifd_param_preset(k->params, v);
    va_list args;
    va_start(args, kind);
    for (const char *name; (name = va_arg(args, const char *));) {
        int i = ifd_param_find(k->params, name);
        assert_true(i >= 0);
        v[i] = ifd_number(va_arg(args, double));
    }
    va_end(args);
    const ifd_signal *s = NULL;
    assert_int_equal(ifd_signal_make(arena, k, v, NULL, &s, NULL), IFD_OK);
    return s;
}

UNUSED static ifd_model *made(ifd_arena *arena, ifd_builder *b)
{
    ifd_note note;
    ifd_note_init(&note, arena);
    ifd_model *m = NULL;
    assert_ok(ifd_model_make(arena, b, &m, &note), &note);
    return m;
}

/* m u'' + c u' + k u = 0 */
UNUSED static ifd_builder *oscillator_builder(ifd_arena *arena, double m, double c, double k, double u0, double v0)
{
    ifd_builder *b = ifd_builder_make(arena);
    int x = ifd_builder_dof(b, "x", IFD_DOF_X);
    ifd_builder_add(b, IFD_MASS, x, x, m);
    if (k > 0)
        ifd_builder_spring(b, IFD_STIFFNESS, IFD_GROUND, x, k);
    if (c > 0)
        ifd_builder_spring(b, IFD_DAMPING, IFD_GROUND, x, c);
    ifd_builder_initial(b, x, u0, v0);
    return b;
}

UNUSED static ifd_model *oscillator(ifd_arena *arena, double m, double c, double k, double u0, double v0)
{
    return made(arena, oscillator_builder(arena, m, c, k, u0, v0));
}

/* n masses in a row, springs and dashpots between them, the first one held by the ground. Dof i has index i. */
UNUSED static ifd_builder *chain_builder(ifd_arena *arena, int n, double mass, double c, double k)
{
    ifd_builder *b = ifd_builder_make(arena);
    for (int i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "x%d", i);
        int x = ifd_builder_dof(b, name, IFD_DOF_X);
        ifd_builder_add(b, IFD_MASS, x, x, mass * (1 + 0.1 * (i % 3)));
        ifd_builder_spring(b, IFD_STIFFNESS, i ? x - 1 : IFD_GROUND, x, k * (1 + 0.05 * (i % 5)));
        if (c > 0)
            ifd_builder_spring(b, IFD_DAMPING, i ? x - 1 : IFD_GROUND, x, c);
        ifd_builder_initial(b, x, 0.02 * sin(1.0 + i), 0.1 * cos(0.7 * i));
    }
    return b;
}

/* A chain of n >= 5 masses that carries every kind of element with a state, a kink or a mass of its own, under ground
 * motion and a force. */
UNUSED static ifd_builder *everything_builder(ifd_arena *arena, int n)
{
    static const double pairs[] = {40, 0.01, 25, 0.03}, A[] = {-3, 1, 0, -8}, B[] = {1, 4}, C[] = {-0.6, 0.2},
                        D[] = {-0.5};
    ifd_builder *b = chain_builder(arena, n, 1, 0.4, 60);
    add_pair(b, "cubic-spring", IFD_GROUND, 0, "stiffness", 5.0, "epsilon", 300.0, NULL);
    add_pair(b, "power-dashpot", 0, 1, "coefficient", 0.8, "exponent", 0.7, "smoothing", 0.05, NULL);
    add_pair(b, "gap", 1, 2, "stiffness", 100.0, "gap", 0.01, NULL);
    add_pair(b, "bilinear", 2, 3, "stiffness", 30.0, "ratio", 0.1, "yield", 0.01, NULL);
    add_sliders(b, IFD_GROUND, 1, 2, pairs, 3);
    add_pair(b, "bouc-wen", 0, 2, "stiffness", 12.0, "alpha", 0.1, "beta", 30.0, "gamma", 15.0, NULL);
    add_pair(b, "bouc-wen", 3, 4, "stiffness", 9.0, "beta", 900.0, "gamma", 300.0, "n", 2.0, NULL);
    int th = ifd_builder_dof(b, "th", IFD_DOF_ANGLE);
    int sp = ifd_builder_dof(b, "sp", IFD_DOF_ANGLE), st = ifd_builder_dof(b, "st", IFD_DOF_DEFORMATION);
    int d1 = ifd_builder_dof(b, "d1", IFD_DOF_ANGLE), d2 = ifd_builder_dof(b, "d2", IFD_DOF_ANGLE);
    add_element(b, "pendulum", 2, (int[]){1, th}, "mass", 0.3, "length", 0.5, "damping", 0.01, NULL);
    add_element(b, "spring-pendulum", 3, (int[]){2, sp, st}, "mass", 0.2, "length", 0.6, "stiffness", 40.0, NULL);
    add_element(b, "double-pendulum", 3, (int[]){3, d1, d2}, "mass", 0.2, "length", 0.5, "mass2", 0.1, "length2", 0.4,
                NULL);
    ifd_builder_initial(b, th, 0.4, 0.1);
    ifd_builder_initial(b, sp, -0.3, 0.2);
    ifd_builder_initial(b, st, 0.02, 0);
    ifd_builder_initial(b, d1, 0.2, 0);
    ifd_builder_initial(b, d2, -0.25, 0.3);
    const ifd_element_ops *ops = ifd_element_find("block");
    ifd_value v[32];
    ifd_param_preset(ops->params, v);
    v[ifd_param_find(ops->params, "A")] = ifd_matrix(A, 2, 2);
    v[ifd_param_find(ops->params, "B")] = ifd_matrix(B, 2, 1);
    v[ifd_param_find(ops->params, "C")] = ifd_matrix(C, 1, 2);
    v[ifd_param_find(ops->params, "D")] = ifd_matrix(D, 1, 1);
    add_on_dofs(b, "block", 2, (int[]){4, 0}, v);
    add_element(b, "pid", 2, (int[]){3, 3}, "kp", -1.0, "ki", -0.5, "kd", -0.1, "filter", 0.05, NULL);
    add_element(b, "low-pass", 2, (int[]){2, 2}, "gain", -0.5, "cutoff", 3.0, NULL);
    add_element(b, "high-pass", 2, (int[]){1, 1}, "gain", -0.5, "cutoff", 2.0, NULL);
    add_element(b, "washout", 2, (int[]){0, 4}, "gain", -0.5, "time", 0.3, NULL);
    add_element(b, "lead-lag", 2, (int[]){4, 4}, "gain", -0.5, "lead", 0.2, "lag", 0.05, NULL);
    ifd_builder_ground(b, IFD_DOF_X, signal_of(arena, "sine", "amplitude", 1.5, "frequency", 1.2, NULL));
    ifd_builder_force(b, 1, signal_of(arena, "cosine", "amplitude", 1.0, "frequency", 0.9, NULL));
    return b;
}

/* The same with elements that advance their states themselves, and one that remembers reversals. */
UNUSED static ifd_builder *followers_builder(ifd_arena *arena, int n)
{
    static const double branch[] = {20, 0.8, 1, 15, 0.6, 0.5}, alpha[] = {10, 4}, c0[] = {0.1, 0.02}, c1[] = {2, 0.1};
    ifd_builder *b = everything_builder(arena, n);
    const ifd_element_ops *ops = ifd_element_find("maxwell");
    ifd_value v[32];
    ifd_param_preset(ops->params, v);
    v[ifd_param_find(ops->params, "branches")] = ifd_matrix(branch, 2, 3);
    add_on_dofs(b, "maxwell", 1, (int[]){2}, v);
    ops = ifd_element_find("mr-damper");
    ifd_param_preset(ops->params, v);
    v[ifd_param_find(ops->params, "alpha")] = ifd_list(alpha, 2);
    v[ifd_param_find(ops->params, "c0")] = ifd_list(c0, 2);
    v[ifd_param_find(ops->params, "c1")] = ifd_list(c1, 2);
    v[ifd_param_find(ops->params, "k0")] = ifd_number(3);
    v[ifd_param_find(ops->params, "k1")] = ifd_number(0.2);
    v[ifd_param_find(ops->params, "A")] = ifd_number(2);
    v[ifd_param_find(ops->params, "beta")] = ifd_number(300);
    v[ifd_param_find(ops->params, "gamma")] = ifd_number(400);
    v[ifd_param_find(ops->params, "voltage")] = ifd_number(1);
    add_on_dofs(b, "mr-damper", 1, (int[]){4}, v);
    add_pair(b, "steel", 1, 3, "stiffness", 20.0, "yield-force", 0.1, NULL);
    return b;
}

/* The same with bearings, hinges, braces and dampers, and a cantilever of fibres with masses of its own. */
UNUSED static ifd_builder *catalogue_builder(ifd_arena *arena, int n)
{
    static const double radii[] = {1, 0.3}, friction[] = {0.02, 0.06, 0.1};
    ifd_builder *b = followers_builder(arena, n);
    add_pair(b, "lead-rubber", 0, 1, "yield-force", 0.1, "yield-displacement", 0.01, NULL);
    add_pair(b, "friction-pendulum", 1, 2, "load", 1.0, "friction", 0.1, "radius", 2.0, NULL);
    add_pair(b, "hinge", 2, 3, "stiffness", 10.0, "yield-force", 0.1, "unloading", 0.4, NULL);
    add_pair(b, "pivot", 3, 4, "stiffness", 10.0, "yield-force", 0.1, "beta", 0.4, NULL);
    add_pair(b, "self-centring", 0, 3, "stiffness", 10.0, "stiffness-after", 1.0, "activation-force", 0.1,
             "dissipation", 0.7, NULL);
    add_pair(b, "bouc-wen-degrading", 1, 4, "stiffness", 8.0, "beta", 600.0, "gamma", 400.0, "n", 1.5, "pinching",
             0.9, "pinching-rate", 0.8, "psi0", 0.002, "yield-force", 0.08, "yield-displacement", 0.01, NULL);
    add_pair(b, "brb", 0, 4, "stiffness", 15.0, "hardening", 0.3, "yield-force", 0.1, NULL);
    add_pair(b, "bingham", IFD_GROUND, 2, "friction-force", 0.1, "damping", 0.2, NULL);
    add_pair(b, "mr-tanh", IFD_GROUND, 3, "damping", 0.2, "stiffness", 1.0, "amplitude", 0.1, "slope", 4.0, NULL);
    for (int triple = 0; triple < 2; triple++) {
        const char *kind = triple ? "triple-pendulum-bearing" : "double-pendulum-bearing";
        const ifd_element_ops *ops = ifd_element_find(kind);
        ifd_value v[32];
        ifd_param_preset(ops->params, v);
        v[ifd_param_find(ops->params, "radii")] = ifd_list(radii, 2);
        v[ifd_param_find(ops->params, "friction")] = ifd_list(friction, 2 + triple);
        v[ifd_param_find(ops->params, "load")] = ifd_number(1);
        v[ifd_param_find(ops->params, "stiffness")] = ifd_number(30);
        add_on_dofs(b, kind, 1, (int[]){triple}, v);
    }
    static const double points[] = {0.01, 0.1, 0.03, 0.2};
    ifd_value v[32];
    ifd_param_preset(ifd_element_find("multilinear")->params, v);
    v[ifd_param_find(ifd_element_find("multilinear")->params, "points")] = ifd_matrix(points, 2, 2);
    add_on_dofs(b, "multilinear", 1, (int[]){2}, v);
    static const double sand[] = {0.6, 1e4, 2e7}; /* friction angle, weight, modulus */
    ifd_param_preset(ifd_element_find("p-y")->params, v);
    v[ifd_param_find(ifd_element_find("p-y")->params, "depth")] = ifd_number(1.0);
    v[ifd_param_find(ifd_element_find("p-y")->params, "diameter")] = ifd_number(0.05);
    v[ifd_param_find(ifd_element_find("p-y")->params, "length")] = ifd_number(5e-6);
    v[ifd_param_find(ifd_element_find("p-y")->params, "drag")] = ifd_number(0.3);
    v[ifd_param_find(ifd_element_find("p-y")->params, "soil")] = ifd_list(sand, 3);
    add_on_dofs(b, "p-y", 1, (int[]){3}, v);
    add_pair(b, "t-z", 0, 2, "diameter", 0.5, "friction", 0.1, NULL);
    add_pair(b, "q-z", IFD_GROUND, 4, "diameter", 0.5, "resistance", 0.2, NULL);
    int end[3] = {ifd_builder_dof(b, "fx", IFD_DOF_X), ifd_builder_dof(b, "fy", IFD_DOF_Y),
                  ifd_builder_dof(b, "ft", IFD_DOF_ANGLE)};
    for (int i = 0; i < 3; i++)
        ifd_builder_add(b, IFD_MASS, end[i], end[i], 1e6);
    const int ends[6] = {IFD_GROUND, IFD_GROUND, IFD_GROUND, end[0], end[1], end[2]};
    add_element(b, "fibre-beam", 6, ends, "length", 2.0, "width", 0.2, "depth", 0.4, "layers", 4.0, "young", 2e11,
                "yield-stress", 3.5e8, "hardening", 0.02, NULL);
    add_element(b, "p-delta-member", 6, ends, "length", 2.0, "axial-force", -5e5, "axial-stiffness", 4e8, NULL);
    return b;
}

typedef struct pair {
    const char *name;
    double number;
    const char *word; /* used when not NULL */
} pair;

/* Options of a method with some parameters set; a pair without a name ends the list. */
UNUSED static ifd_step_options options(const char *method, double h, const pair *set)
{
    ifd_step_options opt;
    const ifd_method *m = ifd_method_find(method);
    assert_non_null(m);
    ifd_step_options_defaults(m, h, &opt);
    for (; set && set->name; set++)
        assert_true(ifd_step_options_set(&opt, set->name, set->word ? ifd_word(set->word) : ifd_number(set->number)));
    return opt;
}

UNUSED static ifd_stepper *stepper_of(ifd_arena *arena, const ifd_step_options *opt, const ifd_model *m)
{
    ifd_note note;
    ifd_note_init(&note, arena);
    ifd_stepper *s = NULL;
    assert_ok(ifd_stepper_make(arena, opt, m, &s, &note), &note);
    return s;
}

UNUSED static double *state_of(ifd_arena *arena, const ifd_stepper *s)
{
    double *x = ifd_arena_array(arena, (size_t)ifd_stepper_size(s), sizeof *x);
    assert_non_null(x);
    ifd_stepper_initial(s, x);
    ifd_stepper_start(s, 0.0, NULL, x);
    return x;
}

/* Whole steps from step `first` on. */
UNUSED static void advance_steps(const ifd_stepper *s, long first, long count, double *x)
{
    double h = ifd_stepper_step(s);
    for (long k = first; k < first + count; k++)
        for (int i = 0; i < ifd_stepper_stages(s); i++)
            ifd_stepper_stage(s, i, h * (double)k, NULL, x);
}

/* The state at `end` after steps of h. */
UNUSED static double *run_to(ifd_arena *arena, const ifd_step_options *opt, const ifd_model *m, double end)
{
    ifd_stepper *s = stepper_of(arena, opt, m);
    double *x = state_of(arena, s);
    advance_steps(s, 0, lround(end / opt->h), x);
    assert_int_equal(ifd_stepper_fault(s, x), IFD_STEP_OK);
    return x;
}

/* Largest difference of count numbers. */
UNUSED static double gap_of(int count, const double *a, const double *b)
{
    double gap = 0;
    for (int i = 0; i < count; i++) {
        double d = fabs(a[i] - b[i]);
        gap = d > gap || isnan(d) ? d : gap;
    }
    return gap;
}

UNUSED static int open_arena(void **state)
{
    *state = ifd_arena_open();
    return *state ? 0 : -1;
}

UNUSED static int close_arena(void **state)
{
    ifd_arena_close(*state);
    return 0;
}

#define in_arena(f) cmocka_unit_test_setup_teardown(f, open_arena, close_arena)

/* Two storeys; the lower one is an element that softens. */
UNUSED static ifd_model *softening_storeys(ifd_arena *arena)
{
    const double k1 = 2e6, k2 = 1.5e6, M[2] = {1000, 800}, K[2][2] = {{k1 + k2, -k2}, {-k2, k2}};
    ifd_builder *b = ifd_builder_make(arena);
    for (int i = 0; i < 2; i++)
        ifd_builder_add(b, IFD_MASS, ifd_builder_dof(b, i ? "x2" : "x1", IFD_DOF_X), i, M[i]);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            ifd_builder_add(b, IFD_DAMPING, i, j, (i == j ? 0.2 * M[i] : 0) + 0.0005 * K[i][j]);
    ifd_builder_spring(b, IFD_STIFFNESS, 0, 1, k2);
    add_pair(b, "cubic-spring", IFD_GROUND, 0, "stiffness", k1, "epsilon", -50.0, NULL);
    ifd_builder_ground(b, IFD_DOF_X, signal_of(arena, "sine", "amplitude", 8.0, "frequency", 3.2, NULL));
    return made(arena, b);
}
