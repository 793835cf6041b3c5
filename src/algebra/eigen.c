/* SPDX-License-Identifier: MIT */
/* The lowest modes of a large model by ARPACK, with the sparse factor as operator. */
#include "algebra/eigen.h"

#include <arpack.h>
#include <cblas.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "algebra/dense.h"
#include "algebra/solver.h"
#include "base/random.h"

/* Pairs above those asked for, among which a gap is searched; iterations; searches for missing pairs; places in a gap
 * at which the pivots are counted. */
enum { EXTRA = 12, RESTARTS = 1000, SEARCHES = 8, PLACES = 5 };
static const double LARGEST_ERROR = 1e-7, EQUAL = 1e-6;
static const double FIRST_SHIFT = 1e-8, LAST_SHIFT = 1e3; /* of the largest K_ii / M_ii */

typedef struct finding {
    ifd__pencil p;
    int n;
    size_t room; /* pairs */
    ifd_arena *scratch;
    double shift;
    ifd_solver *solver;
    double *work, *MX; /* of the solver; n */
    int found;
    double *lambda, *X; /* room; n x room, ascending */
    double *H;          /* room */
    double error;
    ifd_note *note;
} finding;

static double *shape(const finding *x, int j)
{
    return x->X + (size_t)j * (size_t)x->n;
}

static void multiply(const ifd_sparse *A, const double *x, double *y)
{
    memset(y, 0, sizeof *y * (size_t)A->n);
    ifd__sparse_mul_add(A, 1.0, x, y);
}

/* The factor of K + shift M. */
static ifd_status factor(finding *x)
{
    ifd_sparse A;
    IFD_TRY(ifd__sparse_add(x->scratch, 1.0, x->p.K, x->shift, x->p.M, &A));
    IFD_TRY(ifd__solver_make(x->scratch, &A, IFD__SOLVER_AUTO, &x->solver, NULL));
    return IFD__TAKE(x->scratch, IFD__ARRAY(x->work, ifd__solver_work(x->solver)), IFD__ARRAY(x->MX, x->n),
                     IFD__ARRAY(x->H, x->room));
}

/* y -= X X^T M y over the pairs found before. */
static void deflate(finding *x, double *y)
{
    for (int pass = 0; pass < 2 && x->found; pass++) {
        multiply(x->p.M, y, x->MX);
        cblas_dgemv(CblasColMajor, CblasTrans, x->n, x->found, 1.0, x->X, x->n, x->MX, 1, 0.0, x->H, 1);
        cblas_dgemv(CblasColMajor, CblasNoTrans, x->n, x->found, -1.0, x->X, x->n, x->H, 1, 1.0, y, 1);
    }
}

typedef struct lanczos {
    int count, width; /* pairs asked for; vectors */
    double *residual, *V, *workd, *workl, *d;
    a_int *select, iparam[11], ipntr[14], ido, info;
} lanczos;

static ifd_status lanczos_make(finding *x, int count, lanczos *l)
{
    size_t n = (size_t)x->n;
    int width = 2 * count + 20, most = x->n - x->found;
    *l = (lanczos){.count = count, .width = width < most ? width : most, .info = 1};
    size_t w = (size_t)l->width;
    IFD_TRY(IFD__TAKE(x->scratch, IFD__ARRAY(l->residual, n), IFD__ARRAY(l->V, n * w), IFD__ARRAY(l->workd, 3 * n),
                      IFD__ARRAY(l->workl, w * (w + 8)), IFD__ARRAY(l->d, w), IFD__ARRAY(l->select, w)));
    l->iparam[0] = 1;
    l->iparam[2] = RESTARTS;
    l->iparam[6] = 3; /* (K - sigma M)^-1 M, sigma = -shift */
    ifd__random random;
    ifd__random_seed(&random, 7 + (unsigned)x->found);
    for (size_t i = 0; i < n; i++)
        l->residual[i] = ifd__random_normal(&random);
    deflate(x, l->residual);
    return IFD_OK;
}

/* What ARPACK asks for: y = (K + shift M)^-1 M x with M x known or not, or y = M x. */
static void answer(finding *x, lanczos *l)
{
    size_t bytes = sizeof(double) * (size_t)x->n;
    double *from = l->workd + l->ipntr[0] - 1, *to = l->workd + l->ipntr[1] - 1;
    if (l->ido == 1)
        memcpy(to, l->workd + l->ipntr[2] - 1, bytes);
    else
        multiply(x->p.M, from, to);
    if (l->ido == 2)
        return;
    ifd__solver_solve(x->solver, to, x->work);
    deflate(x, to);
}

/* ARPACK keeps its state in static variables between the calls of one problem. */
static pthread_mutex_t arpack_lock = PTHREAD_MUTEX_INITIALIZER;

static void iterate(finding *x, lanczos *l)
{
    a_int size = l->width * (l->width + 8);
    pthread_mutex_lock(&arpack_lock);
    do {
        dsaupd_c(&l->ido, "G", x->n, "LM", l->count, 0.0, l->residual, l->width, l->V, x->n, l->iparam, l->ipntr,
                 l->workd, l->workl, size, &l->info);
        if (l->ido == -1 || l->ido == 1 || l->ido == 2)
            answer(x, l);
    } while (l->ido != 99);
    l->count = l->iparam[4];
    if (l->info >= 0 && l->count > 0)
        dseupd_c(1, "All", l->select, l->d, l->V, x->n, -x->shift, "G", x->n, "LM", l->count, 0.0, l->residual,
                 l->width, l->V, x->n, l->iparam, l->ipntr, l->workd, l->workl, size, &l->info);
    pthread_mutex_unlock(&arpack_lock);
}

/* lambda = x^T K x with x^T M x = 1, and the error of lambda + shift from |(lambda + shift) (K + shift M)^-1 M x - x|
 * in the norm of M. Inserts the pair where it belongs. */
static void add_pair(finding *x, double *v, double *y)
{
    multiply(x->p.M, v, x->MX);
    cblas_dscal(x->n, 1.0 / sqrt(ifd__dot(x->n, v, x->MX)), v, 1);
    multiply(x->p.K, v, y);
    double lambda = ifd__dot(x->n, v, y);
    multiply(x->p.M, v, y);
    ifd__solver_solve(x->solver, y, x->work);
    for (int i = 0; i < x->n; i++)
        y[i] = (lambda + x->shift) * y[i] - v[i];
    multiply(x->p.M, y, x->MX);
    double off = sqrt(fmax(0.0, ifd__dot(x->n, y, x->MX)));
    x->error = fmax(x->error, off < 0.5 ? off / (1.0 - off) : 1.0);
    int at = x->found++;
    for (; at > 0 && x->lambda[at - 1] > lambda; at--) {
        x->lambda[at] = x->lambda[at - 1];
        memcpy(shape(x, at), shape(x, at - 1), sizeof *v * (size_t)x->n);
    }
    x->lambda[at] = lambda;
    memcpy(shape(x, at), v, sizeof *v * (size_t)x->n);
}

/* Adds up to count pairs to those found. */
static ifd_status search(finding *x, int count)
{
    lanczos l;
    int left = (int)x->room - x->found;
    count = count < left ? count : left;
    if (count < 1)
        return IFD_OK;
    IFD_TRY(lanczos_make(x, count, &l));
    iterate(x, &l);
    if (l.info < 0 || l.count < 1)
        return ifd_note_add(x->note, IFD_INTERNAL, NULL, "the eigenvalues could not be computed (%d)", (int)l.info);
    for (int j = 0; j < l.count; j++)
        add_pair(x, l.V + (size_t)j * (size_t)x->n, l.workd);
    return IFD_OK;
}

static double relative_gap(const finding *x, int j)
{
    return (x->lambda[j + 1] - x->lambda[j]) / (x->lambda[j + 1] + x->shift);
}

/* Where the pivots are counted: in the widest gap above one of the pairs from `count` on. Where these are all equal,
 * in the gap below the pairs that are equal to the last one that is asked for. Returns the pairs below. */
static int choose_gap(const finding *x, int count, double *low, double *high)
{
    int best = count - 1;
    for (int j = count; j + 1 < x->found; j++)
        if (relative_gap(x, j) > relative_gap(x, best))
            best = j;
    while (best >= 0 && relative_gap(x, best) < EQUAL)
        best--;
    *high = x->lambda[best + 1];
    *low = best >= 0 ? x->lambda[best] : *high - 0.5 * fabs(*high + x->shift);
    return best + 1;
}

/* *missing: pairs below the gap that were not found. */
static ifd_status count_missing(finding *x, int count, int *missing)
{
    static const double place[PLACES] = {0.5, 0.35, 0.65, 0.2, 0.8};
    double low, high;
    int expected = choose_gap(x, count, &low, &high), below = 0;
    ifd_status status = IFD_SINGULAR;
    for (int k = 0; k < PLACES && status == IFD_SINGULAR; k++) {
        ifd_sparse A;
        IFD_TRY(ifd__sparse_add(x->scratch, 1.0, x->p.K, -(low + place[k] * (high - low)), x->p.M, &A));
        status = ifd__negative_eigenvalues(&A, &below);
    }
    *missing = status == IFD_OK ? below - expected : 0;
    return status;
}

static ifd_status find(finding *x, int count)
{
    int missing = 0;
    ifd_status counted = IFD_OK;
    IFD_TRY(factor(x));
    IFD_TRY(search(x, count + EXTRA));
    for (int k = 0; k < SEARCHES && x->error <= LARGEST_ERROR; k++) {
        if (x->found > count)
            counted = count_missing(x, count, &missing);
        else
            missing = count + 1 - x->found;
        if (counted != IFD_OK || missing == 0)
            break;
        IFD_TRY(search(x, (missing > 0 ? missing : 1) + 2));
    }
    if (counted == IFD_NO_MEMORY)
        return counted;
    if ((counted != IFD_OK || missing != 0) && x->error <= LARGEST_ERROR)
        return ifd_note_add(x->note, IFD_INTERNAL, NULL,
                            "the number of the lowest %d modes could not be confirmed by the pivots of the stiffness "
                            "matrix: a mode may be missing",
                            count);
    return IFD_OK;
}

/* A nearly singular factor has lost digits: a larger shift follows then, too. */
static ifd_status find_with_shifts(finding *x, int count)
{
    double largest = 0.0;
    for (int i = 0; i < x->n; i++)
        largest = fmax(largest, fabs(ifd__sparse_get(x->p.K, i, i) / ifd__sparse_get(x->p.M, i, i)));
    ifd_status status = IFD_NOT_POSITIVE;
    x->error = 1.0;
    for (double share = 0.0; share <= LAST_SHIFT && (status == IFD_NOT_POSITIVE || x->error > LARGEST_ERROR);
         share = share > 0.0 ? 10.0 * share : FIRST_SHIFT) {
        x->shift = share * largest;
        x->found = 0;
        x->error = 0.0;
        x->scratch = ifd_arena_open();
        status = x->scratch ? find(x, count) : IFD_NO_MEMORY;
        ifd_arena_close(x->scratch);
        if (status != IFD_OK && status != IFD_NOT_POSITIVE && x->error <= LARGEST_ERROR)
            return status;
    }
    if (status == IFD_OK && x->error > LARGEST_ERROR)
        return ifd_note_add(x->note, IFD_INTERNAL, NULL, "the lowest %d modes have a relative error of %.2g", count,
                            x->error);
    return status;
}

ifd_status ifd__eigenpairs_lowest(ifd_arena *arena, const ifd__pencil *p, int count, ifd__eigenpairs *out,
                                  ifd_note *note)
{
    size_t n = (size_t)p->K->n, room = 2 * (size_t)count + EXTRA + 3 * SEARCHES;
    finding x = {.p = *p, .n = p->K->n, .note = note};
    x.room = room < n ? room : n - 1;
    *out = (ifd__eigenpairs){.count = count};
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(out->lambda, x.room), IFD__ARRAY(x.X, n * x.room)));
    x.lambda = out->lambda;
    out->shape = x.X;
    ifd_status status = find_with_shifts(&x, count);
    out->shift = x.shift;
    out->error = x.error;
    return status;
}
