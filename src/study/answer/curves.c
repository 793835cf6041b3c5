/* SPDX-License-Identifier: MIT */
/* Curves of an incremental dynamic analysis and their bands. */
#include "study/answer/curves.h"
#include "statistics/statistics.h"

#include <math.h>

static const double percent[3] = {0.16, 0.50, 0.84};

double ifd__ida_demand(const ifd__ida_curve *c, double intensity)
{
    double x = 0, d = 0;
    for (int i = 0; i < c->count; i++) {
        double x1 = c->point[i].intensity, d1 = c->point[i].demand;
        if (intensity <= x1)
            return x1 > x ? d + (d1 - d) * (intensity - x) / (x1 - x) : d1;
        x = x1;
        d = d1;
    }
    return c->capacity.collapsed && intensity <= c->capacity.value ? d : (double)INFINITY;
}

double ifd__ida_intensity(const ifd__ida_curve *c, double demand)
{
    double x = 0, d = 0;
    for (int i = 0; i < c->count; i++) {
        double x1 = c->point[i].intensity, d1 = c->point[i].demand;
        if (d1 >= demand && d1 > d)
            return x + (x1 - x) * fmax(0, demand - d) / (d1 - d);
        x = x1;
        d = d1;
    }
    return c->capacity.collapsed ? c->capacity.value : (double)INFINITY;
}

static void band(int n, double *x, double out[3])
{
    ifd__sort(n, x);
    for (int k = 0; k < 3; k++)
        out[k] = n > 0 ? ifd__quantile(n, x, percent[k]) : (double)NAN;
}

void ifd__ida_demand_band(int curves, const ifd__ida_curve *c, double intensity, double *scratch, double out[3])
{
    for (int i = 0; i < curves; i++)
        scratch[i] = ifd__ida_demand(&c[i], intensity);
    band(curves, scratch, out);
}

void ifd__ida_intensity_band(int curves, const ifd__ida_curve *c, double demand, double *scratch, double out[3])
{
    for (int i = 0; i < curves; i++)
        scratch[i] = ifd__ida_intensity(&c[i], demand);
    band(curves, scratch, out);
}
