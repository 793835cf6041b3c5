/* SPDX-License-Identifier: MIT */
/* Smooth command during hold and resume, without the effect of stages and compensation.
 *
 * A method with several stages per step requests displacements that alternate from stage to stage by fractions of a
 * micrometre. Coupled substructures are corrected at the end of each step. During the run these changes occur at
 * fixed ticks. During hold they fall between ticks, and a compensator, which leads by its delay, amplifies them up to
 * eight times. While the rate of simulated time differs from 1, the command is therefore the mean of two commands u,
 * followed by a fading-memory filter (units of ticks)
 *
 *     r = (u + u_last)/2 - (p + v + a/2),  p += v + a/2 + (1 - q^3) r,  v += a + 3/2 (1 - q)^2 (1 + q) r,
 *     a += (1 - q)^3 r
 *
 * evaluated half a tick ahead, p + v/2. It blocks a change that alternates from tick to tick and follows a constant
 * acceleration without lag; for a motion X sin(wt) its error is about (w dt q/(1 - q))^3 X. During the run the filter
 * follows the command, so that position, velocity and acceleration are known when a hold begins. */
#pragma once

#include <interfield/status.h>

#include "base/state_block.h"

#define IFD__CALM(ONE, MANY, BLOCK) ONE(p, "m", OF_TEST) ONE(v, "m/tick", OF_TEST) ONE(a, "m/tick2", OF_TEST)
IFD__STATE_BLOCK(ifd__calm, IFD__CALM);

/* Starts at rest at p. */
IFD_RT void ifd__calm_begin(ifd__calm *s, double p);
/* One tick: the present and the last command; forgets: 1 - q, 0..1. A value that is not finite is ignored. */
IFD_RT void ifd__calm_step(ifd__calm *s, double u, double last, double forgets);
/* Filtered position, weighted 3 s^2 - 2 s^3 with s = `share` in 0..1; the remainder is u. It rests at u once the
 * difference is negligible relative to `tick`, m, the change of a step by the acceleration limit. */
IFD_RT double ifd__calm_position(ifd__calm *s, double u, double share, double tick);
