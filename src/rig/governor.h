/* SPDX-License-Identifier: MIT */
/* Governor: the last thing a command passes. Whatever is wanted, what leaves keeps position, velocity and
 * acceleration limits jointly: at every tick the actuator could still be braked within its stroke.
 *
 * Commands are positions p_k at constant intervals dt; velocity is (p_k - p_{k-1})/dt, acceleration the second
 * difference. Let w = v dt and a = A dt^2. Braking with a from w travels T(w) = w + (w - a) + (w - 2a) + ...
 * (positive terms only). The largest w with T(w) <= S, the way that is left, is
 *
 *     n = floor((1 + sqrt(1 + 8 S/a))/2),     w_max(S) = (S + a n (n - 1)/2)/n
 *
 * and T(w) <= S implies T(w - a) <= S - w: a command chosen by this rule leaves a choice at the next tick, always. */
#ifndef IFD_RIG_GOVERNOR_H
#define IFD_RIG_GOVERNOR_H

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

/* A governor may start only inside its bounds, at rest. */
IFD_RT bool ifd__governor_begin(const ifd__bounds *b, double position, ifd__governed *g);

/* Moves towards the target, which itself moves with target_step per tick (0 when unknown): reaches it exactly when
 * the bounds allow, otherwise comes as near as they do, without swinging past a target at rest. Returns whether the
 * target was met. A target that is not finite counts as "stay". */
IFD_RT bool ifd__governor_step(const ifd__bounds *b, double target, double target_step, ifd__governed *g);

/* Brakes to rest as fast as allowed; true when at rest. */
IFD_RT bool ifd__governor_brake(const ifd__bounds *b, ifd__governed *g);

/* The largest step w from which braking with a ends within S. */
IFD_RT double ifd__braking_step(double S, double a);

#endif
