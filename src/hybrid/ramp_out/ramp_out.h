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

IFD_RT static inline ifd__unloading *ifd__out(const ifd_hybrid *h, int k)
{
    return &h->each[k]->out;
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

/* Supervision of unloading by the load cell (docs/guide/unloading.md): closed forms of its noise, its resolution and
 * the uncertainty of the stiffness. */

/* Number of standard deviations of a significant deviation: noise exceeds it in 2e-9 of all decisions. A decision
 * takes at least eight ticks, 30 s have 4,000 of them: 1e-5 false alarms per test. */
#define IFD__CERTAIN 6.0
/* Factor by which a hysteretic specimen that slips during unloading (hardening stiffness) is softer than its
 * stiffness. */
#define IFD__SOFTER 10.0
/* The same factor for the choice of the smoothing time, where the force permits it: a sliding bearing unloads with
 * its initial stiffness and then slips with 1/41 of it (cases/bridge). */
#define IFD__SLIPPING 50.0
#define IFD__LONGEST_MEAN 0.5   /* s, longest smoothing of a force */
#define IFD__SLIPPING_MEAN 0.25 /* s, longest smoothing for a specimen that slips; shorter with several interfaces */

/* Significant change of a reading: six standard deviations of the difference of two means with this deviation, plus
 * one converter step, which noise does not always average out. */
IFD_RT double ifd__certain_change(double deviation, double step);
/* N: the smallest force that can be unloaded under supervision. A stuck load cell is detected after a travel in which
 * the force reaches the same magnitude with opposite sign, for the largest possible stiffness: 2 F/(1.25 k) if motion
 * has shown k, 2 F/(2 k) for an estimate. A specimen ten times softer than k then changes the force by F/6.25, or
 * F/10, which must be twice the significant change: F is 12.5 or 20 times that. */
IFD_RT double ifd__supervisable(double certain_change, bool shown);
/* m: that travel. */
IFD_RT double ifd__idle_travel(double force, double stiffness, bool shown);
/* N: change of the force that the first travel of unloading is due by the known stiffness, and of which a sound load
 * cell shows a sixth: a fifth of the force, ten standard deviations of the noise, and ten times the significant
 * change at least. */
IFD_RT double ifd__due_change(double force, double noise, double certain_change);
/* s of smoothing that make a force supervisable; the maximum if none does. */
IFD_RT double ifd__supervising_time(double force, double noise, double step, bool shown, double dt);
/* s of smoothing with which a specimen that slips shows twice the significant change too; at most `longest`. It does
 * not depend on `shown`: the speed of unloading would jump when motion shows the stiffness. */
IFD_RT double ifd__slipping_time(double force, double noise, double step, double longest, double dt);
