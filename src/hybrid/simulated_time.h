/* SPDX-License-Identifier: MIT */
/* The pace of a test: how fast simulated time goes, and where on its path that brings a specimen.
 *
 * A stage asks for a force m = ticks_per_stage ticks after the last. While a test runs, each tick goes on by one and
 * every stage falls on a tick. Hold lets the rate, simulated time per scaled wall time, go from 1 to 0, resume back
 * to 1, by a quintic over the whole way, so that the rate changes without a jump of its slope, and with it the
 * acceleration of the command; it ends on a tick at which a test can rest, or run. In between
 * a stage falls between two ticks: the path is followed past its end for less than a tick, and the force of the stage
 * is interpolated between those measured before and after it. */
#ifndef IFD_HYBRID_SIMULATED_TIME_H
#define IFD_HYBRID_SIMULATED_TIME_H

#include "hybrid/hybrid.h"

/* A hold takes longer than `brake` after a slow run, at most so many times: more would not be seen as a hold. */
#define IFD__LONGEST_BRAKE 10.0

/* Full rate from here on: at the end of a stage, or at its beginning. */
IFD_RT void ifd__time_begin(ifd_hybrid *h, bool at_end);
/* To rest, and back. */
IFD_RT void ifd__time_hold(ifd_hybrid *h);
IFD_RT void ifd__time_resume(ifd_hybrid *h);
/* Whether the stage that falls due has been reached. */
IFD_RT bool ifd__time_due(const ifd_hybrid *h);
/* Whether simulated time stands still. */
IFD_RT bool ifd__time_rests(const ifd_hybrid *h);
/* How much of what leaves is the calm command (calm.h), a tick later. None in a run. */
IFD_RT void ifd__time_calm(ifd_hybrid *h);
/* Channel k is asked to go to *u, and was to `last`. Whether the calm command leads instead: then it is *u, and where
 * the specimen is to be is as far off its path. */
IFD_RT bool ifd__time_calmed(ifd_hybrid *h, int k, double last, double *u);
/* How fast it goes in this tick: not at all while a late part is waited for. */
IFD_RT double ifd__time_rate(const ifd_hybrid *h);
/* The next stage begins; a tick passes. */
IFD_RT void ifd__time_stage(ifd_hybrid *h);
IFD_RT void ifd__time_tick(ifd_hybrid *h);
/* Of the force of interface k at the stage that is due: the share of the newest measurement,
 * the rest is the last tick's. */
IFD_RT double ifd__time_fraction(const ifd_hybrid *h, int k);
/* Displacement, velocity and acceleration (simulated time) of interface k. */
IFD_RT void ifd__time_path(const ifd_hybrid *h, int k, double out[3]);

#endif
