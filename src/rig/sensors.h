/* SPDX-License-Identifier: MIT */
/* What the limits see of an interface or an actuator of a drive in a tick, and its sensors: a position that does not
 * change although the command moves, a load cell with a constant value while the specimen moves. */
#pragma once

#include <interfield/hybrid.h>

#include "base/state_block.h"

/* State of a load cell. */
#define IFD__LOAD_CELL(ONE, MANY, BLOCK)                                                                             \
    ONE(last, "N", OF_RIG) /* force, and its last change */                                                          \
    ONE(change, "N", OF_RIG)                                                                                         \
    ONE(lively, "", OF_RIG)     /* fraction of ticks in which it reversed */                                         \
    ONE(variance, "N2", OF_RIG) /* of its noise; last measured noise */                                              \
    ONE(noise, "N", OF_RIG)                                                                                          \
    ONE(same_f, "N", OF_RIG) /* constant value, its position and number of ticks */                                  \
    ONE(same_x, "m", OF_RIG)                                                                                         \
    ONE(same_ticks, "", OF_RIG)                                                                                      \
    ONE(samples, "", OF_RIG) /* readings so far, at most one more than the memory of the noise */                    \
    ONE(changed, "", OF_RIG) /* whether it has changed since the start of the motion */

/* State of a position sensor. */
#define IFD__READING(ONE, MANY, BLOCK)                                                                               \
    ONE(least, "m", OF_RIG) /* smallest change so far; 0: none */                                                    \
    ONE(moved, "m", OF_RIG) /* way of the command since the last change, its smallest and largest value */           \
    ONE(low, "m", OF_RIG)                                                                                            \
    ONE(high, "m", OF_RIG)                                                                                           \
    ONE(ticks, "", OF_RIG) /* in which that range exceeded the smallest change */

IFD__STATE_BLOCK(ifd__load_cell, IFD__LOAD_CELL);
IFD__STATE_BLOCK(ifd__reading, IFD__READING);

/* What counts as constant. */
typedef struct ifd__stuck {
    double period; /* s, of a tick */
    ifd_stuck force;
    double limit; /* ticks */
} ifd__stuck;

typedef struct ifd__watched {
    int who; /* as in ifd_hybrid_owner_name */
    const ifd_limits *limits;
    bool fresh; /* it has a new measurement */
    bool moves; /* in a state in which it is commanded */
    bool known,
        actuator;     /* all inputs for its force are measured; it is one actuator of the rig, not a dof of a drive */
    bool owes;        /* a motion must change its force: the rig is real, or the case contains its stiffness */
    double stiffness; /* N/m, from the case; 0: unknown */
    double xm, xm_old, fm, force_rate, off, energy, motion[2];
    double step; /* m, of the command in the last tick */
    ifd__load_cell *load_cell;
    double *slow_lag; /* m, lag of a slow actuator behind its command */
    double lag;       /* s, of its position behind the command */
    ifd__reading *reading;
    double *peak_tracking, *peak_force;
} ifd__watched;

/* Detection of a position that does not change although the command moves.
 *
 * A digital sensor without noise is constant between two of its steps, and a position follows its command only after
 * the dead time of the actuator. Neither is a fault. With
 *
 *     q      smallest change of this reading so far; before any: least/3
 *     R      largest minus smallest command since the reading changed
 *     least  0.001 of the stroke
 *     t      time in which R > q
 *     tau    lag of the actuator
 *
 * the reading is frozen if t > max(`frozen-for`, 4 tau) and R > max(least, 3 q). A sound sensor has changed before:
 * the position has followed a command that left the step by q, and R of three steps leaves it on one side by at least
 * one. t begins with the motion and not with the last change, so that a rest before it does not count. */
/* True: a fault, with R and its limit (m). */
IFD_RT bool ifd__frozen(const ifd__stuck *o, const ifd__watched *w, double range[2]);

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
/* True: a fault, with the travel since the last change and its limit (m). */
IFD_RT bool ifd__force_stuck(const ifd__stuck *o, const ifd__watched *w, double travel[2]);
