/* SPDX-License-Identifier: MIT */
/* Concrete: envelope of Kent, Scott and Park, straight unloading after Karsan and Jirsa (1969), optional tension.
 *
 * With x = -e and E = 2 f/ec, the envelope is f (2 x/ec - (x/ec)^2) to ec, a straight line to (eu, fu), then fu. From
 * the least strain e_m so far a straight line leads to (e_p, 0), there and back:
 *
 *     e_p = -ec (0.145 H^2 + 0.13 H) for H < 2, -ec (0.707 (H - 2) + 0.834) above,    H = min(-e_m, eu)/ec
 *
 * unless it would be steeper than E. Beyond e_p, y = e - e_p: E y to ft, straight to zero at et, where the strength
 * in tension is lost; below the largest y so far, the secant to (e_p, 0).
 *
 * Karsan, Jirsa (1969), J. Struct. Div. 95; Scott, Park, Priestley (1982), ACI Journal 79. */
#include "model/fibre/concrete.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct memory {
    double e, stress; /* of the last accepted step */
    double least;     /* e_m */
    double zero, k;   /* e_p; slope of the line from there to e_m */
    double most;      /* largest y */
} memory;

static_assert(sizeof(memory) == IFD__CONCRETE_STATES * sizeof(double), "the states are 6 numbers");

void ifd__concrete_confine(const ifd__confinement *by, ifd__concrete *out)
{
    const double MPa = 1e6;
    double f = out->f / MPa, K = 1.0 + by->ratio * by->yield / out->f;
    double hoops = by->ratio > 0.0 ? 0.75 * by->ratio * sqrt(by->core / by->spacing) : 0.0;
    double Z = 0.5 / ((3.0 + 0.29 * f) / (145.0 * f - 1000.0) + hoops - 0.002 * K);
    out->f *= K;
    out->ec = 0.002 * K;
    out->fu = 0.2 * out->f;
    out->eu = out->ec + 0.8 / Z;
}

static IFD_RT double envelope(const ifd__concrete *c, double x, double *k)
{
    if (x < c->ec) {
        double a = x / c->ec;
        *k = 2.0 * c->f / c->ec * (1.0 - a);
        return -c->f * a * (2.0 - a);
    }
    bool falls = x < c->eu;
    *k = falls ? (c->fu - c->f) / (c->eu - c->ec) : 0.0;
    return falls ? -(c->f + *k * (x - c->ec)) : -c->fu;
}

static IFD_RT double tension(const ifd__concrete *c, double most, double y, double *k)
{
    double E = 2.0 * c->f / c->ec, crack = c->ft / E, at = fmax(y, most);
    *k = 0.0;
    if (at >= c->et)
        return 0.0;
    double falls = -c->ft / (c->et - crack), stress = at < crack ? E * at : c->ft + falls * (at - crack);
    if (y < most) {
        *k = stress / most;
        return *k * y;
    }
    *k = at < crack ? E : falls;
    return stress;
}

/* m.least is new: its line. */
static IFD_RT void unload(const ifd__concrete *c, double stress, memory *m)
{
    double E = 2.0 * c->f / c->ec, H = fmin(-m->least, c->eu) / c->ec;
    double zero = -c->ec * (H < 2.0 ? (0.145 * H + 0.13) * H : 0.707 * (H - 2.0) + 0.834);
    bool steep = stress <= E * (m->least - zero);
    m->zero = steep ? m->least - stress / E : zero;
    m->k = steep ? E : stress / (m->least - zero);
}

double ifd__concrete_move(const ifd__concrete *c, const double *s, double e, double *k, double *s1)
{
    memory m;
    memcpy(&m, s, sizeof m);
    if (!(m.least < 0.0))
        m.k = 2.0 * c->f / c->ec;
    bool further = e < m.least;
    if (further)
        m.stress = envelope(c, -e, k);
    else if (e <= m.zero) {
        m.stress = m.k * (e - m.zero);
        *k = m.k;
    } else
        m.stress = tension(c, m.most, e - m.zero, k);
    if (!s1)
        return m.stress;
    m.e = e;
    if (further) {
        m.least = e;
        unload(c, m.stress, &m);
    }
    m.most = fmax(m.most, e - m.zero);
    memcpy(s1, &m, sizeof m);
    return m.stress;
}
