/* SPDX-License-Identifier: MIT */
#include <interfield/link.h>

#include "link/client.h"

static const ifd_param params[] = {
    {.name = "name", .shape = IFD_SHAPE_TEXT, .required = true, .doc = "of the shared memory, as its rig was told"},
    IFD__CLIENT_PARAMS,
    {0}};

static ifd_status open_rig(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const char *name = ifd_param_get(params, values, "name")->word;
    ifd__port *port;
    IFD_TRY(ifd__shm_connect(arena, name ? name : "", &port, note));
    return ifd__client_open(rig, port, values, arena, note);
}

const ifd_rig_ops ifd_shm_rig = {
    .abi = IFD_RIG_ABI,
    .name = "shm",
    .summary = "a rig in another process of this machine, by shared memory",
    .params = params,
    .open = open_rig,
    .sense = ifd__client_sense,
    .command = ifd__client_command,
    .close = ifd__client_close,
};
