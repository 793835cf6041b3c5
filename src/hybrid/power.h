/* SPDX-License-Identifier: MIT */
/* Power of the axes between the order arm and the state ready.
 *
 * A rig whose drives need a request reports IFD_INPUT_UNPOWERED until every axis has power. The order arm, or return,
 * then first sets IFD_OUTPUT_ENABLE. The test stays in idle without commanded positions and is armed when the rig no
 * longer reports it. After 5 s, or if the rig does not stay ready meanwhile (emergency stop, positions), the order is
 * refused and the request ends. Another order that is executed meanwhile cancels it, which is its answer; a refused
 * one changes nothing. With other rigs the order acts at once. */
#pragma once

#include <interfield/hybrid.h>

/* The order of this tick, without one that waits for power, or the one whose power has come. */
IFD_RT ifd_order ifd__power_order(ifd_hybrid *h, ifd_order order);
/* After the decision of this tick: an order that was executed cancels the one that waits. */
IFD_RT void ifd__power_ordered(ifd_hybrid *h);
/* After the answer of this tick: the numbers of a refusal by this module. */
IFD_RT void ifd__power_answer(ifd_hybrid *h);
/* IFD_OUTPUT_ENABLE while an order waits for power; from then on it belongs to the state (orders.h). */
IFD_RT uint32_t ifd__power_outputs(const ifd_hybrid *h);
/* Whether an axis of an armed test has no power, which is the fault HYDRAULICS. */
IFD_RT bool ifd__power_missing(const ifd_hybrid *h, uint32_t inputs);
