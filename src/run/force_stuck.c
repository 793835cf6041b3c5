/* SPDX-License-Identifier: MIT */
#include "run/force_stuck.h"

#include <math.h>

#include "run/limits.h"

/* White noise turns round in two of three ticks. Noise counts as seen when this fraction does. */
static const double lively = 0.3;
/* Ticks over which that fraction and the variance are averaged; fewer have passed at first, and then all of them
 * count alike. */
static const double memory = 100.0;
/* Ticks before which nothing is said of noise. White noise fails to turn round in three of ten with a probability
 * of 1 %; a motion without noise turns round three times in ten ticks above 15 % of the sampling frequency only. */
static const double few = 10.0;
/* Same is what stays within this fraction of the standard deviation of the noise: white noise stays there for 100
 * ticks with a probability of 10^-110. */
static const double same = 0.1;
/* Without noise, of the force limit: a force that was due and should have changed the reading. Load cells resolve a
 * thousandth of their range or better, and a range may be twenty times the force limit: a large cell, a small
 * specimen. */
static const double visible = 0.02;
/* Without noise and without a stiffness, of the stroke. Ten times the travel that shows a stuck sensor, as nobody
 * knows what force is due. */
static const double far = 0.01;

static void see_noise(double *s, double f)
{
    double d = f - s[STUCK_OLD], before = s[STUCK_CHANGE];
    bool turned = d * before < 0.0 && fabs(d) != fabs(before);
    double n = s[STUCK_SAMPLES] - 1.0; /* second differences, this one among them; the first two readings make none */
    s[STUCK_OLD] = f;
    s[STUCK_CHANGE] = d;
    s[STUCK_SAMPLES] = fmin(s[STUCK_SAMPLES] + 1.0, memory + 1.0);
    if (n < 1.0)
        return;
    s[STUCK_LIVELY] += ((double)turned - s[STUCK_LIVELY]) / n;
    s[STUCK_VARIANCE] += ((d - before) * (d - before) / 6.0 - s[STUCK_VARIANCE]) / n;
    if (n >= few && s[STUCK_LIVELY] >= lively)
        s[STUCK_NOISE] = sqrt(s[STUCK_VARIANCE]);
}

/* m, over which the force must not stay the same; INFINITY: it may for ever. */
static double most_travel(const ifd_hybrid *h, const ifd__watched *w)
{
    double travel = IFD__STUCK_TRAVEL * (w->limits->high - w->limits->low);
    bool dead = w->stuck[STUCK_CHANGED] == 0.0 && w->owes;
    if (h->opt.force_stuck == IFD_STUCK_BITS ||
        (h->opt.force_stuck == IFD_STUCK_NOISE && w->stuck[STUCK_NOISE] > 0.0))
        return travel;
    if (h->opt.force_stuck == IFD_STUCK_OFF || !dead)
        return (double)INFINITY;
    if (w->stiffness > 0.0)
        return isfinite(w->limits->force) ? fmax(travel, visible * w->limits->force / w->stiffness) : travel;
    return far * (w->limits->high - w->limits->low);
}

ifd_action ifd__force_stuck(ifd_hybrid *h, const ifd__watched *w, ifd_action worst)
{
    ifd_machine state = (ifd_machine)(int)*ifd__hyb(h, HYB_STATE);
    bool moves = state == IFD_MACHINE_RAMP_IN || state == IFD_MACHINE_RUN || state == IFD_MACHINE_HOLD ||
                 state == IFD_MACHINE_RAMP_OUT || state == IFD_MACHINE_RETURN;
    double *s = w->stuck, f = w->fm;
    if (*ifd__hyb(h, HYB_STALE) > 0.0)
        return worst;
    see_noise(s, f);
    s[STUCK_CHANGED] = (double)(moves && (s[STUCK_CHANGED] > 0.0 || f != s[STUCK_AT]));
    if (!moves || !(fabs(f - s[STUCK_AT]) <= same * s[STUCK_NOISE])) {
        s[STUCK_AT] = f;
        s[STUCK_X] = w->xm;
        s[STUCK_TICKS] = 0.0;
        return worst;
    }
    s[STUCK_TICKS] += 1.0;
    double way = fabs(w->xm - s[STUCK_X]), most = most_travel(h, w);
    if (s[STUCK_TICKS] > h->opt.frozen_limit && way > most)
        return ifd__guard_note(h, IFD_TRIP_FORCE_STUCK, w->who, way, most, worst);
    return worst;
}
