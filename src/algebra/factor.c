/* SPDX-License-Identifier: MIT */
/* Left-looking supernodal Cholesky by panels. After the products of earlier columns, the diagonal block of a panel is
 * factored and inverted, and the rows below are multiplied by that inverse. */
#include <math.h>
#include <string.h>

#include "algebra/factor_inside.h"
#include "algebra/team.h"
#include "base/arena.h"

/* Products that a panel receives: of each earlier supernode with rows among its columns, in rising order, then of the
 * earlier panels of its own supernode. */

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

/* Subtracts the products of all earlier supernodes and panels. */
IFD_RT static void products_subtract(const ifd__target *t)
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

/* A pivot below this share of its diagonal entry has no digits left. */
static const double LOST = 1e-13;

/* Panel q of supernode s, all of its rows. */
IFD_RT static ifd__target target_of(const ifd__factor *F, const ifd__factor_work *w, int s, int q)
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
IFD_RT static int factor_eliminate(const ifd__target *t)
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
IFD_RT static void factor_scale(const ifd__target *t)
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

/* Sets w->local for supernode s: before the products of its panels. */
IFD_RT static void factor_enter(const ifd__factor *F, const ifd__factor_work *w, int s)
{
    const ifd__supernodes *S = &F->S;
    int first = S->first[s], width = S->first[s + 1] - first;
    for (int j = 0; j < width; j++)
        w->local[first + j] = j;
    for (size_t k = S->start[s]; k < S->start[s + 1]; k++)
        w->local[S->rows[k]] = width + (int)(k - S->start[s]);
}

/* All of this for all panels of supernode s; row of the first bad pivot, or -1. */
IFD_RT static int factor_supernode(const ifd__factor *F, const ifd__factor_work *w, int s)
{
    factor_enter(F, w, s);
    for (int q = F->cut[s]; q < F->cut[s + 1]; q++) {
        const ifd__target t = target_of(F, w, s, q);
        products_subtract(&t);
        int bad = factor_eliminate(&t);
        if (bad >= 0)
            return bad;
        factor_scale(&t);
    }
    return -1;
}

/* Enters the entries of the matrix into cleared panels. */
IFD_RT static void factor_fill(ifd__factor *F, const double *x)
{
    if (!F->clean) {
        memset(F->P.square, 0, sizeof(double) * F->numbers[0]);
        memset(F->P.below, 0, sizeof(double) * F->numbers[1]);
    }
    F->clean = false;
    for (int k = 0; k < F->entries; k++)
        *(F->place[k] >= 0 ? &F->P.square[F->place[k]] : &F->P.below[-1 - F->place[k]]) = x[k];
}

/* Replaces L by the form of kernels.h in the panels of supernode s. */
IFD_RT static void factor_pack(const ifd__factor *F, const ifd__factor_work *w, int s)
{
    for (int q = F->cut[s]; q < F->cut[s + 1]; q++) {
        const ifd__target t = target_of(F, w, s, q);
        if (F->unsymmetric)
            ifd__lu_pack(&t);
        else
            pack(&t);
    }
}

static int factorise(ifd__factor *F, const double *x)
{
    factor_fill(F, x);
    for (int s = 0; s < F->S.count; s++) {
        int bad = factor_supernode(F, &F->work, s);
        if (bad >= 0)
            return bad;
    }
    return -1;
}

int ifd__factor_numbers(ifd__factor *F, const double *x)
{
    int bad = factorise(F, x);
    for (int s = 0; s < F->S.count && bad < 0; s++)
        factor_pack(F, &F->work, s);
    return bad;
}

ifd_status ifd__factor_inertia(ifd_arena *scratch, const ifd_sparse *A, ifd__factor *F, int *negative)
{
    int n = F->S.n;
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(F->sign, n)));
    for (int k = 0; k < n; k++)
        F->sign[k] = fabs(ifd__sparse_get(A, F->S.perm[k], F->S.perm[k]));
    if (factorise(F, A->x) >= 0)
        return IFD_SINGULAR;
    *negative = 0;
    for (int k = 0; k < n; k++)
        *negative += F->sign[k] < 0.0;
    return IFD_OK;
}

/* The factorisation on several threads. Subtrees of the elimination tree with little work are computed by one thread
 * each, in any order. In the supernodes above them all threads share the rows of each panel. Every number is the same
 * sum in the same order, so the factor does not depend on the number of threads. */

enum { SHARES = 8 /* subtrees for each thread, about: the last ones fill the gaps */, GROUP = 16 };

typedef struct range {
    int first, last;
} range;

typedef struct plan {
    ifd__factor *F;
    ifd__factor_work *work; /* of every thread */
    int tasks, tops;
    range *task; /* supernodes of a subtree */
    int *top;    /* supernodes above them, rising */
    int *bad;    /* per task: bad row or -1; the last one is that of the supernodes above */
} plan;

double ifd__factor_operations(const ifd__supernodes *S, int s)
{
    double w = S->first[s + 1] - S->first[s], high = w + (double)(S->start[s + 1] - S->start[s]);
    return w * (high * high - w * (high - w / 3.0));
}

/* Divides the tree: a subtree with at most `limit` operations becomes a task. */
static ifd_status divide(ifd_arena *scratch, double share, plan *p)
{
    const ifd__supernodes *S = &p->F->S;
    size_t count = (size_t)S->count + 1;
    double *below, total = 0.0;
    int *low;
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(below, count), IFD__ARRAY(low, count), IFD__ARRAY(p->task, count),
                      IFD__ARRAY(p->top, count)));
    for (int s = 0; s < S->count; s++)
        low[s] = s;
    for (int s = 0; s < S->count; s++) {
        double own = ifd__factor_operations(S, s);
        int up = S->parent[s];
        total += own;
        below[s] += own;
        if (up < 0)
            continue;
        below[up] += below[s];
        low[up] = low[s] < low[up] ? low[s] : low[up];
    }
    for (int s = 0; s < S->count; s++) {
        int up = S->parent[s];
        if (below[s] > share * total)
            p->top[p->tops++] = s;
        else if (up < 0 || below[up] > share * total)
            p->task[p->tasks++] = (range){low[s], s};
    }
    return IFD__TAKE(scratch, IFD__ARRAY(p->bad, (size_t)p->tasks + 1));
}

static int subtree(const plan *p, const range *r, int me)
{
    for (int s = r->first; s <= r->last; s++) {
        int bad = factor_supernode(p->F, &p->work[me], s);
        if (bad >= 0)
            return bad;
    }
    return -1;
}

/* Rows of thread me of `size`, in whole tiles. */
static void own_rows(ifd__target *t, int me, int size)
{
    int rows = t->high - t->end, edge[2];
    for (int k = 0; k < 2; k++) {
        int i = t->end + (int)((int64_t)rows * (me + k) / size);
        i -= (i - t->width) & (IFD__TILE - 1);
        edge[k] = me + k == 0 || i < t->end ? t->end : me + k == size ? t->high : i;
    }
    t->from = edge[0];
    t->to = edge[1];
    t->square_too = me == 0;
}

/* One supernode by all threads. */
static void shared(const plan *p, int s, ifd__team *team, int me)
{
    const ifd__factor *F = p->F;
    int *bad = &p->bad[p->tasks];
    factor_enter(F, &p->work[me], s);
    for (int q = F->cut[s]; q < F->cut[s + 1] && *bad < 0; q++) {
        ifd__target t = target_of(F, &p->work[me], s, q);
        own_rows(&t, me, ifd__team_size(team));
        products_subtract(&t);
        ifd__team_meet(team);
        if (me == 0)
            *bad = factor_eliminate(&t);
        ifd__team_meet(team);
        if (*bad < 0)
            factor_scale(&t);
        ifd__team_meet(team);
    }
}

static int first_bad(const plan *p)
{
    for (int k = 0; k <= p->tasks; k++)
        if (p->bad[k] >= 0)
            return p->bad[k];
    return -1;
}

static void job(void *argument, ifd__team *team, int me)
{
    const plan *p = argument;
    const ifd__factor *F = p->F;
    for (int k; (k = ifd__team_next(team, 0)) < p->tasks;)
        p->bad[k] = subtree(p, &p->task[k], me);
    ifd__team_meet(team);
    bool good = first_bad(p) < 0;
    for (int k = 0; k < p->tops && good; k++) {
        shared(p, p->top[k], team, me);
        good = p->bad[p->tasks] < 0;
    }
    for (int k; good && (k = GROUP * ifd__team_next(team, 1)) < F->S.count;)
        for (int s = k; s < k + GROUP && s < F->S.count; s++)
            factor_pack(F, &p->work[me], s);
}

ifd_status ifd__factor_numbers_by(ifd_arena *scratch, int threads, ifd__factor *F, const double *x, int *bad)
{
    plan p = {.F = F};
    threads = threads > IFD__TEAM_MOST ? IFD__TEAM_MOST : threads;
    if (threads < 2) {
        *bad = ifd__factor_numbers(F, x);
        return IFD_OK;
    }
    IFD_TRY(divide(scratch, 1.0 / (SHARES * threads), &p));
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(p.work, threads)));
    p.work[0] = F->work;
    for (int k = 1; k < threads; k++)
        IFD_TRY(ifd__factor_work_make(scratch, F, &p.work[k]));
    for (int k = 0; k <= p.tasks; k++)
        p.bad[k] = -1;
    factor_fill(F, x);
    ifd__team_run(threads, job, &p);
    *bad = first_bad(&p);
    return IFD_OK;
}
