/* SPDX-License-Identifier: MIT */
/* Judges by roots and their errors whether a recurrence is stable. */
#include "analysis/verdict.h"
#include "base/random.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <complex.h>
#include <stdbool.h>
#include <cblas.h> /* last: it defines I */

/* Bounds the effect of errors of a probed matrix on its stability. */

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

static void forget(proof *p)
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
    double *real IFD__FREED = malloc(2 * (size_t)n * sizeof *real), *imag = real + n, *tau = real;
    *count = 0;
    IFD__HAVE(real);
    memcpy(p->M, p->given, sizeof *p->M * (size_t)n * (size_t)n);
    lapack_int info = LAPACKE_dgeev(LAPACK_COL_MAJOR, 'V', 'N', n, p->M, n, real, imag, p->V, n, NULL, 1);
    for (int i = 0; info == 0 && i < n; i++) /* of a pair: real part, imaginary part */
        if (hypot(real[i], imag[i]) >= 1.0 - least)
            memcpy(U + (size_t)(*count)++ * (size_t)n, p->V + (size_t)i * (size_t)n, sizeof *U * (size_t)n);
    if (info == 0 && *count)
        info = LAPACKE_dgeqrf(LAPACK_COL_MAJOR, n, *count, U, n, tau);
    if (info == 0 && *count)
        info = LAPACKE_dorgqr(LAPACK_COL_MAJOR, n, *count, *count, U, n, tau);
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
    double *w IFD__FREED = malloc((size_t)n * sizeof *w);
    bool found = w && LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'U', n, X, n, w) == 0;
    *least = found ? w[0] : (double)-INFINITY;
    *most = found ? w[n - 1] : (double)INFINITY;
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
    double *copy IFD__FREED = malloc((nn + 2 * (size_t)n) * sizeof *copy), *real = copy + nn, *imag = real + n;
    lapack_complex_double *F IFD__FREED = malloc((nn + 2 * (size_t)n) * sizeof *F);
    bool found = false;
    if (!copy || !F)
        return true;
    memcpy(copy, p->given, nn * sizeof *copy);
    if (LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'N', n, copy, n, real, imag, NULL, 1, NULL, 1) != 0)
        return true;
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
    forget(&p);
    return status;
}

/* Bound of the backward error of the solver over eps |A|: tests of LAPACK (EIG) keep it below 20 to 30; p(n) grows no
 * faster than n. */
static const double solver = 100.0;
/* A sample of the noise may be smaller than its mean: factor on the largest of SAMPLES. */
static const double sampled = 3.0;
enum { FEW_SAMPLES = 3 };
/* Roots closer than this may belong to a multiple root equal to one; others are doubted only if they would mean
 * growth. */
static const double close = 1e-4, far = 0.1;
static const double exactly = 1e-12; /* distance from one that needs no doubt */
static const double rounded = 1e-12; /* smaller values of s consist of rounding */
static const double block = 1.5;     /* relative to a pair: factors 3^(1/3), 4^(1/4), ... of larger Jordan blocks are
                                      * smaller */

static bool answer(const ifd__probe *p, const double *add, double sign, double *x)
{
    ifd__probe_rest(p, x);
    for (int i = 0; add && i < p->n; i++)
        x[p->state[i]] += sign * add[i];
    return p->step(p->what, x);
}

/* out := D^-1 (step of a D y) / a - A y for a random y of unit variance; a: amplitude of the unit states. */
static bool sample(const ifd__probe *p, const double *A, const double *scale, ifd__random *random, double *work,
                   double *out)
{
    size_t n = (size_t)p->n;
    double *y = work, *add = y + n, *x = add + n, *base = x + p->size, most = 0.0;
    for (size_t i = 0; i < n; i++) {
        y[i] = ifd__random_normal(random);
        add[i] = scale[i] * y[i];
        most = fmax(most, fabs(add[i]) / (p->unit ? p->unit[i] : 1.0));
    }
    double a = most > 0.0 ? exp2(floor(log2(p->amplitude / most))) : 1.0;
    for (size_t i = 0; i < n; i++)
        add[i] *= a;
    if (!answer(p, p->central ? add : NULL, -1.0, base) || !answer(p, add, 1.0, x))
        return false;
    for (size_t i = 0; i < n; i++) {
        double of_step = (x[p->state[i]] - base[p->state[i]]) / (scale[i] * a * (p->central ? 2.0 : 1.0)), row = 0.0;
        for (size_t j = 0; j < n; j++)
            row += A[i + j * n] * y[j];
        out[i] = of_step - row;
    }
    return true;
}

/* r (n x samples): errors of A times random states. */
static ifd_status take_samples(const ifd__probe *p, const double *A, const double *scale, int samples, double *r)
{
    double *work IFD__FREED = malloc((2 * ((size_t)p->n + (size_t)p->size) + 1) * sizeof *work);
    ifd__random random;
    ifd__random_seed(&random, 2);
    bool ok = work != NULL;
    for (int k = 0; ok && k < samples && p->n; k++)
        ok = sample(p, A, scale, &random, work, r + (size_t)k * (size_t)p->n);
    return ok ? IFD_OK : work ? IFD_DIVERGED : IFD_NO_MEMORY;
}

static double largest(int n, int samples, const double *r)
{
    double most = 0.0, found;
    for (int k = 0; k < samples && n; k++) {
        found = ifd__norm(n, r + (size_t)k * (size_t)n);
        most = isfinite(found) ? fmax(most, found) : most;
    }
    return most;
}

/* The part of a matrix that determines its roots. State variables that no other one depends on, or that depend only
 * on themselves, close no loop: with them last and first the matrix is block triangular, with exact zeros. Their
 * roots are on the diagonal; the others are those of the remaining block, the core, which is balanced separately. In
 * the whole matrix a number that is only written, such as a recorded force, makes s of every root small, as if its
 * column could have errors. */
typedef struct core {
    int n, all;      /* numbers in the core, in the whole */
    const double *A; /* n x n */
    double *block;   /* storage of A, if separate */
    double *alone;   /* all - n roots of the others */
    double *scale;   /* n: to the numbers of the whole */
    double *unit;    /* n: of the probe */
    int *at;         /* n: indices in the whole */
    int *alone_at;   /* all - n: indices of the others */
} core;

static void release(core *c)
{
    free(c->block);
    free(c->scale);
    free(c->at);
}

static void swap(int *a, int *b)
{
    int keep = *a;
    *a = *b;
    *b = keep;
}

/* From the exchanges of LAPACK's balancing, from both ends inwards, to the resulting order. */
static void follow_exchanges(int n, int low, int high, const double *exchange, int *order)
{
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int i = n - 1; i > high; i--)
        swap(&order[i], &order[(int)exchange[i] - 1]);
    for (int i = 0; i < low; i++)
        swap(&order[i], &order[(int)exchange[i] - 1]);
}

/* Scales rows and columns of the core to the same size, without the diagonal, which scaling does not change. With the
 * diagonal, as in LAPACK, its ones would hide that other numbers have different sizes. */
static ifd_status balance_core(core *c, double *diagonal, double *scale)
{
    size_t n = (size_t)c->n;
    for (size_t i = 0; i < n; i++) {
        diagonal[i] = c->block[i * (n + 1)];
        c->block[i * (n + 1)] = 0.0;
    }
    IFD_TRY(ifd__balance(c->n, c->block, scale));
    for (size_t i = 0; i < n; i++) {
        c->block[i * (n + 1)] = diagonal[i];
        c->scale[i] *= scale[i];
    }
    return IFD_OK;
}

/* The core of A, which ifd__balance has scaled by scale. */
static ifd_status find_core(int n, const double *A, const double *scale, core *c)
{
    size_t N = (size_t)n;
    lapack_int first, last;
    *c = (core){.all = n};
    c->block = malloc((N * N + 1) * sizeof *c->block);
    c->scale = malloc((5 * N + 1) * sizeof *c->scale);
    c->at = malloc((2 * N + 1) * sizeof *c->at);
    IFD__HAVE(c->block && c->scale && c->at);
    c->alone = c->scale + N;
    c->alone_at = c->at + N;
    double *exchange = c->alone + N, *work = exchange + N;
    c->unit = work + N;
    memcpy(c->block, A, N * N * sizeof *c->block);
    if (LAPACKE_dgebal(LAPACK_COL_MAJOR, 'P', n, c->block, n, &first, &last, exchange) != 0)
        return IFD_NO_MEMORY;
    int low = (int)first - 1, high = (int)last - 1, others = 0;
    follow_exchanges(n, low, high, exchange, c->at);
    for (int i = 0; i < n; i++)
        if (i < low || i > high || low == high) {
            c->alone_at[others] = c->at[i];
            c->alone[others++] = c->block[(size_t)i * (N + 1)];
        }
    c->n = n - others;
    c->A = c->block;
    for (int j = 0; j < c->n; j++) {
        memmove(c->block + (size_t)j * (size_t)c->n, c->block + (size_t)(low + j) * N + low,
                (size_t)c->n * sizeof *c->block);
        c->at[j] = c->at[low + j];
        c->scale[j] = scale[c->at[j]];
    }
    return c->n ? balance_core(c, exchange, work) : IFD_OK;
}

/* Roots of A and their s, in a different order. */
static ifd_status conditions(int n, const double *A, double *real, double *imag, double *s)
{
    size_t N = (size_t)n;
    double *copy IFD__FREED = malloc(3 * N * N * sizeof *copy), *left = copy + N * N, *right = left + N * N;
    double *scale IFD__FREED = malloc(2 * N * sizeof *scale), *separation = scale + N, norm;
    lapack_int low, high;
    IFD__HAVE(copy && scale);
    memcpy(copy, A, N * N * sizeof *copy);
    int failed = LAPACKE_dgeevx(LAPACK_COL_MAJOR, 'N', 'V', 'V', 'E', n, copy, n, real, imag, left, n, right, n, &low,
                                &high, scale, &norm, s, separation);
    return failed ? IFD_INTERNAL : IFD_OK;
}

static double distance_from_one(const ifd__roots *r, int i)
{
    return hypot(r->real[i] - 1.0, r->imag[i]);
}

static double modulus(const ifd__roots *r, int i)
{
    return hypot(r->real[i], r->imag[i]);
}

/* Largest change of root j by errors. error / s is of first order and holds up to the distance g of the nearest root.
 * The pair of a defective block with coupling c, split by g, has s = g / c and moves by sqrt(error c), which is
 * sqrt(g error / s); larger blocks by less than `block` times that. */
static double reach(int n, const double *real, const double *imag, int j, double s, double error)
{
    double first = error / fmax(s, DBL_TRUE_MIN), gap = (double)INFINITY;
    for (int k = 0; k < n; k++)
        if (k != j)
            gap = fmin(gap, hypot(real[k] - real[j], imag[k] - imag[j]));
    return s > rounded ? fmin(first, block * sqrt(gap * first)) : first;
}

/* True if roots near one, or outside the circle, are doubtful; *near: the distance that counts as near. */
static bool in_doubt(const ifd__roots *r, double error, double *near)
{
    bool off = false, outside = false, growth = false;
    for (int i = 0; i < r->n; i++) {
        double d = distance_from_one(r, i);
        bool grows = modulus(r, i) > 1.0 + fmin(error, IFD__LEAST_GROWTH);
        off = off || (d < close && d > exactly);
        growth = growth || grows;
        outside = outside || (grows && d < far);
    }
    *near = outside ? far : close;
    return off || growth;
}

/* For root i of r: the blur of the nearest root found with the conditions, and its distance. Roots of a cluster at
 * one share the uncertainty: the largest blur of those that reach root i. */
static double blur_at(const ifd__roots *found, const ifd__roots *r, int i, double near)
{
    double least = (double)INFINITY, out = 0.0, shared = 0.0;
    for (int j = 0; j < found->n; j++) {
        double away = hypot(found->real[j] - r->real[i], found->imag[j] - r->imag[i]);
        if (away < least) {
            least = away;
            out = found->blur[j];
        }
        if (distance_from_one(found, j) < near && away <= found->blur[j])
            shared = fmax(shared, found->blur[j]);
    }
    return fmax(out, shared) + least;
}

static double solver_error(const core *c)
{
    double size = 0.0;
    for (size_t i = 0; i < (size_t)c->n * (size_t)c->n; i++)
        size = hypot(size, c->A[i]);
    return (solver + c->n) * DBL_EPSILON * size;
}

static ifd_status judge(const core *c, double noise, ifd__roots *r)
{
    double near;
    int n = c->n;
    double error = solver_error(c) + sampled * noise;
    for (int i = 0; i < r->n; i++)
        r->blur[i] = error; /* s is at most one */
    if (!in_doubt(r, error, &near))
        return IFD_OK;
    double *own IFD__FREED = calloc(3 * (size_t)c->all + 1, sizeof *own), *imag = own + c->all, *s = imag + c->all;
    IFD_TRY(own ? conditions(n, c->A, own, imag, s) : IFD_NO_MEMORY);
    for (int j = 0; j < c->all; j++) {
        if (j >= n)
            own[j] = c->alone[j - n];
        s[j] = j < n ? reach(n, own, imag, j, s[j], error) : DBL_EPSILON * fabs(own[j]);
    }
    const ifd__roots found = {.n = c->all, .real = own, .imag = imag, .blur = s};
    for (int i = 0; i < r->n; i++) {
        r->blur[i] = blur_at(&found, r, i, near);
        double d = distance_from_one(r, i);
        if (d < near && d <= r->blur[i])
            r->blur[i] = -r->blur[i];
    }
    return IFD_OK;
}

ifd_status ifd__roots_judge(int n, const double *A, double noise, ifd__roots *r)
{
    return judge(&(core){.n = n, .all = n, .A = A}, noise, r);
}

double ifd__root_doubt(const ifd__roots *r, int i)
{
    return r->blur ? fmin(fabs(r->blur[i]), IFD__LEAST_GROWTH) : 0.0;
}

static double blur_of(const ifd__roots *r, int i)
{
    return r->blur ? fmax(ifd__root_doubt(r, i), IFD__LEAST_DOUBT) : 0.0;
}

bool ifd__root_is_one(const ifd__roots *r, int i)
{
    return (r->blur && r->blur[i] < 0.0) || distance_from_one(r, i) <= fmax(exactly, blur_of(r, i));
}

double ifd__root_modulus(const ifd__roots *r, int i)
{
    return r->blur && r->blur[i] < 0.0 ? 1.0 : modulus(r, i);
}

bool ifd__root_grows(const ifd__roots *r, int i)
{
    return !(ifd__root_modulus(r, i) <= 1.0 + blur_of(r, i));
}

bool ifd__roots_stable(const ifd__roots *r)
{
    for (int i = 0; i < r->n; i++)
        if (ifd__root_grows(r, i))
            return false;
    return true;
}

bool ifd__roots_inside(const ifd__roots *r)
{
    for (int i = 0; i < r->n; i++)
        if (!ifd__root_is_one(r, i) && !(modulus(r, i) < 1.0 - ifd__root_doubt(r, i)))
            return false;
    return true;
}

bool ifd__roots_doubtful(const ifd__roots *r)
{
    for (int i = 0; i < r->n; i++) {
        double doubt = ifd__root_doubt(r, i);
        if (doubt > IFD__LEAST_DOUBT && fabs(modulus(r, i) - 1.0) <= doubt)
            return true;
    }
    return false;
}

void ifd__roots_join(ifd__roots *r)
{
    for (int i = 0; r->blur && i < r->n; i++)
        if (r->blur[i] < 0.0) {
            r->real[i] = 1.0;
            r->imag[i] = 0.0;
        }
}

void ifd__roots_distrust(ifd__roots *r)
{
    for (int i = 0; r->blur && i < r->n; i++)
        if (r->blur[i] < -IFD__LEAST_GROWTH)
            r->blur[i] = -r->blur[i];
}

void ifd__roots_decide(const ifd__roots *r, ifd__decision *out)
{
    *out = (ifd__decision){.stable = true, .resolution = IFD__LEAST_GROWTH};
    bool grows = false;
    for (int i = 0; i < r->n; i++) {
        double blur = r->blur ? fabs(r->blur[i]) : 0.0, size = modulus(r, i);
        grows = grows || (size > 1.0 + blur && ifd__root_grows(r, i));
        if (size > 1.0 + fmin(blur, IFD__LEAST_GROWTH) && !(size > 1.0 + blur))
            out->resolution = fmax(out->resolution, blur);
    }
    out->undecided = !grows && out->resolution > IFD__LEAST_GROWTH;
    out->stable = !grows && !out->undecided;
}

/* Numbers that close no loop, except those that are exactly constant or zero: possible distance outside the circle by
 * errors. The differences to probes of other amplitudes are the samples. */
static ifd_status decide_alone(const ifd__probe *p, const core *c, ifd__decision *out)
{
    for (int i = 0; i < c->all - c->n; i++) {
        double size = fabs(c->alone[i]), most = 0.0, other;
        ifd__probe one = *p;
        if (size == 0.0 || size == 1.0)
            continue;
        one.n = 1;
        one.state = p->state + c->alone_at[i];
        one.unit = p->unit ? p->unit + c->alone_at[i] : NULL;
        for (int k = 0; k < IFD__PROOF_SAMPLES; k++) {
            one.amplitude = p->amplitude * (1.0 + (k + 1.0) / (2.0 * IFD__PROOF_SAMPLES));
            IFD_TRY(ifd__probe_matrix(&one, &other));
            most = fmax(most, fabs(other - c->alone[i]));
        }
        out->resolution = fmax(out->resolution, size + IFD__PROOF_FACTOR * most - 1.0);
    }
    return IFD_OK;
}

/* A root outside the circle counts by its uncertainty (blur); if all roots are inside, a proof decides. */
static ifd_status decide(const ifd__probe *p, const core *c, const double *r, const ifd__roots *roots,
                         ifd__decision *out)
{
    ifd__roots_decide(roots, out);
    if (!out->stable || c->n > IFD__PROOF_MOST)
        return IFD_OK;
    const ifd__errors e = {IFD__PROOF_SAMPLES, r, solver_error(c)};
    IFD_TRY(ifd__resolution(c->n, c->A, &e, IFD__LEAST_GROWTH, &out->resolution));
    IFD_TRY(decide_alone(p, c, out));
    out->undecided = !(out->resolution <= IFD__LEAST_GROWTH);
    out->stable = !out->undecided;
    return IFD_OK;
}

/* D (n x n for each sample): differences of the core to probes of other amplitudes, which are no powers of two of its
 * own: errors of curvature change with their square, and rounding is another. */
static ifd_status take_differences(const ifd__probe *p, const core *c, double *D)
{
    size_t n = (size_t)c->n;
    for (int k = 0; k < IFD__PROOF_SAMPLES; k++, D += n * n) {
        ifd__probe other = *p;
        other.amplitude *= 1.0 + (k + 1.0) / (2.0 * IFD__PROOF_SAMPLES);
        IFD_TRY(ifd__probe_matrix(&other, D));
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++)
                D[i + j * n] = D[i + j * n] * c->scale[j] / c->scale[i] - c->A[i + j * n];
    }
    return IFD_OK;
}

/* The probe of the core, in its order, from the probe of all numbers. */
static ifd_status judge_core(const ifd__probe *p, core *c, ifd__decision *decision, ifd__roots *out)
{
    bool prove = decision && c->n <= IFD__PROOF_MOST;
    int columns = prove ? c->n : 1, samples = prove ? IFD__PROOF_SAMPLES : FEW_SAMPLES;
    double *r IFD__FREED = malloc(((size_t)samples * (size_t)columns * (size_t)c->n + 1) * sizeof *r);
    ifd__probe inner = *p;
    inner.n = c->n;
    inner.state = c->at;
    inner.unit = p->unit ? c->unit : NULL;
    for (int i = 0; i < c->n; i++) {
        c->unit[i] = p->unit ? p->unit[c->at[i]] : 1.0;
        c->at[i] = p->state[c->at[i]];
    }
    IFD__HAVE(r);
    IFD_TRY(prove ? take_differences(&inner, c, r) : take_samples(&inner, c->A, c->scale, samples, r));
    IFD_TRY(judge(c, largest(c->n * columns, samples, r), out));
    return decision ? decide(p, c, r, out, decision) : IFD_OK;
}

ifd_status ifd__verdict_of(const ifd__probe *p, ifd_arena *arena, const ifd__balanced *m, bool vectors,
                           ifd__roots *out, ifd_note *note)
{
    size_t n = (size_t)p->n;
    double *A = m->A;
    IFD_TRY(ifd__probe_matrix(p, A));
    for (size_t i = 0; i < n * n; i++)
        if (!isfinite(A[i]))
            return IFD_DIVERGED;
    IFD_TRY(ifd__balance(p->n, A, m->scale));
    IFD_TRY(ifd__roots_find(arena, p->n, A, vectors, out, note));
    core c;
    ifd_status status = find_core(p->n, A, m->scale, &c);
    if (status == IFD_OK)
        status = judge_core(p, &c, m->decision, out);
    release(&c);
    return status;
}
