/* SPDX-License-Identifier: MIT */
/* Samples: strata, correlations and independence of the number of members. */
#include "check.h"

#include <string.h>

#include "fixture.h"
#include "statistics/statistics.h"
#include "study/sampling.h"

enum { N = 400, D = 3 };

static ifd__sample make(ifd__sampling method, long members, const double *correlation)
{
    ifd__sample s = {.method = method, .seed = 9, .members = members, .dimensions = D, .correlation = correlation};
    assert_int_equal(ifd__sample_make(arena, &s), IFD_OK);
    return s;
}

TEST_IN_ARENA(every_stratum_of_a_hypercube_has_one_member)
{
    static const double c[D * D] = {1, 0.7, 0, 0.7, 1, -0.4, 0, -0.4, 1};
    for (int correlated = 0; correlated < 2; correlated++) {
        ifd__sample s = make(IFD__LATIN_HYPERCUBE, N, correlated ? c : NULL);
        bool seen[D][N] = {{false}};
        double u[D];
        for (long i = 0; i < N; i++) {
            ifd__sample_point(&s, i, u);
            for (int d = 0; d < D; d++) {
                int at = (int)(u[d] * N);
                assert_false(seen[d][at]);
                seen[d][at] = true;
            }
        }
    }
}

/* The sample correlation of the normal scores of coordinates a and b. */
static double correlation(const ifd__sample *s, int a, int b)
{
    double xy = 0, xx = 0, yy = 0, mx = 0, my = 0, u[D], n = (double)s->members;
    for (long i = 0; i < s->members; i++) {
        ifd__sample_point(s, i, u);
        double x = ifd__normal_quantile(u[a]), y = ifd__normal_quantile(u[b]);
        xy += x * y;
        xx += x * x;
        yy += y * y;
        mx += x;
        my += y;
    }
    return (xy - mx * my / n) / sqrt((xx - mx * mx / n) * (yy - my * my / n));
}

/* Iman and Conover set the scores exactly and the ranks follow: the rest is the rearrangement. A copula has the
 * sampling error of 1 / sqrt(n). */
TEST_IN_ARENA(correlations_are_those_asked_for)
{
    static const double c[D * D] = {1, 0.7, 0, 0.7, 1, -0.4, 0, -0.4, 1};
    static const int pair[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    for (int m = 0; m < 3; m++) {
        ifd__sample s = make((ifd__sampling)m, m == IFD__LATIN_HYPERCUBE ? N : 4096, c);
        double tolerance = m == IFD__LATIN_HYPERCUBE ? 0.03 : 4 / sqrt(4096);
        for (int k = 0; k < 3; k++)
            assert_near(correlation(&s, pair[k][0], pair[k][1]), c[pair[k][0] * D + pair[k][1]], tolerance,
                        "method %d", m);
    }
}

TEST_IN_ARENA(members_do_not_depend_on_their_number)
{
    for (int m = 0; m < 3; m += 2) {
        ifd__sample few = make((ifd__sampling)m, 10, NULL), many = make((ifd__sampling)m, 1000, NULL);
        double a[D], b[D];
        for (long i = 0; i < 10; i++) {
            ifd__sample_point(&few, i, a);
            ifd__sample_point(&many, i, b);
            assert_memory_equal(a, b, sizeof a);
        }
    }
}

TEST_IN_ARENA(impossible_correlations_are_refused)
{
    static const double c[D * D] = {1, 0.9, -0.9, 0.9, 1, 0.9, -0.9, 0.9, 1};
    ifd__sample s = {.method = IFD__MONTE_CARLO, .members = 10, .dimensions = D, .correlation = c};
    assert_int_equal(ifd__sample_make(arena, &s), IFD_NOT_POSITIVE);
    static const double possible[D * D] = {1, 0.5, 0, 0.5, 1, 0, 0, 0, 1};
    ifd__sample few = {.method = IFD__LATIN_HYPERCUBE, .members = 3, .dimensions = D, .correlation = possible};
    assert_int_equal(ifd__sample_make(arena, &few), IFD_RANGE);
}

TESTS()
