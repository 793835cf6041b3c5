/* SPDX-License-Identifier: MIT */
/* The kernels for processors with AVX-512. */
#include "algebra/kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define TARGET __attribute__((target("avx512f,avx512dq,avx512vl,fma")))
#define STRIP 16
#define M __mmask8
#define MASK(q) ((__mmask8)((1u << (q)) - 1u))
#define LOADM(p, m) _mm256_maskz_loadu_pd((m), (p))
#define STOREM(p, m, a) _mm256_mask_storeu_pd((p), (m), (a))

#include "algebra/kernels_256.h"
#include "algebra/kernels_template.h"
#include "algebra/kernels_dense_template.h"
#include "algebra/kernels_block_template.h"

/* All accumulators of up to three tiles of 8 x 8 are in registers. */
INLINE void outer_tiles(const int count, const ifd__tiles *T, bool add, __mmask8 m, double *C)
{
#define EACH_TILE(X, j) X(0, j) X(1, j) X(2, j)
#define X(t, j) __m512d c##t##j = add && count > t ? _mm512_loadu_pd(C + t * 64 + j * 8) : _mm512_setzero_pd();
#define Y(j) EACH_TILE(X, j)
    EACH_8(Y)
#undef X
    const double *A = T->A, *B = T->B;
    for (int k = 0; k < T->k; k++, A += T->ld, B += 8) {
        __m512d a0 = _mm512_maskz_loadu_pd(m, A), a1 = a0, a2 = a0;
        if (count > 1)
            a1 = _mm512_loadu_pd(A + T->stride);
        if (count > 2)
            a2 = _mm512_loadu_pd(A + 2 * T->stride);
#define X(t, j)                                                                                                      \
    if (count > t)                                                                                                   \
        c##t##j = _mm512_fmadd_pd(a##t, _mm512_set1_pd(B[j]), c##t##j);
        EACH_8(Y)
#undef X
    }
#define X(t, j)                                                                                                      \
    if (count > t)                                                                                                   \
        _mm512_storeu_pd(C + t * 64 + j * 8, c##t##j);
    EACH_8(Y)
#undef X
#undef Y
#undef EACH_TILE
}

TARGET static void outer(const ifd__tiles *T, bool add, double *C)
{
    if (T->count == 3)
        outer_tiles(3, T, add, 0xff, C);
    else if (T->count == 2)
        outer_tiles(2, T, add, 0xff, C);
    else
        outer_tiles(1, T, add, (__mmask8)((1u << T->rows) - 1u), C);
}

const ifd__kernels ifd__kernels_avx512 = {IFD__KERNELS("avx512", LANES, STRIP)};
#else
typedef int nothing_here;
#endif
