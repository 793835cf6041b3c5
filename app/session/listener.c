/* SPDX-License-Identifier: MIT */
/* Passes each record of a test to its receivers. */
#include "listener.h"

#include <assert.h>

void listeners_join(listeners *o, listener one)
{
    assert(o->count < MOST_LISTENERS && "space for one more listener");
    o->one[o->count++] = one;
}

void listeners_add(const listeners *o, const ifd_tick_record *record)
{
    for (int i = 0; i < o->count; i++)
        if (o->one[i].add)
            o->one[i].add(o->one[i].self, record);
}

void listeners_poll(const listeners *o, uint64_t now)
{
    for (int i = 0; i < o->count; i++)
        if (o->one[i].poll)
            o->one[i].poll(o->one[i].self, now);
}

void listeners_finish(const listeners *o)
{
    for (int i = 0; i < o->count; i++)
        if (o->one[i].finish)
            o->one[i].finish(o->one[i].self);
}
