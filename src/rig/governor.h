/* SPDX-License-Identifier: MIT */
/* Governor: the last stage of a command. For every input, the output keeps position, velocity and acceleration limits
 * jointly: at every tick the actuator can still brake within its stroke.
 *
 * Commands are positions p_k at constant intervals dt; velocity is (p_k - p_{k-1})/dt, acceleration the second
 * difference. Let w = v dt and a = A dt^2. Braking with a from w travels T(w) = w + (w - a) + (w - 2a) + ...
 * (positive terms only). The largest w with T(w) <= S, the remaining distance, is
 *
 *     n = floor((1 + sqrt(1 + 8 S/a))/2),     w_max(S) = (S + a n (n - 1)/2)/n
 *
 * and T(w) <= S implies T(w - a) <= S - w: a command by this rule always permits another command at the next tick. */
#pragma once

#include <stdbool.h>

#include <interfield/status.h>

typedef struct ifd__bounds {
    double low, high;    /* position, m */
    double velocity;     /* m/s, > 0 */
    double acceleration; /* m/s2, > 0 */
    double dt;           /* tick, s */
} ifd__bounds;

/* State: position and step (velocity times dt) of the last command. */
typedef struct ifd__governed {
    double p, w;
} ifd__governed;

/* A governor can start only at rest within its bounds. */
IFD_RT bool ifd__governor_begin(const ifd__bounds *b, double position, ifd__governed *g);

/* Moves towards the target, which itself moves by target_step per tick (0: unknown). It reaches the target exactly if
 * the bounds permit, otherwise as near as possible, without overshoot of a target at rest. Returns whether the target
 * was reached. A target that is not finite means hold. */
IFD_RT bool ifd__governor_step(const ifd__bounds *b, double target, double target_step, ifd__governed *g);

/* Brakes to rest as fast as permitted; true: at rest. */
IFD_RT bool ifd__governor_brake(const ifd__bounds *b, ifd__governed *g);

/* The largest step w from which braking with a ends within S. */
IFD_RT double ifd__braking_step(double S, double a);
