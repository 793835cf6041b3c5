/* SPDX-License-Identifier: MIT */
/* Products, packed or not, and the choice of the form. The times are a model fitted to a few frames; only their order
 * is used. */
#include "algebra/packed.h"

#include "algebra/dense.h"

double ifd__packed_time(ifd__packing kind, int width, int pieces)
{
    if (kind == IFD__PACK_HALF)
        return 6.0 + pieces * (0.5 + 0.6 * width) + 0.05 * width * width;
    return 1.9 + pieces * (0.25 + 0.28 * width);
}

/* A large matrix is not in the cache when its product starts, because the factor was read in between. */
static double fetch_time(const ifd_sparse *A, size_t bytes)
{
    return A->p[A->n] > 40000 ? 0.04 * (double)bytes : 0.0;
}

static double columns_time(const ifd_sparse *A)
{
    size_t entries = (size_t)A->p[A->n];
    return 0.8 * (double)entries + fetch_time(A, entries * (sizeof *A->i + sizeof *A->x));
}

ifd_status ifd__sparse_pack_as(ifd_arena *arena, ifd_sparse *A, ifd__packing kind, const ifd__kernels *kernels)
{
    ifd__packed *packed = ifd_arena_take(arena, sizeof *packed);
    double time;
    if (!packed)
        return IFD_NO_MEMORY;
    packed->kind = kind;
    packed->kernels = kernels;
    if (kind == IFD__PACK_HALF || kind == IFD__PACK_WHOLE)
        IFD_TRY(ifd__panels_of(arena, A, packed, &time));
    else if (kind == IFD__PACK_ARROW)
        IFD_TRY(ifd__arrow_make(arena, A, ifd__arrow_border(A), &packed->arrow));
    else if (kind == IFD__PACK_BANDS)
        IFD_TRY(ifd__bands_of(arena, A, packed, &time));
    A->packed = packed;
    return IFD_OK;
}

ifd_status ifd__sparse_pack(ifd_arena *arena, ifd_sparse *A)
{
    const ifd__kernels *kernels = ifd__kernels_best();
    double best = columns_time(A), time;
    ifd__packing kind = IFD__PACK_NONE;
    if (A->p[A->n] == A->n)
        return ifd__sparse_pack_as(arena, A, IFD__PACK_DIAGONAL, kernels);
    if (ifd__arrow_border(A))
        return ifd__sparse_pack_as(arena, A, IFD__PACK_ARROW, kernels);
    for (ifd__packing k = A->symmetric ? IFD__PACK_HALF : IFD__PACK_WHOLE; k <= IFD__PACK_BANDS; k++) {
        ifd__packed trial = {.kind = k, .kernels = kernels};
        IFD_TRY(k == IFD__PACK_BANDS ? ifd__bands_of(NULL, A, &trial, &time)
                                     : ifd__panels_of(NULL, A, &trial, &time));
        time += fetch_time(A, trial.bytes);
        if (time < best) {
            best = time;
            kind = k;
        }
    }
    return ifd__sparse_pack_as(arena, A, kind, kernels);
}

static void by_symmetric_columns(const ifd_sparse *A, double alpha, const double *restrict x, double *restrict y)
{
    for (int j = 0; j < A->n; j++) {
        int k = A->p[j], end = A->p[j + 1];
        double xj = alpha * x[j], sum = 0.0;
        for (; k < end && A->i[k] == j; k++)
            sum += A->x[k] * x[j];
        for (; k < end; k++) {
            int i = A->i[k];
            y[i] += A->x[k] * xj;
            sum += A->x[k] * x[i];
        }
        y[j] += alpha * sum;
    }
}

static void by_columns(const ifd_sparse *A, double alpha, const double *restrict x, double *restrict y)
{
    for (int j = 0; j < A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++)
            y[A->i[k]] += A->x[k] * (alpha * x[j]);
}

void ifd__low_rank_mul_add(const ifd_sparse *A, double alpha, const double *x, double *y)
{
    enum { TOGETHER = 8 };
    double along[TOGETHER];
    for (int first = 0; first < A->rank; first += TOGETHER) {
        int count = A->rank - first < TOGETHER ? A->rank - first : TOGETHER;
        const double *Z = A->Z + (size_t)first * (size_t)A->n;
        for (int k = 0; k < count; k++)
            along[k] = ifd__dot(A->n, Z + (size_t)k * (size_t)A->n, x);
        ifd__mul_add(A->n, count, alpha * A->weight, Z, along, y);
    }
}

void ifd__sparse_mul_add(const ifd_sparse *A, double alpha, const double *x, double *y)
{
    ifd__packing kind = A->packed ? A->packed->kind : IFD__PACK_NONE;
    if (kind == IFD__PACK_WHOLE)
        A->packed->kernels->columns(&A->packed->panels, alpha, x, y);
    else if (kind == IFD__PACK_HALF)
        A->packed->kernels->product(&A->packed->panels, alpha, x, y);
    else if (kind == IFD__PACK_ARROW)
        ifd__arrow_product(&A->packed->arrow, A->packed->kernels, alpha, x, y);
    else if (kind == IFD__PACK_BANDS)
        A->packed->kernels->bands(&A->packed->bands, alpha, x, y);
    else if (kind == IFD__PACK_DIAGONAL)
        for (int i = 0; i < A->n; i++)
            y[i] += alpha * A->x[i] * x[i];
    else if (A->symmetric)
        by_symmetric_columns(A, alpha, x, y);
    else
        by_columns(A, alpha, x, y);
    ifd__low_rank_mul_add(A, alpha, x, y);
}
