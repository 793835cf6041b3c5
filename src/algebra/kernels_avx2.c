/* SPDX-License-Identifier: MIT */
/* The kernels for processors with AVX2. */
#include "algebra/kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define TARGET __attribute__((target("avx2,fma")))
#define STRIP 8
#define M __m256i
#define MASK(q) _mm256_loadu_si256((const __m256i *)(ones + 4 - (q)))
#define LOADM(p, m) _mm256_maskload_pd((p), (m))
#define STOREM(p, m, a) _mm256_maskstore_pd((p), (m), (a))

static const int64_t ones[8] = {-1, -1, -1, -1, 0, 0, 0, 0};

#include "algebra/kernels_256.h"
#include "algebra/kernels_template.h"
#include "algebra/kernels_dense_template.h"
#include "algebra/kernels_block_template.h"

/* Four columns of one tile: eight accumulators. */
INLINE void outer_half(const bool whole, const ifd__tiles *T, const double *A, const double *B, bool add, double *C)
{
    M low = MASK(T->rows < 4 ? T->rows : 4), high = MASK(T->rows < 4 ? 0 : T->rows - 4);
#define EACH_4(X) X(0) X(1) X(2) X(3)
#define X(j) V c##j = add ? LOADU(C + j * 8) : ZERO, d##j = add ? LOADU(C + j * 8 + 4) : ZERO;
    EACH_4(X)
#undef X
    for (int k = 0; k < T->k; k++, A += T->ld, B += 8) {
        V a = whole ? LOADU(A) : LOADM(A, low), b = whole ? LOADU(A + 4) : LOADM(A + 4, high);
#define X(j)                                                                                                         \
    c##j = FMA(a, SET1(B[j]), c##j);                                                                                 \
    d##j = FMA(b, SET1(B[j]), d##j);
        EACH_4(X)
#undef X
    }
#define X(j)                                                                                                         \
    STOREU(C + j * 8, c##j);                                                                                         \
    STOREU(C + j * 8 + 4, d##j);
    EACH_4(X)
#undef X
#undef EACH_4
}

TARGET static void outer(const ifd__tiles *T, bool add, double *C)
{
    for (int t = 0; t < T->count; t++)
        for (int half = 0; half < 2; half++) {
            const double *A = T->A + t * T->stride, *B = T->B + 4 * half;
            double *to = C + t * 64 + half * 32;
            if (T->rows == IFD__TILE)
                outer_half(true, T, A, B, add, to);
            else
                outer_half(false, T, A, B, add, to);
        }
}

const ifd__kernels ifd__kernels_avx2 = {IFD__KERNELS("avx2", LANES, STRIP)};
#else
typedef int nothing_here;
#endif
