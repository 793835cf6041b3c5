/* SPDX-License-Identifier: MIT */
/* Feed: the newest text that was put into it, for any number of readers who each have a place of their own. Bounded:
 * a reader that falls a whole feed behind has lost its place. No locks here; one mutex of the owner guards it. */
#ifndef APP_FEED_H
#define APP_FEED_H

#include <stddef.h>
#include <stdint.h>

enum { FEED_PIECES = 4096 };
#define FEED_LOST ((size_t)-1)

typedef struct feed {
    char *ring;
    size_t size;                         /* a power of two */
    uint64_t head;                       /* bytes ever put */
    uint64_t pieces, begin[FEED_PIECES]; /* where the newest pieces begin */
} feed;

/* ring: size bytes that are the feed's from now on, a power of two. */
void feed_make(feed *f, char *ring, size_t size);
/* Puts one piece; of one longer than the feed nothing. */
void feed_put(feed *f, const char *text, size_t length);
/* Where a newcomer begins: the oldest piece among the newest half of the feed, or the first ever while none was lost.
 */
uint64_t feed_newcomer(const feed *f);
/* Copies what follows *place, at most size bytes, and moves on. FEED_LOST when that was overwritten. */
size_t feed_take(const feed *f, uint64_t *place, char *out, size_t size);

#endif
