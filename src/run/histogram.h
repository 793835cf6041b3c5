/* SPDX-License-Identifier: MIT */
/* Histogram of times, for percentiles without keeping the times: classes that widen with the time, 32 to each
 * doubling, so a percentile is right to 3 %. One thread adds, any thread may look meanwhile. */
#ifndef IFD_RUN_HISTOGRAM_H
#define IFD_RUN_HISTOGRAM_H

#include <stdint.h>

#include <interfield/status.h>

enum { IFD__CLASSES = 32 * (63 - 4) + 32 };

typedef struct ifd__histogram {
    _Atomic uint64_t count[IFD__CLASSES];
    _Atomic uint64_t all, longest; /* ns */
} ifd__histogram;

IFD_RT void ifd__histogram_add(ifd__histogram *h, uint64_t ns);
/* The time (ns) that a share of all those added did not exceed, rounded up to the end of its
 * class; 0 when there are none. */
uint64_t ifd__histogram_quantile(const ifd__histogram *h, double share);

#endif
