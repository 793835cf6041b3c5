/* SPDX-License-Identifier: MIT */
#include "hybrid/limits/fresh.h"

#include <math.h>

#include "hybrid/orders.h"

static const double window = 1.0; /* s */

/* Ticks of a tenth of the window. */
static IFD_RT double tenth(const ifd_hybrid *h)
{
    return fmax(1.0, ceil(window / IFD__FRESH_TENTHS / h->period * (1.0 - 1e-12)));
}

static IFD_RT bool heard(ifd_hybrid *h)
{
    bool all = true;
    for (int r = 0; r < ifd__rigs_count(h); r++)
        all = all && *ifd__rigs_link(h, r).heard > 0.0;
    return all;
}

/* The oldest tenth leaves. */
static IFD_RT void turn(ifd__orders *o)
{
    for (int i = IFD__FRESH_TENTHS - 1; i > 0; i--)
        o->stale_tenth[i] = o->stale_tenth[i - 1];
    o->stale_tenth[0] = o->stale_now;
    o->stale_tenths = fmin(o->stale_tenths + 1.0, IFD__FRESH_TENTHS);
    o->stale_now = o->stale_of = 0.0;
}

void ifd__fresh_count(ifd_hybrid *h)
{
    const ifd__test_state *t = ifd__test_of(h);
    ifd__orders *o = ifd__orders_of(h);
    double stale = t->stale > 0.0;
    if (!heard(h))
        return;
    if (o->stale_of >= tenth(h))
        turn(o);
    o->stale_now += stale;
    o->stale_of += 1.0;
    if ((int)t->state != IFD_MACHINE_RUN)
        return;
    o->run_stale += stale;
    o->run_ticks += 1.0;
}

double ifd__fresh_missed(const ifd_hybrid *h)
{
    const ifd__orders *o = ifd__orders_of(h);
    double stale = o->stale_now, ticks = o->stale_of + o->stale_tenths * tenth(h);
    for (int i = 0; i < (int)o->stale_tenths; i++)
        stale += o->stale_tenth[i];
    return ticks > 0.0 ? stale / ticks : 0.0;
}

bool ifd__fresh_enough(const ifd_hybrid *h)
{
    return h->pace->awaits || ifd__fresh_missed(h) <= h->opt.stale_fraction;
}

double ifd_hybrid_stale_fraction(const ifd_hybrid *h)
{
    const ifd__orders *o = ifd__orders_of(h);
    return o->run_ticks > 0.0 ? o->run_stale / o->run_ticks : 0.0;
}
