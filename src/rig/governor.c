/* SPDX-License-Identifier: MIT */
/* Limits position, velocity and acceleration of a command jointly. */
#include "rig/governor.h"

#include <math.h>

/* A step below this fraction of a dt^2 is rest: it is the rounding error after braking with full acceleration. */
static const double REST = 1.0 / 1073741824.0;

double ifd__braking_step(double S, double a)
{
    if (!(S > 0.0))
        return 0.0;
    double n = floor(0.5 * (1.0 + sqrt(1.0 + 8.0 * S / a)));
    return (S + 0.5 * a * n * (n - 1.0)) / n;
}

bool ifd__governor_begin(const ifd__bounds *b, double position, ifd__governed *g)
{
    *g = (ifd__governed){.p = position};
    return isfinite(position) && position >= b->low && position <= b->high;
}

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* The permitted steps: [*low, *high] is never empty from a state that the governor produced. */
static void permitted(const ifd__bounds *b, const ifd__governed *g, double *low, double *high)
{
    double a = b->acceleration * b->dt * b->dt, most = b->velocity * b->dt;
    *high = fmin(fmin(g->w + a, most), ifd__braking_step(b->high - g->p, a));
    *low = fmax(fmax(g->w - a, -most), -ifd__braking_step(g->p - b->low, a));
    if (*low > *high) /* rounding at the limit: brake */
        *low = *high = clamp(0.0, g->w - a, g->w + a);
}

/* Rounding of the sum must not move a position across a limit. */
static void move(const ifd__bounds *b, ifd__governed *g, double w)
{
    double p = g->p + w;
    if (g->p >= b->low && g->p <= b->high)
        p = clamp(p, b->low, b->high);
    g->p = p;
    g->w = w;
}

bool ifd__governor_step(const ifd__bounds *b, double target, double target_step, ifd__governed *g)
{
    double low, high, a = b->acceleration * b->dt * b->dt;
    permitted(b, g, &low, &high);
    if (!isfinite(target) || !isfinite(target_step)) {
        move(b, g, clamp(0.0, low, high));
        return false;
    }
    double to_target = target - g->p;
    if (to_target >= low && to_target <= high && fabs(to_target - target_step) <= a) {
        move(b, g, to_target);
        return true;
    }
    /* The target cannot be reached or followed: approach with a relative speed that can be braked within the
     * remaining distance to the target of the last tick, as both move by its step in this tick. */
    double behind = to_target - target_step, travel = fabs(behind), relative = ifd__braking_step(travel, a);
    move(b, g, clamp(target_step + copysign(fmin(relative, travel), behind), low, high));
    return false;
}

bool ifd__governor_brake(const ifd__bounds *b, ifd__governed *g)
{
    double low, high;
    permitted(b, g, &low, &high);
    double w = clamp(0.0, low, high);
    bool still = fabs(w) <= REST * b->acceleration * b->dt * b->dt;
    move(b, g, still ? 0.0 : w);
    return still;
}
