/* SPDX-License-Identifier: MIT */
/* K + delta D is examined, D the size of the terms in the diagonal of K. */
#include "model/definite.h"

#include <lapacke.h>
#include <math.h>

#include "algebra/solver.h"
#include "model/equilibrium/at_rest.h"
#include "model/gravity.h"
#include "base/arena.h"

enum { DENSE = 2000 }; /* dofs */

static const double delta = 1e-12; /* above the rounding of a factor; ten times its limit for lost digits */

static bool one_sided(int nq, const double *k)
{
    for (int j = 0; j < nq; j++)
        for (int i = 0; i < j; i++)
            if (fabs(k[i + j * nq] - k[j + i * nq]) > 1e-10 * (fabs(k[i + j * nq]) + fabs(k[j + i * nq])))
                return true;
    return false;
}

/* A := K at rest + delta D. */
static ifd_status shifted(ifd_arena *scratch, const ifd_model *m, ifd_sparse *A)
{
    ifd__rest rest;
    ifd_sparse K, D;
    bool *skip;
    double *size, most = 0.0;
    ifd__triplets t = {.arena = scratch};
    IFD_TRY(ifd__rest_make(scratch, m, &rest));
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(skip, m->ne), IFD__ARRAY(size, m->n)));
    ifd__rest_eval(&rest, 0.0);
    for (int e = 0; e < m->ne; e++)
        skip[e] = one_sided(m->element[e].nq, rest.k + m->mm_of[e]);
    IFD_TRY(ifd__rest_stiffness(scratch, &rest, skip, &K));
    for (int i = 0; i < m->n; i++)
        size[i] = fabs(ifd__sparse_get(&K, i, i));
    for (int k = 0; m->gravity && k < m->gravity->count; k++)
        if (m->gravity->i[k] == m->gravity->j[k] && m->gravity->i[k] < m->n)
            size[m->gravity->i[k]] += fabs(m->gravity->value[k]);
    for (int i = 0; i < m->n; i++)
        most = fmax(most, size[i]);
    for (int i = 0; i < m->n; i++)
        ifd__triplet(&t, i, i, size[i] > 0.0 ? size[i] : most > 0.0 ? most : 1.0);
    IFD_TRY(ifd__sparse_make(scratch, m->n, &t, true, &D));
    return ifd__sparse_add(scratch, 1.0, &K, delta, &D, A);
}

void ifd__row_springs_add(int springs, const ifd__row_spring *spring, size_t n, double *a)
{
    for (int k = 0; k < springs; k++)
        for (int i = 0; i < spring[k].count; i++)
            for (int j = 0; j < spring[k].count; j++)
                a[(size_t)spring[k].dof[i] + (size_t)spring[k].dof[j] * n] +=
                    spring[k].stiffness * spring[k].value[i] * spring[k].value[j];
}

/* With the springs, by full matrices; each row and column is divided by the root of its diagonal entry, so that units
 * do not matter. */
static ifd_status with_springs(ifd_arena *scratch, const ifd_sparse *A, int springs, const ifd__row_spring *spring,
                               int *negative)
{
    size_t n = (size_t)A->n;
    double *a, *root, *lambda;
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(a, n * n), IFD__ARRAY(root, n), IFD__ARRAY(lambda, n)));
    ifd__sparse_fill(A, a);
    ifd__row_springs_add(springs, spring, n, a);
    for (size_t i = 0; i < n; i++)
        root[i] = a[i + i * n] != 0.0 ? sqrt(fabs(a[i + i * n])) : 1.0;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            a[i + j * n] /= root[i] * root[j];
    *negative = 0;
    if (LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'N', 'L', A->n, a, A->n, lambda) != 0)
        return IFD_NO_MEMORY;
    for (size_t i = 0; i < n; i++)
        *negative += lambda[i] < -delta * (double)n;
    return IFD_OK;
}

ifd_status ifd__model_negative(const ifd_model *m, int springs, const ifd__row_spring *spring, int *negative)
{
    *negative = 0;
    if (!m->K.symmetric || m->n == 0)
        return IFD_OK;
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    ifd_sparse A;
    IFD_TRY(shifted(scratch, m, &A));
    ifd_status status = ifd__negative_eigenvalues(&A, negative);
    if (status == IFD_SINGULAR && m->n > DENSE)
        *negative = 0;
    if (status != IFD_OK && status != IFD_SINGULAR)
        return status;
    if ((springs == 0 && status == IFD_OK) || (*negative == 0 && status == IFD_OK))
        return IFD_OK;
    if (m->n <= DENSE)
        return with_springs(scratch, &A, springs, spring, negative);
    *negative = 0;
    return IFD_OK;
}

bool ifd__element_softens(const ifd_model *m, int e, ifd_arena *scratch)
{
    ifd__rest rest;
    if (ifd__rest_make(scratch, m, &rest) != IFD_OK)
        return false;
    ifd__rest_eval(&rest, 0.0);
    int nq = m->element[e].nq;
    for (int i = 0; i < nq; i++)
        if (rest.k[m->mm_of[e] + i * (nq + 1)] < 0.0)
            return true;
    return false;
}
