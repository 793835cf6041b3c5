/* SPDX-License-Identifier: MIT */
/* A drive with an actuator that is much slower than its dofs: the ramp-in takes as long as it needs. Without
 * progress the test ends. */
#include "check.h"

#include <math.h>

#include "hybrid/case_stand.h"
#include "hybrid/drives/drives.h"
#include "hybrid/pace/scaled.h"
#include "hybrid/standstill.h"

static double far, last, fastest; /* m, of the second actuator: its command, and the largest difference */

static bool sense(ifd_rig *r, ifd_measure *out, double *x)
{
    return ifd_virtual_rig.sense(r, out, x);
}

static void command(ifd_rig *r, const ifd_command *c, double *x)
{
    if (c->commanded && c->state == IFD_MACHINE_RAMP_IN)
        fastest = fmax(fastest, fabs(c->position[1] - last));
    far = last = c->commanded ? c->position[1] : last;
    ifd_virtual_rig.command(r, c, x);
}

#define PAIR                                                                                                         \
    "time: {step: 2 ms, end: 0.1 s}\n"                                                                               \
    "model: {dofs: [x], mass: [8 t], damping: [4000]}\n"                                                             \
    "initial: {displacement: {x: 5 mm}}\n"                                                                           \
    "specimen:\n"                                                                                                    \
    "  - {name: sway, spring: {at: x, stiffness: 160 kN/m},\n"                                                       \
    "     limits: {stroke: 0.4 m, velocity: 2 m/s, acceleration: 60 m/s2}}\n"                                        \
    "drives:\n"                                                                                                      \
    "  - name: pair\n"                                                                                               \
    "    dofs: [sway]\n"                                                                                             \
    "    matrix: [[1], [1]]\n"

/* 5 mm with 0.1 mm/s: 50 s; the bound is 30 s, a stage of 2 ms at 1/32 of the full rate, ten brakes, settling. */
static const char pair[] =
    PAIR "    actuators:\n"
         "      - {name: left, limits: {stroke: 0.9 m, velocity: 4 m/s, acceleration: 150 m/s2}}\n"
         "      - {name: right, limits: {stroke: 0.9 m, velocity: 0.1 mm/s, acceleration: 150 m/s2}}\n"
         "test: {leave: stay, ramp-in: 0.2 s, settle: 0.05 s, brake: 0.1 s}\n";

static void open_pair(stand *s)
{
    const ifd_case_source source = {.path = "slow.yaml", .text = pair};
    far = last = fastest = 0.0;
    stand_open(s, &source, sense, command);
}

/* Ticks in ramp-in. */
static long ramp_in(stand *s, long most)
{
    long n = 0;
    while (ifd_hybrid_state(s->h) < IFD_MACHINE_RAMP_IN)
        s->t.tick(s->t.self, &(ifd_tick_in){0});
    for (; n < most && ifd_hybrid_state(s->h) == IFD_MACHINE_RAMP_IN; n++)
        s->t.tick(s->t.self, &(ifd_tick_in){0});
    return n;
}

TEST(a_slow_actuator_has_its_time)
{
    stand s;
    open_pair(&s);
    assert_near(s.h->standstill, 30.0 + 32.0 * 1e-3 + 10.0 * 0.1 + 0.05, 1e-9, "bound");
    assert_near(s.h->catch_up, 1.8 / 1e-4 + 2.5 * 1e-4 / 150.0 + 4e-3, 1e-9, "the whole stroke of the slow one");
    long n = ramp_in(&s, 60000);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RUN);
    assert_in_range(n, 50000, 50400);
    assert_near(far, 5e-3, 1e-9, "its end");
    assert_near(column(&s, "right position"), far, 1e-6, "there");
    assert_near(fastest, 1e-4 * 1e-3, 1e-12, "its velocity");
    assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_STANDSTILL), 0);
    unmake(&s);
}

/* A pair whose load cells and load sharing have noise: a step of 2 pi 1 Hz 1 ms 10 N/(sqrt(2) 50 kN/m) = 0.9 um. */
static const char noisy[] =
    PAIR "    sharing: {stiffness: 50 kN/m, bandwidth: 1 Hz, limit: 2 mm}\n"
         "    actuators:\n"
         "      - {name: left, limits: &most {stroke: 0.1 m, velocity: 0.1 m/s, acceleration: 0.05 m/s2},\n"
         "         force-sensor: {noise: 10 N, seed: 5}}\n"
         "      - {name: right, limits: *most, force-sensor: {noise: 10 N, seed: 6}}\n"
         "test: {leave: stay, ramp-in: 0.2 s, settle: 0.05 s, brake: 0.1 s}\n";

static struct {
    double p[2], w[2], velocity[2], acceleration; /* of the commands; limits */
    bool known;
} seen;

static void watched(ifd_rig *r, const ifd_command *c, double *x)
{
    for (int j = 0; j < 2 && c->commanded; j++) {
        double w = seen.known ? c->position[j] - seen.p[j] : 0.0;
        assert_true(fabs(c->position[j]) <= 0.1 && fabs(w) <= seen.velocity[j] * 1e-3 * (1.0 + 1e-9) &&
                    fabs(w - seen.w[j]) <= seen.acceleration * 1e-6 * (1.0 + 1e-6));
        seen.p[j] = c->position[j];
        seen.w[j] = w;
    }
    seen.known = c->commanded;
    ifd_virtual_rig.command(r, c, x);
}

/* right: m/s, velocity of the second actuator; acceleration: m/s2, of both. */
static void open_noisy(stand *s, const char *const *set, double right, double acceleration)
{
    ifd_case_source source = {.path = "noisy.yaml", .text = noisy, .set = set};
    while (set && set[source.sets])
        source.sets++;
    memset(&seen, 0, sizeof seen);
    seen.velocity[0] = 0.1;
    seen.velocity[1] = right;
    seen.acceleration = acceleration;
    stand_open(s, &source, sense, watched);
}

static long ticks_in(stand *s, ifd_machine state, long most)
{
    long n = 0;
    for (; n < most && ifd_hybrid_state(s->h) == state; n++)
        s->t.tick(s->t.self, &(ifd_tick_in){0});
    return n;
}

/* With 0.05 m/s2 a command changes its step by 0.05 um in a tick: the noise keeps it away from its extension at all
 * times. Ramp-in and ramp-out end after the bound: 30 s, a stage, ten brakes, settling; 0.2 m with 0.1 m/s, 2.5 times
 * the time to brake, four ticks. The ramp-out trips, and nothing moves after that. */
TEST(noise_of_load_sharing_is_no_progress)
{
    const double bound = 30.0 + 32e-3 + 10.0 * 0.1 + 0.05 + 0.2 / 0.1 + 2.5 * 0.1 / 0.05 + 4e-3;
    stand s;
    open_noisy(&s, NULL, 0.1, 0.05);
    long ramp = ramp_in(&s, 100000), edge = lround(bound / 1e-3);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RAMP_OUT);
    assert_in_range(ramp, 200 + edge, 200 + edge + 2);
    ifd_trip_facts first = ifd_hybrid_trip(s.h);
    assert_string_equal(ifd_trip_name(first.trip), "STANDSTILL");
    assert_near(first.limit, bound, 1e-9, "bound");
    assert_string_equal(ifd_hybrid_owner_name(s.h, first.owner), "left");
    long out = ticks_in(&s, IFD_MACHINE_RAMP_OUT, 100000);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_TRIPPED);
    assert_string_equal(ifd_trip_name(ifd_hybrid_trip(s.h).trip), "STANDSTILL");
    assert_in_range(out, edge, edge + 100); /* and the brake */
    ifd_run_state end = IFD_RUN_GOING;
    while (end == IFD_RUN_GOING)
        end = s.t.tick(s.t.self, &(ifd_tick_in){0});
    assert_int_equal(end, IFD_RUN_FAULT);
    assert_true(seen.w[0] == 0.0 && seen.w[1] == 0.0);
    unmake(&s);
}

/* The same noise does not delay actuators that can follow it, and a slow one still has its time: the run begins when
 * it is there. 0.2 s, of which the last tick is the first of 50 at rest; 5 mm with 5 mm/s: 1 s, and
 * load sharing, which has moved meanwhile, returns with 1 Hz. */
TEST(noise_makes_no_actuator_late_or_early)
{
    static const struct {
        const char *set;
        double right;
        long least, most;
    } rows[] = {{NULL, 0.1, 249, 254}, {"drives.0.actuators.1.limits.velocity=5 mm/s", 5e-3, 1050, 1500}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *set[] = {"drives.0.actuators.0.limits.acceleration=20 m/s2",
                             "drives.0.actuators.1.limits.acceleration=20 m/s2", rows[i].set, NULL};
        stand s;
        open_noisy(&s, set, rows[i].right, 20.0);
        long n = ramp_in(&s, 5000);
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RUN);
        assert_in_range(n, rows[i].least, rows[i].most);
        assert_near(0.5 * (seen.p[0] + seen.p[1]), 5e-3, 1e-9, "the pose; load sharing is the rest");
        unmake(&s);
    }
}

TESTS()
