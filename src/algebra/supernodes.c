/* SPDX-License-Identifier: MIT */
/* Supernodes: first the columns with nested structures, then merges of child into parent where a model of the
 * solution time predicts a gain. Merging adds explicit zeros (more bytes to read) and saves a panel (its fixed cost
 * and the access to its rows). A child need not be adjacent to its parent: the columns are reordered after all
 * merges. */
#include <stdlib.h>

#include "algebra/supernodes.h"

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

static int *ints(ifd_arena *scratch, int count)
{
    return ifd_arena_array(scratch, (size_t)count + 1, sizeof(int));
}

static bool forest_take(ifd_arena *scratch, int n, forest *f)
{
    int **members[] = {&f->of,   &f->width,  &f->rows, &f->head,  &f->tail,
                       &f->next, &f->parent, &f->into, &f->child, &f->sibling};
    for (size_t k = 0; k < sizeof members / sizeof *members; k++)
        if (!(*members[k] = ints(scratch, n)))
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
    int n = out->n, *mark = ints(scratch, n), *child = ints(scratch, n), *sibling = ints(scratch, n);
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
    *out = (ifd__supernodes){.n = n, .perm = ints(scratch, n), .first = ints(scratch, n), .parent = ints(scratch, n)};
    return out->perm && out->first && out->parent ? IFD_OK : IFD_NO_MEMORY;
}

ifd_status ifd__supernodes_make(ifd_arena *scratch, const ifd__pattern *g, const ifd__ordering *ordering,
                                ifd__supernodes *out)
{
    forest f;
    int n = g->n, *stack = ints(scratch, n), *label = ints(scratch, n), *place = ints(scratch, n);
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
    out->rows = ints(scratch, 0);
    if (!out->start || !out->rows)
        return IFD_NO_MEMORY;
    out->count = n > 0;
    out->first[out->count] = n;
    out->parent[0] = -1;
    for (int j = 0; j < n; j++)
        out->perm[j] = j;
    return IFD_OK;
}
