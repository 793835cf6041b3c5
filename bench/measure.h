/* SPDX-License-Identifier: MIT */
/* The clock, and a sum at the read bandwidth of this processor. */
#pragma once

#include <stddef.h>
#include <time.h>

static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef double sum_vector __attribute__((vector_size(64), aligned(8)));

#define SUM_LOOP                                                                                                     \
    sum_vector s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};                                                               \
    for (size_t i = 0; i + 32 <= n; i += 32) {                                                                       \
        s0 += *(const sum_vector *)(x + i);                                                                          \
        s1 += *(const sum_vector *)(x + i + 8);                                                                      \
        s2 += *(const sum_vector *)(x + i + 16);                                                                     \
        s3 += *(const sum_vector *)(x + i + 24);                                                                     \
    }                                                                                                                \
    s0 += s1 + s2 + s3;                                                                                              \
    return s0[0] + s0[1] + s0[2] + s0[3] + s0[4] + s0[5] + s0[6] + s0[7];

#if defined(__x86_64__)
__attribute__((target("avx512f"))) static inline double sum_avx512(size_t n, const double *x)
{
    SUM_LOOP
}
__attribute__((target("avx2"))) static inline double sum_avx2(size_t n, const double *x)
{
    SUM_LOOP
}
#endif
static inline double sum_plain(size_t n, const double *x)
{
    SUM_LOOP
}

/* The sum of x, n a multiple of 32, with the widest vectors of this processor, at its read bandwidth. */
static inline double sum(size_t n, const double *x)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        return sum_avx512(n, x);
    if (__builtin_cpu_supports("avx2"))
        return sum_avx2(n, x);
#endif
    return sum_plain(n, x);
}
