/* SPDX-License-Identifier: MIT */
/* The clock of a rig that leads a test: due instants of ticks follow the instants of its samples. Bounded: without a
 * sample the tick is made half a period after it was expected, so that at most one and a half periods separate two
 * ticks. An instant that does not fit the last one (a clock that jumps) counts as no sample. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <interfield/status.h>

/* Ticks over which the mean period is compared, its permitted relative error, and the fraction of ticks that must
 * have a sample. */
enum { IFD__RIG_CLOCK_TICKS = 1000 };
#define IFD__RIG_CLOCK_ERROR 0.01
#define IFD__RIG_CLOCK_CAME 0.9

typedef struct ifd__rig_clock {
    double period;    /* ns, of the case */
    int64_t expected; /* ns, of the next sample */
    int64_t due;      /* of this tick: instant of its sample, or the end of the wait */
    uint64_t skipped; /* instants before this tick */
    uint64_t in_vain; /* ticks without a sample */

    int64_t first; /* of the series for the mean */
    uint64_t ticks, came;
    double mean; /* ns; 0: not known yet */
    bool wrong;  /* the mean differs from the period, or samples are missing */
} ifd__rig_clock;

IFD_RT void ifd__rig_clock_begin(ifd__rig_clock *c, int64_t first, double period);
/* The latest instant until which the next tick waits. */
IFD_RT int64_t ifd__rig_clock_latest(const ifd__rig_clock *c);
/* The answer of the rig (-1: none) at this instant; sets due. */
IFD_RT void ifd__rig_clock_take(ifd__rig_clock *c, int64_t sample, int64_t now);
/* The tick ended at this instant: the next expected instant after it. */
IFD_RT void ifd__rig_clock_advance(ifd__rig_clock *c, int64_t ended);
