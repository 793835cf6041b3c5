/* SPDX-License-Identifier: MIT */
/* Giuffre-Menegotto-Pinto steel against an independent computation, and what memory of reversals has to keep. */
#include "check.h"
#include "fixture.h"

#include "element_samples.h"

#include <string.h>

#define NUM(which, x)                                                                                                \
    {                                                                                                                \
        .name = (which), .number = (x)                                                                               \
    }

/* fy 350 MPa, E 200 GPa: strains and stresses. */
static const sample A = {"steel",
                         1,
                         1,
                         1,
                         1,
                         {NUM("stiffness", 200e9), NUM("yield-force", 350e6), NUM("hardening", 0.02), NUM("r0", 20),
                          NUM("c1", 0.925), NUM("c2", 0.15)}};
static const sample B = {"steel",
                         1,
                         1,
                         1,
                         1,
                         {NUM("stiffness", 200e9), NUM("yield-force", 350e6), NUM("hardening", 0.01), NUM("r0", 18),
                          NUM("c1", 0.9), NUM("c2", 0.15), NUM("a1", 0.05), NUM("a2", 1), NUM("a3", 0.02),
                          NUM("a4", 1)}};

static const double turning[] = {0.001, 0.004, 0.01,  0.006,  0,     -0.004, -0.008, -0.003,
                                 0.002, 0.012, 0.009, 0.0095, 0.015, -0.015, 0,      0.01};

static ifd_element made(const sample *s)
{
    ifd_element e;
    assert_int_equal(sample_make(s, arena, &e, NULL), IFD_OK);
    return e;
}

typedef struct bar {
    ifd_element e;
    double q, s[SAMPLE_MAX], r, k, work;
} bar;

static void look(const bar *b, double q, double *r, double *k)
{
    double zero = 0;
    *r = *k = 0;
    b->e.ops->eval(&b->e, &(ifd_element_in){.q = &q, .qd = &zero, .qdd = &zero, .s = b->s},
                   &(ifd_element_out){.r = r, .r_q = k});
}

/* One accepted step. */
static void go(bar *b, double q)
{
    double before = b->r, zero = 0;
    look(b, q, &b->r, &b->k);
    b->work += 0.5 * (before + b->r) * (q - b->q);
    b->e.ops->accept(&b->e, &(ifd_element_in){.q = &q, .qd = &zero, .qdd = &zero, .s = b->s}, b->s);
    b->q = q;
}

static void along(bar *b, double q, int steps)
{
    double from = b->q;
    for (int i = 1; i <= steps; i++)
        go(b, i == steps ? q : from + (q - from) * i / steps);
}

typedef struct value {
    int at; /* of turning */
    double stress, tangent, work;
} value; /* MPa, GPa, MJ/m3 */

/* Nine digits are printed. */
static void compare(const sample *s, size_t count, const value *rows)
{
    bar b = {.e = made(s)};
    for (size_t i = 0, k = 0; i < COUNT(turning) && k < count; i++) {
        along(&b, turning[i], 4000);
        if (rows[k].at != (int)i)
            continue;
        assert_near_rel(b.r / 1e6, rows[k].stress, 5e-9, "stress at %g", turning[i]);
        assert_near_rel(b.k / 1e9, rows[k].tangent, 5e-9, "tangent at %g", turning[i]);
        assert_near_rel(b.work / 1e6, rows[k].work, 5e-9, "work at %g", turning[i]);
        k++;
    }
}

TEST(a_history_gives_the_catalogue)
{
    const value a[] = {{0, 199.999865, 199.997164, 0.0999999939}, {1, 358.999999, 4.00000566, 1.10147966},
                       {3, -155.313431, 60.3208306, 3.08486833},  {4, -308.214783, 10.6516822, 4.60751878},
                       {6, -364.109955, 5.22229234, 7.32310375},  {7, 195.495159, 40.2619428, 7.27606437},
                       {9, 376.612145, 5.27546616, 12.0279796},   {10, -60.21908, 83.1838357, 11.6504295},
                       {12, 402.851689, 4.15439113, 13.465286},   {13, -393.936365, 4.51788202, 21.1327536},
                       {15, 368.954769, 4.91833602, 26.8435488}};
    const value b[] = {{0, 199.999536, 199.991181, 0.0999999768}, {1, 354.499993, 2.00002987, 1.09583279},
                       {3, -207.545519, 67.0604612, 3.14260404},  {4, -361.735331, 8.56513122, 5.00553726},
                       {6, -399.931033, 3.03708016, 8.07864415},  {7, 219.930586, 46.2168193, 7.99885099},
                       {9, 385.181976, 3.12654363, 13.0895003},   {10, -97.4029553, 102.915334, 12.7373878},
                       {12, 404.328722, 2.1391612, 14.4857392},   {13, -447.860475, 2.45006013, 24.247335},
                       {15, 393.857458, 2.8681568, 30.7030243}};
    compare(&A, COUNT(a), a);
    compare(&B, COUNT(b), b);
}

/* Trials leave no trace, accepting twice changes nothing, and a monotone move may be divided. */
TEST(only_what_is_accepted_is_remembered)
{
    bar once = {.e = made(&B)}, often = {.e = made(&B)};
    for (size_t i = 0; i < COUNT(turning); i++) {
        double r, k, s[SAMPLE_MAX];
        for (int trial = -2; trial <= 2; trial++)
            look(&often, turning[i] + 0.003 * trial, &r, &k);
        along(&often, turning[i], 7);
        go(&once, turning[i]);
        memcpy(s, often.s, sizeof s);
        go(&often, turning[i]);
        assert_memory_equal(s, often.s, sizeof s);
        assert_near_rel(often.r, once.r, 1e-12, "stress at %g", turning[i]);
        assert_near_rel(often.k, once.k, 1e-12, "tangent at %g", turning[i]);
    }
}

/* With equal hardening in both directions -q gives -r; a closed cycle takes energy. */
TEST(it_is_odd_and_dissipates)
{
    bar up = {.e = made(&A)}, down = {.e = made(&A)};
    for (size_t i = 0; i < COUNT(turning); i++) {
        go(&up, turning[i]);
        go(&down, -turning[i]);
        assert_near(up.r, -down.r, 0, "stress at %g", turning[i]);
    }
    for (int i = 0; i < 4; i++) { /* the first closes the loop */
        double before = up.work;
        along(&up, 0.02, 500);
        along(&up, -0.02, 500);
        assert_true(up.work - before > (i ? 4 * 0.8 * 350e6 * (0.02 - 0.00175) : 0));
    }
}

TESTS_WITH(open_arena, close_arena)
