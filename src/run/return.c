/* SPDX-License-Identifier: MIT */
/* From outside the stroke back into it, on order: at creeping speed, along 10 s^3 - 15 s^4 + 6 s^5, whose velocity
 * and acceleration are zero at both ends. */
#include <math.h>

#include "run/hybrid.h"

/* How far inside the edge the way ends, as a fraction of the stroke: a sensor that scatters by a thousandth of the
 * stroke then shows a position inside. */
static const double inside = 0.01;
/* The most of the limit of acceleration that is used, and the peaks of the path's derivatives. */
static const double gentle = 0.1, peak_velocity = 1.875, peak_acceleration = 5.7735026918962576;

ifd__bounds ifd__return_bounds(const ifd_hybrid *h, const ifd__bounds *b, double start)
{
    ifd_machine state = (ifd_machine)(int)*ifd__hyb(h, HYB_STATE);
    ifd__bounds wide = *b;
    if (state == IFD_MACHINE_RETURN || state == IFD_MACHINE_TRIPPED) {
        wide.low = fmin(b->low, start);
        wide.high = fmax(b->high, start);
    }
    return wide;
}

void ifd__return_limits(const ifd_hybrid *h, int k, ifd_limits *l)
{
    const double scatter = h->opt.arm_spread * (l->high - l->low);
    const ifd__bounds wide = ifd__return_bounds(h, &h->way[k].bounds, *ifd__way_row(h, k, CH_START));
    l->low = wide.low < l->low ? wide.low - scatter : l->low;
    l->high = wide.high > l->high ? wide.high + scatter : l->high;
}

/* Where channel k ends. */
static IFD_RT double goal(const ifd_hybrid *h, int k)
{
    const ifd__bounds *b = &h->way[k].bounds;
    double start = *ifd__way_row(h, k, CH_START), margin = inside * (b->high - b->low);
    return start < b->low ? b->low + margin : start > b->high ? b->high - margin : start;
}

double ifd__return_time(const ifd_hybrid *h)
{
    double longest = h->period;
    for (int k = 0; k < h->channels; k++) {
        const ifd__way *w = &h->way[k];
        double way = fabs(goal(h, k) - *ifd__way_row(h, k, CH_START));
        longest = fmax(longest, peak_velocity * way / w->creep);
        longest = fmax(longest, sqrt(peak_acceleration * way / (gentle * w->bounds.acceleration)));
    }
    return longest;
}

static IFD_RT double along(double s)
{
    s = s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
    return s * s * s * (10.0 + s * (-15.0 + 6.0 * s));
}

double ifd__return_target(const ifd_hybrid *h, int k, double s, double *step)
{
    double start = *ifd__way_row(h, k, CH_START), way = goal(h, k) - start, time = ifd__return_time(h);
    *step = way * (along(s / time) - along((s - h->period) / time));
    return start + way * along(s / time);
}

/* Not for what several actuators move together: which way is free for a block, nobody knows here. */
bool ifd__find_may_return(const ifd_hybrid *h)
{
    bool may = *ifd__hyb(h, HYB_FOUND) > 0.0 && (int)*ifd__hyb(h, HYB_WAIT) == IFD_WAIT_OUTSIDE &&
               *ifd__hyb(h, HYB_STALE) == 0.0 && ifd__find_heard(h);
    for (int d = 0; d < h->drives; d++)
        for (int j = 0; j < h->drive[d].o->drive.actuators; j++) {
            const ifd__bounds *b = &h->drive[d].bounds[j];
            double x = ifd__drives_row(h, d, j)[ACT_XM];
            may = may && x >= b->low && x <= b->high;
        }
    for (int k = 0; k < h->channels; k++) {
        const ifd__bounds *b = &h->way[k].bounds;
        double x = *ifd__way_row(h, k, CH_XM);
        may = may && (h->way[k].actuator >= 0 || (x >= b->low && x <= b->high));
    }
    return may;
}
