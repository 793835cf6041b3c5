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
 * that is larger by this factor.
 *
 * Overtime: the motion of the specimens while a substructure on a worker is late.
 *
 * The stage is due, its force is measured, but it cannot be solved yet. The specimens continue along the tangent at
 * the end of their path, come to rest and return to the place of the stage. The phase past it is a quintic over the
 * time T that begins with the present rate r and ends at rest; with s = t/T
 *
 *     y = r T (s - 6 s^3 + 8 s^4 - 3 s^5),    0 <= y <= 0.198 r T,    |y''| <= 3.94 r/T
 *
 * No velocity jumps. The stage takes the force measured when it was due, wherever the specimens are when it is
 * solved. Then
 *
 *     run    within a quarter of a stage of it, simulated time continues from where they are; otherwise they
 *            return first, and the rate increases from zero. With less than four ticks per stage they wait at the
 *            stage for as many ticks as the test tolerates
 *     hold   they rest at the place of the stage
 *
 * T is 2 V/A of the run, by the ratio of its peaks, so that the acceleration is at most 2 A and the specimens leave
 * the range of a harmonic motion by at most 8 %; it is not longer than 2 `brake`, unless a limit of acceleration
 * needs it. */
#pragma once

#include "hybrid/hybrid.h"

/* After a slow run a hold takes longer than `brake`, at most this multiple of it, so that it is still recognisable as
 * a hold. */
#define IFD__LONGEST_BRAKE 10.0

/* The slowest ordered pace. */
#define IFD__SLOWEST 0.0625

/* The run begins: at the end of a stage, or at its beginning, and with the full rate. */
IFD_RT void ifd__time_begin(ifd_hybrid *h);
IFD_RT void ifd__time_start(ifd_hybrid *h);
/* An accepted order: slower and faster halve and double the pace, between IFD__SLOWEST and 1. */
IFD_RT void ifd__time_order(ifd_hybrid *h, ifd_order order);
IFD_RT bool ifd__time_slowest(const ifd_hybrid *h);
/* To at most a fraction of the present pace, until the next hold and resume; false: it is not faster. Whether the
 * pace is not below this rate. */
IFD_RT bool ifd__time_slow(ifd_hybrid *h, double share);
IFD_RT bool ifd__time_watched(const ifd_hybrid *h);
/* Whether the due stage has been reached. */
IFD_RT bool ifd__time_due(const ifd_hybrid *h);
/* Whether simulated time is stopped. */
IFD_RT bool ifd__time_rests(const ifd_hybrid *h);
/* Updates the weight of the calm command (command_filter.h) for the next tick. Zero in a run. */
IFD_RT void ifd__time_calm(ifd_hybrid *h);
/* Interface k is requested to move to *u, after `last`. Returns whether the calm command replaces it: *u is then the
 * calm command, and the target is shifted by the same distance. */
IFD_RT bool ifd__time_calmed(ifd_hybrid *h, int k, double last, double *u);
/* Rate in this tick: zero while a late substructure is awaited; over the wall-clock time. */
IFD_RT double ifd__time_rate(const ifd_hybrid *h);
IFD_RT double ifd__time_scale(const ifd_hybrid *h);
/* Starts the next stage; advances by one tick. */
IFD_RT void ifd__time_stage(ifd_hybrid *h);
IFD_RT void ifd__time_tick(ifd_hybrid *h);
/* Weight of the newest measurement in the force of interface k at the due stage; the remainder is that of the last
 * tick. */
IFD_RT double ifd__time_fraction(const ifd_hybrid *h, int k);
/* Displacement, velocity and acceleration (simulated time) of interface k: now, and at a given phase. */
IFD_RT void ifd__time_path(const ifd__io *io, int k, double out[3]);
IFD_RT void ifd__time_now(const ifd_hybrid *h, int k, double out[3]);
IFD_RT void ifd__time_path_at(const ifd__io *io, int k, double phase, double out[3]);

/* In overtime the stage is solved, and the next one has begun. */
IFD_RT void ifd__overtime_solved(ifd_hybrid *h);

IFD_RT static inline bool ifd__overtime(const ifd_hybrid *h)
{
    return h->test->overtime > 0.0;
}
