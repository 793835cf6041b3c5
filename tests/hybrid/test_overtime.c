/* SPDX-License-Identifier: MIT */
/* A stage that cannot be solved yet: each rule of overtime at both sides of its edge, by closed forms. Complete tests
 * with a substructure on a worker are in test_late_job.c. */
#include "check.h"

#include <math.h>

#include "hybrid/bare.h"
#include "hybrid/chain/chain.h"
#include "hybrid/drives/drives.h"
#include "hybrid/hybrid.h"
#include "hybrid/hybrid_stand.h"
#include "hybrid/pace/scaled.h"

static const double specimen = 6e4; /* N/m */
static double louder;               /* N, added to the measured force */

static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    bool fresh = ifd_virtual_rig.sense(rig, out, x);
    out->force[0] += louder;
    return fresh;
}

static player *make(stand *s, int ticks, ifd_overrun overrun, int late_limit)
{
    static ifd_rig_ops ops;
    ops = ifd_virtual_rig;
    ops.sense = sense;
    louder = 0.0;
    stand_prepare(s, 4e4, specimen);
    s->opt.rig = &ops;
    s->opt.automatic = true;
    s->opt.ticks_per_stage = ticks;
    s->opt.overrun = overrun;
    s->opt.late_limit = late_limit;
    s->opt.late_time = 0.0;
    s->opt.ramp_in = 0.5;
    s->opt.brake = 0.3;
    s->opt.force_stuck = IFD_STUCK_OFF;
    stand_make(s);
    return &s->p;
}

/* Whether the stage, which is due at full rate, begins overtime. */
static bool begins(stand *s, ifd_machine state, ifd_action action)
{
    ifd__test_state *t = ifd__test_of(s->h);
    t->state = (double)state;
    t->phase = s->opt.ticks_per_stage;
    t->last_phase = t->phase - 1.0;
    t->rate = t->not_ready = 1.0;
    t->slope = 0.0;
    ifd__test_of(s->h)->overtime = 0.0;
    ifd__pace_scaled.late(s->h, action);
    return ifd__overtime(s->h);
}

/* T: 2 V/A of the run, 2 `brake` without them; not longer than 2 `brake` or than 4 V over 0.01 of the limit of
 * acceleration, not shorter than 4 |v| over 0.9 of it, nor than four ticks. Limit 100 m/s2, brake 0.3 s. */
static const struct {
    double V, A, v, half; /* m/s, m/s2, m/s, s */
} durations[] = {{0.2, 5.0, 0.0, 0.04}, {0.1, 0.1, 0.0, 0.3}, {0.5, 0.1, 0.0, 1.0}, {0.2, 5.0, -5.0, 1.0 / 9.0},
                 {0.0, 1.0, 0.0, 0.3},  {5.0, 0.0, 0.0, 0.3}, {1e-9, 1.0, 0.0, 0.0}};

static double ticks_of(double half, double period)
{
    return ceil(2.0 * fmax(half, 2.0 * period) / period - 1e-9);
}

TEST(the_motion_takes_as_long_as_that_of_the_run_asks_for)
{
    stand s;
    play(make(&s, 4, IFD_OVERRUN_HOLD, 5), "until time >= 0.5");
    ifd__interface_state *c = ifd__interface_of(s.h, 0);
    for (size_t i = 0; i < COUNT(durations); i++) {
        c->seen.peak_v = durations[i].V;
        c->seen.peak_a = durations[i].A;
        c->step = durations[i].v * s.h->period;
        assert_true(begins(&s, IFD_MACHINE_RUN, IFD_ACTION_HOLD));
        assert_near(ifd__test_of(s.h)->path_ticks, ticks_of(durations[i].half, s.h->period), 0.0, "row %d", (int)i);
    }
    ifd_interface_options by_force = *s.h->interface[0].o;
    by_force.force = &(ifd_force_control){0};
    s.h->interface[0].o = &by_force;
    c->seen.peak_v = c->seen.peak_a = 1.0;
    assert_true(begins(&s, IFD_MACHINE_RUN, IFD_ACTION_HOLD));
    assert_near(ifd__test_of(s.h)->path_ticks, 4.0, 0.0, "a controlled force does not count");
    s.h->interface[0].o = &s.channel;
    ifd_arena_close(s.arena);
}

/* Each of two actuators of each of two drives. */
TEST(the_slowest_actuator_of_a_drive_counts)
{
    const ifd_driven pair = {.drive = {.actuators = 2, .dofs = 1}};
    bare_make(0, 1.0 / 512.0);
    bare_drives(2, &pair, 100.0);
    bare.opt.brake = 0.3;
    bare.opt.ticks_per_stage = 4;
    for (int i = 0; i < 4 * (int)COUNT(durations); i++) {
        memset(bare_x, 0, sizeof bare_x);
        for (int k = 0; k < 4; k++) /* of another one: 0.01 s */
            *ifd__actuator_of(&bare, &bare_drive[k / 2], k % 2) =
                (ifd__actuator_state){.peak_v = 0.01, .peak_a = 1.0};
        ifd__actuator_state *a = ifd__actuator_of(&bare, &bare_drive[i / 2 % 2], i % 2);
        a->peak_v = durations[i / 4].V;
        a->peak_a = durations[i / 4].A;
        a->step = durations[i / 4].v * bare.period;
        ifd__test_of(&bare)->rate = 1.0;
        ifd__pace_scaled.late(&bare, IFD_ACTION_HOLD);
        assert_near(ifd__test_of(&bare)->path_ticks, ticks_of(fmax(durations[i / 4].half, 0.01), bare.period), 0.0,
                    "row %d", i);
    }
}

/* With less than a tick in a quarter of a stage, a test that tolerates the late tick waits at the stage. */
TEST(four_ticks_per_stage_or_a_hold_begin_overtime)
{
    for (int ticks = 2; ticks <= 4; ticks++) {
        stand s;
        play(make(&s, ticks, IFD_OVERRUN_EXTRAPOLATE, 5), "until time >= 0.5");
        assert_int_equal(begins(&s, IFD_MACHINE_RUN, IFD_ACTION_NOTE), ticks == 4);
        assert_true(begins(&s, IFD_MACHINE_RUN, IFD_ACTION_HOLD));
        assert_true(begins(&s, IFD_MACHINE_HOLD, IFD_ACTION_NOTE));
        ifd_arena_close(s.arena);
    }
}

/* Simulated time is the sum of all rates: in overtime the advance of the phase, otherwise the planned rate. */
TEST(the_rate_in_overtime_is_the_advance_of_the_phase)
{
    stand s;
    play(make(&s, 4, IFD_OVERRUN_EXTRAPOLATE, 5), "until time >= 0.5");
    ifd__test_state *t = ifd__test_of(s.h);
    for (int i = 0; i < 4; i++) {
        t->overtime = i & 1;
        t->not_ready = i & 2;
        t->phase = 3.0;
        t->last_phase = 2.75;
        t->rate = 0.5;
        assert_near(ifd__time_rate(s.h), i & 1 ? 0.25 : i & 2 ? 0.0 : 0.5, 0.0, "row %d", i);
    }
    ifd_arena_close(s.arena);
}

TEST(only_scaled_time_has_overtime)
{
    assert_true(ifd__pace_scaled.late && !ifd__pace_elastic.late && !ifd__pace_master.late);
}

/* A specimen that has waited at the stage is at rest there, and stays. */
TEST(what_has_waited_does_not_move)
{
    for (int waited = 1; waited <= 2; waited++) {
        stand s;
        play(make(&s, 4, IFD_OVERRUN_HOLD, 5), "until time >= 0.5");
        ifd__test_state *t = ifd__test_of(s.h);
        ifd__test_of(s.h)->overtime = 0.0;
        t->phase = 4.0;
        t->rate = 1.0;
        t->slope = 0.01;
        t->not_ready = waited;
        ifd__interface_of(s.h, 0)->force = 1e20; /* the stage is at a tick: an earlier force has no effect */
        ifd__pace_scaled.late(s.h, IFD_ACTION_HOLD);
        assert_near(ifd__interface_of(s.h, 0)->force, ifd__chain_force(&s.h->io, 0), 0.0, "force");
        assert_near(t->rate, waited == 1 ? 1.0 : 0.0, 0.0, "rate");
        assert_near(t->slope, waited == 1 ? 0.01 : 0.0, 0.0, "slope");
        ifd_arena_close(s.arena);
    }
}

/* At full rate the stage is at a tick, and its force is the measured one. While a resume changes the rate it is
 * between two ticks: the force of a spring is that at its displacement. */
TEST(the_force_is_that_of_the_stage)
{
    int between = 0;
    for (int skipped = 0; skipped < 120; skipped++) {
        stand s;
        play(make(&s, 4, IFD_OVERRUN_HOLD, 5), "until time >= 0.3");
        if (skipped % 2) {
            play(&s.p, "hold; until rests = 1 within 10000; resume");
        }
        play(&s.p, "%d", 2 * skipped);
        const ifd__interface_state *c = ifd__interface_of(s.h, 0);
        const ifd__test_state *t = ifd__test_of(s.h);
        double to = 0.0;
        for (int k = 0; k < 1000 && !ifd_hybrid_count(s.h, IFD_TRIP_LATE_JOB); k++) {
            to = c->to_u;
            play(&s.p, "job_late := 1; 1");
        }
        double factor = s.h->interface[0].factor * specimen;
        assert_near(c->force, factor * to, 1e-9 * specimen, "%d ticks skipped", skipped);
        between += fabs(t->phase_from - 4.0) > 1e-3;
        if (skipped % 2 == 0)
            assert_near(c->force, ifd__chain_force(&s.h->io, 0), 0.0, "measured");
        ifd_arena_close(s.arena);
    }
    assert_true(between > 20);
}

/* A tick of overtime has brought them `past` ticks beyond the stage, which is solved now. */
static bool continues(stand *s, double past, double rate, double pace, ifd_machine state)
{
    ifd__test_state *t = ifd__test_of(s->h);
    ifd__interface_state *c = ifd__interface_of(s->h, 0);
    t->state = (double)state;
    t->phase = past;
    t->rate = rate;
    t->slope = 0.0;
    t->path_tick = 1.0;
    t->path_ticks = 400.0;
    ifd__test_of(s->h)->pace = pace;
    ifd__test_of(s->h)->overtime = 1.0;
    ifd__test_of(s->h)->solved = 0.0;
    c->from_u = 0.004;
    c->from_v = -0.05;
    c->to_u = 0.0038;
    c->to_v = -0.06;
    ifd__overtime_solved(s->h);
    bool goes = !ifd__overtime(s->h);
    assert_int_equal(ifd__test_of(s->h)->solved > 0.0, !goes);
    if (!goes) {
        assert_near(c->from_u, 0.004, 0.0, "the path does not change");
        return false;
    }
    double now[3], end[3], share = past / s->opt.ticks_per_stage;
    ifd__time_path_at(&s->h->io, 0, past, now);
    ifd__time_path_at(&s->h->io, 0, s->opt.ticks_per_stage, end);
    assert_near(now[0], 0.004 - 0.05 * share * s->h->stage_time, 1e-15, "continues where it is");
    assert_near(now[1], -0.05, 1e-11, "with its velocity");
    assert_near(end[0], 0.0038, 1e-15, "to the next stage");
    assert_near(end[1], -0.06, 1e-11, "with the velocity there");
    return true;
}

/* Within a quarter of a stage and with half of the pace, or more, a run continues from where the specimens are. */
TEST(a_run_continues_within_a_quarter_of_a_stage)
{
    stand s;
    play(make(&s, 8, IFD_OVERRUN_EXTRAPOLATE, 50), "until time >= 0.5");
    assert_true(continues(&s, 0.7, 1.0, 1.0, IFD_MACHINE_RUN));
    assert_true(continues(&s, 2.0, 1.0, 1.0, IFD_MACHINE_RUN));
    assert_false(continues(&s, 2.001, 1.0, 1.0, IFD_MACHINE_RUN));
    assert_true(continues(&s, 1.0, 0.5, 1.0, IFD_MACHINE_RUN));
    assert_false(continues(&s, 1.0, 0.499, 1.0, IFD_MACHINE_RUN));
    assert_true(continues(&s, 1.0, 0.125, 0.25, IFD_MACHINE_RUN));
    assert_false(continues(&s, 1.0, 0.124, 0.25, IFD_MACHINE_RUN));
    assert_false(continues(&s, 1.0, 1.0, 1.0, IFD_MACHINE_HOLD));
    ifd_arena_close(s.arena);
}

/* A rate that falls too steeply for a sound plan back to the pace: they return first. */
TEST(a_run_that_cannot_continue_smoothly_returns_first)
{
    stand s;
    play(make(&s, 8, IFD_OVERRUN_EXTRAPOLATE, 50), "until time >= 0.5");
    ifd__test_state *t = ifd__test_of(s.h);
    ifd__interface_state *c = ifd__interface_of(s.h, 0);
    double from = c->from_u;
    t->phase = 1.0;
    t->rate = 0.6;
    t->slope = -0.3;
    t->path_tick = 1.0;
    t->path_ticks = 10.0;
    ifd__test_of(s.h)->overtime = 1.0;
    ifd__overtime_solved(s.h);
    assert_true(ifd__overtime(s.h) && ifd__test_of(s.h)->solved > 0.0);
    assert_near(c->from_u, from, 0.0, "the path does not change");
    assert_near(t->path_ticks, 10.0, 0.0, "the return continues");
    ifd_arena_close(s.arena);
}

/* The structure takes the force of the stage, whatever is measured while it waits, however long: the end of a test
 * with a wait of three times T is that of a test without. */
TEST(what_is_measured_while_it_waits_is_not_used)
{
    double x[2][2];
    for (int late = 0; late < 2; late++) {
        stand s;
        play(make(&s, 4, IFD_OVERRUN_EXTRAPOLATE, 1000000), "until time >= 0.4");
        play(&s.p, "job_late := %d; until count.LATE_JOB = %d within 1000", late, late);
        louder = late ? 50.0 : 0.0;
        double T = ifd__test_of(s.h)->path_ticks;
        play(&s.p, "%d; job_late := 0; 1", late ? 3 * (int)T : 0);
        louder = 0.0;
        play(&s.p, "is run; until is != run; time = 2 +- 1e-9");
        memcpy(x[late], s.h->x, sizeof x[late]);
        ifd_arena_close(s.arena);
    }
    for (int i = 0; i < 2; i++)
        assert_near(x[1][i], x[0][i], 1e-10, "number %d of the structure", i);
}

/* What leaves the program. Where they wait at the stage, the governor brakes: the second difference of the commands
 * is within the limit, here a tenth of v/tick, and the test ends as one in time. */
TEST(a_wait_at_the_stage_keeps_the_limit_of_acceleration)
{
    for (int ticks = 1; ticks <= 3; ticks++) {
        stand s;
        stand_prepare(&s, 4e4, specimen);
        s.opt.automatic = true;
        s.opt.ticks_per_stage = ticks;
        s.opt.overrun = IFD_OVERRUN_EXTRAPOLATE;
        s.opt.late_limit = 6;
        s.opt.late_time = 0.0;
        s.channel.limits.acceleration = 5.0;
        stand_make(&s);
        double p[3] = {0.0, 0.0, 0.0}, most = 0.0, fastest = 0.0;
        for (long n = 0; n < 100000 && ifd_hybrid_state(s.h) != IFD_MACHINE_STOPPED; n++) {
            bool late = ifd_hybrid_time(s.h) >= 0.18 && ifd_hybrid_count(s.h, IFD_TRIP_LATE_JOB) < 6;
            s.p.in.job_late = late;
            player_tick(&s.p, IFD_ORDER_NONE);
            p[0] = p[1];
            p[1] = p[2];
            p[2] = s.h->command.position[0];
            most = fmax(most, fabs(p[2] - 2.0 * p[1] + p[0]) / (s.h->period * s.h->period));
            fastest = fmax(fastest, fabs(p[2] - p[1]) / s.h->period);
        }
        play(&s.p, "count.LATE_JOB = 6; time = 2 +- 1e-9");
        assert_true(most <= 5.0 * (1.0 + 1e-9));
        assert_true(fastest > 0.08 && fastest / s.h->period > 8.0 * most);
        ifd_arena_close(s.arena);
    }
}

TESTS()
