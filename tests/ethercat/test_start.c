/* SPDX-License-Identifier: MIT */
/* The rig before the first tick. */
#include "check.h"

#include <string.h>

#include "stage.h"

static stage s;

static void expect_why(const char *text)
{
    const char *why = atomic_load(&s.rig->why);
    if (!why || !strstr(why, text))
        fail_msg("'%s' is not in '%s'", text, why ? why : "");
}

TEST(a_fault_before_the_test_is_reset)
{
    stage_open(&s, NULL, NULL);
    s.emu->drive[0].error = 0x3210;
    assert_true(stage_warm(&s) > 0);
    assert_int_equal(s.emu->drive[0].resets, 1);
    stage_close(&s);
}

TEST(a_fault_that_remains_is_refused_with_its_code)
{
    stage_open(&s, NULL, NULL);
    s.emu->drive[0].error = 0x3210;
    s.emu->drive[0].unreset = true;
    assert_int_equal(stage_warm(&s), -1);
    assert_int_equal(s.emu->drive[0].resets, 3);
    assert_string_equal(s.note.first->text,
                        "axis 1, device 'drive': fault 0x3210 (object 0x603F) remains after 3 resets");
    for (int k = 0; k < s.emu->log_count; k++)
        assert_false(s.emu->log[k].powered);
    stage_close(&s);
}

TEST(a_drive_that_waits_is_named_while_it_waits)
{
    stage_open(&s, NULL, NULL);
    s.emu->drive[0].mode_shown = 3;
    assert_int_equal(stage_enable(&s), 0);
    expect_why("a drive does not accept its mode of operation (0x6061)");
    stage_close(&s);
    stage_open(&s, NULL, NULL);
    s.emu->device[1].refuse_state = EC_OP;
    assert_int_equal(stage_warm(&s), 0);
    expect_why("the devices have not reached the state OP");
    stage_close(&s);
}

/* The axis is found at 30 mm and moves: the first target is where it is. */
TEST(enabling_starts_at_the_measured_position)
{
    stage_open(&s, NULL, NULL);
    s.emu->drive[0].position = 30000;
    assert_true(stage_enable(&s) > 0);
    assert_true(stage_tick(&s, 0.0, false));
    assert_near(s.m.position[0], 0.03, 1e-9, "");
    assert_true(stage_tick(&s, 0.03, true));
    stage_judge(&s, 0, 0);
    stage_close(&s);
}

TEST(frames_beside_sync_are_not_ready)
{
    static const struct {
        int64_t aside;
        const char *why;
    } rows[] = {{450000, "frames arrive 50 us before SYNC0, expected 200 to 800 us"},
                {-450000, "frames arrive 950 us before SYNC0, expected 200 to 800 us"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        stage_open(&s, NULL, NULL);
        s.emu->aside = rows[i].aside;
        assert_int_equal(stage_warm(&s), 0);
        expect_why(rows[i].why);
        assert_int_equal(s.emu->words & 0x0f, 0x06);
        stage_close(&s);
    }
}

/* SYNC0 is half a tick, or `shift`, after the ticks, wherever these are. */
TEST(sync_is_at_its_phase_to_the_ticks)
{
    static const int64_t grids[] = {0, 7000000, 7123000, 7999999};
    for (size_t i = 0; i < 2 * COUNT(grids); i++) {
        bool shifted = i >= COUNT(grids);
        int64_t grid = grids[i % COUNT(grids)], shift = shifted ? 300000 : 500000;
        stage_open(&s, "devices:", shifted ? "shift: 0.3 ms\ndevices:" : "devices:");
        s.plug.grid = grid;
        s.emu->aside = grid % 1000000;
        assert_true(stage_warm(&s) > 0);
        uint64_t start = 0;
        memcpy(&start, s.emu->device[0].reg + 0x990, 8);
        assert_int_equal((int64_t)(start % 1000000), (grid + shift) % 1000000);
        stage_close(&s);
    }
}

static const char position_axis[] =
    "{device: drive, counts: 1e6, tracking: 20 mm, jump: 1 mm, stroke: [-100 mm, 100 mm], at-end: off}";

TEST(a_torque_axis_has_its_limit_and_follows)
{
    stage_open(&s, position_axis,
               "{device: drive, mode: torque, counts: 1000, motor-speed: 300, jump: 10 mm, at-end: off}");
    ec_expected *d = &s.rig->file.line.device[0];
    d->pdos[0] = 1;
    d->pdo[0][0] = (ec_pdo){0x1600, 3, {0x60400010, 0x60600008, 0x60710010}};
    d->pdo[1][1] = (ec_pdo){0x1a01, 2, {0x60770010, 0x603f0010}};
    if (stage_enable(&s) <= 0)
        fail_msg("%s", s.note.first ? s.note.first->text : "not ready");
    assert_int_equal(emu_object_find(&s.emu->device[0], 0x6080, 0)->value, 300);
    assert_int_equal(emu_object_find(&s.emu->device[0], 0x6060, 0)->value, CIA402_TORQUE);
    for (int k = 0; k <= 100; k++)
        assert_true(stage_tick(&s, 1e-3 * k, true)); /* 100 per mille of the rated torque */
    for (int k = 0; k < 60; k++)
        assert_true(stage_tick(&s, 0.1, true));
    assert_near(s.emu->drive[0].torque, 100.0, 0.5, "");
    assert_near(s.m.position[0], 0.1, 1.1e-3, "the position of this axis is its torque");
    stage_tick(&s, 40.0, true); /* beyond 16 bits */
    expect_why("too large for the drive");
    stage_close(&s);
}

TEST(axes_without_their_objects_are_refused)
{
    stage_open(&s, "      - {pdo: 0x1A00}\n", "      - {pdo: 0x1A00, entries: [0x6041:0/16, 0x6064:0/32]}\n");
    assert_int_equal(stage_warm(&s), -1);
    assert_non_null(strstr(s.note.first->text, "the process data of device 'drive' do not contain"));
    assert_int_equal(s.emu->device[0].reg[0x130], EC_INIT);
    stage_close(&s);
    stage_open(&s, "0x6000:0x11, counts", "0x6000:0x12, counts");
    assert_int_equal(stage_warm(&s), -1);
    assert_non_null(
        strstr(s.note.first->text, "object 0x6000:18 is not an input in the process data of device 'input'"));
    stage_close(&s);
}

/* A terminal without a mailbox: its mapping is in its SII. */
TEST(a_device_without_objects_has_a_fixed_mapping)
{
    stage_open(&s, NULL, NULL);
    emu_device_fix(&s.emu->device[1]);
    s.emu->drive[0].position = 500.0;
    s.emu->stiffness = 4.0;
    if (stage_enable(&s) <= 0)
        fail_msg("%s", s.note.first ? s.note.first->text : "not ready");
    assert_near(s.m.force[0], 1000.0, 1.0, "2 increments are 1 N");
    assert_int_equal(s.m.inputs, IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS);
    stage_close(&s);
    stage_open(&s, "product: 161}", "product: 161, inputs: [{pdo: 0x1A00}]}");
    emu_device_fix(&s.emu->device[1]);
    assert_int_equal(stage_warm(&s), -1);
    assert_non_null(strstr(s.note.first->text, "device 2 (input) has no objects (CoE), its process data are fixed"));
    stage_close(&s);
}

/* Of a tick of 1 ms: the shift, half a tick, less a fifth of the tick. */
TEST(sync0_bounds_the_lateness_of_a_tick)
{
    stage_open(&s, NULL, NULL);
    assert_true(stage_warm(&s) > 0);
    assert_near(bus_rig_late_after(s.rig), 0.3e-3, 1e-12, "half a tick");
    s.rig->file.line.shift = 0.25e-3;
    assert_near(bus_rig_late_after(s.rig), 0.05e-3, 1e-12, "a quarter");
    s.rig->file.line.shift = 0.2e-3;
    assert_true(bus_rig_late_after(s.rig) > 0.0);
    s.rig->file.clock = BUS_CLOCK_NONE;
    assert_true(bus_rig_late_after(s.rig) == 0.0);
    stage_close(&s);
}

/* A mailbox that fills a frame; one byte more is refused with the reason. */
TEST(mailboxes_may_fill_a_frame)
{
    for (int size = 1465; size <= 1487; size++) {
        stage_open(&s, NULL, NULL);
        s.emu->device[0].sii[0x19] = s.emu->device[0].sii[0x1b] = (uint16_t)size;
        long warm = stage_warm(&s);
        if (size <= 1486 && warm <= 0)
            fail_msg("%d bytes: %s", size, s.note.first ? s.note.first->text : "not ready");
        if (size > 1486 && !strstr(s.note.first->text, "1487 and 1487 bytes, at most 1486 are supported"))
            fail_msg("%s", s.note.first->text);
        stage_close(&s);
    }
}

/* The lower five bits of the answer are reserved. */
TEST(answers_are_known_by_their_upper_bits)
{
    stage_open(&s, NULL, NULL);
    s.emu->flags = 0x0f;
    assert_true(stage_warm(&s) > 0);
    stage_close(&s);
    stage_open(&s, NULL, NULL);
    s.emu->flags = 0x80; /* 0xe0 */
    assert_int_equal(stage_warm(&s), -1);
    if (!strstr(s.note.first->text, "does not accept 0x9: the answer begins with e0 00 20 01, which is not expected"))
        fail_msg("%s", s.note.first->text);
    stage_close(&s);
}

TEST(a_bus_file_that_does_not_fit_the_test_is_refused)
{
    stage_open(&s, NULL, NULL);
    s.rig->file.forces = 2;
    assert_int_equal(stage_warm(&s), -1);
    assert_non_null(strstr(s.note.first->text, "has 1 axes and 2 forces, the test has 1 actuators"));
    stage_close(&s);
    stage_open(&s, NULL, NULL);
    s.rig->file.line.watchdog = 2.9e-3;
    assert_int_equal(stage_warm(&s), -1);
    assert_non_null(strstr(s.note.first->text, "is shorter than three ticks"));
    stage_close(&s);
}

/* Commands before the axes are enabled change no set point; nothing is reported before. */
TEST(commands_before_the_axes_are_enabled_are_not_followed)
{
    stage_open(&s, NULL, NULL);
    emulator_start(s.emu);
    assert_int_equal(bus_rig_open(s.rig, 1, 1e-3, &s.note), IFD_OK);
    while (ifd_user_rig.warm(&s.plug, &s.note) == 0)
        line_cycled(s.emu, (long)s.rig->bus.counts.sent);
    for (int k = 0; k < 50; k++)
        stage_tick(&s, 0.5e-3, true);
    s.c.outputs = IFD_OUTPUT_ENABLE;
    int without = 0;
    for (; without < 50 && !s.rig->enabled; without++)
        stage_tick(&s, 0.5e-3, true);
    assert_in_range(without, 3, 10); /* 0x07, 0x0F, and their answers */
    for (int k = 0; k < s.emu->log_count - 2; k++)
        assert_int_equal(s.emu->log[k].target, 0);
    stage_close(&s);
}

TESTS()
