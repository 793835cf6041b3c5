/* SPDX-License-Identifier: MIT */
#include "algebra/lanes.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,fma")))
#define W 4
#define V __m256d
#define ZERO _mm256_setzero_pd()
#define SET1(a) _mm256_set1_pd(a)
#define LOAD(p) _mm256_loadu_pd(p)
#define STORE(p, a) _mm256_storeu_pd((p), (a))
#define ADD(a, b) _mm256_add_pd((a), (b))
#define MUL(a, b) _mm256_mul_pd((a), (b))
#define FMA(a, b, c) _mm256_fmadd_pd((a), (b), (c))

#include "algebra/lanes_template.h"

const ifd__lane_kernels ifd__lanes_avx2 = LANE_KERNELS("avx2");
#else
typedef int nothing_here;
#endif
