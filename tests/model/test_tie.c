/* SPDX-License-Identifier: MIT */
/* Ties against a dense computation: the constraints G u = 0 as a matrix, their slaves solved by LAPACK, and their
 * null space by a singular value decomposition. */
#include "scene.h"

#include "model/build/system.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 24, SLAVES = 9, MASTERS = N - SLAVES, SUPPORTS = 2, SIZES = 3 };

/* A random structure: matrices over dofs and supports, ties of the dofs slave[], whose coefficients are G. */
typedef struct random_structure {
    double A[3][N * (N + SUPPORTS)];
    double S[SLAVES * N];         /* by columns: u_slave = S u */
    int slave[SLAVES], number[N]; /* number: of a master in the model, -1 for a slave */
    double T[N * MASTERS];
    ifd_dof_kind kind[N];
} random_structure;

static void put(random_structure *r, scene *s, ifd_matrix_kind which, int i, int j, double value)
{
    ifd_builder_add(s->builder, which, i, j < N ? j : IFD_SUPPORT(j - N), value);
    r->A[which][i + j * N] += value;
}

static void put_both(random_structure *r, scene *s, ifd_matrix_kind which, int i, int j, double value)
{
    put(r, s, which, i, i, value);
    put(r, s, which, j, j, value);
    put(r, s, which, i, j, -value);
    put(r, s, which, j, i, -value);
}

static void fill(random_structure *r, scene *s)
{
    for (int i = 0; i < N; i++) {
        r->kind[i] = (ifd_dof_kind)(i % 4 == 3 ? IFD_DOF_RZ : i % 4);
        assert_int_equal(ifd_builder_dof(s->builder, ifd_arena_print(s->arena, "d%d", i), r->kind[i]), i);
    }
    for (int j = 0; j < SUPPORTS; j++)
        ifd_builder_support(s->builder, j ? "second" : "first", scene_sine(s, 0.1, 1.0 + j));
    for (int i = 0; i < N; i++)
        for (int which = 0; which < 3; which++) {
            double size = which == IFD_STIFFNESS ? 1e6 : 1e3;
            put(r, s, (ifd_matrix_kind)which, i, i, size * (1.5 + scene_random()));
            for (int j = i + 1; j < N; j += 1 + (i + which) % 3)
                put_both(r, s, (ifd_matrix_kind)which, i, j, 0.3 * size * (1.0 + scene_random()));
            put(r, s, (ifd_matrix_kind)which, i, N + i % SUPPORTS, -0.2 * size);
        }
}

/* Slave 3 k, from the last to the first, of masters and of slaves with a larger number: ties in any order. */
static void tie(random_structure *r, scene *s)
{
    for (int k = 0; k < SLAVES; k++)
        r->slave[k] = 2 * k + 1;
    for (int k = 0; k < SLAVES; k++) {
        int ref[N], count = 0;
        double value[N];
        for (int j = 0; j < N; j++)
            if ((j > r->slave[k] && j % 2 == 1 && j <= 2 * SLAVES) || (j % 2 == 0 && (j + k) % 3 == 0)) {
                ref[count] = j;
                value[count] = scene_random();
                r->S[k + SLAVES * j] = value[count++];
            }
        ifd_builder_tie(s->builder, &(ifd_tie){.slave = r->slave[k], .of = {count, ref, value}});
    }
    int next = 0;
    for (int i = 0; i < N; i++)
        r->number[i] = i % 2 == 1 && i < 2 * SLAVES ? -1 : next++;
    assert_int_equal(next, MASTERS);
}

/* (I - S_ss) u_s = S_sm z */
static void solve_T(random_structure *r)
{
    double left[SLAVES * SLAVES] = {0.0}, right[SLAVES * MASTERS] = {0.0};
    int pivot[SLAVES];
    for (int k = 0; k < SLAVES; k++) {
        for (int l = 0; l < SLAVES; l++)
            left[k + SLAVES * l] = (k == l) - r->S[k + SLAVES * r->slave[l]];
        for (int j = 0; j < N; j++)
            if (r->number[j] >= 0)
                right[k + SLAVES * r->number[j]] = r->S[k + SLAVES * j];
    }
    assert_int_equal(LAPACKE_dgesv(LAPACK_COL_MAJOR, SLAVES, MASTERS, left, SLAVES, pivot, right, SLAVES), 0);
    for (int i = 0; i < N; i++)
        if (r->number[i] >= 0)
            r->T[i + N * r->number[i]] = 1.0;
    for (int k = 0; k < SLAVES; k++)
        for (int z = 0; z < MASTERS; z++)
            r->T[r->slave[k] + N * z] = right[k + SLAVES * z];
}

static random_structure *random_open(scene *s)
{
    random_structure *r = ifd_arena_take(s->arena, sizeof *r);
    fill(r, s);
    tie(r, s);
    solve_T(r);
    return r;
}

/* out (MASTERS x columns) := T^T A (N x columns) */
static void project(const random_structure *r, const double *A, int columns, double *out)
{
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, MASTERS, columns, N, 1.0, r->T, N, A, N, 0.0, out, MASTERS);
}

static void same_matrix(const random_structure *r, int which, const ifd_sparse *A)
{
    double half[N * MASTERS], whole[MASTERS * MASTERS], most = 0.0;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, N, MASTERS, N, 1.0, r->A[which], N, r->T, N, 0.0, half, N);
    project(r, half, MASTERS, whole);
    for (int i = 0; i < MASTERS * MASTERS; i++)
        most = fmax(most, fabs(whole[i]));
    for (int j = 0; j < MASTERS; j++)
        for (int i = 0; i < MASTERS; i++) {
            double value = ifd__sparse_get(A, i, j);
            assert_near(value, whole[i + j * MASTERS], 1e-13 * most, "matrix %d (%d, %d)", which, i, j);
        }
}

static void same_columns(const random_structure *r, int which, const double *As)
{
    double out[MASTERS * SUPPORTS];
    project(r, r->A[which] + N * N, SUPPORTS, out);
    for (int i = 0; i < MASTERS * SUPPORTS; i++)
        assert_near(As[i], -out[i], 1e-7, "column %d of a support, entry %d", which, i);
}

TEST_WITH(matrices_and_loads_are_those_of_the_masters, scene_open, scene_close)
{
    scene *s = *state;
    random_structure *r = random_open(s);
    ifd_builder_ground(s->builder, IFD_DOF_Y, scene_sine(s, 1.0, 1.0));
    for (int i = 0; i < N; i++)
        ifd_builder_force(s->builder, i, scene_constant(s, 1.0 + i));
    const ifd_model *m = scene_model(s);
    assert_int_equal(ifd_model_dofs(m), MASTERS);
    same_matrix(r, IFD_MASS, &m->M);
    same_matrix(r, IFD_DAMPING, &m->C);
    same_matrix(r, IFD_STIFFNESS, &m->K);
    same_columns(r, IFD_MASS, m->Ms);
    same_columns(r, IFD_DAMPING, m->Cs);
    same_columns(r, IFD_STIFFNESS, m->Ks);
    /* -T^T M iota, iota of all dofs; T^T P */
    double all[N] = {0.0}, p[MASTERS], P[MASTERS], load[N];
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            all[i] -= r->kind[j] == IFD_DOF_Y ? r->A[IFD_MASS][i + j * N] : 0.0;
    project(r, all, 1, p);
    for (int i = 0; i < N; i++)
        load[i] = 1.0 + i;
    project(r, load, 1, P);
    for (int i = 0; i < m->nload; i++)
        for (int l = 0; l < m->load[i].count; l++)
            P[m->load[i].dof[l]] -= (1.0 + i) * m->load[i].value[l];
    for (int z = 0; z < MASTERS; z++) {
        assert_near(m->ground[IFD_DOF_Y].p[z], p[z], 1e-9, "ground load %d", z);
        assert_near(P[z], 0.0, 1e-11, "load %d", z);
    }
}

/* Frequencies from an orthonormal basis of the null space of G, which knows neither slaves nor masters. */
TEST_WITH(frequencies_are_those_of_the_null_space_of_the_constraints, scene_open, scene_close)
{
    scene *s = *state;
    random_structure *r = random_open(s);
    double G[SLAVES * N], sigma[N], V[N * N], half[N * MASTERS], M[MASTERS * MASTERS], K[MASTERS * MASTERS],
        w[MASTERS];
    for (int k = 0; k < SLAVES; k++)
        for (int j = 0; j < N; j++)
            G[k + SLAVES * j] = (double)(j == r->slave[k]) - r->S[k + SLAVES * j];
    assert_int_equal(LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'A', SLAVES, N, G, SLAVES, sigma,
                                    (double[SLAVES * SLAVES]){0.0}, SLAVES, V, N),
                     0);
    for (int i = 0; i < N; i++) /* rows of V^T behind the first ones */
        for (int z = 0; z < MASTERS; z++)
            r->T[i + N * z] = V[SLAVES + z + N * i];
    for (int which = 0; which < 3; which += 2) {
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, N, MASTERS, N, 1.0, r->A[which], N, r->T, N, 0.0, half,
                    N);
        project(r, half, MASTERS, which ? K : M);
    }
    assert_int_equal(LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, 'N', 'L', MASTERS, K, MASTERS, M, MASTERS, w), 0);
    ifd_modes modes;
    scene_good(s, ifd_model_modes(scene_model(s), IFD_DOF_X, MASTERS, s->arena, &modes, &s->note));
    assert_int_equal(modes.count, MASTERS);
    for (int i = 0; i < MASTERS; i++)
        assert_near_rel(modes.frequency[i], sqrt(w[i]) / (2.0 * acos(-1.0)), 1e-10, "mode %d", i + 1);
}

/* T^T A T adds the products of (i, j) and (j, i) in different orders. */
TEST_WITH(tied_matrices_stay_symmetric_to_the_last_bit, scene_open, scene_close)
{
    scene *s = *state;
    random_structure *r = random_open(s);
    ifd__system system;
    ifd__rows T;
    int *dof = ifd_arena_array(s->arena, MASTERS, sizeof *dof), at = 0;
    scene_good(s, ifd__system_make(s->arena, s->builder, &system, &s->note));
    scene_good(s, ifd__rows_take(s->arena, N, N * MASTERS, &T));
    for (int i = 0; i < N; i++) {
        for (int z = 0; z < MASTERS; z++, at++) {
            T.column[at] = z;
            T.value[at] = r->T[i + N * z];
        }
        T.start[i + 1] = at;
    }
    scene_good(s, ifd__system_tie(s->arena, &T, MASTERS, dof, &system));
    for (int which = 0; which < 3; which++)
        for (int j = 0; j < MASTERS; j++)
            for (int i = 0; i < j; i++)
                assert_near(ifd__sparse_get(&system.A[which], i, j), ifd__sparse_get(&system.A[which], j, i), 0.0,
                            "matrix %d (%d, %d)", which, i, j);
}

/* Random elements at slaves: their coordinates over masters. */
TEST_WITH(elements_act_through_the_masters, scene_open, scene_close)
{
    scene *s = *state;
    random_structure *r = random_open(s);
    int ends[3][2] = {{1, 2}, {5, 7}, {IFD_GROUND, 9}};
    for (int e = 0; e < 3; e++)
        scene_good(s, scene_element(s, "cubic-spring", ifd_arena_print(s->arena, "e%d", e), 1, ends[e], "stiffness",
                                    1e5, "epsilon", 1e6, NULL));
    const ifd_model *m = scene_model(s);
    assert_int_equal(m->nq, 3);
    for (int e = 0; e < 3; e++) {
        int to = ends[e][1], from = ends[e][0];
        double row[MASTERS] = {0.0};
        for (int k = m->b_start[e]; k < m->b_start[e + 1]; k++)
            row[m->b_dof[k]] += m->b_value[k];
        for (int z = 0; z < MASTERS; z++)
            assert_near(row[z], r->T[to + N * z] - (from >= 0 ? r->T[from + N * z] : 0.0), 1e-14,
                        "element %d, master %d", e, z);
        for (int d = 0; d < 3; d++) /* the ground moves all dofs, also on a slope */
            assert_near(m->ground[d].q[e],
                        (double)((int)r->kind[to] == d) - (double)(from >= 0 && (int)r->kind[from] == d), 1e-14,
                        "element %d, ground %d", e, d);
    }
}

static void tie_pair(scene *s, int slave, int of, double factor)
{
    ifd_builder_tie(s->builder, &(ifd_tie){.slave = slave, .of = {1, &of, &factor}});
}

static void three_masses(scene *s)
{
    static const char *const name[] = {"a", "b", "c"};
    scene_restart(s);
    for (int i = 0; i < 3; i++) {
        int d = ifd_builder_dof(s->builder, name[i], IFD_DOF_X);
        ifd_builder_add(s->builder, IFD_MASS, d, d, 2.0);
        ifd_builder_spring(s->builder, IFD_STIFFNESS, IFD_GROUND, d, 100.0);
    }
}

TEST_WITH(wrong_ties_are_refused_with_both_names, scene_open, scene_close)
{
    scene *s = *state;
    three_masses(s);
    tie_pair(s, 0, 1, 1.0);
    tie_pair(s, 0, 2, 1.0);
    scene_refused(s, IFD_CONFLICT, "'a' is the slave of two ties");
    three_masses(s);
    tie_pair(s, 0, 1, 1.0);
    tie_pair(s, 1, 2, 1.0);
    tie_pair(s, 2, 0, 0.5);
    scene_refused(s, IFD_CONFLICT, "'a' (line 0) needs 'b' (line 0) needs 'c' (line 0) needs 'a'");
    three_masses(s);
    tie_pair(s, 1, 1, 1.0);
    scene_refused(s, IFD_CONFLICT, "ties depend on each other: 'b' (line 0) needs 'b'");
    three_masses(s);
    tie_pair(s, 1, 0, (double)NAN);
    scene_refused(s, IFD_NOT_FINITE, "coefficient of tie 'b'");
    three_masses(s);
    tie_pair(s, 1, 0, 1.0);
    ifd_builder_initial(s->builder, 1, 0.0, 0.1);
    scene_refused(s, IFD_CONFLICT, "'b' is the slave of a tie: its initial state");
    three_masses(s);
    tie_pair(s, 1, 0, 1.0);
    ifd_builder_keep(s->builder, 1, (int[]){1});
    scene_refused(s, IFD_CONFLICT, "'keep' has 'b', which is the slave of tie 'b'");
}

/* c = b = a, in any order of the ties: one mass of 6 kg on springs of 300 N/m; with condensation of nothing else. */
TEST_WITH(a_master_may_be_a_slave, scene_open, scene_close)
{
    scene *s = *state;
    for (int order = 0; order < 2; order++) {
        three_masses(s);
        tie_pair(s, order ? 1 : 2, order ? 0 : 1, 1.0);
        tie_pair(s, order ? 2 : 1, order ? 1 : 0, 1.0);
        const ifd_model *m = scene_model(s);
        assert_int_equal(m->n, 1);
        assert_near(ifd__sparse_get(&m->M, 0, 0), 6.0, 0.0, "mass");
        assert_near(ifd__sparse_get(&m->K, 0, 0), 300.0, 0.0, "stiffness");
        assert_int_equal(m->ngone, 2);
        const double u = 0.25;
        for (int i = 0; i < 2; i++) {
            assert_true(ifd__model_gone_follows(m, i));
            assert_near(ifd__model_gone(m, i, 0.0, &u, NULL), 0.25, 0.0, "slave %d", i);
        }
        double c = 0.0;
        assert_true(ifd_model_displacement(m, "c", &u, &c));
        assert_near(c, 0.25, 0.0, "slave by name");
        assert_false(ifd_model_displacement(m, "d", &u, &c));
    }
}

/* A mass of 5 t at (0.5, 0.2) m from the head of a column: its translations become the dofs, the rotation of the head
 * follows statically. Frequencies of the two dofs from the stiffness of the column, turned by hand. */
TEST_WITH(a_master_without_mass_changes_places_with_the_mass, scene_open, scene_close)
{
    static const char *const name[] = {"c.x", "c.y", "c.rz", "g.x", "g.y", "g.rz"};
    static const ifd_dof_kind kind[] = {IFD_DOF_X, IFD_DOF_Y, IFD_DOF_RZ};
    const double EI = 210e9 * 3692e-8, EA = 210e9 * 64.3e-4, L = 3.0, rx = 0.5, ry = 0.2, m = 5e3, one = 1.0;
    scene *s = *state;
    for (int i = 0; i < 6; i++)
        assert_int_equal(ifd_builder_dof(s->builder, name[i], kind[i % 3]), i);
    ifd_builder_add(s->builder, IFD_STIFFNESS, 0, 0, 12.0 * EI / (L * L * L));
    ifd_builder_add(s->builder, IFD_STIFFNESS, 0, 2, 6.0 * EI / (L * L));
    ifd_builder_add(s->builder, IFD_STIFFNESS, 2, 0, 6.0 * EI / (L * L));
    ifd_builder_add(s->builder, IFD_STIFFNESS, 2, 2, 4.0 * EI / L);
    ifd_builder_add(s->builder, IFD_STIFFNESS, 1, 1, EA / L);
    ifd_builder_add(s->builder, IFD_MASS, 3, 3, m);
    ifd_builder_add(s->builder, IFD_MASS, 4, 4, m);
    ifd_builder_tie(s->builder, &(ifd_tie){.slave = 3, .of = {2, (int[]){0, 2}, (double[]){1.0, -ry}}});
    ifd_builder_tie(s->builder, &(ifd_tie){.slave = 4, .of = {2, (int[]){1, 2}, (double[]){1.0, rx}}});
    ifd_builder_tie(s->builder, &(ifd_tie){.slave = 5, .of = {1, (int[]){2}, &one}});
    const ifd_model *model = scene_model(s);
    assert_non_null(scene_remark(s, "'c.x' has no mass of its own and follows 'g.x'"));
    assert_int_equal(model->n, 2);
    assert_string_equal(ifd_model_dof_name(model, 0), "g.x");
    /* flexibility of the head, and of the point at (rx, ry) from it */
    const double f = L * L * L / (3.0 * EI), g = -L * L / (2.0 * EI), h = L / EI;
    const double xx = f - 2.0 * ry * g + ry * ry * h, xy = rx * g - rx * ry * h, yy = L / EA + rx * rx * h;
    const double half = 0.5 * m * (xx + yy), root = sqrt(half * half - m * m * (xx * yy - xy * xy));
    ifd_modes modes;
    scene_good(s, ifd_model_modes(model, IFD_DOF_X, 2, s->arena, &modes, &s->note));
    assert_near_rel(modes.frequency[0], 1.0 / (2.0 * acos(-1.0) * sqrt(half + root)), 1e-12, "first frequency");
    assert_near_rel(modes.frequency[1], 1.0 / (2.0 * acos(-1.0) * sqrt(half - root)), 1e-12, "second frequency");
    assert_near_rel(modes.frequency[0], 1.84614169, 5e-9, "of the specification");
    assert_near_rel(modes.frequency[1], 15.535163, 5e-9, "of the specification");
}

TESTS()
