/* SPDX-License-Identifier: MIT */
/* Ties of a case file: values of an independent program, motion of slaves, energy, base shear, a penalty. */
#include "case/texts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <interfield/analysis.h>
#include <interfield/model.h>

#define FLOORS(more)                                                                                                 \
    "model:\n  frame:\n    dimension: 3\n    material: {young: 30 GPa, poisson: 0.2}\n    sections:\n"               \
    "      column: {width: 0.4 m, depth: 0.4 m, j: 0.00360533333 m4}\n"                                              \
    "      beam: {width: 0.3 m, depth: 0.5 m, j: 0.0028173708 m4}\n"                                                 \
    "    grid:\n      bays: 6 m\n      bays-y: 5 m\n      storeys: [4 m, 3 m]\n      columns: column\n"              \
    "      beams: beam\n" more
#define RIGID                                                                                                        \
    "      floors: rigid\n      floor-mass: [60 t, 50 t]\n      floor-inertia: [305000, 254166.666666667]\n"         \
    "      floor-eccentricity: [0.5 m, 0.3 m]\n"
#define SHAKEN                                                                                                       \
    "time: {step: 2 ms, end: 1 s}\nmethod: lsrt2\n"                                                                  \
    "ground:\n  - {signal: {sine: {amplitude: 2 m/s2, frequency: 2 Hz}}, direction: x}\n"                            \
    "  - {signal: {sine: {amplitude: 1 m/s2, frequency: 3 Hz}}, direction: y}\n"
#define BEAM                                                                                                         \
    "time: {step: 1 ms, end: 20 ms}\nmodel:\n  frame:\n    material: {young: 210 GPa, density: 7850 kg/m3}\n"        \
    "    sections: {beam: {area: 53.8 cm2, iz: 8356 cm4}}\n"                                                         \
    "    nodes: {a: [0 m, 0 m], m: [2 m, 0 m], d: [4 m, 0 m]}\n    members: [[a, m, beam], [m, d, beam]]\n"          \
    "    supports: {a: pinned}\n  ties: [d.y = 0.577350269189626 * d.x]\n"

/* A run of a case, with its columns. */
typedef struct played {
    ifd_run *run;
    int count;
    const ifd_column *column;
} played;

static played play(const char *text, const char *set)
{
    played p = {0};
    const ifd_case *c = read_set(text, set);
    assert_int_equal(ifd_run_make(arena, &c->run, &p.run, &note), IFD_OK);
    p.column = ifd_run_columns(p.run, &p.count);
    return p;
}

static bool go_on(const played *p)
{
    ifd_run_state state;
    do
        state = ifd_run_tick(p->run);
    while (state == IFD_RUN_GOING && !ifd_run_fresh(p->run));
    assert_int_not_equal(state, IFD_RUN_FAULT);
    return state == IFD_RUN_GOING;
}

static double at(const played *p, const char *owner, ifd_quantity q)
{
    int i = ifd_column_find(p->column, p->count, owner, q);
    if (i < 0)
        fail_msg("quantity %d of '%s' is not recorded", (int)q, owner);
    return ifd_run_values(p->run)[i];
}

static void has_frequencies(const ifd_model *m, int count, const double *hertz)
{
    ifd_modes modes;
    assert_int_equal(ifd_model_modes(m, IFD_DOF_X, count, arena, &modes, &note), IFD_OK);
    for (int i = 0; i < count; i++)
        assert_near_rel(modes.frequency[i], hertz[i], 5e-9, "mode %d", i + 1);
}

static double *equilibrium(const ifd_model *m)
{
    double *u = ifd_arena_array(arena, (size_t)ifd_model_dofs(m), sizeof *u);
    assert_int_equal(ifd_model_static(m, 0.0, arena, u, &note), IFD_OK);
    return u;
}

static double of(const ifd_model *m, const double *u, const char *dof)
{
    return u[ifd_model_find_dof(m, dof)];
}

/* Frequencies, effective masses and static displacements of an independent program (OpenSees beside it). */
TEST_IN_ARENA(rigid_floors_have_the_known_values)
{
    static const double hertz[] = {2.35318715, 2.41860771, 4.5363578, 8.46143682, 8.61886126, 15.8332734};
    static const double share[] = {90.4276649, 4.589215, 0.224949618, 4.10480844, 0.639727804, 0.0136342401};
    static const char listed[] = "time: {step: 2 ms, end: 20 ms}\n" FLOORS(
        "  ties:\n"
        "    - rigid: {name: floor1, nodes: [s1x1y1, s1x2y1, s1x1y2, s1x2y2], in: floor, at: [3.5 m, 2.8 m, 4 m],\n"
        "        mass: 60 t, inertia: 305000}\n"
        "    - rigid: {name: floor2, nodes: [s2x1y1, s2x2y1, s2x1y2, s2x2y2], in: floor, at: [3.5 m, 2.8 m, 7 m],\n"
        "        mass: 50 t, inertia: 254166.666666667}\n");
    static const char loaded[] = "time: {step: 2 ms, end: 20 ms}\n" FLOORS(
        RIGID) "loads: [{at: floor2.x, force: {step: {amplitude: 100 kN}}}]\n";
    const ifd_model *m = read(loaded)->run.model;
    ifd_modes modes;
    has_frequencies(read(listed)->run.model, 6, hertz);
    has_frequencies(m, 6, hertz);
    assert_int_equal(ifd_model_modes(m, IFD_DOF_X, 6, arena, &modes, &note), IFD_OK);
    for (int i = 0; i < 6; i++)
        assert_near_rel(100.0 * modes.effective_mass[i] / modes.total_mass, share[i], 5e-9, "effective mass %d",
                        i + 1);
    const double *u = equilibrium(m);
    assert_near_rel(of(m, u, "floor1.x"), 3.6062094e-3, 5e-9, "first floor");
    assert_near_rel(of(m, u, "floor2.x"), 6.34107452e-3, 5e-9, "second floor");
    assert_near_rel(of(m, u, "floor2.rz"), -0.101840852e-3, 5e-9, "its rotation");
}

/* Masters at the centre of the nodes, and the masses beside them: other dofs, the same building. Slaves of slaves. */
TEST_IN_ARENA(masters_elsewhere_are_the_same_building)
{
    static const double hertz[] = {2.35318715, 2.41860771, 4.5363578, 8.46143682, 8.61886126, 15.8332734};
    const ifd_model *m =
        read("time: {step: 2 ms, end: 20 ms}\n" FLOORS(
                 "      floors: rigid\n      floor-inertia: [305000, 254166.666666667]\n"
                 "  dofs: [x1, y1, x2, y2, twin]\n  kinds: {y1: y, y2: y}\n  mass: [60 t, 60 t, 50 t, 50 t, 0]\n"
                 "  stiffness: [0, 0, 0, 0, 0]\n"
                 "  ties:\n    - x1 = floor1.x - 0.3 m * floor1.rz\n    - y1 = floor1.y + 0.5 m * floor1.rz\n"
                 "    - x2 = floor2.x - 0.3 m * floor2.rz\n    - y2 = floor2.y + 0.5 m * floor2.rz\n"
                 "    - twin = x2\n"))
            ->run.model;
    has_frequencies(m, 6, hertz);
    int x = ifd_model_find_dof(m, "floor1.x"), y = ifd_model_find_dof(m, "floor1.y"),
        rz = ifd_model_find_dof(m, "floor1.rz");
    assert_near_rel(entry(&m->M, x, rz), -18000.0, 1e-14, "x and rz");
    assert_near_rel(entry(&m->M, y, rz), 30000.0, 1e-14, "y and rz");
}

/* 20 kN at the middle of the beam: statics gives the normal reaction 10 kN/cos 30, and 5773.5 N along the beam. */
TEST_IN_ARENA(a_roller_on_a_slope_has_the_known_values)
{
    static const double hertz[] = {63.3215634, 268.434277, 336.463485};
    const ifd_model *m = read(BEAM "loads: [{at: m.y, force: {step: {amplitude: -20 kN}}}]\n")->run.model;
    has_frequencies(m, 3, hertz);
    const double *u = equilibrium(m), EA = 210e9 * 53.8e-4;
    assert_near_rel(of(m, u, "m.y"), -1.52557675e-3, 5e-9, "middle");
    assert_near_rel(of(m, u, "d.x"), -0.0204407955e-3, 5e-9, "end");
    assert_near_rel(-EA / 2.0 * of(m, u, "m.x"), 1e4 * tan(acos(-1.0) / 6.0), 1e-9, "axial force");
}

static double lever(const char *node, bool y)
{
    double x = node[3] == '1' ? 0.0 : 6.0, across = node[5] == '1' ? 0.0 : 5.0;
    return y ? x - 3.5 : -(across - 2.8);
}

static void corner_follows(const played *p, const char *node, ifd_quantity q, bool y)
{
    char floor[20], dof[20], turn[20];
    snprintf(floor, sizeof floor, "floor%c.%c", node[1], y ? 'y' : 'x');
    snprintf(turn, sizeof turn, "floor%c.rz", node[1]);
    snprintf(dof, sizeof dof, "%s.%c", node, y ? 'y' : 'x');
    double expected = at(p, floor, q) + lever(node, y) * at(p, turn, q);
    assert_near(at(p, dof, q), expected, 1e-14 * (1.0 + fabs(expected)), "%s, quantity %d", dof, (int)q);
}

TEST_IN_ARENA(slaves_move_as_the_rigid_body_of_their_masters)
{
    static const char *const corner[] = {"s1x1y1", "s1x2y2", "s2x2y1", "s2x1y2"};
    static const ifd_quantity quantity[] = {IFD_COLUMN_DISPLACEMENT, IFD_COLUMN_VELOCITY, IFD_COLUMN_ACCELERATION};
    played p = play(SHAKEN FLOORS(RIGID), NULL);
    double most = 0.0;
    while (go_on(&p)) {
        for (int i = 0; i < 24; i++)
            corner_follows(&p, corner[i % 4], quantity[i / 8], i / 4 % 2);
        double absolute = at(&p, "s2x1y2.y", IFD_COLUMN_ABSOLUTE_ACCELERATION);
        most = fmax(most, fabs(at(&p, "floor2.rz", IFD_COLUMN_ACCELERATION)));
        assert_near(absolute, at(&p, "s2x1y2.y", IFD_COLUMN_ACCELERATION) + at(&p, "", IFD_COLUMN_GROUND_Y), 1e-13,
                    "absolute acceleration");
    }
    assert_true(most > 0.1); /* rad/s2: it turns */
    ifd_run_close(p.run);
}

/* A recorded slave of a superelement of all modes is the slave of the whole structure. */
TEST_IN_ARENA(a_superelement_watches_recorded_slaves)
{
    static const char text[] =
        SHAKEN FLOORS(RIGID) "  rayleigh: {stiffness: 1 ms}\n%srecord: [s2x2y1.y, displacement]\n";
    char whole[1600], reduced[1600];
    snprintf(whole, sizeof whole, text, "");
    snprintf(reduced, sizeof reduced, text, "  reduce: {frequency: 30 Hz, order: 6}\n");
    played a = play(whole, NULL), b = play(reduced, NULL);
    while (go_on(&a)) {
        assert_true(go_on(&b));
        double u = at(&a, "s2x2y1.y", IFD_COLUMN_DISPLACEMENT);
        assert_near(at(&b, "s2x2y1.y", IFD_COLUMN_DISPLACEMENT), u, 1e-11, "corner");
    }
    ifd_run_close(a.run);
    ifd_run_close(b.run);
}

/* Few recorded dofs have rows of the inverse of the mass in place of a solution. */
TEST_IN_ARENA(a_slave_recorded_alone_has_the_same_motion)
{
    played all = play(SHAKEN FLOORS(RIGID), NULL),
           one = play(SHAKEN FLOORS(RIGID), "record=[s2x2y1.y, displacement, velocity, acceleration]");
    while (go_on(&all)) {
        assert_true(go_on(&one));
        for (int q = 0; q < 3; q++) {
            static const ifd_quantity quantity[] = {IFD_COLUMN_DISPLACEMENT, IFD_COLUMN_VELOCITY,
                                                    IFD_COLUMN_ACCELERATION};
            double a = at(&all, "s2x2y1.y", quantity[q]);
            assert_near(at(&one, "s2x2y1.y", quantity[q]), a, 1e-12 * (1.0 + fabs(a)), "quantity %d", q);
        }
    }
    ifd_run_close(all.run);
    ifd_run_close(one.run);
}

/* Ties do no work: the balance is that of the method, whose error falls at least with the square of the step. And
 * the base shear is the inertia of all mass, with damping proportional to stiffness. */
static double worst_balance(const char *set)
{
    played p = play(SHAKEN FLOORS(RIGID) "  rayleigh: {stiffness: 1 ms}\n", set);
    double most = 0.0, input = 0.0;
    while (go_on(&p)) {
        double inertia = 0.0, ground = at(&p, "", IFD_COLUMN_GROUND_X);
        inertia += 60e3 * (at(&p, "floor1.x", IFD_COLUMN_ACCELERATION) + ground);
        inertia += 50e3 * (at(&p, "floor2.x", IFD_COLUMN_ACCELERATION) + ground);
        assert_near(at(&p, "", IFD_COLUMN_BASE_SHEAR_X), -inertia, 1e-9 * 110e3 * 10.0, "base shear");
        most = fmax(most, fabs(at(&p, "", IFD_COLUMN_ENERGY_NUMERICAL)));
        input = fmax(input, fabs(at(&p, "", IFD_COLUMN_ENERGY_INPUT)));
    }
    ifd_run_close(p.run);
    return most / input;
}

TEST_IN_ARENA(ties_do_no_work)
{
    double coarse = worst_balance("time.step=4 ms"), fine = worst_balance("time.step=2 ms");
    assert_true(coarse < 1e-2);
    assert_true(coarse > 3.0 * fine);
}

/* A second formulation: springs of 1e13 N/m instead of ties in the plane. Their error is that of k/1e13. */
TEST_IN_ARENA(a_penalty_comes_close)
{
    static const char plane[] =
        "time: {step: 1 ms, end: 1 s}\nmethod: lsrt2\n"
        "ground: {signal: {sine: {amplitude: 2 m/s2, frequency: 2 Hz}}}\n"
        "model:\n  frame:\n    material: {young: 30 GPa, density: 2.5 t/m3}\n"
        "    sections: {column: {width: 0.4 m, depth: 0.4 m}}\n"
        "    grid: {bays: [6 m, 4 m], storeys: [4 m, 3 m], columns: column, beams: column, beam-mass: 2 t/m%s}\n%s";
    char tied[900], sprung[900];
    snprintf(tied, sizeof tied, plane, ", floors: rigid", "");
    snprintf(sprung, sizeof sprung, plane, "",
             "  elements:\n    - {spring: {between: [s1c1.x, s1c2.x], stiffness: 1e13}}\n"
             "    - {spring: {between: [s1c2.x, s1c3.x], stiffness: 1e13}}\n"
             "    - {spring: {between: [s2c1.x, s2c2.x], stiffness: 1e13}}\n"
             "    - {spring: {between: [s2c2.x, s2c3.x], stiffness: 1e13}}\n");
    played a = play(tied, NULL), b = play(sprung, NULL);
    double most = 0.0, off = 0.0;
    while (go_on(&a)) {
        assert_true(go_on(&b));
        double u = at(&a, "s2c3.x", IFD_COLUMN_DISPLACEMENT);
        most = fmax(most, fabs(u));
        off = fmax(off, fabs(u - at(&b, "s2c3.x", IFD_COLUMN_DISPLACEMENT)));
    }
    assert_true(most > 5e-3);
    assert_near(off / most, 0.0, 1e-5, "difference relative to the peak");
    ifd_run_close(a.run);
    ifd_run_close(b.run);
}

/* Where a tie leads to the ground, the sum over dofs is no base shear. */
TEST_IN_ARENA(a_roller_on_a_slope_has_no_base_shear)
{
    played p = play(BEAM "ground: {signal: {sine: {amplitude: 1 m/s2, frequency: 20 Hz}}, direction: y}\n", NULL);
    assert_int_equal(ifd_column_find(p.column, p.count, "", IFD_COLUMN_BASE_SHEAR_X), -1);
    assert_int_equal(ifd_column_find(p.column, p.count, "", IFD_COLUMN_BASE_SHEAR_Y), -1);
    while (go_on(&p))
        assert_near(at(&p, "d.y", IFD_COLUMN_DISPLACEMENT),
                    0.577350269189626 * at(&p, "d.x", IFD_COLUMN_DISPLACEMENT), 1e-18, "slope");
    ifd_run_close(p.run);
}

/* Masters at the cut are joined, slaves follow them in both substructures. */
TEST_IN_ARENA(a_division_keeps_the_ties)
{
#define TALL                                                                                                         \
    "time: {step: 2 ms, end: 20 ms}\nmodel:\n  frame:\n    dimension: 3\n"                                           \
    "    material: {young: 30 GPa, density: 2.5 t/m3}\n    sections: {column: {width: 0.4 m, depth: 0.5 m}}\n"       \
    "    grid: {bays: 6 m, bays-y: 5 m, storeys: [4 m, 3 m], columns: column, beams: column, floors: rigid, "        \
    "floor-mass: 50 t, floor-inertia: 2e5, floor-eccentricity: [0.5 m, 1 m]}\n  ties: [s2x1y1.z = s2x2y1.z]\n"
    const ifd_model *whole = read(TALL)->run.model;
    const ifd_case *cut = read("coupling: {staggered: {drift: project}}\nmethod: {lsrt2: {gamma: plus}}\n" TALL
                               "cut: {parts: {low: storeys 0 to 1, high: storeys 1 to 2}}\n");
    ifd_assembly joined;
    ifd_modes a, b;
    assert_int_equal(ifd_couple_assemble(arena, cut->run.couple, &joined, &note), IFD_OK);
    assert_int_equal(ifd_model_dofs(joined.model), ifd_model_dofs(whole));
    assert_int_equal(ifd_model_modes(whole, IFD_DOF_X, 9, arena, &a, &note), IFD_OK);
    assert_int_equal(ifd_model_modes(joined.model, IFD_DOF_X, 9, arena, &b, &note), IFD_OK);
    for (int i = 0; i < 9; i++) {
        assert_near_rel(b.frequency[i], a.frequency[i], 1e-9, "mode %d", i + 1);
        assert_near(b.effective_mass[i], a.effective_mass[i], 1e-6 * a.total_mass, "mode %d", i + 1);
    }
}

/* A cantilever with a mass holds a pinned column under a load P: without the tie the frame would be a mechanism. The
 * column turns as a rigid body, so that its geometric stiffness is -P/L: k = 3 EI/L^3 - P/L. */
TEST_IN_ARENA(a_tie_holds_a_leaning_column)
{
    const double EI = 210e9 * 3692e-8, L = 3.0, P = 600e3, m = 5e3;
    const ifd_model *model =
        read("time: {step: 1 ms, end: 20 ms}\nmodel:\n  frame:\n    mass: lumped\n    material: {young: 210 GPa}\n"
             "    sections: {column: {area: 64.3 cm2, iz: 3692 cm4}}\n"
             "    nodes: {a: [0 m, 0 m], b: [0 m, 3 m], c: [4 m, 3 m], d: [4 m, 0 m]}\n"
             "    members: [[a, b, column], [d, c, column]]\n    supports: {a: fixed, d: pinned}\n"
             "    geometry: p-delta\n    gravity-loads: {c: 600 kN}\n"
             "  ties: [c.x = b.x]\n  masses: {b: 5 t}\n")
            ->run.model;
    has_frequencies(model, 1, (double[]){sqrt((3.0 * EI / (L * L * L) - P / L) / m) / (2.0 * acos(-1.0))});
}

/* A specimen at a corner of a floor acts on translation and rotation of its master. The same building with its master
 * in this corner has the specimen at a dof; the method does not depend on the choice of the dofs. */
TEST_IN_ARENA(a_specimen_at_a_slave_acts_through_its_masters)
{
    static const char building[] = SHAKEN FLOORS(
        "  ties:\n    - rigid: {name: first, nodes: [s1x1y1, s1x2y1, s1x1y2, s1x2y2], in: floor, at: [%s, 4 m]}\n"
        "    - rigid: {name: second, nodes: [s2x1y1, s2x2y1, s2x1y2, s2x2y2], in: floor, at: [1 m, 1 m, 7 m]}\n"
        "  masses: {s1x1y1.x: 20 t, s1x1y1.y: 20 t, s1x2y2.x: 30 t, s1x2y2.y: 30 t, s2x1y2.x: 50 t, s2x1y2.y: 50 t, "
        "s2x2y1.x: 9 t, s2x2y1.y: 9 t}\n") "specimen:\n  - name: brace\n"
                                           "    brb: {between: [ground, %s], stiffness: 20 MN/m, "
                                           "yield-force: 150 kN}\n"
                                           "    estimate: {stiffness: 20 MN/m}\n"
                                           "    limits: {stroke: 1 m, velocity: 5 m/s, "
                                           "acceleration: 200 m/s2, force: 9 MN, tracking: 1 m}\n";
    char slave[2000], master[2000];
    snprintf(slave, sizeof slave, building, "2 m, 3 m", "s1x1y1.x");
    snprintf(master, sizeof master, building, "0 m, 0 m", "first.x");
    played a = play(slave, NULL), b = play(master, NULL);
    double most = 0.0;
    while (go_on(&a)) {
        assert_true(go_on(&b));
        double u = at(&a, "s1x1y1.x", IFD_COLUMN_DISPLACEMENT), f = at(&a, "brace", IFD_COLUMN_INTERFACE_FORCE);
        most = fmax(most, fabs(f));
        assert_near(u, at(&b, "s1x1y1.x", IFD_COLUMN_DISPLACEMENT), 1e-12, "corner");
        assert_near(at(&a, "brace", IFD_COLUMN_INTERFACE_DEFORMATION), u, 1e-15, "deformation");
        assert_near(f, at(&b, "brace", IFD_COLUMN_INTERFACE_FORCE), 1e-4, "force");
        assert_near(at(&a, "second.rz", IFD_COLUMN_DISPLACEMENT), at(&b, "second.rz", IFD_COLUMN_DISPLACEMENT), 1e-12,
                    "rotation");
        assert_near(at(&a, "", IFD_COLUMN_BASE_SHEAR_X), at(&b, "", IFD_COLUMN_BASE_SHEAR_X), 1e-3, "base shear");
    }
    assert_true(most > 100e3);
    ifd_run_close(a.run);
    ifd_run_close(b.run);
}

TESTS_WITH(files_open, files_close)
