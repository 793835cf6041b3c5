/* SPDX-License-Identifier: MIT */
/* Slaves fall into blocks that no matrix connects. Within a block with slaves s and kept neighbours k (dofs or supports)
 * X = -Kss^-1 Ksk, and T^T A T = Akk + Aks X + X^T (Ask + Ass X). */
#include "model/system.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/scaled.h"
#include "base/solver.h"

enum {
    LARGEST_COUPLED = 4000,   /* dofs that one block may couple with each other */
    LARGEST_ENTRIES = 1 << 27, /* of all blocks together */
    LARGEST_DENSE = 2000      /* slaves of a block whose Kss is factored densely */
};

typedef struct block {
    int ns, nk;
    int *slave;
    int *kept;    /* sorted */
    double *X;    /* ns x nk */
    bool used[3]; /* the matrix has entries on slaves of this block */
} block;

typedef struct work {
    ifd_arena *arena;
    const ifd_builder *b;
    const bool *slave;
    ifd__system *s;
    int size, nblock; /* dofs and supports */
    block *block;
    int *block_of;    /* of a slave */
    int *local;       /* of a slave: its row in the block; of a kept one: its place in the block at hand */
    int *number;      /* of a kept one: its new index */
    int n;            /* kept dofs */
} work;

static bool is_slave(const work *w, int i)
{
    return i < w->s->n && w->slave[i];
}

static int root_of(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* Calls visit for every stored nonzero of the three matrices. */
static void each_entry(work *w, void (*visit)(work *w, int which, int i, int j))
{
    for (int a = 0; a < 3; a++) {
        const ifd_sparse *A = &w->s->A[a];
        for (int j = 0; j < A->n; j++)
            for (int k = A->p[j]; k < A->p[j + 1]; k++)
                if (A->x[k] != 0.0)
                    visit(w, a, A->i[k], j);
    }
}

static void unite(work *w, int which, int i, int j)
{
    (void)which;
    if (is_slave(w, i) && is_slave(w, j)) {
        int a = root_of(w->block_of, i), c = root_of(w->block_of, j);
        w->block_of[a > c ? a : c] = a > c ? c : a;
    }
}

static void mark_used(work *w, int which, int i, int j)
{
    if (is_slave(w, i) || is_slave(w, j))
        w->block[w->block_of[is_slave(w, i) ? i : j]].used[which] = true;
}

/* Numbers kept dofs and blocks and lists the slaves of each block. */
static ifd_status find_blocks(work *w)
{
    int n = w->s->n;
    w->block_of = ifd_arena_array(w->arena, (size_t)n, sizeof(int));
    w->local = ifd_arena_array(w->arena, (size_t)w->size, sizeof(int));
    w->number = ifd_arena_array(w->arena, (size_t)w->size, sizeof(int));
    int *list = ifd_arena_array(w->arena, (size_t)n, sizeof *list);
    if (!w->block_of || !w->local || !w->number || !list)
        return IFD_NO_MEMORY;
    for (int i = 0; i < n; i++)
        w->block_of[i] = i;
    each_entry(w, unite);
    for (int i = 0; i < n; i++)
        w->block_of[i] = root_of(w->block_of, i);
    for (int i = 0; i < w->size; i++)
        if (!is_slave(w, i))
            w->number[i] = i < n ? w->n++ : w->n + i - n;
        else
            w->nblock += w->block_of[i] == i;
    w->block = ifd_arena_array(w->arena, (size_t)w->nblock, sizeof *w->block);
    if (!w->block)
        return IFD_NO_MEMORY;
    /* Roots are the smallest of their block, so a root is met before its members. */
    int next = 0;
    for (int i = 0; i < n; i++)
        if (is_slave(w, i)) {
            int root = w->block_of[i];
            w->block_of[i] = root == i ? next++ : w->block_of[root];
            w->local[i] = w->block[w->block_of[i]].ns++;
        }
    for (int c = 0, at = 0; c < w->nblock; at += w->block[c++].ns)
        w->block[c].slave = list + at;
    for (int i = 0; i < n; i++)
        if (is_slave(w, i))
            w->block[w->block_of[i]].slave[w->local[i]] = i;
    each_entry(w, mark_used);
    return IFD_OK;
}

static void count_pair(work *w, int which, int i, int j)
{
    (void)which;
    if (is_slave(w, i) != is_slave(w, j))
        w->block[w->block_of[is_slave(w, i) ? i : j]].nk++;
}

static void put_pair(work *w, int which, int i, int j)
{
    (void)which;
    if (is_slave(w, i) != is_slave(w, j)) {
        block *c = &w->block[w->block_of[is_slave(w, i) ? i : j]];
        c->kept[c->nk++] = is_slave(w, i) ? j : i;
    }
}

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Lists the kept neighbours of each block, sorted, each once. */
static ifd_status find_neighbours(work *w)
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
        block *k = &w->block[c];
        qsort(k->kept, (size_t)k->nk, sizeof *k->kept, by_value);
        int unique = 0;
        for (int i = 0; i < k->nk; i++)
            if (i == 0 || k->kept[i] != k->kept[i - 1])
                k->kept[unique++] = k->kept[i];
        k->nk = unique;
    }
    return IFD_OK;
}

static ifd_status check_size(const work *w, ifd_note *note)
{
    long entries = 0;
    for (int c = 0; c < w->nblock; c++) {
        const block *k = &w->block[c];
        for (int a = 0; a < 3; a++)
            entries += k->used[a] ? (long)k->nk * k->nk : 0;
        if (k->nk <= LARGEST_COUPLED && entries <= LARGEST_ENTRIES)
            continue;
        ifd_note_add(note, IFD_TOO_LARGE, NULL,
                     "condensing dof '%s' and %d connected ones would couple %d dofs with one another; the limit is %d",
                     ifd_builder_dof_name(w->b, w->s->dof[k->slave[0]]), k->ns - 1, k->nk, LARGEST_COUPLED);
        ifd_note_hint(note, "give these dofs mass (a consistent mass matrix does), or keep fewer dofs");
        return IFD_TOO_LARGE;
    }
    return IFD_OK;
}

static void place_kept(const work *w, const block *c)
{
    for (int i = 0; i < c->nk; i++)
        w->local[c->kept[i]] = i;
}

/* out (ns x nk) := Ask */
static void take_sk(const work *w, const block *c, const ifd_sparse *A, double *out)
{
    memset(out, 0, (size_t)c->ns * (size_t)c->nk * sizeof *out);
    int id = w->block_of[c->slave[0]];
    for (int j = 0; j < c->nk; j++)
        for (int k = A->p[c->kept[j]]; k < A->p[c->kept[j] + 1]; k++)
            if (is_slave(w, A->i[k]) && w->block_of[A->i[k]] == id)
                out[(size_t)w->local[A->i[k]] + (size_t)j * (size_t)c->ns] = A->x[k];
}

/* W (ns x nk) += Ass X, R (nk x nk) += Aks X. */
static void add_products(const work *w, const block *c, const ifd_sparse *A, double *W, double *R)
{
    size_t ns = (size_t)c->ns, nk = (size_t)c->nk;
    for (size_t r = 0; r < nk; r++)
        for (size_t l = 0; l < ns; l++) {
            double x = c->X[l + r * ns];
            int j = c->slave[l];
            for (int k = A->p[j]; k < A->p[j + 1]; k++) {
                size_t at = (size_t)w->local[A->i[k]];
                if (A->x[k] == 0.0) /* may lie outside of this block */
                    continue;
                if (is_slave(w, A->i[k]))
                    W[at + r * ns] += A->x[k] * x;
                else
                    R[at + r * nk] += A->x[k] * x;
            }
        }
}

static ifd_status singular(const work *w, const block *c, int local, ifd_note *note)
{
    const char *name = ifd_builder_dof_name(w->b, w->s->dof[c->slave[local]]);
    const ifd_sparse *K = &w->s->A[IFD_STIFFNESS];
    bool held = ifd__sparse_get(K, c->slave[local], c->slave[local]) != 0.0;
    bool massless = ifd__sparse_get(&w->s->A[IFD_MASS], c->slave[local], c->slave[local]) == 0.0;
    ifd_status code = massless ? IFD_MASSLESS : IFD_SINGULAR;
    ifd_note_add(note, code, NULL,
                 held ? "dof '%s' cannot be condensed: with the kept dofs fixed it is still free to move"
                      : "dof '%s' cannot be condensed: it has no stiffness",
                 name);
    ifd_note_hint(note, "give it mass and keep it, connect it, or remove it");
    return code;
}

static ifd_status solve_dense(work *w, block *c, ifd_note *note)
{
    const ifd_sparse *K = &w->s->A[IFD_STIFFNESS];
    size_t ns = (size_t)c->ns;
    double *Kss = calloc(ns * ns, sizeof *Kss);
    if (!Kss)
        return IFD_NO_MEMORY;
    for (size_t l = 0; l < ns; l++)
        for (int k = K->p[c->slave[l]]; k < K->p[c->slave[l] + 1]; k++)
            if (is_slave(w, K->i[k]) && K->x[k] != 0.0)
                Kss[(size_t)w->local[K->i[k]] + l * ns] = K->x[k];
    int verdict = ifd__scaled_solve(c->ns, Kss, c->nk, c->X);
    free(Kss);
    if (verdict == IFD__SOLVE_NO_MEMORY)
        return IFD_NO_MEMORY;
    return verdict == IFD__SOLVED ? IFD_OK : singular(w, c, verdict, note);
}

static ifd_status solve_sparse(work *w, block *c, ifd_note *note)
{
    const ifd_sparse *K = &w->s->A[IFD_STIFFNESS];
    size_t room = 0;
    for (int l = 0; l < c->ns; l++)
        room += (size_t)(K->p[c->slave[l] + 1] - K->p[c->slave[l]]);
    int *row = ifd_arena_array(w->arena, room, sizeof *row), *column = ifd_arena_array(w->arena, room, sizeof *row);
    double *value = ifd_arena_array(w->arena, room, sizeof *value);
    if (!row || !column || !value)
        return IFD_NO_MEMORY;
    int count = 0;
    for (int l = 0; l < c->ns; l++)
        for (int k = K->p[c->slave[l]]; k < K->p[c->slave[l] + 1]; k++)
            if (is_slave(w, K->i[k]) && K->x[k] != 0.0) {
                row[count] = w->local[K->i[k]];
                column[count] = l;
                value[count++] = K->x[k];
            }
    ifd_sparse Kss;
    ifd_solver *solver;
    IFD_TRY(ifd__sparse_make(w->arena, c->ns, count, row, column, value, true, &Kss));
    ifd_status made = ifd__solver_make(w->arena, &Kss, IFD__SOLVER_AUTO, &solver, NULL);
    if (made == IFD_NOT_POSITIVE || made == IFD_SINGULAR) {
        int l = 0;
        while (l < c->ns - 1 && ifd__sparse_get(&Kss, l, l) > 0.0)
            l++;
        return singular(w, c, l, note);
    }
    IFD_TRY(made);
    double *scratch = ifd_arena_array(w->arena, ifd__solver_work(solver), sizeof *scratch);
    if (!scratch)
        return IFD_NO_MEMORY;
    for (size_t r = 0; r < (size_t)c->nk; r++)
        ifd__solver_solve(solver, c->X + r * (size_t)c->ns, scratch);
    return IFD_OK;
}

static ifd_status solve_block(work *w, block *c, ifd_note *note)
{
    size_t size = (size_t)c->ns * (size_t)c->nk;
    c->X = ifd_arena_array(w->arena, size, sizeof *c->X);
    if (!c->X)
        return IFD_NO_MEMORY;
    take_sk(w, c, &w->s->A[IFD_STIFFNESS], c->X);
    for (size_t i = 0; i < size; i++)
        c->X[i] = -c->X[i];
    return c->ns <= LARGEST_DENSE ? solve_dense(w, c, note) : solve_sparse(w, c, note);
}

typedef struct triplets {
    int count, *row, *column;
    double *value;
} triplets;

static void put(triplets *t, int row, int column, double value)
{
    t->row[t->count] = row;
    t->column[t->count] = column;
    t->value[t->count++] = value;
}

/* R = Aks X + X^T (Ask + Ass X) of one block, appended in the new numbering; rows of supports do not exist. */
static ifd_status reduce_block(work *w, const block *c, int which, triplets *t)
{
    size_t ns = (size_t)c->ns, nk = (size_t)c->nk;
    double *W = malloc((ns * nk + 1) * sizeof *W), *R = calloc(nk * nk + 1, sizeof *R);
    if (W && R && nk) {
        take_sk(w, c, &w->s->A[which], W);
        add_products(w, c, &w->s->A[which], W, R);
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, c->nk, c->nk, c->ns, 1.0, c->X, c->ns, W, c->ns, 1.0, R,
                    c->nk);
        for (size_t j = 0; j < nk; j++)
            for (size_t i = 0; i < nk; i++)
                if (w->number[c->kept[i]] < w->n && R[i + j * nk] != 0.0)
                    put(t, w->number[c->kept[i]], w->number[c->kept[j]], R[i + j * nk]);
    }
    ifd_status status = W && R ? IFD_OK : IFD_NO_MEMORY;
    free(W);
    free(R);
    return status;
}

static ifd_status reduce(work *w, int which, ifd_sparse *out)
{
    const ifd_sparse *A = &w->s->A[which];
    size_t room = (size_t)A->p[A->n];
    for (int c = 0; c < w->nblock; c++)
        room += w->block[c].used[which] ? (size_t)w->block[c].nk * (size_t)w->block[c].nk : 0;
    triplets t = {0};
    t.row = ifd_arena_array(w->arena, room, sizeof *t.row);
    t.column = ifd_arena_array(w->arena, room, sizeof *t.column);
    t.value = ifd_arena_array(w->arena, room, sizeof *t.value);
    if (!t.row || !t.column || !t.value)
        return IFD_NO_MEMORY;
    for (int j = 0; j < A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++)
            if (!is_slave(w, A->i[k]) && !is_slave(w, j))
                put(&t, w->number[A->i[k]], w->number[j], A->x[k]);
    for (int c = 0; c < w->nblock; c++) {
        place_kept(w, &w->block[c]);
        if (w->block[c].used[which])
            IFD_TRY(reduce_block(w, &w->block[c], which, &t));
    }
    return ifd__sparse_make(w->arena, w->n + w->s->nsupport, t.count, t.row, t.column, t.value, false, out);
}

/* T := T times the T of this condensation. */
static ifd_status compose(work *w, ifd__rows *out)
{
    const ifd__rows *T = &w->s->T;
    size_t room = 0;
    for (int k = 0; k < T->start[T->count]; k++)
        room += is_slave(w, T->column[k]) ? (size_t)w->block[w->block_of[T->column[k]]].nk : 1;
    out->count = T->count;
    out->start = ifd_arena_array(w->arena, (size_t)T->count + 1, sizeof *out->start);
    out->column = ifd_arena_array(w->arena, room, sizeof *out->column);
    out->value = ifd_arena_array(w->arena, room, sizeof *out->value);
    if (!out->start || !out->column || !out->value)
        return IFD_NO_MEMORY;
    int at = 0;
    for (int i = 0; i < T->count; i++) {
        for (int k = T->start[i]; k < T->start[i + 1]; k++) {
            int j = T->column[k];
            const block *c = is_slave(w, j) ? &w->block[w->block_of[j]] : NULL;
            for (int l = 0; l < (c ? c->nk : 1); l++) {
                out->column[at] = w->number[c ? c->kept[l] : j];
                out->value[at++] = T->value[k] * (c ? c->X[(size_t)w->local[j] + (size_t)l * (size_t)c->ns] : 1.0);
            }
        }
        out->start[i + 1] = at;
    }
    return IFD_OK;
}

ifd_status ifd__condense(ifd_arena *arena, const ifd_builder *b, const bool *slave, ifd__system *s, ifd_note *note)
{
    work w = {.arena = arena, .b = b, .slave = slave, .s = s, .size = s->n + s->nsupport};
    ifd__system out = *s;
    if (!s->symmetric[IFD_STIFFNESS])
        return ifd__system_unsymmetric(b, s, IFD_STIFFNESS, note);
    IFD_TRY(find_blocks(&w));
    IFD_TRY(find_neighbours(&w));
    IFD_TRY(check_size(&w, note));
    for (int c = 0; c < w.nblock; c++) {
        place_kept(&w, &w.block[c]);
        IFD_TRY(solve_block(&w, &w.block[c], note));
    }
    for (int k = 0; k < 3; k++)
        IFD_TRY(reduce(&w, k, &out.A[k]));
    IFD_TRY(compose(&w, &out.T));
    out.n = w.n;
    out.dof = ifd_arena_array(arena, (size_t)w.n, sizeof *out.dof);
    if (!out.dof)
        return IFD_NO_MEMORY;
    for (int i = 0; i < s->n; i++)
        if (!slave[i])
            out.dof[w.number[i]] = s->dof[i];
    *s = out;
    return IFD_OK;
}
