/* SPDX-License-Identifier: MIT */
/* Compressions of sliding bearings of the structure that follow the measured force of an actuator in force control.
 *
 * At the beginning of a step the bearing takes the newest measured force. A force that is not a number, or no new
 * measurement, leaves its last value. The change of its stored energy enters the balance with that of updates. While
 * a loop is probed (facts.frozen) nothing changes. */
#pragma once

#include "hybrid/hybrid.h"

/* Before the first exchange of a step. */
IFD_RT void ifd__measured_load_use(ifd_hybrid *h);
