/* SPDX-License-Identifier: MIT */
/* Left-looking supernodal Cholesky by panels. After the products of earlier columns, the diagonal block of a panel is
 * factored and inverted, and the rows below are multiplied by that inverse. */
#include <math.h>
#include <string.h>

#include "algebra/factor_inside.h"

enum { TILE = IFD__TILE };

/* A pivot below this share of its diagonal entry has no digits left. */
static const double LOST = 1e-13;

ifd__target ifd__target_of(const ifd__factor *F, const ifd__factor_work *w, int s, int q)
{
    const ifd__supernodes *S = &F->S;
    const ifd__panel *J = &F->P.panel[q];
    int base = S->first[s], width = S->first[s + 1] - base, end = J->first + J->width - base;
    int high = width + (int)(S->start[s + 1] - S->start[s]);
    return (ifd__target){.F = F,
                         .w = w,
                         .J = J,
                         .s = s,
                         .width = width,
                         .high = high,
                         .end = end,
                         .from = end,
                         .to = high,
                         .square_too = true,
                         .square = F->P.square + J->square,
                         .below = F->P.below + J->below,
                         .rows = F->P.below,
                         .across = F->unsymmetric ? F->P.upper : F->P.below};
}

/* A := L in place of A = L L^T, lower triangle; -1, or the first pivot that is not positive. */
static int factor_square(int w, double *A)
{
    for (int j = 0; j < w; j++) {
        double *a = A + j * w, d = a[j];
        if (!(d > 0.0) || !isfinite(d))
            return j;
        d = sqrt(d);
        a[j] = d;
        for (int i = j + 1; i < w; i++)
            a[i] /= d;
        for (int k = j + 1; k < w; k++)
            for (int i = k; i < w; i++)
                A[i + k * w] -= a[i] * a[k];
    }
    return -1;
}

/* The same for A = L diag(sign) L^T. sign contains the size of the diagonal entries of the matrix first. -1, or the
 * first pivot that has lost its digits. */
static int factor_signed(int w, double *A, double *sign)
{
    for (int j = 0; j < w; j++) {
        double *a = A + j * w, d = a[j];
        if (!isfinite(d) || !(fabs(d) > LOST * sign[j]))
            return j;
        sign[j] = d < 0.0 ? -1.0 : 1.0;
        a[j] = sqrt(fabs(d));
        for (int i = j + 1; i < w; i++)
            a[i] *= sign[j] / a[j];
        for (int k = j + 1; k < w; k++)
            for (int i = k; i < w; i++)
                A[i + k * w] -= sign[j] * a[i] * a[k];
    }
    return -1;
}

/* A := L^-1 in place of L. */
static void invert_square(int w, double *A, double *inverse)
{
    for (int j = 0; j < w; j++) {
        double *x = inverse + j * w;
        for (int i = 0; i < w; i++)
            x[i] = i == j;
        for (int k = j; k < w; k++) {
            x[k] /= A[k + k * w];
            for (int i = k + 1; i < w; i++)
                x[i] -= A[i + k * w] * x[k];
        }
    }
    memcpy(A, inverse, sizeof(double) * (size_t)(w * w));
}

/* Row of the bad pivot, or -1. */
int ifd__factor_eliminate(const ifd__target *t)
{
    const ifd__factor *F = t->F;
    int w = t->J->width, first = t->J->first;
    if (F->unsymmetric)
        return ifd__lu_eliminate(t);
    int bad = F->sign ? factor_signed(w, t->square, F->sign + first) : factor_square(w, t->square);
    if (bad >= 0)
        return F->S.perm[first + bad];
    invert_square(w, t->square, t->w->square);
    return -1;
}

void ifd__factor_gather(const double *inverse, int w, int g, bool transposed, double *B)
{
    for (int k = 0; k < w; k++)
        for (int j = 0; j < TILE; j++) {
            int c = g + j;
            B[k * TILE + j] = c >= w ? 0.0 : transposed ? inverse[c + k * w] : inverse[k + c * w];
        }
}

/* Rows below: W := W L^-T. From the last columns to the first, because columns g use those before g + 8 only. */
void ifd__factor_scale(const ifd__target *t)
{
    if (t->F->unsymmetric) {
        ifd__lu_scale(t);
        return;
    }
    double C[IFD__TILES * TILE * TILE], *B = t->w->square;
    int w = t->J->width, last = (w - 1) / TILE * TILE;
    const double *sign = t->F->sign ? t->F->sign + t->J->first : NULL;
    for (int g = 0; g <= last; g += TILE)
        ifd__factor_gather(t->square, w, g, true, B + g * w);
    for (int c = 0; sign && c < w; c++)
        for (int k = 0; k < w; k++)
            B[c / TILE * TILE * w + k * TILE + c % TILE] *= sign[c];
    for (int i = t->from, tiles; i < t->to;) {
        ifd__tile_place at = ifd__tile_of(t->width, t->high, t->end, w, i);
        int rows = at.left;
        tiles = rows == TILE ? (t->to - i) / TILE : 1;
        tiles = tiles < IFD__TILES ? tiles : IFD__TILES;
        double *A = t->below + at.at;
        for (int g = last; g >= 0; g -= TILE) {
            int most = w - g < TILE ? w - g : TILE;
            const ifd__tiles T = {.count = tiles,
                                  .rows = rows,
                                  .k = g + most,
                                  .A = A,
                                  .B = B + g * w,
                                  .ld = at.ld,
                                  .stride = (ptrdiff_t)TILE * w};
            t->F->kernels->outer(&T, false, C);
            for (int k = 0; k < tiles; k++)
                for (int j = 0; j < most; j++)
                    memcpy(A + k * T.stride + (ptrdiff_t)(g + j) * at.ld, C + (k * TILE + j) * TILE,
                           sizeof(double) * (size_t)rows);
        }
        i += tiles * rows;
    }
}

void ifd__factor_product(const ifd__target *t)
{
    double C[TILE * TILE], *B = t->w->square;
    int w = t->J->width, rows = t->high - t->end;
    for (int g = 0; g < w; g += TILE) {
        int most = w - g < TILE ? w - g : TILE, from = t->F->unsymmetric ? 0 : g; /* the inverse of L is triangular */
        ifd__factor_gather(t->square, w, g, false, B);
        for (int i = t->end; i < t->high;) {
            ifd__tile_place at = ifd__tile_of(t->width, t->high, t->end, w, i);
            const ifd__tiles T = {.count = 1,
                                  .rows = at.left,
                                  .k = w - from,
                                  .A = t->below + at.at + (ptrdiff_t)from * at.ld,
                                  .B = B + from * TILE,
                                  .ld = at.ld};
            t->F->kernels->outer(&T, false, C);
            for (int j = 0; j < most; j++)
                memcpy(t->w->panel + (i - t->end) + (ptrdiff_t)(g + j) * rows, C + j * TILE,
                       sizeof(double) * (size_t)at.left);
            i += at.left;
        }
    }
}

/* Replaces the panel by N = -L_RJ L_JJ^-1 and S = L_JJ^-T L_JJ^-1 in packed form. */
static void pack(const ifd__target *t)
{
    const ifd__factor *F = t->F;
    double *S = t->w->square + IFD__WIDEST * IFD__WIDEST;
    int w = t->J->width, rows = t->high - t->end;
    ifd__factor_product(t);
    for (int j = 0; j < w; j++)
        for (int i = j; i < w; i++) {
            double sum = 0.0;
            for (int k = i; k < w; k++)
                sum += t->square[k + i * w] * t->square[k + j * w];
            S[i + j * w] = S[j + i * w] = sum;
        }
    ifd__square_pack(t->J, F->P.lanes, S, (size_t)w, t->square);
    ifd__below_pack(&F->P, t->J, F->at + t->J->piece, -1.0, t->w->panel, (size_t)rows);
}

void ifd__factor_enter(const ifd__factor *F, const ifd__factor_work *w, int s)
{
    const ifd__supernodes *S = &F->S;
    int first = S->first[s], width = S->first[s + 1] - first;
    for (int j = 0; j < width; j++)
        w->local[first + j] = j;
    for (size_t k = S->start[s]; k < S->start[s + 1]; k++)
        w->local[S->rows[k]] = width + (int)(k - S->start[s]);
}

int ifd__factor_supernode(const ifd__factor *F, const ifd__factor_work *w, int s)
{
    ifd__factor_enter(F, w, s);
    for (int q = F->cut[s]; q < F->cut[s + 1]; q++) {
        const ifd__target t = ifd__target_of(F, w, s, q);
        ifd__products_subtract(&t);
        int bad = ifd__factor_eliminate(&t);
        if (bad >= 0)
            return bad;
        ifd__factor_scale(&t);
    }
    return -1;
}

void ifd__factor_fill(ifd__factor *F, const double *x)
{
    if (!F->clean) {
        memset(F->P.square, 0, sizeof(double) * F->numbers[0]);
        memset(F->P.below, 0, sizeof(double) * F->numbers[1]);
    }
    F->clean = false;
    for (int k = 0; k < F->entries; k++)
        *(F->place[k] >= 0 ? &F->P.square[F->place[k]] : &F->P.below[-1 - F->place[k]]) = x[k];
}

void ifd__factor_pack(const ifd__factor *F, const ifd__factor_work *w, int s)
{
    for (int q = F->cut[s]; q < F->cut[s + 1]; q++) {
        const ifd__target t = ifd__target_of(F, w, s, q);
        if (F->unsymmetric)
            ifd__lu_pack(&t);
        else
            pack(&t);
    }
}

static int factorise(ifd__factor *F, const double *x)
{
    ifd__factor_fill(F, x);
    for (int s = 0; s < F->S.count; s++) {
        int bad = ifd__factor_supernode(F, &F->work, s);
        if (bad >= 0)
            return bad;
    }
    return -1;
}

int ifd__factor_numbers(ifd__factor *F, const double *x)
{
    int bad = factorise(F, x);
    for (int s = 0; s < F->S.count && bad < 0; s++)
        ifd__factor_pack(F, &F->work, s);
    return bad;
}

ifd_status ifd__factor_inertia(ifd_arena *scratch, const ifd_sparse *A, ifd__factor *F, int *negative)
{
    int n = F->S.n;
    F->sign = ifd_arena_array(scratch, (size_t)n, sizeof *F->sign);
    if (!F->sign)
        return IFD_NO_MEMORY;
    for (int k = 0; k < n; k++)
        F->sign[k] = fabs(ifd__sparse_get(A, F->S.perm[k], F->S.perm[k]));
    if (factorise(F, A->x) >= 0)
        return IFD_SINGULAR;
    *negative = 0;
    for (int k = 0; k < n; k++)
        *negative += F->sign[k] < 0.0;
    return IFD_OK;
}
