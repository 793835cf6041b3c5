/* SPDX-License-Identifier: MIT */
/* Shared memory of a run and the host process of an isolated FMU. Each side polls for a while, then sleeps until the
 * number changes. Each order has a number; it is answered when `answered` has the same number.
 *
 * The run must not trust this memory: external code can write all of it at any time. It copies each field once and
 * checks the copy. */
#pragma once

#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "fmi/calls.h"

#define IFD__FMU_HOST "fmu_host" /* file name of the program */

enum { IFD__FMU_PAGE_ABI = 5, IFD__FMU_PAGE_FILE = 3 /* the descriptor that the host inherits */ };

typedef struct ifd__fmu_page {
    uint32_t abi;
    uint32_t control; /* floating-point control of the caller: denormals and rounding change bits */
    _Atomic uint32_t asked, host_sleeps;
    _Atomic uint32_t answered, run_sleeps;
    ifd__fmu_ask ask;
    int32_t good, network_gone, filtered, locked, dies_with_thread, parent;
    uint64_t memory; /* bytes that the host may allocate */
    char why[IFD__FMU_WHY];
    ifd__fmu_binary binary;
} ifd__fmu_page;

static inline int64_t ifd__page_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline void ifd__page_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* Writes the number and wakes the other side if it sleeps. Both accesses are sequentially consistent, as are those
 * of the sleeper: either the sleeper reads the new number, or this side reads that it sleeps. */
static inline void ifd__page_tell(_Atomic uint32_t *number, uint32_t value, _Atomic uint32_t *sleeps)
{
    atomic_store(number, value);
    if (atomic_load(sleeps))
        (void)syscall(SYS_futex, number, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Whether the number differs from `old`, after polling for `look` ns and sleeping for at most `sleep` ns. */
static inline bool ifd__page_wait(_Atomic uint32_t *number, uint32_t old, _Atomic uint32_t *sleeps, int64_t look,
                                  int64_t sleep)
{
    for (int64_t until = ifd__page_now() + look; ifd__page_now() < until; ifd__page_pause())
        if (atomic_load_explicit(number, memory_order_acquire) != old)
            return true;
    const struct timespec most = {.tv_sec = sleep / 1000000000, .tv_nsec = sleep % 1000000000};
    atomic_store(sleeps, 1);
    if (atomic_load(number) == old && sleep > 0)
        (void)syscall(SYS_futex, number, FUTEX_WAIT, old, &most, NULL, 0);
    atomic_store(sleeps, 0);
    return atomic_load(number) != old;
}
