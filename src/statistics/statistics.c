/* SPDX-License-Identifier: MIT */
/* Moments, quantiles and regression of a sample. */
#include "statistics/statistics.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/* Normal and beta distributions, and intervals of a probability. */

static const double ROOT_2PI = 2.5066282746310005024; /* sqrt(2 pi) */

double ifd__normal_density(double x)
{
    return exp(-0.5 * x * x) / ROOT_2PI;
}

double ifd__normal_probability(double x)
{
    return 0.5 * erfc(-x * M_SQRT1_2);
}

/* Below -30 the asymptotic series Phi(x) = phi(x) / |x| (1 - 1/x^2 + 3/x^4 - 15/x^6 + ...): the first omitted term is
 * 105 / x^8, below 2e-10. */
double ifd__normal_log_probability(double x)
{
    if (x > -30)
        return log(ifd__normal_probability(x));
    double r = 1 / (x * x);
    return -0.5 * x * x - log(-x * ROOT_2PI) + log1p(-r * (1 - r * (3 - 15 * r)));
}

static double polynomial(int count, const double *coefficient, double x)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum = sum * x + coefficient[i];
    return sum;
}

/* Rational approximation for p <= 0.5 (Acklam, 2003); its relative error of 1.2e-9 is removed by the steps below. */
static double quantile_start(double p)
{
    static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                               1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
    static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02,  -1.556989798598866e+02,
                               6.680131188771972e+01,  -1.328068155288572e+01, 1.0};
    static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                               -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
    static const double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                               3.754408661907416e+00, 1.0};
    if (p < 0.02425) {
        double q = sqrt(-2 * log(p));
        return polynomial(6, c, q) / polynomial(5, d, q);
    }
    double q = p - 0.5;
    return q * polynomial(6, a, q * q) / polynomial(6, b, q * q);
}

double ifd__normal_quantile(double p)
{
    if (!(p > 0 && p < 1))
        return p == 0 ? -INFINITY : p == 1 ? INFINITY : NAN;
    double lower = p > 0.5 ? 1 - p : p, x = quantile_start(lower);
    for (int i = 0; i < 2; i++) { /* Halley */
        double step = (ifd__normal_probability(x) - lower) / ifd__normal_density(x);
        x -= step / (1 + 0.5 * x * step);
    }
    return p > 0.5 ? -x : x;
}

/* Series of Stirling at x + n >= 10, where its first omitted term is below 1e-17. */
double ifd__log_gamma(double x)
{
    static const double c[] = {-3617.0 / 122400, 1.0 / 156,  -691.0 / 360360, 1.0 / 1188,
                               -1.0 / 1680,      1.0 / 1260, -1.0 / 360,      1.0 / 12};
    assert(x > 0);
    double product = 1;
    for (; x < 10; x++)
        product *= x;
    return (x - 0.5) * log(x) - x + log(ROOT_2PI) + polynomial(8, c, 1 / (x * x)) / x - log(product);
}

double ifd__log_choose(double n, double k)
{
    return ifd__log_gamma(n + 1) - ifd__log_gamma(k + 1) - ifd__log_gamma(n - k + 1);
}

/* Continued fraction of I_x(a, b) for x < (a + 1) / (a + b + 2), by the method of Lentz (DLMF 8.17.22). The number of
 * terms grows as the root of the larger parameter. */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double f = d;
    for (int m = 1; m < 100000; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double factor = 1;
        for (int i = 0; i < 2; i++) {
            double e = i ? odd : even;
            d = 1 + e * d;
            c = 1 + e / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            factor = c * d;
            f *= factor;
        }
        if (fabs(factor - 1) < DBL_EPSILON)
            break;
    }
    return f;
}

double ifd__beta_probability(double a, double b, double x)
{
    assert(a > 0 && b > 0);
    if (!(x > 0))
        return 0;
    if (x >= 1)
        return 1;
    double front = exp(ifd__log_gamma(a + b) - ifd__log_gamma(a) - ifd__log_gamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* Bisection: the function is monotone, and small quantiles need many halvings but no derivative. */
double ifd__beta_quantile(double a, double b, double p)
{
    double low = 0, high = 1;
    for (int i = 0; i < 1100 && high - low > DBL_EPSILON * high; i++) {
        double middle = 0.5 * (low + high);
        if (ifd__beta_probability(a, b, middle) < p)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

void ifd__binomial_interval(long k, long n, double level, double *low, double *high)
{
    assert(k >= 0 && k <= n && n > 0 && level > 0 && level < 1);
    double tail = 0.5 * (1 - level);
    *low = k == 0 ? 0 : ifd__beta_quantile((double)k, (double)(n - k + 1), tail);
    *high = k == n ? 1 : ifd__beta_quantile((double)(k + 1), (double)(n - k), 1 - tail);
}

/* Compares two series: deviation, peak and lag. */

/* Of x - y; y NULL: of x. */
static double deviation(long count, const double *x, const double *y)
{
    double mean = 0.0, sum = 0.0;
    for (long i = 0; i < count; i++)
        mean += x[i] - (y ? y[i] : 0.0);
    mean /= (double)count;
    for (long i = 0; i < count; i++) {
        double d = x[i] - (y ? y[i] : 0.0) - mean;
        sum += d * d;
    }
    return sqrt(sum / (double)count);
}

static double largest(long count, const double *x, const double *y)
{
    double most = 0.0;
    for (long i = 0; i < count; i++)
        most = fmax(most, fabs(x[i] - (y ? y[i] : 0.0)));
    return most;
}

double ifd__series_deviation(long count, const double *x)
{
    return deviation(count, x, NULL);
}

double ifd__series_nrms(long count, const double *x, const double *y)
{
    double of = deviation(count, y, NULL);
    return of > 0.0 ? deviation(count, x, y) / of : (double)NAN;
}

double ifd__series_peak(long count, const double *x, const double *y)
{
    double of = largest(count, y, NULL);
    return of > 0.0 ? largest(count, x, y) / of : (double)NAN;
}

static double correlation(long count, const double *x, const double *y)
{
    double mx = 0.0, my = 0.0, xx = 0.0, yy = 0.0, xy = 0.0;
    for (long i = 0; i < count; i++) {
        mx += x[i];
        my += y[i];
    }
    mx /= (double)count;
    my /= (double)count;
    for (long i = 0; i < count; i++) {
        double a = x[i] - mx, b = y[i] - my;
        xx += a * a;
        yy += b * b;
        xy += a * b;
    }
    return xy / sqrt(xx * yy);
}

int ifd__series_lag(long count, const double *x, const double *y)
{
    enum { LAGS = 50 };
    int best = 0;
    double most = -2.0;
    for (int j = 0; j < LAGS && j < count / 2; j++) {
        double r = correlation(count - j, x + j, y);
        if (r > most) {
            most = r;
            best = j;
        }
    }
    return best;
}

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
