/* SPDX-License-Identifier: MIT */
/* Buckling-restrained brace in rate form, after Zona and Dall'Asta (2012), Journal of Constructional Steel Research
 * 74.
 *
 *     r = k0 (q - p),   B = r - k1 p,   p' = v |B/F|^n where B v > 0, otherwise 0,   mu' = |p'|
 *     F = Fm - (Fm - F0) exp(-mu/d0), with (F0, Fm) of tension for v >= 0 and of compression for v < 0
 *
 * p is the plastic elongation and mu its sum, which hardens the brace isotropically. r^2/(2 k0) + k1 p^2/2 is stored,
 * and B p' >= 0 is dissipated. */
#include <math.h>

#include "model/element.h"

typedef struct brb {
    double k0, k1;           /* N/m */
    double first[2], end[2]; /* F0, Fm: compression, tension */
    double d0, n;
} brb;

static const ifd_param params[] = {
    {.name = "stiffness",
     .dim = IFD_DIM_STIFFNESS,
     .required = true,
     IFD_WITHIN(1e-9, 1e18),
     .doc = "k0, elastic stiffness"},
    {.name = "hardening",
     .dim = IFD_DIM_STIFFNESS,
     IFD_WITHIN(0, 1e18),
     .doc = "k1, kinematic hardening per plastic elongation"},
    {.name = "yield-force",
     .dim = IFD_DIM_FORCE,
     .required = true,
     IFD_WITHIN(1e-9, 1e15),
     .doc = "F0 in tension, first yield force"},
    {.name = "final-force",
     .dim = IFD_DIM_FORCE,
     IFD_WITHIN(0, 1e15),
     .doc = "Fm in tension, after many cycles; F0 if absent"},
    {.name = "yield-force-compression",
     .dim = IFD_DIM_FORCE,
     IFD_WITHIN(0, 1e15),
     .doc = "F0 in compression; that of tension if absent"},
    {.name = "final-force-compression",
     .dim = IFD_DIM_FORCE,
     IFD_WITHIN(0, 1e15),
     .doc = "Fm in compression; that of tension if absent, and at least F0 in compression"},
    {.name = "hardening-travel",
     .dim = IFD_DIM_LENGTH,
     .preset = 0.05,
     IFD_WITHIN(1e-9, 1e6),
     .doc = "d0, plastic travel of the isotropic hardening"},
    {.name = "n", .preset = 2, IFD_WITHIN(1, 100), .doc = "sharpness of yielding"},
    {0}};

static double number_or(const ifd_value *values, const char *name, double absent)
{
    double x = ifd__element_number(params, values, name);
    return x > 0.0 ? x : absent;
}

static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const ifd_param *p = params;
    double first = ifd__element_number(p, values, "yield-force"), end = number_or(values, "final-force", first),
           pressed = number_or(values, "yield-force-compression", first),
           pressed_end = number_or(values, "final-force-compression", fmax(end, pressed));
    brb d = {.k0 = ifd__element_number(p, values, "stiffness"),
             .k1 = ifd__element_number(p, values, "hardening"),
             .first = {pressed, first},
             .end = {pressed_end, end},
             .d0 = ifd__element_number(p, values, "hardening-travel"),
             .n = ifd__element_number(p, values, "n")};
    (void)note;
    e->ns = 2;
    e->nroot = 2;
    return ifd__element_keep(e, arena, &d, sizeof d);
}

/* Quantities that the derivatives share: x = p'/v and its derivatives with respect to B and mu. */
typedef struct flow {
    double r, B, x, x_B, x_mu;
} flow;

static IFD_RT flow flow_at(const brb *d, const ifd_element_in *in)
{
    double v = in->qd[0], p = in->s[0];
    flow f = {.r = d->k0 * (in->q[0] - p)};
    f.B = f.r - d->k1 * p;
    if (!(f.B * v > 0.0))
        return f;
    int side = v > 0.0;
    double fade = (d->end[side] - d->first[side]) * exp(-in->s[1] / d->d0), F = d->end[side] - fade;
    f.x = d->n == 2.0 ? (f.B / F) * (f.B / F) : pow(fabs(f.B / F), d->n);
    f.x_B = d->n * f.x / f.B;
    f.x_mu = -d->n * f.x / F * fade / d->d0;
    return f;
}

static IFD_RT void eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const brb *d = e->data;
    flow f = flow_at(d, in);
    double v = in->qd[0], speed = fabs(v), B_p = -(d->k0 + d->k1);
    if (out->r)
        out->r[0] = f.r;
    if (out->r_q)
        out->r_q[0] = d->k0;
    if (out->r_s)
        out->r_s[0] = -d->k0;
    if (out->g) {
        out->g[0] = v * f.x;
        out->g[1] = speed * f.x;
    }
    if (out->g_q) {
        out->g_q[0] = v * f.x_B * d->k0;
        out->g_q[1] = speed * f.x_B * d->k0;
    }
    if (out->g_v) {
        out->g_v[0] = f.x;
        out->g_v[1] = ifd__sign(v) * f.x;
    }
    if (out->g_s) { /* columns p, mu */
        out->g_s[0] = v * f.x_B * B_p;
        out->g_s[1] = speed * f.x_B * B_p;
        out->g_s[2] = v * f.x_mu;
        out->g_s[3] = speed * f.x_mu;
    }
}

static IFD_RT void energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    const brb *d = e->data;
    flow f = flow_at(d, in);
    *stored = 0.5 * (f.r * f.r / d->k0 + d->k1 * in->s[0] * in->s[0]);
    *dissipated = f.B * in->qd[0] * f.x;
}

/* Yielding begins and ends where the rate or B changes sign. */
static void events(const ifd_element *e, const ifd_element_in *in, double *root)
{
    root[0] = in->qd[0];
    root[1] = flow_at(e->data, in).B;
}

const ifd_element_ops ifd__element_brb = {
    .abi = IFD_ELEMENT_ABI,
    .name = "brb",
    .summary = "buckling-restrained brace: kinematic and isotropic hardening, different in tension and compression",
    .equation = "r = k0 (q - p); B = r - k1 p; p' = v |B/F|^n where B v > 0; mu' = |p'|; F = Fm - (Fm - F0) "
                "exp(-mu/d0)",
    .params = params,
    .attach = IFD_ATTACH_PAIR,
    .make = make,
    .eval = eval,
    .energy = energy,
    .events = events,
    .flags = IFD_ELEMENT_STOREY,
};
