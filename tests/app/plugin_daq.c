/* SPDX-License-Identifier: MIT */
/* A rig with a relaxing specimen, and beside it a second data acquisition system: it knows nothing but the digital
 * outputs of the commands and its own clock, and writes down every edge that it saw. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <interfield/exchange.h>

enum { EDGES = 64 };

typedef struct daq {
    double tick, position, target, spring; /* s, m; m, of a Maxwell branch */
    uint64_t heard, ticks;
    double relaxed; /* s, time of the last relaxation by the clock */
    int edges;
    unsigned outputs[EDGES], last;
    long long at[EDGES]; /* ns since 1970, by the clock of the machine */
} daq;

static const ifd_param params[] = {{0}};

static ifd_status open_rig(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    daq *d = ifd_arena_take(arena, sizeof *d);
    (void)values;
    (void)note;
    if (!d)
        return IFD_NO_MEMORY;
    d->tick = rig->tick;
    rig->data = d;
    return IFD_OK;
}

/* 20 kN/m in series with a dashpot that forgets within half a second. It forgets by the clock: time
 * passes for it during skipped ticks too. */
static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    daq *d = rig->data;
    (void)x;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double time = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    d->spring = (d->spring + d->target - d->position) * exp((d->relaxed - time) / 0.5);
    d->relaxed = time;
    d->position = d->target;
    d->ticks++;
    *out = (ifd_measure){.tick = d->heard, .time = d->tick * (double)d->ticks, .actuators = 1};
    out->inputs = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS;
    out->position[0] = d->position;
    out->force[0] = 2e4 * d->spring;
    return true;
}

static void command(ifd_rig *rig, const ifd_command *c, double *x)
{
    daq *d = rig->data;
    (void)x;
    unsigned outputs = c->outputs & (IFD_OUTPUT_TRIGGER | IFD_OUTPUT_RUNNING);
    if (outputs != d->last && d->edges < EDGES) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        d->outputs[d->edges] = outputs;
        d->at[d->edges++] = (long long)now.tv_sec * 1000000000 + now.tv_nsec;
        d->last = outputs;
    }
    if (c->commanded)
        d->target = c->position[0];
    d->heard = c->tick;
}

static void close_rig(ifd_rig *rig)
{
    const daq *d = rig->data;
    FILE *file = d->edges ? fopen("daq.txt", "w") : NULL;
    for (int i = 0; file && i < d->edges; i++)
        fprintf(file, "%u %lld\n", d->outputs[i], d->at[i]);
    if (file)
        fclose(file);
}

/* It moves no iron. */
static bool simulated(const ifd_rig *rig)
{
    (void)rig;
    return true;
}

IFD_API const ifd_rig_ops ifd_user_rig = {
    .abi = IFD_RIG_ABI,
    .name = "daq",
    .summary = "a relaxing specimen and a second recorder",
    .params = params,
    .open = open_rig,
    .sense = sense,
    .command = command,
    .close = close_rig,
    .simulated = simulated,
};
