/* SPDX-License-Identifier: MIT */
/* Coupled substructures, from the file to the run. */
#include "check.h"

#include <string.h>

#include <interfield/analysis.h>

#include "case/texts.h"

#define TIME "time: {step: 10 ms, end: 1 s}\n"
#define GROUND "ground: {signal: {sine: {amplitude: 1 m/s2, frequency: 2 Hz}}}\n"

/* Dof z of the assembled whole is called after the part that kept it. */
static int find(const ifd_model *m, const char *name)
{
    for (int i = 0; i < m->n; i++) {
        const char *dot = strchr(m->dof_name[i], '.');
        if (strcmp(dot ? dot + 1 : m->dof_name[i], name) == 0)
            return i;
    }
    fail_msg("no dof '%s' in the whole", name);
    return -1;
}

static double size_of(const ifd_sparse *A, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(entry(A, i, i)));
    return most;
}

/* The pieces of a cut model put together again are the model. */
static void assert_cut_is_whole(const char *model, const char *cut)
{
    const ifd_case *whole = read(ifd_arena_print(arena, TIME GROUND "model:\n%s", model));
    const ifd_case *parts = read(ifd_arena_print(arena, TIME GROUND "model:\n%scut:\n%s", model, cut));
    const ifd_model *a = whole->run.model, *b = parts->run.model;
    const ifd_sparse *A[] = {&a->M, &a->C, &a->K}, *B[] = {&b->M, &b->C, &b->K};
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->ne, b->ne);
    assert_near(a->ray_m, b->ray_m, 1e-15, "alpha");
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < a->n; i++)
            for (int j = 0; j < a->n; j++)
                assert_near(entry(B[k], find(b, a->dof_name[i]), find(b, a->dof_name[j])), entry(A[k], i, j),
                            1e-13 * size_of(A[k], a->n), "matrix %d (%s, %s)", k, a->dof_name[i], a->dof_name[j]);
    for (int i = 0; i < a->n; i++)
        assert_near(b->ground[0].p[find(b, a->dof_name[i])], a->ground[0].p[i], 1e-12 * size_of(A[0], a->n), "load");
}

#define BUILDING                                                                                                     \
    "  shear-building: {mass: [3 t, 2 t, 4 t, 1 t], stiffness: [9 MN/m, 5 MN/m, 7 MN/m, 4 MN/m], damping: 3 kN "     \
    "s/m}\n"

TEST_IN_ARENA(a_building_cut_at_a_floor_is_the_building)
{
    assert_cut_is_whole(BUILDING,
                        "  {parts: {lower: storeys 1 to 3, upper: {holds: [storey 3, floor4]}}, mass-ratio: 0.3}\n");
}

TEST_IN_ARENA(the_mass_of_the_floor_on_the_cut_is_split_by_the_ratio)
{
    const ifd_case *c =
        read(TIME "model:\n" BUILDING
                  "cut: {parts: {lower: floor1 to floor3, upper: floor3 to floor4}, mass-ratio: 0.3}\n");
    const ifd_couple_options *o = c->run.couple;
    assert_int_equal(o->parts, 2);
    assert_int_equal(o->joints, 1);
    assert_string_equal(o->joint[0].name, "lower.floor3 = upper.floor3");
    const ifd_model *lower = o->part[0].model, *upper = o->part[1].model;
    assert_int_equal(lower->n, 3);
    assert_int_equal(upper->n, 2);
    assert_near(entry(&lower->M, 2, 2), 1200, 1e-9, "lower");
    assert_near(entry(&upper->M, 0, 0), 2800, 1e-9, "upper");
    /* the storey below goes with the lower part, the one above with the upper part */
    assert_near(entry(&lower->K, 2, 2), 7e6, 1e-6, "lower");
    assert_near(entry(&upper->K, 0, 0), 4e6, 1e-6, "upper");
}

TEST_IN_ARENA(a_frame_cut_at_a_storey_is_the_frame)
{
    static const char frame[] =
        "  frame:\n    material: {young: 30 GPa, density: 2.5 t/m3}\n"
        "    sections: {c: {width: 0.5 m, depth: 0.5 m}, b: {width: 0.3 m, depth: 0.6 m}}\n"
        "    grid: {bays: 2 x 6 m, storeys: 4 x 3 m, columns: c, beams: b, beam-mass: 500 kg/m}\n"
        "  masses: {s2c1: 2 t}\n  rayleigh: {mass: 0.2, stiffness: 0.001}\n";
    assert_cut_is_whole(frame, "  {parts: {lower: storeys 0 to 2, upper: storeys 2 to 4}, mass-ratio: 0.4}\n");
    assert_cut_is_whole(frame, "  {parts: {lower: storeys 0 to 1, middle: storeys 1 to 3, upper: 's[34]*'}}\n");
}

TEST_IN_ARENA(matrices_are_cut_as_a_net_of_springs)
{
    static const char matrix[] = "  dofs: [x1, x2, x3]\n  mass: [1, 2, 3]\n"
                                 "  stiffness: [[30, -10, 0], [-10, 35, -20], [0, -20, 20]]\n";
    assert_cut_is_whole(matrix, "  {parts: {a: [x1, x2], b: [x2, x3]}}\n");
    const ifd_case *c =
        read(ifd_arena_print(arena, TIME "model:\n%scut: {parts: {a: [x1, x2], b: [x2, x3]}}\n", matrix));
    /* 35 = 10 to x1 + 20 to x3 + 5 to the ground, the last shared */
    assert_near(entry(&c->run.couple->part[0].model->K, 1, 1), 12.5, 1e-12, "a");
    assert_near(entry(&c->run.couple->part[1].model->K, 0, 0), 22.5, 1e-12, "b");
}

TEST_IN_ARENA(hysteresis_loads_and_initial_states_go_with_their_dofs)
{
    const ifd_case *c = read(
        TIME "model:\n" BUILDING "  elements:\n"
             "    - {name: damper, bouc-wen: {between: [floor3, floor4], stiffness: 1 MN/m, beta: 5, gamma: 3}}\n"
             "initial: {displacement: {floor3: 2 mm}}\n"
             "loads: [{at: floor4, force: 1 kN}]\n"
             "cut: {parts: {lower: storeys 1 to 3, upper: {holds: storeys 3 to 4, subcycles: 4}}}\n"
             "record: [displacement, upper.floor4, floor3]\n");
    const ifd_couple_options *o = c->run.couple;
    assert_int_equal(o->part[0].model->ne, 0);
    assert_int_equal(o->part[1].model->ne, 1);
    assert_int_equal(o->part[1].model->nload, 1);
    assert_near(o->part[0].model->u0[2], 0.002, 1e-18, "lower");
    assert_near(o->part[1].model->u0[0], 0.002, 1e-18, "upper");
    assert_int_equal(o->part[1].subcycles, 4);
    assert_int_equal(c->run.dofs, 3);
    assert_int_equal(c->run.dof[0], 4); /* upper.floor4, counted through */
    assert_int_equal(c->run.dof[1], 2);
    assert_int_equal(c->run.dof[2], 3);
}

TEST_IN_ARENA(joints_are_sums_with_signs_and_levers)
{
    const ifd_case *c =
        read(TIME "substructures:\n"
                  "  arm: {model: {dofs: [x, rz], kinds: {rz: rz}, mass: [2 kg, 3 kg m2]}}\n"
                  "  mass-1: {model: {dofs: [x], mass: 1 kg}}\n"
                  "joints: ['mass-1.x = -1 * arm.x + 50 cm * arm.rz', -arm.x - 2*arm.rz = 0.5 * mass-1.x]\n");
    const ifd_joint *j = c->run.couple->joint;
    assert_int_equal(c->run.couple->joints, 2);
    assert_int_equal(j[0].terms, 3);
    static const ifd_joint_term expected[2][3] = {{{1, 0, 1.0}, {0, 0, 1.0}, {0, 1, -0.5}},
                                                  {{0, 0, -1.0}, {0, 1, -2.0}, {1, 0, -0.5}}};
    for (int k = 0; k < 2; k++)
        for (int t = 0; t < 3; t++) {
            assert_int_equal(j[k].term[t].part, expected[k][t].part);
            assert_int_equal(j[k].term[t].dof, expected[k][t].dof);
            assert_near(j[k].term[t].coefficient, expected[k][t].coefficient, 1e-15, "joint %d term %d", k, t);
        }
}

TEST_IN_ARENA(nodes_of_frames_are_joined_in_all_their_directions)
{
    static const char text[] =
        TIME "substructures:\n"
             "  a: {model: &m {frame: {material: {young: 30 GPa, density: 2.5 t/m3}, sections: {s: {width: 0.3 m, "
             "depth: 0.3 m}},\n"
             "      nodes: {p: [0, 0], q: [3, 0]}, members: [[p, q, s]], supports: {p: fixed}}}}\n"
             "  b: {model: *m}\n"
             "joints: [a.q = b.q]\n";
    const ifd_case *c = read(text);
    assert_int_equal(c->run.couple->joints, 3);
    assert_string_equal(c->run.couple->joint[2].name, "a.q.rz = b.q.rz");
    assert_int_equal(c->run.model->n, 3);
}

TEST_IN_ARENA(settings_of_coupling_and_parts_reach_the_run)
{
    const ifd_case *c =
        read(TIME "method: {lsrt2: {gamma: plus}}\nsubstructures:\n"
                  "  a: {model: {dofs: [x], mass: 1 kg}}\n"
                  "  b: {model: {dofs: [x], mass: 1 kg}, method: lsrt1, step: 0.5 ms}\n"
                  "joints: [a.x = b.x]\n"
                  "coupling: {parallel: {threads: 2, drift: feedback, drift-factor: 0.2, start: project}}\n");
    const ifd_couple_options *o = c->run.couple;
    assert_string_equal(o->coupling->name, "parallel");
    assert_int_equal(o->threads, 2);
    assert_int_equal(o->drift, IFD_DRIFT_FEEDBACK);
    assert_near(o->drift_factor, 0.2, 1e-15, "c");
    assert_true(o->project_start);
    assert_true(o->part[0].coarse && !o->part[1].coarse);
    assert_string_equal(o->part[0].step.method->name, "lsrt2");
    assert_string_equal(o->part[1].step.method->name, "lsrt1");
    assert_int_equal(o->part[1].subcycles, 20);
    assert_near(o->h, 0.01, 1e-18, "h");
}

TEST_IN_ARENA(pg_alpha_brings_its_own_method)
{
    const ifd_case *c = read(TIME "substructures:\n"
                                  "  a: {model: {dofs: [x], mass: 1 kg, stiffness: 1 N/m}}\n"
                                  "  b: {model: {dofs: [x], mass: 1 kg}}\n"
                                  "joints: [a.x = b.x]\ncoupling: pg-alpha\n");
    assert_string_equal(c->run.couple->part[1].step.method->name, "mg-alpha");
}

TEST_IN_ARENA(a_part_on_its_own_is_said_and_runs)
{
    const ifd_case *c =
        read(TIME "substructures:\n"
                  "  a: {model: {dofs: [x], mass: 1 kg, stiffness: 1 N/m}}\n"
                  "  b: {model: {dofs: [x], mass: 1 kg, stiffness: 4 N/m}, initial: {displacement: {x: 1}}}\n");
    ifd_run *r;
    assert_int_equal(ifd_run_make(arena, &c->run, &r, &note), IFD_OK);
    bool said = false;
    for (const ifd_finding *f = note.remark_first; f; f = f->next)
        said = said || (strstr(f->text, "substructure 'b' has no joints") && f->place.line == 4);
    assert_true(said);
    while (ifd_run_tick(r) == IFD_RUN_GOING)
        ;
    assert_int_equal(ifd_run_fault(r).fault, IFD_FAULT_NONE);
}

static double last(const ifd_case *c, const char *channel)
{
    ifd_run *r;
    int count;
    assert_int_equal(ifd_run_make(arena, &c->run, &r, &note), IFD_OK);
    while (ifd_run_tick(r) == IFD_RUN_GOING)
        ;
    const ifd_column *ch = ifd_run_columns(r, &count);
    for (int i = 0; i < count; i++)
        if (strcmp(ch[i].name, channel) == 0)
            return ifd_run_values(r)[i];
    fail_msg("no channel %s", channel);
    return 0;
}

/* With ss = 1 the coupled PG-alpha is MG-alpha on the whole, to round-off. */
TEST_IN_ARENA(a_cut_run_of_pg_alpha_equals_the_whole)
{
    const char *method = "method: {mg-alpha: {rho: 0.8}}\n", *start = "initial: {velocity: {floor4: 1 m/s}}\n";
    const ifd_case *a = read(ifd_arena_print(arena, TIME GROUND "%s%smodel:\n" BUILDING, method, start));
    double whole = last(a, "floor4 displacement");
    const ifd_case *b = read(ifd_arena_print(
        arena,
        TIME GROUND "%s%smodel:\n" BUILDING "coupling: pg-alpha\n"
                    "cut: {parts: {lower: storeys 1 to 2, middle: storeys 2 to 3, upper: storeys 3 to 4}}\n",
        method, start));
    assert_near(last(b, "upper.floor4 displacement"), whole, 1e-13 * fabs(whole) + 1e-15, "floor4");
}

/* The case as rank `rank` of two reads it. */
static const ifd_case *read_apart(const char *text, int rank)
{
    ifd_case *c = NULL;
    ifd_case_source source = {.path = files_write("apart.yaml", text), .rank = rank, .ranks = 2};
    assert_int_equal(ifd_case_read_source(arena, &source, &c, &note), IFD_OK);
    return c;
}

/* Whether the substructures, 3 and 2 floors, have their stiffness. */
static void assert_stiffness(const ifd_case *c, bool lower, bool upper)
{
    const ifd_model *a = c->run.couple->part[0].model, *b = c->run.couple->part[1].model;
    assert_int_equal(a->n, 3);
    assert_int_equal(b->n, 2);
    assert_int_equal(size_of(&a->K, a->n) > 0.0, lower);
    assert_int_equal(size_of(&b->K, b->n) > 0.0, upper);
    assert_true(a->K.p[a->n] <= (lower ? 5 : 3) && b->K.p[b->n] <= (upper ? 3 : 2)); /* nothing but the diagonal */
    assert_true(b->u0[1] == 0.01);
    assert_true(entry(&a->M, 0, 0) == 3e3 && entry(&b->M, 1, 1) == 1e3);
}

TEST_IN_ARENA(a_process_has_the_matrices_of_its_own_substructures)
{
    const char *text = TIME GROUND "method: {mg-alpha: {rho: 0.8}}\ninitial: {displacement: {floor4: 10 mm}}\n"
                                   "coupling: pg-alpha\nmodel:\n" BUILDING
                                   "cut: {parts: {lower: storeys 1 to 3, upper: storeys 3 to 4}}\n%s",
               *motion = ifd_arena_print(arena, text, "record: [displacement, ground, upper.floor4]\n"),
               *energy = ifd_arena_print(arena, text, "record: [displacement, energy, floor4]\n"),
               *everything = ifd_arena_print(arena, text, "");
    assert_stiffness(read(motion), true, true);
    assert_stiffness(read_apart(motion, 0), true, false);
    assert_stiffness(read_apart(motion, 1), false, true);
    assert_null(read_apart(motion, 1)->run.model);
    assert_stiffness(read_apart(energy, 0), true, true); /* rank 0 computes the energies */
    assert_stiffness(read_apart(energy, 1), false, true);
    assert_stiffness(read_apart(everything, 0), true, true);
}

/* Without mass in one dof of the other substructure its stiffness determines the dofs: it is read completely. */
TEST_IN_ARENA(a_substructure_with_a_massless_dof_is_read_completely)
{
    const char *text =
        TIME "method: {mg-alpha: {rho: 0.8}}\ncoupling: pg-alpha\nrecord: [displacement, a.x]\njoints: [a.x = b.x]\n"
             "substructures:\n  a: {model: {dofs: [x], mass: [1 t], stiffness: [1 MN/m]}}\n"
             "  b: {model: {dofs: [x, y], mass: [1 t, %s], stiffness: [[2e6, -1e6], [-1e6, 1e6]]}}\n";
    const ifd_model *heavy = read_apart(ifd_arena_print(arena, text, "1 t"), 0)->run.couple->part[1].model;
    const ifd_model *light = read_apart(ifd_arena_print(arena, text, "0 t"), 0)->run.couple->part[1].model;
    assert_int_equal(heavy->n, 2);
    assert_true(size_of(&heavy->K, heavy->n) == 0.0);
    assert_int_equal(light->n, 1);
    assert_near(entry(&light->K, 0, 0), 1e6, 1e-6, "condensed stiffness");
}

TESTS_WITH(files_open, files_close)
