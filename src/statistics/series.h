/* SPDX-License-Identifier: MIT */
/* Comparison of two series of equal sampling, such as the measured and the target position of a test. These are the
 * criteria of the RTHS benchmark (Silva et al. 2020), as fractions and samples. */
#pragma once

/* Standard deviation about the mean, with n. */
double ifd__series_deviation(long count, const double *x);
/* Standard deviation of x - y relative to that of y; largest |x - y| relative to the largest |y|; NAN if it is 0. */
double ifd__series_nrms(long count, const double *x, const double *y);
double ifd__series_peak(long count, const double *x, const double *y);
/* The lag of x behind y in samples, 0 to 49 and below half of the series, with the largest correlation. */
int ifd__series_lag(long count, const double *x, const double *y);
