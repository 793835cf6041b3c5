/* SPDX-License-Identifier: MIT */
/* Plastic hinge of reinforced concrete with a bilinear backbone: modified Clough, and Takeda with reduced unloading
 * stiffness. Clough and Johnston (1966); Takeda, Sozen and Nielsen (1970); Otani (1974); the return to a point that
 * was left: Mahin and Bertero (1976).
 *
 * A move in direction g, in turn:
 *   1. a reversal while r acts in the old direction d is remembered as P_d, unless there is one further out;
 *   2. against r: unloading with ku = k0 (dy/m)^a of that side to r = 0, where its P is forgotten;
 *   3. with r, and P_g ahead: with ku to P_g, which is forgotten there;
 *   4. otherwise a line to the target T = max(m_g - b (m_g - dy), dy) on the backbone; but with ku to the backbone
 *      where that line would be steeper than ku, or T has been passed;
 *   5. on the backbone, whose largest excursion on this side is m_g.
 *
 * a = b = 0 is the modified Clough model. */
#include <math.h>

#include "model/element/path.h"

enum { MOST = IFD__PATH_OWN, POINT = MOST + 2, STATES = POINT + 4 }; /* m, and q and r of P: side -, side + */

typedef struct hinge {
    const ifd__path_law *law;
    ifd__backbone side[2]; /* -, + */
    double a, b;
} hinge;

static const ifd_param params[] = {
    IFD_NEEDED("stiffness", STIFFNESS, 1e-9, 1e18, "k0, elastic stiffness", IFD_AT(hinge, side[1].k0)),
    IFD_NEEDED("yield-force", FORCE, 1e-9, 1e15, "fy, yield force", IFD_AT(hinge, side[1].fy)),
    IFD_OPTION("yield-force-negative", FORCE, 0, 1e15, 0, "yield force in the negative direction; 0: fy",
               IFD_AT(hinge, side[0].fy)),
    IFD_OPTION("hardening", NONE, 0, 0.99, 0.05, "p, stiffness after yielding divided by k0",
               IFD_AT(hinge, side[1].p)),
    IFD_OPTION("unloading", NONE, 0, 0.99, 0, "a, exponent of the unloading stiffness; 0: Clough, 0.3 to 0.5: Takeda",
               IFD_AT(hinge, a)),
    IFD_OPTION("reloading", NONE, 0, 0.99, 0, "b, shift of the reloading target towards the yield point",
               IFD_AT(hinge, b)),
    {0}};

static IFD_RT int of(double g)
{
    return g > 0.0;
}

/* Largest excursion of a side; a memory without a move has zeros. */
static IFD_RT double most_of(const hinge *d, const double *m, int side)
{
    return fmax(m[MOST + side], d->side[side].dy);
}

static IFD_RT double unloading_of(const hinge *d, const double *m, int side)
{
    const ifd__backbone *b = &d->side[side];
    return d->a > 0.0 ? b->k0 * pow(b->dy / most_of(d, m, side), d->a) : b->k0;
}

/* (x, y) is on the backbone, up to rounding. */
static IFD_RT bool on_backbone(const ifd__backbone *b, double x, double y)
{
    return fabs(y - ifd__backbone_at(b, x)) <= 1e-12 * b->fy;
}

/* Rules 3 to 5, for x = g q and y = g r >= 0. A line to T may cross the elastic part of the backbone from above:
 * there it continues. */
static IFD_RT ifd__branch load(const hinge *d, const double *m, int side, double x, double y)
{
    const ifd__backbone *b = &d->side[side];
    const double *P = m + POINT + 2 * side;
    double most = most_of(d, m, side), ku = unloading_of(d, m, side);
    if (y > 0.0 && P[1] > y && P[0] > x)
        return (ifd__branch){ku, P[0], P[1]};
    double T = fmax(most - d->b * (most - b->dy), b->dy), force = ifd__backbone_at(b, T), k = (force - y) / (T - x);
    bool steep = T <= x || k > ku, on = on_backbone(b, x, y);
    if (steep && !on && y < ifd__backbone_at(b, fabs(x)))
        return ifd__backbone_meet(b, x, y, ku);
    if (T <= x || (on && (steep || x >= b->dy)))
        return ifd__backbone_follow(b, x);
    return (ifd__branch){k, T, force};
}

static IFD_RT ifd__branch next(const void *data, const double *m, double g)
{
    const hinge *d = data;
    double x = g * m[IFD__PATH_Q], y = g * m[IFD__PATH_R];
    if (y < 0.0) {
        double ku = unloading_of(d, m, of(-g));
        return (ifd__branch){ku, g * (x - y / ku), 0.0};
    }
    ifd__branch b = load(d, m, of(g), x, y);
    return (ifd__branch){b.k, g * b.q, g * b.r};
}

/* Rule 1; P is stored with positive numbers, 0 if there is none. */
static IFD_RT void reverse(const void *data, double g, double *m)
{
    double *P = m + POINT + 2 * of(-g), x = -g * m[IFD__PATH_Q], y = -g * m[IFD__PATH_R];
    if (y > 0.0 && !(P[1] > 0.0 && P[0] > x)) {
        P[0] = x;
        P[1] = y;
    }
}

static IFD_RT void moved(const void *data, double g, bool end, double *m)
{
    const hinge *d = data;
    double x = g * m[IFD__PATH_Q], y = g * m[IFD__PATH_R];
    double *P = m + POINT + 2 * of(g), *other = m + POINT + 2 * of(-g);
    if (y >= 0.0) /* also where a move ends there, up to rounding: then it did not reach the end of a branch */
        other[0] = other[1] = 0.0;
    if (y > 0.0 && x >= P[0])
        P[0] = P[1] = 0.0;
    if (on_backbone(&d->side[of(g)], x, y) && x > most_of(d, m, of(g)))
        m[MOST + of(g)] = x;
}

static IFD_RT double unloading(const void *data, const double *m, double k, double *change)
{
    const hinge *d = data;
    double g = m[IFD__PATH_R] < 0.0 ? -1.0 : 1.0, x = g * m[IFD__PATH_Q], ku = unloading_of(d, m, of(g));
    *change = x > d->side[of(g)].dy && x >= m[MOST + of(g)] ? -g * d->a * ku / x : 0.0;
    return ku;
}

static const ifd__path_law law = {
    .states = STATES, .next = next, .reverse = reverse, .moved = moved, .unloading = unloading};

static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    hinge d = {.law = &law};
    ifd__backbone *minus = &d.side[0], *plus = &d.side[1];
    ifd_param_store(params, values, &d);
    *minus = (ifd__backbone){.k0 = plus->k0, .fy = minus->fy > 0.0 ? minus->fy : plus->fy, .p = plus->p};
    minus->dy = minus->fy / minus->k0;
    plus->dy = plus->fy / plus->k0;
    IFD_TRY(ifd__path_keep(e, arena, &law, &d, sizeof d));
    ifd__element_stiffest_at_rest(e);
    return IFD_OK;
}

const ifd_element_ops ifd__element_hinge = {
    IFD__PATH_ROW,
    .name = "hinge",
    .summary = "a plastic hinge of reinforced concrete with a bilinear backbone (modified Clough or Takeda "
               "model)",
    .equation = "backbone k0 q, then fy + p k0 (q - dy); unloading k0 (dy/m)^a; reloading to m - b (m - dy), m the "
                "largest excursion",
    .params = params,
    .make = make,
};
