/* SPDX-License-Identifier: MIT */
#include "hybrid/limits/force_stuck.h"

#include <math.h>

#include "hybrid/limits/limits.h"

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
static double most_travel(const ifd_hybrid *h, const ifd__watched *w)
{
    double travel = IFD__STUCK_TRAVEL * (w->limits->high - w->limits->low);
    bool dead = w->load_cell->changed == 0.0 && w->owes;
    if (h->opt.force_stuck == IFD_STUCK_BITS || (h->opt.force_stuck == IFD_STUCK_NOISE && w->load_cell->noise > 0.0))
        return travel;
    if (h->opt.force_stuck == IFD_STUCK_OFF || !dead)
        return (double)INFINITY;
    if (w->stiffness > 0.0)
        return isfinite(w->limits->force) ? fmax(travel, visible * w->limits->force / w->stiffness) : travel;
    return far * (w->limits->high - w->limits->low);
}

ifd_action ifd__force_stuck(ifd_hybrid *h, const ifd__watched *w, ifd_action worst)
{
    ifd__test_state *t = ifd__test_of(h);
    ifd_machine state = (ifd_machine)(int)t->state;
    bool moves = state == IFD_MACHINE_RAMP_IN || state == IFD_MACHINE_RUN || state == IFD_MACHINE_HOLD ||
                 state == IFD_MACHINE_RAMP_OUT || state == IFD_MACHINE_RETURN;
    ifd__load_cell *s = w->load_cell;
    double f = w->fm;
    if (ifd__rigs_stale(h, w->who) > 0.0)
        return worst;
    see_noise(s, f);
    s->changed = (double)(moves && (s->changed > 0.0 || f != s->same_f));
    if (!moves || !(fabs(f - s->same_f) <= same * s->noise)) {
        s->same_f = f;
        s->same_x = w->xm;
        s->same_ticks = 0.0;
        return worst;
    }
    s->same_ticks += 1.0;
    double travel = fabs(w->xm - s->same_x), most = most_travel(h, w);
    if (s->same_ticks > h->opt.stuck_limit && travel > most)
        return ifd__guard_note(h, IFD_TRIP_FORCE_STUCK, w->who, travel, most, worst);
    return worst;
}
