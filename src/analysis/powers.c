/* SPDX-License-Identifier: MIT */
#include "analysis/powers.h"

#include <math.h>
#include <string.h>

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

/* Normal equations, which up to three unknowns stand when the frequency is counted in its largest value. */
void ifd__powers_fit(const ifd__frequencies *at, const double *y, const int *power, int terms, double *c,
                     double *error)
{
    int count = at->count;
    const double *w = at->w, *weight = at->weight;
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
    memset(c, 0, (size_t)terms * sizeof *c);
    for (int j = 0; j < terms; j++)
        for (int l = 0; l < terms; l++)
            c[j] += A[j][l] * b[l];
    for (int i = 0; i < count; i++) {
        double off = y[i];
        for (int j = 0; j < terms; j++)
            off -= c[j] * pow(w[i] / top, power[j]);
        rest += weight[i] * off * off;
    }
    for (int j = 0; j < terms; j++) {
        error[j] = count > terms ? sqrt(rest / (count - terms) * A[j][j]) / pow(top, power[j]) : 0.0;
        c[j] /= pow(top, power[j]);
    }
}
