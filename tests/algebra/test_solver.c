/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/kernels.h"
#include "algebra/matrices.h"
#include "algebra/solver.h"

static const char *const names[] = {"plain", "avx2", "avx512"};

static const ifd__solver_kind choleskys[] = {IFD__SOLVER_DENSE_CHOLESKY, IFD__SOLVER_SPARSE};

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

/* Against dpotrf/dpotrs, the difference measured by the condition number that LAPACK estimates. */
static void check_against_lapack(ifd_arena *arena, uint64_t *seed, const ifd_sparse *A, ifd__solver_kind kind,
                                 const ifd__kernels *kernels)
{
    int n = A->n;
    ifd_solver *s;
    assert_int_equal(ifd__solver_make_with(arena, A, kind, kernels, &s, NULL), IFD_OK);
    double *b = ifd_arena_array(arena, (size_t)n, sizeof *b), *y = ifd_arena_array(arena, (size_t)n, sizeof *y);
    matrix_random_vector(seed, n, b);
    memcpy(y, b, (size_t)n * sizeof *y);
    const double *x = solve(arena, s, n, b);
    double error = matrix_backward_error(A, x, b);
    assert_near(error, 0.0, 1e-14, "backward error, n = %d, kind %d, %s", n, kind, kernels->name);
    if (!n)
        return;
    double *full = matrix_full(arena, A), rcond, largest = 0.0;
    double norm = LAPACKE_dlansy(LAPACK_COL_MAJOR, '1', 'L', n, full, n);
    assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, full, n), 0);
    LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', n, 1, full, n, y, n);
    LAPACKE_dpocon(LAPACK_COL_MAJOR, 'L', n, full, n, norm, &rcond);
    for (int i = 0; i < n; i++)
        largest = fabs(y[i]) > largest ? fabs(y[i]) : largest;
    for (int i = 0; i < n; i++)
        assert_near(x[i], y[i], 1e-14 / rcond * largest, "n = %d, row %d, %s", n, i, kernels->name);
}

TEST(random_matrices_are_solved_as_lapack_does)
{
    uint64_t seed = 21;
    for (size_t v = 0; v < COUNT(names); v++) {
        const ifd__kernels *kernels = ifd__kernels_pick(names[v]);
        for (int n = 0; kernels && n <= 65; n++) {
            ifd_sparse A = matrix_spd(*state, &seed, n, n % 6);
            check_against_lapack(*state, &seed, &A, IFD__SOLVER_SPARSE, kernels);
            check_against_lapack(*state, &seed, &A, IFD__SOLVER_DENSE_CHOLESKY, kernels);
            check_against_lapack(*state, &seed, &A, IFD__SOLVER_AUTO, kernels);
        }
        for (int n = 100; kernels && n <= 400; n += 75) {
            ifd_sparse A = matrix_spd(*state, &seed, n, 1 + n % 4);
            check_against_lapack(*state, &seed, &A, IFD__SOLVER_SPARSE, kernels);
            check_against_lapack(*state, &seed, &A, IFD__SOLVER_DENSE_CHOLESKY, kernels);
        }
    }
}

/* Also in two halves, and a matrix that is not positive definite in either part. */
TEST(arrows_are_solved_as_lapack_does)
{
    uint64_t seed = 29;
    for (size_t v = 0; v < COUNT(names); v++) {
        const ifd__kernels *kernels = ifd__kernels_pick(names[v]);
        for (int border = 2; kernels && border <= 16; border++) {
            int n = 64 + 11 * (border % 5);
            ifd_solver *s;
            ifd_sparse A = matrix_arrow(*state, &seed, n, border, border % 3 > 0);
            check_against_lapack(*state, &seed, &A, IFD__SOLVER_AUTO, kernels);
            assert_int_equal(ifd__solver_make_with(*state, &A, IFD__SOLVER_AUTO, kernels, &s, NULL), IFD_OK);
            assert_int_equal(ifd__solver_facts_of(s).kind, IFD__SOLVER_ARROW);
            assert_true(ifd__solver_has_halves(s));
            double *b = ifd_arena_array(*state, (size_t)n, sizeof *b), *y = ifd_arena_array(*state, (size_t)n, 8);
            double *w = ifd_arena_array(*state, ifd__solver_work(s), sizeof *w);
            matrix_random_vector(&seed, n, b);
            ifd__solver_forward(s, b, w);
            double sum = 0.0, energy = 0.0;
            for (int i = 0; i < n; i++)
                sum += ifd__solver_y(s, w)[i] * ifd__solver_z(s, w)[i];
            ifd__solver_backward(s, w, y);
            assert_memory_equal(y, solve(*state, s, n, b), (size_t)n * sizeof *y);
            for (int i = 0; i < n; i++)
                energy += b[i] * y[i];
            assert_near_rel(sum, energy, 1e-12, "y^T z = b^T A^-1 b, border %d", border);
        }
    }
    for (int row = 1; row < 80; row += 70) {
        ifd_sparse A = matrix_arrow(*state, &seed, 80, 5, true);
        ifd_note note;
        ifd_solver *s;
        ifd_note_init(&note, *state);
        A.x[A.p[row]] = row == 1 ? 1e-3 : -1.0;
        assert_int_equal(ifd__solver_make(*state, &A, IFD__SOLVER_AUTO, &s, &note), IFD_NOT_POSITIVE);
        assert_non_null(strstr(note.first->text, row == 1 ? "row 2" : "row 72"));
    }
}

TEST(frames_are_solved_as_lapack_does)
{
    const int grids[][4] = {{4, 1, 10, 3}, {3, 3, 5, 6}, {5, 5, 5, 6}, {6, 1, 40, 3}, {1, 1, 200, 1}, {30, 1, 30, 1}};
    uint64_t seed = 22;
    for (size_t v = 0; v < COUNT(names); v++) {
        const ifd__kernels *kernels = ifd__kernels_pick(names[v]);
        for (size_t g = 0; kernels && g < COUNT(grids); g++) {
            ifd_sparse A = matrix_frame(*state, &seed, grids[g], grids[g][3]);
            check_against_lapack(*state, &seed, &A, IFD__SOLVER_SPARSE, kernels);
        }
    }
}

/* The squares are stored inverted; that must not cost accuracy where the matrix is badly conditioned. */
TEST(a_badly_conditioned_cantilever_keeps_its_backward_error)
{
    uint64_t seed = 23;
    for (int elements = 10; elements <= 640; elements *= 4) {
        ifd_sparse A = matrix_cantilever(*state, &seed, elements);
        for (size_t k = 0; k < COUNT(choleskys); k++) {
            ifd_solver *s;
            double *b = ifd_arena_array(*state, (size_t)A.n, sizeof *b);
            matrix_random_vector(&seed, A.n, b);
            assert_int_equal(ifd__solver_make(*state, &A, choleskys[k], &s, NULL), IFD_OK);
            double error = matrix_backward_error(&A, solve(*state, s, A.n, b), b);
            assert_near(error, 0.0, 1e-14, "%d elements, kind %d", elements, choleskys[k]);
        }
    }
}

TEST(a_large_frame_has_a_small_residual_and_little_padding)
{
    uint64_t seed = 24;
    ifd_sparse A = matrix_frame(*state, &seed, (const int[]){8, 8, 13}, 6);
    ifd_solver *s;
    double *b = ifd_arena_array(*state, (size_t)A.n, sizeof *b);
    matrix_random_vector(&seed, A.n, b);
    assert_int_equal(ifd__solver_make(*state, &A, IFD__SOLVER_AUTO, &s, NULL), IFD_OK);
    ifd__solver_facts f = ifd__solver_facts_of(s);
    assert_int_equal(f.kind, IFD__SOLVER_SPARSE);
    assert_near(matrix_backward_error(&A, solve(*state, s, A.n, b), b), 0.0, 1e-14, "%d dofs", A.n);
    assert_true(f.nonzeros > A.p[A.n] && f.stored > f.nonzeros);
    assert_in_range(f.reads, 2 * f.nonzeros - 2 * A.n, (uintmax_t)(2.2 * (double)f.nonzeros));
    assert_true(f.supernodes > 0 && f.supernodes < A.n);
}

/* Members along the axes couple few of the dofs: ordering by dof alone tears the nodes apart. Labels of uneven nodes
 * (one dof in 13 is uncoupled) must not change the answer. */
TEST(named_blocks_are_kept_and_change_no_answer)
{
    uint64_t seed = 30;
    ifd_sparse A = matrix_frame(*state, &seed, (const int[]){4, 4, 6}, 6);
    for (int j = 0; j < A.n; j++)
        for (int k = A.p[j]; k < A.p[j + 1]; k++)
            if ((A.i[k] - j) % 6 && A.i[k] / 6 != j / 6)
                A.x[k] = 0.0;
    ifd_sparse zero, B;
    zero = matrix_of(*state, A.n, 0, NULL, NULL, NULL, true);
    int *label = ifd_arena_array(*state, (size_t)A.n, sizeof *label);
    for (int i = 1; i < A.n; i++)
        label[i] = label[i - 1] + (i % 6 == 0 || i % 13 == 0);
    for (int i = 0; i < A.n; i++)
        A.x[A.p[i]] += 3.0; /* dropping entries may have cost definiteness */
    A.block = label;
    assert_int_equal(ifd__sparse_add(*state, 1.0, &zero, 1.0, &A, &B), IFD_OK);
    assert_ptr_equal(B.block, label);
    check_against_lapack(*state, &seed, &B, IFD__SOLVER_SPARSE, ifd__kernels_best());
    B.block = NULL;
    check_against_lapack(*state, &seed, &B, IFD__SOLVER_SPARSE, ifd__kernels_best());
}

TEST(auto_picks_by_shape)
{
    uint64_t seed = 25;
    ifd_sparse diagonal = matrix_spd(*state, &seed, 50, 0), small = matrix_spd(*state, &seed, 12, 5);
    ifd_sparse frame = matrix_frame(*state, &seed, (const int[]){4, 1, 10}, 3);
    ifd_sparse other = matrix_unsymmetric(*state, &seed, 20, 2);
    ifd_sparse skewed = matrix_skewed(*state, &seed, &frame, 0.5), full = matrix_unsymmetric(*state, &seed, 130, 90);
    const struct {
        const ifd_sparse *A;
        ifd__solver_kind kind;
    } rows[] = {{&diagonal, IFD__SOLVER_DIAGONAL}, {&small, IFD__SOLVER_DENSE_CHOLESKY},
                {&frame, IFD__SOLVER_SPARSE},      {&other, IFD__SOLVER_DENSE_LU},
                {&skewed, IFD__SOLVER_SPARSE_LU},  {&full, IFD__SOLVER_DENSE_LU}};
    for (size_t c = 0; c < COUNT(rows); c++) {
        ifd_solver *s;
        assert_int_equal(ifd__solver_make(*state, rows[c].A, IFD__SOLVER_AUTO, &s, NULL), IFD_OK);
        assert_int_equal(ifd__solver_facts_of(s).kind, rows[c].kind);
        double *b = ifd_arena_array(*state, (size_t)rows[c].A->n, sizeof *b);
        matrix_random_vector(&seed, rows[c].A->n, b);
        double error = matrix_backward_error(rows[c].A, solve(*state, s, rows[c].A->n, b), b);
        assert_near(error, 0.0, c >= 3 ? 1e-13 : 1e-14, "row %zu", c);
    }
}

/* A frame with one diagonal entry spoilt: the pivot that turns bad is that row's own, or comes later in the order. */
TEST(a_matrix_that_is_not_positive_is_refused_with_its_row)
{
    uint64_t seed = 26;
    const double spoilt[] = {-1e3, (double)NAN, -(double)INFINITY};
    for (size_t k = 0; k < COUNT(choleskys); k++)
        for (size_t v = 0; v < COUNT(spoilt); v++) {
            ifd_sparse A = matrix_frame(*state, &seed, (const int[]){4, 1, 10}, 3);
            A.x[A.p[77]] = spoilt[v];
            ifd_note note;
            ifd_note_init(&note, *state);
            ifd_solver *s = NULL;
            assert_int_equal(ifd__solver_make(*state, &A, choleskys[k], &s, &note), IFD_NOT_POSITIVE);
            assert_null(s);
            assert_int_equal(note.errors, 1);
            assert_non_null(strstr(note.first->text, "row 78"));
        }
    const int index[] = {0, 1, 2};
    ifd_sparse D;
    ifd_note note;
    ifd_solver *s;
    ifd_note_init(&note, *state);
    D = matrix_of(*state, 3, 3, index, index, (const double[]){1, 0, 2}, true);
    assert_int_equal(ifd__solver_make(*state, &D, IFD__SOLVER_AUTO, &s, &note), IFD_NOT_POSITIVE);
    assert_non_null(strstr(note.first->text, "row 2"));
}

static ifd_sparse bidiagonal(ifd_arena *arena, int n)
{
    ifd_sparse A;
    ifd__triplets t = {.arena = arena};
    for (int i = 0; i < n; i++) {
        ifd__triplet(&t, i, i, 2.0);
        if (i)
            ifd__triplet(&t, i, i - 1, -1.0);
    }
    assert_int_equal(ifd__sparse_make(arena, n, &t, false, &A), IFD_OK);
    return A;
}

/* x_i = (1 + x_(i-1)) / 2. */
TEST(large_unsymmetric_matrix_is_solved)
{
    enum { SIZE = 900 };
    ifd_sparse A = bidiagonal(*state, SIZE);
    ifd_solver *s;
    double x[SIZE], expected = 0.0, *w;
    assert_int_equal(ifd__solver_make(*state, &A, IFD__SOLVER_AUTO, &s, NULL), IFD_OK);
    for (int i = 0; i < SIZE; i++)
        x[i] = 1.0;
    w = ifd_arena_array(*state, ifd__solver_work(s), sizeof *w);
    ifd__solver_solve(s, x, w);
    for (int i = 0; i < SIZE; i++) {
        expected = 0.5 * (1.0 + expected);
        assert_near(x[i], expected, 1e-15, "unknown %d", i);
    }
}

TEST(singular_and_mismatched_matrices_are_refused)
{
    ifd_sparse A;
    ifd_solver *s;
    const int row[] = {0, 0, 1, 1}, column[] = {0, 1, 0, 1};
    A = matrix_of(*state, 2, 4, row, column, (const double[]){1, 2, 2, 4}, false);
    assert_int_equal(ifd__solver_make(*state, &A, IFD__SOLVER_AUTO, &s, NULL), IFD_SINGULAR);
    assert_int_equal(ifd__solver_make(*state, &A, IFD__SOLVER_SPARSE, &s, NULL), IFD_NOT_SYMMETRIC);
    assert_int_equal(ifd__solver_make(*state, &A, IFD__SOLVER_DIAGONAL, &s, NULL), IFD_UNSUPPORTED);
    A = matrix_of(*state, 2, 0, NULL, NULL, NULL, false);
    assert_int_equal(ifd__solver_make(*state, &A, IFD__SOLVER_AUTO, &s, NULL), IFD_SINGULAR);
}

TEST(no_unknowns_and_one_unknown_are_solved)
{
    ifd_sparse A;
    const int zero = 0;
    const double four = 4.0;
    for (int kind = IFD__SOLVER_AUTO; kind <= IFD__SOLVER_SPARSE; kind++) {
        ifd_solver *s;
        A = matrix_of(*state, 0, 0, NULL, NULL, NULL, true);
        assert_int_equal(ifd__solver_make(*state, &A, (ifd__solver_kind)kind, &s, NULL), IFD_OK);
        solve(*state, s, 0, &four);
        A = matrix_of(*state, 1, 1, &zero, &zero, &four, true);
        assert_int_equal(ifd__solver_make(*state, &A, (ifd__solver_kind)kind, &s, NULL), IFD_OK);
        assert_near(solve(*state, s, 1, &four)[0], 1.0, 1e-15, "kind %d", kind);
    }
}

/* Any number of columns, every variant of the kernels, small, dense and divided factors. */
TEST(blocks_of_columns_are_solved_as_single_ones)
{
    uint64_t seed = 33;
    ifd_arena *arena = *state;
    const ifd_sparse some[] = {
        matrix_frame(arena, &seed, (const int[]){8, 8, 14}, 6), matrix_spd(arena, &seed, 33, 9),
        matrix_frame(arena, &seed, (const int[]){9, 1, 12}, 3), matrix_spd(arena, &seed, 9, 0)};
    for (size_t c = 0; c < COUNT(some); c++)
        for (size_t k = 0; k < COUNT(names); k++) {
            const ifd__kernels *kernels = ifd__kernels_pick(names[k]);
            ifd_solver *s;
            int n = some[c].n, count = 1 + 7 * (int)k;
            if (!kernels)
                continue;
            assert_int_equal(ifd__solver_make_with(arena, &some[c], IFD__SOLVER_AUTO, kernels, &s, NULL), IFD_OK);
            double *B = ifd_arena_array(arena, (size_t)(n * count), sizeof *B);
            double *X = ifd_arena_array(arena, (size_t)(n * count), sizeof *X);
            double *w = ifd_arena_array(arena, ifd__solver_block_work(s), sizeof *w);
            matrix_random_vector(&seed, n * count, B);
            memcpy(X, B, (size_t)(n * count) * sizeof *X);
            ifd__solver_solve_block(s, count, X, w);
            for (int j = 0; j < count; j++)
                assert_near(matrix_backward_error(&some[c], X + (ptrdiff_t)j * n, B + (ptrdiff_t)j * n), 0.0, 1e-14,
                            "matrix %zu, %s, column %d", c, names[k], j);
        }
}

TEST(the_same_matrix_gives_the_same_bits)
{
    uint64_t seed = 28;
    ifd_sparse A = matrix_frame(*state, &seed, (const int[]){5, 5, 8}, 6);
    double *b = ifd_arena_array(*state, (size_t)A.n, sizeof *b);
    matrix_random_vector(&seed, A.n, b);
    const double *first = NULL;
    for (int k = 0; k < 3; k++) {
        ifd_solver *s;
        assert_int_equal(ifd__solver_make(*state, &A, IFD__SOLVER_AUTO, &s, NULL), IFD_OK);
        const double *x = solve(*state, s, A.n, b);
        if (first)
            assert_memory_equal(x, first, (size_t)A.n * sizeof *x);
        first = x;
    }
}

TEST(memory_failing_anywhere_is_reported)
{
    uint64_t seed = 29;
    ifd_sparse sparse = matrix_frame(*state, &seed, (const int[]){4, 1, 10}, 3);
    ifd_sparse other = matrix_unsymmetric(*state, &seed, 20, 2), diagonal = matrix_spd(*state, &seed, 9, 0);
    ifd_sparse skewed = matrix_skewed(*state, &seed, &sparse, 0.5);
    const ifd_sparse *matrices[] = {&sparse, &other, &diagonal, &skewed};
    for (size_t k = 0; k < 2 * COUNT(matrices); k++) {
        size_t c = k / 2;
        bool changes = k % 2;
        int failures = 0;
        for (ifd_status status = IFD_NO_MEMORY; status != IFD_OK; failures++) {
            ifd_arena *arena = ifd_arena_open();
            ifd_note note;
            ifd_solver *s = NULL;
            ifd_note_init(&note, arena);
            ifd_arena_fail_at(arena, failures + 1);
            status = changes ? ifd__solver_make_changing(arena, matrices[c], &s, &note)
                             : ifd__solver_make(arena, matrices[c], IFD__SOLVER_AUTO, &s, &note);
            assert_true(status == IFD_OK || status == IFD_NO_MEMORY);
            assert_true((status == IFD_OK) == (s != NULL));
            ifd_arena_close(arena);
        }
        assert_true(failures > 2);
    }
}

TESTS_WITH(open_arena, close_arena)
