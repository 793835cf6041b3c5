/* SPDX-License-Identifier: MIT */
/* The request for power between arm and ready: power.h. */
#include "hybrid/power.h"

#include <math.h>

#include "hybrid/pressure.h"

static const double longest = 5.0; /* s, from the request to power on every axis */

/* NONE: the order may act, but for the power. */
static IFD_RT ifd_answer hindrance(const ifd_hybrid *h, ifd_order order)
{
    if (order == IFD_ORDER_ARM)
        return ifd__find_unready(h);
    return ifd__find_may_return(h) ? ifd__find_kept(h) : IFD_ANSWER_NOT_OUTSIDE;
}

/* A reason that people can remove; others are motion while the drives were switched on. */
static IFD_RT ifd_answer reason(const ifd_hybrid *h)
{
    ifd_answer why = ifd__find_unready(h);
    switch (why) {
    case IFD_ANSWER_STOP_PRESSED:
    case IFD_ANSWER_PRESSURE_OFF:
    case IFD_ANSWER_RIG_STOPPED:
    case IFD_ANSWER_INTERLOCK:
    case IFD_ANSWER_STALE:
    case IFD_ANSWER_NO_HIGH:
    case IFD_ANSWER_NOT_ALLOWED:
        return why;
    default: /* also of a return, which finds a position outside its stroke first */
        if (ifd__rigs_refuse(h) >= 0)
            return IFD_ANSWER_NOT_ALLOWED;
        return ifd__pressure_wait(h) != IFD_WAIT_NONE ? IFD_ANSWER_NO_HIGH : IFD_ANSWER_POWER_MOVED;
    }
}

/* Why an order that waits ends in vain; NONE: it does not. */
static IFD_RT ifd_answer in_vain(const ifd_hybrid *h, ifd_order order)
{
    if (h->test->rig.stale == 0.0 && hindrance(h, order) != IFD_ANSWER_NONE)
        return reason(h);
    bool over = (h->test->tick - h->test->power_tick) * h->period > longest;
    return over ? IFD_ANSWER_NO_POWER : IFD_ANSWER_NONE;
}

/* The order waits: NONE, or itself with power. again: in this tick arm or return was given. */
static IFD_RT ifd_order await(ifd_hybrid *h, bool again)
{
    ifd__test_state *t = h->test;
    ifd_order order = (ifd_order)(int)t->power_order;
    bool powered = t->rig.stale == 0.0 && ifd__rigs_with(h, IFD_INPUT_UNPOWERED) < 0;
    t->power_refused = (double)in_vain(h, order);
    if (powered && t->power_refused == (double)IFD_ANSWER_NO_POWER)
        t->power_refused = 0.0;
    if (!powered && t->power_refused == 0.0) {
        t->power_refused = again ? (double)IFD_ANSWER_POWER_AWAITED : 0.0;
        return IFD_ORDER_NONE;
    }
    t->power_order = 0.0;
    h->trace.answer_order = (uint64_t)order;
    return t->power_refused > 0.0 ? IFD_ORDER_NONE : order;
}

/* The actuator with the largest force above 1 % of its limit, or -1. */
static IFD_RT int loaded(const ifd_hybrid *h)
{
    int who = -1;
    for (int a = 0; a < h->actuators; a++) {
        ifd_limits l;
        ifd_hybrid_rig_limits(h, a, &l);
        double f = fabs(h->measure.force[a]);
        bool most = who < 0 || f > fabs(h->measure.force[who]);
        who = most && f > 0.01 * l.force ? a : who;
    }
    return who;
}

/* Axes that lose their power with the end of the test: nothing is parked on them, and quit is asked for twice, but
 * not of a signal. */
static IFD_RT ifd_order end_of(ifd_hybrid *h, ifd_order order)
{
    ifd__test_state *t = h->test;
    bool person = h->source == IFD_SOURCE_HOLDER || h->source >= IFD_SOURCE_VIEWER;
    ifd_machine s = ifd__state_of(h);
    if (order == IFD_ORDER_PARK && (s == IFD_MACHINE_RUN || s == IFD_MACHINE_HOLD)) {
        t->power_refused = IFD_ANSWER_PARK_FREES;
        return IFD_ORDER_NONE;
    }
    if (s != IFD_MACHINE_TRIPPED)
        t->power_asked = 0.0;
    if (order != IFD_ORDER_QUIT || s != IFD_MACHINE_TRIPPED || t->power_asked > 0.0 || loaded(h) < 0)
        return order;
    t->power_asked = 1.0;
    t->power_refused = person ? IFD_ANSWER_QUIT_FREES : IFD_ANSWER_QUIT_FREED;
    return person ? IFD_ORDER_NONE : order;
}

ifd_order ifd__power_order(ifd_hybrid *h, ifd_order order)
{
    ifd__test_state *t = h->test;
    bool asks = order == IFD_ORDER_ARM || order == IFD_ORDER_RETURN;
    t->power_refused = 0.0;
    if (h->gate & IFD_GATE_FREES)
        order = end_of(h, order);
    if (ifd__state_of(h) != IFD_MACHINE_IDLE)
        t->power_order = 0.0;
    if (order != IFD_ORDER_NONE && !asks) /* it ends one that waits if it is executed */
        return order;
    if (t->power_order > 0.0)
        return await(h, asks && h->source != IFD_SOURCE_AUTOMATIC);
    if (!asks || hindrance(h, order) != IFD_ANSWER_NONE || ifd__rigs_with(h, IFD_INPUT_UNPOWERED) < 0)
        return order;
    t->power_order = (double)order;
    t->power_tick = t->tick;
    return IFD_ORDER_NONE;
}

/* A refused order changes nothing, and one about updates has no part in the power. */
void ifd__power_ordered(ifd_hybrid *h)
{
    ifd_order order = h->ordered;
    bool apart = order == IFD_ORDER_NONE || order == IFD_ORDER_UPDATE_OFF || order == IFD_ORDER_UPDATE_ON;
    if (h->test->power_order == 0.0 || apart || ifd_answer_refuses((ifd_answer)h->trace.answer))
        return;
    h->test->power_order = 0.0;
    if (h->trace.answer == IFD_ANSWER_NONE)
        h->trace.answer = IFD_ANSWER_POWER_CANCELLED;
}

void ifd__power_answer(ifd_hybrid *h)
{
    ifd_answer refused = (ifd_answer)(int)h->test->power_refused;
    int axis = loaded(h);
    if ((refused == IFD_ANSWER_QUIT_FREES || refused == IFD_ANSWER_QUIT_FREED) && axis >= 0) {
        h->trace.answer_value = axis + 1;
        h->trace.answer_limit = 1e-3 * fabs(h->measure.force[axis]);
    }
}
