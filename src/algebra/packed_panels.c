/* SPDX-License-Identifier: MIT */
/* Adjacent columns with similar rows, such as the dofs of one node, form one panel of kernels.h. A column joins the
 * previous panel if, in a model of the time, the added zeros cost less than another panel. A panel of the lower
 * triangle has a separate square; a panel of the whole matrix is made from rows of A, because it is used
 * transposed. */
#include <string.h>

#include "algebra/packed.h"

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
    double apart = ifd__packed_time(g->kind, width, g->pieces) + ifd__packed_time(g->kind, 1, pieces_alone(g, j));
    if (width == IFD__WIDEST || ifd__packed_time(g->kind, width + 1, pieces) >= apart)
        return false;
    accept(g, count, pieces);
    return true;
}

static void fill(const growing *g, const ifd__panels *P, const ifd__panel *J)
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
        time += ifd__packed_time(g->kind, J.width, J.pieces);
        if (P->panel) {
            P->panel[used] = J;
            fill(g, P, &J);
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
    g->square = ifd_arena_array(scratch, IFD__WIDEST * IFD__WIDEST, sizeof *g->square);
    g->below = ifd_arena_array(scratch, IFD__WIDEST * (size_t)g->most, sizeof *g->below);
    P->square = ifd_arena_array(arena, sizes[0] + IFD__MOST_LANES, sizeof *P->square);
    P->below = ifd_arena_array(arena, sizes[1] + IFD__MOST_LANES, sizeof *P->below);
    P->piece = ifd_arena_array(arena, sizes[2], sizeof *P->piece);
    P->panel = ifd_arena_array(arena, (size_t)P->count, sizeof *P->panel);
    if (!g->square || !g->below || !P->square || !P->below || !P->piece || !P->panel)
        return IFD_NO_MEMORY;
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

ifd_status ifd__panels_of(ifd_arena *arena, const ifd_sparse *A, ifd__packed *packed, double *time)
{
    ifd_arena *scratch = ifd_arena_open();
    ifd_status status = scratch ? start(arena, scratch, A, packed, time) : IFD_NO_MEMORY;
    ifd_arena_close(scratch);
    return status;
}
