/* SPDX-License-Identifier: MIT */
/* Forces on hold, for `hold_relaxation`. When every command rests and the lag of the actuators has passed, the mean
 * force of each interface over the first ticks is the reference. A resume compares it with the running mean of the
 * newest ticks. A hold without a reference is not checked. */
#pragma once

#include "hybrid/io.h"

/* After restoring a saved state: the reference is that of the earlier hold, the newest forces restart. */
IFD_RT void ifd__rest_again(const ifd__io *io);
/* Whether every force has its reference, or none is required. */
IFD_RT bool ifd__rest_known(const ifd__io *io);

/* Whether the force for the structure on resume is a measurement of this tick, or there is no bound. During the brake
 * the structure still advances, and a resume causes no step of its force. */
IFD_RT bool ifd__rest_fresh(const ifd__io *io);
/* Change of force k on hold, less what noise explains, as a fraction of the force that it is compared with: above the
 * bound a resume is refused. 0 without a reference. */
IFD_RT double ifd__rest_relaxation(const ifd__io *io, int k);

/* N: the change of a force on hold and its permitted value. */
typedef struct ifd__rest_change {
    int interface;
    double change, limit;
} ifd__rest_change;
/* The first interface dof with a change above the permitted value; interface -1: none. */
IFD_RT ifd__rest_change ifd__rest_changed(const ifd__io *io);
