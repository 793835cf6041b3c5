/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "run/hybrid.h"

/* Towards zero force of a specimen whose stiffness nobody knows: against the force, slower when it is small, and
 * half as fast from each change of its sign on. */
static IFD_RT double to_zero_force(ifd_hybrid *h, int k)
{
    double f = *ifd__way_row(h, k, CH_FM), peak = fmax(*ifd__way_row(h, k, CH_PEAK_FORCE), 1.0);
    double *gain = ifd__way_row(h, k, CH_GAIN);
    if (fabs(f) <= 0.002 * peak || *ifd__hyb(h, HYB_RAMP) > 120.0)
        return (double)NAN;
    if (f * *ifd__way_row(h, k, CH_FM_OLD) < 0.0)
        *gain *= 0.5;
    return *ifd__way_row(h, k, CH_P) -
           copysign(*gain * h->way[k].creep * h->period * fmin(1.0, 5.0 * fabs(f) / peak), f);
}

/* Where ramp-out goes; NaN asks the governor to come to rest where it is. */
double ifd__leave_target(ifd_hybrid *h, int k)
{
    if (h->way[k].o->force) /* should another specimen wake up again, the force is kept that is left by then */
        *ifd__way_row(h, k, CH_FORCE_AIM) = *ifd__way_row(h, k, CH_FM);
    if (h->opt.leave == IFD_LEAVE_START)
        return *ifd__way_row(h, k, CH_START);
    return h->opt.leave == IFD_LEAVE_ZERO_FORCE ? to_zero_force(h, k) : (double)NAN;
}
