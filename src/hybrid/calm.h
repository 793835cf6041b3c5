/* SPDX-License-Identifier: MIT */
/* What leaves on hold, and when that is resumed, without what stages and compensation make of it.
 *
 * A method with several stages per step asks for displacements that zigzag from stage to stage, by parts of a
 * micrometre; parts that are coupled are put right at the end of each step. In the run a compensator meets these
 * always at the same ticks. On hold they fall between ticks, and a compensator, which leads by its delay, makes up to
 * eight times as much of them. So what leaves, for as long as the rate of simulated time is another than 1, is the
 * mean of two commands u, followed by a filter of fading memory (units of ticks)
 *
 *     r = (u + u_last)/2 - (p + v + a/2),  p += v + a/2 + (1 - q^3) r,  v += a + 3/2 (1 - q)^2 (1 + q) r,
 *     a += (1 - q)^3 r
 *
 * and taken half a tick ahead, p + v/2: of a zigzag from tick to tick nothing passes; an even acceleration is
 * followed without lag; of a motion X sin(wt) about (w dt q/(1 - q))^3 X is missed. In the run it follows beside the
 * command, to know position, velocity and acceleration when a hold begins. */
#ifndef IFD_HYBRID_CALM_H
#define IFD_HYBRID_CALM_H

#include <interfield/status.h>

#include "base/state_block.h"

#define IFD__CALM(ONE, MANY, BLOCK) ONE(p, "m", OF_TEST) ONE(v, "m/tick", OF_TEST) ONE(a, "m/tick2", OF_TEST)
IFD__STATE_BLOCK(ifd__calm, IFD__CALM);

/* At rest at p. */
IFD_RT void ifd__calm_begin(ifd__calm *s, double p);
/* One tick: the command and the last one; forgets: 1 - q, 0..1. What is no number is not followed. */
IFD_RT void ifd__calm_step(ifd__calm *s, double u, double last, double forgets);
/* Where it leads: of it 3 s^2 - 2 s^3, `share` s in 0..1, the rest is u. At rest at u once all that is left is next
 * to nothing beside `tick`, m, by which an acceleration at its limit changes a step. */
IFD_RT double ifd__calm_position(ifd__calm *s, double u, double share, double tick);

#endif
