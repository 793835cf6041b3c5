/* SPDX-License-Identifier: MIT */
/* The share of ticks without a new measurement: missed.h. */
#include "rig/missed.h"

#include <math.h>

static const double window = 1.0; /* s */

/* Ticks of a tenth of the window. */
static double tenth(double period)
{
    return fmax(1.0, ceil(window / IFD__MISSED_TENTHS / period * (1.0 - 1e-12)));
}

/* The oldest tenth leaves. */
static void turn(ifd__missed *m)
{
    for (int i = IFD__MISSED_TENTHS - 1; i > 0; i--)
        m->stale_tenth[i] = m->stale_tenth[i - 1];
    m->stale_tenth[0] = m->stale_now;
    m->stale_tenths = fmin(m->stale_tenths + 1.0, IFD__MISSED_TENTHS);
    m->stale_now = m->stale_of = 0.0;
}

void ifd__missed_count(ifd__missed *m, double stale, double period)
{
    if (m->stale_of >= tenth(period))
        turn(m);
    m->stale_now += stale;
    m->stale_of += 1.0;
}

double ifd__missed_share(const ifd__missed *m, double period)
{
    double stale = m->stale_now, ticks = m->stale_of + m->stale_tenths * tenth(period);
    for (int i = 0; i < (int)m->stale_tenths; i++)
        stale += m->stale_tenth[i];
    return ticks > 0.0 ? stale / ticks : 0.0;
}
