/* SPDX-License-Identifier: MIT */
#include "observer.h"

#include <assert.h>

void observers_join(observers *o, observer one)
{
    assert(o->count < MOST_OBSERVERS && "room for one more observer");
    o->one[o->count++] = one;
}

void observers_add(const observers *o, const ifd_tick_record *record)
{
    for (int i = 0; i < o->count; i++)
        if (o->one[i].add)
            o->one[i].add(o->one[i].self, record);
}

void observers_look(const observers *o, uint64_t now)
{
    for (int i = 0; i < o->count; i++)
        if (o->one[i].look)
            o->one[i].look(o->one[i].self, now);
}

void observers_finish(const observers *o)
{
    for (int i = 0; i < o->count; i++)
        if (o->one[i].finish)
            o->one[i].finish(o->one[i].self);
}
