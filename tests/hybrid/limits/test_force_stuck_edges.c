/* SPDX-License-Identifier: MIT */
/* Detection of a stuck load cell at both sides of each number: noise, travel, ticks, states. Checked by the raised
 * faults; complete tests are in test_force_stuck.c. */
#include "check.h"

#include <string.h>

#include "rig/sensors.h"
#include "hybrid/states.h"

static const double travel = 0.008, far = 0.08; /* m: 0.001 and 0.01 of a stroke from -1 m to 7 m */
static const double most_force = 1000.0;        /* N, its limit */

static ifd__load_cell cell;
static ifd_limits limits;
static ifd__stuck facts;
static double found[2]; /* travel and limit of the last fault */
static ifd__watched w;

static void state_is(ifd_machine state)
{
    w.moves = ifd__machine_moves(state);
}

/* A cell without history. One unchanged reading is sufficient for a fault. */
static void begin(ifd_stuck mode)
{
    memset(&cell, 0, sizeof cell);
    ifd_limits_defaults(&limits);
    limits.low = -1.0;
    limits.high = 7.0;
    limits.force = most_force;
    facts = (ifd__stuck){.force = mode};
    w = (ifd__watched){.fresh = true, .limits = &limits, .load_cell = &cell};
    state_is(IFD_MACHINE_IDLE);
}

/* Whether a reading at a position is a fault. */
static bool trips(double f, double x)
{
    w.fm = f;
    w.xm = x;
    return ifd__force_stuck(&facts, &w, found);
}

/* Readings with these differences, the specimen at rest; returns the last one. */
static double read_all(const double *change, int count)
{
    double f = 40.0;
    assert_false(trips(f, 0.0));
    for (int i = 0; i < count; i++)
        assert_false(trips(f += change[i], 0.0));
    return f;
}

/* White noise in second differences: no reversal has the same size as the last one, and not all have one direction.
 * At least ten of them, at least three of ten reversed. The unchanged reading adds one more. */
TEST(noise_is_what_turns_round_unevenly)
{
    static const struct {
        const char *name;
        int count;
        double change[16];
        bool noise;
    } rows[] = {
        {"turns in 8, then rests: 9", 9, {1, -2, 1, -2, 1, -2, 1, -2, 1}, false},
        {"turns in 9, then rests: 10", 10, {1, -2, 1, -2, 1, -2, 1, -2, 1, -2}, true},
        {"turns in 3 of 10", 10, {1, -2, 1, -2, -2, -2, -2, -2, -2, -2}, true},
        {"turns in 2 of 10", 10, {1, -2, 1, 1, 1, 1, 1, 1, 1, 1}, false},
        {"turned in 3 of 10, then no more", 11, {1, -2, 1, -2, -2, -2, -2, -2, -2, -2, -2}, true},
        {"turns in 3 of 11, the last one among them", 12, {1, -2, 1, 1, 1, 1, 1, 1, 1, 1, 1, -2}, false},
        {"one way, unevenly", 12, {1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2}, false},
        {"the other way", 12, {-1, -2, -1, -2, -1, -2, -1, -2, -1, -2, -1, -2}, false},
        {"one way, with rests", 12, {1, 0, 1, 0, 2, 0, 2, 0, 1, 0, 1, 0}, false},
        {"between two steps", 12, {1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1}, false},
        {"from one step to the next", 12, {-1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1}, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        begin(IFD_STUCK_NOISE);
        double f = read_all(rows[i].change, rows[i].count);
        state_is(IFD_MACHINE_RUN);
        if (trips(f, 2.0 * travel) != rows[i].noise)
            fail_msg("%s: %s", rows[i].name, rows[i].noise ? "no fault" : "a fault");
    }
}

/* Size of the noise. Second differences of 3 have a variance of 9/6, those of 6 one of 36/6; plain mean over the
 * first hundred, then with a weight of 0.01 each. A reading at e from the last one is unchanged if e is within 0.1 of
 * the standard deviation, which includes its own second difference. */
TEST(same_is_what_stays_within_a_tenth_of_the_noise)
{
    static const struct {
        int quiet, loud; /* changes with second differences of 3, an even number, then of 6 */
        int sign;
    } rows[] = {{12, 0, 1},  {12, 0, -1}, {12, 20, 1}, {20, 12, -1},  {30, 69, 1},
                {30, 70, 1}, {30, 71, 1}, {98, 50, 1}, {100, 50, -1}, {150, 150, 1}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        int n = rows[i].quiet + rows[i].loud;
        double variance = 0.0, change[300], s = rows[i].sign;
        for (int k = 0; k < n; k++) {
            double second = k < rows[i].quiet ? 3.0 : 6.0;
            change[k] = s * (k % 2 ? -2.0 : second - 2.0);
            if (k > 0)
                variance += (second * second / 6.0 - variance) / fmin(k, 100.0);
        }
        if (n <= 101 && n > 1) /* a plain mean */
            assert_near_rel(variance, ((rows[i].quiet - 1) * 1.5 + rows[i].loud * 6.0) / (n - 1), 1e-12, "row");
        double e = 0.1 * sqrt(variance), last = change[n - 1], share = 1.0 / fmin(n, 100.0);
        for (int k = 0; k < 50; k++)
            e = 0.1 * sqrt(variance + ((s * e - last) * (s * e - last) / 6.0 - variance) * share);
        for (int side = 0; side < 2; side++) {
            begin(IFD_STUCK_NOISE);
            double f = read_all(change, n);
            state_is(IFD_MACHINE_RUN);
            bool same = trips(f + s * e * (side ? 1.0 + 1e-9 : 1.0 - 1e-9), 2.0 * travel);
            if (same != !side)
                fail_msg("row %d: what is %s a tenth of the noise is %s", (int)i, side ? "beyond" : "within",
                         same ? "the same" : "not the same");
        }
    }
}

enum { NO_NOISE, NOISY };

/* Permitted travel with an unchanged force. For a cell with noise, or with `bits`: 0.001 of the stroke. For a cell
 * that has never changed and must show a force: the larger of 0.001 of the stroke and the travel for 2 % of the
 * limit; without a stiffness 0.01. Otherwise unlimited. */
TEST(the_force_may_stay_the_same_over_so_much)
{
    const double ever = (double)INFINITY;
    const struct {
        ifd_stuck mode;
        int noise;
        bool owes, changed;
        double stiffness, force, most;
    } rows[] = {
        {IFD_STUCK_BITS, NO_NOISE, false, true, 0.0, most_force, travel},
        {IFD_STUCK_BITS, NO_NOISE, true, false, 0.0, most_force, travel},
        {IFD_STUCK_BITS, NOISY, false, true, 0.0, most_force, travel},
        {IFD_STUCK_NOISE, NOISY, false, true, 0.0, most_force, travel},
        {IFD_STUCK_NOISE, NOISY, true, false, 0.0, most_force, travel},
        {IFD_STUCK_NOISE, NO_NOISE, false, false, 0.0, most_force, ever},
        {IFD_STUCK_NOISE, NO_NOISE, true, true, 0.0, most_force, ever},
        {IFD_STUCK_NOISE, NO_NOISE, true, false, 0.0, most_force, far},
        {IFD_STUCK_NOISE, NO_NOISE, true, false, 1000.0, most_force, 0.02},
        {IFD_STUCK_NOISE, NO_NOISE, true, false, 1e4, most_force, travel},
        {IFD_STUCK_NOISE, NO_NOISE, true, false, 1e4, ever, travel},
        {IFD_STUCK_NOISE, NO_NOISE, true, true, 1000.0, most_force, ever},
        {IFD_STUCK_OFF, NO_NOISE, true, false, 0.0, most_force, ever},
        {IFD_STUCK_OFF, NOISY, true, false, 1000.0, most_force, ever},
    };
    static const double noise[12] = {1, -2, 1, -2, 1, -2, 1, -2, 1, -2, 1, -2};
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int side = 0; side < 4; side++) { /* up and down; at the bound, beyond it */
            begin(rows[i].mode);
            w.owes = rows[i].owes;
            w.stiffness = rows[i].stiffness;
            limits.force = rows[i].force;
            double f = read_all(noise, rows[i].noise == NOISY ? 12 : 0);
            state_is(IFD_MACHINE_RUN);
            if (rows[i].changed)
                assert_false(trips(f += 0.5, 0.0));
            double most = isfinite(rows[i].most) ? rows[i].most : 1e300;
            double x = side % 2 ? nextafter(most, ever) : most;
            bool raised = trips(f, side < 2 ? x : -x);
            if (raised != (side % 2 && isfinite(rows[i].most)))
                fail_msg("row %d: %s after %g m", (int)i, raised ? "a fault" : "no fault", x);
            if (raised) {
                assert_near(found[0], x, 0.0, "travel");
                assert_near(found[1], rows[i].most, 0.0, "limit");
            }
        }
}

/* From the last different reading and its position: either side of zero. */
TEST(ticks_and_travel_count_from_the_last_change)
{
    for (int sign = -1; sign < 2; sign += 2) {
        begin(IFD_STUCK_BITS);
        facts.limit = 5;
        assert_false(trips(sign * 10.0, 0.0));
        state_is(IFD_MACHINE_RUN);
        for (int k = 1; k <= 5; k++)
            assert_false(trips(sign * 10.0, 1.0));
        assert_false(trips(sign * 9.0, 1.0));
        for (int k = 1; k <= 5; k++)
            assert_false(trips(sign * 9.0, 2.0));
        w.fresh = false; /* no new measurement: neither a different reading nor the same */
        assert_false(trips(sign * 9.0, 2.0));
        assert_false(trips(0.0, 2.0));
        w.fresh = true;
        assert_false(trips(sign * 9.0, 1.0 + 0.5 * travel));
        assert_true(trips(sign * 9.0, 2.0));
        assert_true(trips(sign * 9.0, 2.0));
        assert_false(trips(sign * 11.0, 2.0));
    }
}

/* In states with commanded motion; a hundred equal ticks before do not count, nor do earlier changes. */
TEST(a_cell_may_rest_where_nothing_moves)
{
    for (int s = 0; s < IFD_MACHINE_COUNT; s++) {
        bool moves = s == IFD_MACHINE_RAMP_IN || s == IFD_MACHINE_RUN || s == IFD_MACHINE_HOLD ||
                     s == IFD_MACHINE_RAMP_OUT || s == IFD_MACHINE_RETURN;
        begin(IFD_STUCK_NOISE);
        w.owes = true;
        assert_false(trips(1.0, 0.0));
        for (int k = 0; k < 100; k++)
            assert_false(trips(2.0, k));
        state_is((ifd_machine)s);
        facts.limit = 1;
        assert_false(trips(2.0, 99.0));
        if (trips(2.0, 99.0 + 2.0 * far) != moves)
            fail_msg("state %s", ifd_machine_name((ifd_machine)s));
        state_is(IFD_MACHINE_RUN); /* it changes, and comes to rest: from the next motion on it must change again */
        assert_false(trips(3.0, 0.0));
        assert_false(trips(3.0, 1.0));
        assert_false(trips(3.0, 1.0));
        state_is((ifd_machine)s);
        assert_false(trips(3.0, 1.0));
        state_is(IFD_MACHINE_RUN);
        assert_false(trips(3.0, 1.0));
        if (trips(3.0, 2.0) == moves)
            fail_msg("after state %s", ifd_machine_name((ifd_machine)s));
    }
}

TESTS()
