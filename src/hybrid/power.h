/* SPDX-License-Identifier: MIT */
/* Power of the axes between the order arm and the state ready.
 *
 * A rig whose drives need a request reports IFD_INPUT_UNPOWERED until every axis has power. The order arm, or return,
 * then first sets IFD_OUTPUT_ENABLE. The test stays in idle without commanded positions and is armed when the rig no
 * longer reports it. After 5 s, or if the rig does not stay ready meanwhile (emergency stop, positions), the order is
 * refused and the request ends. Another order that is executed meanwhile cancels it, which is its answer; a refused
 * one changes nothing. With other rigs the order acts at once. */
#pragma once

#include "hybrid/hybrid.h"

/* Whether power has a part in a tick with this order: arm or return without power, one that waits or was refused,
 * axes that lose their power with the end. */
IFD_RT static inline bool ifd__power_concerns(const ifd_hybrid *h, ifd_order order)
{
    bool asks = order == IFD_ORDER_ARM || order == IFD_ORDER_RETURN;
    return (asks && ifd__rigs_with(h, IFD_INPUT_UNPOWERED) >= 0) || h->test->power_order > 0.0 ||
           h->test->power_refused > 0.0 || h->gate & IFD_GATE_FREES;
}

/* The order of this tick, without one that waits for power, or the one whose power has come. */
IFD_RT ifd_order ifd__power_order(ifd_hybrid *h, ifd_order order);
/* After the decision of this tick: an order that was executed cancels the one that waits. */
IFD_RT void ifd__power_ordered(ifd_hybrid *h);
/* After the answer of this tick: the numbers of a refusal by this module. */
IFD_RT void ifd__power_answer(ifd_hybrid *h);
/* IFD_OUTPUT_ENABLE while an order waits for power; from then on it belongs to the state (orders.h). */
IFD_RT static inline uint32_t ifd__power_outputs(const ifd_hybrid *h)
{
    return h->test->power_order > 0.0 ? IFD_OUTPUT_ENABLE : 0;
}

/* Whether an axis of an armed test has no power, which is the fault HYDRAULICS. */
IFD_RT static inline bool ifd__power_missing(const ifd_hybrid *h, uint32_t inputs)
{
    ifd_machine s = ifd__state_of(h);
    return inputs & IFD_INPUT_UNPOWERED && s != IFD_MACHINE_IDLE && s != IFD_MACHINE_STOPPED;
}
