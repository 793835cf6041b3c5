/* SPDX-License-Identifier: MIT */
/* Members of frames: their forms, releases, shear, segments and loads. */
#include "case/texts.h"

#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "model/build/frame.h"

#define TIME "time: {step: 1 ms, end: 1 s}\n"

static const ifd_frame *frame_of(const ifd_case *c)
{
    const ifd_case_piece *piece = c->piece;
    while (piece && !piece->frame)
        piece = piece->next;
    assert_non_null(piece);
    return piece->frame;
}

/* A portal of which the beam is given. */
static const char *portal(const char *beam)
{
    return ifd_arena_print(arena,
                           TIME
                           "model:\n"
                           "  frame:\n"
                           "    material: {young: 210 GPa, density: 7850 kg/m3}\n"
                           "    sections: {post: {width: 0.2 m, depth: 0.2 m}, beam: {width: 0.2 m, depth: 0.4 m}}\n"
                           "    nodes: {a: [0 m, 0 m], b: [0 m, 3 m], c: [4 m, 3 m], d: [4 m, 0 m]}\n"
                           "    members: [[a, b, post], %s, [d, c, post]]\n"
                           "    supports: {a: fixed, d: pinned}\n",
                           beam);
}

TEST_IN_ARENA(a_mapping_is_the_member_of_the_list)
{
    const ifd_case *list = read(portal("[b, c, beam, girder]"));
    const ifd_model *one = list->run.model;
    const ifd_case *map = read(portal("{from: b, to: c, section: beam, name: girder}"));
    assert_int_equal(one->n, map->run.model->n);
    for (int j = 0; j < one->n; j++)
        for (int i = 0; i < one->n; i++) {
            assert_true(entry(&one->K, i, j) == entry(&map->run.model->K, i, j));
            assert_true(entry(&one->M, i, j) == entry(&map->run.model->M, i, j));
        }
    assert_string_equal(ifd__frame_member_name(arena, frame_of(map), 1), "girder");
    map = read(portal("{from: b, to: c, section: beam}"));
    assert_string_equal(ifd__frame_member_name(arena, frame_of(map), 1), "b-c");
}

static double displacement(const ifd_model *m, const double *u, const char *dof)
{
    int at = ifd_model_find_dof(m, dof);
    assert_true(at >= 0);
    return u[at];
}

static double hertz(const ifd_model *m, int i)
{
    ifd_modes modes;
    assert_int_equal(ifd_model_modes(m, IFD_DOF_X, i + 1, arena, &modes, &note), IFD_OK);
    return modes.frequency[i];
}

/* Columns of A and I of the portal, bay 5 m; its beam has a release. */
#define BARE "sections: {column: {area: 64.3 cm2, iz: 3692 cm4}, beam: {area: 53.8 cm2, iz: 8356 cm4}}\n"
static const char *wide(const char *more, const char *loads)
{
    return ifd_arena_print(arena,
                           TIME "model:\n"
                                "  frame:\n"
                                "    material: {young: 210 GPa, density: 7850 kg/m3}\n"
                                "    " BARE
                                "    nodes: {a: [0 m, 0 m], b: [0 m, 3 m], c: [5 m, 3 m], d: [5 m, 0 m]}\n"
                                "    members: [[a, b, column], {from: b, to: c, section: beam%s}, [d, c, column]]\n"
                                "    supports: {a: fixed, d: fixed}\n%s",
                           more, loads);
}

/* The sways are solutions in rational numbers of the same 6 or 8 equations; the frequencies come from an independent
 * program. */
TEST_IN_ARENA(a_portal_with_joint_springs_has_the_independent_values)
{
    static const char *const release[] = {", release: both", ", release: {start: 20 MN m/rad, end: 20 MN m/rad}", ""};
    static const double sway[] = {5.81509795464624e-3, 2.3406254370374e-3, 1.94105889902817e-3},
                        first[] = {12.4203043, 18.9663271, 20.586358};
    for (int i = 0; i < 3; i++) {
        const ifd_model *m = read(wide(release[i], "loads: [{at: b.x, force: 10 kN}]\n"))->run.model;
        double *u = ifd_arena_array(arena, (size_t)m->n, sizeof *u);
        assert_int_equal(ifd_model_static(m, 1.0, arena, u, &note), IFD_OK);
        assert_near_rel(displacement(m, u, "b.x"), sway[i], 1e-12, "sway with release %d", i);
        assert_near_rel(hertz(m, 0), first[i], 2.5e-8, "frequency with release %d", i);
    }
}

/* Deflections of a cantilever with shear: P L^3/(3 E I) + P L/(G As), with values and frequencies of an independent
 * computation; and a spring at a release between hinge and clamp. */
TEST_IN_ARENA(a_short_cantilever_shears)
{
    const ifd_model *m = read(TIME "model:\n"
                                   "  frame:\n"
                                   "    material: {young: 30 GPa, poisson: 0.2, density: 2500 kg/m3}\n"
                                   "    sections: {s: {width: 0.3 m, depth: 0.6 m, shear-area: 0.15 m2}}\n"
                                   "    nodes: {a: [0 m, 0 m], b: [2 m, 0 m]}\n"
                                   "    members: [[a, b, s]]\n"
                                   "    supports: {a: fixed}\n"
                                   "loads: [{at: b.y, force: -50 kN}]\n")
                             ->run.model;
    double u[3];
    assert_int_equal(ifd_model_static(m, 1.0, arena, u, &note), IFD_OK);
    assert_near_rel(-displacement(m, u, "b.y"), 0.8763786008e-3, 5e-10, "tip");
    assert_near_rel(-displacement(m, u, "b.y"), 50e3 * 8 / (3 * 30e9 * 0.0054) + 50e3 * 2 / (12.5e9 * 0.15), 1e-12,
                    "tip in closed form");
    assert_near_rel(hertz(m, 0), 80.8978477, 5e-9, "first frequency");
    assert_near_rel(hertz(m, 2), 760.821004, 5e-9, "second bending frequency");
}

TEST_IN_ARENA(a_rotation_that_no_member_holds_has_no_dof)
{
    const ifd_case *c = read(
        TIME "model:\n"
             "  frame:\n"
             "    material: {young: 210 GPa, density: 7850 kg/m3}\n"
             "    " BARE "    nodes: {a: [0 m, 0 m], b: [0 m, 3 m], e: [3 m, 3 m], c: [6 m, 3 m], d: [6 m, 0 m]}\n"
             "    members: [[a, b, column], {from: b, to: e, section: column, release: end},\n"
             "              {from: e, to: c, section: column, release: start}, [d, c, column]]\n"
             "    supports: {a: pinned, d: pinned}\n"
             "loads: [{at: b.x, force: 40 kN}]\n");
    const ifd_model *m = c->run.model;
    double u[16];
    assert_int_equal(ifd_model_find_dof(m, "e.rz"), -1);
    assert_non_null(note.remark_first);
    assert_non_null(strstr(note.remark_first->text, "'e.rz' is left out"));
    assert_int_equal(ifd_model_static(m, 1.0, arena, u, &note), IFD_OK);
    assert_near_rel(displacement(m, u, "b.x"), 46.5213099e-3, 5e-9, "sway of the three-hinged portal");
}

/* In space: a cantilever along x with a hinge about one local axis behaves as a hinge there and as a clamp about the
 * other; rx at one end frees the twist. */
TEST_IN_ARENA(in_space_each_axis_is_released_by_itself)
{
    static const char *const released[] = {"start.rz", "start.ry", "start.rx"};
    static const int softer[] = {2, 1, 3}; /* local y is global z; rz bends in the vertical plane */
    for (int i = 0; i < 3; i++) {
        const ifd_model *m =
            read(ifd_arena_print(arena,
                                 TIME "model:\n"
                                      "  frame:\n"
                                      "    dimension: 3\n"
                                      "    material: {young: 30 GPa, density: 2500 kg/m3}\n"
                                      "    sections: {s: {width: 0.3 m, depth: 0.6 m}}\n"
                                      "    nodes: {a: [0 m, 0 m, 0 m], b: [2 m, 0 m, 0 m]}\n"
                                      "    members: [{from: a, to: b, section: s, release: {%s: 6 MN m/rad}}]\n"
                                      "    supports: {a: fixed}\n",
                                 released[i]))
                ->run.model;
        const double E = 30e9, L = 2, I[3] = {0, 0.6 * 0.027 / 12, 0.3 * 0.216 / 12}, k = 6e6;
        double u[6] = {0}, f[6] = {0};
        /* flexibility of the tip: P L^3/(3EI) + P L^2/k for a force, T L/(G J) + T/k for a twist */
        ifd_section rectangle = ifd_section_rectangle(0.3, 0.6);
        for (int d = 1; d < 4; d++) {
            double soft = d == softer[i] ? 1.0 / k : 0.0, own;
            own = d < 3 ? L * L * L / (3 * E * I[d]) + soft * L * L : L / (E / 2.4 * rectangle.J) + soft;
            memset(f, 0, sizeof f);
            f[d] = 1.0;
            double K[36];
            int pivot[6];
            for (int a = 0; a < 36; a++)
                K[a] = entry(&m->K, a % 6, a / 6);
            assert_true(ifd__lu_factor(6, K, pivot));
            memcpy(u, f, sizeof u);
            ifd__lu_solve(6, K, pivot, 1, u);
            assert_near_rel(u[d], own, 1e-10, "direction %d with %s", d, released[i]);
        }
    }
}

typedef struct rows {
    ifd_run *run;
    const ifd_column *column;
    int columns;
    double *first; /* the row at the start */
} rows;

/* A run to its end. */
static rows played(const ifd_case *c)
{
    rows r = {0};
    assert_int_equal(ifd_run_make(arena, &c->run, &r.run, &note), IFD_OK);
    r.column = ifd_run_columns(r.run, &r.columns);
    r.first = ifd_arena_array(arena, (size_t)r.columns, sizeof *r.first);
    memcpy(r.first, ifd_run_values(r.run), (size_t)r.columns * sizeof *r.first);
    while (ifd_run_tick(r.run) == IFD_RUN_GOING) {
    }
    return r;
}

/* A recorded value at the end; number: of its columns, from 1, or 0. */
static double value(const rows *r, const char *owner, ifd_quantity what, int number)
{
    for (int i = 0; i < r->columns; i++)
        if (r->column[i].quantity == what && r->column[i].number == number && strcmp(r->column[i].owner, owner) == 0)
            return ifd_run_values(r->run)[i];
    fail_msg("no column %s %d", owner, number);
    return 0;
}

static double force(const rows *r, const char *member, int number)
{
    return value(r, member, IFD_COLUMN_ELEMENT_FORCE, number);
}

/* Nothing moves, so that the last row is the first. */
static void assert_at_rest(const rows *r, const char *of)
{
    for (int i = 0; i < r->columns; i++)
        if (r->column[i].quantity == IFD_COLUMN_DISPLACEMENT || r->column[i].quantity == IFD_COLUMN_ELEMENT_FORCE) {
            double now = ifd_run_values(r->run)[i],
                   least = r->column[i].quantity == IFD_COLUMN_DISPLACEMENT ? 1e-12 : 1e-5;
            assert_near(now, r->first[i], least + 1e-9 * fabs(r->first[i]), "%s of %s in %s", r->column[i].name,
                        r->column[i].owner, of);
        }
}

/* 6 x 3 m, pinned, all members as the columns, a hinge at the middle of the beam. */
#define HINGED                                                                                                       \
    TIME "model:\n"                                                                                                  \
         "  rayleigh: {mass: 0.2, stiffness: 0.2 ms}\n"                                                              \
         "  frame:\n"                                                                                                \
         "    material: {young: 210 GPa, density: 7850 kg/m3}\n"                                                     \
         "    " BARE "    nodes: {a: [0 m, 0 m], b: [0 m, 3 m], e: [3 m, 3 m], c: [6 m, 3 m], d: [6 m, 0 m]}\n"      \
         "    members:\n"                                                                                            \
         "      - [a, b, column]\n"                                                                                  \
         "      - {from: b, to: e, section: column, release: end, load: 12 kN/m}\n"                                  \
         "      - {from: e, to: c, section: column, release: start, load: [0 N/m, -12 kN/m]}\n"                      \
         "      - [d, c, column]\n"                                                                                  \
         "    supports: {a: pinned, d: pinned}\n"

/* Statics: the reactions are w l/2 = 36 kN, and w l^2/(8 h) = 18 kN of thrust. */
TEST_IN_ARENA(a_three_hinged_portal_starts_with_the_reactions_of_statics)
{
    rows r = played(read(HINGED));
    assert_at_rest(&r, "the three-hinged portal");
    assert_near_rel(force(&r, "a-b", 1), 36e3, 1e-9, "vertical reaction"); /* local x is upwards */
    assert_near_rel(force(&r, "a-b", 2), -18e3, 1e-9, "thrust");
    assert_near(force(&r, "a-b", 3), 0.0, 1e-6, "moment at the pinned base");
    assert_near_rel(fabs(force(&r, "a-b", 6)), 54e3, 1e-9, "moment at the corner");
    assert_near_rel(fabs(force(&r, "b-e", 3)), 54e3, 1e-9, "moment of the beam there");
    assert_near(force(&r, "b-e", 6), 0.0, 1e-6, "moment at the hinge");
    assert_near_rel(value(&r, "e.y", IFD_COLUMN_DISPLACEMENT, 0), -36.6855205e-3, 2e-9, "crown");
}

/* End moments of the beam with springs at its ends: values of an independent computation. */
TEST_IN_ARENA(joint_springs_share_the_end_moments)
{
    static const char *const release[] = {", release: both", ", release: {start: 20 MN m/rad, end: 20 MN m/rad}", ""};
    static const double moment[] = {0.0, 8194.80389, 9903.79198};
    for (int i = 0; i < 3; i++) {
        rows r = played(read(wide(ifd_arena_print(arena, "%s, load: 8 kN/m", release[i]), "")));
        assert_at_rest(&r, release[i]);
        assert_near(force(&r, "b-c", 3), moment[i], 5e-7 * 1e4, "end moment %d", i);
        assert_near(force(&r, "b-c", 6), -moment[i], 5e-7 * 1e4, "other end moment %d", i);
        assert_near_rel(force(&r, "b-c", 2), 20e3, 1e-9, "shear %d", i);
    }
}

/* w L^4/(8 E I) + w L^2/(2 G As); the same with four segments, whose end forces are those of statics. */
TEST_IN_ARENA(a_loaded_cantilever_bends_and_shears_with_any_segments)
{
    static const char *const segments[] = {"", ", name: s, segments: 4"};
    for (int i = 0; i < 2; i++) {
        rows r =
            played(read(ifd_arena_print(arena,
                                        TIME "model:\n"
                                             "  frame:\n"
                                             "    material: {young: 30 GPa, poisson: 0.2, density: 2500 kg/m3}\n"
                                             "    sections: {s: {width: 0.3 m, depth: 0.6 m, shear-area: 0.15 m2}}\n"
                                             "    nodes: {a: [0 m, 0 m], b: [2 m, 0 m]}\n"
                                             "    members: [{from: a, to: b, section: s, load: 10 kN/m%s}]\n"
                                             "    supports: {a: fixed}\n",
                                        segments[i])));
        assert_near_rel(value(&r, "b.y", IFD_COLUMN_DISPLACEMENT, 0), -0.134123457e-3, 5e-9, "tip");
        assert_near_rel(value(&r, "b.y", IFD_COLUMN_DISPLACEMENT, 0),
                        -10e3 * 16 / (8 * 30e9 * 0.0054) - 10e3 * 4 / (2 * 12.5e9 * 0.15), 1e-10,
                        "tip in closed form");
        if (i == 0)
            assert_near_rel(force(&r, "a-b", 3), 20e3, 1e-9, "moment at the base");
        for (int k = 1; i && k <= 4; k++) { /* what is beyond the start of segment k: 2.5 - k/2 m */
            double l = 0.5 * (5 - k);
            const char *name = ifd_arena_print(arena, "s.%d", k);
            assert_near_rel(force(&r, name, 2), 10e3 * l, 1e-9, "shear of segment %d", k);
            assert_near_rel(force(&r, name, 3), 10e3 * l * l / 2, 1e-9, "moment of segment %d", k);
        }
    }
}

/* Weight of members and masses: the base carries it, half of the column above its middle. */
TEST_IN_ARENA(weight_is_that_of_members_and_masses)
{
    const char *text = "model:\n"
                       "  masses: {b: 3 t}\n"
                       "  frame:\n"
                       "    material: {young: 30 GPa, density: 2500 kg/m3}\n"
                       "    sections: {s: {width: 0.4 m, depth: 0.4 m}}\n"
                       "    nodes: {a: [0 m, 0 m], b: [0 m, 4 m]}\n"
                       "    members: [[a, b, s]]\n"
                       "    supports: {a: fixed}\n"
                       "    gravity-state: weight\n"
                       "    gravity: 10 m/s2\n"
                       "    gravity-loads: {b: 7 kN}\n";
    double own = 2500 * 0.16 * 4 * 10;
    rows r = played(read(ifd_arena_print(arena, TIME "%s", text)));
    assert_at_rest(&r, "the column");
    assert_near_rel(force(&r, "a-b", 1), own + 37e3, 1e-9, "base");
    assert_near_rel(-force(&r, "a-b", 4), 37e3, 1e-9, "top");
    assert_near_rel(value(&r, "b.y", IFD_COLUMN_DISPLACEMENT, 0), -(own / 2 + 37e3) * 4 / (30e9 * 0.16), 1e-9, "top");
    /* the same axial force for P-Delta: its mean over the member */
    const ifd_model *m = read(ifd_arena_print(arena, TIME "%s    geometry: p-delta\n", text))->run.model;
    double N = -(own / 2 + 37e3), E = 30e9, I = 0.0256 / 12, L = 4;
    int x = ifd_model_find_dof(m, "b.x");
    assert_near_rel(entry(&m->K, x, x), 12 * E * I / (L * L * L) + 36 * N / (30 * L), 1e-10, "K with N");
    assert_non_null(note.remark_first);
}

/* The rotation of the end is eliminated from K + Kg with its spring. */
TEST_IN_ARENA(geometric_stiffness_is_condensed_with_the_stiffness)
{
    const ifd_model *m = read(TIME "model:\n"
                                   "  frame:\n"
                                   "    material: {young: 1e10 Pa, density: 1000 kg/m3}\n"
                                   "    sections: {post: {area: 1 m2, iz: 1e-3 m4}}\n"
                                   "    nodes: {a: [0 m, 0 m], b: [0 m, 4 m]}\n"
                                   "    members: [{from: a, to: b, section: post, release: {end: 2 MN m/rad}}]\n"
                                   "    supports: {a: fixed, b: [rz]}\n"
                                   "    geometry: p-delta\n"
                                   "    gravity: 0 m/s2\n"
                                   "    gravity-loads: {b: 500 kN}\n")
                             ->run.model;
    const double EI = 1e7, L = 4, P = 5e5, k = 2e6;
    double a = 12 * EI / (L * L * L) - 36 * P / (30 * L), b = 6 * EI / (L * L) - 3 * P / 30,
           c = 4 * EI / L - 4 * L * P / 30 + k;
    int x = ifd_model_find_dof(m, "b.x");
    assert_near_rel(entry(&m->K, x, x), a - b * b / c, 1e-10, "condensed together");
}

/* A beam on two columns with a node in its middle, in a whole or cut there, and with an element that yields. */
static const char *divided(const char *elements, const char *more)
{
    return ifd_arena_print(arena,
                           "time: {step: 1 ms, end: 0.2 s}\n"
                           "method: {mg-alpha: {rho: 0.8}}\n"
                           "model:\n"
                           "  masses: {b: 10 t, c: 10 t, e: 5 t}\n"
                           "  frame:\n"
                           "    material: {young: 210 GPa, density: 7850 kg/m3}\n"
                           "    " BARE
                           "    nodes: {a: [0 m, 0 m], b: [0 m, 3 m], e: [2 m, 3 m], c: [4 m, 3 m], d: [4 m, 0 m]}\n"
                           "    members: [[a, b, column], {from: b, to: e, section: beam, load: 20 kN/m},\n"
                           "              {from: e, to: c, section: beam, load: 20 kN/m}, [d, c, column]]\n"
                           "    supports: {a: fixed, d: fixed}\n%s%s",
                           elements, more);
}

TEST_IN_ARENA(substructures_start_in_the_equilibrium_of_the_whole)
{
    rows whole = played(read(divided("", "")));
    rows cut = played(read(divided("", "coupling: pg-alpha\n"
                                       "cut: {parts: {left: {holds: [b, e], subcycles: 2}, right: {holds: [e, c], "
                                       "coarse: yes}}}\n")));
    assert_at_rest(&whole, "the whole");
    for (int i = 1; i <= 6; i++)
        assert_near(force(&cut, "b-e", i), force(&whole, "b-e", i), 1e-4, "end force %d of the cut beam", i);
}

/* A prop that yields under the load: its force is its yield force, and the structure stays at rest. */
TEST_IN_ARENA(a_prop_that_yields_carries_its_yield_force)
{
    rows r = played(
        read(divided("  elements:\n"
                     "    - {name: prop, bilinear: {between: [ground, e.y], stiffness: 75 MN/m, yield: 0.2 mm}}\n",
                     "")));
    assert_at_rest(&r, "the propped beam");
    assert_near_rel(fabs(value(&r, "prop", IFD_COLUMN_ELEMENT_FORCE, 0)), 15e3, 1e-9, "force of the prop");
    assert_near_rel(force(&r, "b-e", 5) + force(&r, "e-c", 2), 15e3, 1e-9, "balance of the middle node");
}

/* The displacement of a condensed dof. */
static double gone(const ifd_model *m, const double *u, const char *dof)
{
    for (int i = 0; i < m->ngone; i++)
        if (strcmp(m->gone[i], dof) == 0)
            return ifd__model_gone(m, i, 1.0, u, NULL);
    fail_msg("'%s' is not condensed", dof);
    return 0;
}

/* The portal with a spring along the diagonal from a to c, a coordinate of two dofs, under the load of its beam and
 * then under a force too: values of an independent computation. */
TEST_IN_ARENA(a_braced_portal_shares_the_load_of_its_beam)
{
    static const double force[] = {0, 50e3}, brace[] = {-468.942159, 53616.1215};
    const ifd_case *c =
        read(TIME "model:\n"
                  "  masses: {b: 10 t, c: 10 t}\n"
                  "  frame:\n"
                  "    material: {young: 210 GPa}\n"
                  "    " BARE "    nodes: {a: [0 m, 0 m], b: [0 m, 3 m], c: [4 m, 3 m], d: [4 m, 0 m]}\n"
                  "    members: [[a, b, column], {from: b, to: c, section: beam, load: 20 kN/m}, [d, c, column]]\n"
                  "    supports: {a: fixed, d: fixed}\n");
    const ifd_frame *f = frame_of(c);
    const ifd_element_ops *spring = ifd_element_find("spring");
    ifd_value values[8];
    ifd_param_preset(spring->params, values);
    values[ifd_param_find(spring->params, "stiffness")] = ifd_number(60e6);
    for (int i = 0; i < 2; i++) {
        ifd_builder *b = ifd_builder_make(arena);
        ifd_model *m = NULL;
        assert_int_equal(ifd_builder_frame(b, f, &note), IFD_OK);
        int ref[2], at[12] = {0};
        assert_true(ifd_builder_find(b, "c.x", &ref[0]) && ifd_builder_find(b, "c.y", &ref[1]));
        const double n[2] = {0.8, 0.6};
        const ifd_coordinate q = {2, ref, n};
        assert_int_equal(ifd_builder_element(b, spring, "brace", &(ifd_coordinates){1, &q}, values, &note), IFD_OK);
        for (int k = 0; k < 4; k++) {
            static const char *const heavy[] = {"b.x", "b.y", "c.x", "c.y"};
            assert_true(ifd_builder_find(b, heavy[k], &at[k]));
            ifd_builder_add(b, IFD_MASS, at[k], at[k], 10e3);
        }
        const ifd_signal_kind *kind = ifd_signal_find("step");
        ifd_value step[IFD_SIGNAL_PARAMS];
        const ifd_signal *signal = NULL;
        ifd_param_preset(kind->params, step);
        step[ifd_param_find(kind->params, "amplitude")] = ifd_number(force[i]);
        assert_int_equal(ifd_signal_make(arena, kind, step, NULL, &signal, &note), IFD_OK);
        ifd_builder_force(b, at[0], signal);
        assert_int_equal(ifd_model_make(arena, b, &m, &note), IFD_OK);
        double u[8];
        assert_int_equal(ifd_model_static(m, 1.0, arena, u, &note), IFD_OK);
        double cx = displacement(m, u, "c.x"), cy = displacement(m, u, "c.y");
        assert_near_rel(60e6 * (0.8 * cx + 0.6 * cy), brace[i], 5e-7, "brace %d", i);
        if (i == 1)
            assert_near_rel(cx, 1.24126223e-3, 5e-7, "sway of c");
        if (i == 0) { /* end moments of the beam from the displacements of its ends */
            static const char *const end[] = {"b.x", "b.y", "b.rz", "c.x", "c.y", "c.rz"};
            static const double moment[] = {14138.6971, -14651.181};
            ifd__member_rows beam;
            ifd__frame_member(f, 1, &beam);
            for (int e = 0; e < 2; e++) {
                double sum = -beam.load[5 + 6 * e];
                for (int d = 2; d < 4; d++)
                    for (int k = 0; k < 6; k++) {
                        int row = k % 3 == 2 ? 5 + k / 3 * 6 : k % 3 + k / 3 * 6;
                        double x = k % 3 == 2 ? gone(m, u, end[k]) : displacement(m, u, end[k]);
                        sum += beam.force[5 + 6 * e][d] * beam.deformation[d][row] * x;
                    }
                assert_near_rel(sum, moment[e], 5e-7, "end moment %d of the beam", e + 1);
            }
        }
    }
}

/* Concrete that opens and steel, in ten steps of the load: values of two independent programs. */
TEST_IN_ARENA(a_frame_of_reinforced_concrete_starts_in_its_equilibrium)
{
    const ifd_model *m =
        read(TIME "method: lsrt2\n"
                  "model:\n"
                  "  masses: {s1c1: 10 t, s1c2: 10 t, s2c1: 10 t, s2c2: 10 t, s1c1.rz: 10, s1c2.rz: 10, "
                  "s2c1.rz: 10, s2c2.rz: 10}\n"
                  "  rayleigh: {mass: 0.3}\n"
                  "  frame:\n"
                  "    materials:\n"
                  "      core:  {concrete: {strength: 38 MPa, strain: 0.0028, residual: 8 MPa, "
                  "ultimate: 0.018}}\n"
                  "      cover: {concrete: {strength: 30 MPa, strain: 0.002, residual: 6 MPa, "
                  "ultimate: 0.006}}\n"
                  "      bar:   {steel: {young: 200 GPa, yield-stress: 420 MPa, hardening: 0.01}}\n"
                  "    sections:\n"
                  "      column:\n"
                  "        fibres:\n"
                  "          - rectangle: {material: core, width: 0.32 m, depth: 0.32 m, layers: 16}\n"
                  "          - rectangle: {material: cover, width: 0.08 m, depth: 0.32 m, layers: 16}\n"
                  "          - rectangle: {material: cover, width: 0.4 m, depth: 0.04 m, layers: 2, "
                  "at: [0.18 m, 0 m]}\n"
                  "          - rectangle: {material: cover, width: 0.4 m, depth: 0.04 m, layers: 2, "
                  "at: [-0.18 m, 0 m]}\n"
                  "          - bars: {material: bar, area: 3.14159265 cm2, at: [[0.15 m, 0 m], [0.15 m, "
                  "0 m], [0.15 m, 0 m], [-0.15 m, 0 m], [-0.15 m, 0 m], [-0.15 m, 0 m], [0 m, 0 m], "
                  "[0 m, 0 m]]}\n"
                  "      beam:\n"
                  "        fibres:\n"
                  "          - rectangle: {material: cover, width: 0.3 m, depth: 0.5 m, layers: 20}\n"
                  "          - bars: {material: bar, area: 2.54469005 cm2, at: [[0.21 m, 0 m], [0.21 m, "
                  "0 m], [0.21 m, 0 m], [-0.21 m, 0 m], [-0.21 m, 0 m], [-0.21 m, 0 m]]}\n"
                  "    grid: {bays: 5 m, storeys: 2 x 3 m, columns: column, beams: beam, "
                  "beam-load: 20 kN/m}\n")
            ->run.model;
    assert_near_rel(displacement(m, m->u0, "s2c2.y"), 0.0429937937e-3, 5e-7, "roof");
    assert_near_rel(displacement(m, m->u0, "s2c2.rz"), 0.919009993e-3, 5e-7, "rotation of the roof");
}

TEST_IN_ARENA(a_mechanism_is_named_by_its_motion)
{
    static const char text[] =
        TIME "model:\n"
             "  frame:\n"
             "    material: {young: 210 GPa, density: 7850 kg/m3}\n"
             "    " BARE "    nodes: {a: [0 m, 0 m], b: [0 m, 3 m], c: [5 m, 3 m], d: [5 m, 0 m]}\n"
             "    members: [{from: a, to: b, section: column, release: end},\n"
             "              {from: d, to: c, section: column, release: end},\n"
             "              {from: b, to: c, section: beam%s}]\n"
             "    supports: {a: pinned, d: pinned}\n";
    static const char *const load[] = {"", ", load: 1 kN/m"};
    for (int i = 0; i < 2; i++) {
        ifd_case *c = NULL;
        const ifd_case_source source = {.path = files_write("case.yaml", ifd_arena_print(arena, text, load[i]))};
        ifd_note_init(&note, arena);
        assert_int_equal(ifd_case_read_source(arena, &source, &c, &note), IFD_SINGULAR);
        if (!strstr(note.first->text, "nodes b and c can move along x"))
            fail_msg("%s", note.first->text);
    }
}

TESTS_WITH(files_open, files_close)
