/* SPDX-License-Identifier: MIT */
/* Tables of samples. Times are relative to the first sample, where the wave starts. */
#include "model/signal/wave.h"

#include <math.h>
#include <string.h>

typedef struct table_data {
    int count;
    double dt;           /* 0 if times are given */
    const double *time;  /* since the first sample; NULL at a constant interval */
    const double *value; /* count */
    const double *bend;  /* count: second derivatives at the samples of a spline; NULL: linear */
} table_data;

static double last_time(const table_data *d)
{
    return d->time ? d->time[d->count - 1] : d->dt * (d->count - 1);
}

/* The interval i with time[i] <= s < time[i + 1], its length and the fraction passed. s is within the table except
 * for round-off. A sample within round-off counts as reached, so that slopes are those to the right. */
static int piece(const table_data *d, double s, double *length, double *fraction)
{
    int i = 0;
    if (!d->time) {
        double x = s / d->dt;
        i = (int)(x + 1e-9);
        i = i > d->count - 2 ? d->count - 2 : i;
        *length = d->dt;
        *fraction = x - i;
        return i;
    }
    double reached = s + 1e-12 * (1 + s);
    for (int low = 0, high = d->count - 1; high - low > 1; i = low) {
        int middle = low + (high - low) / 2;
        if (d->time[middle] <= reached)
            low = middle;
        else
            high = middle;
    }
    *length = d->time[i + 1] - d->time[i];
    *fraction = (s - d->time[i]) / *length;
    return i;
}

static void linear_eval(const void *data, double s, double out[3])
{
    const table_data *d = data;
    out[0] = out[1] = out[2] = 0;
    if (s > last_time(d) * (1 + 1e-12))
        return;
    double h, x;
    int i = piece(d, s, &h, &x);
    double rise = d->value[i + 1] - d->value[i];
    out[0] = d->value[i] + x * rise;
    out[1] = rise / h;
}

static void held_eval(const void *data, double s, double out[3])
{
    const table_data *d = data;
    linear_eval(d, s, out);
    if (s > last_time(d) * (1 + 1e-12))
        out[0] = d->value[d->count - 1];
}

static void spline_eval(const void *data, double s, double out[3])
{
    const table_data *d = data;
    out[0] = d->value[d->count - 1];
    out[1] = out[2] = 0;
    if (s > last_time(d) * (1 + 1e-12))
        return;
    double h, b;
    int i = piece(d, s, &h, &b);
    double a = 1 - b, y0 = d->value[i], y1 = d->value[i + 1], m0 = d->bend[i], m1 = d->bend[i + 1];
    out[0] = a * y0 + b * y1 + h * h / 6 * ((a * a - 1) * a * m0 + (b * b - 1) * b * m1);
    out[1] = (y1 - y0) / h + h / 6 * ((3 * b * b - 1) * m1 - (3 * a * a - 1) * m0);
    out[2] = a * m0 + b * m1;
}

static double gap(const table_data *d, int i)
{
    return d->time ? d->time[i + 1] - d->time[i] : d->dt;
}

/* Natural spline: h0 m0 + 2 (h0 + h1) m1 + h1 m2 = 6 (slope1 - slope0) inside, m = 0 at both ends. Elimination
 * without pivoting is safe because the diagonal dominates. upper is scratch of count. */
static void bend(const table_data *d, double *m, double *upper)
{
    for (int i = 1; i < d->count - 1; i++) {
        double h0 = gap(d, i - 1), h1 = gap(d, i), left = i > 1 ? h0 : 0;
        double slope0 = (d->value[i] - d->value[i - 1]) / h0, slope1 = (d->value[i + 1] - d->value[i]) / h1;
        double pivot = 2 * (h0 + h1) - left * upper[i - 1];
        upper[i] = h1 / pivot;
        m[i] = (6 * (slope1 - slope0) - left * m[i - 1]) / pivot;
    }
    for (int i = d->count - 3; i >= 1; i--)
        m[i] -= upper[i] * m[i + 1];
}

static ifd_status check(const ifd_samples *s, ifd_note *note)
{
    if (s->count < 2)
        return ifd_note_add(note, IFD_SHAPE, NULL, "a table has %d samples; expected 2 or more", s->count);
    if (!s->time && !(s->dt > 0 && isfinite(s->dt)))
        return ifd_note_add(note, IFD_RANGE, NULL, "the interval of a table is %g s; expected a positive time",
                            s->dt);
    for (int i = 0; i < s->count; i++) {
        if (!isfinite(s->value[i]) || (s->time && !isfinite(s->time[i])))
            return ifd_note_add(note, IFD_NOT_FINITE, NULL, "sample %d of a table is not a finite number", i + 1);
        if (s->time && i > 0 && s->time[i] <= s->time[i - 1])
            return ifd_note_add(note, IFD_RANGE, NULL,
                                "the times of a table must increase; sample %d is at %g s after %g s", i + 1,
                                s->time[i], s->time[i - 1]);
    }
    return IFD_OK;
}

static const double *copy_times(ifd_arena *arena, const ifd_samples *s)
{
    double *time = ifd_arena_array(arena, (size_t)s->count, sizeof *time);
    for (int i = 0; time && i < s->count; i++)
        time[i] = s->time[i] - s->time[0];
    return time;
}

/* The first sample after s. */
static double table_knot(const void *data, double s)
{
    const table_data *d = data;
    if (s < 0)
        return 0;
    if (s >= last_time(d))
        return HUGE_VAL;
    double length, fraction;
    int i = piece(d, s, &length, &fraction) + 1;
    return d->time ? d->time[i] : d->dt * i;
}

ifd_status ifd__wave_table(ifd_arena *arena, const ifd_samples *samples, ifd_interpolation how, ifd__wave *wave,
                           ifd_note *note)
{
    IFD_TRY(check(samples, note));
    size_t n = (size_t)samples->count;
    bool spline = how == IFD_INTERPOLATE_SPLINE;
    table_data *d = ifd_arena_take(arena, sizeof *d);
    double *value = ifd_arena_array(arena, n, sizeof *value);
    double *m = spline ? ifd_arena_array(arena, n, sizeof *m) : NULL;
    double *upper = spline ? ifd_arena_array(arena, n, sizeof *upper) : NULL;
    const double *time = samples->time ? copy_times(arena, samples) : NULL;
    if (!d || !value || (spline && (!m || !upper)) || (samples->time && !time))
        return ifd_note_add(note, IFD_NO_MEMORY, NULL, "no memory for a table of %d samples", samples->count);
    memcpy(value, samples->value, n * sizeof *value);
    *d = (table_data){samples->count, samples->time ? 0 : samples->dt, time, value, m};
    if (spline)
        bend(d, m, upper);
    wave->eval = spline ? spline_eval : how == IFD_INTERPOLATE_HELD ? held_eval : linear_eval;
    wave->data = d;
    wave->knot = table_knot;
    wave->start = samples->time ? samples->time[0] : samples->start;
    wave->length = last_time(d);
    wave->interval = spline ? 0 : d->dt;
    for (int i = 0; !spline && time && i + 1 < samples->count; i++)
        wave->interval = i == 0 ? gap(d, i) : fmin(wave->interval, gap(d, i));
    return IFD_OK;
}

static bool is_table(const ifd__wave *wave)
{
    return wave->eval == linear_eval || wave->eval == spline_eval || wave->eval == held_eval;
}

bool ifd__wave_polygon(const ifd__wave *wave)
{
    return wave->eval == linear_eval || wave->eval == held_eval;
}

/* The extremes of each cubic are the roots of its slope, a quadratic in the fraction b of the interval. */
double ifd__wave_overshoot(const ifd__wave *wave, double *t, double *range)
{
    const table_data *d = wave->data;
    double most = 0, low = HUGE_VAL, high = -HUGE_VAL;
    *t = *range = 0;
    if (wave->eval != spline_eval)
        return 0;
    for (int i = 0; i < d->count; i++) {
        low = fmin(low, d->value[i]);
        high = fmax(high, d->value[i]);
    }
    for (int i = 0; i + 1 < d->count; i++) {
        double h = gap(d, i), m0 = d->bend[i], m1 = d->bend[i + 1], at = d->time ? d->time[i] : d->dt * i, y[3];
        double A = 0.5 * h * (m1 - m0), B = h * m0, C = (d->value[i + 1] - d->value[i]) / h - h / 6 * (2 * m0 + m1),
               root = B * B - 4 * A * C;
        for (int k = 0; root >= 0 && k < 2; k++) {
            double q = -0.5 * (B + copysign(sqrt(root), B)), b = k == 0 ? q / A : C / q;
            if (!(b > 0 && b < 1))
                continue;
            spline_eval(d, at + b * h, y);
            double over = fmax(y[0] - fmax(d->value[i], d->value[i + 1]), fmin(d->value[i], d->value[i + 1]) - y[0]);
            if (over > most) {
                most = over;
                *t = wave->start + at + b * h;
            }
        }
    }
    *range = fabs(wave->factor) * (high - low);
    return fabs(wave->factor) * most;
}

const double *ifd__wave_samples(const ifd__wave *wave, int *count)
{
    if (!is_table(wave))
        return NULL;
    const table_data *d = wave->data;
    *count = d->count;
    return d->value;
}

/* The operations of linear_eval. */
bool ifd__wave_values(const ifd__wave *wave, int count, const double *s, double *out)
{
    const table_data *d = wave->data;
    if (wave->eval != linear_eval || d->time)
        return false;
    const double end = last_time(d) * (1 + 1e-12), *value = d->value;
    for (int k = 0; k < count; k++) {
        bool within = s[k] >= 0 && s[k] <= end;
        double x = (within ? s[k] : 0) / d->dt;
        int i = (int)(x + 1e-9);
        i = i > d->count - 2 ? d->count - 2 : i;
        out[k] = within ? value[i] + (x - i) * (value[i + 1] - value[i]) : 0;
    }
    return true;
}

static ifd_status table_make(const ifd__signal_ask *ask, ifd__wave *wave)
{
    const ifd_param *p = ask->kind->params;
    const ifd_value *value = ifd_param_get(p, ask->values, "values"), *time = ifd_param_get(p, ask->values, "times");
    const ifd_value *peak = ifd_param_get(p, ask->values, "peak");
    if (time->given == ifd__ask_given(ask, "dt"))
        return ifd_note_add(ask->note, time->given ? IFD_CONFLICT : IFD_MISSING_KEY, ask->place,
                            "signal 'table' needs either 'times' or 'dt'");
    if (peak->given && ifd__ask_given(ask, "scale"))
        return ifd_note_add(ask->note, IFD_CONFLICT, &peak->place,
                            "signal 'table': give 'scale' or 'peak', not both");
    if (time->given && time->cols != value->cols)
        return ifd_note_add(ask->note, IFD_SHAPE, &time->place,
                            "signal 'table' has %d times and %d values; expected the same number", time->cols,
                            value->cols);
    ifd_samples s = {value->cols, value->data, time->given ? time->data : NULL, 0, ifd__ask_number(ask, "dt")};
    IFD_TRY(ifd__wave_table(ask->arena, &s, (ifd_interpolation)(int)ifd__ask_number(ask, "interpolation"), wave,
                            ask->note));
    wave->start += ifd__ask_number(ask, "start");
    wave->factor = ifd__ask_number(ask, "scale");
    if (!peak->given)
        return IFD_OK;
    double largest = 0;
    for (int i = 0; i < s.count; i++)
        largest = fmax(largest, fabs(s.value[i]));
    if (!(largest > 0))
        return ifd_note_add(ask->note, IFD_RANGE, &peak->place,
                            "signal 'table' is zero: it cannot be scaled to a peak");
    wave->factor = peak->number / largest;
    return IFD_OK;
}

static const ifd_param table_params[] = {
    IFD_LIST("values", ANY, -1e12, 1e12, "samples", .required = true),
    IFD_LIST("times", TIME, -1e7, 1e7, "increasing times of the samples; alternative: dt"),
    IFD_OPTION("dt", TIME, 1e-9, 1e6, 0, "interval of the samples; alternative: times"),
    IFD__SIGNAL_INTERPOLATION,
    IFD__SIGNAL_SCALE,
    IFD__SIGNAL_PEAK,
    IFD__SIGNAL_START,
    {0},
};

const ifd_signal_kind ifd__signal_table = {
    "table", "a table of samples in the case, at a constant interval or at given times", table_params, table_make};

static const ifd_param record_params[] = {
    IFD_TEXT("file", "file: PEER AT2, or CSV with one or two columns", .required = true),
    IFD_TEXT("unit", "unit of the values if the file does not state it: m/s2, g, cm/s2 ..."),
    IFD_OPTION("dt", TIME, 1e-9, 1e6, 0, "interval of the samples, for a file with one column"),
    IFD__SIGNAL_INTERPOLATION,
    IFD__SIGNAL_SCALE,
    IFD__SIGNAL_PEAK,
    IFD__SIGNAL_START,
    {0},
};

const ifd_signal_kind ifd__signal_record = {"record", "a record, read from a ground-motion file", record_params,
                                            NULL};
