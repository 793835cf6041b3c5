/* SPDX-License-Identifier: MIT */
/* A real rig that writes each new command into a file: state, outputs, whether a position is commanded, and the
 * position (mm). With `pump` its pressure follows the outputs LOW and HIGH after `lag`, and its piston creeps by
 * `drift` within a second of it. */
#include <stdio.h>
#include <string.h>

#include <interfield/exchange.h>

enum { LOG, PUMP, DRIFT, LAG, FREES };

static const ifd_param params[] = {
    {.name = "log", .shape = IFD_SHAPE_TEXT, .required = true, .doc = "file of commands"},
    {.name = "pump", .shape = IFD_SHAPE_FLAG, .doc = "pressure by request"},
    {.name = "drift", .dim = IFD_DIM_LENGTH, IFD_WITHIN(-1, 1), .doc = "with low pressure"},
    {.name = "lag", .dim = IFD_DIM_TIME, .preset = 0.1, IFD_WITHIN(0, 1e6), .doc = "from request to pressure"},
    {.name = "frees", .shape = IFD_SHAPE_FLAG, .doc = "its axis is free after the end"},
    {0}};

typedef struct watch {
    FILE *out;
    double position[IFD_RIG_ACTUATORS], drift, lag;
    uint64_t heard;
    bool pump;
    double pressed; /* s since the request */
    char last[80];  /* line */
} watch;

static ifd_status open_rig(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    watch *w = ifd_arena_take(arena, sizeof *w);
    if (!w)
        return IFD_NO_MEMORY;
    w->out = fopen(values[LOG].word, "a");
    if (!w->out)
        return ifd_note_add(note, IFD_FILE, NULL, "cannot write '%s'", values[LOG].word);
    w->pump = values[PUMP].number > 0.0;
    w->drift = values[DRIFT].number;
    w->lag = values[LAG].number;
    rig->data = w;
    rig->outputs = w->pump ? IFD_OUTPUT_LOW | IFD_OUTPUT_HIGH : 0;
    rig->size = 0;
    rig->free_at_end = values[FREES].number > 0.0;
    return IFD_OK;
}

static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    watch *w = rig->data;
    (void)x;
    bool pressure = !w->pump || w->pressed > w->lag;
    double since = w->pressed - w->lag;
    *out = (ifd_measure){.tick = w->heard,
                         .inputs = IFD_INPUT_NO_STOP | (pressure ? IFD_INPUT_HYDRAULICS : 0),
                         .actuators = (uint32_t)rig->actuators};
    for (int k = 0; k < rig->actuators; k++) {
        out->position[k] = w->position[k] + (since > 0.0 ? w->drift * (since < 1.0 ? since : 1.0) : 0.0);
        out->force[k] = 2e5 * w->position[k];
    }
    return true;
}

static void command(ifd_rig *rig, const ifd_command *c, double *x)
{
    watch *w = rig->data;
    (void)x;
    w->heard = c->tick;
    w->pressed = c->outputs & (IFD_OUTPUT_LOW | IFD_OUTPUT_HIGH) ? w->pressed + rig->tick : 0.0;
    if (c->commanded)
        memcpy(w->position, c->position, sizeof w->position);
    char line[sizeof w->last];
    snprintf(line, sizeof line, "%s %u %u %.6f\n", ifd_machine_name((ifd_machine)c->state),
             c->outputs & ~(uint32_t)IFD_OUTPUT_BEAT, c->commanded, 1e3 * c->position[0]);
    if (strcmp(line, w->last) == 0)
        return;
    memcpy(w->last, line, sizeof line);
    fputs(line, w->out);
    fflush(w->out);
}

static void close_rig(ifd_rig *rig)
{
    fclose(((watch *)rig->data)->out);
}

IFD_API const ifd_rig_ops ifd_user_rig = {.abi = IFD_RIG_ABI,
                                          .name = "watch",
                                          .params = params,
                                          .open = open_rig,
                                          .sense = sense,
                                          .command = command,
                                          .close = close_rig};
