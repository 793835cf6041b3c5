/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "statistics/statistics.h"

static const double capacity[20] = {0.41, 0.52, 0.55, 0.61, 0.66, 0.70, 0.74, 0.79, 0.83, 0.88,
                                    0.93, 0.97, 1.02, 1.10, 1.18, 1.25, 1.37, 1.49, 1.66, 2.05};

TEST(capacities_have_their_median_and_dispersion)
{
    ifd__lognormal f;
    assert_int_equal(ifd__lognormal_fit(20, capacity, NULL, &f), IFD_OK);
    assert_near(f.median, 0.908379827, 0.5e-9, "");
    assert_near(f.dispersion, 0.414216645, 0.5e-9, "");
    assert_near(sqrt(f.cov[0]), 0.414216645 / sqrt(20), 1e-9, "");
}

/* Values of a minimisation without derivatives by another program, and of its second differences. */
TEST(motions_without_collapse_are_lower_bounds)
{
    double x[20];
    bool above[20];
    for (int i = 0; i < 20; i++) {
        above[i] = capacity[i] > 1.2;
        x[i] = above[i] ? 1.2 : capacity[i];
    }
    ifd__lognormal f;
    assert_int_equal(ifd__lognormal_fit(20, x, above, &f), IFD_OK);
    assert_near(f.median, 0.90566025, 2e-8, "");
    assert_near(f.dispersion, 0.40277237, 2e-8, "");
    assert_near(sqrt(f.cov[0]), 0.09419094, 1e-6, "");
    assert_near(sqrt(f.cov[2]), 0.19391835, 1e-6, "");
}

TEST(capacities_without_a_fit_are_refused)
{
    ifd__lognormal f;
    const bool above[] = {true, true, false}, none[] = {false, false, false};
    const double x[] = {1, 2, 3}, equal[] = {2, 2, 2}, wrong[] = {1, 0, 2};
    assert_int_equal(ifd__lognormal_fit(3, x, above, &f), IFD_RANGE);
    assert_int_equal(ifd__lognormal_fit(1, x, NULL, &f), IFD_RANGE);
    assert_int_equal(ifd__lognormal_fit(3, equal, NULL, &f), IFD_RANGE);
    assert_int_equal(ifd__lognormal_fit(3, wrong, NULL, &f), IFD_RANGE);
    assert_int_equal(ifd__lognormal_fit(3, x, none, &f), IFD_OK);
}

TEST(quantiles_interpolate_and_count_collapse_as_infinite)
{
    double x[] = {5, 1, INFINITY, 2};
    ifd__sort(4, x);
    assert_near(ifd__quantile(4, x, 0), 1, 0, "");
    assert_near(ifd__quantile(4, x, 0.5), 3.5, 1e-15, "position 1.5 between 2 and 5");
    assert_near(ifd__quantile(4, x, 2.0 / 3), 5, 1e-14, "");
    assert_true(isinf(ifd__quantile(4, x, 0.84)) && isinf(ifd__quantile(4, x, 1)));
    assert_near(ifd__quantile(1, x, 0.3), 1, 0, "");
}

TEST(regression_agrees_with_the_normal_equations)
{
    const double x[] = {1, 2, 3.5, 4, 6, 7}, y[] = {2.1, 3.9, 7.2, 7.7, 12.3, 13.8};
    ifd__line f;
    assert_int_equal(ifd__line_fit(6, x, y, &f), IFD_OK);
    assert_near(f.a, 0.02988871, 1e-8, "");
    assert_near(f.b, 1.99236884, 1e-8, "");
    assert_near(f.deviation, 0.2638530689065096, 1e-13, "");
    assert_near(f.a_error, 0.22880599, 1e-8, "");
    assert_near(f.b_error, 0.05153977, 1e-8, "");
    assert_near(f.correlation, -0.8822499905394764, 1e-13, "");
    assert_near(f.r2, 0.9973304106101599, 1e-13, "");
    assert_int_equal(ifd__line_fit(2, x, y, &f), IFD_RANGE);
}

TESTS()
