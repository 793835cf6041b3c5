/* SPDX-License-Identifier: MIT */
/* The vector kernels, written with macros that each instruction set defines before it includes this file: TARGET,
 * LANES, STRIP, V, M, MASK(q), ZERO, SET1, LOAD (aligned), LOADU, LOAD_SINGLE (from floats), LOADM, STOREU, STOREM,
 * ADD, FMA(a, b, c) = a b + c, and the function reduce. Strip kernels receive widths as constants, so the compiler
 * resolves every `if (c > k)` and keeps the columns of the strip in registers. */

#define EACH_8(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define FALLING_8(X) X(7) X(6) X(5) X(4) X(3) X(2) X(1) X(0)
#if STRIP == 16
#define EACH(X) EACH_8(X) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define FALLING(X) X(15) X(14) X(13) X(12) X(11) X(10) X(9) X(8) FALLING_8(X)
#else
#define EACH(X) EACH_8(X)
#define FALLING(X) FALLING_8(X)
#endif
#define INLINE TARGET static inline __attribute__((always_inline))

static inline size_t strip_size(int rows, int c)
{
    return ((size_t)rows * (size_t)c + LANES - 1) & ~(size_t)(LANES - 1);
}

/* s = s + the columns of the strip times b0, b1, ..., in two chains; COLUMN(k) loads column k. */
#define ACROSS(s)                                                                                                    \
    do {                                                                                                             \
        V odd = ZERO;                                                                                                \
        EACH(ACROSS_ONE)                                                                                             \
        if (c > 1)                                                                                                   \
            s = ADD(s, odd);                                                                                         \
    } while (0)
#define ACROSS_ONE(k)                                                                                                \
    if (c > k && k % 2 == 0)                                                                                         \
        s = FMA(COLUMN(k), b##k, s);                                                                                 \
    else if (c > k)                                                                                                  \
        odd = FMA(COLUMN(k), b##k, odd);

/* a0, a1, ... += the columns of the strip times v. */
#define DOWN(k)                                                                                                      \
    if (c > k)                                                                                                       \
        a##k = FMA(COLUMN(k), v, a##k);

#if STRIP == 16
#define REDUCE_REST(add, factor, out)                                                                                \
    if (c > 8)                                                                                                       \
        reduce(c - 8, a8, a9, a10, a11, add, factor, (out) + 8);                                                     \
    if (c > 12)                                                                                                      \
    reduce(c - 12, a12, a13, a14, a15, add, factor, (out) + 12)
#else
#define REDUCE_REST(add, factor, out) (void)0
#endif

/* out[k] = (or +=, times factor) the sum of the lanes of a_k, for the c columns of the strip. */
#define REDUCE(add, factor, out)                                                                                     \
    do {                                                                                                             \
        reduce(c, a0, a1, a2, a3, add, factor, (out));                                                               \
        if (c > 4)                                                                                                   \
            reduce(c - 4, a4, a5, a6, a7, add, factor, (out) + 4);                                                   \
        REDUCE_REST(add, factor, out);                                                                               \
    } while (0)

#define BROADCAST(k) V b##k = c > k ? SET1(a * b[k]) : ZERO;

/* z = S b for one strip of c columns; with add, z += S b. b0, b1, ... contain b. Writes up to LANES - 1 numbers
 * beyond the panel: they belong to the next panel, which is written later. */
#define SQUARE(width, S, add, z)                                                                                     \
    do {                                                                                                             \
        const NUMBER *block = (S);                                                                                   \
        int i = 0;                                                                                                   \
        for (; i + LANES <= (width); i += LANES, block += c * LANES) {                                               \
            V s = (add) ? LOADU((z) + i) : ZERO;                                                                     \
            ptrdiff_t q = LANES;                                                                                     \
            ACROSS(s);                                                                                               \
            STOREU((z) + i, s);                                                                                      \
        }                                                                                                            \
        if (i < (width)) {                                                                                           \
            V s = (add) ? LOADU((z) + i) : ZERO;                                                                     \
            ptrdiff_t q = (width)-i;                                                                                 \
            ACROSS(s);                                                                                               \
            STOREU((z) + i, s);                                                                                      \
        }                                                                                                            \
    } while (0)

#define CASE(k, CALL)                                                                                                \
    case k:                                                                                                          \
        CALL(k);                                                                                                     \
        break;
#define CASES_8(CALL)                                                                                                \
    CASE(1, CALL)                                                                                                    \
    CASE(2, CALL)                                                                                                    \
    CASE(3, CALL) CASE(4, CALL) CASE(5, CALL) CASE(6, CALL) CASE(7, CALL) CASE(8, CALL)
#if STRIP == 16
#define CASES(CALL)                                                                                                  \
    CASES_8(CALL)                                                                                                    \
    CASE(9, CALL)                                                                                                    \
    CASE(10, CALL)                                                                                                   \
    CASE(11, CALL) CASE(12, CALL) CASE(13, CALL) CASE(14, CALL) CASE(15, CALL) CASE(16, CALL)
#else
#define CASES(CALL) CASES_8(CALL)
#endif

/* Runs CALL(k), k a constant, for the width c of the strip. */
#define FOR_WIDTH(c, CALL)                                                                                           \
    switch (c) {                                                                                                     \
        CASES(CALL)                                                                                                  \
    default:                                                                                                         \
        break;                                                                                                       \
    }

#define NUMBER float
#define NUMBERS(P, block) (P)->block##_single
#define GET(p) LOAD_SINGLE(p)
#define GETU(p) LOAD_SINGLE(p)
#define NAME(function) function##_single
#include "algebra/kernels_sweep_template.h"
#undef NUMBER
#undef NUMBERS
#undef GET
#undef GETU
#undef NAME
#define NUMBER double
#define NUMBERS(P, block) (P)->block
#define GET(p) LOAD(p)
#define GETU(p) LOADU(p)
#define NAME(function) function
#include "algebra/kernels_sweep_template.h"

/* The same in rising order, for a strip that starts at N. */
INLINE void strip_column(const int c, const ifd__panel *J, const uint32_t *piece, const double *N, const double *x,
                         V a, double *out)
{
#define X(k) V a##k = ZERO;
    EACH(X)
#undef X
#define COLUMN(k) LOAD(N + k * LANES)
    for (int p = 0; p < J->full; p++, N += c * LANES) {
        V v = LOADU(x + (piece[p] >> 4));
        EACH(DOWN)
    }
#undef COLUMN
#define COLUMN(k) LOADU(N + k * q)
    for (int p = J->full; p < J->pieces; p++) {
        ptrdiff_t q = piece[p] & 15;
        V v = LOADM(x + (piece[p] >> 4), MASK(q));
        EACH(DOWN)
        N += c * q;
    }
#undef COLUMN
    REDUCE(true, a, out);
}

/* y_R += a N b and out = N^T x_R in one reading, z = a S b, for one strip. */
INLINE void strip_product(const int c, const ifd__panel *J, const uint32_t *piece, const double *N, const double *S,
                          const double *b, double a, const double *x, double *y, bool add, double *z, double *out)
{
    EACH(BROADCAST)
#define X(k) V a##k = ZERO;
    EACH(X)
#undef X
#define COLUMN(k) LOAD(N + k * LANES)
    for (int p = 0; p < J->full; p++, N += c * LANES) {
        int at = (int)(piece[p] >> 4);
        V v = LOADU(x + at), s = LOADU(y + at);
        ACROSS(s);
        EACH(DOWN)
        STOREU(y + at, s);
    }
#undef COLUMN
#define COLUMN(k) LOADU(N + k * q)
    for (int p = J->full; p < J->pieces; p++) {
        int at = (int)(piece[p] >> 4);
        ptrdiff_t q = piece[p] & 15;
        M m = MASK(q);
        V v = LOADM(x + at, m), s = LOADM(y + at, m);
        ACROSS(s);
        EACH(DOWN)
        STOREM(y + at, m, s);
        N += c * q;
    }
#undef COLUMN
#define COLUMN(k) LOADU(block + k * q)
    SQUARE(J->width, S, add, z);
#undef COLUMN
    REDUCE(false, ZERO, out);
}

/* Rising order: the previous sweep often wrote x in this order, and its last entries may not yet be stored. */
TARGET static void columns(const ifd__panels *P, double alpha, const double *x, double *y)
{
    const V a = SET1(alpha);
    for (const ifd__panel *J = P->panel, *end = J + P->count; J < end; J++) {
        const double *N = P->below + J->below;
        const uint32_t *piece = P->piece + J->piece;
        double *to = y + J->first;
        for (int s = 0; s < J->strips; s++) {
            int c = J->narrow + (s < J->wide);
#define CALL(k) strip_column(k, J, piece, N, x, a, to)
            FOR_WIDTH(c, CALL)
#undef CALL
            N += strip_size(J->rows, c);
            to += c;
        }
    }
}

TARGET static void product(const ifd__panels *P, double alpha, const double *x, double *y)
{
    double out[STRIP];
    _Alignas(64) double z[IFD__WIDEST + IFD__MOST_LANES];
    for (const ifd__panel *J = P->panel, *end = J + P->count; J < end; J++) {
        const double *N = P->below + J->below, *S = P->square + J->square, *b = x + J->first;
        const uint32_t *piece = P->piece + J->piece;
        double *to = y + J->first;
        for (int s = 0; s < J->strips; s++) {
            int c = J->narrow + (s < J->wide);
#define CALL(k) strip_product(k, J, piece, N, S, b, alpha, x, y, s > 0, z, out)
            FOR_WIDTH(c, CALL)
#undef CALL
            for (int k = 0; k < c; k++)
                to[k] += alpha * out[k];
            N += strip_size(J->rows, c);
            S += strip_size(J->width, c);
            b += c;
            to += c;
        }
        for (int k = 0; k < J->width; k++)
            y[J->first + k] += z[k];
    }
}

/* y += alpha s for `left` numbers, at most LANES. */
INLINE void add_few(int left, V alpha, V s, double *y)
{
    if (left >= LANES) {
        STOREU(y, FMA(alpha, s, LOADU(y)));
    } else if (left > 0) {
        M m = MASK(left);
        STOREM(y, m, FMA(alpha, s, LOADM(y, m)));
    }
}

/* With zeros on both sides of x every vector of it can be read. */
TARGET static void bands(const ifd__bands *B, double alpha, const double *x, double *y)
{
    double wide[IFD__BANDS_ROWS + 2 * IFD__BANDS_REACH + 2 * LANES];
    const V a = SET1(alpha);
    const double *N = B->value;
    memset(wide, 0, (size_t)B->reach * sizeof *wide);
    memcpy(wide + B->reach, x, (size_t)B->n * sizeof *wide);
    memset(wide + B->reach + B->n, 0, (size_t)(B->reach + 2 * LANES) * sizeof *wide);
    for (int i = 0, group = 0; i < B->n; i += 2 * LANES, group++) {
        V s = ZERO, t = ZERO;
        for (int k = B->start[group], end = B->start[group + 1]; k < end; k++, N += 2 * LANES) {
            const double *from = wide + B->at[k];
            s = FMA(LOAD(N), LOADU(from), s);
            t = FMA(LOAD(N + LANES), LOADU(from + LANES), t);
        }
        add_few(B->n - i, a, s, y + i);
        add_few(B->n - i - LANES, a, t, y + i + LANES);
    }
}

TARGET static void pick(int runs, const uint32_t *run, const double *x, double *to)
{
    for (int k = 0; k < runs; k++) {
        const double *from = x + (run[k] >> 4);
        int q = (int)(run[k] & 15);
        for (; q >= LANES; q -= LANES, from += LANES, to += LANES)
            STOREU(to, LOADU(from));
        if (!q)
            continue;
        M m = MASK(q);
        if (k < runs - LANES) /* at least LANES numbers follow, which overwrite those beyond the run */
            STOREU(to, LOADM(from, m));
        else
            STOREM(to, m, LOADM(from, m));
        to += q;
    }
}
