/* SPDX-License-Identifier: MIT */
/* Choice of the supernodes: several orderings of several patterns, by the modelled time of a solution. */
#include "algebra/symbolic.h"

#include <string.h>

#include "base/hash.h"

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
    ifd__pattern blocks;
    ifd__ordering ordering;
    choice c;
    int *start;
    if (!closed->p)
        return IFD_OK;
    IFD_TRY(ifd__pattern_blocks(scratch, own, A->block, &blocks, &start));
    IFD_TRY(ifd__ordering_of_blocks(scratch, closed, &blocks, start, &ordering));
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
        IFD_TRY(ifd__pattern_close(scratch, own, A->block, 1, &closed));
        IFD_TRY(try_pattern(scratch, &closed, best));
        if (A->n >= FEW)
            IFD_TRY(try_blocks(scratch, A, own, &closed, best));
    }
    for (int k = 0; k < guesses; k++) {
        IFD_TRY(ifd__pattern_close(scratch, own, NULL, periods[k], &closed));
        IFD_TRY(try_pattern(scratch, &closed, best));
    }
    return IFD_OK;
}

static ifd_status find(ifd_arena *scratch, const ifd_sparse *A, choice *best)
{
    ifd__pattern own, closed;
    IFD_TRY(ifd__pattern_make(scratch, A, &own));
    if (A->n > LARGE && A->block) {
        IFD_TRY(ifd__pattern_close(scratch, &own, A->block, 1, &closed));
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
    ifd_arena *scratch = ifd_arena_open();
    ifd_status status = scratch ? analyse(scratch, A, kind, &found) : IFD_NO_MEMORY;
    if (status == IFD_OK) {
        *out = found;
        status = copy(arena, &found.S, &out->S);
    }
    ifd_arena_close(scratch);
    return status;
}

ifd_status ifd__symbolic_make(ifd_arena *arena, const ifd_sparse *A, ifd__solver_kind kind, const ifd__symbolic **out)
{
    struct ifd__analyses *known = ifd__arena_analyses(arena);
    uint64_t key = key_of(A);
    for (const struct ifd__analyses *a = known; a; a = a->next)
        if (a->key == key && a->asked == kind && a->symbolic.S.n == A->n) {
            *out = &a->symbolic;
            return IFD_OK;
        }
    struct ifd__analyses *a = ifd_arena_take(arena, sizeof *a);
    if (!a)
        return IFD_NO_MEMORY;
    IFD_TRY(make_new(arena, A, kind, &a->symbolic));
    a->key = key;
    a->asked = kind;
    a->next = known;
    ifd__arena_analysed(arena, a);
    *out = &a->symbolic;
    return IFD_OK;
}
