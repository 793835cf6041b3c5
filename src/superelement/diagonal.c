/* SPDX-License-Identifier: MIT */
/* The reduced structure in its own modes. */
#include "superelement/diagonal.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

static void orient(ifd__diagonal *d)
{
    size_t r = (size_t)d->order;
    for (size_t i = 0; i < r; i++) {
        double most = 0.0, sign = 0.0;
        for (size_t c = 0; c < (size_t)d->columns; c++)
            most = fmax(most, fabs(d->P[i + c * r]));
        for (size_t c = 0; c < (size_t)d->columns && sign == 0.0; c++)
            if (fabs(d->P[i + c * r]) > 1e-8 * most)
                sign = d->P[i + c * r] < 0.0 ? -1.0 : 1.0;
        if (sign >= 0.0)
            continue;
        cblas_dscal(d->order, -1.0, d->A + i * r, 1);
        cblas_dscal(d->columns, -1.0, d->P + i, d->order);
    }
}

ifd_status ifd__diagonal_make(ifd_arena *arena, const ifd__basis *b, ifd__diagonal *out, ifd_note *note)
{
    size_t r = (size_t)b->order, columns = (size_t)b->columns;
    *out = (ifd__diagonal){.order = b->order, .columns = b->columns};
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(out->lambda, r), IFD__ARRAY(out->A, r * r), IFD__ARRAY(out->P, r * columns)));
    for (size_t j = 0; j < r; j++)
        memcpy(out->A + j * r, b->K + j * (size_t)b->room, r * sizeof *out->A);
    lapack_int info = LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', b->order, out->A, b->order, out->lambda);
    if (info == LAPACK_WORK_MEMORY_ERROR)
        return IFD_NO_MEMORY;
    if (info != 0 || !(out->lambda[0] > 0.0))
        return ifd_note_add(note, IFD_INTERNAL, NULL, "the modes of the reduced structure could not be computed (%d)",
                            (int)info);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, b->order, b->columns, b->order, 1.0, out->A, b->order, b->P,
                b->room, 0.0, out->P, b->order);
    orient(out);
    return IFD_OK;
}
