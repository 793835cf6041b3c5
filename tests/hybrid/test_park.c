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
    long recorded_off; /* number of the first record without pressure */
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

static stand s;

/* After each tick: what a journal would keep of it. */
static void keep(void *unused)
{
    const ifd_tick_trace *trace = s.t.trace(s.t.self);
    (void)unused;
    if (s.opt.wait_tripped && s.p.in.order != IFD_ORDER_QUIT)
        assert_int_equal(s.p.last, IFD_RUN_GOING); /* in every tick */
    if (trace->quiet) {
        thinned++;
        return;
    }
    assert_true(records < MOST);
    kept *k = &record[records++];
    *k = (kept){.order = s.p.in.order, .thinned = thinned, .trace = *trace};
    memcpy(k->values, s.t.values(s.t.self), (size_t)s.t.count * sizeof *k->values);
    thinned = 0;
    if (seen.recorded_off == 0 && !(trace->measure.inputs & IFD_INPUT_HYDRAULICS))
        seen.recorded_off = records;
}

static const quantity own[] = {QUANTITY(seen, moved),
                               QUANTITY(seen, commands),
                               QUANTITY(seen, off),
                               QUANTITY(seen, recorded_off),
                               {.name = "records", .kind = 'i', .at = &records},
                               {0}};

static ifd_rig_ops watched;

static player *open(const char *set)
{
    memset(&seen, 0, sizeof seen);
    records = 0;
    thinned = 0;
    record = calloc(MOST, sizeof *record);
    watched = ifd_virtual_rig;
    watched.sense = sense;
    watched.command = command;
    stand_prepare(&s, 4e5, 2e5);
    s.opt.rig = &watched;
    s.opt.automatic = true;
    s.opt.wait_tripped = true;
    s.own = own;
    s.p.after = keep;
    stand_set(&s, set);
    stand_make(&s);
    assert_true(s.t.count <= 64);
    return &s.p;
}

static void end(void)
{
    stand_close(&s);
    free(record);
}

static void replay(void)
{
    stand again;
    ifd__replay rig = {0};
    stand_prepare(&again, 4e5, 2e5);
    again.opt.rig = &ifd__replay_rig;
    again.opt.rig_setup = &rig;
    again.opt.automatic = true;
    stand_make(&again);
    for (int i = 0; i < records; i++) {
        const kept *k = &record[i];
        ifd__park_pass(again.h, k->thinned);
        rig.fresh = k->trace.fresh != 0;
        rig.measure = k->trace.measure;
        again.t.tick(again.t.self, &(ifd_tick_in){.order = k->order});
        if (again.t.trace(again.t.self)->hash != k->trace.hash)
            fail_msg("record %d of %d has another state", i, records);
        assert_memory_equal(again.t.values(again.t.self), k->values, (size_t)s.t.count * sizeof *k->values);
    }
    assert_int_equal(ifd_hybrid_state(again.h), ifd_hybrid_state(s.h));
    stand_close(&again);
    end();
}

static const scenario rows[] = {
    /* After the brake, and the seconds that are recorded completely. Ticks of 2 ms. */
    {"it waits held and is recorded once a second", NULL,
     "until run; 0.5 s; trip; 2.1 s; before := records; sent := commands; moved := 0; 60 s; is tripped\n"
     "result GOING; commands = sent + 30000; moved = 0; new := records - before; new in 59..61; quit; result FAULT"},
    {"a reset after a long wait begins again and replays", NULL,
     "until run; trip; 30.37 s; result GOING; reset; is idle; until wait ORDER within 5000; arm; is ready; run\n"
     "until run; 0.5 s; result GOING; count.VELOCITY = 0"},
    {"a change of the inputs is recorded at once", NULL,
     "until run; trip; 10.1 s; before := records; off := 1; 0.02 s; recorded_off = before + 1\n"
     "count.HYDRAULICS > 0; 3 s; result GOING"},
};
SCENARIOS(rows, open, replay)

static const scenario alone[] = {
    {"without the wish it ends by itself", "wait_tripped := 0",
     "until run; trip; until the end within 15000; waited in 495..750"},
};
SCENARIOS(alone, open, end)

TESTS()
