/* SPDX-License-Identifier: MIT */
/* The engine's side of a rig in another process, whatever the port: what the rows udp and shm have in common. */
#ifndef IFD_LINK_CLIENT_H
#define IFD_LINK_CLIENT_H

#include "base/params.h"
#include "link/port.h"

/* What both ways have besides their address. `commands` is read by the rig's own process alone,
 * from the case that both have. */
#define IFD__CLIENT_PARAMS                                                                                           \
    IFD__OPTION("timeout", TIME, 1e-6, 1e5, 2.0, "how long the handshake may take, and an answer in lockstep"),      \
        {.name = "lockstep", .shape = IFD_SHAPE_FLAG, .doc = "the rig moves one tick per command, without a clock"}, \
        IFD__WORD("commands", "hold|linear",                                                                         \
                  "of the virtual laboratory that answers there: held for a tick, or linear from one to the next")

/* Greets the server behind the port and waits for its answer; sets rig->data and rig->size. values: of the rig's
 * parameters. Closes the port when it fails. */
ifd_status ifd__client_open(ifd_rig *rig, ifd__port *port, const ifd_value *values, ifd_arena *arena, ifd_note *note);
IFD_RT bool ifd__client_sense(ifd_rig *rig, ifd_measure *out, double *x);
IFD_RT void ifd__client_command(ifd_rig *rig, const ifd_command *command, double *x);
void ifd__client_close(ifd_rig *rig);

#endif
