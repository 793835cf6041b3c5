/* SPDX-License-Identifier: MIT */
/* Spectra of a report. */
#include "report.h"
#include "figure.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#include <interfield/motion.h>

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
static long amplitudes(const report *r, int column, double dt, double **frequency, double **amplitude)
{
    long n = 1;
    while (n < r->ran.rows)
        n *= 2;
    double complex *z = ifd_arena_array(r->a->arena, (size_t)n, sizeof *z);
    double *f = ifd_arena_array(r->a->arena, (size_t)n, sizeof *f),
           *y = ifd_arena_array(r->a->arena, (size_t)n, sizeof *y);
    const double *v = r->ran.value[column];
    double mean = 0, weight = 0;
    if (!z || !f || !y)
        return 0;
    for (long i = 0; i < r->ran.rows; i++)
        mean += (isfinite(v[i]) ? v[i] : 0.0) / (double)r->ran.rows;
    for (long i = 0; i < n; i++) {
        double hann = i < r->ran.rows ? 0.5 - 0.5 * cos(2.0 * pi * (double)i / (double)r->ran.rows) : 0.0;
        z[i] = i < r->ran.rows && isfinite(v[i]) ? hann * (v[i] - mean) : 0.0;
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
    const overlay o = {.results = 1, .t = &r->ran};
    int best = -1;
    if (!columns_furthest(&o, IFD_COLUMN_DISPLACEMENT, "m", 1, &best))
        columns_furthest(&o, IFD_COLUMN_DISPLACEMENT, "rad", 1, &best);
    return best;
}

static void response_spectrum(const report *r, double dt)
{
    enum { PERIODS = 120 };
    double *period = ifd_arena_array(r->a->arena, PERIODS, sizeof *period),
           *value = ifd_arena_array(r->a->arena, PERIODS, sizeof *value);
    ifd_motion_response *found = ifd_arena_array(r->a->arena, PERIODS, sizeof *found);
    int ground = -1;
    for (int i = 0; i < r->t.columns; i++)
        if (r->t.column[i].quantity >= IFD_COLUMN_GROUND_X && r->t.column[i].quantity <= IFD_COLUMN_GROUND_Z &&
            ground < 0)
            ground = i;
    if (ground < 0 || !period || !value || !found)
        return;
    for (int k = 0; k < PERIODS; k++)
        period[k] = 0.05 * pow(4.0 / 0.05, k / (PERIODS - 1.0));
    double *a = ifd_arena_array(r->a->arena, (size_t)r->ran.rows, sizeof *a);
    if (!a)
        return;
    memcpy(a, r->ran.value[ground], (size_t)r->ran.rows * sizeof *a);
    const ifd_motion motion = {.count = (int)r->ran.rows, .dt = dt, .a = a};
    if (ifd_motion_spectrum(&motion, 0.05, PERIODS, period, found) != IFD_OK)
        return;
    for (int k = 0; k < PERIODS; k++)
        value[k] = found[k].psa;
    chart c = {.title = "response spectrum of the ground, damping 5 %",
               .x.label = "period [s]",
               .y.label = "acceleration [m/s2]",
               .curves = 1};
    c.curve[0] = (chart_curve){.count = PERIODS, .x = period, .y = value, .rising = true};
    chart_put(r->a, r->out, &c);
}

void report_spectra(const report *r)
{
    int column = largest_displacement(r);
    double dt = r->ran.rows > 1 ? (r->ran.time[r->ran.rows - 1] - r->ran.time[0]) / (double)(r->ran.rows - 1) : 0.0;
    if (column < 0 || r->ran.rows < 16 || !(dt > 0))
        return;
    double *f, *y;
    long n = amplitudes(r, column, dt, &f, &y), shown = 0;
    double most = 0;
    for (long k = 0; k < n; k++)
        most = fmax(most, y[k]);
    for (long k = 0; k < n && shown == 0; k++) /* up to ten times the frequency of the largest amplitude */
        shown = y[k] == most ? 10 * (k + 1) : 0;
    shown = shown < 16 ? 16 : shown;
    shown = shown < n ? shown : n;
    if (shown < 2 || !(most > 0))
        return;
    report_begin(r, "Spectra", "spectra", true);
    fputs("<div class=charts>", r->out);
    const char *name = column_short(&r->t.column[column]);
    const char *title = ifd_arena_print(r->a->arena, "amplitude of %s", name);
    chart c = {.title = title ? title : name, .x.label = "frequency [Hz]", .curves = 1};
    c.y.label = label_print(r->a->arena, "amplitude", unit_shown(r->t.column[column].unit, most, &c.y.factor));
    c.curve[0] = (chart_curve){.count = shown, .x = f, .y = y, .rising = true};
    chart_put(r->a, r->out, &c);
    response_spectrum(r, dt);
    fputs("</div>", r->out);
    report_end(r, true);
}
