/* SPDX-License-Identifier: MIT */
/* Corrects a solution for a part of low rank (Woodbury). */
#include "algebra/low_rank.h"

#include <string.h>

#include "algebra/dense.h"
#include "algebra/solver.h"
#include "base/arena.h"

/* y := Z^T x */
static IFD_RT void along(const ifd__low_rank *l, const double *x, double *y)
{
    for (int k = 0; k < l->rank; k++)
        y[k] = ifd__dot(l->n, l->Z + (size_t)k * (size_t)l->n, x);
}

bool ifd__low_rank_update(ifd__low_rank *l, const ifd_solver *base)
{
    size_t n = (size_t)l->n, rank = (size_t)l->rank;
    memcpy(l->Y, l->Z, n * rank * sizeof *l->Y);
    for (size_t k = 0; k < rank; k++) {
        ifd__solver_solve(base, l->Y + k * n, l->w);
        along(l, l->Y + k * n, l->G + k * rank);
        l->G[k + k * rank] += 1.0 / l->weight;
    }
    return ifd__lu_factor(l->rank, l->G, l->pivot);
}

ifd_status ifd__low_rank_make(ifd_arena *arena, const ifd_sparse *A, const ifd_solver *base, ifd__low_rank **out)
{
    size_t n = (size_t)A->n, rank = (size_t)A->rank;
    ifd__low_rank *l;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(l, 1)));
    *l = (ifd__low_rank){.n = A->n, .rank = A->rank, .weight = A->weight, .Z = A->Z};
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(l->Y, n * rank), IFD__ARRAY(l->G, rank * rank), IFD__ARRAY(l->pivot, rank),
                      IFD__ARRAY(l->w, ifd__solver_work(base))));
    *out = l;
    return ifd__low_rank_update(l, base) ? IFD_OK : IFD_SINGULAR;
}

void ifd__low_rank_correct(const ifd__low_rank *l, double *x, double *w)
{
    along(l, x, w);
    ifd__lu_solve(l->rank, l->G, l->pivot, 1, w);
    ifd__mul_add(l->n, l->rank, -1.0, l->Y, w, x);
}
