/* SPDX-License-Identifier: MIT */
/* A load cell that shows the same while the specimen moves.
 *
 * A force may stay the same for good reasons: a slack specimen has none, a perfectly plastic one or a slider
 * keeps its own. What tells a live load cell from a dead one is its noise. It is seen as differences that change
 * their sign from tick to tick and are not all alike, which neither motion makes nor a converter that flickers
 * between two steps. A cell that has shown noise, and then stays within a tenth of it for `frozen-limit` ticks
 * while the position travels a thousandth of the stroke, is stuck.
 *
 * A cell that showed no noise is dead when it has not changed by one bit since the motion began, over that travel
 * and over one that should change its force by a fiftieth of the force limit; where no stiffness is known, over a
 * hundredth of the stroke. On a virtual rig that holds for specimens with an estimate of their stiffness only: its
 * sensors may be perfect, and a gap that is open, or a pendulum at rest, truly has no force. One that has changed,
 * and then stays the same to the bit, may be perfectly plastic, and is judged where the case asks for it
 * (`force-stuck: bits`). */
#ifndef IFD_HYBRID_FORCE_STUCK_H
#define IFD_HYBRID_FORCE_STUCK_H

#include "hybrid/hybrid.h"

/* In every tick. */
IFD_RT ifd_action ifd__force_stuck(ifd_hybrid *h, const ifd__watched *w, ifd_action worst);

#endif
