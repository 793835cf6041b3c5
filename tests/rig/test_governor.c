/* SPDX-License-Identifier: MIT */
#include "rig/governor.h"

#include "check.h"

static const ifd__bounds bench = {.low = -0.25, .high = 0.25, .velocity = 1.0, .acceleration = 40.0, .dt = 1e-3};

/* Largest violations over a sequence, relative to each bound. */
typedef struct worst {
    double position, velocity, acceleration;
} worst;

static void watch(const ifd__bounds *b, const ifd__governed *before, const ifd__governed *now, worst *w)
{
    double v = (now->p - before->p) / b->dt, a = (now->w - before->w) / (b->dt * b->dt);
    w->position = fmax(w->position, fmax(now->p - b->high, b->low - now->p) / (b->high - b->low));
    w->velocity = fmax(w->velocity, fabs(v) / b->velocity - 1.0);
    w->acceleration = fmax(w->acceleration, fabs(a) / b->acceleration - 1.0);
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

static void no_command_ever_violates_a_limit(void **state)
{
    (void)state;
    uint64_t seed = 20;
    for (int kind = 0; kind < 6; kind++) {
        ifd__bounds b = bench;
        for (int set = 0; set < 20; set++) {
            b.velocity = 0.05 + 2.0 * uniform(&seed);
            b.acceleration = 0.5 + 100.0 * uniform(&seed);
            b.high = 0.01 + 0.3 * uniform(&seed);
            b.low = -0.3 * uniform(&seed);
            ifd__governed g;
            worst w = {0.0, 0.0, 0.0};
            assert_true(ifd__governor_begin(&b, 0.0, &g));
            for (long k = 0; k < 10000; k++) {
                ifd__governed before = g;
                ifd__governor_step(&b, adversarial(&seed, kind, k), set % 2 ? 0.0 : 1e-4 * uniform(&seed), &g);
                watch(&b, &before, &g, &w);
            }
            assert_kept(&w, "adversarial");
        }
    }
}

static void a_reachable_motion_passes_unchanged(void **state)
{
    (void)state;
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

static void a_jump_is_approached_without_swinging_past_it(void **state)
{
    (void)state;
    ifd__governed g;
    ifd__governor_begin(&bench, -0.2, &g);
    double most = -1.0;
    int k = 0;
    for (; k < 2000 && !(g.p == 0.1 && g.w == 0.0); k++) {
        ifd__governor_step(&bench, 0.1, 0.0, &g);
        most = fmax(most, g.p);
    }
    assert_true(k < 2000);
    assert_near(most, 0.1, 1e-12, "highest position on the way");
    /* Time-optimal: 0.3 m at 1 m/s with 40 m/s2 at both ends takes 0.325 s. */
    assert_near(1e-3 * k, 0.325, 0.01, "time to get there");
}

static void braking_ends_at_rest_in_the_least_number_of_ticks(void **state)
{
    (void)state;
    ifd__governed g;
    ifd__governor_begin(&bench, 0.0, &g);
    while (g.w < 0.9e-3)
        ifd__governor_step(&bench, 10.0, 0.0, &g);
    int k = 1;
    double a = bench.acceleration * bench.dt * bench.dt;
    int least = (int)ceil(g.w / a - 1e-9);
    while (!ifd__governor_brake(&bench, &g))
        k++;
    assert_int_equal(k, least);
}

static void the_braking_step_is_the_largest_that_stops_in_time(void **state)
{
    (void)state;
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

static void a_start_outside_the_stroke_is_refused(void **state)
{
    (void)state;
    ifd__governed g;
    assert_false(ifd__governor_begin(&bench, 0.2500001, &g));
    assert_false(ifd__governor_begin(&bench, (double)NAN, &g));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_command_ever_violates_a_limit),
        cmocka_unit_test(a_reachable_motion_passes_unchanged),
        cmocka_unit_test(a_jump_is_approached_without_swinging_past_it),
        cmocka_unit_test(braking_ends_at_rest_in_the_least_number_of_ticks),
        cmocka_unit_test(the_braking_step_is_the_largest_that_stops_in_time),
        cmocka_unit_test(a_start_outside_the_stroke_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
