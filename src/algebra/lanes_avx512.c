/* SPDX-License-Identifier: MIT */
/* The kernels of eight members in lanes, for processors with AVX-512. */
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

#define ABS(a) _mm512_abs_pd(a)
#define SLIDE(v, z, limit) slide((v), (z), (limit))
#define CLAMP(z, limit) clamp((z), (limit))

TARGET static inline V slide(V v, V z, V limit)
{
    const __mmask8 up = _mm512_mask_cmp_pd_mask(_mm512_cmp_pd_mask(v, ZERO, _CMP_GT_OQ), z, limit, _CMP_GE_OQ);
    const __mmask8 down =
        _mm512_mask_cmp_pd_mask(_mm512_cmp_pd_mask(v, ZERO, _CMP_LT_OQ), z, MUL(SET1(-1.0), limit), _CMP_LE_OQ);
    return _mm512_maskz_mov_pd((__mmask8) ~(up | down), v);
}

TARGET static inline V clamp(V z, V limit)
{
    const V sign = _mm512_and_pd(SET1(-0.0), z), signed_limit = _mm512_or_pd(sign, _mm512_abs_pd(limit));
    return _mm512_mask_mov_pd(signed_limit, _mm512_cmp_pd_mask(_mm512_abs_pd(z), limit, _CMP_LE_OQ), z);
}

#include "algebra/lanes_template.h"

const ifd__lane_kernels ifd__lanes_avx512 = LANE_KERNELS("avx512");
#else
typedef int nothing_here;
#endif
