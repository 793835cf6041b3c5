/* SPDX-License-Identifier: MIT */
/* Sobol indices and the effects of Morris. */
#include "statistics/statistics.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/random.h"

/* Sums over the samples `row` (NULL: all in order). The mean is subtracted first: S_i does not depend on it, but the
 * error of its estimate does. */
typedef struct moments {
    double mean, variance;
} moments;

static moments both_moments(const ifd__sobol *s, const int *row)
{
    moments m = {0};
    for (int k = 0; k < s->samples; k++) {
        int r = row ? row[k] : k;
        m.mean += s->a[r] + s->b[r];
    }
    m.mean /= 2.0 * s->samples;
    for (int k = 0; k < s->samples; k++) {
        int r = row ? row[k] : k;
        m.variance += (s->a[r] - m.mean) * (s->a[r] - m.mean) + (s->b[r] - m.mean) * (s->b[r] - m.mean);
    }
    m.variance /= 2.0 * s->samples - 1;
    return m;
}

static void estimate(const ifd__sobol *s, const int *row, moments m, int variable, double out[2])
{
    const double *ab = s->ab + (size_t)variable * (size_t)s->samples;
    double first = 0, total = 0;
    for (int k = 0; k < s->samples; k++) {
        int r = row ? row[k] : k;
        first += (s->b[r] - m.mean) * (ab[r] - s->a[r]);
        total += (s->a[r] - ab[r]) * (s->a[r] - ab[r]);
    }
    out[0] = first / s->samples / m.variance;
    out[1] = total / (2.0 * s->samples) / m.variance;
}

ifd_status ifd__sobol_indices(const ifd__sobol *s, ifd__index *out)
{
    if (s->samples < 2)
        return IFD_RANGE;
    moments m = both_moments(s, NULL);
    if (!(m.variance > 0) || !isfinite(m.variance))
        return IFD_RANGE;
    for (int i = 0; i < s->variables; i++) {
        double value[2];
        estimate(s, NULL, m, i, value);
        if (!isfinite(value[0]) || !isfinite(value[1]))
            return IFD_RANGE;
        out[i] = (ifd__index){.first = value[0], .total = value[1], {value[0], value[0]}, {value[1], value[1]}};
    }
    return IFD_OK;
}

static void percentile(int n, double *x, double level, double band[2])
{
    ifd__sort(n, x);
    band[0] = ifd__quantile(n, x, 0.5 - 0.5 * level);
    band[1] = ifd__quantile(n, x, 0.5 + 0.5 * level);
}

ifd_status ifd__sobol_intervals(ifd_arena *arena, const ifd__sobol *s, const ifd__sobol_bootstrap *b, ifd__index *out)
{
    IFD_TRY(ifd__sobol_indices(s, out));
    size_t variables = (size_t)s->variables, replicates = (size_t)b->replicates;
    int *row;
    double *value;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(row, s->samples), IFD__ARRAY(value, 2 * variables * replicates)));
    for (size_t r = 0; r < replicates; r++) {
        ifd__random random;
        ifd__random_seed(&random, b->seed + UINT64_C(0x9e3779b97f4a7c15) * (r + 1) * 4);
        for (int k = 0; k < s->samples; k++)
            row[k] = (int)(ifd__random_unit(&random) * s->samples);
        moments m = both_moments(s, row);
        for (size_t i = 0; i < variables; i++) {
            double pair[2];
            estimate(s, row, m, (int)i, pair);
            value[i * replicates + r] = pair[0];
            value[(variables + i) * replicates + r] = pair[1];
        }
    }
    for (size_t i = 0; i < variables; i++) {
        percentile(b->replicates, value + i * replicates, b->level, out[i].first_band);
        percentile(b->replicates, value + (variables + i) * replicates, b->level, out[i].total_band);
    }
    return IFD_OK;
}

void ifd__morris_trajectory(const ifd__morris_design *d, int trajectory, int *order, double *x)
{
    assert(d->levels >= 2 && d->levels % 2 == 0);
    ifd__random random;
    ifd__random_seed(&random, d->seed + UINT64_C(0x9e3779b97f4a7c15) * ((uint64_t)trajectory + 1) * 4);
    int n = d->variables, half = d->levels / 2;
    double delta = half / (double)(d->levels - 1);
    for (int i = 0; i < n; i++) { /* lower and upper end of each variable are level and level + half */
        int other = (int)(ifd__random_unit(&random) * (i + 1));
        order[i] = order[other];
        order[other] = i;
    }
    for (int i = 0; i < n; i++) {
        double low = (int)(ifd__random_unit(&random) * half) / (double)(d->levels - 1);
        x[i] = ifd__random_unit(&random) < 0.5 ? low : low + delta;
    }
    for (int p = 1; p <= n; p++) {
        double *at = x + (size_t)p * (size_t)n;
        for (int i = 0; i < n; i++)
            at[i] = at[i - n];
        int i = order[p - 1];
        at[i] += at[i] < delta - 1e-9 ? delta : -delta;
    }
}

/* The variable that changes between two points, and its change; -1: none or several. */
static int changed(int n, const double *from, const double *to, double *change)
{
    int found = -1;
    for (int i = 0; i < n; i++) {
        if (from[i] == to[i])
            continue;
        if (found >= 0)
            return -1;
        found = i;
        *change = to[i] - from[i];
    }
    return found;
}

ifd_status ifd__morris_effects(int variables, int trajectories, const double *x, const double *f, ifd__effect *out)
{
    if (trajectories < 1)
        return IFD_RANGE;
    for (int i = 0; i < variables; i++)
        out[i] = (ifd__effect){0};
    for (int pass = 0; pass < 2; pass++) /* means, then deviations */
        for (int t = 0; t < trajectories; t++)
            for (int p = 0; p < variables; p++) {
                size_t at = (size_t)t * (size_t)(variables + 1) + (size_t)p;
                double change = 0, effect;
                int i = changed(variables, x + at * (size_t)variables, x + (at + 1) * (size_t)variables, &change);
                if (i < 0)
                    return IFD_RANGE;
                effect = (f[at + 1] - f[at]) / change;
                out[i].mean += pass ? 0 : effect / trajectories;
                out[i].absolute += pass ? 0 : fabs(effect) / trajectories;
                out[i].deviation += pass ? (effect - out[i].mean) * (effect - out[i].mean) : 0;
            }
    for (int i = 0; i < variables; i++)
        out[i].deviation = trajectories > 1 ? sqrt(out[i].deviation / (trajectories - 1)) : 0;
    return IFD_OK;
}

/* Sensitivities from a given sample: explained variance and rank correlation. */

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
    IFD__HAVE(p);
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
    IFD__HAVE(a && b);
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
