/* SPDX-License-Identifier: MIT */
/* Fits powers of the frequency by least squares. */
#include "analysis/powers.h"

#include <math.h>

/* A := its inverse; positive definite, so no pivoting. */
static void invert(int n, double A[IFD__POWERS][IFD__POWERS])
{
    for (int j = 0; j < n; j++) {
        double pivot = A[j][j];
        A[j][j] = 1.0;
        for (int l = 0; l < n; l++)
            A[j][l] /= pivot;
        for (int i = 0; i < n; i++) {
            double m = A[i][j];
            if (i == j)
                continue;
            A[i][j] = 0.0;
            for (int l = 0; l < n; l++)
                A[i][l] -= m * A[j][l];
        }
    }
}

/* Normal equations, accurate for up to three unknowns if the frequency is relative to its largest value. */
ifd__powers ifd__powers_fit(int count, const double *w, const double *y, const double *weight, const int *power,
                            int terms)
{
    ifd__powers f = {{0.0}, {0.0}};
    double A[IFD__POWERS][IFD__POWERS] = {{0.0}}, b[IFD__POWERS] = {0.0}, row[IFD__POWERS], rest = 0.0;
    double top = w[count - 1];
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < terms; j++)
            row[j] = pow(w[i] / top, power[j]);
        for (int j = 0; j < terms; j++) {
            for (int l = 0; l < terms; l++)
                A[j][l] += weight[i] * row[j] * row[l];
            b[j] += weight[i] * row[j] * y[i];
        }
    }
    invert(terms, A);
    for (int j = 0; j < terms; j++)
        for (int l = 0; l < terms; l++)
            f.c[j] += A[j][l] * b[l];
    for (int i = 0; i < count; i++) {
        double off = y[i];
        for (int j = 0; j < terms; j++)
            off -= f.c[j] * pow(w[i] / top, power[j]);
        rest += weight[i] * off * off;
    }
    for (int j = 0; j < terms; j++) {
        f.error[j] = count > terms ? sqrt(rest / (count - terms) * A[j][j]) / pow(top, power[j]) : 0.0;
        f.c[j] /= pow(top, power[j]);
    }
    return f;
}
