/* SPDX-License-Identifier: MIT */
/* Pivot hinge with pinching, after Dowell, Seible and Wilson (1998), ACI Structural Journal 95; a symmetric form with
 * a bilinear backbone.
 *
 * Unloading from a side aims at the pivot (-al dy, -al fy) of that side until r = 0. Once a side has yielded, loading
 * follows a line to the pinching pivot (be dy, be fy), from there to the largest excursion (m, B(m)), then on the
 * backbone B. Reloading from inside this envelope follows the line through the pivot (-al dy, -al fy) until it meets
 * the envelope; so does loading from a point from which the line to the pinching pivot would be steeper. */
#include <math.h>

#include "model/element/path.h"

enum { MOST = IFD__PATH_OWN, STATES = MOST + 2 }; /* largest excursions: side -, side + */

typedef struct pivot {
    const ifd__path_law *law;
    ifd__backbone b;
    double al, be;
} pivot;

static const ifd_param params[] = {
    IFD_NEEDED("stiffness", STIFFNESS, 1e-9, 1e18, "k0, elastic stiffness", IFD_AT(pivot, b.k0)),
    IFD_NEEDED("yield-force", FORCE, 1e-9, 1e15, "fy, yield force", IFD_AT(pivot, b.fy)),
    IFD_OPTION("hardening", NONE, 0, 0.99, 0.05, "p, stiffness after yielding divided by k0", IFD_AT(pivot, b.p)),
    IFD_OPTION("alpha", NONE, 1, 1e6, 2, "al: the unloading pivot is -al times the yield point", IFD_AT(pivot, al)),
    IFD_OPTION("beta", NONE, 1e-3, 1, 1, "be: the pinching pivot is be times the yield point; 1: no pinching",
               IFD_AT(pivot, be)),
    {0}};

static IFD_RT double most_of(const pivot *d, const double *m, double g)
{
    return fmax(m[MOST + (g > 0.0)], d->b.dy);
}

/* Slope of the line from (x, y) to the unloading pivot of its side; steeper ones than 100 k0 are not used. */
static IFD_RT double to_pivot(const pivot *d, double x, double y)
{
    double away = x + d->al * d->b.dy, most = 100.0 * d->b.k0;
    double k = (y + d->al * d->b.fy) / away;
    return away > 0.0 && k < most ? k : most;
}

/* The branch of slope k from (x, y), inside the envelope, until it meets it at or beyond the pinching pivot. */
static IFD_RT ifd__branch meet(const pivot *d, double most, double x, double y, double k)
{
    double px = d->be * d->b.dy, py = d->be * d->b.fy, top = ifd__backbone_at(&d->b, most);
    double line = most > px ? (top - py) / (most - px) : d->b.k0;
    double end = k > line ? (py - y + k * x - line * px) / (k - line) : HUGE_VAL;
    if (end <= most)
        return (ifd__branch){k, end, py + line * (end - px)};
    return ifd__backbone_meet(&d->b, x, y, k);
}

/* x = g q, y = g r >= 0 */
static IFD_RT ifd__branch load(const pivot *d, double most, bool yielded, double x, double y)
{
    double px = d->be * d->b.dy, py = d->be * d->b.fy, top = ifd__backbone_at(&d->b, most), tiny = 1e-12 * d->b.fy;
    if (!yielded)
        return ifd__backbone_follow(&d->b, x);
    double k = to_pivot(d, x, y);
    if (x < px) {
        double pinched = (py - y) / (px - x);
        return k < pinched ? meet(d, most, x, y, k) : (ifd__branch){pinched, px, py};
    }
    if (x < most) {
        double line = (top - py) / (most - px);
        if (y < py + line * (x - px) - tiny)
            return meet(d, most, x, y, k);
        return (ifd__branch){(top - y) / (most - x), most, top};
    }
    return y < ifd__backbone_at(&d->b, x) - tiny ? ifd__backbone_meet(&d->b, x, y, k)
                                                 : ifd__backbone_follow(&d->b, x);
}

static IFD_RT ifd__branch next(const void *data, const double *m, double g)
{
    const pivot *d = data;
    double x = g * m[IFD__PATH_Q], y = g * m[IFD__PATH_R];
    if (y < 0.0) {
        double k = to_pivot(d, -x, -y);
        return (ifd__branch){k, g * (x - y / k), 0.0};
    }
    bool yielded = m[MOST] > 0.0 || m[MOST + 1] > 0.0;
    ifd__branch b = load(d, most_of(d, m, g), yielded, x, y);
    return (ifd__branch){b.k, g * b.q, g * b.r};
}

static IFD_RT void moved(const void *data, double g, bool end, double *m)
{
    const pivot *d = data;
    double x = g * m[IFD__PATH_Q], y = g * m[IFD__PATH_R];
    if (y > 0.0 && x > most_of(d, m, g) && y >= ifd__backbone_at(&d->b, x) - 1e-12 * d->b.fy)
        m[MOST + (g > 0.0)] = x;
}

static IFD_RT double unloading(const void *data, const double *m, double k, double *change)
{
    const pivot *d = data;
    double g = m[IFD__PATH_R] < 0.0 ? -1.0 : 1.0, x = g * m[IFD__PATH_Q], ku = to_pivot(d, x, g * m[IFD__PATH_R]);
    *change = ku < 100.0 * d->b.k0 ? g * (k - ku) / (x + d->al * d->b.dy) : 0.0;
    return ku;
}

static const ifd__path_law law = {.states = STATES, .next = next, .moved = moved, .unloading = unloading};

static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    pivot d = {.law = &law};
    ifd_param_store(params, values, &d);
    d.b.dy = d.b.fy / d.b.k0;
    return ifd__path_keep(e, arena, &law, &d, sizeof d);
}

const ifd_element_ops ifd__element_pivot = {
    IFD__PATH_ROW,
    .name = "pivot",
    .summary = "a plastic hinge of reinforced concrete with a bilinear backbone and pinching (pivot model)",
    .equation =
        "unloading aims at -al (dy, fy); loading at be (dy, fy), then at the largest excursion; backbone k0 q, "
        "then fy + p k0 (q - dy)",
    .params = params,
    .make = make,
};
