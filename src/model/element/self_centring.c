/* SPDX-License-Identifier: MIT */
/* Self-centring brace or connection: flag-shaped hysteresis, Christopoulos, Filiatrault and Folz (2002).
 *
 * With x = |q| and da = fa/k1, |r| moves with the slope k1 between the lines
 *
 *     L = min(k1 x, (1 - b) fa + k2 (x - da))    and    U = min(k1 x, fa + k2 (x - da)).
 *
 * A one-sided cycle to A beyond the knee dissipates b fa (A - da). */
#include <math.h>

#include "model/element/path.h"

typedef struct flag {
    const ifd__path_law *law;
    double k1, k2, fa, b, da;
} flag;

static const ifd_param params[] = {
    IFD_NEEDED("stiffness", STIFFNESS, 1e-9, 1e18, "k1, initial stiffness", IFD_AT(flag, k1)),
    IFD_OPTION("stiffness-after", STIFFNESS, 0, 1e18, 0, "k2, stiffness after activation, below k1",
               IFD_AT(flag, k2)),
    IFD_NEEDED("activation-force", FORCE, 1e-9, 1e15, "fa, force at activation", IFD_AT(flag, fa)),
    IFD_OPTION("dissipation", NONE, 0, 0.999, 0.8, "b, height of the flag divided by fa; 0: elastic",
               IFD_AT(flag, b)),
    {0}};

/* Outwards: k1 to the upper line, then k2. */
static IFD_RT ifd__branch load(const flag *d, double x, double y)
{
    double left = (d->fa + d->k2 * (x - d->da) - y) / (d->k1 - d->k2);
    if (left > 1e-12 * d->da)
        return (ifd__branch){d->k1, x + left, y + d->k1 * left};
    return (ifd__branch){d->k2, HUGE_VAL, HUGE_VAL};
}

/* Inwards: k1 to the lower line, k2 to its knee, k1 to zero. Positions on the side of q; end.q decreases. */
static IFD_RT ifd__branch unload(const flag *d, double x, double y)
{
    double low = (1.0 - d->b) * d->fa, knee = (low - d->k2 * d->da) / (d->k1 - d->k2), tiny = 1e-12 * d->da;
    double left = (y - low - d->k2 * (x - d->da)) / (d->k1 - d->k2);
    if (x <= knee + tiny)
        return (ifd__branch){d->k1, 0.0, 0.0};
    if (left > tiny)
        return (ifd__branch){d->k1, x - left, y - d->k1 * left};
    return (ifd__branch){d->k2, knee, d->k1 * knee};
}

static IFD_RT ifd__branch next(const void *data, const double *m, double g)
{
    const flag *d = data;
    double x = g * m[IFD__PATH_Q], y = g * m[IFD__PATH_R];
    if (x >= 0.0) {
        ifd__branch b = load(d, x, y);
        return (ifd__branch){b.k, g * b.q, g * b.r};
    }
    ifd__branch b = unload(d, -x, -y);
    return (ifd__branch){b.k, -g * b.q, -g * b.r};
}

static IFD_RT double unloading(const void *data, const double *m, double k, double *change)
{
    const flag *d = data;
    *change = 0.0;
    return d->k1;
}

static const ifd__path_law law = {.states = IFD__PATH_OWN, .next = next, .unloading = unloading};

static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const ifd_param *p = params;
    flag d = {.law = &law};
    ifd_param_store(params, values, &d);
    d.da = d.fa / d.k1;
    if (!(d.k2 < d.k1))
        return ifd_note_add(note, IFD_RANGE, &ifd_param_get(p, values, "stiffness-after")->place,
                            "element '%s': 'stiffness-after' is %g N/m; expected less than 'stiffness', %g N/m",
                            e->name, d.k2, d.k1);
    if ((1.0 - d.b) * d.fa < d.k2 * d.da)
        return ifd_note_add(note, IFD_RANGE, &ifd_param_get(p, values, "dissipation")->place,
                            "element '%s': 'dissipation' is %g; expected at most %g, so that the element returns to "
                            "zero",
                            e->name, d.b, 1.0 - d.k2 / d.k1);
    IFD_TRY(ifd__path_keep(e, arena, &law, &d, sizeof d));
    ifd__element_stiffest_at_rest(e);
    return IFD_OK;
}

const ifd_element_ops ifd__element_self_centring = {
    IFD__PATH_ROW,
    .name = "self-centring",
    .summary = "a self-centring brace or connection with flag-shaped hysteresis",
    .equation = "|r| moves with slope k1 between (1 - b) fa + k2 (|q| - da) and fa + k2 (|q| - da), both at most k1 "
                "|q|; da = fa/k1",
    .params = params,
    .make = make,
};
