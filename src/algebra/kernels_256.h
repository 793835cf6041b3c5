/* SPDX-License-Identifier: MIT */
/* Common code of the two instruction sets with 256-bit vectors. Each defines TARGET, STRIP and masks before it
 * includes this file, and includes the kernels after it. */

#define LANES 4
#define V __m256d
#define ZERO _mm256_setzero_pd()
#define SET1(a) _mm256_set1_pd(a)
#define LOAD(p) _mm256_load_pd(p)
#define LOADU(p) _mm256_loadu_pd(p)
#define LOAD_SINGLE(p) _mm256_cvtps_pd(_mm_loadu_ps(p))
#define STOREU(p, a) _mm256_storeu_pd((p), (a))
#define ADD(a, b) _mm256_add_pd((a), (b))
#define FMA(a, b, c) _mm256_fmadd_pd((a), (b), (c))

TARGET static inline V quad(V a, V b, V c, V d)
{
    V ab = _mm256_hadd_pd(a, b), cd = _mm256_hadd_pd(c, d);
    return _mm256_add_pd(_mm256_permute2f128_pd(ab, cd, 0x20), _mm256_permute2f128_pd(ab, cd, 0x31));
}

TARGET static inline __attribute__((always_inline)) void store_few(const int c, V a, double *out)
{
    __m128d two = _mm256_castpd256_pd128(a);
    if (c >= 4) {
        STOREU(out, a);
        return;
    }
    if (c >= 2) {
        _mm_storeu_pd(out, two);
        two = _mm256_extractf128_pd(a, 1);
    }
    if (c % 2)
        _mm_store_sd(out + c - 1, two);
}

/* out[k] = sum of the lanes of a_k for the first c of the four; with add, out[k] += factor times the sum. */
TARGET static inline __attribute__((always_inline)) void reduce(const int c, V a0, V a1, V a2, V a3, const bool add,
                                                                V factor, double *out)
{
    V sums = quad(a0, a1, a2, a3);
    if (add)
        sums = FMA(factor, sums, c >= 4 ? LOADU(out) : LOADM(out, MASK(c)));
    store_few(c, sums, out);
}
