/* SPDX-License-Identifier: MIT */
/* Distributions: normal and beta, and the exact interval of a probability from k of n trials.
 *
 *     double low, high;
 *     ifd__binomial_interval(3, 1000, 0.95, &low, &high);         // 0.000619 to 0.00874
 *
 * All functions depend on their arguments only. */
#pragma once

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
