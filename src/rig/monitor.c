/* SPDX-License-Identifier: MIT */
/* Observers of energy, envelope and passivity at an interface. */
#include "rig/monitor.h"

#include <math.h>
#include <string.h>

/* Start of the least squares: A = 1, d = 0 with these weights (m2 s, m2/s); they remain with a thousandth. */
static const double weight[2] = {1e-6, 1e-4}, remains = 1e-3;
static const double TURN = 6.28318530717958647693;
enum { SAMPLES = 3 }; /* Et, Ed, dissipated by the specimen */

int ifd__monitor_size(const ifd__monitor *c)
{
    return IFD__DOUBLES(ifd__monitored) + SAMPLES * c->slots + ifd__fei_size(&c->fei);
}

void ifd__monitor_begin(const ifd__monitor *c, double *s)
{
    ifd__monitored *m = (ifd__monitored *)s;
    memset(s, 0, sizeof *s * (size_t)ifd__monitor_size(c));
    m->H[0] = m->g[0] = weight[0];
    m->H[2] = weight[1];
    m->amplitude = 1.0;
    m->ticks = -1.0;
}

static IFD_RT void least_squares(const ifd__monitor *c, const ifd__monitor_in *in, ifd__monitored *m)
{
    double f = c->forget, keep = (1.0 - f) * remains, x = in->x, v = -in->v;
    m->H[0] = f * m->H[0] + keep * weight[0] + c->h * x * x;
    m->H[1] = f * m->H[1] + c->h * x * v;
    m->H[2] = f * m->H[2] + keep * weight[1] + c->h * v * v;
    m->g[0] = f * m->g[0] + keep * weight[0] + c->h * x * in->xm;
    m->g[1] = f * m->g[1] + c->h * v * in->xm;
    double det = m->H[0] * m->H[2] - m->H[1] * m->H[1];
    double a = (m->g[0] * m->H[2] - m->g[1] * m->H[1]) / det, ad = (m->g[1] * m->H[0] - m->g[0] * m->H[1]) / det;
    if (!isfinite(a) || !isfinite(ad) || !(fabs(a) > 0.0))
        return;
    m->amplitude = a;
    m->delay = ad / a;
    m->square = f * m->square + (1.0 - f) * x * x;
}

/* Energy that the specimen stores as a spring; 0: unknown stiffness. */
static IFD_RT double stored(const ifd__monitor *c, double f)
{
    return c->stiffness > 0.0 ? 0.5 * c->factor * f * f / c->stiffness : 0.0;
}

static IFD_RT void energies(const ifd__monitor *c, const ifd__monitor_in *in, ifd__monitored *m)
{
    double mean = 0.5 * (m->f + in->f), used = c->held ? m->f : mean;
    double work = c->factor * mean * (in->xm - m->xm);
    m->work += work;
    m->energy += work - c->factor * used * (in->x - m->x);
}

/* Over the last window, in steps of `every` ticks. before: the number of ticks at the last call. */
static IFD_RT void window(const ifd__monitor *c, const ifd__monitor_in *in, double before, double *s)
{
    ifd__monitored *m = (ifd__monitored *)s;
    long n = (long)floor(m->ticks / c->every);
    if (n == (long)floor(before / c->every))
        return;
    double *slot = s + IFD__DOUBLES(ifd__monitored) + SAMPLES * (n % c->slots);
    const double now[SAMPLES] = {m->energy, in->dissipated, m->work - stored(c, in->f)};
    m->known = (double)(n >= c->slots);
    m->added = now[0] - slot[0];
    m->dissipated = now[1] - slot[1];
    m->specimen = c->stiffness > 0.0 ? fmax(0.0, now[2] - slot[2]) : 0.0;
    memcpy(slot, now, sizeof now);
}

/* Two first-order lags of one period, of the signal times cos and -sin; turn: rad in this tick. */
static IFD_RT double envelope(double turn, double x, double phase, double *wave)
{
    double per = turn / TURN, part = per / (1.0 + per);
    wave[0] += part * (x * cos(phase) - wave[0]);
    wave[1] += part * (-x * sin(phase) - wave[1]);
    wave[2] += part * (wave[0] - wave[2]);
    wave[3] += part * (wave[1] - wave[3]);
    return 2.0 * hypot(wave[2], wave[3]);
}

/* Growth in three periods, unless that of the excitation is more than `steady`, or the envelope less than `observed`
 * of the largest target: a component that is not observed may grow by chance. */
static IFD_RT void grow(const ifd__monitor *c, const ifd__monitor_in *in, ifd__monitored *m)
{
    enum { NOW, EXCITED, BEFORE, EXCITED_BEFORE };
    const double steady = 1.1, observed = 0.1, span = 3.0 * TURN, turn = c->turn * in->rate;
    if (!(c->turn > 0.0))
        return;
    m->largest = fmax(m->largest, fabs(in->x));
    m->phase += turn;
    m->phase -= m->phase > TURN ? TURN : 0.0;
    m->peak[NOW] = fmax(m->peak[NOW], envelope(turn, in->x, m->phase, m->wave));
    m->peak[EXCITED] = fmax(m->peak[EXCITED], envelope(turn, in->excitation, m->phase, m->wave + 4));
    m->spent += in->rate;
    if (m->spent * c->turn < span)
        return;
    bool excited = m->peak[EXCITED] > steady * m->peak[EXCITED_BEFORE];
    m->growth = m->peak[BEFORE] > 0.0 ? m->peak[NOW] / m->peak[BEFORE] : 0.0;
    m->grown = m->growth > IFD__GROWTH && !excited && m->peak[NOW] > observed * m->largest ? m->grown + 1.0 : 0.0;
    m->peak[BEFORE] = m->peak[NOW];
    m->peak[EXCITED_BEFORE] = m->peak[EXCITED];
    m->peak[NOW] = m->peak[EXCITED] = m->spent = 0.0;
}

static IFD_RT void index_of(const ifd__monitor *c, const ifd__monitor_in *in, double *s)
{
    ifd__monitored *m = (ifd__monitored *)s;
    double *sums = s + IFD__DOUBLES(ifd__monitored) + SAMPLES * c->slots, fei[2], f_eq;
    if (!c->fei.lines || !ifd__fei_add(&c->fei, in->x, in->xm, m->count, sums) ||
        !ifd__fei_index(&c->fei, m->count, sums, fei, &f_eq))
        return;
    m->fei_amplitude = hypot(fei[0], fei[1]);
    m->fei_delay = -atan2(fei[1], fei[0]) / (TURN * f_eq);
}

/* Work that the target does on the specimen, without the energy that it stores. */
static IFD_RT void passivity(const ifd__monitor *c, const ifd__monitor_in *in, ifd__monitored *m)
{
    m->passive += c->h * in->f * in->v;
    m->deficit = m->lack = 0.0;
    if (!(c->stiffness > 0.0))
        return;
    m->deficit = m->passive - 0.5 * c->stiffness * (in->x * in->x - m->x0 * m->x0);
    m->lack = m->passive - 0.5 * (in->f * in->f - m->f0 * m->f0) / c->stiffness;
}

void ifd__monitor_step(const ifd__monitor *c, const ifd__monitor_in *in, double *s)
{
    ifd__monitored *m = (ifd__monitored *)s;
    double before = m->ticks;
    /* back to a late stage the rate is negative */
    m->ticks = before < 0.0 ? 0.0 : fmax(0.0, before + in->rate);
    if (before < 0.0) {
        m->x0 = in->x;
        m->f0 = in->f;
    } else
        energies(c, in, m);
    passivity(c, in, m);
    m->stored = fmax(m->stored, c->stiffness > 0.0 ? stored(c, in->f) : 0.5 * c->factor * fabs(in->f * in->x));
    least_squares(c, in, m);
    window(c, in, before, s);
    grow(c, in, m);
    index_of(c, in, s);
    m->x = in->x;
    m->xm = in->xm;
    m->f = in->f;
}
