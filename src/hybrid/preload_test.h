/* SPDX-License-Identifier: MIT */
/* Preload in a test: after ramp-in the specimens have settled, their forces are averaged, and either the
 * equilibrium is found or ramp-in goes on to a better one. */
#ifndef IFD_HYBRID_PRELOAD_TEST_H
#define IFD_HYBRID_PRELOAD_TEST_H

#include "hybrid/hybrid.h"

ifd_status ifd__preload_test_make(ifd_hybrid *h, ifd_arena *arena, ifd_note *note);
/* The model at the equilibrium with the estimates; before the paths are put there. */
IFD_RT void ifd__preload_restart(ifd_hybrid *h);
/* Each tick of a ramp: averages the forces once the specimens rest. */
IFD_RT void ifd__preload_watch(ifd_hybrid *h);
/* At the end of ramp-in: true when the test may run. When no equilibrium is found the fault's action is in
 * *action. */
IFD_RT bool ifd__preload_arrived(ifd_hybrid *h, ifd_action *action);

#endif
