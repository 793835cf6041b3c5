/* SPDX-License-Identifier: MIT */
#include "run/calm.h"

#include <math.h>

/* Of what a tick at the limit of acceleration changes: less is rest. */
static const double still = 1.0 / 1073741824.0;

void ifd__calm_begin(double *s, double p)
{
    s[CALM_P] = p;
    s[CALM_V] = s[CALM_A] = 0.0;
}

void ifd__calm_step(double *s, double u, double last, double forgets)
{
    double ahead = s[CALM_P] + s[CALM_V] + 0.5 * s[CALM_A], r = 0.5 * (u + last) - ahead;
    double l = forgets, q = 1.0 - l;
    if (!isfinite(r))
        return;
    s[CALM_P] = ahead + (1.0 - q * q * q) * r;
    s[CALM_V] += s[CALM_A] + 1.5 * l * l * (1.0 + q) * r;
    s[CALM_A] += l * l * l * r;
}

double ifd__calm_position(double *s, double u, double share, double tick)
{
    double rest = still * tick, p = s[CALM_P] + 0.5 * s[CALM_V];
    if (fabs(u - p) < rest && fabs(s[CALM_V]) < rest && fabs(s[CALM_A]) < rest) {
        ifd__calm_begin(s, u);
        return u;
    }
    return u + share * share * (3.0 - 2.0 * share) * (p - u);
}
