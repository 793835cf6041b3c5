/* SPDX-License-Identifier: MIT */
/* A load cell that shows the same while the specimen moves.
 *
 * A force may stay the same for good reasons: a slack specimen has none, a perfectly plastic one or a slider
 * keeps its own. What tells a live load cell from a dead one is its noise. It is seen as differences that change
 * their sign from tick to tick and are not all alike, which neither motion makes nor a converter that flickers
 * between two steps. A cell that has shown noise, and then stays within a tenth of it for `frozen-limit` ticks
 * while the position travels a thousandth of the stroke, is stuck. One that never showed any is judged by its
 * bits alone where the case asks for it (`force-stuck: bits`): on a virtual rig without noise a plastic specimen
 * gives the same bits rightly. */
#ifndef IFD_RUN_FORCE_STUCK_H
#define IFD_RUN_FORCE_STUCK_H

#include "run/hybrid.h"

/* In every tick with news: load cell `who` (as faults name it) with the rows s, at position x of a stroke of
 * `range`. */
IFD_RT ifd_action ifd__force_stuck(ifd_hybrid *h, int who, double *s, double x, double f, double range,
                                   ifd_action worst);

#endif
