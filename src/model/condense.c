/* SPDX-License-Identifier: MIT */
/* The condensed dofs form blocks that no matrix connects. In a block with condensed dofs s and kept neighbours k
 * (dofs or supports), X = -Kss^-1 Ksk, and T^T A T = Akk + Aks X + X^T (Ask + Ass X). */
#include <cblas.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/dense.h"
#include "algebra/solver.h"
#include "base/arena.h"
#include "base/memory.h"
#include "model/build/blocks.h"

/* Finds the blocks of condensed dofs that no matrix connects. */

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
    IFD_TRY(IFD__TAKE(w->arena, IFD__ARRAY(w->block, w->nblock)));
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

enum {
    ENTRY_BYTES = 64,    /* of one entry: in a full block, as a triplet, in the matrix and in its copies */
    LARGEST_DENSE = 2000 /* largest block with a dense factor of Kss */
};

static ifd_status check_size(const ifd__blocks *w, ifd_note *note)
{
    double entries = 0.0;
    const ifd__block *widest = NULL;
    for (int c = 0; c < w->nblock; c++) {
        const ifd__block *k = &w->block[c];
        for (int a = 0; a < 3; a++)
            entries += k->used[a] ? (double)k->nk * k->nk : 0.0;
        widest = !widest || k->nk > widest->nk ? k : widest;
    }
    double available = ENTRY_BYTES * entries > 1e8 ? ifd__memory_available() : (double)INFINITY;
    if (entries <= INT_MAX && ENTRY_BYTES * entries <= available)
        return IFD_OK;
    ifd_note_about(note, IFD_NO_MEMORY, "condense",
                   "condensation of dof '%s' and %d connected dofs couples %d dofs with each other: matrices of %.3g "
                   "entries, which need %.3g GB of memory; %.3g GB are available, and the limit is %.3g entries",
                   ifd_builder_dof_name(w->b, w->s->dof[widest->slave[0]]), widest->ns - 1, widest->nk, entries,
                   ENTRY_BYTES * entries / 1e9, available / 1e9, (double)INT_MAX);
    ifd_note_hint(note, "give these dofs mass (a consistent mass matrix does this), or keep fewer dofs");
    return IFD_NO_MEMORY;
}

void ifd__block_place(const ifd__blocks *w, const ifd__block *c)
{
    for (int i = 0; i < c->nk; i++)
        w->local[c->kept[i]] = i;
}

/* out (ns x nk) := Ask */
void ifd__block_take(const ifd__blocks *w, const ifd__block *c, const ifd_sparse *A, double *out)
{
    memset(out, 0, (size_t)c->ns * (size_t)c->nk * sizeof *out);
    int id = w->block_of[c->slave[0]];
    for (int j = 0; j < c->nk; j++)
        for (int k = A->p[c->kept[j]]; k < A->p[c->kept[j] + 1]; k++)
            if (ifd__is_slave(w, A->i[k]) && w->block_of[A->i[k]] == id)
                out[(size_t)w->local[A->i[k]] + (size_t)j * (size_t)c->ns] = A->x[k];
}

/* W (ns x nk) += Ass X, R (nk x nk) += Aks X. */
static void add_products(const ifd__blocks *w, const ifd__block *c, const ifd_sparse *A, double *W, double *R)
{
    size_t ns = (size_t)c->ns, nk = (size_t)c->nk;
    for (size_t r = 0; r < nk; r++)
        for (size_t l = 0; l < ns; l++) {
            double x = c->X[l + r * ns];
            int j = c->slave[l];
            for (int k = A->p[j]; k < A->p[j + 1]; k++) {
                size_t at = (size_t)w->local[A->i[k]];
                if (A->x[k] == 0.0) /* may be outside this block */
                    continue;
                if (ifd__is_slave(w, A->i[k]))
                    W[at + r * ns] += A->x[k] * x;
                else
                    R[at + r * nk] += A->x[k] * x;
            }
        }
}

static ifd_status singular(const ifd__blocks *w, const ifd__block *c, int local, ifd_note *note)
{
    const char *name = ifd_builder_dof_name(w->b, w->s->dof[c->slave[local]]);
    const ifd_sparse *K = &w->s->A[IFD_STIFFNESS];
    bool held = ifd__sparse_get(K, c->slave[local], c->slave[local]) != 0.0;
    bool massless = ifd__sparse_get(&w->s->A[IFD_MASS], c->slave[local], c->slave[local]) == 0.0;
    ifd_status code = massless ? IFD_MASSLESS : IFD_SINGULAR;
    ifd_note_about(note, code, held ? "condense" : "stiffness",
                   held ? "dof '%s' cannot be condensed: it can move freely even if all kept dofs are fixed"
                        : "dof '%s' cannot be condensed: it has no stiffness",
                   name);
    ifd_note_hint(note, "give it mass and keep it, connect it, or remove it");
    return code;
}

static ifd_status solve_dense(ifd__blocks *w, ifd__block *c, ifd_note *note)
{
    const ifd_sparse *K = &w->s->A[IFD_STIFFNESS];
    size_t ns = (size_t)c->ns;
    double *Kss = calloc(ns * ns, sizeof *Kss);
    if (!Kss)
        return IFD_NO_MEMORY;
    for (size_t l = 0; l < ns; l++)
        for (int k = K->p[c->slave[l]]; k < K->p[c->slave[l] + 1]; k++)
            if (ifd__is_slave(w, K->i[k]) && K->x[k] != 0.0)
                Kss[(size_t)w->local[K->i[k]] + l * ns] = K->x[k];
    int verdict = ifd__scaled_solve(c->ns, Kss, c->nk, c->X);
    free(Kss);
    if (verdict == IFD__SOLVE_NO_MEMORY)
        return IFD_NO_MEMORY;
    return verdict == IFD__SOLVED ? IFD_OK : singular(w, c, verdict, note);
}

static ifd_status solve_sparse(ifd__blocks *w, ifd__block *c, ifd_note *note)
{
    const ifd_sparse *K = &w->s->A[IFD_STIFFNESS];
    ifd__triplets t = {.arena = w->arena};
    for (int l = 0; l < c->ns; l++)
        for (int k = K->p[c->slave[l]]; k < K->p[c->slave[l] + 1]; k++)
            if (ifd__is_slave(w, K->i[k]) && K->x[k] != 0.0)
                ifd__triplet(&t, w->local[K->i[k]], l, K->x[k]);
    ifd_sparse Kss;
    ifd_solver *solver;
    IFD_TRY(ifd__sparse_make(w->arena, c->ns, &t, true, &Kss));
    ifd_status made = ifd__solver_make(w->arena, &Kss, IFD__SOLVER_AUTO, &solver, NULL);
    if (made == IFD_NOT_POSITIVE || made == IFD_SINGULAR) {
        int l = 0;
        while (l < c->ns - 1 && ifd__sparse_get(&Kss, l, l) > 0.0)
            l++;
        return singular(w, c, l, note);
    }
    IFD_TRY(made);
    double *scratch;
    IFD_TRY(IFD__TAKE(w->arena, IFD__ARRAY(scratch, ifd__solver_work(solver))));
    for (size_t r = 0; r < (size_t)c->nk; r++)
        ifd__solver_solve(solver, c->X + r * (size_t)c->ns, scratch);
    return IFD_OK;
}

static ifd_status solve_block(ifd__blocks *w, ifd__block *c, ifd_note *note)
{
    size_t size = (size_t)c->ns * (size_t)c->nk;
    IFD_TRY(IFD__TAKE(w->arena, IFD__ARRAY(c->X, size)));
    ifd__block_take(w, c, &w->s->A[IFD_STIFFNESS], c->X);
    for (size_t i = 0; i < size; i++)
        c->X[i] = -c->X[i];
    return c->ns <= LARGEST_DENSE ? solve_dense(w, c, note) : solve_sparse(w, c, note);
}

/* Rows of supports are not in A: by symmetry their Aks X is Ask^T X. */
static void add_support_products(const ifd__blocks *w, const ifd__block *c, const double *Ask, double *R)
{
    size_t ns = (size_t)c->ns, nk = (size_t)c->nk;
    for (size_t i = 0; i < nk; i++)
        for (size_t j = 0; j < nk && c->kept[i] >= w->s->n; j++)
            R[i + j * nk] += cblas_ddot(c->ns, Ask + i * ns, 1, c->X + j * ns, 1);
}

/* One entry of R: in the matrix, or in the block of the supports. */
static void put_reduced(const ifd__blocks *w, int row, int column, double value, ifd__triplets *t, double *own)
{
    if (row < w->n)
        ifd__triplet(t, row, column, value);
    else if (column >= w->n)
        own[(row - w->n) + (column - w->n) * w->s->nsupport] += value;
}

/* R = Aks X + X^T (Ask + Ass X) of one block, appended in the new numbering. */
static ifd_status reduce_block(ifd__blocks *w, const ifd__block *c, int which, ifd__triplets *t, double *own)
{
    size_t ns = (size_t)c->ns, nk = (size_t)c->nk;
    double *W = malloc((ns * nk + 1) * sizeof *W), *R = calloc(nk * nk + 1, sizeof *R);
    if (W && R && nk) {
        ifd__block_take(w, c, &w->s->A[which], W);
        add_support_products(w, c, W, R);
        add_products(w, c, &w->s->A[which], W, R);
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, c->nk, c->nk, c->ns, 1.0, c->X, c->ns, W, c->ns, 1.0, R,
                    c->nk);
        for (size_t j = 0; j < nk; j++)
            for (size_t i = 0; i < nk; i++)
                if (R[i + j * nk] != 0.0)
                    put_reduced(w, w->number[c->kept[i]], w->number[c->kept[j]], R[i + j * nk], t, own);
    }
    ifd_status status = W && R ? IFD_OK : IFD_NO_MEMORY;
    free(W);
    free(R);
    return status;
}

static ifd_status reduce(ifd__blocks *w, int which, double *own, ifd_sparse *out)
{
    const ifd_sparse *A = &w->s->A[which];
    ifd__triplets t = {.arena = w->arena};
    for (int j = 0; j < A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++)
            if (!ifd__is_slave(w, A->i[k]) && !ifd__is_slave(w, j))
                ifd__triplet(&t, w->number[A->i[k]], w->number[j], A->x[k]);
    for (int c = 0; c < w->nblock; c++) {
        ifd__block_place(w, &w->block[c]);
        if (w->block[c].used[which])
            IFD_TRY(reduce_block(w, &w->block[c], which, &t, own));
    }
    return ifd__sparse_make(w->arena, w->n + w->s->nsupport, &t, false, out);
}

/* T := T times the T of this condensation. */
static ifd_status compose(ifd__blocks *w, ifd__rows *out)
{
    const ifd__rows *T = &w->s->T;
    size_t room = 0;
    for (int k = 0; k < T->start[T->count]; k++)
        room += ifd__is_slave(w, T->column[k]) ? (size_t)w->block[w->block_of[T->column[k]]].nk : 1;
    IFD_TRY(ifd__rows_take(w->arena, T->count, room, out));
    int at = 0;
    for (int i = 0; i < T->count; i++) {
        for (int k = T->start[i]; k < T->start[i + 1]; k++) {
            int j = T->column[k];
            const ifd__block *c = ifd__is_slave(w, j) ? &w->block[w->block_of[j]] : NULL;
            for (int l = 0; l < (c ? c->nk : 1); l++) {
                out->column[at] = w->number[c ? c->kept[l] : j];
                out->value[at++] = T->value[k] * (c ? c->X[(size_t)w->local[j] + (size_t)l * (size_t)c->ns] : 1.0);
            }
        }
        out->start[i + 1] = at;
    }
    return IFD_OK;
}

ifd_status ifd__blocks_apply(ifd__blocks *w, ifd__system *s)
{
    ifd__system out = *s;
    for (int k = 0; k < 3; k++) {
        size_t entries = (size_t)s->nsupport * (size_t)s->nsupport;
        if (!out.own[k] && !(out.own[k] = ifd_arena_array(w->arena, entries, sizeof(double))))
            return IFD_NO_MEMORY;
        IFD_TRY(reduce(w, k, out.own[k], &out.A[k]));
    }
    IFD_TRY(compose(w, &out.T));
    out.n = w->n;
    IFD_TRY(IFD__TAKE(w->arena, IFD__ARRAY(out.dof, w->n)));
    for (int i = 0; i < s->n; i++)
        if (!w->slave[i])
            out.dof[w->number[i]] = s->dof[i];
    *s = out;
    return IFD_OK;
}

/* Forces of the builder that act on slaves; returns their number. */
static int forces_on_slaves(const ifd__blocks *w, int *force)
{
    const ifd__rows *T = &w->s->T;
    int count = 0;
    for (int l = 0; l < w->b->force.count; l++) {
        const ifd__force *f = &IFD__AT(w->b->force, ifd__force, l);
        bool some = false;
        for (int i = 0; i < f->count; i++)
            for (int k = T->start[f->dof[i]]; k < T->start[f->dof[i] + 1]; k++)
                some = some || (ifd__is_slave(w, T->column[k]) && T->value[k] != 0.0);
        if (some)
            force[count++] = l;
    }
    return count;
}

/* Kss^-1 of these forces on a block: X, a column for each. */
static ifd_status stretch_block(ifd__blocks *w, ifd__block *c, int forces, const int *force, ifd_note *note)
{
    const ifd__rows *T = &w->s->T;
    int id = w->block_of[c->slave[0]];
    c->nk = forces;
    IFD_TRY(IFD__TAKE(w->arena, IFD__ARRAY(c->X, (size_t)c->ns * (size_t)forces)));
    for (int l = 0; l < forces; l++) {
        const ifd__force *f = &IFD__AT(w->b->force, ifd__force, force[l]);
        for (int i = 0; i < f->count; i++)
            for (int k = T->start[f->dof[i]]; k < T->start[f->dof[i] + 1]; k++)
                if (ifd__is_slave(w, T->column[k]) && w->block_of[T->column[k]] == id)
                    c->X[(size_t)w->local[T->column[k]] + (size_t)l * (size_t)c->ns] += f->value[i] * T->value[k];
    }
    return c->ns <= LARGEST_DENSE ? solve_dense(w, c, note) : solve_sparse(w, c, note);
}

/* Displacement of row i of T by the deformation under force l. */
static double stretch(const ifd__blocks *w, const ifd__block *block, int i, int l)
{
    const ifd__rows *T = &w->s->T;
    double sum = 0.0;
    for (int k = T->start[i]; k < T->start[i + 1]; k++)
        if (ifd__is_slave(w, T->column[k])) {
            const ifd__block *c = &block[w->block_of[T->column[k]]];
            sum += T->value[k] * c->X[(size_t)w->local[T->column[k]] + (size_t)l * (size_t)c->ns];
        }
    return sum;
}

/* F += T_s Kss^-1 T_s^T over the forces: deformation of the springs of condensed dofs per unit force. */
static ifd_status add_flexibility(const ifd__blocks *of, ifd__rows *F, ifd_note *note)
{
    ifd__blocks w = *of;
    const ifd__rows before = *F;
    int rows = w.s->T.count, at = 0, forces, *force;
    ifd__block *block;
    IFD_TRY(IFD__TAKE(w.arena, IFD__ARRAY(block, w.nblock), IFD__ARRAY(force, w.b->force.count)));
    forces = forces_on_slaves(&w, force);
    if (!forces)
        return IFD_OK;
    for (int c = 0; c < w.nblock; c++) {
        block[c] = w.block[c];
        IFD_TRY(stretch_block(&w, &block[c], forces, force, note));
    }
    size_t room = (size_t)rows * (size_t)forces + (before.count ? (size_t)before.start[before.count] : 0);
    IFD_TRY(ifd__rows_take(w.arena, rows, room, F));
    for (int i = 0; i < rows; i++) {
        for (int k = before.count ? before.start[i] : 0; before.count && k < before.start[i + 1]; k++, at++) {
            F->column[at] = before.column[k];
            F->value[at] = before.value[k];
        }
        for (int l = 0; l < forces; l++) {
            F->column[at] = force[l];
            F->value[at] = stretch(&w, block, i, l);
            at += F->value[at] != 0.0;
        }
        F->start[i + 1] = at;
    }
    return IFD_OK;
}

ifd_status ifd__condense(ifd_arena *arena, const ifd_builder *b, const bool *slave, ifd__system *s, ifd_note *note)
{
    ifd__blocks w = {.arena = arena, .b = b, .slave = slave, .s = s, .size = s->n + s->nsupport};
    if (!s->symmetric[IFD_STIFFNESS])
        return ifd__system_unsymmetric(b, s, IFD_STIFFNESS, note);
    IFD_TRY(ifd__blocks_find(&w));
    IFD_TRY(check_size(&w, note));
    for (int c = 0; c < w.nblock; c++) {
        ifd__block_place(&w, &w.block[c]);
        IFD_TRY(solve_block(&w, &w.block[c], note));
    }
    if (b->force.count)
        IFD_TRY(add_flexibility(&w, s->F, note));
    return ifd__blocks_apply(&w, s);
}
