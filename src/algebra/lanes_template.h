/* SPDX-License-Identifier: MIT */
/* The kernels of lanes.h, written once with macros that each variant defines before it includes this file: TARGET, W
 * (numbers in a vector: 8, 4 or 1), V, ZERO, SET1, LOAD, STORE, ADD, MUL and FMA(a, b, c) = a b + c; ABS, SLIDE (the
 * rate v of a slider at z, zero where it slips) and CLAMP (z, or the limit with its sign). With W < 8 a kernel passes
 * over its rows 8 / W times, each time with other lanes. */

#define INLINE TARGET static inline __attribute__((always_inline))
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define PASSES(at) for (int at = 0; at < IFD__LANES; at += W)
enum { CHUNK = 8 }; /* columns held in registers */

/* Columns of a strip from `first` on, at most CHUNK. Going across, x begins at the first one; going down, x has all
 * rows. A piece stores all columns of the strip. */
typedef struct chunk {
    const double *N, *x;
    int width, first; /* of the strip, and in it */
} chunk;

#define COLUMN(k) V b##k = c > k ? LOAD(s->x + IFD__LANES * k) : ZERO;
#define ROW_4(k)                                                                                                     \
    if (c > k) {                                                                                                     \
        y0 = FMA(SET1(N[4 * k]), b##k, y0);                                                                          \
        y1 = FMA(SET1(N[4 * k + 1]), b##k, y1);                                                                      \
        y2 = FMA(SET1(N[4 * k + 2]), b##k, y2);                                                                      \
        y3 = FMA(SET1(N[4 * k + 3]), b##k, y3);                                                                      \
    }
#define ROW_1(k)                                                                                                     \
    if (c > k)                                                                                                       \
        y0 = FMA(SET1(N[high * k + r]), b##k, y0);

/* Rows of one piece += N times the columns. */
#define ACROSS(start, high_)                                                                                         \
    do {                                                                                                             \
        const int high = (high_);                                                                                    \
        const double *N = next + high * s->first;                                                                    \
        double *y = x + IFD__LANES * (size_t)(start);                                                                \
        if (high == 4) {                                                                                             \
            V y0 = LOAD(y), y1 = LOAD(y + 8), y2 = LOAD(y + 16), y3 = LOAD(y + 24);                                  \
            EACH(ROW_4)                                                                                              \
            STORE(y, y0);                                                                                            \
            STORE(y + 8, y1);                                                                                        \
            STORE(y + 16, y2);                                                                                       \
            STORE(y + 24, y3);                                                                                       \
        } else                                                                                                       \
            for (int r = 0; r < high; r++, y += IFD__LANES) {                                                        \
                V y0 = LOAD(y);                                                                                      \
                EACH(ROW_1)                                                                                          \
                STORE(y, y0);                                                                                        \
            }                                                                                                        \
        next += high * s->width;                                                                                     \
    } while (0)

INLINE void below_of(const int c, const chunk *s, const uint32_t *piece, int pieces, double *x)
{
    const double *next = s->N;
    EACH(COLUMN)
    for (int p = 0; p < pieces; p++)
        ACROSS(piece[p] >> 4, (int)(piece[p] & 15));
}

INLINE void square_of(const int c, const chunk *s, int lanes, int rows, double *x)
{
    const double *next = s->N;
    EACH(COLUMN)
    for (int i = 0; i < rows; i += lanes)
        ACROSS(i, rows - i < lanes ? rows - i : lanes);
}

#define SUM(k) V a##k = c > k ? LOAD(out + IFD__LANES * k) : ZERO;
#define DOWN(k)                                                                                                      \
    if (c > k)                                                                                                       \
        a##k = FMA(SET1(N[high * k + r]), v, a##k);
#define KEEP(k)                                                                                                      \
    if (c > k)                                                                                                       \
        STORE(out + IFD__LANES * k, a##k);

/* out += the columns times z. */
INLINE void down_of(const int c, const chunk *s, const uint32_t *piece, int pieces, double *out)
{
    const double *next = s->N;
    EACH(SUM)
    for (int p = 0; p < pieces; p++) {
        const int high = (int)(piece[p] & 15);
        const double *N = next + high * s->first, *z = s->x + IFD__LANES * (size_t)(piece[p] >> 4);
        for (int r = 0; r < high; r++, z += IFD__LANES) {
            V v = LOAD(z);
            EACH(DOWN)
        }
        next += high * s->width;
    }
    EACH(KEEP)
}

/* Calls with a constant number of columns. */
#define CONSTANT(c, call)                                                                                            \
    switch (c) {                                                                                                     \
    case 1:                                                                                                          \
        call(1);                                                                                                     \
        break;                                                                                                       \
    case 2:                                                                                                          \
        call(2);                                                                                                     \
        break;                                                                                                       \
    case 3:                                                                                                          \
        call(3);                                                                                                     \
        break;                                                                                                       \
    case 4:                                                                                                          \
        call(4);                                                                                                     \
        break;                                                                                                       \
    case 5:                                                                                                          \
        call(5);                                                                                                     \
        break;                                                                                                       \
    case 6:                                                                                                          \
        call(6);                                                                                                     \
        break;                                                                                                       \
    case 7:                                                                                                          \
        call(7);                                                                                                     \
        break;                                                                                                       \
    default:                                                                                                         \
        call(8);                                                                                                     \
        break;                                                                                                       \
    }

TARGET static void below_chunk(int c, const chunk *s, const uint32_t *piece, int pieces, double *x){
#define CALL(c) below_of(c, s, piece, pieces, x)
    CONSTANT(c, CALL)
#undef CALL
}

TARGET static void square_chunk(int c, const chunk *s, int lanes, int rows, double *x){
#define CALL(c) square_of(c, s, lanes, rows, x)
    CONSTANT(c, CALL)
#undef CALL
}

TARGET static void down_chunk(int c, const chunk *s, const uint32_t *piece, int pieces, double *out)
{
#define CALL(c) down_of(c, s, piece, pieces, out)
    CONSTANT(c, CALL)
#undef CALL
}

static inline size_t strip_size(const ifd__panels *P, int rows, int c)
{
    size_t lanes = (size_t)P->lanes;
    return ((size_t)rows * (size_t)c + lanes - 1) / lanes * lanes;
}

typedef enum sweep { BELOW, SQUARE, DOWNWARD } sweep;

TARGET static void sweep_chunk(const ifd__panels *P, const ifd__panel *J, sweep what, const chunk *s, double *y)
{
    int c = s->width - s->first < CHUNK ? s->width - s->first : CHUNK;
    if (what == BELOW)
        below_chunk(c, s, P->piece + J->piece, J->pieces, y);
    else if (what == SQUARE)
        square_chunk(c, s, P->lanes, J->width, y + IFD__LANES * (size_t)J->first);
    else
        down_chunk(c, s, P->piece + J->piece, J->pieces, y);
}

TARGET static void strips(const ifd__panels *P, const ifd__panel *J, sweep what, const double *x, double *y)
{
    const double *N = what == SQUARE ? P->square + J->square : P->below + J->below;
    int rows = what == SQUARE ? J->width : J->rows;
    for (int t = 0, j = J->first; t < J->strips; t++) {
        int width = J->narrow + (t < J->wide);
        for (int first = 0; first < width; first += CHUNK) {
            size_t at = IFD__LANES * (size_t)(j + first);
            sweep_chunk(P, J, what, &(chunk){N, what == DOWNWARD ? x : x + at, width, first},
                        what == DOWNWARD ? y + at : y);
        }
        N += strip_size(P, rows, width);
        j += width;
    }
}

TARGET static void forward(const ifd__panels *P, double *x, double *z)
{
    PASSES(at)
    for (const ifd__panel *J = P->panel; J < P->panel + P->count; J++) {
        for (int i = J->first; i < J->first + J->width; i++)
            STORE(z + at + IFD__LANES * (size_t)i, ZERO);
        strips(P, J, BELOW, x + at, x + at);
        strips(P, J, SQUARE, x + at, z + at);
    }
}

TARGET static void backward(const ifd__panels *P, double *z)
{
    PASSES(at)
    for (const ifd__panel *J = P->panel + P->count; J-- > P->panel;)
        strips(P, J, DOWNWARD, z + at, z + at);
}

TARGET static void product(const ifd__lane_rows *A, double alpha, const double *x, double *y)
{
    PASSES(at)
    for (int i = 0; i < A->n; i++) {
        V even = ZERO, odd = ZERO;
        double *to = y + at + IFD__LANES * (size_t)i;
        int k = A->start[i];
        for (; k + 1 < A->start[i + 1]; k += 2) {
            even = FMA(SET1(A->value[k]), LOAD(x + at + IFD__LANES * (size_t)A->at[k]), even);
            odd = FMA(SET1(A->value[k + 1]), LOAD(x + at + IFD__LANES * (size_t)A->at[k + 1]), odd);
        }
        if (k < A->start[i + 1])
            even = FMA(SET1(A->value[k]), LOAD(x + at + IFD__LANES * (size_t)A->at[k]), even);
        STORE(to, FMA(SET1(alpha), ADD(even, odd), LOAD(to)));
    }
}

TARGET static void gather(const ifd__lane_rows *A, const double *x, double *y)
{
    PASSES(at)
    for (int i = 0; i < A->n; i++) {
        V sum = ZERO;
        for (int k = A->start[i]; k < A->start[i + 1]; k++)
            sum = FMA(SET1(A->value[k]), LOAD(x + at + IFD__LANES * (size_t)A->at[k]), sum);
        STORE(y + at + IFD__LANES * (size_t)i, sum);
    }
}

TARGET static void scatter(const ifd__lane_rows *A, double alpha, const double *x, double *y)
{
    PASSES(at)
    for (int i = 0; i < A->n; i++) {
        V scaled = MUL(SET1(alpha), LOAD(x + at + IFD__LANES * (size_t)i));
        for (int k = A->start[i]; k < A->start[i + 1]; k++) {
            double *to = y + at + IFD__LANES * (size_t)A->at[k];
            STORE(to, FMA(SET1(A->value[k]), scaled, LOAD(to)));
        }
    }
}

TARGET static void combine(int rows, double a, const double *x, double b, const double *y, double *out)
{
    for (size_t i = 0; i < IFD__LANES * (size_t)rows; i += W)
        STORE(out + i, FMA(SET1(b), LOAD(y + i), MUL(SET1(a), LOAD(x + i))));
}

TARGET static void load(int rows, const double *p, const double *a, double *y)
{
    PASSES(at)
    for (int i = 0; i < rows; i++) {
        double *to = y + at + IFD__LANES * (size_t)i;
        STORE(to, FMA(SET1(p[i]), LOAD(a + at), LOAD(to)));
    }
}

TARGET static void middle(int rows, const ifd__lane_step *s, const double *const uvk[3], double *vm, double *w)
{
    for (size_t i = 0; i < IFD__LANES * (size_t)rows; i += W) {
        V v = LOAD(uvk[1] + i), k = LOAD(uvk[2] + i), ku = FMA(SET1(s->c), k, MUL(SET1(s->h), v));
        V m = FMA(SET1(s->share), k, v);
        STORE(vm + i, m);
        STORE(w + i, FMA(SET1(s->reach), m, FMA(SET1(s->share), ku, LOAD(uvk[0] + i))));
    }
}

TARGET static void finish(int rows, const ifd__lane_step *s, const double *const vmk[2], double *u, double *v)
{
    for (size_t i = 0; i < IFD__LANES * (size_t)rows; i += W) {
        V m = LOAD(vmk[0] + i), k = LOAD(vmk[1] + i);
        STORE(u + i, ADD(LOAD(u + i), FMA(SET1(s->c), k, MUL(SET1(s->h), m))));
        STORE(v + i, ADD(LOAD(v + i), k));
    }
}

TARGET static void dot(int rows, const double *x, const double *y, double *sum)
{
    PASSES(at)
    {
        V even = LOAD(sum + at), odd = ZERO;
        size_t end = IFD__LANES * (size_t)rows, i = (size_t)at;
        for (; i + IFD__LANES < end; i += 2 * (size_t)IFD__LANES) {
            even = FMA(LOAD(x + i), LOAD(y + i), even);
            odd = FMA(LOAD(x + i + IFD__LANES), LOAD(y + i + IFD__LANES), odd);
        }
        if (i < end)
            even = FMA(LOAD(x + i), LOAD(y + i), even);
        STORE(sum + at, ADD(even, odd));
    }
}

TARGET static void block(const int size[2], double alpha, const double *M, const double *x, double *y)
{
    PASSES(at)
    for (int j = 0; j < size[1]; j++) {
        V scaled = MUL(SET1(alpha), LOAD(x + at + IFD__LANES * (size_t)j));
        for (int i = 0; i < size[0]; i++) {
            double *to = y + at + IFD__LANES * (size_t)i;
            STORE(to, FMA(SET1(M[i + j * size[0]]), scaled, LOAD(to)));
        }
    }
}

#include "algebra/lanes_oscillator.h"

#define LANE_KERNELS(name)                                                                                           \
    {                                                                                                                \
        name, forward, backward, product, gather, scatter, combine, load, middle, finish, dot, block, oscillate      \
    }
