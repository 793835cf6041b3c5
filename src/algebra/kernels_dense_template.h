/* SPDX-License-Identifier: MIT */
/* The dense vector kernels with the macros of kernels_template.h, which is included first. Products accumulate in
 * registers and access C or y once. */

/* One tile of C, 1 or 2 vectors high and up to 4 columns wide; the last vector may be short (mask m). */
INLINE void gemm_tile(const int high, const int wide, int k, double alpha, const double *A, ptrdiff_t lda,
                      const double *B, ptrdiff_t ldb, double *C, ptrdiff_t ldc, const bool whole, M m)
{
    V c00 = ZERO, c01 = ZERO, c02 = ZERO, c03 = ZERO, c10 = ZERO, c11 = ZERO, c12 = ZERO, c13 = ZERO;
    for (int p = 0; p < k; p++, A += lda, B++) {
        V a0 = whole || high == 2 ? LOADU(A) : LOADM(A, m), a1 = ZERO, b;
        if (high == 2)
            a1 = whole ? LOADU(A + LANES) : LOADM(A + LANES, m);
#define X(j)                                                                                                         \
    if (wide > j) {                                                                                                  \
        b = SET1(B[j * ldb]);                                                                                        \
        c0##j = FMA(a0, b, c0##j);                                                                                   \
        if (high == 2)                                                                                               \
            c1##j = FMA(a1, b, c1##j);                                                                               \
    }
        X(0) X(1) X(2) X(3)
#undef X
    }
    V al = SET1(alpha);
#define X(j)                                                                                                         \
    if (wide > j) {                                                                                                  \
        double *to = C + j * ldc;                                                                                    \
        if (high == 2) {                                                                                             \
            STOREU(to, FMA(al, c0##j, LOADU(to)));                                                                   \
            if (whole)                                                                                               \
                STOREU(to + LANES, FMA(al, c1##j, LOADU(to + LANES)));                                               \
            else                                                                                                     \
                STOREM(to + LANES, m, FMA(al, c1##j, LOADM(to + LANES, m)));                                         \
        } else if (whole) {                                                                                          \
            STOREU(to, FMA(al, c0##j, LOADU(to)));                                                                   \
        } else {                                                                                                     \
            STOREM(to, m, FMA(al, c0##j, LOADM(to, m)));                                                             \
        }                                                                                                            \
    }
    X(0) X(1) X(2) X(3)
#undef X
}

INLINE void gemm_columns(const int wide, int m, int k, double alpha, const double *A, int lda, const double *B,
                         int ldb, double *C, int ldc)
{
    int i = 0;
    for (; i + 2 * LANES <= m; i += 2 * LANES)
        gemm_tile(2, wide, k, alpha, A + i, lda, B, ldb, C + i, ldc, true, MASK(LANES));
    int rest = m - i;
    if (rest > LANES)
        gemm_tile(2, wide, k, alpha, A + i, lda, B, ldb, C + i, ldc, false, MASK(rest - LANES));
    else if (rest == LANES)
        gemm_tile(1, wide, k, alpha, A + i, lda, B, ldb, C + i, ldc, true, MASK(LANES));
    else if (rest > 0)
        gemm_tile(1, wide, k, alpha, A + i, lda, B, ldb, C + i, ldc, false, MASK(rest));
}

TARGET static void gemm(const int mnk[3], double alpha, const double *A, int lda, const double *B, int ldb, double *C,
                        int ldc)
{
    int m = mnk[0], n = mnk[1], k = mnk[2], j = 0;
    for (; j + 4 <= n; j += 4)
        gemm_columns(4, m, k, alpha, A, lda, B + (ptrdiff_t)j * ldb, ldb, C + (ptrdiff_t)j * ldc, ldc);
    B += (ptrdiff_t)j * ldb;
    C += (ptrdiff_t)j * ldc;
    if (n - j == 3)
        gemm_columns(3, m, k, alpha, A, lda, B, ldb, C, ldc);
    else if (n - j == 2)
        gemm_columns(2, m, k, alpha, A, lda, B, ldb, C, ldc);
    else if (n - j == 1)
        gemm_columns(1, m, k, alpha, A, lda, B, ldb, C, ldc);
}

TARGET static void gemv(int m, int n, double alpha, const double *A, int lda, const double *x, double *y)
{
    V al = SET1(alpha);
    int i = 0;
    for (; i + 4 * LANES <= m; i += 4 * LANES) {
        V s0 = ZERO, s1 = ZERO, s2 = ZERO, s3 = ZERO;
        const double *a = A + i;
        for (int j = 0; j < n; j++, a += lda) {
            V b = SET1(x[j]);
            s0 = FMA(LOADU(a), b, s0);
            s1 = FMA(LOADU(a + LANES), b, s1);
            s2 = FMA(LOADU(a + 2 * LANES), b, s2);
            s3 = FMA(LOADU(a + 3 * LANES), b, s3);
        }
        STOREU(y + i, FMA(al, s0, LOADU(y + i)));
        STOREU(y + i + LANES, FMA(al, s1, LOADU(y + i + LANES)));
        STOREU(y + i + 2 * LANES, FMA(al, s2, LOADU(y + i + 2 * LANES)));
        STOREU(y + i + 3 * LANES, FMA(al, s3, LOADU(y + i + 3 * LANES)));
    }
    for (; i < m; i += LANES) {
        M mask = MASK(m - i < LANES ? m - i : LANES);
        V s0 = ZERO, s1 = ZERO;
        const double *a = A + i;
        int j = 0;
        for (; j + 2 <= n; j += 2, a += 2 * (ptrdiff_t)lda) {
            s0 = FMA(LOADM(a, mask), SET1(x[j]), s0);
            s1 = FMA(LOADM(a + lda, mask), SET1(x[j + 1]), s1);
        }
        if (j < n)
            s0 = FMA(LOADM(a, mask), SET1(x[j]), s0);
        STOREM(y + i, mask, FMA(al, ADD(s0, s1), LOADM(y + i, mask)));
    }
}

TARGET static double dot(int n, const double *x, const double *y)
{
    double out[4];
    V a0 = ZERO, a1 = ZERO;
    int i = 0;
    for (; i + 2 * LANES <= n; i += 2 * LANES) {
        a0 = FMA(LOADU(x + i), LOADU(y + i), a0);
        a1 = FMA(LOADU(x + i + LANES), LOADU(y + i + LANES), a1);
    }
    for (; i < n; i += LANES) {
        M mask = MASK(n - i < LANES ? n - i : LANES);
        a0 = FMA(LOADM(x + i, mask), LOADM(y + i, mask), a0);
    }
    reduce(1, ADD(a0, a1), ZERO, ZERO, ZERO, false, ZERO, out);
    return out[0];
}

/* y_0 .. y_(wide - 1) += alpha times the products of x with up to four columns. */
INLINE void gemvt_columns(const int wide, int m, V alpha, const double *A, ptrdiff_t lda, const double *x, double *y)
{
    V a0 = ZERO, a1 = ZERO, a2 = ZERO, a3 = ZERO, b0 = ZERO, b1 = ZERO, b2 = ZERO, b3 = ZERO;
    int i = 0;
    for (; i + 2 * LANES <= m; i += 2 * LANES) {
        V x0 = LOADU(x + i), x1 = LOADU(x + i + LANES);
#define X(j)                                                                                                         \
    if (wide > j) {                                                                                                  \
        a##j = FMA(LOADU(A + j * lda + i), x0, a##j);                                                                \
        b##j = FMA(LOADU(A + j * lda + i + LANES), x1, b##j);                                                        \
    }
        X(0) X(1) X(2) X(3)
#undef X
    }
    for (; i < m; i += LANES) {
        M mask = MASK(m - i < LANES ? m - i : LANES);
        V x0 = LOADM(x + i, mask);
#define X(j)                                                                                                         \
    if (wide > j)                                                                                                    \
        a##j = FMA(LOADM(A + j * lda + i, mask), x0, a##j);
        X(0) X(1) X(2) X(3)
#undef X
    }
    reduce(wide, ADD(a0, b0), ADD(a1, b1), ADD(a2, b2), ADD(a3, b3), true, alpha, y);
}

TARGET static void gemvt(int m, int n, double alpha, const double *A, int lda, const double *x, double *y)
{
    V al = SET1(alpha);
    for (; n >= 4; n -= 4, y += 4, A += 4 * (ptrdiff_t)lda)
        gemvt_columns(4, m, al, A, lda, x, y);
    if (n == 3)
        gemvt_columns(3, m, al, A, lda, x, y);
    else if (n == 2)
        gemvt_columns(2, m, al, A, lda, x, y);
    else if (n == 1)
        gemvt_columns(1, m, al, A, lda, x, y);
}
