/* SPDX-License-Identifier: MIT */
/* Lead-rubber bearing in one or two horizontal directions, after Park, Wen and Ang (1986) and Nagarajaiah, Reinhorn
 * and Constantinou (1991); isotropic form: Harvey and Gavin (2014).
 *
 *     r = a (Fy/Y) q + (1 - a) Fy Z + c v,    Y Z' = v - Z p
 *     isotropic:  p = |Z|^(n-2) [g |v.Z| + b v.Z]
 *     park-wen:   p = sum_i [g |v_i Z_i| + b v_i Z_i]
 *
 * with b + g = 1, so that |Z| <= 1. With b = g = 1/2 and a monotone motion in one direction, Z = tanh(q/Y) for n = 2.
 * With heating of the lead (Kalpakidis and Constantinou 2009), without conduction,
 *
 *     Fy = Fy0 exp(-s T),    T' = |Fy Z.v| / (rho c V);
 *
 * the elastic part keeps Fy0. Energy: (a Fy0/Y |q|^2 + (1 - a) Fy Y |Z|^2)/2 is stored, and
 * (1 - a) Fy |Z|^2 p + c |v|^2 is dissipated, which is not negative for b <= g. */
#include <math.h>

#include "model/element.h"

enum { DIRECTIONS = 2 };

typedef struct lead_rubber {
    int nz; /* directions */
    bool park_wen, heating;
    double Fy, Y, a, b, g, n, c; /* N, m, -, -, -, -, N s/m */
    double capacity, softening;  /* rho c V, J/K; 1/K */
} lead_rubber;

const ifd_param ifd__lead_rubber_params[] = {
    IFD_NEEDED("yield-force", FORCE, 1e-9, 1e15, "Fy, yield force", IFD_AT(lead_rubber, Fy)),
    IFD_NEEDED("yield-displacement", LENGTH, 1e-12, 1e3, "Y, displacement at yielding; the initial stiffness is Fy/Y",
               IFD_AT(lead_rubber, Y)),
    IFD_OPTION("ratio", NONE, 0, 1, 0.1, "a, stiffness after yielding divided by the initial one",
               IFD_AT(lead_rubber, a)),
    IFD_OPTION("b", NONE, 0, 0.5, 0.5, "b, shape of unloading: a straight line for 0.5", IFD_AT(lead_rubber, b)),
    IFD_OPTION("n", NONE, 2, 100, 2, "sharpness of yielding; 2 for park-wen", IFD_AT(lead_rubber, n)),
    IFD_WORD("form", "isotropic|park-wen", "isotropic: the same in every direction; park-wen: as published in 1986",
             IFD_AT(lead_rubber, park_wen)),
    IFD_OPTION("damping", DAMPING, 0, 1e15, 0, "c, viscous damping of the rubber", IFD_AT(lead_rubber, c)),
    IFD_FLAG("heating", "the lead heats up and softens; requires lead-volume", IFD_AT(lead_rubber, heating)),
    IFD_OPTION("lead-volume", ANY, 0, 1e3, 0, "V, volume of the lead core, in m3"),
    IFD_OPTION("heat-capacity", ANY, 1, 1e12, 1.45e6, "rho c of lead, in J/(m3 K)"),
    IFD_OPTION("softening", ANY, 0, 1, 0.0069, "s, in 1/K: the yield force decreases by exp(-s T)",
               IFD_AT(lead_rubber, softening)),
    {0}};

static ifd_status check(const ifd_element *e, const lead_rubber *d, const ifd_value *values, ifd_note *note)
{
    if (e->nq > DIRECTIONS)
        return ifd_note_add(note, IFD_SHAPE, NULL, "element '%s' acts in %d directions; expected one or two", e->name,
                            e->nq);
    if (d->park_wen && d->n != 2.0)
        return ifd_note_add(note, IFD_CONFLICT, &ifd_param_get(ifd__lead_rubber_params, values, "n")->place,
                            "element '%s': n is %g; expected 2 with 'form: park-wen'", e->name, d->n);
    if (d->heating && !(d->capacity > 0.0))
        return ifd_note_add(note, IFD_MISSING_KEY, &ifd_param_get(ifd__lead_rubber_params, values, "heating")->place,
                            "element '%s' has 'heating' without the volume of the lead; expected 'lead-volume' above "
                            "zero, in m3",
                            e->name);
    return IFD_OK;
}

static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const ifd_param *p = ifd__lead_rubber_params;
    lead_rubber d = {.nz = e->nq};
    ifd_param_store(ifd__lead_rubber_params, values, &d);
    d.g = 1.0 - d.b;
    d.capacity = ifd__element_number(p, values, "heat-capacity") * ifd__element_number(p, values, "lead-volume");
    IFD_TRY(check(e, &d, values, note));
    e->ns = d.nz + d.heating;
    e->nroot = d.park_wen ? 2 * d.nz : d.nz == 1 ? 2 : 1;
    return ifd__element_keep(e, arena, &d, sizeof d);
}

/* p and its derivatives with respect to v and Z; the work rate u = v.Z. */
typedef struct flow {
    double p, p_v[DIRECTIONS], p_z[DIRECTIONS], u;
} flow;

static IFD_RT flow park_wen(const lead_rubber *d, const double *v, const double *z)
{
    flow f = {0};
    for (int i = 0; i < d->nz; i++) {
        double u = v[i] * z[i], slope = d->g * ifd__sign(u) + d->b;
        f.u += u;
        f.p += slope * u;
        f.p_v[i] = slope * z[i];
        f.p_z[i] = slope * v[i];
    }
    return f;
}

static IFD_RT flow isotropic(const lead_rubber *d, const double *v, const double *z)
{
    flow f = {0};
    double zz = 0.0;
    for (int i = 0; i < d->nz; i++) {
        f.u += v[i] * z[i];
        zz += z[i] * z[i];
    }
    double power = d->n == 2.0 ? 1.0 : pow(zz, 0.5 * d->n - 1.0), slope = power * (d->g * ifd__sign(f.u) + d->b);
    f.p = slope * f.u;
    for (int i = 0; i < d->nz; i++) {
        f.p_v[i] = slope * z[i];
        f.p_z[i] = slope * v[i] + (zz > 0.0 ? (d->n - 2.0) * f.p * z[i] / zz : 0.0);
    }
    return f;
}

static IFD_RT flow flow_at(const lead_rubber *d, const ifd_element_in *in)
{
    return d->park_wen ? park_wen(d, in->qd, in->s) : isotropic(d, in->qd, in->s);
}

static IFD_RT double yield_force(const lead_rubber *d, const double *s)
{
    return d->heating ? d->Fy * exp(-d->softening * s[d->nz]) : d->Fy;
}

static IFD_RT void forces(const lead_rubber *d, const ifd_element_in *in, double Fy, const ifd_element_out *out)
{
    int n = d->nz;
    for (int i = 0; i < n; i++) {
        int ii = i + i * n;
        if (out->r)
            out->r[i] = d->a * d->Fy / d->Y * in->q[i] + (1.0 - d->a) * Fy * in->s[i] + d->c * in->qd[i];
        if (out->r_q)
            out->r_q[ii] = d->a * d->Fy / d->Y;
        if (out->r_v)
            out->r_v[ii] = d->c;
        if (out->r_s)
            out->r_s[ii] = (1.0 - d->a) * Fy;
        if (out->r_s && d->heating)
            out->r_s[i + n * n] = -d->softening * (1.0 - d->a) * Fy * in->s[i];
    }
}

/* Rates of Z. ns: states including the temperature. */
static IFD_RT void rates(const lead_rubber *d, const ifd_element_in *in, const flow *f, const ifd_element_out *out)
{
    int n = d->nz, ns = n + d->heating;
    for (int i = 0; i < n; i++) {
        double z = in->s[i];
        if (out->g)
            out->g[i] = (in->qd[i] - z * f->p) / d->Y;
        for (int j = 0; j < n; j++) {
            if (out->g_v)
                out->g_v[i + j * ns] = ((i == j) - z * f->p_v[j]) / d->Y;
            if (out->g_s)
                out->g_s[i + j * ns] = -((i == j ? f->p : 0.0) + z * f->p_z[j]) / d->Y;
        }
    }
}

static IFD_RT void heat(const lead_rubber *d, const ifd_element_in *in, double u, double Fy,
                        const ifd_element_out *out)
{
    int n = d->nz, ns = n + 1;
    double per = Fy / d->capacity, side = ifd__sign(u);
    if (out->g)
        out->g[n] = per * fabs(u);
    for (int j = 0; j < n; j++) {
        if (out->g_v)
            out->g_v[n + j * ns] = per * side * in->s[j];
        if (out->g_s)
            out->g_s[n + j * ns] = per * side * in->qd[j];
    }
    if (out->g_s)
        out->g_s[n + n * ns] = -d->softening * per * fabs(u);
}

static IFD_RT void eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const lead_rubber *d = e->data;
    double Fy = yield_force(d, in->s);
    forces(d, in, Fy, out);
    if (!out->g && !out->g_v && !out->g_s)
        return;
    flow f = flow_at(d, in);
    rates(d, in, &f, out);
    if (d->heating)
        heat(d, in, f.u, Fy, out);
}

/* Softening releases stored energy: it counts as dissipated. */
static IFD_RT void energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    const lead_rubber *d = e->data;
    double Fy = yield_force(d, in->s), qq = 0.0, zz = 0.0, vv = 0.0;
    flow f = flow_at(d, in);
    for (int i = 0; i < d->nz; i++) {
        qq += in->q[i] * in->q[i];
        zz += in->s[i] * in->s[i];
        vv += in->qd[i] * in->qd[i];
    }
    double held = 0.5 * (1.0 - d->a) * Fy * d->Y * zz;
    *stored = 0.5 * d->a * d->Fy / d->Y * qq + held;
    *dissipated = (1.0 - d->a) * Fy * zz * f.p + d->c * vv;
    if (d->heating)
        *dissipated += d->softening * held * Fy * fabs(f.u) / d->capacity;
}

/* |Z| <= 1. The rates remain: near the limit they are tangential. */
static IFD_RT void settle(const ifd_element *e, double *s, double *rate, double *pseudo)
{
    const lead_rubber *d = e->data;
    double zz = 0.0;
    for (int i = 0; i < d->nz; i++)
        zz += s[i] * s[i];
    for (int i = 0; zz > 1.0 && i < d->nz; i++)
        s[i] /= sqrt(zz);
}

/* Kinks of |v.Z|, or of each |v_i Z_i|. */
static void events(const ifd_element *e, const ifd_element_in *in, double *root)
{
    const lead_rubber *d = e->data;
    bool apart = d->park_wen || d->nz == 1;
    for (int i = 0; apart && i < d->nz; i++) {
        root[2 * i] = in->qd[i];
        root[2 * i + 1] = in->s[i];
    }
    if (!apart)
        root[0] = in->qd[0] * in->s[0] + in->qd[1] * in->s[1];
}

const ifd_element_ops ifd__element_lead_rubber = {
    .abi = IFD_ELEMENT_ABI,
    .name = "lead-rubber",
    .summary = "a lead-rubber bearing in one or two directions (Park, Wen and Ang 1986), with lead that may heat up",
    .equation = "r = a (Fy/Y) q + (1 - a) Fy Z + c v; Y Z' = v - Z p; p = |Z|^(n-2) [g |v.Z| + b v.Z], g = 1 - b, or "
                "sum_i [g |v_i Z_i| + b v_i Z_i]; Fy = Fy0 exp(-s T), T' = |Fy Z.v|/(rho c V)",
    .params = ifd__lead_rubber_params,
    .make = make,
    .eval = eval,
    .energy = energy,
    .settle = settle,
    .events = events,
    .flags = IFD_ELEMENT_STOREY | IFD_ELEMENT_SEVERAL,
};
