/* SPDX-License-Identifier: MIT */
/* A simulated clock for several threads: it moves on when all of them sleep, to where the first one wants to wake.
 * Stands in for ifd__clock_now and ifd__clock_sleep, which the linker leads here. */
#ifndef TESTS_POWER_CLOCK_H
#define TESTS_POWER_CLOCK_H

#include <stdint.h>

/* threads: how many sleep by it, the caller included. */
void clock_begin(int threads);
int64_t clock_read(void); /* ns */
void clock_wait(int64_t until);
/* From now on nobody sleeps: each call moves the clock. */
void clock_end(void);

#endif
