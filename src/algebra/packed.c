/* SPDX-License-Identifier: MIT */
/* Products, packed or not, and the choice of the form. The times are a model fitted to a few frames; only their order
 * is used. */
#include "algebra/packed.h"
#include "algebra/dense.h"
#include "base/arena.h"

#include <math.h>
#include <string.h>

/* Factor, product and solution of a symmetric arrow matrix. */

enum { SMALLEST = 64, WIDEST_BORDER = 256, SHARE = 4 };

/* 1 + the last row with an entry off the diagonal; 1 + the last column with one below it. */
static void extents(const ifd_sparse *A, int *row, int *column)
{
    *row = *column = 0;
    for (int j = 0; j < A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++)
            if (A->i[k] != j) {
                *row = A->i[k] >= *row ? A->i[k] + 1 : *row;
                *column = j + 1;
            }
}

int ifd__arrow_border(const ifd_sparse *A)
{
    int row, border, most = A->n / SHARE < WIDEST_BORDER ? A->n / SHARE : WIDEST_BORDER;
    if (!A->symmetric || A->n < SMALLEST)
        return 0;
    extents(A, &row, &border);
    if (row <= most)
        return row;
    if (border > most)
        return 0;
    long coupled = 0;
    for (int k = 0; k < A->p[border]; k++)
        coupled += A->i[k] >= border;
    return coupled >= (long)border * (A->n - border) / 2 ? border : 0;
}

size_t ifd__arrow_size(int border, int rest)
{
    return (size_t)rest * (size_t)(border + 1) + (size_t)border * (size_t)border;
}

void ifd__arrow_at(ifd__arrow *a, int border, int rest, double *numbers)
{
    *a = (ifd__arrow){.border = border, .rest = rest, .coupled = true, .diagonal = numbers};
    a->coupling = numbers + rest;
    a->corner = a->coupling + (size_t)rest * (size_t)border;
}

ifd_status ifd__arrow_make(ifd_arena *arena, const ifd_sparse *A, int border, ifd__arrow *out)
{
    size_t p = (size_t)border, q = (size_t)(A->n - border);
    double *numbers;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(numbers, ifd__arrow_size(border, (int)q))));
    ifd__arrow_at(out, border, (int)q, numbers);
    out->coupled = false;
    for (size_t j = 0; j < (size_t)A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++) {
            size_t i = (size_t)A->i[k];
            if (j >= p)
                out->diagonal[j - p] = A->x[k];
            else if (i < p)
                out->corner[i + j * p] = out->corner[j + i * p] = A->x[k];
            else
                out->coupling[i - p + j * q] = A->x[k];
            out->coupled = out->coupled || (j < p && i >= p);
        }
    return IFD_OK;
}

/* A (n x n, symmetric) := its inverse, by Gauss-Jordan elimination: pivots of a positive definite matrix need no
 * order. */
static bool invert(int n, double *A, int *bad)
{
    for (int k = 0; k < n; k++) {
        double *column = A + (size_t)k * (size_t)n, pivot = column[k];
        *bad = k;
        if (!(pivot > 0.0) || !isfinite(pivot))
            return false;
        column[k] = 1.0;
        for (int j = 0; j < n; j++) {
            double *other = A + (size_t)j * (size_t)n, factor = other[k] / pivot;
            if (j == k)
                continue;
            for (int i = 0; i < n; i++)
                other[i] = i == k ? factor : other[i] - column[i] * factor;
        }
        for (int i = 0; i < n; i++)
            column[i] = i == k ? 1.0 / pivot : -column[i] / pivot;
    }
    return true;
}

bool ifd__arrow_factor(ifd__arrow *a, int *bad)
{
    size_t p = (size_t)a->border, q = (size_t)a->rest;
    for (size_t i = 0; i < q; i++) {
        *bad = (int)(p + i);
        if (!(a->diagonal[i] > 0.0) || !isfinite(a->diagonal[i]))
            return false;
        a->diagonal[i] = 1.0 / a->diagonal[i];
    }
    for (size_t j = 0; j < p && a->coupled; j++)
        for (size_t i = 0; i <= j; i++) {
            double sum = 0.0;
            for (size_t l = 0; l < q; l++)
                sum += a->coupling[l + i * q] * a->diagonal[l] * a->coupling[l + j * q];
            a->corner[i + j * p] -= sum;
            a->corner[j + i * p] = a->corner[i + j * p];
        }
    for (size_t j = 0; j < p; j++)
        for (size_t l = 0; l < q; l++)
            a->coupling[l + j * q] *= a->diagonal[l];
    return invert(a->border, a->corner, bad);
}

/* y += alpha A x */
IFD_RT static void arrow_product(const ifd__arrow *a, const ifd__kernels *kernels, double alpha, const double *x,
                                 double *y)
{
    int p = a->border, q = a->rest;
    const double *restrict d = a->diagonal, *restrict xi = x + p;
    double *restrict yi = y + p;
    kernels->gemv(p, p, alpha, a->corner, p, x, y);
    for (int i = 0; i < q; i++)
        yi[i] += alpha * d[i] * xi[i];
    if (!a->coupled)
        return;
    kernels->gemvt(q, p, alpha, a->coupling, q, xi, y);
    kernels->gemv(q, p, alpha, a->coupling, q, x, yi);
}

void ifd__arrow_forward(const ifd__arrow *a, const ifd__kernels *kernels, const double *x, double *y, double *z)
{
    int p = a->border, q = a->rest;
    memcpy(y, x, (size_t)(p + q) * sizeof *y);
    if (a->coupled)
        kernels->gemvt(q, p, -1.0, a->coupling, q, x + p, y);
    memset(z, 0, (size_t)p * sizeof *z);
    kernels->gemv(p, p, 1.0, a->corner, p, y, z);
    for (int i = 0; i < q; i++)
        z[p + i] = a->diagonal[i] * x[p + i];
}

void ifd__arrow_backward(const ifd__arrow *a, const ifd__kernels *kernels, const double *z, double *x)
{
    int p = a->border, q = a->rest;
    memcpy(x, z, (size_t)(p + q) * sizeof *x);
    if (a->coupled)
        kernels->gemv(q, p, -1.0, a->coupling, q, z, x + p);
}

void ifd__arrow_solve(const ifd__arrow *a, const ifd__kernels *kernels, double *x, double *w)
{
    int p = a->border, q = a->rest;
    const double *restrict d = a->diagonal;
    double *restrict xi = x + p;
    if (a->coupled)
        kernels->gemvt(q, p, -1.0, a->coupling, q, xi, x);
    memset(w, 0, (size_t)p * sizeof *w);
    kernels->gemv(p, p, 1.0, a->corner, p, x, w);
    memcpy(x, w, (size_t)p * sizeof *x);
    for (int i = 0; i < q; i++)
        xi[i] *= d[i];
    if (a->coupled)
        kernels->gemv(q, p, -1.0, a->coupling, q, w, xi);
}

/* Adjacent columns with similar rows, such as the dofs of one node, form one panel of kernels.h. A column joins the
 * previous panel if, in a model of the time, the added zeros cost less than another panel. A panel of the lower
 * triangle has a separate square; a panel of the whole matrix is made from rows of A, because it is used
 * transposed. */

/* Columns with sorted rows, to be packed. */
typedef struct columns {
    int n, *p, *i;
    double *x;
} columns;

/* The rows of A, both halves when it is symmetric, as columns. */
static ifd_status transpose(ifd_arena *scratch, const ifd_sparse *A, columns *T)
{
    size_t n = (size_t)A->n + 1, room = (A->symmetric ? 2u : 1u) * (size_t)A->p[A->n] + 1;
    int *next = ifd_arena_array(scratch, n, sizeof *next);
    *T = (columns){A->n, ifd_arena_array(scratch, n, sizeof(int)), ifd_arena_array(scratch, room, sizeof(int)),
                   ifd_arena_array(scratch, room, sizeof(double))};
    if (!next || !T->p || !T->i || !T->x)
        return IFD_NO_MEMORY;
    for (int j = 0; j < A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++) {
            next[A->i[k]]++;
            next[j] += A->symmetric && A->i[k] != j;
        }
    for (int i = 0; i < A->n; i++) {
        T->p[i + 1] = T->p[i] + next[i];
        next[i] = T->p[i];
    }
    /* Entries left of the diagonal come first, then those of the mirrored triangle: both in rising order. */
    for (int half = 0; half < 1 + A->symmetric; half++)
        for (int j = 0; j < A->n; j++)
            for (int k = A->p[j]; k < A->p[j + 1]; k++) {
                int i = A->i[k], to = half ? j : i;
                if (half && i == j)
                    continue;
                T->i[next[to]] = half ? i : j;
                T->x[next[to]++] = A->x[k];
            }
    return IFD_OK;
}

/* A panel during its construction, and storage for its unpacked blocks. */
typedef struct growing {
    const columns *A;
    ifd__packing kind;
    int lanes;
    int first, end, count; /* columns, rows */
    int pieces;            /* of the rows */
    int *rows, *trial;
    int *at;  /* places of the pieces */
    int most; /* rows of the tallest panel */
    double *square, *below;
} growing;

/* True if a panel that ends with column j stores this row: rows below j, or all. */
static bool keeps(const growing *g, int j, int row)
{
    return g->kind == IFD__PACK_WHOLE || row > j;
}

/* Unites the rows of the panel and of column j in trial. */
static int unite(const growing *g, int j)
{
    const columns *A = g->A;
    int a = 0, k = A->p[j], count = 0;
    while (a < g->count || k < A->p[j + 1]) {
        int r = a < g->count ? g->rows[a] : A->n, s = k < A->p[j + 1] ? A->i[k] : A->n, low = r < s ? r : s;
        a += r == low;
        k += s == low;
        if (keeps(g, j, low))
            g->trial[count++] = low;
    }
    return count;
}

static void accept(growing *g, int count, int pieces)
{
    int *keep = g->rows;
    g->rows = g->trial;
    g->trial = keep;
    g->count = count;
    g->pieces = pieces;
    g->end++;
}

/* Modelled time of a product with one panel, in nanoseconds. */
static double packed_time(ifd__packing kind, int width, int pieces)
{
    if (kind == IFD__PACK_HALF)
        return 6.0 + pieces * (0.5 + 0.6 * width) + 0.05 * width * width;
    return 1.9 + pieces * (0.25 + 0.28 * width);
}

static int pieces_of(const growing *g, int count, const int *rows)
{
    ifd__panel counted = {0};
    ifd__rows_pack(&counted, count, rows, g->lanes, NULL, NULL);
    return counted.pieces;
}

/* Number of pieces of column j alone. */
static int pieces_alone(const growing *g, int j)
{
    int from = g->A->p[j], count = g->A->p[j + 1] - from;
    while (count && !keeps(g, j, g->A->i[from])) {
        from++;
        count--;
    }
    return pieces_of(g, count, g->A->i + from);
}

static bool grow(growing *g)
{
    int j = g->end, width = j - g->first, count = unite(g, j), pieces = pieces_of(g, count, g->trial);
    double apart = packed_time(g->kind, width, g->pieces) + packed_time(g->kind, 1, pieces_alone(g, j));
    if (width == IFD__WIDEST || packed_time(g->kind, width + 1, pieces) >= apart)
        return false;
    accept(g, count, pieces);
    return true;
}

static void fill_panel(const growing *g, const ifd__panels *P, const ifd__panel *J)
{
    const columns *A = g->A;
    int w = J->width, rows = J->rows;
    memset(g->square, 0, (size_t)w * (size_t)w * sizeof *g->square);
    memset(g->below, 0, (size_t)w * (size_t)rows * sizeof *g->below);
    for (int c = 0, j = g->first; c < w; c++, j++) {
        for (int k = A->p[j], at = 0; k < A->p[j + 1]; k++) {
            int i = A->i[k];
            if (!keeps(g, g->end - 1, i)) {
                g->square[i - g->first + c * w] = g->square[c + (i - g->first) * w] = A->x[k];
                continue;
            }
            while (g->rows[at] != i)
                at++;
            g->below[at + c * rows] = A->x[k];
        }
    }
    if (g->kind == IFD__PACK_HALF)
        ifd__square_pack(J, P->lanes, g->square, (size_t)w, P->square + J->square);
    ifd__below_pack(P, J, g->at, 1.0, g->below, (size_t)rows);
}

/* Computes the layout and, if P->panel exists, fills it. Returns the modelled time. */
static double walk(growing *g, ifd__panels *P, size_t sizes[3])
{
    double time = 0.0;
    int used = 0;
    memset(sizes, 0, 3 * sizeof *sizes);
    for (int j = 0; j < g->A->n; j = g->end, used++) {
        g->first = g->end = j;
        g->count = 0;
        int count = unite(g, j);
        accept(g, count, pieces_of(g, count, g->trial));
        while (g->end < g->A->n && grow(g))
            ;
        ifd__panel J = {.first = j, .square = sizes[0], .below = sizes[1], .piece = (int)sizes[2]};
        ifd__panel_cut(&J, g->end - j, P->strip);
        ifd__rows_pack(&J, g->count, g->rows, P->lanes, P->panel ? P->piece + J.piece : NULL, g->at);
        sizes[0] += g->kind == IFD__PACK_HALF ? ifd__block_size(J.width, J.width, P) : 0;
        sizes[1] += ifd__block_size(J.rows, J.width, P);
        sizes[2] += (size_t)J.pieces;
        time += packed_time(g->kind, J.width, J.pieces);
        if (P->panel) {
            P->panel[used] = J;
            fill_panel(g, P, &J);
        }
        g->most = J.rows > g->most ? J.rows : g->most;
    }
    P->count = used;
    return time;
}

static ifd_status pack(ifd_arena *arena, ifd_arena *scratch, growing *g, ifd__packed *packed, double *time)
{
    ifd__panels *P = &packed->panels;
    size_t n = (size_t)g->A->n + 1, sizes[3];
    int **lists[] = {&g->rows, &g->trial, &g->at};
    for (int k = 0; k < 3; k++)
        if (!(*lists[k] = ifd_arena_array(scratch, n, sizeof(int))))
            return IFD_NO_MEMORY;
    *time = walk(g, P, sizes);
    packed->bytes = (sizes[0] + sizes[1]) * sizeof(double);
    if (!arena)
        return IFD_OK;
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(g->square, IFD__WIDEST * IFD__WIDEST),
                      IFD__ARRAY(g->below, IFD__WIDEST * (size_t)g->most)));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(P->square, sizes[0] + IFD__MOST_LANES),
                      IFD__ARRAY(P->below, sizes[1] + IFD__MOST_LANES), IFD__ARRAY(P->piece, sizes[2]),
                      IFD__ARRAY(P->panel, P->count)));
    walk(g, P, sizes);
    return IFD_OK;
}

static ifd_status start(ifd_arena *arena, ifd_arena *scratch, const ifd_sparse *A, ifd__packed *packed, double *time)
{
    columns c = {A->n, A->p, A->i, A->x};
    if (packed->kind == IFD__PACK_WHOLE)
        IFD_TRY(transpose(scratch, A, &c));
    growing g = {.A = &c, .kind = packed->kind, .lanes = packed->kernels->lanes};
    packed->panels = (ifd__panels){.n = A->n, .lanes = packed->kernels->lanes, .strip = packed->kernels->strip};
    return pack(arena, scratch, &g, packed, time);
}

/* Fills packed->panels for packed->kind, HALF or WHOLE. With arena NULL it only sets *time. */
static ifd_status panels_of(ifd_arena *arena, const ifd_sparse *A, ifd__packed *packed, double *time)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    return scratch ? start(arena, scratch, A, packed, time) : IFD_NO_MEMORY;
}

/* The diagonals of a small matrix. Frames with regularly numbered nodes have few of them, and a product then reads
 * whole vectors only. */

enum { OFFSETS = 2 * IFD__BANDS_REACH + 1 };

/* Number of the band of each diagonal in one group of rows; -1: it is zero there. */
typedef struct group {
    int band[OFFSETS];
} group;

/* Calls put for each entry (row, column, value) of A, both halves if it is symmetric. */
static void each(const ifd_sparse *A, void *self, void (*put)(void *self, int row, int column, double value))
{
    for (int j = 0; j < A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++) {
            put(self, A->i[k], j, A->x[k]);
            if (A->symmetric && A->i[k] != j)
                put(self, j, A->i[k], A->x[k]);
        }
}

typedef struct filling {
    group *groups;
    ifd__bands *bands;
} filling;

static void mark(void *self, int row, int column, double value)
{
    const filling *f = self;
    (void)value;
    f->groups[row / f->bands->rows].band[column - row + IFD__BANDS_REACH] = 1;
}

static void fill(void *self, int row, int column, double value)
{
    const filling *f = self;
    int rows = f->bands->rows, k = f->groups[row / rows].band[column - row + IFD__BANDS_REACH];
    f->bands->value[k * rows + row % rows] = value;
}

/* Numbers the bands of all groups in order; returns how many there are. */
static int number(filling *f, int groups)
{
    int used = 0;
    for (int g = 0; g < groups; g++)
        for (int d = 0; d < OFFSETS; d++) {
            int *k = &f->groups[g].band[d];
            *k = *k ? used++ : -1;
        }
    return used;
}

static void lay_out(const filling *f, int groups)
{
    ifd__bands *B = f->bands;
    int used = 0;
    for (int g = 0; g < groups; g++) {
        B->start[g] = used;
        for (int d = 0; d < OFFSETS; d++)
            if (f->groups[g].band[d] >= 0)
                B->at[used++] = g * B->rows + d - IFD__BANDS_REACH + B->reach;
    }
    B->start[groups] = used;
}

static int reach_of(const ifd_sparse *A)
{
    int reach = 0;
    for (int j = 0; j < A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++) {
            int distance = A->i[k] > j ? A->i[k] - j : j - A->i[k];
            reach = distance > reach ? distance : reach;
        }
    return reach;
}

/* The same for BANDS: *time is HUGE_VAL if A is too large. */
static ifd_status bands_of(ifd_arena *arena, const ifd_sparse *A, ifd__packed *packed, double *time)
{
    packed->bands = (ifd__bands){.n = A->n, .rows = 2 * packed->kernels->lanes, .reach = reach_of(A)};
    *time = HUGE_VAL;
    if (A->n > IFD__BANDS_ROWS || packed->bands.reach > IFD__BANDS_REACH)
        return arena ? IFD_TOO_LARGE : IFD_OK;
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    ifd__bands *B = &packed->bands;
    int groups = (A->n + B->rows - 1) / B->rows;
    filling f = {NULL, B};
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(f.groups, groups)));
    each(A, &f, mark);
    int bands = number(&f, groups);
    *time = 15.0 + 2.0 * groups + 0.75 * bands;
    if (!arena)
        return IFD_OK;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(B->start, groups + 1), IFD__ARRAY(B->at, bands),
                      IFD__ARRAY(B->value, bands * B->rows)));
    lay_out(&f, groups);
    each(A, &f, fill);
    return IFD_OK;
}

/* A large matrix is not in the cache when its product starts, because the factor was read in between. */
static double fetch_time(const ifd_sparse *A, size_t bytes)
{
    return A->p[A->n] > 40000 ? 0.04 * (double)bytes : 0.0;
}

static double columns_time(const ifd_sparse *A)
{
    size_t entries = (size_t)A->p[A->n];
    return 0.8 * (double)entries + fetch_time(A, entries * (sizeof *A->i + sizeof *A->x));
}

ifd_status ifd__sparse_pack_as(ifd_arena *arena, ifd_sparse *A, ifd__packing kind, const ifd__kernels *kernels)
{
    ifd__packed *packed = ifd_arena_take(arena, sizeof *packed);
    double time;
    if (!packed)
        return IFD_NO_MEMORY;
    packed->kind = kind;
    packed->kernels = kernels;
    if (kind == IFD__PACK_HALF || kind == IFD__PACK_WHOLE)
        IFD_TRY(panels_of(arena, A, packed, &time));
    else if (kind == IFD__PACK_ARROW)
        IFD_TRY(ifd__arrow_make(arena, A, ifd__arrow_border(A), &packed->arrow));
    else if (kind == IFD__PACK_BANDS)
        IFD_TRY(bands_of(arena, A, packed, &time));
    A->packed = packed;
    return IFD_OK;
}

ifd_status ifd__sparse_pack(ifd_arena *arena, ifd_sparse *A)
{
    const ifd__kernels *kernels = ifd__kernels_best();
    double best = columns_time(A), time;
    ifd__packing kind = IFD__PACK_NONE;
    if (A->p[A->n] == A->n)
        return ifd__sparse_pack_as(arena, A, IFD__PACK_DIAGONAL, kernels);
    if (ifd__arrow_border(A))
        return ifd__sparse_pack_as(arena, A, IFD__PACK_ARROW, kernels);
    for (ifd__packing k = A->symmetric ? IFD__PACK_HALF : IFD__PACK_WHOLE; k <= IFD__PACK_BANDS; k++) {
        ifd__packed trial = {.kind = k, .kernels = kernels};
        IFD_TRY(k == IFD__PACK_BANDS ? bands_of(NULL, A, &trial, &time) : panels_of(NULL, A, &trial, &time));
        time += fetch_time(A, trial.bytes);
        if (time < best) {
            best = time;
            kind = k;
        }
    }
    return ifd__sparse_pack_as(arena, A, kind, kernels);
}

static void by_symmetric_columns(const ifd_sparse *A, double alpha, const double *restrict x, double *restrict y)
{
    for (int j = 0; j < A->n; j++) {
        int k = A->p[j], end = A->p[j + 1];
        double xj = alpha * x[j], sum = 0.0;
        for (; k < end && A->i[k] == j; k++)
            sum += A->x[k] * x[j];
        for (; k < end; k++) {
            int i = A->i[k];
            y[i] += A->x[k] * xj;
            sum += A->x[k] * x[i];
        }
        y[j] += alpha * sum;
    }
}

static void by_columns(const ifd_sparse *A, double alpha, const double *restrict x, double *restrict y)
{
    for (int j = 0; j < A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++)
            y[A->i[k]] += A->x[k] * (alpha * x[j]);
}

/* y += alpha weight Z Z^T x: the part of low rank alone. */
IFD_RT static void low_rank_mul_add(const ifd_sparse *A, double alpha, const double *x, double *y)
{
    enum { TOGETHER = 8 };
    double along[TOGETHER];
    for (int first = 0; first < A->rank; first += TOGETHER) {
        int count = A->rank - first < TOGETHER ? A->rank - first : TOGETHER;
        const double *Z = A->Z + (size_t)first * (size_t)A->n;
        for (int k = 0; k < count; k++)
            along[k] = ifd__dot(A->n, Z + (size_t)k * (size_t)A->n, x);
        ifd__mul_add(A->n, count, alpha * A->weight, Z, along, y);
    }
}

void ifd__sparse_mul_add(const ifd_sparse *A, double alpha, const double *x, double *y)
{
    ifd__packing kind = A->packed ? A->packed->kind : IFD__PACK_NONE;
    if (kind == IFD__PACK_WHOLE)
        A->packed->kernels->columns(&A->packed->panels, alpha, x, y);
    else if (kind == IFD__PACK_HALF)
        A->packed->kernels->product(&A->packed->panels, alpha, x, y);
    else if (kind == IFD__PACK_ARROW)
        arrow_product(&A->packed->arrow, A->packed->kernels, alpha, x, y);
    else if (kind == IFD__PACK_BANDS)
        A->packed->kernels->bands(&A->packed->bands, alpha, x, y);
    else if (kind == IFD__PACK_DIAGONAL)
        for (int i = 0; i < A->n; i++)
            y[i] += alpha * A->x[i] * x[i];
    else if (A->symmetric)
        by_symmetric_columns(A, alpha, x, y);
    else
        by_columns(A, alpha, x, y);
    low_rank_mul_add(A, alpha, x, y);
}
