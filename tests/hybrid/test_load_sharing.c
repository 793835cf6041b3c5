/* SPDX-License-Identifier: MIT */
/* More actuators than dofs. One of them is mounted wrongly: its extension is larger than measured, and it then acts
 * against the others. */
#include "check.h"

#include <string.h>

#include "hybrid/bare.h"
#include "hybrid/case_stand.h"
#include "hybrid/drives/drives.h"
#include "hybrid/hybrid.h"

static double misfit; /* m, of the first actuator */
static bool mounted;  /* and it was commanded there */

static bool crooked_sense(ifd_rig *r, ifd_measure *out, double *x)
{
    bool fresh = ifd_virtual_rig.sense(r, out, x);
    out->position[0] -= mounted ? misfit : 0.0;
    return fresh;
}

static void crooked_command(ifd_rig *r, const ifd_command *c, double *x)
{
    ifd_command own = *c;
    own.position[0] += misfit;
    mounted = misfit != 0.0;
    ifd_virtual_rig.command(r, &own, x);
}

static const char pair[] =
    "time: {step: 2 ms, end: 2 s}\n"
    "model: {dofs: [x], mass: [8 t], damping: [4000]}\n"
    "specimen:\n"
    "  - {name: sway, spring: {at: x, stiffness: 160 kN/m},\n"
    "     limits: {stroke: 0.4 m, velocity: 2 m/s, acceleration: 60 m/s2, tracking: 10 mm}}\n"
    "drives:\n"
    "  - name: pair\n"
    "    dofs: [sway]\n"
    "    matrix: [[1], [1]]\n"
    "    actuators:\n"
    "      - {name: left, limits: &reach {stroke: 0.9 m, velocity: 4 m/s, acceleration: 150 m/s2, tracking: 20 mm}}\n"
    "      - {name: right, limits: *reach}\n"
    "    sharing: {stiffness: 40 MN/m, bandwidth: 2 Hz, limit: 2 mm, twin: 50 MN/m}\n"
    "test: {leave: stay, ramp-in: 0.2 s, settle: 0.05 s}\n";

static const char block[] =
    "time: {step: 4 ms, end: 3 s}\n"
    "model:\n"
    "  dofs: [x, y, tilt]\n"
    "  kinds: {y: y, tilt: rz}\n"
    "  mass: [[8 t, 0, 0], [0, 8 t, 0], [0, 0, 4000]]\n"
    "  damping: [[4000, 0, 0], [0, 6000, 0], [0, 0, 1200]]\n"
    "initial: {displacement: {y: -0.05 m, tilt: 0.3}}\n"
    "specimen:\n"
    "  - {name: sway, spring: {at: x, stiffness: 160 kN/m},\n"
    "     limits: {stroke: 0.4 m, velocity: 2 m/s, acceleration: 60 m/s2, tracking: 10 mm}}\n"
    "  - {name: heave, spring: {at: y, stiffness: 900 kN/m},\n"
    "     limits: {stroke: 0.2 m, velocity: 2 m/s, acceleration: 60 m/s2, tracking: 10 mm}}\n"
    "  - {name: turn, spring: {at: tilt, stiffness: 120000},\n"
    "     limits: {stroke: 1, velocity: 8, acceleration: 200, tracking: 0.03}}\n"
    "drives:\n"
    "  - name: block\n"
    "    dofs: {x: sway, y: heave, rz: turn}\n"
    "    actuators:\n"
    "      - {name: a, base: [-4 m, 0.1 m], at: [-0.2 m, 0.1 m],\n"
    "         limits: &reach {stroke: 0.9 m, velocity: 4 m/s, acceleration: 150 m/s2, tracking: 20 mm}}\n"
    "      - {name: b, base: [-1.5 m, -3 m], at: [-1 m, 0.3 m], limits: *reach}\n"
    "      - {name: c, base: [1.7 m, -2.9 m], at: [1 m, 0.3 m], limits: *reach}\n"
    "      - {name: d, base: [4 m, 0.4 m], at: [0.3 m, 0.2 m], limits: *reach}\n"
    "    sharing: {stiffness: 40 MN/m, bandwidth: 2 Hz, limit: 2 mm}\n"
    "test: {leave: stay, ramp-in: 1 s, settle: 0.1 s}\n";

static void prepare(stand *s, const char *text, const char *set)
{
    const ifd_case_source source = {.path = "share.yaml", .text = text, .sets = set ? 1 : 0, .set = &set};
    stand_open(s, &source, crooked_sense, crooked_command);
}

static void make(stand *s, const char *text, const char *set)
{
    misfit = 0.0;
    mounted = false;
    prepare(s, text, set);
    for (long k = 0; ifd_hybrid_state(s->h) != IFD_MACHINE_RUN && k < 50000; k++)
        s->t.tick(s->t.self, &(ifd_tick_in){0});
}

/* One dof, two actuators, stiffness k between them: the excess e/2 + d of either decreases by 1 - 2 pi b h
 * k/k_estimate in every tick. */
TEST(what_two_actuators_push_against_each_other_decays_as_a_loop_of_first_order)
{
    const double e = 1e-4, k = 50e6;
    stand s;
    make(&s, pair, NULL);
    double g = 2.0 * 3.14159265358979323846 * 2.0 * ifd_hybrid_period(s.h) * k / 40e6, wanted = 0.5 * k * e;
    misfit = e;
    s.t.tick(s.t.self, &(ifd_tick_in){0}); /* commanded in this one, measured in the next */
    for (int i = 0; i < 200; i++) {
        s.t.tick(s.t.self, &(ifd_tick_in){0});
        assert_near(0.5 * (column(&s, "left force") - column(&s, "right force")), wanted, 1e-9 * k * e, "tick %d", i);
        assert_near(column(&s, "left load sharing"), wanted / k - 0.5 * e, 1e-9 * e, "drawn back, tick %d", i);
        assert_near(column(&s, "right load sharing"), 0.5 * e - wanted / k, 1e-9 * e, "the other as far out, tick %d",
                    i);
        wanted *= 1.0 - g;
    }
    assert_int_equal(ifd_hybrid_trip(s.h).trip, IFD_TRIP_NONE);
    unmake(&s);
}

/* The only direction in which four forces on a plane block cancel, by the minors of the Jacobian; N along it. */
static double pressed(const stand *s, ifd_drive *drive)
{
    const double q[] = {column(s, "sway deformation"), column(s, "heave deformation"), column(s, "turn deformation")};
    const double f[] = {column(s, "a force"), column(s, "b force"), column(s, "c force"), column(s, "d force")};
    double J[12], sum = 0.0, square = 0.0;
    ifd_drive_jacobian(drive, q, J);
    for (int j = 0; j < 4; j++) {
        const double *r[3];
        for (int i = 0, n = 0; i < 4; i++)
            if (i != j)
                r[n++] = J + 3 * i;
        double minor = r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) -
                       r[0][1] * (r[1][0] * r[2][2] - r[1][2] * r[2][0]) +
                       r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
        minor *= j % 2 ? -1.0 : 1.0;
        sum += minor * f[j];
        square += minor * minor;
    }
    return sum / sqrt(square);
}

enum { TICKS = 300 };

static double turning_block(const char *set, double *first, double q[TICKS][3])
{
    stand s;
    ifd_drive *drive;
    make(&s, block, set);
    assert_int_equal(ifd_drive_make(s.arena, &s.c->test->drive[0].drive, &drive, NULL), IFD_OK);
    misfit = 1e-4;
    for (int i = 0; i < TICKS; i++) {
        s.t.tick(s.t.self, &(ifd_tick_in){0});
        if (i == 1)
            *first = pressed(&s, drive);
        q[i][0] = column(&s, "sway deformation");
        q[i][1] = column(&s, "heave deformation");
        q[i][2] = column(&s, "turn deformation");
    }
    double last = pressed(&s, drive);
    assert_int_equal(ifd_hybrid_trip(s.h).trip, IFD_TRIP_NONE);
    unmake(&s);
    return last;
}

/* While the block rotates by 17 degrees and oscillates; the loop moves none of its dofs. */
TEST(four_actuators_share_the_force_of_a_turning_block)
{
    static double with[TICKS][3], without[TICKS][3];
    double first, ignored, left = turning_block(NULL, &first, with);
    double kept = turning_block("drives.0.sharing.bandwidth=1e-6 Hz", &ignored, without);
    assert_true(fabs(first) > 500.0 && fabs(kept) > 500.0);
    assert_true(fabs(left) < 0.01 * fabs(first));
    double moved = 0.0;
    for (int i = 0; i < TICKS; i++)
        for (int k = 0; k < 3; k++) {
            moved = fmax(moved, fabs(with[i][k] - with[0][k]));
            assert_near(with[i][k], without[i][k], 1e-6, "dof %d, tick %d", k, i);
        }
    assert_true(moved > 0.1);
}

TEST(no_actuator_is_moved_for_it_beyond_the_limit)
{
    stand s;
    make(&s, pair, "drives.0.sharing.limit=20 um");
    misfit = 1e-4;
    for (int i = 0; i < 300; i++) {
        s.t.tick(s.t.self, &(ifd_tick_in){0});
        assert_true(fabs(column(&s, "left load sharing")) <= 20e-6 * (1.0 + 1e-12));
    }
    assert_near(column(&s, "right load sharing"), 20e-6, 1e-12, "as far as it may");
    assert_true(ifd_hybrid_count(s.h, IFD_TRIP_GOVERNED) > 100);
    unmake(&s);
}

/* A wrong zero: the sensors disagree by 3 mm without forces. No actuator may then act against another. */
static void arm_with_a_wrong_zero(const char *text, const char *set)
{
    stand s;
    misfit = 3e-3;
    mounted = true;
    prepare(&s, text, set);
    double step = 0.0, before = 0.0, force = 0.0;
    bool commanded = false;
    for (long k = 0; ifd_hybrid_state(s.h) != IFD_MACHINE_RUN && k < 50000; k++) {
        s.t.tick(s.t.self, &(ifd_tick_in){0});
        if (column(&s, "commanded") > 0.0 && commanded)
            step = fmax(step, fabs(column(&s, "left command") - before));
        before = column(&s, "left command");
        commanded = column(&s, "commanded") > 0.0;
        force = fmax(force, fabs(column(&s, "left force") - column(&s, "right force")));
    }
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RUN);
    assert_near(force, 0.0, 1.0, "pressed");      /* 70 kN if reduced to its limit */
    assert_near(step, 0.0, 2e-5, "in a tick, m"); /* that of the ramp: 1.5 mm in 0.2 s */
    unmake(&s);
}

TEST(sensors_that_disagree_by_more_than_the_limit_press_nothing)
{
    arm_with_a_wrong_zero(pair, "drives.0.sharing.limit=20 um");
}

TEST(nor_do_they_where_nothing_is_shared)
{
    char text[sizeof pair], *from;
    memcpy(text, pair, sizeof pair);
    from = strstr(text, "    sharing:");
    memmove(from, strstr(from, "test:"), strlen(strstr(from, "test:")) + 1);
    arm_with_a_wrong_zero(text, NULL);
}

/* One drive without a test, 1/1024 s per tick, k = 1 MN/m, a loop of 1 Hz. */
enum { DOFS = 3 };
static ifd_sharing loop;
static ifd_driven driven;
static const int channels[DOFS] = {0, 1, 2};

static ifd__actuator_state *actuator(int j)
{
    return ifd__actuator_of(&bare, &bare_drive[0], j);
}

static void scene(ifd_arena *arena, const ifd_drive_options *o, double limit)
{
    loop = (ifd_sharing){.stiffness = 1e6, .bandwidth = 1.0, .limit = limit};
    driven = (ifd_driven){.drive = *o, .interface = channels, .sharing = &loop};
    bare_make(DOFS, 1.0 / 1024.0);
    bare_drives(1, &driven, 0.0);
    assert_int_equal(ifd_drive_make(arena, o, &bare_drive[0].drive, NULL), IFD_OK);
    ifd__test_of(&bare)->state = IFD_MACHINE_RUN;
}

static void shares_are(double a, double b, double c, const char *name)
{
    const double expected[3] = {a, b, c};
    for (int j = 0; j < 3; j++)
        assert_near(actuator(j)->sharing, expected[j], 1e-15, "%s, actuator %d", name, j);
}

static const double ones[3] = {1.0, 1.0, 1.0};
static const ifd_drive_options triple = {.name = "triple", .dofs = 1, .actuators = 3, .matrix = ones};

/* In the states with motion, with a new measurement, and with a known pose. */
TEST(forces_are_shared_while_the_block_is_led)
{
    const double each = 6.28318530717958647693 / 1024.0 / 1e6; /* m/N in a tick */
    ifd_arena *arena = ifd_arena_open();
    for (int s = 0; s < IFD_MACHINE_COUNT + 3; s++) {
        bool led =
            s == IFD_MACHINE_RAMP_IN || s == IFD_MACHINE_RUN || s == IFD_MACHINE_HOLD || s == IFD_MACHINE_RAMP_OUT;
        scene(arena, &triple, 1.0);
        ifd__test_of(&bare)->state = s < IFD_MACHINE_COUNT ? s : IFD_MACHINE_RUN;
        ifd__test_of(&bare)->rig.stale = s == IFD_MACHINE_COUNT ? 1.0 : 0.0;
        bare_x[BARE_DRIVE] = s == IFD_MACHINE_COUNT + 1 ? 1.0 : 0.0;
        driven.sharing = s == IFD_MACHINE_COUNT + 2 ? NULL : &loop;
        actuator(0)->measured_f = 350.0; /* each carries 50 N */
        actuator(1)->measured_f = -50.0;
        actuator(2)->measured_f = -150.0;
        ifd__sharing_step(&bare, &bare_drive[0], false);
        shares_are(led ? -300.0 * each : 0.0, led ? 100.0 * each : 0.0, led ? 200.0 * each : 0.0, "led");
    }
    const double line[3][3] = {{-3.0, 0.0, 0.0}, {3.0, 0.0, 0.0}, {5.0, 0.0, 0.0}};
    const double at[3][3] = {{0.0, 1.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 1.0, 0.0}};
    const ifd_axis plane[2] = {IFD_AXIS_X, IFD_AXIS_Y};
    const ifd_drive_options flat = {
        .name = "flat", .dofs = 2, .actuators = 3, .axis = plane, .base = line, .attachment = at, .point = {0, 1, 0}};
    scene(arena, &flat, 1.0);
    ifd__interface_of(&bare, 1)->measured_x = -1.0; /* all actuators in one line: their forces are indeterminate */
    actuator(0)->measured_f = 350.0;
    ifd__sharing_step(&bare, &bare_drive[0], false);
    shares_are(0.0, 0.0, 0.0, "singular");
    ifd_arena_close(arena);
}

/* To the limit, or to the found deviation; the largest of either sign counts. Nothing else changes. */
TEST(shares_keep_to_the_limit_or_to_what_was_found)
{
    const double d = 1.0 / 1024.0;
    ifd_arena *arena = ifd_arena_open();
    for (int sign = -1; sign < 2; sign += 2)
        for (int first = 0; first < 3; first++) {
            double y[3], kept[BARE_SIZE];
            for (int j = 0; j < 3; j++)
                y[j] = sign * d * (j == first ? 2.0 : -1.0);
            for (int within = 0; within < 2; within++) {
                scene(arena, &triple, within ? 2.0 * d : 1.5 * d);
                for (int j = 0; j < 3; j++)
                    actuator(j)->sharing = y[j];
                ifd__sharing_step(&bare, &bare_drive[0], false);
                double part = within ? 1.0 : 0.75;
                shares_are(part * y[0], part * y[1], part * y[2], "limited");
                assert_near(ifd__test_of(&bare)->faults[IFD_TRIP_GOVERNED], within ? 0.0 : 1.0, 0.0, "notes");
            }
            scene(arena, &triple, 1.5 * d);
            ifd__interface_of(&bare, 0)->command = 0.25;
            for (int j = 0; j < 3; j++)
                actuator(j)->command = 0.25 + y[j];
            memcpy(kept, bare_x, sizeof bare_x);
            ifd__sharing_step(&bare, &bare_drive[0], true);
            shares_are(y[0], y[1], y[2], "found");
            ifd__sharing_step(&bare, &bare_drive[0], false);
            shares_are(y[0], y[1], y[2], "and left there");
            for (int j = 0; j < 3; j++)
                actuator(j)->sharing = actuator(j)->found_off = 0.0;
            assert_memory_equal(bare_x, kept, sizeof bare_x);
        }
    const double base[4][3] = {{-4.0, 0.1, 0.0}, {-1.5, -3.0, 0.0}, {1.7, -2.9, 0.0}, {4.0, 0.4, 0.0}};
    const double at[4][3] = {{-0.2, 0.1, 0.0}, {-1.0, 0.3, 0.0}, {1.0, 0.3, 0.0}, {0.3, 0.2, 0.0}};
    const ifd_axis plane[3] = {IFD_AXIS_X, IFD_AXIS_Y, IFD_AXIS_RZ};
    const ifd_drive_options turns = {
        .name = "turns", .dofs = 3, .actuators = 4, .axis = plane, .base = base, .attachment = at};
    scene(arena, &turns, 1.0);
    double s[5][4];
    for (int i = 0; i < 5; i++)
        ifd_drive_reach(bare_drive[0].drive, (const double[]){0.1 * i, -0.03, 0.3}, s[i]);
    ifd__interface_of(&bare, 1)->command = -0.03;
    ifd__interface_of(&bare, 2)->command = 0.3;
    for (int i = 0; i < 5; i++) {
        ifd__interface_of(&bare, 0)->command = 0.1 * i;
        for (int j = 0; j < 4; j++)
            actuator(j)->command = s[i][j];
        ifd__sharing_step(&bare, &bare_drive[0], true);
        shares_are(0.0, 0.0, 0.0, "in its place");
    }
    ifd_arena_close(arena);
}

/* More actuators than dofs, and three numbers above zero. */
TEST(sharing_that_cannot_be_is_refused)
{
    static const struct {
        int actuators, dofs;
        double stiffness, bandwidth, limit;
        ifd_status code;
    } rows[] = {{2, 1, 1.0, 1.0, 1.0, IFD_OK},
                {1, 1, 1.0, 1.0, 1.0, IFD_CONFLICT},
                {1, 2, 1.0, 1.0, 1.0, IFD_CONFLICT},
                {2, 1, 0.0, 1.0, 1.0, IFD_RANGE},
                {2, 1, 1.0, 0.0, 1.0, IFD_RANGE},
                {2, 1, 1.0, 1.0, 0.0, IFD_RANGE},
                {2, 1, 1e-300, 1.0, 1.0, IFD_OK},
                {2, 1, 1.0, 1e-300, 1.0, IFD_OK},
                {2, 1, 1.0, 1.0, 1e-300, IFD_OK},
                {2, 1, (double)NAN, 1.0, 1.0, IFD_RANGE},
                {2, 1, 1.0, (double)NAN, 1.0, IFD_RANGE},
                {2, 1, 1.0, 1.0, (double)NAN, IFD_RANGE}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const ifd_sharing sharing = {
            .stiffness = rows[i].stiffness, .bandwidth = rows[i].bandwidth, .limit = rows[i].limit};
        ifd_driven o = {.drive = {.name = "pair", .actuators = rows[i].actuators, .dofs = rows[i].dofs},
                        .sharing = &sharing};
        if (ifd__sharing_check(&o, NULL) != rows[i].code)
            fail_msg("row %d", (int)i);
        o.sharing = NULL; /* nothing to refuse */
        assert_int_equal(ifd__sharing_check(&o, NULL), IFD_OK);
    }
}

TESTS()
