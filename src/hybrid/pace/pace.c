/* SPDX-License-Identifier: MIT */
/* The kinds of simulated time. */
#include "hybrid/hybrid.h"

static const ifd__pace *const paces[] = {&ifd__pace_elastic, &ifd__pace_master, &ifd__pace_scaled};

const ifd__pace *ifd__pace_of(const ifd_hybrid_options *o)
{
    int i = 0;
    while (!paces[i]->asked(o))
        i++;
    return paces[i];
}

bool ifd_hybrid_slowdown(const ifd_hybrid *h, ifd_slowdown *out)
{
    *out = h->slowdown;
    return h->pace->awaits || h->slowdown.orders > 0;
}
