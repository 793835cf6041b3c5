/* SPDX-License-Identifier: MIT */
/* Port: how messages travel. Two ways, one face: datagrams (udp_port.c) and shared memory (shm_port.c).
 *
 * A client's port has one peer, the server. A server's port hears anybody, answers the last sender, and adopts one of
 * them as its peer. Sending and receiving never block and never fail upward: what is lost is found by its sequence
 * number. */
#ifndef IFD_LINK_PORT_H
#define IFD_LINK_PORT_H

#include "base/arena.h"
#include "link/wire.h"

typedef struct ifd__port ifd__port;

typedef enum ifd__to { IFD__TO_PEER, IFD__TO_SENDER } ifd__to;

typedef struct ifd__port_ops {
    /* Whether the system took it. */
    IFD_RT bool (*send)(ifd__port *p, const uint8_t bytes[IFD__WIRE_SIZE], ifd__to to);
    /* The length of the next message, which may be longer than what was copied; 0 when there is none. */
    IFD_RT size_t (*receive)(ifd__port *p, uint8_t bytes[IFD__WIRE_SIZE]);
    /* Returns when something may have arrived, or at an instant of the monotonic clock (ns). */
    IFD_RT void (*wait)(ifd__port *p, int64_t until);
    /* The last sender becomes the peer. */
    IFD_RT void (*adopt)(ifd__port *p);
    void (*close)(ifd__port *p);
} ifd__port_ops;

struct ifd__port {
    const ifd__port_ops *ops;
    bool open;
    struct ifd__auth *seal; /* of datagrams; NULL: there is no key */
    bool plain;             /* send the next message without a seal */
    bool stranger;          /* somebody spoke with another key, or with one while there is none here, or without */
};

/* Made in the arena, closed with it at the latest. port 0 lets the system choose; *chosen tells. */
ifd_status ifd__udp_serve(ifd_arena *arena, const char *host, int port, int *chosen, ifd__port **out, ifd_note *note);
ifd_status ifd__udp_connect(ifd_arena *arena, const char *host, int port, ifd__port **out, ifd_note *note);
/* name: as in "/dev/shm", without a slash. A name that is served, or that has a client, is refused. */
ifd_status ifd__shm_serve(ifd_arena *arena, const char *name, ifd__port **out, ifd_note *note);
ifd_status ifd__shm_connect(ifd_arena *arena, const char *name, ifd__port **out, ifd_note *note);

/* Datagrams are sealed by the key of a file (auth.h). */
ifd_status ifd__port_seal(ifd__port *p, const char *file, bool server, ifd_arena *arena, ifd_note *note);
/* A port that was opened: it is closed with the arena, or at once when there is no memory for that. */
ifd_status ifd__port_keep(ifd__port *p, ifd_arena *arena);
void ifd__port_close(ifd__port *p); /* once or more often */

#endif
