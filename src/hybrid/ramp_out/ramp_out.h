/* SPDX-License-Identifier: MIT */
/* The way out of a test: ramp-out, interface by interface.
 *
 *     brake -> done                                   leave: stay
 *     brake -> move -> done                           leave: start
 *     brake -> rest -> done, or unload -> brake -> rest -> ...   leave: zero-force
 *
 * Every motion is smooth to its acceleration and stays below the accelerations of the run. Brake: velocity goes
 * to zero by a cubic that begins with the present velocity and acceleration. Move: the quintic of least jerk,
 * slow enough for creep speed and acceleration. Rest: the force is watched, without a command, until it has
 * settled; one that is within its noise, or swings through zero by itself, needs no unloading. Unload: with F
 * the measured force and k the stiffness
 *
 *     x' = -F / (k T)
 *
 * with T large beside the lag of the actuator, so that the force decays without swinging past zero; k is the
 * larger of the estimate and of what the last cycles showed, and follows what unloading itself shows. A force
 * that does not follow, or grows, is a fault. A controlled force is the last to go: its own loop leads it to
 * zero. */
#ifndef IFD_HYBRID_RAMP_OUT_RAMP_OUT_H
#define IFD_HYBRID_RAMP_OUT_RAMP_OUT_H

#include "hybrid/observe.h"
#include "hybrid/ramp_out/supervise.h"

/* Ramp-out begins: interface k is to be brought to rest. */
IFD_RT void ifd__ramp_out_begin(ifd_hybrid *h, int k);
/* The next command of interface k; true when it has arrived. */
IFD_RT bool ifd__ramp_out_step(ifd_hybrid *h, int k);
/* Smooths what was just measured of interface k; whether unloading unloads. */
IFD_RT ifd_action ifd__ramp_out_guard(ifd_hybrid *h, int k, ifd_action worst);
/* After all of a tick: counts the time since every command of ramp-out was braked (`braked`). */
IFD_RT void ifd__ramp_out_braked(ifd_hybrid *h);
/* Whether a controlled force is being let go, which is not taken back. */
IFD_RT bool ifd__ramp_out_released(const ifd_hybrid *h);

#endif
