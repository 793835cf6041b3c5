/* SPDX-License-Identifier: MIT */
/* Piles in soil: displacement and moment of the head against an independent computation. */
#include "case/texts.h"

#include <interfield/model.h>

/* A pile, EI 200 MN m2, and a force at the head. */
static const char text[] = "time: {step: 1 ms, end: 0.1 s}\n"
                           "loads: [{at: head.x, force: %g kN}]\n"
                           "model:\n"
                           "  frame:\n"
                           "    material: {young: 200 GPa, density: 2.5 t/m3}\n"
                           "    sections: {pile: {area: 0.25 m2, iz: 0.001 m4}}\n"
                           "    soils: {ground: {diameter: 0.6 m, layers: [{to: -20 m, %s}], friction: 40 kPa, tip: "
                           "800 kN}}\n"
                           "    nodes: {head: [0 m, 0 m], toe: [0 m, %d m]}\n"
                           "    members: [{from: %s, section: pile, name: shaft, segments: %d, soil: ground}]\n";

static const char sand[] = "sand: {friction-angle: 35 deg, weight: 10 kN/m3, modulus: 22 MN/m3}",
                  clay[] = "clay: {strength: 40 kPa, weight: 8 kN/m3, strain50: 0.01}";

/* x and rz of node i from the head, with these names at its ends. */
static void node_at(const ifd_model *m, const double *u, int i, int segments, double *x, double *turn)
{
    const char *name = i == 0 ? "head" : i == segments ? "toe" : ifd_arena_print(arena, "shaft.%d", i);
    *x = u[ifd_model_find_dof(m, ifd_arena_print(arena, "%s.x", name))];
    *turn = u[ifd_model_find_dof(m, ifd_arena_print(arena, "%s.rz", name))];
}

/* The largest moment at the upper end of a segment of length h: EI (4 rz1 + 2 rz2 - 6 (x2 - x1)/h)/h. */
static double largest_moment(const ifd_model *m, const double *u, int segments, double h)
{
    double most = 0.0, x[2], turn[2];
    for (int i = 0; i < segments; i++) {
        node_at(m, u, i, segments, &x[0], &turn[0]);
        node_at(m, u, i + 1, segments, &x[1], &turn[1]);
        most = fmax(most, fabs(200e6 / h * (4 * turn[0] + 2 * turn[1] - 6 * (x[1] - x[0]) / h)));
    }
    return most;
}

static double most_moment; /* of the last pile from head to toe */

static double displacement_of(double force, const char *soil, int toe, const char *ends, int segments)
{
    const ifd_case *c = read(ifd_arena_print(arena, text, force, soil, toe, ends, segments));
    const ifd_model *m = c->run.model;
    double *u = ifd_arena_array(arena, (size_t)ifd_model_dofs(m), sizeof *u);
    assert_int_equal(ifd_model_static(m, 0, arena, u, &note), IFD_OK);
    if (ends[0] == 'h')
        most_moment = largest_moment(m, u, segments, (double)-toe / segments);
    return u[ifd_model_find_dof(m, "head.x")];
}

static double head_displacement(double force, const char *soil, const char *ends)
{
    return displacement_of(force, soil, -12, ends, 24);
}

/* Clay of so large a strain that all stays on the first segment: 1.5 c D 0.1^(1/3)/(0.25 e50 D) per length at every
 * depth, here 20 MN/m2. A long pile has the head displacement 2 H beta/k, beta^4 = k/(4 EI); segments of 1 m and
 * 0.5 m have that of an independent computation. Without end corrections the first would be 4.96 % too small. */
TEST_IN_ARENA(a_pile_in_elastic_soil_moves_as_a_beam_on_elastic_foundation)
{
    const double k = 20e6, EI = 200e6, exact = 2 * 100e3 * pow(k / (4 * EI), 0.25) / k;
    const char *soil = ifd_arena_print(arena, "clay: {strength: %.15g Pa, weight: 0.001, strain50: 1, j: 0}",
                                       k * 0.25 / (1.5 * cbrt(0.1)));
    assert_near_rel(exact, 3.97635364e-3, 2e-9, "closed form");
    double one = displacement_of(100, soil, -20, "head, to: toe", 20),
           half = displacement_of(100, soil, -20, "head, to: toe", 40);
    assert_near_rel(one, 3.97291221e-3, 2e-8, "20 segments");
    assert_near_rel(half, 3.97670906e-3, 2e-8, "40 segments");
    assert_near_rel(one, exact, 1e-3, "20 segments, closed form");
    assert_near_rel(half, exact, 1e-4, "40 segments, closed form");
}

TEST_IN_ARENA(the_head_of_a_pile_moves_as_in_an_independent_computation)
{
    assert_near_rel(head_displacement(100, sand, "head, to: toe"), 5.11085955e-3, 2e-8, "sand, 100 kN");
    assert_near_rel(most_moment, 129.715295e3, 2e-8, "sand, 100 kN");
    assert_near_rel(head_displacement(300, sand, "head, to: toe"), 28.8613009e-3, 2e-8, "sand, 300 kN");
    assert_near_rel(most_moment, 564.687466e3, 2e-8, "sand, 300 kN");
    assert_near_rel(head_displacement(300, sand, "toe, to: head"), 28.8613009e-3, 2e-8, "sand, 300 kN");
    assert_near_rel(head_displacement(50, clay, "head, to: toe"), 2.91949453e-3, 2e-8, "clay, 50 kN");
    assert_near_rel(head_displacement(150, clay, "head, to: toe"), 19.146602e-3, 2e-8, "clay, 150 kN");
}

/* In space the springs act in both horizontal directions, and along z. */
TEST_IN_ARENA(a_pile_in_space_moves_alike_in_both_directions)
{
    const ifd_case *c =
        read(ifd_arena_print(arena,
                             "time: {step: 1 ms, end: 0.1 s}\n"
                             "loads: [{at: head.x, force: 100 kN}, {at: head.y, force: 300 kN}, {at: head.z, force: "
                             "-500 kN}]\n"
                             "model:\n"
                             "  frame:\n"
                             "    dimension: 3\n"
                             "    material: {young: 200 GPa, shear: 80 GPa, density: 2.5 t/m3}\n"
                             "    sections: {pile: {area: 0.25 m2, iz: 0.001 m4, iy: 0.001 m4, j: 0.001 m4}}\n"
                             "    soils: {ground: {diameter: 0.6 m, layers: [{to: -12 m, %s}], tip: 800 kN}}\n"
                             "    nodes: {head: [0 m, 0 m, 0 m], toe: [0 m, 0 m, -12 m]}\n"
                             "    members: [{from: head, to: toe, section: pile, name: shaft, segments: 24, soil: "
                             "ground}]\n"
                             "    supports: {toe: [rz]}\n",
                             sand));
    const ifd_model *m = c->run.model;
    double *u = ifd_arena_array(arena, (size_t)ifd_model_dofs(m), sizeof *u);
    assert_int_equal(ifd_model_static(m, 0, arena, u, &note), IFD_OK);
    assert_near_rel(u[ifd_model_find_dof(m, "head.x")], 5.11085955e-3, 2e-8, "x, 100 kN");
    assert_near_rel(u[ifd_model_find_dof(m, "head.y")], 28.8613009e-3, 2e-8, "y, 300 kN");
    /* 500 kN is between the points of 0.5 and 0.75 Q, 0.013 D and 0.042 D; the shaft shortens by F L/(EA) */
    double tip = 0.6 * (0.013 + 0.029 * 0.5);
    assert_near_rel(u[ifd_model_find_dof(m, "toe.z")], -tip, 1e-9, "tip");
    assert_near_rel(u[ifd_model_find_dof(m, "head.z")], -tip - 500e3 * 12 / (200e9 * 0.25), 1e-9, "head");
}

TESTS_WITH(files_open, files_close)
