/* SPDX-License-Identifier: MIT */
#include "algebra/kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512dq,avx512vl,fma")))
#define STRIP 16
#define M __mmask8
#define MASK(q) ((__mmask8)((1u << (q)) - 1u))
#define LOADM(p, m) _mm256_maskz_loadu_pd((m), (p))
#define STOREM(p, m, a) _mm256_mask_storeu_pd((p), (m), (a))

#include "algebra/kernels_256.h"
#include "algebra/kernels_template.h"
#include "algebra/kernels_dense_template.h"

const ifd__kernels ifd__kernels_avx512 = {"avx512", LANES, STRIP, forward, backward, product,
                                          columns,  pick,  gemm,  gemv,    dot,      gemvt};
#else
typedef int nothing_here;
#endif
