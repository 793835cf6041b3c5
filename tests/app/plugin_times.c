/* SPDX-License-Identifier: MIT */
/* A rig with one fault, which begins `at` seconds after the start of run and lasts. It counts its own ticks, and
 * writes into a file how long the fault lasted when the test first commanded another state: seconds, state. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <interfield/exchange.h>

enum { LOG, FAULT, AT };
enum { SILENT, DEAF, AHEAD, FROZEN, STUCK, SLOW, MUTE };

static const ifd_param params[] = {
    {.name = "log", .shape = IFD_SHAPE_TEXT, .required = true, .doc = "file"},
    {.name = "fault",
     .shape = IFD_SHAPE_WORD,
     .words = "silent|deaf|ahead|frozen|stuck|slow|mute",
     .doc = "no measurements; no acknowledgements; too large ones; an unchanged position; an unchanged force; "
            "commands that take longer than a tick; inputs off until the tenth tick, without a measurement"},
    {.name = "at", .dim = IFD_DIM_TIME, .preset = 0.1, IFD_WITHIN(0, 1e6), .doc = "s after the start of run"},
    {.name = "lockstep", .shape = IFD_SHAPE_FLAG, .doc = "without a clock"},
    {0}};

typedef struct rig_state {
    FILE *out;
    int fault;
    long begins, ticks, faulty; /* ticks: of run before the fault; all; of the fault */
    long ran;
    double position[IFD_RIG_ACTUATORS];
    ifd_measure last;
    uint64_t heard;
    bool told;
} rig_state;

static ifd_status open_rig(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    rig_state *r = ifd_arena_take(arena, sizeof *r);
    if (!r)
        return IFD_NO_MEMORY;
    r->out = fopen(values[LOG].word, "w");
    if (!r->out)
        return ifd_note_add(note, IFD_FILE, NULL, "cannot write '%s'", values[LOG].word);
    r->fault = (int)values[FAULT].number;
    r->begins = (long)(values[AT].number / rig->tick + 0.5);
    rig->data = r;
    rig->size = 0;
    return IFD_OK;
}

static bool broken(const rig_state *r, int fault)
{
    return r->faulty > 0 && r->fault == fault;
}

static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    rig_state *r = rig->data;
    (void)x;
    r->faulty += r->ran >= r->begins && r->ran > 0;
    if (r->fault == MUTE && r->ticks++ < 10)
        return false;
    if (broken(r, SILENT))
        return false;
    *out = (ifd_measure){.tick = broken(r, DEAF) ? r->last.tick : r->heard + (broken(r, AHEAD) ? 20 : 0),
                         .inputs = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS,
                         .actuators = (uint32_t)rig->actuators};
    for (int k = 0; k < rig->actuators; k++) {
        out->position[k] = broken(r, FROZEN) ? r->last.position[k] : r->position[k];
        out->force[k] = broken(r, STUCK) ? r->last.force[k] : 2e5 * r->position[k];
    }
    r->last = *out;
    return true;
}

static void command(ifd_rig *rig, const ifd_command *c, double *x)
{
    rig_state *r = rig->data;
    (void)x;
    r->heard = c->tick;
    bool runs = c->state == IFD_MACHINE_RUN;
    r->ran += runs;
    if (c->commanded)
        memcpy(r->position, c->position, sizeof r->position);
    if (r->faulty > 0 && !runs && !r->told) {
        fprintf(r->out, "%.6f %s %lu\n", (double)r->faulty * rig->tick, ifd_machine_name((ifd_machine)c->state),
                (unsigned long)c->tick);
        r->told = true;
    }
    const struct timespec slow = {.tv_nsec = (long)(1.2e9 * rig->tick)};
    if (broken(r, SLOW) && runs)
        (void)nanosleep(&slow, NULL);
}

static void close_rig(ifd_rig *rig)
{
    fclose(((rig_state *)rig->data)->out);
}

static bool simulated(const ifd_rig *rig)
{
    (void)rig;
    return true;
}

IFD_API const ifd_rig_ops ifd_user_rig = {.abi = IFD_RIG_ABI,
                                          .name = "times",
                                          .params = params,
                                          .open = open_rig,
                                          .sense = sense,
                                          .command = command,
                                          .close = close_rig,
                                          .simulated = simulated};
