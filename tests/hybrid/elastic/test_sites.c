/* SPDX-License-Identifier: MIT */
/* Elastic time with two sites, each behind its own network; with a pace by order; and over two days. The reference is
 * the same test beside both specimens. */
#include <math.h>
#include <stdlib.h>

#include <interfield/several.h>

#include "hybrid/pace/elastic.h"
#include "hybrid/elastic/relay.h"
#include "hybrid/hybrid_stand.h"

enum { SITES = 2, STEPS = 250, LAMBDA = 39 };
static const double tick = 1e-3, tau = 12e-3, brake = 0.2;

typedef struct scene {
    stand s;
    ifd_elastic elastic;
    ifd_interface_options interface[SITES];
    relay site[SITES];
    ifd_rig_part part[SITES];
    ifd_several several;
    double u[STEPS + 1];
    int steps, ticks;
    double worst, most; /* ticks beyond the slowest answer and the window; largest rate of the run */
    ifd_run_state going;
} scene;

static void network(relay *r, double round_trip, double jitter, double loss)
{
    *r = (relay){.round_trip = round_trip / tick, .jitter = jitter, .loss = loss, .stiffness = 5e3};
}

/* 1 t on 20 kN/m and two specimens of 5 kN/m. */
static scene *prepare(bool far)
{
    scene *c = calloc(1, sizeof *c);
    stand_prepare(&c->s, 20e3, 10e3);
    ifd_elastic_defaults(&c->elastic);
    c->elastic.delay = tau;
    c->elastic.brake = brake;
    for (int r = 0; r < SITES; r++) {
        network(&c->site[r], far ? r ? 0.2 : 0.05 : 0.0, far ? 0.4 : 0.0, far ? 0.05 : 0.0);
        c->site[r].random = (uint64_t)r * 77;
        c->interface[r] = c->s.channel;
        c->interface[r].name = r ? "far" : "near";
        c->interface[r].limits = (ifd_limits){.low = -0.05,
                                              .high = 0.05,
                                              .velocity = 0.2,
                                              .acceleration = 1.0,
                                              .force = 200.0,
                                              .force_rate = (double)INFINITY,
                                              .tracking = 1e-3,
                                              .energy = (double)INFINITY,
                                              .measured_velocity = (double)INFINITY,
                                              .measured_acceleration = (double)INFINITY};
        c->part[r] = (ifd_rig_part){
            .name = r ? "lab-b" : "lab-a", .ops = &relay_rig, .setup = &c->site[r], .actuators = 1, .actuator = {r}};
    }
    c->several = (ifd_several){.rigs = SITES, .rig = c->part};
    c->s.opt.interfaces = SITES;
    c->s.opt.interface = c->interface;
    c->s.opt.elastic = &c->elastic;
    c->s.opt.rig = &ifd_several_rig;
    c->s.opt.rig_setup = &c->several;
    c->s.opt.automatic = true;
    c->s.opt.lambda = LAMBDA;
    c->s.opt.ticks_per_stage = 2 * LAMBDA;
    c->s.opt.end = STEPS * 4e-3;
    c->s.opt.force_stuck = IFD_STUCK_OFF;
    c->worst = -(double)INFINITY;
    return c;
}

static void drop(scene *c)
{
    ifd_hybrid_close(c->s.h);
    ifd_arena_close(c->s.arena);
    free(c);
}

static void look(scene *c)
{
    int columns;
    const ifd_hybrid *h = c->s.h;
    const ifd_column *column = ifd_hybrid_columns(h, &columns);
    const double *v = c->s.t.values(c->s.t.self);
    c->steps = (int)lround(ifd_hybrid_time(h) / 4e-3);
    c->u[c->steps] = v[ifd_column_find(column, columns, "x", IFD_COLUMN_DISPLACEMENT)];
    double answered = (double)INFINITY;
    for (int r = 0; r < SITES; r++)
        answered = fmin(answered, ifd__elastic_rig_of(h, r)->answered);
    c->worst = fmax(c->worst, ifd__elastic_of(h)->progress - answered - tau * LAMBDA / tick);
    if (ifd_hybrid_state(h) == IFD_MACHINE_RUN)
        c->most = fmax(c->most, v[ifd_column_find(column, columns, "", IFD_COLUMN_TEST_RATE)]);
}

static ifd_answer one(scene *c, ifd_order order)
{
    assert_true(++c->ticks < 400000);
    c->going = c->s.t.tick(c->s.t.self, &(ifd_tick_in){.order = order});
    look(c);
    return (ifd_answer)c->s.t.trace(c->s.t.self)->answer;
}

static void until(scene *c, double time)
{
    while (c->going == IFD_RUN_GOING && ifd_hybrid_time(c->s.h) < time)
        one(c, IFD_ORDER_NONE);
}

static void finish(scene *c)
{
    while (c->going == IFD_RUN_GOING)
        one(c, IFD_ORDER_NONE);
    assert_int_equal(ifd_hybrid_trip(c->s.h).trip, IFD_TRIP_NONE);
    assert_int_equal(ifd_hybrid_state(c->s.h), IFD_MACHINE_STOPPED);
}

/* Relative to the peak, from step `from` on. */
static double difference(const scene *a, const scene *b, int from)
{
    double peak = 0.0, most = 0.0;
    assert_int_equal(a->steps, b->steps);
    for (int i = from; i <= STEPS; i++) {
        peak = fmax(peak, fabs(a->u[i]));
        most = fmax(most, fabs(a->u[i] - b->u[i]));
    }
    return most / peak;
}

static void within_limits(const scene *c)
{
    assert_true(c->worst <= 0.0);
    for (int r = 0; r < SITES; r++)
        assert_true(c->site[r].most_velocity <= 0.2 && c->site[r].most_acceleration <= 1.0 + 1e-9);
    assert_int_equal(ifd_hybrid_count(c->s.h, IFD_TRIP_GOVERNED), 0);
}

static scene *beside(void)
{
    scene *c = prepare(false);
    stand_make(&c->s);
    finish(c);
    return c;
}

TEST(two_sites_are_one_test)
{
    scene *near = beside(), *c = prepare(true);
    c->site[1].cut_from = 8.0 / tick; /* of the slow one only */
    c->site[1].cut_to = 11.0 / tick;
    stand_make(&c->s);
    finish(c);
    within_limits(c);
    assert_true(c->site[0].most_age < 100.0 && c->site[1].most_age > 3000.0);
    assert_true(difference(near, c, 0) < 1e-5);
    drop(c);
    drop(near);
}

/* The cut of one site ends the test for both. */
TEST(one_lost_site_trips_both)
{
    scene *c = prepare(true);
    c->elastic.give_up = 4.0;
    c->site[0].cut_from = 8.0 / tick;
    c->site[0].cut_to = 1e9;
    stand_make(&c->s);
    while (c->going == IFD_RUN_GOING)
        one(c, IFD_ORDER_NONE);
    ifd_trip_facts trip = ifd_hybrid_trip(c->s.h);
    assert_int_equal(trip.trip, IFD_TRIP_LOST);
    assert_string_equal(ifd_hybrid_rig_name(c->s.h, trip.owner), "lab-a");
    assert_in_range(trip.tick, 11700, 12100);
    within_limits(c);
    drop(c);
}

/* Answers of one site become older than patience and stay so: both are awaited no longer, and it is named. */
TEST(the_site_that_holds_up_the_test_is_named)
{
    for (int slow = 0; slow < SITES; slow++) {
        scene *c = prepare(true);
        c->elastic.give_up = 4.0;
        c->elastic.patience = 0.8;
        stand_make(&c->s);
        until(c, 0.2);
        c->site[slow].round_trip = 1500.0;
        c->site[slow].jitter = 0.1;
        while (ifd_hybrid_state(c->s.h) == IFD_MACHINE_RUN)
            one(c, IFD_ORDER_NONE);
        ifd_trip_facts trip = ifd_hybrid_trip(c->s.h);
        assert_int_equal(trip.trip, IFD_TRIP_STANDSTILL);
        assert_string_equal(ifd_hybrid_rig_name(c->s.h, trip.owner), slow ? "lab-b" : "lab-a");
        within_limits(c);
        for (int k = 0; k < 50; k++) /* the ramp-out begins */
            one(c, IFD_ORDER_NONE);
        double next = ifd__elastic_of(c->s.h)->sent.next;
        for (int k = 0; k < 50; k++)
            one(c, IFD_ORDER_NONE);
        assert_near(ifd__elastic_of(c->s.h)->sent.next, next, 0.0, "commands to remember at rest");
        for (int r = 0; r < SITES; r++)
            ifd__elastic_rig_of(c->s.h, r)->acknowledged = 5.0;
        assert_string_equal(ifd_hybrid_rig_name(c->s.h, ifd__pace_elastic.awaited(c->s.h)), "lab-a");
        drop(c);
    }
}

TEST(a_pace_is_the_largest_rate)
{
    scene *near = beside(), *c = prepare(true);
    stand_make(&c->s);
    until(c, 0.2);
    assert_true(c->most > 0.6);
    assert_int_equal(one(c, IFD_ORDER_SLOWER), IFD_ANSWER_NONE);
    assert_int_equal(one(c, IFD_ORDER_SLOWER), IFD_ANSWER_NONE);
    for (int k = 0; k < 1000; k++) /* 5 brake times */
        one(c, IFD_ORDER_NONE);
    c->most = 0.0;
    until(c, 0.5);
    assert_near(c->most, 0.25, 1e-3, "largest rate");
    assert_int_equal(one(c, IFD_ORDER_FASTER), IFD_ANSWER_NONE);
    assert_int_equal(one(c, IFD_ORDER_FASTER), IFD_ANSWER_NONE);
    finish(c);
    assert_true(c->most > 0.6);
    within_limits(c);
    assert_true(difference(near, c, 0) < 1e-5);
    drop(c);
    drop(near);
}

/* At rest all commands are answered; the next day the ramp-in has another length, and other ticks. */
TEST(a_test_continues_on_another_day)
{
    for (int longer = 0; longer < 2; longer++) {
        scene *near = beside(), *first = prepare(true), *second = prepare(true);
        ifd_snapshot saved;
        stand_make(&first->s);
        until(first, 0.4);
        assert_int_equal(one(first, IFD_ORDER_CHECKPOINT), IFD_ANSWER_NOT_HELD);
        assert_false(ifd_hybrid_snapshot(first->s.h, &saved));
        one(first, IFD_ORDER_HOLD);
        while (!ifd_hybrid_snapshot(first->s.h, &saved))
            one(first, IFD_ORDER_NONE);
        const ifd__elastic_state *e = ifd__elastic_of(first->s.h);
        assert_near(e->rig.answered, e->progress, 0.0, "every command is answered");
        assert_near(e->progress, ifd__elastic_rig_of(first->s.h, 1)->answered, 0.0, "by the slow site too");
        second->s.opt.ramp_in = longer ? 100.0 : 1.0; /* more progress than the first day had, or less */
        for (int r = 0; r < SITES; r++) {             /* the specimens are where they were */
            second->site[r].applied = first->site[r].applied;
            second->site[r].applied.tick = 0;
        }
        stand_make(&second->s);
        assert_int_equal(ifd_hybrid_continue(second->s.h, &saved, NULL), IFD_OK);
        while (ifd_hybrid_state(second->s.h) != IFD_MACHINE_HOLD)
            one(second, IFD_ORDER_NONE);
        double before = ifd__elastic_of(second->s.h)->progress;
        assert_true(before >= e->progress && (longer || before == e->progress));
        for (int k = 0; k < 1000; k++)
            one(second, IFD_ORDER_NONE);
        assert_int_equal(one(second, IFD_ORDER_RESUME), IFD_ANSWER_NONE);
        finish(second);
        within_limits(second);
        double d = difference(near, second, 102);
        if (!(d < 1e-5))
            fail_msg("ramp-in %g s: difference %g", second->s.opt.ramp_in, d);
        drop(first);
        drop(second);
        drop(near);
    }
}

TEST(what_has_its_own_delay_is_refused)
{
    for (int i = 0; i < 4; i++) {
        scene *c = prepare(true);
        c->part[1].equalise = i == 1 ? 0.1 : 0.0;
        c->part[1].stale_time = i == 2 ? 1.0 : 0.0;
        c->s.opt.checkpoint_every = i == 3 ? 10.0 : (double)INFINITY;
        assert_int_equal(ifd_hybrid_make(c->s.arena, &c->s.opt, &c->s.h, NULL) == IFD_OK, i == 0);
        drop(c);
    }
}

TESTS()
