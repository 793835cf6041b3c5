/* SPDX-License-Identifier: MIT */
/* Kernels over eight lanes: right against single vectors and LAPACK-tested solvers, and the same bits in every lane,
 * beside any content of the others, with every variant. */
#include "check.h"

#include <string.h>

#include "algebra/lanes.h"
#include "algebra/matrices.h"
#include "fixture.h"

enum { L = IFD__LANES };
static const char *const names[] = {"plain", "avx2", "avx512"};

static double *array(size_t count)
{
    double *x = ifd_arena_array(arena, count, sizeof *x);
    assert_non_null(x);
    return x;
}

static ifd_sparse frame(uint64_t *seed, int size)
{
    const int grid[3] = {2 + size, 2, 3 + 2 * size};
    return matrix_frame(arena, seed, grid, 6);
}

static ifd__lane_solver solver_of(const ifd_sparse *A, ifd__solver_kind kind, const char *kernels, const char *lanes)
{
    ifd_solver *s;
    ifd__lane_solver out;
    assert_int_equal(ifd__solver_make_with(arena, A, kind, ifd__kernels_pick(kernels), &s, NULL), IFD_OK);
    assert_int_equal(ifd__lane_solver_make(arena, s, ifd__lanes_pick(lanes), &out), IFD_OK);
    return out;
}

/* Lanes of b solved; the result in the order of the dofs. */
static double *solved(const ifd__lane_solver *s, int n, const double *b)
{
    double *x = array(L * (size_t)n), *y = array(L * (size_t)n);
    for (int i = 0; i < n; i++)
        memcpy(x + L * s->place[i], b + L * i, L * sizeof *x);
    ifd__lane_solver_solve(s, x);
    for (int i = 0; i < n; i++)
        memcpy(y + L * i, x + L * s->place[i], L * sizeof *x);
    return y;
}

static const double *lane(int n, const double *x, int l)
{
    double *one = array((size_t)n);
    for (int i = 0; i < n; i++)
        one[i] = x[L * i + l];
    return one;
}

TEST_IN_ARENA(every_lane_is_solved)
{
    uint64_t seed = 5;
    static const ifd__solver_kind kinds[] = {IFD__SOLVER_SPARSE, IFD__SOLVER_DENSE_CHOLESKY, IFD__SOLVER_AUTO,
                                             IFD__SOLVER_SPARSE_LU};
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (int size = 0; size < 3; size++)
            for (size_t v = 0; v < COUNT(names); v++) {
                ifd_sparse A = frame(&seed, size);
                if (!ifd__kernels_pick(names[v]))
                    continue;
                if (kinds[k] == IFD__SOLVER_SPARSE_LU)
                    A = matrix_skewed(arena, &seed, &A, 0.5);
                double *b = array(L * (size_t)A.n);
                matrix_random_vector(&seed, L * A.n, b);
                ifd__lane_solver s = solver_of(&A, kinds[k], names[v], names[v]);
                const double *x = solved(&s, A.n, b);
                for (int l = 0; l < L; l++)
                    assert_near(matrix_backward_error(&A, lane(A.n, x, l), lane(A.n, b, l)), 0.0, 1e-14,
                                "kind %zu, size %d, lane %d, %s", k, size, l, names[v]);
            }
}

TEST_IN_ARENA(solvers_without_panels_are_solved)
{
    uint64_t seed = 6;
    const ifd_sparse all[] = {matrix_arrow(arena, &seed, 90, 4, true), matrix_unsymmetric(arena, &seed, 40, 3),
                              matrix_spd(arena, &seed, 50, 0)};
    for (size_t k = 0; k < COUNT(all); k++) {
        const ifd_sparse *A = &all[k];
        double *b = array(L * (size_t)A->n);
        matrix_random_vector(&seed, L * A->n, b);
        ifd__lane_solver s = solver_of(A, IFD__SOLVER_AUTO, ifd__kernels_best()->name, ifd__lanes_best()->name);
        const double *x = solved(&s, A->n, b);
        for (int l = 0; l < L; l++)
            assert_near(matrix_backward_error(A, lane(A->n, x, l), lane(A->n, b, l)), 0.0, 1e-13, "%zu, lane %d", k,
                        l);
    }
}

/* b with its lane `from` alone in lane `to`; the others hold `other`. */
static double *moved(int n, const double *b, int from, int to, double other)
{
    double *y = array(L * (size_t)n);
    for (int i = 0; i < n; i++)
        for (int l = 0; l < L; l++)
            y[L * i + l] = l == to ? b[L * i + from] : other;
    return y;
}

static void check_bits(int n, const double *x, int lx, const double *y, int ly)
{
    for (int i = 0; i < n; i++)
        assert_memory_equal(&x[L * i + lx], &y[L * i + ly], sizeof *x);
}

TEST_IN_ARENA(a_lane_has_the_same_bits_in_any_place_and_company)
{
    uint64_t seed = 7;
    const double others[] = {0.0, (double)NAN, (double)INFINITY, 1e300};
    ifd_sparse A = frame(&seed, 2);
    double *b = array(L * (size_t)A.n);
    matrix_random_vector(&seed, L * A.n, b);
    ifd__lane_rows rows;
    assert_int_equal(ifd__lane_rows_make(arena, 1.5, &A, 0.0, NULL, &rows), IFD_OK);
    for (size_t v = 0; v < COUNT(names); v++) {
        if (!ifd__kernels_pick(names[v]))
            continue;
        ifd__lane_solver s = solver_of(&A, IFD__SOLVER_SPARSE, names[v], names[v]);
        const double *x = solved(&s, A.n, b);
        double *y = array(L * (size_t)A.n);
        s.kernels->product(&rows, -0.3, b, y);
        for (size_t o = 0; o < COUNT(others); o++)
            for (int l = 0; l < L; l += 3) {
                int to = (l + 5) % L;
                double *alone = moved(A.n, b, l, to, others[o]), *z = array(L * (size_t)A.n);
                check_bits(A.n, x, l, solved(&s, A.n, alone), to);
                s.kernels->product(&rows, -0.3, alone, z);
                check_bits(A.n, y, l, z, to);
            }
    }
}

TEST_IN_ARENA(every_variant_has_the_same_bits)
{
    uint64_t seed = 8;
    ifd_sparse A = frame(&seed, 2);
    double *b = array(L * (size_t)A.n);
    matrix_random_vector(&seed, L * A.n, b);
    ifd__lane_rows rows;
    assert_int_equal(ifd__lane_rows_make(arena, 1.5, &A, 0.0, NULL, &rows), IFD_OK);
    for (size_t f = 0; f < COUNT(names); f++) { /* panels of every processor */
        const double *first = NULL, *first_product = NULL;
        for (size_t v = 0; v < COUNT(names); v++) {
            if (!ifd__kernels_pick(names[v]) || !ifd__kernels_pick(names[f]))
                continue;
            ifd__lane_solver s = solver_of(&A, IFD__SOLVER_SPARSE, names[f], names[v]);
            const double *x = solved(&s, A.n, b);
            double *y = array(L * (size_t)A.n), *z = array(L * (size_t)A.n);
            const ifd__lane_step step = {1e-3, 3e-4, 0.2, 0.7};
            s.kernels->product(&rows, -0.3, b, y);
            s.kernels->middle(A.n, &step, (const double *const[]){x, b, y}, z, y);
            s.kernels->finish(A.n, &step, (const double *const[]){z, b}, y, z);
            s.kernels->combine(A.n, 0.1, z, 0.7, y, y);
            s.kernels->gather(&rows, y, z);
            s.kernels->scatter(&rows, 0.4, z, y);
            s.kernels->load(A.n, b, x, y);
            s.kernels->block((const int[]){3, 2}, 0.9, b, x, y);
            s.kernels->dot(A.n, x, z, y);
            first = first ? first : x;
            first_product = first_product ? first_product : y;
            assert_memory_equal(first, x, L * (size_t)A.n * sizeof *x);
            assert_memory_equal(first_product, y, L * (size_t)A.n * sizeof *y);
        }
    }
}

TEST_IN_ARENA(avx2_and_avx512_make_factors_with_the_same_bits)
{
    uint64_t seed = 9;
    if (!ifd__kernels_pick("avx512"))
        skip();
    for (int size = 0; size < 4; size++) {
        ifd_sparse A = frame(&seed, size);
        double *b = array(L * (size_t)A.n);
        matrix_random_vector(&seed, L * A.n, b);
        ifd__lane_solver s = solver_of(&A, IFD__SOLVER_AUTO, "avx512", "avx512");
        ifd__lane_solver t = solver_of(&A, IFD__SOLVER_AUTO, "avx2", "avx2");
        assert_memory_equal(solved(&s, A.n, b), solved(&t, A.n, b), L * (size_t)A.n * sizeof *b);
    }
}

TEST_IN_ARENA(rows_and_vectors_are_placed)
{
    uint64_t seed = 10;
    ifd_sparse A = frame(&seed, 1), B = matrix_spd(arena, &seed, A.n, 2);
    double *x = array((size_t)A.n), *y = array((size_t)A.n), *z = array((size_t)A.n);
    matrix_random_vector(&seed, A.n, x);
    ifd__lane_rows rows;
    ifd__lane_solver s = solver_of(&A, IFD__SOLVER_SPARSE, "plain", "plain");
    assert_int_equal(ifd__lane_rows_make(arena, 2.0, &A, -1.0, &B, &rows), IFD_OK);
    assert_int_equal(ifd__lane_rows_place(arena, s.place, &rows), IFD_OK);
    double *in = array(L * (size_t)A.n), *out = array(L * (size_t)A.n);
    const double *const from[L] = {[3] = x};
    double *const to[L] = {[3] = z};
    ifd__lanes_read(A.n, s.place, from, in);
    s.kernels->product(&rows, 1.0, in, out);
    ifd__lanes_give(A.n, s.place, out, to);
    ifd__sparse_mul_add(&A, 2.0, x, y);
    ifd__sparse_mul_add(&B, -1.0, x, y);
    for (int i = 0; i < A.n; i++) {
        assert_near(z[i], y[i], 1e-12 * (1.0 + fabs(y[i])), "row %d", i);
        assert_near(out[L * i + 2], 0.0, 0.0, "an idle lane");
    }
}

TESTS()
