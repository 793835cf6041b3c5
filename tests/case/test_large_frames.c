/* SPDX-License-Identifier: MIT */
/* Plane frames with large displacements. The loads of equilibrium paths are values of an independent computation,
 * which OpenSees has too. */
#include "case/texts.h"

#include <complex.h>
#include <string.h>

#include "model/element/large_member.h"
#include "model/equilibrium/equilibrium.h"
#include "model/equilibrium/gravity_state.h"

#define HEAD(end, step) "time: {step: " step ", end: " end "}\nmethod: {lsrt2: {jacobian: exact}}\n"
#define LARGE "  frame:\n    geometry: large\n    mass: lumped\n"

/* A path of equilibria under the motion of supports, with converged members. */
typedef struct path {
    ifd_model m;
    ifd__equilibrium e;
    double *u, *s, last[16]; /* support forces */
} path;

static void begin(path *p, const char *text)
{
    const ifd_case *c = read(text);
    p->m = *c->run.model;
    p->u = ifd_arena_array(arena, (size_t)p->m.n, sizeof *p->u);
    p->s = ifd_arena_array(arena, (size_t)p->m.ns + 1, sizeof *p->s);
    memcpy(p->u, p->m.u0, (size_t)p->m.n * sizeof *p->u);
    if (p->m.ns)
        memcpy(p->s, p->m.s0, (size_t)p->m.ns * sizeof *p->s);
    p->m.s0 = p->s;
    assert_int_equal(ifd__iterate_members(arena, &p->m), IFD_OK);
    assert_int_equal(ifd__equilibrium_make(arena, &p->m, &p->e), IFD_OK);
    p->e.change = 1e-12;
    p->e.refine = true;
    p->e.most = 50;
    p->e.rest.there = true;
}

/* The force of support 0 at t. */
static double reach(path *p, double t)
{
    const ifd_model *m = &p->m;
    double f = 0.0;
    p->e.t = t;
    memset(p->e.P, 0, (size_t)m->n * sizeof *p->e.P);
    ifd__model_load(m, t, p->e.P);
    assert_int_equal(ifd__equilibrium_find(&p->e, p->u), IFD_OK);
    memcpy(p->e.rest.q0, p->e.rest.q, (size_t)m->nq * sizeof *p->e.rest.q0);
    if (m->ns)
        memcpy(p->s, p->e.rest.s, (size_t)m->ns * sizeof *p->s);
    for (int c = 0; c < m->nq; c++)
        for (int k = m->bs_start[c]; k < m->bs_start[c + 1]; k++)
            f += m->bs_value[k] * p->e.rest.r[c];
    return f;
}

/* The node follows a table of displacements in steps of 1 s. */
#define DRIVEN "  supports: {drive: {displacement: {table: {dt: 1 s, values: [%s]}}}}\n"

TEST_IN_ARENA(a_toggle_of_williams_snaps_through)
{
    static const double load[] = {112.662501, 150.64312, 148.413898, 140.955366, 159.865959, 231.760741, 379.226238};
    path p;
    begin(&p,
          ifd_arena_print(
              arena,
              HEAD("10 s", "1 ms") "model:\n" DRIVEN LARGE "    material: {young: 1 GPa, density: 1 t/m3}\n"
                                   "    sections: {s: {area: 83.8349077 cm2, iz: 2.66148256 cm4}}\n"
                                   "    nodes: {a: [0 m, 0 m], c: [0.3287522 m, 9.8044 mm], b: [0.6575044 m, 0 m]}\n"
                                   "    members: [{from: a, to: c, section: s, segments: 8}, "
                                   "{from: c, to: b, section: s, segments: 8}]\n"
                                   "    supports: {a: fixed, b: fixed, c: {hold: [y], y: drive}}\n",
              "0, -17.78 mm"));
    for (int i = 0; i < 7; i++)
        for (int k = 1; k <= 4; k++) {
            double f = -reach(&p, (4 * i + k) / 28.0);
            if (k == 4)
                assert_near_rel(f, load[i], 5e-9, "at %d/10 in", i + 1);
        }
}

TEST_IN_ARENA(a_frame_of_lee_bends_over)
{
    static const double load[] = {9485.94027, 13262.6705, 15724.773, 17553.5947};
    path p;
    begin(&p,
          ifd_arena_print(
              arena,
              HEAD("10 s",
                   "1 ms") "model:\n" DRIVEN LARGE "    material: {young: 70.608 GPa, density: 1 t/m3}\n"
                           "    sections: {s: {area: 6 cm2, iz: 2 cm4}}\n"
                           "    nodes: {a: [0 m, 0 m], k: [0 m, 1.2 m], c: [0.24 m, 1.2 m], b: [1.2 m, 1.2 m]}\n"
                           "    members: [{from: a, to: k, section: s, segments: 10}, {from: k, to: c, section: s, "
                           "segments: 2}, {from: c, to: b, section: s, segments: 8}]\n"
                           "    supports: {a: pinned, b: pinned, c: {hold: [y], y: drive}}\n",
              "0, -0.4 m"));
    for (int i = 0; i < 4; i++)
        for (int k = 1; k <= 10; k++) {
            double f = -reach(&p, (10 * i + k) / 40.0);
            if (k == 10)
                assert_near_rel(f, load[i], 5e-9, "at %d00 mm", i + 1);
        }
}

#define CONCRETE                                                                                                     \
    "    materials:\n"                                                                                               \
    "      core: {concrete: {strength: 38 MPa, strain: 0.0028, residual: 8 MPa, ultimate: 0.018}}\n"                 \
    "      cover: {concrete: {strength: 30 MPa, strain: 0.002, residual: 6 MPa, ultimate: 0.006}}\n"                 \
    "      bar: {steel: {young: 200 GPa, yield-stress: 420 MPa, hardening: 0.01}}\n"                                 \
    "    sections:\n      post:\n        fibres:\n"                                                                  \
    "          - rectangle: {material: core, width: 0.32 m, depth: 0.32 m, layers: 16}\n"                            \
    "          - rectangle: {material: cover, width: 0.08 m, depth: 0.32 m, layers: 16}\n"                           \
    "          - rectangle: {material: cover, width: 0.4 m, depth: 0.04 m, layers: 2, at: [0.18 m, 0 m]}\n"          \
    "          - rectangle: {material: cover, width: 0.4 m, depth: 0.04 m, layers: 2, at: [-0.18 m, 0 m]}\n"         \
    "          - bars: {material: bar, area: 942.477796077 mm2, at: [[0.15 m, 0 m], [-0.15 m, 0 m]]}\n"              \
    "          - bars: {material: bar, area: 628.318530718 mm2, at: [[0 m, 0 m]]}\n"                                 \
    "        line-mass: 400 kg/m\n"

TEST_IN_ARENA(a_concrete_column_sways_under_its_load)
{
    static const int turn[] = {0, 30, -30, 0, 60, -60, 0, 120, -120};
    const char *table = "0";
    int count = 0, at[2] = {0, 0};
    for (int i = 1; i < 9; i++)
        for (int now = turn[i - 1]; now != turn[i];) {
            now += turn[i] > now ? 1 : -1;
            count++;
            table = ifd_arena_print(arena, "%s, %d mm", table, now);
            if (abs(now) == 120)
                at[now < 0] = count;
        }
    path p;
    begin(&p, ifd_arena_print(
                  arena,
                  HEAD("1 s", "1 ms") "model:\n" DRIVEN LARGE CONCRETE
                                      "    nodes: {a: [0 m, 0 m], b: [0 m, 3 m]}\n    members: [[a, b, post]]\n"
                                      "    supports: {a: fixed, b: {hold: [x], x: drive}}\n"
                                      "    gravity-state: loads\n    gravity-loads: {b: 800 kN}\n",
                  table));
    assert_int_equal(p.m.n, 2);
    for (int i = 1; i <= count; i++) {
        double f = reach(&p, i);
        if (i == at[0])
            assert_near_rel(f, 38870.3156, 5e-9, "at 120 mm");
        if (i == at[1])
            assert_near_rel(f, -38751.7994, 5e-9, "at -120 mm");
    }
}

/* A second formulation: six coordinates of both nodes, in complex arithmetic. */
enum { SIX = 6 };
static void six_forces(const double X[2], const double k[9], const double complex *u, double complex *r)
{
    double complex D[2] = {X[0] + u[3] - u[0], X[1] + u[4] - u[1]}, L = csqrt(D[0] * D[0] + D[1] * D[1]),
                   c = D[0] / L, s = D[1] / L, v[3], p[3];
    const double L0 = hypot(X[0], X[1]);
    const double complex a = catan((X[0] * D[1] - X[1] * D[0]) / (X[0] * D[0] + X[1] * D[1]));
    const double complex row[SIX] = {-c, -s, 0, c, s, 0}, w[SIX] = {s, -c, 0, -s, c, 0};
    v[0] = L - L0;
    v[1] = u[2] - a;
    v[2] = u[5] - a;
    for (int i = 0; i < 3; i++)
        p[i] = k[i] * v[0] + k[i + 3] * v[1] + k[i + 6] * v[2];
    for (int i = 0; i < SIX; i++)
        r[i] = row[i] * p[0] + ((i == 2) - w[i] / L) * p[1] + ((i == 5) - w[i] / L) * p[2];
}

/* k of an elastic member with a hinge at neither end, some at an end that is half released. */
TEST_IN_ARENA(its_tangent_is_the_derivative_of_a_second_formulation)
{
    const ifd__large_member of = {.X = {1.2, -0.9}, .L0 = 1.5, .k = {8000, 0, 0, 0, 300, 130, 0, 130, 420}};
    ifd_element e = {.ops = ifd__large_member_ops(arena, &of), .name = "e", .nq = IFD__LARGE_COORDINATES};
    const double pose[SIX] = {0.3, 0.2, 0.9, 0.1, 0.9, 0.4};
    double q[4] = {pose[3] - pose[0], pose[4] - pose[1], pose[2], pose[5]}, r[4] = {0}, K[16] = {0}, size = 0;
    const int row[4] = {3, 4, 2, 5};
    assert_int_equal(e.ops->make(&e, NULL, arena, &note), IFD_OK);
    e.ops->eval(&e, &(ifd_element_in){.q = q}, &(ifd_element_out){.r = r, .r_q = K});
    for (int i = 0; i < 16; i++)
        size = fmax(size, fabs(K[i]));
    for (int j = 0; j < SIX; j++) {
        double complex u[SIX], f[SIX];
        for (int i = 0; i < SIX; i++)
            u[i] = pose[i] + (i == j ? 1e-30 : 0.0) * (double complex)I;
        six_forces(of.X, of.k, u, f);
        for (int i = 0; i < 4; i++) {
            assert_near(r[i], creal(f[row[i]]), 1e-13 * size, "force %d", i);
            for (int c = 0; c < 4; c++)
                if (row[c] == j)
                    assert_near(K[i + 4 * c], cimag(f[row[i]]) / 1e-30, 1e-13 * size, "%d, %d", i, j);
            if (j < 2) /* the first node moves against the second */
                assert_near(K[i + 4 * j], -cimag(f[row[i]]) / 1e-30, 1e-13 * size, "first node %d, %d", i, j);
        }
    }
}

/* Runs. */

static int column_of(const ifd_run *r, const char *name)
{
    int count, at = 0;
    const ifd_column *column = ifd_run_columns(r, &count);
    while (at < count && strcmp(column[at].name, name) != 0)
        at++;
    assert_true(at < count);
    return at;
}

/* 2 m of a strip of steel falls from the horizontal; the last row of columns of the tip. */
static void fall(double h, const char *jacobian, int segments, const char *rest, double *rows, int every,
                 double least[2])
{
    ifd_run *r;
    const ifd_case *c =
        read(ifd_arena_print(arena,
                             "time: {step: %.17g ms, end: 2 s}\nmethod: {lsrt2: {jacobian: %s}}\nmodel:\n%s" LARGE
                             "    material: {young: 210 GPa, density: 7850 kg/m3}\n"
                             "    sections: {s: {width: 50 mm, depth: 5 mm}}\n"
                             "    nodes: {a: [0 m, 0 m], e: [2 m, 0 m]}\n"
                             "    members: [{from: a, to: e, section: s, segments: %d, name: m}]\n"
                             "    supports: {a: fixed}\n"
                             "ground: {direction: y, signal: {cosine: {amplitude: 9.81 m/s2, frequency: 1e-7 Hz}}}\n",
                             h, jacobian, rest, segments));
    if (ifd_run_make(arena, &c->run, &r, &note) != IFD_OK)
        ifd_note_print(&note, stderr, false);
    assert_int_equal(note.errors, 0);
    int x = column_of(r, "e.x displacement"), y = column_of(r, "e.y displacement"), k = 0;
    for (long i = 1; ifd_run_tick(r) == IFD_RUN_GOING; i++) {
        const double tip[2] = {ifd_run_values(r)[x], ifd_run_values(r)[y]};
        for (int d = 0; d < 2 && i % every == 0; d++)
            rows[k++] = tip[d];
        for (int d = 0; d < 2 && least; d++)
            least[d] = fmin(least[d], tip[d]);
    }
    ifd_run_close(r);
}

enum { INSTANTS = 499 }; /* of 4 ms */

/* The spec of the strip, against a fine step: largest errors of the history relative to the lowest point. */
TEST_IN_ARENA(a_strip_of_steel_falls_with_second_order)
{
    static const double printed[] = {5.2e-2, 7.8e-3, 9.6e-4, 1.2e-4};
    static double fine[2 * INSTANTS + 2], rows[2 * INSTANTS + 2];
    double least[2] = {0.0, 0.0};
    fall(0.0625, "exact", 4, "", fine, 64, least);
    assert_near(least[0], -0.142782837, 2e-7, "tip along");
    assert_near(least[1], -0.69034176, 2e-7, "lowest tip");
    for (int k = 0; k < 4; k++) {
        double error = 0.0;
        fall(4.0 / (1 << k), "exact", 4, "", rows, 1 << k, NULL);
        for (int i = 0; i < INSTANTS; i++)
            error = fmax(error, fabs(rows[2 * i + 1] - fine[2 * i + 1]));
        assert_near(error / 0.69034176 / printed[k], 1.0, 0.02, "error with 4 ms / %d", 1 << k);
    }
}

/* 63 dofs; two more that do not touch them make a factor of the whole matrix. */
TEST_IN_ARENA(a_factor_of_every_step_gives_the_same_fall)
{
    static double a[2 * INSTANTS + 2], b[2 * INSTANTS + 2];
    fall(2, "exact", 21, "", a, 2, NULL);
    fall(2, "refactor", 21, "  dofs: [p, q]\n  mass: [1, 1]\n  stiffness: [1, 1]\n", b, 2, NULL);
    for (int i = 0; i < 2 * INSTANTS; i++)
        assert_near(b[i], a[i], 1e-9, "number %d", i);
}

/* A bar with 1 kg at its end turns about its pinned node, 10 % longer than at rest: v^2 = k (L - L0) L/m with EA/L0 =
 * 100 N/m. */
#define SPINNING(h, end)                                                                                             \
    "time: {step: " h ", end: " end "}\nmethod: {lsrt2: {jacobian: exact}}\nmodel:\n" LARGE                          \
    "    material: {young: 100 Pa}\n    sections: {s: {area: 1 m2, iz: 1 m4}}\n"                                     \
    "    nodes: {o: [0, 0], b: [1, 0]}\n    members: [[o, b, s]]\n    supports: {o: pinned}\n"                       \
    "  masses: {b: 1}\ninitial: {displacement: {b.x: 0.1}, velocity: {b.y: 3.3166247903554}}\n"

static ifd_run *run_of(const char *text)
{
    ifd_run *r;
    const ifd_case *c = read(text);
    assert_int_equal(ifd_run_make(arena, &c->run, &r, &note), IFD_OK);
    return r;
}

/* At the angle 2 its end is at 1.1 (cos 2, sin 2). */
static double error_of_turn(double h)
{
    const double end = 2.0 * 1.1 / 3.3166247903554;
    ifd_run *r = run_of(ifd_arena_print(arena, SPINNING("%.17g", "%.17g"), end * h, end));
    while (ifd_run_tick(r) == IFD_RUN_GOING)
        continue;
    const double *u = ifd_run_values(r);
    double out = hypot(1.0 + u[column_of(r, "b.x displacement")] - 1.1 * cos(2.0),
                       u[column_of(r, "b.y displacement")] - 1.1 * sin(2.0));
    assert_near(u[column_of(r, "o-b force 4")], 10.0, 0.01, "tension");
    assert_near(u[column_of(r, "o-b force 6")], 0.0, 1e-4, "no moment, but what one solution for a step leaves");
    ifd_run_close(r);
    return out;
}

TEST_IN_ARENA(a_bar_turns_about_its_pin_with_second_order)
{
    double coarse = error_of_turn(2e-3), fine = error_of_turn(1e-3);
    assert_true(fine < 1e-5);
    assert_near(log2(coarse / fine), 2.0, 0.02, "order");
}

static double time_of_fault(const char *text, ifd_fault expected)
{
    ifd_run *r = run_of(text);
    ifd_run_state at;
    while ((at = ifd_run_tick(r)) == IFD_RUN_GOING)
        continue;
    assert_int_equal(at, IFD_RUN_FAULT);
    assert_int_equal(ifd_run_fault(r).fault, expected);
    double t = ifd_run_time(r);
    ifd_run_close(r);
    return t;
}

TEST_IN_ARENA(a_half_turn_and_a_fast_turn_stop_the_run)
{
    const double half = acos(-1.0) * 1.1 / 3.3166247903554;
    assert_near(time_of_fault(SPINNING("1 ms", "2 s"), IFD_FAULT_ROTATION), half, 2e-3, "half a turn");
    assert_near(time_of_fault(SPINNING("0.8 s", "2 s"), IFD_FAULT_ROTATION), 0.8, 1e-9, "2.4 rad in a step");
}

/* Members of each kind: inclined, with shear, a spring, a hinge, and loads along and across. */
#define PORTAL(geometry, section)                                                                                    \
    HEAD("0.2 s", "1 ms")                                                                                            \
    "model:\n  frame:\n    geometry: " geometry "\n    mass: lumped\n"                                               \
    "    materials: {all: {elastic: {young: 20 GPa}, density: 2 t/m3}}\n"                                            \
    "    sections: {s: {" section ", shear-modulus: 8 GPa, shear-area: 0.06 m2}}\n"                                  \
    "    nodes: {a: [0 m, 0 m], b: [1 m, 3 m], c: [4 m, 3.5 m], d: [4 m, 0 m]}\n"                                    \
    "    members:\n      - {from: a, to: b, section: s, load: [2e-3 N/m, -3e-3 N/m]}\n"                              \
    "      - {from: b, to: c, section: s, load: 5e-3 N/m, release: {end: 30 MN m/rad}}\n"                            \
    "      - {from: d, to: c, section: s, load: [-1e-3 N/m, -4e-3 N/m], release: start}\n"                           \
    "    supports: {a: fixed, d: fixed}\n  masses: {b.rz: 20 kg m2, c.rz: 20 kg m2}\n"                               \
    "  rayleigh: {mass: 0.3, stiffness: 5 ms%s}\n"                                                                   \
    "loads: [{at: b.x, force: {sine: {amplitude: 1e-3 N, frequency: 4 Hz}}}]\n"
#define ELASTIC "area: 0.08 m2, iz: 2.64e-4 m4, material: all"
#define FIBRES "fibres: [{rectangle: {material: all, width: 0.4 m, depth: 0.2 m, layers: 10}}]"

/* Every column of two runs, relative to the largest number with its unit. */
static void compare_runs(const char *one, const char *other)
{
    ifd_run *r[2] = {run_of(one), run_of(other)};
    int count, number[2];
    double most[400] = {0}, apart[400] = {0};
    const ifd_column *column = ifd_run_columns(r[0], &count);
    (void)ifd_run_columns(r[1], &number[1]);
    assert_true(count <= 400);
    for (bool going = true; going;) {
        bool left = ifd_run_tick(r[0]) == IFD_RUN_GOING;
        going = ifd_run_tick(r[1]) == IFD_RUN_GOING && left;
        for (int i = 0; i < count; i++) {
            double a = ifd_run_values(r[0])[i];
            if (strncmp(column[i].name, "energy", 6) == 0 || strstr(column[i].name, "remainder"))
                continue;
            most[i] = fmax(most[i], fabs(a));
            apart[i] = fmax(apart[i], fabs(a - ifd_run_values(r[1])[column_of(r[1], column[i].name)]));
        }
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            if (strcmp(column[i].unit, column[j].unit) == 0)
                most[i] = fmax(most[i], most[j]);
    for (int i = 0; i < count; i++)
        assert_near(apart[i], 0.0, 1e-6 * most[i], "%s", column[i].name);
    for (int k = 0; k < 2; k++)
        ifd_run_close(r[k]);
}

/* Loads that turn the members by 1e-9: displacements and end forces of members, from the gravity state on. */
TEST_IN_ARENA(small_displacements_are_those_of_a_linear_frame)
{
    compare_runs(ifd_arena_print(arena, PORTAL("linear", ELASTIC), ""),
                 ifd_arena_print(arena, PORTAL("large", ELASTIC), ""));
    compare_runs(ifd_arena_print(arena, PORTAL("linear", FIBRES), ", elements: initial"),
                 ifd_arena_print(arena, PORTAL("large", FIBRES), ", elements: initial"));
}

/* A column of 23 members with 69 dofs; with small displacements more coordinates than dofs have a full matrix. */
TEST_IN_ARENA(members_of_fibres_are_a_part_of_the_factor)
{
    static const char column[] =
        "time: {step: 1 ms, end: 0.3 s}\nmethod: {lsrt2: {jacobian: %s}}\n"
        "model:\n  frame:\n    mass: lumped\n" CONCRETE "    nodes: {a: [0 m, 0 m], b: [0 m, 3 m]}\n"
        "    members: [{from: a, to: b, section: post, segments: 23}]\n"
        "    supports: {a: fixed}\n    gravity-loads: {b: 800 kN}\n    gravity-state: loads\n"
        "  masses: {b: 80 t}\nground: {signal: {sine: {amplitude: 0.8 m/s2, frequency: 1.2 Hz}}}\n";
    compare_runs(ifd_arena_print(arena, column, "exact"), ifd_arena_print(arena, column, "refactor"));
}

/* A strip of 2 m hangs from its clamped end under 20 N/m. In the axes at rest the forces of its first member carry
 * all of it, and its moment is that of the loads on the deformed strip. */
TEST_IN_ARENA(end_forces_balance_the_loads_on_the_deformed_member)
{
    static const char *const section[] = {
        "{area: 250 mm2, iz: 520.833333333 mm4, material: all}",
        "{line-mass: 2 kg/m, fibres: [{rectangle: {material: all, width: 50 mm, depth: 5 mm, layers: 10}}]}"};
    for (int i = 0; i < 2; i++) {
        ifd_run *r = run_of(ifd_arena_print(
            arena,
            HEAD("1 ms", "1 ms") "model:\n" LARGE
                                 "    materials: {all: {elastic: {young: 210 GPa}, density: 7850 kg/m3}}\n"
                                 "    sections: {s: %s}\n"
                                 "    nodes: {a: [0 m, 0 m], e: [2 m, 0 m]}\n"
                                 "    members: [{from: a, to: e, section: s, segments: 4, load: 20 N/m, name: m}]\n"
                                 "    supports: {a: fixed}\n",
            section[i]));
        const double *u = ifd_run_values(r);
        double x = u[column_of(r, "m.1.x displacement")], y = u[column_of(r, "m.1.y displacement")],
               angle = atan2(y, 0.5 + x), c = cos(angle), s = sin(angle), moment = 0.0;
        double N = u[column_of(r, "m.1 force 1")], V = u[column_of(r, "m.1 force 2")];
        assert_near(N * c - V * s, 0.0, 1e-8, "along");
        assert_near(N * s + V * c, 40.0, 1e-8, "upwards");
        for (int k = 1; k <= 4; k++) { /* 10 N on each member, half on each node; its moments cancel but the last */
            const char *node = k < 4 ? ifd_arena_print(arena, "m.%d.x displacement", k) : "e.x displacement";
            moment += (k < 4 ? 10.0 : 5.0) * (0.5 * k + u[column_of(r, node)]);
        }
        assert_true(y < -0.03 && u[column_of(r, "e.y displacement")] < -0.3);
        assert_near(u[column_of(r, "m.1 force 3")], moment, 1e-7, "moment");
        ifd_run_close(r);
    }
}

TESTS_WITH(files_open, files_close)
