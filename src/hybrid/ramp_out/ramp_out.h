/* SPDX-License-Identifier: MIT */
/* Ramp-out of a test, for each interface. The brake of a ramp-in stays on its path (ramp_out.c).
 *
 *     brake -> done                                   leave: stay
 *     brake -> move -> done                           leave: start
 *     brake -> rest -> done, or unload -> brake -> rest -> ...   leave: zero-force
 *
 * Every motion has a continuous acceleration below the accelerations of the run. Brake: a cubic of the velocity from
 * the present velocity and acceleration to zero. Move: the quintic of least jerk within creep speed and acceleration.
 * Rest: no command until the force has settled; a force within its noise, or an oscillation about zero, needs no
 * unloading. Unload: with the measured force F and the stiffness k
 *
 *     x' = -F / (k T)
 *
 * with T long relative to the lag of the actuator, so that the force decays without overshoot. k is the larger of the
 * estimate and the value of the last cycles, updated during unloading. A force that does not respond, or increases,
 * is a fault. A computed force is released at once, a prescribed one last, both by their loops. */
#pragma once

#include "hybrid/hybrid.h"
#include "hybrid/ramp_out/supervise.h"

IFD_RT static inline ifd__unloading *ifd__out(const ifd_hybrid *h, int k)
{
    return &ifd__interface_of(h, k)->out;
}

/* Before the ramp-out of a ramp-in that moves on its path: plans a brake on this path. */
IFD_RT void ifd__ramp_out_leave_ramp(ifd_hybrid *h);
/* Starts ramp-out of interface k with a brake. */
IFD_RT void ifd__ramp_out_begin(ifd_hybrid *h, int k);
/* The next command of interface k; true: arrived. */
IFD_RT bool ifd__ramp_out_step(ifd_hybrid *h, int k);
/* Smooths the newest measurement of interface k; checks unloading. */
IFD_RT ifd_action ifd__ramp_out_guard(ifd_hybrid *h, int k, ifd_action worst);
/* At the end of a tick: counts the time since every command of ramp-out came to rest (`braked`). */
IFD_RT void ifd__ramp_out_braked(ifd_hybrid *h);
/* Whether a motion or a release gets nearer to its end: false after its planned time, and if none is left. */
IFD_RT bool ifd__ramp_out_nears_end(const ifd_hybrid *h);
/* Whether the release of a prescribed force has begun, which is not reversed. */
IFD_RT bool ifd__ramp_out_released(const ifd_hybrid *h);
