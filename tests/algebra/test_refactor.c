/* SPDX-License-Identifier: MIT */
/* New numbers in an existing factor: those of a new solver, bit by bit, and a small residual. */
#include "check.h"

#include <string.h>

#include "algebra/matrices.h"
#include "algebra/solver.h"

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

static double *solve(ifd_arena *arena, const ifd_solver *s, int n, const double *b)
{
    double *x = ifd_arena_array(arena, (size_t)n, sizeof *x);
    memcpy(x, b, (size_t)n * sizeof *x);
    ifd__solver_solve(s, x, ifd_arena_array(arena, ifd__solver_work(s), sizeof *x));
    return x;
}

/* A diagonal that is larger by a random part of itself. */
static ifd_sparse changed(ifd_arena *arena, uint64_t *seed, const ifd_sparse *A)
{
    ifd_sparse B = *A;
    B.x = ifd_arena_array(arena, (size_t)A->p[A->n], sizeof *B.x);
    memcpy(B.x, A->x, (size_t)A->p[A->n] * sizeof *B.x);
    for (int j = 0; j < A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++)
            if (A->i[k] == j)
                B.x[k] *= 1.5 + 0.5 * matrix_random(seed);
    return B;
}

static void check(ifd_arena *arena, uint64_t *seed, const ifd_sparse *A)
{
    ifd_solver *changing, *fresh;
    assert_int_equal(ifd__solver_make_changing(arena, A, &changing, NULL), IFD_OK);
    double *b = ifd_arena_array(arena, (size_t)A->n, sizeof *b);
    matrix_random_vector(seed, A->n, b);
    for (int round = 0; round < 3; round++) {
        ifd_sparse B = round == 2 ? *A : changed(arena, seed, A);
        assert_true(ifd__solver_refactor(changing, B.x));
        assert_int_equal(ifd__solver_make(arena, &B, IFD__SOLVER_AUTO, &fresh, NULL), IFD_OK);
        const double *x = solve(arena, changing, A->n, b), *y = solve(arena, fresh, A->n, b);
        assert_memory_equal(x, y, (size_t)A->n * sizeof *x);
        assert_near(matrix_backward_error(&B, x, b), 0.0, 1e-14, "n = %d, round %d", A->n, round);
    }
}

TEST(new_values_give_the_factor_of_a_new_solver)
{
    uint64_t seed = 31;
    ifd_arena *arena = *state;
    const ifd_sparse frame = matrix_frame(arena, &seed, (const int[]){5, 5, 8}, 6);
    const ifd_sparse some[] = {frame,
                               matrix_skewed(arena, &seed, &frame, 0.5),
                               matrix_unsymmetric(arena, &seed, 400, 1),
                               matrix_frame(arena, &seed, (const int[]){30, 1, 40}, 3),
                               matrix_spd(arena, &seed, 300, 3),
                               matrix_spd(arena, &seed, 70, 60),
                               matrix_spd(arena, &seed, 1, 0),
                               matrix_spd(arena, &seed, 12, 0),
                               matrix_unsymmetric(arena, &seed, 40, 3)};
    for (size_t c = 0; c < COUNT(some); c++)
        check(arena, &seed, &some[c]);
}

/* A failed factorisation leaves nothing behind. */
TEST(a_matrix_that_is_not_positive_is_reported_and_the_next_one_is_factored)
{
    uint64_t seed = 32;
    ifd_sparse A = matrix_frame(*state, &seed, (const int[]){4, 4, 6}, 6), bad = changed(*state, &seed, &A);
    ifd_solver *s, *fresh;
    double *b = ifd_arena_array(*state, (size_t)A.n, sizeof *b);
    matrix_random_vector(&seed, A.n, b);
    assert_int_equal(ifd__solver_make_changing(*state, &A, &s, NULL), IFD_OK);
    assert_int_equal(ifd__solver_make(*state, &A, IFD__SOLVER_AUTO, &fresh, NULL), IFD_OK);
    bad.x[bad.p[A.n / 2]] = -1.0;
    assert_false(ifd__solver_refactor(s, bad.x));
    bad.x[bad.p[A.n / 2]] = (double)NAN;
    assert_false(ifd__solver_refactor(s, bad.x));
    assert_true(ifd__solver_refactor(s, A.x));
    assert_memory_equal(solve(*state, s, A.n, b), solve(*state, fresh, A.n, b), (size_t)A.n * sizeof *b);
    ifd_sparse D = matrix_spd(*state, &seed, 5, 0), U = matrix_unsymmetric(*state, &seed, 6, 1);
    double values[5] = {1.0, 2.0, 0.0, 1.0, 1.0}, *zero = ifd_arena_array(*state, (size_t)U.p[6], sizeof *zero);
    assert_int_equal(ifd__solver_make_changing(*state, &D, &s, NULL), IFD_OK);
    assert_false(ifd__solver_refactor(s, values));
    assert_int_equal(ifd__solver_make_changing(*state, &U, &s, NULL), IFD_OK);
    assert_false(ifd__solver_refactor(s, zero));
}

TESTS_WITH(open_arena, close_arena)
