/* SPDX-License-Identifier: MIT */
/* The plain kernels, which the tests hold the vector ones against, the choice between them, and the packing. */
#include "base/kernels.h"

#include <string.h>

static size_t round_up(size_t size, int lanes)
{
    return (size + (size_t)lanes - 1) / (size_t)lanes * (size_t)lanes;
}

void ifd__panel_cut(ifd__panel *panel)
{
    panel->strips = (panel->width + IFD__STRIP - 1) / IFD__STRIP;
    panel->narrow = panel->strips ? panel->width / panel->strips : 0;
    panel->wide = panel->width - panel->narrow * panel->strips;
}

size_t ifd__block_size(int rows, int width, int lanes)
{
    ifd__panel cut = {.width = width};
    ifd__panel_cut(&cut);
    size_t size = 0;
    for (int s = 0; s < cut.strips; s++)
        size += round_up((size_t)rows * (size_t)(cut.narrow + (s < cut.wide)), lanes);
    return size;
}

/* t and v (or out and v) with room for a vector read or written past the end of each. */
size_t ifd__panels_work(const ifd__panels *P)
{
    return 2 * (size_t)P->most_rows + (size_t)P->most_width + 8 * IFD__MOST_LANES;
}

void ifd__block_pack(const ifd__panel *panel, int rows, int lanes, double sign, const double *from, size_t ld,
                     double *to)
{
    for (int s = 0, k0 = 0; s < panel->strips; s++) {
        int c = panel->narrow + (s < panel->wide);
        double *strip = to;
        for (int i = 0; i < rows; i += lanes) {
            int high = rows - i < lanes ? rows - i : lanes;
            for (int k = 0; k < c; k++)
                for (int r = 0; r < high; r++)
                    *strip++ = sign * from[(size_t)(i + r) + (size_t)(k0 + k) * ld];
        }
        to += round_up((size_t)rows * (size_t)c, lanes);
        k0 += c;
    }
}

int ifd__rows_pack(int count, const int *rows, int lanes, uint32_t *pieces)
{
    int used = 0;
    for (int i = 0; i < count;) {
        int length = 1;
        while (i + length < count && length < lanes && rows[i + length] == rows[i] + length)
            length++;
        if (pieces)
            pieces[used] = (uint32_t)rows[i] << 4 | (uint32_t)length;
        used++;
        i += length;
    }
    return used;
}

typedef enum way { GATHER, SCATTER_ADD } way;

static void move(const ifd__panels *P, const ifd__panel *J, way which, double *x, double *t)
{
    for (int k = 0; k < J->pieces; k++) {
        uint32_t piece = P->piece[J->piece + k];
        for (uint32_t i = piece >> 4; i < (piece >> 4) + (piece & 15); i++, t++) {
            if (which == GATHER)
                *t = x[i];
            else
                x[i] += *t;
        }
    }
}

/* t = B b when t is not NULL and out += B^T v when out is not NULL, B a packed block. */
static void block(const ifd__panel *J, int rows, int lanes, const double *B, const double *b, double *t,
                  const double *v, double *out)
{
    for (int i = 0; t && i < rows; i++)
        t[i] = 0.0;
    for (int s = 0, k0 = 0; s < J->strips; s++) {
        int c = J->narrow + (s < J->wide);
        const double *strip = B;
        for (int i = 0; i < rows; i += lanes) {
            int high = rows - i < lanes ? rows - i : lanes;
            for (int k = k0; k < k0 + c; k++) {
                double sum = 0.0;
                for (int r = i; r < i + high; r++, strip++) {
                    if (t)
                        t[r] += *strip * b[k];
                    if (out)
                        sum += *strip * v[r];
                }
                if (out)
                    out[k] += sum;
            }
        }
        B += round_up((size_t)rows * (size_t)c, lanes);
        k0 += c;
    }
}

static void forward(const ifd__panels *P, double *x, double *w)
{
    for (int p = 0; p < P->count; p++) {
        const ifd__panel *J = P->panel + p;
        block(J, J->rows, P->lanes, P->below + J->below, x + J->first, w, NULL, NULL);
        move(P, J, SCATTER_ADD, x, w);
    }
}

static void backward(const ifd__panels *P, double *x, double *w)
{
    double *out = w, *v = w + P->most_width;
    for (int p = P->count - 1; p >= 0; p--) {
        const ifd__panel *J = P->panel + p;
        memset(out, 0, (size_t)J->width * sizeof *out);
        move(P, J, GATHER, x, v);
        block(J, J->width, P->lanes, P->square + J->square, NULL, NULL, x + J->first, out);
        block(J, J->rows, P->lanes, P->below + J->below, NULL, NULL, v, out);
        memcpy(x + J->first, out, (size_t)J->width * sizeof *x);
    }
}

static void product(const ifd__panels *P, double alpha, const double *x, double *y, double *w)
{
    double *t = w, *v = t + P->most_rows, *out = v + P->most_rows;
    for (int p = 0; p < P->count; p++) {
        const ifd__panel *J = P->panel + p;
        memset(out, 0, (size_t)J->width * sizeof *out);
        for (int k = 0, i = 0; k < J->pieces; k++) {
            uint32_t piece = P->piece[J->piece + k];
            for (uint32_t r = 0; r < (piece & 15); r++)
                v[i++] = x[(piece >> 4) + r];
        }
        block(J, J->width, P->lanes, P->square + J->square, NULL, NULL, x + J->first, out);
        block(J, J->rows, P->lanes, P->below + J->below, x + J->first, t, v, out);
        for (int k = 0; k < J->width; k++)
            y[J->first + k] += alpha * out[k];
        for (int i = 0; i < J->rows; i++)
            t[i] *= alpha;
        move(P, J, SCATTER_ADD, y, t);
    }
}

static void gemv(int m, int n, double alpha, const double *A, int lda, const double *x, double *y)
{
    for (int j = 0; j < n; j++, A += lda) {
        double xj = alpha * x[j];
        for (int i = 0; i < m; i++)
            y[i] += A[i] * xj;
    }
}

static void gemm(const int mnk[3], double alpha, const double *A, int lda, const double *B, int ldb, double *C,
                 int ldc)
{
    for (int j = 0; j < mnk[1]; j++)
        gemv(mnk[0], mnk[2], alpha, A, lda, B + (ptrdiff_t)j * ldb, C + (ptrdiff_t)j * ldc);
}

static double dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static void gemv_t(int m, int n, double alpha, const double *A, int lda, const double *x, double *y)
{
    for (int j = 0; j < n; j++)
        y[j] += alpha * dot(m, A + (ptrdiff_t)j * lda, x);
}

const ifd__kernels ifd__kernels_plain = {"plain", 4, forward, backward, product, gemm, gemv, gemv_t, dot};

const ifd__kernels *ifd__kernels_best(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return &ifd__kernels_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &ifd__kernels_avx2;
#endif
    return &ifd__kernels_plain;
}

const ifd__kernels *ifd__kernels_pick(const char *name)
{
    if (!strcmp(name, ifd__kernels_plain.name))
        return &ifd__kernels_plain;
#if defined(__x86_64__)
    const ifd__kernels *best = ifd__kernels_best();
    if (!strcmp(name, best->name))
        return best;
    if (best == &ifd__kernels_avx512 && !strcmp(name, ifd__kernels_avx2.name))
        return &ifd__kernels_avx2;
#endif
    return NULL;
}
