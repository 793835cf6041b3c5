/* SPDX-License-Identifier: MIT */
/* Fibre beam: section, cantilever of one force-based element and of four displacement-based ones, against values of
 * an independent computation. */
#include "check.h"
#include "fixture.h"

#include "element_samples.h"

#include <string.h>

enum { DOFS = 6, STATES = 600 };

/* 0.2 x 0.4 m in ten layers; fy 350 MPa, E 200 GPa, b 0.02. */
static ifd_element beam(double length, const char *formulation, double passes)
{
    const sample s = {"fibre-beam",
                      DOFS,
                      1,
                      1,
                      1,
                      {{.name = "length", .number = length},
                       {.name = "width", .number = 0.2},
                       {.name = "depth", .number = 0.4},
                       {.name = "layers", .number = 10},
                       {.name = "young", .number = 200e9},
                       {.name = "yield-stress", .number = 350e6},
                       {.name = "hardening", .number = 0.02},
                       {.name = "passes", .number = passes},
                       {.name = "formulation", .word = formulation}}};
    const ifd_element_ops *ops = ifd_element_find("fibre-beam");
    ifd_value v[24];
    ifd_element e = {.ops = ops, .name = "beam", .nq = DOFS};
    ifd_param_preset(ops->params, v);
    for (const setting *i = s.set; i->name; i++)
        v[ifd_param_find(ops->params, i->name)] = i->word ? ifd_word(i->word) : ifd_number(i->number);
    assert_int_equal(ifd_param_check(ops->params, v, "beam", NULL, &note), IFD_OK);
    assert_int_equal(ops->make(&e, v, arena, &note), IFD_OK);
    assert_true(e.ns <= STATES);
    return e;
}

static const double zero[DOFS];

static void look(const ifd_element *e, const double *s, const double *q, double *r, double *k)
{
    memset(r, 0, DOFS * sizeof *r);
    memset(k, 0, DOFS * DOFS * sizeof *k);
    e->ops->eval(e, &(ifd_element_in){.q = q, .qd = zero, .qdd = zero, .s = s}, &(ifd_element_out){.r = r, .r_q = k});
}

static void keep(const ifd_element *e, double *s, const double *q)
{
    e->ops->accept(e, &(ifd_element_in){.q = q, .qd = zero, .qdd = zero, .s = s}, s);
}

/* Opposite rotations of the ends: constant curvature. */
TEST(a_section_has_the_moments_of_the_catalogue)
{
    static const double through[] = {0.002, 0.01, 0.005, -0.01, 0, 0.02, -0.02};
    static const double table[][3] = {{0, 422400, 211200000},
                                      {1, 2061416.18, 143894016},
                                      {3, -2023559.32, 137474181},
                                      {4, 88401.8487, 211149285},
                                      {6, -2560763.82, 27604423.7}};
    ifd_element e = beam(1, "displacement", 1);
    double s[STATES] = {0}, r[DOFS], k[DOFS * DOFS];
    memcpy(s, e.s0, sizeof *s * (size_t)e.ns);
    for (size_t i = 0, row = 0; i < COUNT(through); i++) {
        const double q[DOFS] = {0, 0, -through[i] / 2, 0, 0, through[i] / 2};
        look(&e, s, q, r, k);
        keep(&e, s, q);
        if ((int)table[row][0] != (int)i)
            continue;
        assert_near_rel(r[5], table[row][1], 5e-9, "moment at %g", through[i]);
        assert_near_rel((k[5 + 5 * DOFS] - k[5 + 2 * DOFS]) / 2, table[row][2], 5e-9, "tangent at %g", through[i]);
        row++;
    }
}

/* Corrects elongation and rotation of the tip with the tangent. */
static double correct(const double *r, const double *k, double *q)
{
    double a = k[3 + 3 * DOFS], b = k[3 + 5 * DOFS], c = k[5 + 3 * DOFS], d = k[5 + 5 * DOFS], det = a * d - b * c;
    double x = (d * r[3] - b * r[5]) / det, y = (a * r[5] - c * r[3]) / det;
    q[3] -= x;
    q[5] -= y;
    return fabs(x) + fabs(y);
}

static const double tip[] = {0.01, 0.02, -0.02, 0, 0.04, -0.04, 0.02};

/* Steps of 0.5 mm through the turning points; P at those of the table. corrections 0: to round-off. */
static void cantilever(double passes, int corrections, const int *at, const double (*table)[3], int rows)
{
    ifd_element e = beam(2, "force", passes);
    double s[STATES] = {0}, r[DOFS] = {0}, k[DOFS * DOFS], q[DOFS] = {0}, work = 0;
    memcpy(s, e.s0, sizeof *s * (size_t)e.ns);
    for (int i = 0, row = 0; i < (int)COUNT(tip) && row < rows; i++) {
        double from = q[4];
        int steps = (int)lround(fabs(tip[i] - from) / 5e-4);
        for (int n = 1; n <= steps; n++) {
            double before = r[4], w = q[4];
            q[4] = from + (tip[i] - from) * n / steps;
            for (int c = 0; c < (corrections ? corrections : 30); c++) {
                look(&e, s, q, r, k);
                if (correct(r, k, q) < 1e-17)
                    break;
            }
            look(&e, s, q, r, k);
            keep(&e, s, q);
            work += 0.5 * (before + r[4]) * (q[4] - w);
        }
        if (at[row] != i)
            continue;
        assert_near_rel(r[4], table[row][0], corrections ? 1e-6 : 1e-8, "P at %g m, %g passes", tip[i], passes);
        if (!corrections) {
            assert_near_rel(r[2], -table[row][1], 1e-8, "base moment at %g m", tip[i]);
            assert_near_rel(work, table[row][2], 1e-8, "work at %g m", tip[i]);
        }
        row++;
    }
}

TEST(one_force_based_element_gives_the_catalogue)
{
    static const int at[] = {0, 1, 3, 4, 6};
    static const double converged[][3] = {{791982.682, 1583965.36, 3959.99138},
                                          {1350533.37, 2701066.73, 15240.944},
                                          {227917.537, 455835.075, 10376.969},
                                          {1551373.88, 3102747.76, 55808.6525},
                                          {1262970.7, 2525941.4, 116993.63}};
    static const double once[][3] = {{791948.698}, {1350507.31}, {228871.481}, {1554098.52}, {1266788.01}},
                        twice[][3] = {{791966.588}, {1350488.18}, {227791.478}, {1553235.75}, {1263024.81}},
                        four[][3] = {{791966.588}, {1350488.18}, {227791.656}, {1553235.69}, {1263024.4}};
    cantilever(8, 0, at, converged, COUNT(at));
    cantilever(1, 1, at, once, COUNT(at));
    cantilever(2, 1, at, twice, COUNT(at));
    cantilever(4, 1, at, four, COUNT(at));
}

enum { PARTS = 4, FREE = 3 * PARTS };

/* r and k of the chain over x, y, rotation of the nodes 1 to PARTS. */
static void chain_look(const ifd_element *e, double (*s)[STATES], const double *u, double *r, double *k)
{
    memset(r, 0, FREE * sizeof *r);
    memset(k, 0, FREE * FREE * sizeof *k);
    for (int p = 0; p < PARTS; p++) {
        double q[DOFS] = {0}, f[DOFS], a[DOFS * DOFS];
        for (int i = 0; i < DOFS; i++)
            q[i] = 3 * p + i >= 3 ? u[3 * p + i - 3] : 0;
        look(e, s[p], q, f, a);
        for (int i = 0; i < DOFS; i++)
            for (int j = 0; j < DOFS && 3 * p + i >= 3; j++) {
                r[3 * p + i - 3] += j ? 0 : f[i];
                if (3 * p + j >= 3)
                    k[3 * p + i - 3 + (3 * p + j - 3) * FREE] += a[i + j * DOFS];
            }
    }
}

TEST(four_displacement_based_elements_give_the_catalogue)
{
    static const int at[] = {0, 1, 3, 4}, tip_y = FREE - 2;
    static const double table[][2] = {
        {791986.182, 3959.99312}, {1363277.99, 15267.1964}, {216921.4, 9877.14873}, {1546760.25, 55540.9858}};
    ifd_element e = beam(0.5, "displacement", 1);
    static double s[PARTS][STATES];
    double u[FREE] = {0}, r[FREE] = {0}, k[FREE * FREE], work = 0;
    for (int p = 0; p < PARTS; p++)
        memcpy(s[p], e.s0, sizeof **s * (size_t)e.ns);
    for (int i = 0, row = 0; row < (int)COUNT(at); i++) {
        double from = u[tip_y];
        int steps = (int)lround(fabs(tip[i] - from) / 5e-4);
        for (int n = 1; n <= steps; n++) {
            double before = r[tip_y], w = u[tip_y];
            u[tip_y] = from + (tip[i] - from) * n / steps;
            for (int c = 0; c < 30; c++) {
                double x[FREE], most = 0;
                chain_look(&e, s, u, r, k);
                memcpy(x, r, sizeof x);
                x[tip_y] = 0;
                for (int j = 0; j < FREE; j++)
                    k[tip_y + j * FREE] = k[j + tip_y * FREE] = j == tip_y;
                solve_small(FREE, k, x);
                for (int j = 0; j < FREE; j++) {
                    u[j] -= x[j];
                    most = fmax(most, fabs(x[j]));
                }
                if (most < 1e-16)
                    break;
            }
            chain_look(&e, s, u, r, k);
            work += 0.5 * (before + r[tip_y]) * (u[tip_y] - w);
            for (int p = 0; p < PARTS; p++) {
                double q[DOFS] = {0};
                for (int j = 0; j < DOFS; j++)
                    q[j] = 3 * p + j >= 3 ? u[3 * p + j - 3] : 0;
                keep(&e, s[p], q);
            }
        }
        if (at[row] != i)
            continue;
        assert_near_rel(r[tip_y], table[row][0], 1e-8, "P at %g m", tip[i]);
        assert_near_rel(work, table[row][1], 1e-8, "work at %g m", tip[i]);
        row++;
    }
}

/* Acceptance may be repeated, trials have no effect. */
TEST(only_accepted_steps_are_remembered)
{
    ifd_element e = beam(2, "force", 2);
    double s[STATES] = {0}, copy[STATES], r[DOFS], again[DOFS], k[DOFS * DOFS];
    memcpy(s, e.s0, sizeof *s * (size_t)e.ns);
    const double q[DOFS] = {0, 0, 0, 1e-3, 0.01, 0.006}, other[DOFS] = {0, 0, 0, 0, -0.02, 0};
    look(&e, s, q, r, k);
    keep(&e, s, q);
    memcpy(copy, s, sizeof s);
    look(&e, s, other, again, k);
    keep(&e, s, q);
    assert_memory_equal(copy, s, sizeof s);
    look(&e, s, q, again, k);
    assert_memory_equal(r, again, sizeof r);
}

/* An elastic cantilever of one element with shear: w = P L^3/(3 EI) + P L/(G As), rotation P L^2/(2 EI). */
TEST(shear_adds_to_the_deflection_of_a_cantilever)
{
    const double L = 2, E = 2e11, G = 8e10, As = 0.06, P = 1e4;
    double I = 0;
    for (int j = 0; j < 10; j++) /* of the layers */
        I += 0.2 * 0.04 * pow(0.4 * ((j + 0.5) / 10 - 0.5), 2);
    const ifd_element_ops *ops = ifd_element_find("fibre-beam");
    ifd_element e = {.ops = ops, .name = "beam", .nq = DOFS};
    const struct {
        const char *name;
        double number;
    } set[] = {{"length", L},           {"width", 0.2},     {"depth", 0.4},      {"young", E},
               {"yield-stress", 3.5e8}, {"shear-area", As}, {"shear-modulus", G}};
    ifd_value given[32];
    ifd_param_preset(ops->params, given);
    for (size_t i = 0; i < COUNT(set); i++)
        given[ifd_param_find(ops->params, set[i].name)] = ifd_number(set[i].number);
    assert_int_equal(ops->make(&e, given, arena, NULL), IFD_OK);
    double q[6] = {0}, v[6] = {0}, r[6] = {0};
    q[4] = P * L * L * L / (3 * E * I) + P * L / (G * As);
    q[5] = P * L * L / (2 * E * I);
    e.ops->eval(&e, &(ifd_element_in){.q = q, .qd = v, .qdd = v, .s = e.s0}, &(ifd_element_out){.r = r});
    assert_near_rel(r[4], P, 1e-5, "force of the tip"); /* steel is slightly curved below yield */
    assert_near(r[5], 0, 1e-4 * P * L, "moment of the tip");
    assert_near_rel(r[2], -P * L, 1e-4, "moment of the base"); /* equilibrium */
}

TESTS_WITH(open_arena, close_arena)
