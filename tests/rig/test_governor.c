/* SPDX-License-Identifier: MIT */
#include "rig/governor.h"

#include "check.h"

static const ifd__bounds bench = {.low = -0.25, .high = 0.25, .velocity = 1.0, .acceleration = 40.0, .dt = 1e-3};

/* Largest violations over a sequence, relative to each bound. */
typedef struct worst {
    double position, velocity, acceleration;
    double before, first; /* m, the last position, and the one before it */
} worst;

/* Only positions are checked: velocity and acceleration are their differences, independent of the state of the
 * governor. */
static void watch(const ifd__bounds *b, double p, worst *w)
{
    double v = (p - w->before) / b->dt, a = (p - 2.0 * w->before + w->first) / (b->dt * b->dt);
    w->position = fmax(w->position, fmax(p - b->high, b->low - p) / (b->high - b->low));
    w->velocity = fmax(w->velocity, fabs(v) / b->velocity - 1.0);
    w->acceleration = fmax(w->acceleration, fabs(a) / b->acceleration - 1.0);
    w->first = w->before;
    w->before = p;
}

static void assert_kept(const worst *w, const char *what)
{
    assert_near(fmax(w->position, 0.0), 0.0, 0.0, "%s: position, to the last bit", what);
    assert_near(fmax(w->velocity, 0.0), 0.0, 1e-10, "%s: velocity", what);
    assert_near(fmax(w->acceleration, 0.0), 0.0, 1e-9, "%s: acceleration", what);
}

static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

static double adversarial(uint64_t *seed, int kind, long k)
{
    switch (kind) {
    case 0:
        return 4.0 * uniform(seed) - 2.0; /* jumps far beyond the stroke */
    case 1:
        return (k / 200) % 2 ? 1.0 : -1.0; /* bang-bang against the stops */
    case 2:
        return 0.3 * sin(1e-3 * (double)k * (1.0 + 1e-4 * (double)k)); /* a sweep that becomes too fast */
    case 3:
        return uniform(seed) < 0.01 ? (double)NAN : 0.24 * sin(0.01 * (double)k);
    case 4:
        return uniform(seed) < 0.5 ? (double)INFINITY : -(double)INFINITY;
    default:
        return uniform(seed) < 0.001 ? 1e308 : 0.25 * (uniform(seed) < 0.5 ? 1.0 : -1.0);
    }
}

TEST(no_command_ever_violates_a_limit)
{
    uint64_t seed = 20;
    for (int kind = 0; kind < 6; kind++) {
        ifd__bounds b = bench;
        for (int set = 0; set < 20; set++) {
            b.velocity = 0.05 + 2.0 * uniform(&seed);
            b.acceleration = 0.5 + 100.0 * uniform(&seed);
            b.high = 0.01 + 0.3 * uniform(&seed);
            b.low = -0.3 * uniform(&seed);
            ifd__governed g;
            worst w = {0};
            assert_true(ifd__governor_begin(&b, 0.0, &g));
            for (long k = 0; k < 10000; k++) {
                ifd__governor_step(&b, adversarial(&seed, kind, k), set % 2 ? 0.0 : 1e-4 * uniform(&seed), &g);
                watch(&b, g.p, &w);
            }
            assert_kept(&w, "adversarial");
        }
    }
}

TEST(a_reachable_motion_passes_unchanged)
{
    ifd__governed g;
    ifd__governor_begin(&bench, 0.0, &g);
    double last = 0.0;
    for (int k = 1; k < 5000; k++) {
        double s = 1e-3 * k, target = 0.1 * (1.0 - cos(2.0 * s)); /* from rest, 0.2 m/s, 0.4 m/s2 */
        assert_true(ifd__governor_step(&bench, target, target - last, &g));
        assert_near(g.p, target, 1e-15, "tick %d", k);
        last = target;
    }
}

/* From behind and from ahead, at a speed of many ticks of full acceleration; reached from then on. */
TEST(a_target_that_moves_is_caught_up_with_and_not_passed)
{
    for (int i = 0; i < 4; i++) {
        double sign = i % 2 ? 1.0 : -1.0, target = -0.2 * sign, ahead = i / 2 ? 0.05 : -0.05, step = 3e-4 * sign;
        long met = 0;
        ifd__governed g;
        ifd__governor_begin(&bench, target + ahead * sign, &g);
        for (int k = 0; k < 1000; k++) {
            target += step;
            bool now = ifd__governor_step(&bench, target, step, &g);
            assert_true(now || met == 0);
            met += now;
            assert_true(sign * (g.p - target) * (ahead > 0.0 ? 1.0 : -1.0) >= -1e-15); /* round-off */
        }
        assert_true(met > 800);
        assert_near(g.p, target, 1e-15, "m, scene %d", i);
    }
}

TEST(a_jump_is_approached_without_swinging_past_it)
{
    for (int forth = 0; forth < 2; forth++) {
        double sign = forth ? 1.0 : -1.0;
        ifd__governed g;
        ifd__governor_begin(&bench, -0.2 * sign, &g);
        double most = -1.0;
        int k = 0;
        for (; k < 2000 && !(g.p == 0.1 * sign && g.w == 0.0); k++) {
            ifd__governor_step(&bench, 0.1 * sign, 0.0, &g);
            most = fmax(most, sign * g.p);
        }
        assert_true(k < 2000);
        assert_near(most, 0.1, 1e-12, "highest position on the way");
        /* Time-optimal: 0.3 m at 1 m/s with 40 m/s2 at both ends takes 0.325 s. */
        assert_near(1e-3 * k, 0.325, 0.01, "time to get there");
    }
}

TEST(braking_ends_at_rest_in_the_least_number_of_ticks)
{
    for (int forth = 0; forth < 2; forth++) {
        double sign = forth ? 1.0 : -1.0, a = bench.acceleration * bench.dt * bench.dt;
        ifd__governed g;
        ifd__governor_begin(&bench, 0.0, &g);
        while (sign * g.w < 0.9e-3)
            ifd__governor_step(&bench, 10.0 * sign, 0.0, &g);
        int k = 1, least = (int)ceil(fabs(g.w) / a - 1e-9);
        double before = g.p, step = g.w;
        for (bool rest = false; !rest; k += !rest) {
            rest = ifd__governor_brake(&bench, &g);
            assert_true(fabs(g.p - before - step) <= a * (1.0 + 1e-8));
            step = g.p - before;
            before = g.p;
        }
        assert_int_equal(k, least);
    }
}

/* A step and an acceleration of 1: a remainder of 2^-30 after a full brake is rest; one bit more is not. */
TEST(what_round_off_leaves_of_a_brake_is_rest)
{
    const ifd__bounds b = {.low = -99.0, .high = 99.0, .velocity = 9.0, .acceleration = 1.0, .dt = 1.0};
    const double rest = ldexp(1.0, -30), more = ldexp(1.0, -52);
    for (int forth = 0; forth < 2; forth++) {
        double sign = forth ? 1.0 : -1.0;
        ifd__governed g = {0.0, sign * (1.0 + rest)};
        assert_true(ifd__governor_brake(&b, &g));
        assert_near(g.p, 0.0, 0.0, "position");
        g = (ifd__governed){0.0, sign * (1.0 + rest + more)};
        assert_false(ifd__governor_brake(&b, &g));
        assert_near(g.p, sign * (rest + more), 0.0, "position");
    }
}

/* With a = 1: a target is reached if it is within the reach of a tick, and moves no faster than a tick can follow. */
TEST(a_target_counts_as_met_up_to_the_bit)
{
    const ifd__bounds b = {.low = -99.0, .high = 99.0, .velocity = 4.0, .acceleration = 1.0, .dt = 1.0};
    static const struct {
        double w, target, step;
        bool met;
    } rows[] = {{0.0, 1.0, 0.0, true},         {0.0, 1.0 + 1e-15, 0.0, false}, {0.0, 1.0, -1e-15, false},
                {0.0, 0.5, 1.5, true},         {0.0, 0.5, 1.5 + 1e-15, false}, {0.0, 0.5, 9.0, false},
                {3.0, 4.0, 4.0, true},         {4.0, 4.0 + 1e-15, 4.0, false}, {3.0, 2.0, 2.0, true},
                {3.0, 2.0 - 1e-15, 2.0, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int forth = 0; forth < 2; forth++) {
            double sign = forth ? 1.0 : -1.0;
            ifd__governed g = {0.0, sign * rows[i].w};
            assert_int_equal(ifd__governor_step(&b, sign * rows[i].target, sign * rows[i].step, &g), rows[i].met);
        }
}

TEST(the_braking_step_is_the_largest_that_stops_in_time)
{
    uint64_t seed = 5;
    for (int i = 0; i < 10000; i++) {
        double a = 1e-6 * (0.1 + uniform(&seed)), S = 0.1 * uniform(&seed), w = ifd__braking_step(S, a), way = 0.0,
               more = 0.0;
        for (double x = w; x > 0.0; x -= a)
            way += x;
        for (double x = w + 1e-3 * a; x > 0.0; x -= a)
            more += x;
        assert_near_rel(way, S, 1e-9, "S = %g, a = %g", S, a);
        assert_true(more > S);
    }
}

/* Just below n (n + 1)/2 times a, where a braking of n ticks becomes one of n + 1. */
TEST(the_braking_step_is_right_where_its_number_of_ticks_changes)
{
    for (int n = 1; n <= 50; n++)
        for (int side = -1; side <= 1; side++) {
            double S = 0.5 * n * (n + 1) + 6e-4 * side, w = ifd__braking_step(S, 1.0), way = 0.0;
            for (double x = w; x > 0.0; x -= 1.0)
                way += x;
            assert_near_rel(way, S, 1e-12, "S = %.17g", S);
        }
    assert_near(ifd__braking_step(0.0, 1.0), 0.0, 0.0, "no way left");
    assert_near(ifd__braking_step(-1.0, 1.0), 0.0, 0.0, "beyond the end");
    assert_near(ifd__braking_step((double)NAN, 1.0), 0.0, 0.0, "not a finite number");
}

/* Moved there externally, and moving on: it brakes within its limits, does not jump, and returns. */
TEST(outside_the_stroke_no_command_jumps)
{
    const double a = bench.acceleration * bench.dt * bench.dt;
    for (int high = 0; high < 2; high++)
        for (int out = 0; out < 2; out++) {
            double sign = high ? 1.0 : -1.0, end = high ? bench.high : bench.low, target = out ? 9.0 * sign : 0.0;
            ifd__governed g = {end + 0.01 * sign, 5.5 * a * sign};
            double before = g.p, step = g.w;
            for (int k = 0; k < 400; k++) {
                ifd__governor_step(&bench, target, 0.0, &g);
                assert_true(fabs(g.p - before - step) <= a * (1.0 + 1e-9));
                step = g.p - before;
                before = g.p;
            }
            if (!out)
                assert_near(g.p, 0.0, 1e-12, "back inside");
            else
                assert_near(g.w, 0.0, 0.0, "at rest");
        }
}

/* With an acceleration that crosses the stroke in a tick: from either end to the other, never beyond it by a bit. */
TEST(a_step_across_the_stroke_ends_on_its_end)
{
    uint64_t seed = 3;
    for (int i = 0; i < 20000; i++) {
        ifd__bounds b = {.low = -uniform(&seed), .high = uniform(&seed), .velocity = 1e9, .acceleration = 1e9};
        ifd__governed g;
        b.dt = 1.0;
        assert_true(ifd__governor_begin(&b, i % 2 ? b.low : b.high, &g));
        for (int k = 0; k < 4; k++) {
            ifd__governor_step(&b, (i + k) % 2 ? 9.0 : -9.0, 0.0, &g);
            assert_true(g.p >= b.low && g.p <= b.high);
        }
    }
}

/* At each end, with the target far beyond it: the stroke is used to its end, at full acceleration. */
TEST(the_ends_of_the_stroke_are_reached_and_braked_for_in_time)
{
    for (int high = 0; high < 2; high++) {
        ifd__governed g;
        worst w = {0};
        double far = high ? 9.0 : -9.0, end = high ? bench.high : bench.low, hardest = 0.0;
        assert_true(ifd__governor_begin(&bench, 0.0, &g));
        for (int k = 0; k < 400; k++) {
            double was = w.before, first = w.first;
            assert_false(ifd__governor_step(&bench, far, 0.0, &g));
            watch(&bench, g.p, &w);
            double a = (g.p - 2.0 * was + first) / (bench.dt * bench.dt);
            hardest = fmax(hardest, high ? -a : a); /* braking */
        }
        assert_kept(&w, "against an end");
        assert_near(g.p, end, 0.0, "end of the stroke");
        assert_near(hardest, bench.acceleration, 1e-6, "braking");
    }
}

/* A target at the present position, or no target, causes no motion, also at an end of the stroke. */
TEST(what_is_at_rest_stays_at_rest)
{
    const double places[] = {bench.low, 0.0, bench.high};
    for (int i = 0; i < 3; i++) {
        ifd__governed g;
        assert_true(ifd__governor_begin(&bench, places[i], &g));
        for (int k = 0; k < 10; k++) {
            assert_true(ifd__governor_step(&bench, places[i], 0.0, &g));
            assert_false(ifd__governor_step(&bench, (double)NAN, 0.0, &g));
            assert_false(ifd__governor_step(&bench, places[i], (double)NAN, &g));
            assert_true(ifd__governor_brake(&bench, &g));
            assert_near(g.p, places[i], 0.0, "position");
        }
    }
}

TEST(a_start_outside_the_stroke_is_refused)
{
    ifd__governed g;
    assert_true(ifd__governor_begin(&bench, bench.high, &g));
    assert_true(ifd__governor_begin(&bench, bench.low, &g));
    assert_false(ifd__governor_begin(&bench, nextafter(bench.high, 1.0), &g));
    assert_false(ifd__governor_begin(&bench, nextafter(bench.low, -1.0), &g));
    assert_false(ifd__governor_begin(&bench, (double)INFINITY, &g));
    assert_false(ifd__governor_begin(&bench, (double)NAN, &g));
}

TESTS()
