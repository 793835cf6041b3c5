/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <string.h>

#include "stage.h"

static stage s;

/* In increments: the path has 0.2513 m/s and 6.32 m/s2 at most; braking from that velocity with 20 ms takes
 * 12.6 m/s2. One increment is 1 um, a tick 1 ms: 1 m/s is 1000 per tick, 1 m/s2 is 1 per tick and tick. Rounding adds
 * 2. */
static const double fastest = 252.3, hardest = 12.6 + 6.4 + 2.0;

static double path(long k)
{
    return 0.01 * (1.0 - cos(2.0 * 3.14159265358979 * 4e-3 * (double)k));
}

static void ready(void)
{
    stage_open(&s, NULL, NULL);
    if (stage_enable(&s) <= 0)
        fail_msg("%s", s.note.first ? s.note.first->text : "not ready");
}

static long moved; /* ticks of the path so far */

static void move(long ticks)
{
    for (long k = 0; k < ticks; k++)
        assert_true(stage_tick(&s, path(moved++), true));
}

static const char *why(void)
{
    const char *text = atomic_load(&s.rig->why);
    return text ? text : "";
}

static void expect_why(const char *text)
{
    if (!strstr(why(), text))
        fail_msg("'%s' is not in '%s'", text, why());
}

static int begin(void **state)
{
    (void)state;
    moved = 0;
    ready();
    return 0;
}

static int end(void **state)
{
    (void)state;
    stage_close(&s);
    return 0;
}

/* The force object has 24 bits. Below zero a signed value is negative; the same bits without a sign are 2^24 more. */
TEST_WITH(an_input_without_a_sign_is_not_negative, begin, end)
{
    static const char *const values[] = {"signed", "unsigned"};
    for (int k = 0; k < 2; k++) {
        char to[80];
        end(state);
        snprintf(to, sizeof to, "object: 0x6000:0x11, counts: 2, values: %s}", values[k]);
        stage_open(&s, "object: 0x6000:0x11, counts: 2}", to);
        s.emu->drive[0].position = -100.0;
        s.emu->stiffness = 3.0;
        assert_true(stage_enable(&s) > 0);
        assert_true(stage_tick(&s, 0.0, false));
        assert_near(s.m.force[0], (k ? 16777216.0 - 300.0 : -300.0) / 2.0, 0.0, "%s", values[k]);
        assert_near(s.m.auxiliary[5], -100.0, 0.0, "the position stays signed");
    }
}

TEST_WITH(the_axes_are_enabled_before_the_first_position, begin, end)
{
    assert_null(atomic_load(&s.rig->why));
    assert_true(stage_tick(&s, 0.0, false));
    assert_int_equal(s.m.inputs, IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS);
    assert_int_equal(s.m.actuators, 1);
    assert_int_equal(s.m.aux, 7);
    assert_near(s.m.auxiliary[0], 4.0, 0.0, "working counter");
    assert_near(s.m.auxiliary[1], 0.0, 0.0, "not in time");
    assert_near(s.m.auxiliary[2], 8.0, 0.0, "states");
    double time = s.m.time;
    int64_t taken = s.m.taken;
    assert_true(stage_tick(&s, 0.0, false));
    assert_near(s.m.time - time, 1e-3, 1e-12, "");
    assert_int_equal(s.m.taken - taken, 1000000);
    stage_judge(&s, 0, 0);
}

TEST_WITH(a_smooth_motion_reaches_the_drive_unchanged, begin, end)
{
    assert_true(stage_tick(&s, 0.0, true));
    move(600);
    int last = s.emu->log_count - 1;
    for (long k = 0; k < 600; k++)
        assert_int_equal(s.emu->log[last - k].target, lround(1e6 * path(599 - k)));
    assert_int_equal(s.m.tick, s.c.tick - 1); /* one tick of delay */
    assert_near(s.m.position[0], 1e-6 * s.emu->log[last - 2].position, 1e-12, "");
    assert_near(s.m.force[0], round(0.02 * s.emu->log[last - 2].position) / 2.0, 0.51, "");
    assert_near(s.m.auxiliary[5], s.emu->log[last - 2].position, 0.5, "");
    stage_judge(&s, fastest, hardest);
}

TEST_WITH(without_a_commanded_position_the_last_one_is_kept, begin, end)
{
    move(50);
    double set = s.rig->axis[0].logic.set;
    for (int k = 0; k < 400; k++)
        assert_true(stage_tick(&s, 1.0, false)); /* the position of such a command is not used */
    assert_near(s.rig->axis[0].logic.set, set, 0.2513 * 0.02 + 1e-6, "it brakes and stays");
    assert_near(s.rig->axis[0].logic.velocity, 0.0, 0.0, "");
    assert_true(stage_tick(&s, set + 0.03, true));
    expect_why("axis 1, device 'drive': the first command is farther than 'jump'");
    stage_judge(&s, fastest, hardest);
}

TEST_WITH(a_first_command_far_away_is_refused, begin, end)
{
    assert_true(stage_tick(&s, 1.001e-3, true));
    assert_true(stage_sense(&s));
    assert_true(s.m.inputs & IFD_INPUT_RIG_STOPPED);
    expect_why("axis 1, device 'drive': the first command is farther than 'jump'");
    for (int k = 0; k < 20; k++)
        stage_tick(&s, 0.0, true);
    assert_near(s.emu->drive[0].position, 0.0, 1.0, "");
    assert_int_equal(s.emu->log[s.emu->log_count - 1].control, 0);
    stage_judge(&s, 0, 0);
}

TEST_WITH(commands_that_are_no_positions_stop_the_rig, begin, end)
{
    static const struct {
        double position;
        const char *why;
    } wrong[] = {{(double)NAN, "not a finite number"},
                 {-(double)INFINITY, "not a finite number"},
                 {3000.0, "too large for the drive"},
                 {-1e300, "too large for the drive"},
                 {0.1001, "outside 'stroke'"}};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        move(30);
        stage_tick(&s, wrong[i].position, true);
        expect_why(wrong[i].why);
        for (int k = 0; k < 400; k++)
            stage_tick(&s, path(moved), true);
        assert_true(s.m.inputs & IFD_INPUT_RIG_STOPPED);
        assert_int_equal(s.emu->log[s.emu->log_count - 1].status, 0x40);
        stage_judge(&s, fastest, hardest);
        end(state);
        begin(state);
    }
}

TEST_WITH(the_inputs_follow_their_wires, begin, end)
{
    move(3);
    emulator_lock(s.emu);
    s.emu->stop_pressed = true;
    emulator_unlock(s.emu);
    move(3);
    assert_int_equal(s.m.inputs, IFD_INPUT_HYDRAULICS);
    emulator_lock(s.emu);
    s.emu->stop_pressed = false;
    s.emu->power_off = true;
    emulator_unlock(s.emu);
    move(3);
    assert_int_equal(s.m.inputs, IFD_INPUT_NO_STOP);
}

/* Without power a piston may move: nothing must jump when power returns. */
TEST_WITH(without_power_the_set_points_follow_the_positions, begin, end)
{
    move(3);
    emulator_lock(s.emu);
    s.emu->power_off = true;
    emulator_unlock(s.emu);
    s.rig->axis[0].logic.set = s.m.position[0] + 0.008; /* as if the piston had moved since */
    for (int k = 0; k < 4; k++)
        assert_true(stage_tick(&s, 0.0, false));
    assert_near(s.rig->axis[0].logic.set, s.m.position[0], 1e-3, "");
}

/* What a device can do wrong: how, the reason, ticks until the stop, whether measurements still come. */
static void die(void)
{
    s.emu->dead = true;
}
static void late(void)
{
    s.emu->late = 1;
}
static void cut(void)
{
    s.emu->cut = 1;
}
static void fault(void)
{
    emulator_fault(s.emu, 0, 0x8611);
}
static void leave(void)
{
    emulator_leave_op(s.emu, 1, 0x2c);
}
static void disable(void)
{
    s.emu->drive[0].disabled = true;
}
static void lose_mode(void)
{
    s.emu->drive[0].mode_shown = 1;
}
static void lose_watchdog(void)
{
    emulator_unlock(s.emu);
    emulator_pass(s.emu, 0.15);
    emulator_lock(s.emu);
}

static const struct row {
    const char *name;
    void (*act)(void);
    const char *why;
    int ticks;
} rows[] = {
    {"dies", die, "answers from the bus are missing", 5},
    {"answers late", late, "answers from the bus are missing", 5},
    {"line cut behind device 1", cut, "the working counter is short (0x0003)", 5},
    {"fault", fault, "axis 1, device 'drive': the drive reports fault 0x8611 (object 0x603F)", 2},
    {"is disabled", disable, "the drive is no longer enabled (status word 0x0240)", 2},
    {"leaves OP", leave, "a device left the state OP (AL status code 0x002c)", 1},
    {"loses its mode", lose_mode, "the drive is in another mode of operation (object 0x6061: 0x0001)", 2},
    {"loses its watchdog", lose_watchdog, "a device left the state OP (AL status code 0x001b)", 1},
};

/* The path until the fault, then as long as the rig needs to be at rest. */
static void suffer(const struct row *row, long start)
{
    move(1 + start);
    emulator_lock(s.emu);
    row->act();
    emulator_unlock(s.emu);
    int ticks = 0, taken = 0;
    s.m.inputs = 3;
    /* one tick in which the frame with the fault passes, one in which its answer is taken */
    for (stage_tick(&s, path(moved++), true); !(s.m.inputs & IFD_INPUT_RIG_STOPPED) && ticks < 50; ticks++)
        taken += stage_tick(&s, path(moved++), true);
    if (row->ticks == 5)
        assert_int_equal(taken, 0); /* incomplete answers are not measurements */
    if (ticks > row->ticks || ticks < row->ticks - 1)
        fail_msg("%s: stopped after %d ticks, expected %d", row->name, ticks, row->ticks);
    expect_why(row->why);
    for (int k = 0; k < 400; k++)
        stage_tick(&s, path(moved++), true); /* commands are ignored */
    assert_near(s.rig->axis[0].logic.velocity, 0.0, 0.0, "%s", row->name);
    assert_near(s.emu->drive[0].velocity, 0.0, 1.0, "%s: increments per s", row->name);
    assert_int_equal(s.emu->drive[0].resets, 0);
    expect_why(row->why); /* the first reason stays */
    stage_judge(&s, fastest, hardest);
}

TEST_WITH(each_failure_stops_the_rig_with_its_reason, begin, end)
{
    static const long starts[] = {0, 62, 125}; /* at rest, at speed, at the reversal */
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t k = 0; k < COUNT(starts); k++) {
            suffer(&rows[i], starts[k]);
            end(state);
            begin(state);
        }
}

TEST_WITH(a_rig_that_stopped_stays_stopped_when_the_bus_returns, begin, end)
{
    move(62);
    emulator_lock(s.emu);
    s.emu->dead = true;
    emulator_unlock(s.emu);
    for (int k = 0; k < 10; k++)
        stage_tick(&s, path(moved++), true);
    assert_true(s.m.inputs & IFD_INPUT_RIG_STOPPED);
    emulator_lock(s.emu);
    s.emu->dead = false;
    emulator_unlock(s.emu);
    for (int k = 0; k < 400; k++)
        stage_tick(&s, path(moved++), true);
    assert_true(s.m.inputs & IFD_INPUT_RIG_STOPPED);
    assert_int_equal(s.emu->log[s.emu->log_count - 1].status, 0x40);
    stage_judge(&s, 10 * fastest, 10 * fastest); /* ten cycles did not reach the drive */
}

TEST_WITH(four_ticks_without_answers_are_tolerated, begin, end)
{
    move(62);
    for (int round = 0; round < 3; round++) {
        emulator_lock(s.emu);
        s.emu->late = 1;
        emulator_unlock(s.emu);
        for (int k = 0; k < 4; k++) {
            bool fresh = stage_tick(&s, path(moved++), true);
            assert_int_equal(fresh, k == 0);
        }
        emulator_lock(s.emu);
        s.emu->late = 0;
        emulator_unlock(s.emu);
        stage_tick(&s, path(moved++), true);
        move(3);
    }
    assert_int_equal(s.rig->stop, BUS_STOP_NONE);
    assert_near(s.m.auxiliary[1], 12.0, 0.0, "not in time");
    assert_near(s.m.auxiliary[3], 12.0, 0.0, "late");
    assert_near(s.m.auxiliary[4], 0.0, 0.0, "never");
}

TEST_WITH(doubled_answers_change_nothing, begin, end)
{
    emulator_lock(s.emu);
    s.emu->doubled = true;
    emulator_unlock(s.emu);
    move(100);
    assert_int_equal(s.rig->stop, BUS_STOP_NONE);
    assert_near(s.m.auxiliary[1], 0.0, 0.0, "not in time");
    stage_judge(&s, fastest, hardest);
}

/* Frames reach the devices outside 20 to 80 % of a tick before SYNC0: counted; in a row for `silent-for` the rig
 * stops. */
TEST_WITH(frames_beside_sync_are_counted_and_stop_the_rig, begin, end)
{
    move(62);
    static const int64_t inside[] = {-299000, 299000}, outside[] = {-301000, 301000, 450000};
    for (size_t i = 0; i < COUNT(inside); i++) {
        emulator_lock(s.emu);
        s.emu->aside = inside[i];
        emulator_unlock(s.emu);
        move(20);
        assert_near(s.m.auxiliary[6], 0.0, 0.0, "side");
    }
    for (size_t i = 0; i < COUNT(outside); i++) { /* four ticks are tolerated */
        emulator_lock(s.emu);
        s.emu->aside = outside[i];
        emulator_unlock(s.emu);
        move(4);
        emulator_lock(s.emu);
        s.emu->aside = 0;
        emulator_unlock(s.emu);
        move(4);
        assert_near(s.m.auxiliary[6], 4.0 * (double)(i + 1), 0.0, "side");
    }
    assert_int_equal(s.rig->stop, BUS_STOP_NONE);
    emulator_lock(s.emu);
    s.emu->aside = 450000;
    emulator_unlock(s.emu);
    for (int k = 0; k < 10; k++)
        stage_tick(&s, path(moved++), true);
    assert_true(s.m.inputs & IFD_INPUT_RIG_STOPPED);
    expect_why("frames arrive outside 20 to 80 per cent of a tick before SYNC0");
}

/* Commands stop; the rig cycles the bus by itself. */
TEST_WITH(missing_commands_bring_the_axes_to_rest, begin, end)
{
    move(62);
    int ticks = 0;
    for (; !(s.m.inputs & IFD_INPUT_RIG_STOPPED); ticks++) {
        bool fresh = stage_sense(&s);
        assert_int_equal(fresh, ticks != 1); /* the first takes the answer to a command, the second sends first */
    }
    assert_in_range(ticks, 102, 103);
    expect_why("no commands arrived for the time of 'watchdog'");
    for (int k = 0; k < 400; k++)
        stage_sense(&s);
    assert_int_equal(s.emu->log[s.emu->log_count - 1].status, 0x40);
    assert_near(s.emu->drive[0].velocity, 0.0, 1.0, "increments per s");
    /* two ticks and 20 ms of 0.25 m/s */
    assert_near(s.emu->drive[0].position * 1e-6, path(61), 0.2513 * 0.024, "");
    stage_judge(&s, fastest, hardest);
}

TEST_WITH(closing_at_speed_brakes_disables_and_ends_in_init, begin, end)
{
    move(62);
    ifd_user_rig.close(&s.plug);
    const emu_cycle *last = &s.emu->log[s.emu->log_count - 1];
    assert_int_equal(last->status, 0x40);
    assert_int_equal(s.emu->device[0].reg[0x130], EC_INIT);
    stage_judge(&s, fastest, hardest);
}

/* Control words between the first powered cycle and rest: enabled, quick stop, voltage off. */
TEST_WITH(a_stop_has_three_phases, begin, end)
{
    static const uint16_t phases[] = {0x0f, 0x02, 0x00};
    move(62);
    stage_tick(&s, (double)NAN, true);
    for (int k = 0; k < 400; k++)
        stage_tick(&s, 0.0, true);
    int phase = 0, seen[3] = {0};
    for (int k = s.emu->log_count - 401; k < s.emu->log_count; k++) {
        while (phase < 3 && s.emu->log[k].control != phases[phase])
            phase++;
        assert_true(phase < 3);
        seen[phase]++;
    }
    assert_true(seen[0] > 100 && seen[1] >= 1 && seen[2] > 1);
}

/* The tick follows a bus whose ticks come 0.3 ms after ours: the phase becomes small. */
TEST_WITH(waiting_follows_the_clock_of_the_bus, begin, end)
{
    const int64_t tick = 1000000;
    s.rig->due = INT64_C(1000000000); /* long past: no sleep */
    int64_t ours = 0, bus = 300000;
    double first = 0, last = 0;
    for (int k = 0; k < 400; k++) {
        s.rig->bad = 0;
        s.rig->bus.clock = ours + bus;
        last = (double)(s.rig->bus.clock % tick);
        last = last > 0.5 * (double)tick ? last - (double)tick : last;
        first = k == 0 ? last : first;
        int64_t before = s.rig->due, at = ifd_user_rig.wait(&s.plug, before + 3 * tick / 2);
        assert_int_equal(at, s.rig->due);
        assert_true(at - before > tick / 2 && at - before < 3 * tick / 2);
        ours += at - before;
    }
    assert_near(first, 300000.0, 0.0, "ns");
    assert_near(last, 0.0, 3000.0, "ns");
}

TEST_WITH(waiting_for_a_dead_bus_ends_at_the_latest_instant, begin, end)
{
    s.rig->due = INT64_C(1000000000);
    s.rig->bad = 5;
    assert_int_equal(ifd_user_rig.wait(&s.plug, 1000500000), -1); /* before the next tick */
    assert_int_equal(s.rig->due, 1000000000);
    assert_int_equal(ifd_user_rig.wait(&s.plug, 1002000000), -1); /* after it */
    s.rig->bad = 0;
}

/* A tick that was too long skips samples: the next one is that in the window, not one that has passed. */
TEST_WITH(after_skipped_ticks_the_sample_in_the_window_is_waited_for, begin, end)
{
    s.rig->due = INT64_C(1000000000);
    s.rig->bad = 0;
    s.rig->bus.clock = 0; /* in phase */
    s.rig->drift = 0;
    assert_int_equal(ifd_user_rig.wait(&s.plug, 1001500000), 1001000000);
    assert_int_equal(ifd_user_rig.wait(&s.plug, 1003500000), 1003000000); /* one skipped */
    assert_int_equal(ifd_user_rig.wait(&s.plug, 1004500000), 1004000000);
}

/* A deadline that passes before the next sample does not shift the ticks: frames stay where SYNC0 expects them. */
TEST_WITH(a_passed_deadline_keeps_the_phase_of_the_ticks, begin, end)
{
    s.rig->due = INT64_C(1000000000);
    s.rig->bad = 0;
    s.rig->bus.clock = 0;
    s.rig->drift = 0;
    assert_int_equal(ifd_user_rig.wait(&s.plug, 1000100000), -1);
    assert_int_equal(ifd_user_rig.wait(&s.plug, 1001500000), 1001000000);
    assert_int_equal(ifd_user_rig.wait(&s.plug, 1001700000), -1);
    assert_int_equal(ifd_user_rig.wait(&s.plug, 1003400000), 1003000000);
}

TESTS()
