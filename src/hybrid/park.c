/* SPDX-License-Identifier: MIT */
/* A tripped test waits at rest until somebody resets it or quits, perhaps for a night. Its first seconds are recorded
 * tick by tick. After them one tick a second is a whole one; in the others the rig is heard and commanded to stay
 * where it is, and nothing of that enters the state but the number of the tick. So a replay needs no inputs of these
 * ticks: it only counts them. An order or a change of the digital inputs makes a whole tick at once.
 *
 * A test that another program leads is recorded tick by tick: what that program says is an input of every tick. */
#include "hybrid/hybrid.h"

static const double whole_for = 2.0; /* s in tripped: the brakes, and what the specimen does after them */
static const double between = 1.0;   /* s from one recorded tick to the next */

static bool parked(const ifd_hybrid *h, const ifd_tick_in *in)
{
    ifd__test_state *t = ifd__test_of(h);
    return h->opt.wait_tripped && !h->opt.remote && t->state == (double)IFD_MACHINE_TRIPPED &&
           in->order == IFD_ORDER_NONE && t->state_time >= whole_for && ifd__hybrid_still(h) &&
           (t->parked + 1.0) * h->period < between;
}

bool ifd__park_tick(ifd_hybrid *h, const ifd_tick_in *in)
{
    if (!parked(h, in))
        return false;
    ifd__exchange_listen(h);
    if (h->news && h->heard.inputs != h->raw.inputs)
        return false;
    h->listened = false;
    ifd__park_pass(h, 1);
    h->command.heartbeat++;
    ifd__hybrid_deliver(h);
    h->trace.quiet = 1;
    return true;
}

void ifd__park_over(ifd_hybrid *h)
{
    for (int k = 0; ifd__test_of(h)->parked > 0.0 && k < h->interfaces; k++)
        ifd__indicate_rest(h, k);
}

void ifd__park_pass(ifd_hybrid *h, uint64_t ticks)
{
    ifd__test_state *t = ifd__test_of(h);
    t->tick += (double)ticks;
    t->parked += (double)ticks;
    h->command.tick = (uint64_t)t->tick;
}
