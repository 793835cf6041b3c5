/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "several/bench.h"

#include <stdlib.h>
#include <string.h>

#include "rig/replay.h"

static ifd_status open_bench(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    bench *b = rig->data;
    (void)values;
    (void)arena;
    (void)note;
    b->opened++;
    rig->size = 0;
    if (rig->each == IFD_EACH_ASKED)
        rig->each = IFD_EACH_GIVEN;
    return IFD_OK;
}

static void measure(bench *b, ifd_measure *out)
{
    *out = (ifd_measure){.tick = b->heard + b->tick_off,
                         .time = 1e-3 * (double)b->heard,
                         .inputs = ((IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS) | b->set) & ~b->clear,
                         .actuators = 1,
                         .clock = IFD_CLOCK_OWN,
                         .taken = (int64_t)b->heard * 1000000};
    out->position[0] = b->position + b->position_off;
    out->force[0] = b->stiffness * b->position + b->force_off;
}

static int draw(bench *b)
{
    uint64_t z = b->dice += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    return (int)((z >> 33) % (uint64_t)b->latest);
}

/* The oldest arrived answer. */
static bool take_arrived(bench *b, ifd_measure *out)
{
    int first = -1;
    for (int i = 0; i < MOST_AWAY; i++)
        if (b->arrives[i] && b->arrives[i] <= b->senses && (first < 0 || b->arrives[i] < b->arrives[first]))
            first = i;
    if (first < 0)
        return false;
    *out = b->away[first];
    b->arrives[first] = 0;
    return true;
}

static bool sense_bench(ifd_rig *rig, ifd_measure *out, double *x)
{
    bench *b = rig->data;
    (void)x;
    if (b->stops)
        out->inputs |= IFD_INPUT_RIG_STOPPED;
    if (b->silent || b->stops || (b->latest && !take_arrived(b, out)))
        return false;
    if (!b->latest)
        measure(b, out);
    if (b->answers < MOST_TICKS)
        b->given[b->answers++] = (bench_answer){b->senses ? b->senses : 1, out->tick, out->inputs};
    return true;
}

static void send_off(bench *b)
{
    for (int i = 0; i < MOST_AWAY; i++)
        if (!b->arrives[i]) {
            measure(b, &b->away[i]);
            b->arrives[i] = b->senses + (uint64_t)draw(b);
            return;
        }
    fail_msg("too many answers on their way");
}

static void command_bench(ifd_rig *rig, const ifd_command *c, double *x)
{
    bench *b = rig->data;
    (void)x;
    assert_int_equal(c->actuators, 1);
    assert_true(b->commands < MOST_TICKS);
    b->seen[b->commands++] = (bench_command){c->tick, c->state, c->commanded, c->position[0]};
    if (b->deaf)
        return;
    b->heard = c->tick;
    if (c->commanded)
        b->position = c->position[0];
    b->senses = c->tick + 1; /* of the next tick */
    if (b->latest)
        send_off(b);
}

static void close_bench(ifd_rig *rig)
{
    ((bench *)rig->data)->closed++;
}

static int warm_bench(ifd_rig *rig, ifd_note *note)
{
    bench *b = rig->data;
    b->warmed++;
    if (b->never)
        ifd_note_add(note, IFD_PEER, NULL, "its fuse is blown");
    return b->never ? -1 : !b->not_ready;
}

static const char *why_bench(const ifd_rig *rig)
{
    const bench *b = rig->data;
    return b->stops || b->set ? "its oil is hot" : NULL;
}

static const ifd_rig_ops bench_rig = {.abi = IFD_RIG_ABI,
                                      .name = "bench",
                                      .open = open_bench,
                                      .sense = sense_bench,
                                      .command = command_bench,
                                      .close = close_bench,
                                      .warm = warm_bench,
                                      .why = why_bench};

void benches_read(benches *b)
{
    static const double stiffness[BENCHES] = {2e5, 1e5, 1e5};
    memset(b, 0, sizeof *b);
    b->arena = ifd_arena_open();
    ifd_note_init(&b->note, b->arena);
    ifd_status status = ifd_case_read(b->arena, IFD_SOURCE_DIR "/tests/several/three.yaml", 0, NULL, &b->c, &b->note);
    for (const ifd_finding *f = b->note.first; f; f = f->next)
        print_error("%s\n", f->text);
    assert_int_equal(status, IFD_OK);
    b->opt = *b->c->test;
    memcpy(b->interface, b->opt.interface, sizeof b->interface);
    b->opt.interface = b->interface;
    b->opt.automatic = false;
    b->opt.arm_samples = 3;
    b->opt.arm_time = 0.0;
    b->opt.stale_fraction = 1.0;
    const ifd_several *set = ifd_several_of(b->opt.rig, b->opt.rig_setup);
    assert_int_equal(set->rigs, BENCHES);
    for (int r = 0; r < BENCHES; r++) {
        b->part[r] = set->rig[r];
        b->part[r].ops = &bench_rig;
        b->part[r].setup = &b->bench[r];
        b->bench[r].stiffness = stiffness[r];
    }
    b->set = (ifd_several){.rigs = BENCHES, .rig = b->part};
    b->opt.rig_setup = &b->set;
}

static ifd_hybrid *make(benches *b, const ifd_rig_ops *rig, void *setup)
{
    ifd_hybrid *h = NULL;
    ifd_hybrid_options o = b->opt;
    o.rig = rig;
    o.rig_setup = setup;
    ifd_status status = ifd_hybrid_make(b->arena, &o, &h, &b->note);
    for (const ifd_finding *f = b->note.first; f; f = f->next)
        print_error("%s\n", f->text);
    assert_int_equal(status, IFD_OK);
    return h;
}

static ifd_run_state scripted_tick(void *scene, const ifd_tick_in *in)
{
    benches *b = scene;
    assert_true(b->ticks < MOST_TICKS);
    b->p.last = b->t.tick(b->t.self, in);
    b->order[b->ticks] = in->order;
    b->trace[b->ticks] = *b->t.trace(b->t.self);
    memcpy(b->values + b->ticks * b->t.count, b->t.values(b->t.self), (size_t)b->t.count * sizeof *b->values);
    b->ticks++;
    return b->p.last;
}

void benches_make(benches *b)
{
    b->h = make(b, &ifd_several_rig, &b->set);
    b->t = ifd_hybrid_ticked(b->h);
    b->trace = calloc(MOST_TICKS, sizeof *b->trace);
    b->values = calloc((size_t)(MOST_TICKS * b->t.count), sizeof *b->values);
    assert_true(b->trace && b->values);
    b->p = (player){.tick = scripted_tick, .scene = b};
    player_begin(&b->p, b->h, NULL);
}

void benches_close(benches *b)
{
    ifd_hybrid_close(b->h);
    ifd_arena_close(b->arena);
    free(b->trace);
    free(b->values);
}

void benches_tick(benches *b, ifd_order order)
{
    (void)player_tick(&b->p, order);
}

void benches_until(benches *b, ifd_machine state)
{
    play(&b->p, "until %s within 2500", ifd_machine_name(state));
}

/* In the middle of a motion. */
void benches_bring(benches *b, ifd_machine state)
{
    static const char *const way[IFD_MACHINE_COUNT] = {
        [IFD_MACHINE_IDLE] = "30",
        [IFD_MACHINE_READY] = "30; arm",
        [IFD_MACHINE_RAMP_IN] = "30; arm; run; 40",
        [IFD_MACHINE_RUN] = "30; arm; run; 40; until run within 2500; 40",
        [IFD_MACHINE_HOLD] = "30; arm; run; 40; until run within 2500; 40; hold",
        [IFD_MACHINE_RAMP_OUT] = "30; arm; run; 40; until run within 2500; 40; ramp-out",
        [IFD_MACHINE_STOPPED] = "30; arm; run; 40; until run within 2500; 40; until stopped within 2500"};
    play(&b->p, "%s; 5; is %s", way[state], ifd_machine_name(state));
}

void benches_strike(benches *b, int rig, const char *script)
{
    bench *one = &b->bench[rig];
    const quantity faults[] = {QUANTITY(*one, silent),    QUANTITY(*one, deaf),     QUANTITY(*one, stops),
                               QUANTITY(*one, set),       QUANTITY(*one, clear),    QUANTITY(*one, position_off),
                               QUANTITY(*one, force_off), QUANTITY(*one, tick_off), {0}};
    b->p.own = faults;
    play(&b->p, "%s", script);
    b->p.own = NULL;
}

void benches_replay(benches *b)
{
    ifd__replay next = {.real = true, .several = &b->set};
    ifd_hybrid *again = make(b, &ifd__replay_rig, &next);
    ifd_ticked t = ifd_hybrid_ticked(again);
    int count, first[BENCHES];
    if (b->from)
        assert_int_equal(ifd_hybrid_continue(again, b->from, NULL), IFD_OK);
    const ifd_column *column = ifd_hybrid_columns(again, &count);
    assert_int_equal(count, b->t.count);
    for (int r = 0; r < BENCHES; r++)
        first[r] = ifd_column_find(column, count, b->part[r].name, IFD_COLUMN_RIG_FRESH);
    for (int k = 0; k < b->ticks; k++) {
        const double *recorded = b->values + k * count;
        next.fresh = b->trace[k].fresh;
        next.measure = b->trace[k].measure;
        for (int r = 0; r < BENCHES; r++)
            memcpy(&next.heard[r], recorded + first[r], sizeof next.heard[r]);
        t.tick(t.self, &(ifd_tick_in){.order = b->order[k]});
        for (int i = 0; i < count; i++)
            if (memcmp(&recorded[i], &t.values(t.self)[i], sizeof *recorded) != 0)
                fail_msg("tick %d: '%s' is %.17g in the replay, recorded %.17g", k + 1, column[i].name,
                         t.values(t.self)[i], recorded[i]);
        assert_true(t.trace(t.self)->hash == b->trace[k].hash);
    }
    ifd_hybrid_close(again);
}
