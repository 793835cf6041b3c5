/* SPDX-License-Identifier: MIT */
/* Sensors that are constant while their actuator moves: sensors.h. */
#include "rig/sensors.h"

#include <math.h>

#include "rig/limits.h"

static const double steps = 3.0, lags = 4.0;

/* Command since the reading changed. */
static void follow(ifd__reading *s, double step)
{
    s->moved += step;
    s->low = fmin(s->low, s->moved);
    s->high = fmax(s->high, s->moved);
}

bool ifd__frozen(const ifd__stuck *o, const ifd__watched *w, double range[2])
{
    ifd__reading *s = w->reading;
    double least = IFD__STUCK_TRAVEL * (w->limits->high - w->limits->low), change = fabs(w->xm - w->xm_old);
    follow(s, w->step);
    if (!w->fresh) /* without a new measurement there is no decision */
        return false;
    if (change > 0.0) {
        s->least = s->least > 0.0 ? fmin(s->least, change) : change;
        s->moved = s->low = s->high = s->ticks = 0.0;
        return false;
    }
    double q = s->least > 0.0 ? s->least : least / steps;
    range[0] = s->high - s->low;
    range[1] = fmax(least, steps * q);
    s->ticks += (double)(range[0] > q);
    double time = s->ticks * o->period, longest = fmax(o->limit * o->period, lags * w->lag);
    return time > longest && range[0] > range[1];
}

/* White noise reverses in two of three ticks. Noise is detected above this fraction. */
static const double lively = 0.3;
/* Ticks of the averages of that fraction and of the variance; with fewer ticks all have equal weight. */
static const double memory = 100.0;
/* Smallest number of ticks for a decision about noise. White noise reverses in fewer than three of ten with a
 * probability of 1 %; a motion without noise reverses three times in ten ticks only above 15 % of the sampling
 * frequency. */
static const double few = 10.0;
/* Unchanged means within this fraction of the standard deviation of the noise: white noise remains there for 100
 * ticks with a probability of 10^-110. */
static const double same = 0.1;
/* Without noise, fraction of the force limit: a change of force that a load cell must show. Load cells resolve 0.1 %
 * of their range or better, and a range can be twenty times the force limit (a large cell, a small specimen). */
static const double visible = 0.02;
/* Without noise and stiffness, fraction of the stroke. Ten times the travel for a stuck position sensor, as the
 * expected force is unknown. */
static const double far = 0.01;

static void see_noise(ifd__load_cell *s, double f)
{
    double d = f - s->last, before = s->change;
    bool turned = d * before < 0.0 && fabs(d) != fabs(before);
    double n = s->samples - 1.0; /* second differences including this one; the first two readings have none */
    s->last = f;
    s->change = d;
    s->samples = fmin(s->samples + 1.0, memory + 1.0);
    if (n < 1.0)
        return;
    s->lively += ((double)turned - s->lively) / n;
    s->variance += ((d - before) * (d - before) / 6.0 - s->variance) / n;
    if (n >= few && s->lively >= lively)
        s->noise = sqrt(s->variance);
}

/* m, largest travel with an unchanged force; INFINITY: unlimited. */
static double most_travel(ifd_stuck mode, const ifd__watched *w)
{
    double travel = IFD__STUCK_TRAVEL * (w->limits->high - w->limits->low);
    bool dead = w->load_cell->changed == 0.0 && w->owes;
    if (mode == IFD_STUCK_BITS || (mode == IFD_STUCK_NOISE && w->load_cell->noise > 0.0))
        return travel;
    if (mode == IFD_STUCK_OFF || !dead)
        return (double)INFINITY;
    if (w->stiffness > 0.0)
        return isfinite(w->limits->force) ? fmax(travel, visible * w->limits->force / w->stiffness) : travel;
    return far * (w->limits->high - w->limits->low);
}

bool ifd__force_stuck(const ifd__stuck *o, const ifd__watched *w, double travel[2])
{
    ifd__load_cell *s = w->load_cell;
    double f = w->fm;
    if (!w->fresh)
        return false;
    see_noise(s, f);
    s->changed = (double)(w->moves && (s->changed > 0.0 || f != s->same_f));
    if (!w->moves || !(fabs(f - s->same_f) <= same * s->noise)) {
        s->same_f = f;
        s->same_x = w->xm;
        s->same_ticks = 0.0;
        return false;
    }
    s->same_ticks += 1.0;
    travel[0] = fabs(w->xm - s->same_x);
    travel[1] = most_travel(o->force, w);
    return s->same_ticks > o->limit && travel[0] > travel[1];
}
