/* SPDX-License-Identifier: MIT */
/* Motions from files and signals, and to files. */
#include <interfield/motion.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "algebra/discretisation.h"
#include "base/arena.h"
#include "text/motion_file.h"

/* Intensity measures and response spectra. */

static const double GRAVITY = 9.80665; /* m/s2 */

/* The time at which the integral of a^2 reaches `part` of its end value, linear between samples. */
static double time_of_part(const ifd_motion *m, double whole, double part)
{
    double sum = 0;
    for (int i = 1; i < m->count; i++) {
        double add = 0.5 * m->dt * (m->a[i - 1] * m->a[i - 1] + m->a[i] * m->a[i]);
        if (sum + add >= part * whole && add > 0)
            return m->dt * (i - 1 + (part * whole - sum) / add);
        sum += add;
    }
    return m->dt * (m->count - 1);
}

void ifd_motion_intensity(const ifd_motion *m, ifd_motion_measures *out)
{
    double v = 0, d = 0, square = 0;
    *out = (ifd_motion_measures){.pga = fabs(m->a[0])};
    for (int i = 1; i < m->count; i++) {
        double a0 = m->a[i - 1], a1 = m->a[i];
        d += m->dt * v + m->dt * m->dt * (2 * a0 + a1) / 6;
        v += 0.5 * m->dt * (a0 + a1);
        square += 0.5 * m->dt * (a0 * a0 + a1 * a1);
        out->cav += 0.5 * m->dt * (fabs(a0) + fabs(a1));
        out->pga = fmax(out->pga, fabs(a1));
        out->pgv = fmax(out->pgv, fabs(v));
        out->pgd = fmax(out->pgd, fabs(d));
    }
    out->end_v = v;
    out->end_d = d;
    out->arias = M_PI / (2 * GRAVITY) * square;
    double start = time_of_part(m, square, 0.05);
    out->d5_75 = time_of_part(m, square, 0.75) - start;
    out->d5_95 = time_of_part(m, square, 0.95) - start;
}

typedef struct oscillator {
    double w, damping;
    double sd, sa; /* maxima so far */
} oscillator;

/* z = (u, u'): u'' + 2 damping w u' + w^2 u = -a, with `parts` points in each interval of the motion. */
static ifd_status respond(const ifd_motion *m, int parts, oscillator *o)
{
    ifd_arena *arena IFD__CLOSED = ifd_arena_open();
    IFD__HAVE(arena);
    const double A[4] = {0, -o->w * o->w, 1, -2 * o->damping * o->w}, B[2] = {0, -1};
    ifd__discretisation step;
    double z[2] = {0, 0};
    IFD_TRY(ifd__discretisation_make(arena, &(ifd__continuous){2, 1, A, B}, m->dt / parts, &step));
    for (int i = 1; i < m->count; i++) {
        double slope = (m->a[i] - m->a[i - 1]) / parts, before = m->a[i - 1];
        for (int k = 1; k <= parts; k++) {
            double after = k == parts ? m->a[i] : m->a[i - 1] + k * slope;
            ifd__discretisation_step(&step, &before, &after, z);
            o->sd = fmax(o->sd, fabs(z[0]));
            o->sa = fmax(o->sa, fabs(o->w * o->w * z[0] + 2 * o->damping * o->w * z[1]));
            before = after;
        }
    }
    return IFD_OK;
}

ifd_status ifd_motion_spectrum(const ifd_motion *m, double damping, int count, const double *period,
                               ifd_motion_response *out)
{
    if (!(damping >= 0 && damping < 1))
        return IFD_RANGE;
    ifd_motion_measures ground;
    ifd_motion_intensity(m, &ground);
    for (int i = 0; i < count; i++) {
        double T = period[i];
        if (!(T >= 0) || !isfinite(T))
            return IFD_RANGE;
        out[i] = (ifd_motion_response){T, 0, ground.pga, ground.pga, 0, ground.pga, ground.pga};
        if (T == 0)
            continue;
        oscillator own = {.w = 2 * M_PI / T, .damping = damping}, fine = own;
        double parts = fmin(fmax(8, ceil(100 * m->dt / T)), 1e6);
        IFD_TRY(respond(m, 1, &own));
        IFD_TRY(respond(m, (int)parts, &fine));
        double w2 = own.w * own.w;
        out[i] = (ifd_motion_response){T, own.sd, w2 * own.sd, own.sa, fine.sd, w2 * fine.sd, fine.sa};
    }
    return IFD_OK;
}

/* Scaling to a target spectrum. */

enum { PERIODS = 100 };

ifd_status ifd_target_spectrum_read(ifd_arena *arena, const char *path, const char *unit, ifd_target_spectrum *out,
                                    ifd_note *note)
{
    ifd__record_options ask = {.unit = unit, .dim = IFD_DIM_ACCELERATION};
    ifd__record r;
    IFD_TRY(ifd__record_read(arena, path, &ask, &r, note));
    double *period;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(period, r.samples.count)));
    for (int i = 0; i < r.samples.count; i++) {
        period[i] = r.samples.time ? r.samples.time[i] : r.samples.start + i * r.samples.dt;
        if (!(period[i] >= 0) || !(r.samples.value[i] > 0))
            return ifd_note_add(note, IFD_RANGE, &(ifd_place){.file = path},
                                "period %g s with %g m/s2, expected a period of at least 0 and a positive value",
                                period[i], r.samples.value[i]);
    }
    *out = (ifd_target_spectrum){r.samples.count, period, r.samples.value};
    return IFD_OK;
}

double ifd_target_spectrum_at(const ifd_target_spectrum *t, double period)
{
    for (int i = 1; i < t->count; i++) {
        double T0 = t->period[i - 1], T1 = t->period[i], y0 = t->psa[i - 1], y1 = t->psa[i];
        if (period < T0 || period > T1)
            continue;
        if (!(T0 > 0)) /* no logarithm of period 0 */
            return y0 + (y1 - y0) * (period - T0) / (T1 - T0);
        return y0 * exp(log(y1 / y0) * log(period / T0) / log(T1 / T0));
    }
    return NAN;
}

ifd_status ifd_motion_fit(const ifd_motion *m, const ifd_target_spectrum *t, ifd_spectrum_fit *fit, ifd_note *note)
{
    double sum = 0, square = 0;
    if (!(fit->from > 0) || !(fit->to >= fit->from))
        return ifd_note_add(note, IFD_RANGE, NULL, "periods from %g s to %g s, expected 0 < from <= to", fit->from,
                            fit->to);
    for (int i = 0; i < PERIODS; i++) {
        double T = fit->from * pow(fit->to / fit->from, i / (PERIODS - 1.0)), target = ifd_target_spectrum_at(t, T);
        if (i == PERIODS - 1)
            target = ifd_target_spectrum_at(t, T = fit->to);
        if (!isfinite(target))
            return ifd_note_add(note, IFD_RANGE, NULL, "the target spectrum has periods from %g s to %g s, not %g s",
                                t->period[0], t->period[t->count - 1], T);
        ifd_motion_response r;
        IFD_TRY(ifd_motion_spectrum(m, fit->damping, 1, &T, &r));
        double d = log(target / r.psa);
        if (!isfinite(d))
            return ifd_note_add(note, IFD_RANGE, NULL, "the motion has no response at a period of %g s", T);
        sum += d;
        square += d * d;
    }
    double mean = sum / PERIODS;
    fit->factor = exp(mean);
    fit->misfit = sqrt(fmax(0, square / PERIODS - mean * mean));
    return IFD_OK;
}

static const char *base_name(ifd_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/'), *first = slash ? slash + 1 : path, *dot = strrchr(first, '.');
    return ifd_arena_text_n(arena, first, dot && dot > first ? (size_t)(dot - first) : strlen(first));
}

/* Linear interpolation of given times at a constant interval, from the first time. */
static ifd_status spread(ifd_arena *arena, const ifd_samples *s, double step, ifd_motion *out)
{
    double span = s->time[s->count - 1] - s->time[0];
    out->count = (int)floor(span / step + 1e-9) + 1;
    out->dt = step;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(out->a, out->count)));
    for (int i = 0, k = 0; i < out->count; i++) {
        double t = s->time[0] + i * step;
        while (k + 2 < s->count && s->time[k + 1] < t)
            k++;
        double weight = (t - s->time[k]) / (s->time[k + 1] - s->time[k]);
        out->a[i] = s->value[k] + fmin(weight, 1) * (s->value[k + 1] - s->value[k]);
    }
    return IFD_OK;
}

ifd_status ifd_motion_read(ifd_arena *arena, const char *path, const ifd_motion_options *options, ifd_motion *out,
                           ifd_note *note)
{
    ifd_motion_options o = options ? *options : (ifd_motion_options){0};
    ifd__record_options ask = {.unit = o.unit, .dt = o.dt, .dim = IFD_DIM_ACCELERATION};
    ifd__record r;
    IFD_TRY(ifd__record_read(arena, path, &ask, &r, note));
    const ifd_samples *s = &r.samples;
    *out = (ifd_motion){.name = base_name(arena, path), .count = s->count, .dt = s->dt};
    if (s->time && !(o.step > 0))
        return ifd_note_advise(note, IFD_RECORD, &(ifd_place){.file = path},
                               "state an interval; the values between the times are interpolated",
                               "the times are not equally spaced");
    if (s->time)
        return spread(arena, s, o.step, out);
    out->a = ifd_arena_array(arena, (size_t)s->count, sizeof *out->a);
    IFD__HAVE(out->a && out->name);
    memcpy(out->a, s->value, (size_t)s->count * sizeof *out->a);
    return IFD_OK;
}

ifd_status ifd_motion_sample(ifd_arena *arena, const ifd_signal *signal, double end, double dt, ifd_motion *out)
{
    *out = (ifd_motion){.name = "", .count = (int)floor(end / dt + 1e-9) + 1, .dt = dt};
    if (out->count < 2)
        return IFD_RANGE;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(out->a, out->count)));
    for (int i = 0; i < out->count; i++) {
        double y[3];
        ifd_signal_eval(signal, i * dt, y);
        out->a[i] = y[0];
    }
    return IFD_OK;
}

void ifd_motion_scale(ifd_motion *m, double factor)
{
    for (int i = 0; i < m->count; i++)
        m->a[i] *= factor;
}

static void put_at2(const ifd_motion *m, FILE *file)
{
    fprintf(file, "INTERFIELD\n%s\nACCELERATION TIME SERIES IN UNITS OF G\nNPTS= %d, DT= %.9g SEC\n", m->name,
            m->count, m->dt);
    for (int i = 0; i < m->count; i++)
        fprintf(file, "%17.9E%s", m->a[i] / GRAVITY, i % 5 == 4 || i == m->count - 1 ? "\n" : "");
}

ifd_status ifd_motion_write(const ifd_motion *m, const char *path, ifd_note *note)
{
    const char *dot = strrchr(path, '.');
    FILE *file = fopen(path, "we");
    if (!file)
        return ifd_note_add(note, IFD_OUTPUT, NULL, "'%s' cannot be written: %s", path, strerror(errno));
    bool at2 = dot && strcasecmp(dot, ".at2") == 0;
    if (at2)
        put_at2(m, file);
    else
        fputs("time [s],acceleration [m/s2]\n", file);
    for (int i = 0; !at2 && i < m->count; i++)
        fprintf(file, "%.9g,%.12g\n", i * m->dt, m->a[i]);
    bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed)
        return ifd_note_add(note, IFD_OUTPUT, NULL, "'%s' cannot be written", path);
    return IFD_OK;
}
