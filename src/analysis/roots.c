/* SPDX-License-Identifier: MIT */
/* Roots of an amplification matrix, and the detection of defective ones. */
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stability.h"

enum { LARGEST_DEFECT = 1200, MOST_CLUSTERS = 16 };

ifd_status ifd__balance(int n, double *A, double *scale)
{
    lapack_int low, high;
    if (LAPACKE_dgebal(LAPACK_COL_MAJOR, 'S', n, A, n, &low, &high, scale) != 0)
        return IFD_NO_MEMORY;
    return IFD_OK;
}

typedef struct placed {
    double real, imag;
    int column;
} placed;

static int by_modulus(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    double mx = hypot(x->real, x->imag), my = hypot(y->real, y->imag);
    if (mx != my)
        return mx > my ? -1 : 1;
    return x->imag > y->imag ? -1 : x->imag < y->imag ? 1 : x->column - y->column;
}

/* Column k of the packed eigenvectors: a pair is stored as its real and its imaginary part. */
static void unpack(size_t n, const double *V, const placed *p, double *re, double *im)
{
    size_t c = (size_t)p->column, first = p->imag < 0.0 ? c - 1 : c;
    for (size_t i = 0; i < n; i++) {
        re[i] = V[i + first * n];
        im[i] = p->imag > 0.0 ? V[i + (first + 1) * n] : p->imag < 0.0 ? -V[i + (first + 1) * n] : 0.0;
    }
}

static ifd_status find(int n, double *copy, double *V, placed *p, double *work)
{
    double *real = work, *imag = work + n;
    if (LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', V ? 'V' : 'N', n, copy, n, real, imag, NULL, 1, V, n) != 0)
        return IFD_INTERNAL;
    for (int i = 0; i < n; i++)
        p[i] = (placed){real[i], imag[i], i};
    qsort(p, (size_t)n, sizeof *p, by_modulus);
    return IFD_OK;
}

ifd_status ifd__roots_find(ifd_arena *arena, int n, const double *A, bool vectors, ifd__roots *out, ifd_note *note)
{
    size_t N = (size_t)n;
    *out = (ifd__roots){.n = n};
    out->real = ifd_arena_array(arena, N, sizeof *out->real);
    out->imag = ifd_arena_array(arena, N, sizeof *out->imag);
    out->blur = ifd_arena_array(arena, N, sizeof *out->blur);
    if (vectors) {
        out->re = ifd_arena_array(arena, N * N, sizeof *out->re);
        out->im = ifd_arena_array(arena, N * N, sizeof *out->im);
    }
    double *copy IFD__FREED = malloc(N * N * sizeof *copy);
    double *V IFD__FREED = vectors ? malloc(N * N * sizeof *V) : NULL;
    double *work IFD__FREED = malloc(2 * N * sizeof *work);
    placed *p IFD__FREED = malloc(N * sizeof *p);
    if (!out->real || !out->imag || !out->blur || !copy || !work || !p || (vectors && !(out->re && out->im && V)))
        return IFD_NO_MEMORY;
    memcpy(copy, A, N * N * sizeof *copy);
    if (find(n, copy, V, p, work) != IFD_OK)
        return ifd_note_add(note, IFD_INTERNAL, NULL,
                            "the eigenvalues of the amplification matrix could not be computed");
    for (size_t k = 0; k < N; k++) {
        out->real[k] = p[k].real;
        out->imag[k] = p[k].imag;
        if (vectors)
            unpack(N, V, &p[k], out->re + k * N, out->im + k * N);
    }
    return IFD_OK;
}

/* n minus the rank of A - lambda I, by QR with column pivoting. Complex numbers are pairs, as in LAPACK. */
static ifd_status nullity(int n, const double *A, const double lambda[2], double tolerance, int *out)
{
    size_t N = (size_t)n;
    double *B IFD__FREED = calloc(2 * N * N, sizeof *B);
    double *tau IFD__FREED = calloc(2 * N, sizeof *tau);
    lapack_int *pivot IFD__FREED = calloc(N, sizeof *pivot);
    *out = 0;
    IFD__HAVE(B && tau && pivot);
    for (size_t i = 0; i < N * N; i++)
        B[2 * i] = A[i];
    for (size_t i = 0; i < N; i++) {
        B[2 * i * (N + 1)] -= lambda[0];
        B[2 * i * (N + 1) + 1] -= lambda[1];
    }
    if (LAPACKE_zgeqp3(LAPACK_COL_MAJOR, n, n, (lapack_complex_double *)B, n, pivot, (lapack_complex_double *)tau) !=
        0)
        return IFD_NO_MEMORY;
    for (size_t i = 0; i < N; i++) {
        const double *d = B + 2 * i * (N + 1);
        *out += hypot(d[0], d[1]) <= tolerance * fmax(1.0, hypot(B[0], B[1]));
    }
    return IFD_OK;
}

/* Roots within 1e-6 of root k that were not yet counted; their mean, which is accurate to round-off for a defective
 * cluster. */
static int cluster(const ifd__roots *r, int k, bool *seen, double mean[2])
{
    int count = 0;
    mean[0] = mean[1] = 0.0;
    for (int i = k; i < r->n; i++)
        if (!seen[i] && hypot(r->real[i] - r->real[k], r->imag[i] - r->imag[k]) < 1e-6) {
            seen[i] = true;
            count++;
            mean[0] += r->real[i];
            mean[1] += r->imag[i];
        }
    mean[0] /= count;
    mean[1] /= count;
    return count;
}

ifd_status ifd__count_defective(const ifd__roots *r, const double *A, double noise, int *count)
{
    *count = -1;
    if (r->n > LARGEST_DEFECT)
        return IFD_OK;
    *count = 0;
    bool *seen IFD__FREED = calloc((size_t)r->n + 1, sizeof *seen);
    IFD__HAVE(seen);
    for (int k = 0, clusters = 0; k < r->n && clusters < MOST_CLUSTERS; k++) {
        double mean[2];
        if (seen[k] || hypot(r->real[k], r->imag[k]) < 1.0 - 1e-4)
            continue;
        int multiplicity = cluster(r, k, seen, mean), vectors;
        if (multiplicity < 2 || mean[1] < -1e-6) /* the conjugate cluster gives the same result */
            continue;
        clusters++;
        IFD_TRY(nullity(r->n, A, mean, noise, &vectors));
        *count += vectors < multiplicity && vectors > 0;
    }
    return IFD_OK;
}
