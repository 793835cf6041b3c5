/* SPDX-License-Identifier: MIT */
/* The permitted forms of a case file. Refused forms are in test_bad_cases.c. */
#include "check.h"

#include <string.h>

#include "case/texts.h"
#include "model/model.h"

#define TIME "time: {step: 1 ms, end: 1 s}\n"

/* The model of a text below `model:`. */
static const ifd_model *model(const char *text)
{
    return read(ifd_arena_print(arena, TIME "model:\n%s", text))->run.model;
}

static void assert_same_matrix(const ifd_sparse *A, const ifd_sparse *B, int n, const char *what)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            assert_near(entry(A, i, j), entry(B, i, j), 1e-12 * (fabs(entry(B, i, j)) + 1e-9), "%s (%d, %d)", what, i,
                        j);
}

static void assert_same_model(const ifd_model *a, const ifd_model *b)
{
    assert_int_equal(a->n, b->n);
    assert_same_matrix(&a->M, &b->M, a->n, "M");
    assert_same_matrix(&a->C, &b->C, a->n, "C");
    assert_same_matrix(&a->K, &b->K, a->n, "K");
}

TEST_IN_ARENA(quantities_carry_units_and_presets_hold)
{
    const ifd_case *c = read("title: A title\ntime: {step: 2 ms, end: 0.5 min, record-every: 3}\n"
                             "model: {dofs: [x], mass: 5 t, stiffness: 2 kN/mm}\noutput: {csv: yes}\n");
    assert_string_equal(c->title, "A title");
    assert_near(c->run.step.h, 0.002, 1e-18, "step");
    assert_near(c->run.end, 30, 0, "end");
    assert_int_equal(c->run.every, 3);
    assert_true(c->csv);
    assert_string_equal(c->run.step.method->name, "lsrt2");
    assert_near(entry(&c->run.model->M, 0, 0), 5000, 0, "mass");
    assert_near(entry(&c->run.model->K, 0, 0), 2e6, 1e-9, "stiffness");
    c = read(TIME "model: {dofs: [x], mass: 5 t}\n");
    assert_false(c->csv);
    assert_int_equal(c->run.every, 1);
    assert_int_equal(c->run.what, IFD_RECORD_AUTO);
}

TEST_IN_ARENA(matrices_may_be_diagonals_rows_or_files)
{
    const ifd_model *rows = model("  dofs: [x1, x2]\n  mass: [[1, 0], [0, 2]]\n  stiffness: [[3, -1], [-1, 1]]\n");
    files_write("k.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 3\n2 1 -1\n2 2 1\n");
    files_write("m.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n0\n0\n2\n");
    assert_same_model(model("  dofs: [x1, x2]\n  mass: [1 kg, 0.002 t]\n  stiffness: k.mtx\n"), rows);
    assert_same_model(model("  dofs: 2\n  mass: m.mtx\n  stiffness: k.mtx\n"), rows);
    const ifd_model *unnamed = model("  mass: m.mtx\n  stiffness: k.mtx\n");
    assert_same_model(unnamed, rows);
    assert_string_equal(ifd_model_dof_name(unnamed, 1), "x2");
}

TEST_IN_ARENA(stiffness_may_be_unsymmetric)
{
    const ifd_model *m = model("  dofs: 2\n  mass: [1, 1]\n  stiffness: [[3, -2], [-1, 1]]\n");
    assert_false(m->symmetric);
    assert_near(entry(&m->K, 0, 1), -2, 0, "K12");
    assert_near(entry(&m->K, 1, 0), -1, 0, "K21");
}

TEST_IN_ARENA(kinds_decide_the_unit_and_what_the_ground_drives)
{
    const ifd_model *m =
        model("  dofs: [a, b]\n  kinds: {b: rz}\n  mass: [1 t, 3 kg m2]\n  stiffness: [2 N/m, 5 N m/rad]\n");
    assert_int_equal(ifd_model_dof_kind(m, 1), IFD_DOF_RZ);
    const ifd_model *g =
        read(TIME "ground: {motion: sine, frequency: 1 Hz}\nmodel:\n  dofs: [a, b]\n  kinds: {b: rz}\n"
                  "  mass: [1 t, 3 kg m2]\n")
            ->run.model;
    assert_near(g->ground[0].p[0], -1000, 1e-9, "load on the translation");
    assert_near(g->ground[0].p[1], 0, 0, "load on the rotation");
}

TEST_IN_ARENA(a_shear_building_may_be_written_in_three_ways)
{
    const ifd_model *a =
        model("  shear-building:\n    storeys:\n      - {mass: 2 t, stiffness: 4 MN/m, damping: 3 kN s/m}\n"
              "      - {mass: 1 t, stiffness: 2 MN/m, name: roof}\n");
    const ifd_model *b =
        model("  shear-building: {mass: [2 t, 1 t], stiffness: [4 MN/m, 2 MN/m], damping: [3 kN s/m, 0],"
              " names: [floor1, roof]}\n");
    const ifd_model *c = model("  dofs: [floor1, roof]\n  mass: [2 t, 1 t]\n  stiffness: [[6e6, -2e6], [-2e6, 2e6]]\n"
                               "  damping: [3000, 0]\n");
    assert_same_model(a, b);
    assert_same_model(b, c);
    assert_string_equal(ifd_model_dof_name(a, 0), "floor1");
    assert_string_equal(ifd_model_dof_name(a, 1), "roof");
    assert_int_equal(ifd_model_dofs(model("  shear-building: {mass: [1 t, 1 t, 1 t], stiffness: 4 MN/m}\n")), 3);
}

#define FRAME                                                                                                        \
    "  frame:\n    material: {young: 30 GPa, density: 2500 kg/m3}\n"                                                 \
    "    sections: {c: {width: 0.5 m, depth: 0.5 m}, b: {width: 300 mm, depth: 0.6 m}}\n"

TEST_IN_ARENA(a_grid_is_the_frame_of_its_nodes_and_members)
{
    const ifd_model *grid = model(FRAME "    grid: {bays: 6 m, storeys: [4 m, 3 m], columns: c, beams: b}\n");
    const ifd_model *list =
        model(FRAME "    nodes:\n      s0c1: [0, 0]\n      s0c2: [6 m, 0]\n      s1c1: [0, 4 m]\n"
                    "      s1c2: [6 m, 4 m]\n      s2c1: [0, 7 m]\n      s2c2: [6 m, 7 m]\n"
                    "    members: [[s0c1, s1c1, c], [s0c2, s1c2, c], [s1c1, s2c1, c], [s1c2, s2c2, c],\n"
                    "              [s1c1, s1c2, b], [s2c1, s2c2, b]]\n"
                    "    supports: {s0c1: fixed, s0c2: [x, y, rz]}\n");
    assert_same_model(list, grid);
    assert_int_equal(grid->n, 12);
    assert_true(ifd_model_find_dof(grid, "s2c2.rz") >= 0);
    const ifd_model *pins =
        model(FRAME "    grid: {bays: 6 m, storeys: 2 x 3 m, columns: c, beams: b, base: pinned}\n");
    assert_int_equal(pins->n, 14);
    const ifd_model *space =
        model(FRAME "    dimension: 3\n"
                    "    grid: {bays: 2 x 6 m, bays-y: 5 m, storeys: 3 m, columns: c, beams: b}\n");
    assert_int_equal(space->n, 36);
}

TEST_IN_ARENA(a_frame_or_a_building_may_stand_on_a_moving_support)
{
    const char *move = "  supports: {table: {displacement: {sine: {amplitude: 1 mm, frequency: 2 Hz}}}}\n";
    const ifd_model *m = model(ifd_arena_print(
        arena,
        "%s" FRAME "    nodes: {a: [0, 0], b: [0, 3 m]}\n    members: [[a, b, c]]\n    supports: {a: {x: table}}\n",
        move));
    double I = 0.5 * 0.5 * 0.5 * 0.5 / 12;
    assert_near_rel(fabs(m->Ks[ifd_model_find_dof(m, "b.x")]), 12 * 30e9 * I / 27, 1e-12, "12 E I / L^3");
    m = model(ifd_arena_print(
        arena, "%s  shear-building: {mass: [1 t, 1 t], stiffness: 4 MN/m, base: table, direction: y}\n", move));
    assert_near(fabs(m->Ks[0]), 4e6, 1e-6, "first storey");
    assert_near(m->Ks[1], 0, 0, "second storey");
    assert_int_equal(ifd_model_dof_kind(m, 1), IFD_DOF_Y);
}

TEST_IN_ARENA(sections_may_be_given_by_their_values)
{
    const char *tail = "    nodes: {a: [0, 0], b: [0, 3 m]}\n    members: [[a, b, c]]\n    supports: {a: fixed}\n";
    const ifd_model *a = model(ifd_arena_print(arena, "%s%s", FRAME, tail));
    const ifd_model *b = model(ifd_arena_print(arena,
                                               "  frame:\n    material: {young: 30 GPa, density: 2.5 t/m3}\n"
                                               "    sections: {c: {area: 0.25 m2, iz: 5.208333333333333e-3 m4}}\n%s",
                                               tail));
    for (int i = 0; i < 3; i++)
        assert_near_rel(entry(&a->K, i, i), entry(&b->K, i, i), 1e-12, "K%d%d", i, i);
}

TEST_IN_ARENA(point_masses_go_to_dofs_or_to_nodes)
{
    const char *frame =
        FRAME "    nodes: {a: [0, 0], b: [0, 3 m]}\n    members: [[a, b, c]]\n    supports: {a: fixed}\n";
    const ifd_model *bare = model(frame), *node = model(ifd_arena_print(arena, "%s  masses: {b: 5 t}\n", frame));
    const ifd_model *dof = model(ifd_arena_print(arena, "%s  masses: {b.x: 5 t, b.rz: 7 kg m2}\n", frame));
    assert_near(entry(&node->M, 0, 0) - entry(&bare->M, 0, 0), 5000, 1e-9, "x");
    assert_near(entry(&node->M, 1, 1) - entry(&bare->M, 1, 1), 5000, 1e-9, "y");
    assert_near(entry(&node->M, 2, 2) - entry(&bare->M, 2, 2), 0, 1e-9, "rz");
    assert_near(entry(&dof->M, 1, 1) - entry(&bare->M, 1, 1), 0, 1e-9, "y");
    assert_near(entry(&dof->M, 2, 2) - entry(&bare->M, 2, 2), 7, 1e-9, "rz");
}

#define CHAIN "  dofs: [x1, x2]\n  mass: [1, 2]\n  stiffness: [[300, -100], [-100, 100]]\n"

TEST_IN_ARENA(rayleigh_damping_has_the_ratio_it_is_asked_for)
{
    const ifd_model *m = model(CHAIN "  rayleigh: {ratio: 3 %, modes: [1, 2]}\n");
    ifd_modes modes;
    assert_int_equal(ifd_model_modes(m, IFD_DOF_X, 2, arena, &modes, &note), IFD_OK);
    for (int i = 0; i < 2; i++) {
        double w = 2 * M_PI * modes.frequency[i];
        assert_near(m->ray_m / (2 * w) + m->ray_k * w / 2, 0.03, 1e-14, "mode %d", i + 1);
    }
    m = model(ifd_arena_print(arena, CHAIN "  rayleigh: {ratio: 3 %%, frequencies: [%.17g Hz, %.17g Hz]}\n",
                              modes.frequency[0], modes.frequency[1]));
    double w = 2 * M_PI * modes.frequency[0];
    assert_near(m->ray_m / (2 * w) + m->ray_k * w / 2, 0.03, 1e-14, "by frequency");
    m = model(CHAIN "  rayleigh: {mass: 0.1, stiffness: 2 ms}\n");
    assert_near(m->ray_m, 0.1, 1e-18, "a");
    assert_near(m->ray_k, 2e-3, 1e-18, "b");
}

TEST_IN_ARENA(modal_damping_is_a_number_or_a_list)
{
    assert_same_model(model(CHAIN "  modal-damping: 2 %\n"), model(CHAIN "  modal-damping: [2 %, 0.02]\n"));
}

TEST_IN_ARENA(springs_join_dofs_ground_supports_and_rotations)
{
    const ifd_model *m = model("  dofs: [a, b, p, q]\n  kinds: {p: rz, q: rz}\n  mass: [1, 1, 1, 1]\n"
                               "  supports: {table: {displacement: {sine: {amplitude: 1 mm, frequency: 2 Hz}}}}\n"
                               "  elements:\n    - {spring: {between: [ground, a], stiffness: 1 N/m}}\n"
                               "    - {spring: {between: [a, b], stiffness: 10 N/m}}\n"
                               "    - {spring: {at: b, stiffness: 100 N/m}}\n"
                               "    - {spring: {between: [table, b], stiffness: 1 kN/m}}\n"
                               "    - {spring: {between: [p, q], stiffness: 7 N m/rad}}\n"
                               "    - {dashpot: {between: [ground, q], damping: 3 N m s/rad}}\n");
    assert_near(entry(&m->K, 0, 0), 11, 1e-12, "a");
    assert_near(entry(&m->K, 0, 1), -10, 1e-12, "a-b");
    assert_near(entry(&m->K, 1, 1), 1110, 1e-12, "b");
    assert_near(entry(&m->K, 2, 3), -7, 1e-12, "p-q");
    assert_near(entry(&m->C, 3, 3), 3, 1e-12, "q");
    assert_near(fabs(m->Ks[1]), 1000, 1e-9, "table on b");
}

TEST_IN_ARENA(a_pendulum_brings_its_own_dofs_which_others_may_use)
{
    const ifd_case *c = read(TIME "model:\n  dofs: [x]\n  mass: 10 kg\n  elements:\n"
                                  "    - {dashpot: {at: theta, damping: 0.1 N m s/rad}}\n"
                                  "    - {pendulum: {at: x, mass: 1 kg, length: 1 m, angle: theta}}\n"
                                  "    - {name: toy, double-pendulum: {mass: 1, length: 1, mass2: 1, length2: 1}}\n"
                                  "initial: {displacement: {theta: 180 deg, toy.angle2: 0.1}}\n");
    const ifd_model *m = c->run.model;
    assert_int_equal(m->n, 4);
    assert_int_equal(ifd_model_dof_kind(m, ifd_model_find_dof(m, "theta")), IFD_DOF_ANGLE);
    assert_true(ifd_model_find_dof(m, "toy.angle") >= 0);
    assert_near(m->u0[ifd_model_find_dof(m, "theta")], M_PI, 1e-15, "theta");
    assert_near(m->u0[ifd_model_find_dof(m, "toy.angle2")], 0.1, 1e-18, "angle2");
}

/* Force on the structure and rate of the first element at a state where every dof has its own value. */
static void probe(const ifd_model *m, double *force, double *rate)
{
    const double u[3] = {0.1, 0.25, 0.4}, v[3] = {1, -2, 0.5}, s[4] = {0.3, 0, 0, 0};
    double q[16] = {0}, qd[16] = {0}, r[16] = {0}, g[16] = {0};
    ifd__model_coordinates(m, 0, u, v, q, qd);
    ifd__model_forces(m, &(ifd_element_in){.q = q, .qd = qd, .s = s}, r, g);
    memset(force, 0, 3 * sizeof *force);
    ifd__model_scatter(m, -1, r, force);
    *rate = g[0];
}

TEST_IN_ARENA(a_block_reads_and_applies_where_it_is_told)
{
    const double w = 2 * M_PI * 5;
    double force[3], rate;
    probe(model("  dofs: [a, b, c]\n  mass: [1, 1, 1]\n  elements:\n"
                "    - {low-pass: {read: [velocity b], apply: [[a, c]], gain: 50, cutoff: 5 Hz}}\n"),
          force, &rate);
    assert_near(force[0], -50 * 0.3, 1e-12, "on a");
    assert_near(force[1], 0, 1e-12, "on b");
    assert_near(force[2], 50 * 0.3, 1e-12, "on c");
    assert_near(rate, w * (-2 - 0.3), 1e-9, "reads the velocity of b");
    probe(model("  dofs: [a, b, c]\n  mass: [1, 1, 1]\n  elements:\n"
                "    - {low-pass: {read: [displacement c - a], apply: [b], gain: 50, cutoff: 5 Hz}}\n"),
          force, &rate);
    assert_near(force[1], 50 * 0.3, 1e-12, "on b");
    assert_near(rate, w * (0.4 - 0.1 - 0.3), 1e-9, "reads the distance of a and c");
    probe(model("  dofs: [a, b, c]\n  mass: [1, 1, 1]\n  elements:\n"
                "    - {block: {read: [c, velocity a], apply: [b, a], D: [[1, 2], [3, 4]]}}\n"),
          force, &rate);
    assert_near(force[1], 1 * 0.4 + 2 * 1, 1e-12, "first row");
    assert_near(force[0], 3 * 0.4 + 4 * 1, 1e-12, "second row");
}

TEST_IN_ARENA(an_element_of_ones_own_comes_from_a_shared_object)
{
    double force[3], rate;
    const char *text =
        ifd_arena_print(arena,
                        "  dofs: [a, b, c]\n  mass: [1, 1, 1]\n  elements:\n    - plugin: %s/plugin_user_element.so\n"
                        "      element: {between: [a, b], stiffness: 100 N/m, reference: 150 mm}\n",
                        IFD_PLUGIN_DIR);
    probe(model(text), force, &rate);
    assert_near(force[0], 100 * 0.15 / 2, 1e-12, "on a");
    assert_near(force[1], -100 * 0.15 / 2, 1e-12, "on b");
}

static double ground_at(const char *text, double t)
{
    double out[3];
    const ifd_case *c = read(ifd_arena_print(arena, TIME "model: {dofs: [x], mass: 1}\nground: %s\n", text));
    ifd_signal_eval(c->run.model->ground[c->direction].signal, t, out);
    return out[0];
}

TEST_IN_ARENA(the_ground_may_be_a_motion_a_record_or_a_sum)
{
    files_write("two.csv", "0,0\n0.1,2\n0.2,-4\n");
    files_write("one.csv", "0\n2\n-4\n");
    assert_near(ground_at("{motion: sine, amplitude: 0.1 g, frequency: 1 Hz}", 0.25), 0.980665, 1e-12, "sine");
    assert_near(ground_at("{signal: [{cosine: {frequency: 1 Hz}}, 3 m/s2]}", 0), 4, 1e-12, "sum");
    assert_near(ground_at("{record: two.csv}", 0.05), 1, 1e-12, "as it is");
    assert_near(ground_at("{record: two.csv, scale: 3}", 0.05), 3, 1e-12, "scaled");
    assert_near(ground_at("{record: two.csv, peak: 0.2 m/s2}", 0.2), -0.2, 1e-12, "to a peak");
    assert_near(ground_at("{record: two.csv, start: 1 s}", 1.1), 2, 1e-12, "later");
    assert_near(ground_at("{record: one.csv, dt: 0.1 s, unit: g}", 0.1), 2 * 9.80665, 1e-12, "one column");
    assert_near(ground_at("{signal: {record: {file: two.csv, scale: 3}}}", 0.05), 3, 1e-12, "as a signal");
    assert_near(ground_at("[{motion: sine, frequency: 1 Hz, direction: y}]", 0.25), 1, 1e-12, "along y");
}

/* The motion of a support at t with the given samples. */
static double moved(const char *signal, double t, double out[3])
{
    char text[400];
    snprintf(text, sizeof text, "  dofs: [x]\n  mass: 1\n  supports:\n    table: {displacement: %s}\n", signal);
    ifd_signal_eval(model(text)->support[0], t, out);
    return out[0];
}

TEST_IN_ARENA(a_table_moves_a_support_on_straight_lines_and_a_record_smoothly)
{
    double out[3];
    const char *const lines[] = {"{table: {values: [0, 1, 0, 2], dt: 1}}",
                                 "{table: {values: [0, 1, 0, 2], dt: 1, interpolation: linear}}",
                                 "{table: {values: [0, 1, 0, 2], dt: 1, interpolation: held}}"};
    for (int k = 0; k < 3; k++) {
        assert_near(moved(lines[k], 1.25, out), 0.75, 1e-14, "%s", lines[k]);
        assert_near(out[1], -1, 1e-12, "slope");
        assert_near(moved(lines[k], 3.5, out), 2, 0, "after the last sample");
        assert_near(out[1], 0, 0, "at rest there");
    }
    /* The natural spline: 4 m1 + m2 = -12 and m1 + 4 m2 = 18, so that m1 = -66/15 and m2 = 84/15. */
    files_write("moved.csv", "0,0\n1,1\n2,0\n3,2\n");
    double m1 = -66.0 / 15, m2 = 84.0 / 15;
    moved("{table: {values: [0, 1, 0, 2], dt: 1, interpolation: spline}}", 1.5, out);
    assert_near(out[0], 0.5 - (m1 + m2) / 16, 1e-12, "spline");
    assert_near(out[2], (m1 + m2) / 2, 1e-12, "its second derivative");
    moved("{record: {file: moved.csv, unit: m}}", 1.5, out);
    assert_near(out[0], 0.5 - (m1 + m2) / 16, 1e-12, "record");
    assert_near(moved("{record: {file: moved.csv, unit: m, interpolation: linear}}", 1.25, out), 0.75, 1e-14,
                "lines");
    assert_near(moved("{record: {file: moved.csv, unit: m, interpolation: linear}}", 3.5, out), 2, 0, "afterwards");
}

/* Whether reading this support, with what is coupled to it, is remarked with the words. */
static bool remarked(const char *signal, const char *more, const char *words)
{
    char text[500];
    snprintf(text, sizeof text, "  dofs: [x]\n  mass: 1\n  supports: {s: {displacement: %s}}\n%s", signal, more);
    ifd_note_init(&note, arena);
    model(text);
    for (const ifd_finding *f = note.remark_first; f; f = f->next)
        if (strstr(f->text, words))
            return true;
    return false;
}

#define TRIAL "values: [0, 20 mm, -20 mm, 20 mm, -40 mm, 40 mm, 0], times: [0 s, 2 s, 4 s, 6 s, 10 s, 16 s, 20 s]"

/* 3.6 mm: -43.6 mm after the sample of -40 mm. */
TEST_IN_ARENA(a_spline_that_leaves_its_samples_is_remarked)
{
    const char *leaves = "leaves the range of neighbouring samples by 3.6 mm at 10.67 s";
    assert_true(remarked("{table: {" TRIAL ", interpolation: spline}}", "", leaves));
    assert_false(remarked("{table: {" TRIAL "}}", "", "leaves"));
    /* Half a wave of a sine: the largest excess is that next to its top, below 1 %. */
    assert_false(remarked("{table: {values: [0, 0.309, 0.5878, 0.809, 0.9511, 1, 0.9511, 0.809, 0.5878, 0.309, 0], "
                          "dt: 1, interpolation: spline}}",
                          "", "leaves"));
}

TEST_IN_ARENA(a_polygon_that_accelerates_a_mass_is_remarked)
{
    const char *pendulum = "  elements: [{pendulum: {at: s, mass: 1, length: 1, angle: th}}]\n",
               *spring = "  elements: [{spring: {between: [s, x], stiffness: 1}}]\n", *words = "are impulses";
    assert_true(remarked("{table: {" TRIAL "}}", pendulum, words));
    assert_false(remarked("{table: {" TRIAL "}}", spring, words));
    assert_false(remarked("{table: {" TRIAL ", interpolation: spline}}", pendulum, words));
}

TEST_IN_ARENA(loads_act_on_their_dofs)
{
    double P[2];
    const ifd_case *c = read(TIME "model:\n" CHAIN "loads:\n  - {at: x2, force: 3 kN}\n"
                                  "  - {at: x1, force: {sine: {amplitude: 2 N, frequency: 1 Hz}}}\n");
    ifd__model_load(c->run.model, 0.25, P);
    assert_near(P[0], 2, 1e-12, "x1");
    assert_near(P[1], 3000, 1e-12, "x2");
}

TEST_IN_ARENA(methods_take_their_parameters)
{
    const ifd_case *c = read(TIME "method: {lsrt2: {gamma: plus, jacobian: frozen}}\nmodel:\n" CHAIN);
    assert_string_equal(c->run.step.value[0].word, "plus");
    assert_string_equal(c->run.step.value[1].word, "frozen");
    c = read(TIME "method: {mg-alpha: {rho: 0.6}}\nmodel:\n" CHAIN);
    assert_near(c->run.step.value[0].number, 0.6, 0, "rho");
    c = read_set(TIME "method: newmark\nmodel:\n" CHAIN, "method={lsrt2: {gamma: 0.5}}");
    assert_string_equal(c->run.step.method->name, "lsrt2");
    assert_near(c->run.step.value[0].number, 0.5, 0, "gamma");
    assert_non_null(strstr(c->text, "# --set method={lsrt2: {gamma: 0.5}}\n"));
}

TEST_IN_ARENA(what_is_recorded_may_be_groups_and_dofs)
{
    const ifd_case *c = read(TIME "model:\n" CHAIN "record: [displacement, energy, x2]\n");
    assert_int_equal(c->run.what, IFD_RECORD_DISPLACEMENT | IFD_RECORD_ENERGY);
    assert_int_equal(c->run.dofs, 1);
    assert_int_equal(c->run.dof[0], 1);
    c = read(TIME "model:\n" CHAIN "record: all\n");
    assert_int_equal(c->run.what, IFD_RECORD_EVERYTHING);
    c = read(TIME "model:\n" CHAIN "record: [states]\n");
    assert_int_equal(c->run.what, IFD_RECORD_ELEMENTS | IFD_RECORD_MEMBERS | IFD_RECORD_STATES);
    c = read(TIME "model:\n" CHAIN "record: x1\n");
    assert_int_equal(c->run.what, IFD_RECORD_DISPLACEMENT | IFD_RECORD_VELOCITY | IFD_RECORD_ACCELERATION);
}

TEST_IN_ARENA(condensed_models_keep_their_numbering_straight)
{
    const ifd_case *c =
        read(TIME "model:\n  dofs: [a, b, c]\n  mass: [1, 1, 1]\n  stiffness: [[2, -1, 0], [-1, 2, -1], [0, -1, 1]]\n"
                  "  condense: {keep: [a, c]}\nrecord: [c]\nspecimen: [{spring: {between: [a, c], stiffness: 5}}]\n");
    assert_int_equal(c->run.model->n, 2);
    assert_int_equal(c->run.dof[0], 1);
    assert_int_equal(c->run.specimen[0].from, 0);
    assert_int_equal(c->run.specimen[0].to, 1);
    assert_int_equal(c->run.step.estimate[0].to, 1);
}

TEST_IN_ARENA(specimens_come_with_their_estimates)
{
    const ifd_case *c = read(TIME "model:\n" CHAIN "specimen:\n  - name: bearing\n"
                                  "    sliders: {between: [ground, x2], sliders: [[1e5, 1 mm]]}\n"
                                  "    estimate: {stiffness: 90 kN/m, damping: 2}\n");
    assert_int_equal(c->run.specimens, 1);
    assert_string_equal(c->run.specimen[0].name, "bearing");
    assert_int_equal(c->run.specimen[0].from, IFD_GROUND);
    assert_int_equal(c->run.step.estimates, 1);
    assert_near(c->run.step.estimate[0].stiffness, 9e4, 1e-9, "stiffness");
    assert_near(c->run.step.estimate[0].damping, 2, 0, "damping");
}

TEST_IN_ARENA(a_matrix_rounded_to_six_digits_is_remarked)
{
    static const struct {
        const char *entry;
        bool remarked;
    } of[] = {{"1.23457e+08", true}, {"12345", true}, {"1500", false}, {"1.234567890123457e8", false}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "%%%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 %s\n2 2 1\n3 3 1\n", of[i].entry);
        files_write("rounded.mtx", text);
        ifd_note_init(&note, arena);
        read(TIME "model: {dofs: [a, b, c], mass: [1, 1, 1], stiffness: rounded.mtx}\n");
        assert_int_equal(note.remark_first != NULL, of[i].remarked);
        if (of[i].remarked)
            assert_non_null(strstr(note.remark_first->text, "no number of 'rounded.mtx' has more than"));
    }
}

TEST_IN_ARENA(a_step_that_does_not_divide_the_records_interval_is_remarked)
{
    files_write("two.csv", "0,0\n0.01,2\n0.02,-4\n");
    read("time: {step: 2 ms, end: 1 s}\nmodel: {dofs: [x], mass: 1}\nground: {record: two.csv, unit: m/s2}\n");
    assert_null(note.remark_first);
    read("time: {step: 3 ms, end: 1 s}\nmodel: {dofs: [x], mass: 1}\nground: {record: two.csv, unit: m/s2}\n");
    assert_non_null(note.remark_first);
    assert_non_null(strstr(note.remark_first->text, "does not divide"));
    assert_int_equal(note.remark_first->place.line, 3);
}

TEST_IN_ARENA(an_included_model_is_overridden_by_keys_beside_it)
{
    files_write("part.yaml", "dofs: [x1, x2]\nmass: [1, 2]\nstiffness: [3, 4]\n");
    const ifd_model *m = model("  include: part.yaml\n  mass: [5, 6]\n");
    assert_near(entry(&m->M, 0, 0), 5, 0, "own mass");
    assert_near(entry(&m->K, 1, 1), 4, 0, "included stiffness");
}

/* Whatever take fails, reading ends with an error and without a crash. */
TEST_IN_ARENA(reading_survives_memory_running_out_anywhere)
{
    const char *path = IFD_SOURCE_DIR "/cases/amd-frame/controlled.yaml";
    long n = 1;
    for (; n < 100000; n += n < 200 ? 1 : 17) {
        ifd_arena *small = ifd_arena_open();
        ifd_note heard;
        ifd_case *c = NULL;
        ifd_note_init(&heard, small);
        ifd_arena_fail_at(small, n);
        ifd_status s = ifd_case_read(small, path, 0, NULL, &c, &heard);
        ifd_arena_close(small);
        if (s == IFD_OK)
            break;
    }
    print_message("about %ld takes\n", n);
    assert_true(n > 100 && n < 100000);
}

TESTS_WITH(files_open, files_close)
