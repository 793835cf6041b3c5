/* SPDX-License-Identifier: MIT */
/* The trace of a tick. It is not part of the state: no code of a tick reads it. */
#include <string.h>

#include "base/hash.h"
#include "hybrid/hybrid.h"
#include "base/os_linux.h"

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
    bool under_way = !ifd__substructure_whole(&h->numerical, (int)ifd__test_of(h)->exchange);
    int numerical = h->numerical.size, own = h->own;
    uint64_t sum = under_way ? IFD__HASH_START : ifd__hash(IFD__HASH_START, h->x, (size_t)numerical);
    sum = ifd__hash(sum, h->x + numerical, (size_t)(h->rig_at - numerical));
    return ifd__hash(sum, h->x + own, (size_t)(h->response_at - own));
}

void ifd__trace_end(ifd_hybrid *h)
{
    ifd__test_state *t = ifd__test_of(h);
    h->trace.fault_value = t->fault_value;
    h->trace.fault_limit = t->fault_limit;
    h->trace.fault_channel = (int32_t)t->fault_owner;
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
