/* SPDX-License-Identifier: MIT */
/* Chords that turn with their nodes. */
#include "case/texts.h"

#include <string.h>

#include "model/element.h"

/* Two bars of EA = 4 MN, half span 2 m, rise 0.2 m; the member between the two supports only makes it a frame. */
#define TRUSS                                                                                                        \
    "time: {step: 1 ms, end: 1 s}\nmethod: {lsrt2: {jacobian: exact}}\nmodel:\n  frame:\n"                           \
    "    material: {young: 210 GPa}\n    sections: {s: {width: 0.1 m, depth: 0.1 m}}\n"                              \
    "    nodes: {a: [0 m, 0 m], b: [2 m, 0.2 m], c: [4 m, 0 m]}\n    members: [[a, c, s]]\n"                         \
    "    supports: {a: fixed, c: fixed, b: [rz]}\n  masses: {b: 100 kg}\n"
#define BARS(stiffness)                                                                                              \
    "  elements:\n    - {name: left, spring: {between: [a, b], geometry: large, stiffness: " stiffness "}}\n"        \
    "    - {name: right, spring: {between: [b, [4 m, 0 m]], geometry: large, stiffness: " stiffness "}}\n"

/* The force downwards at the crown for its deflection, by an independent program. */
TEST_IN_ARENA(a_flat_truss_snaps_through)
{
    static const double path[][2] = {{0.02, 674.819016}, {0.2, 0.0}, {0.3, -1486.05947}, {0.44, 2073.93765}};
    const ifd_model *m = read(TRUSS BARS("1990074.380418 N/m"))->run.model; /* EA/L0, L0 = sqrt(4.04) m */
    double q[8], r[8], g[1];
    assert_int_equal(m->n, 2);
    assert_int_equal(m->nq, 4);
    for (size_t i = 0; i < COUNT(path); i++) {
        double u[2] = {0.0, 0.0}, v[2] = {0.0, 0.0}, f[2] = {0.0, 0.0};
        u[ifd_model_find_dof(m, "b.y")] = -path[i][0];
        ifd__model_coordinates(m, 0.0, u, v, q, q + 4);
        ifd__model_forces(m, &(ifd_element_in){.q = q, .qd = q + 4, .s = m->s0}, r, g);
        ifd__model_scatter(m, -1.0, r, f);
        assert_near(f[ifd_model_find_dof(m, "b.y")], path[i][1], 5e-6, "at %g m", path[i][0]);
        assert_near(f[ifd_model_find_dof(m, "b.x")], 0.0, 1e-6, "symmetric at %g m", path[i][0]);
    }
}

/* Derivatives of an element in space against central differences, at a pose that is turned and moves. */
static void compare_derivatives(const char *name, const char *parameter[], const double *value)
{
    enum { AXES = 3, STATES = 8 };
    static const double X[AXES] = {3.0, -1.0, 2.0};
    const ifd_element_ops *law = ifd_element_find(name), *ops = ifd__chord_ops(arena, law, AXES, X);
    ifd_value values[32];
    ifd_param_preset(law->params, values);
    for (int i = 0; parameter[i]; i++)
        values[ifd_param_find(law->params, parameter[i])] = ifd_number(value[i]);
    ifd_element e = {.ops = ops, .name = "e", .nq = AXES};
    assert_int_equal(ops->make(&e, values, arena, &note), IFD_OK);
    assert_true(e.ns <= STATES);
    double at[2 * AXES] = {0.3, 0.5, -0.4, 0.2, -0.7, 0.9}, zero[AXES] = {0.0}, s[STATES] = {0.01, 0.0};
    double r_q[2][AXES * AXES] = {{0.0}}, g_q[2][STATES * AXES] = {{0.0}};
    const ifd_element_in in = {.q = at, .qd = at + AXES, .qdd = zero, .s = s};
    ops->eval(&e, &in, &(ifd_element_out){.r_q = r_q[0], .r_v = r_q[1], .g_q = g_q[0], .g_v = g_q[1]});
    double size = 0.0, rate = 0.0;
    for (int k = 0; k < 2 * AXES * AXES; k++)
        size = fmax(size, fabs(r_q[k / 9][k % 9]));
    for (int k = 0; k < 2 * e.ns * AXES; k++)
        rate = fmax(rate, fabs(g_q[k / (e.ns * AXES)][k % (e.ns * AXES)]));
    for (int j = 0; j < 2 * AXES; j++) {
        const double step = 1e-5;
        double r[2][AXES] = {{0.0}}, g[2][STATES] = {{0.0}}, kept = at[j];
        for (int side = 0; side < 2; side++) {
            at[j] = kept + (side ? step : -step);
            ops->eval(&e, &in, &(ifd_element_out){.r = r[side], .g = g[side]});
        }
        at[j] = kept;
        for (int i = 0; i < AXES; i++)
            assert_near(r_q[j / AXES][i + j % AXES * AXES], (r[1][i] - r[0][i]) / (2.0 * step), 1e-7 * size,
                        "%s: force %d, coordinate %d", name, i, j);
        for (int i = 0; i < e.ns; i++)
            assert_near(g_q[j / AXES][i + j % AXES * e.ns], (g[1][i] - g[0][i]) / (2.0 * step), 1e-7 * rate + 1e-12,
                        "%s: rate %d, coordinate %d", name, i, j);
    }
}

TEST_IN_ARENA(its_derivatives_are_those_of_its_force)
{
    static const char *spring[] = {"stiffness", NULL}, *dashpot[] = {"coefficient", "exponent", NULL},
                      *bouc[] = {"stiffness", "alpha", "beta", "gamma", NULL};
    compare_derivatives("spring", spring, (const double[]){2000.0});
    compare_derivatives("power-dashpot", dashpot, (const double[]){300.0, 0.5});
    compare_derivatives("bouc-wen", bouc, (const double[]){2000.0, 0.1, 20.0, 10.0});
}

/* A mass of 1 kg circles an anchor on a spring of 100 N/m that is 10 % longer than its 1 m: v^2 = k (L - L0) L/m. */
static double error_after_a_turn(double h)
{
    const double v = sqrt(100.0 * 0.1 * 1.1), turn = 2.0 * acos(-1.0) * 1.1 / v;
    const ifd_case *c =
        read(ifd_arena_print(arena,
                             "time: {step: %.17g, end: %.17g}\nmethod: {lsrt2: {jacobian: exact}}\nmodel:\n  frame:\n"
                             "    material: {young: 1}\n    sections: {s: {width: 1, depth: 1}}\n"
                             "    nodes: {o: [0, 0], p: [0, 5], b: [1, 0]}\n    members: [[o, p, s]]\n"
                             "    supports: {o: fixed, p: fixed, b: [rz]}\n  masses: {b: 1}\n"
                             "  elements: [{spring: {between: [o, b], geometry: large, stiffness: 100}}]\n"
                             "initial: {displacement: {b.x: 0.1}, velocity: {b.y: %.17g}}\n",
                             turn * h, turn, v));
    ifd_run *r;
    int count;
    double out;
    assert_int_equal(ifd_run_make(arena, &c->run, &r, &note), IFD_OK);
    (void)ifd_run_columns(r, &count);
    while (ifd_run_tick(r) == IFD_RUN_GOING)
        continue;
    const double *u = ifd_run_values(r);
    const ifd_column *column = ifd_run_columns(r, &count);
    assert_string_equal(column[1].owner, "b.y");
    out = hypot(u[0] - 0.1, u[1]);
    ifd_run_close(r);
    return out;
}

TEST_IN_ARENA(a_mass_circles_its_anchor_with_second_order)
{
    double coarse = error_after_a_turn(1e-3), fine = error_after_a_turn(5e-4);
    assert_true(fine < 1e-4);
    assert_near(log2(coarse / fine), 2.0, 0.05, "order");
}

TEST_IN_ARENA(a_chord_without_length_stops_the_run)
{
    const ifd_case *c =
        read(TRUSS "  elements: [{spring: {between: [[2 m, -0.8 m], b], geometry: large, stiffness: 1 "
                   "N/m}}]\ninitial: {velocity: {b.y: -2 m/s}}\n");
    ifd_run *r;
    ifd_run_state at;
    assert_int_equal(ifd_run_make(arena, &c->run, &r, &note), IFD_OK);
    while ((at = ifd_run_tick(r)) == IFD_RUN_GOING)
        continue;
    assert_int_equal(at, IFD_RUN_FAULT);
    assert_int_equal(ifd_run_fault(r).fault, IFD_FAULT_LENGTH);
    assert_near(ifd_run_time(r), 0.475, 0.002, "0.95 m at 2 m/s");
    ifd_run_close(r);
}

TESTS_WITH(files_open, files_close)
