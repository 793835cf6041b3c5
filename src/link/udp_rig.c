/* SPDX-License-Identifier: MIT */
#include <interfield/link.h>

#include "link/client.h"

static const ifd_param params[] = {
    {.name = "host", .shape = IFD_SHAPE_TEXT, .doc = "address of the rig, as 192.168.0.7 (127.0.0.1)"},
    {.name = "port", .required = true, IFD_WITHIN(1, 65535), .doc = "its UDP port"},
    IFD__CLIENT_PARAMS,
    {.name = "key",
     .shape = IFD_SHAPE_TEXT,
     .doc = "file of the key that the rig's server has too (interfield key makes one)"},
    {0}};

static ifd_status open_rig(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const char *host = ifd_param_get(params, values, "host")->word, *key = ifd_param_get(params, values, "key")->word;
    ifd__port *port;
    IFD_TRY(ifd__udp_connect(arena, host && *host ? host : "127.0.0.1",
                             (int)ifd_param_get(params, values, "port")->number, &port, note));
    ifd_status status = key && *key ? ifd__port_seal(port, key, false, arena, note) : IFD_OK;
    if (status == IFD_OK)
        return ifd__client_open(rig, port, values, arena, note);
    ifd__port_close(port);
    return status;
}

const ifd_rig_ops ifd_udp_rig = {
    .abi = IFD_RIG_ABI,
    .name = "udp",
    .summary = "a rig in another process or on another machine, by datagrams",
    .params = params,
    .open = open_rig,
    .sense = ifd__client_sense,
    .command = ifd__client_command,
    .close = ifd__client_close,
};
