/* SPDX-License-Identifier: MIT */
/* The orders slower and faster: the pace of a slow test changes smoothly while it runs. Judged by the commands that
 * leave the program, with their first and second differences. */
#include "check.h"

#include <math.h>

#include "hybrid/hybrid.h"
#include "hybrid/hybrid_stand.h"
#include "hybrid/pace/scaled.h"

/* 1 t on 40 kN/m computed and 60 kN/m tested: 10 rad/s, 10 mm, ten times slower than in reality. */
static const double omega = 10.0, amplitude = 0.010, brake = 0.2, lambda = 10.0;

typedef struct watched {
    double p[3], rate;
    int known;
    double fastest, sharpest, steepest; /* m/s, m/s2, 1/s: largest so far */
    double most, least;                 /* of the rate */
} watched;

static ifd_answer tick(stand *s, ifd_order order, watched *w)
{
    s->t.tick(s->t.self, &(ifd_tick_in){.order = order});
    ifd_answer answer = (ifd_answer)s->t.trace(s->t.self)->answer;
    if (!w)
        return answer;
    double dt = s->h->period, rate = s->t.values(s->t.self)[2];
    w->p[0] = w->p[1];
    w->p[1] = w->p[2];
    w->p[2] = s->h->command.position[0];
    w->steepest = w->known >= 1 ? fmax(w->steepest, fabs(rate - w->rate) / dt) : 0.0;
    w->fastest = w->known >= 1 ? fmax(w->fastest, fabs(w->p[2] - w->p[1]) / dt) : 0.0;
    w->sharpest = w->known >= 2 ? fmax(w->sharpest, fabs(w->p[2] - 2.0 * w->p[1] + w->p[0]) / (dt * dt)) : 0.0;
    w->rate = rate;
    w->most = fmax(w->most, rate);
    w->least = w->known >= 1 ? fmin(w->least, rate) : rate;
    w->known++;
    return answer;
}

static void make_until(stand *s, int ticks, double end)
{
    stand_prepare(s, 4e4, 6e4);
    s->opt.ticks_per_stage = ticks;
    s->opt.lambda = lambda;
    s->opt.automatic = true;
    s->opt.brake = brake;
    s->opt.end = end;
    stand_make(s);
    int columns;
    assert_string_equal(ifd_hybrid_columns(s->h, &columns)[2].name, "rate");
}

static void make(stand *s, int ticks)
{
    make_until(s, ticks, 2.0);
}

static void until(stand *s, double time, watched *w)
{
    for (long k = 0; k < 1000000 && !(ifd_hybrid_time(s->h) >= time); k++)
        tick(s, IFD_ORDER_NONE, w);
}

static void ticks(stand *s, int count, watched *w)
{
    for (int k = 0; k < count; k++)
        tick(s, IFD_ORDER_NONE, w);
}

/* In wall-clock time the run has the velocity V = amplitude omega/lambda and V omega/lambda as acceleration. A change
 * of the rate adds V r', with r' at most 1.5 times its mean slope 1/brake; the shortest change, by a half, is rounded
 * to whole ticks. An order during a change begins with its slope: 2/brake. */
TEST(every_change_is_smooth)
{
    static const ifd_order orders[] = {IFD_ORDER_SLOWER, IFD_ORDER_SLOWER, IFD_ORDER_SLOWER, IFD_ORDER_FASTER,
                                       IFD_ORDER_SLOWER, IFD_ORDER_FASTER, IFD_ORDER_FASTER, IFD_ORDER_FASTER};
    static const double paces[] = {0.5, 0.25, 0.125, 0.25, 0.125, 0.25, 0.5, 1.0};
    double V = amplitude * omega / lambda, A = V * omega / lambda;
    for (int m = 1; m <= 21; m += 5)
        for (int gap = 3; gap < 2000; gap = gap * 6 + 1) {
            stand s;
            watched w = {.least = 1.0};
            make_until(&s, m, 400.0);
            double steepest = (gap * s.h->period > brake ? 1.5 : 2.0) / brake * (1.0 + s.h->period / (0.5 * brake));
            until(&s, 0.1, NULL);
            for (size_t i = 0; i < COUNT(orders); i++) {
                assert_int_equal(tick(&s, orders[i], &w), IFD_ANSWER_NONE);
                ticks(&s, gap, &w);
                assert_near(ifd__test_of(s.h)->pace, paces[i], 0.0, "pace after order %d", (int)i);
                if (gap > 1000)
                    assert_near(w.rate, paces[i], 0.0, "%d ticks, order %d: rate", m, (int)i);
            }
            ticks(&s, 3000, &w);
            assert_near(w.rate, 1.0, 0.0, "%d ticks: last rate", m);
            assert_true(w.most <= 1.0 + 1e-12 && w.least > 0.0);
            if (w.steepest > steepest || w.fastest > 1.001 * V || w.sharpest > 1.02 * A + V * steepest)
                fail_msg("%d ticks, every %d: r' %g of %g, v %g of %g, a %g of %g", m, gap, w.steepest, steepest,
                         w.fastest, V, w.sharpest, A + V * steepest);
            assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_GOVERNED), 0);
            ifd_arena_close(s.arena);
        }
}

/* Orders in every tick and in every phase of a change, with hold and resume: the acceleration is that of the run and
 * of a change twice as steep as a single one, and no rate exceeds the full one. */
TEST(orders_in_any_succession_are_smooth)
{
    static const ifd_order orders[] = {IFD_ORDER_SLOWER, IFD_ORDER_FASTER, IFD_ORDER_HOLD,
                                       IFD_ORDER_RESUME, IFD_ORDER_FASTER, IFD_ORDER_SLOWER};
    double V = amplitude * omega / lambda, A = V * omega / lambda, quick = 0.05;
    uint32_t seed = 1;
    for (int m = 1; m <= 64; m *= 4)
        for (uint32_t gap = 1; gap <= 125; gap *= 5) {
            stand s;
            watched w = {.least = 1.0};
            make_until(&s, m, 400.0);
            s.h->opt.brake = quick;
            until(&s, 1.0, &w);
            for (int k = 0; k < 20000; k++) {
                seed = seed * 1664525u + 1013904223u;
                bool now = (seed >> 8) % gap == 0;
                tick(&s, now ? orders[(seed >> 20) % COUNT(orders)] : IFD_ORDER_NONE, &w);
            }
            if (w.fastest > 1.002 * V || w.sharpest > 1.02 * A + 3.0 * V / quick || w.most > 1.0 + 1e-12)
                fail_msg("%d ticks, every %u: v %g of %g, a %g of %g, rate %g", m, gap, w.fastest, V, w.sharpest,
                         A + 3.0 * V / quick, w.most);
            ifd_arena_close(s.arena);
        }
}

/* The specimen is linear: forces between ticks are exact except at a reversal, where the error is at most
 * k u'' dt^2/8 in simulated time, for one stage of each change. */
TEST(the_result_is_that_of_the_run)
{
    for (int m = 2; m <= 9; m += 7) {
        stand s, truth;
        make(&truth, m);
        make(&s, m);
        until(&truth, truth.opt.end, NULL);
        until(&s, 0.3, NULL);
        tick(&s, IFD_ORDER_SLOWER, NULL);
        until(&s, 0.6, NULL);
        tick(&s, IFD_ORDER_SLOWER, NULL);
        until(&s, 0.8, NULL);
        tick(&s, IFD_ORDER_FASTER, NULL);
        until(&s, 1.2, NULL);
        tick(&s, IFD_ORDER_FASTER, NULL);
        until(&s, s.opt.end, NULL);
        double dt = s.h->period / lambda, force = 6e4 * amplitude * omega * omega * dt * dt / 8.0;
        assert_near(s.h->x[0], truth.h->x[0], 4.0 * force / 1000.0 * s.opt.step.h / omega, "%d ticks", m);
        ifd_arena_close(s.arena);
        ifd_arena_close(truth.arena);
    }
}

/* Ticks of full rate so far. */
static double progress(const stand *s)
{
    const ifd__test_state *t = ifd__test_of(s->h);
    return (t->step * 2.0 + t->exchange) * s->opt.ticks_per_stage + t->phase;
}

/* At half the pace the command passes the positions of the run, each second tick: to the last bits. */
TEST(the_path_is_that_of_the_run)
{
    enum { M = 8, TICKS = 600 };
    static double plain[TICKS];
    stand s;
    make(&s, M);
    until(&s, 0.2, NULL);
    double start = progress(&s) + 1.0;
    for (int k = 0; k < TICKS; k++) {
        tick(&s, IFD_ORDER_NONE, NULL);
        plain[k] = s.h->command.position[0];
        assert_near(progress(&s), start + k, 0.0, "progress");
    }
    ifd_arena_close(s.arena);
    make(&s, M);
    until(&s, 0.2, NULL);
    tick(&s, IFD_ORDER_SLOWER, NULL);
    ticks(&s, 300, NULL); /* the change takes 100 ticks */
    for (int k = 0; k < 200; k++) {
        tick(&s, IFD_ORDER_NONE, NULL);
        double at = progress(&s) - start;
        assert_near(2.0 * at, round(2.0 * at), 0.0, "half ticks");
        if (at == round(at))
            assert_near(s.h->command.position[0], plain[(int)at], 1e-13, "position at tick %g", at);
    }
    ifd_arena_close(s.arena);
}

TEST(a_hold_rests_and_resumes_at_the_pace)
{
    for (int m = 1; m <= 17; m += 8)
        for (int after = 1; after <= 401; after += 100) {
            stand s;
            watched w = {.least = 1.0};
            make(&s, m);
            until(&s, 0.3, NULL);
            for (int i = 0; i < 3; i++)
                tick(&s, IFD_ORDER_SLOWER, NULL);
            ticks(&s, 600, NULL);
            assert_int_equal(tick(&s, IFD_ORDER_HOLD, &w), IFD_ANSWER_NONE);
            for (long k = 0; k < 10000 && !ifd__time_rests(s.h); k++)
                tick(&s, IFD_ORDER_NONE, &w);
            assert_true(ifd__time_rests(s.h));
            if (after > 200)
                assert_int_equal(tick(&s, IFD_ORDER_FASTER, &w), IFD_ANSWER_NONE);
            ticks(&s, after, &w);
            assert_near(w.p[2] - w.p[1], 0.0, 0.0, "velocity at rest");
            tick(&s, IFD_ORDER_RESUME, &w);
            ticks(&s, 2000, &w);
            double pace = after > 200 ? 0.25 : 0.125;
            assert_near(w.rate, pace, 0.0, "%d ticks: rate after resume", m);
            assert_true(w.most <= 1.02 * pace);
            ifd_arena_close(s.arena);
        }
}

TEST(the_pace_has_two_ends)
{
    stand s;
    make(&s, 4);
    until(&s, 0.1, NULL);
    assert_int_equal(tick(&s, IFD_ORDER_FASTER, NULL), IFD_ANSWER_SCALE_FULL);
    for (int i = 0; i < 4; i++)
        assert_int_equal(tick(&s, IFD_ORDER_SLOWER, NULL), IFD_ANSWER_NONE);
    assert_int_equal(tick(&s, IFD_ORDER_SLOWER, NULL), IFD_ANSWER_SCALE_SLOWEST);
    ticks(&s, 1000, NULL);
    assert_near(ifd__test_of(s.h)->rate, 1.0 / 16.0, 0.0, "slowest rate");
    for (int i = 0; i < 4; i++)
        assert_int_equal(tick(&s, IFD_ORDER_FASTER, NULL), IFD_ANSWER_NONE);
    assert_int_equal(tick(&s, IFD_ORDER_FASTER, NULL), IFD_ANSWER_SCALE_FULL);
    ifd_arena_close(s.arena);
}

/* At any time scale a rate-dependent specimen needs the permission to resume. */
TEST(a_rate_dependent_specimen_keeps_its_pace)
{
    static const struct {
        bool rate_dependent, allowed;
        double lambda;
        ifd_answer answer;
    } rows[] = {{false, false, 1.0, IFD_ANSWER_NONE},
                {true, false, 1.0, IFD_ANSWER_SCALE_SPECIMEN},
                {true, true, 1.0, IFD_ANSWER_NONE},
                {true, false, 1.01, IFD_ANSWER_SCALE_SPECIMEN}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        stand s;
        stand_prepare(&s, 4e4, 6e4);
        s.opt.automatic = true;
        s.opt.rate_dependent = rows[i].rate_dependent;
        s.opt.allow_resume = rows[i].allowed;
        s.opt.lambda = rows[i].lambda;
        stand_make(&s);
        until(&s, 0.1, NULL);
        assert_int_equal(tick(&s, IFD_ORDER_SLOWER, NULL), rows[i].answer);
        ticks(&s, 400, NULL);
        assert_near(ifd__test_of(s.h)->rate, rows[i].answer == IFD_ANSWER_NONE ? 0.5 : 1.0, 0.0, "row %d", (int)i);
        ifd_arena_close(s.arena);
    }
}

/* The monitor of stability slows below the pace; only hold and resume return to it. */
TEST(faster_does_not_overrule_the_monitor)
{
    stand s;
    make(&s, 4);
    until(&s, 0.1, NULL);
    tick(&s, IFD_ORDER_SLOWER, NULL);
    ticks(&s, 300, NULL);
    assert_true(ifd__time_slow(s.h, 0.5));
    ticks(&s, 300, NULL);
    assert_near(ifd__test_of(s.h)->rate, 0.25, 0.0, "slowed");
    assert_int_equal(tick(&s, IFD_ORDER_FASTER, NULL), IFD_ANSWER_SCALE_MONITOR);
    assert_int_equal(tick(&s, IFD_ORDER_SLOWER, NULL), IFD_ANSWER_NONE);
    ticks(&s, 300, NULL);
    assert_near(ifd__test_of(s.h)->rate, 0.25, 0.0, "not slower than asked for");
    assert_int_equal(tick(&s, IFD_ORDER_FASTER, NULL), IFD_ANSWER_SCALE_MONITOR); /* nor after an order to slow */
    assert_int_equal(tick(&s, IFD_ORDER_SLOWER, NULL), IFD_ANSWER_NONE);
    ticks(&s, 300, NULL);
    assert_near(ifd__test_of(s.h)->rate, 0.125, 0.0, "slower than the monitor");
    assert_int_equal(tick(&s, IFD_ORDER_FASTER, NULL), IFD_ANSWER_NONE);
    ticks(&s, 300, NULL);
    assert_near(ifd__test_of(s.h)->rate, 0.25, 0.0, "as the monitor left it");
    tick(&s, IFD_ORDER_HOLD, NULL);
    ticks(&s, 600, NULL);
    assert_int_equal(tick(&s, IFD_ORDER_FASTER, NULL), IFD_ANSWER_NONE);
    tick(&s, IFD_ORDER_RESUME, NULL);
    ticks(&s, 600, NULL);
    assert_near(ifd__test_of(s.h)->rate, 0.5, 0.0, "pace after hold and resume");
    ifd_arena_close(s.arena);
}

TEST(a_reset_returns_to_the_pace_of_the_case)
{
    stand s;
    make(&s, 4);
    until(&s, 0.1, NULL);
    tick(&s, IFD_ORDER_SLOWER, NULL);
    tick(&s, IFD_ORDER_TRIP, NULL);
    assert_int_equal(tick(&s, IFD_ORDER_SLOWER, NULL), IFD_ANSWER_TRIPPED);
    for (int k = 0; k < 1000 && ifd_hybrid_state(s.h) == IFD_MACHINE_TRIPPED; k++)
        tick(&s, IFD_ORDER_RESET, NULL);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_IDLE);
    assert_int_equal(tick(&s, IFD_ORDER_SLOWER, NULL), IFD_ANSWER_SCALE_NOT_NOW);
    assert_near(ifd__test_of(s.h)->pace, 1.0, 0.0, "pace");
    ifd_arena_close(s.arena);
}

TESTS()
