/* SPDX-License-Identifier: MIT */
/* Bounds the effect of errors of a probed matrix on its stability. */
#include "analysis/proof.h"

#include <complex.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cblas.h> /* last: it defines I */

/* Number of doublings: a growth of 1e-16 per step is detected in fewer than 2^60 steps. */
enum { MOST_TURNS = 60 };

typedef struct proof {
    int n;
    const double *given;                            /* A */
    double *A, *G, *H, *M, *V, *more, *room, *root; /* n x n; V: n x 2n; root: W^1/2 */
    lapack_int *pivot;
} proof;

static bool make(proof *p, int n, const double *A)
{
    size_t nn = (size_t)n * (size_t)n;
    *p = (proof){.n = n, .given = A, .pivot = malloc((size_t)n * sizeof *p->pivot)};
    p->A = malloc(9 * nn * sizeof *p->A);
    if (!p->A || !p->pivot)
        return false;
    double **part[] = {&p->G, &p->H, &p->M, &p->more, &p->room, &p->root, &p->V};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        *part[i] = p->A + (i + 1) * nn;
    return true;
}

static void release(proof *p)
{
    free(p->A);
    free(p->pivot);
}

static void multiply(int n, CBLAS_TRANSPOSE t, const double *X, const double *Y, double *Z)
{
    cblas_dgemm(CblasColMajor, t, CblasNoTrans, n, n, n, 1.0, X, n, Y, n, 0.0, Z, n);
}

static void add_identity(int n, double *X)
{
    for (int i = 0; i < n; i++)
        X[(size_t)i * ((size_t)n + 1)] += 1.0;
}

/* X := X + (Y + Y') / 2; the norms of both. */
static void add_symmetric(int n, double *X, const double *Y, double *size, double *added)
{
    *size = *added = 0.0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i <= j; i++) {
            double y = 0.5 * (Y[i + j * n] + Y[j + i * n]);
            X[i + j * n] += y;
            X[j + i * n] = X[i + j * n];
            *added = hypot(*added, y);
            *size = hypot(*size, X[i + j * n]);
        }
}

/* |u'E| */
static double error_along(int n, const double *u, const ifd__errors *e)
{
    double most = 0.0;
    for (int k = 0; k < e->samples; k++) {
        double sum = 0.0;
        for (int j = 0; j < n; j++)
            sum = hypot(sum, cblas_ddot(n, u, 1, e->D + ((size_t)k * (size_t)n + (size_t)j) * (size_t)n, 1));
        most = fmax(most, sum);
    }
    return IFD__PROOF_FACTOR * most + e->solver;
}

/* Orthonormal columns that span the left eigenvectors of roots outside 1 - least; how many. */
static ifd_status directions(const proof *p, double least, double *U, int *count)
{
    int n = p->n;
    double *real = malloc(2 * (size_t)n * sizeof *real), *imag = real + n, *tau = real;
    *count = 0;
    if (!real)
        return IFD_NO_MEMORY;
    memcpy(p->M, p->given, sizeof *p->M * (size_t)n * (size_t)n);
    lapack_int info = LAPACKE_dgeev(LAPACK_COL_MAJOR, 'V', 'N', n, p->M, n, real, imag, p->V, n, NULL, 1);
    for (int i = 0; info == 0 && i < n; i++) /* of a pair: real part, imaginary part */
        if (hypot(real[i], imag[i]) >= 1.0 - least)
            memcpy(U + (size_t)(*count)++ * (size_t)n, p->V + (size_t)i * (size_t)n, sizeof *U * (size_t)n);
    if (info == 0 && *count)
        info = LAPACKE_dgeqrf(LAPACK_COL_MAJOR, n, *count, U, n, tau);
    if (info == 0 && *count)
        info = LAPACKE_dorgqr(LAPACK_COL_MAJOR, n, *count, *count, U, n, tau);
    free(real);
    return info == 0 ? IFD_OK : IFD_INTERNAL;
}

/* root := W^1/2. For x, the sum of m directions x_i u_i and a rest,
 * |x'E|^2 <= (m + 1) (sum |x_i u_i'E|^2 + |rest'E|^2). */
static ifd_status find_bound(proof *p, const ifd__errors *e, double least)
{
    int n = p->n, m;
    double rest = 0.0, *U = p->more, *d = p->room;
    m = 0;
    if (e->samples)
        IFD_TRY(directions(p, least, U, &m));
    for (int k = 0; k < e->samples; k++) {
        double sum = 0.0;
        for (int j = 0; j < n; j++) {
            memcpy(d, e->D + ((size_t)k * (size_t)n + (size_t)j) * (size_t)n, sizeof *d * (size_t)n);
            for (int i = 0; i < m; i++) {
                const double *u = U + (size_t)i * (size_t)n;
                cblas_daxpy(n, -cblas_ddot(n, u, 1, d, 1), u, 1, d, 1);
            }
            sum = hypot(sum, cblas_dnrm2(n, d, 1));
        }
        rest = fmax(rest, sum);
    }
    rest = IFD__PROOF_FACTOR * rest + e->solver;
    memset(p->root, 0, sizeof *p->root * (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++)
        p->root[(size_t)i * ((size_t)n + 1)] = sqrt(m + 1.0) * rest;
    for (int i = 0; i < m; i++) {
        const double *u = U + (size_t)i * (size_t)n;
        cblas_dger(CblasColMajor, n, n, sqrt(m + 1.0) * (error_along(n, u, e) - rest), u, 1, u, 1, p->root, n);
    }
    return IFD_OK;
}

/* One turn of the doubling algorithm (Chu, Fan, Lin and Wang 2004): with M = I + G H,
 * A := A M^-1 A, G := G + A M^-1 G A', H := H + A' H M^-1 A. H rises to X. `rises`: by more than rounding. */
static bool turn(proof *p, bool *rises)
{
    int n = p->n;
    size_t nn = (size_t)n * (size_t)n;
    double size, added, unused;
    multiply(n, CblasNoTrans, p->G, p->H, p->M);
    add_identity(n, p->M);
    memcpy(p->V, p->A, sizeof *p->V * nn);
    memcpy(p->V + nn, p->G, sizeof *p->V * nn);
    if (LAPACKE_dgesv(LAPACK_COL_MAJOR, n, 2 * n, p->M, n, p->pivot, p->V, n) != 0)
        return false;
    multiply(n, CblasNoTrans, p->H, p->V, p->M);
    multiply(n, CblasTrans, p->A, p->M, p->more);
    add_symmetric(n, p->H, p->more, &size, &added);
    *rises = !(added <= DBL_EPSILON * size);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, n, n, n, 1.0, p->V + nn, n, p->A, n, 0.0, p->M, n);
    multiply(n, CblasNoTrans, p->A, p->M, p->more);
    add_symmetric(n, p->G, p->more, &unused, &unused);
    multiply(n, CblasNoTrans, p->A, p->V, p->M);
    memcpy(p->A, p->M, sizeof *p->A * nn);
    return isfinite(size) && isfinite(added);
}

static bool extreme_values(int n, double *X, double *least, double *most)
{
    double *w = malloc((size_t)n * sizeof *w);
    bool found = w && LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'U', n, X, n, w) == 0;
    *least = found ? w[0] : (double)-INFINITY;
    *most = found ? w[n - 1] : (double)INFINITY;
    free(w);
    return found;
}

static double size_of(int n, const lapack_complex_double *x)
{
    double size = 0.0;
    for (int i = 0; i < n; i++)
        size = hypot(size, cabs(x[i]));
    return size;
}

/* y := W^1/2 x */
static void weigh(const proof *p, const lapack_complex_double *x, lapack_complex_double *y)
{
    size_t n = (size_t)p->n;
    memset(y, 0, n * sizeof *y);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            y[i] += p->root[i + j * n] * x[j];
}

/* A lower bound of the norm of (z I - A)^-1 W^1/2, by power iteration with one complex factor. */
static double norm_at(const proof *p, double real, double imag, lapack_complex_double *F)
{
    enum { TURNS = 12 };
    int n = p->n;
    lapack_complex_double *x = F + (size_t)n * (size_t)n, *y = x + n;
    double norm = 0.0, size;
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++)
        F[i] = lapack_make_complex_double(-p->given[i], 0.0);
    for (int i = 0; i < n; i++) {
        F[(size_t)i * ((size_t)n + 1)] += lapack_make_complex_double(real, imag);
        x[i] = lapack_make_complex_double(cos(i + 1.0), sin(7.0 * i)); /* of no direction in particular */
    }
    size = size_of(n, x);
    if (LAPACKE_zgetrf(LAPACK_COL_MAJOR, n, n, F, n, p->pivot) != 0)
        return (double)INFINITY; /* z is a root */
    for (int k = 0; k < TURNS && size > 0.0 && isfinite(size); k++) {
        for (int i = 0; i < n; i++)
            x[i] /= size;
        weigh(p, x, y);
        LAPACKE_zgetrs(LAPACK_COL_MAJOR, 'N', n, 1, F, n, p->pivot, y, n);
        norm = size_of(n, y);
        LAPACKE_zgetrs(LAPACK_COL_MAJOR, 'C', n, 1, F, n, p->pivot, y, n);
        weigh(p, y, x);
        size = size_of(n, x);
    }
    return isfinite(size) ? norm : (double)INFINITY;
}

/* Whether the norm reaches one on the circle at the angle of one of the largest roots, where it has its maxima: a
 * second opinion that does not depend on the doubling. */
static bool contradicted(const proof *p, double r)
{
    enum { MOST_ROOTS = 12 };
    int n = p->n;
    size_t nn = (size_t)n * (size_t)n;
    double *copy = malloc((nn + 2 * (size_t)n) * sizeof *copy), *real = copy + nn, *imag = real + n;
    lapack_complex_double *F = malloc((nn + 2 * (size_t)n) * sizeof *F);
    bool found = !copy || !F;
    if (!found) {
        memcpy(copy, p->given, nn * sizeof *copy);
        found = LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'N', n, copy, n, real, imag, NULL, 1, NULL, 1) != 0;
    }
    for (int k = 0; k < MOST_ROOTS && k < n && !found; k++) {
        int largest = k;
        for (int i = k; i < n; i++)
            if (hypot(real[i], imag[i]) > hypot(real[largest], imag[largest]))
                largest = i;
        double size = hypot(real[largest], imag[largest]), x = real[largest], y = imag[largest];
        real[largest] = real[k];
        imag[largest] = imag[k];
        if (y >= 0.0 && size > 0.0) /* the other root of a pair has the same norm */
            found = !(norm_at(p, r * x / size, r * y / size, F) < 1.0);
    }
    free(copy);
    free(F);
    return found;
}

/* Where no solution exists H does not settle, or has negative values. Rounding alone leaves negative ones of 1e-13 of
 * the largest; 1e-10 was seen where the norm on the circle is 218. */
static bool proves(proof *p, double growth)
{
    const double rounding = 1e-12;
    int n = p->n;
    size_t nn = (size_t)n * (size_t)n;
    double r = 1.0 + growth, least, most;
    bool rises = true;
    memset(p->H, 0, sizeof *p->H * nn);
    add_identity(n, p->H);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, -1.0 / (r * r), p->root, n, p->root, n, 0.0, p->G,
                n);
    for (size_t i = 0; i < nn; i++)
        p->A[i] = p->given[i] / r;
    for (int k = 0; k < MOST_TURNS && rises; k++)
        if (!turn(p, &rises))
            return false;
    multiply(n, CblasNoTrans, p->H, p->root, p->M);
    multiply(n, CblasNoTrans, p->root, p->M, p->more);
    return !rises && extreme_values(n, p->H, &least, &most) && least > -rounding * most &&
           extreme_values(n, p->more, &least, &most) && most < r * r && !contradicted(p, r);
}

ifd_status ifd__resolution(int n, const double *A, const ifd__errors *e, double least, double *out)
{
    proof p;
    *out = least;
    if (n == 0)
        return IFD_OK;
    ifd_status status = make(&p, n, A) ? find_bound(&p, e, least) : IFD_NO_MEMORY;
    if (status == IFD_OK && !proves(&p, least)) {
        double low = least, high = 1.0;
        bool any = proves(&p, high);
        while (any && high > 1.1 * low) { /* two digits are printed */
            double middle = sqrt(low * high);
            *(proves(&p, middle) ? &high : &low) = middle;
        }
        *out = any ? high : (double)INFINITY;
    }
    release(&p);
    return status;
}
