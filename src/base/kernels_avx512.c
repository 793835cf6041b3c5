/* SPDX-License-Identifier: MIT */
#include "base/kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define TARGET __attribute__((target("avx512f,avx512dq,avx512vl,bmi2,fma")))
#define LANES 8
#define V __m512d
#define M __mmask8
#define MASK(q) ((__mmask8)((1u << (q)) - 1u))
#define ZERO _mm512_setzero_pd()
#define SET1(a) _mm512_set1_pd(a)
#define LOAD(p) _mm512_load_pd(p)
#define LOADU(p) _mm512_loadu_pd(p)
#define LOADM(p, m) _mm512_maskz_loadu_pd((m), (p))
#define STOREU(p, a) _mm512_storeu_pd((p), (a))
#define STOREM(p, m, a) _mm512_mask_storeu_pd((p), (m), (a))
#define ADD(a, b) _mm512_add_pd((a), (b))
#define MUL(a, b) _mm512_mul_pd((a), (b))
#define FMA(a, b, c) _mm512_fmadd_pd((a), (b), (c))

TARGET static inline V add_masked(V a, V b, M m)
{
    return _mm512_mask_add_pd(a, m, a, b);
}

/* {sum of even lane pairs of a, of b, ...}: after it each pair of lanes holds partial sums of a and b. */
TARGET static inline V pair(V a, V b)
{
    return _mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
}

TARGET static inline V quad(V a, V b)
{
    return _mm512_add_pd(_mm512_shuffle_f64x2(a, b, 0x88), _mm512_shuffle_f64x2(a, b, 0xdd));
}

/* out[k] = sum of the lanes of a_k; always writes 8 numbers. */
TARGET static inline __attribute__((always_inline)) void reduce(const int c, V a0, V a1, V a2, V a3, V a4, V a5, V a6,
                                                                V a7, double *out)
{
    V low = quad(pair(a0, a1), c > 2 ? pair(a2, a3) : ZERO);
    V high = c > 4 ? quad(pair(a4, a5), c > 6 ? pair(a6, a7) : ZERO) : ZERO;
    STOREU(out, quad(low, high));
}

#include "base/kernels_template.h"

#include "base/kernels_dense_template.h"

const ifd__kernels ifd__kernels_avx512 = {"avx512", LANES, forward, backward, product, gemm, gemv, gemv_t, dot};
#else
typedef int nothing_here;
#endif
