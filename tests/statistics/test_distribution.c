/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "statistics/statistics.h"

TEST(normal_quantiles_have_the_tabulated_values)
{
    static const double table[][2] = {{0.975, 1.959963984540054},
                                      {0.8413447460685429, 1.0},
                                      {0.02, -2.053748910631823},
                                      {0.1, -1.2815515655446004},
                                      {0.001, -3.090232306167813},
                                      {1e-12, -7.034483825301131},
                                      {0.5, 0.0},
                                      {0.3, -0.5244005127080407}};
    for (size_t i = 0; i < COUNT(table); i++) {
        assert_near(ifd__normal_quantile(table[i][0]), table[i][1], 1e-13 * fmax(1, fabs(table[i][1])), "p = %g",
                    table[i][0]);
        assert_near(ifd__normal_quantile(1 - table[i][0]), -ifd__normal_quantile(table[i][0]),
                    1e-13 + 1e-16 / table[i][0], "symmetry");
    }
    assert_true(isinf(ifd__normal_quantile(0)) && isinf(ifd__normal_quantile(1)) && isnan(ifd__normal_quantile(2)));
    assert_near(ifd__normal_density(0), 0.3989422804014327, 1e-16, "");
}

/* Another formula for the far tail, the continued fraction of Mills' ratio:
 * Phi(-x) = phi(x) / (x + 1/(x + 2/(x + ...))). */
TEST(logarithms_of_small_probabilities_agree_with_the_continued_fraction)
{
    for (double x = 5; x < 60; x += 0.7) {
        double fraction = x;
        for (int k = 60; k >= 1; k--)
            fraction = x + k / fraction;
        double expected = -0.5 * x * x - 0.5 * log(2 * M_PI) - log(fraction);
        assert_near(ifd__normal_log_probability(-x), expected, 1e-12 * fabs(expected) + 2e-10, "x = %g", x);
    }
}

TEST(gamma_and_beta_functions_have_the_tabulated_values)
{
    assert_near(ifd__log_gamma(0.5), 0.5 * log(M_PI), 1e-14, "");
    assert_near(ifd__log_gamma(0.1), 2.252712651734206, 1e-14, "");
    assert_near_rel(ifd__log_gamma(171), 706.5730622457874, 1e-14, "170!");
    assert_near_rel(ifd__log_choose(40, 19), log(131282408400.0), 1e-13, "");
    assert_near(ifd__beta_probability(2.5, 1e4, 3e-4), 0.6939124420013671, 3e-11,
                "rounding of ln Gamma(1e4) = 82100");
    assert_near(ifd__beta_probability(30, 2, 0.9), 0.1695646331008652, 1e-13, "");
    assert_near(ifd__beta_probability(3, 1, 0.3), 0.027, 1e-15, "x^a");
    assert_near_rel(ifd__beta_quantile(0.5, 3, 0.01), 2.8445523288735226e-05, 1e-12, "");
}

/* Independent of the beta function: at the lower end, k or more events have the probability of the tail. */
TEST(intervals_of_clopper_and_pearson_have_their_tails)
{
    static const struct {
        long k, n;
        double low, high;
    } row[] = {{3, 1000, 0.000619100, 0.008742023}, {30, 10000, 0.002024975, 0.004279939}, {0, 500, 0, 0.007350610}};
    for (size_t i = 0; i < COUNT(row); i++) {
        double low, high, tail = 0;
        ifd__binomial_interval(row[i].k, row[i].n, 0.95, &low, &high);
        assert_near(low, row[i].low, 0.5e-9, "%ld of %ld", row[i].k, row[i].n);
        assert_near(high, row[i].high, 0.5e-9, "%ld of %ld", row[i].k, row[i].n);
        for (long k = 0; k <= row[i].k; k++)
            tail += exp(ifd__log_choose((double)row[i].n, (double)k) + (double)k * log(high) +
                        (double)(row[i].n - k) * log1p(-high));
        assert_near(tail, 0.025, 1e-10, "%ld of %ld", row[i].k, row[i].n);
    }
    double low, high;
    ifd__binomial_interval(500, 500, 0.95, &low, &high);
    assert_near(low, pow(0.025, 1.0 / 500), 1e-14, "");
    assert_near(high, 1, 0, "");
}

TESTS()
