/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "drivers/ethercat/cia402.h"

static const double tick = 1e-3;

static cia402_axis made(void)
{
    cia402_axis a;
    const cia402_settings s = {.tick = tick, .grain = 1e-6, .jump = 1e-3, .low = -0.1, .high = 0.1};
    cia402_start(&a, &s);
    return a;
}

/* Status words of the standard, with bits that do not belong to the state set (0x1690). */
static const struct {
    uint16_t status;
    cia402_state state;
    uint16_t up, down, run, stop, end;
} words[] = {{0x1690, CIA402_NOT_READY, 0x00, 0x00, 0x00, 0x00, 0x00},
             {0x16b0, CIA402_NOT_READY, 0x00, 0x00, 0x00, 0x00, 0x00},
             {0x16d0, CIA402_DISABLED, 0x06, 0x06, 0x00, 0x00, 0x00},
             {0x16f0, CIA402_DISABLED, 0x06, 0x06, 0x00, 0x00, 0x00},
             {0x16b1, CIA402_READY, 0x07, 0x06, 0x00, 0x00, 0x00},
             {0x16b3, CIA402_SWITCHED_ON, 0x0f, 0x06, 0x00, 0x00, 0x06},
             {0x16b7, CIA402_ENABLED, 0x0f, 0x07, 0x0f, 0x02, 0x07},
             {0x1697, CIA402_QUICK_STOP, 0x00, 0x00, 0x00, 0x02, 0x02},
             {0x169f, CIA402_REACTION, 0x00, 0x00, 0x00, 0x00, 0x00},
             {0x16bf, CIA402_REACTION, 0x00, 0x00, 0x00, 0x00, 0x00},
             {0x1698, CIA402_FAULT, 0x00, 0x00, 0x00, 0x00, 0x00},
             {0x16b8, CIA402_FAULT, 0x00, 0x00, 0x00, 0x00, 0x00},
             {0x1691, CIA402_UNKNOWN, 0x00, 0x00, 0x00, 0x00, 0x00}};

TEST(every_status_word_has_its_control_words)
{
    for (size_t i = 0; i < COUNT(words); i++) {
        cia402_axis a = made();
        assert_int_equal(cia402_state_of(words[i].status), words[i].state);
        assert_int_equal(cia402_up(&a, words[i].status, 0.02), words[i].up);
        assert_int_equal(cia402_down(&a, words[i].status, 0.02), words[i].down);
        assert_int_equal(cia402_run(words[i].status), words[i].run);
        assert_int_equal(cia402_stop(&a, words[i].status), words[i].stop);
        assert_int_equal(cia402_end(&a, words[i].status), words[i].end);
    }
}

/* Without a request for power no status word is answered with 0x0F, and never with a reset. */
TEST(only_a_request_for_power_enables)
{
    for (unsigned status = 0; status <= 0xffff; status++) {
        cia402_axis a = made();
        uint16_t down = cia402_down(&a, (uint16_t)status, 0.0);
        assert_true((down & 0x88) == 0 && ((down & 1) == 0 || (status & 0x6f) == 0x27));
        assert_true((cia402_up(&a, (uint16_t)status, 0.0) & 0x80) == 0);
    }
}

TEST(during_a_test_no_status_word_is_answered_with_a_reset)
{
    for (unsigned status = 0; status <= 0xffff; status++) {
        cia402_axis a = made();
        assert_true((cia402_run((uint16_t)status) & 0x80) == 0);
        assert_true((cia402_stop(&a, (uint16_t)status) & 0x80) == 0);
        assert_true(cia402_run((uint16_t)status) == ((status & 0x6f) == 0x27 ? 0x0f : 0));
    }
}

TEST(a_fault_before_the_test_is_reset_once_a_second_and_three_times)
{
    cia402_axis a = made();
    int pulses = 0, at[4] = {0}, cycle = 0;
    for (; cycle < 5000 && !a.refused; cycle++)
        if (cia402_reset(&a) == 0x80)
            at[pulses++] = cycle;
    assert_int_equal(pulses, CIA402_RESETS);
    assert_int_equal(at[1] - at[0], 1000);
    assert_int_equal(at[2] - at[1], 1000);
    assert_true(a.refused);
    assert_int_equal(cycle, 3001);
    for (int k = 0; k < 3000; k++)
        assert_int_equal(cia402_reset(&a), 0);
}

/* Also of a drive that is found enabled. Enabled, it holds: following its own position it would drift. */
TEST(the_set_point_follows_the_position_until_the_drive_is_enabled)
{
    cia402_axis a = made();
    for (int k = 0; k < 100; k++) {
        double here = 0.01 * sin(0.1 * k);
        cia402_up(&a, k < 50 ? 0x23 : 0x27, here);
        assert_near(a.set, k < 51 ? here : 0.01 * sin(0.1 * 50), 0.0, "cycle %d", k);
    }
    cia402_up(&a, 0x23, 0.03); /* disabled again */
    cia402_up(&a, 0x23, 0.04);
    assert_near(a.set, 0.04, 0.0, "");
    a = made();
    cia402_up(&a, 0x27, 0.02);
    cia402_up(&a, 0x27, 0.021);
    assert_near(a.set, 0.02, 0.0, "found enabled");
}

TEST(a_first_command_beyond_jump_is_refused_and_moves_nothing)
{
    const double beyond[] = {1.001e-3, -1.001e-3, 5.0, -5.0};
    for (size_t i = 0; i < COUNT(beyond); i++) {
        cia402_axis a = made();
        cia402_up(&a, 0x27, 0.02);
        assert_int_equal(cia402_command(&a, 0.02 + beyond[i]), CIA402_TOO_FAR);
        assert_near(a.set, 0.02, 0.0, "");
    }
    cia402_axis a = made();
    cia402_up(&a, 0x27, 0.02);
    assert_int_equal(cia402_command(&a, 0.02 + 0.999e-3), CIA402_FOLLOWS);
    assert_near(a.velocity, 0.0, 0.0, "the first distance is not a velocity");
    assert_int_equal(cia402_command(&a, 0.03), CIA402_FOLLOWS); /* only the first one */
}

TEST(a_command_that_is_no_number_or_leaves_the_stroke_is_refused)
{
    cia402_axis a = made();
    cia402_up(&a, 0x27, 0.0995);
    assert_int_equal(cia402_command(&a, (double)NAN), CIA402_NOT_FINITE);
    assert_int_equal(cia402_command(&a, (double)INFINITY), CIA402_NOT_FINITE);
    assert_int_equal(cia402_command(&a, 0.1), CIA402_FOLLOWS);
    assert_int_equal(cia402_command(&a, 0.1 + 1e-9), CIA402_OUTSIDE);
    assert_near(a.set, 0.1, 0.0, "");
    a = made();
    cia402_up(&a, 0x27, -0.0995);
    assert_int_equal(cia402_command(&a, -0.1), CIA402_FOLLOWS);
    assert_int_equal(cia402_command(&a, -0.1 - 1e-9), CIA402_OUTSIDE);
}

TEST(an_axis_outside_its_stroke_may_return)
{
    cia402_axis a = made();
    cia402_up(&a, 0x27, 0.12);
    assert_int_equal(cia402_command(&a, 0.1201), CIA402_OUTSIDE);
    assert_int_equal(cia402_command(&a, 0.1199), CIA402_FOLLOWS);
    assert_int_equal(cia402_command(&a, 0.1198), CIA402_FOLLOWS);
}

/* Moves at 0.5 m/s. */
static cia402_axis moving(void)
{
    cia402_axis a = made();
    cia402_up(&a, 0x27, 0.0);
    for (int k = 0; k < 20; k++)
        assert_int_equal(cia402_command(&a, 0.5 * tick * k), CIA402_FOLLOWS);
    return a;
}

/* Closed form: two ticks at full velocity, then v tick (q + q^2 + ...), q = exp(-tick / 20 ms). */
TEST(without_commands_the_set_point_comes_to_rest)
{
    cia402_axis a = moving();
    double q = exp(-tick / 0.02), v = 0.5, from = a.set;
    for (int missed = 1; missed <= 2; missed++) {
        cia402_coast(&a, missed);
        assert_near(a.set, from + v * tick * missed, 1e-15, "tick %d", missed);
        assert_false(a.first);
    }
    for (int missed = 3; missed < 600; missed++) {
        double before = a.set, speed = a.velocity;
        cia402_coast(&a, missed);
        assert_true(a.set >= before && a.velocity <= speed);
    }
    assert_near(a.velocity, 0.0, 0.0, "");
    /* what is left when the path is below half an increment */
    assert_near(a.set, from + v * tick * (2 + q / (1 - q)), 1e-6, "");
    assert_int_equal(cia402_command(&a, a.set + 2e-3), CIA402_TOO_FAR);
}

TEST(one_or_two_missed_commands_are_bridged)
{
    cia402_axis a = moving();
    double next = a.set + 0.5 * tick * 3;
    cia402_coast(&a, 1);
    cia402_coast(&a, 2);
    assert_int_equal(cia402_command(&a, next), CIA402_FOLLOWS);
    assert_near(a.velocity, 0.5, 1e-9, "");
}

/* With a known limit: v0 - A t, and v0^2 / 2A; the sum over ticks is half a tick of v0 shorter. */
TEST(braking_keeps_the_limit_of_acceleration)
{
    for (int way = -1; way <= 1; way += 2) {
        cia402_axis a = moving();
        a.s.brake = 20.0;
        a.velocity *= way;
        double from = a.set, last = a.velocity;
        int ticks = 0;
        for (; a.velocity != 0.0; ticks++, last = a.velocity) {
            cia402_coast(&a, CIA402_GRACE + 1);
            assert_true(fabs(a.velocity - last) <= 20.0 * tick + 1e-12);
            assert_true(ticks < 100);
        }
        assert_int_equal(ticks, 25);
        assert_near(a.set, from + way * (0.5 * 0.5 / 40.0 - 0.5 * 0.5 * tick), 1e-9, "m");
    }
}

/* Words of the end: to rest, 0x07, while the brake engages 0x07, 0x06, 0x00. */
TEST(the_end_waits_for_the_brake)
{
    cia402_axis a = moving();
    a.s.brake = 20.0;
    a.s.brake_time = 0.2;
    for (int k = 0; k < 25; k++) {
        assert_int_equal(cia402_end(&a, 0x27), 0x0f);
        cia402_coast(&a, CIA402_GRACE + 1);
    }
    assert_int_equal(cia402_end(&a, 0x27), 0x07);
    for (int k = 0; k < 200; k++)
        assert_int_equal(cia402_end(&a, 0x23), 0x07);
    assert_int_equal(cia402_end(&a, 0x23), 0x06);
    assert_int_equal(cia402_end(&a, 0x21), 0x00);
    assert_int_equal(cia402_end(&a, 0x40), 0x00);
    (void)cia402_up(&a, 0x27, 0.0); /* again: as long */
    assert_int_equal(cia402_down(&a, 0x27, 0.0), 0x07);
    for (int k = 0; k < 200; k++)
        assert_int_equal(cia402_down(&a, 0x23, 0.0), 0x07);
    assert_int_equal(cia402_down(&a, 0x23, 0.0), 0x06);
    assert_int_equal(cia402_down(&a, 0x21, 0.0), 0x06);
}

/* quick-stop: 6 holds as long as it is cycled; none is as the end. */
TEST(a_stop_follows_its_option)
{
    cia402_axis a = made();
    a.s.quick_stop = CIA402_QUICK_HOLD;
    assert_int_equal(cia402_stop(&a, 0x27), 0x02);
    for (int k = 0; k < 5000; k++)
        assert_int_equal(cia402_stop(&a, 0x07), 0x02);
    for (int k = 0; k <= 500; k++)
        assert_int_equal(cia402_end(&a, 0x07), 0x02);
    assert_int_equal(cia402_end(&a, 0x07), 0x00);
    a = moving();
    a.s.quick_stop = CIA402_QUICK_NONE;
    assert_int_equal(cia402_stop(&a, 0x27), 0x0f);
    a.velocity = 0.0;
    assert_int_equal(cia402_stop(&a, 0x27), 0x07);
    assert_int_equal(cia402_stop(&a, 0x23), 0x06);
    assert_int_equal(cia402_stop(&a, 0x21), 0x00);
}

TEST(coasting_ends_at_the_stroke)
{
    cia402_axis a = made();
    cia402_up(&a, 0x27, 0.095);
    for (int k = 0; k < 10; k++)
        assert_int_equal(cia402_command(&a, 0.095 + 0.49 * tick * k), CIA402_FOLLOWS);
    for (int missed = 1; missed < 100; missed++)
        cia402_coast(&a, missed);
    assert_true(a.set <= 0.1);
    assert_near(a.velocity, 0.0, 0.0, "");
}

TEST(a_stop_brakes_first_then_quick_stop_then_voltage_off)
{
    cia402_axis a = moving();
    int braking = 0;
    for (; cia402_stop(&a, 0x27) == 0x0f; braking++)
        cia402_coast(&a, CIA402_GRACE + 1);
    assert_near(a.velocity, 0.0, 0.0, "");
    assert_in_range(braking, 150, 400); /* 0.5 m/s down to 25 um/s: 20 ms ln(20000) = 198 ms */
    assert_int_equal(cia402_stop(&a, 0x27), 0x02);
    for (int k = 0; k <= 500; k++)
        assert_int_equal(cia402_stop(&a, 0x07), 0x02);
    assert_int_equal(cia402_stop(&a, 0x07), 0x00); /* a drive that stays in quick stop active */
    assert_int_equal(cia402_stop(&a, 0x40), 0x00);
}

TESTS()
