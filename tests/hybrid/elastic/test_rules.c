/* SPDX-License-Identifier: MIT */
/* Rules of elastic time, each at both sides of its edge, on a rig whose answers the test writes: the tick that an
 * answer acknowledges, its position and its force. */
#include "hybrid/elastic/site.h"
#include "hybrid/bare.h"

/* The window is 3.9 s: nothing but patience brakes. Its edge is a whole number of ticks. */
TEST(time_slows_down_in_the_tick_after_patience)
{
    scene c;
    prepare(&c, 325, 0);
    c.elastic.patience = 0.3;
    stand_make(&c.s);
    play(&c.s.p, "until run; 2000");
    assert_near(rate(&c), 1.0, 1e-6, "full rate");
    double before = rate(&c);
    c.site.silent = true;
    int age = 0;
    while (age < 1000 && rate(&c) >= before - 1e-5) { /* the first tick changes it by w^2/2 = 1.1e-4 */
        one(&c);
        age = (int)lround(ifd__pace_elastic.age(c.s.h) / tick);
    }
    assert_int_equal(age, 301);
    for (int i = 0; i < 1500; i++) /* 16.7/3 brake times to a millionth */
        one(&c);
    assert_near(rate(&c), 0.0, 0.0, "at rest");
    c.site.silent = false;
    play(&c.s.p, "1500");
    assert_near(rate(&c), 1.0, 1e-6, "full rate again");
    ifd_arena_close(c.s.arena);
}

/* With answers of a constant age the rate is 0.95 window/(age + 2/w), exactly 1 at its edge. */
TEST(the_rate_is_that_of_the_age)
{
    static const int late[] = {40, 200, 400, 700};
    for (size_t i = 0; i < COUNT(late); i++) {
        scene c;
        prepare(&c, 40, late[i]);
        stand_make(&c.s);
        play(&c.s.p, "until run; 3000");
        /* an answer of this tick acknowledges the command of one tick before, at least */
        double window = 40 * tau / tick, w = 3.0 * tick / 0.2, age = late[i] + 1.0;
        double goal = fmin(1.0, 0.95 * window / (age + 2.0 / w));
        assert_near(rate(&c), goal, 2e-3, "%d ticks late", late[i]);
        ifd_arena_close(c.s.arena);
    }
}

static const double *newest(const scene *c)
{
    const ifd__ring *r = &c->s.h->elastic->answers[0];
    const ifd__ring_state *s = &ifd__elastic_of(c->s.h)->rig.answers;
    int at = (int)s->next - 1;
    return r->entry + (at < 0 ? at + r->size : at) * r->width;
}

static double kept(const scene *c)
{
    return ifd__elastic_of(c->s.h)->rig.answers.count;
}

/* Writes the answer of the next tick. */
static void told(scene *c, uint64_t acknowledges, double force)
{
    c->site.written = true;
    c->site.answers = acknowledges;
    c->site.force = force;
    one(c);
}

/* An answer to an earlier command is not used; a second one to the same command replaces the first only while it is
 * the newest; an answer to a command that was never sent is not used. */
TEST(overtaken_answers_change_nothing)
{
    scene c;
    prepare(&c, 40, 5);
    c.s.opt.stale_limit = 100;
    c.s.opt.stale_time = 0.0;
    stand_make(&c.s);
    play(&c.s.p, "until run; 500");
    const ifd__elastic_state *e = ifd__elastic_of(c.s.h);
    uint64_t n = c.site.newest;
    told(&c, n - 2, 41.0);
    assert_near(newest(&c)[1], 41.0, 0.0, "force");
    assert_near(e->rig.acknowledged, (double)(n - 2), 0.0, "acknowledged");
    double progress = newest(&c)[0], count = kept(&c), answered = e->rig.answered;
    assert_near(answered, progress, 0.0, "answered");
    told(&c, n - 3, 42.0);
    assert_near(newest(&c)[1], 41.0, 0.0, "overtaken");
    assert_near(e->rig.acknowledged, (double)(n - 2), 0.0, "acknowledged");
    assert_near(e->rig.answered, answered, 0.0, "answered");
    assert_near(ifd__elastic_interface_of(c.s.h, 0)->answered, c.site.sent[(n - 3) % 4096].position[0], 0.0,
                "its position is compared with its own command");
    told(&c, n - 2, 43.0);
    assert_near(newest(&c)[1], 43.0, 0.0, "the same command again");
    assert_near(newest(&c)[0], progress, 0.0, "its progress");
    assert_near(kept(&c), count, 0.0, "no further entry");
    told(&c, n - 1, (double)NAN);
    assert_near(newest(&c)[1], 43.0, 0.0, "not a number");
    ifd_arena_close(c.s.arena);
}

TEST(an_answer_from_the_future_is_not_used)
{
    for (int ahead = 0; ahead < 2; ahead++) {
        scene c;
        prepare(&c, 40, 5);
        stand_make(&c.s);
        play(&c.s.p, "until run; 500");
        told(&c, c.site.newest + (uint64_t)ahead, 47.0);
        assert_int_equal(newest(&c)[1] == 47.0, !ahead);
        assert_int_equal(ifd_hybrid_trip(c.s.h).trip, ahead ? IFD_TRIP_LOST : IFD_TRIP_NONE);
        ifd_arena_close(c.s.arena);
    }
}

/* Entries closer than half a tick of progress replace each other; the one before them stays. */
TEST(kept_forces_are_in_order_and_half_a_tick_apart)
{
    scene c;
    prepare(&c, 40, 5);
    stand_make(&c.s);
    play(&c.s.p, "until run");
    for (int k = 0; k < 4000; k++) {
        c.site.silent = k > 1000 && k < 2500; /* rest, and back */
        one(&c);
        const ifd__ring *r = &c.s.h->elastic->answers[0];
        const ifd__ring_state *s = &ifd__elastic_of(c.s.h)->rig.answers;
        double after = (double)INFINITY;
        for (int i = 0; i < (int)s->count; i++) {
            int at = (int)s->next - 1 - i;
            double now = r->entry[(at < 0 ? at + r->size : at) * r->width];
            if (!(now < after && (i < 2 || after - now >= 0.5 - 1e-9)))
                fail_msg("tick %d, entry %d: %.17g before %.17g", k, i, now, after);
            after = now;
        }
        double oldest = ifd__elastic_of(c.s.h)->progress - tau * 40 / tick;
        assert_true(after <= fmax(oldest, newest(&c)[0]) || s->count < r->size);
    }
    ifd_arena_close(c.s.arena);
}

/* Ramp-in is complete when the answer to its last command has arrived and settled. */
TEST(ramp_in_waits_for_its_last_answer)
{
    static const int late[] = {0, 300};
    for (size_t i = 0; i < COUNT(late); i++) {
        scene c;
        prepare(&c, 40, late[i]);
        c.s.opt.settle = 0.1;
        stand_make(&c.s);
        play(&c.s.p, "until ramp-in");
        double p = 0.0;
        long moved = 0, n = 0;
        for (; n < 100000 && ifd_hybrid_state(c.s.h) == IFD_MACHINE_RAMP_IN; n++) {
            one(&c);
            if (c.s.h->command.position[0] != p)
                moved = n;
            p = c.s.h->command.position[0];
        }
        assert_near(p, 0.010, 1e-12, "starting position");
        assert_in_range(n - moved, 100 + late[i], 105 + late[i]);
        assert_near(c.site.shown, 0.010, 1e-12, "it has answered");
        ifd_arena_close(c.s.arena);
    }
}

/* 300 ticks of latency and 50 permitted ticks without a change: what counts is the command that is answered. */
TEST(latency_is_not_a_stuck_sensor)
{
    for (int stuck = 0; stuck < 2; stuck++) {
        scene c;
        prepare(&c, 40, 300);
        c.s.opt.stuck_limit = 50;
        c.s.opt.stuck_time = 0.0;
        stand_make(&c.s);
        play(&c.s.p, "until run; 2000");
        c.site.stuck = stuck;
        play(&c.s.p, "1000");
        assert_int_equal(ifd_hybrid_trip(c.s.h).trip, stuck ? IFD_TRIP_FROZEN : IFD_TRIP_NONE);
        ifd_arena_close(c.s.arena);
    }
}

/* A stage is due when the next tick would pass it, not when it would reach it. It waits then. */
TEST(simulated_time_waits_for_the_stage_that_it_would_pass)
{
    static const double rates[] = {0.0, 0.25, 0.5, 0.5 + 0x1p-52, 1.0};
    for (size_t i = 0; i < COUNT(rates); i++) {
        bool due = rates[i] > 0.5;
        bare_make(0, 1.0);
        bare.opt.ticks_per_stage = 4;
        bare.test->phase = 3.5;
        bare.test->last_phase = 3.0;
        bare.test->rate = rates[i];
        assert_int_equal(ifd__pace_elastic.due(&bare), due);
        assert_int_equal(ifd__pace_elastic.rests(&bare), i == 0);
        if (!due)
            continue;
        ifd__pace_elastic.advance(&bare);
        assert_near(bare.test->phase, 3.5, 0.0, "phase");
        assert_near(bare.test->last_phase, 3.0, 0.0, "phase");
    }
}

TESTS()
