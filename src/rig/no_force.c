/* SPDX-License-Identifier: MIT */
/* Cycles of motion whose work or force is missing: no_force.h. */
#include "rig/no_force.h"

#include <math.h>
#include <string.h>

#include "rig/limits.h"

static const double hysteresis = 0.1, judged_range = 0.5, dead = 0.05, flat = 0.07, near = 0.2;
/* A motion counts from this number of standard deviations of the position on, and turns after half of it: noise alone
 * makes no cycle. */
static const double deviations = 20.0, turns_at = 0.5;

void ifd__cycles_begin(ifd__cycles *s, double x)
{
    memset(s, 0, sizeof *s);
    s->low = s->high = s->extreme = s->turn = x;
}

double ifd__cycles_least(double stroke, double noise)
{
    return fmax(IFD__STUCK_TRAVEL * stroke, deviations * noise);
}

static void add(ifd__force_sum *to, const ifd__force_sum *from)
{
    to->n += from->n;
    to->sum += from->sum;
    to->squares += from->squares;
}

static double deviation(const ifd__force_sum *s)
{
    double mean = s->sum / s->n;
    return sqrt(fmax(s->squares / s->n - mean * mean, 0.0));
}

/* The motion has turned at the extreme: the half cycle before it is complete, and with the one before a cycle. */
static bool turned(ifd__cycles *s, double least, double *ticks)
{
    ifd__force_sum cycle = s->before;
    double range = fmax(fabs(s->extreme - s->turn), s->half_range);
    add(&cycle, &s->half);
    bool whole = s->turns >= 2.0, empty = false; /* the motion before the first reversal is no half cycle */
    if (whole && range >= least && range >= judged_range * (s->high - s->low)) {
        double D = deviation(&cycle);
        empty = D < dead * s->largest;
        s->mean = D > s->largest ? cycle.sum / cycle.n : s->mean;
        s->largest = fmax(s->largest, D);
        *ticks = cycle.n + s->tail.n;
    }
    s->half_range = fabs(s->extreme - s->turn);
    s->turns += 1.0;
    s->turn = s->extreme;
    s->before = s->half;
    s->half = s->tail;
    memset(&s->tail, 0, sizeof s->tail);
    return empty;
}

/* A motion over half of the range before it, with a constant force near the mean of the largest cycle. */
static bool quiet(ifd__cycles *s, double x, double f, double least, double *ticks)
{
    double low = fmin(s->flat_low, f), high = fmax(s->flat_high, f);
    bool still = fabs(f - s->mean) < near * s->largest && high - low < flat * s->largest;
    s->flat_low = still ? low : f;
    s->flat_high = still ? high : f;
    s->quiet_low = still ? fmin(s->quiet_low, x) : x;
    s->quiet_high = still ? fmax(s->quiet_high, x) : x;
    s->quiet = still ? s->quiet + 1.0 : 0.0;
    s->reach = still ? s->reach : s->high - s->low;
    if (!(s->quiet_high - s->quiet_low > fmax(judged_range * s->reach, least)))
        return false;
    *ticks = s->quiet;
    s->reach = s->high - s->low; /* again after a wider motion */
    return true;
}

bool ifd__cycles_step(ifd__cycles *s, double x, double f, double least, double *ticks)
{
    if (s->known == 0.0)
        s->zero = f; /* sums of squares of the change: a constant part would cost digits */
    f -= s->zero;
    s->known = 1.0;
    s->low = fmin(s->low, x);
    s->high = fmax(s->high, x);
    add(&s->tail, &(const ifd__force_sum){1.0, f, f * f});
    bool away = quiet(s, x, f, least, ticks);
    double way = s->direction == 0.0 ? fabs(x - s->extreme) : s->direction * (x - s->extreme);
    if (s->direction == 0.0 ? way > 0.0 : way >= 0.0) {
        s->direction = s->direction == 0.0 ? copysign(1.0, x - s->extreme) : s->direction;
        s->extreme = x;
        add(&s->half, &s->tail);
        memset(&s->tail, 0, sizeof s->tail);
        return away;
    }
    if (s->direction == 0.0 || -way <= fmax(hysteresis * (s->high - s->low), turns_at * least))
        return away;
    bool empty = turned(s, least, ticks);
    s->direction = -s->direction;
    s->extreme = x;
    return empty || away;
}
