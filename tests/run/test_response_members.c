/* SPDX-License-Identifier: MIT */
/* Forces and deformations of what went into the matrices: members of frames, springs at moved supports. Each against
 * equilibrium, energy or a closed form. */
#include "check.h"

#include <string.h>

#include <interfield/case.h>

static const double PI = 3.14159265358979323846;

typedef struct scene {
    ifd_arena *arena;
    ifd_case *c;
    ifd_run *run;
    int count;
    const ifd_column *column;
} scene;

static void open_scene(scene *s, const char *text)
{
    ifd_note note;
    *s = (scene){.arena = ifd_arena_open()};
    ifd_note_init(&note, s->arena);
    const ifd_case_source source = {.path = "members.yaml", .text = text};
    if (ifd_case_read_source(s->arena, &source, &s->c, &note) != IFD_OK ||
        ifd_run_make(s->arena, &s->c->run, &s->run, &note) != IFD_OK)
        fail_msg("%s", note.first ? note.first->text : "no memory");
    s->column = ifd_run_columns(s->run, &s->count);
}

static void close_scene(scene *s)
{
    ifd_run_close(s->run);
    ifd_arena_close(s->arena);
}

static bool step(scene *s)
{
    ifd_run_state state;
    do
        state = ifd_run_tick(s->run);
    while (state == IFD_RUN_GOING && !ifd_run_fresh(s->run));
    assert_int_not_equal(state, IFD_RUN_FAULT);
    return state == IFD_RUN_GOING;
}

static int column_of(const scene *s, const char *owner, ifd_quantity q, int number)
{
    for (int i = 0; i < s->count; i++)
        if (s->column[i].quantity == q && s->column[i].number == number && strcmp(s->column[i].owner, owner) == 0)
            return i;
    fail_msg("quantity %d of '%s' (%d) is not recorded", (int)q, owner, number);
    return -1;
}

static double at(const scene *s, const char *owner, ifd_quantity q)
{
    return ifd_run_values(s->run)[column_of(s, owner, q, 0)];
}

static double force(const scene *s, const char *member, int number)
{
    return ifd_run_values(s->run)[column_of(s, member, IFD_COLUMN_ELEMENT_FORCE, number)];
}

static double deformation(const scene *s, const char *member, int number)
{
    return ifd_run_values(s->run)[column_of(s, member, IFD_COLUMN_ELEMENT_DEFORMATION, number)];
}

/* A portal of 4 m and 3 m with a brace; half of the mass of each member at its ends, rotations without mass. */
#define PORTAL(mass, supports)                                                                                       \
    "time: {step: 1 ms, end: 0.6 s}\nmethod: lsrt2\nground: {motion: sine, amplitude: 2 m/s2, frequency: 1.3 Hz}\n"  \
    "model:\n  frame:\n    mass: " mass "\n    material: {young: 30 GPa, density: 2.5 t/m3}\n"                       \
    "    sections: {post: {width: 0.3 m, depth: 0.3 m}, beam: {width: 0.3 m, depth: 0.5 m}}\n"                       \
    "    nodes: {a: [0, 0], b: [0, 3], c: [4, 3], d: [4, 0]}\n"                                                      \
    "    members: [[a, b, post, left], [b, c, beam], [c, d, post], [a, c, post, brace]]\n"                           \
    "    supports: " supports "\n"

enum { NODES = 4, MEMBERS = 4 };
static const double place[NODES][2] = {{0, 0}, {0, 3}, {4, 3}, {4, 0}};
static const struct {
    const char *name;
    int from, to;
    double area, inertia;
} member[MEMBERS] = {{"left", 0, 1, 0.09, 0.3 * 0.027 / 12},
                     {"b-c", 1, 2, 0.15, 0.3 * 0.125 / 12},
                     {"c-d", 2, 3, 0.09, 0.3 * 0.027 / 12},
                     {"brace", 0, 2, 0.09, 0.3 * 0.027 / 12}};

static double length_of(int m)
{
    return hypot(place[member[m].to][0] - place[member[m].from][0],
                 place[member[m].to][1] - place[member[m].from][1]);
}

/* The sum of end forces at a node: x, y, moment. */
static void sum_at(const scene *s, int node, double sum[3])
{
    memset(sum, 0, 3 * sizeof *sum);
    for (int m = 0; m < MEMBERS; m++)
        for (int end = 0; end < 2; end++) {
            if ((end ? member[m].to : member[m].from) != node)
                continue;
            double L = length_of(m), c = (place[member[m].to][0] - place[member[m].from][0]) / L,
                   d = (place[member[m].to][1] - place[member[m].from][1]) / L;
            double N = force(s, member[m].name, 3 * end + 1), V = force(s, member[m].name, 3 * end + 2);
            sum[0] += c * N - d * V;
            sum[1] += d * N + c * V;
            sum[2] += force(s, member[m].name, 3 * end + 3);
        }
}

/* What resists at a node is its load less its inertia; at the base it is the reaction. */
TEST(end_forces_are_in_equilibrium_with_loads_inertia_and_reactions)
{
    scene s;
    open_scene(
        &s, PORTAL("lumped",
                   "{a: fixed, d: pinned}") "loads:\n"
                                            "  - {at: b.x, force: {sine: {amplitude: 20 kN, frequency: 2 Hz}}}\n"
                                            "  - {at: c.rz, force: {sine: {amplitude: 30 kN m, frequency: 3 Hz}}}\n");
    double most = 0.0, mass[NODES] = {0.0};
    for (int m = 0; m < MEMBERS; m++) {
        mass[member[m].from] += 0.5 * 2500.0 * member[m].area * length_of(m);
        mass[member[m].to] += 0.5 * 2500.0 * member[m].area * length_of(m);
    }
    while (step(&s)) {
        double t = ifd_run_time(s.run), sum[3], base = 0.0;
        double load = 20e3 * sin(2.0 * PI * 2.0 * t), moment = 30e3 * sin(2.0 * PI * 3.0 * t);
        for (int node = 1; node <= 2; node++) {
            const char *x = node == 1 ? "b.x" : "c.x", *y = node == 1 ? "b.y" : "c.y";
            sum_at(&s, node, sum);
            most = fmax(most, fabs(sum[0]));
            double px = (node == 1 ? load : 0.0) - mass[node] * at(&s, x, IFD_COLUMN_ABSOLUTE_ACCELERATION);
            double tolerance = 1e-9 * (most + 30e3);
            assert_near(sum[0], px, tolerance, "x at node %d, %g s", node, t);
            assert_near(sum[1], -mass[node] * at(&s, y, IFD_COLUMN_ACCELERATION), tolerance, "y at node %d", node);
            assert_near(sum[2], node == 2 ? moment : 0.0, tolerance, "moment at node %d, %g s", node, t);
        }
        for (int node = 0; node < NODES; node += 3) {
            sum_at(&s, node, sum);
            base += sum[0];
            if (node == 3)
                assert_near(sum[2], 0.0, 1e-9 * (most + 30e3), "a hinge");
        }
        assert_near(-base, at(&s, "", IFD_COLUMN_BASE_SHEAR_X), 1e-9 * (most + 30e3), "base shear at %g s", t);
    }
    assert_true(most > 10e3);
    close_scene(&s);
}

/* The work of end forces over deformations is the strain energy; both masses, no load on condensed dofs. */
TEST(members_hold_the_strain_energy)
{
    static const char *const text[] = {PORTAL("lumped", "{a: fixed, d: pinned}"),
                                       PORTAL("consistent", "{a: fixed, d: pinned}")};
    for (int k = 0; k < 2; k++) {
        scene s;
        open_scene(&s, text[k]);
        double most = 0.0;
        while (step(&s)) {
            double sum = 0.0;
            for (int m = 0; m < MEMBERS; m++) {
                const char *n = member[m].name;
                double E = 30e9, L = length_of(m), e = deformation(&s, n, 1), a = deformation(&s, n, 2),
                       b = deformation(&s, n, 3), EI = E * member[m].inertia;
                sum += 0.5 * (force(&s, n, 4) * e + force(&s, n, 3) * a + force(&s, n, 6) * b);
                double size = E * member[m].area / L * fabs(e) + EI / L * (fabs(a) + fabs(b));
                assert_near(force(&s, n, 4), E * member[m].area / L * e, 1e-12 * size, "%s is pulled", n);
                assert_near(force(&s, n, 3), EI / L * (4.0 * a + 2.0 * b), 1e-12 * size, "%s is bent", n);
                assert_near(force(&s, n, 6), EI / L * (2.0 * a + 4.0 * b), 1e-12 * size, "%s is bent", n);
                assert_near(force(&s, n, 1), -force(&s, n, 4), 0.0, "along %s", n);
                assert_near(force(&s, n, 2), (force(&s, n, 3) + force(&s, n, 6)) / L, 1e-12 * size, "across %s", n);
                assert_near(force(&s, n, 5), -force(&s, n, 2), 1e-12 * size, "across %s", n);
            }
            most = fmax(most, sum);
            assert_near(sum, at(&s, "", IFD_COLUMN_ENERGY_STORED), 1e-10 * most, "at %g s", ifd_run_time(s.run));
        }
        assert_true(most > 0.01);
        assert_string_equal(s.column[column_of(&s, "left", IFD_COLUMN_ELEMENT_FORCE, 3)].unit, "N m");
        assert_string_equal(s.column[column_of(&s, "left", IFD_COLUMN_ELEMENT_FORCE, 4)].unit, "N");
        assert_string_equal(s.column[column_of(&s, "left", IFD_COLUMN_ELEMENT_DEFORMATION, 1)].unit, "m");
        assert_string_equal(s.column[column_of(&s, "left", IFD_COLUMN_ELEMENT_DEFORMATION, 3)].unit, "rad");
        close_scene(&s);
    }
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* Local axes as docs/guide/signs.md defines them: x along the member, y the part of z across it. */
static void axes_of(const double d[3], double R[3][3])
{
    double L = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), across = 0.0;
    for (int i = 0; i < 3; i++)
        R[0][i] = d[i] / L;
    for (int i = 0; i < 3; i++) {
        R[1][i] = (i == 2 ? 1.0 : 0.0) - R[0][2] * R[0][i];
        across += R[1][i] * R[1][i];
    }
    for (int i = 0; i < 3; i++)
        R[1][i] /= sqrt(across);
    cross(R[0], R[1], R[2]);
}

/* A cantilever in space: the force at its tip is load less inertia, the moment at its foot is its lever times it. */
TEST(a_member_in_space_carries_its_tip_to_its_foot)
{
    static const double d[3] = {2.0, 1.0, 3.0};
    scene s;
    open_scene(&s, "time: {step: 1 ms, end: 0.4 s}\nmethod: lsrt2\n"
                   "model:\n  frame:\n    dimension: 3\n    mass: lumped\n"
                   "    material: {young: 30 GPa, density: 2.5 t/m3, poisson: 0.2}\n"
                   "    sections: {post: {width: 0.2 m, depth: 0.4 m}}\n"
                   "    nodes: {a: [0, 0, 0], b: [2, 1, 3]}\n    members: [[a, b, post]]\n    supports: {a: fixed}\n"
                   "loads:\n  - {at: b.x, force: {sine: {amplitude: 20 kN, frequency: 2 Hz}}}\n"
                   "  - {at: b.y, force: {sine: {amplitude: -10 kN, frequency: 3 Hz}}}\n"
                   "  - {at: b.rz, force: {sine: {amplitude: 15 kN m, frequency: 2.5 Hz}}}\n");
    double R[3][3], most = 0.0, mass = 0.5 * 2500.0 * 0.08 * sqrt(14.0);
    axes_of(d, R);
    while (step(&s)) {
        double t = ifd_run_time(s.run), tip[3], turned[3], foot[3], lever[3], base[3];
        const double load[3] = {20e3 * sin(2.0 * PI * 2.0 * t), -10e3 * sin(2.0 * PI * 3.0 * t), 0.0};
        static const char *const dof[3] = {"b.x", "b.y", "b.z"};
        for (int i = 0; i < 3; i++) {
            tip[i] = turned[i] = foot[i] = base[i] = 0.0;
            for (int k = 0; k < 3; k++) {
                base[i] += R[k][i] * force(&s, "a-b", 1 + k);
                foot[i] += R[k][i] * force(&s, "a-b", 4 + k);
                tip[i] += R[k][i] * force(&s, "a-b", 7 + k);
                turned[i] += R[k][i] * force(&s, "a-b", 10 + k);
            }
            most = fmax(most, fabs(tip[i]));
        }
        cross(d, tip, lever);
        for (int i = 0; i < 3; i++) {
            double tolerance = 1e-9 * (most + 20e3);
            assert_near(tip[i], load[i] - mass * at(&s, dof[i], IFD_COLUMN_ACCELERATION), tolerance, "tip, %d", i);
            assert_near(turned[i], i == 2 ? 15e3 * sin(2.0 * PI * 2.5 * t) : 0.0, 5.0 * tolerance, "turned, %d", i);
            assert_near(base[i], -tip[i], tolerance, "base, %d", i);
            assert_near(foot[i], -lever[i] - turned[i], 5.0 * tolerance, "foot, %d", i);
        }
    }
    assert_true(most > 5e3);
    assert_string_equal(s.column[column_of(&s, "a-b", IFD_COLUMN_ELEMENT_DEFORMATION, 2)].unit, "rad");
    close_scene(&s);
}

#define TABLE "{displacement: {sine: {amplitude: 5 mm, frequency: 2 Hz}}}"

/* The displacement of the table is A sin wt; so are its derivatives, and all that ends at it moves with it. */
TEST(springs_and_elements_follow_a_moved_support)
{
    scene s;
    open_scene(&s,
               "time: {step: 1 ms, end: 0.7 s}\nmethod: lsrt2\n"
               "model:\n  dofs: [j, x]\n  mass: [0, 1 t]\n  supports: {table: " TABLE "}\n  elements:\n"
               "    - {name: leg, spring: {between: [table, x], stiffness: 80 kN/m}}\n"
               "    - {name: back, spring: {between: [x, table], stiffness: 40 kN/m}}\n"
               "    - {name: pot, dashpot: {between: [table, x], damping: 900 N s/m}}\n"
               "    - {name: tie, spring: {between: [x, ground], stiffness: 30 kN/m}}\n"
               "    - {name: low, spring: {between: [table, j], stiffness: 20 kN/m}}\n"
               "    - {name: high, spring: {between: [j, x], stiffness: 60 kN/m}}\n"
               "    - {name: soft, bilinear: {between: [table, x], stiffness: 100 kN/m, yield: 1 mm, ratio: 0.1}}\n"
               "loads: [{at: j, force: {sine: {amplitude: 200 N, frequency: 3 Hz}}}]\n");
    const double w = 2.0 * PI * 2.0, A = 5e-3;
    while (step(&s)) {
        double t = ifd_run_time(s.run), y = A * sin(w * t), y1 = A * w * cos(w * t), y2 = -A * w * w * sin(w * t);
        double x = at(&s, "x", IFD_COLUMN_DISPLACEMENT), v = at(&s, "x", IFD_COLUMN_VELOCITY);
        double load = 200.0 * sin(2.0 * PI * 3.0 * t), j = (20e3 * y + 60e3 * x + load) / 80e3;
        assert_near(at(&s, "table", IFD_COLUMN_SUPPORT_DISPLACEMENT), y, 1e-15, "table");
        assert_near(at(&s, "table", IFD_COLUMN_SUPPORT_VELOCITY), y1, 1e-14, "its velocity");
        assert_near(at(&s, "table", IFD_COLUMN_SUPPORT_ACCELERATION), y2, 1e-12, "its acceleration");
        assert_near(at(&s, "leg", IFD_COLUMN_ELEMENT_DEFORMATION), x - y, 1e-15, "leg");
        assert_near(at(&s, "leg", IFD_COLUMN_STOREY_DRIFT), x - y, 1e-15, "leg");
        assert_near(at(&s, "leg", IFD_COLUMN_ELEMENT_FORCE), 80e3 * (x - y), 1e-9, "leg");
        assert_near(at(&s, "back", IFD_COLUMN_ELEMENT_FORCE), 40e3 * (y - x), 1e-9, "back");
        assert_near(at(&s, "pot", IFD_COLUMN_ELEMENT_FORCE), 900.0 * (v - y1), 1e-10, "pot");
        assert_near(at(&s, "tie", IFD_COLUMN_ELEMENT_FORCE), -30e3 * x, 1e-9, "tie");
        assert_near(at(&s, "low", IFD_COLUMN_ELEMENT_FORCE), 20e3 * (j - y), 1e-9, "low");
        assert_near(at(&s, "high", IFD_COLUMN_ELEMENT_FORCE), 60e3 * (x - j), 1e-9, "high");
        assert_near(at(&s, "high", IFD_COLUMN_ELEMENT_FORCE) - at(&s, "low", IFD_COLUMN_ELEMENT_FORCE), -load, 1e-9,
                    "balance of the joint");
        assert_near(at(&s, "soft", IFD_COLUMN_ELEMENT_DEFORMATION), x - y, 1e-15, "soft");
        assert_near(at(&s, "soft", IFD_COLUMN_STOREY_DRIFT), x - y, 1e-15, "a storey that yields is a storey");
        double inertia = -1000.0 * at(&s, "x", IFD_COLUMN_ACCELERATION);
        double resists = at(&s, "leg", IFD_COLUMN_ELEMENT_FORCE) - at(&s, "back", IFD_COLUMN_ELEMENT_FORCE) +
                         at(&s, "pot", IFD_COLUMN_ELEMENT_FORCE) - at(&s, "tie", IFD_COLUMN_ELEMENT_FORCE) +
                         at(&s, "high", IFD_COLUMN_ELEMENT_FORCE) + at(&s, "soft", IFD_COLUMN_ELEMENT_FORCE);
        assert_near(resists, inertia, 1e-8, "the mass at %g s", t);
    }
    close_scene(&s);
}

/* A dashpot holds the joint: its force needs the rate of a first-order state. */
TEST(a_first_order_joint_is_in_balance)
{
    scene s;
    open_scene(&s, "time: {step: 1 ms, end: 0.7 s}\nmethod: lsrt2\n"
                   "model:\n  dofs: [j, x]\n  mass: [0, 1 t]\n  supports: {table: " TABLE "}\n  elements:\n"
                   "    - {name: pot, dashpot: {between: [table, j], damping: 3 kN s/m}}\n"
                   "    - {name: high, spring: {between: [j, x], stiffness: 60 kN/m}}\n"
                   "    - {name: tie, spring: {between: [ground, x], stiffness: 30 kN/m}}\n"
                   "loads: [{at: j, force: {sine: {amplitude: 200 N, frequency: 3 Hz}}}]\n");
    double most = 0.0;
    while (step(&s)) {
        double load = 200.0 * sin(2.0 * PI * 3.0 * ifd_run_time(s.run));
        double pot = at(&s, "pot", IFD_COLUMN_ELEMENT_FORCE), high = at(&s, "high", IFD_COLUMN_ELEMENT_FORCE);
        most = fmax(most, fabs(pot));
        assert_near(pot, high + load, 1e-10 * (most + 200.0), "at %g s", ifd_run_time(s.run));
        assert_near(high, 60e3 * (at(&s, "x", IFD_COLUMN_DISPLACEMENT) - at(&s, "j", IFD_COLUMN_DISPLACEMENT)), 1e-9,
                    "spring");
    }
    assert_true(most > 50.0);
    close_scene(&s);
}

/* The foot of a post moves: what its members resist at the free nodes is in equilibrium there, and they hold the
 * strain of a frame that is not moved as a whole. */
TEST(members_follow_a_moved_foot)
{
    scene s;
    open_scene(&s, "time: {step: 1 ms, end: 0.5 s}\nmethod: lsrt2\n"
                   "model:\n  supports: {table: " TABLE "}\n  frame:\n    mass: lumped\n"
                   "    material: {young: 30 GPa, density: 2.5 t/m3}\n"
                   "    sections: {post: {width: 0.3 m, depth: 0.3 m}, beam: {width: 0.3 m, depth: 0.5 m}}\n"
                   "    nodes: {a: [0, 0], b: [0, 3], c: [4, 3], d: [4, 0]}\n"
                   "    members: [[a, b, post, left], [b, c, beam], [c, d, post], [a, c, post, brace]]\n"
                   "    supports: {a: fixed, d: {hold: fixed, x: table}}\n");
    double most = 0.0, strain = 0.0, mass = 0.5 * 2500.0 * (0.09 * 3 + 0.15 * 4);
    while (step(&s)) {
        double sum[3], t = ifd_run_time(s.run), held = 0.0;
        for (int m = 0; m < MEMBERS; m++)
            for (int k = 0; k < 3; k++)
                held += 0.5 * deformation(&s, member[m].name, k + 1) * force(&s, member[m].name, k ? 3 * k : 4);
        strain = fmax(strain, held);
        assert_near(at(&s, "", IFD_COLUMN_ENERGY_STORED), held, 1e-9 * strain, "strain energy at %g s", t);
        sum_at(&s, 1, sum);
        most = fmax(most, fabs(sum[0]));
        assert_near(sum[0], -mass * at(&s, "b.x", IFD_COLUMN_ACCELERATION), 1e-8 * (most + 1000.0), "x at %g s", t);
        assert_near(sum[1], -mass * at(&s, "b.y", IFD_COLUMN_ACCELERATION), 1e-8 * (most + 1000.0), "y at %g s", t);
        assert_near(sum[2], 0.0, 1e-8 * (most + 1000.0), "moment at %g s", t);
        double c = at(&s, "c.x", IFD_COLUMN_DISPLACEMENT), foot = at(&s, "table", IFD_COLUMN_SUPPORT_DISPLACEMENT);
        double chord = (foot - c) / 3.0; /* the post runs down: its local y is global x */
        assert_near(deformation(&s, "c-d", 3), -chord, 1e-15, "the held end turns against the chord");
    }
    assert_true(most > 100.0);
    close_scene(&s);
}

/* A linear spring and a dashpot that end at a moved support: strain energy and loss of their own deformation, and the
 * balance closes. The trapezoidal rule is that of the run. */
TEST(energies_at_a_moved_support_are_those_of_the_spring)
{
    scene s;
    open_scene(&s,
               "time: {step: 1 ms, end: 1 s}\nmethod: lsrt2\n"
               "model:\n  dofs: [x]\n  mass: [1 t]\n  supports: {table: " TABLE ", wall: " TABLE "}\n  elements:\n"
               "    - {name: leg, spring: {between: [table, x], stiffness: 80 kN/m}}\n"
               "    - {name: pot, dashpot: {between: [table, x], damping: 900 N s/m}}\n"
               "    - {name: tie, spring: {between: [table, wall], stiffness: 50 kN/m}}\n");
    double lost = 0.0, before = 900.0 * pow(5e-3 * 2.0 * PI * 2.0, 2), most = 0.0;
    while (step(&s)) {
        double d = at(&s, "leg", IFD_COLUMN_ELEMENT_DEFORMATION), f = at(&s, "pot", IFD_COLUMN_ELEMENT_FORCE);
        lost += 0.5e-3 * (before + f * f / 900.0);
        before = f * f / 900.0;
        most = fmax(most, 0.5 * 80e3 * d * d);
        assert_near(at(&s, "", IFD_COLUMN_ENERGY_STORED), 0.5 * 80e3 * d * d, 1e-12 * (most + 1.0), "strain");
        assert_near(at(&s, "", IFD_COLUMN_ENERGY_DISSIPATED), lost, 1e-11 * (lost + 1.0), "loss");
        assert_near(at(&s, "", IFD_COLUMN_ENERGY_NUMERICAL), 0.0, 2e-4 * (most + 1.0), "of second order in w h");
    }
    assert_true(most > 1.0);
    close_scene(&s);
}

/* A reduced frame has no forces of members without their dofs. */
TEST(a_reduced_frame_records_what_its_dofs_show)
{
    scene s;
    open_scene(&s, "time: {step: 1 ms, end: 10 ms}\nmethod: lsrt2\n"
                   "ground: {motion: sine, amplitude: 2 m/s2, frequency: 5 Hz}\n"
                   "model:\n  rayleigh: {mass: 0.2, stiffness: 0.001}\n  reduce: {order: 8}\n  frame:\n"
                   "    material: {young: 30 GPa, density: 2.5 t/m3}\n"
                   "    sections: {post: {width: 0.3 m, depth: 0.3 m}}\n"
                   "    nodes: {a: [0, 0], b: [0, 3], c: [0, 6], d: [0, 9], e: [0, 12]}\n"
                   "    members: [[a, b, post], [b, c, post], [c, d, post], [d, e, post]]\n    supports: {a: fixed}\n"
                   "record: [displacement, elements, b.x, b.y, b.rz]\n");
    assert_int_equal(ifd_column_find(s.column, s.count, "b-c", IFD_COLUMN_ELEMENT_FORCE), -1);
    assert_true(step(&s));
    double x = at(&s, "b.x", IFD_COLUMN_DISPLACEMENT), r = at(&s, "b.rz", IFD_COLUMN_DISPLACEMENT);
    double M = 30e9 * 0.3 * 0.027 / 12.0 / 3.0 * (6.0 * x / 3.0 + 2.0 * r);
    assert_near(force(&s, "a-b", 3), M, 1e-9 * fabs(M), "foot of the lowest post");
    close_scene(&s);
}

/* Cut in two: the members of either part, by its own dofs; a vertical post has -x across it. */
TEST(members_of_a_frame_that_is_cut_belong_to_its_parts)
{
    scene s;
    open_scene(&s, "time: {step: 0.1 ms, end: 20 ms}\nmethod: lsrt2\ncoupling: staggered\n"
                   "cut: {parts: {low: [b.x, b.y, b.rz], high: [b.x, b.y, b.rz, c.x, c.y, c.rz]}}\n"
                   "ground: {motion: sine, amplitude: 2 m/s2, frequency: 5 Hz}\n"
                   "model:\n  frame:\n    material: {young: 30 GPa, density: 2.5 t/m3}\n"
                   "    sections: {post: {width: 0.3 m, depth: 0.3 m}}\n"
                   "    nodes: {a: [0, 0], b: [0, 3], c: [0, 6]}\n    members: [[a, b, post], [b, c, post]]\n"
                   "    supports: {a: fixed}\n");
    const double EI = 30e9 * 0.3 * 0.027 / 12.0;
    double most = 0.0;
    while (step(&s)) {
        double x = at(&s, "low.b.x", IFD_COLUMN_DISPLACEMENT), r = at(&s, "low.b.rz", IFD_COLUMN_DISPLACEMENT);
        double foot = x / 3.0, head = r + x / 3.0;
        most = fmax(most, EI / 3.0 * (fabs(foot) + fabs(head)));
        assert_near(force(&s, "a-b", 3), EI / 3.0 * (4.0 * foot + 2.0 * head), 1e-12 * most, "foot of the lower");
        assert_near(force(&s, "a-b", 6), EI / 3.0 * (2.0 * foot + 4.0 * head), 1e-12 * most, "head of the lower");
        double dx = at(&s, "high.c.x", IFD_COLUMN_DISPLACEMENT) - at(&s, "high.b.x", IFD_COLUMN_DISPLACEMENT);
        foot = at(&s, "high.b.rz", IFD_COLUMN_DISPLACEMENT) + dx / 3.0;
        head = at(&s, "high.c.rz", IFD_COLUMN_DISPLACEMENT) + dx / 3.0;
        assert_near(force(&s, "b-c", 3), EI / 3.0 * (4.0 * foot + 2.0 * head), 1e-11 * most, "foot of the upper");
        assert_near(force(&s, "b-c", 5), -EI / 3.0 * (2.0 * foot + 2.0 * head), 1e-11 * most, "across the upper");
    }
    assert_true(most > 50.0);
    close_scene(&s);
}

TESTS()
