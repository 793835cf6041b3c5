/* SPDX-License-Identifier: MIT */
/* The kernels of four members in lanes, for processors with AVX2. */
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

#define ABS(a) _mm256_andnot_pd(SET1(-0.0), (a))
#define SLIDE(v, z, limit) slide((v), (z), (limit))
#define CLAMP(z, limit) clamp((z), (limit))

TARGET static inline V slide(V v, V z, V limit)
{
    const V up = _mm256_and_pd(_mm256_cmp_pd(v, ZERO, _CMP_GT_OQ), _mm256_cmp_pd(z, limit, _CMP_GE_OQ));
    const V down =
        _mm256_and_pd(_mm256_cmp_pd(v, ZERO, _CMP_LT_OQ), _mm256_cmp_pd(z, MUL(SET1(-1.0), limit), _CMP_LE_OQ));
    return _mm256_andnot_pd(_mm256_or_pd(up, down), v);
}

TARGET static inline V clamp(V z, V limit)
{
    const V signed_limit = _mm256_or_pd(_mm256_and_pd(SET1(-0.0), z), ABS(limit));
    return _mm256_blendv_pd(signed_limit, z, _mm256_cmp_pd(ABS(z), limit, _CMP_LE_OQ));
}

#include "algebra/lanes_template.h"

const ifd__lane_kernels ifd__lanes_avx2 = LANE_KERNELS("avx2");
#else
typedef int nothing_here;
#endif
