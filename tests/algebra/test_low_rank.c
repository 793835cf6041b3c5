/* SPDX-License-Identifier: MIT */
/* Matrices with a part of low rank: entries, products, sums and solutions against the full matrix of LAPACK. */
#include "check.h"

#include <lapacke.h>
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

static ifd_sparse with_low_rank(ifd_arena *arena, uint64_t *seed, ifd_sparse A, int rank)
{
    double *Z = ifd_arena_array(arena, (size_t)A.n * (size_t)rank, sizeof *Z);
    matrix_random_vector(seed, A.n * rank, Z);
    A.rank = rank;
    A.Z = Z;
    A.weight = 0.7;
    return A;
}

/* A + weight Z Z^T by its definition. */
static double *full(ifd_arena *arena, const ifd_sparse *A)
{
    size_t n = (size_t)A->n;
    ifd_sparse plain = *A;
    plain.rank = 0;
    double *a = ifd_arena_array(arena, n * n, sizeof *a);
    ifd__sparse_fill(&plain, a);
    for (size_t k = 0; k < (size_t)A->rank; k++)
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++)
                a[i + j * n] += A->weight * A->Z[i + k * n] * A->Z[j + k * n];
    return a;
}

static void check(ifd_arena *arena, uint64_t *seed, const ifd_sparse *A, const ifd_solver *s, const char *what)
{
    enum { COLUMNS = 11 };
    size_t n = (size_t)A->n;
    double *a = full(arena, A), *b = ifd_arena_array(arena, n * COLUMNS, sizeof *b);
    double *x = ifd_arena_array(arena, n * COLUMNS, sizeof *x), *y = ifd_arena_array(arena, n, sizeof *y);
    double *w = ifd_arena_array(arena, ifd__solver_block_work(s), sizeof *w);
    matrix_random_vector(seed, A->n * COLUMNS, b);
    ifd__sparse_mul_add(A, -0.5, b, y);
    for (int i = 0; i < A->n; i++) {
        double sum = 0.0, size = 0.0;
        for (size_t j = 0; j < n; j++) {
            sum -= 0.5 * a[(size_t)i + j * n] * b[j];
            size += fabs(a[(size_t)i + j * n] * b[j]);
        }
        assert_near(y[i], sum, 1e-13 * size, "%s: row %d of a product", what, i);
        assert_near(ifd__sparse_get(A, i, A->n - 1), a[(size_t)i + (n - 1) * n], 1e-13 * size, "%s: entry", what);
    }
    memcpy(x, b, n * COLUMNS * sizeof *x);
    ifd__solver_solve_block(s, COLUMNS, x, w);
    memcpy(y, b, n * sizeof *y);
    ifd__solver_solve(s, y, w);
    assert_int_equal(LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', A->n, COLUMNS, a, A->n, b, A->n), 0);
    for (size_t i = 0; i < n * COLUMNS; i++)
        assert_near(x[i], b[i], 1e-9, "%s: number %zu of solutions", what, i);
    for (size_t i = 0; i < n; i++)
        assert_near(y[i], b[i], 1e-9, "%s: number %zu of one solution", what, i);
}

TEST_IN_ARENA(solutions_contain_the_part_of_low_rank)
{
    ifd_arena *arena = *state;
    uint64_t seed = 7;
    const ifd_sparse plain[] = {matrix_spd(arena, &seed, 30, 3), matrix_spd(arena, &seed, 300, 4),
                                matrix_arrow(arena, &seed, 80, 5, true), matrix_arrow(arena, &seed, 40, 0, false)};
    for (size_t k = 0; k < COUNT(plain); k++)
        for (int rank = 1; rank <= 17; rank += 8) {
            ifd_solver *s;
            ifd_sparse A = with_low_rank(arena, &seed, plain[k], rank);
            assert_int_equal(ifd__solver_make(arena, &A, IFD__SOLVER_AUTO, &s, NULL), IFD_OK);
            assert_false(ifd__solver_has_halves(s));
            check(arena, &seed, &A, s, "solver");
            ifd_sparse sum, none;
            assert_int_equal(ifd__sparse_add(arena, 2.0, &plain[k], 3.0, &A, &sum), IFD_OK);
            assert_near(sum.weight, 2.1, 1e-15, "weight");
            assert_int_equal(ifd__solver_make(arena, &sum, IFD__SOLVER_AUTO, &s, NULL), IFD_OK);
            check(arena, &seed, &sum, s, "sum");
            assert_int_equal(ifd__sparse_add(arena, 1.0, &plain[k], 0.0, &A, &none), IFD_OK);
            assert_int_equal(none.rank, 0);
        }
}

TEST_IN_ARENA(a_changed_matrix_keeps_its_part_of_low_rank)
{
    ifd_arena *arena = *state;
    uint64_t seed = 11;
    ifd_solver *s;
    ifd_sparse A = with_low_rank(arena, &seed, matrix_spd(arena, &seed, 200, 4), 6), B = A;
    assert_int_equal(ifd__solver_make_changing(arena, &A, &s, NULL), IFD_OK);
    check(arena, &seed, &A, s, "first");
    B.packed = NULL;
    B.x = ifd_arena_array(arena, (size_t)A.p[A.n], sizeof *B.x);
    for (int k = 0; k < A.p[A.n]; k++)
        B.x[k] = 2.5 * A.x[k];
    assert_true(ifd__solver_refactor(s, B.x));
    check(arena, &seed, &B, s, "changed");
}

TESTS()
