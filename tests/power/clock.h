/* SPDX-License-Identifier: MIT */
/* A simulated clock for several threads: when all of them sleep, it advances to the first wake-up. The linker
 * substitutes it for ifd__clock_now and ifd__clock_sleep. */
#pragma once

#include <stdint.h>

/* threads: number of threads that sleep by it, including the caller. */
void clock_begin(int threads);
int64_t clock_read(void); /* ns */
void clock_wait(int64_t until);
/* From now on no thread sleeps: each call advances the clock. */
void clock_end(void);
