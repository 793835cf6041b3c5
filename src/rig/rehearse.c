/* SPDX-License-Identifier: MIT */
#include "rig/rehearse.h"

#include <string.h>

typedef struct rehearsal {
    ifd_rig real, twin; /* their states follow each other in that of the rehearsal, behind its own */
    ifd_measure heard;  /* of the real one */
    const ifd_channel_map *map;
} rehearsal;

/* Whether the real rig has said where it stands, and where that is. */
enum { FOUND, PLACE, ROWS = PLACE + IFD_RIG_CHANNELS };

static double *state_of(const ifd_rig *inner, double *x, int at)
{
    return inner->size ? x + at : NULL;
}

static ifd_status open_both(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    rehearsal *r = rig->data;
    IFD_TRY(r->real.ops->open(&r->real, values, arena, note));
    ifd_status status = r->twin.ops->open(&r->twin, NULL, arena, note);
    if (status != IFD_OK && r->real.ops->close)
        r->real.ops->close(&r->real);
    rig->size = ROWS + r->real.size + r->twin.size;
    return status;
}

static void begin(ifd_rig *rig, double *x)
{
    rehearsal *r = rig->data;
    x[FOUND] = 0.0;
    if (r->real.ops->begin)
        r->real.ops->begin(&r->real, state_of(&r->real, x, ROWS));
    r->twin.ops->begin(&r->twin, x + ROWS + r->real.size);
}

/* The command that means where the rig was measured: a tare moves only what is in the controller's loop. */
static void find(const ifd_rig *rig, double *x)
{
    const rehearsal *r = rig->data;
    ifd_measure m = r->heard;
    ifd_command here = {0}, raw;
    if (r->map)
        ifd_channel_map_sense(r->map, &r->heard, &m, NULL);
    memcpy(here.position, m.position, sizeof here.position);
    raw = here;
    if (r->map)
        ifd_channel_map_command(r->map, &here, &raw);
    memcpy(x + PLACE, raw.position, sizeof raw.position);
    x[FOUND] = 1.0;
}

static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    rehearsal *r = rig->data;
    bool fresh = r->real.ops->sense(&r->real, &r->heard, state_of(&r->real, x, ROWS));
    r->twin.ops->sense(&r->twin, out, x + ROWS + r->real.size);
    out->tick = r->heard.tick;
    if (fresh && x[FOUND] == 0.0)
        find(rig, x);
    return fresh;
}

static void command(ifd_rig *rig, const ifd_command *c, double *x)
{
    rehearsal *r = rig->data;
    ifd_command stay = *c;
    stay.state = IFD_MACHINE_IDLE;
    stay.outputs = 0;
    for (int k = 0; k < rig->channels; k++) {
        stay.position[k] = x[PLACE + k];
        stay.velocity[k] = 0.0;
    }
    r->real.ops->command(&r->real, &stay, state_of(&r->real, x, ROWS));
    r->twin.ops->command(&r->twin, c, x + ROWS + r->real.size);
}

static void close_both(ifd_rig *rig)
{
    rehearsal *r = rig->data;
    if (r->real.ops->close)
        r->real.ops->close(&r->real);
    if (r->twin.ops->close)
        r->twin.ops->close(&r->twin);
}

static const ifd_rig_ops rehearsal_rig = {
    .abi = IFD_RIG_ABI,
    .name = "rehearsal",
    .summary = "the rig stays where it is, its twin answers",
    .open = open_both,
    .begin = begin,
    .sense = sense,
    .command = command,
    .close = close_both,
};

ifd_status ifd__rehearse(ifd_arena *arena, const ifd_laboratory *twin, const ifd_channel_map *map, ifd_rig *rig)
{
    rehearsal *r = ifd_arena_take(arena, sizeof *r);
    if (!r)
        return IFD_NO_MEMORY;
    r->real = *rig;
    r->map = map;
    r->twin = (ifd_rig){
        .ops = &ifd_virtual_rig, .channels = rig->channels, .tick = rig->tick, .data = (void *)(uintptr_t)twin};
    rig->ops = &rehearsal_rig;
    rig->data = r;
    return IFD_OK;
}
