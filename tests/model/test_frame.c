/* SPDX-License-Identifier: MIT */
#include "scene.h"

#include <string.h>

static ifd_modes modes_of(scene *f, const ifd_model *m, int count)
{
    ifd_modes modes;
    scene_good(f, ifd_model_modes(m, IFD_DOF_X, count, f->arena, &modes, &f->note));
    return modes;
}

static void planar_grid(ifd_grid *g)
{
    ifd_grid_defaults(g);
    g->bays_x = 3;
    g->storeys = 10;
    g->column = ifd_section_rectangle(0.5, 0.5);
    g->beam = ifd_section_rectangle(0.3, 0.6);
    g->material = (ifd_material){.E = 30e9, .nu = 0.2, .density = 25000 / 9.81};
}

static ifd_model *grid_model(scene *f, const ifd_grid *g)
{
    ifd_frame frame;
    scene_good(f, ifd_frame_grid(f->arena, g, &frame, &f->note));
    scene_good(f, ifd_builder_frame(f->builder, &frame, &f->note));
    return scene_model(f);
}

TEST_WITH(ten_storey_frame_has_the_known_frequencies, scene_open, scene_close)
{
    static const double hertz[] = {1.74011341, 5.35236403, 9.38333645, 13.8426278, 18.5970053};
    scene *f = *state;
    ifd_grid g;
    planar_grid(&g);
    ifd_model *m = grid_model(f, &g);
    assert_int_equal(ifd_model_dofs(m), 120);
    assert_int_equal(ifd_model_find_dof(m, "s10c4.rz"), 119);
    assert_int_equal(ifd_model_find_dof(m, "s0c1.x"), -1);
    ifd_modes modes = modes_of(f, m, 5);
    for (int i = 0; i < 5; i++)
        assert_near_rel(modes.frequency[i], hertz[i], 5e-9, "mode %d", i + 1);
}

/* All modes together follow p = M_ff r + M_fs iota: their effective masses sum to p^T M_ff^-1 p. What is left of the
 * moving mass, which is all of it, moves with the fixed nodes alone. */
TEST_WITH(effective_masses_of_all_modes_sum_to_what_the_dofs_can_follow, scene_open, scene_close)
{
    scene *f = *state;
    ifd_grid g;
    planar_grid(&g);
    ifd_model *m = grid_model(f, &g);
    ifd_modes modes = modes_of(f, m, 120);
    double sum = 0.0, bars = 0.0, rho = g.material.density;
    for (int i = 0; i < 120; i++)
        sum += modes.effective_mass[i];
    bars = rho * (10 * 3 * 6 * 0.18 + 10 * 4 * 3 * 0.25);
    assert_near_rel(modes.total_mass, bars, 1e-12, "moving mass");
    const ifd_solver *mass;
    assert_int_equal(ifd__model_mass(f->arena, m, &mass, NULL), IFD_OK);
    double x[120], *w = ifd_arena_array(f->arena, ifd__solver_work(mass), sizeof *w), follows = 0.0;
    memcpy(x, m->ground[IFD_DOF_X].p, sizeof x);
    ifd__solver_solve(mass, x, w);
    for (int i = 0; i < 120; i++)
        follows += x[i] * m->ground[IFD_DOF_X].p[i];
    assert_near_rel(sum, follows, 1e-9, "sum");
    assert_true(sum < bars && sum > bars - rho * 4 * 3 * 0.25); /* the lowest columns end at fixed nodes */
}

/* A cantilever of count members along a direction, clamped at the origin; node names "n0", "n1", ... */
static void cantilever(scene *f, const ifd_frame_member *like, const double axis[3], int count, bool lumped,
                       unsigned fixed)
{
    ifd_frame frame;
    ifd_frame_defaults(&frame);
    ifd_frame_node *node = ifd_arena_array(f->arena, (size_t)count + 1, sizeof *node);
    ifd_frame_member *member = ifd_arena_array(f->arena, (size_t)count, sizeof *member);
    ifd_frame_support support = {.node = 0, .fixed = fixed};
    for (int i = 0; i <= count; i++) {
        double at = (double)i / count;
        node[i] = (ifd_frame_node){ifd_arena_print(f->arena, "n%d", i), at * axis[0], at * axis[1], at * axis[2]};
    }
    for (int i = 0; i < count; i++) {
        member[i] = *like;
        member[i].from = i;
        member[i].to = i + 1;
    }
    frame.planar = false;
    frame.lumped = lumped;
    frame.nodes = count + 1;
    frame.node = node;
    frame.members = count;
    frame.member = member;
    frame.supports = 1;
    frame.support = &support;
    scene_good(f, ifd_builder_frame(f->builder, &frame, &f->note));
}

static ifd_frame_member sample_member(void)
{
    ifd_frame_member b;
    ifd_frame_member_defaults(&b);
    b.section = (ifd_section){.A = 0.02, .Iz = 3e-4, .Iy = 1e-4, .J = 5e-5};
    b.material = (ifd_material){.E = 210e9, .G = 80e9, .density = 7850};
    return b;
}

static double tip(scene *f, const ifd_model *m, const char *dof)
{
    double *u = ifd_arena_array(f->arena, (size_t)ifd_model_dofs(m), sizeof *u);
    scene_good(f, ifd_model_static(m, 0.0, f->arena, u, &f->note));
    return u[ifd_model_find_dof(m, dof)];
}

TEST_WITH(cantilever_deflects_by_the_closed_form, scene_open, scene_close)
{
    static const double x[3] = {4, 0, 0};
    const ifd_frame_member b = sample_member();
    const double L = 4, P = 1000, E = b.material.E;
    const struct {
        const char *dof;
        double expected;
    } sample[] = {{"n3.x", P * L / (E * b.section.A)},
                  {"n3.z", P * L * L * L / (3 * E * b.section.Iz)}, /* the depth is vertical */
                  {"n3.y", P * L * L * L / (3 * E * b.section.Iy)},
                  {"n3.rx", P * L / (b.material.G * b.section.J)},
                  {"n3.ry", P * L / (E * b.section.Iz)},
                  {"n3.rz", P * L / (E * b.section.Iy)}};
    for (size_t i = 0; i < COUNT(sample); i++) {
        scene *f = *state;
        scene_restart(f);
        cantilever(f, &b, x, 3, false, IFD_FIX_ALL);
        int dof;
        assert_true(ifd_builder_find(f->builder, sample[i].dof, &dof));
        ifd_builder_force(f->builder, dof, scene_constant(f, P));
        assert_near_rel(tip(f, scene_model(f), sample[i].dof), sample[i].expected, 1e-10, "%s", sample[i].dof);
    }
}

TEST_WITH(vertical_member_has_its_depth_along_x, scene_open, scene_close)
{
    static const double up[3] = {0, 0, 4}, down[3] = {0, 0, -4};
    const ifd_frame_member b = sample_member();
    for (int i = 0; i < 4; i++) {
        scene *f = *state;
        scene_restart(f);
        cantilever(f, &b, i < 2 ? up : down, 1, false, IFD_FIX_ALL);
        const char *name = i % 2 ? "n1.y" : "n1.x";
        int dof;
        assert_true(ifd_builder_find(f->builder, name, &dof));
        ifd_builder_force(f->builder, dof, scene_constant(f, 1000));
        double I = i % 2 ? b.section.Iy : b.section.Iz;
        assert_near_rel(tip(f, scene_model(f), name), 64e3 / (3 * b.material.E * I), 1e-10, "%s", name);
    }
}

/* Frequencies do not depend on how a frame is turned. */
TEST_WITH(rotated_member_keeps_its_frequencies, scene_open, scene_close)
{
    static const double axis[3] = {4, 0, 0}, turned[3] = {4 * 2 / 7.0, 4 * 3 / 7.0, 4 * 6 / 7.0};
    scene *f = *state;
    const ifd_frame_member b = sample_member();
    ifd_frame_member twisted = b;
    twisted.depth[0] = 1;
    twisted.depth[1] = -2;
    twisted.depth[2] = 0.5;
    cantilever(f, &b, axis, 4, false, IFD_FIX_ALL);
    ifd_modes straight = modes_of(f, scene_model(f), 24);
    scene_restart(f);
    cantilever(f, &twisted, turned, 4, false, IFD_FIX_ALL);
    ifd_modes skew = modes_of(f, scene_model(f), 24);
    for (int i = 0; i < 24; i++)
        assert_near_rel(skew.frequency[i], straight.frequency[i], 1e-8, "mode %d", i + 1);
}

TEST_WITH(free_member_has_six_rigid_motions_without_energy, scene_open, scene_close)
{
    static const double axis[3] = {1, 2, 2};
    scene *f = *state;
    const ifd_frame_member b = sample_member();
    cantilever(f, &b, axis, 2, false, 0);
    ifd_model *m = scene_model(f);
    ifd_modes modes = modes_of(f, m, 18);
    int still = 0;
    for (int i = 0; i < 18; i++)
        still += modes.frequency[i] == 0.0;
    assert_int_equal(still, 6);
    /* translation along and rotation about every axis, written down from the nodes */
    for (int d = 0; d < 6; d++) {
        double u[18] = {0}, y[18] = {0}, energy = 0.0, scale = 0.0;
        for (int n = 0; n < 3; n++) {
            double p[3] = {n * axis[0] / 2, n * axis[1] / 2, n * axis[2] / 2};
            u[6 * n + d] = 1.0;
            if (d >= 3) { /* u = e_d x p */
                int a = d - 3;
                u[6 * n + (a + 1) % 3] = -p[(a + 2) % 3];
                u[6 * n + (a + 2) % 3] = p[(a + 1) % 3];
            }
        }
        ifd__sparse_mul_add(&m->K, 1.0, u, y);
        for (int i = 0; i < 18; i++) {
            energy = fmax(energy, fabs(y[i]));
            scale = fmax(scale, fabs(ifd__sparse_get(&m->K, i, i)));
        }
        assert_near(energy / scale, 0.0, 1e-14, "rigid motion %d", d);
    }
}

TEST_WITH(consistent_mass_carries_the_whole_mass, scene_open, scene_close)
{
    static const double axis[3] = {1, 2, 2};
    const ifd_frame_member b = sample_member();
    double mass = 7850 * 0.02 * 3;
    for (int lumped = 0; lumped < 2; lumped++) {
        scene *f = *state;
        scene_restart(f);
        cantilever(f, &b, axis, 2, lumped, 0);
        if (lumped) { /* rotations have no mass and nothing but the translations to hold them */
            int ref;
            for (int n = 0; n < 3; n++)
                for (int d = 3; d < 6; d++) {
                    assert_true(ifd_builder_find(f->builder, "n0.x", &ref));
                    ifd_builder_add(f->builder, IFD_MASS, 6 * n + d, 6 * n + d, 1e-3);
                }
        }
        ifd_model *m = scene_model(f);
        for (int d = 0; d < 3; d++)
            assert_near_rel(m->ground[d].mass, mass, 1e-13, "direction %d, lumped %d", d, lumped);
    }
}

static double first_cantilever_frequency(scene *f, int count, bool lumped, int mode)
{
    static const double axis[3] = {0, 0, 5};
    ifd_frame_member b = sample_member();
    scene_restart(f);
    cantilever(f, &b, axis, count, lumped, IFD_FIX_ALL);
    return modes_of(f, scene_model(f), 6).frequency[mode];
}

TEST_WITH(cantilever_frequencies_approach_the_closed_form, scene_open, scene_close)
{
    scene *f = *state;
    const ifd_frame_member b = sample_member();
    /* omega = beta^2 sqrt(EI / m) / L^2, cos beta cosh beta = -1 */
    double beta = 1.8751040687119611, m = b.material.density * b.section.A, pi = acos(-1.0);
    double weak = beta * beta * sqrt(b.material.E * b.section.Iy / m) / 25 / (2 * pi);
    double strong = beta * beta * sqrt(b.material.E * b.section.Iz / m) / 25 / (2 * pi);
    assert_near_rel(first_cantilever_frequency(f, 16, false, 0), weak, 1e-6, "weak axis, consistent");
    assert_near_rel(first_cantilever_frequency(f, 16, false, 1), strong, 1e-6, "strong axis, consistent");
    double coarse = weak - first_cantilever_frequency(f, 8, true, 0);
    double fine = weak - first_cantilever_frequency(f, 16, true, 0);
    assert_near(log2(coarse / fine), 2.0, 0.05, "order of the lumped mass (errors %g, %g)", coarse, fine);
    double rough = first_cantilever_frequency(f, 2, false, 0) - weak,
           better = first_cantilever_frequency(f, 4, false, 0) - weak;
    assert_near(log2(rough / better), 4.0, 0.2, "order of the consistent mass (errors %g, %g)", rough, better);
}

TEST_WITH(torsional_frequency_approaches_the_closed_form, scene_open, scene_close)
{
    scene *f = *state;
    static const double axis[3] = {5, 0, 0};
    ifd_frame_member b = sample_member();
    b.section.J = 1e-7; /* soft enough to be the lowest */
    cantilever(f, &b, axis, 32, false, IFD_FIX_ALL);
    double pi = acos(-1.0), c = sqrt(b.material.G * b.section.J / (b.material.density * 4e-4));
    assert_near_rel(modes_of(f, scene_model(f), 1).frequency[0], c / (4 * 5.0), 1.1 * pi * pi / 96 / 1024,
                    "fixed-free shaft");
}

TEST_WITH(releases_turn_a_clamped_base_into_a_hinge, scene_open, scene_close)
{
    scene *f = *state;
    ifd_frame frame;
    ifd_frame_defaults(&frame);
    const double L = 6, P = 2000;
    ifd_frame_node node[3] = {{"a", 0, 0, 0}, {"b", L / 2, 0, 0}, {"c", L, 0, 0}};
    ifd_frame_member member[2];
    for (int i = 0; i < 2; i++) {
        member[i] = sample_member();
        member[i].from = i;
        member[i].to = i + 1;
    }
    ifd_frame_support support[2] = {{0, IFD_FIX_X | IFD_FIX_Y}, {2, IFD_FIX_Y}};
    frame.nodes = 3;
    frame.node = node;
    frame.members = 2;
    frame.member = member;
    frame.supports = 2;
    frame.support = support;
    scene_good(f, ifd_builder_frame(f->builder, &frame, &f->note));
    int dof;
    assert_true(ifd_builder_find(f->builder, "b.y", &dof));
    assert_true(ifd_builder_find(f->builder, "a.rz", &dof) && ifd_builder_find(f->builder, "c.x", &dof));
    assert_false(ifd_builder_find(f->builder, "a.x", &dof) || ifd_builder_find(f->builder, "b.z", &dof));
    assert_true(ifd_builder_find(f->builder, "b.y", &dof));
    ifd_builder_force(f->builder, dof, scene_constant(f, P));
    assert_near_rel(tip(f, scene_model(f), "b.y"), P * L * L * L / (48 * member[0].material.E * member[0].section.Iz),
                    1e-11, "simply supported");
}

/* A frame carried by supports that all move alike moves as a rigid body. */
TEST_WITH(moving_supports_carry_a_frame_along, scene_open, scene_close)
{
    scene *f = *state;
    ifd_grid g;
    planar_grid(&g);
    g.storeys = 2;
    ifd_frame frame;
    scene_good(f, ifd_frame_grid(f->arena, &g, &frame, &f->note));
    ifd_frame_motion motion[4];
    int ref = ifd_builder_support(f->builder, "table", scene_constant(f, 0.01));
    for (int i = 0; i < 4; i++)
        motion[i] = (ifd_frame_motion){i, IFD_DOF_X, ref};
    frame.motions = 4;
    frame.motion = motion;
    scene_good(f, ifd_builder_frame(f->builder, &frame, &f->note));
    ifd_model *m = scene_model(f);
    assert_near_rel(tip(f, m, "s2c1.x"), 0.01, 1e-11, "roof");
    assert_near(tip(f, m, "s2c1.rz"), 0.0, 1e-13, "rotation");
}

TEST_WITH(grid_in_space_has_named_nodes_and_symmetric_sway, scene_open, scene_close)
{
    scene *f = *state;
    ifd_grid g;
    ifd_grid_defaults(&g);
    g.planar = false;
    g.bays_x = g.bays_y = 2;
    g.storeys = 3;
    g.column = ifd_section_rectangle(0.4, 0.4);
    g.beam = ifd_section_rectangle(0.3, 0.5);
    ifd_model *m = grid_model(f, &g);
    assert_int_equal(ifd_model_dofs(m), 3 * 9 * 6);
    assert_true(ifd_model_find_dof(m, "s3x3y3.rz") == 3 * 9 * 6 - 1);
    ifd_modes modes = modes_of(f, m, 3);
    assert_near_rel(modes.frequency[0], modes.frequency[1], 1e-9, "the two sway modes are alike");
    assert_true(modes.frequency[2] > 1.05 * modes.frequency[1]);
}

TEST_WITH(lumped_frame_condenses_its_rotations, scene_open, scene_close)
{
    scene *f = *state;
    ifd_grid g;
    planar_grid(&g);
    g.lumped = true;
    ifd_model *m = grid_model(f, &g);
    assert_int_equal(ifd_model_dofs(m), 80);
    assert_int_equal(m->ngone, 40);
    assert_non_null(f->note.remark_first);
    assert_non_null(strstr(f->note.remark_first->text, "40 dofs without mass condensed: s1c1.rz, s1c2.rz"));
    assert_non_null(strstr(f->note.remark_first->text, "and 30 more"));
    assert_near_rel(modes_of(f, m, 1).frequency[0], 1.74011341, 0.01, "near the consistent mass");
}

TEST_WITH(mistakes_in_frames_are_refused_by_name, scene_open, scene_close)
{
    scene *f = *state;
    ifd_frame frame;
    ifd_frame_node node[2] = {{"a", 0, 0, 0}, {"b", 1, 0, 0}};
    ifd_frame_member member = sample_member();
    ifd_frame_defaults(&frame);
    frame.nodes = 2;
    frame.node = node;
    frame.members = 1;
    frame.member = &member;
    member.from = member.to = 1;
    assert_int_equal(ifd_builder_frame(f->builder, &frame, &f->note), IFD_RANGE);
    assert_non_null(strstr(f->note.last->text, "has no finite length"));
    scene_restart(f);
    member.to = 7;
    assert_int_equal(ifd_builder_frame(f->builder, &frame, &f->note), IFD_UNKNOWN_NAME);
    scene_restart(f);
    member.from = 0;
    member.to = 1;
    member.section.Iz = 0;
    assert_int_equal(ifd_builder_frame(f->builder, &frame, &f->note), IFD_RANGE);
    assert_non_null(strstr(f->note.last->text, "from 'a' to 'b': Iz is 0"));
    scene_restart(f);
    member = sample_member();
    member.from = 0;
    member.to = 1;
    member.depth[0] = 1;
    frame.planar = false;
    assert_int_equal(ifd_builder_frame(f->builder, &frame, &f->note), IFD_RANGE);
    assert_non_null(strstr(f->note.last->text, "depth parallel to its axis"));
    scene_restart(f);
    node[1].name = "a";
    assert_int_equal(ifd_builder_frame(f->builder, &frame, &f->note), IFD_DUPLICATE);
    scene_restart(f);
    node[1].name = "b";
    ifd_frame_support support = {5, IFD_FIX_ALL};
    frame.supports = 1;
    frame.support = &support;
    assert_int_equal(ifd_builder_frame(f->builder, &frame, &f->note), IFD_UNKNOWN_NAME);
    ifd_grid g;
    ifd_grid_defaults(&g);
    g.bays_x = 0;
    assert_int_equal(ifd_frame_grid(f->arena, &g, &frame, &f->note), IFD_RANGE);
    ifd_grid_defaults(&g);
    g.storey = -3;
    assert_int_equal(ifd_frame_grid(f->arena, &g, &frame, &f->note), IFD_RANGE);
}

TEST_WITH(shear_building_has_the_closed_form_frequencies, scene_open, scene_close)
{
    scene *f = *state;
    enum { N = 6 };
    ifd_storey storey[N];
    ifd_building building;
    int dof[N];
    ifd_building_defaults(&building);
    for (int i = 0; i < N; i++)
        storey[i] = (ifd_storey){.mass = 1000, .stiffness = 4e6, .damping = 2e3};
    storey[N - 1].name = "roof";
    building.storeys = N;
    building.storey = storey;
    scene_good(f, ifd_builder_building(f->builder, &building, dof, &f->note));
    ifd_model *m = scene_model(f);
    assert_int_equal(ifd_model_find_dof(m, "floor2"), dof[1]);
    assert_int_equal(ifd_model_find_dof(m, "roof"), N - 1);
    ifd_modes modes = modes_of(f, m, N);
    double pi = acos(-1.0);
    for (int i = 0; i < N; i++) {
        double omega = 2 * sqrt(4e6 / 1000) * sin((2 * i + 1) * pi / (2 * (2 * N + 1)));
        assert_near_rel(modes.frequency[i], omega / (2 * pi), 1e-11, "mode %d", i + 1);
    }
    assert_near_rel(ifd__sparse_get(&m->C, 1, 0), -2e3, 1e-15, "damping between floors");
    assert_int_equal(ifd_builder_building(f->builder, &building, dof, &f->note), IFD_DUPLICATE);
    storey[2].stiffness = -1;
    scene_restart(f);
    assert_int_equal(ifd_builder_building(f->builder, &building, dof, &f->note), IFD_RANGE);
    building.storeys = 0;
    assert_int_equal(ifd_builder_building(f->builder, &building, dof, &f->note), IFD_RANGE);
}

TEST(rectangle_has_the_torsion_constant_of_the_handbooks)
{
    /* Timoshenko: J = beta a b^3 with beta 0.1406 (a/b = 1), 0.229 (2), 0.263 (3), 0.312 (10) */
    static const double ratio[] = {1, 2, 3, 10}, beta[] = {0.1406, 0.2287, 0.2633, 0.3123};
    for (size_t i = 0; i < COUNT(ratio); i++) {
        ifd_section s = ifd_section_rectangle(0.2, 0.2 * ratio[i]);
        assert_near_rel(s.J, beta[i] * ratio[i] * 0.0016, 0.005, "a/b = %g", ratio[i]);
        assert_near_rel(s.Iz, 0.2 * pow(0.2 * ratio[i], 3) / 12, 1e-14, "Iz");
    }
}

/* A matrix counts its entries in an int, 40 for each dof. */
TEST_WITH(a_frame_is_limited_by_the_entries_of_its_matrices, scene_open, scene_close)
{
    scene *f = *state;
    ifd_grid g;
    ifd_frame frame;
    planar_grid(&g);
    g.planar = false;
    g.bays_y = 3;
    g.storeys = 8000000;
    assert_int_equal(ifd_frame_grid(f->arena, &g, &frame, &f->note), IFD_TOO_LARGE);
    assert_non_null(strstr(f->note.first->text, "7.68e+08 dofs; the limit is 53687091"));
}

TESTS()
