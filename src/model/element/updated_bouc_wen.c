/* SPDX-License-Identifier: MIT */
/* The law of Bouc and Wen in parameters of similar size, p = (k, alpha, y, b, n):
 *
 *     r = alpha k q + (1 - alpha) k y z,   y z' = v [1 - |z|^n (b sgn(v z) + 1 - b)]
 *
 * With beta = b y^-n, gamma = (1 - b) y^-n and the state y z it is the element bouc-wen. A change of p keeps z, the
 * fraction of yielding, and not the force. */
#include "model/element/law.h"

#include <math.h>
#include <string.h>

#include "model/element.h"

enum { STIFFNESS, ALPHA, YIELD, SHAPE, EXPONENT, PARAMS };
enum { Z, DEVIATION, STATES = DEVIATION + PARAMS };

typedef struct copy {
    double p0[PARAMS];
} copy;

static IFD_RT void present(const ifd_element *e, const double *s, double *p)
{
    const copy *d = e->data;
    for (int i = 0; i < PARAMS; i++)
        p[i] = d->p0[i] * (1.0 + s[DEVIATION + i]);
}

static void start(const ifd_element *e, double *p0)
{
    memcpy(p0, ((const copy *)e->data)->p0, sizeof(double[PARAMS]));
}

static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const ifd_param *params = ifd__bouc_wen_params;
    double beta = ifd__element_number(params, values, "beta"), gamma = ifd__element_number(params, values, "gamma");
    double n = ifd__element_number(params, values, "n"), y = pow(beta + gamma, -1.0 / n);
    if (!(beta + gamma > 0.0) || !isfinite(y) || !(beta > 0.0))
        return ifd_note_add(note, IFD_RANGE, &ifd_param_get(params, values, "beta")->place,
                            "element '%s' is updated: beta is %g and beta + gamma %g, expected numbers above zero",
                            e->name, beta, beta + gamma);
    const copy d = {.p0 = {[STIFFNESS] = ifd__element_number(params, values, "stiffness"),
                           [ALPHA] = ifd__element_number(params, values, "alpha"),
                           [YIELD] = y,
                           [SHAPE] = beta / (beta + gamma),
                           [EXPONENT] = n}};
    if (!(d.p0[ALPHA] > 0.0))
        return ifd_note_add(note, IFD_RANGE, &ifd_param_get(params, values, "alpha")->place,
                            "element '%s' is updated relative to its start values: alpha is 0, expected a number "
                            "above zero, such as 0.01",
                            e->name);
    e->ns = STATES;
    e->nroot = 2;
    return ifd__element_keep(e, arena, &d, sizeof d);
}

/* |z|^(n-1) (b |v| z + (1 - b) v |z|), the yielding part of y z'. */
static IFD_RT double yielding(const double *p, double v, double z)
{
    double size = fabs(z);
    return pow(size, p[EXPONENT] - 1.0) * (p[SHAPE] * fabs(v) * z + (1.0 - p[SHAPE]) * v * size);
}

static IFD_RT double force(const double *p, double q, double z)
{
    return p[ALPHA] * p[STIFFNESS] * q + (1.0 - p[ALPHA]) * p[STIFFNESS] * p[YIELD] * z;
}

static IFD_RT void eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    double p[PARAMS], v = in->qd[0], z = in->s[Z];
    present(e, in->s, p);
    double y = p[YIELD], b = p[SHAPE], zn1 = pow(fabs(z), p[EXPONENT] - 1.0);
    if (out->r)
        out->r[0] = force(p, in->q[0], z);
    if (out->r_q)
        out->r_q[0] = p[ALPHA] * p[STIFFNESS];
    if (out->r_s) /* the deviations are constant in a step */
        out->r_s[Z] = (1.0 - p[ALPHA]) * p[STIFFNESS] * y;
    if (out->g)
        out->g[Z] = (v - yielding(p, v, z)) / y;
    if (out->g_v)
        out->g_v[Z] = (1.0 - zn1 * (b * ifd__sign(v) * z + (1.0 - b) * fabs(z))) / y;
    if (out->g_s)
        out->g_s[Z] = -p[EXPONENT] * zn1 * (b * fabs(v) + (1.0 - b) * v * ifd__sign(z)) / y;
}

static IFD_RT void energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    double p[PARAMS], q = in->q[0], z = in->s[Z];
    present(e, in->s, p);
    double plastic = (1.0 - p[ALPHA]) * p[STIFFNESS] * p[YIELD];
    *stored = 0.5 * (p[ALPHA] * p[STIFFNESS] * q * q + plastic * p[YIELD] * z * z);
    *dissipated = plastic * z * yielding(p, in->qd[0], z);
}

static IFD_RT void advance(const ifd_element *e, const double *dq, double *s, double *s_q)
{
    double p[PARAMS], slope;
    present(e, s, p);
    s[Z] = ifd__bouc_wen_move(p[SHAPE], 1.0 - p[SHAPE], p[EXPONENT], s[Z], dq[0] / p[YIELD], &slope);
    if (!s_q)
        return;
    memset(s_q, 0, sizeof(double[STATES]));
    s_q[Z] = slope / p[YIELD];
}

static void events(const ifd_element *e, const ifd_element_in *in, double *root)
{
    (void)e;
    root[0] = in->qd[0];
    root[1] = in->s[Z];
}

static IFD_RT double slope_of(const double *p, double way, double z)
{
    return (1.0 - pow(fabs(z), p[EXPONENT]) * (p[SHAPE] * ifd__sign(way * z) + 1.0 - p[SHAPE])) / p[YIELD];
}

static IFD_RT double move(const double *p, double dq, double z)
{
    double a = slope_of(p, dq, z), b = slope_of(p, dq, z + 0.5 * dq * a);
    double c = slope_of(p, dq, z + 0.5 * dq * b), d = slope_of(p, dq, z + dq * c);
    return z + dq / 6.0 * (a + 2.0 * b + 2.0 * c + d);
}

static const ifd_element_ops updated = {
    .abi = IFD_ELEMENT_ABI,
    .name = "bouc-wen",
    .summary = "smooth hysteresis of Bouc and Wen with parameters that a test identifies",
    .equation = "r = alpha k q + (1 - alpha) k y z; y z' = v [1 - |z|^n (b sgn(v z) + 1 - b)]",
    .params = ifd__bouc_wen_params,
    .attach = IFD_ATTACH_PAIR,
    .make = make,
    .eval = eval,
    .energy = energy,
    .advance = advance,
    .events = events,
    .flags = IFD_ELEMENT_STOREY,
};

static const char *const names[PARAMS] = {"stiffness", "alpha", "yield", "shape", "n"};
static const char *const units[PARAMS] = {"N/m", "", "m", "", ""};
/* b from 0 to 1: gamma is not negative, and no branch is stiffer than twice the initial stiffness. */
static const double least[PARAMS] = {1e-9, 0.0, 1e-12, 0.0, 1.0}, most[PARAMS] = {1e18, 1.0, 1e3, 1.0, 100.0};

static const ifd__law bouc_wen = {.kind = "bouc-wen",
                                  .params = PARAMS,
                                  .name = names,
                                  .unit = units,
                                  .stiffness = STIFFNESS,
                                  .length = YIELD,
                                  .least = least,
                                  .most = most,
                                  .updated = &updated,
                                  .start = start,
                                  .move = move,
                                  .force = force};

const ifd__law *ifd__law_of(const ifd_element_ops *ops)
{
    return ops == &ifd__element_bouc_wen || ops == &updated ? &bouc_wen : NULL;
}

const char *ifd__law_kinds(void)
{
    return bouc_wen.kind;
}
