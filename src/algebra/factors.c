/* SPDX-License-Identifier: MIT */
/* A store of factors by the hash of their matrices. */
#include "algebra/factors.h"

#include <limits.h>
#include <string.h>

#include "base/hash.h"
#include "algebra/solver_parts.h"

typedef struct kept {
    struct kept *next;
    uint64_t key;
    ifd_solver *solver;
} kept;

struct ifd__factors {
    ifd_arena *arena;
    kept *first;
    bool failed;
};

static uint64_t key_of(const ifd_sparse *A, ifd__solver_kind kind)
{
    const int head[] = {A->n, A->symmetric, (int)kind};
    uint64_t h = ifd__hash_bytes(IFD__HASH_START, head, sizeof head);
    h = ifd__hash_bytes(h, A->p, sizeof *A->p * (size_t)(A->n + 1));
    h = ifd__hash_bytes(h, A->i, sizeof *A->i * (size_t)A->p[A->n]);
    return ifd__hash(h, A->x, (size_t)A->p[A->n]);
}

ifd__factors *ifd__factors_make(ifd_arena *arena)
{
    ifd__factors *f = ifd_arena_take(arena, sizeof *f);
    if (f)
        f->arena = arena;
    ifd__arena_keeps(arena)->factors = f;
    return f;
}

ifd_solver *ifd__factors_find(const ifd__factors *f, const ifd_sparse *A, ifd__solver_kind kind)
{
    uint64_t key = key_of(A, kind);
    for (const kept *k = f->first; k; k = k->next)
        if (k->key == key && k->solver->n == A->n)
            return k->solver;
    return NULL;
}

void ifd__factors_note(ifd__factors *f, const ifd_sparse *A, ifd__solver_kind kind, ifd_solver *s)
{
    kept *k = ifd_arena_take(f->arena, sizeof *k);
    f->failed = f->failed || !k;
    if (!k)
        return;
    *k = (kept){.next = f->first, .key = key_of(A, kind), .solver = s};
    f->first = k;
}

static void put_runs(ifd__bytes *out, const ifd__permutation *p)
{
    ifd__put_int(out, p->run ? p->runs : -1);
    ifd__put(out, p->run, p->run ? sizeof *p->run * (size_t)p->runs : 0);
}

/* Sizes of the blocks of all panels, including the padding that a vector load may read. */
static void extents(const ifd__panels *P, size_t *square, size_t *below, size_t *pieces)
{
    *square = *below = *pieces = 0;
    for (int p = 0; p < P->count; p++) {
        const ifd__panel *J = &P->panel[p];
        size_t end = J->square + ifd__block_size(J->width, J->width, P);
        *square = end > *square ? end : *square;
        end = J->below + J->size;
        *below = end > *below ? end : *below;
        end = (size_t)(J->piece + J->pieces);
        *pieces = end > *pieces ? end : *pieces;
    }
    *square += IFD__MOST_LANES;
    *below += IFD__MOST_LANES;
}

static void put_parts(ifd__bytes *out, const ifd__panels *P)
{
    ifd__put_int(out, P->parts);
    ifd__put_int(out, P->above);
    for (int k = 0; P->parts && k <= P->parts; k++)
        ifd__put_int(out, P->part[k]);
}

static void put_panels(ifd__bytes *out, const ifd__panels *P)
{
    size_t square, below, pieces;
    extents(P, &square, &below, &pieces);
    const int64_t head[] = {P->n, P->count, P->lanes, P->strip, (int64_t)square, (int64_t)below, (int64_t)pieces};
    ifd__put(out, head, sizeof head);
    put_parts(out, P);
    ifd__put(out, P->panel, sizeof *P->panel * (size_t)P->count);
    ifd__put(out, P->piece, sizeof *P->piece * pieces);
    ifd__put(out, P->square, sizeof *P->square * (square - IFD__MOST_LANES));
    ifd__put(out, P->below, sizeof *P->below * (below - IFD__MOST_LANES));
    if (P->upper)
        ifd__put(out, P->upper, sizeof *P->upper * (below - IFD__MOST_LANES));
}

/* Numbers in a. */
static size_t numbers_of(const ifd_solver *s)
{
    size_t n = (size_t)s->n;
    if (s->facts.kind == IFD__SOLVER_ARROW)
        return ifd__arrow_size(s->arrow.border, s->n - s->arrow.border);
    return s->facts.kind == IFD__SOLVER_DENSE_LU ? n * n : n;
}

static void put_solver(ifd__bytes *out, const ifd_solver *s)
{
    ifd__put_int(out, s->facts.kind);
    ifd__put_int(out, s->n);
    ifd__put_text(out, s->kernels->name);
    if (s->facts.kind == IFD__SOLVER_ARROW)
        ifd__put_int(out, s->arrow.border);
    ifd__put_doubles(out, numbers_of(s), s->a);
    ifd__put_ints(out, (size_t)s->n, s->pivot);
    put_runs(out, &s->there);
    put_runs(out, &s->back);
    if (s->there.run)
        put_panels(out, &s->panels);
}

void ifd__factors_put(const ifd__factors *f, ifd__bytes *out)
{
    int count = 0;
    for (const kept *k = f->first; k; k = k->next)
        count++;
    ifd__put_int(out, count);
    for (const kept *k = f->first; k; k = k->next) {
        ifd__put(out, &k->key, sizeof k->key);
        put_solver(out, k->solver);
    }
    out->failed = out->failed || f->failed;
}

static void take_runs(ifd__taking *in, ifd__permutation *p)
{
    int64_t runs = ifd__take_int(in, -1, INT_MAX);
    if (runs < 0 || in->bad)
        return;
    p->runs = (int)runs;
    p->run = ifd__take(in, sizeof *p->run * (size_t)runs);
}

/* Checks the bytes: a sweep must not read or write outside its arrays. */
static bool panel_fits(const ifd__panels *P, const ifd__panel *J, const int64_t head[7])
{
    if (J->first < 0 || J->width < 1 || J->width > IFD__WIDEST || J->first > P->n - J->width || J->rows < 0 ||
        J->piece < 0 || J->pieces < 0 || J->full < 0 || J->full > J->pieces || J->strips < 1 || J->narrow < 0 ||
        J->wide < 0)
        return false;
    return (int64_t)J->piece + J->pieces <= head[6] &&
           (int64_t)(J->square + ifd__block_size(J->width, J->width, P)) <= head[4] &&
           (int64_t)(J->below + J->size) <= head[5] && J->square <= (size_t)head[4] && J->below <= (size_t)head[5] &&
           J->size <= (size_t)head[5];
}

static void take_parts(ifd__taking *in, ifd__panels *P)
{
    P->parts = (int)ifd__take_int(in, 0, IFD__PARTS);
    P->above = (int)ifd__take_int(in, 0, P->n);
    in->bad = in->bad || (P->parts && P->parts != IFD__PARTS);
    for (int k = 0; P->parts && k <= P->parts && !in->bad; k++)
        P->part[k] = (int)ifd__take_int(in, k ? P->part[k - 1] : 0, P->count);
}

/* So many numbers, in an array that is longer, for vector loads beyond them. */
static double *take_padded(ifd__taking *in, size_t count)
{
    const double *numbers = ifd__take(in, sizeof *numbers * count);
    double *own = ifd_arena_array(in->arena, count + IFD__MOST_LANES, sizeof *own);
    in->bad = in->bad || !own;
    if (!in->bad)
        memcpy(own, numbers, sizeof *numbers * count);
    return own;
}

static void take_panels(ifd__taking *in, bool both, ifd__panels *P)
{
    int64_t *head = ifd__take(in, 7 * sizeof *head);
    const int64_t most = INT_MAX;
    if (!head || head[0] < 1 || head[0] > most || head[1] < 0 || head[1] > head[0] || head[2] < 1 ||
        head[2] > IFD__MOST_LANES || head[3] < 1 || head[3] > IFD__WIDEST || head[4] < IFD__MOST_LANES ||
        head[5] < IFD__MOST_LANES || head[4] > (int64_t)(in->end - in->at) || head[5] > (int64_t)(in->end - in->at) ||
        head[6] < 0 || head[6] > most) {
        in->bad = true;
        return;
    }
    size_t square = (size_t)head[4] - IFD__MOST_LANES, below = (size_t)head[5] - IFD__MOST_LANES;
    *P = (ifd__panels){.n = (int)head[0], .count = (int)head[1], .lanes = (int)head[2], .strip = (int)head[3]};
    take_parts(in, P);
    P->panel = ifd__take(in, sizeof *P->panel * (size_t)P->count);
    P->piece = ifd__take(in, sizeof *P->piece * (size_t)head[6]);
    P->square = take_padded(in, square);
    P->below = take_padded(in, below);
    P->upper = both ? take_padded(in, below) : NULL;
    if (in->bad)
        return;
    for (int p = 0; p < P->count; p++)
        in->bad = in->bad || !panel_fits(P, &P->panel[p], head);
    for (int64_t k = 0; k < head[6]; k++) {
        uint32_t start = P->piece[k] >> 4, length = P->piece[k] & 15u;
        in->bad = in->bad || length > (uint32_t)P->lanes || start + length > (uint32_t)P->n;
    }
}

static void check_runs(ifd__taking *in, const ifd__permutation *p, int n)
{
    int64_t all = 0;
    for (int k = 0; p->run && k < p->runs; k++) {
        uint32_t start = p->run[k] >> 4, length = p->run[k] & 15u;
        in->bad = in->bad || start + length > (uint32_t)n;
        all += length;
    }
    in->bad = in->bad || (p->run && all != n);
}

static ifd_solver *take_solver(ifd__taking *in)
{
    ifd_solver *s = ifd_arena_take(in->arena, sizeof *s);
    if (!s) {
        in->bad = true;
        return NULL;
    }
    s->facts.kind = (ifd__solver_kind)ifd__take_int(in, IFD__SOLVER_DIAGONAL, IFD__SOLVER_SPARSE_LU);
    s->n = (int)ifd__take_int(in, 1, INT_MAX);
    const char *kernels = ifd__take_text(in);
    bool lu = s->facts.kind == IFD__SOLVER_DENSE_LU;
    if (s->facts.kind == IFD__SOLVER_ARROW)
        s->arrow.border = (int)ifd__take_int(in, 1, s->n);
    s->a = ifd__take_doubles(in, numbers_of(s));
    if (s->arrow.border && s->a)
        ifd__arrow_at(&s->arrow, s->arrow.border, s->n - s->arrow.border, s->a);
    s->pivot = ifd__take_ints(in, (size_t)s->n, 0, s->n - 1);
    take_runs(in, &s->there);
    take_runs(in, &s->back);
    if (s->there.run)
        take_panels(in, s->facts.kind == IFD__SOLVER_SPARSE_LU, &s->panels);
    check_runs(in, &s->there, s->n);
    check_runs(in, &s->back, s->n);
    bool whole = s->there.run ? s->back.run && s->panels.n == s->n : s->a && (!lu || s->pivot);
    in->bad = in->bad || !whole || !kernels;
    const ifd__kernels *own = in->bad ? NULL : ifd__kernels_pick(kernels);
    s->kernels = own ? own : &ifd__kernels_plain;
    s->facts.kernel = s->kernels->name;
    s->facts.ordering = "kept";
    return s;
}

bool ifd__factors_take(ifd_arena *arena, ifd__taking *in)
{
    ifd__factors *f = ifd__factors_make(arena);
    int64_t count = ifd__take_int(in, 0, 1000);
    if (!f)
        return false;
    for (int64_t i = 0; i < count && !in->bad; i++) {
        kept *k = ifd_arena_take(arena, sizeof *k);
        uint64_t *key = ifd__take(in, sizeof *key);
        if (!k || !key)
            return false;
        *k = (kept){.next = f->first, .key = *key, .solver = take_solver(in)};
        f->first = k;
    }
    return !in->bad;
}
