/* SPDX-License-Identifier: MIT */
#include "hybrid/ramp_out/supervise.h"

#include <math.h>

/* Factors by which the specimen can be stiffer than the known stiffness. A secant of the last cycles can be 20 % too
 * small by noise (observe.c: sqrt(2)/20 of the force, sqrt(2)/10 of the position). An estimate not confirmed by
 * motion can be half of the stiffness. */
static const double stiffer = 1.25, stiffer_unshown = 2.0;

double ifd__certain_change(double deviation, double step)
{
    return IFD__CERTAIN * sqrt(2.0) * deviation + step;
}

double ifd__supervisable(double certain_change, bool shown)
{
    return (shown ? stiffer : stiffer_unshown) * IFD__SOFTER * certain_change;
}

double ifd__due_change(double force, double noise, double certain_change)
{
    return fmax(fmax(0.2 * fabs(force), 10.0 * noise), IFD__SOFTER * certain_change);
}

/* The mean over t of noise s has the deviation s sqrt(dt/2t). */
static double mean_time(double bearable, double noise, double longest, double dt)
{
    double ratio = ifd__certain_change(noise, 0.0) / bearable;
    return bearable > 0.0 ? fmin(0.5 * dt * ratio * ratio, longest) : longest;
}

double ifd__supervising_time(double force, double noise, double step, bool shown, double dt)
{
    return mean_time(fabs(force) / ifd__supervisable(1.0, shown) - step, noise, IFD__LONGEST_MEAN, dt);
}

double ifd__slipping_time(double force, double noise, double step, double longest, double dt)
{
    return mean_time(fabs(force) / (stiffer * IFD__SLIPPING) - step, noise, longest, dt);
}

double ifd__idle_travel(double force, double stiffness, bool shown)
{
    return 2.0 * force / (stiffness * (shown ? stiffer : stiffer_unshown));
}
