/* SPDX-License-Identifier: MIT */
#include "scene.h"

#include <lapacke.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static int dof(scene *s, const char *name, double mass)
{
    int i = ifd_builder_dof(s->builder, name, IFD_DOF_X);
    assert_true(i >= 0);
    ifd_builder_add(s->builder, IFD_MASS, i, i, mass);
    return i;
}

static ifd_modes modes_of(scene *s, const ifd_model *m, int count)
{
    ifd_modes modes;
    scene_good(s, ifd_model_modes(m, IFD_DOF_X, count, s->arena, &modes, &s->note));
    return modes;
}

static ifd_model *shear_building_with_pendulum(scene *s, double start)
{
    int x1 = dof(s, "x1", 1.5), x2 = dof(s, "x2", 10.0);
    int angle = ifd_builder_dof(s->builder, "angle", IFD_DOF_ANGLE);
    ifd_builder_spring(s->builder, IFD_STIFFNESS, IFD_GROUND, x1, 4000);
    ifd_builder_spring(s->builder, IFD_STIFFNESS, x1, x2, 4000);
    ifd_builder_initial(s->builder, angle, start, 0.0);
    int refs[4] = {IFD_GROUND, x2, IFD_GROUND, angle};
    scene_good(s, scene_element(s, "pendulum", "bob", 2, refs, "mass", 0.1, "length", 0.2, NULL));
    return scene_model(s);
}

TEST_WITH(shear_building_with_pendulum_has_the_known_frequencies, scene_open, scene_close)
{
    static const double hertz[] = {1.11282588, 2.21186711, 11.8469898};
    static const double start[] = {0.0, 2.5};
    for (size_t k = 0; k < COUNT(start); k++) {
        scene *s = *state;
        scene_restart(s);
        ifd_model *m = shear_building_with_pendulum(s, start[k]);
        assert_true(m->inertial && !ifd_model_linear(m));
        ifd_modes modes = modes_of(s, m, 3);
        for (int i = 0; i < 3; i++)
            assert_near_rel(modes.frequency[i], hertz[i], 5e-9, "mode %d, initial angle %g", i + 1, start[k]);
    }
}

/* The same three equations for small angles, as plain matrices. */
TEST_WITH(linear_pendulum_has_the_known_frequencies, scene_open, scene_close)
{
    static const double hertz[] = {1.11282588, 2.21186711, 11.8469898};
    scene *s = *state;
    int x1 = dof(s, "x1", 1.5), x2 = dof(s, "x2", 10.1), angle = dof(s, "angle", 0.1 * 0.04);
    ifd_builder_add(s->builder, IFD_MASS, x2, angle, 0.02);
    ifd_builder_add(s->builder, IFD_MASS, angle, x2, 0.02);
    ifd_builder_spring(s->builder, IFD_STIFFNESS, IFD_GROUND, x1, 4000);
    ifd_builder_spring(s->builder, IFD_STIFFNESS, x1, x2, 4000);
    ifd_builder_spring(s->builder, IFD_STIFFNESS, IFD_GROUND, angle, 0.1 * 9.81 * 0.2);
    ifd_modes modes = modes_of(s, scene_model(s), 3);
    for (int i = 0; i < 3; i++)
        assert_near_rel(modes.frequency[i], hertz[i], 5e-9, "mode %d", i + 1);
}

TEST_WITH(shapes_are_mass_normalised_and_solve_the_problem, scene_open, scene_close)
{
    enum { N = 20 };
    scene *s = *state;
    char name[16];
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "d%d", i);
        dof(s, name, 3.0 + scene_random());
        ifd_builder_spring(s->builder, IFD_STIFFNESS, i - 1, i, 1e4 * (2 + scene_random()));
        if (i)
            ifd_builder_spring(s->builder, IFD_MASS, i - 1, i, 0.5);
    }
    ifd_model *m = scene_model(s);
    const int counts[] = {4, N};
    for (size_t c = 0; c < COUNT(counts); c++) {
        ifd_modes modes = modes_of(s, m, counts[c]);
        assert_int_equal(modes.count, counts[c]);
        for (int i = 0; i < modes.count; i++) {
            double Kx[N] = {0}, Mx[N] = {0}, mass = 0.0, lambda = pow(2 * PI * modes.frequency[i], 2);
            const double *x = modes.shape + i * N;
            ifd__sparse_mul_add(&m->K, 1.0, x, Kx);
            ifd__sparse_mul_add(&m->M, 1.0, x, Mx);
            for (int j = 0; j < N; j++) {
                mass += x[j] * Mx[j];
                assert_near(Kx[j], lambda * Mx[j], 1e-9 * 1e4, "mode %d row %d", i + 1, j);
            }
            assert_near(mass, 1.0, 1e-12, "mode %d of %d", i + 1, modes.count);
            assert_true(i == 0 || modes.frequency[i] >= modes.frequency[i - 1]);
        }
    }
}

TEST_WITH(participation_of_an_oscillator_with_pendulum_counts_all_mass, scene_open, scene_close)
{
    scene *s = *state;
    ifd_modes modes = modes_of(s, shear_building_with_pendulum(s, 0.3), 3);
    double sum = 0.0;
    for (int i = 0; i < 3; i++)
        sum += modes.effective_mass[i];
    assert_near_rel(modes.total_mass, 11.6, 1e-14, "m1 + m2 + m3");
    assert_near_rel(sum, 11.6, 1e-11, "all modes");
}

TEST_WITH(elements_take_part_with_their_stiffness_at_rest, scene_open, scene_close)
{
    scene *s = *state;
    static const int refs[2] = {IFD_GROUND, 0};
    const struct {
        const char *type, *first, *second, *third;
        double a, b, c, k;
    } sample[] = {
        {"bilinear", "stiffness", "yield", "ratio", 900, 0.01, 0.1, 900},
        {"bouc-wen", "stiffness", "beta", "gamma", 900, 5, 3, 900},
        {"cubic-spring", "stiffness", "epsilon", NULL, 900, 7, 0, 900},
        {"gap", "stiffness", "gap", NULL, 900, 0.01, 0, 0},
    };
    for (size_t i = 0; i < COUNT(sample); i++) {
        scene_restart(s);
        int x = dof(s, "x", 2.0);
        ifd_builder_spring(s->builder, IFD_STIFFNESS, IFD_GROUND, x, 100);
        scene_good(s, scene_element(s, sample[i].type, "e", 1, refs, sample[i].first, sample[i].a, sample[i].second,
                                    sample[i].b, sample[i].third, sample[i].c, NULL));
        double expected = sqrt((100 + sample[i].k) / 2.0) / (2 * PI);
        assert_near_rel(modes_of(s, scene_model(s), 1).frequency[0], expected, 1e-12, "%s", sample[i].type);
    }
}

/* Eigenvalues of the first-order system: their real parts over their moduli are the damping ratios. */
static void damping_ratios(const ifd_model *m, double *ratio)
{
    enum { MOST = 16 };
    int n = m->n, N = 2 * n;
    static double A[4 * MOST * MOST], B[MOST * MOST], re[2 * MOST], im[2 * MOST];
    lapack_int pivot[MOST];
    assert_true(n <= MOST);
    memset(A, 0, sizeof A);
    double KC[MOST * 2 * MOST];
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            int a = i > j ? i : j, b = i > j ? j : i;
            double M = ifd__sparse_get(&m->M, a, b), K = ifd__sparse_get(&m->K, a, b);
            B[i + j * n] = M;
            KC[i + j * n] = K;
            KC[i + (n + j) * n] = ifd__sparse_get(&m->C, a, b) + m->ray_m * M + m->ray_k * K;
        }
    assert_int_equal(LAPACKE_dgesv(LAPACK_COL_MAJOR, n, N, B, n, pivot, KC, n), 0);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < n; i++) {
            A[i + j * N] = j == n + i ? 1.0 : 0.0;
            A[n + i + j * N] = -KC[i + j * n];
        }
    assert_int_equal(LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'N', N, A, N, re, im, NULL, 1, NULL, 1), 0);
    /* one of each pair, by frequency */
    double size[MOST];
    int count = 0;
    for (int i = 0; i < N; i++) {
        if (im[i] <= 0.0)
            continue;
        int at = count++;
        double modulus = hypot(re[i], im[i]);
        for (; at > 0 && size[at - 1] > modulus; at--) {
            size[at] = size[at - 1];
            ratio[at] = ratio[at - 1];
        }
        size[at] = modulus;
        ratio[at] = -re[i] / modulus;
    }
    assert_int_equal(count, n);
}

static void chain(scene *s, int n)
{
    char name[16];
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "d%d", i);
        dof(s, name, 3.0 + i % 3);
        ifd_builder_spring(s->builder, IFD_STIFFNESS, i - 1, i, 1e4 * (1 + i % 4));
    }
}

TEST_WITH(modal_damping_gives_the_wanted_ratios, scene_open, scene_close)
{
    enum { N = 8 };
    static const double zeta[] = {0.02, 0.05, 0.01};
    scene *s = *state;
    for (int rest = 0; rest < 2; rest++) {
        double ratio[N];
        scene_restart(s);
        chain(s, N);
        ifd_builder_modal(s->builder, 3, zeta, rest);
        ifd_model *m = scene_model(s);
        assert_true(m->damped);
        damping_ratios(m, ratio);
        for (int i = 0; i < N; i++)
            assert_near(ratio[i], i < 3 ? zeta[i] : rest ? zeta[2] : 0.0, 1e-11, "mode %d, rest %d", i + 1, rest);
    }
}

TEST_WITH(rayleigh_damping_gives_the_ratios_of_its_formula, scene_open, scene_close)
{
    enum { N = 8 };
    scene *s = *state;
    double ratio[N];
    chain(s, N);
    ifd_builder_rayleigh(s->builder, 0.5, 1e-4);
    ifd_model *m = scene_model(s);
    assert_false(m->damped);
    ifd_modes modes = modes_of(s, m, N);
    damping_ratios(m, ratio);
    for (int i = 0; i < N; i++) {
        double omega = 2 * PI * modes.frequency[i];
        assert_near(ratio[i], 0.5 * (0.5 / omega + 1e-4 * omega), 1e-11, "mode %d", i + 1);
    }
}

TEST_WITH(modal_damping_is_refused_where_it_cannot_be, scene_open, scene_close)
{
    scene *s = *state;
    double zeta = -0.1;
    chain(s, 4);
    ifd_builder_modal(s->builder, 1, &zeta, false);
    scene_refused(s, IFD_RANGE, "modal damping ratio 1");
}

/* A chain of more than 1,000 dofs: no dense matrix. */
TEST_WITH(modal_damping_of_a_large_model_has_a_low_rank, scene_open, scene_close)
{
    scene *s = *state;
    const double zeta[] = {0.02, 0.03};
    chain(s, 1001);
    ifd_builder_modal(s->builder, 2, zeta, false);
    ifd_model *m = scene_model(s);
    ifd_modes modes;
    assert_int_equal(m->C.rank, 2);
    assert_int_equal(ifd_model_modes(m, IFD_DOF_X, 3, s->arena, &modes, &s->note), IFD_OK);
    double *y = ifd_arena_array(s->arena, 1001, sizeof *y);
    for (int i = 0; i < 3; i++) {
        const double *phi = modes.shape + (size_t)i * 1001;
        double sum = 0.0, omega = 2.0 * acos(-1.0) * modes.frequency[i];
        memset(y, 0, 1001 * sizeof *y);
        ifd__sparse_mul_add(&m->C, 1.0, phi, y);
        for (int k = 0; k < 1001; k++)
            sum += phi[k] * y[k];
        assert_near(sum / (2.0 * omega), i < 2 ? zeta[i] : 0.0, 1e-9, "mode %d", i + 1);
    }
}

TEST_WITH(modes_are_refused_where_they_cannot_be, scene_open, scene_close)
{
    scene *s = *state;
    ifd_modes modes;
    chain(s, 4);
    ifd_builder_add(s->builder, IFD_STIFFNESS, 0, 1, 500);
    ifd_model *m = scene_model(s);
    assert_int_equal(ifd_model_modes(m, IFD_DOF_X, 1, s->arena, &modes, &s->note), IFD_NOT_SYMMETRIC);
    assert_non_null(strstr(s->note.first->text, "entry ('d1', 'd0') is -20000, entry ('d0', 'd1') is -19500"));
    assert_int_equal(ifd_model_modes(m, IFD_DOF_RX, 1, s->arena, &modes, &s->note), IFD_RANGE);
}

static double static_of(scene *s, double force)
{
    double u[8] = {0};
    ifd_builder_force(s->builder, 0, scene_constant(s, force));
    ifd_model *m = scene_model(s);
    scene_good(s, ifd_model_static(m, 0.0, s->arena, u, &s->note));
    return u[0];
}

TEST_WITH(static_equilibrium_follows_the_elements_law, scene_open, scene_close)
{
    static const int refs[2] = {IFD_GROUND, 0};
    scene *s = *state;
    dof(s, "x", 1.0);
    scene_good(s, scene_element(s, "cubic-spring", "e", 1, refs, "stiffness", 100.0, "epsilon", 4.0, NULL));
    double u = static_of(s, 1000.0);
    assert_near_rel(100 * u * (1 + 4 * u * u), 1000.0, 1e-12, "cubic spring at %g", u);

    scene_restart(s);
    dof(s, "x", 1.0);
    scene_good(s, scene_element(s, "bilinear", "e", 1, refs, "stiffness", 100.0, "yield", 0.01, "ratio", 0.1, NULL));
    /* 100 (0.1 u + 0.9 0.01) = 5 beyond yield */
    assert_near_rel(static_of(s, 5.0), (5.0 - 0.9) / 10.0, 1e-12, "bilinear");

    /* Bouc-Wen, n = 1, loading from rest: z = (1 - exp(-(beta + gamma) u)) / (beta + gamma) */
    scene_restart(s);
    dof(s, "x", 1.0);
    scene_good(s, scene_element(s, "bouc-wen", "e", 1, refs, "stiffness", 4000.0, "alpha", 0.1, "beta", 5.0, "gamma",
                                3.0, NULL));
    u = static_of(s, -450.0);
    double z = (1 - exp(-8 * fabs(u))) / 8;
    assert_near_rel(4000 * (0.1 * fabs(u) + 0.9 * z), 450.0, 1e-9, "Bouc-Wen at %g", u);

    scene_restart(s);
    dof(s, "x", 1.0);
    ifd_builder_spring(s->builder, IFD_STIFFNESS, IFD_GROUND, 0, 100);
    scene_good(s, scene_element(s, "gap", "e", 1, refs, "stiffness", 900.0, "gap", 0.01, NULL));
    assert_near_rel(static_of(s, 11.0), 0.02, 1e-12, "gap");
}

TEST_WITH(first_order_block_comes_to_rest, scene_open, scene_close)
{
    /* low-pass of x applied to x: at rest the force is gain x */
    static const int refs[4] = {IFD_GROUND, 0, IFD_GROUND, 0};
    scene *s = *state;
    dof(s, "x", 1.0);
    ifd_builder_spring(s->builder, IFD_STIFFNESS, IFD_GROUND, 0, 100);
    scene_good(s, scene_element(s, "low-pass", "filter", 2, refs, "gain", -30.0, "cutoff", 2.0, NULL));
    assert_near_rel(static_of(s, 26.0), 0.2, 1e-12, "spring and filtered spring");
    assert_null(scene_remark(s, "cannot come to rest"));

    scene_restart(s);
    dof(s, "x", 1.0);
    ifd_builder_spring(s->builder, IFD_STIFFNESS, IFD_GROUND, 0, 100);
    scene_good(s, scene_element(s, "pid", "control", 2, refs, "kp", 30.0, "ki", 5.0, NULL));
    double u = static_of(s, 26.0);
    assert_near_rel(u, 0.2, 1e-12, "proportional part only");
    assert_non_null(scene_remark(s, "element 'control' (pid) cannot come to rest"));
}

TEST_WITH(pendulum_hangs_askew_in_an_accelerating_ground, scene_open, scene_close)
{
    scene *s = *state;
    double u[3];
    ifd_builder_ground(s->builder, IFD_DOF_X, scene_constant(s, 2.0));
    ifd_model *m = shear_building_with_pendulum(s, 0.0);
    scene_good(s, ifd_model_static(m, 0.0, s->arena, u, &s->note));
    assert_near_rel(u[2], -atan(2.0 / 9.81), 1e-12, "angle");
    assert_near_rel(u[0], -2.0 * 11.6 / 4000, 1e-12, "floor 1 carries all of the mass");
}

TEST_WITH(loose_structure_has_no_equilibrium, scene_open, scene_close)
{
    scene *s = *state;
    double u[4];
    dof(s, "a", 1.0);
    dof(s, "b", 1.0);
    ifd_builder_spring(s->builder, IFD_STIFFNESS, 0, 1, 100);
    ifd_builder_force(s->builder, 0, scene_constant(s, 1.0));
    ifd_model *m = scene_model(s);
    assert_int_equal(ifd_model_static(m, 0.0, s->arena, u, &s->note), IFD_SINGULAR);
    assert_non_null(strstr(s->note.first->text, "dof 'b' can move without resistance"));
}

TEST_WITH(large_static_uses_the_sparse_solver, scene_open, scene_close)
{
    enum { N = 1200 };
    static const int refs[2] = {N - 2, N - 1};
    scene *s = *state;
    static double u[N];
    char name[16];
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "d%d", i);
        dof(s, name, 1.0);
        if (i < N - 1)
            ifd_builder_spring(s->builder, IFD_STIFFNESS, i - 1, i, 1e5);
    }
    scene_good(s, scene_element(s, "cubic-spring", "e", 1, refs, "stiffness", 100.0, "epsilon", 4.0, NULL));
    ifd_builder_force(s->builder, N - 1, scene_constant(s, 50.0));
    ifd_model *m = scene_model(s);
    scene_good(s, ifd_model_static(m, 0.0, s->arena, u, &s->note));
    assert_near_rel(u[N - 2], 50.0 * (N - 1) / 1e5, 1e-10, "end of the chain");
    double q = u[N - 1] - u[N - 2];
    assert_near_rel(100 * q * (1 + 4 * q * q), 50.0, 1e-9, "last spring");
}

TESTS()
