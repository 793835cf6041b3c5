/* SPDX-License-Identifier: MIT */
/* What a test records of its structure. With an ideal rig it is what a run records at the same simulated times. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include <interfield/case.h>

#define SPECIMEN(name, ends)                                                                                         \
    "  - {name: " name ", spring: {between: " ends ", stiffness: 200 kN/m}, estimate: {stiffness: 200 kN/m},\n"      \
    "     actuator: ideal, limits: {stroke: 1 m, velocity: 20 m/s, acceleration: 1e4 m/s2, force: 900 kN}}\n"
#define THE_TEST "test: {rig: virtual, ramp-in: 0.1 s, settle: 0.02 s}\n"

static const char building[] =
    "time: {step: 5 ms, end: 1 s}\nmethod: lsrt2\nground: {motion: sine, amplitude: 1 m/s2, frequency: 1.3 Hz}\n"
    "model:\n"
    "  shear-building: {mass: [1 t, 0.9 t, 0.8 t], stiffness: [800 kN/m, 700 kN/m, 600 kN/m],\n"
    "                   damping: [300 N s/m, 300 N s/m, 300 N s/m]}\n"
    "  elements:\n"
    "    - {name: tie, spring: {between: [floor1, floor3], stiffness: 50 kN/m}}\n"
    "    - {name: pot, dashpot: {between: [ground, floor2], damping: 900 N s/m}}\n"
    "    - {name: soft, bilinear: {between: [floor2, floor3], stiffness: 100 kN/m, yield: 1 mm, ratio: 0.1}}\n"
    "loads: [{at: floor3, force: {sine: {amplitude: 500 N, frequency: 2 Hz}}}]\n"
    "specimen:\n" SPECIMEN("brace", "[floor1, floor2]") SPECIMEN("leg", "[ground, floor1]") THE_TEST;

static const char parts[] = "time: {step: 4 ms, end: 0.8 s}\ncoupling: staggered\n"
                            "ground: {motion: sine, amplitude: 1 m/s2, frequency: 1.3 Hz}\n"
                            "substructures:\n"
                            "  below: {model: {dofs: [a, b], mass: [1 t, 2 t], stiffness: [[900e3, -300e3], "
                            "[-300e3, 300e3]]}}\n"
                            "  above: {model: {dofs: [c, d], mass: [0.5 t, 1 t], damping: [[200, -200], [-200, "
                            "200]], stiffness: [[400e3, -400e3], [-400e3, 400e3]]}, subcycles: 2}\n"
                            "joints: ['below.b = above.c']\n"
                            "specimen:\n" SPECIMEN("leg", "[ground, above.d]") THE_TEST;

/* Members, springs and a storey that yields, on ground and on a support that moves; a load on a massless rotation. */
static const char frame[] = IFD_SOURCE_DIR "/tests/hybrid/frame-moved.yaml";

typedef struct scene {
    ifd_arena *arena;
    ifd_case *c;
    ifd_run *run;
    int runs; /* its columns */
    const ifd_column *ran;
    ifd_hybrid *h;
    ifd_ticked t;
    int tests;
    const ifd_column *tested;
} scene;

static void open_scene(scene *s, const char *text, int sets, const char *const *set)
{
    *s = (scene){.arena = ifd_arena_open()};
    ifd_note note;
    ifd_note_init(&note, s->arena);
    bool file = text == frame;
    const ifd_case_source source = {
        .path = file ? text : "response.yaml", .text = file ? NULL : text, .sets = sets, .set = set};
    if (ifd_case_read_source(s->arena, &source, &s->c, &note) != IFD_OK ||
        ifd_run_make(s->arena, &s->c->run, &s->run, &note) != IFD_OK ||
        ifd_hybrid_make(s->arena, s->c->test, &s->h, &note) != IFD_OK)
        fail_msg("%s", note.first ? note.first->text : "no memory");
    s->ran = ifd_run_columns(s->run, &s->runs);
    s->tested = ifd_hybrid_columns(s->h, &s->tests);
    s->t = ifd_hybrid_ticked(s->h);
}

static void close_scene(scene *s)
{
    ifd_run_close(s->run);
    ifd_hybrid_close(s->h);
    ifd_arena_close(s->arena);
}

static void tick(scene *s, ifd_order order)
{
    (void)s->t.tick(s->t.self, &(ifd_tick_in){.order = order});
}

static double of_test(const scene *s, const char *owner, ifd_quantity q)
{
    int i = ifd_column_find(s->tested, s->tests, owner, q);
    if (i < 0)
        fail_msg("the test does not record quantity %d of '%s'", (int)q, owner);
    return s->t.values(s->t.self)[i];
}

static double time_of(const scene *s)
{
    return of_test(s, "", IFD_COLUMN_TEST_TIME);
}

/* To the next row whose simulated time is another one; whether there is one. */
static bool next_instant(scene *s)
{
    double before = time_of(s);
    for (int i = 0; i < 20000; i++) {
        tick(s, IFD_ORDER_NONE);
        if (time_of(s) != before)
            return true;
        if (ifd_hybrid_state(s->h) == IFD_MACHINE_STOPPED)
            return false;
    }
    fail_msg("the test does not advance");
    return false;
}

/* Forces of specimens at the end of the last step are not measured any more: what depends on them differs there. */
static bool needs_force(ifd_quantity q)
{
    return q == IFD_COLUMN_ACCELERATION || q == IFD_COLUMN_ABSOLUTE_ACCELERATION ||
           q == IFD_COLUMN_GAP_ACCELERATION || (q >= IFD_COLUMN_BASE_SHEAR_X && q <= IFD_COLUMN_BASE_SHEAR_Z) ||
           q == IFD_COLUMN_ENERGY_SPECIMENS || q == IFD_COLUMN_ENERGY_NUMERICAL || q == IFD_COLUMN_ENERGY_JOINTS;
}

/* How many columns both have. round_off: relative to the largest value of the column so far. */
static int same_columns(const scene *s, double *largest, bool last, double round_off)
{
    const double *a = ifd_run_values(s->run), *b = s->t.values(s->t.self);
    int both = 0;
    for (int i = 0; i < s->runs; i++) {
        if (s->ran[i].quantity == IFD_COLUMN_INTERFACE_DEFORMATION ||
            s->ran[i].quantity == IFD_COLUMN_INTERFACE_FORCE)
            continue; /* of ideal specimens; a test has the measured ones */
        int k = -1;
        for (int j = 0; j < s->tests; j++)
            k = strcmp(s->ran[i].name, s->tested[j].name) == 0 ? j : k;
        if (k < 0)
            fail_msg("a test does not record '%s'", s->ran[i].name);
        largest[i] = fmax(largest[i], fabs(a[i]));
        if (!last || !needs_force(s->ran[i].quantity))
            assert_near(b[k], a[i], round_off * largest[i], "%s at %g s", s->ran[i].name, ifd_run_time(s->run));
        both++;
    }
    return both;
}

/* The summaries of both; the work on specimens lacks the forces at the end. */
static void same_energies(const scene *s, double round_off)
{
    ifd_energy ran = ifd_run_energy(s->run), tested;
    assert_true(ifd_hybrid_energy(s->h, &tested));
    const double a[] = {ran.start, ran.input, ran.kinetic, ran.stored, ran.dissipated, ran.scale},
                 b[] = {tested.start, tested.input, tested.kinetic, tested.stored, tested.dissipated, tested.scale};
    for (size_t i = 0; i < COUNT(a); i++)
        assert_near(b[i], a[i], round_off * ran.scale, "energy %d", (int)i);
    assert_near(tested.specimens, ran.specimens, 0.05 * ran.scale, "work on specimens");
    assert_near(tested.numerical,
                tested.start + tested.input + tested.joints - tested.kinetic - tested.stored - tested.dissipated -
                    tested.specimens,
                1e-14 * ran.scale, "what is left");
}

static void compare(const char *text, int sets, const char *const *set, double round_off)
{
    scene s;
    open_scene(&s, text, sets, set);
    double *largest = calloc((size_t)s.runs, sizeof *largest);
    for (int i = 0; ifd_hybrid_state(s.h) != IFD_MACHINE_RUN && i < 20000; i++)
        tick(&s, IFD_ORDER_NONE);
    tick(&s, IFD_ORDER_NONE);
    long rows = 1;
    same_columns(&s, largest, false, round_off);
    while (next_instant(&s)) {
        while (ifd_run_time(s.run) < time_of(&s) - 1e-9)
            if (ifd_run_tick(s.run) == IFD_RUN_FAULT)
                fail_msg("the run failed");
        assert_near(ifd_run_time(s.run), time_of(&s), 1e-12, "instants");
        assert_true(same_columns(&s, largest, ifd_run_step(s.run) == ifd_run_steps(s.run), round_off) > 10);
        rows++;
    }
    assert_int_equal(rows, ifd_run_steps(s.run) + 1);
    same_energies(&s, round_off);
    free(largest);
    close_scene(&s);
}

/* The work on a specimen sums differences of its own displacement in a run, of the structure's in a test: one
 * rounding each. All else is the same arithmetic. */
static const double ROUND_OFF = 1e-13;

TEST(a_test_of_one_model_records_what_its_run_does)
{
    compare(building, 0, NULL, ROUND_OFF);
    compare(building, 1, (const char *const[]){"method=kr-alpha"}, ROUND_OFF);
}

TEST(so_does_a_slow_one_with_several_ticks_per_stage)
{
    static const char *const slow[] = {"test.lambda=6", "test.ticks-per-stage=3"};
    compare(building, 2, slow, ROUND_OFF);
    compare(parts, 2, slow, ROUND_OFF);
}

TEST(so_does_a_frame_with_a_moved_foot)
{
    compare(frame, 0, NULL, ROUND_OFF);
}

TEST(so_does_a_structure_of_parts)
{
    compare(parts, 0, NULL, ROUND_OFF);
}

static double numerical(const scene *s, double *scale)
{
    static const ifd_quantity to[] = {IFD_COLUMN_ENERGY_KINETIC, IFD_COLUMN_ENERGY_STORED,
                                      IFD_COLUMN_ENERGY_DISSIPATED, IFD_COLUMN_ENERGY_SPECIMENS};
    double left = of_test(s, "", IFD_COLUMN_ENERGY_INPUT);
    *scale = fmax(*scale, fabs(left));
    for (size_t i = 0; i < COUNT(to); i++)
        left -= of_test(s, "", to[i]);
    return left;
}

/* Base shear: the forces through the supports, and minus what the masses take, loads added. */
static double by_inertia(const scene *s)
{
    static const double mass[] = {1000.0, 900.0, 800.0};
    static const char *const floor[] = {"floor1", "floor2", "floor3"};
    double sum = 500.0 * sin(2.0 * 3.14159265358979323846 * 2.0 * time_of(s));
    for (int i = 0; i < 3; i++)
        sum -= mass[i] * of_test(s, floor[i], IFD_COLUMN_ABSOLUTE_ACCELERATION);
    return sum;
}

static void run_until(scene *s, double t)
{
    for (int i = 0; time_of(s) < t - 1e-9 || ifd_hybrid_state(s->h) != IFD_MACHINE_RUN; i++) {
        if (i > 20000)
            fail_msg("%g s is not reached: the test is at %g s in state %d", t, time_of(s),
                     (int)ifd_hybrid_state(s->h));
        tick(s, IFD_ORDER_NONE);
    }
}

/* Held in the middle: the row does not change, and the test ends with the numbers of one that was not held. */
TEST(rows_stand_still_on_hold_and_the_balance_goes_on)
{
    scene s, straight;
    open_scene(&s, building, 0, NULL);
    open_scene(&straight, building, 0, NULL);
    run_until(&s, 0.4);
    tick(&s, IFD_ORDER_HOLD);
    for (int i = 0; i < 400; i++)
        tick(&s, IFD_ORDER_NONE);
    double *kept = calloc((size_t)s.tests, sizeof *kept);
    memcpy(kept, s.t.values(s.t.self), (size_t)s.tests * sizeof *kept);
    double t = time_of(&s);
    assert_near(t, ifd_hybrid_time(s.h), 1e-12, "rest is at the end of a step, and it is shown");
    for (int i = 0; i < 50; i++) {
        tick(&s, IFD_ORDER_NONE);
        for (int k = 0; k < s.tests; k++)
            if (s.tested[k].quantity >= IFD_COLUMN_DISPLACEMENT &&
                s.tested[k].quantity <= IFD_COLUMN_ENERGY_NUMERICAL)
                assert_near(s.t.values(s.t.self)[k], kept[k], 0.0, "%s", s.tested[k].name);
    }
    run_until(&straight, t);
    assert_near(time_of(&straight), t, 1e-12, "the same instant");
    double scale = 0.0, made = numerical(&s, &scale), other = numerical(&straight, &scale);
    assert_near(made, other, 1e-3 * scale, "braking interpolates some forces");
    tick(&s, IFD_ORDER_RESUME);
    run_until(&s, 0.9);
    run_until(&straight, 0.9);
    made = numerical(&s, &scale);
    other = numerical(&straight, &scale);
    assert_near(made, other, 1e-3 * scale, "after the hold");
    assert_near_rel(of_test(&s, "", IFD_COLUMN_ENERGY_SPECIMENS), of_test(&straight, "", IFD_COLUMN_ENERGY_SPECIMENS),
                    1e-2, "work on the specimens");
    free(kept);
    close_scene(&straight);
    close_scene(&s);
}

TEST(the_balance_closes_and_two_sums_give_the_base_shear)
{
    scene s;
    open_scene(&s, building, 0, NULL);
    double scale = 0.0, largest = 0.0, worst = 0.0;
    run_until(&s, 0.0);
    for (tick(&s, IFD_ORDER_NONE); time_of(&s) < 0.99;) {
        double base = of_test(&s, "", IFD_COLUMN_BASE_SHEAR_X);
        largest = fmax(largest, fabs(base));
        assert_near(base, by_inertia(&s), 1e-9 * (largest + 1000.0), "base shear at %g s", time_of(&s));
        double made = numerical(&s, &scale);
        assert_near(of_test(&s, "", IFD_COLUMN_ENERGY_NUMERICAL), made, 1e-12 * scale, "what is left");
        worst = fmax(worst, fabs(made));
        if (!next_instant(&s))
            break;
    }
    assert_true(largest > 1000.0);
    assert_true(scale > 1.0);
    assert_true(worst < 2e-3 * scale); /* of second order in w h, 0.05 in the second mode */
    close_scene(&s);
}

#define DAMPER                                                                                                       \
    "specimen:\n"                                                                                                    \
    "  - name: damper\n"                                                                                             \
    "    model: {dofs: [z], mass: 80 kg, supports: {seat: {follows: floor2}}, elements: [\n"                         \
    "      {spring: {between: [seat, z], stiffness: 9 kN/m}}, {dashpot: {between: [seat, z], damping: 200}}]}\n"     \
    "    limits: {stroke: 500 mm, velocity: 9 m/s, acceleration: 900 m/s2, force: 90 kN}\n"                          \
    "test: {rig: {virtual: {commands: linear}}, ramp-in: 0.1 s, settle: 0.02 s, leave: stay}\n"

/* The force of a damper that only the structure supports is the inertia of its mass: the force on the ground is
 * the force of the first storey. Its mass is in the sum of inertia forces of the whole. */
TEST(a_carried_specimen_adds_nothing_to_the_base_shear)
{
    static const char text[] =
        "time: {step: 2 ms, end: 1 s}\nmethod: lsrt2\n"
        "ground: {motion: sine, amplitude: 1 m/s2, frequency: 1.7 Hz}\n"
        "model:\n"
        "  shear-building: {mass: [1 t, 0.9 t], stiffness: [800 kN/m, 700 kN/m], damping: [300, 300]}\n" DAMPER;
    static const char *const still[] = {"ground.amplitude=0", "loads=[{at: floor1, force: {sine: {amplitude: 1000, "
                                                              "frequency: 2}}}]"};
    for (int sets = 0; sets <= 2; sets += 2) {
        scene s;
        double most = 0.0, damper = 0.0;
        open_scene(&s, text, sets, still);
        run_until(&s, 0.0);
        for (tick(&s, IFD_ORDER_NONE); time_of(&s) < 0.99 && next_instant(&s);) {
            double base = of_test(&s, "", IFD_COLUMN_BASE_SHEAR_X);
            assert_near(base, of_test(&s, "storey1", IFD_COLUMN_ELEMENT_FORCE), 1e-6, "at %g s", time_of(&s));
            most = fmax(most, fabs(base));
            damper = fmax(damper, fabs(of_test(&s, "damper", IFD_COLUMN_INTERFACE_FORCE)));
        }
        assert_true(damper > 0.03 * most);
        assert_true(most > 500.0);
        close_scene(&s);
    }
}

static const char *unit_of(const ifd_column *column, int columns, const char *owner, ifd_quantity q)
{
    int i = ifd_column_find(column, columns, owner, q);
    assert_true(i >= 0);
    return column[i].unit;
}

TEST(a_specimen_that_is_turned_has_angles_and_moments)
{
    scene s;
    open_scene(&s,
               "time: {step: 5 ms, end: 0.1 s}\nmethod: lsrt2\n"
               "model:\n  frame:\n    material: {young: 30 GPa, density: 2.5 t/m3}\n"
               "    sections: {column: {width: 0.3 m, depth: 0.3 m}}\n"
               "    nodes: {a: [0, 0], b: [0, 3]}\n    members: [[a, b, column]]\n    supports: {a: fixed}\n"
               "specimen:\n"
               "  - {name: hinge, spring: {between: [ground, b.rz], stiffness: 100 kN m/rad}, actuator: ideal,\n"
               "     limits: {stroke: 0.5 rad, velocity: 20 rad/s, acceleration: 1e4 rad/s2, force: 900 kN m}}\n"
               "  - {name: strut, spring: {between: [ground, b.x], stiffness: 100 kN/m}, actuator: ideal,\n"
               "     limits: {stroke: 1 m, velocity: 20 m/s, acceleration: 1e4 m/s2, force: 900 kN}}\n" THE_TEST,
               0, NULL);
    assert_string_equal(unit_of(s.ran, s.runs, "hinge", IFD_COLUMN_INTERFACE_DEFORMATION), "rad");
    assert_string_equal(unit_of(s.ran, s.runs, "hinge", IFD_COLUMN_INTERFACE_FORCE), "N m");
    assert_string_equal(unit_of(s.ran, s.runs, "strut", IFD_COLUMN_INTERFACE_DEFORMATION), "m");
    assert_string_equal(unit_of(s.ran, s.runs, "strut", IFD_COLUMN_INTERFACE_FORCE), "N");
    assert_string_equal(unit_of(s.tested, s.tests, "hinge", IFD_COLUMN_INTERFACE_TARGET), "rad");
    assert_string_equal(unit_of(s.tested, s.tests, "hinge", IFD_COLUMN_INTERFACE_FORCE), "N m");
    assert_string_equal(unit_of(s.tested, s.tests, "strut", IFD_COLUMN_INTERFACE_FORCE), "N");
    close_scene(&s);
}

/* Before a run nothing moves; after it everything stays as at its end. */
TEST(rows_before_and_after_the_run_are_at_rest)
{
    scene s;
    open_scene(&s, building, 0, NULL);
    for (tick(&s, IFD_ORDER_NONE); ifd_hybrid_state(s.h) != IFD_MACHINE_RUN; tick(&s, IFD_ORDER_NONE))
        for (int k = 0; k < s.tests; k++)
            if (s.tested[k].quantity >= IFD_COLUMN_DISPLACEMENT &&
                s.tested[k].quantity <= IFD_COLUMN_ENERGY_NUMERICAL)
                assert_near(s.t.values(s.t.self)[k], 0.0, 0.0, "%s before the run", s.tested[k].name);
    while (ifd_hybrid_state(s.h) != IFD_MACHINE_RAMP_OUT)
        tick(&s, IFD_ORDER_NONE);
    tick(&s, IFD_ORDER_NONE);
    assert_near(time_of(&s), 1.0, 1e-12, "the end is shown");
    double at = of_test(&s, "floor3", IFD_COLUMN_DISPLACEMENT), input = of_test(&s, "", IFD_COLUMN_ENERGY_INPUT);
    while (ifd_hybrid_state(s.h) != IFD_MACHINE_STOPPED)
        tick(&s, IFD_ORDER_NONE);
    assert_near(of_test(&s, "floor3", IFD_COLUMN_DISPLACEMENT), at, 0.0, "ramp-out does not move the structure");
    assert_near(of_test(&s, "", IFD_COLUMN_ENERGY_INPUT), input, 0.0, "nor its energy");
    close_scene(&s);
}

/* What is asked for is there, and nothing else of the structure. */
TEST(a_test_records_what_the_case_asks_for)
{
    static const struct {
        const char *set;
        ifd_quantity there, not_there;
        int columns; /* of the structure */
    } row[] = {{"record=[displacement]", IFD_COLUMN_DISPLACEMENT, IFD_COLUMN_VELOCITY, 3},
               {"record=[velocity]", IFD_COLUMN_ABSOLUTE_VELOCITY, IFD_COLUMN_DISPLACEMENT, 6},
               {"record=[acceleration]", IFD_COLUMN_ABSOLUTE_ACCELERATION, IFD_COLUMN_VELOCITY, 6},
               {"record=[drift]", IFD_COLUMN_STOREY_DRIFT, IFD_COLUMN_DISPLACEMENT, 5},
               {"record=[elements]", IFD_COLUMN_ELEMENT_FORCE, IFD_COLUMN_STOREY_DRIFT, 13},
               {"record=[energy]", IFD_COLUMN_ENERGY_SPECIMENS, IFD_COLUMN_BASE_SHEAR_X, 6},
               {"record=[ground]", IFD_COLUMN_GROUND_X, IFD_COLUMN_ENERGY_INPUT, 1},
               {"record=[base-shear]", IFD_COLUMN_BASE_SHEAR_X, IFD_COLUMN_GROUND_X, 1},
               {"record=[floor2]", IFD_COLUMN_ACCELERATION, IFD_COLUMN_ENERGY_INPUT, 5},
               {"record=[displacement, floor2]", IFD_COLUMN_DISPLACEMENT, IFD_COLUMN_VELOCITY, 1}};
    for (size_t i = 0; i < COUNT(row); i++) {
        scene s;
        int count = 0, there = 0, not_there = 0;
        open_scene(&s, building, 1, &row[i].set);
        for (int k = 0; k < s.tests; k++) {
            ifd_quantity q = s.tested[k].quantity;
            count += q >= IFD_COLUMN_DISPLACEMENT && q <= IFD_COLUMN_ENERGY_NUMERICAL;
            there += q == row[i].there;
            not_there += q == row[i].not_there;
        }
        if (count != row[i].columns || !there || not_there)
            fail_msg("%s: %d columns, expected %d", row[i].set, count, row[i].columns);
        run_until(&s, 0.02);
        close_scene(&s);
    }
}

TESTS()
