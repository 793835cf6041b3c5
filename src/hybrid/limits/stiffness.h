/* SPDX-License-Identifier: MIT */
/* The change of force against stiffness times travel: a load cell of wrong sign or size, dead or stuck.
 *
 * Once, in ramp-in, with k of the characterisation, else of the estimate (of one device), means of 8 ticks, x0 and F0
 * before the motion:
 *
 *     r = (F - F0) / (k (x - x0))
 *
 * judged as soon as k |x - x0| exceeds ten standard deviations of force and position, three losses and a share of the
 * force limit. r < 0, at 1 % of the limit: the load cell is reversed, or the specimen would do work. Trip. r outside
 * 1/3 to 3, at 5 %: with a characterised stiffness ramp-in ends in ramp-out, as by the order hold; with an estimate
 * only a note, as estimates differ from specimens. If ramp-in does not move the specimen, the sign is judged in run,
 * with the force less that of estimated damping and of the mass on the rig.
 *
 * A prescribed force has the stiffness of its loop, which sets the gain: r outside 0.42 to 2.4 is a trip.
 * Afterwards, while the loop moves the actuator, every travel that should change the force by a tenth of its
 * limit must change it by a fifth of that; it is counted from the last instant at which the force had followed by
 * such a fifth. A cell that is stuck near its target hides every error, and the loop would move on without end.
 *
 * Not for specimens with a gap or with their own mass, for dofs of a drive with several (their forces depend on each
 * other), or with `force-stuck: off`. */
#pragma once

#include "hybrid/hybrid.h"

/* Whether an interface is judged. */
bool ifd__stiffness_asked(const ifd_hybrid *h, int k);
IFD_RT ifd_action ifd__stiffness_guard(ifd_hybrid *h, int k, ifd_action worst);
