/* SPDX-License-Identifier: MIT */
/* The plain kernels, with which tests compare the vector kernels; the choice between them; and the packing. */
#include "algebra/kernels.h"

#include <string.h>

static size_t round_up(size_t size, int lanes)
{
    return (size + (size_t)lanes - 1) / (size_t)lanes * (size_t)lanes;
}

void ifd__panel_cut(ifd__panel *panel, int width, int strip)
{
    panel->width = width;
    panel->strips = (width + strip - 1) / strip;
    panel->narrow = panel->strips ? width / panel->strips : 0;
    panel->wide = width - panel->narrow * panel->strips;
}

static size_t strips_size(const ifd__panel *cut, int rows, int lanes)
{
    size_t size = 0;
    for (int s = 0; s < cut->strips; s++)
        size += round_up((size_t)rows * (size_t)(cut->narrow + (s < cut->wide)), lanes);
    return size;
}

size_t ifd__block_size(int rows, int width, const ifd__panels *P)
{
    ifd__panel cut;
    ifd__panel_cut(&cut, width, P->strip);
    return round_up(strips_size(&cut, rows, P->lanes), IFD__MOST_LANES);
}

static void view_of(const ifd__panels *P, int panel, ifd__panel *J, ifd__panels *view)
{
    *J = P->panel[panel];
    *view = *P;
    view->panel = J;
    view->count = 1;
    view->parts = 0;
}

static int share(int whole, int k, int count)
{
    return (int)((int64_t)whole * k / count);
}

/* The first piece that does not end within so many rows, and the rows before it. */
static int piece_at(const ifd__panels *P, const ifd__panel *J, int rows, int *before)
{
    int p = 0, sum = 0;
    for (; p < J->pieces && sum + (int)(P->piece[J->piece + p] & 15) <= rows; p++)
        sum += (int)(P->piece[J->piece + p] & 15);
    *before = sum;
    return p;
}

void ifd__view_rows(const ifd__panels *P, int panel, const int part[2], ifd__panel *J, ifd__panels *view)
{
    const ifd__panel *whole = &P->panel[panel];
    int edge[2], before[2], total = whole->rows + whole->width; /* the square has `width` rows */
    for (int k = 0; k < 2; k++)
        edge[k] = piece_at(P, whole, share(total, part[0] + k, part[1]) - whole->width, &before[k]);
    view_of(P, panel, J, view);
    view->before = before[0];
    J->piece += edge[0];
    J->pieces = edge[1] - edge[0];
    J->full = whole->full < edge[0] ? 0 : (whole->full < edge[1] ? whole->full : edge[1]) - edge[0];
    if (part[0] > 0)
        J->width = 0; /* no square */
}

void ifd__view_columns(const ifd__panels *P, int panel, const int part[2], ifd__panel *J, ifd__panels *view)
{
    view_of(P, panel, J, view);
    ifd__panel left = *J;
    int from = share(J->strips, part[0], part[1]), to = share(J->strips, part[0] + 1, part[1]);
    left.strips = from; /* `wide` may exceed it */
    J->below += strips_size(&left, J->rows, P->lanes);
    J->strips = to - from;
    J->wide = J->wide < from ? 0 : J->wide < to ? J->wide - from : J->strips;
    J->first += left.narrow * from + (left.wide < from ? left.wide : from);
    J->width = J->narrow * J->strips + J->wide;
    J->size = strips_size(J, J->rows, P->lanes);
}

static int run_length(int left, const int *rows, int lanes)
{
    int length = 1;
    while (length < left && length < lanes && rows[length] == rows[0] + length)
        length++;
    return length;
}

/* Runs in order: those of full length if full is set, otherwise the others. */
static int runs_of(int count, const int *rows, int lanes, bool full, uint32_t *pieces, int *at)
{
    int used = 0;
    for (int i = 0, length; i < count; i += length) {
        length = run_length(count - i, rows + i, lanes);
        if ((length == lanes) != full)
            continue;
        if (pieces) {
            pieces[used] = (uint32_t)rows[i] << 4 | (uint32_t)length;
            at[used] = i;
        }
        used++;
    }
    return used;
}

int ifd__runs_pack(int n, const int *perm, int lanes, uint32_t *run)
{
    int used = 0;
    for (int i = 0, length; i < n; i += length, used++) {
        length = run_length(n - i, perm + i, 15 / lanes * lanes);
        if (run)
            run[used] = (uint32_t)perm[i] << 4 | (uint32_t)length;
    }
    return used;
}

void ifd__rows_pack(ifd__panel *panel, int count, const int *rows, int lanes, uint32_t *pieces, int *at)
{
    panel->rows = count;
    panel->size = strips_size(panel, count, lanes);
    panel->full = runs_of(count, rows, lanes, true, pieces, at);
    panel->pieces = panel->full + (pieces ? runs_of(count, rows, lanes, false, pieces + panel->full, at + panel->full)
                                          : runs_of(count, rows, lanes, false, NULL, NULL));
}

/* One strip of columns k0 .. k0 + c - 1, one run of rows. */
static double *put_run(double *to, const double *from, size_t ld, int row, int high, int c, double sign)
{
    for (int k = 0; k < c; k++)
        for (int r = 0; r < high; r++)
            *to++ = sign * from[(size_t)(row + r) + (size_t)k * ld];
    return to;
}

void ifd__square_pack(const ifd__panel *panel, int lanes, const double *from, size_t ld, double *to)
{
    for (int s = 0; s < panel->strips; s++) {
        int c = panel->narrow + (s < panel->wide), w = panel->width;
        double *next = to + round_up((size_t)w * (size_t)c, lanes);
        for (int i = 0; i < w; i += lanes)
            to = put_run(to, from, ld, i, w - i < lanes ? w - i : lanes, c, 1.0);
        from += (size_t)c * ld;
        to = next;
    }
}

void ifd__below_pack(const ifd__panels *P, const ifd__panel *panel, const int *at, double sign, const double *from,
                     size_t ld)
{
    double *to = P->below + panel->below;
    for (int s = 0; s < panel->strips; s++) {
        int c = panel->narrow + (s < panel->wide);
        double *next = to + round_up((size_t)panel->rows * (size_t)c, P->lanes);
        for (int k = 0; k < panel->pieces; k++)
            to = put_run(to, from, ld, at[k], (int)(P->piece[panel->piece + k] & 15), c, sign);
        from += (size_t)c * ld;
        to = next;
    }
}

#define NUMBER float
#define NUMBERS(P, block) (P)->block##_single
#define NAME(function) function##_single
#include "algebra/kernels_plain_template.h"
#undef NUMBER
#undef NUMBERS
#undef NAME
#define NUMBER double
#define NUMBERS(P, block) (P)->block
#define NAME(function) function
#include "algebra/kernels_plain_template.h"

static void product(const ifd__panels *P, double alpha, const double *x, double *y)
{
    for (const ifd__panel *J = P->panel; J < P->panel + P->count; J++) {
        below(P, J, alpha, x, y, y);
        square(P, J, alpha, x, y);
    }
}

static void columns(const ifd__panels *P, double alpha, const double *x, double *y)
{
    for (const ifd__panel *J = P->panel; J < P->panel + P->count; J++)
        below(P, J, alpha, x, NULL, y);
}

static void bands(const ifd__bands *B, double alpha, const double *x, double *y)
{
    for (int i = 0, group = 0; i < B->n; i += B->rows, group++)
        for (int k = B->start[group]; k < B->start[group + 1]; k++)
            for (int r = 0; r < B->rows && i + r < B->n; r++) {
                int column = B->at[k] - B->reach + r;
                if (column >= 0 && column < B->n)
                    y[i + r] += B->value[k * B->rows + r] * (alpha * x[column]);
            }
}

static void pick(int runs, const uint32_t *run, const double *x, double *to)
{
    for (int k = 0; k < runs; k++)
        for (uint32_t i = run[k] >> 4; i < (run[k] >> 4) + (run[k] & 15); i++)
            *to++ = x[i];
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

static void gemvt(int m, int n, double alpha, const double *A, int lda, const double *x, double *y)
{
    for (int j = 0; j < n; j++)
        y[j] += alpha * dot(m, A + (ptrdiff_t)j * lda, x);
}

#define TARGET
#include "algebra/kernels_block_template.h"

static void outer(const ifd__tiles *T, bool add, double *C)
{
    for (int t = 0; t < T->count; t++, C += IFD__TILE * IFD__TILE)
        for (int j = 0; j < IFD__TILE; j++)
            for (int i = 0; i < T->rows; i++) {
                const double *a = T->A + t * T->stride + i, *b = T->B + j;
                double sum = add ? C[i + j * IFD__TILE] : 0.0;
                for (int k = 0; k < T->k; k++, a += T->ld, b += IFD__TILE)
                    sum += *a * *b;
                C[i + j * IFD__TILE] = sum;
            }
}

const ifd__kernels ifd__kernels_plain = {IFD__KERNELS("plain", 4, 8)};

static bool runs_here(const ifd__kernels *kernels)
{
#if defined(__x86_64__)
    if (kernels == &ifd__kernels_avx512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
    if (kernels == &ifd__kernels_avx2)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    return kernels == &ifd__kernels_plain;
}

const ifd__kernels *ifd__kernels_best(void)
{
#if defined(__x86_64__)
    if (runs_here(&ifd__kernels_avx512))
        return &ifd__kernels_avx512;
    if (runs_here(&ifd__kernels_avx2))
        return &ifd__kernels_avx2;
#endif
    return &ifd__kernels_plain;
}

const ifd__kernels *ifd__kernels_pick(const char *name)
{
    static const ifd__kernels *const all[] = {
        &ifd__kernels_plain,
#if defined(__x86_64__)
        &ifd__kernels_avx2,
        &ifd__kernels_avx512
#endif
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (!strcmp(name, all[k]->name) && runs_here(all[k]))
            return all[k];
    return NULL;
}
