/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* Hold and resume in every tick: the path between stages, the plans of a change of rate and their length. Fast, and
 * checked by closed forms; complete tests are in test_simulated_time.c. */
#include "check.h"

#include "hybrid/bare.h"
#include "rig/command_filter.h"
#include "hybrid/drives/drives.h"
#include "hybrid/hybrid.h"
#include "hybrid/hybrid_stand.h"
#include "hybrid/pace/scaled.h"

static void tick(stand *s, ifd_order order)
{
    s->t.tick(s->t.self, &(ifd_tick_in){.order = order});
}

static void until(stand *s, double time)
{
    for (long k = 0; k < 100000 && !(ifd_hybrid_time(s->h) >= time); k++)
        tick(s, IFD_ORDER_NONE);
}

/* 1 t on 40 kN/m computed and 60 kN/m tested. */
static void make(stand *s, int ticks)
{
    stand_prepare(s, 4e4, 6e4);
    s->opt.ticks_per_stage = ticks;
    s->opt.automatic = true;
    stand_make(s);
}

/* Free vibration of omega = 1 rad/s, with assumed peaks V = 20 mm/s and A = 20 mm/s2, present velocity v and opposite
 * acceleration a. The duration of a hold is counted in received commands: 1.75 V/A = 1.75 s, or v sqrt(1.5/(a (A -
 * a))) if that is more, with A - a at least 0.02 of A (0.03 once a is); 1.5 V over 0.01 of the acceleration limit if
 * that is less; never below `brake`, never above ten times it. Rest is on a whole tick and on the next stage: at most
 * two ticks later. */
TEST(a_slow_run_is_held_as_long_as_its_motion_asks_for)
{
    static const struct {
        double limit, brake, v, a, time;
    } rows[] = {
        {0.05, 0.2, 0.0, 0.0, 1.75},        {3.0, 0.2, 0.0, 0.0, 1.0},     {0.05, 0.12, 0.0, 0.0, 1.2},
        {100.0, 0.2, 0.0, 0.0, 0.2},        {0.05, 4.0, 0.0, 0.0, 4.0},    {0.05, 0.3, 0.02, -0.01, 2.4494897},
        {0.05, 0.9, -0.02, 0.02, 8.660254}, {0.05, 0.3, 0.02, 0.01, 1.75}, {0.05, 0.9, 0.02, -0.03, 5.7735027}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        stand s;
        long count = 0, last = 0;
        double p[2] = {0.0, 0.0};
        stand_prepare(&s, 400.0, 600.0);
        s.opt.automatic = true;
        s.opt.end = 40.0;
        s.opt.brake = rows[i].brake;
        s.opt.ramp_in = 6.0;
        s.channel.limits.acceleration = rows[i].limit;
        stand_make(&s);
        until(&s, 8.0);
        ifd__interface_of(s.h, 0)->seen.peak_v = ifd__interface_of(s.h, 0)->seen.peak_a = 0.02;
        ifd__interface_of(s.h, 0)->step = rows[i].v * s.h->period;
        ifd__interface_of(s.h, 0)->seen.step = (rows[i].v - rows[i].a * s.h->period) * s.h->period;
        ifd__interface_of(s.h, 0)->seen.a = ifd__interface_of(s.h, 0)->seen.a_twice = rows[i].a;
        tick(&s, IFD_ORDER_HOLD);
        for (; count < 10000; count++) {
            p[0] = p[1];
            p[1] = s.h->command.position[0];
            if (p[1] != p[0])
                last = count;
            tick(&s, IFD_ORDER_NONE);
        }
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_HOLD);
        double least = rows[i].time / s.h->period;
        if (!((double)last >= least - 2.0 && (double)last <= least + 2.0))
            fail_msg("row %d: the last motion came %ld ticks after the order, expected %g", (int)i, last, least);
        ifd_arena_close(s.arena);
    }
}

/* Between two stages the Hermite cubic by its basis functions; past the end the parabola with the velocity there and
 * its mean change. */
TEST(the_path_is_hermites_and_goes_on_with_its_velocity)
{
    stand s;
    make(&s, 4);
    const double a = 0.003, b = -0.002, va = 0.7, vb = -0.4, T = s.h->stage_time;
    ifd__interface_of(s.h, 0)->from_u = a;
    ifd__interface_of(s.h, 0)->to_u = b;
    ifd__interface_of(s.h, 0)->from_v = va;
    ifd__interface_of(s.h, 0)->to_v = vb;
    for (int i = 0; i <= 12; i++) {
        double x = i / 8.0, z = 1.0 - x, past = (x - 1.0) * T, mean = (vb - va) / T, y[3], due[3];
        ifd__test_of(s.h)->phase = 4.0 * x;
        ifd__time_path(&s.h->io, 0, y);
        due[0] = a * (1.0 + 2.0 * x) * z * z + T * va * x * z * z + b * x * x * (3.0 - 2.0 * x) - T * vb * x * x * z;
        due[1] = 6.0 * x * z * (b - a) / T + va * z * (1.0 - 3.0 * x) + vb * x * (3.0 * x - 2.0);
        due[2] = (6.0 - 12.0 * x) * (b - a) / (T * T) + (va * (6.0 * x - 4.0) + vb * (6.0 * x - 2.0)) / T;
        if (x > 1.0) {
            due[0] = b + vb * past + 0.5 * mean * past * past;
            due[1] = vb + mean * past;
            due[2] = mean;
        }
        for (int j = 0; j < 3; j++)
            assert_near(y[j], due[j], 1e-13 * (fabs(due[j]) + 1.0 / pow(T, j)), "derivative %d at %g", j, x);
        if (x == 1.0)
            assert_near(y[0], b, 0.0, "the end to the bit");
    }
    ifd_arena_close(s.arena);
}

/* A stage is between the last tick (phase `old`) and this one (`now`), or between this one and the next: proportional
 * to the distance if that agrees with time within half a tick; else proportional to time. */
TEST(the_force_of_a_stage_is_shared_by_way_or_by_time)
{
    static const struct {
        double old, now, felt, stage, aimed, share;
    } rows[] = {
        {3.5, 4.5, 1.0, 1.25, 2.0, 0.25},    {3.5, 4.5, 1.0, 1.0, 2.0, 0.0},   {3.5, 4.5, 1.0, 2.0, 2.0, 1.0},
        {3.5, 4.5, 1.0, 2.5, 2.0, 0.5},      {3.5, 4.5, 1.0, 0.5, 2.0, 0.5},   {3.75, 4.5, 1.0, 0.5, 2.0, 1.0 / 3.0},
        {3.5, 4.5, 2.0, 1.75, 1.0, 0.25},    {3.5, 4.0, 1.0, 1.25, 2.0, 1.0},  {4.0, 4.5, 1.0, 1.25, 2.0, 1.0},
        {3.0, 3.75, 1.0, 2.5, 2.0, 1.5},     {4.25, 4.5, 1.0, 1.25, 2.0, 1.0}, {3.5, 4.5, 1.0, 2.005, 2.0, 0.5},
        {3.0, 3.75, 1.0, 4.0, 2.0, 4. / 3.}, {3.0, 3.25, 1.0, 9.0, 2.0, 2.0},  {3.0, 3.0, 1.0, 1.25, 2.0, 1.0}};
    stand s;
    make(&s, 4);
    for (size_t i = 0; i < COUNT(rows); i++) {
        ifd__test_of(s.h)->last_phase = rows[i].old;
        ifd__test_of(s.h)->phase = rows[i].now;
        ifd__interface_of(s.h, 0)->force_at = rows[i].felt;
        ifd__interface_of(s.h, 0)->to_u = rows[i].stage;
        ifd__interface_of(s.h, 0)->next_target = rows[i].aimed;
        assert_near(ifd__time_fraction(s.h, 0), rows[i].share, 1e-15, "row %d", (int)i);
    }
    static const ifd_force_control force = {.stiffness = 1.0}; /* its command is not the motion of the dof: time */
    ifd_interface_options controlled = *s.h->interface[0].o;
    controlled.force = &force;
    s.h->interface[0].o = &controlled;
    ifd__test_of(s.h)->last_phase = rows[0].old;
    ifd__test_of(s.h)->phase = rows[0].now;
    ifd__interface_of(s.h, 0)->force_at = rows[0].felt;
    ifd__interface_of(s.h, 0)->to_u = rows[0].stage;
    ifd__interface_of(s.h, 0)->next_target = rows[0].aimed;
    assert_near(ifd__time_fraction(s.h, 0), 0.5, 0.0, "a force in control");
    ifd_arena_close(s.arena);
}

/* The quintic from (phase, rate, slope) to (place, rate, 0) by its basis functions; value, first and second
 * derivative at x of 0..1. */
static void quintic(double x, const double at[3], double to, double r1, double N, double out[3])
{
    const double c[6] = {at[0], N * at[1], 0.5 * N * N * at[2]};
    double q[6], u = to - c[0] - c[1] - c[2], v = N * r1 - c[1] - 2.0 * c[2], w = -2.0 * c[2];
    memcpy(q, c, sizeof q);
    q[3] = 10.0 * u - 4.0 * v + 0.5 * w;
    q[4] = -15.0 * u + 7.0 * v - w;
    q[5] = 6.0 * u - 3.0 * v + 0.5 * w;
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < 6; i++) {
        out[0] += q[i] * pow(x, i);
        out[1] += i < 1 ? 0.0 : i * q[i] * pow(x, i - 1) / N;
        out[2] += i < 2 ? 0.0 : i * (i - 1) * q[i] * pow(x, i - 2) / (N * N);
    }
}

/* Hold and resume anywhere in a stage of 1000 ticks, and during the reaction to the last order: each plan has the
 * length required by its distance and rates, and is followed in every tick to its end. */
/* An order for the next pace below, at a rate with a slope; during: while an earlier change is not over. */
static bool planned(stand *s, double rate, double slope, bool during)
{
    ifd__test_state *t = ifd__test_of(s->h);
    t->state = IFD_MACHINE_RUN;
    t->pace = t->cap = 1.0;
    t->overtime = t->not_ready = 0.0;
    t->phase = 1.0;
    t->rate = rate;
    t->slope = slope;
    t->rate_to = 0.875;
    t->path_ticks = 100.0;
    t->path_tick = during ? 50.0 : 100.0;
    s->h->pace->order(s->h, IFD_ORDER_SLOWER);
    return t->rate_to == 0.5;
}

/* At 15 points between its ends the rate is at most a thousandth below rest or above full rate. */
static bool sound(stand *s, double rate, double slope)
{
    assert_true(planned(s, rate, slope, false));
    const ifd__test_state *t = ifd__test_of(s->h);
    const double from[] = {t->phase_from, t->rate_from, t->slope_from};
    bool all = true;
    for (int i = 1; i < 16; i++) {
        double y[3];
        quintic(i / 16.0, from, t->phase_to, t->rate_to, t->path_ticks, y);
        all = all && y[1] >= -1e-3 && y[1] <= 1.001;
    }
    return all;
}

/* Otherwise the earlier change ends first. Every change of that decision over the slope is found by bisection. */
TEST(a_change_is_replaced_by_one_whose_rate_stays_within_rest_and_full_rate)
{
    static const double rates[] = {0.0625, 0.25, 0.75, 0.9375, 0.996};
    int changes = 0;
    stand s;
    make(&s, 16);
    for (size_t i = 0; i < COUNT(rates); i++)
        for (int n = -400; n < 400; n++) {
            double low = 2.5e-4 * n, high = 2.5e-4 * (n + 1);
            bool at_low = sound(&s, rates[i], low);
            if (n != 0) /* without a slope every plan is taken */
                assert_int_equal(planned(&s, rates[i], low, true), at_low);
            if (sound(&s, rates[i], high) == at_low)
                continue;
            while (high - low > 1e-12) {
                double middle = 0.5 * (low + high);
                if (sound(&s, rates[i], middle) == at_low)
                    low = middle;
                else
                    high = middle;
            }
            changes++;
            assert_int_equal(planned(&s, rates[i], low, true), at_low);
            assert_int_equal(planned(&s, rates[i], high, true), !at_low);
        }
    assert_true(changes > 5);
    ifd_arena_close(s.arena);
}

/* At most a thousandth above full rate: a plan with this rate at all points, 16 ticks at a constant rate, is taken
 * during a change, and one with the next larger number is not. Its slope has no effect on any sum. */
TEST(a_thousandth_above_full_rate_is_permitted)
{
    const double most = 1.0 + 1e-3;
    for (int above = 0; above < 2; above++) {
        double r = above ? nextafter(most, 2.0) : most;
        bare_make(0, 1.0);
        bare.opt.brake = 64.0; /* ticks; a change covers a quarter of them */
        bare.opt.ticks_per_stage = 64;
        ifd__test_state *t = ifd__test_of(&bare);
        t->state = IFD_MACHINE_RUN;
        t->pace = t->cap = 2.0 * r;
        t->rate = r;
        t->slope = 1e-300;
        t->rate_to = 0.75;
        t->path_tick = 50.0;
        t->path_ticks = 100.0;
        t->phase = 18.0 - 16.0 * r;
        ifd__pace_scaled.order(&bare, IFD_ORDER_SLOWER);
        assert_near(t->pace, r, 0.0, "ordered");
        assert_near(t->rate_to, above ? 0.75 : r, 0.0, "above: %d", above);
        assert_near(t->path_ticks, above ? 100.0 : 16.0, 0.0, "above: %d", above);
    }
}

TEST(plans_are_quintics_that_end_where_and_when_they_must)
{
    enum { M = 1000 };
    const double ticks = 200.0; /* of a brake: no motion yet */
    stand s;
    stand_prepare(&s, 4e4, 6e4);
    s.opt.ticks_per_stage = M;
    s.opt.brake = ticks * 0.002 / M;
    stand_make(&s);
    assert_near(s.h->period, 0.002 / M, 1e-18, "period");
    ifd__interface_of(s.h, 0)->seen.peak_v = 0.02; /* without acceleration it has no effect */
    static const struct {
        double phase, rate, slope;
        bool resume;
    } rows[] = {{100.25, 1.0, 0.0, false},   {100.25, 0.0, 0.0, true},   {250.5, 0.5, 0.001, true},
                {250.5, 0.5, -0.001, false}, {250.5, 0.5, 0.001, false}, {400.0, 0.25, -0.002, true},
                {899.0, 1.0, 0.0, false},    {940.0, 1.0, 0.0, false},   {0.0, 0.75, 0.0, true},
                {250.5, 0.9, 0.002, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        double r1 = rows[i].resume ? 1.0 : 0.0, at[3] = {rows[i].phase, rows[i].rate, rows[i].slope}, y[3];
        ifd__test_of(s.h)->phase = at[0];
        ifd__test_of(s.h)->rate = at[1];
        ifd__test_of(s.h)->slope = at[2];
        double n = fabs(r1 - at[1]) * ticks, way = fmax(0.0, 0.5 * (at[1] + r1) * n + at[2] * n * n / 12.0), to;
        if (rows[i].resume) {
            ifd__pace_scaled.resume(s.h);
            to = ceil(at[0] + fmax(0.25 * ticks, way));
        } else {
            ifd__pace_scaled.hold(s.h);
            to = at[0] + way <= M ? M : 2.0 * M;
        }
        /* N (r0 + r1)/2 + N^2 slope/12 = distance, the smaller root; never longer than the brake or twice the
         * distance */
        double b = 0.5 * (at[1] + r1), d = to - at[0], N = 2.0 * d / (b + sqrt(fmax(0.0, b * b + at[2] * d / 3.0)));
        N = fmax(1.0, ceil(fmin(N, fmax(ticks, 2.0 * d))));
        assert_near(ifd__test_of(s.h)->path_ticks, N, 0.0, "row %d: ticks", (int)i);
        for (double k = 1.0; k <= N && !ifd__time_due(s.h); k += 1.0) {
            double before = ifd__test_of(s.h)->phase;
            assert_false(ifd__time_rests(s.h));
            ifd__time_tick(s.h);
            assert_near(ifd__test_of(s.h)->last_phase, before, 0.0, "row %d, tick %g: old phase", (int)i, k);
            quintic(k / N, at, to, r1, N, y);
            assert_near(ifd__test_of(s.h)->phase, fmax(before, y[0]), 1e-9, "row %d, tick %g: phase", (int)i, k);
            assert_near(ifd__test_of(s.h)->rate, fmin(1.0, fmax(0.0, y[1])), 1e-9, "row %d, tick %g: rate", (int)i,
                        k);
            assert_near(ifd__test_of(s.h)->slope, k < N ? y[2] : 0.0, 1e-9, "row %d, tick %g: slope", (int)i, k);
        }
        bool whole = to <= M;
        if (whole)
            assert_near(ifd__test_of(s.h)->phase, to, 0.0, "row %d: its end to the bit", (int)i);
        assert_int_equal(ifd__time_rests(s.h), whole && !rows[i].resume);
        if (rows[i].resume) {
            ifd__time_tick(s.h);
            assert_near(ifd__test_of(s.h)->phase, to + 1.0, 0.0, "row %d: at full rate", (int)i);
        }
    }
    /* The shortest brake is two ticks, a distance of one: the stage due in the next tick. */
    s.h->opt.brake = s.h->period;
    ifd__test_of(s.h)->phase = M - 1.0;
    ifd__test_of(s.h)->rate = 1.0;
    ifd__test_of(s.h)->slope = 0.0;
    ifd__pace_scaled.hold(s.h);
    assert_near(ifd__test_of(s.h)->phase_to, M, 0.0, "two ticks");
    assert_near(ifd__test_of(s.h)->path_ticks, 2.0, 0.0, "two ticks");
    /* Near rest and near the stage: 0.04 at a rate of 0.1 that decreases to zero, 0.8 ticks, one whole tick. */
    ifd__test_of(s.h)->phase = M - 0.04;
    ifd__test_of(s.h)->rate = 0.1;
    ifd__pace_scaled.hold(s.h);
    assert_near(ifd__test_of(s.h)->phase_to, M, 0.0, "one tick");
    assert_near(ifd__test_of(s.h)->path_ticks, 1.0, 0.0, "one tick");
    ifd_arena_close(s.arena);
}

/* The same for each actuator of each drive, 1/512 s per tick; rest is on a whole tick, and on the next stage. */
TEST(an_actuator_of_a_drive_is_held_as_long_as_its_motion_asks_for)
{
    const ifd_driven pair = {.drive = {.actuators = 2, .dofs = 1}};
    bare_make(0, 1.0 / 512.0);
    bare_drives(2, &pair, 0.05);
    bare.opt.brake = 0.3;
    bare.opt.ticks_per_stage = bare.numerical.exchanges = 1;
    for (int i = 0; i < 8; i++) {
        memset(bare_x, 0, sizeof bare_x);
        ifd__test_of(&bare)->rate = 1.0;
        ifd__actuator_state *a = ifd__actuator_of(&bare, &bare_drive[i / 2 % 2], i % 2);
        double time = i < 4 ? 1.75 : 2.4494897;
        a->peak_v = a->peak_a = 0.02;
        a->step = i < 4 ? 0.0 : 0.02 * bare.period;
        a->a = i < 4 ? 0.0 : -0.01;
        ifd__pace_scaled.hold(&bare);
        if (!(ifd__test_of(&bare)->path_ticks >= time * 512.0 - 1.0 &&
              ifd__test_of(&bare)->path_ticks <= time * 512.0 + 2.0))
            fail_msg("row %d: %g ticks, expected %g", i, ifd__test_of(&bare)->path_ticks, time * 512.0);
    }
}

/* A brake of 256 ticks takes a distance of 128 stages; with substructures rest is on the last exchange of a step,
 * here of three. */
TEST(parts_rest_at_the_end_of_a_step)
{
    bare_make(0, 1.0 / 512.0);
    ifd__test_of(&bare)->pace = 1.0;
    bare.opt.brake = 0.5;
    bare.opt.ticks_per_stage = 1;
    bare.numerical.exchanges = 3;
    for (int coupled = 0; coupled < 2; coupled++)
        for (int due = 0; due < 3; due++) {
            memset(bare_x, 0, sizeof bare_x);
            ifd__test_of(&bare)->rate = 1.0;
            ifd__test_of(&bare)->exchange = due;
            bare.numerical.coupled =
                coupled ? (void *)bare_x : NULL; /* only the existence of substructures is checked */
            ifd__pace_scaled.hold(&bare);
            assert_near(ifd__test_of(&bare)->phase_to, coupled ? 130.0 - due : 128.0, 0.0, "coupled %d, due %d",
                        coupled, due);
        }
}

/* A stage is due at the nearer of two ticks, at the later one if both are equally near, and at rest. */
TEST(a_stage_falls_due_at_the_nearer_tick)
{
    static const struct {
        double phase, rate;
        bool due;
    } rows[] = {{4.0, 0.0, true},   {4.0, 1.0, true},   {3.75, 1.0, true}, {3.5, 1.0, false},
                {3.25, 1.0, false}, {3.75, 0.0, false}, {4.25, 1.0, true}};
    bare_make(0, 1.0 / 512.0);
    ifd__test_of(&bare)->pace = 1.0;
    bare.opt.ticks_per_stage = 4;
    for (size_t i = 0; i < COUNT(rows); i++) {
        ifd__test_of(&bare)->phase = rows[i].phase;
        ifd__test_of(&bare)->rate = ifd__test_of(&bare)->rate_to = rows[i].rate;
        if (ifd__time_due(&bare) != rows[i].due)
            fail_msg("row %d", (int)i);
    }
}

/* It is taken over within 16 stages while the rate differs or changes; released within a brake of 256 ticks. */
TEST(the_calm_command_is_taken_over_and_given_back)
{
    static const struct {
        double rate, k, n, before, after;
    } rows[] = {{0.5, 5.0, 5.0, 0.25, 0.25 + 1.0 / 64.0}, {1.0, 4.0, 5.0, 0.25, 0.25 + 1.0 / 64.0},
                {1.0, 5.0, 5.0, 0.5, 0.5 - 1.0 / 256.0},  {1.0, 6.0, 5.0, 0.5, 0.5 - 1.0 / 256.0},
                {0.5, 5.0, 5.0, 1.0 - 1.0 / 128.0, 1.0},  {1.0, 5.0, 5.0, 1.0 / 512.0, 0.0},
                {0.5, 4.0, 5.0, 0.25, 0.25 + 1.0 / 64.0}};
    bare_make(0, 1.0 / 512.0);
    ifd__test_of(&bare)->pace = 1.0;
    bare.opt.brake = 0.5;
    bare.opt.ticks_per_stage = 4;
    for (size_t i = 0; i < COUNT(rows); i++) {
        ifd__test_of(&bare)->rate_to = rows[i].rate;
        ifd__test_of(&bare)->path_tick = rows[i].k;
        ifd__test_of(&bare)->path_ticks = rows[i].n;
        ifd__test_of(&bare)->calm = rows[i].before;
        ifd__time_calm(&bare);
        assert_near(ifd__test_of(&bare)->calm, rows[i].after, 0.0, "row %d", (int)i);
    }
}

/* Its decay per tick is the largest of 1/4 of a stage, 1/20 of a brake and 1/10 of V/A; it also follows while it is
 * not in use. */
TEST(the_calm_command_remembers_as_long_as_it_may)
{
    static const struct {
        int ticks;
        double brake, V, A, forgets;
    } rows[] = {{4, 2.0, 0.0, 0.0, 0.0625},
                {64, 2.0, 0.0, 0.0, 10.0 / 512.0},
                {64, 2.0, 1.0, 4.0, 40.0 / 512.0},
                {1, 1.0 / 128.0, 0.0, 0.0, 1.0},
                {4, 2.0, 0.0, 4.0, 0.0625}};
    for (int led = 0; led < 2; led++)
        for (size_t i = 0; i < COUNT(rows); i++) {
            bare_make(1, 1.0 / 512.0);
            bare_interface[0].bounds = (ifd__bounds){-1.0, 1.0, 1.0, 1.0, 1.0 / 512.0};
            bare.opt.brake = rows[i].brake;
            bare.opt.ticks_per_stage = rows[i].ticks;
            ifd__interface_of(&bare, 0)->seen.peak_v = rows[i].V;
            ifd__interface_of(&bare, 0)->seen.peak_a = rows[i].A;
            ifd__interface_of(&bare, 0)->next_target = 0.25;
            ifd__test_of(&bare)->calm = led ? 0.5 : 0.0;
            ifd__calm own, *follows = &ifd__interface_of(&bare, 0)->calm;
            double u = 0.5;
            ifd__calm_begin(&own, 0.125);
            ifd__calm_begin(follows, 0.125);
            ifd__calm_step(&own, 0.5, 0.375, rows[i].forgets);
            double expected = led ? ifd__calm_position(&own, 0.5, 0.5, 0x1p-18) : 0.5;
            assert_int_equal(ifd__time_calmed(&bare, 0, 0.375, &u), led);
            assert_near(u, expected, 0.0, "row %d, led %d", (int)i, led);
            assert_near(ifd__interface_of(&bare, 0)->next_target, 0.25 + (expected - 0.5), 0.0, "row %d: aimed",
                        (int)i);
            for (int r = 0; r < IFD__DOUBLES(ifd__calm); r++)
                assert_near(((double *)follows)[r], ((double *)&own)[r], 0.0, "row %d, led %d: memory %d", (int)i,
                            led, r);
        }
}

/* A pace or a hold that is ordered during a change of rate follows in the tick after the end of the change. */
TEST(what_is_ordered_during_a_change_follows_at_its_end)
{
    static const ifd_machine states[] = {IFD_MACHINE_RUN, IFD_MACHINE_HOLD};
    for (size_t i = 0; i < COUNT(states); i++) {
        bare_make(0, 1.0 / 512.0);
        bare.opt.brake = 0.5;
        bare.opt.ticks_per_stage = 1024;
        bare.numerical.exchanges = 1;
        ifd__test_state *t = ifd__test_of(&bare);
        t->state = (double)states[i];
        t->pace = i ? 1.0 : 0.5;
        t->cap = 1.0;
        t->rate_from = t->rate = 1.0;
        t->rate_to = 0.75;
        t->phase_to = 7.0; /* eight ticks at a mean rate of 0.875 */
        t->path_ticks = 8.0;
        for (int k = 1; k <= 8; k++) {
            ifd__time_tick(&bare);
            assert_near(t->rate_to, 0.75, 0.0, "state %d, tick %d", (int)i, k);
        }
        assert_near(t->phase, 7.0, 0.0, "the end of the change");
        ifd__time_tick(&bare);
        assert_near(t->rate_to, i ? 0.0 : 0.5, 0.0, "state %d: what was ordered", (int)i);
        assert_near(t->path_tick, 1.0, 0.0, "state %d: its first tick", (int)i);
        assert_near(t->phase_from, 7.0, 0.0, "state %d: from there", (int)i);
    }
}

/* A due stage that cannot be solved stops the time, as does rest on a stage. One that falls due half a tick early by
 * an order of this tick does not wait. Four ticks per stage at full rate. */
TEST(time_waits_for_a_stage_that_is_due_and_not_solved)
{
    static const struct {
        const char *name;
        double phase, not_ready, next;
    } rows[] = {{"between two stages", 1.0, 0.0, 2.0},
                {"between them, after a stage that was late", 1.0, 2.0, 2.0},
                {"due by an order of this tick", 3.75, 0.0, 4.75},
                {"due and late", 3.75, 1.0, 3.75},
                {"at the stage", 4.0, 0.0, 4.0},
                {"at the stage and late", 4.0, 3.0, 4.0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        bare_make(0, 1.0 / 512.0);
        bare.opt.ticks_per_stage = 4;
        ifd__test_state *t = ifd__test_of(&bare);
        t->state = IFD_MACHINE_RUN;
        t->pace = t->cap = t->rate = t->rate_from = t->rate_to = 1.0;
        t->path_tick = t->path_ticks = 4.0;
        t->phase = rows[i].phase;
        t->not_ready = rows[i].not_ready;
        ifd__time_tick(&bare);
        assert_near(t->phase, rows[i].next, 0.0, "%s", rows[i].name);
    }
}

/* In overtime time goes past the stage and back to it by the quintic, within N ticks, of which each is one. There it
 * is at rest to the bit, and ends if the stage is solved. */
TEST(overtime_returns_to_the_stage_in_its_last_tick)
{
    static const struct {
        double phase, rate, slope;
    } rows[] = {{4.0, 1.0, 0.0}, {4.3, 0.7, 0.01}, {4.1, 0.3, -0.02}, {3.9, 0.9, 0.03}};
    for (int solved = 0; solved < 2; solved++)
        for (size_t i = 0; i < COUNT(rows); i++) {
            bare_make(1, 1.0 / 512.0);
            bare_interface[0].bounds.acceleration = 1.0;
            bare.opt.brake = 0.02;
            bare.opt.ticks_per_stage = 4;
            ifd__test_state *t = ifd__test_of(&bare);
            t->state = IFD_MACHINE_RUN;
            t->pace = t->cap = t->not_ready = 1.0;
            t->phase = t->last_phase = rows[i].phase;
            t->rate = rows[i].rate;
            t->slope = rows[i].slope;
            ifd__pace_scaled.late(&bare, IFD_ACTION_HOLD);
            const double from[] = {rows[i].phase, rows[i].rate, rows[i].slope};
            int N = (int)lround(t->path_ticks);
            assert_true(ifd__overtime(&bare) && N > 10);
            t->solved = solved;
            for (int k = 1; k < N; k++) {
                double y[3];
                ifd__time_tick(&bare);
                quintic((double)k / N, from, 4.0, 0.0, N, y);
                assert_near(t->phase, y[0], 1e-9, "row %d, tick %d: phase", (int)i, k);
                assert_near(t->rate, y[1], 1e-9, "row %d, tick %d: rate", (int)i, k);
                assert_true(ifd__overtime(&bare));
            }
            ifd__time_tick(&bare);
            assert_true(t->phase == 4.0 && t->rate == 0.0 && t->slope == 0.0);
            assert_int_equal(ifd__overtime(&bare), !solved);
        }
}

TESTS()
