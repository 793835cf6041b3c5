/* SPDX-License-Identifier: MIT */
/* Supernodes: first the columns with nested structures, then merges of child into parent where a model of the
 * solution time predicts a gain. Merging adds explicit zeros (more bytes to read) and saves a panel (its fixed cost
 * and the access to its rows). A child need not be adjacent to its parent: the columns are reordered after all
 * merges. */
#include <stdlib.h>
#include <string.h>

#include "algebra/supernodes.h"
#include "base/arena.h"

/* Unit: the time to read one number. The two sweeps spend these times per panel and per row of its list. */
static const double panel_cost = 80.0, row_cost = 1.0;

static double cost(double width, double rows)
{
    return width * (2.0 * rows + width) + panel_cost + row_cost * rows;
}

/* Rows as the vector kernels process them: runs, each rounded up to a multiple of 4. */
static double padded_rows(const ifd__supernodes *S, int s)
{
    long padded = 0;
    for (size_t k = S->start[s]; k < S->start[s + 1];) {
        size_t length = 1;
        while (k + length < S->start[s + 1] && S->rows[k + length] == S->rows[k] + (int)length)
            length++;
        padded += (long)(length + 3) / 4 * 4;
        k += length;
    }
    return (double)padded;
}

double ifd__supernodes_cost(const ifd__supernodes *S)
{
    double sum = 0.0;
    for (int s = 0; s < S->count; s++)
        sum += cost(S->first[s + 1] - S->first[s], padded_rows(S, s));
    return sum;
}

/* Before the columns are reordered. */
typedef struct forest {
    int count;
    int *of;           /* column -> supernode */
    int *width, *rows; /* of a supernode; rows below */
    int *head, *tail;  /* columns as a list through next, in elimination order */
    int *next;         /* column -> column */
    int *parent;       /* supernode -> supernode; after a merge only roots of `into` are valid */
    int *into;         /* merged into, or -1 */
    int *child, *sibling;
} forest;

static bool forest_take(ifd_arena *scratch, int n, forest *f)
{
    int **members[] = {&f->of,   &f->width,  &f->rows, &f->head,  &f->tail,
                       &f->next, &f->parent, &f->into, &f->child, &f->sibling};
    for (size_t k = 0; k < sizeof members / sizeof *members; k++)
        if (!(*members[k] = ifd__ints(scratch, n)))
            return false;
    return true;
}

/* Columns j and j+1 form a supernode if j+1 is the parent of j and the structure of j is that of j+1 plus j. */
static void fundamental(const ifd__ordering *o, forest *f)
{
    f->count = 0;
    for (int j = 0; j < o->n; j++) {
        bool joins = j > 0 && o->parent[j - 1] == j && o->count[j - 1] == o->count[j] + 1;
        int s = joins ? f->count - 1 : f->count++;
        f->of[j] = s;
        f->next[j] = -1;
        if (joins)
            f->next[j - 1] = j;
        else
            f->head[s] = j;
        f->tail[s] = j;
        f->width[s]++;
        f->rows[s] = o->count[j] - 1;
    }
    for (int s = 0; s < f->count; s++)
        f->child[s] = f->into[s] = -1;
    for (int s = f->count - 1; s >= 0; s--) {
        int up = o->parent[f->tail[s]];
        f->parent[s] = up < 0 ? -1 : f->of[up];
        if (up >= 0) {
            f->sibling[s] = f->child[f->of[up]];
            f->child[f->of[up]] = s;
        }
    }
}

/* The columns of the child come before those of the parent; its children become children of the parent, at the front
 * of the remaining list. */
static int merge(forest *f, int c, int p, int rest)
{
    f->into[c] = p;
    f->width[p] += f->width[c];
    f->next[f->tail[c]] = f->head[p];
    f->head[p] = f->head[c];
    while (f->child[c] >= 0) {
        int grandchild = f->child[c];
        f->child[c] = f->sibling[grandchild];
        f->parent[grandchild] = p;
        f->sibling[grandchild] = rest;
        rest = grandchild;
    }
    return rest;
}

static void relax(forest *f)
{
    for (int p = 0; p < f->count; p++) {
        int kept = -1, rest = f->child[p];
        while (rest >= 0) {
            int c = rest;
            rest = f->sibling[c];
            double apart = cost(f->width[c], f->rows[c]) + cost(f->width[p], f->rows[p]);
            if (cost(f->width[c] + f->width[p], f->rows[p]) < apart) {
                rest = merge(f, c, p, rest);
            } else {
                f->sibling[c] = kept;
                kept = c;
            }
        }
        f->child[p] = kept;
    }
}

static int rising(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Numbers the remaining supernodes in postorder and writes the permutation; place: original column -> new. */
static void number(const ifd__ordering *o, forest *f, int *stack, int *label, int *place, ifd__supernodes *out)
{
    int column = 0, top;
    out->count = 0;
    for (int root = 0; root < f->count; root++) {
        if (f->into[root] >= 0 || f->parent[root] >= 0)
            continue;
        top = 0;
        stack[top++] = root;
        while (top) {
            int s = stack[top - 1];
            if (f->child[s] >= 0) {
                stack[top++] = f->child[s];
                f->child[s] = f->sibling[f->child[s]];
                continue;
            }
            top--;
            label[s] = out->count;
            out->parent[out->count] = f->parent[s]; /* replaced by a label when all are known */
            out->first[out->count++] = column;
            for (int j = f->head[s]; j >= 0; j = f->next[j])
                out->perm[column++] = o->perm[j];
            /* Within a supernode any order is valid; the original one keeps the dofs of a node together. */
            qsort(out->perm + out->first[out->count - 1], (size_t)(column - out->first[out->count - 1]), sizeof(int),
                  rising);
        }
    }
    out->first[out->count] = column;
    for (int k = 0; k < column; k++)
        place[out->perm[k]] = k;
    for (int s = 0; s < out->count; s++)
        if (out->parent[s] >= 0)
            out->parent[s] = label[out->parent[s]];
}

static ifd_status rows_take(ifd_arena *scratch, const forest *f, ifd__supernodes *out)
{
    size_t room = 0;
    for (int s = 0; s < f->count; s++)
        if (f->into[s] < 0)
            room += (size_t)f->rows[s];
    out->start = ifd_arena_array(scratch, (size_t)out->count + 1, sizeof *out->start);
    out->rows = ifd_arena_array(scratch, room + 1, sizeof *out->rows);
    return out->start && out->rows ? IFD_OK : IFD_NO_MEMORY;
}

/* Rows of a supernode below it: those of its columns and of its children, without repetition, sorted. */
static ifd_status rows_make(ifd_arena *scratch, const ifd__pattern *g, const int *place, ifd__supernodes *out)
{
    int n = out->n, *mark = ifd__ints(scratch, n), *child = ifd__ints(scratch, n), *sibling = ifd__ints(scratch, n);
    if (!mark || !child || !sibling)
        return IFD_NO_MEMORY;
    for (int s = 0; s < out->count; s++)
        child[s] = -1;
    size_t used = 0;
    for (int s = 0; s < out->count; s++) {
        int last = out->first[s + 1] - 1;
        out->start[s] = used;
#define TAKE(r)                                                                                                      \
    if ((r) > last && mark[r] != s + 1) {                                                                            \
        mark[r] = s + 1;                                                                                             \
        out->rows[used++] = (r);                                                                                     \
    }
        for (int j = out->first[s]; j <= last; j++)
            for (int k = g->p[out->perm[j]]; k < g->p[out->perm[j] + 1]; k++)
                TAKE(place[g->i[k]])
        for (int c = child[s]; c >= 0; c = sibling[c])
            for (size_t k = out->start[c]; k < out->start[c + 1]; k++)
                TAKE(out->rows[k])
#undef TAKE
        out->start[s + 1] = used;
        qsort(out->rows + out->start[s], used - out->start[s], sizeof(int), rising);
        if (out->parent[s] >= 0) {
            sibling[s] = child[out->parent[s]];
            child[out->parent[s]] = s;
        }
    }
    return IFD_OK;
}

static ifd_status take(ifd_arena *scratch, int n, ifd__supernodes *out)
{
    *out = (ifd__supernodes){
        .n = n, .perm = ifd__ints(scratch, n), .first = ifd__ints(scratch, n), .parent = ifd__ints(scratch, n)};
    return out->perm && out->first && out->parent ? IFD_OK : IFD_NO_MEMORY;
}

ifd_status ifd__supernodes_make(ifd_arena *scratch, const ifd__pattern *g, const ifd__ordering *ordering,
                                ifd__supernodes *out)
{
    forest f;
    int n = g->n, *stack = ifd__ints(scratch, n), *label = ifd__ints(scratch, n), *place = ifd__ints(scratch, n);
    IFD_TRY(take(scratch, n, out));
    if (!stack || !label || !place || !forest_take(scratch, n, &f))
        return IFD_NO_MEMORY;
    fundamental(ordering, &f);
    relax(&f);
    number(ordering, &f, stack, label, place, out);
    IFD_TRY(rows_take(scratch, &f, out));
    return rows_make(scratch, g, place, out);
}

ifd_status ifd__supernodes_dense(ifd_arena *scratch, int n, ifd__supernodes *out)
{
    IFD_TRY(take(scratch, n, out));
    out->start = ifd_arena_array(scratch, 2, sizeof *out->start);
    out->rows = ifd__ints(scratch, 0);
    if (!out->start || !out->rows)
        return IFD_NO_MEMORY;
    out->count = n > 0;
    out->first[out->count] = n;
    out->parent[0] = -1;
    for (int j = 0; j < n; j++)
        out->perm[j] = j;
    return IFD_OK;
}

/* Division of a large factor into parts that depend on each other only through the supernodes above them. Each part
 * is a set of subtrees; it adds its products for the rows above to numbers of its own, which are summed in the order
 * of the parts. So the parts may be solved in any order and on any threads. The division depends on the pattern only,
 * and one thread uses it as well. */

enum { PARTS = IFD__PARTS };

/* Numbers of a factor whose solution takes about 100 us: below it, threads gain little. */
static const double LARGE = 4e5;

typedef struct tree {
    const ifd__supernodes *S;
    double *own, *below, total; /* numbers of a supernode, of its subtree */
    int *low;                   /* first supernode of the subtree */
    int *part;                  /* of a supernode; PARTS: above */
    double size[PARTS + 1];
} tree;

static ifd_status tree_make(ifd_arena *scratch, const ifd__supernodes *S, tree *t)
{
    size_t count = (size_t)S->count + 1;
    *t = (tree){.S = S};
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(t->own, count), IFD__ARRAY(t->below, count), IFD__ARRAY(t->low, count),
                      IFD__ARRAY(t->part, count)));
    for (int s = 0; s < S->count; s++)
        t->low[s] = s;
    for (int s = 0; s < S->count; s++) {
        double w = S->first[s + 1] - S->first[s], rows = (double)(S->start[s + 1] - S->start[s]);
        int up = S->parent[s];
        t->own[s] = w * (rows + w / 2.0);
        t->below[s] += t->own[s];
        t->total += t->own[s];
        if (up < 0)
            continue;
        t->below[up] += t->below[s];
        t->low[up] = t->low[s] < t->low[up] ? t->low[s] : t->low[up];
    }
    return IFD_OK;
}

/* The subtrees of at most `share` of the numbers, the next largest always into the smallest part. */
static void deal(tree *t, double share, int *list)
{
    const ifd__supernodes *S = t->S;
    int count = 0;
    memset(t->size, 0, sizeof t->size);
    for (int s = 0; s < S->count; s++) {
        int up = S->parent[s];
        t->part[s] = PARTS;
        if (t->below[s] > share * t->total)
            t->size[PARTS] += t->own[s];
        else if (up < 0 || t->below[up] > share * t->total)
            list[count++] = s;
    }
    for (int sorted = 0; sorted < count; sorted++) {
        int most = sorted, least = 0;
        for (int k = sorted + 1; k < count && sorted < 8 * PARTS; k++) /* the rest is small */
            most = t->below[list[k]] > t->below[list[most]] ? k : most;
        int s = list[most];
        list[most] = list[sorted];
        list[sorted] = s;
        for (int p = 1; p < PARTS; p++)
            least = t->size[p] < t->size[least] ? p : least;
        t->size[least] += t->below[s];
        for (int k = t->low[s]; k <= s; k++)
            t->part[k] = least;
    }
}

/* Modelled time with two and with four threads. */
static double time_of(const tree *t)
{
    double most = 0.0, sum = 0.0;
    for (int p = 0; p < PARTS; p++) {
        most = t->size[p] > most ? t->size[p] : most;
        sum += t->size[p];
    }
    double two = sum / 2.0 > most ? sum / 2.0 : most, four = sum / 4.0 > most ? sum / 4.0 : most;
    return 2.0 * t->size[PARTS] + two + four;
}

/* The supernodes of part 0, of part 1, ..., then those above. Children still precede their parents. */
static ifd_status reorder(ifd_arena *scratch, const tree *t, ifd__supernodes *out)
{
    const ifd__supernodes *S = t->S;
    int count = S->count, *order, *label, *place, used = 0, column = 0;
    *out = (ifd__supernodes){.n = S->n, .count = count, .parts = PARTS};
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(order, count), IFD__ARRAY(label, count), IFD__ARRAY(place, S->n + 1),
                      IFD__ARRAY(out->perm, S->n + 1), IFD__ARRAY(out->first, count + 1),
                      IFD__ARRAY(out->parent, count + 1), IFD__ARRAY(out->start, count + 1),
                      IFD__ARRAY(out->rows, S->start[count] + 1)));
    for (int p = 0; p <= PARTS; p++) {
        out->part[p] = used;
        for (int s = 0; s < count; s++)
            if (t->part[s] == p) {
                label[s] = used;
                order[used++] = s;
            }
    }
    for (int k = 0; k < count; k++) {
        int s = order[k];
        out->first[k] = column;
        out->parent[k] = S->parent[s] < 0 ? -1 : label[S->parent[s]];
        for (int j = S->first[s]; j < S->first[s + 1]; j++) {
            out->perm[column] = S->perm[j];
            place[j] = column++;
        }
    }
    out->first[count] = column;
    for (int k = 0; k < count; k++) {
        size_t from = S->start[order[k]], rows = S->start[order[k] + 1] - from, to = out->start[k];
        for (size_t i = 0; i < rows; i++)
            out->rows[to + i] = place[S->rows[from + i]];
        qsort(out->rows + to, rows, sizeof(int), rising);
        out->start[k + 1] = to + rows;
    }
    return IFD_OK;
}

ifd_status ifd__supernodes_split(ifd_arena *scratch, ifd__supernodes *S)
{
    static const double shares[] = {0.6, 0.4, 0.3, 0.2, 0.15, 0.1, 0.06, 0.03};
    const int many = (int)(sizeof shares / sizeof *shares);
    tree t;
    int best = -1, *list;
    double least = 0.0;
    IFD_TRY(tree_make(scratch, S, &t));
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(list, (size_t)S->count + 1)));
    if (t.total < LARGE)
        return IFD_OK;
    for (int k = 0; k < many; k++) {
        deal(&t, shares[k], list);
        double time = time_of(&t);
        if (best < 0 || time < least) {
            best = k;
            least = time;
        }
    }
    if (least > 1.6 * t.total) /* of 2: hardly anything to share */
        return IFD_OK;
    deal(&t, shares[best], list);
    ifd__supernodes divided;
    IFD_TRY(reorder(scratch, &t, &divided));
    *S = divided;
    return IFD_OK;
}
