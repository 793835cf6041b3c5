/* SPDX-License-Identifier: MIT */
/* The twin: U/X is fitted by
 *
 *     (1 + 2 z s/w + s^2/w^2) e^(s td) / g,
 *
 * each frequency relative to its size. For a given td the coefficients of 1, s and s^2 follow from linear least
 * squares; td is searched. A command that is held for the tick before its instant leads by (e^(s h) - 1)/(s h), half
 * a tick: without this factor td would be half a tick too short. The actuators `ideal` and `delay` of the virtual rig
 * reach a command at its instant, so that a pure delay has no such factor.
 *
 * The simplest of delay, first and second order is used whose misfit is about that of the best one. */
#include "qualify/characterise.h"

#include <math.h>

#include "analysis/powers.h"

static const double TWO_PI = 6.28318530717958647693;
static const int EVEN[] = {0, 2}, ODD[] = {1};

/* A simpler model may have this much of the misfit of a better one, and anything below the second number. */
static const double as_good = 1.5, perfect = 5e-4;
/* A pure delay has no gain; one that differs by less than the misfit is not seen to have one. */
static const double unit_gain = 0.005;
/* Highest frequency of a lag that the sweep shows, in units of its own highest one. */
static const double seen = 30.0;

typedef struct model {
    double a[3], td, misfit; /* of 1, s, s^2 */
} model;

/* R: U/X for the model, with the factor of the held command. */
typedef struct fit {
    int count, order;
    const double *w;
    double re[IFD_CHARACTERISE_POINTS], im[IFD_CHARACTERISE_POINTS], weight[IFD_CHARACTERISE_POINTS];
} fit;

static void prepare(const ifd__actuator_response *r, double held, int order, fit *f)
{
    f->count = r->count;
    f->order = order;
    f->w = r->w;
    for (int i = 0; i < r->count; i++) {
        double half = 0.5 * r->w[i] * held, size = half > 0.0 ? sin(half) / half : 1.0;
        f->re[i] = size * (r->re[i] * cos(half) - r->im[i] * sin(half));
        f->im[i] = size * (r->re[i] * sin(half) + r->im[i] * cos(half));
        f->weight[i] = 1.0 / (f->re[i] * f->re[i] + f->im[i] * f->im[i]);
    }
}

static model at_delay(const fit *f, double td)
{
    double re[IFD_CHARACTERISE_POINTS], im[IFD_CHARACTERISE_POINTS], square = 0.0;
    model m = {.td = td};
    for (int i = 0; i < f->count; i++) {
        double c = cos(f->w[i] * td), s = sin(f->w[i] * td);
        re[i] = f->re[i] * c + f->im[i] * s;
        im[i] = f->im[i] * c - f->re[i] * s;
    }
    const ifd__powers even = ifd__powers_fit(f->count, f->w, re, f->weight, EVEN, f->order == 2 ? 2 : 1);
    m.a[0] = even.c[0];
    m.a[2] = f->order == 2 ? -even.c[1] : 0.0;
    m.a[1] = f->order > 0 ? ifd__powers_fit(f->count, f->w, im, f->weight, ODD, 1).c[0] : 0.0;
    for (int i = 0; i < f->count; i++) {
        double x = re[i] - m.a[0] + m.a[2] * f->w[i] * f->w[i], y = im[i] - m.a[1] * f->w[i];
        square += (x * x + y * y) * f->weight[i];
    }
    m.misfit = sqrt(square / f->count);
    return m;
}

static model better(model a, model b)
{
    return b.misfit < a.misfit ? b : a;
}

/* A scan, then thirds of the interval around its best point. */
static model search(const fit *f, double low, double high)
{
    enum { SCAN = 200, THIRDS = 60 };
    double step = (high - low) / SCAN;
    model best = at_delay(f, low);
    for (int i = 1; i <= SCAN; i++)
        best = better(best, at_delay(f, low + i * step));
    double from = fmax(low, best.td - step), to = fmin(high, best.td + step);
    for (int i = 0; i < THIRDS; i++) {
        model a = at_delay(f, from + (to - from) / 3.0), b = at_delay(f, to - (to - from) / 3.0);
        if (a.misfit < b.misfit)
            to = b.td;
        else
            from = a.td;
        best = better(best, better(a, b));
    }
    return best;
}

/* Whether it is an actuator of the catalogue. */
static bool possible(const model *m, int order, double fastest)
{
    if (!(m->a[0] > 0.0))
        return false;
    if (order == 0)
        return fabs(1.0 / m->a[0] - 1.0) <= fmax(unit_gain, m->misfit);
    if (order == 1)
        return m->a[1] > 0.0;
    return m->a[1] > 0.0 && m->a[2] > m->a[0] / (seen * seen * fastest * fastest);
}

static void describe(const model *m, int order, double transport, ifd_found_twin *out)
{
    *out = (ifd_found_twin){.found = true,
                            .order = order,
                            .gain = 1.0 / m->a[0],
                            .delay = fmax(0.0, m->td - transport),
                            .time_constant = m->a[1] / m->a[0],
                            .misfit = m->misfit};
    if (order < 2)
        return;
    double w = sqrt(m->a[0] / m->a[2]);
    out->frequency = w / TWO_PI;
    out->damping_ratio = 0.5 * w * m->a[1] / m->a[0];
}

void ifd__find_twin(const ifd__actuator_response *r, const ifd_motion_record *record, double delay,
                    ifd_found_twin *out)
{
    model m[3];
    bool can[3];
    double best = (double)INFINITY, fastest = r->w[r->count - 1], h = record->period;
    *out = (ifd_found_twin){.misfit = (double)INFINITY};
    for (int order = 0; order < 3; order++) {
        fit f;
        prepare(r, order > 0 && !record->ramps ? h : 0.0, order, &f);
        m[order] = search(&f, record->transport, fmax(record->transport, 1.5 * delay) + 4.0 * h);
        can[order] = isfinite(m[order].misfit) && possible(&m[order], order, fastest);
        out->misfit = fmin(out->misfit, m[order].misfit);
        if (can[order])
            best = fmin(best, m[order].misfit);
    }
    /* A model beyond the limit is not as good as one within it. */
    double most = fmax(fmin(as_good * best, fmax(best, IFD_TWIN_MISFIT)), perfect);
    for (int order = 0; order < 3; order++)
        if (can[order] && m[order].misfit <= most) {
            describe(&m[order], order, record->transport, out);
            break;
        }
    out->found = out->found && out->misfit <= IFD_TWIN_MISFIT;
}

double ifd__find_resolution(const double *value, long count)
{
    const double near = 1e-3;
    double q = (double)INFINITY;
    for (long i = 1; i < count; i++) {
        double change = fabs(value[i] - value[i - 1]);
        if (change > 0.0 && change < q)
            q = change;
    }
    for (long i = 1; isfinite(q) && i < count; i++) {
        double steps = (value[i] - value[i - 1]) / q;
        if (!(fabs(steps - round(steps)) <= near) || fabs(steps) > 1e9)
            return 0.0;
    }
    return isfinite(q) ? q : 0.0;
}
