/* SPDX-License-Identifier: MIT */
/* One side of a connection: numbers the messages that it sends and checks those that it receives. */
#pragma once

#include <interfield/link.h>

#include "link/port.h"
#include "link/refusal.h"

typedef struct ifd__stream {
    ifd__port *port;
    uint64_t session;
    uint64_t sent;         /* sequence of the last message sent */
    uint64_t newest;       /* and of the newest received */
    uint64_t window;       /* bit i: newest - i has been received */
    int64_t stamp;         /* of the newest received, by the clock of its sender */
    unsigned version;      /* of the last message in another version; 0: none */
    ifd_link_counts count; /* lost: missing numbers so far, without those that arrived late */
    ifd__refusals refused;
} ifd__stream;

/* A new session: numbers restart. */
IFD_RT void ifd__stream_begin(ifd__stream *s, uint64_t session);
/* Sends m after setting session, sequence, stamp and echo. */
IFD_RT void ifd__stream_send(ifd__stream *s, ifd__message *m, ifd__to to);
/* The next valid message of any session, before the check of its number; false: none. */
IFD_RT bool ifd__stream_next(ifd__stream *s, ifd__message *m);
/* Whether a message of this session is newer than all before it; counts it. */
IFD_RT bool ifd__stream_newer(ifd__stream *s, const ifd__message *m);
