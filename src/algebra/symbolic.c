/* SPDX-License-Identifier: MIT */
/* Choice of the supernodes: several orderings of several patterns, by the modelled time of a solution. */
#include "algebra/symbolic.h"

#include <limits.h>
#include <string.h>

#include "algebra/supernodes.h"
#include "base/arena.h"
#include "base/hash.h"

/* Patterns of matrices. Besides the pattern of the matrix there is the pattern closed over blocks: the dofs of a node
 * count as coupled with all dofs of every node that any of them is coupled with. An ordering of this pattern keeps
 * the dofs of a node together, so rows form long runs. On frames it also has less fill, because zeros of members
 * parallel to an axis do not hide the structure. */

/* Blocks that add more than this multiple of the existing entries are not nodes. */
#define MOST_CLOSING 6.0

ifd_status ifd__pattern_make(ifd_arena *scratch, const ifd_sparse *A, ifd__pattern *out)
{
    int n = A->n;
    if (A->p[n] > INT_MAX / 2)
        return IFD_TOO_LARGE;
    int *next = ifd__ints(scratch, n);
    *out = (ifd__pattern){n, ifd__ints(scratch, n), ifd__ints(scratch, 2 * A->p[n])};
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
    *B = (blocks){.start = ifd__ints(scratch, n), .of = ifd__ints(scratch, n), .mark = ifd__ints(scratch, n)};
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

/* The pattern closed over blocks of adjacent indices: of equal label, or of period indices if label is NULL. out->p
 * is NULL if a closed pattern brings no gain. */
static ifd_status pattern_close(ifd_arena *scratch, const ifd__pattern *g, const int *label, int period,
                                ifd__pattern *out)
{
    int n = g->n, *list = ifd__ints(scratch, n);
    blocks B;
    *out = (ifd__pattern){.n = n};
    IFD_TRY(blocks_make(scratch, n, label, period, &B));
    if (!list)
        return IFD_NO_MEMORY;
    long size = closed_size(g, &B, list);
    if (B.count == n || size > INT_MAX / 2 || (double)size > MOST_CLOSING * (double)g->p[n])
        return IFD_OK;
    out->p = ifd__ints(scratch, n);
    out->i = ifd__ints(scratch, (int)size);
    if (!out->p || !out->i)
        return IFD_NO_MEMORY;
    close_blocks(g, &B, list, out);
    return IFD_OK;
}

/* The graph of the blocks of equal label, without the diagonal; start: their first indices, and n. */
static ifd_status pattern_blocks(ifd_arena *scratch, const ifd__pattern *g, const int *label, ifd__pattern *out,
                                 int **start)
{
    blocks B;
    int *list = ifd__ints(scratch, g->n);
    IFD_TRY(blocks_make(scratch, g->n, label, 1, &B));
    *out = (ifd__pattern){.n = B.count, .p = ifd__ints(scratch, B.count)};
    if (!list || !out->p)
        return IFD_NO_MEMORY;
    for (int b = 0; b < B.count; b++) {
        int count;
        around(g, &B, b, list, &count);
        out->p[b + 1] = out->p[b] + count - 1;
    }
    out->i = ifd__ints(scratch, out->p[B.count]);
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

/* From FEW on, orderings of the graph of the blocks are tried as well: they take as long as a hundred steps. Above
 * LARGE only these are made: orderings of the unknowns would take longer than the factorisation. */
enum { FEW = 2000, LARGE = 30000 };

struct ifd__analyses {
    ifd__symbolic symbolic;
    uint64_t key;
    ifd__solver_kind asked;
    struct ifd__analyses *next;
};

typedef struct choice {
    ifd__supernodes S;
    const char *ordering;
    double cost;
    long nonzeros; /* of L */
} choice;

/* Tries AMD and METIS on the pattern and keeps the best result so far. */
static ifd_status try_pattern(ifd_arena *scratch, const ifd__pattern *g, choice *best)
{
    for (int metis = 0; metis < 2 && g->p; metis++) {
        ifd__ordering ordering;
        choice c;
        IFD_TRY(ifd__ordering_make(scratch, g, metis, &ordering));
        IFD_TRY(ifd__supernodes_make(scratch, g, &ordering, &c.S));
        c.ordering = ordering.name;
        c.cost = ifd__supernodes_cost(&c.S);
        if (!best->ordering || c.cost < best->cost)
            *best = c;
    }
    return IFD_OK;
}

/* METIS on the graph of the blocks. */
static ifd_status try_blocks(ifd_arena *scratch, const ifd_sparse *A, const ifd__pattern *own,
                             const ifd__pattern *closed, choice *best)
{
    ifd__pattern quotient;
    ifd__ordering ordering;
    choice c;
    int *start;
    if (!closed->p)
        return IFD_OK;
    IFD_TRY(pattern_blocks(scratch, own, A->block, &quotient, &start));
    IFD_TRY(ifd__ordering_of_blocks(scratch, closed, &quotient, start, &ordering));
    IFD_TRY(ifd__supernodes_make(scratch, closed, &ordering, &c.S));
    c.ordering = ordering.name;
    c.cost = ifd__supernodes_cost(&c.S);
    c.nonzeros = ordering.nonzeros;
    if (!best->ordering || c.cost < best->cost)
        *best = c;
    return IFD_OK;
}

/* Blocks are those that the matrix labels. Without labels, and always for small matrices, where trials are cheap,
 * several block sizes are tried. The modelled time decides. */
static ifd_status choose(ifd_arena *scratch, const ifd_sparse *A, const ifd__pattern *own, choice *best)
{
    static const int periods[] = {3, 6, 2, 4, 8, 9, 12};
    int guesses = A->n <= 1000 ? (int)(sizeof periods / sizeof *periods) : A->block ? 0 : 2;
    ifd__pattern closed;
    IFD_TRY(try_pattern(scratch, own, best));
    if (A->block) {
        IFD_TRY(pattern_close(scratch, own, A->block, 1, &closed));
        IFD_TRY(try_pattern(scratch, &closed, best));
        if (A->n >= FEW)
            IFD_TRY(try_blocks(scratch, A, own, &closed, best));
    }
    for (int k = 0; k < guesses; k++) {
        IFD_TRY(pattern_close(scratch, own, NULL, periods[k], &closed));
        IFD_TRY(try_pattern(scratch, &closed, best));
    }
    return IFD_OK;
}

static ifd_status find(ifd_arena *scratch, const ifd_sparse *A, choice *best)
{
    ifd__pattern own, closed;
    IFD_TRY(ifd__pattern_make(scratch, A, &own));
    if (A->n > LARGE && A->block) {
        IFD_TRY(pattern_close(scratch, &own, A->block, 1, &closed));
        IFD_TRY(try_blocks(scratch, A, &own, &closed, best));
    }
    if (best->ordering)
        return IFD_OK;
    IFD_TRY(choose(scratch, A, &own, best));
    return ifd__fill_count(scratch, &own, best->S.perm, &best->nonzeros);
}

/* The supernodes of the given kind; AUTO compares the modelled times. */
static ifd_status analyse(ifd_arena *scratch, const ifd_sparse *A, ifd__solver_kind kind, ifd__symbolic *out)
{
    ifd__supernodes dense;
    choice sparse = {0};
    if (kind != IFD__SOLVER_SPARSE)
        IFD_TRY(ifd__supernodes_dense(scratch, A->n, &dense));
    if (kind != IFD__SOLVER_DENSE_CHOLESKY)
        IFD_TRY(find(scratch, A, &sparse));
    if (kind == IFD__SOLVER_AUTO)
        kind = ifd__supernodes_cost(&dense) <= sparse.cost ? IFD__SOLVER_DENSE_CHOLESKY : IFD__SOLVER_SPARSE;
    bool is_sparse = kind == IFD__SOLVER_SPARSE;
    if (is_sparse)
        IFD_TRY(ifd__supernodes_split(scratch, &sparse.S));
    out->kind = kind;
    out->S = is_sparse ? sparse.S : dense;
    out->ordering = is_sparse ? sparse.ordering : "none";
    out->nonzeros = is_sparse ? sparse.nonzeros : (long)A->n * (A->n + 1L) / 2;
    return IFD_OK;
}

static uint64_t key_of(const ifd_sparse *A)
{
    const int head[] = {A->n, A->block != NULL};
    uint64_t h = ifd__hash_bytes(IFD__HASH_START, head, sizeof head);
    h = ifd__hash_bytes(h, A->p, sizeof *A->p * (size_t)(A->n + 1));
    h = ifd__hash_bytes(h, A->i, sizeof *A->i * (size_t)A->p[A->n]);
    return A->block ? ifd__hash_bytes(h, A->block, sizeof *A->block * (size_t)A->n) : h;
}

static ifd_status copy(ifd_arena *arena, const ifd__supernodes *from, ifd__supernodes *to)
{
    size_t count = (size_t)from->count, rows = from->start[count];
    *to = *from;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(to->perm, from->n), IFD__ARRAY(to->first, count + 1),
                      IFD__ARRAY(to->parent, count + 1), IFD__ARRAY(to->start, count + 1),
                      IFD__ARRAY(to->rows, rows)));
    memcpy(to->perm, from->perm, sizeof(int) * (size_t)from->n);
    memcpy(to->first, from->first, sizeof(int) * (count + 1));
    memcpy(to->parent, from->parent, sizeof(int) * count);
    memcpy(to->start, from->start, sizeof *to->start * (count + 1));
    memcpy(to->rows, from->rows, sizeof(int) * rows);
    return IFD_OK;
}

static ifd_status make_new(ifd_arena *arena, const ifd_sparse *A, ifd__solver_kind kind, ifd__symbolic *out)
{
    ifd__symbolic found;
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    IFD_TRY(analyse(scratch, A, kind, &found));
    *out = found;
    return copy(arena, &found.S, &out->S);
}

ifd_status ifd__symbolic_make(ifd_arena *arena, const ifd_sparse *A, ifd__solver_kind kind, const ifd__symbolic **out)
{
    struct ifd__analyses *known = ifd__arena_keeps(arena)->analyses;
    uint64_t key = key_of(A);
    for (const struct ifd__analyses *a = known; a; a = a->next)
        if (a->key == key && a->asked == kind && a->symbolic.S.n == A->n) {
            *out = &a->symbolic;
            return IFD_OK;
        }
    struct ifd__analyses *a;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(a, 1)));
    IFD_TRY(make_new(arena, A, kind, &a->symbolic));
    a->key = key;
    a->asked = kind;
    a->next = known;
    ifd__arena_keeps(arena)->analyses = a;
    *out = &a->symbolic;
    return IFD_OK;
}
