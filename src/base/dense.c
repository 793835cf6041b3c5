/* SPDX-License-Identifier: MIT */
#include "base/dense.h"

#include <math.h>
#include <stddef.h>

static int pivot_row(int n, const double *column, int from)
{
    int best = from;
    for (int i = from + 1; i < n; i++)
        if (fabs(column[i]) > fabs(column[best]))
            best = i;
    return best;
}

static void swap_rows(int n, double *A, int r, int s)
{
    for (int j = 0; j < n && r != s; j++) {
        double keep = A[r + (ptrdiff_t)j * (ptrdiff_t)n];
        A[r + (ptrdiff_t)j * (ptrdiff_t)n] = A[s + (ptrdiff_t)j * (ptrdiff_t)n];
        A[s + (ptrdiff_t)j * (ptrdiff_t)n] = keep;
    }
}

bool ifd__lu_factor(int n, double *A, int *pivot)
{
    ptrdiff_t ld = n;
    for (int k = 0; k < n; k++) {
        double *column = A + (ptrdiff_t)k * ld;
        pivot[k] = pivot_row(n, column, k);
        double p = column[pivot[k]];
        if (p == 0.0 || !isfinite(p))
            return false;
        swap_rows(n, A, k, pivot[k]);
        for (int i = k + 1; i < n; i++)
            column[i] /= p;
        for (int j = k + 1; j < n; j++) {
            double *target = A + (ptrdiff_t)j * ld;
            double u = target[k];
            for (int i = k + 1; i < n; i++)
                target[i] -= column[i] * u;
        }
    }
    return true;
}

static void lu_solve_one(int n, const double *A, const int *pivot, double *b)
{
    ptrdiff_t ld = n;
    for (int k = 0; k < n; k++) {
        double keep = b[k];
        b[k] = b[pivot[k]];
        b[pivot[k]] = keep;
    }
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++)
            b[i] -= A[(ptrdiff_t)i + (ptrdiff_t)k * ld] * b[k];
    for (int k = n - 1; k >= 0; k--) {
        b[k] /= A[(ptrdiff_t)k + (ptrdiff_t)k * ld];
        for (int i = 0; i < k; i++)
            b[i] -= A[(ptrdiff_t)i + (ptrdiff_t)k * ld] * b[k];
    }
}

void ifd__lu_solve(int n, const double *A, const int *pivot, int nrhs, double *b)
{
    for (int c = 0; c < nrhs; c++)
        lu_solve_one(n, A, pivot, b + (ptrdiff_t)c * (ptrdiff_t)n);
}

void ifd__mul_add(int m, int n, double alpha, const double *A, const double *x, double *y)
{
    for (int j = 0; j < n; j++) {
        double xj = alpha * x[j];
        for (int i = 0; i < m; i++)
            y[i] += A[(ptrdiff_t)i + (ptrdiff_t)j * (ptrdiff_t)m] * xj;
    }
}

void ifd__mul_add_t(int m, int n, double alpha, const double *A, const double *x, double *y)
{
    for (int j = 0; j < n; j++)
        y[j] += alpha * ifd__dot(m, A + (ptrdiff_t)j * (ptrdiff_t)m, x);
}

void ifd__matmul_add(int m, int n, int k, double alpha, const double *A, const double *B, double *C)
{
    for (int j = 0; j < n; j++)
        ifd__mul_add(m, k, alpha, A, B + (ptrdiff_t)j * (ptrdiff_t)k, C + (ptrdiff_t)j * (ptrdiff_t)m);
}

double ifd__dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}
