/* SPDX-License-Identifier: MIT */
/* Cycles without a force, in numbers that are exact: values at a bound and on both sides of it. */
#include "check.h"

#include "hybrid/bare.h"
#include "rig/limits.h"
#include "hybrid/units.h"
#include "rig/no_force.h"

static ifd__cycles s;
static double ticks;

static bool step(double x, double f, double least)
{
    ticks = 0.0;
    return ifd__cycles_step(&s, x, f, least, &ticks);
}

static void assert_sum(const ifd__force_sum *sum, double n, double total, double squares)
{
    assert_near(sum->n, n, 0.0, "number");
    assert_near(sum->sum, total, 0.0, "sum");
    assert_near(sum->squares, squares, 0.0, "squares");
}

/* Of 3 to 13: a return by more than 1, or by more than half of `least`. The first force counts as zero. */
TEST(a_reversal_is_a_return_by_a_tenth)
{
    static const double rows[][3] = {{1.0, 12.0, 12.0 - 5e-3}, {4.0, 11.0, 11.0 - 1e-2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double least = rows[i][0];
        ifd__cycles_begin(&s, 3.0);
        assert_near(s.known, 0.0, 0.0, "nothing yet");
        assert_false(step(3.0, 100.0, least));
        assert_near(s.known, 1.0, 0.0, "known");
        assert_near(s.direction, 0.0, 0.0, "no motion yet");
        assert_sum(&s.tail, 1.0, 0.0, 0.0);
        assert_false(step(13.0, 103.0, least));
        assert_near(s.direction, 1.0, 0.0, "direction");
        assert_near(s.extreme, 13.0, 0.0, "extreme");
        assert_sum(&s.half, 2.0, 3.0, 9.0);
        assert_near(s.tail.n, 0.0, 0.0, "nothing since");
        assert_false(step(13.0, 104.0, least)); /* at the extreme belongs to the half before */
        assert_sum(&s.half, 3.0, 7.0, 25.0);
        assert_false(step(rows[i][1], 98.0, least));
        assert_near(s.turns, 0.0, 0.0, "at the bound");
        assert_near(s.extreme, 13.0, 0.0, "extreme");
        assert_sum(&s.tail, 1.0, -2.0, 4.0);
        assert_false(step(rows[i][2], 101.0, least));
        assert_near(s.turns, 1.0, 0.0, "reversals");
        assert_near(s.direction, -1.0, 0.0, "direction");
        assert_near(s.half_range, 10.0, 0.0, "range");
        assert_near(s.turn, 13.0, 0.0, "place");
        assert_near(s.extreme, rows[i][2], 0.0, "extreme");
        assert_near(s.low, 3.0, 0.0, "low");
        assert_near(s.high, 13.0, 0.0, "high");
        assert_sum(&s.before, 3.0, 7.0, 25.0);
        assert_sum(&s.half, 2.0, -1.0, 5.0);
        assert_near(s.tail.n, 0.0, 0.0, "nothing since");
    }
}

TEST(the_first_motion_has_its_direction)
{
    static const double rows[][2] = {{3.0, -3.0}, {-3.0, 3.0}, {-10.0, -5.0}, {10.0, 5.0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ifd__cycles_begin(&s, rows[i][0]);
        (void)step(rows[i][1], 0.0, 1.0);
        assert_near(s.direction, rows[i][1] > rows[i][0] ? 1.0 : -1.0, 0.0, "direction");
        assert_near(s.extreme, rows[i][1], 0.0, "extreme");
        assert_near(s.low, fmin(rows[i][0], rows[i][1]), 0.0, "low");
        assert_near(s.high, fmax(rows[i][0], rows[i][1]), 0.0, "high");
    }
}

/* Every reading is a reversal between 10 and 20: the fifth is the first that ends a cycle, of the two before.
 * Their forces of 105 and 65 above the first have the mean 85 and D = 20. */
static void cycles(void)
{
    static const double f[] = {7.0, 1007.0, 112.0, 72.0, 112.0};
    ifd__cycles_begin(&s, 10.0);
    for (int i = 0; i < 5; i++) {
        assert_near(s.largest, 0.0, 0.0, "no cycle yet");
        assert_false(step(i % 2 ? 20.0 : 10.0, f[i], 10.0));
    }
    assert_near(s.turns, 3.0, 0.0, "reversals");
    assert_near(s.largest, 20.0, 0.0, "D");
    assert_near(s.mean, 85.0, 0.0, "mean");
    assert_near(s.half_range, 10.0, 0.0, "range");
    assert_near(s.turn, 20.0, 0.0, "place");
    assert_near(ticks, 3.0, 0.0, "ticks");
}

TEST(a_cycle_is_dead_below_a_twentieth)
{
    static const struct {
        double d;
        bool dead;
    } rows[] = {{1.0, false}, {1.005, false}, {0.99, true}, {0.995, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cycles();
        (void)step(20.0, 92.0 + rows[i].d, 10.0);
        assert_near(s.mean, 85.0, 0.0, "of the first of two equal cycles");
        (void)step(10.0, 92.0 - rows[i].d, 10.0);
        bool dead = step(20.0, 92.0 + rows[i].d, 10.0);
        if (dead != rows[i].dead)
            fail_msg("D = %g: %d", rows[i].d, dead);
        assert_near(s.largest, 20.0, 0.0, "D");
        assert_near(ticks, 3.0, 0.0, "ticks");
    }
    cycles(); /* equal D about another mean */
    (void)step(20.0, 60.0, 10.0);
    (void)step(10.0, 100.0, 10.0);
    assert_near(s.largest, 26.0, 0.0, "D of 112 and 60");
    assert_near(s.mean, 79.0, 0.0, "its mean");
    (void)step(20.0, 48.0, 10.0);
    (void)step(10.0, 0.0, 10.0); /* of 100 and 48 */
    assert_near(s.largest, 26.0, 0.0, "D");
    assert_near(s.mean, 79.0, 0.0, "mean of the first");
}

/* A reversal at an extreme, after two others and a half cycle of some range, within 10 to 20: from half of this and
 * from `least` on the cycle counts, by its larger half. */
TEST(a_range_at_its_bound_counts)
{
    static const struct {
        double turns, turn, extreme, half_range, least;
        bool dead;
    } rows[] = {
        {2.0, 10.0, 20.0, 0.0, 10.0, true},  {2.0, 10.0, 20.0, 0.0, 10.01, false},
        {2.0, 10.0, 15.0, 0.0, 1.0, true},   {2.0, 10.0, 14.99, 0.0, 1.0, false},
        {2.0, 20.0, 15.0, 0.0, 1.0, true},   {2.0, 20.0, 15.01, 0.0, 1.0, false},
        {2.0, 12.0, 15.0, 5.0, 1.0, true},   {2.0, 12.0, 15.0, 4.99, 1.0, false},
        {1.0, 10.0, 20.0, 0.0, 10.0, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ifd__cycles_begin(&s, 10.0);
        s.known = 1.0;
        s.high = 20.0;
        s.turns = rows[i].turns;
        s.turn = rows[i].turn;
        s.extreme = rows[i].extreme;
        s.half_range = rows[i].half_range;
        s.direction = s.extreme > s.turn ? 1.0 : -1.0;
        s.largest = 20.0;
        s.mean = 85.0;
        s.half = s.before = (ifd__force_sum){1.0, 0.0, 0.0};
        bool dead = step(s.extreme > s.turn ? 10.0 : 20.0, 0.0, rows[i].least);
        if (dead != rows[i].dead)
            fail_msg("row %zu: %d", i, dead);
        assert_near(s.turns, rows[i].turns + 1.0, 0.0, "reversals");
        assert_near(s.half_range, fabs(rows[i].extreme - rows[i].turn), 0.0, "range");
    }
}

/* A test at 15 after motions between 5 and 15, with D = 20 and the mean 2. */
static void begin_at(double mean)
{
    ifd__cycles_begin(&s, 15.0);
    s.known = s.direction = 1.0;
    s.low = s.turn = 5.0;
    s.largest = 20.0;
    s.mean = mean;
    s.flat_low = s.flat_high = 1000.0;
}

TEST(a_motion_without_a_force_at_its_bounds)
{
    const double flat = 0.07 * 20.0;
    const struct {
        double mean, f[3], x[2], least;
        bool away;
        double ticks;
    } rows[] = {
        {2.0, {2.0, 2.0, 2.0}, {20.0, 20.0}, 1.0, false, 0.0}, /* half of the range before: 5 */
        {2.0, {2.0, 2.0, 2.0}, {20.0, 20.01}, 1.0, true, 2.0},
        {2.0, {2.0, 2.0, 2.0}, {20.01, 20.01}, 1.0, true, 1.0},
        {2.0, {2.0, 2.0, 2.0}, {15.0, 9.99}, 1.0, true, 2.0},
        {2.0, {2.0, 2.0, 2.0}, {12.0, 17.01}, 1.0, true, 2.0},
        {2.0, {2.0, 2.0, 2.0}, {15.0, 22.99}, 8.0, false, 0.0},
        {2.0, {2.0, 2.0, 2.0}, {15.0, 23.01}, 8.0, true, 2.0},
        {2.0, {6.0, 6.0, 6.0}, {15.0, 40.0}, 1.0, false, 0.0}, /* a fifth of D: 4 */
        {2.0, {6.02, 6.02, 6.02}, {15.0, 40.0}, 1.0, false, 0.0},
        {2.0, {5.99, 5.99, 5.99}, {15.0, 40.0}, 1.0, true, 2.0},
        {2.0, {-2.0, -2.0, -2.0}, {15.0, 40.0}, 1.0, false, 0.0},
        {2.0, {-1.99, -1.99, -1.99}, {15.0, 40.0}, 1.0, true, 2.0},
        {0.0, {0.0, flat, flat}, {40.0, 41.0}, 1.0, false, 0.0}, /* 0.07 of D */
        {0.0, {0.0, 1.41, 1.41}, {40.0, 41.0}, 1.0, false, 0.0},
        {0.0, {0.0, 1.39, 1.39}, {40.0, 40.0}, 1.0, true, 1.0},
        {0.0, {0.0, 0.8, 1.6}, {16.0, 40.0}, 1.0, false, 0.0}, /* in two steps */
        {0.0, {0.0, -0.8, -1.6}, {16.0, 40.0}, 1.0, false, 0.0},
        {0.0, {0.0, -0.8, 0.8}, {16.0, 40.0}, 1.0, false, 0.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin_at(rows[i].mean);
        assert_false(step(15.0, rows[i].f[0], rows[i].least));
        assert_near(s.reach, 10.0, 0.0, "range before");
        bool away = false;
        for (int k = 0; k < 2 && !away; k++)
            away = step(rows[i].x[k], rows[i].f[1 + k], rows[i].least);
        if (away != rows[i].away)
            fail_msg("row %zu: %d", i, away);
        assert_near(ticks, rows[i].ticks, 0.0, "ticks");
    }
}

/* After a fault the range is that up to there: 5 to 21, and the next one is beyond half of it. */
TEST(the_next_fault_needs_a_wider_motion)
{
    begin_at(2.0);
    assert_false(step(15.0, 2.0, 1.0));
    assert_true(step(21.0, 2.0, 1.0));
    assert_near(s.reach, 16.0, 0.0, "range");
    assert_false(step(23.0, 2.0, 1.0));
    assert_true(step(23.01, 2.0, 1.0));
    assert_near(ticks, 3.0, 0.0, "ticks");
}

/* Readings of a whole test: reversals between 100 and `range` more, and after five of them no force. */
static bool stops(ifd__interface_state *c, ifd_machine state, double range)
{
    bool seen = false;
    (void)ifd__part_limits.make(&bare, NULL, NULL);
    for (int i = 0; i < 9; i++) {
        bare_state(state);
        c->measured_x = 100.0 + (i % 2 ? range : 0.0);
        c->measured_f = i < 5 ? (i % 2 ? 20.0 : -20.0) : i % 2 ? 0.9 : -0.9;
        seen = seen || ifd__guard_rules(&bare, 0, bare_interface[0].rules, IFD_ACTION_NOTE) == IFD_ACTION_HOLD;
        if (seen) {
            assert_near(ifd__test_of(&bare)->fault_value, 3.0, 0.0, "s");
            break;
        }
    }
    return seen;
}

TEST(only_a_specimen_that_must_resist_is_judged)
{
    static const ifd_force_control force;
    for (int i = 0; i < 11; i++) {
        ifd__interface_state *c = bare_begin();
        bare_option[0].limits.low = i == 6 || i == 7 ? -4000.0 : -3000.0; /* 0.001 of the stroke: 9 or 10 */
        bare_option[0].limits.high = 6000.0;
        bare.opt.force_stuck = i == 0 ? IFD_STUCK_OFF : IFD_STUCK_NOISE;
        bare_option[0].force = i == 1 ? &force : NULL;
        bare_option[0].loose = i == 2;
        ifd__test_of(&bare)->rig.stale = i == 3;
        double noise = i == 8 ? 0.5 : i == 9 ? 0.5025 : 0.0; /* twenty of them: 10 and 10.05 */
        c->seen.noise_x = noise * noise;
        ifd_machine now = i == 4 ? IFD_MACHINE_HOLD : i == 5 ? IFD_MACHINE_RAMP_OUT : IFD_MACHINE_RUN;
        bool seen = stops(c, now, i == 7 ? 9.99 : 10.0);
        if (seen != (i == 6 || i == 8 || i == 10))
            fail_msg("row %d: %d", i, seen);
    }
}

TESTS()
