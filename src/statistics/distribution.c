/* SPDX-License-Identifier: MIT */
/* Normal and beta distributions, and intervals of a probability. */
#include "statistics/statistics.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stddef.h>

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
