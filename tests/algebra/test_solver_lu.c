/* SPDX-License-Identifier: MIT */
/* The sparse factor of an unsymmetric matrix: against LAPACK, with pivots to be exchanged, and its refusals. */
#include "check.h"

#include <lapacke.h>
#include <string.h>

#include "algebra/factors.h"
#include "algebra/kernels.h"
#include "algebra/matrices.h"
#include "algebra/solver.h"

static const char *const names[] = {"plain", "avx2", "avx512"};

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

/* Against dgesv; the difference is measured by the condition number that LAPACK estimates. */
static void compare(ifd_arena *arena, const ifd_sparse *A, const double *x, double *b)
{
    int n = A->n, pivot[800];
    double *full = matrix_full(arena, A), rcond, largest = 0.0;
    assert_true(n <= (int)COUNT(pivot));
    double norm = LAPACKE_dlange(LAPACK_COL_MAJOR, '1', n, n, full, n);
    assert_int_equal(LAPACKE_dgesv(LAPACK_COL_MAJOR, n, 1, full, n, pivot, b, n), 0);
    LAPACKE_dgecon(LAPACK_COL_MAJOR, '1', n, full, n, norm, &rcond);
    for (int i = 0; i < n; i++)
        largest = fabs(b[i]) > largest ? fabs(b[i]) : largest;
    for (int i = 0; i < n; i++)
        assert_near(x[i], b[i], 1e-13 / rcond * largest, "n = %d, row %d", n, i);
}

static void check(ifd_arena *arena, uint64_t *seed, const ifd_sparse *A, const ifd__kernels *kernels)
{
    ifd_solver *s;
    assert_int_equal(ifd__solver_make_with(arena, A, IFD__SOLVER_SPARSE_LU, kernels, &s, NULL), IFD_OK);
    assert_int_equal(ifd__solver_facts_of(s).kind, IFD__SOLVER_SPARSE_LU);
    assert_false(ifd__solver_has_halves(s));
    double *b = ifd_arena_array(arena, (size_t)A->n, sizeof *b);
    matrix_random_vector(seed, A->n, b);
    const double *x = solve(arena, s, A->n, b);
    assert_near(matrix_backward_error(A, x, b), 0.0, 1e-13, "backward error, n = %d, %s", A->n, kernels->name);
    compare(arena, A, x, b);
}

TEST(random_patterns_are_solved_as_lapack_does)
{
    uint64_t seed = 71;
    for (size_t v = 0; v < COUNT(names); v++) {
        const ifd__kernels *kernels = ifd__kernels_pick(names[v]);
        for (int n = 1; kernels && n <= (BRIEF ? 40 : 60); n += BRIEF ? 3 : 1) {
            ifd_sparse spd = matrix_spd(*state, &seed, n, n % 6), A = matrix_skewed(*state, &seed, &spd, 2.0);
            check(*state, &seed, &A, kernels);
            A = matrix_unsymmetric(*state, &seed, n, n % 3); /* one side of a pair only; parts without a link */
            check(*state, &seed, &A, kernels);
        }
    }
}

TEST(frames_with_gyroscopic_terms_are_solved_as_lapack_does)
{
    uint64_t seed = 72;
    static const int grid[][3] = {{4, 1, 9}, {5, 5, 4}, {2, 2, 25}};
    for (size_t v = 0; v < COUNT(names); v++) {
        const ifd__kernels *kernels = ifd__kernels_pick(names[v]);
        for (size_t g = 0; kernels && g < COUNT(grid); g++)
            for (int k = 0; k < 2; k++) {
                ifd_sparse S = matrix_frame(*state, &seed, grid[g], 6);
                ifd_sparse A = matrix_skewed(*state, &seed, &S, k ? 5.0 : 0.1);
                check(*state, &seed, &A, kernels);
            }
    }
}

/* Nodes of two dofs with no diagonal, [0 a; -b 0], in a chain: every pivot is found by an exchange in its block. */
static ifd_sparse rotors(ifd_arena *arena, uint64_t *seed, int nodes)
{
    ifd__triplets t = {.arena = arena};
    ifd_sparse A;
    int *label = ifd_arena_array(arena, (size_t)(2 * nodes), sizeof *label);
    for (int k = 0; k < nodes; k++) {
        label[2 * k] = label[2 * k + 1] = k;
        ifd__triplet(&t, 2 * k, 2 * k + 1, 4.0 + matrix_random(seed));
        ifd__triplet(&t, 2 * k + 1, 2 * k, -4.0 + matrix_random(seed));
        for (int i = 0; k && i < 4; i++) {
            ifd__triplet(&t, 2 * k + i / 2, 2 * k - 2 + i % 2, matrix_random(seed));
            ifd__triplet(&t, 2 * k - 2 + i % 2, 2 * k + i / 2, matrix_random(seed));
        }
    }
    assert_int_equal(ifd__sparse_make(arena, 2 * nodes, &t, false, &A), IFD_OK);
    A.block = label;
    return A;
}

TEST(zeros_on_the_diagonal_are_exchanged_inside_a_block)
{
    uint64_t seed = 73;
    ifd_sparse A = rotors(*state, &seed, 300);
    assert_near(ifd__sparse_get(&A, 77, 77), 0.0, 0.0, "diagonal");
    check(*state, &seed, &A, ifd__kernels_best());
}

/* A ring: d on the diagonal, 2 beside it. With d = 0 no exchange inside a part of the ring gives a pivot; with
 * d = 1/2 the pivots are such that errors grow along the ring. */
static ifd_sparse ring(ifd_arena *arena, int n, double d)
{
    ifd__triplets t = {.arena = arena};
    ifd_sparse A;
    for (int i = 0; i < n; i++) {
        ifd__triplet(&t, i, i, d);
        ifd__triplet(&t, i, (i + 1) % n, 2.0);
    }
    assert_int_equal(ifd__sparse_make(arena, n, &t, false, &A), IFD_OK);
    return A;
}

static void refused(ifd_arena *arena, const ifd_sparse *A, const char *text)
{
    ifd_note note;
    ifd_solver *s = NULL;
    ifd_note_init(&note, arena);
    assert_int_equal(ifd__solver_make(arena, A, IFD__SOLVER_SPARSE_LU, &s, &note), IFD_SINGULAR);
    assert_null(s);
    assert_int_equal(note.errors, 1);
    if (!strstr(note.first->text, text))
        fail_msg("'%s' without '%s'", note.first->text, text);
}

/* Pivots that only rows elsewhere could replace: AUTO takes the full factor, and its answer is right. */
static void check_full_instead(ifd_arena *arena, uint64_t *seed, const ifd_sparse *A, const char *text)
{
    ifd_note note;
    ifd_solver *s;
    refused(arena, A, text);
    ifd_note_init(&note, arena);
    assert_int_equal(ifd__solver_make(arena, A, IFD__SOLVER_AUTO, &s, &note), IFD_OK);
    assert_int_equal(ifd__solver_facts_of(s).kind, IFD__SOLVER_DENSE_LU);
    assert_int_equal(note.remark_first != NULL, A->n > 500);
    if (note.remark_first)
        assert_non_null(strstr(note.remark_first->text, text));
    double *b = ifd_arena_array(arena, (size_t)A->n, sizeof *b);
    matrix_random_vector(seed, A->n, b);
    const double *x = solve(arena, s, A->n, b);
    assert_near(matrix_backward_error(A, x, b), 0.0, 1e-13, "n = %d", A->n);
    compare(arena, A, x, b);
}

TEST(pivots_in_other_rows_need_the_full_factor)
{
    uint64_t seed = 74;
    static const int size[] = {120, 500, 501};
    for (size_t k = 0; k < COUNT(size); k++) {
        ifd_sparse good = ring(*state, size[k], 3.0);
        ifd_sparse zero = ring(*state, size[k], 0.0), grows = ring(*state, size[k], 0.5);
        check(*state, &seed, &good, ifd__kernels_best());
        check_full_instead(*state, &seed, &zero, "no pivot in row ");
        check_full_instead(*state, &seed, &grows, "has a backward error of ");
    }
}

/* Backward error of the solution of A y for random y. */
static double error_of_motion(ifd_arena *arena, uint64_t *seed, const ifd_sparse *A, const ifd_solver *s)
{
    double *y = ifd_arena_array(arena, (size_t)A->n, sizeof *y), *b = ifd_arena_array(arena, (size_t)A->n, sizeof *b);
    matrix_random_vector(seed, A->n, y);
    for (int j = 0; j < A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++)
            b[A->i[k]] += A->x[k] * y[j];
    return matrix_backward_error(A, solve(arena, s, A->n, b), b);
}

/* The response of a slender beam to a random load is one large deflection, which hides errors of all other motions:
 * the sparse factor of that of 200 elements has an error of 1e-9 for a random motion. */
TEST(a_large_deflection_hides_no_error)
{
    uint64_t seed = 78;
    static const int elements[] = {60, 200, 400};
    for (size_t k = 0; k < COUNT(elements); k++)
        for (double skew = 1e3; skew < 1e8; skew *= 1e2) {
            ifd_sparse S = matrix_cantilever(*state, &seed, elements[k]);
            ifd_sparse A = matrix_skewed(*state, &seed, &S, skew);
            ifd_solver *s;
            assert_int_equal(ifd__solver_make(*state, &A, IFD__SOLVER_AUTO, &s, NULL), IFD_OK);
            assert_near(error_of_motion(*state, &seed, &A, s), 0.0, 1e-10, "%d elements, skew part %g", elements[k],
                        skew);
        }
}

/* Of b - A x, with the part of low rank. */
static double residual(const ifd_sparse *A, const double *x, const double *b)
{
    double worst = 0.0;
    for (int i = 0; i < A->n; i++) {
        double r = b[i];
        for (int j = 0; j < A->n; j++)
            r -= ifd__sparse_get(A, i, j) * x[j];
        worst = fmax(worst, fabs(r));
    }
    return worst;
}

/* A part of low rank is counted once, in a sparse and in a full factor, also after the numbers have changed. */
TEST(a_part_of_low_rank_is_counted_once)
{
    enum { RANK = 2, MOST = 150 };
    uint64_t seed = 79;
    for (int size = 60; size <= MOST; size += 90) {
        ifd_sparse A = ring(*state, size, 3.0);
        ifd_solver *s, *other;
        double Z[RANK * MOST], b[MOST];
        matrix_random_vector(&seed, RANK * size, Z);
        matrix_random_vector(&seed, size, b);
        A.rank = RANK;
        A.Z = Z;
        A.weight = 0.7;
        assert_int_equal(ifd__solver_make_changing(*state, &A, &s, NULL), IFD_OK);
        assert_int_equal(ifd__solver_facts_of(s).kind, size > 100 ? IFD__SOLVER_SPARSE_LU : IFD__SOLVER_DENSE_LU);
        assert_near(residual(&A, solve(*state, s, size, b), b), 0.0, 1e-13, "n = %d", size);
        for (int k = 0; k < A.p[size]; k++)
            A.x[k] += 0.1 * matrix_random(&seed);
        assert_true(ifd__solver_refactor(s, A.x));
        assert_near(residual(&A, solve(*state, s, size, b), b), 0.0, 1e-13, "n = %d, again", size);
        for (int k = 0; k < 2; k++) {
            ifd__solver_kind kind = k ? IFD__SOLVER_SPARSE_LU : IFD__SOLVER_DENSE_LU;
            assert_int_equal(ifd__solver_make(*state, &A, kind, &other, NULL), IFD_OK);
            assert_near(residual(&A, solve(*state, other, size, b), b), 0.0, 1e-13, "n = %d, kind %d", size, k);
        }
    }
}

TEST(small_matrices_have_the_full_factor)
{
    for (int size = 100; size <= 101; size++) {
        ifd_sparse A = ring(*state, size, 3.0);
        ifd_solver *s;
        assert_int_equal(ifd__solver_make(*state, &A, IFD__SOLVER_AUTO, &s, NULL), IFD_OK);
        assert_int_equal(ifd__solver_facts_of(s).kind, size > 100 ? IFD__SOLVER_SPARSE_LU : IFD__SOLVER_DENSE_LU);
        assert_int_equal(ifd__solver_make_changing(*state, &A, &s, NULL), IFD_OK);
        assert_int_equal(ifd__solver_facts_of(s).kind, size > 100 ? IFD__SOLVER_SPARSE_LU : IFD__SOLVER_DENSE_LU);
    }
}

TEST(a_full_factor_without_room_is_refused_with_the_reason)
{
    ifd_note note;
    ifd_solver *s;
    ifd_sparse A = ring(*state, 400000, 0.0);
    ifd_note_init(&note, *state);
    assert_int_equal(ifd__solver_make(*state, &A, IFD__SOLVER_AUTO, &s, &note), IFD_NO_MEMORY);
    assert_non_null(strstr(note.first->text, "needs 1.28e+03 GB of memory"));
    assert_non_null(strstr(note.first->hint, "its sparse factor has no pivot in row "));
}

TEST(bad_matrices_are_refused)
{
    const double bad[] = {(double)NAN, (double)INFINITY};
    for (int size = 20; size <= 600; size += 580)
        for (size_t k = 0; k < COUNT(bad); k++) {
            ifd_solver *s = NULL;
            ifd_sparse A = ring(*state, size, 3.0);
            A.x[A.p[11] + 1] = bad[k]; /* the diagonal */
            refused(*state, &A, "number in row 12 that is not finite");
            assert_int_equal(ifd__solver_make(*state, &A, IFD__SOLVER_AUTO, &s, NULL), IFD_SINGULAR);
            A = ring(*state, size, 3.0);
            for (int j = 10; j <= 12; j++) /* an empty row and column */
                for (int q = A.p[j]; q < A.p[j + 1]; q++)
                    if (j == 11 || A.i[q] == 11)
                        A.x[q] = 0.0;
            refused(*state, &A, "no pivot in row 12");
            assert_int_equal(ifd__solver_make(*state, &A, IFD__SOLVER_AUTO, &s, NULL), IFD_SINGULAR);
            assert_null(s);
        }
}

/* One that fails the test in between leaves nothing behind. */
TEST(a_changing_matrix_is_tested_every_time)
{
    enum { SIZE = 300 };
    ifd_sparse good = ring(*state, SIZE, 3.0), grows = ring(*state, SIZE, 0.5);
    ifd_sparse zero = ring(*state, SIZE, 0.0);
    ifd_solver *s, *fresh;
    double b[SIZE];
    uint64_t seed = 75;
    matrix_random_vector(&seed, SIZE, b);
    assert_int_equal(ifd__solver_make_changing(*state, &good, &s, NULL), IFD_OK);
    assert_int_equal(ifd__solver_facts_of(s).kind, IFD__SOLVER_SPARSE_LU);
    assert_int_equal(ifd__solver_make(*state, &good, IFD__SOLVER_AUTO, &fresh, NULL), IFD_OK);
    assert_false(ifd__solver_refactor(s, grows.x));
    assert_false(ifd__solver_refactor(s, zero.x));
    for (int k = 0; k < good.p[SIZE]; k += 37) {
        double before = good.x[k];
        good.x[k] = (double)NAN;
        assert_false(ifd__solver_refactor(s, good.x));
        good.x[k] = before;
    }
    assert_true(ifd__solver_refactor(s, good.x));
    assert_memory_equal(solve(*state, s, SIZE, b), solve(*state, fresh, SIZE, b), sizeof b);
}

TEST(several_right_hand_sides_are_solved_together)
{
    enum { COLUMNS = 11 };
    uint64_t seed = 76;
    ifd_sparse S = matrix_frame(*state, &seed, (const int[]){4, 3, 6}, 6);
    ifd_sparse A = matrix_skewed(*state, &seed, &S, 1.0);
    ifd_solver *s;
    size_t n = (size_t)A.n;
    assert_int_equal(ifd__solver_make(*state, &A, IFD__SOLVER_AUTO, &s, NULL), IFD_OK);
    double *B = ifd_arena_array(*state, COLUMNS * n, sizeof *B), *X = ifd_arena_array(*state, COLUMNS * n, sizeof *X);
    matrix_random_vector(&seed, COLUMNS * A.n, B);
    memcpy(X, B, COLUMNS * n * sizeof *X);
    ifd__solver_solve_block(s, COLUMNS, X, ifd_arena_array(*state, ifd__solver_block_work(s), sizeof *X));
    for (size_t c = 0; c < COLUMNS; c++)
        assert_near(matrix_backward_error(&A, X + c * n, B + c * n), 0.0, 1e-14, "column %zu", c);
}

/* Two threads: the bits of one. The factor is large enough to be divided. */
TEST(a_shared_solution_has_the_same_bits)
{
    uint64_t seed = 77;
    ifd_sparse S = matrix_frame(*state, &seed, (const int[]){8, 8, 14}, 6);
    ifd_sparse A = matrix_skewed(*state, &seed, &S, 1.0);
    ifd_solver *alone, *shared;
    double *b = ifd_arena_array(*state, (size_t)A.n, sizeof *b);
    matrix_random_vector(&seed, A.n, b);
    assert_int_equal(ifd__solver_make(*state, &A, IFD__SOLVER_AUTO, &alone, NULL), IFD_OK);
    assert_int_equal(ifd__solver_make(*state, &A, IFD__SOLVER_AUTO, &shared, NULL), IFD_OK);
    assert_int_equal(ifd__solver_share(*state, shared, 2), IFD_OK);
    assert_int_equal(ifd__solver_facts_of(shared).threads, 2);
    const double *x = solve(*state, alone, A.n, b), *y = solve(*state, shared, A.n, b);
    assert_near(matrix_backward_error(&A, x, b), 0.0, 1e-14, "backward error");
    assert_memory_equal(x, y, (size_t)A.n * sizeof *x);
}

/* As in an exported model: the same bits from the bytes, and no factor from fewer bytes. */
TEST(a_stored_factor_has_the_same_bits)
{
    uint64_t seed = 78;
    ifd_sparse S = matrix_frame(*state, &seed, (const int[]){4, 2, 6}, 6);
    ifd_sparse A = matrix_skewed(*state, &seed, &S, 1.0);
    ifd_arena *from = ifd_arena_open(), *to = ifd_arena_open(), *part = ifd_arena_open();
    ifd_solver *made, *kept;
    ifd__bytes bytes = {.arena = *state};
    double *b = ifd_arena_array(*state, (size_t)A.n, sizeof *b);
    matrix_random_vector(&seed, A.n, b);
    ifd__factors *f = ifd__factors_make(from);
    assert_int_equal(ifd__solver_make(from, &A, IFD__SOLVER_AUTO, &made, NULL), IFD_OK);
    ifd__factors_put(f, &bytes);
    assert_false(bytes.failed);
    ifd__taking in = {.arena = to, .at = bytes.data, .end = bytes.data + bytes.length};
    assert_true(ifd__factors_take(to, &in));
    assert_ptr_equal(in.at, in.end);
    assert_int_equal(ifd__solver_make(to, &A, IFD__SOLVER_AUTO, &kept, NULL), IFD_OK);
    assert_string_equal(ifd__solver_facts_of(kept).ordering, "kept");
    assert_memory_equal(solve(*state, made, A.n, b), solve(*state, kept, A.n, b), (size_t)A.n * sizeof *b);
    ifd__taking less = {.arena = part, .at = bytes.data, .end = bytes.data + bytes.length - 8};
    assert_false(ifd__factors_take(part, &less));
    ifd_arena_close(from);
    ifd_arena_close(to);
    ifd_arena_close(part);
}

TESTS_WITH(open_arena, close_arena)
