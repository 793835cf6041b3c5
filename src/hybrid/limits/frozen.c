/* SPDX-License-Identifier: MIT */
#include "hybrid/limits/frozen.h"

#include <math.h>

#include "hybrid/limits/limits.h"

static const double steps = 3.0, lags = 4.0;

/* Command since the reading changed. */
static void follow(ifd__reading *s, double step)
{
    s->moved += step;
    s->low = fmin(s->low, s->moved);
    s->high = fmax(s->high, s->moved);
}

ifd_action ifd__frozen(ifd_hybrid *h, const ifd__watched *w, ifd_action worst)
{
    ifd__reading *s = w->reading;
    double least = IFD__STUCK_TRAVEL * (w->limits->high - w->limits->low), change = fabs(w->xm - w->xm_old);
    follow(s, w->step);
    if (ifd__rigs_stale(h, w->who) > 0.0) /* without a new measurement there is no decision */
        return worst;
    if (change > 0.0) {
        s->least = s->least > 0.0 ? fmin(s->least, change) : change;
        s->moved = s->low = s->high = s->ticks = 0.0;
        return worst;
    }
    double q = s->least > 0.0 ? s->least : least / steps, range = s->high - s->low;
    s->ticks += (double)(range > q);
    double time = s->ticks * h->period, longest = fmax(h->opt.stuck_limit * h->period, lags * w->lag);
    double most = fmax(least, steps * q);
    return time > longest && range > most ? ifd__guard_note(h, IFD_TRIP_FROZEN, w->who, range, most, worst) : worst;
}
