/* SPDX-License-Identifier: MIT */
#include "rig/monitor.h"

#include <math.h>
#include <string.h>

/* Start of the least squares: A = 1, d = 0 with these weights (m2 s, m2/s); they remain with a thousandth. */
static const double weight[2] = {1e-6, 1e-4}, remains = 1e-3;
enum { SAMPLES = 3 }; /* Et, Ed, dissipated by the specimen */

int ifd__monitor_size(const ifd__monitor *c)
{
    return IFD__DOUBLES(ifd__monitored) + SAMPLES * c->slots;
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

void ifd__monitor_step(const ifd__monitor *c, const ifd__monitor_in *in, double *s)
{
    ifd__monitored *m = (ifd__monitored *)s;
    double before = m->ticks;
    m->ticks = before < 0.0 ? 0.0 : before + in->rate;
    if (before < 0.0)
        m->x0 = in->x;
    else
        energies(c, in, m);
    m->passive += c->h * in->f * in->v;
    m->deficit = c->stiffness > 0.0 ? m->passive - 0.5 * c->stiffness * (in->x * in->x - m->x0 * m->x0) : 0.0;
    m->stored = fmax(m->stored, c->stiffness > 0.0 ? stored(c, in->f) : 0.5 * c->factor * fabs(in->f * in->x));
    least_squares(c, in, m);
    window(c, in, before, s);
    m->x = in->x;
    m->xm = in->xm;
    m->f = in->f;
}
