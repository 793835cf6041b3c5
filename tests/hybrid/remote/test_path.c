/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* The commands between targets of a remote master. */
#include "stand.h"

#include "hybrid/scenario.h"

static double cubic(double tau)
{
    return 0.01 + 0.002 * tau - 0.0003 * tau * tau + 5e-6 * tau * tau * tau;
}

static double cubic_slope(double tau)
{
    return 0.002 - 0.0006 * tau + 1.5e-5 * tau * tau;
}

/* Prediction and correction of order 3 are exact for a cubic: command and cubic agree at every tick, for any arrival
 * of the target in the first part of a step. */
TEST(cubic_motion_is_followed_without_error)
{
    for (int wait = 0; wait < 6; wait++) {
        stand s;
        stand_open(&s, 3, true);
        say(&s, 1, cubic(0));
        until_answer(&s, 1);
        for (uint64_t n = 2; n < 16; n++) {
            long before = s.ticks;
            for (int k = 0; k < wait; k++)
                assert_false(tick(&s, IFD_ORDER_NONE));
            say(&s, n, cubic((double)(n - 1)));
            bool known = n > 6;
            for (bool heard = false; !heard;) {
                heard = tick(&s, IFD_ORDER_NONE) && s.answer.number == n;
                double tau = (double)(n - 2) + (double)(s.ticks - before + 1) / TICKS;
                if (!known)
                    continue;
                assert_near(command(&s), cubic(tau), 1e-14, "wait %d, target %d, tau %g", wait, (int)n, tau);
                assert_near(ifd__interface_of(s.h, 0)->next_target_v, cubic_slope(tau) / step, 1e-12, "m/s, tau %g",
                            tau);
            }
            if (known)
                assert_int_equal(s.ticks - before, TICKS);
        }
        assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_GOVERNED), 0);
        stand_close(&s);
    }
}

/* The displacement that a test records is the target of the program that computes the structure. */
TEST(targets_are_recorded)
{
    stand s;
    stand_open(&s, 3, true);
    for (uint64_t n = 1; n < 8; n++) {
        say(&s, n, cubic((double)n));
        until_answer(&s, n);
        assert_near(test_column(s.h, "x displacement"), cubic((double)n), 0.0, "target %d", (int)n);
    }
    stand_close(&s);
}

TEST(motion_never_stops_nor_jumps_when_the_master_is_in_time)
{
    stand s;
    stand_open(&s, 3, true);
    say(&s, 1, 0.0);
    until_answer(&s, 1);
    const double w = 6.0, amplitude = 0.03;
    for (uint64_t n = 2; n < 300; n++) {
        for (int k = 0; k < (int)(n * 7 % 6); k++)
            tick(&s, IFD_ORDER_NONE);
        say(&s, n, amplitude * (1.0 - cos(w * step * (double)(n - 1))));
        until_answer(&s, n);
        if (n == 20)
            s.sharpest = s.fastest = 0.0;
    }
    assert_true(s.fastest < 1.01 * amplitude * w); /* the motion itself has 1.0 */
    assert_true(s.sharpest < 1.1 * amplitude * w * w);
    assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_MASTER_LATE), 0);
    assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_GOVERNED), 0);
    stand_close(&s);
}

TEST(jump_of_the_target_is_a_ramp_of_the_specimen)
{
    stand s;
    stand_open(&s, 3, true);
    say(&s, 1, 0.0);
    until_answer(&s, 1);
    say(&s, 2, 0.09);
    s.fastest = s.sharpest = 0.0;
    until_answer(&s, 2);
    double p = command(&s);
    for (int k = 0; k < 50; k++)
        tick(&s, IFD_ORDER_NONE);
    assert_near(command(&s), p, 0.0, "nothing is extrapolated from a jump");
    assert_near(p, 0.09, 1e-15, "end");
    assert_true(s.fastest <= 1.0 && s.sharpest <= 50.0);
    assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_GOVERNED), 0);
    stand_close(&s);
}

/* Uniform motion, v per tick. A brake with constant deceleration would change the acceleration by v/N immediately, N
 * being half a step; the quintic changes it by at most 6 v/N^2 per tick, and slightly more for a target in
 * progress. */
TEST(a_hold_changes_the_acceleration_without_a_jump)
{
    stage_ticks = 100;
    for (int early = 0; early < 2; early++) { /* the next target is already known, or never comes */
        stand s;
        stand_open(&s, 1, true);
        say(&s, 1, 0.0);
        until_answer(&s, 1);
        for (uint64_t n = 2; n < 12; n++) {
            say(&s, n, 0.002 * (double)(n - 1));
            until_answer(&s, n);
        }
        const double v = 0.002 / stage_ticks, N = 0.5 * stage_ticks;
        if (early)
            say(&s, 12, 0.022);
        for (int k = 0; k < (early ? 30 : 20); k++)
            tick(&s, IFD_ORDER_NONE);
        double p[4] = {0.0}, worst = 0.0;
        for (int k = 0; k < 400; k++) {
            memmove(p + 1, p, sizeof p - sizeof *p);
            p[0] = command(&s);
            if (k >= 3)
                worst = fmax(worst, fabs(p[0] - 3.0 * p[1] + 3.0 * p[2] - p[3]));
            tick(&s, k == 5 ? IFD_ORDER_HOLD : IFD_ORDER_NONE);
        }
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_HOLD);
        assert_near(p[0], p[1], 0.0, "at rest");
        if (worst > (early ? 0.75 * v / N : 6.3 * v / (N * N)))
            fail_msg("early %d: %g of v/N at once", early, worst / (v / N));
        stand_close(&s);
    }
    stage_ticks = TICKS;
}

/* Sent commands; none while a free-running master computes. */
typedef struct leaving {
    double p[4], jerk; /* m, newest first; the largest third difference */
    uint64_t heartbeat;
    long count;
} leaving;

static void watch_command(leaving *l, const stand *s)
{
    if (s->h->command.heartbeat == l->heartbeat)
        return;
    l->heartbeat = s->h->command.heartbeat;
    memmove(l->p + 1, l->p, sizeof l->p - sizeof *l->p);
    l->p[0] = s->h->command.position[0];
    if (l->count++ >= 3)
        l->jerk = fmax(l->jerk, fabs(l->p[0] - 3.0 * (l->p[1] - l->p[2]) - l->p[3]));
}

/* Uniform motion, v per tick, with a hold `at` commands after an answer and a resume `rest` later, and a master that
 * takes `wait` ticks for its targets. */
static double jerk_of_hold(bool paced, long at, long rest, int wait)
{
    stand s;
    leaving l = {.count = 0};
    stand_open(&s, 1, paced);
    ifd__remote_hurry(s.remote);
    say(&s, 1, 0.0);
    until_answer(&s, 1);
    uint64_t n = 2;
    for (; n < 6; n++) {
        say(&s, n, 0.0002 * (double)(n - 1));
        until_answer(&s, n);
    }
    long said = s.ticks, held = 0;
    bool asked = false, resumed = false;
    for (uint64_t last = n + 4; n < last;) {
        if (!asked && s.ticks - said >= (held > 0 && !resumed ? 10000 : wait)) {
            say(&s, n, 0.0002 * (double)(n - 1));
            asked = true;
        }
        ifd_order order = l.count == at && held == 0 ? IFD_ORDER_HOLD : IFD_ORDER_NONE;
        held = order == IFD_ORDER_HOLD ? l.count + 1 : held;
        if (held > 0 && !resumed && l.count >= held + rest) {
            order = IFD_ORDER_RESUME;
            resumed = true;
        }
        if (tick(&s, order) && s.answer.number == n) {
            n++;
            said = s.ticks;
            asked = false;
        }
        watch_command(&l, &s);
        assert_true(s.ticks < 100000);
    }
    assert_true(resumed);
    assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_GOVERNED), 0);
    stand_close(&s);
    return l.jerk;
}

/* For every start and end of a hold, far from all limits. A path of at least N ticks, from or to rest, changes the
 * acceleration by at most 60 v/N^2 per tick, and one of half a step by four times as much: 1.2 v/N with 200 ticks. A
 * cubic from rest to the next target starts with 4 v/N immediately; a path that is left at its end stops abruptly. */
TEST(no_hold_or_resume_makes_the_acceleration_jump)
{
    static const long at[] = {0, 1, 2, 60, 100, 119, 120, 121, 150, 197, 198, 199, 200, 201, 202};
    static const long rest[] = {1, 50, 100, 1000};
    stage_ticks = 200;
    const double v = 0.0002 / stage_ticks;
    for (int paced = 0; paced < 2; paced++)
        for (size_t i = 0; i < sizeof at / sizeof *at; i++)
            for (size_t j = 0; j < sizeof rest / sizeof *rest; j++)
                for (int wait = 0; wait < 100; wait += 75) {
                    double jerk = jerk_of_hold(paced, at[i], rest[j], wait) / (v / stage_ticks);
                    if (jerk > 1.2)
                        fail_msg("paced %d, held at %ld for %ld, targets after %d: %g v/N in a tick", paced, at[i],
                                 rest[j], wait, jerk);
                }
    stage_ticks = TICKS;
}

/* The state of that program cannot be saved: an order for a checkpoint is refused. */
TEST(a_master_that_is_done_begins_the_way_out)
{
    stand s;
    stand_open(&s, 3, true);
    say(&s, 1, 0.0);
    until_answer(&s, 1);
    say(&s, 2, 0.001);
    until_answer(&s, 2);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RUN);
    tick(&s, IFD_ORDER_CHECKPOINT);
    assert_int_equal(s.t.trace(s.t.self)->answer, IFD_ANSWER_NO_STATE);
    assert_true(ifd_remote_say(s.remote, &(ifd_remote_target){.number = 3, .kind = IFD_REMOTE_END}));
    for (int k = 0; k < 20000 && ifd_hybrid_state(s.h) != IFD_MACHINE_RAMP_OUT; k++)
        tick(&s, IFD_ORDER_NONE);
    assert_true(s.ticks < 5000);
    for (int k = 0; k < 20000 && s.state == IFD_RUN_GOING; k++)
        tick(&s, IFD_ORDER_NONE);
    assert_int_equal(s.state, IFD_RUN_DONE);
    assert_int_equal(ifd_hybrid_trip(s.h).trip, IFD_TRIP_NONE);
    stand_close(&s);
}

TESTS()
