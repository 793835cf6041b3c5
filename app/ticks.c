/* SPDX-License-Identifier: MIT */
#include "ticks.h"

#include <time.h>

uint64_t clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Classes: the power of two, then the six bits below it. Times under 64 ns each have their own. */
static int class_of(uint64_t ns)
{
    if (ns < 64)
        return (int)ns;
    int power = 63 - __builtin_clzll(ns);
    return (power - 5) * 64 + (int)((ns >> (power - 6)) & 63);
}

static double class_middle(int c)
{
    if (c < 64)
        return c;
    int power = c / 64 + 5;
    double width = (double)(1ull << (power - 6));
    return (64 + c % 64 + 0.5) * width;
}

void ticks_add(ticks *t, uint64_t ns)
{
    t->count[class_of(ns)]++;
    t->all++;
    if (ns > t->longest)
        t->longest = ns;
}

double ticks_quantile(const ticks *t, double share)
{
    double wanted = share * (double)t->all, seen = 0;
    for (int c = 0; c < TICK_CLASSES; c++) {
        seen += (double)t->count[c];
        if (t->count[c] && seen >= wanted) {
            double middle = class_middle(c), longest = (double)t->longest;
            return 1e-9 * (middle < longest ? middle : longest);
        }
    }
    return 1e-9 * (double)t->longest;
}
