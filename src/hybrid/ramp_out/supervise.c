/* SPDX-License-Identifier: MIT */
#include "hybrid/ramp_out/supervise.h"

#include <math.h>

/* The stiffness at hand may be smaller than that of the specimen by these factors: one that was measured in the last
 * cycles is a secant, which readings with noise may make a fifth too small (observe.c: sqrt(2)/20 of the force,
 * sqrt(2)/10 of the position); an estimate that no motion has confirmed may be half of it. */
static const double stiffer = 1.25, stiffer_unshown = 2.0;

double ifd__certain_change(double deviation, double step)
{
    return IFD__CERTAIN * sqrt(2.0) * deviation + step;
}

double ifd__supervisable(double certain_change, bool shown)
{
    return (shown ? stiffer : stiffer_unshown) * IFD__SOFTER * certain_change;
}

/* Of noise s the mean over t has s sqrt(dt/2t). */
double ifd__supervising_time(double force, double noise, double step, bool shown, double dt)
{
    double bearable = fabs(force) / ifd__supervisable(1.0, shown) - step;
    double ratio = ifd__certain_change(noise, 0.0) / bearable;
    return bearable > 0.0 ? fmin(0.5 * dt * ratio * ratio, IFD__LONGEST_MEAN) : IFD__LONGEST_MEAN;
}

double ifd__idle_travel(double force, double stiffness, bool shown)
{
    return 2.0 * force / (stiffness * (shown ? stiffer : stiffer_unshown));
}
