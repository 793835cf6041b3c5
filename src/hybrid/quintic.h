/* SPDX-License-Identifier: MIT */
/* The quintic with given value, slope and curvature at 0 and at 1:
 *
 *     y(x) = y0 + x (v0 + x (q/2 + x (c3 + x (c4 + x c5))))
 *
 * Transitions follow it: what it moves changes its acceleration without a jump. */
#ifndef IFD_HYBRID_QUINTIC_H
#define IFD_HYBRID_QUINTIC_H

#include <interfield/status.h>

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

#endif
