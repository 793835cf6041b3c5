/* SPDX-License-Identifier: MIT */
/* Seal: authentication of datagrams by a key that both sides have.
 *
 * Behind the 600 bytes of a message (wire.h) follow
 *
 *     600    16  challenge: random, chosen by the server; 0 in a client's first greeting
 *     616    32  BLAKE2b, keyed, of the direction (one byte, 'C' from a client or 'S'), the message and the challenge
 *
 * Session and sequence number are in the message, and so under the code. A client that greets learns the challenge
 * from the server's answer, which carries the client's own random session number, and greets again with it. The
 * server welcomes a greeting only under the challenge that is open then, binds it to that session, and at once opens
 * another: a recorded greeting, with all commands behind it, is never welcome again. Inside a session sequence
 * numbers refuse what was heard already (stream.h).
 *
 * No memory is taken and nothing waited for. Codes are compared in constant time. */
#ifndef IFD_LINK_AUTH_H
#define IFD_LINK_AUTH_H

#include "link/wire.h"

enum {
    IFD__AUTH_KEY = 32,
    IFD__AUTH_CHALLENGE = 16,
    IFD__AUTH_CODE = 32,
    IFD__AUTH_SIZE = IFD__WIRE_SIZE + IFD__AUTH_CHALLENGE + IFD__AUTH_CODE
};

typedef struct ifd__auth {
    uint8_t key[IFD__AUTH_KEY];
    uint8_t session[IFD__AUTH_CHALLENGE]; /* of the session; a client's: as learned, 0 before */
    uint8_t open[IFD__AUTH_CHALLENGE];    /* a server's: for the next greeting */
    bool server, bound;                   /* bound: the session has been agreed on */
    bool greets;                          /* server: the last message came under the open challenge */
    bool belongs;                         /* server: it came under that of the session */
    uint64_t forged;                      /* datagrams without the right code */
} ifd__auth;

/* Reads a key file: 64 hexadecimal digits, of mode 0600 and the user's own. */
ifd_status ifd__key_read(const char *path, uint8_t key[IFD__AUTH_KEY], ifd_note *note);

/* False when the kernel has no random numbers. */
bool ifd__auth_begin(ifd__auth *s, const uint8_t key[IFD__AUTH_KEY], bool server);
/* bytes: a message, behind which the seal is written. to_session: false to answer somebody who greets. */
IFD_RT void ifd__auth_put(const ifd__auth *s, uint8_t bytes[IFD__AUTH_SIZE], bool to_session);
/* Whether the code of a datagram is right and, of a bound client, its challenge. */
IFD_RT bool ifd__auth_check(ifd__auth *s, const uint8_t *bytes, size_t length);
/* Server: the greeting just heard is welcome. Client: this is the session now. */
IFD_RT void ifd__auth_bind(ifd__auth *s);

#endif
