/* SPDX-License-Identifier: MIT */
/* Where the rig stands before a test is armed, and whether anything is commanded.
 *
 * A position counts as found when it has been measured several times in a row, for all actuators at once, and the
 * samples agree: they scatter by no more than a fraction of the stroke. Only then may a test be armed; its first
 * command is the found position, and every later one is judged from there. In the state idle nothing is commanded. */
#ifndef IFD_HYBRID_FIND_H
#define IFD_HYBRID_FIND_H

#include <interfield/hybrid.h>

#include "hybrid/state.h"
#include "rig/governor.h"

struct ifd__driven;

/* The samples of one actuator, in a test and in a rig server: the first one; one more, and by how much the samples
 * scatter or, once it was found, how far this one is off (m); the place, when so many agree. */
IFD_RT void ifd__finding_begin(ifd__finding *r, double x);
IFD_RT double ifd__finding_add(ifd__finding *r, double x, bool found);
IFD_RT void ifd__finding_end(ifd__finding *r, double samples);

/* Takes room in x. */
void ifd__find_make(ifd_hybrid *h);
/* Nothing is found any more, and nothing is commanded. */
IFD_RT void ifd__find_forget(ifd_hybrid *h);
/* Idle: looks at what was just measured, and says what the test waits for. */
IFD_RT void ifd__find_step(ifd_hybrid *h, bool fresh);
/* Whether the rig has acknowledged a command of this search, each of which commands nothing: that it measures does
 * not show that it hears, and a large stale limit would notice only when it moves. */
IFD_RT bool ifd__find_heard(const ifd_hybrid *h);
/* Whether the test may be armed; whether it may be moved back into its stroke. */
IFD_RT bool ifd__find_ready(const ifd_hybrid *h);
IFD_RT bool ifd__find_may_return(const ifd_hybrid *h);
/* Commands begin, at rest, where the rig was found. */
IFD_RT void ifd__find_take(ifd_hybrid *h);
/* Ends commanding for good where a command means nothing: hydraulics off; at rest after a trip or at the end, when
 * the position is not known or the rig does not listen. */
IFD_RT void ifd__find_power(ifd_hybrid *h, bool rests);
/* Idle for longer than arm_timeout, although the test would arm by itself. */
IFD_RT bool ifd__find_given_up(const ifd_hybrid *h);

/* The samples of an actuator, and where it was found; the extensions and the pose of a drive there, false when they
 * belong to none. */
IFD_RT ifd__finding *ifd__finding_of(const ifd_hybrid *h, int actuator);
IFD_RT bool ifd__find_pose(const ifd_hybrid *h, const struct ifd__driven *d, double *s, double *q);

/* The bounds of a command: those of the test, or, outside the stroke, from where it was found into it. start: m,
 * where it was found. */
IFD_RT ifd__bounds ifd__return_bounds(const ifd_hybrid *h, const ifd__bounds *b, double start);
/* Where a measured position may be: outside the stroke, no farther out than where it was found. who: as
 * ifd_hybrid_channel_name counts. */
IFD_RT void ifd__return_limits(const ifd_hybrid *h, int who, ifd_limits *l);
/* Whether every drive has a way back on which no actuator moves outward. */
IFD_RT bool ifd__return_free(const ifd_hybrid *h);
/* The way back begins where the rig was found: its ends, and its time. */
IFD_RT void ifd__return_begin(ifd_hybrid *h);
/* Where interface k is moved to by the order return, after s seconds of it, and the step since the tick before. */
IFD_RT double ifd__return_target(const ifd_hybrid *h, int k, double s, double *step);

#endif
