/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/dense.h"
#include "algebra/kernels.h"
#include "algebra/matrices.h"

enum { MOST = 70 };

static const char *const names[] = {"plain", "avx2", "avx512"};

TEST(lu_solves_as_lapack_does)
{
    const int sizes[] = {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 24, 31, 33, 64, 65, 100, 129, 200};
    uint64_t seed = 3;
    for (size_t c = 0; c < COUNT(sizes); c++) {
        int n = sizes[c], nrhs = 1 + (int)c % 3;
        size_t nn = (size_t)n * (size_t)n, nb = (size_t)n * (size_t)nrhs;
        double *A = malloc(nn * sizeof *A), *B = malloc(nn * sizeof *B), *b = malloc(nb * sizeof *b);
        double *x = malloc(nb * sizeof *x);
        int *pivot = malloc((size_t)n * sizeof *pivot), *ipiv = malloc((size_t)n * sizeof *ipiv);
        matrix_random_vector(&seed, n * n, A);
        matrix_random_vector(&seed, n * nrhs, b);
        memcpy(B, A, nn * sizeof *A);
        memcpy(x, b, nb * sizeof *b);
        assert_true(ifd__lu_factor(n, A, pivot));
        ifd__lu_solve(n, A, pivot, nrhs, x);
        double *keep = malloc(nn * sizeof *keep), *y = malloc(nb * sizeof *y);
        memcpy(keep, B, nn * sizeof *B);
        memcpy(y, b, nb * sizeof *b);
        assert_int_equal(LAPACKE_dgetrf(LAPACK_COL_MAJOR, n, n, B, n, ipiv), 0);
        LAPACKE_dgetrs(LAPACK_COL_MAJOR, 'N', n, nrhs, B, n, ipiv, y, n);
        double anorm = LAPACKE_dlange(LAPACK_COL_MAJOR, '1', n, n, keep, n), rcond;
        LAPACKE_dgecon(LAPACK_COL_MAJOR, '1', n, B, n, anorm, &rcond);
        for (int i = 0; i < n; i++)
            assert_int_equal(pivot[i] + 1, ipiv[i]);
        double largest = 0.0;
        for (size_t i = 0; i < nb; i++)
            largest = fabs(y[i]) > largest ? fabs(y[i]) : largest;
        for (size_t i = 0; i < nb; i++)
            assert_near(x[i], y[i], 1e-15 * n / rcond * largest, "n = %d, entry %zu", n, i);
        for (int r = 0; r < nrhs; r++)
            for (int i = 0; i < n; i++) {
                double residual = b[i + r * n], size = fabs(residual);
                for (int j = 0; j < n; j++) {
                    residual -= keep[i + j * n] * x[j + r * n];
                    size += fabs(keep[i + j * n] * x[j + r * n]);
                }
                assert_near(residual, 0.0, 2e-15 * n * size, "residual, n = %d, row %d", n, i);
            }
        free(A), free(B), free(b), free(x), free(y), free(keep), free(pivot), free(ipiv);
    }
}

TEST(lu_refuses_singular_and_non_finite_matrices)
{
    int pivot[12];
    double two[4] = {1.0, 2.0, 2.0, 4.0}, zero[1] = {0.0}, nan2[4] = {1.0, 0.0, 0.0, (double)NAN}, ok[1] = {-2.0},
           b[1] = {3.0};
    double twelve[144] = {0.0};
    for (int i = 0; i < 12; i++)
        twelve[i * 13] = i == 10 ? 0.0 : 1.0;
    assert_false(ifd__lu_factor(2, two, pivot));
    assert_false(ifd__lu_factor(1, zero, pivot));
    assert_false(ifd__lu_factor(2, nan2, pivot));
    assert_false(ifd__lu_factor(12, twelve, pivot));
    assert_true(ifd__lu_factor(0, NULL, NULL));
    ifd__lu_solve(0, NULL, NULL, 1, NULL);
    assert_true(ifd__lu_factor(1, ok, pivot));
    ifd__lu_solve(1, ok, pivot, 1, b);
    assert_near(b[0], -1.5, 0.0, "");
}

/* Every kernel against the plain loops written here; one more row than needed around the result shows stray
 * writes. */
TEST(gemm_and_gemv_agree_with_loops_for_every_kernel)
{
    static double A[MOST * MOST], B[MOST * MOST], C[MOST * MOST], E[MOST * MOST];
    uint64_t seed = 9;
    for (size_t v = 0; v < COUNT(names); v++) {
        const ifd__kernels *kernels = ifd__kernels_pick(names[v]);
        for (int m = 0; kernels && m <= 65; m++) {
            int n = (m * 7 + 1) % 13, k = (m * 5 + 3) % 19;
            matrix_random_vector(&seed, MOST * MOST, A);
            matrix_random_vector(&seed, MOST * MOST, B);
            matrix_random_vector(&seed, MOST * MOST, C);
            memcpy(E, C, sizeof C);
            for (int j = 0; j < n; j++)
                for (int i = 0; i < m; i++)
                    for (int p = 0; p < k; p++)
                        E[i + j * MOST] += 0.7 * A[i + p * MOST] * B[p + j * MOST];
            kernels->gemm((const int[]){m, n, k}, 0.7, A, MOST, B, MOST, C, MOST);
            for (int i = 0; i < MOST * MOST; i++)
                assert_near(C[i], E[i], 1e-14, "gemm %s, m = %d, entry %d", names[v], m, i);
            memcpy(E, C, sizeof C);
            kernels->gemv(m, k, -0.3, A, MOST, B, C);
            for (int p = 0; p < k; p++)
                for (int i = 0; i < m; i++)
                    E[i] -= 0.3 * A[i + p * MOST] * B[p];
            for (int i = 0; i < MOST * MOST; i++)
                assert_near(C[i], E[i], 1e-14, "gemv %s, m = %d, entry %d", names[v], m, i);
            double sum = 0.0;
            for (int i = 0; i < m; i++)
                sum += A[i] * B[i];
            assert_near(kernels->dot(m, A, B), sum, 1e-14, "dot %s, n = %d", names[v], m);
        }
    }
}

TEST(packed_products_have_the_stated_shapes)
{
    const double A[6] = {1, 2, 3, 4, 5, 6}, B[4] = {1, -1, 2, 0.5}, x[3] = {1, 10, 100};
    double y[3] = {0, 0, 1}, C[6] = {0, 0, 0, 0, 0, 1};
    ifd__mul_add(3, 2, 2.0, A, x, y);
    assert_near(y[0], 82.0, 0.0, "");
    assert_near(y[2], 127.0, 0.0, "");
    ifd__matmul_add(3, 2, 2, 1.0, A, B, C);
    assert_near(C[0], -3.0, 0.0, "");
    assert_near(C[5], 10.0, 0.0, "");
    assert_near(ifd__dot(3, A, x), 321.0, 0.0, "");
}

TESTS()
