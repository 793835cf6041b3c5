/* SPDX-License-Identifier: MIT */
/* The mean of two commands that smooths hold and resume: command_filter.h. */
#include "rig/command_filter.h"

#include <math.h>

/* Rest: smaller than this fraction of the change of step that one tick at the acceleration limit causes. */
static const double still = 1.0 / 1073741824.0;

void ifd__calm_begin(ifd__calm *s, double p)
{
    s->p = p;
    s->v = s->a = 0.0;
}

void ifd__calm_step(ifd__calm *s, double u, double last, double forgets)
{
    double ahead = s->p + s->v + 0.5 * s->a, r = 0.5 * (u + last) - ahead;
    double l = forgets, q = 1.0 - l;
    if (!isfinite(r))
        return;
    s->p = ahead + (1.0 - q * q * q) * r;
    s->v += s->a + 1.5 * l * l * (1.0 + q) * r;
    s->a += l * l * l * r;
}

double ifd__calm_position(ifd__calm *s, double u, double share, double tick)
{
    double rest = still * tick, p = s->p + 0.5 * s->v;
    if (fabs(u - p) < rest && fabs(s->v) < rest && fabs(s->a) < rest) {
        ifd__calm_begin(s, u);
        return u;
    }
    return u + share * share * (3.0 - 2.0 * share) * (p - u);
}
