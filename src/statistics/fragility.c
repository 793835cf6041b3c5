/* SPDX-License-Identifier: MIT */
/* Fits fragilities by maximum likelihood, with bands. */
#include "statistics/statistics.h"
#include "base/random.h"

#include <math.h>

/* Log-likelihood of the probit model without binomial coefficients, its gradient and its negative Hessian. */
typedef struct probit {
    double value, g[2], h[3];
} probit;

/* ln Phi(z): slope g = phi / Phi, negative second derivative g (g + z) > 0. */
static void probit_add(double count, double z, double sign, double y, probit *p)
{
    if (!(count > 0))
        return;
    double tail = ifd__normal_log_probability(sign * z);
    double g = exp(-0.5 * z * z - 0.91893853320467274178 - tail); /* ln sqrt(2 pi) */
    double h = count * g * (g + sign * z);
    p->value += count * tail;
    p->g[0] += sign * count * g;
    p->g[1] += sign * count * g * y;
    p->h[0] += h;
    p->h[1] += h * y;
    p->h[2] += h * y * y;
}

static probit probit_sums(const ifd__stripes *s, double centre, const double c[2])
{
    probit p = {0};
    for (int i = 0; i < s->count; i++) {
        double y = log(s->x[i]) - centre, z = c[0] + c[1] * y;
        probit_add(s->k[i], z, 1, y, &p);
        probit_add(s->n[i] - s->k[i], z, -1, y, &p);
    }
    return p;
}

static ifd_status stripes_check(const ifd__stripes *s)
{
    double least = INFINITY, most = -INFINITY, first = INFINITY, last = -INFINITY;
    for (int i = 0; i < s->count; i++) {
        if (!(s->x[i] > 0) || !isfinite(s->x[i]) || s->n[i] < 0 || s->k[i] < 0 || s->k[i] > s->n[i])
            return IFD_RANGE;
        least = s->k[i] > 0 ? fmin(least, s->x[i]) : least; /* lowest and highest that exceed */
        last = s->k[i] > 0 ? fmax(last, s->x[i]) : last;
        most = s->k[i] < s->n[i] ? fmax(most, s->x[i]) : most; /* those that do not */
        first = s->k[i] < s->n[i] ? fmin(first, s->x[i]) : first;
    }
    return least < most && first < last ? IFD_OK : IFD_SINGULAR;
}

/* theta, beta and their covariance from c0, c1: ln theta = centre - c0 / c1, ln beta = -ln c1. At the maximum the
 * gradient is zero, so that the information transforms by the Jacobian only. */
static ifd_status transform(const ifd__stripes *s, double centre, const double c[2], const probit *p,
                            ifd__fragility *out)
{
    if (!(c[1] > 0))
        return IFD_SINGULAR;
    double det = p->h[0] * p->h[2] - p->h[1] * p->h[1];
    double v00 = p->h[2] / det, v01 = -p->h[1] / det, v11 = p->h[0] / det;
    double a0 = -1 / c[1], a1 = c[0] / (c[1] * c[1]), b1 = -1 / c[1];
    *out = (ifd__fragility){.theta = exp(centre - c[0] / c[1]), .beta = 1 / c[1], .likelihood = p->value};
    out->cov[0] = a0 * a0 * v00 + 2 * a0 * a1 * v01 + a1 * a1 * v11;
    out->cov[1] = b1 * (a0 * v01 + a1 * v11);
    out->cov[2] = b1 * b1 * v11;
    for (int i = 0; i < s->count; i++)
        out->likelihood += ifd__log_choose(s->n[i], s->k[i]);
    return isfinite(out->theta) && isfinite(out->beta) ? IFD_OK : IFD_SINGULAR;
}

ifd_status ifd__fragility_fit(const ifd__stripes *s, ifd__fragility *out)
{
    IFD_TRY(stripes_check(s));
    double centre = 0, motions = 0, c[2] = {0, 1};
    for (int i = 0; i < s->count; i++) {
        centre += s->n[i] * log(s->x[i]);
        motions += s->n[i];
    }
    centre /= motions;
    for (int k = 0; k < 200; k++) {
        probit p = probit_sums(s, centre, c);
        double det = p.h[0] * p.h[2] - p.h[1] * p.h[1], length = 1, next[2];
        double step[2] = {(p.h[2] * p.g[0] - p.h[1] * p.g[1]) / det, (p.h[0] * p.g[1] - p.h[1] * p.g[0]) / det};
        if (!(det > 0) || !isfinite(step[0]) || !isfinite(step[1]))
            return IFD_SINGULAR;
        if (fabs(step[0]) + fabs(step[1]) < 1e-13 * (1 + fabs(c[0]) + fabs(c[1])))
            return transform(s, centre, c, &p, out);
        for (int halved = 0; halved < 60; halved++, length /= 2) {
            next[0] = c[0] + length * step[0];
            next[1] = c[1] + length * step[1];
            if (probit_sums(s, centre, next).value >= p.value - 1e-14 * fabs(p.value))
                break;
        }
        c[0] = next[0];
        c[1] = next[1];
    }
    return IFD_SINGULAR;
}

double ifd__fragility_probability(const ifd__fragility *f, double x)
{
    return ifd__normal_probability(log(x / f->theta) / f->beta);
}

/* z = (ln x - ln theta) / beta: dz = -d(ln theta) / beta - z d(ln beta). */
void ifd__fragility_band(const ifd__fragility *f, double x, double level, double *low, double *high)
{
    double z = log(x / f->theta) / f->beta, t = 1 / f->beta;
    double deviation = sqrt(t * t * f->cov[0] + 2 * t * z * f->cov[1] + z * z * f->cov[2]);
    double reach = ifd__normal_quantile(0.5 + 0.5 * level) * deviation;
    *low = ifd__normal_probability(z - reach);
    *high = ifd__normal_probability(z + reach);
}

static int drawn(ifd__random *random, int count)
{
    return (int)(ifd__random_unit(random) * count);
}

static void draw_counts(const ifd__stripes *s, const ifd__bootstrap *b, ifd__random *random, int *k)
{
    for (int i = 0; i < s->count; i++)
        k[i] = 0;
    for (int m = 0; b->exceeds && m < b->motions; m++) {
        int which = drawn(random, b->motions);
        for (int i = 0; i < s->count; i++)
            k[i] += b->exceeds[(size_t)i * (size_t)b->motions + (size_t)which] != 0;
    }
    for (int i = 0; !b->exceeds && i < s->count; i++)
        for (int m = 0; m < s->n[i]; m++)
            k[i] += drawn(random, s->n[i]) < s->k[i];
}

ifd_status ifd__fragility_bootstrap(ifd_arena *arena, const ifd__stripes *s, const ifd__bootstrap *b,
                                    ifd__fragilities *out)
{
    int *k = ifd_arena_array(arena, (size_t)s->count, sizeof *k);
    *out = (ifd__fragilities){.fit = ifd_arena_array(arena, (size_t)b->replicates, sizeof *out->fit)};
    if (!k || !out->fit)
        return IFD_NO_MEMORY;
    ifd__stripes drawn_stripes = *s;
    drawn_stripes.k = k;
    for (int r = 0; r < b->replicates; r++) {
        ifd__random random;
        ifd__random_seed(&random, b->seed + UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(r + 1) * 4);
        draw_counts(s, b, &random, k);
        if (ifd__fragility_fit(&drawn_stripes, &out->fit[out->count]) == IFD_OK)
            out->count++;
        else
            out->failed++;
    }
    return IFD_OK;
}

void ifd__fragilities_band(const ifd__fragilities *all, double x, double level, double *scratch, double band[2])
{
    band[0] = band[1] = NAN;
    for (int r = 0; r < all->count; r++)
        scratch[r] = ifd__fragility_probability(&all->fit[r], x);
    if (all->count == 0)
        return;
    ifd__sort(all->count, scratch);
    band[0] = ifd__quantile(all->count, scratch, 0.5 - 0.5 * level);
    band[1] = ifd__quantile(all->count, scratch, 0.5 + 0.5 * level);
}
