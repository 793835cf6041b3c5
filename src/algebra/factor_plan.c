/* SPDX-License-Identifier: MIT */
/* What depends only on the pattern: layout of the panels, sources of the supernodes, places of the entries. */
#include <string.h>

#include "algebra/factor.h"
#include "base/arena.h"

/* Wider panels are divided: the square block is stored inverted, and the error of the inverse grows with its size. */
enum { WIDEST = 32 };

/* Wide strips need fewer vector operations. Narrow ones are a stream that prefetchers follow better, which matters if
 * the factor (its numbers) exceeds the cache of the core. */
enum { NARROW = 8, IN_CACHE = 1 << 15 };

static int width_of(const ifd__supernodes *S, int s)
{
    return S->first[s + 1] - S->first[s];
}

static int rows_of(const ifd__supernodes *S, int s)
{
    return (int)(S->start[s + 1] - S->start[s]);
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

static ifd_status panels_make(ifd_arena *plan, ifd_arena *arena, ifd__factor *F)
{
    const ifd__supernodes *S = &F->S;
    ifd__panels *P = &F->P;
    size_t sizes[3];
    int *list;
    IFD_TRY(IFD__TAKE(plan, IFD__ARRAY(list, (size_t)S->n + 1)));
    *P = (ifd__panels){.n = S->n, .lanes = F->kernels->lanes, .strip = F->kernels->strip};
    lay_out(S, list, P, NULL, sizes);
    if (sizes[0] + sizes[1] > IN_CACHE && P->strip > NARROW) {
        P->strip = NARROW;
        lay_out(S, list, P, NULL, sizes);
    }
    IFD_TRY(IFD__TAKE(plan, IFD__ARRAY(F->at, sizes[2]), IFD__ARRAY(F->cut, S->count + 1),
                      IFD__ARRAY(F->of, S->n + 1), IFD__ARRAY(F->panel, S->n + 1)));
    size_t rectangles = F->unsymmetric ? 2 * sizes[1] : sizes[1];
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(P->square, sizes[0] + IFD__MOST_LANES),
                      IFD__ARRAY(P->below, rectangles + IFD__MOST_LANES), IFD__ARRAY(P->piece, sizes[2]),
                      IFD__ARRAY(P->panel, P->count)));
    lay_out(S, list, P, F->at, sizes);
    if (F->unsymmetric)
        P->upper = P->below + sizes[1];
    F->numbers[0] = sizes[0];
    F->numbers[1] = rectangles;
    return IFD_OK;
}

/* Supernode and panel of every column. */
static void index_columns(ifd__factor *F)
{
    const ifd__supernodes *S = &F->S;
    int p = 0;
    for (int s = 0; s < S->count; s++) {
        F->cut[s] = p;
        for (; p < F->P.count && F->P.panel[p].first < S->first[s + 1]; p++)
            for (int j = 0; j < F->P.panel[p].width; j++) {
                F->of[F->P.panel[p].first + j] = s;
                F->panel[F->P.panel[p].first + j] = p;
            }
    }
    F->cut[S->count] = p;
    F->P.parts = S->parts;
    for (int k = 0; S->parts && k <= S->parts; k++)
        F->P.part[k] = F->cut[S->part[k]];
    F->P.above = S->parts ? S->first[S->part[S->parts]] : 0;
}

/* One source for every run of rows of a supernode that are columns of another one; rising order. With source NULL it
 * counts in begin[s + 1]; otherwise begin[s + 1] is the next free place of s. */
static void find_sources(ifd__factor *F)
{
    const ifd__supernodes *S = &F->S;
    for (int c = 0; c < S->count; c++) {
        const int *rows = S->rows + S->start[c];
        for (int from = 0, to, count = rows_of(S, c); from < count; from = to) {
            int s = F->of[rows[from]];
            for (to = from + 1; to < count && rows[to] < S->first[s + 1];)
                to++;
            if (F->source)
                F->source[F->begin[s + 1]] = (ifd__source){c, from, to};
            F->begin[s + 1]++;
        }
    }
}

static ifd_status sources_make(ifd_arena *plan, ifd__factor *F)
{
    size_t count = (size_t)F->S.count, sum = 0;
    IFD_TRY(IFD__TAKE(plan, IFD__ARRAY(F->begin, count + 2)));
    find_sources(F);
    for (size_t s = 0; s < count; s++) {
        size_t mine = F->begin[s + 1];
        F->begin[s + 1] = sum;
        sum += mine;
    }
    IFD_TRY(IFD__TAKE(plan, IFD__ARRAY(F->source, sum)));
    find_sources(F);
    return IFD_OK;
}

ifd_status ifd__factor_plan(ifd_arena *plan, ifd_arena *arena, const ifd__supernodes *S, const ifd__kernels *kernels,
                            bool unsymmetric, ifd__factor *out)
{
    *out = (ifd__factor){.S = *S, .kernels = kernels, .clean = true, .unsymmetric = unsymmetric};
    IFD_TRY(panels_make(plan, arena, out));
    index_columns(out);
    return sources_make(plan, out);
}

ifd_status ifd__factor_work_make(ifd_arena *arena, const ifd__factor *F, ifd__factor_work *out)
{
    size_t widest = 0, highest = 0, largest = 0;
    for (int s = 0; s < F->S.count; s++) {
        size_t wide = (size_t)width_of(&F->S, s), high = wide + (size_t)rows_of(&F->S, s);
        widest = wide > widest ? wide : widest;
        highest = high > highest ? high : highest;
    }
    for (const ifd__panel *J = F->P.panel; J < F->P.panel + F->P.count; J++) {
        size_t size = (size_t)J->rows * (size_t)J->width;
        largest = size > largest ? size : largest;
    }
    return IFD__TAKE(arena, IFD__ARRAY(out->local, F->S.n + 1), IFD__ARRAY(out->to, highest + 1),
                     IFD__ARRAY(out->B, widest * WIDEST + 1), IFD__ARRAY(out->square, 2 * IFD__WIDEST * IFD__WIDEST),
                     IFD__ARRAY(out->panel, largest + 1));
}

/* Place of row `row` and column `column` of the factor, row >= column. */
static ptrdiff_t place_of(const ifd__factor *F, int row, int column)
{
    const ifd__supernodes *S = &F->S;
    const ifd__panel *J = &F->P.panel[F->panel[column]];
    int s = F->of[column], first = S->first[s], w = width_of(S, s), end = J->first + J->width - first;
    if (row < J->first + J->width)
        return (ptrdiff_t)J->square + (row - J->first) + (ptrdiff_t)(column - J->first) * J->width;
    int i = row - first;
    if (i >= w) {
        const int *rows = S->rows + S->start[s];
        int low = 0, high = rows_of(S, s);
        while (low < high) {
            int middle = (low + high) / 2;
            if (rows[middle] < row)
                low = middle + 1;
            else
                high = middle;
        }
        i = w + low;
    }
    ifd__tile_place t = ifd__tile_of(w, w + rows_of(S, s), end, J->width, i);
    return -1 - ((ptrdiff_t)J->below + t.at + (ptrdiff_t)(column - J->first) * t.ld);
}

ifd_status ifd__factor_places(ifd_arena *plan, const ifd_sparse *A, ifd__factor *F)
{
    int n = F->S.n, *place;
    F->entries = A->p[n];
    IFD_TRY(IFD__TAKE(plan, IFD__ARRAY(place, n + 1), IFD__ARRAY(F->place, F->entries)));
    for (int k = 0; k < n; k++)
        place[F->S.perm[k]] = k;
    for (int j = 0; j < n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++) {
            int a = place[j], b = place[A->i[k]];
            if (!F->unsymmetric)
                F->place[k] = a < b ? place_of(F, b, a) : place_of(F, a, b);
            else if (a <= b || F->panel[a] == F->panel[b])
                F->place[k] = place_of(F, b, a);
            else
                F->place[k] = place_of(F, a, b) - (F->P.upper - F->P.below);
        }
    return IFD_OK;
}
