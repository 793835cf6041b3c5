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

#include <stdbool.h>

#include <interfield/status.h>

#include "base/state_block.h"

/* Number and sums of forces. */
#define IFD__FORCE_SUM(ONE, MANY, BLOCK)                                                                             \
    ONE(n, "", OF_TEST)                                                                                              \
    ONE(sum, "N", OF_TEST)                                                                                           \
    ONE(squares, "N2", OF_TEST)

/* Cycles of motion of a specimen. */
#define IFD__CYCLES(ONE, MANY, BLOCK)                                                                                \
    ONE(known, "", OF_TEST)                                                                                          \
    ONE(zero, "N", OF_TEST) /* the first force */                                                                    \
    ONE(low, "m", OF_TEST)  /* smallest and largest position so far */                                               \
    ONE(high, "m", OF_TEST)                                                                                          \
    ONE(direction, "", OF_TEST)                                                                                      \
    ONE(extreme, "m", OF_TEST) /* farthest since the last reversal, its place, and the range before it */            \
    ONE(turn, "m", OF_TEST)                                                                                          \
    ONE(half_range, "m", OF_TEST)                                                                                    \
    ONE(turns, "", OF_TEST)                                                                                          \
    ONE(largest, "N", OF_TEST) /* deviation of a cycle, and the mean of that cycle */                                \
    ONE(mean, "N", OF_TEST)                                                                                          \
    ONE(reach, "m", OF_TEST) /* range of the motion until the force became constant; motion, force, ticks since */   \
    ONE(quiet_low, "m", OF_TEST)                                                                                     \
    ONE(quiet_high, "m", OF_TEST)                                                                                    \
    ONE(flat_low, "N", OF_TEST)                                                                                      \
    ONE(flat_high, "N", OF_TEST)                                                                                     \
    ONE(quiet, "", OF_TEST)                                                                                          \
    BLOCK(ifd__force_sum, before, IFD__FORCE_SUM)                                                                    \
    BLOCK(ifd__force_sum, half, IFD__FORCE_SUM)                                                                      \
    BLOCK(ifd__force_sum, tail, IFD__FORCE_SUM)

IFD__STATE_BLOCK(ifd__force_sum, IFD__FORCE_SUM);
IFD__STATE_BLOCK(ifd__cycles, IFD__CYCLES);

IFD_RT void ifd__cycles_begin(ifd__cycles *s, double x);
/* m, smallest range of a motion of a specimen with this stroke and this deviation of the noise of its position. */
IFD_RT double ifd__cycles_least(double stroke, double noise);
/* One reading; least: m, smallest range of a motion. True: this reading ends a cycle or a motion without a force;
 * *ticks: since its beginning. */
IFD_RT bool ifd__cycles_step(ifd__cycles *s, double x, double f, double least, double *ticks);
