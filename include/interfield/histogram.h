/* SPDX-License-Identifier: MIT */
/* Histogram of durations for quantiles. Classes widen with the duration, 32 per factor of two, so quantiles are
 * accurate to 3 %. One thread adds; any thread may read concurrently.
 *
 *     ifd_histogram *h = ifd_histogram_make(arena);
 *     ifd_histogram_add(h, ns);
 *     printf("99.9 %% within %.3g us\n", 1e-3 * (double)ifd_histogram_quantile(h, 0.999)); */
#ifndef INTERFIELD_HISTOGRAM_H
#define INTERFIELD_HISTOGRAM_H

#include <stdint.h>

#include <interfield/arena.h>

IFD_BEGIN_DECLS

typedef struct ifd_histogram ifd_histogram;

/* NULL: out of memory. */
IFD_API ifd_histogram *ifd_histogram_make(ifd_arena *arena);
IFD_API IFD_RT void ifd_histogram_add(ifd_histogram *h, uint64_t ns);
/* Quantile (ns), rounded up to the end of its class; for fraction 1 the exact maximum; 0: no values. */
IFD_API uint64_t ifd_histogram_quantile(const ifd_histogram *h, double fraction);

IFD_END_DECLS
#endif
