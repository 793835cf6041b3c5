/* SPDX-License-Identifier: MIT */
/* Overtime: the motion of the specimens while a substructure on a worker is late.
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

/* The stage that is due cannot be solved in this tick; action: of the faults of this tick. */
IFD_RT void ifd__overtime_wait(ifd_hybrid *h, ifd_action action);
/* The stage is solved, and the next one has begun. */
IFD_RT void ifd__overtime_solved(ifd_hybrid *h);
/* One tick of the motion. */
IFD_RT void ifd__overtime_tick(ifd_hybrid *h);
/* Displacement, velocity and acceleration (simulated time) of interface k in it. */
IFD_RT void ifd__overtime_path(const ifd_hybrid *h, int k, double out[3]);

IFD_RT static inline bool ifd__overtime(const ifd_hybrid *h)
{
    return ifd__test_of(h)->overtime > 0.0;
}

/* Whether the force of the due stage is the kept one. */
IFD_RT static inline bool ifd__overtime_keeps(const ifd_hybrid *h)
{
    return ifd__overtime(h) && ifd__test_of(h)->solved == 0.0;
}
