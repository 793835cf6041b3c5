/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "realtime/histogram.h"

#include <stdlib.h>

static ifd_histogram h;

static int clear(void **state)
{
    (void)state;
    h = (ifd_histogram){0};
    return 0;
}

TEST_WITH(nothing_added_gives_zero, clear, NULL)
{
    assert_int_equal(ifd_histogram_quantile(&h, 0.5), 0);
}

TEST_WITH(short_times_are_kept_exactly, clear, NULL)
{
    for (uint64_t ns = 1; ns <= 30; ns++)
        ifd_histogram_add(&h, ns);
    assert_int_equal(ifd_histogram_quantile(&h, 0.5), 15);
    assert_int_equal(ifd_histogram_quantile(&h, 0.1), 3);
    assert_int_equal(ifd_histogram_quantile(&h, 1), 30);
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Times spread over nine decades, against the sorted list. */
TEST_WITH(quantiles_are_never_below_the_true_ones_and_at_most_one_class_above, clear, NULL)
{
    enum { N = 20000 };
    static uint64_t times[N];
    uint64_t seed = 1;
    for (int i = 0; i < N; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        times[i] = (uint64_t)exp(log(1e9) * (double)(seed >> 11) * 0x1p-53);
        ifd_histogram_add(&h, times[i]);
    }
    qsort(times, N, sizeof *times, ascending);
    const double shares[] = {0.01, 0.5, 0.9, 0.99, 0.999, 1};
    for (size_t k = 0; k < COUNT(shares); k++) {
        double exact = (double)times[(int)ceil(shares[k] * N) - 1];
        double found = (double)ifd_histogram_quantile(&h, shares[k]);
        assert_true(found >= exact);
        assert_near(found, exact, exact / 32, "share %g", shares[k]);
    }
}

TEST_WITH(the_longest_time_is_exact_and_caps_every_quantile, clear, NULL)
{
    ifd_histogram_add(&h, 1000003);
    assert_int_equal(ifd_histogram_quantile(&h, 0.5), 1000003);
    ifd_histogram_add(&h, UINT64_MAX);
    assert_true(ifd_histogram_quantile(&h, 1) == UINT64_MAX);
}

TESTS()
