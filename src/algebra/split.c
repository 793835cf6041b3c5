/* SPDX-License-Identifier: MIT */
/* Division of a large factor into parts that depend on each other only through the supernodes above them. Each part
 * is a set of subtrees; it adds its products for the rows above to numbers of its own, which are summed in the order
 * of the parts. So the parts may be solved in any order and on any threads. The division depends on the pattern only,
 * and one thread uses it as well. */
#include <stdlib.h>
#include <string.h>

#include "algebra/supernodes.h"

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

static int rising(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
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
    int best = -1, *list = ifd_arena_array(scratch, (size_t)S->count + 1, sizeof *list);
    double least = 0.0;
    IFD_TRY(tree_make(scratch, S, &t));
    if (!list)
        return IFD_NO_MEMORY;
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
