/* SPDX-License-Identifier: MIT */
/* The factor of an unsymmetric matrix, on the pattern of A + A^T, which is that of a Cholesky factor. Panel J has the
 * square D = A_JJ, the rows below W = A_RJ and those of the upper triangle V = A_JR^T, all after the products of
 * earlier panels:
 *
 *     S = D^-1,   V := V S^T,   A_RR -= W V^T                then   N = -W S  below,  -V  in upper
 *
 * so that forward and backward of kernels.h solve. Rows are exchanged inside D only, for the largest pivot, and the
 * pattern is fixed. The exchanges are part of the inverse: the sweeps know nothing of them. Every column of S solves
 * D s = e, so D S - I is small, and only this residual enters that of a solution: both sweeps use the same S. */
#include <math.h>
#include <string.h>

#include "algebra/factor_inside.h"

enum { TILE = IFD__TILE };

/* The row with the largest number of a column from row k on. */
static int largest_row(int w, int k, const double *column)
{
    int best = k;
    for (int i = k + 1; i < w; i++)
        if (fabs(column[i]) > fabs(column[best]))
            best = i;
    return best;
}

/* A := L and U of its rows in the order `row`; -1, or the first column without a pivot. */
static int factor_square(int w, double *A, int *row)
{
    for (int k = 0; k < w; k++)
        row[k] = k;
    for (int k = 0; k < w; k++) {
        double *a = A + k * w;
        int p = largest_row(w, k, a), keep = row[k];
        if (a[p] == 0.0 || !isfinite(a[p]))
            return k;
        row[k] = row[p];
        row[p] = keep;
        for (int j = 0; p != k && j < w; j++) {
            double number = A[k + j * w];
            A[k + j * w] = A[p + j * w];
            A[p + j * w] = number;
        }
        for (int i = k + 1; i < w; i++)
            a[i] /= a[k];
        for (int j = k + 1; j < w; j++)
            for (int i = k + 1; i < w; i++)
                A[i + j * w] -= a[i] * A[k + j * w];
    }
    return -1;
}

/* x := U^-1 L^-1 x */
static void solve_square(int w, const double *LU, double *x)
{
    for (int k = 0; k < w; k++)
        for (int i = k + 1; i < w; i++)
            x[i] -= LU[i + k * w] * x[k];
    for (int k = w - 1; k >= 0; k--) {
        x[k] /= LU[k + k * w];
        for (int i = 0; i < k; i++)
            x[i] -= LU[i + k * w] * x[k];
    }
}

int ifd__lu_eliminate(const ifd__target *t)
{
    int w = t->J->width, row[IFD__WIDEST];
    double *LU = t->w->square;
    memcpy(LU, t->square, sizeof(double) * (size_t)(w * w));
    int bad = factor_square(w, LU, row);
    if (bad >= 0)
        return t->F->S.perm[t->J->first + bad];
    for (int j = 0; j < w; j++) {
        double *x = t->square + j * w;
        for (int i = 0; i < w; i++)
            x[i] = row[i] == j;
        solve_square(w, LU, x);
    }
    return -1;
}

/* Tiles of a product from row i on: one, or several full ones. */
static int tiles_from(const ifd__target *t, int i, int rows)
{
    int tiles = rows == TILE ? (t->to - i) / TILE : 1;
    return tiles < IFD__TILES ? tiles : IFD__TILES;
}

/* V := V S^T. Each number uses a whole row of V: the product of a group of tiles is made elsewhere. */
void ifd__lu_scale(const ifd__target *t)
{
    double C[IFD__TILES * TILE * TILE], *B = t->w->square, *product = t->w->panel;
    int w = t->J->width;
    for (int g = 0; g < w; g += TILE)
        ifd__factor_gather(t->square, w, g, true, B + g * w);
    for (int i = t->from; i < t->to;) {
        ifd__tile_place at = ifd__tile_of(t->width, t->high, t->end, w, i);
        int rows = at.left, tiles = tiles_from(t, i, rows);
        double *V = t->F->P.upper + t->J->below + at.at;
        for (int g = 0; g < w; g += TILE) {
            int most = w - g < TILE ? w - g : TILE;
            const ifd__tiles T = {.count = tiles,
                                  .rows = rows,
                                  .k = w,
                                  .A = V,
                                  .B = B + g * w,
                                  .ld = at.ld,
                                  .stride = (ptrdiff_t)TILE * w};
            t->F->kernels->outer(&T, false, C);
            for (int k = 0; k < tiles; k++)
                for (int j = 0; j < most; j++)
                    memcpy(product + k * T.stride + (ptrdiff_t)(g + j) * rows, C + (k * TILE + j) * TILE,
                           sizeof(double) * (size_t)rows);
        }
        memcpy(V, product, sizeof(double) * (size_t)(tiles * rows * w));
        i += tiles * rows;
    }
}

/* panel := V, column-major. */
static void spread(const ifd__target *t)
{
    const double *V = t->F->P.upper + t->J->below;
    int w = t->J->width, rows = t->high - t->end;
    for (int i = t->end; i < t->high;) {
        ifd__tile_place at = ifd__tile_of(t->width, t->high, t->end, w, i);
        for (int j = 0; j < w; j++)
            memcpy(t->w->panel + (i - t->end) + (ptrdiff_t)j * rows, V + at.at + (ptrdiff_t)j * at.ld,
                   sizeof(double) * (size_t)at.left);
        i += at.left;
    }
}

void ifd__lu_pack(const ifd__target *t)
{
    const ifd__panels *P = &t->F->P;
    const int *at = t->F->at + t->J->piece;
    size_t w = (size_t)t->J->width, rows = (size_t)(t->high - t->end);
    ifd__panels upper = *P;
    upper.below = P->upper;
    ifd__factor_product(t);
    ifd__below_pack(P, t->J, at, -1.0, t->w->panel, rows);
    spread(t);
    ifd__below_pack(&upper, t->J, at, -1.0, t->w->panel, rows);
    memcpy(t->w->square, t->square, sizeof(double) * w * w);
    ifd__square_pack(t->J, P->lanes, t->w->square, w, t->square);
}
