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

TEST_WITH(names_lead_to_references_and_back, scene_open, scene_close)
{
    scene *s = *state;
    char name[16];
    int ref;
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "d%d", i);
        assert_int_equal(ifd_builder_dof(s->builder, name, IFD_DOF_X), i);
    }
    int k = ifd_builder_support(s->builder, "table", scene_constant(s, 0.0));
    assert_int_equal(k, IFD_SUPPORT(0));
    assert_int_equal(ifd_builder_dof(s->builder, "d77", IFD_DOF_X), -1);
    assert_int_equal(ifd_builder_dof(s->builder, "table", IFD_DOF_X), -1);
    assert_int_equal(ifd_builder_dof(s->builder, "ground", IFD_DOF_X), -1);
    assert_int_equal(ifd_builder_support(s->builder, "d3", scene_constant(s, 0.0)), IFD_GROUND);
    assert_true(ifd_builder_find(s->builder, "d77", &ref) && ref == 77);
    assert_true(ifd_builder_find(s->builder, "table", &ref) && ref == IFD_SUPPORT(0));
    assert_true(ifd_builder_find(s->builder, "ground", &ref) && ref == IFD_GROUND);
    assert_false(ifd_builder_find(s->builder, "d300", &ref));
    assert_string_equal(ifd_builder_dof_name(s->builder, 299), "d299");
    assert_int_equal(ifd_builder_dofs(s->builder), 300);
}

TEST_WITH(linear_elements_and_springs_meet_in_the_matrices, scene_open, scene_close)
{
    scene *s = *state;
    int a = dof(s, "a", 1.0), b = dof(s, "b", 2.0), pair[2] = {a, b}, ground[2] = {IFD_GROUND, b};
    ifd_builder_spring(s->builder, IFD_STIFFNESS, a, b, 10);
    scene_good(s, scene_element(s, "spring", "k", 1, pair, "stiffness", 5.0, NULL));
    scene_good(s, scene_element(s, "dashpot", "c", 1, ground, "damping", 7.0, NULL));
    scene_good(s, scene_element(s, "mass", "m", 1, ground, "mass", 4.0, NULL));
    ifd_model *m = scene_model(s);
    assert_true(ifd_model_linear(m) && m->symmetric);
    assert_int_equal(ifd_model_elements(m), 0);
    assert_near(ifd__sparse_get(&m->K, 1, 0), -15.0, 0.0, "K");
    assert_near(ifd__sparse_get(&m->C, 1, 1), 7.0, 0.0, "C");
    assert_near(ifd__sparse_get(&m->M, 1, 1), 6.0, 0.0, "M");
    double x[2] = {3.0, 12.0};
    const ifd_solver *mass, *again;
    assert_int_equal(ifd__model_mass(s->arena, m, &mass, NULL), IFD_OK);
    assert_int_equal(ifd__model_mass(s->arena, m, &again, NULL), IFD_OK);
    assert_ptr_equal(mass, again);
    ifd__solver_solve(mass, x, ifd_arena_array(s->arena, ifd__solver_work(mass), sizeof(double)));
    assert_near(x[1], 2.0, 1e-15, "mass factor");
}

TEST_WITH(ground_drives_mass_along_its_direction_only, scene_open, scene_close)
{
    scene *s = *state;
    int x = ifd_builder_dof(s->builder, "x", IFD_DOF_X), y = ifd_builder_dof(s->builder, "y", IFD_DOF_Y);
    int r = ifd_builder_dof(s->builder, "r", IFD_DOF_RZ), x2 = ifd_builder_dof(s->builder, "x2", IFD_DOF_X);
    for (int i = 0; i < 4; i++)
        ifd_builder_add(s->builder, IFD_MASS, i, i, 10.0 + i);
    ifd_builder_add(s->builder, IFD_MASS, x, r, 2.0);
    ifd_builder_add(s->builder, IFD_MASS, r, x, 2.0);
    /* an inerter to the ground moves with it, one between two dofs depends on their difference */
    ifd_builder_spring(s->builder, IFD_MASS, IFD_GROUND, x2, 5.0);
    ifd_builder_spring(s->builder, IFD_MASS, x, x2, 3.0);
    ifd_builder_ground(s->builder, IFD_DOF_X, scene_constant(s, 2.0));
    ifd_model *m = scene_model(s);
    double P[4];
    ifd__model_load(m, 0.0, P);
    assert_near(P[x], -20.0, 1e-14, "x");
    assert_near(P[y], 0.0, 0.0, "y");
    assert_near(P[r], -4.0, 1e-14, "the coupled rotation");
    assert_near(P[x2], -26.0, 1e-14, "x2, without its inerter");
    assert_near(m->ground[IFD_DOF_X].mass, 23.0, 1e-13, "moving mass");
}

/* m u'' + c u' + k u = k us + c us' for an oscillator on a moving support; with Rayleigh damping c = beta k. */
TEST_WITH(support_drives_an_oscillator_by_the_closed_form, scene_open, scene_close)
{
    scene *s = *state;
    double k = 400.0, c = 3.0, beta = 0.01, t = 0.37, us[3], P;
    int x = dof(s, "x", 2.0);
    const ifd_signal *motion = scene_sine(s, 0.02, 1.5);
    int base = ifd_builder_support(s->builder, "base", motion);
    ifd_builder_spring(s->builder, IFD_STIFFNESS, base, x, k);
    ifd_builder_spring(s->builder, IFD_DAMPING, base, x, c);
    ifd_builder_spring(s->builder, IFD_MASS, x, base, 0.5);
    ifd_builder_rayleigh(s->builder, 0.0, beta);
    ifd_model *m = scene_model(s);
    ifd_signal_eval(motion, t, us);
    assert_near(us[1], 0.02 * 3 * PI * cos(3 * PI * t), 1e-12, "the signal");
    ifd__model_load(m, t, &P);
    assert_near_rel(P, k * us[0] + (c + beta * k) * us[1] + 0.5 * us[2], 1e-13, "load");
    /* moving along with the support takes no force but the mass's own */
    double F, g, *w = ifd_arena_array(s->arena, ifd__model_work(m), sizeof *w);
    ifd__model_balance(m, &(ifd__point){.t = t, .u = &us[0], .v = &us[1]}, &F, &g, w);
    assert_near(F, 0.5 * us[2], 1e-13, "rigid motion");
    assert_near(ifd__sparse_get(&m->M, 0, 0), 2.5, 0.0, "mass with its inerter");
}

TEST_WITH(rayleigh_acts_on_the_linear_matrices, scene_open, scene_close)
{
    scene *s = *state;
    int a = dof(s, "a", 2.0), b = dof(s, "b", 3.0), angle = ifd_builder_dof(s->builder, "angle", IFD_DOF_ANGLE);
    int refs[4] = {IFD_GROUND, b, IFD_GROUND, angle};
    ifd_builder_spring(s->builder, IFD_STIFFNESS, a, b, 100);
    ifd_builder_rayleigh(s->builder, 0.3, 0.02);
    scene_good(s, scene_element(s, "pendulum", "bob", 2, refs, "mass", 0.1, "length", 0.2, NULL));
    ifd_model *m = scene_model(s);
    double u[3] = {0}, v[3] = {1, -2, 5}, w[3], y[3] = {0};
    ifd__model_linear(m, 1.0, u, v, w, y);
    assert_near(y[0], 0.3 * 2 * 1 + 0.02 * 100 * 3, 1e-13, "a");
    assert_near(y[1], 0.3 * 3 * -2 - 0.02 * 100 * 3, 1e-13, "b: the pendulum's mass is not damped");
    assert_near(y[2], 0.0, 0.0, "angle");
}

/* A model with everything: floors, ground motion in x, a moving support, pendulum on a floor, on the support and on
 * the ground, hysteresis between floors and to the support, dashpots, a controller. */
static ifd_model *rich_model(scene *s)
{
    ifd_builder *b = s->builder;
    int x1 = dof(s, "x1", 3.0), x2 = dof(s, "x2", 5.0), x3 = dof(s, "x3", 4.0), angle[3];
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "angle%d", i);
        angle[i] = ifd_builder_dof(b, name, IFD_DOF_ANGLE);
    }
    int base = ifd_builder_support(b, "base", scene_sine(s, 0.03, 0.8));
    ifd_builder_ground(b, IFD_DOF_X, scene_sine(s, 1.5, 1.1));
    ifd_builder_spring(b, IFD_STIFFNESS, IFD_GROUND, x1, 800);
    ifd_builder_spring(b, IFD_STIFFNESS, base, x3, 300);
    ifd_builder_spring(b, IFD_DAMPING, base, x2, 4);
    ifd_builder_spring(b, IFD_MASS, x1, x3, 0.7);
    ifd_builder_rayleigh(b, 0.1, 0.002);
    ifd_builder_force(b, x2, scene_sine(s, 20, 0.5));
    const int hysteresis[2] = {x1, x2}, bilinear[2] = {base, x3}, power[2] = {base, x1}, hard[2] = {x2, base};
    const int hung[4] = {IFD_GROUND, x2, IFD_GROUND, angle[0]}, carried[4] = {IFD_GROUND, base, IFD_GROUND, angle[1]};
    const int control[4] = {x1, x3, IFD_GROUND, x3};
    scene_good(s, scene_element(s, "bouc-wen", "bw", 1, hysteresis, "stiffness", 900.0, "alpha", 0.1, "beta", 5.0,
                                "gamma", 3.0, NULL));
    scene_good(
        s, scene_element(s, "bilinear", "yield", 1, bilinear, "stiffness", 500.0, "yield", 10.0, "ratio", 0.1, NULL));
    scene_good(s, scene_element(s, "power-dashpot", "oil", 1, power, "coefficient", 30.0, "exponent", 0.5, NULL));
    scene_good(s, scene_element(s, "cubic-spring", "hard", 1, hard, "stiffness", 200.0, "epsilon", 9.0, NULL));
    scene_good(s, scene_element(s, "low-pass", "control", 2, control, "gain", 40.0, "cutoff", 2.0, NULL));
    scene_good(s, scene_element(s, "pendulum", "hung", 2, hung, "mass", 0.4, "length", 0.5, "damping", 0.1, NULL));
    scene_good(s, scene_element(s, "pendulum", "carried", 2, carried, "mass", 0.3, "length", 0.4, NULL));
    /* on the ground: its pivot coordinate is the ground itself */
    static const int pivot[1] = {IFD_GROUND};
    static const double one[1] = {1.0};
    const ifd_element_ops *ops = ifd_element_find("pendulum");
    ifd_value v[8];
    ifd_param_preset(ops->params, v);
    v[ifd_param_find(ops->params, "mass")] = ifd_number(0.2);
    v[ifd_param_find(ops->params, "length")] = ifd_number(0.3);
    ifd_coordinate q[2] = {{1, pivot, one}, {1, &angle[2], one}};
    scene_good(s, ifd_builder_element(b, ops, "grounded", &(ifd_coordinates){2, q}, v, &s->note));
    return scene_model(s);
}

/* a := M(q)^-1 F with the true mass of the elements. */
static void accelerate(const ifd_model *m, double t, const double *u, const double *v, const double *F, double *a)
{
    enum { N = 6 };
    double M[N * N] = {0}, q[32], qd[32], mm[64];
    lapack_int pivot[N];
    assert_int_equal(m->n, N);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            M[i + j * N] = ifd__sparse_get(&m->M, i > j ? i : j, i > j ? j : i);
    ifd__model_coordinates(m, t, u, v, q, qd);
    for (int e = 0; e < m->ne; e++) {
        const ifd_element *element = &m->element[e];
        int nq = element->nq, c = m->q_of[e];
        if (!(element->ops->flags & IFD_ELEMENT_INERTIAL))
            continue;
        memset(mm, 0, sizeof mm);
        ifd_element_in in = {.t = t, .q = q + c, .qd = qd + c, .qdd = qd + c};
        ifd_element_out out = {.m = mm};
        element->ops->eval(element, &in, &out);
        for (int i = 0; i < nq; i++)
            for (int j = 0; j < nq; j++)
                for (int k = m->b_start[c + i]; k < m->b_start[c + i + 1]; k++)
                    for (int l = m->b_start[c + j]; l < m->b_start[c + j + 1]; l++)
                        M[m->b_dof[k] + m->b_dof[l] * N] +=
                            m->b_value[k] * m->b_value[l] * (mm[i + j * nq] - m->m0[m->mm_of[e] + i + j * nq]);
    }
    memcpy(a, F, N * sizeof *a);
    assert_int_equal(LAPACKE_dgesv(LAPACK_COL_MAJOR, N, 1, M, N, pivot, a, N), 0);
}

TEST_WITH(energy_changes_by_what_comes_in_and_what_is_dissipated, scene_open, scene_close)
{
    enum { N = 6, S = 8 };
    scene *s = *state;
    ifd_model *m = rich_model(s);
    double *w = ifd_arena_array(s->arena, ifd__model_work(m), sizeof *w), h = 1e-5, largest = 0.0;
    ifd__forms forms;
    assert_true(m->n == N && m->ns <= S);
    assert_int_equal(ifd__forms_make(s->arena, m, &forms), IFD_OK);
    for (int trial = 0; trial < 50; trial++) {
        double u[N], v[N], states[S], F[N], a[N], g[S], t = 1.0 + scene_random();
        for (int i = 0; i < N; i++) {
            u[i] = (i < 3 ? 0.1 : 2.0) * scene_random();
            v[i] = 2.0 * scene_random();
        }
        for (int i = 0; i < m->ns; i++)
            states[i] = 0.05 * scene_random();
        const ifd__point at = {.t = t, .u = u, .v = v, .s = states};
        ifd__model_balance(m, &at, F, g, w);
        accelerate(m, t, u, v, F, a);
        double total[2];
        ifd__energy now, moved;
        ifd__model_energy(m, &forms, &at, &now, w);
        for (int side = 0; side < 2; side++) {
            double d = side ? h : -h, u1[N], v1[N], s1[S];
            for (int i = 0; i < N; i++) {
                u1[i] = u[i] + d * v[i];
                v1[i] = v[i] + d * a[i];
            }
            for (int i = 0; i < m->ns; i++)
                s1[i] = states[i] + d * g[i];
            ifd__model_energy(m, &forms, &(ifd__point){.t = t + d, .u = u1, .v = v1, .s = s1}, &moved, w);
            total[side] = moved.kinetic + moved.stored;
        }
        double change = (total[1] - total[0]) / (2 * h);
        largest = fmax(largest, fabs(change));
        assert_near(change, now.input - now.dissipated, 1e-6 * (fabs(now.input) + fabs(now.dissipated)), "trial %d",
                    trial);
    }
    assert_true(largest > 10.0);
}

TEST_WITH(balance_is_load_less_resistance, scene_open, scene_close)
{
    scene *s = *state;
    int x = dof(s, "x", 2.0), refs[2] = {IFD_GROUND, x};
    ifd_builder_spring(s->builder, IFD_STIFFNESS, IFD_GROUND, x, 100);
    ifd_builder_spring(s->builder, IFD_DAMPING, IFD_GROUND, x, 5);
    ifd_builder_force(s->builder, x, scene_constant(s, 7.0));
    ifd_builder_initial(s->builder, x, 0.25, -0.5);
    scene_good(s, scene_element(s, "bouc-wen", "e", 1, refs, "stiffness", 40.0, "alpha", 0.25, "beta", 5.0, "gamma",
                                3.0, NULL));
    ifd_model *m = scene_model(s);
    double u = 0.1, v = 0.2, z = 0.04, F, g, *w = ifd_arena_array(s->arena, ifd__model_work(m), sizeof *w);
    ifd__model_balance(m, &(ifd__point){.u = &u, .v = &v, .s = &z}, &F, &g, w);
    assert_near(F, 7 - 10 - 1 - 40 * (0.25 * 0.1 + 0.75 * 0.04), 1e-14, "force");
    assert_near(g, 0.2 - 5 * 0.2 * 0.04 - 3 * 0.2 * 0.04, 1e-15, "rate");
    assert_near(m->u0[0], 0.25, 0.0, "u0");
    assert_near(m->v0[0], -0.5, 0.0, "v0");
    assert_int_equal(ifd_model_states(m), 1);
    assert_string_equal(ifd_model_element(m, 0)->name, "e");
}

/* A chain whose stiffness is unsymmetric in one entry. */
TEST_WITH(unsymmetric_matrices_are_taken_at_any_size, scene_open, scene_close)
{
    static const int size[] = {12, 501, 100000};
    scene *s = *state;
    for (size_t k = 0; k < COUNT(size); k++) {
        scene_restart(s);
        char name[16];
        for (int i = 0; i < size[k]; i++) {
            snprintf(name, sizeof name, "d%d", i);
            dof(s, name, 1.0);
        }
        ifd_builder_spring(s->builder, IFD_STIFFNESS, 3, 4, 100);
        ifd_builder_add(s->builder, IFD_STIFFNESS, 3, 4, 1e-6);
        ifd_model *m = scene_model(s);
        assert_null(s->note.remark_first);
        assert_false(m->symmetric);
        assert_near(ifd__sparse_get(&m->K, 3, 4), -100 + 1e-6, 1e-13, "above the diagonal");
        assert_near(ifd__sparse_get(&m->K, 4, 3), -100.0, 0.0, "below the diagonal");
    }
}

/* Each dof pushes the next one and is not pushed back: u_i = (1 + u_(i-1)) / 2, by the full and the sparse factor. */
TEST_WITH(static_displacements_of_an_unsymmetric_chain, scene_open, scene_close)
{
    static const int size[] = {500, 501, 20000};
    scene *s = *state;
    for (size_t k = 0; k < COUNT(size); k++) {
        scene_restart(s);
        char name[16];
        for (int i = 0; i < size[k]; i++) {
            snprintf(name, sizeof name, "d%d", i);
            dof(s, name, 1.0);
            ifd_builder_add(s->builder, IFD_STIFFNESS, i, i, 2.0);
            if (i)
                ifd_builder_add(s->builder, IFD_STIFFNESS, i, i - 1, -1.0);
            ifd_builder_force(s->builder, i, scene_constant(s, 1.0));
        }
        ifd_model *m = scene_model(s);
        double *u = ifd_arena_array(s->arena, (size_t)size[k], sizeof *u), expected = 0.0;
        scene_good(s, ifd_model_static(m, 0.0, s->arena, u, &s->note));
        for (int i = 0; i < size[k]; i++) {
            expected = 0.5 * (1.0 + expected);
            assert_near(u[i], expected, 1e-14, "dof %d of %d", i, size[k]);
        }
    }
}

TEST_WITH(symmetry_within_round_off_is_made_exact, scene_open, scene_close)
{
    scene *s = *state;
    dof(s, "a", 1.0);
    dof(s, "b", 1.0);
    ifd_builder_spring(s->builder, IFD_STIFFNESS, 0, 1, 100);
    ifd_builder_add(s->builder, IFD_STIFFNESS, 0, 1, 8e-11);
    ifd_model *m = scene_model(s);
    assert_true(m->symmetric);
    assert_near(ifd__sparse_get(&m->K, 1, 0), -100 + 4e-11, 1.5e-14, "the mean");
}

TEST_WITH(bad_masses_are_refused_by_the_name_of_their_dof, scene_open, scene_close)
{
    scene *s = *state;
    dof(s, "a", 1.0);
    dof(s, "b", -2.0);
    scene_refused(s, IFD_NOT_POSITIVE, "the mass of dof 'b' is negative: -2");

    scene_restart(s);
    dof(s, "a", 1.0);
    dof(s, "b", 1.0);
    ifd_builder_add(s->builder, IFD_MASS, 0, 1, 0.5);
    scene_refused(s, IFD_NOT_SYMMETRIC, "the mass matrix is not symmetric");

    scene_restart(s);
    dof(s, "a", 1.0);
    dof(s, "b", 1.0);
    ifd_builder_spring(s->builder, IFD_MASS, 0, 1, -0.6);
    scene_refused(s, IFD_NOT_POSITIVE, "not positive definite at dof 'b'");

    scene_restart(s);
    dof(s, "a", 1.0);
    dof(s, "b", 0.0);
    ifd_builder_add(s->builder, IFD_MASS, 0, 1, 0.5);
    ifd_builder_add(s->builder, IFD_MASS, 1, 0, 0.5);
    scene_refused(s, IFD_NOT_POSITIVE, "dof 'b' has no mass, but its mass is coupled to dof 'a'");

    /* the base mass of a pendulum is positive, its true mass at rest on a massless pivot is not */
    scene_restart(s);
    int x = dof(s, "x", 0.0), angle = ifd_builder_dof(s->builder, "angle", IFD_DOF_ANGLE);
    int refs[4] = {IFD_GROUND, x, IFD_GROUND, angle};
    scene_good(s, scene_element(s, "pendulum", "bob", 2, refs, "mass", 1.0, "length", 1.0, NULL));
    scene_refused(s, IFD_NOT_POSITIVE, "not positive definite at dof 'angle'");
}

TEST_WITH(numbers_that_are_none_are_refused, scene_open, scene_close)
{
    scene *s = *state;
    dof(s, "a", 1.0);
    dof(s, "b", 1.0);
    ifd_builder_spring(s->builder, IFD_STIFFNESS, 0, 1, (double)NAN);
    scene_refused(s, IFD_NOT_FINITE, "the stiffness between 'a' and 'a'");
    scene_restart(s);
    dof(s, "a", 1.0);
    ifd_builder_initial(s->builder, 0, 0.0, (double)INFINITY);
    scene_refused(s, IFD_NOT_FINITE, "initial state of dof 'a'");
    scene_restart(s);
    dof(s, "a", 1.0);
    ifd_builder_rayleigh(s->builder, (double)NAN, 0.0);
    scene_refused(s, IFD_NOT_FINITE, "Rayleigh");
    scene_restart(s);
    scene_refused(s, IFD_RANGE, "no degrees of freedom");
    scene_restart(s);
    int keep = 4;
    dof(s, "a", 1.0);
    ifd_builder_keep(s->builder, 1, &keep);
    scene_refused(s, IFD_RANGE, "a dof to keep");
}

TEST_WITH(settle_clamps_the_states_of_every_element, scene_open, scene_close)
{
    scene *s = *state;
    int x = dof(s, "x", 1.0), refs[2] = {IFD_GROUND, x};
    for (int i = 0; i < 2; i++)
        scene_good(s, scene_element(s, "bilinear", i ? "second" : "first", 1, refs, "stiffness", 10.0, "yield",
                                    0.1 * (i + 1), NULL));
    ifd_model *m = scene_model(s);
    double states[2] = {0.5, 0.15}, rate[2] = {1, 1}, pseudo[2] = {1, 1};
    ifd__model_settle(m, states, rate, pseudo);
    assert_near(states[0], 0.1, 1e-15, "clamped");
    assert_near(states[1], 0.15, 0.0, "inside");
    assert_true(rate[0] == 0.0 && rate[1] == 1.0 && pseudo[0] == 0.0);
    ifd__model_settle(m, states, NULL, NULL);
}

/* Builds a model with a bit of everything; the n-th take of the arena (or, below zero,
 * of the scratch arena) fails. */
static ifd_status build_failing(long n, const ifd_signal *signal, scene *s)
{
    ifd_arena *arena = ifd_arena_open(), *scratch = ifd_arena_open();
    ifd_arena_fail_at(n > 0 ? arena : scratch, n > 0 ? n : -n);
    ifd_builder *b = ifd_builder_make(arena);
    ifd_grid grid;
    ifd_frame frame;
    ifd_model *m = NULL;
    ifd_modes modes;
    double zeta = 0.02;
    ifd_grid_defaults(&grid);
    grid.lumped = true;
    ifd_status status = ifd_frame_grid(arena, &grid, &frame, NULL);
    if (status == IFD_OK)
        status = ifd_builder_frame(b, &frame, NULL);
    if (status == IFD_OK) {
        int angle = ifd_builder_dof(b, "angle", IFD_DOF_ANGLE), ref = 0;
        int base = ifd_builder_support(b, "base", signal);
        (void)ifd_builder_find(b, "s1c1.x", &ref);
        ifd_builder_spring(b, IFD_STIFFNESS, ref, base, 1e5);
        ifd_builder_force(b, ref, signal);
        ifd_builder_ground(b, IFD_DOF_X, signal);
        ifd_builder_modal(b, 1, &zeta, true);
        scene inner = {.arena = s->arena, .builder = b, .note = s->note};
        int refs[4] = {IFD_GROUND, ref, IFD_GROUND, angle}, pair[2] = {IFD_GROUND, ref};
        (void)scene_element(&inner, "pendulum", "bob", 2, refs, "mass", 0.1, "length", 0.2, NULL);
        (void)scene_element(&inner, "bouc-wen", "bw", 1, pair, "stiffness", 1e5, "beta", 5.0, "gamma", 3.0, NULL);
        (void)scene_element(&inner, "spring", "k", 1, pair, "stiffness", 1e5, NULL);
        status = ifd__model_make(arena, scratch, b, &m, NULL);
    }
    if (status == IFD_OK)
        status = ifd_model_modes(m, IFD_DOF_X, 2, arena, &modes, NULL);
    double u[32];
    if (status == IFD_OK)
        status = ifd_model_static(m, 0.0, arena, u, NULL);
    ifd_arena_close(arena);
    ifd_arena_close(scratch);
    return status;
}

TEST_WITH(memory_that_runs_out_anywhere_is_reported, scene_open, scene_close)
{
    scene *s = *state;
    const ifd_signal *signal = scene_constant(s, 1.0);
    for (int sign = -1; sign <= 1; sign += 2) {
        long n = 1;
        ifd_status status;
        while ((status = build_failing(sign * n, signal, s)) == IFD_NO_MEMORY)
            n++;
        assert_int_equal(status, IFD_OK);
        assert_true(n > 50);
    }
    ifd_model *m;
    assert_int_equal(ifd_model_make(s->arena, NULL, &m, NULL), IFD_NO_MEMORY);
}

TESTS()
