/* SPDX-License-Identifier: MIT */
/* A factorisation with new values, as a nonlinear step makes it, allocates nothing, for every kind of solver. */
#include "check.h"

#include "algebra/matrices.h"
#include "algebra/solver.h"
#include "alloc_count.h"

TEST(a_new_factor_takes_no_memory)
{
    uint64_t seed = 41;
    ifd_arena *arena = ifd_arena_open();
    const ifd_sparse frame = matrix_frame(arena, &seed, (const int[]){4, 4, 6}, 6);
    const ifd_sparse some[] = {matrix_frame(arena, &seed, (const int[]){6, 6, 9}, 6),
                               matrix_skewed(arena, &seed, &frame, 0.5), matrix_spd(arena, &seed, 40, 20),
                               matrix_spd(arena, &seed, 9, 0), matrix_unsymmetric(arena, &seed, 30, 3)};
    for (size_t c = 0; c < COUNT(some); c++) {
        ifd_solver *s;
        assert_int_equal(ifd__solver_make_changing(arena, &some[c], &s, NULL), IFD_OK);
        double *x = ifd_arena_array(arena, (size_t)some[c].n, sizeof *x);
        double *w = ifd_arena_array(arena, ifd__solver_work(s), sizeof *w);
        x[0] = 1.0;
        alloc_arm();
        bool good = ifd__solver_refactor(s, some[c].x);
        ifd__solver_solve(s, x, w);
        assert_int_equal(alloc_disarm(), 0);
        assert_true(good);
    }
    assert_int_equal(alloc_elsewhere(), 0);
    ifd_arena_close(arena);
}

TESTS()
