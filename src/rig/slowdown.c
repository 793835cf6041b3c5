/* SPDX-License-Identifier: MIT */
/* How much longer a run took than at full rate, because its rig or its operator slowed it: in a test, and from its
 * record. */
#include <math.h>

#include <interfield/hybrid.h>

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
