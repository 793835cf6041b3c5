/* SPDX-License-Identifier: MIT */
/* Least squares in powers of the frequency. */
#pragma once

enum { IFD__POWERS = 3 };

typedef struct ifd__powers {
    double c[IFD__POWERS], error[IFD__POWERS]; /* error: standard error of each c_j, from the misfit */
} ifd__powers;

/* y_i = sum_j c_j w_i^power_j over count points with weights 1/variance, up to a common factor; w increases. terms: 1
 * to IFD__POWERS. */
ifd__powers ifd__powers_fit(int count, const double *w, const double *y, const double *weight, const int *power,
                            int terms);
