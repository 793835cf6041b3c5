/* SPDX-License-Identifier: MIT */
/* Least squares in powers of the frequency. */
#ifndef IFD_ANALYSIS_POWERS_H
#define IFD_ANALYSIS_POWERS_H

enum { IFD__POWERS = 3 };

/* Where y is known: frequencies, which rise, and weights 1/variance, up to a common factor. */
typedef struct ifd__frequencies {
    int count;
    const double *w, *weight;
} ifd__frequencies;

/* y_i = sum_j c_j w_i^power_j. error: standard error of each c_j, from the misfit. terms: 1 to IFD__POWERS. */
void ifd__powers_fit(const ifd__frequencies *at, const double *y, const int *power, int terms, double *c,
                     double *error);

#endif
