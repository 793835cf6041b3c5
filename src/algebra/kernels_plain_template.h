/* SPDX-License-Identifier: MIT */
/* The plain sweeps of a solution over numbers of the type NUMBER; macros as in kernels_sweep_template.h. */

/* y_R += a N x_J if y is not NULL, and out_J += a N^T x_R if out is not NULL. */
static void NAME(below)(const ifd__panels *P, const ifd__panel *J, double a, const double *x, double *y, double *out)
{
    const NUMBER *N = NUMBERS(P, below) + J->below;
    for (int s = 0, j = J->first; s < J->strips; s++) {
        int c = J->narrow + (s < J->wide);
        const NUMBER *next = N + round_up((size_t)J->rows * (size_t)c, P->lanes);
        N += (ptrdiff_t)P->before * c;
        for (int p = 0; p < J->pieces; p++) {
            uint32_t start = P->piece[J->piece + p] >> 4, end = start + (P->piece[J->piece + p] & 15);
            for (int k = j; k < j + c; k++)
                for (uint32_t r = start; r < end; r++, N++) {
                    if (y)
                        y[r] += (double)*N * (a * x[k]);
                    if (out)
                        out[k] += (double)*N * (a * x[r]);
                }
        }
        N = next;
        j += c;
    }
}

/* y_J += a S x_J. */
static void NAME(square)(const ifd__panels *P, const ifd__panel *J, double a, const double *x, double *y)
{
    const NUMBER *S = NUMBERS(P, square) + J->square;
    for (int s = 0, j = J->first; s < J->strips; s++) {
        int c = J->narrow + (s < J->wide), end = J->first + J->width;
        const NUMBER *next = S + round_up((size_t)J->width * (size_t)c, P->lanes);
        for (int i = J->first; i < end; i += P->lanes)
            for (int k = j; k < j + c; k++)
                for (int r = i; r < i + P->lanes && r < end; r++)
                    y[r] += (double)*S++ * (a * x[k]);
        S = next;
        j += c;
    }
}

static void NAME(forward)(const ifd__panels *P, double *x, double *z)
{
    for (const ifd__panel *J = P->panel; J < P->panel + P->count; J++) {
        memset(z + J->first, 0, (size_t)J->width * sizeof *z);
        NAME(below)(P, J, 1.0, x, x, NULL);
        NAME(square)(P, J, 1.0, x, z);
    }
}

static void NAME(backward)(const ifd__panels *P, double *z)
{
    for (const ifd__panel *J = P->panel + P->count; J-- > P->panel;)
        NAME(below)(P, J, 1.0, z, NULL, z);
}
