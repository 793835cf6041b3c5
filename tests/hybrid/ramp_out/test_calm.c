/* SPDX-License-Identifier: MIT */
/* The calm command: closed forms of its response. */
#include "check.h"

#include <math.h>

#include "rig/command_filter.h"

static const double forgets[] = {1.0, 0.5, 0.25, 0.025};

/* u = 3 + 2 t + 0.25 t^2 in every tick: reached from any start, and immediately from its own start. */
TEST(an_even_acceleration_is_followed_without_lag)
{
    for (size_t i = 0; i < COUNT(forgets); i++) {
        ifd__calm s;
        double u = 0.0, last = 3.0;
        ifd__calm_begin(&s, 3.0);
        for (int t = 1; t <= 2000; t++, last = u) {
            u = 3.0 + 2.0 * t + 0.25 * t * t;
            ifd__calm_step(&s, u, last, forgets[i]);
        }
        assert_near_rel(ifd__calm_position(&s, u, 1.0, 0.0), u, 1e-12, "position, forgets %g", forgets[i]);
        assert_near_rel(s.v, 2.0 + 0.5 * 1999.5, 1e-9, "velocity half a tick before");
        assert_near_rel(s.a, 0.5, 1e-6, "acceleration");
    }
}

/* An alternating input is blocked; with weight s the output contains 3 s^2 - 2 s^3 of the filtered value. */
TEST(a_zigzag_does_not_pass)
{
    for (size_t i = 0; i < COUNT(forgets); i++) {
        ifd__calm s;
        double z = 0.01;
        ifd__calm_begin(&s, 1.0);
        for (int t = 1; t <= 1000; t++, z = -z)
            ifd__calm_step(&s, 1.0 + z, t > 1 ? 1.0 - z : 1.0, forgets[i]);
        assert_near(ifd__calm_position(&s, 1.0 - z, 1.0, 0.0), 1.0, 1e-9, "forgets %g", forgets[i]);
        assert_near(ifd__calm_position(&s, 1.0 - z, 0.0, 0.0), 1.0 - z, 0.0, "no share of it");
        assert_near(ifd__calm_position(&s, 1.0 - z, 0.25, 0.0), 1.0 - z * (1.0 - 0.15625), 1e-9,
                    "a quarter of the way");
    }
}

/* One reading with an error of 1: p changes by (1 - q^3)/2, v by 3/4 (1 - q)^2 (1 + q), a by (1 - q)^3/2. */
TEST(a_step_enters_by_the_gains_of_a_fading_memory)
{
    for (size_t i = 0; i < COUNT(forgets); i++) {
        ifd__calm s;
        double l = forgets[i], q = 1.0 - l;
        ifd__calm_begin(&s, 0.0);
        ifd__calm_step(&s, 1.0, 0.0, l);
        assert_near(s.p, 0.5 * (1.0 - q * q * q), 1e-15, "position");
        assert_near(s.v, 0.75 * l * l * (1.0 + q), 1e-15, "velocity");
        assert_near(s.a, 0.5 * l * l * l, 1e-15, "acceleration");
        double ahead = s.p + 0.5 * s.v;
        assert_near(ifd__calm_position(&s, 5.0, 1.0, 0.0), ahead, 1e-15, "half a tick ahead");
    }
}

/* Rest: all three are below 2^-30 of a tick, each separately, in either direction. */
TEST(it_comes_to_rest_to_the_bit)
{
    const double tick = 0x1p-10, rest = 0x1p-40, bit = 0x1p-54; /* of a position of 0.25 m */
    for (int row = 0; row < IFD__DOUBLES(ifd__calm); row++)
        for (int side = 0; side < 4; side++) {
            int moves = side % 2;
            ifd__calm s = {0.25, 0.0, 0.0};
            double off = moves ? rest : rest - bit;
            ((double *)&s)[row] += side < 2 ? off : -off;
            double p = ifd__calm_position(&s, 0.25, 0.5, tick);
            assert_int_equal(s.p == 0.25 && s.v == 0.0 && s.a == 0.0, !moves);
            if (!moves)
                assert_near(p, 0.25, 0.0, "row %d: at rest", row);
        }
}

TEST(what_is_no_number_is_not_followed)
{
    ifd__calm s = {1.0, 0.1, 0.01};
    ifd__calm_step(&s, (double)NAN, 1.0, 0.25);
    ifd__calm_step(&s, 1.0, (double)INFINITY, 0.25);
    assert_true(s.p == 1.0 && s.v == 0.1 && s.a == 0.01);
    assert_true(isnan(ifd__calm_position(&s, (double)NAN, 1.0, 1e-3)));
}

TESTS()
