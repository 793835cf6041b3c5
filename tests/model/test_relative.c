/* SPDX-License-Identifier: MIT */
/* One shaking, given in two ways: ground acceleration, and moved supports. The portal and its numbers were computed
 * independently (dense algebra): nodes (0, 0), (0, 4), (6, 4), (6, 0) m, feet fixed, one member per side. */
#include "model/relative.h"

#include <math.h>

#include <interfield/method.h>

#include "algebra/dense.h"
#include "scene.h"

typedef enum way { GROUND, SUPPORTS } way;

static const double pi = 3.14159265358979323846, hertz = 3.0, peak = 3.0; /* a_g = 3 sin(2 pi 3 t) m/s2 */

/* The displacement of a ground at rest before: peak t / w - peak sin(w t) / w^2. */
static const ifd_signal *displacement(scene *f)
{
    const ifd_signal_kind *kind = ifd_signal_find("ramp");
    const ifd_signal *term[2], *sum;
    double w = 2 * pi * hertz;
    ifd_value v[IFD_SIGNAL_PARAMS];
    ifd_param_preset(kind->params, v);
    v[ifd_param_find(kind->params, "amplitude")] = ifd_number(10 * peak / w);
    v[ifd_param_find(kind->params, "rise")] = ifd_number(10);
    scene_good(f, ifd_signal_make(f->arena, kind, v, NULL, &term[0], &f->note));
    term[1] = scene_sine(f, -peak / (w * w), hertz);
    scene_good(f, ifd_signal_make_sum(f->arena, 2, term, NULL, NULL, &sum));
    return sum;
}

/* The portal, shaken along x, with added dofs to come; returns the reference of its feet. */
static int portal(scene *f, way how, bool lumped)
{
    ifd_frame frame;
    static const ifd_frame_node node[4] = {
        {.name = "n1"}, {.name = "n2", .y = 4}, {.name = "n3", .x = 6, .y = 4}, {.name = "n4", .x = 6}};
    static const ifd_frame_support support[2] = {{0, IFD_FIX_ALL}, {3, IFD_FIX_ALL}};
    ifd_frame_motion motion[2] = {{.node = 0, .direction = IFD_DOF_X}, {.node = 3, .direction = IFD_DOF_X}};
    ifd_frame_member member[3];
    ifd_frame_defaults(&frame);
    for (int i = 0; i < 3; i++) {
        ifd_frame_member_defaults(&member[i]);
        member[i].from = i;
        member[i].to = i + 1;
    }
    frame.lumped = lumped;
    frame.nodes = 4;
    frame.node = node;
    frame.members = 3;
    frame.member = member;
    frame.supports = 2;
    frame.support = support;
    int foot = IFD_GROUND;
    if (how == SUPPORTS) {
        frame.motions = 2;
        frame.motion = motion;
        foot = ifd_builder_support(f->builder, "left", displacement(f));
        motion[0].support = foot;
        motion[1].support = ifd_builder_support(f->builder, "right", displacement(f));
    } else
        ifd_builder_ground(f->builder, IFD_DOF_X, scene_sine(f, peak, hertz));
    scene_good(f, ifd_builder_frame(f->builder, &frame, &f->note));
    return foot;
}

/* Displacement of dof relative to the ground at the given times, by the exact method. */
static void march(scene *f, way how, const ifd_model *m, const char *dof, int count, const double *time, double *out)
{
    enum { STEPS_PER_SECOND = 100 };
    ifd_step_options opt;
    ifd_stepper *s;
    ifd_step_options_defaults(ifd_method_find("reference"), 1.0 / STEPS_PER_SECOND, &opt);
    scene_good(f, ifd_stepper_make(f->arena, &opt, m, &s, &f->note));
    double *x = ifd_arena_array(f->arena, (size_t)ifd_stepper_size(s), sizeof *x), y[3];
    int at = ifd_model_find_dof(m, dof), next = 0;
    ifd_stepper_initial(s, x);
    ifd_stepper_start(s, 0.0, NULL, x);
    for (int k = 1; next < count; k++) {
        ifd_stepper_stage(s, 0, (double)(k - 1) / STEPS_PER_SECOND, NULL, x);
        if (fabs((double)k / STEPS_PER_SECOND - time[next]) > 1e-9)
            continue;
        y[0] = 0.0;
        if (how == SUPPORTS)
            ifd_signal_eval(m->support[0], time[next], y);
        out[next++] = x[at] - y[0];
    }
}

TEST_WITH(ground_drives_through_the_mass_shared_with_fixed_nodes, scene_open, scene_close)
{
    static const double load[3] = {1125, 0, 300}; /* M_ff r = 1009.2857143, M_fs iota = 115.7142857 along x */
    scene *f = *state;
    portal(f, GROUND, false);
    const ifd_model *m = scene_model(f);
    for (int i = 0; i < 6; i++)
        assert_near(-m->ground[IFD_DOF_X].p[i], load[i % 3], 1e-9, "load of dof %d", i);
    ifd_modes modes;
    scene_good(f, ifd_model_modes(m, IFD_DOF_X, 3, f->arena, &modes, &f->note));
    static const double frequency[3] = {7.9567142489, 26.5943061608, 65.7640091379};
    for (int i = 0; i < 3; i++)
        assert_near_rel(modes.frequency[i], frequency[i], 1e-10, "mode %d", i + 1);
    assert_near_rel(modes.participation[0], 49.1609264, 2e-9, "participation");
    assert_near_rel(modes.total_mass, 225.0 * 14, 1e-12, "all that moves with the ground");
}

TEST_WITH(lumped_mass_shares_nothing_with_fixed_nodes, scene_open, scene_close)
{
    scene *f = *state;
    portal(f, GROUND, true);
    int ref;
    for (int i = 0; i < 2; i++) { /* rotations need a mass */
        assert_true(ifd_builder_find(f->builder, i ? "n3.rz" : "n2.rz", &ref));
        ifd_builder_add(f->builder, IFD_MASS, ref, ref, 1.0);
    }
    const ifd_model *m = scene_model(f);
    assert_near_rel(-m->ground[IFD_DOF_X].p[0], 225.0 * 5, 1e-12, "half a column and half the beam");
    assert_near(m->ground[IFD_DOF_X].p[2], 0.0, 0.0, "rotation");
    assert_near_rel(m->ground[IFD_DOF_X].mass, 225.0 * 10, 1e-12, "moving mass");
}

TEST_WITH(ground_and_moved_supports_are_one_shaking, scene_open, scene_close)
{
    static const double time[3] = {0.25, 0.5, 1.0}, mm[3] = {1.52836934, -0.08795541, -0.09203854};
    double out[2][3];
    for (int how = 0; how < 2; how++) {
        scene *f = *state;
        scene_restart(f);
        portal(f, (way)how, false);
        ifd_builder_rayleigh(f->builder, 0.5, 2e-4);
        march(f, (way)how, scene_model(f), "n2.x", 3, time, out[how]);
        for (int i = 0; i < 3; i++)
            assert_near(1e3 * out[how][i], mm[i], 6e-9, "way %d, %g s", how, time[i]);
    }
}

TEST_WITH(modal_damping_acts_relative_to_the_ground_in_both, scene_open, scene_close)
{
    static const double time[2] = {0.5, 1.0}, zeta[1] = {0.05};
    double out[2][2];
    for (int how = 0; how < 2; how++) {
        scene *f = *state;
        scene_restart(f);
        portal(f, (way)how, false);
        ifd_builder_modal(f->builder, 1, zeta, true);
        march(f, (way)how, scene_model(f), "n3.x", 2, time, out[how]);
    }
    for (int i = 0; i < 2; i++)
        assert_near_rel(out[SUPPORTS][i], out[GROUND][i], 1e-8, "%g s", time[i]);
}

TEST_WITH(condensation_leaves_both_equal, scene_open, scene_close)
{
    static const double time[2] = {0.5, 1.0};
    double out[2][2];
    for (int how = 0; how < 2; how++) {
        scene *f = *state;
        scene_restart(f);
        portal(f, (way)how, false);
        int keep[2];
        assert_true(ifd_builder_find(f->builder, "n2.x", &keep[0]) && ifd_builder_find(f->builder, "n3.x", &keep[1]));
        ifd_builder_keep(f->builder, 2, keep);
        ifd_builder_rayleigh(f->builder, 0.5, 2e-4);
        const ifd_model *m = scene_model(f);
        assert_near_rel(ifd__sparse_get(&m->M, 0, 0), 737.6939034927, 1e-12, "M11");
        assert_near_rel(ifd__sparse_get(&m->M, 1, 0), 209.5591378677, 1e-12, "M21");
        assert_near_rel(ifd__sparse_get(&m->K, 0, 0), 4.5201590529e8, 1e-10, "K11");
        assert_near_rel(ifd__sparse_get(&m->K, 1, 0), -4.4964522752e8, 1e-10, "K21");
        if (how == GROUND)
            for (int i = 0; i < 2; i++)
                assert_near_rel(-m->ground[IFD_DOF_X].p[i], 1068.65640599, 1e-11, "T^T p of %d", i);
        march(f, (way)how, m, "n2.x", 2, time, out[how]);
    }
    for (int i = 0; i < 2; i++)
        assert_near_rel(out[SUPPORTS][i], out[GROUND][i], 1e-8, "%g s", time[i]);
}

/* Springs k to two supports, a dashpot c to the first and alpha m: the dashpot knows its own end, the damping of the
 * mass follows both supports by halves. */
TEST_WITH(supports_moved_apart_keep_dashpots_at_their_ends, scene_open, scene_close)
{
    scene *f = *state;
    int a = ifd_builder_support(f->builder, "a", scene_sine(f, 1, 1));
    int b = ifd_builder_support(f->builder, "b", scene_sine(f, 2, 1));
    int x = ifd_builder_dof(f->builder, "x", IFD_DOF_X);
    ifd_builder_add(f->builder, IFD_MASS, x, x, 10);
    ifd_builder_spring(f->builder, IFD_STIFFNESS, a, x, 1000);
    ifd_builder_spring(f->builder, IFD_STIFFNESS, b, x, 1000);
    ifd_builder_spring(f->builder, IFD_DAMPING, a, x, 7);
    ifd_builder_rayleigh(f->builder, 0.4, 0.01);
    ifd_model *m = scene_model(f);
    assert_near_rel(m->Cs[0], 7 + 0.01 * 1000 + 0.5 * 0.4 * 10, 1e-13, "support a");
    assert_near_rel(m->Cs[1], 0.01 * 1000 + 0.5 * 0.4 * 10, 1e-13, "support b");
    assert_near_rel(ifd__support_damping(m, 0, 0), 7 + 0.01 * 1000, 1e-13, "by the matrices alone");
    static const bool follows[2] = {true, false};
    ifd_model copy = *m;
    scene_good(f, ifd__absolute_damping(f->arena, &copy, follows));
    assert_near_rel(copy.Cs[0], 17.0, 1e-13, "a follows another part: not the ground");
    assert_near_rel(copy.Cs[1], 12.0, 1e-13, "b is as it was");
}

TEST_WITH(a_structure_held_by_an_element_alone_follows_its_support, scene_open, scene_close)
{
    scene *f = *state;
    int ref[2] = {ifd_builder_support(f->builder, "a", scene_sine(f, 1, 1)), 0};
    ref[1] = ifd_builder_dof(f->builder, "x", IFD_DOF_X);
    ifd_builder_add(f->builder, IFD_MASS, ref[1], ref[1], 10);
    scene_good(f, scene_element(f, "cubic-spring", "c", 1, ref, "stiffness", 1000.0, "epsilon", 10.0, NULL));
    ifd_builder_rayleigh(f->builder, 0.4, 0);
    assert_near_rel(scene_model(f)->Cs[0], 4.0, 1e-12, "alpha m");
    scene_restart(f);
    ref[0] = ifd_builder_support(f->builder, "a", scene_sine(f, 1, 1));
    ref[1] = ifd_builder_dof(f->builder, "x", IFD_DOF_X);
    ifd_builder_add(f->builder, IFD_MASS, ref[1], ref[1], 10);
    ifd_builder_spring(f->builder, IFD_DAMPING, ref[0], ref[1], 3);
    ifd_builder_rayleigh(f->builder, 0.4, 0);
    assert_near_rel(scene_model(f)->Cs[0], 3.0, 1e-12, "nothing holds it");
    assert_non_null(scene_remark(f, "act on absolute velocities"));
}

TESTS()
