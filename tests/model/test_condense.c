/* SPDX-License-Identifier: MIT */
#include "scene.h"

#include <lapacke.h>
#include <stdlib.h>

static int dof(scene *s, const char *name, double mass)
{
    int i = ifd_builder_dof(s->builder, name, IFD_DOF_X);
    assert_true(i >= 0);
    ifd_builder_add(s->builder, IFD_MASS, i, i, mass);
    return i;
}

/* A chain of n masses with random springs to each other and to the ground, the masses marked by zero left out. */
static void random_chain(scene *s, int n, const bool *massless)
{
    char name[16];
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "d%d", i);
        dof(s, name, massless[i] ? 0.0 : 2.0 + scene_random());
    }
    for (int i = 0; i < n; i++)
        for (int j = i - 1; j >= IFD_GROUND && j >= i - 3; j--)
            ifd_builder_spring(s->builder, IFD_STIFFNESS, j, i, 1e4 * (2.0 + scene_random()));
}

static void build_bridge(scene *s)
{
    enum { NODES = 16 };
    ifd_frame frame;
    ifd_frame_node node[NODES];
    ifd_frame_member member[NODES - 1];
    ifd_frame_support support[NODES];
    ifd_frame_defaults(&frame);
    for (int i = 0; i < NODES; i++) {
        node[i] = (ifd_frame_node){.name = ifd_arena_print(s->arena, "deck%d", i + 1), .x = 8.0 * i};
        support[i] = (ifd_frame_support){.node = i, .fixed = IFD_FIX_X};
    }
    for (int i = 0; i < NODES - 1; i++)
        member[i] = (ifd_frame_member){
            .from = i, .to = i + 1, .section = {.A = 1, .Iz = 1}, .material = {.E = 2.04e12}, .added_mass = 15000};
    frame.nodes = frame.supports = NODES;
    frame.members = NODES - 1;
    frame.node = node;
    frame.member = member;
    frame.support = support;
    scene_good(s, ifd_builder_frame(s->builder, &frame, &s->note));
    static const char *const deck[4] = {"deck1.y", "deck6.y", "deck11.y", "deck16.y"};
    int keep[6], below[4] = {IFD_GROUND, 0, 0, IFD_GROUND};
    below[1] = keep[4] = ifd_builder_dof(s->builder, "pier1", IFD_DOF_Y);
    below[2] = keep[5] = ifd_builder_dof(s->builder, "pier2", IFD_DOF_Y);
    ifd_builder_add(s->builder, IFD_MASS, keep[4], keep[4], 3.0e5);
    ifd_builder_add(s->builder, IFD_MASS, keep[5], keep[5], 3.4e5);
    ifd_builder_spring(s->builder, IFD_STIFFNESS, IFD_GROUND, keep[4], 4.0e8);
    ifd_builder_spring(s->builder, IFD_STIFFNESS, IFD_GROUND, keep[5], 3.2e8);
    ifd_builder_spring(s->builder, IFD_DAMPING, IFD_GROUND, keep[4], 1.1e6);
    ifd_builder_spring(s->builder, IFD_DAMPING, IFD_GROUND, keep[5], 1.0e6);
    for (int i = 0; i < 4; i++) {
        assert_true(ifd_builder_find(s->builder, deck[i], &keep[i]));
        ifd_builder_spring(s->builder, IFD_STIFFNESS, below[i], keep[i], 2 * (6.67e7 + 1.15e6 + 5e5));
    }
    ifd_builder_keep(s->builder, 6, keep);
}

TEST_WITH(bridge_has_the_known_frequencies, scene_open, scene_close)
{
    static const double hertz[] = {2.19602341, 3.24669437, 5.24924623};
    scene *s = *state;
    build_bridge(s);
    ifd_model *m = scene_model(s);
    assert_int_equal(ifd_model_dofs(m), 6);
    assert_int_equal(m->ngone, 28);
    assert_non_null(scene_remark(s, "6 dofs kept, 28 condensed"));
    ifd_modes modes;
    scene_good(s, ifd_model_modes(m, IFD_DOF_Y, 3, s->arena, &modes, &s->note));
    for (int i = 0; i < 3; i++)
        assert_near_rel(modes.frequency[i], hertz[i], 5e-9, "mode %d", i + 1);
    assert_near_rel(modes.total_mass, 15000 * 120 + 6.4e5, 1e-12, "all of the mass moves");
    /* relative to the ground, the load of the kept dofs is -M 1 */
    double one[6] = {1, 1, 1, 1, 1, 1}, y[6] = {0};
    ifd__sparse_mul_add(&m->M, 1.0, one, y);
    for (int i = 0; i < 6; i++)
        assert_near_rel(m->ground[IFD_DOF_Y].p[i], -y[i], 1e-9, "load of dof %d", i);
}

/* T and T^T A T, computed again by dense algebra on the unreduced matrices. */
TEST_WITH(guyan_equals_the_dense_projection, scene_open, scene_close)
{
    enum { N = 9, K = 4, S = N - K };
    static const int keep[K] = {1, 3, 4, 8};
    static const bool none[N] = {false};
    scene *s = *state;
    random_chain(s, N, none);
    for (int i = 0; i < N - 1; i++) {
        ifd_builder_spring(s->builder, IFD_DAMPING, i, i + 1, 10.0 + 5.0 * scene_random());
        ifd_builder_spring(s->builder, IFD_MASS, i, i + 1, 0.5 + 0.2 * scene_random());
    }
    ifd_model *full = scene_model(s);
    ifd_builder_keep(s->builder, K, keep);
    ifd_model *m = scene_model(s);
    int slave[S], at = 0;
    double T[N][K] = {{0}}, Kss[S * S], X[S * K];
    for (int i = 0; i < N; i++) {
        bool kept = false;
        for (int k = 0; k < K; k++)
            if (keep[k] == i) {
                T[i][k] = 1.0;
                kept = true;
            }
        if (!kept)
            slave[at++] = i;
    }
    assert_int_equal(at, S);
    for (int j = 0; j < S; j++) {
        for (int i = 0; i < S; i++)
            Kss[i + j * S] = ifd__sparse_get(&full->K, slave[i] > slave[j] ? slave[i] : slave[j],
                                             slave[i] > slave[j] ? slave[j] : slave[i]);
        for (int k = 0; k < K; k++)
            X[j + k * S] = -ifd__sparse_get(&full->K, slave[j] > keep[k] ? slave[j] : keep[k],
                                            slave[j] > keep[k] ? keep[k] : slave[j]);
    }
    lapack_int pivot[S];
    assert_int_equal(LAPACKE_dgesv(LAPACK_COL_MAJOR, S, K, Kss, S, pivot, X, S), 0);
    for (int j = 0; j < S; j++)
        for (int k = 0; k < K; k++)
            T[slave[j]][k] = X[j + k * S];
    const ifd_sparse *A[3] = {&full->M, &full->C, &full->K}, *R[3] = {&m->M, &m->C, &m->K};
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < K; k++)
            for (int l = 0; l <= k; l++) {
                double sum = 0.0, scale = ifd__sparse_get(R[a], k, k);
                for (int i = 0; i < N; i++)
                    for (int j = 0; j < N; j++)
                        sum += T[i][k] * ifd__sparse_get(A[a], i > j ? i : j, i > j ? j : i) * T[j][l];
                assert_near(ifd__sparse_get(R[a], k, l), sum, 1e-13 * scale, "matrix %d entry %d, %d", a, k, l);
            }
    /* the rows that give the condensed displacements back */
    for (int g = 0; g < m->ngone; g++)
        for (int k = m->gone_start[g]; k < m->gone_start[g + 1]; k++)
            assert_near(m->gone_value[k], T[slave[g]][m->gone_dof[k]], 1e-13, "%s", m->gone[g]);
}

/* Displacements of all dofs under forces on all of them, from the unreduced stiffness. */
TEST_WITH(massless_condensation_equals_the_full_static_result, scene_open, scene_close)
{
    enum { N = 12 };
    static const bool none[N] = {false};
    bool massless[N] = {false};
    scene *s = *state;
    double whole[N], reduced[N];
    for (int i = 0; i < N; i++)
        massless[i] = i % 3 == 1 || i == 6;
    for (int pass = 0; pass < 2; pass++) {
        static double stiffness[200], force[N];
        int at = 0;
        scene_restart(s);
        for (int i = 0; i < N; i++) {
            char name[16];
            snprintf(name, sizeof name, "d%d", i);
            dof(s, name, (pass ? massless : none)[i] ? 0.0 : 1.0);
            force[i] = pass ? force[i] : 100 * scene_random();
            ifd_builder_force(s->builder, i, scene_constant(s, force[i]));
        }
        for (int i = 0; i < N; i++)
            for (int j = i - 1; j >= IFD_GROUND && j >= i - 3; j--, at++) {
                stiffness[at] = pass ? stiffness[at] : 1e4 * (2.0 + scene_random());
                ifd_builder_spring(s->builder, IFD_STIFFNESS, j, i, stiffness[at]);
            }
        ifd_model *m = scene_model(s);
        assert_int_equal(ifd_model_dofs(m), pass ? 7 : N);
        scene_good(s, ifd_model_static(m, 0.0, s->arena, pass ? reduced : whole, &s->note));
        for (int i = 0; pass && i < m->n; i++) {
            int full = atoi(ifd_model_dof_name(m, i) + 1);
            assert_near_rel(reduced[i], whole[full], 1e-11, "%s", ifd_model_dof_name(m, i));
        }
    }
    assert_non_null(scene_remark(s, "5 dofs without mass condensed: d1, d4, d6, d7, d10"));
}

TEST_WITH(condensed_dofs_follow_supports, scene_open, scene_close)
{
    scene *s = *state;
    int a = dof(s, "a", 2.0), between = dof(s, "between", 0.0);
    int base = ifd_builder_support(s->builder, "base", scene_constant(s, 0.01));
    ifd_builder_spring(s->builder, IFD_STIFFNESS, base, between, 300);
    ifd_builder_spring(s->builder, IFD_STIFFNESS, between, a, 600);
    ifd_builder_rayleigh(s->builder, 0.0, 0.05);
    ifd_model *m = scene_model(s);
    assert_int_equal(m->n, 1);
    assert_near_rel(ifd__sparse_get(&m->K, 0, 0), 200.0, 1e-14, "springs in a row");
    assert_near_rel(m->Ks[0], 200.0, 1e-14, "support");
    assert_near_rel(m->Cs[0], 10.0, 1e-14, "support, damping");
    assert_int_equal(m->gone_start[1], 2);
    double u = 0.07, back = 0.0;
    for (int k = 0; k < 2; k++)
        back += m->gone_value[k] * (m->gone_dof[k] == 0 ? u : 0.01);
    assert_near(back, (600 * u + 300 * 0.01) / 900, 1e-16, "displacement between");
    assert_null(scene_remark(s, "not proportional"));
}

TEST_WITH(separate_blocks_leave_a_large_model_sparse, scene_open, scene_close)
{
    enum { N = 3000 };
    scene *s = *state;
    char name[16];
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "d%d", i);
        dof(s, name, i % 3 == 1 ? 0.0 : 1.0);
    }
    for (int i = 0; i < N; i++)
        ifd_builder_spring(s->builder, IFD_STIFFNESS, i - 1, i, 100);
    ifd_model *m = scene_model(s);
    assert_int_equal(m->n, 2000);
    assert_true(m->K.p[m->n] < 2 * m->n);
    assert_near_rel(ifd__sparse_get(&m->K, 1, 0), -50.0, 1e-14, "two springs in a row");
}

/* More slaves in one block than are factored densely: the sparse way must give what is known in closed form. */
TEST_WITH(long_block_is_condensed_by_the_sparse_solver, scene_open, scene_close)
{
    enum { N = 2502 };
    scene *s = *state;
    char name[16];
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "d%d", i);
        dof(s, name, i == 0 || i == N - 1 ? 1.0 : 0.0);
        ifd_builder_spring(s->builder, IFD_STIFFNESS, i - 1, i, 100.0 * N);
    }
    ifd_model *m = scene_model(s);
    assert_int_equal(m->n, 2);
    assert_near_rel(ifd__sparse_get(&m->K, 1, 0), -100.0 * N / (N - 1), 1e-8, "springs in a row");
}

TEST_WITH(loads_on_condensed_dofs_pass_on, scene_open, scene_close)
{
    scene *s = *state;
    int a = dof(s, "a", 1.0), b = dof(s, "b", 0.0), c = dof(s, "c", 1.0);
    ifd_builder_spring(s->builder, IFD_STIFFNESS, a, b, 100);
    ifd_builder_spring(s->builder, IFD_STIFFNESS, b, c, 300);
    ifd_builder_spring(s->builder, IFD_STIFFNESS, IFD_GROUND, a, 50);
    ifd_builder_force(s->builder, b, scene_constant(s, 8.0));
    ifd_model *m = scene_model(s);
    double P[2];
    ifd__model_load(m, 0.0, P);
    assert_near(P[0], 2.0, 1e-14, "share of a");
    assert_near(P[1], 6.0, 1e-14, "share of c");
}

TEST_WITH(damping_that_cannot_be_condensed_makes_a_first_order_dof, scene_open, scene_close)
{
    scene *s = *state;
    int a = dof(s, "a", 1.0), b = dof(s, "b", 0.0);
    ifd_builder_spring(s->builder, IFD_STIFFNESS, a, b, 100);
    ifd_builder_spring(s->builder, IFD_STIFFNESS, IFD_GROUND, b, 100);
    ifd_builder_spring(s->builder, IFD_DAMPING, a, b, 3);
    ifd_model *m = scene_model(s);
    assert_non_null(scene_remark(s, "first-order states: b relaxes at 66.6667 1/s"));
    assert_int_equal(ifd_model_first_order(m), 1);
    assert_near(ifd__sparse_get(&m->C, 0, 0), 0.0, 1e-14, "b takes the dashpot along: none is left on a");
    scene_restart(s);
    a = dof(s, "a", 1.0);
    b = dof(s, "b", 0.0);
    for (int k = IFD_DAMPING; k <= IFD_STIFFNESS; k++) {
        ifd_builder_spring(s->builder, (ifd_matrix_kind)k, a, b, k == IFD_DAMPING ? 3 : 100);
        ifd_builder_spring(s->builder, (ifd_matrix_kind)k, IFD_GROUND, b, k == IFD_DAMPING ? 3 : 100);
    }
    scene_model(s);
    assert_null(scene_remark(s, "not proportional"));
}

TEST_WITH(massless_dofs_are_refused_where_they_cannot_be_condensed, scene_open, scene_close)
{
    scene *s = *state;
    int a = dof(s, "a", 1.0), b = dof(s, "loose", 0.0);
    ifd_builder_spring(s->builder, IFD_STIFFNESS, IFD_GROUND, a, 100);
    scene_refused(s, IFD_MASSLESS, "dof 'loose' cannot be condensed: it has no stiffness");

    scene_restart(s);
    a = dof(s, "a", 1.0);
    b = dof(s, "b", 0.0);
    int c = dof(s, "c", 0.0);
    ifd_builder_spring(s->builder, IFD_STIFFNESS, IFD_GROUND, a, 100);
    ifd_builder_spring(s->builder, IFD_STIFFNESS, b, c, 100);
    scene_refused(s, IFD_MASSLESS, "dof 'c' cannot be condensed: it can move freely even if all kept dofs are fixed");

    scene_restart(s);
    a = dof(s, "a", 1.0);
    b = dof(s, "b", 0.0);
    ifd_builder_spring(s->builder, IFD_STIFFNESS, a, b, 100);
    ifd_builder_initial(s->builder, b, 0.0, 0.1);
    scene_refused(s, IFD_MASSLESS, "dof 'b' has no mass and cannot have an initial velocity");
    assert_string_equal(s->note.first->hint, "give this dof mass");

    scene_restart(s);
    a = dof(s, "a", 1.0);
    b = dof(s, "b", 0.0);
    ifd_builder_spring(s->builder, IFD_STIFFNESS, a, b, 100);
    ifd_builder_initial(s->builder, b, 0.1, 0.0);
    scene_model(s);
    assert_non_null(scene_remark(s, "dof 'b' has no mass: its initial displacement follows from the others"));

    scene_restart(s);
    a = dof(s, "a", 1.0);
    b = dof(s, "b", 0.0);
    ifd_builder_spring(s->builder, IFD_STIFFNESS, a, b, 100);
    int refs[2] = {a, b};
    scene_good(s, scene_element(s, "bilinear", "yielding", 1, refs, "stiffness", 10.0, "yield", 0.1, NULL));
    scene_refused(s, IFD_MASSLESS, "dof 'b' has no mass, but element 'yielding' (bilinear) acts on it");

    scene_restart(s);
    a = dof(s, "a", 0.0);
    ifd_builder_spring(s->builder, IFD_STIFFNESS, IFD_GROUND, a, 100);
    scene_refused(s, IFD_MASSLESS, "no dof of the model has mass");
}

TEST_WITH(guyan_is_refused_on_what_must_be_kept, scene_open, scene_close)
{
    scene *s = *state;
    int a = dof(s, "a", 1.0), b = dof(s, "b", 1.0), refs[2] = {IFD_GROUND, 1};
    ifd_builder_spring(s->builder, IFD_STIFFNESS, a, b, 100);
    scene_good(s, scene_element(s, "cubic-spring", "stop", 1, refs, "stiffness", 10.0, "epsilon", 10.0, NULL));
    ifd_builder_keep(s->builder, 1, &a);
    scene_refused(s, IFD_CONFLICT, "dof 'b' is condensed, but element 'stop'");

    scene_restart(s);
    a = dof(s, "a", 1.0);
    b = dof(s, "b", 1.0);
    ifd_builder_spring(s->builder, IFD_STIFFNESS, IFD_GROUND, a, 100);
    ifd_builder_keep(s->builder, 1, &a);
    scene_refused(s, IFD_SINGULAR, "dof 'b' cannot be condensed");

    scene_restart(s);
    a = dof(s, "a", 1.0);
    ifd_builder_keep(s->builder, 0, &a);
    scene_refused(s, IFD_RANGE, "at least one");

    scene_restart(s);
    a = dof(s, "a", 1.0);
    b = dof(s, "b", 1.0);
    ifd_builder_spring(s->builder, IFD_STIFFNESS, a, b, 100);
    ifd_builder_add(s->builder, IFD_STIFFNESS, a, b, 1);
    ifd_builder_keep(s->builder, 1, &a);
    scene_refused(s, IFD_NOT_SYMMETRIC, "stiffness matrix is not symmetric");
}

TEST_WITH(hub_of_too_many_spokes_is_refused, scene_open, scene_close)
{
    scene *s = *state;
    char name[16];
    int hub = dof(s, "hub", 0.0);
    for (int i = 0; i < 46341; i++) {
        snprintf(name, sizeof name, "d%d", i);
        ifd_builder_spring(s->builder, IFD_STIFFNESS, hub, dof(s, name, 1.0), 100);
    }
    scene_refused(s, IFD_NO_MEMORY, "dof 'hub' and 0 connected dofs couples 46341 dofs with each other");
    assert_non_null(s->note.first->hint);
}

TESTS()
