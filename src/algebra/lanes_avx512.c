/* SPDX-License-Identifier: MIT */
#include "algebra/lanes.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512dq,avx512vl")))
#define W 8
#define V __m512d
#define ZERO _mm512_setzero_pd()
#define SET1(a) _mm512_set1_pd(a)
#define LOAD(p) _mm512_loadu_pd(p)
#define STORE(p, a) _mm512_storeu_pd((p), (a))
#define ADD(a, b) _mm512_add_pd((a), (b))
#define MUL(a, b) _mm512_mul_pd((a), (b))
#define FMA(a, b, c) _mm512_fmadd_pd((a), (b), (c))

#include "algebra/lanes_template.h"

const ifd__lane_kernels ifd__lanes_avx512 = LANE_KERNELS("avx512");
#else
typedef int nothing_here;
#endif
