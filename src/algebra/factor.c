/* SPDX-License-Identifier: MIT */
/* Left-looking supernodal Cholesky. A supernode is stored as a column-major trapezoid: first the rows of its columns,
 * then the rows below. For each supernode, every earlier supernode with rows among its columns subtracts its outer
 * product; then the diagonal block is factored and the rows below are solved. Lists give the order: each supernode is
 * in the list of the one that contains its next unused row. */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "algebra/supernodes.h"

/* Wider panels are divided: the square block is stored inverted, and the error of the inverse grows with its size. */
enum { WIDEST = 32 };

/* Wide strips need fewer vector operations. Narrow ones are a stream that prefetchers follow better, which matters if
 * the factor (its numbers) exceeds the cache of the core. */
enum { NARROW = 8, IN_CACHE = 1 << 15 };

/* A pivot below this share of its diagonal entry has no digits left. */
static const double LOST = 1e-13;

typedef struct work {
    const ifd__supernodes *S;
    double **L;  /* per supernode, height x width */
    int *height; /* width + rows */
    int *of;     /* column -> supernode */
    int *local;  /* row -> index within the current supernode */
    int *used;   /* number of processed rows of a supernode */
    int *head, *next;
    double *update;
    double *sign, *signed_rows; /* A = L diag(sign) L^T; NULL: Cholesky, all signs are positive */
} work;

static int width_of(const ifd__supernodes *S, int s)
{
    return S->first[s + 1] - S->first[s];
}

static int rows_of(const ifd__supernodes *S, int s)
{
    return (int)(S->start[s + 1] - S->start[s]);
}

static ifd_status work_make(ifd_arena *scratch, const ifd__supernodes *S, work *w)
{
    size_t n = (size_t)S->n + 1, most = 0;
    *w = (work){.S = S};
    int **members[] = {&w->height, &w->of, &w->local, &w->used, &w->head, &w->next};
    for (size_t k = 0; k < sizeof members / sizeof *members; k++)
        if (!(*members[k] = ifd_arena_array(scratch, n, sizeof(int))))
            return IFD_NO_MEMORY;
    w->L = ifd_arena_array(scratch, n, sizeof *w->L);
    if (!w->L)
        return IFD_NO_MEMORY;
    int widest = 0;
    for (int s = 0; s < S->count; s++)
        widest = width_of(S, s) > widest ? width_of(S, s) : widest;
    for (int s = 0; s < S->count; s++) {
        size_t width = (size_t)width_of(S, s), rows = (size_t)rows_of(S, s);
        w->height[s] = (int)(width + rows);
        w->head[s] = w->next[s] = -1;
        w->L[s] = ifd_arena_array(scratch, width * (width + rows), sizeof(double));
        if (!w->L[s])
            return IFD_NO_MEMORY;
        size_t wide = rows < (size_t)widest ? rows : (size_t)widest;
        most = rows * wide > most ? rows * wide : most;
        for (int j = S->first[s]; j < S->first[s + 1]; j++)
            w->of[j] = s;
    }
    w->update = ifd_arena_array(scratch, most + 1, sizeof *w->update);
    return w->update ? IFD_OK : IFD_NO_MEMORY;
}

/* Copies the entries of A to their places. */
static ifd_status scatter(ifd_arena *scratch, const ifd_sparse *A, work *w)
{
    const ifd__supernodes *S = w->S;
    int *place = ifd_arena_array(scratch, (size_t)S->n + 1, sizeof *place);
    if (!place)
        return IFD_NO_MEMORY;
    for (int k = 0; k < S->n; k++)
        place[S->perm[k]] = k;
    for (int j = 0; j < A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++) {
            int a = place[j], b = place[A->i[k]], column = a < b ? a : b, row = a < b ? b : a;
            int s = w->of[column], i = row - S->first[s];
            if (row >= S->first[s + 1]) {
                const int *rows = S->rows + S->start[s];
                int low = 0, high = rows_of(S, s);
                while (low < high) {
                    int middle = (low + high) / 2;
                    if (rows[middle] < row)
                        low = middle + 1;
                    else
                        high = middle;
                }
                i = width_of(S, s) + low;
            }
            w->L[s][i + (ptrdiff_t)(column - S->first[s]) * w->height[s]] = A->x[k];
        }
    return IFD_OK;
}

/* Puts supernode c into the list of the one that contains its next row. */
static void wait(work *w, int c)
{
    const ifd__supernodes *S = w->S;
    if (w->used[c] < rows_of(S, c)) {
        int s = w->of[S->rows[S->start[c] + (size_t)w->used[c]]];
        w->next[c] = w->head[s];
        w->head[s] = c;
    }
}

/* The next `mine` rows of supernode c times the signs of its columns. */
static const double *signed_copy(const work *w, int c, int mine)
{
    const double *from = w->L[c] + width_of(w->S, c) + w->used[c];
    for (int j = 0; j < width_of(w->S, c); j++)
        for (int i = 0; i < mine; i++)
            w->signed_rows[i + (ptrdiff_t)j * mine] =
                w->sign[w->S->first[c] + j] * from[i + (ptrdiff_t)j * w->height[c]];
    return w->signed_rows;
}

/* L[s] -= the outer product of the rows of c from its next unused row. */
static void subtract(work *w, int s, int c)
{
    const ifd__supernodes *S = w->S;
    const int *rows = S->rows + S->start[c] + w->used[c];
    int left = rows_of(S, c) - w->used[c], mine = 0, k = width_of(S, c);
    while (mine < left && rows[mine] < S->first[s + 1])
        mine++;
    const double *from = w->L[c] + k + w->used[c], *other = from;
    int high = w->height[c];
    if (w->sign) {
        high = mine;
        other = signed_copy(w, c, mine);
    }
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, left, mine, k, 1.0, from, w->height[c], other, high, 0.0,
                w->update, left);
    for (int j = 0; j < mine; j++) {
        double *to = w->L[s] + (ptrdiff_t)(rows[j] - S->first[s]) * w->height[s];
        const double *u = w->update + (ptrdiff_t)j * left;
        for (int i = j; i < left; i++)
            to[w->local[rows[i]]] -= u[i];
    }
    w->used[c] += mine;
}

static bool eliminate(work *w, int s, int *bad)
{
    int width = width_of(w->S, s), rows = rows_of(w->S, s), high = w->height[s];
    double *L = w->L[s];
    lapack_int info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', width, L, high);
    *bad = info > 0 ? (int)info - 1 : -1;
    for (int j = 0; j < width && *bad < 0; j++) {
        double d = L[(ptrdiff_t)j * (high + 1)];
        if (!(d > 0.0) || !isfinite(d))
            *bad = j;
    }
    if (*bad >= 0) {
        *bad = w->S->perm[w->S->first[s] + *bad];
        return false;
    }
    if (rows)
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, rows, width, 1.0, L, high,
                    L + width, high);
    return true;
}

/* The same with pivots of either sign, without exchanges. False: a pivot has lost its digits. */
static bool eliminate_signed(work *w, int s, int *bad)
{
    int width = width_of(w->S, s), rows = rows_of(w->S, s), high = w->height[s];
    double *L = w->L[s], *sign = w->sign + w->S->first[s];
    for (int j = 0; j < width; j++) {
        double *d = L + (ptrdiff_t)j * (high + 1), before = sign[j];
        *bad = w->S->perm[w->S->first[s] + j];
        if (!isfinite(*d) || !(fabs(*d) > LOST * before))
            return false;
        sign[j] = *d < 0.0 ? -1.0 : 1.0;
        *d = sqrt(fabs(*d));
        cblas_dscal(width - j - 1, sign[j] / *d, d + 1, 1);
        if (j + 1 < width)
            cblas_dsyr(CblasColMajor, CblasLower, width - j - 1, -sign[j], d + 1, 1, d + 1 + high, high);
    }
    if (rows)
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, rows, width, 1.0, L, high,
                    L + width, high);
    for (int j = 0; j < width; j++)
        cblas_dscal(rows, sign[j], L + width + (ptrdiff_t)j * high, 1);
    return true;
}

static ifd_status factorise(work *w, int *bad)
{
    const ifd__supernodes *S = w->S;
    for (int s = 0; s < S->count; s++) {
        for (int j = S->first[s]; j < S->first[s + 1]; j++)
            w->local[j] = j - S->first[s];
        for (int k = 0; k < rows_of(S, s); k++)
            w->local[S->rows[S->start[s] + (size_t)k]] = width_of(S, s) + k;
        for (int c = w->head[s], next; c >= 0; c = next) {
            next = w->next[c];
            subtract(w, s, c);
            wait(w, c);
        }
        if (w->sign ? !eliminate_signed(w, s, bad) : !eliminate(w, s, bad))
            return w->sign ? IFD_SINGULAR : IFD_NOT_POSITIVE;
        wait(w, s);
    }
    return IFD_OK;
}

/* Divides supernode s into panels of nearly equal width; returns their number. */
static int cuts(const ifd__supernodes *S, int s)
{
    return (width_of(S, s) + WIDEST - 1) / WIDEST;
}

/* Rows below column `end` of supernode s: the rest of its columns, then its rows. */
static int rows_below(const ifd__supernodes *S, int s, int end, int *list)
{
    int count = 0;
    for (int j = end; j < S->first[s + 1]; j++)
        list[count++] = j;
    memcpy(list + count, S->rows + S->start[s], (size_t)rows_of(S, s) * sizeof *list);
    return count + rows_of(S, s);
}

/* Layout of the panels: columns, rows and offsets of their numbers; at receives the places of the pieces. With
 * out->panel NULL it only counts. */
static void lay_out(const ifd__supernodes *S, int *list, ifd__panels *out, int *at, size_t sizes[3])
{
    int used = 0;
    memset(sizes, 0, 3 * sizeof *sizes);
    for (int s = 0; s < S->count; s++) {
        int parts = cuts(S, s), begin = S->first[s];
        for (int c = 0; c < parts; c++) {
            int end = begin + (S->first[s + 1] - begin) / (parts - c), rows = rows_below(S, s, end, list);
            ifd__panel J = {.first = begin, .square = sizes[0], .below = sizes[1], .piece = (int)sizes[2]};
            ifd__panel_cut(&J, end - begin, out->strip);
            if (out->panel)
                ifd__rows_pack(&J, rows, list, out->lanes, out->piece + J.piece, at + J.piece);
            else
                ifd__rows_pack(&J, rows, list, out->lanes, NULL, NULL);
            sizes[0] += ifd__block_size(J.width, J.width, out);
            sizes[1] += ifd__block_size(rows, J.width, out);
            sizes[2] += (size_t)J.pieces;
            if (out->panel)
                out->panel[used] = J;
            used++;
            begin = end;
        }
    }
    out->count = used;
}

/* Replaces the panel in L by N = -L_RJ L_JJ^-1 and S = (L_JJ L_JJ^T)^-1, in place, and packs both. */
static void pack(const ifd__panels *P, const ifd__panel *J, const int *at, double *L, int high, double *square)
{
    int w = J->width;
    double *below = L + w;
    if (J->rows)
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, J->rows, w, 1.0, L, high,
                    below, high);
    LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', w, L, high);
    for (int j = 0; j < w; j++)
        for (int i = j; i < w; i++)
            square[i + j * w] = square[j + i * w] = L[i + (ptrdiff_t)j * high];
    ifd__square_pack(J, P->lanes, square, (size_t)w, P->square + J->square);
    ifd__below_pack(P, J, at + J->piece, -1.0, below, (size_t)high);
}

static ifd_status pack_all(ifd_arena *arena, ifd_arena *scratch, const work *w, const ifd__kernels *kernels,
                           ifd__panels *out)
{
    const ifd__supernodes *S = w->S;
    size_t sizes[3];
    int *list = ifd_arena_array(scratch, (size_t)S->n + 1, sizeof *list);
    double *square = ifd_arena_array(scratch, IFD__WIDEST * IFD__WIDEST, sizeof *square);
    if (!list || !square)
        return IFD_NO_MEMORY;
    *out = (ifd__panels){.n = S->n, .lanes = kernels->lanes, .strip = kernels->strip};
    lay_out(S, list, out, NULL, sizes);
    if (sizes[0] + sizes[1] > IN_CACHE && out->strip > NARROW) {
        out->strip = NARROW;
        lay_out(S, list, out, NULL, sizes);
    }
    int *at = ifd_arena_array(scratch, sizes[2], sizeof *at);
    out->square = ifd_arena_array(arena, sizes[0] + IFD__MOST_LANES, sizeof *out->square);
    out->below = ifd_arena_array(arena, sizes[1] + IFD__MOST_LANES, sizeof *out->below);
    out->piece = ifd_arena_array(arena, sizes[2], sizeof *out->piece);
    out->panel = ifd_arena_array(arena, (size_t)out->count, sizeof *out->panel);
    if (!at || !out->panel || !out->square || !out->below || !out->piece)
        return IFD_NO_MEMORY;
    lay_out(S, list, out, at, sizes);
    for (const ifd__panel *J = out->panel; J < out->panel + out->count; J++) {
        int s = w->of[J->first], column = J->first - S->first[s];
        pack(out, J, at, w->L[s] + (ptrdiff_t)column * (w->height[s] + 1), w->height[s], square);
    }
    return IFD_OK;
}

ifd_status ifd__factor_make(ifd_arena *arena, ifd_arena *scratch, const ifd_sparse *A, const ifd__supernodes *S,
                            const ifd__kernels *kernels, ifd__panels *out, int *bad)
{
    work w;
    IFD_TRY(work_make(scratch, S, &w));
    IFD_TRY(scatter(scratch, A, &w));
    IFD_TRY(factorise(&w, bad));
    return pack_all(arena, scratch, &w, kernels, out);
}

ifd_status ifd__factor_inertia(ifd_arena *scratch, const ifd_sparse *A, const ifd__supernodes *S, int *negative)
{
    work w;
    int bad, widest = 0;
    IFD_TRY(work_make(scratch, S, &w));
    IFD_TRY(scatter(scratch, A, &w));
    for (int s = 0; s < S->count; s++)
        widest = width_of(S, s) > widest ? width_of(S, s) : widest;
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(w.sign, S->n), IFD__ARRAY(w.signed_rows, (size_t)widest * (size_t)widest)));
    for (int k = 0; k < S->n; k++)
        w.sign[k] = fabs(ifd__sparse_get(A, S->perm[k], S->perm[k]));
    IFD_TRY(factorise(&w, &bad));
    *negative = 0;
    for (int k = 0; k < S->n; k++)
        *negative += w.sign[k] < 0.0;
    return IFD_OK;
}
