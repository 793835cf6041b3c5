/* SPDX-License-Identifier: MIT */
/* Straight segments between points r_i at q_i, constant beyond the last.
 *
 * masing: sliders in parallel of stiffness k_i = S_i - S_(i+1), which slip at q_i (S_i: slope up to point i); loading
 * for the first time follows the points, each reversal begins them anew at twice their size.
 * elastic: the segments, there and back; their last slopes continue.
 * uplift: U(q), without tension. From the largest deformation m so far, max(0, r(m) - k0 (m - q)), there and back;
 * then the points.
 * gapping: drag masing(q) + (1 - drag) (U(q) - U(-q)): soil on both sides separates, but for the fraction drag.
 *
 * States: q, r, largest deformation of both sides, and with masing or gapping the slip of each slider. */
#include "model/element/multilinear.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"

typedef ifd__multilinear multilinear;

enum { Q, R, MOST, SLIP = MOST + 2, POINTS = IFD__MULTILINEAR_POINTS };

typedef ifd__multilinear_spring spring;

static const ifd_param params[] = {IFD__MULTILINEAR_PARAMS(spring, law, "m|N"), {0}};

static IFD_RT bool slides(const multilinear *d)
{
    return d->rule == IFD__MULTILINEAR_MASING || d->rule == IFD__MULTILINEAR_GAPPING;
}

int ifd__multilinear_states(const multilinear *law)
{
    return SLIP + (slides(law) ? law->points : 0);
}

/* r on the points: constant beyond the last, or with go_on on the first and the last segment. */
static IFD_RT double follow(const multilinear *d, double q, bool go_on, double *k)
{
    int i = 1, n = d->points;
    while (i < n && q >= d->q[i])
        i++;
    *k = !go_on && q >= d->q[n] ? 0.0 : (d->r[i] - d->r[i - 1]) / (d->q[i] - d->q[i - 1]);
    return *k != 0.0 ? d->r[i - 1] + *k * (q - d->q[i - 1]) : q >= d->q[i] ? d->r[i] : d->r[i - 1];
}

/* U(q) with the largest deformation most so far. */
static IFD_RT double contact(const multilinear *d, double most, double q, double *k)
{
    if (q >= most && q >= 0.0)
        return follow(d, q, false, k);
    double r = most > 0.0 ? follow(d, most, false, k) - d->k0 * (most - q) : 0.0;
    *k = r > 0.0 ? d->k0 : 0.0;
    return fmax(r, 0.0);
}

static IFD_RT double slide(const multilinear *d, double *slip, double dq, double *k)
{
    double r = 0.0;
    *k = 0.0;
    for (int i = 0; i < d->points; i++) {
        double z = slip[i] + dq, most = d->q[i + 1];
        bool stops = fabs(z) >= most;
        slip[i] = stops ? copysign(most, z) : z;
        r += d->slider[i] * slip[i];
        *k += stops ? 0.0 : d->slider[i];
    }
    return r;
}

double ifd__multilinear_move(const multilinear *d, const double *s, double q, double *k, double *s1)
{
    double m[IFD__MULTILINEAR_STATES], r = 0.0, share = d->rule == IFD__MULTILINEAR_MASING ? 1.0 : d->drag;
    int n = ifd__multilinear_states(d);
    memcpy(m, s, sizeof *m * (size_t)n);
    *k = 0.0;
    if (d->rule == IFD__MULTILINEAR_ELASTIC)
        r = follow(d, q, true, k);
    if (slides(d)) {
        r = share * slide(d, m + SLIP, q - m[Q], k);
        *k *= share;
    }
    for (int side = 0; side < 2; side++) {
        bool gaps = d->rule == IFD__MULTILINEAR_GAPPING && side == (q < 0.0);
        double sign = side ? -1.0 : 1.0, part = gaps ? 1.0 - d->drag : 1.0, slope;
        if (!gaps && (d->rule != IFD__MULTILINEAR_UPLIFT || side != d->below))
            continue;
        r += part * sign * contact(d, m[MOST + side], sign * q, &slope);
        *k += part * slope;
        m[MOST + side] = fmax(m[MOST + side], sign * q);
    }
    m[Q] = q;
    m[R] = r;
    if (s1)
        memcpy(s1, m, sizeof *m * (size_t)n);
    return r;
}

void ifd__multilinear_eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const spring *d = e->data;
    double k, r = ifd__multilinear_move(&d->law, in->s, in->q[0], &k, NULL);
    if (out->r)
        out->r[0] = r + d->damping * in->qd[0];
    if (out->r_q)
        out->r_q[0] = k;
    if (out->r_v)
        out->r_v[0] = d->damping;
}

void ifd__multilinear_accept(const ifd_element *e, const ifd_element_in *in, double *s)
{
    double k;
    (void)ifd__multilinear_move(&((const spring *)e->data)->law, in->s, in->q[0], &k, s);
}

/* Work of the points up to q. */
static IFD_RT double area(const multilinear *d, double q)
{
    double sum = 0.0, at = 0.0, r = 0.0, k, sign = q < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i <= d->points + 1; i++) {
        int j = sign > 0.0 ? i : d->points - i;
        double to = i > d->points ? q : d->q[j];
        if (!(sign * to > sign * at) || sign * at >= sign * q)
            continue;
        to = sign * to > sign * q ? q : to;
        double next = follow(d, to, true, &k);
        sum += 0.5 * (r + next) * (to - at);
        at = to;
        r = next;
    }
    return sum;
}

/* Sliders store k z^2/2 each; contact r^2/(2 k0). */
void ifd__multilinear_energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    const multilinear *d = &((const spring *)e->data)->law;
    double m[IFD__MULTILINEAR_STATES], k, v = in->qd[0];
    bool gaps = d->rule == IFD__MULTILINEAR_GAPPING;
    double share = gaps ? d->drag : 1.0, rest = gaps ? 1.0 - d->drag : 1.0;
    (void)ifd__multilinear_move(d, in->s, in->q[0], &k, m);
    *stored = d->rule == IFD__MULTILINEAR_ELASTIC ? area(d, in->q[0]) : 0.0;
    *dissipated = ((const spring *)e->data)->damping * v * v;
    for (int i = 0; slides(d) && i < d->points; i++) {
        double f = share * d->slider[i] * m[SLIP + i];
        *stored += 0.5 * f * m[SLIP + i];
        *dissipated += fabs(m[SLIP + i]) >= d->q[i + 1] ? f * v : 0.0;
    }
    for (int side = 0; side < 2; side++) {
        if (!gaps && (d->rule != IFD__MULTILINEAR_UPLIFT || side != d->below))
            continue;
        double sign = side ? -1.0 : 1.0, r = contact(d, m[MOST + side], sign * in->q[0], &k);
        *stored += rest * 0.5 * r * r / d->k0;
        *dissipated += rest * r * sign * v * (1.0 - k / d->k0);
    }
}

/* A reversal, and the ends of the segments. */
void ifd__multilinear_events(const ifd_element *e, const ifd_element_in *in, double *root)
{
    const multilinear *d = &((const spring *)e->data)->law;
    double q = in->q[0], dq = q - in->s[Q], k;
    int n = 0;
    root[n++] = in->qd[0];
    if (d->rule == IFD__MULTILINEAR_ELASTIC) {
        for (int i = 0; i <= d->points; i++)
            root[n++] = q - d->q[i];
        return;
    }
    for (int i = 0; slides(d) && i < d->points; i++) {
        root[n++] = in->s[SLIP + i] + dq - d->q[i + 1];
        root[n++] = in->s[SLIP + i] + dq + d->q[i + 1];
    }
    for (int side = 0; d->rule != IFD__MULTILINEAR_MASING && side < 2; side++) {
        double x = side ? -q : q, most = in->s[MOST + side];
        root[n++] = x - most;
        root[n++] = most > 0.0 ? x - most + follow(d, most, false, &k) / d->k0 : -1.0;
        for (int i = 1; i <= d->points; i++)
            root[n++] = x - d->q[i];
    }
}

static int roots(const multilinear *d)
{
    return d->rule == IFD__MULTILINEAR_ELASTIC
               ? 2 + d->points
               : 1 + (slides(d) ? 2 * d->points : 0) + (d->rule != IFD__MULTILINEAR_MASING ? 2 * (d->points + 2) : 0);
}

/* Inserts the origin among the points. */
static ifd_status with_origin(const ifd_value *from, const char *what, multilinear *d, ifd_note *note)
{
    int n = 0, lies = 0;
    bool elastic = d->rule == IFD__MULTILINEAR_ELASTIC;
    for (int i = 0; i <= from->rows; i++) {
        double q = i < from->rows ? from->data[2 * i] : HUGE_VAL;
        if (q == 0.0 && (lies || from->data[2 * i + 1] != 0.0))
            return ifd_note_add(note, IFD_RANGE, &from->place,
                                "%s: point %d of 'points' is [0, %g]; expected zero force at zero, once", what, i + 1,
                                from->data[2 * i + 1]);
        if (q == 0.0 || (!lies && q > 0.0)) {
            d->q[n] = d->r[n] = 0.0;
            n++;
            lies++;
        }
        if (i == from->rows || q == 0.0)
            continue;
        d->q[n] = q;
        d->r[n] = from->data[2 * i + 1];
        if (n > POINTS || (n > 0 && !(q > d->q[n - 1])) || (!elastic && !(q > 0.0)))
            return ifd_note_add(note, IFD_RANGE, &from->place,
                                "%s: point %d of 'points' is at %g; expected ascending q%s", what, i + 1, q,
                                elastic ? "" : " above zero");
        n++;
    }
    d->points = n - 1;
    if (d->points < 1)
        return ifd_note_add(note, IFD_RANGE, &from->place, "%s: 'points' has no point but zero", what);
    return IFD_OK;
}

ifd_status ifd__multilinear_make(const ifd_value *points, const char *what, multilinear *d, ifd_note *note)
{
    double k = 0.0, last = HUGE_VAL;
    if (points->rows < 1 || points->rows > POINTS || points->cols != 2)
        return ifd_note_add(note, IFD_SHAPE, &points->place,
                            "%s: 'points' has %d rows of %d numbers; expected 1 to %d points [q, r]", what,
                            points->rows, points->cols, POINTS);
    IFD_TRY(with_origin(points, what, d, note));
    d->k0 = 0.0;
    for (int i = d->points; i > 0; i--) {
        k = (d->r[i] - d->r[i - 1]) / (d->q[i] - d->q[i - 1]);
        d->slider[i - 1] = k - (i < d->points ? last : 0.0);
        d->k0 = fmax(d->k0, k);
        bool concave = k >= 0.0 && d->slider[i - 1] >= -1e-12 * k && d->r[1] > 0.0;
        if (d->rule != IFD__MULTILINEAR_ELASTIC && !concave)
            return ifd_note_add(note, IFD_RANGE, &points->place,
                                "%s: the slope of 'points' is %g up to point %d and %g after it; expected slopes "
                                "that do not increase, and none below zero",
                                what, k, i, i < d->points ? last : 0.0);
        last = k;
    }
    return IFD_OK;
}

ifd_status ifd__multilinear_keep(ifd_element *e, const ifd_value *points, spring *d, size_t bytes, ifd_arena *arena,
                                 ifd_note *note)
{
    double k;
    const char *what = ifd_arena_print(arena, "element '%s'", e->name);
    if (!what)
        return IFD_NO_MEMORY;
    IFD_TRY(ifd__multilinear_make(points, what, &d->law, note));
    e->ns = ifd__multilinear_states(&d->law);
    e->nroot = roots(&d->law);
    (void)follow(&d->law, 0.0, true, &k);
    if (k >= d->law.k0 && d->damping == 0.0)
        ifd__element_stiffest_at_rest(e);
    return ifd__element_keep(e, arena, d, bytes);
}

static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    spring d = {.damping = 0.0};
    ifd_param_store(params, values, &d);
    return ifd__multilinear_keep(e, ifd_param_get(params, values, "points"), &d, sizeof d, arena, note);
}

const ifd_element_ops ifd__element_multilinear = {
    IFD__MULTILINEAR_ROW,
    .params = params,
    .make = make,
    .name = "multilinear",
    .summary = "a piecewise linear law through given points: elastic, hysteretic (Masing), or a contact that opens",
    .equation = "r through the points; masing: r = sum k_i s_i, s_i' = q', |s_i| <= q_i; uplift below the largest m: "
                "max(0, r(m) - k0 (m - q)); gapping: drag masing + (1 - drag) (uplift(q) - uplift(-q))",
};
