/* SPDX-License-Identifier: MIT */
/* Products that a panel receives: of each earlier supernode with rows among its columns, in rising order, then of the
 * earlier panels of its own supernode. */
#include "algebra/factor_inside.h"

enum { TILE = IFD__TILE };

/* Product of one source. Indices are local rows of the source. */
typedef struct product {
    const ifd__target *t;
    const ifd__panel *first, *last; /* panels of the source */
    int base, width, high;          /* first column, columns and local rows of the source */
    int column, columns;            /* rows of the source that are columns of the target */
    int place[IFD__WIDEST];         /* of these columns in the target */
    int from, to;                   /* rows of the source that are rows below of the target */
} product;

/* B: for each panel of the source and each eight columns of the target, their rows transposed; zeros fill up. */
static void gather(const product *p)
{
    double *B = p->t->w->B;
    const double *sign = p->t->F->sign;
    for (const ifd__panel *J = p->first; J < p->last; J++) {
        int end = J->first + J->width - p->base;
        const double *across = p->t->across + J->below;
        for (int g = 0; g < p->columns; g += TILE, B += J->width * TILE)
            for (int j = 0; j < TILE; j++) {
                if (g + j >= p->columns) {
                    for (int k = 0; k < J->width; k++)
                        B[k * TILE + j] = 0.0;
                    continue;
                }
                ifd__tile_place t = ifd__tile_of(p->width, p->high, end, J->width, p->column + g + j);
                for (int k = 0; k < J->width; k++)
                    B[k * TILE + j] = across[t.at + (ptrdiff_t)k * t.ld];
                for (int k = 0; sign && k < J->width; k++)
                    B[k * TILE + j] *= sign[J->first + k];
            }
    }
}

/* C := `tiles` tiles of the source from row i, of `rows` rows each, times columns g .. g + 7 of the target. */
static void multiply(const product *p, int g, int i, int tiles, int rows, double *C)
{
    int groups = (p->columns + TILE - 1) / TILE;
    const double *B = p->t->w->B;
    for (const ifd__panel *J = p->first; J < p->last; J++) {
        int end = J->first + J->width - p->base;
        ifd__tile_place t = ifd__tile_of(p->width, p->high, end, J->width, i);
        const ifd__tiles T = {.count = tiles,
                              .rows = rows,
                              .k = J->width,
                              .A = p->t->rows + J->below + t.at,
                              .B = B + (ptrdiff_t)(g / TILE) * J->width * TILE,
                              .ld = t.ld,
                              .stride = (ptrdiff_t)TILE * J->width};
        p->t->F->kernels->outer(&T, J > p->first, C);
        B += (ptrdiff_t)groups * J->width * TILE;
    }
}

/* Rows from i to the end of their tile, or to the given end. */
static int rows_of_tile(const product *p, int i, int end)
{
    int rows = TILE - ((i - p->width) & (TILE - 1));
    return rows < end - i ? rows : end - i;
}

/* The part in the square: its lower triangle if the matrix is symmetric. */
static void apply_square(const product *p)
{
    double C[TILE * TILE];
    const ifd__target *t = p->t;
    bool whole = t->F->unsymmetric;
    for (int i = 0, rows; i < p->columns; i += rows) {
        rows = rows_of_tile(p, p->column + i, p->column + p->columns);
        for (int g = 0; g < (whole ? p->columns : i + rows); g += TILE) {
            multiply(p, g, p->column + i, 1, rows, C);
            for (int j = g; j < p->columns && j < g + TILE; j++)
                for (int r = j > i && !whole ? j - i : 0; r < rows; r++)
                    t->square[p->place[i + r] + p->place[j] * t->J->width] -= C[r + (j - g) * TILE];
        }
    }
}

/* Subtracts one tile, columns g .. g + 7, from rows of the target that are at to and have the steps ld. */
static void subtract(const product *p, int g, int rows, const double *C, const ifd__row_place *to)
{
    int columns = p->columns - g < TILE ? p->columns - g : TILE;
    const int *column = p->place + g;
    double *below = p->t->below;
    if (rows == TILE && to[TILE - 1].at - to[0].at == TILE - 1 && to[0].ld == TILE && to[TILE - 1].ld == TILE) {
        for (int j = 0; j < columns; j++) {
            double *at = below + to[0].at + (ptrdiff_t)column[j] * TILE;
            for (int i = 0; i < TILE; i++)
                at[i] -= C[i + j * TILE];
        }
        return;
    }
    for (int i = 0; i < rows; i++) {
        double *at = below + to[i].at;
        for (int j = 0; j < columns; j++)
            at[(ptrdiff_t)column[j] * to[i].ld] -= C[i + j * TILE];
    }
}

/* The part below; w->to has the places of the rows. */
static void apply_below(const product *p)
{
    double C[IFD__TILES * TILE * TILE];
    const ifd__row_place *to = p->t->w->to;
    for (int i = p->from, done; i < p->to; i += done, to += done) {
        int rows = rows_of_tile(p, i, p->to), tiles = 1;
        if (rows == TILE) {
            tiles = (p->to - i) / TILE;
            tiles = tiles < IFD__TILES ? tiles : IFD__TILES;
        }
        for (int g = 0; g < p->columns; g += TILE) {
            multiply(p, g, i, tiles, rows, C);
            for (int k = 0; k < tiles; k++)
                subtract(p, g, rows, C + k * TILE * TILE, to + k * TILE);
        }
        done = tiles * rows;
    }
}

static ifd__row_place place_of(const ifd__target *t, int row)
{
    ifd__tile_place at = ifd__tile_of(t->width, t->high, t->end, t->J->width, row);
    return (ifd__row_place){at.at, at.ld};
}

static void apply(const product *p)
{
    if (!p->t->square_too && p->from >= p->to)
        return;
    gather(p);
    if (p->t->square_too)
        apply_square(p);
    apply_below(p);
}

/* First of the sorted rows whose local row is not below `least`. */
static int first_row(const int *rows, int from, int to, const int *local, int least)
{
    while (from < to) {
        int middle = from + (to - from) / 2;
        if (local[rows[middle]] < least)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static void apply_source(const ifd__target *t, const ifd__source *source)
{
    const ifd__supernodes *S = &t->F->S;
    const int *rows = S->rows + S->start[source->c], *local = t->w->local, first = t->J->first;
    int count = (int)(S->start[source->c + 1] - S->start[source->c]), begin = S->first[source->c];
    int width = S->first[source->c + 1] - begin, from, to;
    from = first_row(rows, source->from, source->to, local, t->end - t->J->width);
    to = first_row(rows, from, source->to, local, t->end);
    if (from == to)
        return;
    product p = {.t = t,
                 .first = t->F->P.panel + t->F->cut[source->c],
                 .last = t->F->P.panel + t->F->cut[source->c + 1],
                 .base = begin,
                 .width = width,
                 .high = width + count,
                 .column = width + from,
                 .columns = to - from};
    for (int k = from; k < to; k++)
        p.place[k - from] = rows[k] - first;
    from = first_row(rows, to, count, local, t->from);
    to = first_row(rows, from, count, local, t->to);
    for (int k = from; k < to; k++)
        t->w->to[k - from] = place_of(t, local[rows[k]]);
    p.from = width + from;
    p.to = width + to;
    apply(&p);
}

static void apply_own(const ifd__target *t)
{
    product p = {.t = t,
                 .first = t->F->P.panel + t->F->cut[t->s],
                 .last = t->J,
                 .base = t->F->S.first[t->s],
                 .width = t->width,
                 .high = t->high,
                 .column = t->end - t->J->width,
                 .columns = t->J->width,
                 .from = t->from,
                 .to = t->to};
    if (p.first == p.last)
        return;
    for (int j = 0; j < p.columns; j++)
        p.place[j] = j;
    for (int i = t->from; i < t->to; i++)
        t->w->to[i - t->from] = place_of(t, i);
    apply(&p);
}

static void subtract_all(const ifd__target *t)
{
    for (size_t k = t->F->begin[t->s]; k < t->F->begin[t->s + 1]; k++)
        apply_source(t, &t->F->source[k]);
    apply_own(t);
}

void ifd__products_subtract(const ifd__target *t)
{
    subtract_all(t);
    if (!t->F->unsymmetric)
        return;
    ifd__target upper = *t;
    upper.below = t->F->P.upper + t->J->below;
    upper.rows = t->across;
    upper.across = t->rows;
    upper.square_too = false;
    subtract_all(&upper);
}
