/* SPDX-License-Identifier: MIT */
#include <interfield/indicator.h>

#include <math.h>
#include <string.h>

/* Own state: fading sums, then the last sample and the largest values. */
enum {
    SUM_1 = IFD_INDICATOR_OWN,
    SUM_X,
    SUM_V,
    SUM_M,
    SUM_XX,
    SUM_XV,
    SUM_VV,
    SUM_MX,
    SUM_MV,
    SUM_E,
    SUMS_END,
    LAST_X = SUMS_END,
    LAST_M,
    LAST_F,
    MOST_X,
    MOST_E,
    TICKS,
    SIZE
};

ifd_status ifd_indicator_make(ifd_arena *arena, double memory, double h, ifd_indicator **out, ifd_note *note)
{
    if (!(h > 0) || !(memory >= 0))
        return ifd_note_add(note, IFD_RANGE, NULL, "indicator: a tick of %g s and a memory of %g s", h, memory);
    ifd_indicator *c = ifd_arena_take(arena, sizeof *c);
    if (!c)
        return IFD_NO_MEMORY;
    c->h = h;
    c->forget = memory > 0 ? exp(-h / memory) : 1.0;
    c->size = SIZE;
    c->row[c->rows++] = (ifd_state_row){"indicators", 0, SIZE, IFD_STATE_INTEGER}; /* nothing depends on them */
    *out = c;
    return IFD_OK;
}

void ifd_indicator_begin(const ifd_indicator *c, double *s)
{
    memset(s, 0, sizeof *s * (size_t)c->size);
    s[IFD_INDICATOR_AMPLITUDE] = 1.0;
}

static void accumulate(const ifd_indicator *c, const ifd_indicator_in *in, double *s)
{
    double e = in->xm - in->x;
    const double add[SUMS_END - SUM_1] = {1.0,           in->x,         in->v,          in->xm,         in->x * in->x,
                                          in->x * in->v, in->v * in->v, in->xm * in->x, in->xm * in->v, e * e};
    for (int i = SUM_1; i < SUMS_END; i++)
        s[i] = c->forget * s[i] + add[i - SUM_1];
}

/* Covariances, then the two coefficients; what the motion does not tell keeps its last value. */
static void estimate(double *s)
{
    double n = s[SUM_1], xx = s[SUM_XX] - s[SUM_X] * s[SUM_X] / n, vv = s[SUM_VV] - s[SUM_V] * s[SUM_V] / n;
    double xv = s[SUM_XV] - s[SUM_X] * s[SUM_V] / n;
    double mx = s[SUM_MX] - s[SUM_M] * s[SUM_X] / n, mv = s[SUM_MV] - s[SUM_M] * s[SUM_V] / n;
    double det = xx * vv - xv * xv;
    if (!(det > 1e-6 * xx * vv) || !(xx > 0))
        return;
    double a = (mx * vv - mv * xv) / det, b = (mv * xx - mx * xv) / det, w = sqrt(vv / xx);
    s[IFD_INDICATOR_AMPLITUDE] = hypot(a, b * w);
    s[IFD_INDICATOR_DELAY] = atan2(-b * w, a) / w;
}

static void work(const ifd_indicator_in *in, double *s)
{
    double f = 0.5 * (in->fm + s[LAST_F]), dx = in->x - s[LAST_X], dm = in->xm - s[LAST_M];
    s[IFD_INDICATOR_ENERGY] += f * (dm - dx);
    s[IFD_INDICATOR_WORK] += fabs(f * dm);
    s[IFD_INDICATOR_AREA] += 0.25 * ((in->x + s[LAST_X]) * dm - (in->xm + s[LAST_M]) * dx);
}

void ifd_indicator_step(const ifd_indicator *c, const ifd_indicator_in *in, double *s)
{
    if (s[TICKS] > 0)
        work(in, s);
    accumulate(c, in, s);
    estimate(s);
    s[MOST_X] = fmax(s[MOST_X], fabs(in->x));
    s[MOST_E] = fmax(s[MOST_E], fabs(in->xm - in->x));
    s[IFD_INDICATOR_NRMS] = s[SUM_XX] > 0 ? sqrt(s[SUM_E] / s[SUM_XX]) : 0.0;
    s[IFD_INDICATOR_PEAK] = s[MOST_X] > 0 ? s[MOST_E] / s[MOST_X] : 0.0;
    s[LAST_X] = in->x;
    s[LAST_M] = in->xm;
    s[LAST_F] = in->fm;
    s[TICKS] += 1.0;
}
