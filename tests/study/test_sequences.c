/* SPDX-License-Identifier: MIT */
/* Random numbers by counter and the Sobol sequence against published values. */
#include "check.h"

#include <stdbool.h>

#include "study/sampling.h"

/* Known answers of the authors of Random123 (kat_vectors, philox4x32 10). */
TEST(philox_gives_its_known_answers)
{
    static const uint32_t in[3][6] = {{0, 0, 0, 0, 0, 0},
                                      {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                                      {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0}};
    static const uint32_t expected[3][4] = {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                                            {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                                            {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
    for (int i = 0; i < 3; i++) {
        uint32_t out[4];
        ifd__philox(in[i], in[i] + 4, out);
        for (int k = 0; k < 4; k++)
            assert_int_equal(out[k], expected[i][k]);
    }
}

/* The first points of the file of Joe and Kuo, in the order of the Gray code: points i and i ^ (i >> 1). */
TEST(sobol_points_are_those_of_joe_and_kuo)
{
    static const double expected[8][4] = {{0, 0, 0, 0},
                                          {0.5, 0.5, 0.5, 0.5},
                                          {0.75, 0.25, 0.25, 0.25},
                                          {0.25, 0.75, 0.75, 0.75},
                                          {0.375, 0.375, 0.625, 0.875},
                                          {0.875, 0.875, 0.125, 0.375},
                                          {0.625, 0.125, 0.875, 0.625},
                                          {0.125, 0.625, 0.375, 0.125}};
    for (uint64_t i = 0; i < 8; i++)
        for (int d = 0; d < 4; d++)
            assert_near(ifd__sobol_bits(i ^ (i >> 1), d) * 0x1p-32, expected[i][d], 0, "point %d", (int)i);
}

/* Point 777 in the order of the Gray code, from scipy.stats.qmc.Sobol(128, scramble=False). */
TEST(later_dimensions_agree_with_another_program)
{
    static const struct {
        int dimension;
        double x;
    } expected[] = {{20, 0.2373046875}, {60, 0.5126953125}, {127, 0.1181640625}};
    for (size_t i = 0; i < COUNT(expected); i++)
        assert_near(ifd__sobol_bits(777 ^ (777 >> 1), expected[i].dimension) * 0x1p-32, expected[i].x, 0,
                    "dimension %d", expected[i].dimension);
}

/* In every dimension the first 2^k points are in different intervals of 2^-k, also after scrambling. */
TEST(every_interval_has_one_point)
{
    const uint64_t seed = 11;
    enum { N = 256 };
    for (int d = 0; d < IFD__SOBOL_DIMENSIONS; d += 9)
        for (int scrambled = 0; scrambled < 2; scrambled++) {
            bool seen[N] = {false};
            for (uint64_t i = 0; i < N; i++) {
                int cell = (int)(ifd__sobol_unit(i, d, scrambled ? &seed : NULL) * N);
                assert_false(seen[cell]);
                seen[cell] = true;
            }
        }
}

/* The first two dimensions are a net: every elementary box of area 1/64 has one of 64 points. */
TEST(scrambling_keeps_the_net)
{
    const uint64_t seed = 5;
    for (int a = 0; a <= 6; a++) {
        bool seen[64] = {false};
        for (uint64_t i = 0; i < 64; i++) {
            int x = (int)(ifd__sobol_unit(i, 0, &seed) * (1 << a)),
                y = (int)(ifd__sobol_unit(i, 1, &seed) * (64 >> a));
            assert_false(seen[x * (64 >> a) + y]);
            seen[x * (64 >> a) + y] = true;
        }
    }
}

TEST(scrambled_points_have_mean_one_half_over_seeds)
{
    enum { SEEDS = 2000 };
    double sum = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        sum += ifd__sobol_unit(3, 4, &seed);
    assert_near(sum / SEEDS, 0.5, 4 * sqrt(1.0 / 12 / SEEDS), "mean");
}

TESTS()
