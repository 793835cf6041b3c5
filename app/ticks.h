/* SPDX-License-Identifier: MIT */
/* How long ticks took: a histogram of 1.6 % wide classes, so that a run of any length costs the same, and the exact
 * largest. */
#ifndef APP_TICKS_H
#define APP_TICKS_H

#include <stdint.h>

enum { TICK_CLASSES = 64 * 64 };

typedef struct ticks {
    uint64_t count[TICK_CLASSES];
    uint64_t all, longest; /* longest: ns */
} ticks;

/* Monotonic time, ns. */
uint64_t clock_now(void);
void ticks_add(ticks *t, uint64_t ns);
/* The time (s) that a share of the ticks did not exceed. */
double ticks_quantile(const ticks *t, double share);

#endif
