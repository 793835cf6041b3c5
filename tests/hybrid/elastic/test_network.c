/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* A test on a specimen behind a slow network gives the result of the same test beside the specimen, whatever the
 * network does. The commands are watched by the network, and the bound of simulated time by its own arithmetic. */
#include <math.h>
#include <stdlib.h>

#include "hybrid/pace/elastic.h"
#include "hybrid/elastic/relay.h"
#include "hybrid/hybrid_stand.h"

enum { TICK_MS = 1, STEPS = 500 }; /* of 4 ms, two stages each */
static const double tick = 1e-3, tau = 12e-3, brake = 0.2, stage = 2e-3;

typedef struct network {
    double round_trip, jitter, loss, cut_from, cut_to; /* s */
} network;

typedef struct outcome {
    double u[STEPS + 1]; /* m, displacement at the end of each step */
    int steps, ticks;
    double worst;      /* ticks of progress beyond the answered command and the window; negative: never */
    double rest, most; /* s at rest in the run: longest and largest rate */
    int rests;
    ifd_trip_facts trip;
    ifd_machine end;
    uint64_t hash;
    relay site;
} outcome;

typedef struct scene {
    stand s;
    ifd_elastic elastic;
    ifd_value polynomial[IFD_COMPENSATOR_PARAMS];
    outcome *o;
} scene;

/* lambda as preflight proposes it: the largest round trip and the way to rest fit into 0.95 of the delay. */
static int lambda_of(const network *n)
{
    return (int)ceil((n->round_trip * (1.0 + n->jitter) + 2.0 * brake / 3.0) / (0.95 * tau));
}

/* A structure of 10 t on 0.8 Hz; the specimen has a third of its stiffness. */
static scene *prepare(const network *n, int lambda, bool compensated)
{
    scene *c = calloc(1, sizeof *c);
    c->o = calloc(1, sizeof *c->o);
    stand_prepare(&c->s, 20e3, 10e3);
    c->o->site = (relay){.round_trip = n->round_trip / tick,
                         .jitter = n->jitter,
                         .loss = n->loss,
                         .cut_from = n->cut_from / tick,
                         .cut_to = n->cut_to / tick,
                         .stiffness = 10e3};
    ifd_elastic_defaults(&c->elastic);
    c->elastic.delay = tau;
    c->elastic.brake = brake;
    c->elastic.give_up = 40.0;
    c->s.opt.elastic = &c->elastic;
    c->s.opt.rig = &relay_rig;
    c->s.opt.rig_setup = &c->o->site;
    c->s.opt.automatic = true;
    c->s.opt.lambda = lambda;
    c->s.opt.ticks_per_stage = (int)lround(stage * lambda / tick);
    c->s.opt.end = STEPS * 4e-3;
    c->s.opt.force_stuck = IFD_STUCK_OFF;
    c->s.channel.limits.velocity = 0.2;
    c->s.channel.limits.acceleration = 1.0;
    c->s.channel.limits.tracking = 1e-3;
    c->s.channel.limits.force = 200.0;
    if (compensated) {
        const ifd_compensator_kind *kind = ifd_compensator_find("polynomial");
        ifd_param_preset(kind->params, c->polynomial);
        c->polynomial[ifd_param_find(kind->params, "delay")] = ifd_number(tau * lambda);
        c->s.channel.compensator = kind;
        c->s.channel.compensator_values = c->polynomial;
    }
    return c;
}

static void drop(scene *c)
{
    ifd_hybrid_close(c->s.h);
    ifd_arena_close(c->s.arena);
    free(c->o);
    free(c);
}

static void look(scene *c, double *resting)
{
    outcome *o = c->o;
    const ifd_hybrid *h = c->s.h;
    const ifd__elastic_state *e = ifd__elastic_of(h);
    int columns, at;
    const ifd_column *column = ifd_hybrid_columns(h, &columns);
    const double *v = c->s.t.values(c->s.t.self);
    at = ifd_column_find(column, columns, "x", IFD_COLUMN_DISPLACEMENT);
    assert_true(at >= 0);
    o->steps = (int)lround(ifd_hybrid_time(h) / 4e-3);
    o->u[o->steps] = v[at];
    o->worst = fmax(o->worst, e->progress - e->rig.answered - tau * h->opt.lambda / tick);
    if (ifd_hybrid_state(h) != IFD_MACHINE_RUN)
        return;
    double rate = v[ifd_column_find(column, columns, "", IFD_COLUMN_TEST_RATE)];
    assert_true(rate >= 0.0 && rate <= 1.0);
    o->most = fmax(o->most, rate);
    o->rests += rate < 1e-3 && *resting == 0.0;
    *resting = rate < 1e-3 ? *resting + tick : 0.0;
    o->rest = fmax(o->rest, *resting);
}

static void run(scene *c)
{
    outcome *o = c->o;
    double resting = 0.0;
    o->worst = -(double)INFINITY;
    stand_make(&c->s);
    assert_near(ifd_hybrid_period(c->s.h), tick, 1e-12, "tick");
    for (ifd_run_state state = IFD_RUN_GOING; state == IFD_RUN_GOING; o->ticks++) {
        const ifd_tick_in in = {0};
        assert_true(o->ticks < 2000000);
        state = c->s.t.tick(c->s.t.self, &in);
        look(c, &resting);
        o->hash = o->hash * 31u + c->s.t.trace(c->s.t.self)->hash;
    }
    o->trip = ifd_hybrid_trip(c->s.h);
    o->end = ifd_hybrid_state(c->s.h);
}

/* The largest difference of the displacements, relative to their peak. */
static double difference(const outcome *a, const outcome *b)
{
    double peak = 0.0, most = 0.0;
    assert_int_equal(a->steps, b->steps);
    for (int i = 0; i <= STEPS; i++) {
        peak = fmax(peak, fabs(a->u[i]));
        most = fmax(most, fabs(a->u[i] - b->u[i]));
    }
    return most / peak;
}

static const network networks[] = {{0.04, 0.1, 0.0, 0.0, 0.0},
                                   {0.2, 0.1, 0.01, 0.0, 0.0},
                                   {0.2, 0.5, 0.1, 0.0, 0.0},
                                   {0.2, 0.1, 0.01, 12.0, 15.0},
                                   {0.4, 0.3, 0.05, 20.0, 50.0}};

static void one_network(const network *n, bool compensated)
{
    const network none = {0};
    int lambda = lambda_of(n);
    scene *far = prepare(n, lambda, compensated), *near = prepare(&none, lambda, compensated);
    run(far);
    run(near);
    double d = difference(near->o, far->o);
    printf("round trip %3.0f ms +-%2.0f %% loss %2.0f %% cut %2.0f s, lambda %d%s: difference %.2e, ticks %d of %d, "
           "at rest %d times, longest %.2f s, margin %.2f ticks, acceleration %.2f, oldest %0.f ms\n",
           1e3 * n->round_trip, 100 * n->jitter, 100 * n->loss, n->cut_to - n->cut_from, lambda,
           compensated ? " compensated" : "", d, far->o->ticks, near->o->ticks, far->o->rests, far->o->rest,
           -far->o->worst, far->o->site.most_acceleration, far->o->site.most_age);
    assert_int_equal(far->o->trip.trip, IFD_TRIP_NONE);
    assert_int_equal(far->o->end, IFD_MACHINE_STOPPED);
    assert_int_equal(far->o->steps, STEPS);
    assert_true(d < 1e-3);
    assert_true(far->o->worst <= 0.0);
    assert_true(far->o->site.most_velocity <= 0.2 && far->o->site.most_acceleration <= 1.0 + 1e-9);
    assert_int_equal(ifd_hybrid_count(far->s.h, IFD_TRIP_GOVERNED), 0);
    if (n->cut_to > 0.0) {
        assert_true(far->o->rest > n->cut_to - n->cut_from - 1.5);
        assert_true(far->o->rest < n->cut_to - n->cut_from + 1.5);
    }
    drop(far);
    drop(near);
}

TEST(test_networks)
{
    for (size_t i = BRIEF; i < sizeof networks / sizeof *networks; i += BRIEF ? 2 : 1) /* with and without a cut */
        one_network(&networks[i], false);
}

TEST(test_compensated)
{
    one_network(&networks[2], true);
    one_network(&networks[3], true);
}

/* The same delay by an actuator of the virtual rig, with a constant rate of simulated time: other code. */
TEST(test_constant_delay)
{
    const network none = {0};
    enum { LAMBDA = 16 };
    scene *c = prepare(&none, LAMBDA, false), *rigid = prepare(&none, LAMBDA, false);
    run(c);
    const ifd_actuator_kind *kind = ifd_actuator_find("delay");
    ifd_param_preset(kind->params, rigid->s.actuator);
    rigid->s.actuator[ifd_param_find(kind->params, "delay")] = ifd_number(tau * LAMBDA);
    rigid->s.bench.actuator = kind;
    rigid->s.bench.actuator_values = rigid->s.actuator;
    rigid->s.opt.elastic = NULL;
    rigid->s.opt.rig = &ifd_virtual_rig;
    rigid->s.opt.rig_setup = &rigid->s.laboratory;
    rigid->s.channel.limits.tracking = (double)INFINITY;
    stand_make(&rigid->s);
    for (ifd_run_state going = IFD_RUN_GOING; going == IFD_RUN_GOING;) {
        const ifd_tick_in in = {0};
        int columns;
        going = rigid->s.t.tick(rigid->s.t.self, &in);
        const ifd_column *column = ifd_hybrid_columns(rigid->s.h, &columns);
        int at = ifd_column_find(column, columns, "x", IFD_COLUMN_DISPLACEMENT);
        rigid->o->steps = (int)lround(ifd_hybrid_time(rigid->s.h) / 4e-3);
        rigid->o->u[rigid->o->steps] = rigid->s.t.values(rigid->s.t.self)[at];
    }
    double d = difference(rigid->o, c->o);
    printf("difference from a delay of the actuator: %.2e\n", d);
    assert_true(d < 1e-5);
    /* And it is a delay: k tau of negative damping makes the free vibration grow by e^(k tau t/(2 m)). */
    double grows = 10e3 * tau / 2000.0, last = 0.0;
    for (int i = STEPS - 280; i <= STEPS; i++)
        last = fmax(last, fabs(c->o->u[i]));
    assert_true(last > 0.010 * exp(grows * 1.0) && last < 0.010 * exp(grows * 2.0));
    drop(c);
    drop(rigid);
}

/* Answers that end: lost after give-up, in that tick; everything is at rest long before. */
TEST(test_lost)
{
    const double end = 1e6;
    const network n = {0.2, 0.1, 0.0, 8.0, end};
    for (int one_way = 0; one_way < 2; one_way++) {
        scene *c = prepare(&n, lambda_of(&n), false);
        if (one_way) { /* measurements arrive, but no command does */
            c->o->site.cut_from = c->o->site.cut_to = 0.0;
            c->o->site.commands_cut_from = 8.0 / tick;
        }
        run(c);
        assert_int_equal(c->o->trip.trip, IFD_TRIP_LOST);
        assert_int_equal(c->o->end, IFD_MACHINE_TRIPPED);
        double lost = (double)c->o->trip.tick * tick;
        printf("cut %s at 8 s: lost at %.3f s\n", one_way ? "of the commands" : "in both directions", lost);
        assert_true(lost > 8.0 + c->elastic.give_up - 0.25 && lost < 8.0 + c->elastic.give_up + 0.01);
        assert_true(c->o->rest > c->elastic.give_up - 2.0);
        assert_true(c->o->worst <= 0.0);
        drop(c);
    }
}

/* The recorded inputs give the same states, bit for bit. */
typedef struct tape {
    ifd_measure *m;
    bool *fresh;
    long count, at;
} tape;

static ifd_status open_tape(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)rig, (void)values, (void)arena, (void)note;
    return IFD_OK;
}

static bool sense_tape(ifd_rig *rig, ifd_measure *out, double *x)
{
    tape *t = rig->data;
    (void)x;
    long i = t->at++;
    *out = t->fresh[i] ? t->m[i] : *out;
    return t->fresh[i];
}

static void ignore(ifd_rig *rig, const ifd_command *c, double *x)
{
    (void)rig, (void)c, (void)x;
}

TEST(test_replay)
{
    static const ifd_rig_ops tape_rig = {
        .abi = IFD_RIG_ABI, .name = "tape", .open = open_tape, .sense = sense_tape, .command = ignore};
    enum { MOST = 80000 };
    const network n = {0.2, 0.4, 0.05, 12.0, 13.0};
    tape t = {calloc(MOST, sizeof *t.m), calloc(MOST, sizeof *t.fresh), 0, 0};
    scene *c = prepare(&n, 20, true), *again = prepare(&n, 20, true);
    uint64_t *hash = calloc(MOST, sizeof *hash);
    stand_make(&c->s);
    again->s.opt.rig = &tape_rig;
    again->s.opt.rig_setup = &t;
    stand_make(&again->s);
    for (ifd_run_state going = IFD_RUN_GOING; going == IFD_RUN_GOING; t.count++) {
        const ifd_tick_in in = {.order = t.count == 20000   ? IFD_ORDER_HOLD
                                         : t.count == 23000 ? IFD_ORDER_RESUME
                                                            : IFD_ORDER_NONE};
        assert_true(t.count < MOST);
        going = c->s.t.tick(c->s.t.self, &in);
        const ifd_tick_trace *trace = c->s.t.trace(c->s.t.self);
        t.m[t.count] = trace->measure;
        t.fresh[t.count] = trace->fresh;
        hash[t.count] = trace->hash;
        if (t.count == 22999) {
            assert_int_equal(ifd_hybrid_state(c->s.h), IFD_MACHINE_HOLD);
            assert_true(c->s.t.rests(c->s.t.self));
        }
    }
    assert_int_equal(ifd_hybrid_state(c->s.h), IFD_MACHINE_STOPPED);
    assert_near(ifd_hybrid_time(c->s.h), STEPS * 4e-3, 1e-9, "simulated time");
    for (long i = 0; i < t.count; i++) {
        const ifd_tick_in in = {.order = i == 20000   ? IFD_ORDER_HOLD
                                         : i == 23000 ? IFD_ORDER_RESUME
                                                      : IFD_ORDER_NONE};
        (void)again->s.t.tick(again->s.t.self, &in);
        assert_true(again->s.t.trace(again->s.t.self)->hash == hash[i]);
    }
    free(t.m);
    free(t.fresh);
    free(hash);
    drop(c);
    drop(again);
}

/* Ramp-out waits for the rig as the run does; unloading uses forces of a late answer. */
TEST(test_ramp_out)
{
    const network n = {0.4, 0.3, 0.05, 119.0, 125.0}; /* cut in the ramp-out */
    for (int end = IFD_RAMP_OUT_STAY; end <= IFD_RAMP_OUT_ZERO_FORCE; end++) {
        scene *c = prepare(&n, lambda_of(&n), false);
        c->s.opt.ramp_out_end = (ifd_ramp_out_end)end;
        run(c);
        double left = c->o->site.applied.position[0] * c->o->site.stiffness;
        printf("ramp-out %d: %.1f s, force %.3f N\n", end, c->o->ticks * tick, left);
        assert_int_equal(c->o->trip.trip, IFD_TRIP_NONE);
        assert_int_equal(c->o->end, IFD_MACHINE_STOPPED);
        assert_true(end != IFD_RAMP_OUT_ZERO_FORCE || fabs(left) < 1.0);
        assert_true(c->o->worst <= 0.0 && c->o->site.most_acceleration <= 1.0 + 1e-9);
        drop(c);
    }
}

/* What changes with the network or needs present forces is refused. */
TEST(test_refused)
{
    const network none = {0};
    for (int i = 0; i < 8; i++) {
        scene *c = prepare(&none, 16, false);
        ifd_note note;
        ifd_note_init(&note, c->s.arena);
        c->s.opt.rate_dependent = i == 0 || i == 1;
        c->elastic.allow_rate_dependent = i == 1;
        c->s.opt.preload = i == 2;
        c->s.opt.checkpoint_every = i == 3 ? 1.0 : (double)INFINITY;
        c->elastic.give_up = i == 4 ? 1.1 : 30.0;
        c->elastic.delay = i == 5 ? 2e-4 : tau;
        c->s.opt.hold_relaxation = i == 6 ? 0.1 : 0.0;
        ifd_force_control force;
        ifd_force_control_defaults(&force);
        c->s.channel.force = i == 7 ? &force : NULL;
        ifd_status status = ifd_hybrid_make(c->s.arena, &c->s.opt, &c->s.h, &note);
        assert_int_equal(status == IFD_OK, i == 1);
        assert_int_equal(note.errors > 0, i != 1);
        ifd_arena_close(c->s.arena);
        free(c->o);
        free(c);
    }
}

TESTS()
