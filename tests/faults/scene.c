/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "faults/scene.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rig/replay.h"
#include "hybrid/hybrid.h"

enum { MOST_SETS = 8 };

static const struct {
    const char *file;
    const char *set[MOST_SETS];
} scenes[] = {
    [SPRINGS] = {IFD_SOURCE_DIR "/tests/faults/springs.yaml", {NULL}},
    [RAW] = {IFD_SOURCE_DIR "/tests/faults/raw.yaml", {NULL}},
    [COLUMN] = {IFD_SOURCE_DIR "/cases/column-mixed/column.yaml",
                {"time.end=1s", "test.ramp-in=0.8s", "test.settle=0.05s", "test.brake=0.1s",
                 "force-control.0.error=20kN", NULL}},
    [BLOCK] = {IFD_SOURCE_DIR "/cases/three-actuators/block.yaml",
               {"time.end=1s", "test.ramp-in=0.8s", "test.settle=0.05s", "test.brake=0.1s", "test.leave=start",
                NULL}},
    [PARTS] = {IFD_SOURCE_DIR "/tests/faults/parts.yaml", {NULL}},
    [LOADED] = {IFD_SOURCE_DIR "/tests/faults/loaded.yaml", {NULL}},
    [REHEARSED] = {IFD_SOURCE_DIR "/tests/faults/rehearsed.yaml", {NULL}},
    [WALL] = {IFD_SOURCE_DIR "/cases/rts-building/wall.yaml",
              {"time.end=0.3 s", "test.ramp-in=0.2 s", "test.settle=0.02 s", "test.brake=0.1 s", NULL}},
    [PRESCRIBED] = {IFD_SOURCE_DIR "/tests/faults/prescribed.yaml", {NULL}},
    [REMOTE] = {IFD_SOURCE_DIR "/tests/faults/springs.yaml", {"time.step=20ms", NULL}},
};

static void show(const ifd_note *note)
{
    for (const ifd_finding *f = note->first; f; f = f->next)
        print_error("%s\n", f->text);
}

static void read_case(scene *s, const char *const *set)
{
    const char *sets[2 * MOST_SETS];
    int count = 0;
    for (int i = 0; scenes[s->kind].set[i]; i++)
        sets[count++] = scenes[s->kind].set[i];
    for (int i = 0; set && set[i]; i++)
        sets[count++] = set[i];
    ifd_status status = ifd_case_read(s->arena, scenes[s->kind].file, count, sets, &s->c, &s->note);
    show(&s->note);
    assert_int_equal(status, IFD_OK);
    s->opt = *s->c->test;
    s->opt.automatic = false;
}

/* The test of a case on another rig. */
static ifd_hybrid *make(scene *s, const ifd_rig_ops *rig, void *setup)
{
    ifd_hybrid *h = NULL;
    ifd_hybrid_options o = s->opt;
    o.rig = rig;
    o.rig_setup = setup;
    if (s->kind == REMOTE) {
        const ifd_remote_options remote = {.dofs = 2, .order = 2, .paced = true};
        assert_int_equal(ifd_remote_make(s->arena, &remote, &s->remote, &s->note), IFD_OK);
        o.remote = s->remote;
        o.ticks_per_stage = 10;
    }
    ifd_status status = ifd_hybrid_make(s->arena, &o, &h, &s->note);
    show(&s->note);
    assert_int_equal(status, IFD_OK);
    return h;
}

static void open_journal(scene *s)
{
    const char *base = getenv("TMPDIR"); /* otherwise memory: hundreds of records need no disk */
    const char *folder = base && *base ? base : access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    ifd_journal_facts facts = {.version = "", .kernels = "", .cpu = "", .started = "", .bundle = ""};
    snprintf(s->path, sizeof s->path, "%.200s/interfield-faults-%d.journal", folder, (int)getpid());
    facts.period = ifd_hybrid_period(s->h);
    facts.column = ifd_hybrid_columns(s->h, &facts.columns);
    facts.sensed = ifd_hybrid_sensed(s->h, &facts.aux);
    if (s->remote)
        facts.remote = *ifd_hybrid_remote(s->h);
    (void)unlink(s->path);
    const ifd_journal_options o = {.lossless = true, .queue = 8.0, .sync = 0.001}; /* never awaited */
    assert_int_equal(ifd_journal_open(s->books, s->path, &facts, &o, &s->journal, &s->note), IFD_OK);
}

static bool names(const char *const *set, const char *text)
{
    bool any = false;
    for (int i = 0; set && set[i]; i++)
        any = any || strstr(set[i], text);
    return any;
}

static ifd_run_state scripted_tick(void *self, const ifd_tick_in *in)
{
    scene *s = self;
    s->source = in->source;
    scene_tick(s, in->order);
    s->source = IFD_SOURCE_HOLDER;
    return s->last;
}

void scene_open(scene *s, scene_kind kind, const char *const *set)
{
    *s = (scene){.kind = kind, .arena = ifd_arena_open(), .books = ifd_arena_open(), .last = IFD_RUN_GOING};
    ifd_note_init(&s->note, s->books);
    bad_rig_init();
    bad.linked = kind == COLUMN || kind == BLOCK;
    watcher_begin(&bad.eye, (int)kind, names(set, "stroke: 50 m,"));
    read_case(s, set);
    if (!names(set, "test.arm-samples"))
        s->opt.arm_samples = 2; /* of ideal sensors */
    s->opt.arm_time = 0.0;
    s->h = make(s, &bad.ops, s->opt.rig_setup);
    s->t = ifd_hybrid_ticked(s->h);
    s->p = (player){.tick = scripted_tick, .scene = s};
    player_begin(&s->p, s->h, NULL);
    bad_rig_watch(s->h);
    bool follows = bad.linked || kind == WALL; /* a force follows its specimen */
    bad.ramp_in = kind == REHEARSED ? 0.0 : s->opt.ramp_in;
    bad.creep = follows ? 0.0 : s->opt.creep / s->opt.interface[0].limits.velocity;
    open_journal(s);
}

void scene_close(scene *s)
{
    ifd_hybrid_close(s->h);
    ifd_arena_close(s->books);
    ifd_arena_close(s->arena);
    (void)unlink(s->path);
}

/* The master sends its next target after the last answer, and moves both masses periodically. */
static void master(scene *s)
{
    ifd_remote_answer a;
    while (ifd_remote_hear(s->remote, &a))
        s->answered = s->answered || (a.number == s->target && !a.over);
    bool waits = ifd_hybrid_state(s->h) == IFD_MACHINE_HOLD || (bad.broken && bad.t.master);
    if ((s->target == 0 ? s->quiet : !s->answered) || waits)
        return;
    s->answered = false;
    ifd_remote_target t = {.number = ++s->target, .step = s->target > 1, .time = 0.02 * (double)(s->target - 1)};
    t.u[0] = 0.010 * cos(5.0 * t.time);
    t.u[1] = 0.016 * cos(5.0 * t.time);
    assert_true(ifd_remote_say(s->remote, &t));
}

static void master_errs(scene *s, int how)
{
    static const uint32_t kind[] = {[MASTER_GOES] = IFD_REMOTE_LOST,
                                    [MASTER_TALKS_NONSENSE] = IFD_REMOTE_WRONG,
                                    [MASTER_ASKS_TOO_MUCH] = IFD_REMOTE_TARGET,
                                    [MASTER_ASKS_THE_EDGE] = IFD_REMOTE_TARGET,
                                    [MASTER_DOES_NOT_FIT] = IFD_REMOTE_MISMATCH,
                                    [MASTER_LEAVES_EARLY] = IFD_REMOTE_EARLY,
                                    [MASTER_HURRIES] = IFD_REMOTE_TARGET};
    const bool inside = how == MASTER_ASKS_THE_EDGE || how == MASTER_HURRIES;
    const double far = inside ? 0.045 : 0.080; /* 35 mm of 40 mm, and beyond them */
    ifd_remote_target t = {.number = s->target + 1, .kind = kind[how], .step = 1, .time = 0.080, .u = {0.010, far}};
    if (how > MASTER_SILENT)
        assert_true(ifd_remote_say(s->remote, &t));
}

/* The only order that leads from one state to another one which moves; NONE: any order that ends or trips. */
static ifd_order leads(ifd_machine before, ifd_machine now)
{
    static const struct {
        ifd_machine before, now;
        ifd_order order;
    } way[] = {{IFD_MACHINE_IDLE, IFD_MACHINE_READY, IFD_ORDER_ARM},
               {IFD_MACHINE_IDLE, IFD_MACHINE_RETURN, IFD_ORDER_RETURN},
               {IFD_MACHINE_READY, IFD_MACHINE_RAMP_IN, IFD_ORDER_RUN},
               {IFD_MACHINE_READY, IFD_MACHINE_RAMP_OUT, IFD_ORDER_UNLOAD},
               {IFD_MACHINE_HOLD, IFD_MACHINE_RUN, IFD_ORDER_RESUME},
               {IFD_MACHINE_TRIPPED, IFD_MACHINE_IDLE, IFD_ORDER_RESET}};
    for (size_t i = 0; i < COUNT(way); i++)
        if (way[i].before == before && way[i].now == now)
            return way[i].order;
    return IFD_ORDER_NONE;
}

/* No motion without its order: a test at rest moves in the tick of the order that leads there, of a stop that waits,
 * or of a fault that ramps out. In the states at rest nothing moves at all; a trip brakes first. */
static void watch_orders(scene *s, ifd_machine before, ifd_order order)
{
    ifd_machine now = ifd_hybrid_state(s->h);
    const uint64_t faults = s->t.trace(s->t.self)->faults;
    bool pressed = bad.broken && (bad.t.set & IFD_INPUT_START), forced = false;
    for (int k = 0; k < IFD_TRIP_COUNT; k++)
        forced = forced || ((faults >> k & 1) &&
                            ifd_trip_action((ifd_trip)k) >= IFD_ACTION_HOLD); /* a late tick can ramp out */
    if (order == IFD_ORDER_STOP || order == IFD_ORDER_PARK)
        s->waits = true;
    bool starts = (before == IFD_MACHINE_IDLE && now != IFD_MACHINE_TRIPPED) || before == IFD_MACHINE_READY ||
                  before == IFD_MACHINE_TRIPPED || before == IFD_MACHINE_STOPPED ||
                  (before == IFD_MACHINE_HOLD && now == IFD_MACHINE_RUN);
    bool leaves = before == IFD_MACHINE_HOLD && (now == IFD_MACHINE_RAMP_OUT || now == IFD_MACHINE_STOPPED);
    ifd_order needed = leads(before, now);
    bool ordered = needed == IFD_ORDER_NONE ? order != IFD_ORDER_NONE : order == needed;
    bool allowed = ordered || pressed || now == IFD_MACHINE_TRIPPED || (leaves && (s->waits || forced));
    bad.orders += now != before && (starts || leaves) && allowed;
    if (now != before && (starts || leaves) && !allowed)
        fail_msg("tick %lu: from %s to %s by the order %d", (unsigned long)s->ticks, ifd_machine_name(before),
                 ifd_machine_name(now), (int)order);
    bool stands = now == IFD_MACHINE_IDLE || now == IFD_MACHINE_READY || now == IFD_MACHINE_STOPPED;
    if (stands && now == before && bad.commanded && !bad.rest && !bad.linked)
        fail_msg("tick %lu: motion in %s", (unsigned long)s->ticks, ifd_machine_name(now));
}

void scene_tick(scene *s, ifd_order order)
{
    const bool bent = bad.broken && s->left != 0;
    if (bad.broken && !bent)
        bad_rig_repair();
    if (s->remote)
        master(s);
    ifd_tick_in in = {.order = order, .source = s->source};
    in.wall = (double)(s->ticks + 1) * ifd_hybrid_period(s->h);
    in.late = bent ? bad.t.late * ifd_hybrid_period(s->h) : 0.0;
    in.gate = in.late > s->h->late_after ? IFD_GATE_LATE : 0;
    in.job_late = bent && bad.t.job_late;
    ifd_machine before = ifd_hybrid_state(s->h);
    s->last = s->t.tick(s->t.self, &in);
    watch_orders(s, before, order);
    s->left -= bent && s->left > 0;
    const ifd_tick_record r = {.tick = ++s->ticks,
                               .wall = in.wall,
                               .late = in.late,
                               .order = order,
                               .source = s->source,
                               .values = s->t.values(s->t.self),
                               .trace = s->t.trace(s->t.self)};
    ifd_journal_add(s->journal, &r);
}

void scene_ticks(scene *s, int count)
{
    for (int k = 0; k < count; k++)
        scene_tick(s, IFD_ORDER_NONE);
}

void scene_until(scene *s, ifd_machine state)
{
    for (int k = 0; k < 8000 && ifd_hybrid_state(s->h) != state; k++)
        scene_tick(s, IFD_ORDER_NONE);
    assert_string_equal(ifd_machine_name(ifd_hybrid_state(s->h)), ifd_machine_name(state));
}

/* Orders from the beginning to a state, and the number of ticks for each. */
void scene_bring(scene *s, ifd_machine state)
{
    static const ifd_order last[IFD_MACHINE_COUNT] = {[IFD_MACHINE_HOLD] = IFD_ORDER_HOLD,
                                                      [IFD_MACHINE_RAMP_OUT] = IFD_ORDER_RAMP_OUT,
                                                      [IFD_MACHINE_TRIPPED] = IFD_ORDER_TRIP};
    s->quiet = state == IFD_MACHINE_IDLE;
    scene_ticks(s, 5);
    if (state >= IFD_MACHINE_READY)
        scene_tick(s, IFD_ORDER_ARM);
    scene_ticks(s, 3);
    if (state >= IFD_MACHINE_RAMP_IN) {
        scene_tick(s, IFD_ORDER_RUN);
        scene_ticks(s, s->kind == LOADED || s->kind == REHEARSED ? 25 : 150); /* in the middle of the ramp */
    }
    if (state >= IFD_MACHINE_RUN) {
        scene_until(s, IFD_MACHINE_RUN);
        scene_ticks(s, 50);
    }
    if (state == IFD_MACHINE_STOPPED)
        scene_until(s, state);
    if (last[state])
        scene_tick(s, last[state]);
    if (state > IFD_MACHINE_RUN)
        scene_ticks(s, 3);
    assert_string_equal(ifd_machine_name(ifd_hybrid_state(s->h)), ifd_machine_name(state));
}

void scene_break(scene *s, const trouble *t)
{
    bad_rig_break(t);
    s->left = t->ticks > 0 ? t->ticks : -1;
    if (s->remote)
        master_errs(s, t->master);
    scene_tick(s, t->order);
}

void scene_repair(scene *s)
{
    bad_rig_repair();
    s->left = 0;
}

static void check_last(const scene *s, const ifd_tick_trace *t)
{
    ifd_trip_facts facts = ifd_hybrid_trip(s->h);
    if (facts.trip == IFD_TRIP_NONE)
        return;
    assert_int_equal(t->fault_owner, facts.owner);
    assert_memory_equal(&t->fault_value, &facts.value, sizeof facts.value); /* it may be not finite */
    assert_memory_equal(&t->fault_limit, &facts.limit, sizeof facts.limit);
}

/* Replays one recorded tick. */
static void tick_again(const scene *s, const ifd_tick_record *r, ifd_ticked *t, ifd__replay *next)
{
    next->fresh = r->trace->fresh;
    next->measure = r->trace->measure;
    if (s->remote && r->trace->took)
        assert_true(ifd_remote_say(s->remote, &r->trace->target));
    bool job_late = (r->trace->faults >> IFD_TRIP_LATE_JOB) & 1;
    t->tick(t->self, &(ifd_tick_in){.order = r->order,
                                    .source = r->source,
                                    .wall = r->wall,
                                    .gate = (uint32_t)r->trace->gate,
                                    .late = r->late,
                                    .job_late = job_late});
    if (s->remote)
        for (ifd_remote_answer a; ifd_remote_hear(s->remote, &a);) {
        }
    if (t->trace(t->self)->hash != r->trace->hash)
        fail_msg("the record gives another state at tick %lu of %lu", (unsigned long)r->tick,
                 (unsigned long)s->ticks);
}

void scene_replays(scene *s)
{
    ifd_journal_reader *reader = NULL;
    ifd_tick_record r;
    ifd__replay next = {0};
    uint64_t read = 0;
    const ifd_journal_ending ending = {.wall = (double)s->ticks * ifd_hybrid_period(s->h)};
    assert_int_equal(ifd_journal_close(s->journal, &ending, &s->note), IFD_OK);
    assert_int_equal(ifd_journal_read(s->books, s->path, &reader, &s->note), IFD_OK);
    ifd_hybrid *again = make(s, &ifd__replay_rig, &next);
    ifd_ticked t = ifd_hybrid_ticked(again);
    while (ifd_journal_next(reader, &r)) {
        tick_again(s, &r, &t, &next);
        if (++read == s->ticks)
            check_last(s, r.trace);
    }
    assert_int_equal(read, s->ticks);
    assert_int_equal(ifd_journal_ended(reader).state, IFD_JOURNAL_CLOSED);
    assert_int_equal(ifd_hybrid_state(again), ifd_hybrid_state(s->h));
    ifd_hybrid_close(again);
}
