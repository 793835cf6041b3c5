/* SPDX-License-Identifier: MIT */
/* Moments, quantiles and regression of a sample. */
#include "statistics/statistics.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

double ifd__mean(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum / n;
}

double ifd__deviation(int n, const double *x)
{
    double mean = ifd__mean(n, x), sum = 0;
    for (int i = 0; i < n; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    return n > 1 ? sqrt(sum / (n - 1)) : 0;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void ifd__sort(int n, double *x)
{
    qsort(x, (size_t)n, sizeof *x, by_value);
}

double ifd__quantile(int n, const double *sorted, double p)
{
    double position = p * (n - 1);
    int low = (int)floor(position);
    low = low < 0 ? 0 : low > n - 1 ? n - 1 : low;
    double weight = position - low;
    if (!(weight > 0) || low == n - 1 || sorted[low] == sorted[low + 1])
        return sorted[low];
    return sorted[low] + weight * (sorted[low + 1] - sorted[low]);
}

/* Sums of the likelihood of exact and right-censored normal values over (mu, tau = ln sigma): gradient g and negative
 * Hessian h. z = (y - mu) / sigma. A value adds -tau - z^2 / 2, a bound ln Phi(-z). */
typedef struct censored {
    double value, g[2], h[3]; /* h: mu mu, mu tau, tau tau */
} censored;

static censored censored_sums(int n, const double *x, const bool *above, const double at[2])
{
    censored s = {0};
    double sigma = exp(at[1]);
    for (int i = 0; i < n; i++) {
        double z = (log(x[i]) - at[0]) / sigma, g = z, h = 1; /* derivatives of the term by -z: g; its slope: h */
        if (above[i]) {
            double tail = ifd__normal_log_probability(-z);
            g = exp(-0.5 * z * z - 0.91893853320467274178 - tail); /* phi(z) / Phi(-z); ln sqrt(2 pi) */
            h = g * (g - z);
            s.value += tail;
            s.g[1] += g * z;
        } else {
            s.value -= at[1] + 0.5 * z * z;
            s.g[1] += g * z - 1;
        }
        s.g[0] += g / sigma;
        s.h[0] += h / (sigma * sigma);
        s.h[1] += (h * z + g) / sigma;
        s.h[2] += (h * z + g) * z;
    }
    return s;
}

/* Newton with steps that are halved until the likelihood increases; where it is not concave, along the gradient. */
static ifd_status censored_fit(int n, const double *x, const bool *above, double at[2], ifd__lognormal *out)
{
    for (int k = 0; k < 200; k++) {
        censored s = censored_sums(n, x, above, at);
        double det = s.h[0] * s.h[2] - s.h[1] * s.h[1];
        bool concave = s.h[0] > 0 && det > 0;
        double step[2] = {s.g[0] / fmax(fabs(s.h[0]), 1e-300), s.g[1] / fmax(fabs(s.h[2]), 1)};
        if (concave) {
            step[0] = (s.h[2] * s.g[0] - s.h[1] * s.g[1]) / det;
            step[1] = (s.h[0] * s.g[1] - s.h[1] * s.g[0]) / det;
        }
        if (concave && fabs(step[0]) + fabs(step[1]) < 1e-12) {
            out->cov[0] = s.h[2] / det;
            out->cov[1] = -s.h[1] / det;
            out->cov[2] = s.h[0] / det;
            return IFD_OK;
        }
        double length = 1, next[2];
        for (int halved = 0; halved < 60; halved++, length /= 2) {
            next[0] = at[0] + length * step[0];
            next[1] = at[1] + length * step[1];
            if (censored_sums(n, x, above, next).value >= s.value - 1e-14 * fabs(s.value))
                break;
        }
        at[0] = next[0];
        at[1] = next[1];
    }
    return IFD_RANGE;
}

ifd_status ifd__lognormal_fit(int n, const double *x, const bool *above, ifd__lognormal *out)
{
    double sum = 0, square = 0;
    int exact = 0;
    for (int i = 0; i < n; i++) {
        if (!(x[i] > 0) || !isfinite(x[i]))
            return IFD_RANGE;
        exact += !(above && above[i]);
        sum += log(x[i]);
    }
    if (exact < 2)
        return IFD_RANGE;
    double mean = sum / n;
    for (int i = 0; i < n; i++)
        square += (log(x[i]) - mean) * (log(x[i]) - mean);
    double at[2] = {mean, 0.5 * log(square / (n - 1))};
    if (!(square > 0))
        return IFD_RANGE;
    *out = (ifd__lognormal){.cov = {exp(2 * at[1]) / n, 0, 0.5 / (n - 1)}};
    if (exact < n)
        IFD_TRY(censored_fit(n, x, above, at, out));
    out->median = exp(at[0]);
    out->dispersion = exp(at[1]);
    return IFD_OK;
}

ifd_status ifd__line_fit(int n, const double *x, const double *y, ifd__line *out)
{
    if (n < 3)
        return IFD_RANGE;
    double mx = ifd__mean(n, x), my = ifd__mean(n, y), xx = 0, xy = 0, yy = 0, rest = 0;
    for (int i = 0; i < n; i++) {
        xx += (x[i] - mx) * (x[i] - mx);
        xy += (x[i] - mx) * (y[i] - my);
        yy += (y[i] - my) * (y[i] - my);
    }
    if (!(xx > 0))
        return IFD_RANGE;
    double b = xy / xx, a = my - b * mx;
    for (int i = 0; i < n; i++)
        rest += (y[i] - a - b * x[i]) * (y[i] - a - b * x[i]);
    double s = sqrt(rest / (n - 2)), spread = sqrt(1.0 / n + mx * mx / xx);
    *out = (ifd__line){.a = a,
                       .b = b,
                       .deviation = s,
                       .a_error = s * spread,
                       .b_error = s / sqrt(xx),
                       .correlation = -mx / (sqrt(xx) * spread),
                       .r2 = yy > 0 ? 1 - rest / yy : 1};
    return IFD_OK;
}
