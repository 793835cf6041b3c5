/* SPDX-License-Identifier: MIT */
/* A histogram of times with a bounded relative error. */
#include "realtime/histogram.h"

#include <stdatomic.h>

enum { BITS = 5, SPAN = 1 << BITS };

/* The power of two, then the five bits below it; times under 32 ns have a class each. */
static int class_of(uint64_t ns)
{
    if (ns < SPAN)
        return (int)ns;
    int power = 63 - __builtin_clzll(ns);
    return (power - BITS + 1) * SPAN + (int)((ns >> (power - BITS)) & (SPAN - 1));
}

/* The longest time of a class. */
static uint64_t class_end(int c)
{
    if (c < SPAN)
        return (uint64_t)c;
    int shift = c / SPAN - 1;
    return ((uint64_t)(SPAN + c % SPAN) << shift) + (((uint64_t)1 << shift) - 1);
}

/* Only one thread writes, so a load and a store are sufficient. */
static void grow(_Atomic uint64_t *value, uint64_t by)
{
    atomic_store_explicit(value, atomic_load_explicit(value, memory_order_relaxed) + by, memory_order_relaxed);
}

ifd_histogram *ifd_histogram_make(ifd_arena *arena)
{
    return ifd_arena_take(arena, sizeof(ifd_histogram));
}

void ifd_histogram_add(ifd_histogram *h, uint64_t ns)
{
    grow(&h->count[class_of(ns)], 1);
    grow(&h->all, 1);
    if (ns > atomic_load_explicit(&h->longest, memory_order_relaxed))
        atomic_store_explicit(&h->longest, ns, memory_order_relaxed);
}

uint64_t ifd_histogram_quantile(const ifd_histogram *h, double fraction)
{
    double wanted = fraction * (double)atomic_load_explicit(&h->all, memory_order_relaxed), seen = 0;
    uint64_t longest = atomic_load_explicit(&h->longest, memory_order_relaxed);
    for (int c = 0; c < IFD__CLASSES; c++) {
        uint64_t count = atomic_load_explicit(&h->count[c], memory_order_relaxed);
        seen += (double)count;
        if (count && seen >= wanted)
            return class_end(c) < longest ? class_end(c) : longest;
    }
    return longest;
}
