/* SPDX-License-Identifier: MIT */
/* Sensitivities from a given sample: explained variance and rank correlation. */
#include "statistics/sensitivity.h"

#include <math.h>
#include <stdlib.h>

typedef struct pair {
    double x, f;
    int at;
} pair;

static int by_x(const void *a, const void *b)
{
    const pair *p = a, *q = b;
    int order = (p->x > q->x) - (p->x < q->x);
    return order ? order : (p->at > q->at) - (p->at < q->at);
}

/* The pairs in the order of x; NULL: out of memory. */
static pair *ordered(ifd_arena *arena, int n, const double *x, const double *f)
{
    pair *p = ifd_arena_array(arena, (size_t)n, sizeof *p);
    for (int i = 0; p && i < n; i++)
        p[i] = (pair){x[i], f ? f[i] : 0, i};
    if (p)
        qsort(p, (size_t)n, sizeof *p, by_x);
    return p;
}

ifd_status ifd__explained_variance(ifd_arena *arena, int n, const double *x, const double *f, int bins, double *out)
{
    if (bins < 2 || n < 2 * bins)
        return IFD_RANGE;
    const pair *p = ordered(arena, n, x, f);
    if (!p)
        return IFD_NO_MEMORY;
    double mean = 0, all = 0, within = 0;
    for (int i = 0; i < n; i++)
        mean += p[i].f / n;
    for (int i = 0; i < n; i++)
        all += (p[i].f - mean) * (p[i].f - mean);
    for (int b = 0; b < bins; b++) {
        int from = (int)((long)n * b / bins), to = (int)((long)n * (b + 1) / bins);
        double own = 0;
        for (int i = from; i < to; i++)
            own += p[i].f / (to - from);
        for (int i = from; i < to; i++)
            within += (p[i].f - own) * (p[i].f - own);
    }
    if (!(all > 0) || !isfinite(all))
        return IFD_RANGE;
    *out = 1 - (within / (n - bins)) / (all / (n - 1));
    return IFD_OK;
}

static double *ranks(ifd_arena *arena, int n, const double *x)
{
    const pair *p = ordered(arena, n, x, NULL);
    double *rank = ifd_arena_array(arena, (size_t)n, sizeof *rank);
    if (!p || !rank)
        return NULL;
    for (int i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && p[j].x == p[i].x; j++)
            continue;
        for (int k = i; k < j; k++)
            rank[p[k].at] = 0.5 * (i + j - 1);
    }
    return rank;
}

ifd_status ifd__rank_correlation(ifd_arena *arena, int n, const double *x, const double *f, double *out)
{
    if (n < 3)
        return IFD_RANGE;
    const double *a = ranks(arena, n, x), *b = ranks(arena, n, f);
    if (!a || !b)
        return IFD_NO_MEMORY;
    double mean = 0.5 * (n - 1), aa = 0, ab = 0, bb = 0;
    for (int i = 0; i < n; i++) {
        aa += (a[i] - mean) * (a[i] - mean);
        ab += (a[i] - mean) * (b[i] - mean);
        bb += (b[i] - mean) * (b[i] - mean);
    }
    if (!(aa > 0) || !(bb > 0))
        return IFD_RANGE;
    *out = ab / sqrt(aa * bb);
    return IFD_OK;
}
