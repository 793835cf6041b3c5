/* SPDX-License-Identifier: MIT */
/* Law of concrete fibres against values of an independent computation, and what memory of the least strain has to
 * keep. */
#include "check.h"
#include "fixture.h"

#include <string.h>

#include "element_samples.h"
#include "model/fibre/concrete.h"

typedef struct fibre {
    double s[IFD__CONCRETE_STATES], k;
} fibre;

static double go(const ifd__concrete *c, fibre *f, double e)
{
    return ifd__concrete_move(c, f->s, e, &f->k, f->s);
}

static const ifd__concrete plain = {30e6, 0.002, 6e6, 0.006, 0, 0}, tensile = {30e6, 0.002, 6e6, 0.006, 2e6, 0.001};

/* Without tension OpenSees has the same numbers. */
TEST(a_path_of_strains_has_the_stresses_of_an_independent_computation)
{
    static const double path[][3] = {{-5, -13.125, -13.125},
                                     {2, 0, 1.58035714},
                                     {-15, -28.125, -28.125},
                                     {-3, 0, 0.349936224},
                                     {-18, -29.7, -29.7},
                                     {-30, -24, -24},
                                     {-5, 0, 0.980357143},
                                     {10, 0, 0},
                                     {-20, -11.7394636, -11.7394636},
                                     {-50, -12, -12},
                                     {-10, 0, 0},
                                     {-80, -6, -6},
                                     {-40, -1.11996747, -1.11996747},
                                     {5, 0, 0},
                                     {-90, -6, -6}};
    fibre a = {.k = 0}, b = {.k = 0};
    for (size_t i = 0; i < COUNT(path); i++) {
        assert_near(go(&plain, &a, 1e-4 * path[i][0]) / 1e6, path[i][1], 5e-8, "no tension, %g", path[i][0]);
        assert_near(go(&tensile, &b, 1e-4 * path[i][0]) / 1e6, path[i][2], 5e-8, "tension, %g", path[i][0]);
    }
}

TEST(confinement_has_the_numbers_of_scott_park_and_priestley)
{
    ifd__concrete c = {.f = 30e6}, bare = {.f = 30e6};
    ifd__concrete_confine(&(ifd__confinement){0.01, 420e6, 0.32, 0.1}, &c);
    assert_near_rel(c.f, 34.2e6, 1e-12, "strength");
    assert_near_rel(c.ec, 0.00228, 1e-12, "strain");
    assert_near_rel(c.fu, 6.84e6, 1e-12, "residual stress");
    assert_near_rel(c.eu, 0.0256863123, 2e-9, "ultimate strain");
    assert_near_rel(0.8 / (c.eu - c.ec), 34.1788143, 2e-9, "Z");
    ifd__concrete_confine(&(ifd__confinement){.ratio = 0}, &bare);
    assert_near_rel(bare.eu, 0.0043880597, 2e-8, "unconfined");
    assert_near_rel(0.8 / (bare.eu - bare.ec), 335.0, 1e-9, "Z, unconfined");
}

/* A strain of a random path, most of it in compression. */
static double strain(void)
{
    return 0.005 * (random_unit() - 0.7);
}

TEST(a_move_in_pieces_is_the_move)
{
    fibre a = {.k = 0}, b = {.k = 0};
    random_restart();
    for (int i = 0; i < 2000; i++) {
        double from = a.s[0], to = strain(), stress = go(&tensile, &a, to), cut = 0.5 + 0.5 * random_unit();
        (void)go(&tensile, &b, from + cut * (to - from));
        assert_near(go(&tensile, &b, to), stress, 1e-6, "from %g to %g", from, to);
        assert_near(a.k, b.k, 1e-2, "tangent from %g to %g", from, to);
    }
}

/* Differences over 1e-9 differ from the tangent by 1e-9 of the curvature f/ec^2, 8 kPa, and by rounding of the
 * strain, 1e-16/1e-9 of E; at a kink both sides differ, and one of them is the tangent of the move. */
TEST(the_tangent_is_that_of_the_move_and_none_is_steeper_than_at_rest)
{
    fibre a = {.k = 0};
    double E = 2 * tensile.f / tensile.ec, k, beside;
    random_restart();
    for (int i = 0; i < 2000; i++) {
        double to = strain(), step = to < a.s[0] ? -1e-9 : 1e-9;
        double r = ifd__concrete_move(&tensile, a.s, to, &k, NULL);
        double next = ifd__concrete_move(&tensile, a.s, to + step, &beside, NULL);
        assert_near(k, (next - r) / step, 1e-4 * E, "at %g after %g", to, a.s[0]);
        assert_true(k <= E * (1 + 1e-12));
        (void)go(&tensile, &a, to);
    }
    assert_near(ifd__concrete_move(&tensile, (double[IFD__CONCRETE_STATES]){0}, 0, &k, NULL), 0, 0, "at rest");
    assert_near(k, E, 0, "at rest");
}

/* Work of random closed cycles, which begin and end at the least strain of all. */
TEST(closed_cycles_return_no_energy)
{
    random_restart();
    for (int round = 0; round < 200; round++) {
        fibre a = {.k = 0};
        double work = 0, last = go(&tensile, &a, -0.006), most = 0;
        for (int i = 0; i < 20; i++) {
            double from = a.s[0], to = i < 19 ? fmax(strain(), -0.006) : -0.006;
            for (int n = 1; n <= 50; n++) {
                double next = go(&tensile, &a, from + (to - from) * n / 50);
                work += 0.5 * (next + last) * (to - from) / 50;
                last = next;
            }
            most = fmax(most, fabs(work));
        }
        assert_true(work >= -2e-3 * tensile.f * 0.001);
    }
}

TESTS()
