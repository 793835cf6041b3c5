/* SPDX-License-Identifier: MIT */
/* Buckling-restrained brace in rate form, after Zona and Dall'Asta (2012), Journal of Constructional Steel Research
 * 74.
 *
 *     r = k0 (q - p),   B = r - k1 p,   p' = v |B/F|^n where B v > 0, otherwise 0,   mu' = |p'|
 *     F = Fm - (Fm - F0) exp(-mu/d0), with (F0, Fm) of tension for v >= 0 and of compression for v < 0
 *
 * p is the plastic elongation and mu its sum, which hardens the brace isotropically. r^2/(2 k0) + k1 p^2/2 is stored,
 * and B p' >= 0 is dissipated.
 *
 * Fatigue is counted, and does not act: Miner's sum over the rainflow ranges R of p, D = sum (R/R1)^m for each cycle,
 * half of it for a half cycle. After each step the turning points of p enter a stack, whose last entry is the present
 * extreme. A range between two larger or equal ones is a cycle and leaves the stack; what remains are half cycles. If
 * the stack is full, its first range counts as a half cycle and leaves. */
#include <math.h>
#include <string.h>

#include "model/element.h"

typedef struct brb {
    double k0, k1;           /* N/m */
    double first[2], end[2]; /* F0, Fm: compression, tension */
    double d0, n;
    double range, exponent; /* R1, m; R1 = 0: not counted */
} brb;

/* States: p, mu; with fatigue also closed cycles, all cycles, the last index of the stack, the stack. */
enum { P, MU, CLOSED, ALL, LAST, STACK, DEPTH = 16 };

static const ifd_param params[] = {
    IFD_NEEDED("stiffness", STIFFNESS, 1e-9, 1e18, "k0, elastic stiffness", IFD_AT(brb, k0)),
    IFD_OPTION("hardening", STIFFNESS, 0, 1e18, 0, "k1, kinematic hardening", IFD_AT(brb, k1)),
    IFD_NEEDED("yield-force", FORCE, 1e-9, 1e15, "F0 in tension", IFD_AT(brb, first[1])),
    IFD_OPTION("final-force", FORCE, 0, 1e15, 0, "Fm in tension, yield force after many cycles; 0: F0",
               IFD_AT(brb, end[1])),
    IFD_OPTION("yield-force-compression", FORCE, 0, 1e15, 0, "F0 in compression; 0: that in tension",
               IFD_AT(brb, first[0])),
    IFD_OPTION("final-force-compression", FORCE, 0, 1e15, 0, "Fm in compression, at least F0; 0: that in tension",
               IFD_AT(brb, end[0])),
    IFD_OPTION("hardening-travel", LENGTH, 1e-9, 1e6, 0.05, "d0, plastic travel of the isotropic hardening",
               IFD_AT(brb, d0)),
    IFD_OPTION("n", NONE, 1, 100, 2, "sharpness of yielding", IFD_AT(brb, n)),
    IFD_OPTION("fatigue-range", LENGTH, 0, 1e6, 0,
               "R1, plastic elongation range that breaks the brace in one cycle (Miner's sum is state 4); 0: no "
               "fatigue",
               IFD_AT(brb, range)),
    IFD_OPTION("fatigue-exponent", NONE, 0.1, 100, 2, "m, exponent of the fatigue law", IFD_AT(brb, exponent)),
    {0}};

static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    brb d = {0};
    ifd_param_store(params, values, &d);
    d.end[1] = d.end[1] > 0.0 ? d.end[1] : d.first[1];
    d.first[0] = d.first[0] > 0.0 ? d.first[0] : d.first[1];
    d.end[0] = d.end[0] > 0.0 ? d.end[0] : fmax(d.end[1], d.first[0]);
    e->ns = d.range > 0.0 ? STACK + DEPTH : CLOSED;
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
        out->g_s[e->ns] = v * f.x_mu;
        out->g_s[e->ns + 1] = speed * f.x_mu;
    }
}

static IFD_RT void energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    const brb *d = e->data;
    flow f = flow_at(d, in);
    *stored = 0.5 * (f.r * f.r / d->k0 + d->k1 * in->s[0] * in->s[0]);
    *dissipated = f.B * in->qd[0] * f.x;
}

static IFD_RT double damage(const brb *d, double from, double to)
{
    return from == to ? 0.0 : pow(fabs(to - from) / d->range, d->exponent);
}

/* The rainflow count of p, with at most DEPTH turning points. */
static IFD_RT void settle(const ifd_element *e, double *s, double *rate, double *pseudo)
{
    const brb *d = e->data;
    double *t = s + STACK;
    if (!(d->range > 0.0) || t[(int)s[LAST]] == s[P])
        return;
    int n = (int)s[LAST];
    if (n == 0 || !((s[P] - t[n]) * (t[n] - t[n - 1]) > 0.0))
        n++;
    if (n == DEPTH) {
        s[CLOSED] += 0.5 * damage(d, t[0], t[1]);
        memmove(t, t + 1, sizeof *t * (DEPTH - 1));
        n--;
    }
    t[n] = s[P];
    while (n >= 3 && fabs(t[n - 1] - t[n - 2]) <= fmin(fabs(t[n] - t[n - 1]), fabs(t[n - 2] - t[n - 3]))) {
        s[CLOSED] += damage(d, t[n - 2], t[n - 1]);
        t[n - 2] = t[n];
        n -= 2;
    }
    s[LAST] = n;
    s[ALL] = s[CLOSED];
    for (int i = 0; i < n; i++)
        s[ALL] += 0.5 * damage(d, t[i], t[i + 1]);
}

/* Yielding begins and ends where the rate or B changes sign. */
static void events(const ifd_element *e, const ifd_element_in *in, double *root)
{
    root[0] = in->qd[0];
    root[1] = flow_at(e->data, in).B;
}

const ifd_element_ops ifd__element_brb = {
    IFD__ELEMENT_OWN,
    .name = "brb",
    .summary = "a buckling-restrained brace with kinematic and isotropic hardening, which may differ in "
               "tension and compression",
    .equation = "r = k0 (q - p); B = r - k1 p; p' = v |B/F|^n where B v > 0; mu' = |p'|; F = Fm - (Fm - F0) "
                "exp(-mu/d0)",
    .settle = settle,
    .events = events,
    .flags = IFD_ELEMENT_STOREY,
};
