/* SPDX-License-Identifier: MIT */
/* Statistics of studies and tests: samples, distributions, series, fragilities, sensitivities.
 *
 * Samples: moments, quantiles, lognormal capacities, regression.
 *
 *     ifd__lognormal f;
 *     IFD_TRY(ifd__lognormal_fit(n, capacity, NULL, &f));           // median f.median, dispersion f.dispersion
 *
 * A demand may be infinite (a motion that collapsed); quantiles treat it as larger than any number. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <interfield/arena.h>
#include <interfield/status.h>

/* Mean, and standard deviation with n - 1 (0 if n is 1). */
double ifd__mean(int n, const double *x);
double ifd__deviation(int n, const double *x);

/* Ascending order; x has no NaN. */
void ifd__sort(int n, double *x);

/* The p-quantile of sorted values with linear interpolation: position p (n - 1), counted from 0. Between a finite and
 * an infinite value it is infinite. */
double ifd__quantile(int n, const double *sorted, double p);

/* A lognormal distribution: median theta, standard deviation beta of the logarithm. */
typedef struct ifd__lognormal {
    double median, dispersion;
    double cov[3]; /* of ln theta, of both, of ln beta */
} ifd__lognormal;

/* Capacities x > 0. above NULL: theta = exp(mean of ln x), beta with n - 1. With above, x[i] is a lower bound where
 * above[i] is true (the motion did not collapse up to x[i]): maximum likelihood. IFD_RANGE: fewer than two values, a
 * value that is not positive, equal values, or fewer than two that are not bounds. */
ifd_status ifd__lognormal_fit(int n, const double *x, const bool *above, ifd__lognormal *out);

/* y = a + b x by least squares. */
typedef struct ifd__line {
    double a, b;
    double deviation;                     /* of the residuals, with n - 2 */
    double a_error, b_error, correlation; /* standard deviations of a and b, their correlation */
    double r2;
} ifd__line;

/* IFD_RANGE: fewer than three values, or equal x. */
ifd_status ifd__line_fit(int n, const double *x, const double *y, ifd__line *out);

/* Distributions: normal and beta, and the exact interval of a probability from k of n trials.
 *
 *     double low, high;
 *     ifd__binomial_interval(3, 1000, 0.95, &low, &high);         // 0.000619 to 0.00874
 *
 * All functions depend on their arguments only. */

/* Standard normal distribution: density, probability of a value up to x, and its inverse (p = 0 and 1: infinite). */
double ifd__normal_density(double x);
double ifd__normal_probability(double x);
double ifd__normal_quantile(double p);
/* The logarithm of ifd__normal_probability, also where that underflows. */
double ifd__normal_log_probability(double x);

/* Logarithms of the gamma function, x > 0, and of the binomial coefficient. */
double ifd__log_gamma(double x);
double ifd__log_choose(double n, double k);

/* Regularised incomplete beta function I_x(a, b), a, b > 0, and its inverse in x. */
double ifd__beta_probability(double a, double b, double x);
double ifd__beta_quantile(double a, double b, double p);

/* Interval of Clopper and Pearson (1934) for the probability of an event that occurred in k of n trials, with equal
 * tails of (1 - level) / 2. */
void ifd__binomial_interval(long k, long n, double level, double *low, double *high);

/* Comparison of two series of equal sampling, such as the measured and the target position of a test. These are the
 * criteria of the RTHS benchmark (Silva et al. 2020), as fractions and samples. */

/* Standard deviation about the mean, with n. */
double ifd__series_deviation(long count, const double *x);
/* Standard deviation of x - y relative to that of y; largest |x - y| relative to the largest |y|; NAN if it is 0. */
double ifd__series_nrms(long count, const double *x, const double *y);
double ifd__series_peak(long count, const double *x, const double *y);
/* The lag of x behind y in samples, 0 to 49 and below half of the series, with the largest correlation. */
int ifd__series_lag(long count, const double *x, const double *y);

/* Fragility: the probability P(x) = Phi(ln(x / theta) / beta) that a motion of intensity x exceeds a limit.
 *
 *     ifd__stripes s = {.count = 8, .x = x, .n = n, .k = k};       // k[i] of n[i] motions exceed at x[i]
 *     ifd__fragility f;
 *     IFD_TRY(ifd__fragility_fit(&s, &f));
 *     ifd__fragility_band(&f, x, 0.95, &low, &high);
 *
 * theta and beta maximise the binomial likelihood. It is the likelihood of the probit model P = Phi(c0 + c1 ln x),
 * which is concave in c0 and c1: Newton's method finds its only maximum. The covariance of (ln theta, ln beta) is the
 * inverse of the observed information; bands are from the delta method. */

typedef struct ifd__stripes {
    int count;
    const double *x;  /* intensities, > 0 */
    const int *n, *k; /* motions, and those that exceed */
} ifd__stripes;

typedef struct ifd__fragility {
    double theta, beta;
    double likelihood; /* logarithm, with binomial coefficients */
    double cov[3];     /* of ln theta, of both, of ln beta */
} ifd__fragility;

/* IFD_RANGE: a number is invalid. IFD_SINGULAR: there is no finite maximum, because every intensity that exceeds is
 * above all that do not, or the fraction does not increase with intensity. */
ifd_status ifd__fragility_fit(const ifd__stripes *s, ifd__fragility *out);

double ifd__fragility_probability(const ifd__fragility *f, double x);
/* Interval of P(x) with that level. */
void ifd__fragility_band(const ifd__fragility *f, double x, double level, double *low, double *high);

/* Motions drawn with replacement. exceeds[i * motions + m]: whether motion m exceeds at x[i]. NULL: the stripes have
 * different motions, and each stripe is drawn separately from its counts. */
typedef struct ifd__bootstrap {
    int motions;
    const unsigned char *exceeds;
    int replicates;
    uint64_t seed;
} ifd__bootstrap;

typedef struct ifd__fragilities {
    int count, failed; /* replicates with and without a maximum */
    ifd__fragility *fit;
} ifd__fragilities;

/* Replicate r depends on (seed, r) only. IFD_NO_MEMORY. */
ifd_status ifd__fragility_bootstrap(ifd_arena *arena, const ifd__stripes *s, const ifd__bootstrap *b,
                                    ifd__fragilities *out);
/* Interval of P(x): empirical quantiles over the replicates; scratch has count values. */
void ifd__fragilities_band(const ifd__fragilities *all, double x, double level, double *scratch, double band[2]);

/* Sensitivities of a number f(x1 ... xd) to its variables, from evaluations at designed points.
 *
 * Sobol indices: with independent samples A and B, and AB_i equal to A except for variable i, which is from B,
 *
 *     S_i  = mean(f(B) (f(AB_i) - f(A))) / V         (Saltelli et al., 2010)
 *     ST_i = mean((f(A) - f(AB_i))^2) / (2 V)        (Jansen, 1999)
 *
 * S_i is the fraction of the variance V that variable i explains alone, ST_i with all its interactions. Elementary
 * effects (Morris, 1991): mean, mean of absolute values and standard deviation of (f(x + delta e_i) - f(x)) / delta
 * over random trajectories. */

typedef struct ifd__sobol {
    int variables, samples;
    const double *a, *b; /* f at the points of A and of B */
    const double *ab;    /* ab[i * samples + k]: f at point k of AB_i */
} ifd__sobol;

typedef struct ifd__index {
    double first, total;
    double first_band[2], total_band[2];
} ifd__index;

/* out has an index for each variable; IFD_RANGE: fewer than two samples, or a variance of zero or not finite. */
ifd_status ifd__sobol_indices(const ifd__sobol *s, ifd__index *out);

/* The same, with intervals from replicates of the samples drawn with replacement. */
typedef struct ifd__sobol_bootstrap {
    int replicates;
    uint64_t seed;
    double level;
} ifd__sobol_bootstrap;
ifd_status ifd__sobol_intervals(ifd_arena *arena, const ifd__sobol *s, const ifd__sobol_bootstrap *b,
                                ifd__index *out);

/* Trajectory of Morris with that number in the unit cube: variables + 1 points, x[point * variables + i], on a grid
 * of an even number of levels; consecutive points differ in one variable by delta = levels / (2 (levels - 1)). It
 * depends on (seed, trajectory) only. order: scratch of `variables` numbers. */
typedef struct ifd__morris_design {
    int variables, levels;
    uint64_t seed;
} ifd__morris_design;
void ifd__morris_trajectory(const ifd__morris_design *d, int trajectory, int *order, double *x);

typedef struct ifd__effect {
    double mean, absolute,
        deviation; /* of the elementary effects: mean, mean of absolute values, standard deviation */
} ifd__effect;

/* x: the trajectories one after the other; f: trajectories * (variables + 1) values. IFD_RANGE: no trajectory, or
 * consecutive points that do not differ in exactly one variable. */
ifd_status ifd__morris_effects(int variables, int trajectories, const double *x, const double *f, ifd__effect *out);

/* From any sample of one variable x and f: the fraction of the variance of f that x explains alone, the first-order
 * Sobol index. Means of f in `bins` groups of equal size by x are compared with the mean of all, corrected for the
 * scatter within the groups (epsilon squared; Kelley, 1935). 0 to 1 except for sampling errors, which are about
 * sqrt(2 bins) / n. IFD_RANGE: fewer than two values in a group, or equal f. */
ifd_status ifd__explained_variance(ifd_arena *arena, int n, const double *x, const double *f, int bins, double *out);

/* Spearman's rank correlation of x and f; equal values have their mean rank. IFD_RANGE: fewer than 3, or equal values
 * only. */
ifd_status ifd__rank_correlation(ifd_arena *arena, int n, const double *x, const double *f, double *out);
