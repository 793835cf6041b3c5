/* SPDX-License-Identifier: MIT */
/* Elements whose parameters a test identifies (law.h). A change of p keeps z, the fraction of yielding, and not the
 * force.
 *
 *     bouc-wen           p = (k, alpha, y, b, n): elastic = alpha k, plastic = (1 - alpha) k y; with
 *                        beta = b y^-n, gamma = (1 - b) y^-n and the state y z it is the element
 *     lead-rubber        p = (Fy, Y, a); b and n of the case: elastic = a Fy/Y, plastic = (1 - a) Fy
 *     friction-pendulum  p = (mu, R); Y and N of the case: elastic = N/R, plastic = mu N, b = 1/2, n = 2
 *     bilinear           p = (k, alpha, y): as bouc-wen, with n = infinity
 *     spring             p = (k): elastic = k */
#include "model/element/law.h"

#include <math.h>
#include <string.h>

#include "model/element.h"

enum { Z, DEVIATION }; /* states */

typedef struct copy {
    const ifd__law *law;
    double p0[IFD__LAW_NUMBERS];
} copy;

static IFD_RT ifd__hysteresis present(const ifd_element *e, const double *s, double *p)
{
    const copy *d = e->data;
    memcpy(p, d->p0, sizeof d->p0);
    for (int i = 0; i < d->law->params; i++)
        p[i] *= 1.0 + s[DEVIATION + i];
    return d->law->shape(p);
}

void ifd__law_start(const ifd_element *e, double *p0)
{
    memcpy(p0, ((const copy *)e->data)->p0, sizeof(double[IFD__LAW_NUMBERS]));
}

static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const ifd__law *law = ifd__law_of(e->ops);
    copy d = {.law = law};
    if (e->nq != 1)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "element '%s' is updated and acts in %d directions; expected one", e->name, e->nq);
    for (int i = 0; i < law->params + law->fixed; i++)
        d.p0[i] = law->given[i] ? ifd__element_number(e->ops->params, values, law->given[i]) : 0.0;
    if (law->read)
        IFD_TRY(law->read(e, values, d.p0, note));
    for (int i = 0; i < law->params; i++)
        if (!(d.p0[i] > 0.0) || !isfinite(d.p0[i]))
            return ifd_note_add(note, IFD_RANGE, NULL,
                                "element '%s' is updated relative to its start values: '%s' is %g, expected a number "
                                "above zero",
                                e->name, law->name[i], d.p0[i]);
    e->ns = DEVIATION + law->params;
    e->nroot = 2;
    return ifd__element_keep(e, arena, &d, sizeof d);
}

/* |z|^(n-1) (b |v| z + (1 - b) v |z|), the yielding part of y z'. A slider stops at |z| = 1. */
static IFD_RT double yielding(const ifd__hysteresis *h, double v, double z)
{
    double size = fabs(z);
    if (isinf(h->n))
        return size >= 1.0 && v * z > 0.0 ? v : 0.0;
    return pow(size, h->n - 1.0) * (h->b * fabs(v) * z + (1.0 - h->b) * v * size);
}

/* The rate of z and its derivatives. */
static IFD_RT void rate(const ifd__hysteresis *h, double v, double z, const ifd_element_out *out)
{
    bool sharp = isinf(h->n);
    double zn1 = sharp ? 0.0 : pow(fabs(z), h->n - 1.0), stop = sharp && fabs(z) >= 1.0 && v * z > 0.0 ? 1.0 : 0.0;
    if (out->g)
        out->g[Z] = (v - yielding(h, v, z)) / h->y;
    if (out->g_v)
        out->g_v[Z] = (1.0 - stop - zn1 * (h->b * ifd__sign(v) * z + (1.0 - h->b) * fabs(z))) / h->y;
    if (out->g_s)
        out->g_s[Z] = sharp ? 0.0 : -h->n * zn1 * (h->b * fabs(v) + (1.0 - h->b) * v * ifd__sign(z)) / h->y;
}

static IFD_RT void eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    double p[IFD__LAW_NUMBERS], z = in->s[Z];
    const ifd__hysteresis h = present(e, in->s, p);
    if (out->r)
        out->r[0] = h.elastic * in->q[0] + h.plastic * z;
    if (out->r_q)
        out->r_q[0] = h.elastic;
    if (out->r_s) /* the deviations are constant in a step */
        out->r_s[Z] = h.plastic;
    if (h.plastic > 0.0)
        rate(&h, in->qd[0], z, out);
}

static IFD_RT void energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    double p[IFD__LAW_NUMBERS], q = in->q[0], z = in->s[Z];
    const ifd__hysteresis h = present(e, in->s, p);
    *stored = 0.5 * (h.elastic * q * q + h.plastic * h.y * z * z);
    *dissipated = h.plastic > 0.0 ? h.plastic * z * yielding(&h, in->qd[0], z) : 0.0;
}

/* b = 1/2, n = 2, along x = |dq|/y with a = z sgn(dq): a' = 1 for a < 0, a' = 1 - a^2 for a > 0. */
static IFD_RT double slide(double x, double a)
{
    double back = a < 0.0 ? fmin(x, -a) : 0.0, t = tanh(x - back);
    a += back;
    return (a + t) / (1.0 + a * t);
}

/* z after a move, in closed form or by the solution of the element bouc-wen. */
static IFD_RT double move_exactly(const ifd__hysteresis *h, double dq, double z, double *slope)
{
    double x = dq / h->y, side = dq < 0.0 ? -1.0 : 1.0, next;
    if (isinf(h->n)) {
        next = fmax(-1.0, fmin(1.0, z + x));
        *slope = fabs(next) < 1.0 || next * side < 0.0 ? 1.0 : 0.0;
    } else if (h->n == 2.0 && h->b == 0.5) {
        next = side * slide(fabs(x), side * z);
        *slope = next * side > 0.0 ? 1.0 - next * next : 1.0;
    } else
        next = ifd__bouc_wen_move(h->b, 1.0 - h->b, h->n, z, x, slope);
    *slope /= h->y;
    return next;
}

static IFD_RT void advance(const ifd_element *e, const double *dq, double *s, double *s_q)
{
    double p[IFD__LAW_NUMBERS], slope = 0.0;
    const ifd__hysteresis h = present(e, s, p);
    if (h.plastic > 0.0)
        s[Z] = move_exactly(&h, dq[0], s[Z], &slope);
    if (!s_q)
        return;
    memset(s_q, 0, sizeof *s_q * (size_t)e->ns);
    s_q[Z] = slope;
}

/* A slider stops at its limit: rate and pseudo-rate become zero there, as those of the element bilinear. */
static IFD_RT void settle(const ifd_element *e, double *s, double *rate_of, double *pseudo)
{
    if (!(fabs(s[Z]) > 1.0))
        return;
    s[Z] = s[Z] > 0.0 ? 1.0 : -1.0;
    if (rate_of)
        rate_of[Z] = 0.0;
    if (pseudo)
        pseudo[Z] = 0.0;
}

static void events(const ifd_element *e, const ifd_element_in *in, double *root)
{
    double p[IFD__LAW_NUMBERS];
    root[0] = in->qd[0];
    root[1] = isinf(present(e, in->s, p).n) ? 1.0 - fabs(in->s[Z]) : in->s[Z];
}

enum { STIFFNESS, ALPHA, YIELD, SHAPE, EXPONENT }; /* of bouc-wen */

static IFD_RT ifd__hysteresis bouc_wen_shape(const double *p)
{
    return (ifd__hysteresis){.elastic = p[ALPHA] * p[STIFFNESS],
                             .plastic = (1.0 - p[ALPHA]) * p[STIFFNESS] * p[YIELD],
                             .y = p[YIELD],
                             .b = p[SHAPE],
                             .n = p[EXPONENT]};
}

static IFD_RT double slope_of(const ifd__hysteresis *h, double way, double z)
{
    return (1.0 - pow(fabs(z), h->n) * (h->b * ifd__sign(way * z) + 1.0 - h->b)) / h->y;
}

/* One step of the classical Runge-Kutta method in dq. */
static IFD_RT double bouc_wen_follow(const double *p, double dq, double z)
{
    const ifd__hysteresis h = bouc_wen_shape(p);
    double a = slope_of(&h, dq, z), b = slope_of(&h, dq, z + 0.5 * dq * a);
    double c = slope_of(&h, dq, z + 0.5 * dq * b), d = slope_of(&h, dq, z + dq * c);
    return z + dq / 6.0 * (a + 2.0 * b + 2.0 * c + d);
}

static ifd_status bouc_wen_read(const ifd_element *e, const ifd_value *values, double *p, ifd_note *note)
{
    const ifd_param *params = ifd__bouc_wen_params;
    double beta = ifd__element_number(params, values, "beta"), gamma = ifd__element_number(params, values, "gamma");
    double y = pow(beta + gamma, -1.0 / p[EXPONENT]);
    if (!(beta + gamma > 0.0) || !isfinite(y) || !(beta > 0.0))
        return ifd_note_add(note, IFD_RANGE, &ifd_param_get(params, values, "beta")->place,
                            "element '%s' is updated: beta is %g and beta + gamma %g, expected numbers above zero",
                            e->name, beta, beta + gamma);
    p[YIELD] = y;
    p[SHAPE] = beta / (beta + gamma);
    if (!(p[ALPHA] > 0.0))
        return ifd_note_add(note, IFD_RANGE, &ifd_param_get(params, values, "alpha")->place,
                            "element '%s' is updated relative to its start values: alpha is 0, expected a number "
                            "above zero, such as 0.01",
                            e->name);
    return IFD_OK;
}

/* A number of the case that an updated element must have. */
static ifd_status demand(const ifd_element *e, const ifd_value *values, const char *name, double wanted,
                         ifd_note *note)
{
    const ifd_param *params = e->ops->params;
    double found = ifd__element_number(params, values, name);
    if (found == wanted)
        return IFD_OK;
    return ifd_note_add(note, IFD_UNSUPPORTED, &ifd_param_get(params, values, name)->place,
                        "element '%s' is updated: '%s' is %g, expected %g, because the filter has no such term",
                        e->name, name, found, wanted);
}

enum { FORCE, LENGTH, RATIO, LEAD_B, LEAD_N }; /* of lead-rubber */

/* g = 1 - b of the element is the factor of sgn(v z). */
static IFD_RT ifd__hysteresis lead_rubber_shape(const double *p)
{
    return (ifd__hysteresis){.elastic = p[RATIO] * p[FORCE] / p[LENGTH],
                             .plastic = (1.0 - p[RATIO]) * p[FORCE],
                             .y = p[LENGTH],
                             .b = 1.0 - p[LEAD_B],
                             .n = p[LEAD_N]};
}

static ifd_status lead_rubber_read(const ifd_element *e, const ifd_value *values, double *p, ifd_note *note)
{
    IFD_TRY(demand(e, values, "damping", 0.0, note));
    return demand(e, values, "heating", 0.0, note);
}

enum { FRICTION, RADIUS, SLIDE_LENGTH, LOAD }; /* of friction-pendulum */

static IFD_RT ifd__hysteresis pendulum_shape(const double *p)
{
    return (ifd__hysteresis){
        .elastic = p[LOAD] / p[RADIUS], .plastic = p[FRICTION] * p[LOAD], .y = p[SLIDE_LENGTH], .b = 0.5, .n = 2.0};
}

static ifd_status pendulum_read(const ifd_element *e, const ifd_value *values, double *p, ifd_note *note)
{
    const ifd_param *params = e->ops->params;
    if (ifd_param_get(params, values, "friction-slow")->given)
        IFD_TRY(demand(e, values, "friction-slow", p[FRICTION], note));
    if (ifd_param_get(params, values, "schedule")->given)
        return ifd_note_add(note, IFD_UNSUPPORTED, &ifd_param_get(params, values, "schedule")->place,
                            "element '%s' is updated: its load varies, expected a constant 'load'", e->name);
    IFD_TRY(demand(e, values, "pressure-rate", 0.0, note));
    IFD_TRY(demand(e, values, "vertical-stiffness", 0.0, note));
    IFD_TRY(demand(e, values, "watched", 0.0, note));
    IFD_TRY(demand(e, values, "measured", 0.0, note));
    if (!(p[LOAD] > 0.0))
        return ifd_note_add(note, IFD_RANGE, &ifd_param_get(params, values, "load")->place,
                            "element '%s' is updated: 'load' is %g N, expected a compression above zero", e->name,
                            p[LOAD]);
    return IFD_OK;
}

static IFD_RT ifd__hysteresis bilinear_shape(const double *p)
{
    return (ifd__hysteresis){.elastic = p[ALPHA] * p[STIFFNESS],
                             .plastic = (1.0 - p[ALPHA]) * p[STIFFNESS] * p[YIELD],
                             .y = p[YIELD],
                             .n = (double)INFINITY};
}

static IFD_RT ifd__hysteresis spring_shape(const double *p)
{
    return (ifd__hysteresis){.elastic = p[STIFFNESS], .y = 1e-3};
}

#define UPDATED(kind, words, formula, list, stops)                                                                   \
    static const ifd_element_ops updated_##kind = {.abi = IFD_ELEMENT_ABI,                                           \
                                                   .name = words,                                                    \
                                                   .summary = words " with parameters that a test identifies",       \
                                                   .equation = formula,                                              \
                                                   .params = list,                                                   \
                                                   .attach = IFD_ATTACH_PAIR,                                        \
                                                   .make = make,                                                     \
                                                   .eval = eval,                                                     \
                                                   .energy = energy,                                                 \
                                                   .settle = stops,                                                  \
                                                   .advance = advance,                                               \
                                                   .events = events,                                                 \
                                                   .flags = IFD_ELEMENT_STOREY}

#define SMOOTH "y z' = v [1 - |z|^n (b sgn(v z) + 1 - b)]"
UPDATED(bouc_wen, "bouc-wen", "r = alpha k q + (1 - alpha) k y z; " SMOOTH, ifd__bouc_wen_params, NULL);
UPDATED(lead_rubber, "lead-rubber", "r = a (Fy/Y) q + (1 - a) Fy z; " SMOOTH, ifd__lead_rubber_params, NULL);
UPDATED(pendulum, "friction-pendulum", "r = (N/R) q + mu N z; Y z' = v - z max(v z, 0)", ifd__pendulum_params, NULL);
UPDATED(bilinear, "bilinear", "r = alpha k q + (1 - alpha) k y z; y z' = v up to |z| = 1", ifd__bilinear_params,
        settle);
UPDATED(spring, "spring", "r = k q", ifd__spring_params, NULL);

/* b from 0 to 1: gamma is not negative, and no branch is stiffer than twice the initial stiffness. */
static const ifd__law bouc_wen = {.kind = "bouc-wen",
                                  .params = 5,
                                  .name = (const char *const[]){"stiffness", "alpha", "yield", "shape", "n"},
                                  .least = (const double[]){1e-9, 0.0, 1e-12, 0.0, 1.0},
                                  .most = (const double[]){1e18, 1.0, 1e3, 1.0, 100.0},
                                  .updated = &updated_bouc_wen,
                                  .given = (const char *const[]){"stiffness", "alpha", NULL, NULL, "n"},
                                  .read = bouc_wen_read,
                                  .shape = bouc_wen_shape,
                                  .move = bouc_wen_follow};
static const ifd__law lead_rubber = {
    .kind = "lead-rubber",
    .params = 3,
    .fixed = 2,
    .name = (const char *const[]){"yield-force", "yield-displacement", "ratio"},
    .least = (const double[]){1e-9, 1e-12, 0.0},
    .most = (const double[]){1e15, 1e3, 1.0},
    .updated = &updated_lead_rubber,
    .given = (const char *const[]){"yield-force", "yield-displacement", "ratio", "b", "n"},
    .read = lead_rubber_read,
    .shape = lead_rubber_shape};
static const ifd__law pendulum = {.kind = "friction-pendulum",
                                  .params = 2,
                                  .fixed = 2,
                                  .name = (const char *const[]){"friction", "radius"},
                                  .least = (const double[]){1e-9, 1e-9},
                                  .most = (const double[]){1.0, 1e6},
                                  .updated = &updated_pendulum,
                                  .given = (const char *const[]){"friction", "radius", "yield-displacement", "load"},
                                  .read = pendulum_read,
                                  .shape = pendulum_shape};
static const ifd__law bilinear = {.kind = "bilinear",
                                  .params = 3,
                                  .name = (const char *const[]){"stiffness", "ratio", "yield"},
                                  .least = (const double[]){1e-9, 0.0, 1e-12},
                                  .most = (const double[]){1e18, 1.0, 1e3},
                                  .updated = &updated_bilinear,
                                  .given = (const char *const[]){"stiffness", "ratio", "yield"},
                                  .shape = bilinear_shape};
static const ifd__law spring = {.kind = "spring",
                                .params = 1,
                                .name = (const char *const[]){"stiffness"},
                                .least = (const double[]){1e-9},
                                .most = (const double[]){1e18},
                                .updated = &updated_spring,
                                .given = (const char *const[]){"stiffness"},
                                .shape = spring_shape};

enum { LAWS = 5 };
static const ifd__law *const laws[LAWS] = {&bouc_wen, &lead_rubber, &pendulum, &bilinear, &spring};
static const ifd_element_ops *const plain[LAWS] = {&ifd__element_bouc_wen, &ifd__element_lead_rubber,
                                                   &ifd__element_friction_pendulum, &ifd__element_bilinear,
                                                   &ifd__element_spring};

const ifd__law *ifd__law_of(const ifd_element_ops *ops)
{
    for (int i = 0; i < LAWS; i++)
        if (ops == plain[i] || ops == laws[i]->updated)
            return laws[i];
    return NULL;
}

const char *ifd__law_kinds(void)
{
    return "bouc-wen, lead-rubber, friction-pendulum, bilinear or spring";
}

double ifd__law_move(const ifd__law *law, const double *p, double dq, double z)
{
    double slope;
    const ifd__hysteresis h = law->shape(p);
    if (law->move)
        return law->move(p, dq, z);
    return h.n > 0.0 ? move_exactly(&h, dq, z, &slope) : 0.0; /* a spring has no memory */
}

double ifd__law_force(const ifd__law *law, const double *p, double q, double z)
{
    const ifd__hysteresis h = law->shape(p);
    return h.elastic * q + h.plastic * z;
}

double ifd__law_stiffness(const ifd__law *law, const double *p)
{
    const ifd__hysteresis h = law->shape(p);
    return h.elastic + h.plastic / h.y;
}
