/* SPDX-License-Identifier: MIT */
/* Feed: the newest text that was put into it, for any number of readers who each have a place of their own. Bounded:
 * a reader that falls a whole broadcast behind has lost its place. No locks here; a mutex of the owner guards it. */
#ifndef APP_BROADCAST_H
#define APP_BROADCAST_H

#include <stddef.h>
#include <stdint.h>

enum { BROADCAST_PIECES = 4096 };
#define BROADCAST_LOST ((size_t)-1)

typedef struct broadcast {
    char *ring;
    size_t size;                              /* a power of two */
    uint64_t head;                            /* bytes ever put */
    uint64_t pieces, begin[BROADCAST_PIECES]; /* where the newest pieces begin */
} broadcast;

/* ring: size bytes that are the broadcast's from now on, a power of two. */
void broadcast_make(broadcast *f, char *ring, size_t size);
/* Puts one piece; of one longer than the broadcast nothing. */
void broadcast_put(broadcast *f, const char *text, size_t length);
/* Where a newcomer begins: the oldest piece among the newest half of the broadcast, or the first ever while none was
 * lost.
 */
uint64_t broadcast_newcomer(const broadcast *f);
/* Copies what follows *place, at most size bytes, and moves on. BROADCAST_LOST when that was overwritten. */
size_t broadcast_take(const broadcast *f, uint64_t *place, char *out, size_t size);

#endif
