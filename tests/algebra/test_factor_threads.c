/* SPDX-License-Identifier: MIT */
/* The factor does not depend on the number of threads, bit by bit, nor does the report of a bad matrix. */
#include "check.h"

#include <string.h>

#include "algebra/factor.h"
#include "algebra/matrices.h"
#include "algebra/symbolic.h"

/* A: of the pattern, or unsymmetric with it. */
static int factor(ifd_arena *arena, const ifd_sparse *pattern, const ifd_sparse *A, int threads, ifd__factor *F)
{
    const ifd__symbolic *symbolic;
    int bad = -2;
    assert_int_equal(ifd__symbolic_make(arena, pattern, IFD__SOLVER_SPARSE, &symbolic), IFD_OK);
    assert_int_equal(ifd__factor_plan(arena, arena, &symbolic->S, ifd__kernels_best(), !A->symmetric, F), IFD_OK);
    assert_int_equal(ifd__factor_work_make(arena, F, &F->work), IFD_OK);
    assert_int_equal(ifd__factor_places(arena, A, F), IFD_OK);
    assert_int_equal(ifd__factor_numbers_by(arena, threads, F, A->x, &bad), IFD_OK);
    return bad;
}

TEST(any_number_of_threads_gives_the_same_bits)
{
    uint64_t seed = 51;
    ifd_arena *arena = ifd_arena_open();
    const ifd_sparse some[] = {matrix_frame(arena, &seed, (const int[]){7, 7, 12}, 6),
                               matrix_frame(arena, &seed, (const int[]){40, 1, 50}, 3),
                               matrix_spd(arena, &seed, 500, 4), matrix_spd(arena, &seed, 150, 100)};
    for (size_t c = 0; c < COUNT(some); c++) {
        const ifd_sparse skewed = matrix_skewed(arena, &seed, &some[c], 0.5), *both[] = {&some[c], &skewed};
        for (int k = 0; k < 2; k++) {
            ifd__factor one, many;
            assert_int_equal(factor(arena, &some[c], both[k], 1, &one), -1);
            for (int threads = 2; threads <= 5; threads++) {
                assert_int_equal(factor(arena, &some[c], both[k], threads, &many), -1);
                assert_memory_equal(one.P.below, many.P.below, one.numbers[1] * sizeof(double));
                assert_memory_equal(one.P.square, many.P.square, one.numbers[0] * sizeof(double));
            }
        }
    }
    ifd_arena_close(arena);
}

TEST(a_bad_pivot_is_found_on_every_thread)
{
    uint64_t seed = 52;
    ifd_arena *arena = ifd_arena_open();
    ifd_sparse A = matrix_frame(arena, &seed, (const int[]){6, 6, 8}, 6);
    for (int k = 0; k < 8; k++) {
        int row = (A.n - 1) * k / 7;
        double before = A.x[A.p[row]];
        ifd__factor F;
        A.x[A.p[row]] = -1.0;
        for (int threads = 1; threads <= 4; threads++)
            assert_true(factor(arena, &A, &A, threads, &F) >= 0);
        A.x[A.p[row]] = before;
    }
    ifd_arena_close(arena);
}

TESTS()
