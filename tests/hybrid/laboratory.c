/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "laboratory.h"
#include "hybrid/hybrid.h"

enum { ROOM = 4096 };

static double rig_state[ROOM];
static bool begun;
static double shift[2]; /* m, N: what has changed at the specimen of channel 0 */

static ifd_status open_own(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    ifd_status status = ifd_virtual_rig.open(rig, values, arena, note);
    assert_true(rig->size <= ROOM);
    if (!begun)
        ifd_virtual_rig.begin(rig, rig_state);
    begun = true;
    rig->size = 0;
    return status;
}

static bool sense_own(ifd_rig *rig, ifd_measure *out, double *x)
{
    (void)x;
    bool fresh = ifd_virtual_rig.sense(rig, out, rig_state);
    out->position[0] += shift[0];
    out->force[0] += shift[1];
    return fresh;
}

static void command_own(ifd_rig *rig, const ifd_command *c, double *x)
{
    (void)x;
    ifd_virtual_rig.command(rig, c, rig_state);
}

const ifd_rig_ops own_rig = {
    .abi = IFD_RIG_ABI, .name = "own", .open = open_own, .sense = sense_own, .command = command_own};

void own_rig_shift(double position, double force)
{
    shift[0] = position;
    shift[1] = force;
}

void own_rig_reset(void)
{
    begun = false;
}

static ifd_run_state scripted_tick(void *scene, const ifd_tick_in *in)
{
    lab *l = scene;
    return l->last = l->t.tick(l->t.self, in);
}

lab *lab_make(const char *name, const char *const *set, const ifd_rig_ops *rig)
{
    ifd_arena *arena = ifd_arena_open();
    lab *l = ifd_arena_take(arena, sizeof *l);
    char path[512];
    int sets = 0;
    ifd_note note;
    ifd_note_init(&note, arena);
    l->arena = arena;
    while (set[sets])
        sets++;
    snprintf(path, sizeof path, "%s/cases/%s.yaml", IFD_SOURCE_DIR, name);
    if (ifd_case_read(arena, path, sets, set, &l->c, &note) != IFD_OK)
        fail_msg("%s: %s", path, note.first ? note.first->text : "");
    l->o = *l->c->test;
    l->o.automatic = true;
    bool own = false; /* the test sets its waiting time */
    for (int i = 0; i < sets; i++)
        own = own || strncmp(set[i], "test.arm-samples", 16) == 0;
    if (!own) {
        l->o.arm_samples = 2;
        l->o.arm_time = 0.0;
    }
    if (rig) {
        l->o.rig = rig;
        l->o.rig_setup = l->c->laboratory;
    }
    if (ifd_hybrid_make(arena, &l->o, &l->h, &note) != IFD_OK)
        fail_msg("%s: %s", path, note.first ? note.first->text : "");
    l->t = ifd_hybrid_ticked(l->h);
    l->script = (player){.tick = scripted_tick, .scene = l};
    player_begin(&l->script, l->h, NULL);
    return l;
}

void lab_tick(lab *l, ifd_order order)
{
    l->last = l->t.tick(l->t.self, &(ifd_tick_in){.order = order});
}

ifd_run_state lab_go(lab *l, long ticks, ifd_order order)
{
    l->last = IFD_RUN_GOING;
    for (long i = 0; i < ticks && l->last == IFD_RUN_GOING; i++)
        lab_tick(l, i ? IFD_ORDER_NONE : order);
    return l->last;
}

void lab_go_for(lab *l, double time)
{
    for (double t = 0.0; t < time; t += ifd_hybrid_period(l->h))
        lab_tick(l, IFD_ORDER_NONE);
}

void lab_until(lab *l, ifd_machine state)
{
    for (long i = 0; i < 1000000 && ifd_hybrid_state(l->h) != state; i++)
        lab_tick(l, IFD_ORDER_NONE);
    assert_string_equal(ifd_machine_name(ifd_hybrid_state(l->h)), ifd_machine_name(state));
}

double lab_value(const lab *l, const char *column)
{
    return test_column(l->h, column);
}

void assert_commands_within(const double *position, long count, double tick, const ifd_limits *limits)
{
    double w = 0.0;
    for (long i = 1; i < count; i++) {
        double p = position[i], step = p - position[i - 1];
        if (p < limits->low || p > limits->high || fabs(step) > limits->velocity * tick * (1.0 + 1e-9) ||
            fabs(step - w) > limits->acceleration * tick * tick * (1.0 + 1e-6))
            fail_msg("command %ld: %g m, %g m/s, %g m/s2", i, p, step / tick, (step - w) / (tick * tick));
        w = step;
    }
}

void lab_close(lab *l)
{
    ifd_hybrid_close(l->h);
    ifd_arena_close(l->arena);
}

ifd_snapshot *snapshot_copy(const ifd_snapshot *s)
{
    ifd_snapshot *c = malloc(sizeof *c);
    double *x = malloc((size_t)s->count * sizeof *x), *values = malloc((size_t)s->columns * sizeof *values);
    assert_true(c && x && values);
    memcpy(x, s->x, (size_t)s->count * sizeof *x);
    memcpy(values, s->values, (size_t)s->columns * sizeof *values);
    *c = *s;
    c->x = x;
    c->values = values;
    return c;
}

void snapshot_free(ifd_snapshot *s)
{
    free((void *)(uintptr_t)s->x);
    free((void *)(uintptr_t)s->values);
    free(s);
}
