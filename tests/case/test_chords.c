/* SPDX-License-Identifier: MIT */
/* Chords of frames: their rows, their place in the matrices, and a braced portal of an independent program. */
#include "case/texts.h"

#include <interfield/model.h>

#include <string.h>

#include "analysis/probe.h"
#include "analysis/superelements.h"
#include "substructure/substructure.h"

#define FRAME                                                                                                        \
    "model:\n"                                                                                                       \
    "  frame:\n"                                                                                                     \
    "    material: {young: 210 GPa}\n"                                                                               \
    "    sections:\n"                                                                                                \
    "      column: {area: 64.3 cm2, iz: 3692 cm4}\n"                                                                 \
    "      beam: {area: 53.8 cm2, iz: 8356 cm4}\n"                                                                   \
    "    nodes: {a: [0 m, 0 m], b: [0 m, 3 m], c: [4 m, 3 m], d: [4 m, 0 m]}\n"                                      \
    "    members: [[a, b, column], [d, c, column], [b, c, beam]]\n"
#define FRAME_LOADED                                                                                                 \
    "model:\n  frame:\n    material: {young: 210 GPa}\n"                                                             \
    "    sections: {column: {area: 64.3 cm2, iz: 3692 cm4}, beam: {area: 53.8 cm2, iz: 8356 cm4}}\n"                 \
    "    nodes: {a: [0 m, 0 m], b: [0 m, 3 m], c: [4 m, 3 m], d: [4 m, 0 m]}\n"                                      \
    "    members: [[a, b, column], [d, c, column], {from: b, to: c, section: beam, load: 20 kN/m}]\n"
#define PORTAL                                                                                                       \
    "time: {step: 2 ms, end: 4 s}\n"                                                                                 \
    "method: {lsrt2: {jacobian: exact}}\n" FRAME "    supports: {a: fixed, d: fixed}\n"
#define LIGHT PORTAL "  masses: {b: 10 t, c: 10 t}\n"
#define HEAVY PORTAL "  masses: {b: 25 t, c: 25 t}\n  rayleigh: {mass: 0.2, stiffness: 0.2 ms}\n"
#define SHAKEN "ground: {signal: {sine: {amplitude: 3 m/s2, frequency: 1.5 Hz}}}\n"
#define BRB                                                                                                          \
    "stiffness: 60 MN/m, hardening: 1.2 MN/m, yield-force: 150 kN, final-force: 190 kN, "                            \
    "yield-force-compression: 160 kN, final-force-compression: 210 kN, hardening-travel: 50 mm"

static int dof(const ifd_model *m, const char *name)
{
    int at = ifd_model_find_dof(m, name);
    assert_true(at >= 0);
    return at;
}

TEST_IN_ARENA(a_braced_portal_has_the_frequencies_and_displacements_of_the_prototype)
{
    static const double hertz[] = {7.16845704, 33.7986716, 34.4986937, 38.6781183};
    static const char *const ends[] = {"[a, c]", "[c, a]", "[[0 m, 0 m], c]", "[c, [0 m, 0 m]]"};
    for (size_t e = 0; e < COUNT(ends); e++) {
        const ifd_model *m = read(ifd_arena_print(arena,
                                                  "%s  elements: [{name: brace, spring: {between: %s, stiffness: 60 "
                                                  "MN/m}}]\nloads: [{at: b.x, force: 100 kN}]\n",
                                                  LIGHT, ends[e]))
                                 ->run.model;
        ifd_modes modes;
        double u[4];
        assert_int_equal(ifd_model_modes(m, IFD_DOF_X, 4, arena, &modes, &note), IFD_OK);
        for (int i = 0; i < 4; i++)
            assert_near_rel(modes.frequency[i], hertz[i], 5e-9, "%s: mode %d", ends[e], i + 1);
        assert_int_equal(ifd_model_static(m, 0.0, arena, u, &note), IFD_OK);
        double cx = u[dof(m, "c.x")], cy = u[dof(m, "c.y")];
        assert_near_rel(u[dof(m, "b.x")], 2.69828875e-3, 5e-9, "b.x");
        assert_near_rel(cx, 2.3692707e-3, 5e-8, "c.x");
        assert_near_rel(cy, -0.154301841e-3, 5e-9, "c.y");
        assert_near_rel(60e6 * (0.8 * cx + 0.6 * cy), 108170.127, 5e-9, "force of the brace");
    }
}

/* A column of a run of a text: its extremes and its last value. */
typedef struct motion {
    double most, least, end;
} motion;

static motion play(const char *text, const char *owner, ifd_quantity quantity)
{
    const ifd_case *c = read(text);
    ifd_run *r;
    int count, at = 0;
    motion m = {0};
    assert_int_equal(ifd_run_make(arena, &c->run, &r, &note), IFD_OK);
    const ifd_column *column = ifd_run_columns(r, &count);
    while (at < count && (column[at].quantity != quantity || strcmp(column[at].owner, owner) != 0))
        at++;
    assert_true(at < count);
    for (bool going = true; going;) {
        going = ifd_run_tick(r) == IFD_RUN_GOING;
        if (!ifd_run_fresh(r))
            continue;
        m.end = ifd_run_values(r)[at];
        m.most = fmax(m.most, m.end);
        m.least = fmin(m.least, m.end);
    }
    ifd_run_close(r);
    return m;
}

/* The independent program with LSRT2 and 2 ms, to its last printed digit. */
TEST_IN_ARENA(a_brace_along_a_chord_moves_as_computed_independently)
{
    static const char text[] = HEAVY "  elements: [{name: brace, brb: {between: [a, c], " BRB "}}]\n" SHAKEN;
    motion c = play(text, "c.x", IFD_COLUMN_DISPLACEMENT), q = play(text, "brace", IFD_COLUMN_ELEMENT_DEFORMATION),
           r = play(text, "brace", IFD_COLUMN_ELEMENT_FORCE);
    assert_near_rel(c.least, -0.00999523541, 5e-10, "peak of c.x");
    assert_near_rel(c.end, 0.00164622046, 5e-9, "c.x at the end");
    assert_near_rel(q.least, -0.00783728583, 5e-10, "peak elongation");
    assert_near_rel(r.most, 161016.029, 5e-9, "tension");
    assert_near_rel(r.least, -169911.367, 5e-9, "compression");
}

/* The force of a linear chord is recorded from the matrices. */
TEST_IN_ARENA(a_linear_chord_has_deformation_and_force_but_no_storey_drift)
{
    static const char text[] =
        LIGHT "  elements: [{name: brace, spring: {between: [a, c], stiffness: 60 MN/m}}]\n" SHAKEN;
    motion x = play(text, "c.x", IFD_COLUMN_DISPLACEMENT), y = play(text, "c.y", IFD_COLUMN_DISPLACEMENT),
           q = play(text, "brace", IFD_COLUMN_ELEMENT_DEFORMATION), f = play(text, "brace", IFD_COLUMN_ELEMENT_FORCE);
    assert_near_rel(q.end, 0.8 * x.end + 0.6 * y.end, 1e-12, "elongation");
    assert_near_rel(f.end, 60e6 * q.end, 1e-14, "force");
    const ifd_case *c = read(text);
    for (const ifd_storey_drift *d = c->drift; d; d = d->next)
        assert_false(d->storey);
}

/* All numbers of a run, one after the other. */
static double *record(const char *text, size_t *numbers)
{
    const ifd_case *c = read(text);
    ifd_run *r;
    int count;
    assert_int_equal(ifd_run_make(arena, &c->run, &r, &note), IFD_OK);
    (void)ifd_run_columns(r, &count);
    size_t rows = (size_t)ifd_run_steps(r) + 1;
    double *all = ifd_arena_array(arena, rows * (size_t)count, sizeof *all);
    *numbers = 0;
    for (bool going = true; going;) {
        going = ifd_run_tick(r) == IFD_RUN_GOING;
        if (ifd_run_fresh(r) && *numbers < rows * (size_t)count) {
            memcpy(all + *numbers, ifd_run_values(r), (size_t)count * sizeof *all);
            *numbers += (size_t)count;
        }
    }
    ifd_run_close(r);
    return all;
}

TEST_IN_ARENA(a_chord_along_one_dof_is_the_pair_to_the_last_bit)
{
    static const struct {
        const char *chord, *pair;
    } same[] = {
        {"[b, c]", "[b.x, c.x]"}, {"[c, b]", "[b.x, c.x]"}, {"[a, b]", "[ground, b.y]"}, {"[d, c]", "[ground, c.y]"}};
    static const char *const law[] = {"brb: {between: %s, " BRB "}",
                                      "maxwell: {between: %s, branches: [[20e6, 4e5]]}"};
    for (size_t i = 0; i < COUNT(same); i++)
        for (size_t k = 0; k < COUNT(law); k++) {
            const char *form = ifd_arena_print(
                arena,
                "%s  elements: [{name: e, %s}]\nrecord: [displacement, velocity, acceleration, elements, energy]\n%s",
                HEAVY, law[k], SHAKEN);
            size_t n[2];
            const char *cut = strstr(form, "%s");
            const double *all[2];
            for (int j = 0; j < 2; j++)
                all[j] = record(ifd_arena_print(arena, "%.*s%s%s", (int)(cut - form), form,
                                                j ? same[i].pair : same[i].chord, cut + 2),
                                &n[j]);
            assert_int_equal(n[0], n[1]);
            assert_memory_equal(all[0], all[1], n[0] * sizeof *all[0]);
        }
}

/* Loads of the ground on the model, and the motion that it gives to the coordinates of the elements. */
static void assert_invariant(const char *supports, const char *masses, const char *element)
{
    const ifd_model *m[2];
    for (int i = 0; i < 2; i++)
        m[i] = read(ifd_arena_print(arena,
                                    "time: {step: 2 ms, end: 1 s}\n" FRAME
                                    "    supports: %s\n  masses: {%sb: 10 t, c: 10 t}\n  elements: [%s]\n" SHAKEN,
                                    supports, masses, i ? element : ""))
                   ->run.model;
    double moved = 0.0;
    for (int i = 0; i < m[0]->n; i++) {
        assert_near(m[1]->ground[0].p[i], m[0]->ground[0].p[i], 1e-9, "%s: load on %s", element, m[0]->dof_name[i]);
        moved += fabs(entry(&m[1]->M, i, i) - entry(&m[0]->M, i, i));
    }
    assert_true(m[1]->ne || moved > 1000.0);
    for (int q = 0; q < m[1]->nq; q++)
        for (int d = 0; d < 2; d++)
            assert_near(m[1]->ground[d].q[q], 0.0, 1e-15, "%s: coordinate %d along %d", element, q, d);
}

TEST_IN_ARENA(a_translation_of_the_ground_does_not_move_a_chord)
{
    static const char *const supports[] = {"{a: fixed, d: fixed}", "{a: [x, rz], d: pinned, b: [y]}"};
    for (size_t s = 0; s < COUNT(supports); s++) {
        assert_invariant(supports[s], s ? "a: 1 t, " : "", "{mass: {between: [a, c], mass: 5 t}}");
        assert_invariant(supports[s], s ? "a: 1 t, " : "", "{mass: {between: [[-1 m, 0 m], c], mass: 5 t}}");
        assert_invariant(supports[s], s ? "a: 1 t, " : "", "{brb: {between: [a, c], " BRB "}}");
        assert_invariant(supports[s], s ? "a: 1 t, " : "", "{brb: {between: [[5 m, -2 m], b], " BRB "}}");
    }
}

TEST_IN_ARENA(a_moving_support_moves_a_chord_by_its_component)
{
    const ifd_model *m =
        read("time: {step: 2 ms, end: 1 s}\n" FRAME "    supports: {a: {hold: fixed, x: table}, d: fixed}\n"
             "  supports: {table: {displacement: 2 mm}}\n"
             "  masses: {b: 10 t, c: 10 t}\n  elements: [{name: brace, brb: {between: [a, c], " BRB "}}]\n")
            ->run.model;
    double u[8] = {0}, v[8] = {0}, q = 0.0, qd;
    ifd__model_coordinates(m, 0.0, u, v, &q, &qd);
    assert_near_rel(q, -0.8 * 0.002, 1e-12, "elongation by the support alone");
    u[dof(m, "c.x")] = 0.003;
    u[dof(m, "c.y")] = -0.001;
    ifd__model_coordinates(m, 0.0, u, v, &q, &qd);
    assert_near_rel(q, 0.8 * (0.003 - 0.002) - 0.6 * 0.001, 1e-12, "elongation");
}

#define SPACE                                                                                                        \
    "time: {step: 1 ms, end: 1 s}\nmodel:\n  frame:\n    dimension: 3\n    material: {young: 30 GPa, density: 2.5 "  \
    "t/m3}\n    sections: {post: {width: 0.4 m, depth: 0.4 m}, beam: {width: 0.3 m, depth: 0.5 m}}\n"                \
    "    grid: {bays: 6 m, bays-y: 5 m, storeys: [4 m, 3 m], columns: post, beams: beam}\n"

/* From (0, 0, 0) to (6, 0, 4), and between two free nodes from (6, 5, 4) to (0, 0, 7). */
TEST_IN_ARENA(a_diagonal_in_space_acts_on_three_directions)
{
    const ifd_model *m = read(SPACE "  elements: [{brb: {between: [s0x1y1, s1x2y1], " BRB "}}, {brb: {between: "
                                    "[s1x2y2, s2x1y1], " BRB "}}]\n")
                             ->run.model;
    static const struct {
        int q;
        const char *dof;
        double n;
    } term[] = {{0, "s1x2y1.x", 6},  {0, "s1x2y1.z", 4},  {1, "s1x2y2.x", 6},  {1, "s1x2y2.y", 5},
                {1, "s1x2y2.z", -3}, {1, "s2x1y1.x", -6}, {1, "s2x1y1.y", -5}, {1, "s2x1y1.z", 3}};
    assert_int_equal(m->b_start[1], 2);
    assert_int_equal(m->b_start[2], 8);
    for (size_t i = 0; i < COUNT(term); i++) {
        double found = 0.0;
        for (int k = m->b_start[term[i].q]; k < m->b_start[term[i].q + 1]; k++)
            found += m->b_dof[k] == dof(m, term[i].dof) ? m->b_value[k] : 0.0;
        assert_near_rel(found, term[i].n / sqrt(term[i].q ? 70.0 : 52.0), 1e-14, "%s", term[i].dof);
    }
}

/* A block that reads and applies along the chord is the dashpot there. */
TEST_IN_ARENA(a_block_reads_and_acts_along_a_chord)
{
    const ifd_model *m =
        read(HEAVY "  elements: [{pid: {read: [velocity c - a], apply: [[a, c]], kp: 1000}}]\n")->run.model;
    assert_int_equal(m->nq, 2);
    for (int q = 0; q < 2; q++) {
        assert_int_equal(m->b_start[q + 1] - m->b_start[q], 2);
        for (int k = m->b_start[q]; k < m->b_start[q + 1]; k++)
            assert_near_rel(m->b_value[k], m->b_dof[k] == dof(m, "c.x") ? 0.8 : 0.6, 1e-15, "coordinate %d", q);
    }
}

/* The chord of a substructure with its prefix, and one that a cut leaves in the part with both of its nodes. */
TEST_IN_ARENA(a_chord_belongs_to_one_substructure)
{
    static const char plane[] = "time: {step: 1 ms, end: 0.1 s}\n" FRAME "    supports: {a: fixed, d: fixed}\n"
                                "  masses: {b: 10 t, c: 10 t, b.rz: 1, c.rz: 1}\n"
                                "  elements: [{name: brace, brb: {between: [a, c], " BRB "}}]\n"
                                "cut: {parts: {left: b, right: [b, c]}}\n";
    const ifd_case *c = read(plane);
    assert_int_equal(c->run.couple->part[0].model->ne, 0);
    const ifd_model *right = c->run.couple->part[1].model;
    assert_int_equal(right->ne, 1);
    assert_int_equal(right->b_dof[0], dof(right, "c.x"));
    c = read(
        "time: {step: 1 ms, end: 0.1 s}\nsubstructures:\n  tower:\n    model:\n      frame:\n"
        "        material: {young: 210 GPa, density: 8 t/m3}\n        sections: {s: {width: 0.2 m, depth: 0.2 m}}\n"
        "        nodes: {a: [0, 0], b: [0, 3], c: [4, 3]}\n        members: [[a, b, s], [b, c, s]]\n"
        "        supports: {a: fixed}\n"
        "      elements: [{name: brace, spring: {between: [a, c], stiffness: 60 MN/m}}]\n"
        "  mass: {model: {dofs: [m], mass: [1], stiffness: [1]}}\njoints: [tower.b.x = mass.m]\n"
        "specimen:\n  - {name: strut, spring: {between: [tower.a, tower.c], stiffness: 5 MN/m}}\n");
    assert_string_equal(c->chord->part, "tower");
    assert_string_equal(c->chord->row, "0.8 c.x + 0.6 c.y");
    assert_near_rel(c->chord->length, 5.0, 1e-15, "length");
    assert_int_equal(c->run.specimen[0].row->count, 2);
    assert_string_equal(c->chord->next->name, "brace");
    assert_string_equal(c->drift->term[0], "tower.c.x");
}

#define FLOORS                                                                                                       \
    "time: {step: 2 ms, end: 0.1 s}\nmodel:\n  frame:\n    dimension: 3\n    material: {young: 30 GPa, poisson: "    \
    "0.2}\n    sections:\n      column: {width: 0.4 m, depth: 0.4 m, j: 0.00360533333 m4}\n"                         \
    "      beam: {width: 0.3 m, depth: 0.5 m, j: 0.0028173708 m4}\n"                                                 \
    "    grid: {bays: 6 m, bays-y: 5 m, storeys: [4 m, 3 m], columns: column, beams: beam, floors: rigid,\n"         \
    "      floor-mass: [60 t, 50 t], floor-inertia: [305000 kg m2, 254166.666666667 kg m2],\n"                       \
    "      floor-eccentricity: [0.5 m, 0.3 m]}\n"

static double term_of(const ifd_model *m, int count, const int *ref, const double *value, const char *name)
{
    double found = 0.0;
    for (int k = 0; k < count; k++)
        found += ref[k] == dof(m, name) ? value[k] : 0.0;
    return found;
}

/* A chord to a node of a rigid floor moves with the floor; numbers of an independent program. */
TEST_IN_ARENA(a_chord_follows_the_ties_of_its_nodes)
{
    static const double hertz[] = {2.40961967, 2.69763045, 5.03760437, 8.56896137, 8.8376517, 16.1471752};
    static const struct {
        const char *dof;
        double value;
    } row[] = {{"floor1.x", 0.832050294}, {"floor1.rz", 2.32974082}, {"s1x2y1.z", 0.554700196}};
    const ifd_model *m =
        read(FLOORS "  elements: [{spring: {between: [s0x1y1, s1x2y1], stiffness: 30 MN/m}}]\n")->run.model;
    ifd_modes modes;
    assert_int_equal(ifd_model_modes(m, IFD_DOF_X, 6, arena, &modes, &note), IFD_OK);
    for (int i = 0; i < 6; i++)
        assert_near_rel(modes.frequency[i], hertz[i], 5e-9, "mode %d", i + 1);
    m = read(FLOORS "  elements: [{brb: {between: [s0x1y1, s1x2y1], " BRB "}}]\n")->run.model;
    const ifd_case *c =
        read(FLOORS "  masses: {s1x2y1.z: 1 t}\nspecimen: [{name: s, brb: {between: [s0x1y1, s1x2y1], " BRB "}}]\n");
    const ifd_coordinate *q = c->run.specimen[0].row;
    for (size_t i = 0; i < COUNT(row); i++) {
        assert_near_rel(term_of(m, m->b_start[1], m->b_dof, m->b_value, row[i].dof), row[i].value, 5e-9,
                        "element, %s", row[i].dof);
        assert_near_rel(term_of(c->run.model, q->count, q->ref, q->coefficient, row[i].dof), row[i].value, 5e-9,
                        "specimen, %s", row[i].dof);
    }
    assert_int_equal(q->count, 3);
    assert_true(c->run.specimen[0].to >= 0 && c->run.step.estimate[0].row == q);
}

/* Elements in parallel along a chord are a model on the rig; a run computes them with the structure. */
TEST_IN_ARENA(a_specimen_in_parallel_along_a_chord_is_part_of_the_run)
{
    static const char two[] = "{brb: {between: [a, c], " BRB "}}, {dashpot: {between: [a, c], damping: 60 kN s/m}}";
    const char *specimen =
                   ifd_arena_print(arena, "%sspecimen: [{name: brace, parallel: [%s]}]\n%s", HEAVY, two, SHAKEN),
               *whole = ifd_arena_print(arena, "%s  elements: [%s]\n%s", HEAVY, two, SHAKEN);
    motion a = play(specimen, "c.x", IFD_COLUMN_DISPLACEMENT), b = play(whole, "c.x", IFD_COLUMN_DISPLACEMENT);
    assert_near(a.least, b.least, 1e-14, "peak");
    assert_near(a.end, b.end, 1e-14, "end");
    assert_true(b.least < -0.005);
}

/* b M^-1 b^T of 25 t in every direction: a brace with a fixed end moves 25 t, one between two free nodes half. */
TEST_IN_ARENA(a_chord_moves_the_mass_of_its_nodes)
{
    static const char *const ends[] = {"[a, c]", "[b, c]", "[a, b]"};
    static const double mass[] = {25e3, 12.5e3, 25e3};
    for (size_t i = 0; i < COUNT(ends); i++) {
        const ifd_case *c = read(ifd_arena_print(
            arena, "%sspecimen: [{name: s, spring: {between: %s, stiffness: 1 MN/m}}]\n", HEAVY, ends[i]));
        assert_near_rel(ifd__ends_mass(c->run.model, IFD__ENDS(&c->run.specimen[0])), mass[i], 1e-14, "%s", ends[i]);
    }
}

#define WEIGHTED                                                                                                     \
    "time: {step: 1 ms, end: 0.2 s}\nmethod: lsrt2\n" FRAME_LOADED "    supports: {a: fixed, d: fixed}\n"            \
    "  masses: {b: 10 t, c: 10 t}\n"

/* The portal with 20 kN/m on its beam and a brace that carries this load, or that is erected under it; then 50 kN at
 * b.x. Numbers of an independent program. */
TEST_IN_ARENA(a_chord_counts_from_the_unloaded_or_the_loaded_geometry)
{
    static const struct {
        const char *law, *origin;
        double q0, cx, force;
    } row[] = {
        {"spring: {stiffness: 60 MN/m, ", "unloaded", -468.942159 / 60e6, 1.24126223e-3, 53616.1215},
        {"spring: {stiffness: 60 MN/m, ", "loaded", -0.06349832e-3, 1.17191431e-3, 54085.0637},
        {"cubic-spring: {stiffness: 60 MN/m, epsilon: 0, ", "unloaded", -468.942159 / 60e6, 1.24126223e-3,
         53616.1215},
        {"cubic-spring: {stiffness: 60 MN/m, epsilon: 0, ", "loaded", -0.06349832e-3, 1.17191431e-3, 54085.0637}};
    static const double hertz[] = {7.16845704, 33.7986716, 34.4986937, 38.6781183};
    for (size_t i = 0; i < COUNT(row); i++) {
        const char *brace = ifd_arena_print(arena, "  elements: [{name: brace, %sbetween: [a, c], origin: %s}}]\n",
                                            row[i].law, row[i].origin);
        const ifd_case *c = read(ifd_arena_print(arena, WEIGHTED "%sloads: [{at: b.x, force: 50 kN}]\n", brace));
        const ifd_model *m = c->run.model;
        bool loaded = strcmp(row[i].origin, "loaded") == 0;
        double u[4], v[4] = {0.0};
        ifd_modes modes;
        assert_near_rel(c->chord->start, row[i].q0, loaded ? 1e-7 : 1e-8, "%s, %s: q0", row[i].law, row[i].origin);
        assert_int_equal(ifd_model_static(m, 0.0, arena, u, &note), IFD_OK);
        double cx = u[dof(m, "c.x")], q = 0.8 * cx + 0.6 * u[dof(m, "c.y")];
        assert_near_rel(cx, row[i].cx, 5e-9, "%s, %s: c.x", row[i].law, row[i].origin);
        assert_near_rel(60e6 * (q - (loaded ? c->chord->start : 0.0)), row[i].force, 1e-8, "%s, %s: force",
                        row[i].law, row[i].origin);
        assert_int_equal(ifd_model_modes(m, IFD_DOF_X, 4, arena, &modes, &note), IFD_OK);
        for (int k = 0; k < 4; k++)
            assert_near_rel(modes.frequency[k], hertz[k], 5e-9, "%s, %s: mode %d", row[i].law, row[i].origin, k + 1);
        if (m->nq)
            ifd__model_coordinates(m, 0.0, m->u0, v, u, v);
        assert_near(m->nq ? u[0] : 0.0, loaded || !m->nq ? 0.0 : row[i].q0, 1e-13, "coordinate at the start");
        const char *still = ifd_arena_print(arena, WEIGHTED "%s", brace);
        motion x = play(still, "c.x", IFD_COLUMN_DISPLACEMENT), f = play(still, "brace", IFD_COLUMN_ELEMENT_FORCE);
        assert_near(x.most + x.least, m->u0[dof(m, "c.x")], 1e-14, "c.x at rest");
        assert_near(x.end, m->u0[dof(m, "c.x")], 1e-14, "c.x at the end");
        assert_near(f.end, loaded ? 0.0 : -468.942159, 1e-5, "force at rest");
    }
}

/* The specimen whose estimate is its stiffness is the element. */
TEST_IN_ARENA(a_specimen_counts_from_the_loaded_geometry_as_an_element_does)
{
    static const char spring[] = "{name: brace, spring: {between: [a, c], stiffness: 60 MN/m, origin: loaded}";
    const char *element = ifd_arena_print(arena, WEIGHTED "  elements: [%s}]\n%s", spring, SHAKEN),
               *specimen = ifd_arena_print(arena, WEIGHTED "specimen: [%s, estimate: {stiffness: 60 MN/m}}]\n%s",
                                           spring, SHAKEN);
    motion a = play(specimen, "c.x", IFD_COLUMN_DISPLACEMENT), b = play(element, "c.x", IFD_COLUMN_DISPLACEMENT),
           q = play(specimen, "brace", IFD_COLUMN_INTERFACE_DEFORMATION);
    assert_near(a.end, b.end, 1e-14, "c.x at the end");
    assert_near(a.least, b.least, 1e-14, "peak");
    assert_near(q.end, play(element, "brace", IFD_COLUMN_ELEMENT_DEFORMATION).end, 1e-14, "elongation");
    assert_true(b.least < -1e-3);
}

/* The same chord in a structure of two substructures, which are joined for the gravity state. */
TEST_IN_ARENA(a_chord_of_a_substructure_counts_from_the_loaded_geometry)
{
    const ifd_case *c =
        read("time: {step: 1 ms, end: 0.1 s}\nsubstructures:\n  portal:\n    model:\n      frame:\n"
             "        material: {young: 210 GPa}\n        sections: {s: {area: 64.3 cm2, iz: 3692 cm4}}\n"
             "        nodes: {a: [0, 0], b: [0, 3], c: [4, 3], d: [4, 0]}\n"
             "        members: [[a, b, s], [d, c, s], {from: b, to: c, section: s, load: 20 kN/m}]\n"
             "        supports: {a: fixed, d: fixed}\n      masses: {b: 10 t, c: 10 t}\n"
             "      elements: [{name: brace, brb: {between: [a, c], stiffness: 60 MN/m, yield-force: 150 kN, "
             "origin: loaded}}]\n"
             "  mass: {model: {dofs: [m], mass: [1000], stiffness: [2e6]}}\njoints: [portal.b.x = mass.m]\n");
    const ifd_model *m = c->run.couple->part[0].model;
    double q0 = 0.8 * m->u0[dof(m, "c.x")] + 0.6 * m->u0[dof(m, "c.y")];
    assert_true(fabs(q0) > 1e-5);
    assert_near_rel(m->origin[0], q0, 1e-14, "origin");
    assert_near_rel(c->chord->start, q0, 1e-14, "q0 of check");
    assert_near(m->s0[0], 0.0, 1e-20, "state of the brace");
}

/* 357 dofs as a superelement: specimen and estimate act on the dofs of the chord as before. */
TEST_IN_ARENA(a_reduced_structure_keeps_the_dofs_of_a_chord)
{
    static const char *const end[] = {"c.x", "c.y"};
    const ifd_case *c = read("time: {step: 1 ms, end: 1 s}\nmodel:\n  frame:\n"
                             "    material: {young: 210 GPa, density: 8 t/m3}\n"
                             "    sections: {s: {width: 0.2 m, depth: 0.2 m}}\n"
                             "    nodes: {a: [0, 0], b: [0, 3], c: [4, 3], d: [4, 0]}\n    members:\n"
                             "      - {from: a, to: b, section: s, segments: 40}\n"
                             "      - {from: b, to: c, section: s, segments: 40}\n"
                             "      - {from: d, to: c, section: s, segments: 40}\n"
                             "    supports: {a: fixed, d: fixed}\n"
                             "specimen: [{name: s, spring: {between: [a, c], stiffness: 60 MN/m}, estimate: "
                             "{stiffness: 60 MN/m}}]\n");
    ifd_run_options o;
    ifd__superelements out;
    assert_int_equal(ifd__probe_options(arena, &c->run, &o), IFD_OK);
    assert_int_equal(ifd__superelements_make(arena, &o, 40, &out), IFD_OK);
    assert_true(o.model->n < c->run.model->n / 2);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(o.model->dof_name[o.specimen[0].row->ref[i]], end[i]);
        assert_string_equal(o.model->dof_name[o.step.estimate[0].row->ref[i]], end[i]);
        assert_near_rel(o.specimen[0].row->coefficient[i], i ? 0.6 : 0.8, 1e-15, "%s", end[i]);
    }
    assert_string_equal(c->run.model->dof_name[c->run.specimen[0].row->ref[0]], end[0]);
}

TESTS_WITH(files_open, files_close)
