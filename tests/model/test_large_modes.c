/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* Modes of large models: ARPACK against LAPACK and closed forms. */
#include "scene.h"

#include <interfield/structures.h>

#include <lapacke.h>
#include <string.h>

#include "algebra/eigen.h"
#include "algebra/solver.h"

static const double PI = 3.14159265358979323846;

static ifd_modes modes_of(scene *s, const ifd_model *m, int count)
{
    ifd_modes modes;
    scene_good(s, ifd_model_modes(m, IFD_DOF_X, count, s->arena, &modes, &s->note));
    return modes;
}

/* n masses of 2 kg and springs of 5000 N/m, from the ground or free. */
static void add_chain(scene *s, const char *prefix, int n, bool grounded)
{
    char name[32];
    int last = IFD_GROUND;
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%s%d", prefix, i);
        int d = ifd_builder_dof(s->builder, name, IFD_DOF_X);
        ifd_builder_add(s->builder, IFD_MASS, d, d, 2.0);
        if (grounded || i)
            ifd_builder_spring(s->builder, IFD_STIFFNESS, last, d, 5000.0);
        last = d;
    }
}

static double chain_hertz(double angle)
{
    return 2.0 * sqrt(2500.0) * sin(angle) / (2 * PI);
}

TEST_WITH(long_chain_has_the_frequencies_of_its_formula, scene_open, scene_close)
{
    enum { N = 20000, MODES = 12 };
    scene *s = *state;
    add_chain(s, "d", N, true);
    ifd_modes modes = modes_of(s, scene_model(s), MODES);
    assert_int_equal(modes.count, MODES);
    for (int j = 0; j < MODES; j++)
        assert_near_rel(modes.frequency[j], chain_hertz((2 * j + 1) * PI / (2 * (2 * N + 1))), 1e-9, "mode %d",
                        j + 1);
}

TEST_WITH(floating_chain_has_one_rigid_body_mode, scene_open, scene_close)
{
    enum { N = 3000, MODES = 6 };
    scene *s = *state;
    add_chain(s, "d", N, false);
    ifd_modes modes = modes_of(s, scene_model(s), MODES);
    for (int j = 1; j < MODES; j++)
        assert_near_rel(modes.frequency[j], chain_hertz(j * PI / (2 * N)), 1e-6, "mode %d", j + 1);
    assert_true(fabs(modes.frequency[0]) == 0.0);
    assert_near_rel(modes.effective_mass[0], 2.0 * N, 1e-9, "the rigid-body mode has all mass");
}

/* Equal chains side by side: every eigenvalue is fivefold, and Lanczos' method sees one of each. */
TEST_WITH(multiple_frequencies_are_all_found, scene_open, scene_close)
{
    enum { N = 300, CHAINS = 5 };
    scene *s = *state;
    for (int c = 0; c < CHAINS; c++)
        add_chain(s, (const char *const[]){"a", "b", "c", "d", "e"}[c], N, true);
    ifd_modes modes = modes_of(s, scene_model(s), 3 * CHAINS + 2);
    for (int j = 0; j < modes.count; j++)
        assert_near_rel(modes.frequency[j], chain_hertz((2 * (j / CHAINS) + 1) * PI / (2 * (2 * N + 1))), 1e-9,
                        "mode %d", j + 1);
}

/* Oscillators with three frequencies: Lanczos' space has three dimensions, and the pivots show what it leaves out. */
TEST_WITH(modes_that_lanczos_does_not_see_are_found, scene_open, scene_close)
{
    enum { N = 1200, LOW = 5 };
    static const int counts[] = {3, LOW, 2 * LOW + 2};
    scene *s = *state;
    char name[32];
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "d%d", i);
        int d = ifd_builder_dof(s->builder, name, IFD_DOF_X);
        ifd_builder_add(s->builder, IFD_MASS, d, d, 2.0);
        ifd_builder_spring(s->builder, IFD_STIFFNESS, IFD_GROUND, d, i < LOW ? 200.0 : i < 2 * LOW ? 800.0 : 1800.0);
    }
    ifd_model *m = scene_model(s);
    for (size_t c = 0; c < COUNT(counts); c++) {
        ifd_modes modes = modes_of(s, m, counts[c]);
        for (int j = 0; j < counts[c]; j++)
            assert_near_rel(modes.frequency[j],
                            (j < LOW       ? 10
                             : j < 2 * LOW ? 20
                                           : 30) /
                                (2 * PI),
                            1e-9, "mode %d of %d", j + 1, counts[c]);
    }
}

/* A mass on a negative spring in a large structure: its eigenvalue is negative and comes first. */
TEST_WITH(negative_stiffness_comes_first, scene_open, scene_close)
{
    enum { N = 2000 };
    scene *s = *state;
    add_chain(s, "d", N, true);
    int d = ifd_builder_dof(s->builder, "unstable", IFD_DOF_X);
    ifd_builder_add(s->builder, IFD_MASS, d, d, 2.0);
    ifd_builder_spring(s->builder, IFD_STIFFNESS, IFD_GROUND, d, -200.0);
    ifd_modes modes = modes_of(s, scene_model(s), 4);
    assert_near_rel(modes.frequency[0], -10.0 / (2 * PI), 1e-9, "the unstable mass");
    for (int j = 0; j < 3; j++)
        assert_near_rel(modes.frequency[j + 1], chain_hertz((2 * j + 1) * PI / (2 * (2 * N + 1))), 1e-9, "mode %d",
                        j + 2);
}

/* A square building: its frequencies in x and y are equal. */
static ifd_model *square_building(scene *s)
{
    ifd_grid grid;
    ifd_frame frame;
    ifd_grid_defaults(&grid);
    grid.planar = false;
    grid.bays_x = grid.bays_y = 4;
    grid.storeys = 10;
    grid.column = ifd_section_rectangle(0.5, 0.5);
    grid.beam = ifd_section_rectangle(0.3, 0.6);
    scene_good(s, ifd_frame_grid(s->arena, &grid, &frame, &s->note));
    scene_good(s, ifd_builder_frame(s->builder, &frame, &s->note));
    return scene_model(s);
}

TEST_WITH(frame_of_1500_dofs_has_the_modes_of_lapack, scene_open, scene_close)
{
    enum { MODES = 30 };
    scene *s = *state;
    ifd_model *m = square_building(s);
    lapack_int n = m->n, found;
    assert_int_equal(n, 1500);
    size_t all = (size_t)n * (size_t)n;
    double *K = ifd_arena_array(s->arena, all, sizeof *K), *M = ifd_arena_array(s->arena, all, sizeof *M);
    double *lambda = ifd_arena_array(s->arena, (size_t)n, sizeof *lambda);
    lapack_int *fail = ifd_arena_array(s->arena, (size_t)n, sizeof *fail);
    ifd__sparse_fill(&m->K, K);
    ifd__sparse_fill(&m->M, M);
    assert_int_equal(LAPACKE_dsygvx(LAPACK_COL_MAJOR, 1, 'N', 'I', 'L', n, K, n, M, n, 0, 0, 1, MODES, 0.0, &found,
                                    lambda, NULL, n, fail),
                     0);
    ifd_modes modes = modes_of(s, m, MODES);
    double *y = ifd_arena_array(s->arena, (size_t)n, sizeof *y);
    for (int j = 0; j < MODES; j++) {
        const double *x = modes.shape + (size_t)j * (size_t)n;
        assert_near_rel(modes.frequency[j], sqrt(lambda[j]) / (2 * PI), 1e-9, "mode %d", j + 1);
        for (int i = 0; i <= j; i++) { /* also those of equal frequency are orthogonal */
            double product = 0.0;
            memset(y, 0, sizeof *y * (size_t)n);
            ifd__sparse_mul_add(&m->M, 1.0, modes.shape + (size_t)i * (size_t)n, y);
            for (int k = 0; k < n; k++)
                product += x[k] * y[k];
            assert_near(product, i == j, 1e-10, "modes %d and %d", i + 1, j + 1);
        }
    }
    assert_near_rel(modes.frequency[1], modes.frequency[0], 1e-8, "x and y");
}

/* K - sigma M of a chain: as many negative pivots as natural frequencies below. */
TEST_WITH(pivots_count_the_frequencies_below, scene_open, scene_close)
{
    enum { N = 1000 };
    scene *s = *state;
    add_chain(s, "d", N, true);
    ifd_model *m = scene_model(s);
    static const int below[] = {0, 1, 17, 500, 999, 1000};
    for (size_t k = 0; k < COUNT(below); k++) {
        ifd_sparse A;
        int count;
        double angle = 2 * below[k] * PI / (2 * (2 * N + 1)), omega = 100.0 * sin(fmin(angle, PI / 2));
        double sigma = below[k] == N ? 1.1 * 1e4 : omega * omega;
        scene_good(s, ifd__sparse_add(s->arena, 1.0, &m->K, -sigma, &m->M, &A));
        scene_good(s, ifd__negative_eigenvalues(&A, &count));
        assert_int_equal(count, below[k]);
    }
}

TEST_WITH(the_same_pencil_gives_the_same_bits, scene_open, scene_close)
{
    scene *s = *state;
    ifd_model *m = square_building(s);
    ifd_modes a = modes_of(s, m, 8), b = modes_of(s, m, 8);
    assert_memory_equal(a.frequency, b.frequency, 8 * sizeof(double));
    assert_memory_equal(a.shape, b.shape, 8 * (size_t)m->n * sizeof(double));
}

TEST_WITH(many_modes_are_refused_without_memory_only, scene_open, scene_close)
{
    scene *s = *state;
    ifd_modes modes;
    add_chain(s, "d", 300000, true);
    ifd_model *m = scene_model(s);
    assert_int_equal(ifd_model_modes(m, IFD_DOF_X, 75001, s->arena, &modes, &s->note), IFD_NO_MEMORY);
    assert_non_null(strstr(s->note.first->text, "needs 1.62e+03 GB of memory"));
    assert_non_null(strstr(s->note.first->hint, "up to 75000 need no full matrices"));
}

TESTS()
