/* SPDX-License-Identifier: MIT */
/* Finds the blocks of condensed dofs that no matrix connects. */
#include "model/build/blocks.h"

#include <stdlib.h>

static int root_of(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* Calls visit for every stored nonzero of the three matrices. */
static void each_entry(ifd__blocks *w, void (*visit)(ifd__blocks *w, int which, int i, int j))
{
    for (int a = 0; a < 3; a++) {
        const ifd_sparse *A = &w->s->A[a];
        for (int j = 0; j < A->n; j++)
            for (int k = A->p[j]; k < A->p[j + 1]; k++)
                if (A->x[k] != 0.0)
                    visit(w, a, A->i[k], j);
    }
}

static void unite(ifd__blocks *w, int which, int i, int j)
{
    (void)which;
    if (ifd__is_slave(w, i) && ifd__is_slave(w, j)) {
        int a = root_of(w->block_of, i), c = root_of(w->block_of, j);
        w->block_of[a > c ? a : c] = a > c ? c : a;
    }
}

static void mark_used(ifd__blocks *w, int which, int i, int j)
{
    if (ifd__is_slave(w, i) || ifd__is_slave(w, j))
        w->block[w->block_of[ifd__is_slave(w, i) ? i : j]].used[which] = true;
}

/* Numbers kept dofs and blocks, and lists the slaves of each block. */
static ifd_status find_slaves(ifd__blocks *w)
{
    int n = w->s->n;
    int *list;
    IFD_TRY(IFD__TAKE(w->arena, IFD__ARRAY(w->block_of, n), IFD__ARRAY(w->local, w->size),
                      IFD__ARRAY(w->number, w->size), IFD__ARRAY(list, n)));
    for (int i = 0; i < n; i++)
        w->block_of[i] = i;
    each_entry(w, unite);
    for (int i = 0; i < n; i++)
        w->block_of[i] = root_of(w->block_of, i);
    for (int i = 0; i < w->size; i++)
        if (!ifd__is_slave(w, i))
            w->number[i] = i < n ? w->n++ : w->n + i - n;
        else
            w->nblock += w->block_of[i] == i;
    w->block = ifd_arena_array(w->arena, (size_t)w->nblock, sizeof *w->block);
    if (!w->block)
        return IFD_NO_MEMORY;
    /* The root is the smallest dof of its block, so it comes before the others. */
    int next = 0;
    for (int i = 0; i < n; i++)
        if (ifd__is_slave(w, i)) {
            int root = w->block_of[i];
            w->block_of[i] = root == i ? next++ : w->block_of[root];
            w->local[i] = w->block[w->block_of[i]].ns++;
        }
    for (int c = 0, at = 0; c < w->nblock; at += w->block[c++].ns)
        w->block[c].slave = list + at;
    for (int i = 0; i < n; i++)
        if (ifd__is_slave(w, i))
            w->block[w->block_of[i]].slave[w->local[i]] = i;
    each_entry(w, mark_used);
    return IFD_OK;
}

static void count_pair(ifd__blocks *w, int which, int i, int j)
{
    (void)which;
    if (ifd__is_slave(w, i) != ifd__is_slave(w, j))
        w->block[w->block_of[ifd__is_slave(w, i) ? i : j]].nk++;
}

static void put_pair(ifd__blocks *w, int which, int i, int j)
{
    (void)which;
    if (ifd__is_slave(w, i) != ifd__is_slave(w, j)) {
        ifd__block *c = &w->block[w->block_of[ifd__is_slave(w, i) ? i : j]];
        c->kept[c->nk++] = ifd__is_slave(w, i) ? j : i;
    }
}

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Lists the kept neighbours of each block, sorted, without repetition. */
static ifd_status find_neighbours(ifd__blocks *w)
{
    each_entry(w, count_pair);
    for (int c = 0; c < w->nblock; c++) {
        w->block[c].kept = ifd_arena_array(w->arena, (size_t)w->block[c].nk, sizeof(int));
        if (!w->block[c].kept)
            return IFD_NO_MEMORY;
        w->block[c].nk = 0;
    }
    each_entry(w, put_pair);
    for (int c = 0; c < w->nblock; c++) {
        ifd__block *k = &w->block[c];
        qsort(k->kept, (size_t)k->nk, sizeof *k->kept, by_value);
        int unique = 0;
        for (int i = 0; i < k->nk; i++)
            if (i == 0 || k->kept[i] != k->kept[i - 1])
                k->kept[unique++] = k->kept[i];
        k->nk = unique;
    }
    return IFD_OK;
}

ifd_status ifd__blocks_find(ifd__blocks *w)
{
    IFD_TRY(find_slaves(w));
    return find_neighbours(w);
}
