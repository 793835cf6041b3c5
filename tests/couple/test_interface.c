/* SPDX-License-Identifier: MIT */
/* The multipliers against independent computations: plain matrices, LAPACK, and the balance of forces itself. */
#include "couple/random_parts.h"

#include <lapacke.h>
#undef I /* the imaginary unit; here the interface */

static ifd__interface *interface_of(cut *c)
{
    ifd__interface *I = ifd_arena_take(c->arena, sizeof *I);
    ifd_note note;
    ifd_note_init(&note, c->arena);
    assert_ok(ifd__interface_make(c->arena, &c->opt, 0.0, NULL, I, &note), &note);
    return I;
}

/* Lam with every part p at theta[p] between the states from[p] and to[p] = (u, v, s). */
static void multipliers(cut *c, ifd__interface *I, double t, double *const *from, double *const *to,
                        const double *theta, double *lam)
{
    ifd__sight sight[2][PARTS];
    const ifd__sight *seen[2][PARTS];
    for (int p = 0; p < c->opt.parts; p++)
        for (int k = 0; k < 2; k++) {
            assert_int_equal(ifd__sight_make(c->arena, I, p, &sight[k][p]), IFD_OK);
            ifd__interface_see(I, p, k ? to[p] : from[p], &sight[k][p]);
            seen[k][p] = &sight[k][p];
        }
    assert_true(ifd__interface_solve(I, t, seen[0], seen[1], theta, lam));
}

TEST_IN_ARENA(lam_agrees_with_plain_matrices)
{
    unsigned seed = 7;
    for (int trial = 0; trial < 40; trial++) {
        int rows = 1 + trial % 3;
        double skew = trial % 2 ? 0.3 : 0.0, yA[PLAIN_Y], yB[PLAIN_Y], lam[PLAIN_R], expected[PLAIN_R],
               t = 0.1 * trial;
        plain_pair s = {.rows = rows};
        wild_part(&seed, 3 + trial % 2, 2.0, 50.0, skew, &s.A);
        wild_part(&seed, 3, 0.7, 90.0, skew, &s.B);
        wild_joints(&seed, &s);
        wild_state(&seed, s.A.n, yA);
        wild_state(&seed, s.B.n, yB);
        cut *c = cut_make(*state, "staggered", 0.01);
        ifd_joint_term term[PLAIN_R * PLAIN_Y];
        cut_part(c, "A", model_of(*state, &s.A, yA), options("lsrt2", 0.01, NULL), 1);
        cut_part(c, "B", model_of(*state, &s.B, yB), options("lsrt2", 0.01, NULL), 1);
        joints_of(&s, c, term);
        ifd__interface *I = interface_of(c);
        multipliers(c, I, t, (double *[]){yA, yB}, (double *[]){yA, yB}, (double[]){0.0, 0.0}, lam);
        plain_lambda(&s, t, yA, yB, expected);
        for (int r = 0; r < rows; r++)
            assert_near(lam[r], expected[r], 2e-13 * (1.0 + fabs(expected[r])), "trial %d, row %d", trial, r);
    }
}

enum { N = 30, ROWS = 20, THREE = 3 };

/* Three parts of 30 dofs, 20 joint rows, dense matrices, by LAPACK. */
TEST_IN_ARENA(lam_of_many_rows_and_three_parts_agrees_with_lapack)
{
    unsigned seed = 3;
    static double M[THREE][N * N], K[THREE][N * N], G[THREE][ROWS * N], y[THREE][2 * N], H[ROWS * ROWS];
    double bracket[ROWS] = {0}, lam[ROWS], *states[THREE];
    memset(H, 0, sizeof H);
    cut *c = cut_make(*state, "staggered", 0.01);
    ifd_joint *joint = ifd_arena_array(*state, ROWS, sizeof *joint);
    ifd_joint_term *term = ifd_arena_array(*state, ROWS * THREE * 2, sizeof *term);
    for (int p = 0; p < THREE; p++) {
        memset(M[p], 0, sizeof M[p]);
        memset(K[p], 0, sizeof K[p]);
        memset(G[p], 0, sizeof G[p]);
        ifd_builder *b = ifd_builder_make(*state);
        for (int i = 0; i < N; i++)
            ifd_builder_dof(b, ifd_arena_print(*state, "x%d", i), IFD_DOF_X);
        for (int i = 0; i < N; i++)
            for (int j = i > 5 ? i - 5 : 0; j <= i; j++) {
                double m = (i == j ? 3.0 : 0.0) + 0.2 * wild(&seed), k = (i == j ? 500.0 : 0.0) + 40.0 * wild(&seed);
                M[p][i + j * N] = M[p][j + i * N] = m;
                K[p][i + j * N] = K[p][j + i * N] = k;
            }
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                ifd_builder_add(b, IFD_MASS, i, j, M[p][i + j * N]);
                ifd_builder_add(b, IFD_STIFFNESS, i, j, K[p][i + j * N]);
            }
        cut_part(c, "part", made(*state, b), options("lsrt2", 0.01, NULL), 1);
        wild_state(&seed, N, y[p]);
        states[p] = y[p];
    }
    for (int r = 0; r < ROWS; r++) {
        joint[r] = (ifd_joint){.name = "row", .terms = 2 * THREE, .term = term + 2 * THREE * r};
        for (int k = 0; k < 2 * THREE; k++) {
            int p = k / 2, dof = (r + 7 * (k % 2)) % N;
            double g = 1.0 + 0.5 * wild(&seed);
            term[2 * THREE * r + k] = (ifd_joint_term){p, dof, g};
            G[p][dof + r * N] += g;
        }
    }
    c->opt.joints = ROWS;
    c->opt.joint = joint;
    for (int p = 0; p < THREE; p++) {
        double A[N * N], right[N * (ROWS + 1)];
        lapack_int pivot[N];
        memcpy(A, M[p], sizeof A);
        memcpy(right, G[p], sizeof G[p]);
        for (int i = 0; i < N; i++) {
            right[i + ROWS * N] = 0.0;
            for (int j = 0; j < N; j++)
                right[i + ROWS * N] -= K[p][i + j * N] * y[p][j];
        }
        assert_int_equal(LAPACKE_dgesv(LAPACK_COL_MAJOR, N, ROWS + 1, A, N, pivot, right, N), 0);
        for (int r = 0; r < ROWS; r++)
            for (int i = 0; i < N; i++) {
                bracket[r] -= G[p][i + r * N] * right[i + ROWS * N];
                for (int q = 0; q < ROWS; q++)
                    H[r + q * ROWS] += G[p][i + r * N] * right[i + q * N];
            }
    }
    lapack_int pivot[ROWS];
    assert_int_equal(LAPACKE_dgesv(LAPACK_COL_MAJOR, ROWS, 1, H, ROWS, pivot, bracket, ROWS), 0);
    multipliers(c, interface_of(c), 0.0, states, states, (double[]){0, 0, 0}, lam);
    double largest = 0.0;
    for (int r = 0; r < ROWS; r++)
        largest = fmax(largest, fabs(bracket[r]));
    for (int r = 0; r < ROWS; r++)
        assert_near(lam[r], bracket[r], 1e-12 * largest, "row %d", r);
}

/* A part with everything in it: dofs x0, x1, x2, a support, ground motion, forces, elements with and without memory,
 * a controller, and with pendulum set a pendulum on x1 whose angle is dof 3. */
static ifd_model *rich_part(ifd_arena *arena, bool pendulum)
{
    ifd_builder *b = chain_builder(arena, 3, 2.0, 1.5, 300.0);
    int support =
        ifd_builder_support(b, "shaker", signal_of(arena, "sine", "amplitude", 0.1, "frequency", 1.3, (char *)NULL));
    ifd_builder_spring(b, IFD_STIFFNESS, support, 2, 80.0);
    ifd_builder_spring(b, IFD_DAMPING, support, 2, 3.0);
    ifd_builder_spring(b, IFD_MASS, support, 1, 0.2);
    ifd_builder_rayleigh(b, 0.3, 0.002);
    ifd_builder_force(b, 1, signal_of(arena, "sine", "amplitude", 5.0, "frequency", 0.9, (char *)NULL));
    ifd_builder_ground(b, IFD_DOF_X, signal_of(arena, "sine", "amplitude", 2.0, "frequency", 1.1, (char *)NULL));
    add_pair(b, "cubic-spring", support, 0, "stiffness", 200.0, "epsilon", 30.0, (char *)NULL);
    add_pair(b, "bouc-wen", 0, 2, "stiffness", 150.0, "alpha", 0.2, "beta", 20.0, "gamma", 15.0, "n", 2.0,
             (char *)NULL);
    if (pendulum) {
        int dof[2] = {1, ifd_builder_dof(b, "angle", IFD_DOF_ANGLE)};
        add_element(b, "pendulum", 2, dof, "mass", 0.8, "length", 0.6, (char *)NULL);
    }
    return made(arena, b);
}

/* sum G M(u)^-1 (P - R + G^T lam) from the balance of forces of each model. */
static double acceleration_gap(cut *c, ifd__interface *I, double t, double *const *y, const double *lam)
{
    double gap[JOINTS] = {0}, worst = 0.0, a[16], w[256], load[16], g[16];
    for (int p = 0; p < c->opt.parts; p++) {
        const ifd_model *m = c->part[p].model;
        int n = m->n;
        ifd__tangent *mass;
        assert_true(n <= 16 && ifd__model_work(m) <= COUNT(w) && m->ns <= 16);
        assert_int_equal(ifd__tangent_make(c->arena, m, &(ifd__tangent_options){.cm = 1.0}, &mass, NULL), IFD_OK);
        ifd__model_balance(m, &(ifd__point){.t = t, .u = y[p], .v = y[p] + n, .s = y[p] + 2 * n}, a, g, w);
        ifd__interface_load(I, p, lam, load);
        for (int i = 0; i < n; i++)
            a[i] += load[i];
        ifd__tangent_update(mass, &(ifd__point){.t = t, .u = y[p], .v = y[p] + n, .s = y[p] + 2 * n});
        ifd__tangent_solve(mass, a);
        ifd__interface_gap(I, p, a, gap);
    }
    for (int r = 0; r < c->opt.joints; r++)
        worst = fmax(worst, fabs(gap[r]));
    return worst;
}

/* Supports, ground, loads, elements with memory, pendulums; states interpolated, forces evaluated at the mean
 * state. */
TEST_IN_ARENA(lam_closes_the_accelerations_of_rich_parts)
{
    unsigned seed = 11;
    for (int trial = 0; trial < 12; trial++) {
        cut *c = cut_make(*state, "staggered", 0.01);
        double y[2][3][16], lam[2], *from[3], *to[3], *mean[3], theta[3], mid[3][16], t = 0.37 * trial;
        for (int p = 0; p < 3; p++) {
            const ifd_model *m = rich_part(*state, trial % 3 == 2 && p != 1);
            cut_part(c, "part", m, options("lsrt2", 0.01, NULL), 1);
            theta[p] = 0.5 + 0.5 * wild(&seed);
            for (int k = 0; k < 2; k++)
                for (int i = 0; i < 2 * m->n + m->ns; i++)
                    y[k][p][i] = 0.2 * wild(&seed);
            for (int i = 0; i < 2 * m->n + m->ns; i++)
                mid[p][i] = y[0][p][i] + theta[p] * (y[1][p][i] - y[0][p][i]);
            from[p] = y[0][p];
            to[p] = y[1][p];
            mean[p] = mid[p];
        }
        cut_joint(c, "one", 0, 1, 1, 0);
        cut_joint(c, "two", 1, 2, 2, 1);
        ifd__interface *I = interface_of(c);
        multipliers(c, I, t, from, to, theta, lam);
        assert_near(acceleration_gap(c, I, t, mean, lam), 0.0, 2e-12, "trial %d", trial);
        assert_true(fabs(lam[0]) > 1e-3);
        ifd__interface twin;
        double again[2];
        assert_int_equal(ifd__interface_twin(*state, I, &twin, NULL), IFD_OK);
        multipliers(c, &twin, t, from, to, theta, again);
        assert_memory_equal(lam, again, sizeof lam);
    }
}

TEST_IN_ARENA(a_row_that_repeats_others_is_refused_by_name)
{
    for (int pendulums = 0; pendulums < 2; pendulums++) {
        cut *c = cut_make(*state, "staggered", 0.01);
        for (int p = 0; p < 4; p++)
            cut_part(c, "part", rich_part(*state, pendulums && p == 2), options("lsrt2", 0.01, NULL), 1);
        cut_joint(c, "first", 0, 0, 1, 0);
        cut_joint(c, "innocent", 2, 2, 3, 1);
        cut_joint(c, "second", 1, 0, 2, 0);
        cut_joint(c, "third", 2, 0, 0, 0);
        c->opt.project_start = true;
        const char *text;
        assert_int_equal(cut_refusal(c, &text), IFD_SINGULAR);
        assert_non_null(strstr(text, "'first'"));
        assert_non_null(strstr(text, "'second'"));
        assert_non_null(strstr(text, "'third'"));
        assert_null(strstr(text, "innocent"));
        c->opt.joints = 3;
        assert_int_equal(cut_refusal(c, &text), IFD_OK);
    }
}

/* Rows in metres and rows in radians may differ by many orders of magnitude. */
TEST_IN_ARENA(rows_of_very_different_size_are_not_mistaken_for_repeats)
{
    cut *c = cut_make(*state, "staggered", 0.01);
    for (int p = 0; p < 2; p++)
        cut_part(c, "part", rich_part(*state, false), options("lsrt2", 0.01, NULL), 1);
    cut_joint(c, "large", 0, 0, 1, 0);
    cut_joint(c, "small", 0, 1, 1, 1);
    c->term[1][0].coefficient = 1e-9;
    c->term[1][1].coefficient = -1e-9;
    const char *text;
    c->opt.project_start = true;
    assert_int_equal(cut_refusal(c, &text), IFD_OK);
}

TESTS()
