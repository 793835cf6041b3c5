/* SPDX-License-Identifier: MIT */
/* Piles in soil: displacement and moment of the head against an independent computation. */
#include "case/texts.h"

#include <interfield/model.h>

/* 12 m of 24 segments, EI 200 MN m2, a force at the head. */
static const char text[] = "time: {step: 1 ms, end: 0.1 s}\n"
                           "loads: [{at: head.x, force: %g kN}]\n"
                           "model:\n"
                           "  frame:\n"
                           "    material: {young: 200 GPa, density: 2.5 t/m3}\n"
                           "    sections: {pile: {area: 0.25 m2, iz: 0.001 m4}}\n"
                           "    soils: {ground: {diameter: 0.6 m, layers: [{to: -12 m, %s}], friction: 40 kPa, tip: "
                           "800 kN}}\n"
                           "    nodes: {head: [0 m, 0 m], toe: [0 m, -12 m]}\n"
                           "    members: [{from: %s, section: pile, name: shaft, segments: 24, soil: ground}]\n";

static const char sand[] = "sand: {friction-angle: 35 deg, weight: 10 kN/m3, modulus: 22 MN/m3}",
                  clay[] = "clay: {strength: 40 kPa, weight: 8 kN/m3, strain50: 0.01}";

static double head_displacement(double force, const char *soil, const char *ends)
{
    const ifd_case *c = read(ifd_arena_print(arena, text, force, soil, ends));
    const ifd_model *m = c->run.model;
    double *u = ifd_arena_array(arena, (size_t)ifd_model_dofs(m), sizeof *u);
    assert_int_equal(ifd_model_static(m, 0, arena, u, &note), IFD_OK);
    return u[ifd_model_find_dof(m, "head.x")];
}

TEST_IN_ARENA(the_head_of_a_pile_moves_as_in_an_independent_computation)
{
    assert_near_rel(head_displacement(100, sand, "head, to: toe"), 5.11085955e-3, 2e-8, "sand, 100 kN");
    assert_near_rel(head_displacement(300, sand, "toe, to: head"), 28.8613009e-3, 2e-8, "sand, 300 kN");
    assert_near_rel(head_displacement(50, clay, "head, to: toe"), 2.91949453e-3, 2e-8, "clay, 50 kN");
    assert_near_rel(head_displacement(150, clay, "head, to: toe"), 19.146602e-3, 2e-8, "clay, 150 kN");
}

TESTS_WITH(files_open, files_close)
