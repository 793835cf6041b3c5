/* SPDX-License-Identifier: MIT */
/* A tripped test that waits: commanded to hold in every tick, recorded once per second, and replayed from that. */
#include <stdlib.h>

#include "rig/replay.h"
#include "hybrid/hybrid.h"
#include "hybrid/hybrid_stand.h"

/* The laboratory with sensors that never repeat a value, a rig that checks its commands, and a hydraulic supply that
 * is switched. */
static struct {
    double last, moved; /* m: the last commanded position; the sum of its steps since the trip */
    uint64_t tick;
    long senses, commands;
    bool off;
} seen;

static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    bool fresh = ifd_virtual_rig.sense(rig, out, x);
    out->position[0] += 1e-6 * (double)(++seen.senses % 17);
    out->force[0] += 0.1 * (double)(seen.senses % 13);
    if (seen.off)
        out->inputs &= ~(uint32_t)IFD_INPUT_HYDRAULICS;
    return fresh;
}

static void command(ifd_rig *rig, const ifd_command *c, double *x)
{
    assert_true(seen.commands == 0 || c->tick == seen.tick + 1);
    if (c->state == IFD_MACHINE_TRIPPED)
        seen.moved += fabs(c->position[0] - seen.last);
    seen.last = c->position[0];
    seen.tick = c->tick;
    seen.commands++;
    ifd_virtual_rig.command(rig, c, x);
}

typedef struct kept {
    ifd_order order;
    uint64_t thinned;
    ifd_tick_trace trace;
    double values[64];
} kept;

enum { MOST = 4000 };
static kept *record;
static int records;
static uint64_t thinned;

static ifd_run_state tick(stand *s, ifd_order order)
{
    ifd_run_state state = s->t.tick(s->t.self, &(ifd_tick_in){.order = order});
    const ifd_tick_trace *trace = s->t.trace(s->t.self);
    if (trace->quiet) {
        thinned++;
        return state;
    }
    assert_true(records < MOST);
    kept *k = &record[records++];
    *k = (kept){.order = order, .thinned = thinned, .trace = *trace};
    memcpy(k->values, s->t.values(s->t.self), (size_t)s->t.count * sizeof *k->values);
    thinned = 0;
    return state;
}

/* Ticks until the state, for at most a minute. */
static void until(stand *s, ifd_machine state)
{
    for (long i = 0; i < 15000 && ifd_hybrid_state(s->h) != state; i++)
        assert_int_equal(tick(s, IFD_ORDER_NONE), IFD_RUN_GOING);
    assert_int_equal(ifd_hybrid_state(s->h), state);
}

static void wait(stand *s, double seconds)
{
    for (long i = 0; (double)i * ifd_hybrid_period(s->h) < seconds; i++)
        assert_int_equal(tick(s, IFD_ORDER_NONE), IFD_RUN_GOING);
}

static ifd_rig_ops watched;

static void begin(stand *s)
{
    memset(&seen, 0, sizeof seen);
    records = 0;
    thinned = 0;
    record = calloc(MOST, sizeof *record);
    watched = ifd_virtual_rig;
    watched.sense = sense;
    watched.command = command;
    stand_prepare(s, 4e5, 2e5);
    s->opt.rig = &watched;
    s->opt.automatic = true;
    s->opt.wait_tripped = true;
    stand_make(s);
    assert_true(s->t.count <= 64);
}

static void end(stand *s)
{
    ifd_hybrid_close(s->h);
    ifd_arena_close(s->arena);
    free(record);
}

static void replay(const stand *then)
{
    stand s;
    ifd__replay rig = {0};
    stand_prepare(&s, 4e5, 2e5);
    s.opt.rig = &ifd__replay_rig;
    s.opt.rig_setup = &rig;
    s.opt.automatic = true;
    stand_make(&s);
    for (int i = 0; i < records; i++) {
        const kept *k = &record[i];
        ifd__park_pass(s.h, k->thinned);
        rig.fresh = k->trace.fresh != 0;
        rig.measure = k->trace.measure;
        s.t.tick(s.t.self, &(ifd_tick_in){.order = k->order});
        if (s.t.trace(s.t.self)->hash != k->trace.hash)
            fail_msg("record %d of %d has another state", i, records);
        assert_memory_equal(s.t.values(s.t.self), k->values, (size_t)s.t.count * sizeof *k->values);
    }
    assert_int_equal(ifd_hybrid_state(s.h), ifd_hybrid_state(then->h));
    ifd_hybrid_close(s.h);
    ifd_arena_close(s.arena);
}

TEST(it_waits_held_and_is_recorded_once_a_second)
{
    stand s;
    begin(&s);
    until(&s, IFD_MACHINE_RUN);
    wait(&s, 0.5);
    tick(&s, IFD_ORDER_TRIP);
    wait(&s, 2.1); /* the brake, and the seconds that are recorded completely */
    int before = records;
    long commands = seen.commands;
    seen.moved = 0.0;
    wait(&s, 60.0);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_TRIPPED);
    assert_int_equal(seen.commands - commands, lround(60.0 / ifd_hybrid_period(s.h)));
    assert_true(seen.moved == 0.0);
    assert_in_range(records - before, 59, 61);
    assert_int_equal(tick(&s, IFD_ORDER_QUIT), IFD_RUN_FAULT);
    replay(&s);
    end(&s);
}

TEST(a_reset_after_a_long_wait_begins_again_and_replays)
{
    stand s;
    begin(&s);
    until(&s, IFD_MACHINE_RUN);
    tick(&s, IFD_ORDER_TRIP);
    wait(&s, 30.37);
    tick(&s, IFD_ORDER_RESET);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_IDLE);
    for (long i = 0; i < 5000 && ifd_hybrid_state(s.h) == IFD_MACHINE_IDLE; i++)
        tick(&s, IFD_ORDER_ARM);
    tick(&s, IFD_ORDER_RUN);
    until(&s, IFD_MACHINE_RUN);
    wait(&s, 0.5);
    assert_true(ifd_hybrid_count(s.h, IFD_TRIP_VELOCITY) == 0);
    replay(&s);
    end(&s);
}

TEST(a_change_of_the_inputs_is_recorded_at_once)
{
    stand s;
    begin(&s);
    until(&s, IFD_MACHINE_RUN);
    tick(&s, IFD_ORDER_TRIP);
    wait(&s, 10.1);
    int before = records;
    seen.off = true;
    wait(&s, 0.02);
    assert_true(records > before);
    assert_int_equal(record[before].trace.measure.inputs & IFD_INPUT_HYDRAULICS, 0);
    assert_true(ifd_hybrid_count(s.h, IFD_TRIP_HYDRAULICS) > 0);
    wait(&s, 3.0);
    replay(&s);
    end(&s);
}

TEST(without_the_wish_it_ends_by_itself)
{
    stand s;
    begin(&s);
    ifd_hybrid_close(s.h);
    s.opt.wait_tripped = false;
    stand_make(&s);
    memset(&seen, 0, sizeof seen);
    until(&s, IFD_MACHINE_RUN);
    tick(&s, IFD_ORDER_TRIP);
    long ticks = 0;
    while (ticks < 15000 && tick(&s, IFD_ORDER_NONE) == IFD_RUN_GOING)
        ticks++;
    assert_in_range((long)((double)ticks * ifd_hybrid_period(s.h) * 1000.0), 990, 1500);
    end(&s);
}

TESTS()
