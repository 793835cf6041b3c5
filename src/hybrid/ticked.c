/* SPDX-License-Identifier: MIT */
/* A test as an executor sees it: its tick, values and trace. */
#include <string.h>

#include "base/hash.h"
#include "base/os_linux.h"
#include "hybrid/orders.h"
#include "hybrid/checkpoint.h"
#include "hybrid/rig_ready.h"
#include "rig/rig.h"

static ifd_run_state tick(void *self, const ifd_tick_in *in)
{
    ifd_hybrid *h = self;
    const ifd__substructure *s = &h->numerical;
    ifd__tick t = ifd__hybrid_tick_begin(h, in);
    if (t.exchange)
        s->ops->exchange(s, (int)h->test->exchange, &h->test->step, h->x);
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
    return ifd__state_of(h) == IFD_MACHINE_HOLD && h->test->rate == 0.0 && ifd__hybrid_still(h) &&
           h->orders->wants == IFD__WANTS_NOTHING;
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

/* The trace of a tick. It is not part of the state: no code of a tick reads it. */

void ifd__trace_begin(ifd_hybrid *h)
{
    h->trace.faults = 0;
    h->trace.answer = h->trace.quiet = 0;
    h->trace.answer_order = IFD_ORDER_NONE;
    memset(h->trace.stage_ns, 0, sizeof h->trace.stage_ns);
    if (!h->untraced)
        h->stamp = ifd__clock_now();
}

void ifd__trace_stage(ifd_hybrid *h, int stage)
{
    if (h->untraced)
        return;
    int64_t now = ifd__clock_now(), took = now - h->stamp;
    h->trace.stage_ns[stage] = took < UINT32_MAX ? (uint32_t)took : UINT32_MAX;
    h->stamp = now;
}

/* Between the ends of complete steps substructures are excluded, as one can be on a worker. The state of the rig is
 * excluded, as a replay has none. The state that affects only columns (response.h) is compared by its columns. */
static uint64_t hash(const ifd_hybrid *h)
{
    bool under_way = !ifd__substructure_whole(&h->numerical, (int)h->test->exchange);
    int from = under_way ? h->numerical.size : 0;
    return ifd__hash(IFD__HASH_START, h->x + from, (size_t)(h->hashed - from));
}

void ifd__trace_end(ifd_hybrid *h)
{
    ifd__test_state *t = h->test;
    h->trace.fault_value = t->fault_value;
    h->trace.fault_limit = t->fault_limit;
    h->trace.fault_owner = (int32_t)t->fault_owner;
    h->trace.took = h->took;
    if (h->trace.took)
        h->trace.target = h->taken;
    t->parked = 0.0;
    h->trace.hash = h->untraced ? 0 : hash(h);
}

void ifd__hybrid_untraced(ifd_hybrid *h)
{
    h->untraced = true;
}
