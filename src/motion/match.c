/* SPDX-License-Identifier: MIT */
/* Spectral matching in the time domain. Wavelets are added to the motion, one for each period, at the instant at
 * which the oscillator of that period has its peak (L. Al Atik, N. Abrahamson, An improved method for nonstationary
 * spectral matching, Earthquake Spectra 26 (2010) 601-617):
 *
 *     f_j(t) = cos(w' s) exp(-(s / g_j)^2),    s = t - t_j + D_j,    w' = w sqrt(1 - z^2),
 *     D_j = arctan(sqrt(1 - z^2) / z) / w',    g_j = 1.178 s (T_j / s)^0.93
 *
 * Minus (a + b s) exp(-(s / g_j)^2), so that velocity and displacement of each wavelet end at zero also where it is
 * cut at an end of the motion. With C_ij, the response at t_i of oscillator i to wavelet j, the amplitudes b minimise
 * |C b - d|^2 + lambda |b|^2 for the missing responses d, both relative to the target. lambda falls after each step
 * that reduces the rms of ln(PSA / target), and rises after one that does not, which is undone (Levenberg and
 * Marquardt): the rms never grows. */
#include <interfield/motion.h>

#include "algebra/dense.h"
#include "algebra/discretisation.h"
#include "base/arena.h"

#include <math.h>
#include <string.h>

enum { PERIODS = 100, FINEST = 40 }; /* points in the shortest period at which peaks are sought */

typedef struct matching {
    const ifd_spectrum_match *ask;
    int count, parts; /* samples; points in an interval at which peaks are sought */
    double dt;
    double period[PERIODS], target[PERIODS];
    double *hat[PERIODS]; /* response of each oscillator at the samples to a unit sample at the first one */
    double psa[PERIODS];
    int peak[PERIODS];     /* sample next to the peak */
    double sign[PERIODS];  /* of the response there */
    double *wave[PERIODS]; /* wavelets */
    double *C, *N, *b;
    double *work;
} matching;

/* w^2 u of the oscillator after each part of an interval, by z = E z + G0 a0 + G1 a1. */
static ifd_status oscillator(ifd_arena *arena, double period, double damping, double h, ifd__discretisation *out)
{
    double w = 2 * M_PI / period;
    const double A[4] = {0, -w * w, 1, -2 * damping * w}, B[2] = {0, -w * w};
    return ifd__discretisation_make(arena, &(ifd__continuous){2, 1, A, B}, h, out);
}

/* The peak of every oscillator under the motion a. */
static ifd_status respond(matching *m, const double *a)
{
    ifd_arena *arena IFD__CLOSED = ifd_arena_open();
    IFD__HAVE(arena);
    for (int i = 0; i < PERIODS; i++) {
        ifd__discretisation step;
        double z[2] = {0, 0};
        m->psa[i] = 0;
        IFD_TRY(oscillator(arena, m->period[i], m->ask->damping, m->dt / m->parts, &step));
        for (int k = 1; k < m->count; k++)
            for (int p = 1; p <= m->parts; p++) {
                double slope = (a[k] - a[k - 1]) / m->parts, before = a[k - 1] + (p - 1) * slope,
                       after = before + slope;
                ifd__discretisation_step(&step, &before, &after, z);
                if (fabs(z[0]) > m->psa[i]) {
                    m->psa[i] = fabs(z[0]);
                    m->sign[i] = z[0] < 0 ? -1 : 1;
                    m->peak[i] = 2 * p >= m->parts ? k : k - 1;
                }
            }
    }
    return IFD_OK;
}

/* rms of ln(PSA / target); and the largest magnitude. */
static double misfit(const matching *m, double *largest)
{
    double sum = 0;
    *largest = 0;
    for (int i = 0; i < PERIODS; i++) {
        double d = log(m->psa[i] / m->target[i]);
        sum += d * d;
        *largest = fmax(*largest, fabs(d));
    }
    return sqrt(sum / PERIODS);
}

/* Zero velocity and displacement at the end: the integrals of f and s f vanish, by the trapezoidal rule. */
static void close_wavelet(const matching *m, double first, double width, double *f)
{
    double M[3] = {0}, r[2] = {0};
    for (int k = 0; k < m->count; k++) {
        double s = first + k * m->dt, g = exp(-(s / width) * (s / width)),
               end = k == 0 || k == m->count - 1 ? 0.5 : 1;
        M[0] += end * g;
        M[1] += end * g * s;
        M[2] += end * g * s * s;
        r[0] += end * f[k];
        r[1] += end * f[k] * s;
    }
    double det = M[0] * M[2] - M[1] * M[1];
    double a = (M[2] * r[0] - M[1] * r[1]) / det, b = (M[0] * r[1] - M[1] * r[0]) / det;
    for (int k = 0; k < m->count; k++) {
        double s = first + k * m->dt;
        f[k] -= (a + b * s) * exp(-(s / width) * (s / width));
    }
}

static void make_wavelets(matching *m)
{
    double z = fmax(m->ask->damping, 1e-3), root = sqrt(1 - z * z);
    for (int j = 0; j < PERIODS; j++) {
        double w = 2 * M_PI / m->period[j] * root, width = 1.178 * pow(m->period[j], 0.93);
        double first = -m->peak[j] * m->dt + atan(root / z) / w;
        for (int k = 0; k < m->count; k++) {
            double s = first + k * m->dt;
            m->wave[j][k] = cos(w * s) * exp(-(s / width) * (s / width));
        }
        close_wavelet(m, first, width, m->wave[j]);
    }
}

/* C, relative to the target. A sample k before the peak p acts as the hat at its distance; the first sample, half of
 * a hat, is neglected. */
static void make_responses(matching *m)
{
    for (int i = 0; i < PERIODS; i++) {
        int p = m->peak[i], last = p + 1 < m->count ? p + 1 : m->count - 1;
        for (int k = 1; k <= last; k++)
            m->work[k] = m->hat[i][p - k + 1] / m->target[i];
        for (int j = 0; j < PERIODS; j++)
            m->C[i + j * PERIODS] = ifd__dot(last, m->work + 1, m->wave[j] + 1);
    }
}

/* Amplitudes for this lambda, relative to the mean of the diagonal of C^T C. */
static bool solve(matching *m, double lambda)
{
    int pivot[PERIODS];
    double trace = 0;
    for (int j = 0; j < PERIODS; j++) {
        for (int k = 0; k < PERIODS; k++)
            m->N[k + j * PERIODS] = ifd__dot(PERIODS, m->C + k * PERIODS, m->C + j * PERIODS);
        m->b[j] = 0;
        for (int i = 0; i < PERIODS; i++)
            m->b[j] += m->C[i + j * PERIODS] * m->sign[i] * (m->target[i] - m->psa[i]) / m->target[i];
        trace += m->N[j + j * PERIODS];
    }
    for (int j = 0; j < PERIODS; j++)
        m->N[j + j * PERIODS] += lambda * trace / PERIODS;
    if (!ifd__lu_factor(PERIODS, m->N, pivot))
        return false;
    ifd__lu_solve(PERIODS, m->N, pivot, 1, m->b);
    return true;
}

static ifd_status make_hats(ifd_arena *arena, matching *m)
{
    for (int i = 0; i < PERIODS; i++) {
        ifd__discretisation step;
        double z[2] = {0, 0};
        IFD_TRY(oscillator(arena, m->period[i], m->ask->damping, m->dt, &step));
        m->hat[i][0] = 0;
        for (int k = 1; k < m->count; k++) { /* the hat is the sample k = 1, so that it begins and ends within */
            double before = k == 2, after = k == 1;
            ifd__discretisation_step(&step, &before, &after, z);
            m->hat[i][k] = z[0];
        }
    }
    return IFD_OK;
}

static ifd_status make(ifd_arena *arena, const ifd_motion *x, const ifd_target_spectrum *t, matching *m,
                       ifd_note *note)
{
    const ifd_spectrum_match *o = m->ask;
    double finest = o->from / 10;
    m->count = x->count;
    m->dt = x->dt;
    m->parts = (int)ceil(FINEST * x->dt / o->from);
    if (!(o->damping > 0 && o->damping < 1))
        return ifd_note_add(note, IFD_RANGE, NULL, "damping ratio %g, expected more than 0 and less than 1",
                            o->damping);
    if (x->dt > finest * (1 + 1e-9)) {
        ifd_note_add(note, IFD_RANGE, NULL, "an interval of %g s is too long to match a period of %g s", x->dt,
                     o->from);
        ifd_note_hint(note, "use an interval of at most %g s (--step), or match from %g s on (--from)", finest,
                      10 * x->dt);
        return IFD_RANGE;
    }
    for (int i = 0; i < PERIODS; i++) {
        m->period[i] = i == PERIODS - 1 ? o->to : o->from * pow(o->to / o->from, i / (PERIODS - 1.0));
        m->target[i] = ifd_target_spectrum_at(t, m->period[i]);
        IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(m->hat[i], x->count), IFD__ARRAY(m->wave[i], x->count)));
    }
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(m->C, PERIODS * PERIODS), IFD__ARRAY(m->N, PERIODS * PERIODS),
                      IFD__ARRAY(m->b, PERIODS), IFD__ARRAY(m->work, x->count)));
    return make_hats(arena, m);
}

/* The steps; a has the best motion so far, `trial` the next one. */
static ifd_status iterate(matching *m, ifd_spectrum_match *o, double *a, double *trial)
{
    double lambda = 1e-3, largest;
    bool better = true;
    o->rms = misfit(m, &o->worst);
    for (o->steps = 0; o->steps < o->most && o->worst > o->tolerance; o->steps++) {
        matching before = *m;
        if (better) {
            make_wavelets(m);
            make_responses(m);
        }
        if (!solve(m, lambda))
            return IFD_SINGULAR;
        memcpy(trial, a, (size_t)m->count * sizeof *a);
        for (int j = 0; j < PERIODS; j++)
            for (int k = 0; k < m->count; k++)
                trial[k] += m->b[j] * m->wave[j][k];
        IFD_TRY(respond(m, trial));
        double rms = misfit(m, &largest);
        better = rms < o->rms;
        lambda *= better ? 0.5 : 3;
        if (better) {
            o->rms = rms;
            o->worst = largest;
            memcpy(a, trial, (size_t)m->count * sizeof *a);
        } else {
            *m = before;
        }
    }
    return IFD_OK;
}

ifd_status ifd_motion_match(ifd_arena *arena, ifd_motion *m, const ifd_target_spectrum *t, ifd_spectrum_match *o,
                            ifd_note *note)
{
    ifd_spectrum_fit fit = {.damping = o->damping, .from = o->from, .to = o->to};
    matching *x;
    double *a, *trial;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(x, 1), IFD__ARRAY(a, m->count), IFD__ARRAY(trial, m->count)));
    IFD_TRY(ifd_motion_fit(m, t, &fit, note));
    x->ask = o;
    IFD_TRY(make(arena, m, t, x, note));
    for (int k = 0; k < m->count; k++)
        a[k] = fit.factor * m->a[k];
    o->factor = fit.factor;
    IFD_TRY(respond(x, a));
    IFD_TRY(iterate(x, o, a, trial));
    m->a = a;
    return IFD_OK;
}
