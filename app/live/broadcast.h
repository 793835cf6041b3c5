/* SPDX-License-Identifier: MIT */
/* Broadcast buffer: the newest text for any number of readers, each with its own position. Bounded: a reader that is
 * behind by the whole buffer has lost its position. Without locks; a mutex of the owner protects it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { BROADCAST_PIECES = 4096 };
#define BROADCAST_LOST ((size_t)-1)

typedef struct broadcast {
    char *ring;
    size_t size;                              /* a power of two */
    uint64_t head;                            /* bytes written so far */
    uint64_t pieces, begin[BROADCAST_PIECES]; /* start of the newest messages */
} broadcast;

/* ring: size bytes, a power of two, which the buffer uses from now on. */
void broadcast_make(broadcast *f, char *ring, size_t size);
/* Writes one message; ignores one that is longer than the buffer. */
void broadcast_put(broadcast *f, const char *text, size_t length);
/* The start position of a new reader: the oldest message in the newest half of the buffer, or the very first message
 * while none is overwritten.
 */
uint64_t broadcast_newcomer(const broadcast *f);
/* Copies at most size bytes after *place and advances it. BROADCAST_LOST: they were overwritten. */
size_t broadcast_take(const broadcast *f, uint64_t *place, char *out, size_t size);
