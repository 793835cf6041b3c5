/* SPDX-License-Identifier: MIT */
/* T^T A T, column by column: sparse if T and A are. */
#include "model/build/deriving.h"

#include <math.h>
#include <string.h>

/* T by columns: count starts, then fill. */
static ifd_status transpose(ifd__deriving *d)
{
    const ifd__rows *T = &d->how->T;
    size_t n = (size_t)d->how->n, entries = (size_t)T->start[T->count];
    IFD_TRY(ifd__rows_take(d->scratch, d->how->n + 1, entries, &d->T_t)); /* one more start, for counting */
    int *next = d->T_t.start + 1;
    for (size_t k = 0; k < entries; k++)
        next[T->column[k] + 1]++;
    for (size_t i = 0; i < n; i++)
        next[i + 1] += next[i];
    for (int i = 0; i < T->count; i++)
        for (int k = T->start[i]; k < T->start[i + 1]; k++) {
            int at = next[T->column[k]]++;
            d->T_t.column[at] = i;
            d->T_t.value[at] = T->value[k];
        }
    return IFD_OK;
}

ifd_status ifd__deriving_prepare(ifd__deriving *d)
{
    const ifd__derivation *how = d->how;
    size_t rows = (size_t)how->T.count, n = (size_t)how->n;
    IFD_TRY(IFD__TAKE(d->scratch, IFD__ARRAY(d->first, how->substructures + 1), IFD__ARRAY(d->y, rows),
                      IFD__ARRAY(d->z, n), IFD__ARRAY(d->y_at, rows), IFD__ARRAY(d->z_at, n),
                      IFD__ARRAY(d->y_in, rows), IFD__ARRAY(d->z_in, n)));
    for (int p = 0; p < how->substructures; p++)
        d->first[p + 1] = d->first[p] + how->substructure[p]->n;
    return transpose(d);
}

/* Column b of T^T A T, appended to t. */
static void derive_column(ifd__deriving *d, const ifd_sparse *A, int b, ifd__triplets *t)
{
    const ifd__rows *T = &d->how->T, *T_t = &d->T_t;
    int ny = 0, nz = 0;
    for (int k = T_t->start[b]; k < T_t->start[b + 1]; k++) {
        int j = T_t->column[k];
        for (int l = A->p[j]; l < A->p[j + 1]; l++)
            ifd__accumulate(d->y, d->y_in, d->y_at, &ny, A->i[l], T_t->value[k] * A->x[l]);
    }
    for (int k = 0; k < ny; k++) {
        int i = d->y_at[k];
        for (int l = T->start[i]; l < T->start[i + 1]; l++)
            ifd__accumulate(d->z, d->z_in, d->z_at, &nz, T->column[l], T->value[l] * d->y[i]);
        d->y[i] = 0.0;
        d->y_in[i] = false;
    }
    for (int k = 0; k < nz; k++) {
        int i = d->z_at[k];
        ifd__triplet(t, i, b, d->z[i]);
        d->z[i] = 0.0;
        d->z_in[i] = false;
    }
}

static ifd_status derive_matrix(ifd__deriving *d, const ifd__triplets *given, bool symmetric, ifd_sparse *out)
{
    ifd_sparse whole;
    ifd__triplets t = {.arena = d->scratch};
    IFD_TRY(ifd__sparse_make(d->scratch, d->how->T.count, given, false, &whole));
    for (int b = 0; b < d->how->n; b++)
        derive_column(d, &whole, b, &t);
    return ifd__sparse_make(d->arena, d->how->n, &t, symmetric, out);
}

/* Z := T^T Z of all substructures, or the one given. */
static ifd_status derive_low_rank(ifd__deriving *d)
{
    const ifd__derivation *how = d->how;
    size_t n = (size_t)how->n, rank = 0;
    for (int p = 0; p < how->substructures; p++)
        rank += (size_t)how->substructure[p]->C.rank;
    if (!rank)
        return IFD_OK;
    double *Z, *z;
    IFD_TRY(IFD__TAKE(d->arena, IFD__ARRAY(Z, n * rank)));
    z = Z;
    if (how->Z)
        memcpy(Z, how->Z, n * rank * sizeof *Z);
    for (int p = 0; p < how->substructures && !how->Z; p++) {
        const ifd_sparse *C = &how->substructure[p]->C;
        for (size_t k = 0; k < (size_t)C->rank; k++, z += n)
            for (int i = 0; i < C->n; i++)
                for (int l = how->T.start[d->first[p] + i]; l < how->T.start[d->first[p] + i + 1]; l++)
                    z[how->T.column[l]] += how->T.value[l] * sqrt(C->weight) * C->Z[(size_t)i + k * (size_t)C->n];
    }
    d->m->C.rank = (int)rank;
    d->m->C.Z = Z;
    d->m->C.weight = 1.0;
    return IFD_OK;
}

ifd_status ifd__derive_matrices(ifd__deriving *d)
{
    const ifd__derivation *how = d->how;
    const ifd_model *one = how->substructure[0];
    bool same = true; /* equal Rayleigh damping of all substructures remains a factor */
    d->m->symmetric = true;
    for (int p = 0; p < how->substructures; p++) {
        same = same && how->substructure[p]->ray_m == one->ray_m && how->substructure[p]->ray_k == one->ray_k;
        d->m->symmetric = d->m->symmetric && how->substructure[p]->symmetric;
    }
    d->m->ray_m = same ? one->ray_m : 0.0;
    d->m->ray_k = same ? one->ray_k : 0.0;
    ifd__triplets M = {.arena = d->scratch}, C = M, K = M;
    for (int p = 0; p < how->substructures; p++) {
        const ifd_model *m = how->substructure[p];
        ifd__triplet_columns(&M, d->first[p], m->n, 1.0, &m->M);
        ifd__triplet_columns(&K, d->first[p], m->n, 1.0, &m->K);
        ifd__triplet_columns(&C, d->first[p], m->n, 1.0, &m->C);
        if (!same && m->ray_m != 0.0)
            ifd__triplet_columns(&C, d->first[p], m->n, m->ray_m, &m->M);
        if (!same && m->ray_k != 0.0)
            ifd__triplet_columns(&C, d->first[p], m->n, m->ray_k, &m->K);
        d->m->damped = d->m->damped || m->damped || (!same && (m->ray_m != 0.0 || m->ray_k != 0.0));
    }
    if (how->M) {
        d->m->M = *how->M;
        d->m->K = *how->K;
    } else {
        IFD_TRY(derive_matrix(d, &M, true, &d->m->M));
        IFD_TRY(derive_matrix(d, &K, d->m->symmetric, &d->m->K));
    }
    IFD_TRY(derive_matrix(d, &C, d->m->symmetric, &d->m->C));
    IFD_TRY(derive_low_rank(d));
    const ifd_solver *factor;
    IFD_TRY(ifd__model_mass_later(d->arena, d->m));
    return ifd__model_mass(d->arena, d->m, &factor, d->note);
}
