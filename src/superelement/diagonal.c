/* SPDX-License-Identifier: MIT */
/* The reduced structure in its own modes, and with its interface dofs as coordinates. */
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

typedef struct making {
    ifd_arena *scratch;
    const ifd__basis *b;
    const ifd__diagonal *d;
    int r, p, q; /* order, interface dofs, the others */
    double *X;   /* r x r: the static shapes of the interface, the modes */
} making;

static double *modes(const making *k)
{
    return k->X + (size_t)k->r * (size_t)k->p;
}

/* Static shapes: lambda^-1 Phi_b^T (Phi_b lambda^-1 Phi_b^T)^-1, and the inverse, the condensed stiffness. */
static ifd_status make_static(const making *k, double *stiffness)
{
    size_t r = (size_t)k->r, p = (size_t)k->p;
    double *S = k->X, *Y;
    if (!p)
        return IFD_OK;
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(Y, r * p)));
    for (size_t j = 0; j < p; j++)
        for (size_t i = 0; i < r; i++)
            Y[i + j * r] = k->d->P[i + j * r] / k->b->scale[j] / k->d->lambda[i];
    for (size_t j = 0; j < p; j++)
        for (size_t i = 0; i < p; i++)
            stiffness[i + j * p] = cblas_ddot(k->r, k->d->P + i * r, 1, Y + j * r, 1) / k->b->scale[i];
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', k->p, stiffness, k->p) != 0 ||
        LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', k->p, stiffness, k->p) != 0)
        return IFD_NOT_POSITIVE;
    for (size_t j = 0; j < p; j++)
        for (size_t i = 0; i < j; i++)
            stiffness[i + j * p] = stiffness[j + i * p];
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, k->r, k->p, k->p, 1.0, Y, k->r, stiffness, k->p, 0.0, S,
                k->r);
    return IFD_OK;
}

/* Columns of X after the first p: an orthonormal basis of what leaves the interface at rest. */
static ifd_status make_null_space(const making *k)
{
    size_t r = (size_t)k->r, p = (size_t)k->p;
    double *Q, *tau;
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(Q, r * r), IFD__ARRAY(tau, p)));
    if (p)
        memcpy(Q, k->d->P, r * p * sizeof *Q);
    if (p && (LAPACKE_dgeqrf(LAPACK_COL_MAJOR, k->r, k->p, Q, k->r, tau) != 0 ||
              LAPACKE_dorgqr(LAPACK_COL_MAJOR, k->r, k->r, k->p, Q, k->r, tau) != 0))
        return IFD_INTERNAL;
    for (size_t i = p; i < r && !p; i++)
        Q[i * (r + 1)] = 1.0;
    memcpy(modes(k), Q + r * p, r * (size_t)k->q * sizeof *Q);
    return IFD_OK;
}

/* The modes with the interface held, ascending. */
static ifd_status make_modes(const making *k, double *lambda)
{
    size_t r = (size_t)k->r, q = (size_t)k->q;
    double *N, *LN, *S;
    IFD_TRY(make_null_space(k));
    if (!q)
        return IFD_OK;
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(N, r * q), IFD__ARRAY(LN, r * q), IFD__ARRAY(S, q * q)));
    memcpy(N, modes(k), r * q * sizeof *N);
    for (size_t j = 0; j < q; j++)
        for (size_t i = 0; i < r; i++)
            LN[i + j * r] = k->d->lambda[i] * N[i + j * r];
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, k->q, k->q, k->r, 1.0, N, k->r, LN, k->r, 0.0, S, k->q);
    lapack_int info = LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', k->q, S, k->q, lambda);
    if (info != 0)
        return info == LAPACK_WORK_MEMORY_ERROR ? IFD_NO_MEMORY : IFD_INTERNAL;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, k->r, k->q, k->q, 1.0, N, k->r, S, k->q, 0.0, modes(k),
                k->r);
    return IFD_OK;
}

/* T^T W = X^T Phi^T W, unscaled; exact unit entries for the interface. */
static void make_columns(const making *k, double *P)
{
    size_t r = (size_t)k->r, p = (size_t)k->p;
    int columns = k->d->columns;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, k->r, columns, k->r, 1.0, k->X, k->r, k->d->P, k->r, 0.0, P,
                k->r);
    for (size_t c = 0; c < (size_t)columns; c++)
        for (size_t i = 0; i < r; i++)
            P[i + c * r] = c < p ? (double)(i == c) : P[i + c * r] / k->b->scale[c];
}

ifd_status ifd__physical_make(ifd_arena *arena, ifd_arena *scratch, const ifd__basis *b, const ifd__diagonal *d,
                              ifd__physical *out)
{
    size_t r = (size_t)d->order, p = (size_t)b->of.interfaces, q = r - p;
    making k = {.scratch = scratch, .b = b, .d = d, .r = (int)r, .p = (int)p, .q = (int)q};
    *out = (ifd__physical){.order = d->order, .interfaces = b->of.interfaces};
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(k.X, r * r)));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(out->mass, p * p), IFD__ARRAY(out->stiffness, p * p),
                      IFD__ARRAY(out->coupling, p * q), IFD__ARRAY(out->lambda, q),
                      IFD__ARRAY(out->P, r * (size_t)d->columns)));
    IFD_TRY(make_static(&k, out->stiffness));
    IFD_TRY(make_modes(&k, out->lambda));
    if (p)
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)p, (int)p, (int)r, 1.0, k.X, (int)r, k.X, (int)r,
                    0.0, out->mass, (int)p);
    if (p && q)
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)p, (int)q, (int)r, 1.0, k.X, (int)r, modes(&k),
                    (int)r, 0.0, out->coupling, (int)p);
    make_columns(&k, out->P);
    return IFD_OK;
}

void ifd__physical_triplets(const ifd__physical *f, ifd__triplets *M, ifd__triplets *K)
{
    int r = f->order, p = f->interfaces;
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++) {
            ifd__triplet(M, i, j, 0.5 * (f->mass[i + j * p] + f->mass[j + i * p]));
            ifd__triplet(K, i, j, 0.5 * (f->stiffness[i + j * p] + f->stiffness[j + i * p]));
        }
    for (int j = p; j < r; j++) {
        for (int i = 0; i < p; i++) {
            ifd__triplet(M, i, j, f->coupling[i + (j - p) * p]);
            ifd__triplet(M, j, i, f->coupling[i + (j - p) * p]);
        }
        ifd__triplet(M, j, j, 1.0);
        ifd__triplet(K, j, j, f->lambda[j - p]);
    }
}
