/* SPDX-License-Identifier: MIT */
#include "run/force_stuck.h"

#include <math.h>

/* White noise turns round in two of three ticks; noise is taken for seen when this share does, over so many ticks. */
static const double lively = 0.3, memory = 100.0;
/* Same is what stays within this share of the standard deviation of the noise. */
static const double same = 0.1;
/* Travel of the measured position, as a share of the stroke, over which it must not stay the same: that of a position
 * sensor which is stuck. */
static const double travel = 1e-3;

static void see_noise(double *s, double f)
{
    double d = f - s[STUCK_OLD], before = s[STUCK_CHANGE];
    bool turned = d * before < 0.0 && fabs(d) != fabs(before);
    s[STUCK_LIVELY] += ((turned ? 1.0 : 0.0) - s[STUCK_LIVELY]) / memory;
    s[STUCK_VARIANCE] += ((d - before) * (d - before) / 6.0 - s[STUCK_VARIANCE]) / memory;
    s[STUCK_OLD] = f;
    s[STUCK_CHANGE] = d;
    if (s[STUCK_LIVELY] >= lively)
        s[STUCK_NOISE] = sqrt(s[STUCK_VARIANCE]);
}

ifd_action ifd__force_stuck(ifd_hybrid *h, int who, double *s, double x, double f, double range, ifd_action worst)
{
    ifd_machine state = (ifd_machine)(int)*ifd__hyb(h, HYB_STATE);
    bool moves = state == IFD_MACHINE_RAMP_IN || state == IFD_MACHINE_RUN || state == IFD_MACHINE_HOLD ||
                 state == IFD_MACHINE_RAMP_OUT;
    if (*ifd__hyb(h, HYB_STALE) > 0.0)
        return worst;
    see_noise(s, f);
    if (!moves || !(fabs(f - s[STUCK_AT]) <= same * s[STUCK_NOISE])) {
        s[STUCK_AT] = f;
        s[STUCK_X] = x;
        s[STUCK_TICKS] = 0.0;
        return worst;
    }
    s[STUCK_TICKS] += 1.0;
    bool judged =
        h->opt.force_stuck == IFD_STUCK_BITS || (h->opt.force_stuck == IFD_STUCK_NOISE && s[STUCK_NOISE] > 0.0);
    double way = fabs(x - s[STUCK_X]);
    if (judged && s[STUCK_TICKS] > h->opt.frozen_limit && way > travel * range)
        return ifd__guard_note(h, IFD_TRIP_FORCE_STUCK, who, way, travel * range, worst);
    return worst;
}
