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

bool ifd__frozen(const ifd__facts *facts, const ifd__watched *w, double range[2])
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
    double time = s->ticks * facts->period, longest = fmax(facts->stuck_limit * facts->period, lags * w->lag);
    return time > longest && range[0] > range[1];
}
