/* SPDX-License-Identifier: MIT */
/* Rate of simulated time, and the resulting position of a specimen on its path.
 *
 * A stage needs a force m = ticks_per_stage ticks after the last one. During the run each tick advances by one, and
 * every stage coincides with a tick. Hold changes the rate, simulated time per scaled wall-clock time, from 1 to 0,
 * and resume back to 1. The phase is a quintic over the complete transition, so that the slope of the rate, and hence
 * the acceleration of the command, is continuous. The transition ends at a tick at which a test can rest or run. In
 * between, a stage can fall between two ticks: the path is extended past its end by less than a tick, and the force
 * of the stage is interpolated between the measurements before and after it.
 *
 * The operator may lower the rate of the run to 1/2, 1/4, ... 1/16, its pace, by the same transitions. Each tick then
 * advances by that fraction, and every stage coincides with a tick again: the test is the same as one with a `lambda`
 * that is larger by this factor. */
#pragma once

#include "hybrid/hybrid.h"

/* After a slow run a hold takes longer than `brake`, at most this multiple of it, so that it is still recognisable as
 * a hold. */
#define IFD__LONGEST_BRAKE 10.0

/* The slowest ordered pace. */
#define IFD__SLOWEST 0.0625

/* Starts the full rate: at the end of a stage, or at its beginning. */
IFD_RT void ifd__time_begin(ifd_hybrid *h, bool at_end);
/* To rest; back to the ordered pace; to it, or to the rate that the monitor has left. During another change that they
 * cannot continue smoothly, and after overtime, they begin at its end: false. */
IFD_RT void ifd__time_hold(ifd_hybrid *h);
IFD_RT void ifd__time_resume(ifd_hybrid *h);
IFD_RT bool ifd__time_go_on(ifd_hybrid *h);
/* From the present rate to rest at a phase, also backwards; then each tick of it: whether it has ended. */
IFD_RT void ifd__time_return(ifd_hybrid *h, double to, double ticks);
IFD_RT bool ifd__time_returns(ifd_hybrid *h);
/* Rests at the present phase. */
IFD_RT void ifd__time_rest(ifd_hybrid *h);
/* An accepted order: slower and faster halve and double the pace, between IFD__SLOWEST and 1. */
IFD_RT void ifd__time_order(ifd_hybrid *h, ifd_order order);
IFD_RT bool ifd__time_slowest(const ifd_hybrid *h);
/* To at most a fraction of the present pace, until the next hold and resume; false: it is not faster. Whether the
 * pace is not below this rate. */
IFD_RT bool ifd__time_slow(ifd_hybrid *h, double share);
IFD_RT bool ifd__time_watched(const ifd_hybrid *h);
/* Whether the due stage has been reached. */
IFD_RT bool ifd__time_due(const ifd_hybrid *h);
/* Whether simulated time does not advance in this tick, after its stage and orders. */
IFD_RT bool ifd__time_waits(const ifd_hybrid *h);
/* Whether simulated time is stopped. */
IFD_RT bool ifd__time_rests(const ifd_hybrid *h);
/* Updates the weight of the calm command (calm.h) for the next tick. Zero in a run. */
IFD_RT void ifd__time_calm(ifd_hybrid *h);
/* Interface k is requested to move to *u, after `last`. Returns whether the calm command replaces it: *u is then the
 * calm command, and the target is shifted by the same distance. */
IFD_RT bool ifd__time_calmed(ifd_hybrid *h, int k, double last, double *u);
/* Rate in this tick: zero while a late substructure is awaited. */
IFD_RT double ifd__time_rate(const ifd_hybrid *h);
/* Starts the next stage; advances by one tick. */
IFD_RT void ifd__time_stage(ifd_hybrid *h);
IFD_RT void ifd__time_tick(ifd_hybrid *h);
/* Weight of the newest measurement in the force of interface k at the due stage; the remainder is that of the last
 * tick. */
IFD_RT double ifd__time_fraction(const ifd_hybrid *h, int k);
/* Displacement, velocity and acceleration (simulated time) of interface k: now, and at a given phase. */
IFD_RT void ifd__time_path(const ifd_hybrid *h, int k, double out[3]);
IFD_RT void ifd__time_path_at(const ifd_hybrid *h, int k, double phase, double out[3]);
