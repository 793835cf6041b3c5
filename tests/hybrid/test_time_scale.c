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

static stand s;
static watched w; /* since it was last reset */

static void see(void *unused)
{
    double dt = ifd_hybrid_period(s.h), rate = s.t.values(s.t.self)[2];
    (void)unused;
    w.p[0] = w.p[1];
    w.p[1] = w.p[2];
    w.p[2] = s.h->command.position[0];
    w.steepest = w.known >= 1 ? fmax(w.steepest, fabs(rate - w.rate) / dt) : 0.0;
    w.fastest = w.known >= 1 ? fmax(w.fastest, fabs(w.p[2] - w.p[1]) / dt) : 0.0;
    w.sharpest = w.known >= 2 ? fmax(w.sharpest, fabs(w.p[2] - 2.0 * w.p[1] + w.p[0]) / (dt * dt)) : 0.0;
    w.rate = rate;
    w.most = fmax(w.most, rate);
    w.least = w.known >= 1 ? fmin(w.least, rate) : rate;
    w.known++;
}

static double pace(const ifd_hybrid *h)
{
    return ifd__test_of(h)->pace;
}

static double speed(const ifd_hybrid *h)
{
    (void)h;
    return (w.p[2] - w.p[1]) / ifd_hybrid_period(s.h);
}

static const quantity own[] = {{.name = "pace", .of = pace}, {.name = "speed", .of = speed}, {0}};

static player *open(const char *set)
{
    stand_prepare(&s, 4e4, 6e4);
    s.opt.lambda = lambda;
    s.opt.automatic = true;
    s.opt.brake = brake;
    s.own = own;
    s.p.after = see;
    stand_set(&s, set);
    stand_make(&s);
    w = (watched){.least = 1.0};
    int columns;
    assert_string_equal(ifd_hybrid_columns(s.h, &columns)[2].name, "rate");
    return &s.p;
}

static void end(void)
{
    stand_close(&s);
}

/* m ticks in a stage of a test of 2 s, or of 400 s. */
static player *make(int m, bool lasts)
{
    char set[64];
    snprintf(set, sizeof set, "ticks_per_stage := %d; end := %d", m, lasts ? 400 : 2);
    return open(set);
}

static const scenario rows[] = {
    {"the pace has two ends", "ticks_per_stage := 4",
     "until time >= 0.1; faster: SCALE_FULL; 4 slower: NONE; slower: SCALE_SLOWEST; 1000; [rate] = 0.0625\n"
     "4 faster: NONE; faster: SCALE_FULL"},
    /* At any time scale a rate-dependent specimen needs the permission to resume. */
    {"a test at full speed is slowed", "lambda := 1", "until time >= 0.1; slower: NONE; 400; [rate] = 0.5"},
    {"a rate dependent specimen keeps its pace", "lambda := 1; rate_dependent := 1",
     "until time >= 0.1; slower: SCALE_SPECIMEN; 400; [rate] = 1"},
    {"a rate dependent specimen is slowed by permission", "lambda := 1; rate_dependent := 1; allow_resume := 1",
     "until time >= 0.1; slower: NONE; 400; [rate] = 0.5"},
    {"a rate dependent specimen keeps the pace of a slow test", "lambda := 1.01; rate_dependent := 1",
     "until time >= 0.1; slower: SCALE_SPECIMEN; 400; [rate] = 1"},
    {"a reset returns to the pace of the case", "ticks_per_stage := 4",
     "until time >= 0.1; slower; trip; slower: TRIPPED; 1000 reset; is idle; slower: SCALE_NOT_NOW; pace = 1"},
};
SCENARIOS(rows, open, end)

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
            player *p = make(m, true);
            double dt = ifd_hybrid_period(s.h);
            double steepest = (gap * dt > brake ? 1.5 : 2.0) / brake * (1.0 + dt / (0.5 * brake));
            play(p, "until time >= 0.1");
            w = (watched){.least = 1.0};
            for (size_t i = 0; i < COUNT(orders); i++) {
                play(p, "%s: NONE; %d; pace = %g", ifd_order_name(orders[i]), gap, paces[i]);
                if (gap > 1000)
                    play(p, "[rate] = %g", paces[i]);
            }
            play(p, "3000; [rate] = 1; count.GOVERNED = 0");
            assert_true(w.most <= 1.0 + 1e-12 && w.least > 0.0);
            if (w.steepest > steepest || w.fastest > 1.001 * V || w.sharpest > 1.02 * A + V * steepest)
                fail_msg("%d ticks, every %d: r' %g of %g, v %g of %g, a %g of %g", m, gap, w.steepest, steepest,
                         w.fastest, V, w.sharpest, A + V * steepest);
            end();
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
            player *p = make(m, true);
            s.h->opt.brake = quick;
            play(p, "until time >= 1");
            for (int k = 0; k < 20000; k++) {
                seed = seed * 1664525u + 1013904223u;
                bool now = (seed >> 8) % gap == 0;
                player_tick(p, now ? orders[(seed >> 20) % COUNT(orders)] : IFD_ORDER_NONE);
            }
            if (w.fastest > 1.002 * V || w.sharpest > 1.02 * A + 3.0 * V / quick || w.most > 1.0 + 1e-12)
                fail_msg("%d ticks, every %u: v %g of %g, a %g of %g, rate %g", m, gap, w.fastest, V, w.sharpest,
                         A + 3.0 * V / quick, w.most);
            end();
        }
}

/* The specimen is linear: forces between ticks are exact except at a reversal, where the error is at most
 * k u'' dt^2/8 in simulated time, for one stage of each change. */
TEST(the_result_is_that_of_the_run)
{
    for (int m = 2; m <= 9; m += 7) {
        play(make(m, false), "until time >= 2");
        double truth = s.h->x[0];
        end();
        play(make(m, false), "until time >= 0.3; slower; until time >= 0.6; slower; until time >= 0.8; faster");
        play(&s.p, "until time >= 1.2; faster; until time >= 2");
        double dt = ifd_hybrid_period(s.h) / lambda, force = 6e4 * amplitude * omega * omega * dt * dt / 8.0;
        assert_near(s.h->x[0], truth, 4.0 * force / 1000.0 * s.opt.step.h / omega, "%d ticks", m);
        end();
    }
}

/* Ticks of full rate so far. */
static double progress(void)
{
    const ifd__test_state *t = ifd__test_of(s.h);
    return (t->step * 2.0 + t->exchange) * s.opt.ticks_per_stage + t->phase;
}

/* At half the pace the command passes the positions of the run, each second tick: to the last bits. */
TEST(the_path_is_that_of_the_run)
{
    enum { M = 8, TICKS = 600 };
    static double plain[TICKS];
    play(make(M, false), "until time >= 0.2");
    double start = progress() + 1.0;
    for (int k = 0; k < TICKS; k++) {
        play(&s.p, "1");
        plain[k] = s.h->command.position[0];
        assert_near(progress(), start + k, 0.0, "progress");
    }
    end();
    play(make(M, false), "until time >= 0.2; slower; 300"); /* the change takes 100 ticks */
    for (int k = 0; k < 200; k++) {
        play(&s.p, "1");
        double at = progress() - start;
        assert_near(2.0 * at, round(2.0 * at), 0.0, "half ticks");
        if (at == round(at))
            assert_near(s.h->command.position[0], plain[(int)at], 1e-13, "position at tick %g", at);
    }
    end();
}

TEST(a_hold_rests_and_resumes_at_the_pace)
{
    for (int m = 1; m <= 17; m += 8)
        for (int after = 1; after <= 401; after += 100) {
            double then = after > 200 ? 0.25 : 0.125;
            play(make(m, false), "until time >= 0.3; 3 slower; 600");
            w = (watched){.least = 1.0};
            play(&s.p, "hold: NONE; until rests = 1 within 10000; %s; %d; speed = 0; resume; 2000; [rate] = %g",
                 after > 200 ? "faster: NONE" : "0", after, then);
            assert_true(w.most <= 1.02 * then);
            end();
        }
}

/* The monitor of stability slows below the pace; only hold and resume return to it. */
TEST(faster_does_not_overrule_the_monitor)
{
    play(make(4, false), "until time >= 0.1; slower; 300");
    assert_true(ifd__time_slow(s.h, 0.5));
    play(&s.p, "300; [rate] = 0.25; faster: SCALE_MONITOR; slower: NONE; 300; [rate] = 0.25"); /* as asked for */
    play(&s.p, "faster: SCALE_MONITOR; slower: NONE; 300; [rate] = 0.125"); /* slower than the monitor */
    play(&s.p, "faster: NONE; 300; [rate] = 0.25");                         /* as the monitor left it */
    play(&s.p, "hold; 600; faster: NONE; resume; 600; [rate] = 0.5");
    end();
}

/* A rate that is not below the present one changes nothing; a resume returns to that of the case. */
TEST(the_pace_and_its_bound_are_at_most_one)
{
    play(make(4, false), "until time >= 0.1");
    const ifd__test_state *t = s.h->test;
    ifd__time_order(s.h, IFD_ORDER_FASTER);
    assert_near(t->pace, 1.0, 0.0, "pace");
    assert_false(ifd__time_slow(s.h, 1.0));
    assert_near(t->cap, 1.0, 0.0, "bound");
    assert_true(ifd__time_slow(s.h, 0.5));
    assert_false(ifd__time_slow(s.h, 0.5));
    assert_near(t->cap, 0.5, 0.0, "bound");
    play(&s.p, "300; hold; 600; resume");
    assert_near(t->cap, 1.0, 0.0, "bound");
    play(&s.p, "600; slower");
    assert_near(t->rate_to, 0.5, 0.0, "planned in the tick of the order");
    play(&s.p, "5; slower");
    assert_near(t->rate_to, 0.25, 0.0, "also during a change");
    ifd__time_start(s.h);
    assert_near(t->rate, 1.0, 0.0, "rate");
    assert_near(t->slope, 0.0, 0.0, "slope");
    end();
}

TESTS()
