/* SPDX-License-Identifier: MIT */
/* Polynomials of transitions, over x = 0..1. The cubic has given values and slopes at both ends; the quintic also
 * curvatures,
 *
 *     y(x) = y0 + x (v0 + x (q/2 + x (c3 + x (c4 + x c5)))),
 *
 * so that the acceleration is continuous. From rest to rest it is the path of least jerk. */
#pragma once

#include <math.h>

#include <interfield/status.h>

/* From rest at `from` to rest at `to`, constant afterwards: 10 x^3 - 15 x^4 + 6 x^5 of the distance. */
IFD_RT double ifd__rest_to_rest(double from, double to, double x);

/* From 0 to 1 with slopes of zero at both ends, constant afterwards. */
IFD_RT static inline double ifd__smoothstep(double x)
{
    x = fmin(x, 1.0);
    return x * x * (3.0 - 2.0 * x);
}

typedef struct ifd__cubic {
    double y0, v0, c2, c3;
} ifd__cubic;

/* From value and slope a, va to b, vb; its value, slope and curvature at x over the time T. */
IFD_RT ifd__cubic ifd__cubic_of(double a, double va, double b, double vb);
IFD_RT void ifd__cubic_at(const ifd__cubic *p, double x, double T, double out[3]);

typedef struct ifd__quintic {
    double y0, v0, q, c3, c4, c5;
} ifd__quintic;

/* From value, slope and curvature a to those of b. */
IFD_RT static inline ifd__quintic ifd__quintic_of(const double a[3], const double b[3])
{
    double u = b[0] - a[0] - a[1] - 0.5 * a[2], v = b[1] - a[1] - a[2], q = b[2] - a[2];
    return (ifd__quintic){.y0 = a[0],
                          .v0 = a[1],
                          .q = a[2],
                          .c3 = 10.0 * u - 4.0 * v + 0.5 * q,
                          .c4 = -15.0 * u + 7.0 * v - q,
                          .c5 = 6.0 * u - 3.0 * v + 0.5 * q};
}

/* Value, slope and curvature at x. */
IFD_RT static inline void ifd__quintic_at(const ifd__quintic *p, double x, double out[3])
{
    out[0] = p->y0 + x * (p->v0 + x * (0.5 * p->q + x * (p->c3 + x * (p->c4 + x * p->c5))));
    out[1] = p->v0 + x * (p->q + x * (3.0 * p->c3 + x * (4.0 * p->c4 + x * 5.0 * p->c5)));
    out[2] = p->q + x * (6.0 * p->c3 + x * (12.0 * p->c4 + x * 20.0 * p->c5));
}
