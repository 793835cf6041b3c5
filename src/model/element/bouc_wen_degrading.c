/* SPDX-License-Identifier: MIT */
/* Bouc-Wen hysteresis with degradation of strength and stiffness and with pinching: Baber and Noori (1985), Journal
 * of Engineering Mechanics 111(8); Foliente (1995), Journal of Structural Engineering 121(6).
 *
 *     r = al k q + (1 - al) k z,   z' = h {A v - nu [beta |v| |z|^(n-1) z + gamma v |z|^n]}/eta
 *     e' = (1 - al) k z v/(Fy uy),   A = 1 - dA e,   nu = 1 + dnu e,   eta = 1 + deta e
 *     h = 1 - Z1 exp(-X^2/Z2^2),   X = z sgn(v) - q zu,   zu = (nu (beta + gamma))^(-1/n)
 *     Z1 = zs (1 - exp(-p e)),   Z2 = (psi0 + dpsi e)(lam + Z1)
 *
 * e is the work of the hysteretic part relative to Fy uy. It falls while elastic energy returns, but is not negative.
 * al k q^2/2 + (1 - al) k z^2/2 is stored. */
#include <math.h>

#include "model/element.h"

typedef struct law {
    double k, al, beta, gamma, n;
    double dA, dnu, deta;
    double zs, p, psi0, dpsi, lam, q;
    double scale; /* (1 - al) k/(Fy uy) */
} law;

static const ifd_param params[] = {
    IFD_NEEDED("stiffness", STIFFNESS, 1e-9, 1e18, "k, initial stiffness", IFD_AT(law, k)),
    IFD_OPTION("alpha", NONE, 0, 1, 0, "al, part of the stiffness that stays elastic", IFD_AT(law, al)),
    IFD_NEEDED("beta", ANY, 0, 1e30, "in 1/m^n", IFD_AT(law, beta)),
    IFD_NEEDED("gamma", ANY, -1e30, 1e30, "in 1/m^n; beta + gamma is above zero", IFD_AT(law, gamma)),
    IFD_OPTION("n", NONE, 1, 100, 1, "sharpness of yielding", IFD_AT(law, n)),
    IFD_NEEDED("yield-force", FORCE, 1e-9, 1e15, "Fy, yield force, which scales e"),
    IFD_NEEDED("yield-displacement", LENGTH, 1e-12, 1e3, "uy, yield displacement, which scales e"),
    IFD_OPTION("slope-degradation", NONE, 0, 1e3, 0, "dA, decrease of A with e", IFD_AT(law, dA)),
    IFD_OPTION("strength-degradation", NONE, 0, 1e3, 0, "dnu, increase of nu with e", IFD_AT(law, dnu)),
    IFD_OPTION("stiffness-degradation", NONE, 0, 1e3, 0, "deta, increase of eta with e", IFD_AT(law, deta)),
    IFD_OPTION("pinching", NONE, 0, 0.999, 0, "zs, largest loss of stiffness by slip; 0: no pinching",
               IFD_AT(law, zs)),
    IFD_OPTION("pinching-rate", NONE, 0, 1e3, 1, "p, growth of the slip with e", IFD_AT(law, p)),
    IFD_OPTION("psi0", LENGTH, 1e-9, 1e3, 0.01, "psi0, range of z in which slip occurs", IFD_AT(law, psi0)),
    IFD_OPTION("dpsi", LENGTH, 0, 1e3, 0, "dpsi, growth of this range with e", IFD_AT(law, dpsi)),
    IFD_OPTION("lambda", NONE, 1e-6, 1e3, 0.2, "lam, interaction of range and loss of stiffness", IFD_AT(law, lam)),
    IFD_OPTION("q", NONE, -1, 1, 0.1, "q, z of the largest slip, divided by its limit zu", IFD_AT(law, q)),
    {0}};

static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const ifd_param *p = params;
    law d = {0};
    ifd_param_store(params, values, &d);
    if (!(d.beta + d.gamma > 0.0))
        return ifd_note_add(note, IFD_RANGE, &ifd_param_get(p, values, "gamma")->place,
                            "element '%s': beta + gamma is %g; expected a number above zero", e->name,
                            d.beta + d.gamma);
    d.scale = (1.0 - d.al) * d.k / ifd__element_number(p, values, "yield-force") /
              ifd__element_number(p, values, "yield-displacement");
    e->ns = 2;
    e->nroot = 2;
    return ifd__element_keep(e, arena, &d, sizeof d);
}

/* h and its derivatives with respect to z and e. */
typedef struct slip {
    double h, z, e;
} slip;

static IFD_RT slip slip_at(const law *d, double side, double z, double e)
{
    double nu = 1.0 + d->dnu * e, zu = pow(nu * (d->beta + d->gamma), -1.0 / d->n), zu_e = -zu * d->dnu / (d->n * nu);
    double grown = exp(-d->p * e), Z1 = d->zs * (1.0 - grown), Z1_e = d->zs * d->p * grown;
    double psi = d->psi0 + d->dpsi * e, Z2 = psi * (d->lam + Z1), Z2_e = d->dpsi * (d->lam + Z1) + psi * Z1_e;
    double X = z * side - d->q * zu, X_e = -d->q * zu_e, E = exp(-X * X / (Z2 * Z2));
    slip s = {.h = 1.0 - Z1 * E, .z = Z1 * E * 2.0 * X * side / (Z2 * Z2)};
    s.e = -Z1_e * E + Z1 * E * 2.0 * X / (Z2 * Z2) * (X_e - X * Z2_e / Z2);
    return s;
}

/* z'/v and its derivatives; zero speed counts as none. */
typedef struct flow {
    double x, x_z, x_e;
} flow;

static IFD_RT flow flow_at(const law *d, double v, double z, double e)
{
    double side = ifd__sign(v), nu = 1.0 + d->dnu * e, eta = 1.0 + d->deta * e;
    double size = fabs(z), zn1 = d->n == 1.0 ? 1.0 : pow(size, d->n - 1.0);
    double bend = zn1 * (d->beta * side * z + d->gamma * size), f = 1.0 - d->dA * e - nu * bend;
    double f_z = -nu * d->n * zn1 * (d->beta * side + d->gamma * ifd__sign(z)), f_e = -d->dA - d->dnu * bend;
    slip s = slip_at(d, side, z, e);
    return (flow){.x = s.h * f / eta,
                  .x_z = (s.z * f + s.h * f_z) / eta,
                  .x_e = (s.e * f + s.h * f_e - s.h * f * d->deta / eta) / eta};
}

static IFD_RT void eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const law *d = e->data;
    double v = in->qd[0], z = in->s[0];
    if (out->r)
        out->r[0] = d->al * d->k * in->q[0] + (1.0 - d->al) * d->k * z;
    if (out->r_q)
        out->r_q[0] = d->al * d->k;
    if (out->r_s)
        out->r_s[0] = (1.0 - d->al) * d->k;
    if (!out->g && !out->g_v && !out->g_s)
        return;
    flow f = flow_at(d, v, z, in->s[1]);
    if (out->g) {
        out->g[0] = v * f.x;
        out->g[1] = d->scale * z * v;
    }
    if (out->g_v) {
        out->g_v[0] = f.x;
        out->g_v[1] = d->scale * z;
    }
    if (out->g_s) { /* columns z, e */
        out->g_s[0] = v * f.x_z;
        out->g_s[1] = d->scale * v;
        out->g_s[2] = v * f.x_e;
    }
}

static IFD_RT void energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    const law *d = e->data;
    double v = in->qd[0], z = in->s[0], part = (1.0 - d->al) * d->k;
    *stored = 0.5 * (d->al * d->k * in->q[0] * in->q[0] + part * z * z);
    *dissipated = part * z * v * (1.0 - flow_at(d, v, z, in->s[1]).x);
}

static void events(const ifd_element *e, const ifd_element_in *in, double *root)
{
    root[0] = in->qd[0];
    root[1] = in->s[0];
}

const ifd_element_ops ifd__element_bouc_wen_degrading = {
    IFD__ELEMENT_OWN,
    .name = "bouc-wen-degrading",
    .summary = "a Bouc-Wen model whose strength and stiffness degrade, with pinching (Baber and Noori)",
    .equation = "r = al k q + (1 - al) k z; z' = h {A v - nu [beta |v| |z|^(n-1) z + gamma v |z|^n]}/eta; A, nu, eta "
                "and the slip h depend on the hysteretic work e",
    .events = events,
    .flags = IFD_ELEMENT_STOREY,
};
