/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* Hold and resume: simulated time slows down and recovers smoothly, for any number of ticks per stage. */
#include "check.h"

#include <interfield/case.h>

#include "hybrid/hybrid.h"
#include "hybrid/hybrid_stand.h"
#include "hybrid/pace/scaled.h"

/* 1 t on 40 kN/m computed and 60 kN/m tested: 10 rad/s, 10 mm. */
static const double omega = 10.0, amplitude = 0.010, brake = 0.2;

static void make(stand *s, int ticks)
{
    stand_prepare(s, 4e4, 6e4);
    s->opt.ticks_per_stage = ticks;
    s->opt.automatic = true;
    s->opt.brake = brake;
    stand_make(s);
}

/* The command is u(t(w)) of wall-clock time w: its acceleration is u'' t'^2 + u' t''. u'' is that of a run without
 * hold, and t'' at most 1/brake, except for rounding to whole ticks. */
static void watch(const stand *s, double p[3], double *most)
{
    double dt = s->h->period;
    p[0] = p[1];
    p[1] = p[2];
    p[2] = s->h->command.position[0];
    *most = fmax(*most, fabs(p[2] - 2.0 * p[1] + p[0]) / (dt * dt));
}

TEST(hold_and_resume_brake_a_command_evenly)
{
    for (int ticks = 1; ticks <= 5; ticks++)
        for (int instant = -1; instant < 6; instant++) {
            static double plain;
            stand s;
            double p[3], most = 0.0;
            make(&s, ticks);
            play(&s.p, "until time >= %.17g", 0.3 + 0.1 * instant);
            for (int k = 0; k < 3; k++) {
                player_tick(&s.p, IFD_ORDER_NONE);
                p[k] = s.h->command.position[0];
            }
            for (int k = 0; k < 1000; k++) {
                bool held = instant >= 0;
                player_tick(&s.p, held && k == 0     ? IFD_ORDER_HOLD
                                  : held && k == 500 ? IFD_ORDER_RESUME
                                                     : IFD_ORDER_NONE);
                watch(&s, p, &most);
            }
            plain = instant < 0 ? most : plain;
            double permitted = plain + 1.1 * amplitude * omega / brake;
            if (!(most <= permitted))
                fail_msg("%d ticks, instant %d: %g m/s2, permitted %g", ticks, instant, most, permitted);
            ifd_arena_close(s.arena);
        }
}

static double end_of(stand *s)
{
    play(&s->p, "until time >= %.17g", s->opt.end);
    return s->h->x[0];
}

/* Orders during the reaction to the last one. The specimen is linear: forces between ticks are exact except at a
 * reversal, where the error is at most k u'' dt^2/8, for one stage. */
TEST(orders_in_between_change_nothing_but_the_wall_clock)
{
    static const int after[][4] = {{30, 20, 50, 10}, {3, 4, 5, 6}, {1, 1, 1, 1}, {90, 7, 2, 120}};
    for (int ticks = 1; ticks <= 3; ticks++)
        for (size_t i = 0; i < COUNT(after); i++) {
            stand s, truth;
            make(&truth, ticks);
            make(&s, ticks);
            play(&s.p, "until time >= 0.37");
            for (int j = 0; j < 4; j++)
                for (int k = 0; k < after[i][j]; k++) {
                    player_tick(&s.p, k > 0 ? IFD_ORDER_NONE : j % 2 ? IFD_ORDER_RESUME : IFD_ORDER_HOLD);
                    double rate = ifd__test_of(s.h)->rate, over = ifd__test_of(s.h)->phase - ticks;
                    if (!(rate >= 0.0 && rate <= 1.0 + 1e-12))
                        fail_msg("%d ticks, row %d: rate %g", ticks, (int)i, rate);
                    assert_true(over < 1.0); /* never a tick past a stage that was not solved */
                }
            assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RUN);
            double once = 6e4 / 1000.0 * amplitude * omega * omega * s.h->period * s.h->period / 8.0;
            assert_near(end_of(&s), end_of(&truth), once * s.opt.step.h / omega, "%d ticks, row %d", ticks, (int)i);
            ifd_arena_close(s.arena);
            ifd_arena_close(truth.arena);
        }
}

/* Rest is on the last exchange of a step, at the end of the brake or up to a step later. */
TEST(rest_comes_on_time_and_on_a_stage)
{
    for (int ticks = 1; ticks <= 4; ticks++) {
        stand s;
        make(&s, ticks);
        play(&s.p, "until time >= 0.5");
        player_tick(&s.p, IFD_ORDER_HOLD);
        play(&s.p, "until rests = 1 within 10000");
        assert_near((double)s.p.waited * s.h->period, brake, 2.0 * s.opt.step.h + s.h->period, "time to rest");
        assert_near(ifd__test_of(s.h)->phase, ticks, 0.0, "stage");
        assert_near(ifd__test_of(s.h)->rate, 0.0, 0.0, "rate");
        ifd_arena_close(s.arena);
    }
}

static void load(stand *s, const char *name, const char *ticks)
{
    char path[512];
    const char *set[] = {"time.end=3s", "test.allow-resume=yes", ticks};
    ifd_case *c = NULL;
    *s = (stand){.arena = ifd_arena_open()};
    snprintf(path, sizeof path, "%s/cases/%s.yaml", IFD_SOURCE_DIR, name);
    assert_int_equal(ifd_case_read(s->arena, path, ticks ? 3 : 2, set, &c, NULL), IFD_OK);
    s->opt = *c->test;
    s->opt.automatic = true;
    s->opt.rig = &ifd_virtual_rig;
    s->opt.rig_setup = c->laboratory;
    stand_make(s);
}

static double tracking(const stand *s)
{
    double most = 0.0, peaks[3];
    for (int k = 0; k < s->h->actuators; k++) {
        ifd_hybrid_peaks(s->h, s->h->interfaces + k, peaks);
        most = fmax(most, peaks[0]);
    }
    return most;
}

/* Compensation predicts from the past, and a change of rate is new to it: 1.5 times the error without it, plus 0.01
 * of the limit, is permitted. */
TEST(a_hold_is_tracked_like_a_run)
{
    static const struct {
        const char *name, *ticks;
    } rows[] = {{"three-actuators/block", NULL},
                {"three-actuators/block", "test.ticks-per-stage=2"},
                {"three-actuators/block", "test.ticks-per-stage=3"},
                {"bridge/hybrid", NULL},
                {"bridge/pg-alpha-hybrid", NULL},
                {"column-mixed/column", NULL},
                {"rts-rig/rig", NULL},
                {"split-mass-rig/rig", NULL},
                {"two-dof/hybrid", NULL}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        stand s;
        double most[2], limit = 0.0;
        for (int with = 0; with < 2; with++) {
            load(&s, rows[i].name, rows[i].ticks);
            for (int j = 0; j < 3 && with; j++) {
                play(&s.p, "until time >= %.17g", (const double[]){0.2, 0.8, 1.9}[j]);
                player_tick(&s.p, IFD_ORDER_HOLD);
                play(&s.p, "until rests = 1 within 10000");
                player_tick(&s.p, IFD_ORDER_RESUME);
            }
            play(&s.p, "until time >= %.17g", s.opt.end);
            assert_true(ifd_hybrid_time(s.h) >= s.opt.end * (1.0 - 1e-9));
            assert_int_equal(ifd_hybrid_trip(s.h).trip, IFD_TRIP_NONE);
            most[with] = tracking(&s);
            limit = s.opt.interface[0].limits.tracking;
            ifd_hybrid_close(s.h);
            ifd_arena_close(s.arena);
        }
        if (!(most[1] <= 1.5 * most[0] + 0.01 * limit))
            fail_msg("%s %s: %g mm, %g mm without", rows[i].name, rows[i].ticks, 1e3 * most[1], 1e3 * most[0]);
    }
}

/* The motion of a controlled force is not motion of the structure. */
TEST(a_controlled_force_makes_no_hold_longer)
{
    long ticks[2] = {0, 0};
    for (int with = 0; with < 2; with++) {
        stand s;
        load(&s, "column-mixed/column", NULL);
        play(&s.p, "until time >= 0.2");
        assert_non_null(s.h->interface[1].o->force);
        if (with) {
            ifd__interface_of(s.h, 1)->seen.peak_v = 1.0;
            ifd__interface_of(s.h, 1)->seen.peak_a = 1.0;
        }
        player_tick(&s.p, IFD_ORDER_HOLD);
        play(&s.p, "until rests = 1 within 10000");
        ticks[with] = s.p.waited;
        ifd_hybrid_close(s.h);
        ifd_arena_close(s.arena);
    }
    assert_int_equal(ticks[1], ticks[0]);
}

TESTS()
