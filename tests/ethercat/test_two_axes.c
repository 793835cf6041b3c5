/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* A drive with two axes: every set point, measurement and fault belongs to its own axis, and a failure of one stops
 * both. The second axis goes the other way, twice as far (stage.h), and has other increments. */
#include "check.h"

#include <string.h>

#include "stage.h"

static stage s;
static long moved; /* ticks of the path so far */

/* In increments of the first axis: 0.2513 m/s, 6.32 m/s2, braking in 20 ms. */
static const double fastest = 252.3, hardest = 12.6 + 6.4 + 2.0;

static const char one[] =
    "    inputs:\n"
    "      - {pdo: 0x1A00}\n"
    "      - {pdo: 0x1A01, entries: [0x603F:0/16]}\n"
    "  - {name: input, vendor: 0x1234, product: 161}\n"
    "axes:\n"
    "  - {device: drive, counts: 1e6, tracking: 20 mm, jump: 1 mm, stroke: [-100 mm, 100 mm], at-end: off}\n"
    "forces:\n"
    "  - {device: input, object: 0x6000:0x11, counts: 2}\n";
static const char two[] =
    "    outputs: [{pdo: 0x1600}, {pdo: 0x1610}]\n"
    "    inputs:\n"
    "      - {pdo: 0x1A00, entries: [0x6041:0/16, 0x6061:0/8, 0x6064:0/32, 0x603F:0/16]}\n"
    "      - {pdo: 0x1A10, entries: [0x6841:0/16, 0x6861:0/8, 0x6864:0/32, 0x683F:0/16]}\n"
    "  - name: input\n"
    "    vendor: 0x1234\n"
    "    product: 161\n"
    "    inputs: [{pdo: 0x1A00}, {pdo: 0x1A10}, {pdo: 0x1A11}]\n"
    "axes:\n"
    "  - {device: drive, counts: 1e6, tracking: 20 mm, stroke: [-100 mm, 100 mm], at-end: off}\n"
    "  - {device: drive, counts: 5e5, tracking: 30 mm, stroke: [-90 mm, 90 mm], object-offset: 0x800, at-end: off}\n"
    "forces:\n"
    "  - {device: input, object: 0x6000:0x11, counts: 2}\n"
    "  - {device: input, object: 0x6000:0x12, counts: 5}\n";

static double path(long k)
{
    return 0.01 * (1.0 - cos(2.0 * 3.14159265358979 * 4e-3 * (double)k));
}

static int begin(void **state)
{
    (void)state;
    moved = 0;
    stage_open(&s, one, two);
    if (stage_enable(&s) <= 0)
        fail_msg("%s", s.note.first ? s.note.first->text : "not ready");
    return 0;
}

static int end(void **state)
{
    (void)state;
    stage_close(&s);
    return 0;
}

static void move(long ticks)
{
    for (long k = 0; k < ticks; k++)
        assert_true(stage_tick(&s, path(moved++), true));
}

TEST_WITH(each_axis_has_its_own_set_points_and_measurements, begin, end)
{
    move(300);
    int last = s.emu->log_count - 1;
    const emu_cycle *first = &s.emu->log[last - 2], *second = &s.emu->log_second[last - 2];
    for (int k = 0; k < 250; k++) {
        assert_int_equal(s.emu->log[last - k].target, lround(1e6 * path(299 - k)));
        assert_int_equal(s.emu->log_second[last - k].target, lround(-2.0 * 5e5 * path(299 - k)));
    }
    assert_int_equal(s.m.actuators, 2);
    assert_near(s.m.position[0], 1e-6 * first->position, 1e-12, "m");
    assert_near(s.m.position[1], 2e-6 * second->position, 1e-12, "m");
    assert_near(s.m.force[0], round(0.02 * first->position) / 2.0, 0.51, "N");
    assert_near(s.m.force[1], round(0.02 * second->position) / 5.0, 0.21, "N");
    assert_true(first->position > 1000 && second->position < -1000);
    assert_int_equal(emu_object_find(&s.emu->device[0], 0x6065, 0)->value, 20000);
    assert_int_equal(emu_object_find(&s.emu->device[0], 0x6865, 0)->value, 15000);
    stage_judge(&s, fastest, hardest);
}

/* Until both are enabled neither is commanded; the one that is ready holds its place. */
TEST_WITH(no_axis_moves_before_both_are_enabled, begin, end)
{
    for (int axis = 0; axis < 2; axis++) {
        end(state);
        stage_open(&s, one, two);
        s.emu->drive[axis].disabled = true;
        s.emu->drive[1 - axis].position = 3000.0;
        emulator_start(s.emu);
        assert_int_equal(bus_rig_open(s.rig, 2, 1e-3, &s.note), IFD_OK);
        for (int k = 0; ifd_user_rig.warm(&s.plug, &s.note) == 0; k++) {
            assert_true(k < 5000);
            line_cycled(s.emu, (long)s.rig->bus.counts.sent);
        }
        s.c.outputs = IFD_OUTPUT_ENABLE;
        for (int k = 0; k < 300; k++)
            if (stage_tick(&s, 0.01, true))
                assert_true(s.m.inputs & IFD_INPUT_UNPOWERED);
        for (int k = 0; k < s.emu->log_count; k++)
            assert_int_equal((axis ? s.emu->log : s.emu->log_second)[k].position, 3000);
    }
}

static void fault(int axis)
{
    emulator_fault(s.emu, axis, 0x8611);
}
static void disable(int axis)
{
    s.emu->drive[axis].disabled = true;
}
static void lose_mode(int axis)
{
    s.emu->drive[axis].mode_shown = 1;
}

static const struct row {
    const char *name;
    void (*act)(int axis);
    const char *why;
} rows[] = {
    {"fault", fault, "axis %d, device 'drive': the drive reports fault 0x8611 (object 0x603F)"},
    {"is disabled", disable, "axis %d, device 'drive': the drive is no longer enabled (status word 0x0240)"},
    {"loses its mode", lose_mode, "axis %d, device 'drive': the drive is in another mode of operation"},
};

static void suffer(const struct row *row, int axis)
{
    char why[160];
    move(63);
    emulator_lock(s.emu);
    row->act(axis);
    emulator_unlock(s.emu);
    s.m.inputs = 0;
    for (int k = 0; k < 3 && !(s.m.inputs & IFD_INPUT_RIG_STOPPED); k++)
        stage_tick(&s, path(moved++), true);
    assert_true(s.m.inputs & IFD_INPUT_RIG_STOPPED);
    snprintf(why, sizeof why, row->why, axis + 1);
    if (!strstr(atomic_load(&s.rig->why), why))
        fail_msg("%s: '%s' is not in '%s'", row->name, why, atomic_load(&s.rig->why));
    for (int k = 0; k < 400; k++)
        stage_tick(&s, path(moved++), true); /* commands are ignored */
    for (int k = 0; k < 2; k++)
        assert_near(s.emu->drive[k].velocity, 0.0, 1.0, "%s: axis %d, increments per s", row->name, k + 1);
    assert_int_equal(s.emu->drive[0].resets + s.emu->drive[1].resets, 0);
    stage_judge(&s, fastest, hardest);
}

TEST_WITH(a_failure_of_one_axis_stops_both_and_names_it, begin, end)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int axis = 0; axis < 2; axis++) {
            suffer(&rows[i], axis);
            end(state);
            begin(state);
        }
}

/* 47 mm are within the stroke of the first axis; twice of it is outside the stroke of the second. */
TEST_WITH(the_stroke_of_each_axis_is_its_own, begin, end)
{
    double position = 0.0;
    for (int k = 0; k < 2000 && !s.rig->stop; k++) {
        position = 2.5e-5 * k;
        stage_tick(&s, position, true);
    }
    assert_near(position, 0.045, 3e-5, "m, of the first axis");
    assert_non_null(strstr(atomic_load(&s.rig->why), "axis 2, device 'drive': a command is outside 'stroke'"));
    for (int k = 0; k < s.emu->log_count; k++)
        assert_true(s.emu->log_second[k].target >= -45000);
}

TESTS()
