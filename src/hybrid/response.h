/* SPDX-License-Identifier: MIT */
/* The response of the structure in a test, in the columns of the record.
 *
 * A row contains the structure at the end of a complete step, at the simulated time of the row. The forces of the
 * specimens at that instant are measured when the specimens have arrived, just before the next step is solved. The
 * row of that tick is therefore the first with this step. All its columns, including measured ones, belong to one
 * instant; they are constant until the next step is known. The specimens never reach the end of the last step: it is
 * published in the tick after, with the forces measured last. */
#pragma once

#include "hybrid/hybrid.h"

ifd_status ifd__response_of_test(ifd_hybrid *h, ifd_arena *arena, ifd_note *note);
/* Initial state, before motion. */
IFD_RT void ifd__response_restart(ifd_hybrid *h);
/* The specimens are at the start, with the forces just loaded. */
IFD_RT void ifd__response_begin(ifd_hybrid *h);
/* No stage is solved in this tick: rest on hold, and the end of the last step. */
IFD_RT void ifd__response_idle(ifd_hybrid *h);
/* s, simulated, of the row. */
IFD_RT double ifd__response_time(const ifd_hybrid *h);
