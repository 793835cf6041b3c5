/* SPDX-License-Identifier: MIT */
#include <interfield/link.h>

#include "link/client.h"
#include "link/auth.h"

enum { HOST, PORT, TIMEOUT, LOCKSTEP };

static const ifd_param params[] = {
    {.name = "host", .shape = IFD_SHAPE_TEXT, .doc = "address of the rig, as 192.168.0.7 (127.0.0.1)"},
    {.name = "port", .required = true, IFD_WITHIN(1, 65535), .doc = "its UDP port"},
    IFD__CLIENT_PARAMS,
    {.name = "key",
     .shape = IFD_SHAPE_TEXT,
     .doc = "file of the key that the rig's server has too (interfield key makes one)"},
    {0}};

static ifd_status set_key(const char *file, ifd__port *port, ifd_arena *arena, ifd_note *note)
{
    uint8_t key[IFD__AUTH_KEY];
    if (!file || !*file)
        return IFD_OK;
    port->seal = ifd_arena_take(arena, sizeof *port->seal);
    if (!port->seal)
        return IFD_NO_MEMORY;
    IFD_TRY(ifd__key_read(file, key, note));
    return ifd__auth_begin(port->seal, key, false)
               ? IFD_OK
               : ifd_note_add(note, IFD_INTERNAL, NULL, "there are no random numbers");
}

static ifd_status open_rig(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const char *host = values[HOST].word && values[HOST].word[0] ? values[HOST].word : "127.0.0.1";
    ifd__port *port;
    IFD_TRY(ifd__udp_connect(arena, host, (int)values[PORT].number, &port, note));
    ifd_status status = set_key(ifd_param_get(params, values, "key")->word, port, arena, note);
    if (status != IFD_OK) {
        ifd__port_close(port);
        return status;
    }
    const ifd__client_options o = {.timeout = values[TIMEOUT].number, .lockstep = values[LOCKSTEP].number > 0.0};
    return ifd__client_open(rig, port, &o, arena, note);
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
