/* SPDX-License-Identifier: MIT */
/* A tripped test waits at rest until reset or quit, possibly for hours. Its first seconds are recorded completely.
 * After that one tick per second is a complete tick. In the others the rig is read and commanded to hold, and only
 * the tick number changes in the state, so that a replay needs no inputs of these ticks and only counts them. An
 * order or a change of the digital inputs causes a complete tick immediately.
 *
 * A test led by another program is recorded completely, as messages of that program are an input of every tick. */
#include "hybrid/part.h"

static const double whole_for = 2.0; /* s in tripped: the brake, and the subsequent motion of the specimen */
static const double between = 1.0;   /* s between recorded ticks */

static bool parked(const ifd_hybrid *h, const ifd_tick_in *in)
{
    return h->opt.wait_tripped && !h->pace->elsewhere && in->order == IFD_ORDER_NONE &&
           h->test->state_time >= whole_for && ifd__hybrid_still(h) && (h->test->parked + 1.0) * h->period < between;
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
    h->command.outputs ^= IFD_OUTPUT_BEAT;
    ifd__hybrid_deliver(h);
    h->trace.quiet = 1;
    return true;
}

/* After the measurement of a recorded tick: earlier measurements are too old for rates. */
static IFD_RT void over(ifd_hybrid *h)
{
    for (int k = 0; h->test->parked > 0.0 && k < h->interfaces; k++)
        ifd__measured_rest(h, k);
}

void ifd__park_pass(ifd_hybrid *h, uint64_t ticks)
{
    h->test->tick += (double)ticks;
    h->test->parked += (double)ticks;
    h->command.tick = (uint64_t)h->test->tick;
}

const ifd__part ifd__part_parked = {.name = "parked",
                                    .about = "a tripped test that waits is recorded once per second",
                                    .in = IFD__IN(TRIPPED),
                                    .sense = over};
