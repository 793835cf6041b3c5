/* SPDX-License-Identifier: MIT */
/* Factor, product and solution of a symmetric arrow matrix. */
#include "algebra/arrow.h"
#include "base/arena.h"

#include <math.h>
#include <string.h>

enum { SMALLEST = 64, WIDEST_BORDER = 256, SHARE = 4 };

/* 1 + the last row with an entry off the diagonal; 1 + the last column with one below it. */
static void extents(const ifd_sparse *A, int *row, int *column)
{
    *row = *column = 0;
    for (int j = 0; j < A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++)
            if (A->i[k] != j) {
                *row = A->i[k] >= *row ? A->i[k] + 1 : *row;
                *column = j + 1;
            }
}

int ifd__arrow_border(const ifd_sparse *A)
{
    int row, border, most = A->n / SHARE < WIDEST_BORDER ? A->n / SHARE : WIDEST_BORDER;
    if (!A->symmetric || A->n < SMALLEST)
        return 0;
    extents(A, &row, &border);
    if (row <= most)
        return row;
    if (border > most)
        return 0;
    long coupled = 0;
    for (int k = 0; k < A->p[border]; k++)
        coupled += A->i[k] >= border;
    return coupled >= (long)border * (A->n - border) / 2 ? border : 0;
}

size_t ifd__arrow_size(int border, int rest)
{
    return (size_t)rest * (size_t)(border + 1) + (size_t)border * (size_t)border;
}

void ifd__arrow_at(ifd__arrow *a, int border, int rest, double *numbers)
{
    *a = (ifd__arrow){.border = border, .rest = rest, .coupled = true, .diagonal = numbers};
    a->coupling = numbers + rest;
    a->corner = a->coupling + (size_t)rest * (size_t)border;
}

ifd_status ifd__arrow_make(ifd_arena *arena, const ifd_sparse *A, int border, ifd__arrow *out)
{
    size_t p = (size_t)border, q = (size_t)(A->n - border);
    double *numbers;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(numbers, ifd__arrow_size(border, (int)q))));
    ifd__arrow_at(out, border, (int)q, numbers);
    out->coupled = false;
    for (size_t j = 0; j < (size_t)A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++) {
            size_t i = (size_t)A->i[k];
            if (j >= p)
                out->diagonal[j - p] = A->x[k];
            else if (i < p)
                out->corner[i + j * p] = out->corner[j + i * p] = A->x[k];
            else
                out->coupling[i - p + j * q] = A->x[k];
            out->coupled = out->coupled || (j < p && i >= p);
        }
    return IFD_OK;
}

/* A (n x n, symmetric) := its inverse, by Gauss-Jordan elimination: pivots of a positive definite matrix need no
 * order. */
static bool invert(int n, double *A, int *bad)
{
    for (int k = 0; k < n; k++) {
        double *column = A + (size_t)k * (size_t)n, pivot = column[k];
        *bad = k;
        if (!(pivot > 0.0) || !isfinite(pivot))
            return false;
        column[k] = 1.0;
        for (int j = 0; j < n; j++) {
            double *other = A + (size_t)j * (size_t)n, factor = other[k] / pivot;
            if (j == k)
                continue;
            for (int i = 0; i < n; i++)
                other[i] = i == k ? factor : other[i] - column[i] * factor;
        }
        for (int i = 0; i < n; i++)
            column[i] = i == k ? 1.0 / pivot : -column[i] / pivot;
    }
    return true;
}

bool ifd__arrow_factor(ifd__arrow *a, int *bad)
{
    size_t p = (size_t)a->border, q = (size_t)a->rest;
    for (size_t i = 0; i < q; i++) {
        *bad = (int)(p + i);
        if (!(a->diagonal[i] > 0.0) || !isfinite(a->diagonal[i]))
            return false;
        a->diagonal[i] = 1.0 / a->diagonal[i];
    }
    for (size_t j = 0; j < p && a->coupled; j++)
        for (size_t i = 0; i <= j; i++) {
            double sum = 0.0;
            for (size_t l = 0; l < q; l++)
                sum += a->coupling[l + i * q] * a->diagonal[l] * a->coupling[l + j * q];
            a->corner[i + j * p] -= sum;
            a->corner[j + i * p] = a->corner[i + j * p];
        }
    for (size_t j = 0; j < p; j++)
        for (size_t l = 0; l < q; l++)
            a->coupling[l + j * q] *= a->diagonal[l];
    return invert(a->border, a->corner, bad);
}

void ifd__arrow_product(const ifd__arrow *a, const ifd__kernels *kernels, double alpha, const double *x, double *y)
{
    int p = a->border, q = a->rest;
    const double *restrict d = a->diagonal, *restrict xi = x + p;
    double *restrict yi = y + p;
    kernels->gemv(p, p, alpha, a->corner, p, x, y);
    for (int i = 0; i < q; i++)
        yi[i] += alpha * d[i] * xi[i];
    if (!a->coupled)
        return;
    kernels->gemvt(q, p, alpha, a->coupling, q, xi, y);
    kernels->gemv(q, p, alpha, a->coupling, q, x, yi);
}

void ifd__arrow_forward(const ifd__arrow *a, const ifd__kernels *kernels, const double *x, double *y, double *z)
{
    int p = a->border, q = a->rest;
    memcpy(y, x, (size_t)(p + q) * sizeof *y);
    if (a->coupled)
        kernels->gemvt(q, p, -1.0, a->coupling, q, x + p, y);
    memset(z, 0, (size_t)p * sizeof *z);
    kernels->gemv(p, p, 1.0, a->corner, p, y, z);
    for (int i = 0; i < q; i++)
        z[p + i] = a->diagonal[i] * x[p + i];
}

void ifd__arrow_backward(const ifd__arrow *a, const ifd__kernels *kernels, const double *z, double *x)
{
    int p = a->border, q = a->rest;
    memcpy(x, z, (size_t)(p + q) * sizeof *x);
    if (a->coupled)
        kernels->gemv(q, p, -1.0, a->coupling, q, z, x + p);
}

void ifd__arrow_solve(const ifd__arrow *a, const ifd__kernels *kernels, double *x, double *w)
{
    int p = a->border, q = a->rest;
    const double *restrict d = a->diagonal;
    double *restrict xi = x + p;
    if (a->coupled)
        kernels->gemvt(q, p, -1.0, a->coupling, q, xi, x);
    memset(w, 0, (size_t)p * sizeof *w);
    kernels->gemv(p, p, 1.0, a->corner, p, x, w);
    memcpy(x, w, (size_t)p * sizeof *x);
    for (int i = 0; i < q; i++)
        xi[i] *= d[i];
    if (a->coupled)
        kernels->gemv(q, p, -1.0, a->coupling, q, w, xi);
}
