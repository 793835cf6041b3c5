/* SPDX-License-Identifier: MIT */
/* Patterns of matrices. Besides the pattern of the matrix there is the pattern closed over blocks: the dofs of a node
 * count as coupled with all dofs of every node that any of them is coupled with. An ordering of this pattern keeps
 * the dofs of a node together, so rows form long runs. On frames it also has less fill, because zeros of members
 * parallel to an axis do not hide the structure. */
#include <limits.h>

#include "algebra/supernodes.h"

/* Blocks that add more than this multiple of the existing entries are not nodes. */
#define MOST_CLOSING 6.0

static int *ints(ifd_arena *scratch, int count)
{
    return ifd_arena_array(scratch, (size_t)count + 1, sizeof(int));
}

ifd_status ifd__pattern_make(ifd_arena *scratch, const ifd_sparse *A, ifd__pattern *out)
{
    int n = A->n;
    if (A->p[n] > INT_MAX / 2)
        return IFD_TOO_LARGE;
    int *next = ints(scratch, n);
    *out = (ifd__pattern){n, ints(scratch, n), ints(scratch, 2 * A->p[n])};
    if (!next || !out->p || !out->i)
        return IFD_NO_MEMORY;
    for (int j = 0; j < n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++)
            if (A->i[k] != j) {
                next[j]++;
                next[A->i[k]]++;
            }
    for (int j = 0; j < n; j++) {
        out->p[j + 1] = out->p[j] + next[j];
        next[j] = out->p[j];
    }
    for (int j = 0; j < n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++)
            if (A->i[k] != j) {
                out->i[next[j]++] = A->i[k];
                out->i[next[A->i[k]]++] = j;
            }
    return IFD_OK;
}

/* Starts of the blocks: changes of label, or every period indices. Returns their number. */
static int find_blocks(int n, const int *label, int period, int *start)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        if (i == 0 || (label ? label[i] != label[i - 1] : i % period == 0))
            start[count++] = i;
    start[count] = n;
    return count;
}

typedef struct blocks {
    int count, *start, *of; /* of: index -> block */
    int *mark;
} blocks;

static ifd_status blocks_make(ifd_arena *scratch, int n, const int *label, int period, blocks *B)
{
    *B = (blocks){.start = ints(scratch, n), .of = ints(scratch, n), .mark = ints(scratch, n)};
    if (!B->start || !B->of || !B->mark)
        return IFD_NO_MEMORY;
    B->count = find_blocks(n, label, period, B->start);
    for (int b = 0; b < B->count; b++)
        for (int i = B->start[b]; i < B->start[b + 1]; i++)
            B->of[i] = b;
    return IFD_OK;
}

/* Blocks adjacent to block b, with b itself, into list; returns their number of dofs. */
static long around(const ifd__pattern *g, const blocks *B, int b, int *list, int *count)
{
    long dofs = B->start[b + 1] - B->start[b];
    list[0] = b;
    *count = 1;
    B->mark[b] = b + 1;
    for (int k = g->p[B->start[b]]; k < g->p[B->start[b + 1]]; k++) {
        int other = B->of[g->i[k]];
        if (B->mark[other] == b + 1)
            continue;
        B->mark[other] = b + 1;
        list[(*count)++] = other;
        dofs += B->start[other + 1] - B->start[other];
    }
    return dofs;
}

static long closed_size(const ifd__pattern *g, const blocks *B, int *list)
{
    long size = 0;
    for (int b = 0; b < B->count; b++) {
        int count;
        size += (B->start[b + 1] - B->start[b]) * (around(g, B, b, list, &count) - 1);
    }
    for (int b = 0; b < B->count; b++)
        B->mark[b] = 0;
    return size;
}

static void close_blocks(const ifd__pattern *g, const blocks *B, int *list, ifd__pattern *out)
{
    int used = 0;
    for (int b = 0; b < B->count; b++) {
        int count;
        around(g, B, b, list, &count);
        for (int i = B->start[b]; i < B->start[b + 1]; i++) {
            out->p[i] = used;
            for (int k = 0; k < count; k++)
                for (int j = B->start[list[k]]; j < B->start[list[k] + 1]; j++)
                    if (j != i)
                        out->i[used++] = j;
        }
    }
    out->p[g->n] = used;
}

ifd_status ifd__pattern_close(ifd_arena *scratch, const ifd__pattern *g, const int *label, int period,
                              ifd__pattern *out)
{
    int n = g->n, *list = ints(scratch, n);
    blocks B;
    *out = (ifd__pattern){.n = n};
    IFD_TRY(blocks_make(scratch, n, label, period, &B));
    if (!list)
        return IFD_NO_MEMORY;
    long size = closed_size(g, &B, list);
    if (B.count == n || size > INT_MAX / 2 || (double)size > MOST_CLOSING * (double)g->p[n])
        return IFD_OK;
    out->p = ints(scratch, n);
    out->i = ints(scratch, (int)size);
    if (!out->p || !out->i)
        return IFD_NO_MEMORY;
    close_blocks(g, &B, list, out);
    return IFD_OK;
}

ifd_status ifd__pattern_blocks(ifd_arena *scratch, const ifd__pattern *g, const int *label, ifd__pattern *out,
                               int **start)
{
    blocks B;
    int *list = ints(scratch, g->n);
    IFD_TRY(blocks_make(scratch, g->n, label, 1, &B));
    *out = (ifd__pattern){.n = B.count, .p = ints(scratch, B.count)};
    if (!list || !out->p)
        return IFD_NO_MEMORY;
    for (int b = 0; b < B.count; b++) {
        int count;
        around(g, &B, b, list, &count);
        out->p[b + 1] = out->p[b] + count - 1;
    }
    out->i = ints(scratch, out->p[B.count]);
    if (!out->i)
        return IFD_NO_MEMORY;
    for (int b = 0; b < B.count; b++)
        B.mark[b] = 0;
    for (int b = 0; b < B.count; b++) {
        int count;
        around(g, &B, b, list, &count);
        for (int k = 1; k < count; k++) /* the first one is b */
            out->i[out->p[b] + k - 1] = list[k];
    }
    *start = B.start;
    return IFD_OK;
}
