/* SPDX-License-Identifier: MIT */
/* Preload in a test: after ramp-in the specimens settle and their forces are averaged. Either the equilibrium is
 * found, or ramp-in continues to a corrected one. */
#pragma once

#include "hybrid/hybrid.h"

/* In each tick of a ramp: averages the forces when the specimens rest. */
IFD_RT void ifd__preload_watch(ifd_hybrid *h);
/* At the end of ramp-in: true if the test may run. If no equilibrium is found, *action has the action of the
 * fault. */
IFD_RT bool ifd__preload_arrived(ifd_hybrid *h, ifd_action *action);
