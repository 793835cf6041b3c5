/* SPDX-License-Identifier: MIT */
/* Coefficients and values of the polynomials of transitions: quintic.h. */
#include "rig/quintic.h"

#include <math.h>

double ifd__rest_to_rest(double from, double to, double x)
{
    x = fmin(fmax(x, 0.0), 1.0);
    return from + (to - from) * x * x * x * (10.0 + x * (-15.0 + 6.0 * x));
}

ifd__cubic ifd__cubic_of(double a, double va, double b, double vb)
{
    return (ifd__cubic){a, va, 3.0 * (b - a) - 2.0 * va - vb, 2.0 * (a - b) + va + vb};
}

void ifd__cubic_at(const ifd__cubic *p, double x, double T, double out[3])
{
    out[0] = p->y0 + x * (p->v0 + x * (p->c2 + x * p->c3));
    out[1] = (p->v0 + x * (2.0 * p->c2 + 3.0 * p->c3 * x)) / T;
    out[2] = (2.0 * p->c2 + 6.0 * p->c3 * x) / (T * T);
}
