/* SPDX-License-Identifier: MIT */
/* A stop in ramp-in brakes on the path of the ramp: the target is never passed. Positions and accelerations are those
 * of the commands that the rig receives; the expected ones follow from the quintic 10 s^3 - 15 s^4 + 6 s^5 and the
 * rate 1 - 3 s^2 + 2 s^3 over B = 5 v/A, four ticks at least, and were computed by another program. */
#include "check.h"

#include "faults/scene.h"

typedef struct ramp {
    const char *set[9];
    int ticks;                                          /* of 1 ms, from the first command of the ramp to the stop */
    double target, rest, travel, acceleration, quintic; /* mm; mm in a tick; m/s2: in all, of the ramp alone */
    double length, limit;                               /* s; m/s2 */
} ramp;

static const ramp ramps[] = {
    {{"time.step=2 ms", "initial.displacement.x1=10 mm", "initial.displacement.x2=10 mm", "test.ramp-in=1 s",
      "specimen.0.limits.acceleration=100 m/s2", NULL},
     500,
     10.0,
     5.0376,
     0.01875,
     7.03,
     0.058,
     1.0,
     100.0},
    {{"time.step=2 ms", "initial.displacement.x1=10 mm", "initial.displacement.x2=10 mm", "test.ramp-in=0.2 s",
      "specimen.0.limits.acceleration=100 m/s2", NULL},
     100,
     10.0,
     5.2202,
     0.09375,
     30.0,
     1.45,
     0.2,
     100.0},
    {{"time.step=2 ms", "initial.displacement.x1=50 mm", "initial.displacement.x2=50 mm", "test.ramp-in=2 s",
      "specimen.0.limits.acceleration=20 m/s2", "specimen.0.limits.stroke=60 mm", NULL},
     1200,
     50.0,
     34.3608,
     0.0432,
     5.99,
     0.073,
     2.0,
     20.0},
    /* A long brake, in which the ramp becomes faster: a brake that left the path would rest at 8.64 mm. */
    {{"time.step=2 ms", "initial.displacement.x1=50 mm", "initial.displacement.x2=50 mm", "test.ramp-in=2 s",
      "specimen.0.limits.acceleration=0.5 m/s2", "specimen.0.limits.stroke=60 mm", NULL},
     500,
     50.0,
     9.2322,
     0.0264,
     0.1804,
     0.01,
     2.0,
     0.5},
    {{"time.step=2 ms", "initial.displacement.x1=-50 mm", "initial.displacement.x2=-50 mm", "test.ramp-in=2 s",
      "specimen.0.limits.acceleration=0.5 m/s2", "specimen.0.limits.stroke=60 mm", NULL},
     500,
     -50.0,
     -9.2322,
     0.0264,
     0.1804,
     0.01,
     2.0,
     0.5},
};

/* mm: half of the brake farther on the path, for the step w (m) of the last command before it. */
static double rest_of(const ramp *r, double w)
{
    const double h = 1e-3, B = fmax(4.0 * h, 5.0 * fabs(w) / (h * r->limit)),
                 s = (r->ticks * h + 0.5 * B) / r->length;
    return r->target * s * s * s * (10.0 + s * (6.0 * s - 15.0));
}

TEST(every_stop_of_a_ramp_rests_on_its_path)
{
    static const struct {
        ifd_order order;
        uint32_t source;
    } stops[] = {{IFD_ORDER_STOP, IFD_SOURCE_HOLDER},    {IFD_ORDER_STOP, IFD_SOURCE_SIGNAL},
                 {IFD_ORDER_STOP, IFD_SOURCE_AUTOMATIC}, {IFD_ORDER_STOP, IFD_SOURCE_VIEWER},
                 {IFD_ORDER_HOLD, IFD_SOURCE_HOLDER},    {IFD_ORDER_RAMP_OUT, IFD_SOURCE_HOLDER}};
    for (size_t i = 0; i < COUNT(ramps) * COUNT(stops); i++) {
        const ramp *r = &ramps[i / COUNT(stops)];
        const char *sets[12] = {"test.leave=stay"};
        for (int k = 0; r->set[k]; k++)
            sets[k + 1] = r->set[k];
        scene s;
        scene_open(&s, SPRINGS, sets);
        assert_near(ifd_hybrid_period(s.h), 1e-3, 1e-12, "tick");
        play(&s.p, "5; arm");
        scene_tick(&s, IFD_ORDER_RUN); /* the first command of the ramp */
        scene_ticks(&s, r->ticks - 1);
        double most = 0.0, farthest = 0.0, before = bad.w[0], rest = rest_of(r, bad.w[0]);
        s.source = stops[i % COUNT(stops)].source;
        scene_tick(&s, stops[i % COUNT(stops)].order);
        s.source = IFD_SOURCE_HOLDER;
        for (int k = 0; k < 4000 && s.last == IFD_RUN_GOING; k++) {
            most = fmax(most, fabs(bad.w[0] - before) / 1e-6);
            farthest = fmax(farthest, fabs(bad.p[0]));
            before = bad.w[0];
            scene_tick(&s, IFD_ORDER_NONE);
        }
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_STOPPED);
        assert_near(1e3 * bad.p[0], r->rest, r->travel, "rest of ramp %d, stop %d", (int)(i / 6), (int)(i % 6));
        assert_near(1e3 * bad.p[0], rest, 1e-9, "rest for this step, ramp %d", (int)(i / 6));
        assert_near(1e3 * farthest, 1e3 * fabs(bad.p[0]), 1e-9, "it never goes back");
        if (!(most > 0.85 * r->acceleration && most <= r->acceleration + r->quintic))
            fail_msg("ramp %d: %g m/s2, expected %g", (int)(i / 6), most, r->acceleration);
        scene_replays(&s);
        scene_close(&s);
    }
}

/* At any instant, whatever moves: springs, two actuators with a controlled force, a block, preload, a rehearsed
 * start. No command passes the target of the ramp, and none breaks a limit. */
TEST(a_stop_at_any_instant_never_passes_the_target)
{
    static const scene_kind kinds[] = {SPRINGS, COLUMN, BLOCK, LOADED, REHEARSED};
    for (size_t i = 0; i < COUNT(kinds); i++)
        for (int at = 1; at < 400; at += BRIEF ? 90 : 23) {
            scene s;
            double low[IFD_RIG_ACTUATORS], high[IFD_RIG_ACTUATORS];
            scene_open(&s, kinds[i], NULL); /* without a stop: the commands of the ramp */
            play(&s.p, "5; arm");
            for (int k = 0; k < IFD_RIG_ACTUATORS; k++)
                low[k] = high[k] = bad.p[k];
            scene_tick(&s, IFD_ORDER_RUN);
            int ramped = 0;
            for (; ifd_hybrid_state(s.h) == IFD_MACHINE_RAMP_IN && ramped < 4000; ramped++) {
                scene_tick(&s, IFD_ORDER_NONE);
                for (int k = 0; k < IFD_RIG_ACTUATORS; k++) {
                    low[k] = fmin(low[k], bad.p[k]);
                    high[k] = fmax(high[k], bad.p[k]);
                }
            }
            scene_close(&s);
            scene_open(&s, kinds[i], (const char *const[]){"test.leave=stay", NULL});
            play(&s.p, "5; arm; run");
            scene_ticks(&s, at < ramped ? at : ramped - 1);
            scene_tick(&s, IFD_ORDER_STOP);
            for (int k = 0; k < 100; k++) {
                scene_tick(&s, IFD_ORDER_NONE);
                for (int c = 0; c < IFD_RIG_ACTUATORS; c++)
                    if (!(bad.p[c] <= high[c] + 1e-6 && bad.p[c] >= low[c] - 1e-6))
                        fail_msg("scene %d, stop at tick %d: actuator %d at %g, the ramp is in %g to %g", (int)i, at,
                                 c, bad.p[c], low[c], high[c]);
            }
            assert_string_equal(bad.broke, "");
            scene_replays(&s);
            scene_close(&s);
        }
}

/* At rest between two corrections of a preload, while a force far off makes the next correction large: a stop in any
 * tick, that of the plan included, moves nothing. */
TEST(a_stop_at_rest_in_a_preload_moves_nothing)
{
    int planned = 0;
    for (int after = 0; after < 16; after++) {
        scene s;
        scene_open(&s, LOADED, (const char *const[]){"test.leave=stay", NULL});
        play(&s.p, "5; arm; run");
        while (bad.rest)
            scene_tick(&s, IFD_ORDER_NONE);
        while (!bad.rest)
            scene_tick(&s, IFD_ORDER_NONE);
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RAMP_IN);
        scene_break(&s, &(trouble){.who = 1, .force = 1e3, .ticks = 40});
        scene_ticks(&s, after);
        bool rest = bad.rest;
        double at[2] = {bad.p[0], bad.p[1]};
        scene_tick(&s, IFD_ORDER_STOP);
        for (int k = 0; rest && k < 100; k++) {
            for (int c = 0; c < 2; c++)
                if (bad.p[c] != at[c])
                    fail_msg("stop %d ticks after rest: actuator %d moves from %.9g to %.9g", after, c, at[c],
                             bad.p[c]);
            scene_tick(&s, IFD_ORDER_NONE);
        }
        planned += !rest;
        assert_string_equal(bad.broke, "");
        scene_replays(&s);
        scene_close(&s);
    }
    assert_true(planned > 0 && planned < 16); /* the plan is within these ticks */
}

TESTS()
