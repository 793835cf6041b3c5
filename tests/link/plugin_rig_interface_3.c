/* SPDX-License-Identifier: MIT */
/* A plug-in compiled for rig interface 3: its table ends after close, its measurement before the stamp. Behind the
 * table are bytes that are not functions. */
#include "../../tests/link/exchange_3.h"

#include <string.h>

typedef struct old_rig {
    double position;
    uint64_t heard, samples;
    bool silent;
} old_rig;

static ifd_status open_rig(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    old_rig *r = ifd_arena_take(arena, sizeof *r);
    (void)values, (void)note;
    rig->data = r;
    rig->size = 0;
    return r ? IFD_OK : IFD_NO_MEMORY;
}

/* Every eighth call has nothing new, and writes what a plug-in of its time could write then. */
static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    old_rig *r = rig->data;
    (void)x;
    if (++r->samples % 8 == 0) {
        memset(out, 0xff, sizeof *out);
        return false;
    }
    *out = (ifd_measure){.tick = r->heard,
                         .time = (double)r->samples,
                         .inputs = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS,
                         .channels = (uint32_t)rig->channels,
                         .zero = 3};
    for (int k = 0; k < rig->channels; k++)
        out->position[k] = r->position;
    return true;
}

static void command(ifd_rig *rig, const ifd_command *c, double *x)
{
    old_rig *r = rig->data;
    (void)x;
    if (c->commanded)
        r->position = c->position[0];
    r->heard = c->tick;
}

static const ifd_param params[] = {{0}};

IFD_API const struct {
    ifd_rig_ops ops;
    unsigned char behind[64];
} ifd_user_rig = {
    .ops =
        {.abi = 3, .name = "of-interface-3", .params = params, .open = open_rig, .sense = sense, .command = command},
    .behind = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24}};
