/* SPDX-License-Identifier: MIT */
/* A force that no longer follows the motion: a load cell that died and still has noise, or a specimen that broke.
 *
 * A single reading cannot tell: friction, plastic flow, an open gap and unloading through zero have constant or
 * small forces. Over a whole cycle of motion every specimen that resists does work or stores energy, and its
 * force varies. How much depends on the specimen, so it is compared with itself. A cycle is the motion from a
 * reversal to the second next one; a reversal is a return by 10 % of the largest range so far. The standard
 * deviation D of the force about its mean over a cycle is judged if the range of the cycle is at least half of
 * the largest so far:
 *
 *     D < 0.05 of the largest D of an earlier cycle: the fault NO_FORCE, a hold.
 *
 * Half the range: an elastic specimen has half of D, a yielding or sliding one nearly all of it; 0.05 leaves a
 * factor of 10 for degradation.
 *
 * A structure that only this specimen holds drifts away without it, and no cycle follows. Therefore also: the
 * position moves over half of the largest range before, while the force changes by less than 0.07 of the largest
 * D and stays within 0.2 of it of the mean of that cycle. An elastic specimen with a gain of 0.05 reaches 0.07
 * there. A slider, a plastic specimen and a yield plateau have a constant force, but D away from the mean.
 *
 * What neither sees: a cell that dies before the first cycle is complete, or after which the motion decays; one
 * whose last value is farther than 0.2 D from the mean, without a later cycle; and a loss of gain down to 0.05.
 * Specimens with a gap are not judged: a smaller cycle may not close it. */
#pragma once

#include "hybrid/hybrid.h"

IFD_RT void ifd__cycles_begin(ifd__cycles *s, double x);
/* One reading; least: m, smallest range of a motion. True: this reading ends a cycle or a motion without a force;
 * *ticks: since its beginning. */
IFD_RT bool ifd__cycles_step(ifd__cycles *s, double x, double f, double least, double *ticks);
/* Whether an interface is judged; in run. */
bool ifd__no_force_asked(const ifd_hybrid *h, int k);
IFD_RT ifd_action ifd__no_force(ifd_hybrid *h, int k, ifd_action worst);
