/* SPDX-License-Identifier: MIT */
/* Channels that are controlled in force: an outer loop around a controller that takes positions.
 *
 * The command p moves so that the measured force f, which resists positive position with a stiffness estimated as k,
 * follows its target r:
 *
 *     p' = (r' + w (r - f)) / k,        w = 2 pi bandwidth
 *
 * an integral loop with the target's rate fed forward. With the true stiffness K and a delay tau of actuator and
 * measurement it is stable while w (K/k) tau < pi/2. r approaches what is wanted no faster than the rate allows.
 * Below it all the interface's governor keeps position, velocity and acceleration inside their limits. */
#ifndef IFD_HYBRID_FORCE_CONTROL_H
#define IFD_HYBRID_FORCE_CONTROL_H

#include "hybrid/hybrid.h"

/* The loop begins from the force that is measured now. */
IFD_RT void ifd__force_begin(ifd_hybrid *h, int k);
/* One tick towards `wanted` (N): the new command passes the governor. True when it is there. */
IFD_RT bool ifd__force_step(ifd_hybrid *h, int k, double target);
/* What to want when it is to be kept where it is, from a change that is under way. */
IFD_RT double ifd__force_keep(const ifd_hybrid *h, int k);
/* The wanted force after a share s of ramp-in, and while the test runs; elapsed: s of simulated time in this tick. */
IFD_RT double ifd__force_ramp(const ifd_hybrid *h, int k, double s);
IFD_RT double ifd__force_run(ifd_hybrid *h, int k, double elapsed);
/* Too far from its target for what the case tolerates. */
IFD_RT ifd_action ifd__force_guard(ifd_hybrid *h, int k, ifd_action worst);

ifd_status ifd__force_check(const ifd_interface_options *c, ifd_note *note);

#endif
