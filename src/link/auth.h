/* SPDX-License-Identifier: MIT */
/* Seal: authentication of datagrams by a key of both sides.
 *
 * The 600 bytes of a message (wire.h) are followed by
 *
 *     600    16  challenge: random, chosen by the server; 0 in the first greeting of a client
 *     616    32  BLAKE2b, keyed, of the direction (one byte, 'C' from a client or 'S'), the message and the challenge
 *
 * Session and sequence number are in the message and thus authenticated. A client receives the challenge in the
 * answer to its greeting, which contains its random session number, and greets again with it. The server accepts a
 * greeting only with the open challenge, binds it to that session, and immediately opens another challenge. A
 * recorded greeting, with all later commands, is therefore never accepted again. Inside a session, sequence numbers
 * reject repeated messages (stream.h).
 *
 * No function allocates or waits. Codes are compared in constant time. */
#pragma once

#include "link/wire.h"

enum {
    IFD__AUTH_KEY = 32,
    IFD__AUTH_CHALLENGE = 16,
    IFD__AUTH_CODE = 32,
    IFD__AUTH_SIZE = IFD__WIRE_SIZE + IFD__AUTH_CHALLENGE + IFD__AUTH_CODE,
    IFD__AUTH_REFUSED = 1 /* length that a port reports for a datagram with a wrong seal */
};

typedef struct ifd__auth {
    uint8_t key[IFD__AUTH_KEY];
    uint8_t session[IFD__AUTH_CHALLENGE]; /* of the session; of a client: received, 0 before */
    uint8_t open[IFD__AUTH_CHALLENGE];    /* of a server: for the next greeting */
    bool server, bound;                   /* bound: the session is agreed */
    bool greets;                          /* server: the last message used the open challenge */
    bool belongs;                         /* server: the last message used the challenge of the session */
    uint64_t forged;                      /* datagrams with a wrong code */
} ifd__auth;

/* Reads a key file: 64 hexadecimal digits, mode 0600, owned by the user. */
ifd_status ifd__key_read(const char *path, uint8_t key[IFD__AUTH_KEY], ifd_note *note);

/* False: the kernel supplies no random numbers. */
bool ifd__auth_begin(ifd__auth *s, const uint8_t key[IFD__AUTH_KEY], bool server);
/* bytes: a message; the seal is written after it. to_session: false for an answer to a greeting. */
IFD_RT void ifd__auth_put(const ifd__auth *s, uint8_t bytes[IFD__AUTH_SIZE], bool to_session);
/* Whether the code of a datagram is correct and, for a bound client, its challenge. */
IFD_RT bool ifd__auth_check(ifd__auth *s, const uint8_t *bytes, size_t length);
/* Server: accepts the last greeting. Client: starts this session. */
IFD_RT void ifd__auth_bind(ifd__auth *s);
