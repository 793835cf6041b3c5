/* SPDX-License-Identifier: MIT */
/* The kinds of simulated time, and how much longer it took than at full rate, which no tick reads. */
#include <math.h>

#include "hybrid/hybrid.h"

static const ifd__pace *const paces[] = {&ifd__pace_elastic, &ifd__pace_master, &ifd__pace_scaled};

const ifd__pace *ifd__pace_of(const ifd_hybrid_options *o)
{
    int i = 0;
    while (!paces[i]->asked(o))
        i++;
    return paces[i];
}

void ifd_slowdown_add(ifd_slowdown *s, double rate, double age, double tick)
{
    const double slow = 0.9, rest = 1e-3;
    bool rests = rate < rest;
    s->run += tick;
    s->at_full_rate += rate * tick;
    s->below += rate < slow ? tick : 0.0;
    s->rest += rests ? tick : 0.0;
    s->rests += rests && s->now == 0.0;
    s->now = rests ? s->now + tick : 0.0;
    s->longest = fmax(s->longest, s->now);
    s->oldest = fmax(s->oldest, age);
}

void ifd_slowdown_order(ifd_slowdown *s, ifd_order order)
{
    if (order != IFD_ORDER_SLOWER && order != IFD_ORDER_FASTER)
        return;
    double longer = (1.0 + s->slower) * (order == IFD_ORDER_SLOWER ? 2.0 : 0.5);
    s->orders++;
    s->slower = longer - 1.0;
    s->slowest = fmax(s->slowest, s->slower);
}

bool ifd_hybrid_slowdown(const ifd_hybrid *h, ifd_slowdown *out)
{
    *out = h->slowdown;
    return h->pace->awaits || h->slowdown.orders > 0;
}
