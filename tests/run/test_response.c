/* SPDX-License-Identifier: MIT */
/* What a run records besides the motion itself: drifts, base shear, forces of what went into the matrices, absolute
 * motion. Each against a second formulation. */
#include "check.h"

#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

#include <interfield/case.h>

#include "model/model.h"

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
    const ifd_case_source source = {.path = "response.yaml", .text = text};
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

static double at(const scene *s, const char *owner, ifd_quantity q)
{
    int i = ifd_column_find(s->column, s->count, owner, q);
    if (i < 0)
        fail_msg("quantity %d of '%s' is not recorded", (int)q, owner);
    return ifd_run_values(s->run)[i];
}

static const char building[] =
    "time: {step: 5 ms, end: 3 s}\nmethod: lsrt2\nground: {motion: sine, amplitude: 2 m/s2, frequency: 1.3 Hz}\n"
    "model:\n"
    "  shear-building: {mass: [1 t, 0.9 t], stiffness: [800 kN/m, 700 kN/m], damping: [300 N s/m, 200 N s/m]}\n"
    "  elements:\n"
    "    - {name: tie, spring: {between: [ground, floor2], stiffness: 50 kN/m}}\n"
    "    - {name: pot, dashpot: {between: [floor1, floor2], damping: 900 N s/m}}\n"
    "    - {name: bob, pendulum: {at: floor2, mass: 100 kg, length: 1 m}}\n"
    "    - {name: soft, bilinear: {between: [ground, floor1], stiffness: 100 kN/m, yield: 1 mm, ratio: 0.1}}\n"
    "loads: [{at: floor2, force: {sine: {amplitude: 300 N, frequency: 2 Hz}}}]\n";

TEST(what_went_into_the_matrices_has_a_deformation_and_a_force)
{
    scene s;
    open_scene(&s, building);
    while (step(&s)) {
        double u1 = at(&s, "floor1", IFD_COLUMN_DISPLACEMENT), u2 = at(&s, "floor2", IFD_COLUMN_DISPLACEMENT);
        double v1 = at(&s, "floor1", IFD_COLUMN_VELOCITY), v2 = at(&s, "floor2", IFD_COLUMN_VELOCITY);
        assert_near(at(&s, "storey1", IFD_COLUMN_STOREY_DRIFT), u1, 0.0, "storey 1");
        assert_near(at(&s, "storey2", IFD_COLUMN_STOREY_DRIFT), u2 - u1, 0.0, "storey 2");
        assert_near(at(&s, "tie", IFD_COLUMN_STOREY_DRIFT), u2, 0.0, "a spring is a drift too");
        assert_near(at(&s, "tie", IFD_COLUMN_ELEMENT_FORCE), 50e3 * u2, 1e-9, "tie");
        assert_near(at(&s, "pot", IFD_COLUMN_ELEMENT_DEFORMATION), u2 - u1, 0.0, "pot");
        assert_near(at(&s, "pot", IFD_COLUMN_ELEMENT_FORCE), 900.0 * (v2 - v1), 1e-9, "pot");
        assert_near(at(&s, "storey1", IFD_COLUMN_ELEMENT_FORCE), 800e3 * u1 + 300.0 * v1, 1e-9, "storey 1");
    }
    assert_int_equal(ifd_column_find(s.column, s.count, "pot", IFD_COLUMN_STOREY_DRIFT), -1);
    close_scene(&s);
}

/* The sum of the recorded forces of all elements at the ground. */
TEST(base_shear_is_the_sum_of_what_stands_on_the_ground)
{
    scene s;
    open_scene(&s, building);
    double most = 0.0;
    while (step(&s)) {
        double sum = at(&s, "storey1", IFD_COLUMN_ELEMENT_FORCE) + at(&s, "tie", IFD_COLUMN_ELEMENT_FORCE) +
                     at(&s, "soft", IFD_COLUMN_ELEMENT_FORCE);
        most = fmax(most, fabs(sum));
        assert_near(at(&s, "", IFD_COLUMN_BASE_SHEAR_X), sum, 1e-9 * (most + 1000.0), "at %g s", ifd_run_time(s.run));
    }
    assert_true(most > 1000.0);
    close_scene(&s);
}

/* The momentum of all masses, the bob's with its swing, changes by the loads less the base shear. */
TEST(base_shear_is_what_changes_the_momentum)
{
    scene s;
    open_scene(&s, building);
    double most = 0.0;
    while (step(&s)) {
        double t = ifd_run_time(s.run), g = 2.0 * sin(2.0 * PI * 1.3 * t);
        double a1 = at(&s, "floor1", IFD_COLUMN_ACCELERATION) + g, a2 = at(&s, "floor2", IFD_COLUMN_ACCELERATION) + g;
        double w = at(&s, "bob.angle", IFD_COLUMN_DISPLACEMENT), w1 = at(&s, "bob.angle", IFD_COLUMN_VELOCITY),
               w2 = at(&s, "bob.angle", IFD_COLUMN_ACCELERATION);
        double bob = 100.0 * (a2 + cos(w) * w2 - sin(w) * w1 * w1); /* x = u2 + l sin w */
        double sum = 300.0 * sin(2.0 * PI * 2.0 * t) - 1000.0 * a1 - 900.0 * a2 - bob;
        most = fmax(most, fabs(sum));
        assert_near(at(&s, "", IFD_COLUMN_BASE_SHEAR_X), sum, 1e-9 * (most + 1000.0), "at %g s", t);
    }
    assert_true(most > 1000.0);
    close_scene(&s);
}

/* A sine from rest has the velocity A (1 - cos w t)/w. */
TEST(absolute_velocity_has_that_of_the_ground_added)
{
    scene s;
    open_scene(&s, building);
    const double w = 2.0 * PI * 1.3;
    while (step(&s)) {
        double ground = 2.0 * (1.0 - cos(w * ifd_run_time(s.run))) / w;
        assert_near(at(&s, "floor2", IFD_COLUMN_ABSOLUTE_VELOCITY) - at(&s, "floor2", IFD_COLUMN_VELOCITY), ground,
                    1e-12, "three Gauss points, 0.6 ms each");
        assert_near(at(&s, "floor2", IFD_COLUMN_ABSOLUTE_ACCELERATION) - at(&s, "floor2", IFD_COLUMN_ACCELERATION),
                    at(&s, "", IFD_COLUMN_GROUND_X), 1e-12, "acceleration");
    }
    close_scene(&s);
}

/* Coupled substructures: the resistance of each; joint forces cancel. */
TEST(parts_have_the_base_shear_of_the_whole)
{
    scene s;
    open_scene(&s,
               "time: {step: 2 ms, end: 1 s}\ncoupling: staggered\n"
               "ground: {motion: sine, amplitude: 1 m/s2, frequency: 1.3 Hz}\n"
               "substructures:\n"
               "  below: {model: {dofs: [a, b], mass: [1 t, 2 t], stiffness: [[900e3, -300e3], [-300e3, 300e3]]}}\n"
               "  above: {model: {dofs: [c, d], mass: [0.5 t, 1 t], stiffness: [[400e3, -400e3], [-400e3, 400e3]]}}\n"
               "joints: ['below.b = above.c']\n");
    double most = 0.0;
    while (step(&s)) {
        double u = at(&s, "below.a", IFD_COLUMN_DISPLACEMENT), sum = 600e3 * u;
        double inertia = -1000.0 * at(&s, "below.a", IFD_COLUMN_ABSOLUTE_ACCELERATION) -
                         2000.0 * at(&s, "below.b", IFD_COLUMN_ABSOLUTE_ACCELERATION) -
                         500.0 * at(&s, "above.c", IFD_COLUMN_ABSOLUTE_ACCELERATION) -
                         1000.0 * at(&s, "above.d", IFD_COLUMN_ABSOLUTE_ACCELERATION);
        most = fmax(most, fabs(sum));
        assert_near(at(&s, "", IFD_COLUMN_BASE_SHEAR_X), sum, 1e-9 * (most + 1000.0), "the leg");
        assert_near(at(&s, "", IFD_COLUMN_BASE_SHEAR_X), inertia, 1e-9 * (most + 1000.0), "inertia");
    }
    assert_true(most > 1000.0);
    close_scene(&s);
}

/* Only its leader supports a follower: its springs are not supports of the structure. */
TEST(a_follower_adds_nothing_to_the_base_shear)
{
    scene s;
    open_scene(&s,
               "time: {step: 5 ms, end: 2 s}\n"
               "ground: {motion: sine, amplitude: 2 m/s2, frequency: 1.3 Hz}\n"
               "substructures:\n"
               "  lower: {model: {dofs: [x], mass: 20 kg, elements: [{name: leg, spring: {between: [ground, x], "
               "stiffness: 2 kN/m}}]}}\n"
               "  upper: {model: {dofs: [y], mass: 5 kg, supports: {base: {follows: lower.x}}, elements: [\n"
               "    {spring: {between: [base, y], stiffness: 1 kN/m}}, {dashpot: {between: [base, y], damping: 8}},\n"
               "    {cubic-spring: {between: [base, y], stiffness: 100 N/m, epsilon: 750}}]}}\n"
               "coupling: {rts: {past: 4, ahead: 1, extrapolator: {lagrange: {degree: 3}}}}\n");
    double most = 0.0;
    while (step(&s)) {
        double leg = at(&s, "lower.leg", IFD_COLUMN_ELEMENT_FORCE);
        most = fmax(most, fabs(leg));
        assert_near(at(&s, "", IFD_COLUMN_BASE_SHEAR_X), leg, 1e-12 * (most + 100.0), "at %g s", ifd_run_time(s.run));
    }
    assert_true(most > 50.0);
    close_scene(&s);
}

/* A force on a dof without mass reaches the ground through its springs at once: the loads less inertia, and the
 * spring of which the deformation follows from statics. */
TEST(a_force_on_a_massless_dof_is_in_the_base_shear)
{
    static const char *const dashpot[] = {"", "    - {dashpot: {between: [ground, j], damping: 5 kN s/m}}\n"};
    for (int first_order = 0; first_order < 2; first_order++) {
        scene s;
        char text[900];
        snprintf(text, sizeof text,
                 "time: {step: 1 ms, end: 1 s}\nmethod: lsrt2\n"
                 "ground: {motion: sine, amplitude: 2 m/s2, frequency: 1.3 Hz}\n"
                 "model:\n  dofs: [j, x]\n  mass: [0, 1 t]\n  elements:\n"
                 "    - {spring: {between: [ground, j], stiffness: 200 kN/m}}\n"
                 "    - {spring: {between: [j, x], stiffness: 300 kN/m}}\n%s"
                 "loads: [{at: j, force: {sine: {amplitude: 5 kN, frequency: 2 Hz}}}, {at: x, force: 700 N}]\n",
                 dashpot[first_order]);
        open_scene(&s, text);
        double most = 0.0;
        while (step(&s)) {
            double load = 5000.0 * sin(2.0 * PI * 2.0 * ifd_run_time(s.run));
            double base = at(&s, "", IFD_COLUMN_BASE_SHEAR_X);
            double inertia = load + 700.0 - 1000.0 * at(&s, "x", IFD_COLUMN_ABSOLUTE_ACCELERATION);
            most = fmax(most, fabs(base));
            assert_near(base, inertia, 1e-12 * (most + 5000.0), "loads less inertia at %g s", ifd_run_time(s.run));
            double j = (300e3 * at(&s, "x", IFD_COLUMN_DISPLACEMENT) + load) / 500e3;
            if (!first_order)
                assert_near(base, 200e3 * j, 1e-12 * (most + 5000.0), "the lower spring");
        }
        assert_true(most > 4000.0);
        close_scene(&s);
    }
}

/* Every node of a frame that a joint holds has two forces and a moment. */
TEST(multipliers_of_rotations_are_moments)
{
#define LEG(nodes, members, supports)                                                                                \
    "{model: {frame: {material: {young: 30 GPa, density: 2.5 t/m3}, sections: {c: {width: 0.3 m, depth: 0.3 m}},"    \
    " nodes: " nodes ", members: " members ", supports: " supports "}}}\n"
    scene s;
    open_scene(&s, "time: {step: 0.1 ms, end: 1 ms}\ncoupling: staggered\nsubstructures:\n"
                   "  below: " LEG("{a: [0, 0], b: [0, 3]}", "[[a, b, c]]", "{a: fixed}") "  above: " LEG(
                       "{b: [0, 3], d: [0, 6]}", "[[b, d, c]]",
                       "{}") "joints: ['below.b.x = above.b.x', 'below.b.rz = above.b.rz']\n");
    const char *unit[2] = {NULL, NULL};
    for (int i = 0, n = 0; i < s.count; i++)
        if (s.column[i].quantity == IFD_COLUMN_JOINT_MULTIPLIER && n < 2)
            unit[n++] = s.column[i].unit;
    assert_string_equal(unit[0], "N");
    assert_string_equal(unit[1], "N m");
    close_scene(&s);
}

#define FRAME(what)                                                                                                  \
    "time: {step: 2 ms, end: 0.6 s}\nmethod: lsrt2\nground: {motion: sine, amplitude: 5 m/s2, frequency: 3 Hz}\n"    \
    "model:\n  rayleigh: {mass: 0.3, stiffness: 6e-4}\n  frame:\n"                                                   \
    "    material: {young: 30 GPa, density: 2548 kg/m3}\n"                                                           \
    "    sections: {column: {width: 0.5 m, depth: 0.5 m}, beam: {width: 0.3 m, depth: 0.6 m}}\n"                     \
    "    grid: {bays: 3 x 6 m, storeys: 10 x 3 m, columns: column, beams: beam}\n"                                   \
    "record: [" what "]\n"

/* y := A x with both halves. */
static void times(const ifd_sparse *A, const double *x, double *y)
{
    memset(y, 0, (size_t)A->n * sizeof *y);
    for (int j = 0; j < A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++) {
            y[A->i[k]] += A->x[k] * x[j];
            if (A->i[k] != j)
                y[j] += A->x[k] * x[A->i[k]];
        }
}

static double product(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* a := M^-1 (-M iota ground - K (u + ray_k v) - ray_m M v) with LAPACK; returns u K u + v M v. */
static double independent(const ifd_model *m, const double *u, const double *v, double ground, double *a)
{
    enum { N = 120 };
    static double M[N * N], Mv[N], Ku[N], Kv[N];
    times(&m->M, v, Mv);
    times(&m->K, u, Ku);
    times(&m->K, v, Kv);
    ifd__sparse_fill(&m->M, M);
    for (int i = 0; i < N; i++)
        a[i] = m->ground[0].p[i] * ground - Ku[i] - m->ray_k * Kv[i] - m->ray_m * Mv[i];
    assert_int_equal(LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', N, 1, M, N, a, N), 0);
    return product(N, u, Ku) + product(N, v, Mv);
}

/* Few accelerations come from rows of the inverse of the mass matrix, many from a solution with it. */
TEST(accelerations_and_energies_agree_with_the_equation_of_motion)
{
    enum { N = 120 };
    (void)state;
    scene few, all;
    open_scene(&few, FRAME("acceleration, energy, s10c1.x, s3c2.rz, s1c4.y"));
    open_scene(&all, FRAME("displacement, velocity, acceleration, ground"));
    const char *const names[] = {"s10c1.x", "s3c2.rz", "s1c4.y"};
    const ifd_model *m = all.c->run.model;
    double most[3] = {0.0}, size = 0.0, a[N];
    assert_true(m->n == N && m->M.p[N] > N); /* the mass is consistent */
    while (step(&few) && step(&all)) {
        int first_u = ifd_column_find(all.column, all.count, m->dof_name[0], IFD_COLUMN_DISPLACEMENT);
        int first_v = ifd_column_find(all.column, all.count, m->dof_name[0], IFD_COLUMN_VELOCITY);
        const double *values = ifd_run_values(all.run);
        double energy = independent(m, values + first_u, values + first_v, at(&all, "", IFD_COLUMN_GROUND_X), a);
        double recorded = at(&few, "", IFD_COLUMN_ENERGY_KINETIC) + at(&few, "", IFD_COLUMN_ENERGY_STORED);
        size = fmax(size, energy);
        assert_near(2.0 * recorded, energy, 1e-12 * size, "energy");
        for (int k = 0; k < 3; k++) {
            int dof = 0;
            while (strcmp(m->dof_name[dof], names[k]) != 0)
                dof++;
            double row = at(&few, names[k], IFD_COLUMN_ACCELERATION),
                   solved = at(&all, names[k], IFD_COLUMN_ACCELERATION);
            most[k] = fmax(most[k], fabs(solved));
            assert_near(row, solved, 1e-12 * most[k], "%s", names[k]);
            assert_near(row, a[dof], 1e-9 * most[k], "%s, independently", names[k]);
        }
    }
    assert_true(most[0] > 1.0 && most[1] > 0.1 && most[2] > 0.01);
    close_scene(&few);
    close_scene(&all);
}

TESTS()
