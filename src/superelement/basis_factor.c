/* SPDX-License-Identifier: MIT */
/* The factor with which a basis grows: own or of another program. */
#include "superelement/basis_factor.h"

static void drop(void *factor)
{
    const ifd__basis_factor *f = factor;
    f->away->drop(f->away->self, f->id);
}

/* The entries of the lower triangle, counted from 1. */
static ifd_status list_entries(ifd_arena *scratch, const ifd_sparse *A, ifd_entries *out)
{
    int *row, *column;
    size_t count = (size_t)A->p[A->n];
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(row, count), IFD__ARRAY(column, count)));
    for (int j = 0; j < A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++) {
            row[k] = A->i[k] + 1;
            column[k] = j + 1;
        }
    *out = (ifd_entries){.n = A->n, .count = (long long)count, .row = row, .column = column, .value = A->x};
    return IFD_OK;
}

static ifd_status make_away(ifd_arena *arena, const ifd_sparse *A, ifd__basis_factor *out)
{
    ifd_entries entries;
    ifd_arena *scratch = ifd_arena_open();
    ifd_status status = scratch ? list_entries(scratch, A, &entries) : IFD_NO_MEMORY;
    if (status == IFD_OK)
        status = out->away->factor(out->away->self, &entries, &out->id);
    ifd_arena_close(scratch);
    IFD_TRY(status);
    if (ifd_arena_on_close(arena, drop, out))
        return IFD_OK;
    drop(out);
    return IFD_NO_MEMORY;
}

ifd_status ifd__basis_factor_make(ifd_arena *arena, const ifd_sparse *A, const ifd_factoriser *away,
                                  ifd__basis_factor *out, ifd_note *note)
{
    *out = (ifd__basis_factor){.n = A->n, .away = away};
    if (away)
        return make_away(arena, A, out);
    IFD_TRY(ifd__solver_make(arena, A, IFD__SOLVER_AUTO, &out->own, note));
    out->work = ifd_arena_array(arena, ifd__solver_block_work(out->own), sizeof *out->work);
    return out->work ? IFD_OK : IFD_NO_MEMORY;
}

void ifd__basis_factor_solve(const ifd__basis_factor *f, int columns, double *X)
{
    if (f->away) {
        f->away->solve(f->away->self, f->id, columns, X);
        return;
    }
    ifd__solver_solve_block(f->own, columns, X, f->work);
}
