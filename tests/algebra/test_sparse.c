/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <string.h>

#include "algebra/kernels.h"
#include "algebra/matrices.h"
#include "algebra/packed.h"

static int open_arena(void **state)
{
    *state = ifd_arena_open();
    return *state ? 0 : -1;
}

static int close_arena(void **state)
{
    ifd_arena_close(*state);
    return 0;
}

TEST(triplets_are_sorted_summed_and_zeros_dropped)
{
    const int row[] = {2, 1, 0, 2, 2, 0, 2}, column[] = {0, 1, 0, 1, 0, 2, 1};
    const double value[] = {1.0, 2.0, 3.0, 4.0, 0.5, 9.0, -4.0};
    ifd_sparse A;
    A = matrix_of(*state, 3, 7, row, column, value, false);
    const int p[] = {0, 2, 3, 5}, i[] = {0, 2, 1, 0, 2};
    const double x[] = {3.0, 1.5, 2.0, 9.0, 0.0};
    assert_memory_equal(A.p, p, sizeof p);
    assert_memory_equal(A.i, i, sizeof i);
    for (int k = 0; k < 5; k++)
        assert_near(A.x[k], x[k], 0.0, "entry %d", k);
    assert_false(A.symmetric);
}

TEST(a_symmetric_matrix_ignores_what_stands_above_the_diagonal)
{
    const int row[] = {0, 1, 0, 1}, column[] = {0, 0, 1, 1};
    const double value[] = {2.0, -1.0, -1.0, 2.0};
    ifd_sparse A;
    A = matrix_of(*state, 2, 4, row, column, value, true);
    assert_int_equal(A.p[2], 3);
    assert_near(ifd__sparse_get(&A, 0, 1), -1.0, 0.0, "above");
    assert_near(ifd__sparse_get(&A, 1, 0), -1.0, 0.0, "below");
}

TEST(a_matrix_of_no_rows_and_one_of_no_entries_exist)
{
    ifd_sparse A, B;
    double y[3] = {1.0, 2.0, 3.0};
    A = matrix_of(*state, 0, 0, NULL, NULL, NULL, true);
    assert_int_equal(A.p[0], 0);
    assert_int_equal(ifd__sparse_add(*state, 1.0, &A, 1.0, &A, &B), IFD_OK);
    A = matrix_of(*state, 3, 0, NULL, NULL, NULL, true);
    assert_int_equal(A.p[3], 3);
    ifd__sparse_mul_add(&A, 1.0, (const double[3]){1.0, 1.0, 1.0}, y);
    assert_near(y[2], 3.0, 0.0, "nothing added");
}

TEST(sums_of_matrices_agree_entry_by_entry)
{
    uint64_t seed = 11;
    ifd_sparse S = matrix_spd(*state, &seed, 30, 3), U = matrix_unsymmetric(*state, &seed, 30, 3), out;
    const ifd_sparse *pair[][2] = {{&S, &S}, {&S, &U}, {&U, &S}, {&U, &U}};
    for (size_t c = 0; c < COUNT(pair); c++) {
        assert_int_equal(ifd__sparse_add(*state, 2.0, pair[c][0], -3.0, pair[c][1], &out), IFD_OK);
        assert_int_equal(out.symmetric, c == 0);
        for (int i = 0; i < 30; i++)
            for (int j = 0; j < 30; j++) {
                double expected = 2.0 * ifd__sparse_get(pair[c][0], i, j) - 3.0 * ifd__sparse_get(pair[c][1], i, j);
                assert_near(ifd__sparse_get(&out, i, j), expected, 1e-15 * fabs(expected), "%zu: (%d, %d)", c, i, j);
            }
    }
}

static void full_product(const double *A, int n, double alpha, const double *x, double *y)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            y[i] += alpha * A[i + j * n] * x[j];
}

static void check_product(ifd_arena *arena, uint64_t *seed, const ifd_sparse *A, const char *name)
{
    int n = A->n;
    size_t bytes = (size_t)n * sizeof(double);
    double *x = ifd_arena_take(arena, bytes), *y = ifd_arena_take(arena, bytes), *z = ifd_arena_take(arena, bytes);
    matrix_random_vector(seed, n, x);
    matrix_random_vector(seed, n, y);
    memcpy(z, y, bytes);
    full_product(matrix_full(arena, A), n, -1.7, x, z);
    ifd__sparse_mul_add(A, -1.7, x, y);
    double largest = 1.0;
    for (int i = 0; i < n; i++)
        largest = fabs(z[i]) > largest ? fabs(z[i]) : largest;
    for (int i = 0; i < n; i++)
        assert_near(y[i], z[i], 1e-14 * largest, "%s, n = %d, row %d", name, n, i);
}

TEST(products_agree_with_the_full_matrix)
{
    uint64_t seed = 5;
    for (int n = 1; n <= 65; n++) {
        ifd_sparse S = matrix_spd(*state, &seed, n, n % 7), U = matrix_unsymmetric(*state, &seed, n, 3);
        check_product(*state, &seed, &S, "symmetric");
        check_product(*state, &seed, &U, "unsymmetric");
        assert_int_equal(ifd__sparse_pack(*state, &S), IFD_OK);
        assert_int_equal(ifd__sparse_pack(*state, &U), IFD_OK);
        check_product(*state, &seed, &S, "symmetric, packed");
        check_product(*state, &seed, &U, "unsymmetric, packed");
    }
}

TEST(every_packing_agrees_for_every_kernel)
{
    const char *const names[] = {"plain", "avx2", "avx512"};
    const int grids[][4] = {{1, 1, 1, 1}, {1, 1, 9, 1}, {4, 1, 10, 3}, {3, 3, 4, 6}, {2, 2, 3, 5}, {5, 4, 1, 2}};
    uint64_t seed = 6;
    for (size_t k = 0; k < COUNT(names); k++) {
        const ifd__kernels *kernels = ifd__kernels_pick(names[k]);
        for (ifd__packing kind = IFD__PACK_HALF; kernels && kind <= IFD__PACK_BANDS; kind++) {
            for (size_t g = 0; g < COUNT(grids); g++) {
                ifd_sparse A = matrix_frame(*state, &seed, grids[g], grids[g][3]);
                assert_int_equal(ifd__sparse_pack_as(*state, &A, kind, kernels), IFD_OK);
                check_product(*state, &seed, &A, names[k]);
            }
            for (int n = 0; n <= 65; n++) {
                ifd_sparse A = matrix_spd(*state, &seed, n, n % 9);
                assert_int_equal(ifd__sparse_pack_as(*state, &A, kind, kernels), IFD_OK);
                check_product(*state, &seed, &A, names[k]);
            }
        }
    }
}

TEST(arrows_are_packed_as_arrows)
{
    const char *const names[] = {"plain", "avx2", "avx512"};
    uint64_t seed = 9;
    for (size_t k = 0; k < COUNT(names); k++)
        for (int border = 2; border <= 13; border++)
            for (int coupled = 0; coupled < 2; coupled++) {
                const ifd__kernels *kernels = ifd__kernels_pick(names[k]);
                ifd_sparse A = matrix_arrow(*state, &seed, 64 + 7 * border, border, coupled);
                assert_int_equal(ifd__sparse_pack(*state, &A), IFD_OK);
                assert_int_equal(A.packed->kind, IFD__PACK_ARROW);
                assert_int_equal(A.packed->arrow.border, border);
                check_product(*state, &seed, &A, "arrow");
                if (!kernels)
                    continue;
                assert_int_equal(ifd__sparse_pack_as(*state, &A, IFD__PACK_ARROW, kernels), IFD_OK);
                check_product(*state, &seed, &A, names[k]);
            }
    ifd_sparse wide = matrix_arrow(*state, &seed, 64, 17, true), small = matrix_arrow(*state, &seed, 63, 3, true);
    assert_int_equal(ifd__arrow_border(&wide), 0);
    assert_int_equal(ifd__arrow_border(&small), 0);
}

TEST(packing_suits_the_matrix)
{
    uint64_t seed = 8;
    ifd_sparse D = matrix_spd(*state, &seed, 20, 0), F = matrix_frame(*state, &seed, (const int[]){4, 1, 10}, 3);
    assert_int_equal(ifd__sparse_pack(*state, &D), IFD_OK);
    assert_int_equal(D.packed->kind, IFD__PACK_DIAGONAL);
    assert_int_equal(ifd__sparse_pack(*state, &F), IFD_OK);
    assert_int_equal(F.packed->kind, IFD__PACK_WHOLE);
    ifd_sparse B = matrix_frame(*state, &seed, (const int[]){4, 1, 30}, 1);
    assert_int_equal(ifd__sparse_pack(*state, &B), IFD_OK);
    assert_int_equal(B.packed->kind, IFD__PACK_BANDS);
    ifd_sparse R = matrix_spd(*state, &seed, 300, 5), L = matrix_frame(*state, &seed, (const int[]){20, 10, 2}, 6);
    assert_int_equal(ifd__sparse_pack(*state, &R), IFD_OK); /* entries anywhere: too many diagonals */
    assert_true(R.packed->kind != IFD__PACK_BANDS);
    assert_int_equal(ifd__sparse_pack(*state, &L), IFD_OK); /* too large */
    assert_true(L.packed->kind != IFD__PACK_BANDS);
    assert_int_equal(ifd__sparse_pack_as(*state, &L, IFD__PACK_BANDS, ifd__kernels_best()), IFD_TOO_LARGE);
}

TEST(memory_failing_anywhere_is_reported)
{
    uint64_t seed = 7;
    ifd_sparse A = matrix_frame(*state, &seed, (const int[]){2, 2, 2}, 3), out;
    ifd__triplets one = {.arena = *state};
    ifd__triplet(&one, 0, 0, 1.0);
    ifd_status status[3] = {IFD_NO_MEMORY, IFD_NO_MEMORY, IFD_NO_MEMORY};
    int takes = 0;
    for (int n = 1; status[0] || status[1] || status[2]; n++) {
        ifd_arena *arena = ifd_arena_open();
        ifd_sparse packed = A;
        ifd_arena_fail_at(arena, n);
        status[0] = ifd__sparse_make(arena, 1, &one, true, &out);
        ifd_arena_close(arena);
        ifd_arena_fail_at(arena = ifd_arena_open(), n);
        status[1] = ifd__sparse_add(arena, 1.0, &A, 1.0, &A, &out);
        ifd_arena_close(arena);
        ifd_arena_fail_at(arena = ifd_arena_open(), n);
        status[2] = ifd__sparse_pack(arena, &packed);
        ifd_arena_close(arena);
        for (int k = 0; k < 3; k++)
            assert_true(status[k] == IFD_OK || status[k] == IFD_NO_MEMORY);
        takes = n;
    }
    assert_true(takes > 3);
}

TESTS_WITH(open_arena, close_arena)
