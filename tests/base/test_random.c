/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/random.h"

/* From a second implementation of the published algorithm, in another language. */
TEST(a_seed_gives_the_same_numbers_everywhere)
{
    static const uint64_t expected[] = {UINT64_C(0xb358faf74ef9765a), UINT64_C(0x475c3d964f482cd2),
                                        UINT64_C(0xd6f1d349952c7996), UINT64_C(0xfb2938731e807240)};
    ifd__random r;
    ifd__random_seed(&r, 0);
    assert_true(r.word[0] == UINT64_C(0xe220a8397b1dcdaf)); /* the first number of splitmix64 from 0 */
    ifd__random_seed(&r, 7);
    for (size_t i = 0; i < COUNT(expected); i++)
        assert_true(ifd__random_bits(&r) == expected[i]);
}

TEST(uniform_and_normal_numbers_have_their_moments)
{
    enum { N = 200000 };
    ifd__random r;
    ifd__random_seed(&r, 1);
    double unit = 0, mean = 0, square = 0, fourth = 0;
    for (int i = 0; i < N; i++) {
        double u = ifd__random_unit(&r), x = ifd__random_normal(&r);
        assert_true(u >= 0 && u < 1);
        unit += u / N;
        mean += x / N;
        square += x * x / N;
        fourth += x * x * x * x / N;
    }
    /* five standard errors: sqrt(1/12), 1, sqrt(2), sqrt(96) over sqrt(N) */
    assert_near(unit, 0.5, 5 * 0.2887 / sqrt(N), "mean of the uniform numbers");
    assert_near(mean, 0, 5 / sqrt(N), "mean");
    assert_near(square, 1, 5 * 1.4142 / sqrt(N), "variance");
    assert_near(fourth, 3, 5 * 9.798 / sqrt(N), "fourth moment");
}

TESTS()
