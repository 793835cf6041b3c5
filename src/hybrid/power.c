/* SPDX-License-Identifier: MIT */
#include "hybrid/power.h"

#include "hybrid/find.h"
#include "hybrid/hybrid.h"

static const double longest = 5.0; /* s, from the request to power on every axis */

bool ifd__power_missing(const ifd_hybrid *h, uint32_t inputs)
{
    ifd_machine s = ifd__state_of(h);
    bool armed = s != IFD_MACHINE_IDLE && s != IFD_MACHINE_STOPPED;
    return armed && inputs & IFD_INPUT_UNPOWERED;
}

static IFD_RT bool unpowered(const ifd_hybrid *h)
{
    bool any = false;
    for (int r = 0; r < ifd__rigs_count(h); r++)
        any = any || ifd__rigs_link(h, r).inputs & IFD_INPUT_UNPOWERED;
    return any;
}

/* NONE: the order may act, but for the power. */
static IFD_RT ifd_answer hindrance(const ifd_hybrid *h, ifd_order order)
{
    if (order == IFD_ORDER_ARM)
        return ifd__find_unready(h);
    return ifd__find_may_return(h) ? IFD_ANSWER_NONE : IFD_ANSWER_NOT_OUTSIDE;
}

/* Why an order that waits ends in vain; NONE: it does not. */
static IFD_RT ifd_answer in_vain(const ifd_hybrid *h, ifd_order order)
{
    ifd__test_state *t = ifd__test_of(h);
    ifd_answer why = t->stale > 0.0 ? IFD_ANSWER_NONE : hindrance(h, order);
    if (why == IFD_ANSWER_STOP_PRESSED || why == IFD_ANSWER_PRESSURE_OFF || why == IFD_ANSWER_RIG_STOPPED)
        return why;
    if (why != IFD_ANSWER_NONE)
        return IFD_ANSWER_POWER_MOVED;
    bool over = (t->tick - t->power_tick) * h->period > longest;
    return over ? IFD_ANSWER_NO_POWER : IFD_ANSWER_NONE;
}

/* The order waits: NONE, or itself with power. */
static IFD_RT ifd_order await(ifd_hybrid *h)
{
    ifd__test_state *t = ifd__test_of(h);
    ifd_order order = (ifd_order)(int)t->power_order;
    bool powered = t->stale == 0.0 && !unpowered(h);
    t->power_refused = (double)in_vain(h, order);
    if (powered && t->power_refused == (double)IFD_ANSWER_NO_POWER)
        t->power_refused = 0.0;
    if (!powered && t->power_refused == 0.0)
        return IFD_ORDER_NONE;
    t->power_order = 0.0;
    return t->power_refused > 0.0 ? IFD_ORDER_NONE : order;
}

ifd_order ifd__power_order(ifd_hybrid *h, ifd_order order)
{
    ifd__test_state *t = ifd__test_of(h);
    bool asks = order == IFD_ORDER_ARM || order == IFD_ORDER_RETURN;
    t->power_refused = 0.0;
    if (ifd__state_of(h) != IFD_MACHINE_IDLE || (order != IFD_ORDER_NONE && !asks)) {
        t->power_order = 0.0;
        return order;
    }
    if (t->power_order > 0.0)
        return await(h);
    if (!asks || hindrance(h, order) != IFD_ANSWER_NONE || !unpowered(h))
        return order;
    t->power_order = (double)order;
    t->power_tick = t->tick;
    return IFD_ORDER_NONE;
}

void ifd__power_answer(ifd_hybrid *h)
{
    double refused = ifd__test_of(h)->power_refused;
    if (refused > 0.0)
        h->trace.answer = (uint32_t)refused;
}

uint32_t ifd__power_outputs(const ifd_hybrid *h)
{
    return ifd__test_of(h)->power_order > 0.0 ? IFD_OUTPUT_ENABLE : 0;
}
