/* SPDX-License-Identifier: MIT */
/* Ticks that follow the clock of a rig. */
#include "realtime/rig_clock.h"

#include <math.h>

void ifd__rig_clock_begin(ifd__rig_clock *c, int64_t first, double period)
{
    *c = (ifd__rig_clock){.period = period, .expected = first};
}

int64_t ifd__rig_clock_latest(const ifd__rig_clock *c)
{
    return c->expected + (int64_t)(0.5 * c->period);
}

/* Every sample closes a period since the first one; a series ends after a fixed number of ticks. */
static void compare(ifd__rig_clock *c, bool came)
{
    if (c->ticks == 0)
        c->first = c->due;
    c->came += came;
    if (c->ticks++ < IFD__RIG_CLOCK_TICKS)
        return;
    c->mean = (double)(c->due - c->first) / (double)(c->ticks - 1);
    c->wrong = fabs(c->mean - c->period) > IFD__RIG_CLOCK_ERROR * c->period ||
               (double)c->came < IFD__RIG_CLOCK_CAME * (double)c->ticks;
    c->ticks = c->came = 0;
}

void ifd__rig_clock_take(ifd__rig_clock *c, int64_t sample, int64_t now)
{
    int64_t half = (int64_t)(0.5 * c->period);
    bool came = sample >= c->expected - half && sample <= c->expected + half && sample <= now;
    c->due = came ? sample : c->expected + half;
    c->in_vain += !came;
    compare(c, came);
    /* without a sample the grid continues from where it was expected */
    c->expected = (came ? sample : c->expected) + (int64_t)(c->period + 0.5);
}

void ifd__rig_clock_advance(ifd__rig_clock *c, int64_t ended)
{
    c->skipped = 0;
    if (c->expected > ended)
        return;
    c->skipped = (uint64_t)((double)(ended - c->expected) / c->period) + 1;
    c->expected += (int64_t)(c->period * (double)c->skipped + 0.5);
    c->ticks = c->came = 0; /* a gap of this program is not the period of the rig */
}
