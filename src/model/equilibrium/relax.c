/* SPDX-License-Identifier: MIT */
/* Equilibrium of first-order dofs: massless dofs on dashpots. */
#include "model/equilibrium/relax.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "model/build/blocks.h"

enum { NAMES = 4 }; /* dofs in the name of a state */

typedef struct relaxing {
    ifd__blocks w;
    ifd__relaxed *out;
    const ifd__relax_start *start;
    int state;           /* first state of the current block */
    double *Phi, *C, *K; /* ns x ns of the current block: eigenvectors, C_dd, K_dd */
    double *Ck, *H;      /* ns x nk: C_dk, then H */
} relaxing;

/* Phi of every block: u_d of a slave is its row of Phi. */
typedef struct shapes {
    double **Phi;
    int *first; /* state */
} shapes;

static void fill_own(const relaxing *x, const ifd__block *c, const ifd_sparse *A, double factor, double *out)
{
    size_t ns = (size_t)c->ns;
    for (size_t l = 0; l < ns; l++)
        for (int k = A->p[c->slave[l]]; k < A->p[c->slave[l] + 1]; k++)
            if (ifd__is_slave(&x->w, A->i[k]) && A->x[k] != 0.0)
                out[(size_t)x->w.local[A->i[k]] + l * ns] += factor * A->x[k];
}

static bool take_block(relaxing *x, ifd__block *c)
{
    size_t ns = (size_t)c->ns, nk = (size_t)c->nk;
    x->C = ifd_arena_array(x->w.arena, 2 * ns * ns, sizeof *x->C);
    x->K = ifd_arena_array(x->w.arena, ns * ns, sizeof *x->K);
    x->Phi = ifd_arena_array(x->w.arena, ns * ns, sizeof *x->Phi);
    x->Ck = ifd_arena_array(x->w.arena, ns * nk + 1, sizeof *x->Ck);
    x->H = ifd_arena_array(x->w.arena, ns * nk + 1, sizeof *x->H);
    c->X = ifd_arena_array(x->w.arena, ns * nk + 1, sizeof *c->X);
    if (!x->C || !x->K || !x->Phi || !x->Ck || !x->H || !c->X)
        return false;
    fill_own(x, c, &x->w.s->A[IFD_DAMPING], 1.0, x->C);
    fill_own(x, c, &x->w.s->A[IFD_STIFFNESS], x->start->beta, x->C);
    fill_own(x, c, &x->w.s->A[IFD_STIFFNESS], 1.0, x->K);
    ifd__block_take(&x->w, c, &x->w.s->A[IFD_DAMPING], x->Ck);
    ifd__block_take(&x->w, c, &x->w.s->A[IFD_STIFFNESS], x->H);
    for (size_t i = 0; i < ns * nk; i++)
        x->Ck[i] += x->start->beta * x->H[i];
    return true;
}

/* X, H, Phi and the rates of a block. */
static ifd_status solve_block(relaxing *x, ifd__block *c)
{
    int ns = c->ns, nk = c->nk;
    size_t nn = (size_t)ns * (size_t)ns;
    double *L = x->C + nn, *rate = x->out->rate + x->state, most = 0.0;
    memcpy(L, x->C, nn * sizeof *L);
    for (int i = 0; i < ns * nk; i++)
        c->X[i] = -x->Ck[i];
    if (nk && LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', ns, nk, L, ns, c->X, ns) != 0)
        return IFD_NOT_POSITIVE;
    if (nk)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, ns, nk, ns, 1.0, x->K, ns, c->X, ns, 1.0, x->H, ns);
    memcpy(x->Phi, x->K, nn * sizeof *L);
    memcpy(L, x->C, nn * sizeof *L);
    if (LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, 'V', 'L', ns, x->Phi, ns, L, ns, rate) != 0)
        return IFD_NOT_POSITIVE;
    for (int i = 0; i < ns; i++)
        most = fmax(most, fabs(rate[i]));
    for (int i = 0; i < ns; i++)
        rate[i] = fabs(rate[i]) <= 1e-12 * most ? 0.0 : rate[i];
    return IFD_OK;
}

static double displacement_of(const relaxing *x, int column)
{
    const ifd__system *s = x->w.s;
    double motion[3] = {0.0};
    if (column < s->n)
        return IFD__AT(x->w.b->dof, ifd__dof, s->dof[column]).u0;
    ifd_signal_eval(IFD__AT(x->w.b->support, ifd__support, column - s->n).signal, 0.0, motion);
    return motion[0];
}

/* y0 := Phi^T (C_dd q + C_dk u_k) for a given displacement; -h u_k / rate at rest. */
static void start_states(const relaxing *x, const ifd__block *c, const double *h)
{
    size_t ns = (size_t)c->ns;
    bool given = false;
    for (int l = 0; l < c->ns; l++)
        given = given || x->start->given[x->w.s->dof[c->slave[l]]];
    for (size_t i = 0; i < ns; i++) {
        double y = 0.0, pull = 0.0, rate = x->out->rate[(size_t)x->state + i];
        for (int j = 0; j < c->nk; j++) {
            double u = displacement_of(x, c->kept[j]);
            pull += h[i + (size_t)j * ns] * u;
            y += u * cblas_ddot(c->ns, x->Phi + i * ns, 1, x->Ck + (size_t)j * ns, 1);
        }
        for (size_t l = 0; l < ns && given; l++)
            y += x->start->q[x->w.s->dof[c->slave[l]]] * cblas_ddot(c->ns, x->Phi + i * ns, 1, x->C + l * ns, 1);
        x->out->y0[(size_t)x->state + i] = !given && rate != 0.0 ? -pull / rate : y;
    }
}

/* h := Phi^T H; the rows are appended with columns in the new numbering. */
static ifd_status put_block(relaxing *x, const ifd__block *c)
{
    size_t ns = (size_t)c->ns, nk = (size_t)c->nk;
    ifd__rows *rows = &x->out->h;
    double *h;
    IFD_TRY(IFD__TAKE(x->w.arena, IFD__ARRAY(h, ns * nk + 1)));
    if (nk)
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, c->ns, c->nk, c->ns, 1.0, x->Phi, c->ns, x->H, c->ns,
                    0.0, h, c->ns);
    start_states(x, c, h);
    for (size_t i = 0; i < ns; i++) {
        int at = rows->start[(size_t)x->state + i];
        double most = 0.0;
        for (size_t j = 0; j < nk; j++)
            most = fmax(most, fabs(h[i + j * ns]));
        for (size_t j = 0; j < nk; j++)
            if (fabs(h[i + j * ns]) > 1e-15 * most) {
                rows->column[at] = x->w.number[c->kept[j]];
                rows->value[at++] = h[i + j * ns];
            }
        rows->start[(size_t)x->state + i + 1] = at;
    }
    return IFD_OK;
}

static const char *names_of(const relaxing *x, const ifd__block *c)
{
    char text[400] = "";
    size_t used = 0;
    for (int l = 0; l < c->ns && l < NAMES && used < sizeof text; l++) {
        int dof = x->w.s->dof[c->slave[l]];
        const char *label = x->start->label[dof], *name = label ? label : ifd_builder_dof_name(x->w.b, dof);
        int printed = snprintf(text + used, sizeof text - used, "%s%s", l ? ", " : "", name);
        used += printed > 0 ? (size_t)printed : 0;
    }
    if (c->ns > NAMES && used < sizeof text)
        snprintf(text + used, sizeof text - used, ", ...");
    return ifd_arena_text(x->w.arena, text);
}

static bool make_room(relaxing *x)
{
    ifd__relaxed *out = x->out;
    size_t room = 0;
    for (int c = 0; c < x->w.nblock; c++) {
        out->count += x->w.block[c].ns;
        room += (size_t)x->w.block[c].ns * (size_t)x->w.block[c].nk;
    }
    size_t n = (size_t)out->count;
    out->rate = ifd_arena_array(x->w.arena, n, sizeof *out->rate);
    out->y0 = ifd_arena_array(x->w.arena, n, sizeof *out->y0);
    out->group = ifd_arena_array(x->w.arena, n, sizeof *out->group);
    out->h.count = out->count;
    out->h.start = ifd_arena_array(x->w.arena, n + 1, sizeof *out->h.start);
    out->h.column = ifd_arena_array(x->w.arena, room + 1, sizeof *out->h.column);
    out->h.value = ifd_arena_array(x->w.arena, room + 1, sizeof *out->h.value);
    return out->rate && out->y0 && out->group && out->h.start && out->h.column && out->h.value;
}

/* Each slave in a row of T contributes its row of Phi. */
static ifd_status make_rows(relaxing *x, const shapes *p)
{
    const ifd__rows *T = &x->w.s->T;
    ifd__rows *Y = &x->out->Y;
    size_t room = 0;
    for (int k = 0; k < T->start[T->count]; k++)
        room += ifd__is_slave(&x->w, T->column[k]) ? (size_t)x->w.block[x->w.block_of[T->column[k]]].ns : 0;
    IFD_TRY(ifd__rows_take(x->w.arena, T->count, room, Y));
    int at = 0;
    for (int i = 0; i < T->count; i++) {
        for (int k = T->start[i]; k < T->start[i + 1]; k++) {
            int j = T->column[k];
            if (!ifd__is_slave(&x->w, j))
                continue;
            int block = x->w.block_of[j], ns = x->w.block[block].ns;
            for (int l = 0; l < ns; l++) {
                Y->column[at] = p->first[block] + l;
                Y->value[at++] = T->value[k] * p->Phi[block][x->w.local[j] + l * ns];
            }
        }
        Y->start[i + 1] = at;
    }
    return IFD_OK;
}

static ifd_status relax_blocks(relaxing *x, shapes *p)
{
    for (int c = 0; c < x->w.nblock; c++) {
        ifd__block *block = &x->w.block[c];
        ifd__block_place(&x->w, block);
        if (!take_block(x, block))
            return IFD_NO_MEMORY;
        IFD_TRY(solve_block(x, block));
        IFD_TRY(put_block(x, block));
        const char *names = names_of(x, block);
        if (!names)
            return IFD_NO_MEMORY;
        for (int i = 0; i < block->ns; i++)
            x->out->group[x->state + i] = names;
        p->Phi[c] = x->Phi;
        p->first[c] = x->state;
        x->state += block->ns;
    }
    return make_rows(x, p);
}

ifd_status ifd__relax(ifd_arena *arena, const ifd_builder *b, const bool *slave, const ifd__relax_start *start,
                      ifd__system *s, ifd__relaxed *out)
{
    relaxing x = {.out = out, .start = start};
    x.w = (ifd__blocks){.arena = arena, .b = b, .slave = slave, .s = s, .size = s->n + s->nsupport};
    memset(out, 0, sizeof *out);
    IFD_TRY(ifd__blocks_find(&x.w));
    shapes p = {.Phi = ifd_arena_array(arena, (size_t)x.w.nblock, sizeof *p.Phi),
                .first = ifd_arena_array(arena, (size_t)x.w.nblock, sizeof *p.first)};
    if (!p.Phi || !p.first || !make_room(&x))
        return IFD_NO_MEMORY;
    IFD_TRY(relax_blocks(&x, &p));
    return ifd__blocks_apply(&x.w, s);
}
