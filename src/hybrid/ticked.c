/* SPDX-License-Identifier: MIT */
/* A test as an executor sees it: its tick, values and trace. */
#include "hybrid/orders.h"
#include "hybrid/checkpoint.h"
#include "hybrid/hybrid.h"
#include "hybrid/rig_ready.h"
#include "rig/rig.h"

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
    return ifd__state_of(h) == IFD_MACHINE_HOLD && ifd__test_of(h)->rate == 0.0 && ifd__hybrid_still(h) &&
           ifd__orders_of(h)->wants == IFD__WANTS_NOTHING;
}

ifd_ticked ifd_hybrid_ticked(ifd_hybrid *h)
{
    return (ifd_ticked){.self = h,
                        .tick = tick,
                        .values = values,
                        .count = h->columns,
                        .beat = h->rig.beat,
                        .late_after = h->late_after,
                        .wish = ifd__checkpoint_wish,
                        .trace = trace,
                        .rests = rests,
                        .warm = ifd__rig_warms(&h->rig) ? ifd__warm_step : NULL,
                        .grid = ifd__warm_grid,
                        .wait = h->opt.rig_leads ? ifd__warm_wait : NULL};
}
