/* SPDX-License-Identifier: MIT */
/* Port: transport of messages by datagrams (udp_port.c) or shared memory (shm_port.c).
 *
 * The port of a client has one peer, the server. The port of a server receives from all senders, answers the last
 * one, and can adopt it as its peer. Sending and receiving never block and report no failure: sequence numbers detect
 * lost messages. */
#pragma once

#include "base/arena.h"
#include "link/wire.h"

typedef struct ifd__port ifd__port;

typedef enum ifd__to { IFD__TO_PEER, IFD__TO_SENDER } ifd__to;

typedef struct ifd__port_ops {
    /* Whether the system accepted the message. */
    IFD_RT bool (*send)(ifd__port *p, const uint8_t bytes[IFD__WIRE_SIZE], ifd__to to);
    /* The length of the next message, which can exceed the copied bytes; 0: none. */
    IFD_RT size_t (*receive)(ifd__port *p, uint8_t bytes[IFD__WIRE_SIZE]);
    /* Returns when a message may have arrived, or at an instant of the monotonic clock (ns). */
    IFD_RT void (*wait)(ifd__port *p, int64_t until);
    /* The last sender becomes the peer. */
    IFD_RT void (*adopt)(ifd__port *p);
    void (*close)(ifd__port *p);
} ifd__port_ops;

struct ifd__port {
    const ifd__port_ops *ops;
    bool open;
    const char *name;       /* of a client: where its server is, "192.168.0.7:4711"; NULL: not known */
    struct ifd__auth *seal; /* of datagrams; NULL: no key */
    bool plain;             /* send the next message without a seal */
    bool stranger;          /* a message had another key, an unexpected key, or no key */
};

/* In the arena, closed with it at the latest. port 0: the system chooses; *chosen is the port. */
ifd_status ifd__udp_serve(ifd_arena *arena, const char *host, int port, int *chosen, ifd__port **out, ifd_note *note);
/* local_port: from which it sends; 0: the system chooses. */
ifd_status ifd__udp_connect(ifd_arena *arena, const char *host, int port, int local_port, ifd__port **out,
                            ifd_note *note);
/* name: as in "/dev/shm", without a slash. A name that already has a server, or a client, is refused. */
ifd_status ifd__shm_serve(ifd_arena *arena, const char *name, ifd__port **out, ifd_note *note);
ifd_status ifd__shm_connect(ifd_arena *arena, const char *name, ifd__port **out, ifd_note *note);

/* Seals datagrams with the key of a file (auth.h). */
ifd_status ifd__port_seal(ifd__port *p, const char *file, bool server, ifd_arena *arena, ifd_note *note);
/* Registers an open port: it closes with the arena, or immediately if memory is out. */
ifd_status ifd__port_keep(ifd__port *p, ifd_arena *arena);
void ifd__port_close(ifd__port *p); /* can be called repeatedly */
