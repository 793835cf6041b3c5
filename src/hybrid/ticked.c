/* SPDX-License-Identifier: MIT */
/* A test as an executor sees it: its tick, values and trace. */
#include <math.h>

#include "hybrid/checkpoint.h"
#include "hybrid/hybrid.h"
#include "hybrid/warm.h"
#include "rig/rig.h"

static bool slow(const ifd__bounds *b, double step, double share)
{
    return fabs(step) <= share * (b->acceleration * b->dt * b->dt);
}

bool ifd__hybrid_slower(const ifd_hybrid *h, double share)
{
    bool all = true;
    for (int k = 0; k < h->interfaces; k++)
        all = all && slow(&h->interface[k].bounds, ifd__interface_of(h, k)->step, share);
    for (int d = 0; d < h->drives; d++)
        for (int j = 0; j < h->drive[d].o->drive.actuators; j++)
            all = all && slow(&h->drive[d].bounds[j], ifd__actuator_of(h, &h->drive[d], j)->step, share);
    return all;
}

bool ifd__hybrid_still(const ifd_hybrid *h)
{
    return ifd__hybrid_slower(h, 0.0);
}

static ifd_run_state tick(void *self, const ifd_tick_in *in)
{
    ifd_hybrid *h = self;
    const ifd__substructure *s = &h->numerical;
    ifd__tick t = ifd__hybrid_tick_begin(h, in);
    if (t.exchange)
        s->ops->exchange(s, (int)ifd__test_of(h)->exchange, &ifd__test_of(h)->step, h->x);
    return ifd__hybrid_tick_end(h, &t);
}

static const double *values(const void *self)
{
    return ((const ifd_hybrid *)self)->values;
}

static const ifd_tick_trace *trace(const void *self)
{
    return &((const ifd_hybrid *)self)->trace;
}

/* On hold, without a pending order. */
static bool rests(const void *self)
{
    const ifd_hybrid *h = self;
    return ifd__state_of(h) == IFD_MACHINE_HOLD && ifd__test_of(h)->rate == 0.0 && ifd__hybrid_still(h);
}

ifd_ticked ifd_hybrid_ticked(ifd_hybrid *h)
{
    return (ifd_ticked){.self = h,
                        .tick = tick,
                        .values = values,
                        .count = h->columns,
                        .wish = ifd__checkpoint_wish,
                        .trace = trace,
                        .rests = rests,
                        .warm = ifd__rig_warms(&h->rig) ? ifd__warm_step : NULL,
                        .wait = h->opt.rig_leads ? ifd__warm_wait : NULL};
}
