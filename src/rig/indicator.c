/* SPDX-License-Identifier: MIT */
/* Delay, amplitude and energy of the tracking error, tick by tick. */
#include <interfield/indicator.h>

#include <math.h>
#include <string.h>

#include "base/state_block.h"

/* First the published values (hybrid/limits/tracking_indicator.c), then decaying sums, the last sample and the
 * largest values. */
typedef struct __attribute__((may_alias)) state {
    ifd_indicated now;
    double n, x, v, m, xx, xv, vv, mx, mv, ee;
    double last_x, last_m, last_f, most_x, most_e, ticks;
} state;

ifd_status ifd_indicator_make(ifd_arena *arena, double memory, double h, ifd_indicator **out, ifd_note *note)
{
    if (!(h > 0) || !(memory >= 0))
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "indicator: the tick is %g s and the memory %g s, expected positive times", h, memory);
    ifd_indicator *c = ifd_arena_take(arena, sizeof *c);
    if (!c)
        return IFD_NO_MEMORY;
    c->h = h;
    c->forget = memory > 0 ? exp(-h / memory) : 1.0;
    c->size = IFD__DOUBLES(state);
    c->row[c->rows++] = (ifd_state_row){"indicators", 0, c->size, IFD_STATE_INTEGER}; /* no effect on the test */
    *out = c;
    return IFD_OK;
}

void ifd_indicator_begin(const ifd_indicator *c, double *s)
{
    memset(s, 0, sizeof *s * (size_t)c->size);
    ((state *)s)->now.amplitude = 1.0;
}

static void accumulate(double forget, const ifd_indicator_in *in, state *s)
{
    double e = in->xm - in->x;
    s->n = forget * s->n + 1.0;
    s->x = forget * s->x + in->x;
    s->v = forget * s->v + in->v;
    s->m = forget * s->m + in->xm;
    s->xx = forget * s->xx + in->x * in->x;
    s->xv = forget * s->xv + in->x * in->v;
    s->vv = forget * s->vv + in->v * in->v;
    s->mx = forget * s->mx + in->xm * in->x;
    s->mv = forget * s->mv + in->xm * in->v;
    s->ee = forget * s->ee + e * e;
}

/* Covariances, then the two coefficients; a coefficient that the motion does not determine keeps its last value. */
static void estimate(state *s)
{
    double n = s->n, xx = s->xx - s->x * s->x / n, vv = s->vv - s->v * s->v / n;
    double xv = s->xv - s->x * s->v / n;
    double mx = s->mx - s->m * s->x / n, mv = s->mv - s->m * s->v / n;
    double det = xx * vv - xv * xv;
    if (!(det > 1e-6 * xx * vv) || !(xx > 0))
        return;
    double a = (mx * vv - mv * xv) / det, b = (mv * xx - mx * xv) / det, w = sqrt(vv / xx);
    s->now.amplitude = hypot(a, b * w);
    s->now.delay = atan2(-b * w, a) / w;
}

static void work(const ifd_indicator_in *in, state *s)
{
    double f = 0.5 * (in->fm + s->last_f), dx = in->x - s->last_x, dm = in->xm - s->last_m;
    s->now.energy += f * (dm - dx);
    s->now.work += fabs(f * dm);
    s->now.area += 0.25 * ((in->x + s->last_x) * dm - (in->xm + s->last_m) * dx);
}

void ifd_indicator_step(const ifd_indicator *c, const ifd_indicator_in *in, double *x)
{
    state *s = (state *)x;
    if (s->ticks > 0)
        work(in, s);
    accumulate(c->forget, in, s);
    estimate(s);
    s->most_x = fmax(s->most_x, fabs(in->x));
    s->most_e = fmax(s->most_e, fabs(in->xm - in->x));
    s->now.nrms = s->xx > 0 ? sqrt(s->ee / s->xx) : 0.0;
    s->now.peak = s->most_x > 0 ? s->most_e / s->most_x : 0.0;
    s->last_x = in->x;
    s->last_m = in->xm;
    s->last_f = in->fm;
    s->ticks += 1.0;
}

ifd_indicated ifd_indicator_read(const double *s)
{
    return ((const state *)s)->now;
}
