/* SPDX-License-Identifier: MIT */
/* Members with fibre sections against an independent computation: a reinforced column of 3 m in the plane and in
 * space, loaded by 800 kN and moved at its tip. */
#include "check.h"
#include "fixture.h"

#include <string.h>

#include "base/arena.h"
#include "element_samples.h"
#include "model/fibre/element.h"

enum { CORE, COVER, BAR, LAWS, MANY = 20, BASIC = IFD__BASIC };

static const double L = 3.0;

static ifd__fibre_law law[LAWS];
static ifd__fibre fibre[IFD__SECTION_FIBRES];
static int fibres;

static void set_laws(double core_tension, double cover_tension)
{
    law[CORE] =
        (ifd__fibre_law){.kind = IFD__FIBRE_CONCRETE, .concrete = {38e6, 0.0028, 8e6, 0.018, core_tension, 0.0012}};
    law[COVER] =
        (ifd__fibre_law){.kind = IFD__FIBRE_CONCRETE, .concrete = {30e6, 0.002, 6e6, 0.006, cover_tension, 0.0012}};
    for (int i = CORE; i <= COVER; i++)
        law[i].young = 2 * law[i].concrete.f / law[i].concrete.ec;
    law[BAR] = (ifd__fibre_law){.kind = IFD__FIBRE_STEEL,
                                .young = 200e9,
                                .steel = {.k = 200e9,
                                          .yield = 420e6,
                                          .b = 0.01,
                                          .R0 = 20,
                                          .c1 = 0.925,
                                          .c2 = 0.15,
                                          .a = {{0, 1}, {0, 1}},
                                          .q_y = 420e6 / 200e9}};
    fibres = 0;
}

static void layers(int of, double width, double depth, int n, double at)
{
    for (int i = 0; i < n; i++)
        fibre[fibres++] = (ifd__fibre){at + depth * ((i + 0.5) / n - 0.5), 0, width * depth / n, of};
}

static void plane_fibres(void)
{
    const double bar = 3.14159265358979323846 * 0.01 * 0.01;
    layers(CORE, 0.32, 0.32, 16, 0);
    layers(COVER, 0.08, 0.32, 16, 0);
    for (int side = -1; side <= 1; side += 2)
        layers(COVER, 0.4, 0.04, 2, side * 0.18);
    for (int i = -1; i <= 1; i++)
        fibre[fibres++] = (ifd__fibre){0.15 * i, 0, i ? 3 * bar : 2 * bar, BAR};
}

static void space_fibres(void)
{
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < 10; j++) {
            bool outer = i == 0 || i == 9 || j == 0 || j == 9;
            fibre[fibres++] = (ifd__fibre){0.04 * (i - 4.5), 0.04 * (j - 4.5), 0.0016, outer ? COVER : CORE};
        }
    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++)
            if (i || j)
                fibre[fibres++] = (ifd__fibre){0.15 * i, 0.15 * j, 3.14159265358979323846 * 1e-4, BAR};
}

typedef struct column {
    ifd__fibre_member m;
    double *s, v[BASIC], p[BASIC], K[BASIC * BASIC];
} column;

static column made(int size, int passes)
{
    column c = {.m = {.points = 5, .passes = passes, .L = L, .limit = 1e-3}};
    ifd__fibre_section *section = ifd_arena_take(arena, sizeof *section);
    *section = (ifd__fibre_section){.size = size, .fibres = fibres, .laws = LAWS, .fibre = fibre, .law = law};
    assert_int_equal(ifd__fibre_section_make(arena, section), IFD_OK);
    c.m.section = section;
    c.s = ifd_arena_array(arena, (size_t)ifd__fibre_member_states(&c.m), sizeof *c.s);
    ifd__fibre_member_start(&c.m, c.s);
    return c;
}

/* Finds the deformations of the list `free` for which these forces have given values, and accepts. */
static void solve(column *c, int n, const int *free, const double *force)
{
    int nb = ifd__fibre_basic(&c->m);
    for (int k = 0; k < 40; k++) {
        double A[BASIC * BASIC], x[BASIC];
        ifd__fibre_member_respond(&c->m, c->s, c->v, NULL, c->p, c->K);
        for (int i = 0; i < n; i++) {
            x[i] = force[i] - c->p[free[i]];
            for (int j = 0; j < n; j++)
                A[i + j * n] = c->K[free[i] + free[j] * nb];
        }
        solve_small(n, A, x);
        for (int i = 0; i < n; i++)
            c->v[free[i]] += x[i];
        if (fabs(x[0]) < 1e-17 && fabs(x[n - 1]) < 1e-17)
            break;
    }
    ifd__fibre_member_respond(&c->m, c->s, c->v, c->s, c->p, c->K);
}

static const int plane_free[] = {0, 2};
static const double load[] = {-800e3, 0, 0};

/* The force at the tip of a column whose base is fixed, at the displacement x; the rotation of the tip is free. */
static double push(column *c, double x)
{
    double turned = x / L + c->v[1];
    c->v[1] = -x / L;
    c->v[2] -= turned;
    solve(c, 2, plane_free, load);
    return -(c->p[1] + c->p[2]) / L;
}

static void compress(column *c, int n, const int *free)
{
    for (int i = 1; i <= 10; i++)
        solve(c, n, free, (const double[]){-800e3 * i / 10, 0, 0});
}

/* Cycles of 10 to 60 mm; forces (kN) at the ends of those from `first` on, the last one, and the work (J). */
static void cycle(size_t first, const double *expected, double last, double work)
{
    static const double size[] = {0.01, 0.02, 0.03, 0.045, 0.06};
    column c = made(2, MANY);
    double x = 0, V = 0, done = 0;
    compress(&c, 2, plane_free);
    for (size_t i = 0; i < COUNT(size); i++) {
        const double turn[] = {size[i], -size[i], 0};
        for (int t = 0; t < 3; t++) {
            double from = x;
            int n = (int)lround(fabs(turn[t] - from) / 5e-4);
            for (int k = 1; k <= n; k++) {
                double before = V, at = x;
                x = from + (turn[t] - from) * k / n;
                V = push(&c, x);
                done += 0.5 * (before + V) * (x - at);
            }
            if (t < 2 && i >= first)
                assert_near_rel(V / 1e3, expected[2 * (i - first) + (size_t)t], 6e-9, "force at %g m", x);
        }
    }
    assert_near_rel(V / 1e3, last, 1e-8, "last force");
    assert_near_rel(done, work, 1e-8, "work");
}

TEST_IN_ARENA(a_column_of_reinforced_concrete_has_the_forces_of_opensees)
{
    static const double forces[] = {48.4239149,  -48.5689934, 70.447483,   -70.4559675, 86.0478509,
                                    -86.7715061, 91.0687491,  -89.9857914, 84.5643858,  -84.1751384};
    set_laws(0, 0);
    plane_fibres();
    cycle(0, forces, 20.6011499, 7539.90652);
}

TEST_IN_ARENA(tension_of_the_concrete_widens_the_loops_of_the_column)
{
    static const double forces[] = {84.3486508, -84.0360721};
    set_laws(2.2e6, 2e6);
    plane_fibres();
    cycle(4, forces, 21.2604638, 8503.96884);
}

static const int space_free[] = {0, 2, 4};

/* The tip at uy, uz; both of its rotations are free. */
static void push_space(column *c, double uy, double uz)
{
    c->v[2] -= uy / L + c->v[1];
    c->v[4] += uz / L - c->v[3];
    c->v[1] = -uy / L;
    c->v[3] = uz / L;
    solve(c, 3, space_free, load);
}

TEST_IN_ARENA(a_column_in_space_has_the_forces_of_an_independent_computation)
{
    static const double expected[][4] = {{50, 61747.0098, 58088.4995, 0.107509798e-3},
                                         {100, 80638.3038, -8613.80582, NAN},
                                         {400, 6101.13833, 1145.81868, -0.699994941e-3}};
    const double turn = 2 * 3.14159265358979323846 / 400;
    set_laws(0, 0);
    space_fibres();
    column c = made(3, MANY);
    compress(&c, 3, space_free);
    for (int k = 1, row = 0; k <= 400; k++) {
        push_space(&c, 0.03 * sin(turn * k), 0.02 * sin(2 * turn * k));
        if (k != (int)expected[row][0])
            continue;
        assert_near_rel(-(c.p[1] + c.p[2]) / L, expected[row][1], 6e-9, "Vy at %d", k);
        assert_near_rel((c.p[3] + c.p[4]) / L, expected[row][2], 6e-9, "Vz at %d", k);
        if (isfinite(expected[row][3]))
            assert_near_rel(c.v[0], expected[row][3], 6e-9, "ux at %d", k);
        row++;
    }
}

/* The same section in the plane: rows of fibres. */
TEST_IN_ARENA(a_column_in_space_that_bends_in_one_plane_is_the_plane_column)
{
    set_laws(0, 0);
    space_fibres();
    column space = made(3, MANY), plane = made(2, MANY);
    compress(&space, 3, space_free);
    compress(&plane, 2, plane_free);
    for (int k = 1; k <= 100; k++) {
        double x = 0.04 * sin(0.1 * k) * k / 100, V = push(&plane, x);
        push_space(&space, x, 0);
        assert_near(-(space.p[1] + space.p[2]) / L, V, 1e-9 * 1e5, "at %g m", x);
    }
}

/* Twenty passes leave nothing: the tangent is that of the converged member. Differences over 1e-9 rad have a rounding
 * error of 1e-16 v/1e-9 relative to K, and the curvature of the steel is 1e3 of it. */
TEST_IN_ARENA(the_tangent_equals_differences_and_is_symmetric)
{
    set_laws(2.2e6, 2e6);
    space_fibres();
    column c = made(3, MANY);
    double K[BASIC * BASIC], low[BASIC], high[BASIC];
    random_restart();
    compress(&c, 3, space_free);
    for (int trial = 0; trial < 60; trial++) {
        for (int i = 0; i < BASIC; i++)
            c.v[i] += (i ? 2e-3 : 2e-4) * random_unit();
        ifd__fibre_member_respond(&c.m, c.s, c.v, NULL, c.p, c.K);
        double scale = fabs(c.K[1 + BASIC]);
        for (int j = 1; j < BASIC; j++) {
            double h = 1e-9, at = c.v[j];
            c.v[j] = at - h;
            ifd__fibre_member_respond(&c.m, c.s, c.v, NULL, low, K);
            c.v[j] = at + h;
            ifd__fibre_member_respond(&c.m, c.s, c.v, NULL, high, K);
            c.v[j] = at;
            for (int i = 1; i < BASIC; i++) {
                assert_near(c.K[i + j * BASIC], (high[i] - low[i]) / (2 * h), 1e-4 * scale, "K(%d, %d)", i, j);
                assert_near(c.K[i + j * BASIC], c.K[j + i * BASIC], 1e-9 * scale, "symmetry of (%d, %d)", i, j);
            }
        }
        ifd__fibre_member_respond(&c.m, c.s, c.v, c.s, c.p, c.K);
    }
}

/* Fixed ends, elastic: -n L/2 and w L^2/12. */
TEST_IN_ARENA(a_load_between_fixed_ends_has_the_moments_of_the_closed_form)
{
    law[0] = (ifd__fibre_law){.kind = IFD__FIBRE_ELASTIC, .young = 30e9};
    fibres = 0;
    for (int i = 0; i < 4; i++)
        fibre[fibres++] = (ifd__fibre){i % 2 ? 0.1 : -0.1, i / 2 ? 0.07 : -0.07, 0.02, 0};
    const double w[] = {2e3, -20e3, 5e3}, zero[BASIC] = {0};
    column c = made(3, 2);
    memcpy(c.m.load, w, sizeof w);
    c.s[ifd__fibre_member_share(&c.m)] = 0.5;
    ifd__fibre_member_respond(&c.m, c.s, zero, NULL, c.p, c.K);
    const double expected[] = {-0.5 * w[0] * L / 2, -0.5 * w[1] * L * L / 12, 0.5 * w[1] * L * L / 12,
                               0.5 * w[2] * L * L / 12, -0.5 * w[2] * L * L / 12};
    for (int i = 0; i < BASIC; i++)
        assert_near_rel(c.p[i], expected[i], 1e-9, "force %d", i + 1);
}

/* Beyond the strength of the concrete; the states stay finite, and the remainder is beyond its limit. */
TEST_IN_ARENA(a_move_that_is_too_large_leaves_a_remainder)
{
    set_laws(0, 0);
    plane_fibres();
    column c = made(2, 2);
    compress(&c, 2, plane_free);
    double before = ifd__fibre_member_residual(&c.m, c.s);
    c.v[1] = -0.03;
    c.v[2] = -0.03;
    ifd__fibre_member_respond(&c.m, c.s, c.v, c.s, c.p, c.K);
    assert_true(before < 1e-6);
    assert_true(ifd__fibre_member_residual(&c.m, c.s) > 1);
    for (int i = 0; i < ifd__fibre_member_states(&c.m); i++)
        assert_true(isfinite(c.s[i]));
}

TESTS()
