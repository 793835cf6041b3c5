/* SPDX-License-Identifier: MIT */
/* Samples: moments, quantiles, lognormal capacities, regression.
 *
 *     ifd__lognormal f;
 *     IFD_TRY(ifd__lognormal_fit(n, capacity, NULL, &f));           // median f.median, dispersion f.dispersion
 *
 * A demand may be infinite (a motion that collapsed); quantiles treat it as larger than any number. */
#pragma once

#include <stdbool.h>

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
