/* SPDX-License-Identifier: MIT */
/* The vector kernels, written once over a few macros that each instruction set defines before including this file:
 * TARGET, LANES, V, M, MASK(q), ZERO, SET1, LOAD (aligned), LOADU, LOADM, STOREU, ADD, FMA(a, b, c) = a b + c, and the
 * functions add_masked and reduce. Widths reach the strip kernels as constants, so every `if (c > k)` is settled by the
 * compiler and the strip's columns live in registers. */

#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define INLINE TARGET static inline __attribute__((always_inline))

static inline size_t strip_size(int rows, int c)
{
    return ((size_t)rows * (size_t)c + LANES - 1) & ~(size_t)(LANES - 1);
}

INLINE void gather(const ifd__panels *P, const ifd__panel *J, const double *x, double *v)
{
    const uint32_t *piece = P->piece + J->piece;
    for (int k = 0; k < J->pieces; k++) {
        int start = (int)(piece[k] >> 4), length = (int)(piece[k] & 15);
        if (start + LANES <= P->n)
            STOREU(v, LOADU(x + start));
        else
            STOREU(v, LOADM(x + start, MASK(length)));
        v += length;
    }
}

INLINE void scatter_add(const ifd__panels *P, const ifd__panel *J, const double *t, double *x)
{
    const uint32_t *piece = P->piece + J->piece;
    for (int k = 0; k < J->pieces; k++) {
        int start = (int)(piece[k] >> 4), length = (int)(piece[k] & 15);
        if (start + LANES <= P->n)
            STOREU(x + start, add_masked(LOADU(x + start), LOADU(t), MASK(length)));
        else
            for (int i = 0; i < length; i++)
                x[start + i] += t[i];
        t += length;
    }
}

/* t (+)= N b for one strip of c columns. */
INLINE void strip_forward(const int c, int rows, const double *N, const double *b, bool add, double *t)
{
#define X(k) V b##k = c > k ? SET1(b[k]) : ZERO;
    EACH(X)
#undef X
    int i = 0;
    for (; i + LANES <= rows; i += LANES, N += c * LANES) {
        V s0 = add ? LOADU(t + i) : ZERO, s1 = ZERO;
#define X(k)                                                                                                         \
    if (c > k && k % 2 == 0)                                                                                         \
        s0 = FMA(LOAD(N + k * LANES), b##k, s0);                                                                     \
    else if (c > k)                                                                                                  \
        s1 = FMA(LOAD(N + k * LANES), b##k, s1);
        EACH(X)
        STOREU(t + i, c > 1 ? ADD(s0, s1) : s0);
#undef X
    }
    if (i < rows) {
        int q = rows - i;
        M m = MASK(q);
        V s = add ? LOADU(t + i) : ZERO;
#define X(k)                                                                                                         \
    if (c > k)                                                                                                       \
        s = FMA(LOADM(N + k * q, m), b##k, s);
        EACH(X)
#undef X
        STOREU(t + i, s);
    }
}

/* acc += N^T v over one strip. */
#define STRIP_DOWN(rows, N, v)                                                                                       \
    do {                                                                                                             \
        const double *n_ = (N);                                                                                      \
        int i_ = 0;                                                                                                  \
        for (; i_ + LANES <= (rows); i_ += LANES, n_ += c * LANES) {                                                 \
            V v_ = LOADU((v) + i_);                                                                                  \
            EACH(DOWN_FULL)                                                                                          \
        }                                                                                                            \
        if (i_ < (rows)) {                                                                                           \
            int q_ = (rows)-i_;                                                                                      \
            M m_ = MASK(q_);                                                                                         \
            V v_ = LOADM((v) + i_, m_);                                                                              \
            EACH(DOWN_TAIL)                                                                                          \
        }                                                                                                            \
    } while (0)
#define DOWN_FULL(k)                                                                                                 \
    if (c > k)                                                                                                       \
        a##k = FMA(LOAD(n_ + k * LANES), v_, a##k);
#define DOWN_TAIL(k)                                                                                                 \
    if (c > k)                                                                                                       \
        a##k = FMA(LOADM(n_ + k * q_, m_), v_, a##k);

/* out = S^T b + N^T v for one strip. */
INLINE void strip_backward(const int c, const ifd__panel *J, const double *S, const double *b, const double *N,
                           const double *v, double *out)
{
#define X(k) V a##k = ZERO;
    EACH(X)
#undef X
    STRIP_DOWN(J->width, S, b);
    STRIP_DOWN(J->rows, N, v);
    reduce(c, a0, a1, a2, a3, a4, a5, a6, a7, out);
}

/* out = S^T b + N^T v, t (+)= N b: both uses of N in one reading. b of the strip starts at offset. */
INLINE void strip_product(const int c, const ifd__panel *J, const double *S, const double *b, int offset,
                          const double *N, const double *v, double *t, double *out)
{
#define X(k) V a##k = ZERO, b##k = c > k ? SET1(b[offset + k]) : ZERO;
    EACH(X)
#undef X
    STRIP_DOWN(J->width, S, b);
    int i = 0;
    for (; i + LANES <= J->rows; i += LANES, N += c * LANES) {
        V vi = LOADU(v + i), s = offset ? LOADU(t + i) : ZERO;
#define X(k)                                                                                                         \
    if (c > k) {                                                                                                     \
        V column = LOAD(N + k * LANES);                                                                              \
        a##k = FMA(column, vi, a##k);                                                                                \
        s = FMA(column, b##k, s);                                                                                    \
    }
        EACH(X)
#undef X
        STOREU(t + i, s);
    }
    if (i < J->rows) {
        int q = J->rows - i;
        M m = MASK(q);
        V vi = LOADM(v + i, m), s = offset ? LOADU(t + i) : ZERO;
#define X(k)                                                                                                         \
    if (c > k) {                                                                                                     \
        V column = LOADM(N + k * q, m);                                                                              \
        a##k = FMA(column, vi, a##k);                                                                                \
        s = FMA(column, b##k, s);                                                                                    \
    }
        EACH(X)
#undef X
        STOREU(t + i, s);
    }
    reduce(c, a0, a1, a2, a3, a4, a5, a6, a7, out);
}

#define ONE_OF_8(c, CALL)                                                                                            \
    switch (c) {                                                                                                     \
    case 1:                                                                                                          \
        CALL(1);                                                                                                     \
        break;                                                                                                       \
    case 2:                                                                                                          \
        CALL(2);                                                                                                     \
        break;                                                                                                       \
    case 3:                                                                                                          \
        CALL(3);                                                                                                     \
        break;                                                                                                       \
    case 4:                                                                                                          \
        CALL(4);                                                                                                     \
        break;                                                                                                       \
    case 5:                                                                                                          \
        CALL(5);                                                                                                     \
        break;                                                                                                       \
    case 6:                                                                                                          \
        CALL(6);                                                                                                     \
        break;                                                                                                       \
    case 7:                                                                                                          \
        CALL(7);                                                                                                     \
        break;                                                                                                       \
    default:                                                                                                         \
        CALL(8);                                                                                                     \
        break;                                                                                                       \
    }

TARGET static void forward(const ifd__panels *P, double *x, double *w)
{
    for (const ifd__panel *J = P->panel, *end = J + P->count; J < end; J++) {
        const double *N = P->below + J->below, *b = x + J->first;
        if (!J->rows)
            continue;
        for (int s = 0; s < J->strips; s++) {
            int c = J->narrow + (s < J->wide);
#define CALL(k) strip_forward(k, J->rows, N, b, s > 0, w)
            ONE_OF_8(c, CALL)
#undef CALL
            N += strip_size(J->rows, c);
            b += c;
        }
        scatter_add(P, J, w, x);
    }
}

TARGET static void backward(const ifd__panels *P, double *x, double *w)
{
    double *out = w, *v = w + P->most_width + 2 * IFD__MOST_LANES;
    v = (double *)((uintptr_t)v & ~(uintptr_t)63);
    for (const ifd__panel *J = P->panel + P->count; J-- > P->panel;) {
        const double *N = P->below + J->below, *S = P->square + J->square, *b = x + J->first;
        gather(P, J, x, v);
        for (int s = 0, k0 = 0; s < J->strips; s++) {
            int c = J->narrow + (s < J->wide);
#define CALL(k) strip_backward(k, J, S, b, N, v, out + k0)
            ONE_OF_8(c, CALL)
#undef CALL
            N += strip_size(J->rows, c);
            S += strip_size(J->width, c);
            k0 += c;
        }
        memcpy(x + J->first, out, (size_t)J->width * sizeof *x);
    }
}

TARGET static void product(const ifd__panels *P, double alpha, const double *x, double *y, double *w)
{
    size_t room = ((size_t)P->most_rows + 2 * IFD__MOST_LANES) & ~(size_t)(IFD__MOST_LANES - 1);
    double *t = w, *v = w + room, out[IFD__STRIP + IFD__MOST_LANES];
    for (const ifd__panel *J = P->panel, *end = J + P->count; J < end; J++) {
        const double *N = P->below + J->below, *S = P->square + J->square, *b = x + J->first;
        gather(P, J, x, v);
        for (int s = 0, k0 = 0; s < J->strips; s++) {
            int c = J->narrow + (s < J->wide);
#define CALL(k) strip_product(k, J, S, b, k0, N, v, t, out)
            ONE_OF_8(c, CALL)
#undef CALL
            for (int k = 0; k < c; k++)
                y[J->first + k0 + k] += alpha * out[k];
            N += strip_size(J->rows, c);
            S += strip_size(J->width, c);
            k0 += c;
        }
        for (int i = 0; i < J->rows; i += LANES)
            STOREU(t + i, MUL(SET1(alpha), LOADU(t + i)));
        scatter_add(P, J, t, y);
    }
}
