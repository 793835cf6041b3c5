/* SPDX-License-Identifier: MIT */
/* The matrix exponential, and exact steps of small linear systems. */
#include "algebra/discretisation.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "base/arena.h"

enum { MOST = IFD__DISCRETISATION_MOST, TERMS = 18 };

/* Power of two by which a column is multiplied and its row divided. If the row or the column is zero, no value
 * returns through it, so the other one may be scaled to any small size. */
static int like(double row, double col)
{
    if (row > 0.0 && col > 0.0)
        return (int)lround(0.5 * log2(row / col));
    if (col > 0.0)
        return -(int)fmax(0.0, ceil(log2(col)));
    return row > 0.0 ? (int)fmax(0.0, ceil(log2(row))) : 0;
}

/* Scales rows and columns by powers of two until their norms are similar (Osborne, 1960): A := D^-1 A D. */
static void balance(int n, double *A, double *d)
{
    for (int i = 0; i < n; i++)
        d[i] = 1.0;
    for (int sweep = 0, changed = 1; sweep < 100 && changed; sweep++) {
        changed = 0;
        for (int i = 0; i < n; i++) {
            double row = 0.0, col = 0.0;
            for (int j = 0; j < n; j++)
                if (j != i) {
                    row += fabs(A[i + j * n]);
                    col += fabs(A[j + i * n]);
                }
            int power = like(row, col);
            if (power == 0)
                continue;
            double f = ldexp(1.0, power);
            changed = 1;
            d[i] *= f;
            for (int j = 0; j < n; j++)
                A[j + i * n] *= f;
            for (int j = 0; j < n; j++)
                A[i + j * n] /= f;
        }
    }
}

static void taylor(int n, const double *A, double *E)
{
    double power[MOST * MOST] = {0}, next[MOST * MOST];
    size_t bytes = sizeof(double) * (size_t)(n * n);
    for (int i = 0; i < n; i++)
        power[i * (n + 1)] = 1.0;
    memcpy(E, power, bytes);
    for (int m = 1; m <= TERMS; m++) {
        memset(next, 0, bytes);
        ifd__matmul_add(n, n, n, 1.0 / m, A, power, next);
        memcpy(power, next, bytes);
        for (int i = 0; i < n * n; i++)
            E[i] += power[i];
    }
}

void ifd__expm(int n, const double *A, double t, double *E)
{
    assert(n <= MOST);
    double S[MOST * MOST], d[MOST], square[MOST * MOST];
    size_t bytes = sizeof(double) * (size_t)(n * n);
    for (int i = 0; i < n * n; i++)
        S[i] = A[i] * t;
    balance(n, S, d);
    int doublings = 0;
    for (double size = ifd__norm1(n, S); size > 0.5 && doublings < 60; size *= 0.5)
        doublings++;
    for (int i = 0; i < n * n; i++)
        S[i] = ldexp(S[i], -doublings);
    taylor(n, S, E);
    for (int k = 0; k < doublings; k++) {
        memset(square, 0, bytes);
        ifd__matmul_add(n, n, n, 1.0, E, E, square);
        memcpy(E, square, bytes);
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            E[i + j * n] *= d[i] / d[j];
}

/* The enlarged system: w' = r, r' = 0, so that w is linear from w0 to w0 + r h. */
static void enlarge(const ifd__continuous *of, double h, double *big)
{
    int n = of->n, m = of->m, N = n + 2 * m;
    memset(big, 0, sizeof(double) * (size_t)(N * N));
    for (int j = 0; j < n; j++)
        memcpy(big + j * N, of->A + j * n, sizeof(double) * (size_t)n);
    for (int j = 0; j < m; j++) {
        memcpy(big + (n + j) * N, of->B + j * n, sizeof(double) * (size_t)n);
        big[n + j + (n + m + j) * N] = 1.0 / h;
    }
}

ifd_status ifd__discretisation_make(ifd_arena *arena, const ifd__continuous *of, double h, ifd__discretisation *out)
{
    int n = of->n, m = of->m, N = n + 2 * m;
    assert(N <= MOST);
    double big[MOST * MOST], grown[MOST * MOST];
    double *E;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(E, (size_t)(n * (n + 2 * m)))));
    double *G0 = E + n * n, *G1 = G0 + n * m;
    enlarge(of, h, big);
    ifd__expm(N, big, h, grown);
    for (int i = 0; i < N * N; i++)
        if (!isfinite(grown[i]))
            return IFD_NOT_FINITE;
    for (int j = 0; j < n; j++)
        memcpy(E + j * n, grown + j * N, sizeof(double) * (size_t)n);
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++) {
            G1[i + j * n] = grown[i + (n + m + j) * N];
            G0[i + j * n] = grown[i + (n + j) * N] - G1[i + j * n];
        }
    *out = (ifd__discretisation){n, m, E, G0, G1};
    return IFD_OK;
}

void ifd__discretisation_step(const ifd__discretisation *hold, const double *w0, const double *w1, double *z)
{
    int n = hold->n;
    double next[MOST] = {0};
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            next[i] += hold->E[i + j * n] * z[j];
    for (int j = 0; j < hold->m; j++)
        for (int i = 0; i < n; i++)
            next[i] += hold->G0[i + j * n] * w0[j] + hold->G1[i + j * n] * w1[j];
    memcpy(z, next, sizeof(double) * (size_t)n);
}
