/* SPDX-License-Identifier: MIT */
/* Curves of an incremental dynamic analysis and their bands. */
#include "study/answer/curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "statistics/statistics.h"

/* Chooses the next intensity of an incremental dynamic analysis. */

enum { MOST = 256 };

static int by_intensity(const void *a, const void *b)
{
    double x = ((const ifd__hunt_point *)a)->intensity, y = ((const ifd__hunt_point *)b)->intensity;
    return (x > y) - (x < y);
}

/* Whether point i of sorted points is a collapse. The elastic slope is that of the first run; a demand that does not
 * increase is hardening, not collapse. */
static bool collapses(const ifd__hunt *h, const ifd__hunt_point *p, int i)
{
    if (!isfinite(p[i].demand) || p[i].demand > h->limit)
        return true;
    if (i == 0 || !(h->slope > 0) || !(p[0].demand > 0))
        return false;
    double more = p[i].demand - p[i - 1].demand, elastic = p[0].intensity / p[0].demand;
    return more > 0 && p[i].intensity - p[i - 1].intensity < h->slope * elastic * more;
}

int ifd__hunt_curve(const ifd__hunt *h, int n, ifd__hunt_point *point)
{
    qsort(point, (size_t)n, sizeof *point, by_intensity);
    int below = 0;
    while (below < n && !collapses(h, point, below))
        below++;
    return below;
}

/* A copy of the points in order of intensity; returns how many are below collapse. */
static int sorted(const ifd__hunt *h, int n, const ifd__hunt_point *point, ifd__hunt_point out[MOST])
{
    memcpy(out, point, (size_t)n * sizeof *out);
    return ifd__hunt_curve(h, n, out);
}

ifd__capacity ifd__hunt_capacity(const ifd__hunt *h, int n, const ifd__hunt_point *point)
{
    ifd__hunt_point p[MOST];
    int below = sorted(h, n, point, p);
    ifd__capacity c = {.collapsed = below<n, .low = below> 0 ? p[below - 1].intensity : 0, .high = INFINITY};
    if (c.collapsed)
        c.high = p[below].intensity;
    c.value = c.collapsed ? 0.5 * (c.low + c.high) : c.low;
    return c;
}

/* Whether the gap at collapse is small enough; sums of halved steps have rounding errors. */
static bool closed(const ifd__hunt *h, double low, double high)
{
    return high - low <= h->resolution * low * (1 + 1e-9);
}

/* The number of the first n runs that the hunt needs: up to the first collapse, then until the gap is closed. The
 * others fill. */
static int filled(const ifd__hunt *h, int n, const ifd__hunt_point *point)
{
    for (int k = 1; k <= n; k++) {
        ifd__capacity c = ifd__hunt_capacity(h, k, point);
        bool end = !c.collapsed && c.low >= h->most;
        if (end || (c.collapsed && closed(h, c.low, c.high)))
            return n - k;
    }
    return 0;
}

bool ifd__hunt_next(const ifd__hunt *h, int n, const ifd__hunt_point *point, double *intensity)
{
    ifd__hunt_point p[MOST];
    if (n >= h->runs || n >= MOST)
        return false;
    int below = sorted(h, n, point, p);
    if (below == n && (n == 0 || p[n - 1].intensity < h->most)) { /* hunt */
        *intensity = fmin(h->most, n == 0 ? h->first : 2 * p[n - 1].intensity - h->first + h->step);
        return true;
    }
    double low = below > 0 ? p[below - 1].intensity : 0;
    if (below < n && !closed(h, low, p[below].intensity) && p[below].intensity > 1e-9 * h->first) {
        *intensity = 0.5 * (low + p[below].intensity);
        return true;
    }
    if (below == 0 || filled(h, n, point) >= h->fill)
        return false;
    double gap = p[0].intensity, from = 0;
    for (int i = 1; i < below; i++)
        if (p[i].intensity - p[i - 1].intensity > gap * (1 + 1e-12)) {
            gap = p[i].intensity - p[i - 1].intensity;
            from = p[i - 1].intensity;
        }
    *intensity = from + 0.5 * gap;
    return true;
}

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
