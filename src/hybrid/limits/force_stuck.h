/* SPDX-License-Identifier: MIT */
/* Detection of a load cell with a constant value while the specimen moves.
 *
 * A force can be constant for valid reasons: a slack specimen has none, and the force of a perfectly plastic one or a
 * slider does not change. Noise distinguishes a working load cell. It is detected as differences of alternating sign
 * and varying size, which neither motion nor a converter that toggles between two steps causes. A cell is stuck if it
 * has shown noise and then stays within 0.1 of it for `frozen-for` while the position moves by 0.001 of the
 * stroke.
 *
 * A cell without noise is stuck if it has not changed by one bit since the motion began, over that travel and over
 * one that should change its force by 0.02 of the force limit; with unknown stiffness, over 0.01 of the stroke. On a
 * virtual rig this applies only to specimens with a stiffness estimate: its sensors can be ideal, and an open gap or
 * a pendulum at rest has no force. A cell that has changed and is then constant to the bit can have a perfectly
 * plastic specimen; it is checked only if the case requests it (`force-stuck: bits`). */
#pragma once

#include "hybrid/limits/watched.h"

/* True: a fault, with the travel since the last change and its limit (m). */
IFD_RT bool ifd__force_stuck(const ifd__facts *facts, const ifd__watched *w, double travel[2]);
