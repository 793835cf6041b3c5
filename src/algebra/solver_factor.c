/* SPDX-License-Identifier: MIT */
/* A factor in panels, of a symmetric or an unsymmetric matrix: permutations, plan, numbers. */
#include "algebra/factor.h"
#include "algebra/solver_parts.h"
#include "algebra/team.h"

static const double MANY = 3e7; /* operations of a factorisation that takes several milliseconds */

static ifd_status runs_make(ifd_arena *arena, int lanes, int n, const int *perm, ifd__permutation *out)
{
    out->runs = ifd__runs_pack(n, perm, lanes, NULL);
    out->run = ifd_arena_array(arena, (size_t)out->runs, sizeof *out->run);
    if (!out->run)
        return IFD_NO_MEMORY;
    ifd__runs_pack(n, perm, lanes, out->run);
    return IFD_OK;
}

static ifd_status permute(ifd_arena *arena, ifd_arena *scratch, int lanes, int n, const int *perm, ifd_solver *s)
{
    int *place = ifd_arena_array(scratch, (size_t)n, sizeof *place);
    if (!place)
        return IFD_NO_MEMORY;
    for (int k = 0; k < n; k++)
        place[perm[k]] = k;
    IFD_TRY(runs_make(arena, lanes, n, perm, &s->there));
    return runs_make(arena, lanes, n, place, &s->back);
}

static void count_reads(ifd_solver *s)
{
    s->facts.stored = s->facts.reads = 0;
    for (int p = 0; p < s->panels.count; p++) {
        const ifd__panel *J = s->panels.panel + p;
        long square = (long)ifd__block_size(J->width, J->width, &s->panels);
        long below = (long)ifd__block_size(J->rows, J->width, &s->panels);
        s->facts.stored += square + (s->panels.upper ? 2 : 1) * below;
        s->facts.reads += square + 2 * below;
    }
}

/* Threads cost some 50 us. */
static int threads_for(const ifd__supernodes *S)
{
    double operations = 0.0;
    for (int s = 0; s < S->count; s++)
        operations += ifd__factor_operations(S, s);
    return operations > MANY ? ifd__team_cores() : 1;
}

ifd_status ifd__solver_factor(const ifd__solver_request *r, const ifd__symbolic *symbolic, ifd_solver *s, int *bad)
{
    const ifd_sparse *A = r->A;
    s->facts.ordering = symbolic->ordering;
    s->facts.nonzeros = A->symmetric ? symbolic->nonzeros : 2 * symbolic->nonzeros - A->n;
    s->facts.supernodes = symbolic->S.count;
    ifd__factor *F = ifd_arena_take(r->plan, sizeof *F);
    if (!F)
        return IFD_NO_MEMORY;
    IFD_TRY(permute(r->arena, r->plan, s->kernels->lanes, A->n, symbolic->S.perm, s));
    IFD_TRY(ifd__factor_plan(r->plan, r->single ? r->plan : r->arena, &symbolic->S, s->kernels, !A->symmetric, F));
    IFD_TRY(ifd__factor_work_make(r->plan, F, &F->work));
    IFD_TRY(ifd__factor_places(r->plan, A, F));
    IFD_TRY(ifd__factor_numbers_by(r->plan, threads_for(&symbolic->S), F, A->x, bad));
    if (*bad >= 0)
        return A->symmetric ? IFD_NOT_POSITIVE : IFD_SINGULAR;
    s->panels = F->P;
    if (r->changes)
        s->again = F;
    count_reads(s);
    return r->single ? ifd__panels_round(r->arena, F->numbers, &s->panels) : IFD_OK;
}
