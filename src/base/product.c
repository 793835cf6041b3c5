/* SPDX-License-Identifier: MIT */
/* Adjacent columns with much the same rows, as the dofs of one node have, become one panel of kernels.h. A column joins the
 * panel before it when the model of the time says that the zeros this adds cost less than a panel of its own. */
#include "base/product.h"

#include <stdlib.h>
#include <string.h>

#include "base/kernels.h"

/* Units: one number read. An entry in compressed columns costs about as much as so many, a panel and a row so many. */
static const double entry_cost = 6.0, panel_cost = 100.0, row_cost = 5.0;

typedef enum product_kind { DIAGONAL, COLUMNS, PANELS } product_kind;

struct ifd__product {
    product_kind kind;
    ifd_sparse A;
    const ifd__kernels *kernels;
    ifd__panels panels;
};

static double cost(double width, double rows)
{
    return width * (rows + width) + panel_cost + row_cost * rows;
}

/* A group of columns while it grows: rows below its last column, sorted. */
typedef struct group {
    int first, end, count;
    int *rows, *trial;
} group;

static void begin(const ifd_sparse *A, int j, group *g)
{
    g->first = j;
    g->end = j + 1;
    g->count = 0;
    for (int k = A->p[j]; k < A->p[j + 1]; k++)
        if (A->i[k] > j)
            g->rows[g->count++] = A->i[k];
}

/* The union of the group's rows and column j's, below j, into trial. */
static int unite(const ifd_sparse *A, int j, const group *g)
{
    int a = 0, k = A->p[j], count = 0;
    while (a < g->count || k < A->p[j + 1]) {
        int r = a < g->count ? g->rows[a] : A->n, s = k < A->p[j + 1] ? A->i[k] : A->n, low = r < s ? r : s;
        a += r == low;
        k += s == low;
        if (low > j)
            g->trial[count++] = low;
    }
    return count;
}

static bool grow(const ifd_sparse *A, group *g)
{
    int j = g->end, own = A->p[j + 1] - A->p[j] - 1, width = j - g->first, count = unite(A, j, g);
    if (width == IFD__WIDEST || cost(width + 1, count) >= cost(width, g->count) + cost(1.0, own))
        return false;
    int *keep = g->rows;
    g->rows = g->trial;
    g->trial = keep;
    g->count = count;
    g->end++;
    return true;
}

/* Room for one panel's blocks, unpacked. */
typedef struct room {
    group g;
    int most, *at; /* rows of the tallest panel, places of its pieces */
    double *square, *below;
} room;

static void fill(const ifd_sparse *A, const ifd__panels *P, const ifd__panel *J, const room *r)
{
    const group *g = &r->g;
    double *square = r->square, *below = r->below;
    int w = J->width, rows = J->rows;
    memset(square, 0, (size_t)w * (size_t)w * sizeof *square);
    memset(below, 0, (size_t)w * (size_t)rows * sizeof *below);
    for (int c = 0; c < w; c++) {
        int at = 0;
        for (int k = A->p[g->first + c]; k < A->p[g->first + c + 1]; k++) {
            int i = A->i[k];
            if (i < g->end) {
                square[i - g->first + c * w] = square[c + (i - g->first) * w] = A->x[k];
                continue;
            }
            while (g->rows[at] != i)
                at++;
            below[at + c * rows] = A->x[k];
        }
    }
    ifd__square_pack(J, P->lanes, square, (size_t)w, P->square + J->square);
    ifd__below_pack(P, J, r->at, 1.0, below, (size_t)rows);
}

/* Lays out and, when P->panel is there, fills. Returns the modelled time. */
static double walk(const ifd_sparse *A, room *r, ifd__panels *P, size_t sizes[3])
{
    double time = 0.0;
    int used = 0;
    memset(sizes, 0, 3 * sizeof *sizes);
    for (int j = 0; j < A->n; j = r->g.end, used++) {
        begin(A, j, &r->g);
        while (r->g.end < A->n && grow(A, &r->g))
            ;
        ifd__panel J = {.first = j, .square = sizes[0], .below = sizes[1], .piece = (int)sizes[2]};
        ifd__panel_cut(&J, r->g.end - j);
        ifd__rows_pack(&J, r->g.count, r->g.rows, P->lanes, P->panel ? P->piece + J.piece : NULL, r->at);
        sizes[0] += ifd__block_size(J.width, J.width, P->lanes);
        sizes[1] += ifd__block_size(J.rows, J.width, P->lanes);
        sizes[2] += (size_t)J.pieces;
        time += cost(J.width, J.rows);
        if (P->panel) {
            P->panel[used] = J;
            fill(A, P, &J, r);
        }
        r->most = J.rows > r->most ? J.rows : r->most;
    }
    P->count = used;
    return time;
}

static ifd_status pack(ifd_arena *arena, ifd_arena *scratch, bool always, ifd__product *p)
{
    const ifd_sparse *A = &p->A;
    size_t n = (size_t)A->n + 1;
    room r = {.g.rows = ifd_arena_array(scratch, n, sizeof(int)),
              .g.trial = ifd_arena_array(scratch, n, sizeof(int)),
              .at = ifd_arena_array(scratch, n, sizeof(int))};
    if (!r.g.rows || !r.g.trial || !r.at)
        return IFD_NO_MEMORY;
    ifd__panels *P = &p->panels;
    *P = (ifd__panels){.n = A->n, .lanes = p->kernels->lanes};
    size_t sizes[3];
    double time = walk(A, &r, P, sizes);
    if (!always && time >= entry_cost * A->p[A->n])
        return IFD_OK;
    r.square = ifd_arena_array(scratch, IFD__WIDEST * IFD__WIDEST, sizeof *r.square);
    r.below = ifd_arena_array(scratch, IFD__WIDEST * (size_t)r.most, sizeof *r.below);
    P->square = ifd_arena_array(arena, sizes[0] + IFD__MOST_LANES, sizeof *P->square);
    P->below = ifd_arena_array(arena, sizes[1] + IFD__MOST_LANES, sizeof *P->below);
    P->piece = ifd_arena_array(arena, sizes[2], sizeof *P->piece);
    P->panel = ifd_arena_array(arena, (size_t)P->count, sizeof *P->panel);
    if (!r.square || !r.below || !P->square || !P->below || !P->piece || !P->panel)
        return IFD_NO_MEMORY;
    walk(A, &r, P, sizes);
    p->kind = PANELS;
    return IFD_OK;
}

static ifd_status make(ifd_arena *arena, const ifd_sparse *A, const ifd__kernels *kernels, bool always,
                       ifd__product **out)
{
    ifd__product *p = ifd_arena_take(arena, sizeof *p);
    if (!p)
        return IFD_NO_MEMORY;
    p->A = *A;
    p->kernels = kernels;
    p->kind = A->p[A->n] == A->n ? DIAGONAL : COLUMNS;
    if (A->symmetric && (p->kind == COLUMNS || always)) {
        ifd_arena *scratch = ifd_arena_open();
        ifd_status status = scratch ? pack(arena, scratch, always, p) : IFD_NO_MEMORY;
        ifd_arena_close(scratch);
        IFD_TRY(status);
    }
    *out = p;
    return IFD_OK;
}

ifd_status ifd__product_make(ifd_arena *arena, const ifd_sparse *A, ifd__product **out)
{
    return make(arena, A, ifd__kernels_best(), false, out);
}

ifd_status ifd__product_make_with(ifd_arena *arena, const ifd_sparse *A, const ifd__kernels *kernels,
                                  ifd__product **out)
{
    return make(arena, A, kernels, true, out);
}

size_t ifd__product_work(const ifd__product *p)
{
    (void)p;
    return 0;
}

void ifd__product_mul_add(const ifd__product *p, double alpha, const double *x, double *y, double *w)
{
    (void)w;
    if (p->kind == PANELS)
        p->kernels->product(&p->panels, alpha, x, y);
    else if (p->kind == COLUMNS)
        ifd__sparse_mul_add(&p->A, alpha, x, y);
    else
        for (int i = 0; i < p->A.n; i++)
            y[i] += alpha * p->A.x[i] * x[i];
}
