/* SPDX-License-Identifier: MIT */
/* A real rig for the proofs of a stop chain, whose controller is outside of every process: its state is a file, and
 * its motion between two calls is computed from the time that has passed. FOLDER/inputs contains the digital inputs,
 * which a test writes. Its parameter states how it misbehaves:
 *
 *     sound        without commands it stops at once after its watchdog and reports it
 *     moves-on     it keeps its velocity
 *     mute         it stops, but does not report it
 *     sinks        it stops at once and then sinks slowly
 *     late         its watchdog takes 20 times the time that it states
 *     powerless    it stops and does not report it; its power is off instead
 *     silent       it measures nothing
 *
 * FOLDER/log counts what it was asked for: opened for reading, opened for motion, commands with a position. */
#include <interfield/exchange.h>

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { FOLDER, KIND, WATCHDOG };
enum { SOUND, MOVES_ON, MUTE, SINKS, LATE, POWERLESS, SILENT };

static const ifd_param params[] = {
    {.name = "folder", .shape = IFD_SHAPE_TEXT, .required = true, .doc = "of its files"},
    {.name = "kind",
     .shape = IFD_SHAPE_WORD,
     .words = "sound|moves-on|mute|sinks|late|powerless|silent",
     .doc = "how it behaves without commands"},
    {.name = "watchdog", .dim = IFD_DIM_TIME, .preset = 0.1, .range = IFD_RANGE_POSITIVE, .doc = "of the controller"},
    {0}};

typedef struct controller {      /* in the file */
    double set, velocity, heard; /* m, m/s, s */
    bool moved, stopped;
    long reads, moves, positions; /* opened for reading, for motion; commands with a position */
} controller;

typedef struct my_rig {
    controller *c;
    double watchdog;
    int kind;
    uint64_t tick;
    char inputs[300], log[300];
} my_rig;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The position of the piston now. */
static double advance(my_rig *r)
{
    controller *c = r->c;
    double quiet = seconds() - c->heard, limit = r->watchdog * (r->kind == LATE ? 20.0 : 1.0);
    if (!c->moved)
        return c->set;
    if (r->kind == MOVES_ON)
        return c->set + c->velocity * quiet;
    if (quiet > limit)
        c->stopped = true;
    double sinks = r->kind == SINKS && quiet > limit ? 2e-3 * (quiet - limit) : 0.0;
    return c->set + c->velocity * fmin(quiet, limit) - sinks;
}

static unsigned inputs_of(const my_rig *r)
{
    unsigned found = 3;
    FILE *file = fopen(r->inputs, "r");
    if (file && fscanf(file, "%u", &found) != 1)
        found = 0;
    if (file)
        fclose(file);
    if (r->c->stopped && r->kind == POWERLESS)
        found &= ~(unsigned)IFD_INPUT_HYDRAULICS;
    return found | (r->c->stopped && r->kind != MUTE && r->kind != POWERLESS ? IFD_INPUT_RIG_STOPPED : 0u);
}

static ifd_status open_rig(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    my_rig *r = ifd_arena_take(arena, sizeof *r);
    char path[300];
    if (!r)
        return IFD_NO_MEMORY;
    snprintf(r->inputs, sizeof r->inputs, "%s/inputs", values[FOLDER].word);
    snprintf(r->log, sizeof r->log, "%s/log", values[FOLDER].word);
    snprintf(path, sizeof path, "%s/state", values[FOLDER].word);
    r->watchdog = values[WATCHDOG].number;
    r->kind = (int)values[KIND].number;
    int file = open(path, O_RDWR | O_CREAT, 0666);
    if (file < 0 || ftruncate(file, sizeof(controller)) != 0)
        return ifd_note_add(note, IFD_PEER, NULL, "%s cannot be opened", path);
    r->c = mmap(NULL, sizeof(controller), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (r->c == MAP_FAILED)
        return IFD_NO_MEMORY;
    *(rig->purpose == IFD_PURPOSE_READ ? &r->c->reads : &r->c->moves) += 1;
    rig->data = r;
    return IFD_OK;
}

static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    my_rig *r = rig->data;
    (void)x;
    *out = (ifd_measure){.tick = r->tick, .time = seconds(), .actuators = 1, .inputs = inputs_of(r)};
    out->position[0] = advance(r);
    out->force[0] = 1e5 * out->position[0];
    return r->kind != SILENT;
}

static void command(ifd_rig *rig, const ifd_command *c, double *x)
{
    my_rig *r = rig->data;
    (void)x;
    r->tick = c->tick;
    if (rig->purpose != IFD_PURPOSE_MOVE || !c->commanded || r->c->stopped)
        return;
    r->c->positions++;
    r->c->moved = true;
    r->c->velocity = c->velocity[0];
    r->c->set = c->position[0];
    r->c->heard = seconds();
}

static void close_rig(ifd_rig *rig)
{
    my_rig *r = rig->data;
    FILE *file = fopen(r->log, "w");
    if (file) {
        fprintf(file, "reads=%ld moves=%ld positions=%ld\n", r->c->reads, r->c->moves, r->c->positions);
        fclose(file);
    }
    munmap(r->c, sizeof(controller));
}

IFD_API const ifd_rig_ops ifd_user_rig = {.abi = IFD_RIG_ABI,
                                          .name = "chain",
                                          .summary = "a controller outside of this program",
                                          .params = params,
                                          .open = open_rig,
                                          .sense = sense,
                                          .command = command,
                                          .close = close_rig};
