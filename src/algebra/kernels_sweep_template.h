/* SPDX-License-Identifier: MIT */
/* The sweeps of a solution, for the factor in double and in single precision: NUMBER is the type of its numbers,
 * NUMBERS(P, block) their array, GET (aligned) and
 * GETU load LANES of them as doubles, NAME names the functions. All sums are in double
 * precision. The other macros are those of kernels_template.h. */

/* x_R += N b and z = S b for one strip. */
INLINE void NAME(strip_forward)(const int c, const ifd__panel *J, const uint32_t *piece, const NUMBER *N,
                                const NUMBER *S, const double *b, double *x, bool add, double *z)
{
    const double a = 1.0;
    EACH(BROADCAST)
#define COLUMN(k) GET(N + k * LANES)
    for (int p = 0; p < J->full; p++, N += c * LANES) {
        double *to = x + (piece[p] >> 4);
        V s = LOADU(to);
        ACROSS(s);
        STOREU(to, s);
    }
#undef COLUMN
#define COLUMN(k) GETU(N + k * q)
    for (int p = J->full; p < J->pieces; p++) {
        double *to = x + (piece[p] >> 4);
        ptrdiff_t q = piece[p] & 15;
        M m = MASK(q);
        V s = LOADM(to, m);
        ACROSS(s);
        STOREM(to, m, s);
        N += c * q;
    }
#undef COLUMN
#define COLUMN(k) GETU(block + k * q)
    SQUARE(J->width, S, add, z);
#undef COLUMN
}

/* out += a N^T x_R for one strip, which ends at N: read from its end to its start, so that the whole sweep is one
 * falling stream and the hardware prefetchers follow it. The lanes past a short piece hold other numbers, times
 * zero. */
INLINE void NAME(strip_backward)(const int c, const ifd__panel *J, const uint32_t *piece, const NUMBER *N,
                                 const double *x, V a, double *out)
{
#define X(k) V a##k = ZERO;
    EACH(X)
#undef X
    int p = J->pieces;
#define COLUMN(k) GETU(N + k * q)
    while (p > J->full) {
        ptrdiff_t q = piece[--p] & 15;
        V v = LOADM(x + (piece[p] >> 4), MASK(q));
        N -= c * q;
        FALLING(DOWN)
    }
#undef COLUMN
#define COLUMN(k) GET(N + k * LANES)
    while (p > 0) {
        V v = LOADU(x + (piece[--p] >> 4));
        N -= c * LANES;
        FALLING(DOWN)
    }
#undef COLUMN
    REDUCE(true, a, out);
}

TARGET static void NAME(forward)(const ifd__panels *P, double *x, double *z)
{
    for (const ifd__panel *J = P->panel, *end = J + P->count; J < end; J++) {
        const NUMBER *N = NUMBERS(P, below) + J->below, *S = NUMBERS(P, square) + J->square;
        const double *b = x + J->first;
        const uint32_t *piece = P->piece + J->piece;
        for (int s = 0; s < J->strips; s++) {
            int c = J->narrow + (s < J->wide);
#define CALL(k) NAME(strip_forward)(k, J, piece, N + (ptrdiff_t)P->before * k, S, b, x, s > 0, z + J->first)
            FOR_WIDTH(c, CALL)
#undef CALL
            N += strip_size(J->rows, c);
            S += strip_size(J->width, c);
            b += c;
        }
    }
}

TARGET static void NAME(backward)(const ifd__panels *P, double *z)
{
    const V one = SET1(1.0);
    for (const ifd__panel *J = P->panel + P->count; J-- > P->panel;) {
        const NUMBER *N = NUMBERS(P, below) + J->below + J->size;
        const uint32_t *piece = P->piece + J->piece;
        double *to = z + J->first + J->width;
        for (int s = J->strips; s-- > 0 && J->rows;) {
            int c = J->narrow + (s < J->wide);
            N -= strip_size(J->rows, c);
            to -= c;
#define CALL(k) NAME(strip_backward)(k, J, piece, N + (ptrdiff_t)J->rows * k, z, one, to)
            FOR_WIDTH(c, CALL)
#undef CALL
        }
    }
}
