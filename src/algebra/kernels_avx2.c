/* SPDX-License-Identifier: MIT */
#include "algebra/kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

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

const ifd__kernels ifd__kernels_avx2 = {"avx2",  LANES, STRIP, forward, backward, product,
                                        columns, pick,  gemm,  gemv,    dot,      gemvt};
#else
typedef int nothing_here;
#endif
