/* SPDX-License-Identifier: MIT */
/* The sweeps for eight right-hand sides at once, with the macro TARGET of an instruction set; x and z have the eight
 * numbers of a row together. Every number of the factor is read once for all of them. */

typedef double eight __attribute__((vector_size(64), aligned(64)));

static inline size_t block_strip(int rows, int c, int lanes)
{
    return ((size_t)rows * (size_t)c + (size_t)lanes - 1) / (size_t)lanes * (size_t)lanes;
}

/* to[r] += the columns of one run of rows times b. */
TARGET static inline __attribute__((always_inline)) void block_run(int rows, int c, const double *N, const eight *b,
                                                                   eight *to)
{
    for (int r = 0; r < rows; r++) {
        eight sum = to[r];
        for (int k = 0; k < c; k++)
            sum += N[k * rows + r] * b[k];
        to[r] = sum;
    }
}

TARGET static void forward_block(const ifd__panels *P, double *rhs, double *out)
{
    eight *x = (eight *)(void *)rhs, *z = (eight *)(void *)out;
    for (const ifd__panel *J = P->panel, *end = J + P->count; J < end; J++) {
        const double *N = P->below + J->below, *S = P->square + J->square;
        const eight *b = x + J->first;
        memset(z + J->first, 0, sizeof *z * (size_t)J->width);
        for (int s = 0; s < J->strips; s++) {
            int c = J->narrow + (s < J->wide);
            const double *n = N, *q = S;
            for (int p = J->piece; p < J->piece + J->pieces; p++) {
                int rows = (int)(P->piece[p] & 15);
                block_run(rows, c, n, b, x + (P->piece[p] >> 4));
                n += rows * c;
            }
            for (int i = 0, rows; i < J->width; i += rows, q += rows * c) {
                rows = J->width - i < P->lanes ? J->width - i : P->lanes;
                block_run(rows, c, q, b, z + J->first + i);
            }
            N += block_strip(J->rows, c, P->lanes);
            S += block_strip(J->width, c, P->lanes);
            b += c;
        }
    }
}

TARGET static void backward_block(const ifd__panels *P, double *out)
{
    eight *z = (eight *)(void *)out;
    for (const ifd__panel *J = P->panel + P->count; J-- > P->panel;) {
        const double *N = P->below + J->below;
        eight *to = z + J->first;
        for (int s = 0; s < J->strips; s++) {
            int c = J->narrow + (s < J->wide);
            const double *n = N;
            for (int p = J->piece; p < J->piece + J->pieces; p++) {
                int rows = (int)(P->piece[p] & 15);
                const eight *from = z + (P->piece[p] >> 4);
                for (int k = 0; k < c; k++, n += rows) {
                    eight sum = to[k];
                    for (int r = 0; r < rows; r++)
                        sum += n[r] * from[r];
                    to[k] = sum;
                }
            }
            N += block_strip(J->rows, c, P->lanes);
            to += c;
        }
    }
}
