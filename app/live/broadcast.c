/* SPDX-License-Identifier: MIT */
/* The newest text for any number of browsers, in one buffer of bounded size. */
#include "broadcast.h"

#include <string.h>

void broadcast_make(broadcast *f, char *ring, size_t size)
{
    *f = (broadcast){.ring = ring, .size = size};
}

/* Length of the part up to the end of the ring; the remainder is at its beginning. */
static size_t first_part(const broadcast *f, uint64_t place, size_t length)
{
    size_t room = f->size - (size_t)(place & (f->size - 1));
    return length < room ? length : room;
}

void broadcast_put(broadcast *f, const char *text, size_t length)
{
    if (length > f->size)
        return;
    size_t first = first_part(f, f->head, length);
    memcpy(f->ring + (f->head & (f->size - 1)), text, first);
    memcpy(f->ring, text + first, length - first);
    f->begin[f->pieces++ % BROADCAST_PIECES] = f->head;
    f->head += length;
}

uint64_t broadcast_newcomer(const broadcast *f)
{
    if (f->head <= f->size && f->pieces <= BROADCAST_PIECES)
        return 0;
    uint64_t oldest = f->head;
    for (uint64_t i = f->pieces; i > 0 && f->pieces - i < BROADCAST_PIECES; i--) {
        uint64_t begin = f->begin[(i - 1) % BROADCAST_PIECES];
        if (f->head - begin > f->size / 2)
            break;
        oldest = begin;
    }
    return oldest;
}

size_t broadcast_take(const broadcast *f, uint64_t *place, char *out, size_t size)
{
    if (f->head - *place > f->size)
        return BROADCAST_LOST;
    size_t length = f->head - *place < size ? (size_t)(f->head - *place) : size;
    size_t first = first_part(f, *place, length);
    memcpy(out, f->ring + (*place & (f->size - 1)), first);
    memcpy(out + first, f->ring, length - first);
    *place += length;
    return length;
}
