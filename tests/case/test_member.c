/* SPDX-License-Identifier: MIT */
/* Members of frames: their forms, releases, shear, segments and loads. */
#include "case/texts.h"

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

/* Values of an independent computation, to 6 digits. */
TEST_IN_ARENA(a_portal_with_joint_springs_has_the_independent_values)
{
    static const char *const release[] = {", release: both", ", release: {start: 20 MN m/rad, end: 20 MN m/rad}", ""};
    static const double sway[] = {5.81509795e-3, 2.34062544e-3, 1.94105891e-3},
                        first[] = {12.4203043, 18.9663271, 20.586358};
    for (int i = 0; i < 3; i++) {
        const ifd_model *m = read(wide(release[i], "loads: [{at: b.x, force: 10 kN}]\n"))->run.model;
        double *u = ifd_arena_array(arena, (size_t)m->n, sizeof *u);
        assert_int_equal(ifd_model_static(m, 1.0, arena, u, &note), IFD_OK);
        assert_near_rel(displacement(m, u, "b.x"), sway[i], 5e-7, "sway with release %d", i);
        assert_near_rel(hertz(m, 0), first[i], 5e-7, "frequency with release %d", i);
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

TESTS_WITH(files_open, files_close)
