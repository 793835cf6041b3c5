/* SPDX-License-Identifier: MIT */
/* Spectra of a report. */
#include "report.h"
#include "figure.h"

#include <complex.h>
#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* In place, n a power of two. */
static void fourier(double complex *z, long n)
{
    for (long i = 1, j = 0; i < n; i++) {
        long bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            double complex swap = z[i];
            z[i] = z[j];
            z[j] = swap;
        }
    }
    for (long len = 2; len <= n; len *= 2) {
        double complex turn = cexp(-2.0 * pi / (double)len * (double complex)I);
        for (long at = 0; at < n; at += len) {
            double complex w = 1.0;
            for (long k = 0; k < len / 2; k++, w *= turn) {
                double complex a = z[at + k], b = z[at + k + len / 2] * w;
                z[at + k] = a + b;
                z[at + k + len / 2] = a - b;
            }
        }
    }
}

/* Amplitude of a column over frequency, with a Hann window: a sine of amplitude 1 has the value 1. */
static long amplitudes(const report *r, int channel, double dt, double **frequency, double **amplitude)
{
    long n = 1;
    while (n < r->rows)
        n *= 2;
    double complex *z = ifd_arena_array(r->a->arena, (size_t)n, sizeof *z);
    double *f = ifd_arena_array(r->a->arena, (size_t)n, sizeof *f),
           *y = ifd_arena_array(r->a->arena, (size_t)n, sizeof *y);
    const double *v = report_column(r, channel);
    double mean = 0, weight = 0;
    if (!z || !f || !y)
        return 0;
    for (long i = 0; i < r->rows; i++)
        mean += (isfinite(v[i]) ? v[i] : 0.0) / (double)r->rows;
    for (long i = 0; i < n; i++) {
        double hann = i < r->rows ? 0.5 - 0.5 * cos(2.0 * pi * (double)i / (double)r->rows) : 0.0;
        z[i] = i < r->rows && isfinite(v[i]) ? hann * (v[i] - mean) : 0.0;
        weight += hann;
    }
    fourier(z, n);
    long count = 0;
    for (long k = 1; k < n / 2; k++, count++) {
        f[count] = (double)k / ((double)n * dt);
        y[count] = 2.0 * cabs(z[k]) / weight;
    }
    *frequency = f;
    *amplitude = y;
    return count;
}

/* An angle only if no length moves, as radians and metres cannot be compared. */
static int largest_displacement(const report *r)
{
    int best[2] = {-1, -1};
    for (int i = 0; i < r->t.columns; i++) {
        int *into = &best[strcmp(r->t.column[i].unit, "rad") == 0];
        if (r->t.column[i].quantity == IFD_COLUMN_DISPLACEMENT &&
            (*into < 0 || report_largest(r, i) > report_largest(r, *into)))
            *into = i;
    }
    return best[0] >= 0 ? best[0] : best[1];
}

/* Largest |displacement| of an oscillator of period T and damping ratio z under acceleration a, times w^2; exact for
 * an acceleration that is linear between samples (Nigam and Jennings, 1969). */
static double pseudo_acceleration(const double *a, long n, double dt, double T, double z)
{
    double w = 2.0 * pi / T, wd = w * sqrt(1.0 - z * z), e = exp(-z * w * dt), s = sin(wd * dt), c = cos(wd * dt);
    double u = 0, v = 0, most = 0;
    for (long i = 0; i + 1 < n; i++) {
        double p = -a[i], slope = -(a[i + 1] - a[i]) / dt, d = slope / (w * w),
               k = p / (w * w) - 2.0 * z * slope / (w * w * w);
        double A = u - k, B = (v - d + z * w * A) / wd; /* u = k + d t + e^(-z w t) (A cos + B sin) */
        double u1 = k + d * dt + e * (A * c + B * s);
        v = d + e * ((B * wd - z * w * A) * c - (A * wd + z * w * B) * s);
        u = u1;
        most = fmax(most, fabs(u));
    }
    return most * w * w;
}

static void response_spectrum(const report *r, double dt)
{
    enum { PERIODS = 120 };
    static double period[PERIODS], value[PERIODS];
    int ground = -1;
    for (int i = 0; i < r->t.columns; i++)
        if (r->t.column[i].quantity >= IFD_COLUMN_GROUND_X && r->t.column[i].quantity <= IFD_COLUMN_GROUND_Z &&
            ground < 0)
            ground = i;
    if (ground < 0)
        return;
    for (int k = 0; k < PERIODS; k++) {
        period[k] = 0.05 * pow(4.0 / 0.05, k / (PERIODS - 1.0));
        value[k] = pseudo_acceleration(report_column(r, ground), r->rows, dt, period[k], 0.05);
    }
    chart c = {.title = "response spectrum of the ground, damping 5 %",
               .x_label = "period [s]",
               .y_label = "acceleration [m/s2]",
               .half = true,
               .curves = 1};
    c.curve[0] = (chart_curve){.count = PERIODS, .x = period, .y = value, .rising = true};
    chart_put(r->out, &c);
}

void report_spectra(const report *r)
{
    int channel = largest_displacement(r);
    double dt = r->rows > 1 ? (r->when[r->rows - 1] - r->when[0]) / (double)(r->rows - 1) : 0.0;
    if (channel < 0 || r->rows < 16 || !(dt > 0))
        return;
    double *f, *y;
    long n = amplitudes(r, channel, dt, &f, &y), shown = 0;
    double most = 0;
    for (long k = 0; k < n; k++)
        most = fmax(most, y[k]);
    for (long k = 0; k < n; k++) /* up to the highest visible frequency, plus a quarter */
        shown = y[k] > 0.01 * most ? k + 1 : shown;
    shown = shown + shown / 4 + 8 < n ? shown + shown / 4 + 8 : n;
    if (shown < 2 || !(most > 0))
        return;
    report_fold(r, "Spectra", "spectra");
    fputs("<div class=charts>", r->out);
    const char *name = column_short(&r->t.column[channel]);
    const char *title = ifd_arena_print(r->a->arena, "amplitude of %s", name);
    chart c = {.title = title ? title : name, .x_label = "frequency [Hz]", .half = true, .curves = 1};
    c.y_label = label_print(r->a->arena, "amplitude", unit_shown(r->t.column[channel].unit, most, &c.y_factor));
    c.curve[0] = (chart_curve){.count = shown, .x = f, .y = y, .rising = true};
    chart_put(r->out, &c);
    response_spectrum(r, dt);
    fputs("</div>", r->out);
    report_end_fold(r);
}
