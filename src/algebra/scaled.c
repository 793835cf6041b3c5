/* SPDX-License-Identifier: MIT */
/* Solves one dense system with scaled rows and columns. */
#include "algebra/scaled.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

static const double SMALLEST_PIVOT = 1e-13;

/* d[i] = 1 / sqrt |A_ii|, or of the largest entry of the row if the diagonal is zero. */
static int find_scale(int n, const double *A, double *d)
{
    size_t ld = (size_t)n;
    for (int i = 0; i < n; i++) {
        double size = fabs(A[(size_t)i * (ld + 1)]);
        for (size_t j = 0; size == 0.0 && j < ld; j++)
            size = fmax(size, fabs(A[(size_t)i + j * ld]));
        if (!(size > 0.0) || !isfinite(size))
            return i;
        d[i] = 1.0 / sqrt(size);
    }
    return IFD__SOLVED;
}

static void scale_rows(int n, int columns, const double *d, double *B)
{
    for (size_t j = 0; j < (size_t)columns; j++)
        for (size_t i = 0; i < (size_t)n; i++)
            B[i + j * (size_t)n] *= d[i];
}

static int factor(int n, double *A, const double *d, lapack_int *pivot)
{
    size_t ld = (size_t)n;
    scale_rows(n, n, d, A);
    for (size_t j = 0; j < ld; j++)
        for (size_t i = 0; i < ld; i++)
            A[i + j * ld] *= d[j];
    lapack_int info = LAPACKE_dgetrf(LAPACK_COL_MAJOR, n, n, A, n, pivot);
    if (info < 0)
        return 0; /* not a number in A */
    for (int i = 0; i < n; i++)
        if (!(fabs(A[(size_t)i * (ld + 1)]) > SMALLEST_PIVOT))
            return i;
    return IFD__SOLVED;
}

int ifd__scaled_solve(int n, double *A, int nrhs, double *B)
{
    double *d = malloc(((size_t)n + 1) * sizeof *d);
    lapack_int *pivot = malloc(((size_t)n + 1) * sizeof *pivot);
    int verdict = d && pivot ? find_scale(n, A, d) : IFD__SOLVE_NO_MEMORY;
    if (verdict == IFD__SOLVED && n > 0)
        verdict = factor(n, A, d, pivot);
    if (verdict == IFD__SOLVED && n > 0 && nrhs > 0) {
        scale_rows(n, nrhs, d, B);
        LAPACKE_dgetrs(LAPACK_COL_MAJOR, 'N', n, nrhs, A, n, pivot, B, n);
        scale_rows(n, nrhs, d, B);
    }
    free(d);
    free(pivot);
    return verdict;
}
