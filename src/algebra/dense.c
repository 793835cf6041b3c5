/* SPDX-License-Identifier: MIT */
/* LU: right-looking in blocks of columns. A block is factored column by column; the rows of U to its right follow by
 * substitution; the remainder needs one product. */
#include "algebra/dense.h"

#include <lapacke.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "algebra/kernels.h"

enum { BLOCK = 8 };

/* A branch instead of a conditional move: a new maximum is rare, and the loop then has no chain of dependent
 * operations. */
static int pivot_row(int n, const double *column, int from)
{
    int best = from;
    double largest = fabs(column[from]);
    for (int i = from + 1; i < n; i++)
        if (fabs(column[i]) > largest) {
            largest = fabs(column[i]);
            best = i;
        }
    return best;
}

/* b := L^-1 b for the unit lower triangle at A (leading dimension n), size rows. */
static void unit_lower(int size, int n, const double *A, double *b)
{
    for (int k = 0; k < size; k++, A += n)
        for (int i = k + 1; i < size; i++)
            b[i] -= A[i] * b[k];
}

static void exchange(int first, int end, const int *pivot, double *column)
{
    for (int k = first; k < end; k++) {
        double keep = column[k];
        column[k] = column[pivot[k]];
        column[pivot[k]] = keep;
    }
}

/* Columns first .. end - 1, after subtraction of earlier blocks. Each column applies the row exchanges and the
 * columns of the block to its left, then determines its pivot. */
static bool factor_block(const ifd__kernels *kernels, int n, double *A, int first, int end, int *pivot)
{
    double *block = A + (ptrdiff_t)first * n;
    for (int k = first; k < end; k++) {
        double *column = A + (ptrdiff_t)k * n;
        exchange(first, k, pivot, column);
        unit_lower(k - first, n, block + first, column + first);
        if (k > first)
            kernels->gemv(n - k, k - first, -1.0, block + k, n, column + first, column + k);
        pivot[k] = pivot_row(n, column, k);
        double p = column[pivot[k]];
        if (p == 0.0 || !isfinite(p))
            return false;
        double inverse = 1.0 / p;
        for (int j = first; j <= k; j++)
            exchange(k, k + 1, pivot, A + (ptrdiff_t)j * n);
        for (int i = k + 1; i < n; i++)
            column[i] *= inverse;
    }
    return true;
}

bool ifd__lu_factor(int n, double *A, int *pivot)
{
    const ifd__kernels *kernels = ifd__kernels_best();
    if (n == 1) { /* an element with one state: what follows, without its loops */
        pivot[0] = 0;
        return A[0] != 0.0 && isfinite(A[0]);
    }
    for (int first = 0; first < n; first += BLOCK) {
        int end = first + BLOCK < n ? first + BLOCK : n, size = end - first;
        if (!factor_block(kernels, n, A, first, end, pivot))
            return false;
        double *block = A + (ptrdiff_t)first * n, *right = A + (ptrdiff_t)end * n;
        for (int j = 0; j < first; j++)
            exchange(first, end, pivot, A + (ptrdiff_t)j * n);
        for (int j = end; j < n; j++) {
            double *column = A + (ptrdiff_t)j * n;
            exchange(first, end, pivot, column);
            unit_lower(size, n, block + first, column + first);
        }
        kernels->gemm((const int[3]){n - end, n - end, size}, -1.0, block + end, n, right + first, n, right + end, n);
    }
    return true;
}

/* b := U^-1 b for the upper triangle at A (leading dimension n), size rows. */
static void upper(int size, int n, const double *A, double *b)
{
    for (int k = size - 1; k >= 0; k--) {
        const double *column = A + (ptrdiff_t)k * n;
        b[k] /= column[k];
        for (int i = 0; i < k; i++)
            b[i] -= column[i] * b[k];
    }
}

static void lu_solve_one(const ifd__kernels *kernels, int n, const double *A, const int *pivot, double *b)
{
    exchange(0, n, pivot, b);
    for (int first = 0; first < n; first += BLOCK) {
        int end = first + BLOCK < n ? first + BLOCK : n;
        const double *block = A + (ptrdiff_t)first * n;
        unit_lower(end - first, n, block + first, b + first);
        kernels->gemv(n - end, end - first, -1.0, block + end, n, b + first, b + end);
    }
    for (int first = (n - 1) / BLOCK * BLOCK; first >= 0; first -= BLOCK) {
        int end = first + BLOCK < n ? first + BLOCK : n;
        const double *block = A + (ptrdiff_t)first * n;
        upper(end - first, n, block + first, b + first);
        kernels->gemv(first, end - first, -1.0, block, n, b + first, b);
    }
}

void ifd__lu_solve(int n, const double *A, const int *pivot, int nrhs, double *b)
{
    const ifd__kernels *kernels = ifd__kernels_best();
    for (int c = 0; n == 1 && c < nrhs; c++)
        b[c] /= A[0];
    for (int c = 0; n > 1 && c < nrhs; c++)
        lu_solve_one(kernels, n, A, pivot, b + (ptrdiff_t)c * n);
}

/* Vector kernels are slower for matrices of single elements. Below, a product of two numbers has the operations of
 * the plain kernel without its loops: thousands of elements have one coordinate. */
static const ifd__kernels *kernels_for(int m, int n)
{
    return m < 8 || n < 2 ? &ifd__kernels_plain : ifd__kernels_best();
}

void ifd__mul_add(int m, int n, double alpha, const double *A, const double *x, double *y)
{
    if (m == 1 && n == 1)
        y[0] += A[0] * (alpha * x[0]);
    else
        kernels_for(m, n)->gemv(m, n, alpha, A, m, x, y);
}

void ifd__matmul_add(int m, int n, int k, double alpha, const double *A, const double *B, double *C)
{
    if (m == 1 && n == 1 && k == 1)
        C[0] += A[0] * (alpha * B[0]);
    else
        kernels_for(m, k)->gemm((const int[3]){m, n, k}, alpha, A, m, B, k, C, m);
}

double ifd__dot(int n, const double *x, const double *y)
{
    return ifd__kernels_best()->dot(n, x, y);
}

double ifd__largest(int n, const double *x)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

double ifd__norm1(int n, const double *A)
{
    double most = 0.0;
    for (int j = 0; j < n; j++) {
        double sum = 0.0;
        for (int i = 0; i < n; i++)
            sum += fabs(A[(ptrdiff_t)j * n + i]);
        most = fmax(most, sum);
    }
    return most;
}

/* Solves one dense system with scaled rows and columns. */

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
