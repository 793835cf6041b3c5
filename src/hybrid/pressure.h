/* SPDX-License-Identifier: MIT */
/* Pressure by the orders low and high, for a rig that has these outputs (ifd_rig.outputs) and a test by orders:
 *
 *     low     LOW is requested; pressure must be reported within 10 s
 *             until 2 s later no position has moved by more than arm-spread, and no force by more than 2 % of its
 *             limit, since the order; every rig must send measurements
 *     high    HIGH too; only then arm and return are permitted
 *
 * Otherwise both requests end in the same tick, with the reason as its answer. They also end when pressure is lost:
 * its return starts nothing. Pressure that a rig server has kept of an earlier test, whose specimen it holds, is
 * requested in its place, and left on by a test that ends in idle. */
#pragma once

#include "hybrid/orders.h"

typedef enum ifd__pressure_stage {
    IFD__PRESSURE_OFF,
    IFD__PRESSURE_RISES, /* LOW is requested */
    IFD__PRESSURE_WATCHED,
    IFD__PRESSURE_LOW, /* steady */
    IFD__PRESSURE_HIGH,
    IFD__PRESSURE_KEPT /* HIGH, of an earlier test; in idle */
} ifd__pressure_stage;

/* After an order that was not refused. */
IFD_RT void ifd__pressure_order(ifd_hybrid *h, ifd_order order);
/* Whether a rig has sent no measurement in this tick, so that an order for pressure is refused. */
IFD_RT static inline bool ifd__pressure_unseen(const ifd_hybrid *h)
{
    return (h->gate & IFD_GATE_PRESSURE) && (h->test->rig.heard == 0.0 || h->test->rig.stale > 0.0);
}

/* Why motion must wait for pressure; IFD_WAIT_NONE: it need not. */
IFD_RT static inline ifd_wait ifd__pressure_wait(const ifd_hybrid *h)
{
    static const ifd_wait waits[] = {[IFD__PRESSURE_OFF] = IFD_WAIT_LOW,       [IFD__PRESSURE_RISES] = IFD_WAIT_RISES,
                                     [IFD__PRESSURE_WATCHED] = IFD_WAIT_RISES, [IFD__PRESSURE_LOW] = IFD_WAIT_HIGH,
                                     [IFD__PRESSURE_HIGH] = IFD_WAIT_NONE,     [IFD__PRESSURE_KEPT] = IFD_WAIT_NONE};
    const uint32_t ordered = IFD_GATE_PRESSURE | IFD_GATE_ORDERS;
    return (h->gate & ordered) == ordered ? waits[(int)h->orders->pressure_stage] : IFD_WAIT_NONE;
}

/* After the decision: what was found, as the answer of this tick if it has no order, otherwise of a later one. */
IFD_RT void ifd__pressure_answer(ifd_hybrid *h, ifd_order order);
