/* SPDX-License-Identifier: MIT */
/* Compares two series: deviation, peak and lag. */
#include "statistics/statistics.h"

#include <math.h>
#include <stddef.h>

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
