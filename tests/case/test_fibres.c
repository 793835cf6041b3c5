/* SPDX-License-Identifier: MIT */
/* Sections of fibres as a case describes them: areas and second moments against closed forms and values of an
 * independent computation. */
#include "case/texts.h"

#include <interfield/run.h>
#include <interfield/structures.h>

#include <string.h>

static const char frame[] =
    "time: {step: 1 ms, end: 0.1 s}\n"
    "model:\n"
    "  frame:\n"
    "    dimension: %d\n"
    "    materials: {all: {elastic: {young: 20 GPa}, density: 2 t/m3}, bar: {steel: {young: 200 "
    "GPa, yield-stress: 420 MPa}, density: 8 t/m3}}\n"
    "    sections: {post: {j: 0.01 m4, shear-modulus: 8 GPa, fibres: [%s]}}\n"
    "    nodes: %s\n"
    "    members: [[a, b, post]]\n"
    "    supports: {a: fixed}\n";

/* The member of such a section. */
static ifd_frame_member member(int dimension, const char *parts)
{
    const ifd_case *c = read(ifd_arena_print(arena, frame, dimension, parts,
                                             dimension == 2 ? "{a: [0 m, 0 m], b: [0 m, 3 m]}"
                                                            : "{a: [0 m, 0 m, 0 m], b: [0 m, 0 m, 3 m]}"));
    assert_non_null(c->run.frame);
    return c->run.frame->frame->member[0];
}

TEST_IN_ARENA(a_ring_has_its_area_and_the_second_moment_of_its_fibres)
{
    const double area = 3.14159265358979323846 * 0.09;
    ifd_frame_member whole = member(3, "{ring: {material: all, outer: 0.3 m, rings: 8, sectors: 16}}");
    assert_near_rel(whole.section.A, 0.282743339, 2e-9, "area");
    assert_near_rel(whole.section.Iz, 0.00626420643, 2e-9, "Iz");
    assert_near_rel(whole.section.Iy, 0.00626420643, 2e-9, "Iy");
    assert_near_rel(whole.material.E, 20e9, 1e-12, "E");
    assert_near_rel(whole.material.density * whole.section.A, 2000 * area, 1e-12, "mass per length");
    ifd_frame_member inner = member(3, "{ring: {material: all, outer: 0.2 m, rings: 8, sectors: 16}}"),
                     ring = member(3, "{ring: {material: all, outer: 0.3 m, inner: 0.2 m, rings: 1, sectors: 99}}");
    assert_near_rel(ring.section.A, whole.section.A - inner.section.A, 1e-12, "area of a ring");
}

/* Layers of a rectangle: b d^3/12 (1 - 1/n^2); bars A y^2. */
TEST_IN_ARENA(rectangles_and_bars_add_up)
{
    ifd_frame_member m =
        member(2, "{rectangle: {material: all, width: 0.3 m, depth: 0.6 m, layers: 6}}, "
                  "{rectangle: {material: all, width: 0.9 m, depth: 0.2 m, layers: 4, at: [0.4 m, 0 m]}}, "
                  "{bars: {material: bar, area: 10 cm2, line: {from: [-0.2 m, 0 m], to: [0.2 m, 0 m], "
                  "count: 3}}}, {bars: {material: bar, area: 5 cm2, circle: {radius: 0.1 m, count: 4}}}");
    double low = 0.3 * 0.6 * 0.6 * 0.6 / 12 * (1 - 1.0 / 36), high = 0.9 * 0.2 * 0.2 * 0.2 / 12 * (1 - 1.0 / 16);
    double EI = 20e9 * (low + high + 0.18 * 0.16) + 200e9 * (2 * 1e-3 * 0.04 + 2 * 5e-4 * 0.01);
    assert_near_rel(m.section.A, 0.36 + 3e-3 + 2e-3, 1e-12, "area");
    assert_near_rel(m.material.E * m.section.A, 20e9 * 0.36 + 200e9 * 5e-3, 1e-12, "EA");
    assert_near_rel(m.material.E * m.section.Iz, EI, 1e-12, "EI");
    assert_near_rel(m.material.density * m.section.A, 2000 * 0.36 + 8000 * 5e-3, 1e-12, "mass per length");
}

/* Two members in space, of which the first has shear, a hinge and springs at its ends. */
static const char pair[] = "time: {step: 1 ms, end: 0.1 s}\n"
                           "model:\n"
                           "  frame:\n"
                           "    dimension: 3\n"
                           "    %s\n"
                           "    sections: {post: {shear-area: 0.066 m2, shear-area-z: 0.05 m2, j: 0.01 m4, %s}}\n"
                           "    nodes: {a: [0 m, 0 m, 0 m], b: [0 m, 0 m, 3 m], c: [1 m, 2 m, 5 m]}\n"
                           "    members:\n"
                           "      - {from: a, to: b, section: post, release: {start.ry: 0, end: 5 MN m/rad}}\n"
                           "      - [b, c, post]\n"
                           "    supports: {a: fixed, c: fixed}\n";

static ifd_modes modes_of(const char *materials, const char *section)
{
    ifd_modes modes;
    const ifd_case *c = read(ifd_arena_print(arena, pair, materials, section));
    assert_int_equal(ifd_model_modes(c->run.model, IFD_DOF_X, 6, arena, &modes, &note), IFD_OK);
    return modes;
}

/* Elastic fibres have the frequencies of the elastic members with their EA and EI. */
TEST_IN_ARENA(members_of_elastic_fibres_vibrate_as_elastic_members)
{
    const double Iz = 0.4 * 0.008 / 12 * 0.99, Iy = 0.2 * 0.064 / 12 * 0.99;
    ifd_modes a = modes_of("materials: {all: {elastic: {young: 20 GPa}, density: 2 t/m3}}",
                           "shear-modulus: 8 GPa, fibres: [{rectangle: {material: all, width: 0.4 m, depth: 0.2 m, "
                           "layers: [10, 10]}}]"),
              b = modes_of("material: {young: 20 GPa, shear: 8 GPa, density: 2 t/m3}",
                           ifd_arena_print(arena, "area: 0.08 m2, iz: %.17g m4, iy: %.17g m4", Iz, Iy));
    for (int i = 0; i < 6; i++)
        assert_near_rel(a.frequency[i], b.frequency[i], 1e-9, "mode %d", i + 1);
}

/* Two storeys of reinforced concrete under 20 kN/m: values of an independent computation, which OpenSees has too. */
TEST_IN_ARENA(a_frame_of_fibres_starts_in_equilibrium_under_the_load_of_its_beams)
{
    ifd_case *c = NULL;
    assert_int_equal(ifd_case_read(arena, IFD_SOURCE_DIR "/cases/rc-frame/frame.yaml", 0, NULL, &c, &note), IFD_OK);
    const ifd_model *m = c->run.model;
    assert_near_rel(m->u0[ifd_model_find_dof(m, "s2c2.y")], 0.0429937937e-3, 2e-9, "roof");
    assert_near_rel(m->u0[ifd_model_find_dof(m, "s2c2.rz")], 0.919009993e-3, 2e-9, "rotation of the right node");
    assert_near_rel(m->u0[ifd_model_find_dof(m, "s2c1.rz")], -0.919009993e-3, 2e-9, "symmetry");
}

enum { ROWS = 3000 };

/* Displacements of the roof at every ms. */
static void roof(const char *method, const char *step, double *u)
{
    const char *const set[] = {ifd_arena_print(arena, "method=%s", method),
                               ifd_arena_print(arena, "time.step=%s", step)};
    ifd_case *c = NULL;
    ifd_run *r;
    int count, at = 0, row = 0;
    assert_int_equal(ifd_case_read(arena, IFD_SOURCE_DIR "/cases/rc-frame/frame.yaml", 2, set, &c, &note), IFD_OK);
    assert_int_equal(ifd_run_make(arena, &c->run, &r, &note), IFD_OK);
    const ifd_column *column = ifd_run_columns(r, &count);
    while (strcmp(column[at].owner, "s2c2.x") != 0 || column[at].quantity != IFD_COLUMN_DISPLACEMENT)
        at++;
    const long every = lround(1e-3 / c->run.step.h);
    for (bool going = true; going;) {
        going = ifd_run_tick(r) == IFD_RUN_GOING;
        if (ifd_run_fresh(r) && ++row % every == 0 && row / every <= ROWS)
            u[row / every - 1] = ifd_run_values(r)[at];
    }
    assert_int_equal(row, every * ROWS);
    ifd_run_close(r);
}

static double peak(const double *u, const double *from)
{
    double most = 0.0;
    for (int i = 0; i < ROWS; i++)
        most = fmax(most, fabs(u[i] - (from ? from[i] : 0.0)));
    return most;
}

/* An independent computation with a converged state in each step has a peak of 32.6760 mm, OpenSees 32.6754 mm; their
 * histories differ by 2.7e-4. Errors of 1 ms of the independent program: 0.6 % of the peak, and 1.6 % with the
 * tangent at rest only. */
TEST_IN_ARENA(a_frame_of_fibres_moves_as_computed_independently)
{
    static double fine[ROWS], exact[ROWS], frozen[ROWS];
    roof("{lsrt2: {jacobian: exact}}", "0.25 ms", fine);
    roof("{lsrt2: {jacobian: exact}}", "1 ms", exact);
    roof("{lsrt2: {jacobian: frozen}}", "1 ms", frozen);
    assert_near_rel(peak(fine, NULL), 0.0326760, 3e-5, "peak with small steps");
    assert_near_rel(peak(exact, NULL), 0.0326484142, 2e-9, "peak");
    assert_near(peak(exact, fine) / peak(fine, NULL), 0.006, 0.0005, "error of the history");
    assert_near(peak(frozen, fine) / peak(fine, NULL), 0.016, 0.0005, "error with the tangent at rest");
}

TEST_IN_ARENA(the_cost_counts_two_responses_of_each_member)
{
    const ifd_case *c =
        read(ifd_arena_print(arena, pair, "materials: {all: {elastic: {young: 20 GPa}, density: 2 t/m3}}",
                             "shear-modulus: 8 GPa, points: 4, passes: 3, fibres: [{rectangle: "
                             "{material: all, width: 0.4 m, depth: 0.2 m, layers: [5, 6]}}]"));
    ifd_fibre_cost cost;
    assert_true(ifd_model_fibre_cost(c->run.model, &cost));
    assert_int_equal(cost.members, 2);
    assert_int_equal(cost.coordinates, 2 * 5);
    assert_near(cost.evaluations, 2 * 2 * 4 * 3 * 30, 0, "evaluations");
    assert_true(cost.duration > 0 && cost.duration < 1);
    const ifd_case *elastic = read(ifd_arena_print(
        arena, pair, "material: {young: 20 GPa, shear: 8 GPa, density: 2 t/m3}", "width: 0.4 m, depth: 0.2 m"));
    assert_false(ifd_model_fibre_cost(elastic->run.model, &cost));
}

/* Two columns of fibres and an elastic beam, the beam and one column of two segments each. */
static const char portal[] =
    "    sections: {c: {fibres: [{rectangle: {material: bar, width: 0.2 m, depth: 0.2 m, layers: 6}}], "
    "line-mass: 200 kg/m, points: 4}, b: {width: 0.2 m, depth: 0.2 m, material: plain}}\n"
    "    nodes: {a: [0 m, 0 m], b: [0 m, 3 m], c: [4 m, 3 m], d: [4 m, 0 m]}\n"
    "    members: [[a, b, c], {from: b, to: c, section: b, name: girder, segments: 2}, {from: d, to: c, section: c, "
    "name: right, segments: 2}]\n"
    "    supports: {a: fixed, d: fixed}\n";

/* Columns whose owner begins with this, of the quantities from `first` to `last`. */
static int columns_of(const char *record, const char *owner, ifd_quantity first, ifd_quantity last)
{
    const ifd_case *c =
        read_set(ifd_arena_print(arena,
                                 "time: {step: 1 ms, end: 0.1 s}\nmodel:\n  frame:\n    mass: consistent\n"
                                 "    materials: {plain: {elastic: {young: 200 GPa}, density: 8 t/m3}, "
                                 "bar: {steel: {young: 200 GPa, yield-stress: 420 MPa}}}\n%s"
                                 "  elements: [{name: prop, multilinear: {at: b.x, points: [[1 mm, 1 kN]]}}]\n",
                                 portal),
                 ifd_arena_print(arena, "record=%s", record));
    ifd_run *r;
    int all, count = 0;
    assert_int_equal(ifd_run_make(arena, &c->run, &r, &note), IFD_OK);
    const ifd_column *column = ifd_run_columns(r, &all);
    for (int i = 0; i < all; i++)
        count += strncmp(column[i].owner, owner, strlen(owner)) == 0 && column[i].quantity >= first &&
                 column[i].quantity <= last;
    ifd_run_close(r);
    return count;
}

/* Deformations, end forces and remainders of a member in the plane: 3, 6, 3; of a point: 4; of a fibre: 2. */
TEST_IN_ARENA(a_named_member_is_recorded_alone_with_its_segments)
{
    static const struct {
        const char *record, *owner;
        int count;
    } expected[] = {
        {"[girder]", "", 2 * 9},
        {"[girder]", "girder.2", 9},
        {"[girder.2]", "", 9},
        {"[a-b]", "", 12},
        {"[right, a-b]", "", 3 * 12},
        {"[girder, b.x]", "b.x", 3},
        {"[elements, girder]", "a-b", 12},
        {"[elements, girder]", "", 2 * 9 + 3 * 12 + 2 + 4 + 1},
        {"[fibres]", "", 3 * 4 * 6 * 2},
        {"[fibres, right.1]", "", 12 + 4 * 6 * 2},
        {"[elements, fibres, a-b]", "right", 2 * 12},
        {"[elements, fibres, a-b]", "a-b", 12 + 4 * 6 * 2},
        {"[sections, right]", "", 2 * (12 + 4 * 4)},
        {"[fibres, girder]", "", 2 * 9},
    };
    for (size_t i = 0; i < COUNT(expected); i++) {
        int count = columns_of(expected[i].record, expected[i].owner, IFD_COLUMN_DISPLACEMENT, IFD_COLUMN_OUTPUT);
        if (count != expected[i].count)
            fail_msg("%s: %d columns of '%s', expected %d", expected[i].record, count, expected[i].owner,
                     expected[i].count);
    }
}

TESTS_WITH(files_open, files_close)
