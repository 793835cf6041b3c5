/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "fixture.h"
#include "statistics/statistics.h"

enum { MOST = 8 };

/* Roots of the score in arithmetic of 40 digits. */
typedef struct table {
    int count, n[MOST], k[MOST];
    double x[MOST], theta, beta, likelihood;
    double cov[3];  /* inverse of the second differences of another program's likelihood */
    double band[2]; /* of P(0.5), from it */
} table;

static const table tables[] = {
    {.count = 8,
     .x = {0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6},
     .n = {40, 40, 40, 40, 40, 40, 40, 40},
     .k = {0, 1, 5, 11, 19, 26, 33, 36},
     .theta = 0.991380306232593,
     .beta = 0.413325397863711,
     .likelihood = -12.7252196683154,
     .cov = {0.00136831, -0.00022735, 0.01156752},
     .band = {0.01991065, 0.10446471}},
    {.count = 7,
     .x = {0.1, 0.25, 0.5, 0.75, 1, 1.5, 2},
     .n = {44, 44, 44, 44, 44, 44, 44},
     .k = {0, 2, 9, 20, 28, 39, 43},
     .theta = 0.774804401660294,
     .beta = 0.567871438731227,
     .likelihood = -11.0488689869348,
     .cov = {0.00302218, -0.00077839, 0.01093781},
     .band = {0.15051822, 0.30558707}},
};

static ifd__stripes stripes_of(const table *t)
{
    return (ifd__stripes){.count = t->count, .x = t->x, .n = t->n, .k = t->k};
}

TEST(the_likelihood_is_maximal_at_the_tabulated_values)
{
    for (size_t i = 0; i < COUNT(tables); i++) {
        const table *t = &tables[i];
        ifd__stripes s = stripes_of(t);
        ifd__fragility f;
        assert_int_equal(ifd__fragility_fit(&s, &f), IFD_OK);
        assert_near(f.theta, t->theta, 1e-12, "theta");
        assert_near(f.beta, t->beta, 1e-12, "beta");
        assert_near(f.likelihood, t->likelihood, 1e-11, "ln likelihood");
        for (int c = 0; c < 3; c++)
            assert_near(f.cov[c], t->cov[c], 2e-8, "covariance %d", c);
        double low, high;
        ifd__fragility_band(&f, 0.5, 0.95, &low, &high);
        assert_near(low, t->band[0], 1e-6, "low");
        assert_near(high, t->band[1], 1e-6, "high");
    }
}

TEST(data_without_a_maximum_are_refused)
{
    static const struct {
        int k[3];
        ifd_status status;
    } row[] = {{{0, 10, 10}, IFD_SINGULAR}, {{0, 4, 10}, IFD_SINGULAR}, {{0, 0, 0}, IFD_SINGULAR},
               {{9, 5, 1}, IFD_SINGULAR},   {{1, 2, 11}, IFD_RANGE},    {{0, 4, 9}, IFD_OK}};
    static const double x[] = {1, 2, 3};
    static const int n[] = {10, 10, 10};
    for (size_t i = 0; i < COUNT(row); i++) {
        ifd__fragility f;
        ifd__stripes s = {.count = 3, .x = x, .n = n, .k = row[i].k};
        assert_int_equal(ifd__fragility_fit(&s, &f), row[i].status);
    }
}

/* For many motions the bootstrap and the observed information estimate the same deviations. With motions that exceed
 * independently in each stripe, both ways to draw agree; 2,000 replicates determine a deviation to 1.6 %. */
TEST_IN_ARENA(bootstrap_agrees_with_the_observed_information)
{
    const table *t = &tables[0];
    ifd__stripes s = stripes_of(t);
    ifd__fragility f;
    ifd__fragilities all;
    ifd__bootstrap b = {.replicates = 2000, .seed = 7};
    assert_int_equal(ifd__fragility_fit(&s, &f), IFD_OK);
    assert_int_equal(ifd__fragility_bootstrap(arena, &s, &b, &all), IFD_OK);
    assert_int_equal(all.count, 2000);
    double sum = 0, square = 0;
    for (int r = 0; r < all.count; r++) {
        sum += log(all.fit[r].theta);
        square += pow(log(all.fit[r].theta), 2);
    }
    double deviation = sqrt(square / all.count - pow(sum / all.count, 2));
    assert_near_rel(deviation, sqrt(f.cov[0]), 0.08, "deviation of ln theta");
    double band[2], low, high, *scratch = ifd_arena_array(arena, 2000, sizeof *scratch);
    ifd__fragilities_band(&all, 1.0, 0.95, scratch, band);
    ifd__fragility_band(&f, 1.0, 0.95, &low, &high);
    assert_near(band[0], low, 0.015, "");
    assert_near(band[1], high, 0.015, "");
}

/* The same motions in all stripes: resampling whole motions keeps their dependence. A replicate depends on its
 * number, not on how many there are. */
TEST_IN_ARENA(motions_are_drawn_as_a_whole)
{
    const table *t = &tables[1];
    unsigned char exceeds[7 * 44];
    for (int i = 0; i < 7; i++)
        for (int m = 0; m < 44; m++)
            exceeds[i * 44 + m] = m < t->k[i];
    ifd__stripes s = stripes_of(t);
    ifd__bootstrap b = {.motions = 44, .exceeds = exceeds, .replicates = 50, .seed = 3};
    ifd__fragilities few, many;
    assert_int_equal(ifd__fragility_bootstrap(arena, &s, &b, &few), IFD_OK);
    b.replicates = 400;
    assert_int_equal(ifd__fragility_bootstrap(arena, &s, &b, &many), IFD_OK);
    assert_int_equal(few.count + few.failed, 50);
    for (int r = 0; r < few.count; r++)
        assert_near(many.fit[r].theta, few.fit[r].theta, 0, "replicate %d", r);
    double sum = 0;
    for (int r = 0; r < many.count; r++)
        sum += log(many.fit[r].theta);
    assert_near(sum / many.count, log(t->theta), 0.03, "mean of 400");
}

TESTS()
