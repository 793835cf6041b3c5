/* SPDX-License-Identifier: MIT */
/* Search for the position of the rig before arming, and start and end of commands.
 *
 * A position is found after several successive measurements of all actuators that agree within a fraction of the
 * stroke. Only then can a test be armed; its first command is the found position, the reference of later commands. In
 * the state idle no position is commanded. */
#pragma once

#include <math.h>

#include <interfield/hybrid.h>

#include "hybrid/state.h"
#include "rig/governor.h"

struct ifd__driven;

/* The samples of one actuator, in a test and in a rig server: the first sample; another sample, with the scatter of
 * the series or, after the search, the distance from the found position (m); the found position after enough
 * samples. */
IFD_RT void ifd__finding_begin(ifd__finding *r, double x);
IFD_RT double ifd__finding_add(ifd__finding *r, double x, bool found);
IFD_RT void ifd__finding_end(ifd__finding *r, double samples);

/* Whether the rig has acknowledged a command of this search, all of which are without position. Measurements do not
 * prove that commands arrive, and a large stale limit would detect this only during motion. */
IFD_RT bool ifd__find_heard(const ifd_hybrid *h);
/* Why the test may not be armed, NONE: it may; whether it may return into its stroke. */
IFD_RT ifd_answer ifd__find_unready(const ifd_hybrid *h);
IFD_RT bool ifd__find_may_return(const ifd_hybrid *h);
/* Why a rig outside its stroke is not moved back yet, as it would not be armed; NONE: nothing prevents it. */
IFD_RT ifd_answer ifd__find_kept(const ifd_hybrid *h);
/* The first channel outside its arm-range, -1: none. returns: the positions that are to come back do not count. */
IFD_RT int ifd__find_locked(const ifd_hybrid *h, bool returns);
/* Starts commands at rest at the found position. */
IFD_RT void ifd__find_take(ifd_hybrid *h);
/* Ends commands if they have no effect: hydraulics off, or at rest after a trip or at the end with an unknown
 * position or without acknowledgement. */
IFD_RT void ifd__find_power(ifd_hybrid *h);
/* Idle for longer than arm_timeout in a test with automatic arming. */
IFD_RT bool ifd__find_given_up(const ifd_hybrid *h);

/* The extensions and the pose of a drive at the found positions, false: no pose. */
IFD_RT bool ifd__find_pose(const ifd_hybrid *h, const struct ifd__driven *d, double *s, double *q);

/* The bounds of a command: those of the test, or outside the stroke from the found position into the stroke. start:
 * m, found position. */
IFD_RT static inline ifd__bounds ifd__return_bounds(ifd_machine state, const ifd__bounds *b, double start)
{
    ifd__bounds wide = *b;
    if (state == IFD_MACHINE_RETURN || state == IFD_MACHINE_TRIPPED) {
        wide.low = fmin(b->low, start);
        wide.high = fmax(b->high, start);
    }
    return wide;
}

/* Permitted measured positions: outside the stroke, no farther out than the found position. who: as in
 * ifd_hybrid_owner_name. */
IFD_RT void ifd__return_limits(const ifd_hybrid *h, int who, ifd_limits *l);
/* Whether every drive has a return path on which no actuator moves outward. */
IFD_RT bool ifd__return_free(const ifd_hybrid *h);
/* Plans the return from the found position: end positions and duration. */
IFD_RT void ifd__return_begin(ifd_hybrid *h);
/* Target of interface k after s seconds of the return, and its step since the last tick. */
IFD_RT double ifd__return_target(const ifd_hybrid *h, int k, double s, double *step);
