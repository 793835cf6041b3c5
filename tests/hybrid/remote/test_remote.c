/* SPDX-License-Identifier: MIT */
/* ctest: waits 13 s */
/* A remote master simulated by the test, in every tick. */
#include "stand.h"

TEST(force_is_measured_at_the_target)
{
    for (int paced = 0; paced < 2; paced++) {
        stand s;
        stand_open(&s, 3, paced);
        say(&s, 1, 0.02);
        until_answer(&s, 1);
        assert_near(s.answer.f[0], stiffness * 0.02, 1e-9, "start, paced %d", paced);
        for (uint64_t n = 2; n < 40; n++) {
            double u = 0.02 * cos(0.3 * (double)(n - 1));
            say(&s, n, u);
            until_answer(&s, n);
            assert_near(s.answer.f[0], stiffness * u, 1e-9, "target %d, paced %d", (int)n, paced);
            assert_near(s.answer.u[0], u, 1e-15, "target %d, paced %d", (int)n, paced);
        }
        assert_near(ifd_hybrid_time(s.h), 38 * step, 1e-12, "time");
        stand_close(&s);
    }
}

/* The last target is late by twice the time after which another test without progress is ended. */
TEST(late_master_finds_the_specimen_braked_and_at_rest)
{
    stand s;
    stand_open(&s, 3, true);
    int longest = (int)(2.0 * s.h->standstill / s.h->period);
    assert_true(longest > 60);
    say(&s, 1, 0.0);
    until_answer(&s, 1);
    for (uint64_t n = 2; n < 30; n++) {
        bool late = n % 10 == 9;
        for (int k = 0; k < (n == 29 ? longest : late ? 60 : 2); k++)
            tick(&s, IFD_ORDER_NONE);
        if (late) {
            double p = command(&s);
            tick(&s, IFD_ORDER_NONE);
            assert_true(command(&s) == p);
        }
        say(&s, n, 0.001 * (double)(n - 1));
        until_answer(&s, n);
        assert_near(s.answer.f[0], stiffness * 0.001 * (double)(n - 1), 1e-9, "target %d", (int)n);
    }
    assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_MASTER_LATE), 3);
    assert_true(s.fastest <= 1.0 && s.sharpest <= 50.0);
    stand_close(&s);
}

TEST(hold_rests_at_the_target_and_resume_goes_on)
{
    stand s;
    stand_open(&s, 3, true);
    say(&s, 1, 0.0);
    until_answer(&s, 1);
    for (uint64_t n = 2; n < 12; n++) {
        say(&s, n, 0.002 * (double)(n - 1));
        until_answer(&s, n);
    }
    say(&s, 12, 0.022);
    tick(&s, IFD_ORDER_NONE);
    tick(&s, IFD_ORDER_HOLD);
    until_answer(&s, 12);
    for (int k = 0; k < 30; k++)
        tick(&s, IFD_ORDER_NONE);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_HOLD);
    assert_near(command(&s), 0.022, 1e-15, "held at the target");
    say(&s, 13, 0.024);
    for (int k = 0; k < 30; k++)
        assert_false(tick(&s, IFD_ORDER_NONE));
    tick(&s, IFD_ORDER_RESUME);
    until_answer(&s, 13);
    assert_near(s.answer.f[0], stiffness * 0.024, 1e-9, "after hold");
    stand_close(&s);
}

/* Ticks until the end of the test. */
static void to_the_end(stand *s)
{
    for (int i = 0; i < 20000 && s->state == IFD_RUN_GOING; i++)
        tick(s, IFD_ORDER_NONE);
    assert_int_not_equal(s->state, IFD_RUN_GOING);
}

static void last_word(ifd_remote_kind kind, double u, ifd_trip trip, bool complete)
{
    for (int paced = 0; paced < 2; paced++) {
        stand s;
        stand_open(&s, 3, paced);
        say(&s, 1, 0.0);
        until_answer(&s, 1);
        say(&s, 2, 0.001);
        until_answer(&s, 2);
        ifd_remote_target t = {.number = 3, .kind = kind, .u = {u}};
        assert_true(ifd_remote_say(s.remote, &t));
        to_the_end(&s);
        assert_true(s.answer.over);
        assert_int_equal(ifd_hybrid_trip(s.h).trip, trip);
        assert_int_equal(ifd_hybrid_complete(s.h), complete);
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_STOPPED);
        assert_true(fabs(command(&s)) <= 0.1);
        stand_close(&s);
    }
}

TEST(the_end_of_the_master_is_the_end_of_the_test)
{
    last_word(IFD_REMOTE_END, 0.0, IFD_TRIP_NONE, true);
}

TEST(lost_master_leads_the_test_out)
{
    last_word(IFD_REMOTE_LOST, 0.0, IFD_TRIP_MASTER_LOST, false);
}

TEST(target_outside_the_stroke_or_no_number_is_refused)
{
    last_word(IFD_REMOTE_TARGET, 0.2, IFD_TRIP_MASTER_WRONG, false);
    last_word(IFD_REMOTE_TARGET, (double)NAN, IFD_TRIP_MASTER_WRONG, false);
    last_word(IFD_REMOTE_WRONG, 0.0, IFD_TRIP_MASTER_WRONG, false);
}

/* 95 mm is inside the stroke of 100 mm; the command of a compensator of gain 1.1 is not. */
TEST(target_that_compensation_cannot_reach_ends_the_test)
{
    for (int paced = 0; paced < 2; paced++) {
        stand s;
        stand_open_with(&s, 3, paced, 1.1);
        say(&s, 1, 0.0);
        until_answer(&s, 1);
        say(&s, 2, 0.08);
        until_answer(&s, 2);
        assert_near(s.answer.u[0], 1.1 * 0.08, 1e-12, "within reach");
        say(&s, 3, 0.095);
        long before = s.ticks;
        to_the_end(&s);
        ifd_trip_facts f = ifd_hybrid_trip(s.h);
        assert_true(s.answer.over && s.answer.number == 3);
        assert_int_equal(f.trip, IFD_TRIP_UNREACHED);
        assert_int_equal(f.owner, 0);
        assert_near(f.value, 1.1 * 0.095, 1e-15, "what was asked for");
        assert_near(f.limit, 0.1, 0.0, "the end of the stroke");
        assert_true(f.tick - before < 30 * TICKS);
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_STOPPED);
        assert_true(s.fastest <= 1.0 + 1e-9 && s.sharpest <= 50.0 * (1.0 + 1e-6));
        stand_close(&s);
    }
}

TEST(start_outside_the_stroke_ends_before_anything_moves)
{
    stand s;
    stand_open(&s, 3, true);
    say(&s, 1, 0.2);
    to_the_end(&s);
    assert_int_equal(s.state, IFD_RUN_FAULT);
    assert_int_equal(ifd_hybrid_trip(s.h).trip, IFD_TRIP_MASTER_WRONG);
    assert_true(s.answer.over);
    assert_near(s.fastest, 0.0, 0.0, "nothing moved");
    stand_close(&s);
}

TEST(trials_within_a_step_are_not_extrapolated)
{
    stand s;
    stand_open(&s, 0, true);
    say(&s, 1, 0.0);
    until_answer(&s, 1);
    for (uint64_t n = 2; n < 10; n++) {
        ifd_remote_target t = {.number = n, .step = n % 2 == 0, .u = {0.01 + 0.001 * (double)(n % 3)}};
        assert_true(ifd_remote_say(s.remote, &t));
        until_answer(&s, n);
        double p = command(&s);
        tick(&s, IFD_ORDER_NONE);
        assert_near(command(&s), p, 0.0, "rests at target %d", (int)n);
    }
    assert_near(ifd_hybrid_time(s.h), 4 * step, 1e-12, "four steps");
    assert_true(s.fastest <= 1.0 && s.sharpest <= 50.0);
    stand_close(&s);
}

TEST(same_targets_at_the_same_ticks_give_the_same_bits)
{
    double last[2];
    for (int round = 0; round < 2; round++) {
        stand s;
        int count;
        stand_open(&s, 3, true);
        say(&s, 1, 0.001);
        until_answer(&s, 1);
        uint64_t taken = 0;
        for (uint64_t n = 2; n < 50; n++) {
            for (int k = 0; k < (int)(n % 9); k++)
                tick(&s, IFD_ORDER_NONE);
            say(&s, n, 0.03 * sin(0.2 * (double)n));
            until_answer(&s, n);
            taken += s.h->took;
        }
        const double *x = ifd_hybrid_save_area(s.h, &count);
        double sum = 0.0;
        for (int i = 0; i < count; i++)
            sum = 1.0000001 * sum + x[i];
        last[round] = sum;
        assert_int_equal(taken, 0); /* the tick of an answer takes the next target only if it exists */
        stand_close(&s);
    }
    assert_true(last[0] == last[1]);
}

TESTS()
