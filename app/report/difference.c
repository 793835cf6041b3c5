/* SPDX-License-Identifier: MIT */
/* The difference of two curves in per cent, and of the steps of two results. */
#include "difference.h"

#include <math.h>

/* Relative to the time reached: two clocks with the same steps differ in the last digits. */
static const double TIME_DIGITS = 1e-12;

double table_at(const ifd_table *t, int column, double time, long *hint)
{
    long i = *hint;
    while (i + 2 < t->rows && t->time[i + 1] <= time)
        i++;
    *hint = i;
    if (t->rows == 1)
        return t->value[column][0];
    double s = (time - t->time[i]) / (t->time[i + 1] - t->time[i]);
    const double *v = t->value[column];
    return s == 0.0 ? v[i] : s == 1.0 ? v[i + 1] : v[i] + s * (v[i + 1] - v[i]);
}

static bool is_within(const ifd_table *t, double time)
{
    return time >= t->time[0] && time <= t->time[t->rows - 1] * (1.0 + TIME_DIGITS);
}

difference difference_measure(const ifd_table *a, int ca, const ifd_table *b, int cb)
{
    difference d = {.name = a->column[ca].name, .unit = a->column[ca].unit};
    double sum = 0, scale = 0;
    long hint = 0;
    for (long i = 0; i < a->rows; i++) {
        if (!is_within(b, a->time[i]))
            continue;
        double x = a->value[ca][i], off = table_at(b, cb, a->time[i], &hint) - x;
        sum += off * off;
        scale += x * x;
        d.size = fmax(d.size, fabs(x));
        d.rows++;
        if (!isnan(d.most) && !(fabs(off) <= d.most)) { /* a difference that is not finite remains the largest */
            d.most = fabs(off);
            d.at = a->time[i];
        }
    }
    double rows = d.rows > 0 ? (double)d.rows : 1.0;
    d.rms_size = sqrt(scale / rows);
    /* Without a reference value: the difference itself. */
    d.rms = scale > 0 ? sqrt(sum / scale) : sqrt(sum / rows);
    d.peak = d.size > 0 ? d.most / d.size : d.most;
    return d;
}

sampling difference_sampling(const ifd_table *a, const ifd_table *b)
{
    sampling s = {0};
    long k = 0;
    for (long i = 0; i < a->rows; i++) {
        double time = a->time[i];
        if (!is_within(b, time))
            continue;
        while (k + 1 < b->rows && b->time[k + 1] <= time)
            k++;
        double near = fmin(fabs(b->time[k] - time), k + 1 < b->rows ? fabs(b->time[k + 1] - time) : (double)INFINITY);
        s.between = s.between || near > TIME_DIGITS * fabs(time);
        s.from = s.rows++ ? s.from : time;
        s.to = time;
    }
    return s;
}
