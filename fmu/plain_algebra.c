/* SPDX-License-Identifier: MIT */
/* The dense routines of BLAS and LAPACK that the library uses at set-up, in plain C, for a runtime without
 * dependencies. They are used after parameter changes; the factors of the exported model are in its image. METIS is
 * omitted, so AMD is the only ordering. Column-major; only the variants that are called. */
#include <assert.h>
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <metis.h>
#include <stdbool.h>

#include "algebra/crew.h"
#include "algebra/team.h"

/* The libraries prescribe the arguments. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN void cblas_dgemm(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE ta, enum CBLAS_TRANSPOSE tb, blasint m,
                        blasint n, blasint k, double alpha, const double *A, blasint lda, const double *B,
                        blasint ldb, double beta, double *C, blasint ldc)
{
    assert(order == CblasColMajor);
    for (blasint j = 0; j < n; j++)
        for (blasint i = 0; i < m; i++) {
            double sum = 0.0;
            for (blasint l = 0; l < k; l++)
                sum += (ta == CblasNoTrans ? A[i + l * lda] : A[l + i * lda]) *
                       (tb == CblasNoTrans ? B[l + j * ldb] : B[j + l * ldb]);
            C[i + j * ldc] = alpha * sum + (beta == 0.0 ? 0.0 : beta * C[i + j * ldc]);
        }
}

/* B := alpha B L^-T or alpha B L^-1, L lower with its diagonal. */
HIDDEN void cblas_dtrsm(enum CBLAS_ORDER order, enum CBLAS_SIDE side, enum CBLAS_UPLO uplo,
                        enum CBLAS_TRANSPOSE trans, enum CBLAS_DIAG diag, blasint m, blasint n, double alpha,
                        const double *A, blasint lda, double *B, blasint ldb)
{
    assert(order == CblasColMajor && side == CblasRight && uplo == CblasLower && diag == CblasNonUnit);
    bool transposed = trans == CblasTrans;
    for (blasint step = 0; step < n; step++) {
        blasint j = transposed ? step : n - 1 - step;
        for (blasint i = 0; i < m; i++) {
            double sum = alpha * B[i + j * ldb];
            if (transposed)
                for (blasint l = 0; l < j; l++)
                    sum -= B[i + l * ldb] * A[j + l * lda];
            else
                for (blasint l = j + 1; l < n; l++)
                    sum -= B[i + l * ldb] * A[l + j * lda];
            B[i + j * ldb] = sum / A[j + j * lda];
        }
    }
}

HIDDEN lapack_int LAPACKE_dpotrf_work(int layout, char uplo, lapack_int n, double *A, lapack_int lda)
{
    assert(layout == LAPACK_COL_MAJOR && uplo == 'L');
    for (lapack_int j = 0; j < n; j++) {
        double d = A[j + j * lda];
        for (lapack_int l = 0; l < j; l++)
            d -= A[j + l * lda] * A[j + l * lda];
        if (!(d > 0.0))
            return j + 1;
        A[j + j * lda] = sqrt(d);
        for (lapack_int i = j + 1; i < n; i++) {
            double sum = A[i + j * lda];
            for (lapack_int l = 0; l < j; l++)
                sum -= A[i + l * lda] * A[j + l * lda];
            A[i + j * lda] = sum / A[j + j * lda];
        }
    }
    return 0;
}

/* The lower triangle of (L L^T)^-1: first L^-1 in place, then its transpose times itself. */
HIDDEN lapack_int LAPACKE_dpotri_work(int layout, char uplo, lapack_int n, double *A, lapack_int lda)
{
    assert(layout == LAPACK_COL_MAJOR && uplo == 'L');
    for (lapack_int j = 0; j < n; j++) {
        A[j + j * lda] = 1.0 / A[j + j * lda];
        for (lapack_int i = j + 1; i < n; i++) {
            double sum = 0.0;
            for (lapack_int l = j; l < i; l++)
                sum -= A[i + l * lda] * A[l + j * lda];
            A[i + j * lda] = sum / A[i + i * lda]; /* the diagonal of this row is not inverted yet */
        }
    }
    for (lapack_int j = 0; j < n; j++)
        for (lapack_int i = j; i < n; i++) {
            double sum = 0.0;
            for (lapack_int l = i; l < n; l++)
                sum += A[l + i * lda] * A[l + j * lda];
            A[i + j * lda] = sum;
        }
    return 0;
}

/* A function with one answer. */
#define ANSWERS(type, name, answer, ...)                                                                             \
    HIDDEN type name(__VA_ARGS__)                                                                                    \
    {                                                                                                                \
        return answer;                                                                                               \
    }

/* One thread: pthread_create has moved between libraries. */
ANSWERS(int, ifd__team_cores, 1, void)
ANSWERS(int, ifd__team_size, 1, const ifd__team *team)
ANSWERS(int, ifd__team_next, counter, ifd__team *team, int counter)
ANSWERS(bool, ifd__crew_solve, false, ifd__crew *crew, double *x)
ANSWERS(bool, ifd__crew_forward, false, ifd__crew *crew, const double *x, double *y, double *z)
ANSWERS(bool, ifd__crew_backward, false, ifd__crew *crew, const double *z, double *x)
ANSWERS(int, ifd__crew_size, 1, const ifd__crew *crew)

HIDDEN void ifd__team_run(int threads, void (*job)(void *shared, ifd__team *team, int me), void *shared)
{
    assert(false && "ifd__team_cores is 1");
}

HIDDEN void ifd__team_meet(ifd__team *team)
{
}

HIDDEN ifd_status ifd__crew_open(ifd_arena *arena, const ifd_solver *solver, int threads, ifd__crew **out)
{
    *out = NULL;
    return IFD_OK;
}

/* In place of METIS: the natural order. AMD is also tried, and the better one is used. */
HIDDEN int METIS_SetDefaultOptions(idx_t *options)
{
    options[0] = 0;
    return METIS_OK;
}

HIDDEN int METIS_NodeND(idx_t *n, idx_t *start, idx_t *edge, idx_t *weight, idx_t *options, idx_t *perm, idx_t *place)
{
    for (idx_t i = 0; i < *n; i++)
        perm[i] = place[i] = i;
    return METIS_OK;
}

/* Referenced by the archive of the common part of SuiteSparse if built with OpenMP (Debian 13), for a timer that is
 * never started here. */
HIDDEN double omp_get_wtime(void);
ANSWERS(double, omp_get_wtime, 0.0, void)
