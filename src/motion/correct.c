/* SPDX-License-Identifier: MIT */
/* Baseline correction, filters, resampling. */
#include <interfield/motion.h>

#include "algebra/dense.h"
#include "base/arena.h"

#include <math.h>
#include <string.h>

enum { MOST_DEGREE = 6, MOST_ORDER = 10, RESAMPLE_ORDER = 8 };

/* Legendre polynomials of x in [-1, 1], degrees 0 to n: normal equations with small condition numbers. */
static void legendre(int n, double x, double *p)
{
    p[0] = 1;
    p[1] = x;
    for (int k = 2; k <= n; k++)
        p[k] = ((2 * k - 1) * x * p[k - 1] - (k - 1) * p[k - 2]) / k;
}

/* Acceleration and trapezoidal velocity of each polynomial and of the motion (index `terms`), sample by sample. */
typedef struct baseline {
    const ifd_motion *m;
    int terms;
    double p[MOST_DEGREE + 2], v[MOST_DEGREE + 2];
} baseline;

static void baseline_sample(baseline *b, int i)
{
    double before[MOST_DEGREE + 2];
    memcpy(before, b->p, sizeof before);
    legendre(b->terms, 2.0 * i / (b->m->count - 1) - 1, b->p);
    b->p[b->terms] = b->m->a[i];
    for (int k = 0; k <= b->terms; k++)
        b->v[k] = i == 0 ? 0 : b->v[k] + 0.5 * b->m->dt * (before[k] + b->p[k]);
}

ifd_status ifd_motion_baseline(ifd_arena *arena, ifd_motion *m, int degree, ifd_note *note)
{
    enum { N = MOST_DEGREE + 1 };
    int n = degree + 1, pivot[N];
    double M[N * N] = {0}, c[N] = {0};
    if (degree < 0 || degree > MOST_DEGREE || m->count < n + 1)
        return ifd_note_add(note, IFD_RANGE, NULL, "a baseline of degree %d, expected 0 to %d", degree, MOST_DEGREE);
    baseline b = {.m = m, .terms = n};
    for (int i = 0; i < m->count; i++) {
        baseline_sample(&b, i);
        for (int k = 0; k < n; k++) {
            for (int j = 0; j < n; j++)
                M[k + j * n] += b.v[k] * b.v[j];
            c[k] += b.v[k] * b.v[n];
        }
    }
    double *a;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(a, m->count)));
    if (!ifd__lu_factor(n, M, pivot))
        return ifd_note_add(note, IFD_SINGULAR, NULL, "the motion is too short for a baseline of degree %d", degree);
    ifd__lu_solve(n, M, pivot, 1, c);
    for (int i = 0; i < m->count; i++) {
        legendre(n, 2.0 * i / (m->count - 1) - 1, b.p);
        a[i] = m->a[i];
        for (int k = 0; k < n; k++)
            a[i] -= c[k] * b.p[k];
    }
    m->a = a;
    return IFD_OK;
}

/* A section of second order; of first order with a2 = b2 = 0. */
typedef struct section {
    double b0, b1, b2, a1, a2;
} section;

/* Section k of a Butterworth filter by the bilinear transformation; K = tan(pi f dt) keeps the corner. */
static section butterworth(int order, int k, double K, bool high)
{
    if (2 * k + 1 == order) {
        double b = high ? 1 / (1 + K) : K / (1 + K);
        return (section){b, high ? -b : b, 0, (K - 1) / (K + 1), 0};
    }
    double damping = 2 * sin((2 * k + 1) * M_PI / (2 * order)); /* 1 / Q */
    double scale = 1 / (1 + K * damping + K * K), b = high ? scale : K * K * scale;
    return (section){b, high ? -2 * b : 2 * b, b, 2 * (K * K - 1) * scale, (1 - K * damping + K * K) * scale};
}

/* One pass over the samples, forward or backward, from rest. */
static void pass(const section *s, int count, double *x, bool backward)
{
    double w1 = 0, w2 = 0;
    for (int i = 0; i < count; i++) {
        double *at = &x[backward ? count - 1 - i : i], in = *at;
        *at = s->b0 * in + w1;
        w1 = s->b1 * in - s->a1 * *at + w2;
        w2 = s->b2 * in - s->a2 * *at;
    }
}

static void filter_part(double corner, bool high, int order, double dt, int count, double *x)
{
    for (int backward = 0; backward < 2; backward++)
        for (int k = 0; k < (order + 1) / 2; k++) {
            section s = butterworth(order, k, tan(M_PI * corner * dt), high);
            pass(&s, count, x, backward != 0);
        }
}

static ifd_status filter_check(const ifd_motion *m, const ifd_motion_band *f, ifd_note *note)
{
    double nyquist = 0.5 / m->dt;
    if (f->order < 1 || f->order > MOST_ORDER)
        return ifd_note_add(note, IFD_RANGE, NULL, "a filter of order %d, expected 1 to %d", f->order, MOST_ORDER);
    for (int k = 0; k < 2; k++) {
        double corner = k ? f->high : f->low;
        if (!(corner >= 0) || corner >= nyquist)
            return ifd_note_add(note, IFD_RANGE, NULL,
                                "a corner of %g Hz, expected less than %g Hz, half of the sampling rate", corner,
                                nyquist);
    }
    if (f->low > 0 && f->high > 0 && f->low >= f->high)
        return ifd_note_add(note, IFD_CONFLICT, NULL, "corners of %g Hz and %g Hz, expected the lower one first",
                            f->low, f->high);
    return IFD_OK;
}

/* Zeros of 1.5 order / corner seconds before and after the motion contain the transients (Converse and Brady, 1992);
 * they are removed again. */
ifd_status ifd_motion_filter(ifd_arena *arena, ifd_motion *m, const ifd_motion_band *f, ifd_note *note)
{
    IFD_TRY(filter_check(m, f, note));
    double lowest = f->low > 0 ? f->low : f->high, padding = lowest > 0 ? 1.5 * f->order / lowest / m->dt : 0;
    if (padding > 2e7)
        return ifd_note_add(note, IFD_TOO_LARGE, NULL, "a corner of %g Hz is too low for this motion", lowest);
    int pad = (int)ceil(padding), count = m->count + 2 * pad;
    double *x;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(x, count)));
    memcpy(x + pad, m->a, (size_t)m->count * sizeof *x);
    if (f->low > 0)
        filter_part(f->low, true, f->order, m->dt, count, x);
    if (f->high > 0)
        filter_part(f->high, false, f->order, m->dt, count, x);
    m->a = x + pad;
    return IFD_OK;
}

ifd_status ifd_motion_resample(ifd_arena *arena, ifd_motion *m, double dt, ifd_note *note)
{
    double ratio = dt / m->dt, end = (m->count - 1) / ratio;
    if (!(dt > 0) || end < 1 || end > 1e8)
        return ifd_note_add(note, IFD_RANGE, NULL, "an interval of %g s for a motion of %g s", dt,
                            (m->count - 1) * m->dt);
    if (ratio > 1 + 1e-9) /* otherwise frequencies above half of the new rate would appear as lower ones */
        IFD_TRY(ifd_motion_filter(arena, m, &(ifd_motion_band){.high = 0.4 / dt, .order = RESAMPLE_ORDER}, note));
    int count = (int)floor(end + 1e-9) + 1;
    double *a;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(a, count)));
    for (int i = 0; i < count; i++) {
        double at = i * ratio;
        int k = (int)floor(at + 1e-9);
        k = k > m->count - 2 ? m->count - 2 : k;
        double weight = fmax(0, fmin(1, at - k));
        a[i] = m->a[k] + weight * (m->a[k + 1] - m->a[k]);
    }
    *m = (ifd_motion){m->name, count, dt, a};
    return IFD_OK;
}
