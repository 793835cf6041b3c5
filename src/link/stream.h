/* SPDX-License-Identifier: MIT */
/* One side of a conversation: numbers what it sends and judges what it hears. */
#ifndef IFD_LINK_STREAM_H
#define IFD_LINK_STREAM_H

#include <interfield/link.h>

#include "link/port.h"

typedef struct ifd__stream {
    ifd__port *port;
    uint64_t session;
    uint64_t sent;         /* sequence of the last message sent */
    uint64_t newest;       /* and of the newest heard */
    uint64_t window;       /* bit i: newest - i has been heard */
    int64_t stamp;         /* of the newest heard, as its sender wrote it */
    unsigned version;      /* of the last message in another version; 0: none */
    ifd_link_counts count; /* lost: numbers missing so far, late ones taken off again */
} ifd__stream;

/* A new session: numbers start again. */
IFD_RT void ifd__stream_begin(ifd__stream *s, uint64_t session);
/* Sends m with session, sequence, stamp and echo filled in. */
IFD_RT void ifd__stream_send(ifd__stream *s, ifd__message *m, ifd__to to);
/* The next good message of any session, whose number is not judged yet; false when there is none. */
IFD_RT bool ifd__stream_next(ifd__stream *s, ifd__message *m);
/* Whether a message of this session is newer than all before it; counts it. */
IFD_RT bool ifd__stream_newer(ifd__stream *s, const ifd__message *m);

#endif
