/* SPDX-License-Identifier: MIT */
/* A rig that supplies recorded measurements. */
#include "rig/replay.h"

static ifd_status open_replay(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)values, (void)arena;
    if (!rig->data)
        return ifd_note_add(note, IFD_INTERNAL, NULL, "a replay has no recorded measurements");
    rig->size = 0;
    return IFD_OK;
}

static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    const ifd__replay *r = rig->data;
    (void)x;
    if (r->fresh)
        *out = r->measure;
    else
        out->inputs |= r->measure.inputs & IFD_INPUT_RIG_STOPPED;
    return r->fresh;
}

static void command(ifd_rig *rig, const ifd_command *c, double *x)
{
    (void)rig, (void)c, (void)x;
}

static const ifd_param no_params[] = {{0}};

const ifd_rig_ops ifd__replay_rig = {
    .abi = IFD_RIG_ABI,
    .name = "replay",
    .summary = "supplies recorded measurements",
    .params = no_params,
    .open = open_replay,
    .sense = sense,
    .command = command,
};
