/* SPDX-License-Identifier: MIT */
/* Elements with memory: parallel elastic-plastic sliders (Mostaghel) and Bouc-Wen. All are rate-independent: their
 * states depend on the path of q, not on its rate. */
#include "base/arena.h"
#include "model/element.h"

#include <math.h>
#include <stdio.h>

/* r = k q + sum k_i s_i. The slip s_i is the elastic deformation of slider i, |s_i| <= d_i. */
typedef struct sliders {
    int n;
    double spring; /* k */
    const double *k, *d;
} sliders;

const ifd_param ifd__bilinear_params[] = {
    IFD_NEEDED("stiffness", STIFFNESS, 1e-9, 1e18, "k, elastic stiffness"),
    IFD_OPTION("ratio", NONE, 0, 1, 0, "alpha, stiffness after yielding divided by k"),
    IFD_NEEDED("yield", LENGTH, 1e-12, 1e3, "delta, yield deformation"),
    {0}};

static const ifd_param sliders_params[] = {
    IFD_MATRIX("sliders", ANY, 1e-12, 1e18, "rows [k_i, delta_i]: stiffness and slip deformation of each slider",
               .required = true, .words = "N/m|m"),
    IFD_OPTION("spring", STIFFNESS, 0, 1e18, 0, "k, stiffness of the parallel spring"),
    IFD_OPTION("scale", NONE, 1e-6, 1e6, 1, "number of equal devices in parallel"),
    {0}};

/* pairs: n rows [stiffness, largest slip]; all stiffnesses times scale. */
static ifd_status sliders_keep(ifd_element *e, ifd_arena *arena, int n, double spring, const double *pairs,
                               double scale)
{
    double *kd;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(kd, 2 * (size_t)n)));
    for (int i = 0; i < n; i++) {
        kd[i] = scale * pairs[2 * i];
        kd[n + i] = pairs[2 * i + 1];
    }
    e->ns = n;
    e->nroot = 2 * n + 1;
    ifd__element_stiffest_at_rest(e);
    return ifd__element_keep(e, arena, &(sliders){n, scale * spring, kd, kd + n}, sizeof(sliders));
}

static ifd_status bilinear_make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    double k = ifd__element_number(ifd__bilinear_params, values, "stiffness");
    double alpha = ifd__element_number(ifd__bilinear_params, values, "ratio");
    double pair[2] = {(1 - alpha) * k, ifd__element_number(ifd__bilinear_params, values, "yield")};
    return sliders_keep(e, arena, 1, alpha * k, pair, 1);
}

static ifd_status sliders_make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const ifd_value *rows = ifd_param_get(sliders_params, values, "sliders");
    if (rows->rows < 1 || rows->cols != 2)
        return ifd_note_add(note, IFD_SHAPE, &rows->place,
                            "element '%s': 'sliders' has %d rows of %d numbers; expected one row [stiffness, "
                            "largest slip] per slider",
                            e->name, rows->rows, rows->cols);
    return sliders_keep(e, arena, rows->rows, ifd__element_number(sliders_params, values, "spring"), rows->data,
                        ifd__element_number(sliders_params, values, "scale"));
}

/* Slips if pushed further at its limit; otherwise sticks and follows the motion. */
static IFD_RT bool slips(double v, double s, double limit)
{
    return (v > 0 && s >= limit) || (v < 0 && s <= -limit);
}

/* Functions of the row. */
static IFD_RT void sliders_eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const sliders *d = e->data;
    double v = in->qd[0], r = d->spring * in->q[0];
    for (int i = 0; i < d->n; i++) {
        bool slip = slips(v, in->s[i], d->d[i]);
        r += d->k[i] * in->s[i];
        if (out->g)
            out->g[i] = slip ? 0 : v;
        if (out->g_v)
            out->g_v[i] = slip ? 0 : 1;
        if (out->r_s)
            out->r_s[i] = d->k[i];
    }
    if (out->r)
        out->r[0] = r;
    if (out->r_q)
        out->r_q[0] = d->spring;
}

static IFD_RT void sliders_energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    const sliders *d = e->data;
    double v = in->qd[0];
    *stored = 0.5 * d->spring * in->q[0] * in->q[0];
    *dissipated = 0;
    for (int i = 0; i < d->n; i++) {
        *stored += 0.5 * d->k[i] * in->s[i] * in->s[i];
        if (slips(v, in->s[i], d->d[i]))
            *dissipated += d->k[i] * in->s[i] * v;
    }
}

/* Rate and pseudo-rate are both set to zero: with the pseudo-rate kept, generalized-alpha moves the slider beyond its
 * limit in the next step and is only of first order. */
static IFD_RT void sliders_settle(const ifd_element *e, double *s, double *rate, double *pseudo)
{
    const sliders *d = e->data;
    for (int i = 0; i < d->n; i++) {
        if (fabs(s[i]) <= d->d[i])
            continue;
        s[i] = copysign(d->d[i], s[i]);
        if (rate)
            rate[i] = 0;
        if (pseudo)
            pseudo[i] = 0;
    }
}

static IFD_RT void sliders_advance(const ifd_element *e, const double *dq, double *s, double *s_q)
{
    const sliders *d = e->data;
    for (int i = 0; i < d->n; i++) {
        double moved = s[i] + dq[0];
        bool stopped = fabs(moved) > d->d[i];
        s[i] = stopped ? copysign(d->d[i], moved) : moved;
        if (s_q)
            s_q[i] = stopped ? 0 : 1;
    }
}

/* Stick changes to slip where s_i reaches +-d_i, and slip to stick where v changes sign. A slider at its limit has
 * s_i - d_i = 0 exactly while it slips: a root finder must ignore a function that starts at zero until it leaves zero
 * (CVODE does), so that a slip is not reported again. Between two roots g = g_v qd with constant g_v. A solver that
 * keeps g_v from root to root never meets the jump of g at the limit, where an implicit corrector may have no
 * solution. */
static void sliders_events(const ifd_element *e, const ifd_element_in *in, double *root)
{
    const sliders *d = e->data;
    for (int i = 0; i < d->n; i++) {
        root[2 * i] = in->s[i] - d->d[i];
        root[2 * i + 1] = in->s[i] + d->d[i];
    }
    root[2 * d->n] = in->qd[0];
}

#define SLIDERS                                                                                                      \
    .abi = IFD_ELEMENT_ABI, .flags = IFD_ELEMENT_STOREY, .eval = sliders_eval, .energy = sliders_energy,             \
    .settle = sliders_settle, .advance = sliders_advance, .events = sliders_events

const ifd_element_ops ifd__element_bilinear = {
    SLIDERS,
    .name = "bilinear",
    .summary = "an elastic-plastic spring with kinematic hardening",
    .equation = "r = alpha k q + (1 - alpha) k s; s' = v, but 0 if pushed further at |s| = delta",
    .params = ifd__bilinear_params,
    .make = bilinear_make,
};

const ifd_element_ops ifd__element_sliders = {
    SLIDERS,
    .name = "sliders",
    .summary = "friction sliders in parallel with a spring (Mostaghel), for example a concave bearing",
    .equation = "r = k q + sum k_i s_i; s_i' = v, but 0 if pushed further at |s_i| = delta_i",
    .params = sliders_params,
    .make = sliders_make,
};

/* z' = v - beta |v| |z|^(n-1) z - gamma v |z|^n, r = alpha k q + (1 - alpha) k z. For n = 1 and alpha = 0 the force
 * satisfies r' = k v - beta |v| r - gamma v |r| with the same beta and gamma. */
typedef struct bouc_wen {
    double k, alpha, beta, gamma, n;
    double limit; /* of |z|, (beta + gamma)^(-1/n); infinite without yielding */
} bouc_wen;

const ifd_param ifd__bouc_wen_params[] = {
    IFD_NEEDED("stiffness", STIFFNESS, 1e-9, 1e18, "k, initial stiffness (K0)", IFD_AT(bouc_wen, k)),
    IFD_OPTION("alpha", NONE, 0, 1, 0, "part of the stiffness that stays elastic", IFD_AT(bouc_wen, alpha)),
    IFD_NEEDED("beta", ANY, 0, 1e30, "in 1/m^n", IFD_AT(bouc_wen, beta)),
    IFD_NEEDED("gamma", ANY, -1e30, 1e30, "in 1/m^n; |z| stays below (beta + gamma)^(-1/n)", IFD_AT(bouc_wen, gamma)),
    IFD_OPTION("n", NONE, 1, 100, 1, "sharpness of yielding", IFD_AT(bouc_wen, n)),
    {0}};

static ifd_status bouc_wen_make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const ifd_param *p = ifd__bouc_wen_params;
    bouc_wen d = {0};
    ifd_param_store(ifd__bouc_wen_params, values, &d);
    if (d.beta + d.gamma < 0)
        return ifd_note_add(
            note, IFD_RANGE, &ifd_param_get(p, values, "gamma")->place,
            "element '%s': beta + gamma is %g; expected zero or more (otherwise the force grows without limit)",
            e->name, d.beta + d.gamma);
    d.limit = pow(d.beta + d.gamma, -1 / d.n);
    e->ns = 1;
    e->nroot = 2;
    /* dz/dq is 1 at z = 0 and 1 + (beta - gamma) |z|^n on unloading: for beta > gamma stiffest at the largest |z|.
     * For gamma < 0 that is more than twice the initial stiffness, too far from it to be accurate. For beta < gamma
     * the slope is negative beyond the largest |z|: a state that is not updated exactly may leave it and diverge. */
    if (d.beta == d.gamma)
        ifd__element_stiffest_at_rest(e);
    else if (d.beta > d.gamma && d.gamma >= 0.0 && isfinite(d.limit))
        IFD_TRY(ifd__element_stiffest_at(e, arena, 0.0, -1.0, d.limit));
    return ifd__element_keep(e, arena, &d, sizeof d);
}

/* x^p for x >= 0, without the cost of pow for common exponents. */
static IFD_RT double to_power(double x, double p)
{
    if (p <= 0)
        return 1;
    return p == 1 ? x : p == 2 ? x * x : pow(x, p);
}

static IFD_RT void bouc_wen_eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const bouc_wen *d = e->data;
    double v = in->qd[0], z = in->s[0], plastic = (1 - d->alpha) * d->k;
    double zn1 = to_power(fabs(z), d->n - 1); /* |z|^(n-1) */
    if (out->r)
        out->r[0] = d->alpha * d->k * in->q[0] + plastic * z;
    if (out->r_q)
        out->r_q[0] = d->alpha * d->k;
    if (out->r_s)
        out->r_s[0] = plastic;
    if (out->g)
        out->g[0] = v - zn1 * (d->beta * fabs(v) * z + d->gamma * v * fabs(z));
    if (out->g_v)
        out->g_v[0] = 1 - zn1 * (d->beta * ifd__sign(v) * z + d->gamma * fabs(z));
    if (out->g_s)
        out->g_s[0] = -d->n * zn1 * (d->beta * fabs(v) + d->gamma * v * ifd__sign(z));
}

static IFD_RT void bouc_wen_energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    const bouc_wen *d = e->data;
    double v = in->qd[0], z = in->s[0], q = in->q[0], plastic = (1 - d->alpha) * d->k;
    double zn1 = to_power(fabs(z), d->n - 1);
    *stored = 0.5 * (d->alpha * d->k * q * q + plastic * z * z);
    *dissipated = plastic * z * zn1 * (d->beta * fabs(v) * z + d->gamma * v * fabs(z));
}

/* Along the path x = |dq|, with y = z sgn(dq): dy/dx = 1 - A |y|^n, A = gamma + beta for y > 0 and gamma - beta for
 * y < 0. */
static IFD_RT double slope(const bouc_wen *d, double y)
{
    return 1 - (d->gamma + d->beta * ifd__sign(y)) * to_power(fabs(y), d->n);
}

static IFD_RT double slope_rate(const bouc_wen *d, double y)
{
    return -(d->gamma * ifd__sign(y) + d->beta) * d->n * to_power(fabs(y), d->n - 1);
}

/* n = 1, y >= 0: dy/dx = 1 - A y. n = 1, y <= 0: dy/dx = 1 + A y. Both in closed form; (e^(Ax) - 1) / A is exact also
 * for A = 0. */
static IFD_RT double exp_ratio(double a, double x)
{
    return a > 0 || a < 0 ? expm1(a * x) / a : x;
}

static IFD_RT double advance_linear(const bouc_wen *d, double y, double x)
{
    if (y < 0) {
        double a = d->gamma - d->beta;
        double zero = a > 0 || a < 0 ? -log1p(a * y) / a : -y; /* path length at which y = 0 */
        if (!(x > zero))                                       /* zero is not-a-number if y never returns to 0 */
            return y + exp_ratio(a, x) * (1 + a * y);
        x -= zero;
        y = 0;
    }
    double a = -(d->gamma + d->beta);
    return y + exp_ratio(a, x) * (1 + a * y);
}

/* The path from a to b, the integral of dy / slope, by five Gauss points; a and b have the same sign. */
static IFD_RT double gauss(const bouc_wen *d, double a, double b)
{
    static const double at[] = {0, 0.53846931010568309104, 0.90617984593866399280};
    static const double weight[] = {0.56888888888888888889, 0.47862867049936646804, 0.23692688505618908751};
    double mid = 0.5 * (a + b), half = 0.5 * (b - a);
    double sum = weight[0] / slope(d, mid);
    for (int i = 1; i < 3; i++)
        sum += weight[i] * (1 / slope(d, mid + half * at[i]) + 1 / slope(d, mid - half * at[i]));
    return half * sum;
}

/* The path from 0 to y, |t| < 0.1 with t = A |y|^n: y (1 + t/(n + 1) + t^2/(2 n + 1) + ...). */
static IFD_RT double near_zero(const bouc_wen *d, double y, double t)
{
    enum { TERMS = 9 };
    double sum = 0;
    for (int k = TERMS; k > 0; k--)
        sum = t * (sum + 1 / (k * d->n + 1));
    return y * (1 + sum);
}

/* |y|^n has no Taylor series at zero unless n is even, and Gauss points do not resolve it: near zero the series in
 * t. */
static IFD_RT double path(const bouc_wen *d, double a, double b)
{
    double ta = 1 - slope(d, a), tb = 1 - slope(d, b);
    bool near = d->n != 2 && fabs(ta) < 0.1 && fabs(tb) < 0.1;
    return near ? near_zero(d, b, tb) - near_zero(d, a, ta) : gauss(d, a, b);
}

/* y after h: the exponential Rosenbrock-Euler step, limited to the bound of y, then corrected twice by the path
 * actually travelled, with y(x + e) = y + e y' + e^2 y''/2. Near the limit 1 / slope is not integrable and no
 * correction is needed. */
static IFD_RT double advance_piece(const bouc_wen *d, double y, double h)
{
    double f = slope(d, y), next = y + exp_ratio(slope_rate(d, y), h) * f;
    if (y <= d->limit && !(next < d->limit))
        next = d->limit;
    for (int i = 0; i < 2; i++) {
        double f1 = slope(d, next);
        if (!(f1 / f > 0.1 && f1 / f < 10))
            return next;
        double miss = h - (y * next < 0 ? path(d, y, 0) + path(d, 0, next) : path(d, y, next));
        next += miss * f1 * (1 + 0.5 * miss * slope_rate(d, next));
    }
    return next;
}

/* Other n have no elementary solution: a fixed number of intervals has a fixed cost. A move by half the limit has an
 * error of 1e-9 of it. */
static IFD_RT double advance_power(const bouc_wen *d, double y, double x)
{
    enum { PIECES = 6 };
    for (int i = 0; i < PIECES; i++)
        y = advance_piece(d, y, x / PIECES);
    return y;
}

static IFD_RT double move(const bouc_wen *d, double z, double dq, double *at_end)
{
    double direction = dq < 0 ? -1 : 1, y = direction * z;
    y = d->n > 1 ? advance_power(d, y, fabs(dq)) : advance_linear(d, y, fabs(dq));
    *at_end = slope(d, y);
    return direction * y;
}

static IFD_RT void bouc_wen_advance(const ifd_element *e, const double *dq, double *s, double *s_q)
{
    double at_end;
    s[0] = move(e->data, s[0], dq[0], &at_end);
    if (s_q)
        s_q[0] = at_end;
}

double ifd__bouc_wen_move(double beta, double gamma, double n, double z, double dq, double *out)
{
    return move(&(bouc_wen){.beta = beta, .gamma = gamma, .n = n, .limit = pow(beta + gamma, -1 / n)}, z, dq, out);
}

/* |v| has a kink at rest; |z|^n has one at z = 0 in a derivative that affects high-order solvers. */
static void bouc_wen_events(const ifd_element *e, const ifd_element_in *in, double *root)
{
    root[0] = in->qd[0];
    root[1] = in->s[0];
}

const ifd_element_ops ifd__element_bouc_wen = {
    .abi = IFD_ELEMENT_ABI,
    .name = "bouc-wen",
    .summary = "the smooth hysteresis model of Bouc and Wen",
    .equation = "r = alpha k q + (1 - alpha) k z; z' = v - beta |v| |z|^(n-1) z - gamma v |z|^n",
    .params = ifd__bouc_wen_params,
    .make = bouc_wen_make,
    .eval = bouc_wen_eval,
    .energy = bouc_wen_energy,
    .advance = bouc_wen_advance,
    .events = bouc_wen_events,
    .flags = IFD_ELEMENT_STOREY,
};

bool ifd__element_is_bouc_wen(const ifd_element *e, double out[5])
{
    const bouc_wen *d = e->data;
    if (e->ops != &ifd__element_bouc_wen)
        return false;
    out[0] = d->alpha * d->k;
    out[1] = (1 - d->alpha) * d->k;
    out[2] = d->beta;
    out[3] = d->gamma;
    out[4] = d->n;
    return true;
}

bool ifd__element_is_slider(const ifd_element *e, double out[3])
{
    const sliders *d = e->data;
    if ((e->ops != &ifd__element_bilinear && e->ops != &ifd__element_sliders) || d->n != 1)
        return false;
    out[0] = d->spring;
    out[1] = d->k[0];
    out[2] = d->d[0];
    return true;
}

/* Bearings with several concave surfaces and constant friction: Fenz and Constantinou (2008), EESD 37, regimes I to
 * III. Surfaces in series slide one after the other, at the forces F_i = mu_i N in ascending order; between F_i and
 * F_(i+1) the tangent is S_i. This is a Masing system: it equals sliders in parallel with the same backbone,
 *
 *     u_1 = F_1/k_e,   u_(i+1) = u_i + (F_(i+1) - F_i)/S_i,   k_i = S_(i-1) - S_i at the slip u_i,   S_0 = k_e,
 *
 * and a spring of the last S. Limits of displacement (regimes IV and V) are additional elements `gap`. */

enum { SURFACES = 3 };

#define SHARED_PARAMS                                                                                                \
    {.name = "load",                                                                                                 \
     .dim = IFD_DIM_FORCE,                                                                                           \
     .required = true,                                                                                               \
     IFD_WITHIN(1e-9, 1e15),                                                                                         \
     .doc = "N, constant compression"},                                                                              \
    {                                                                                                                \
        .name = "stiffness", .dim = IFD_DIM_STIFFNESS, .required = true, IFD_WITHIN(1e-9, 1e18),                     \
        .doc = "k_e, stiffness before sliding"                                                                       \
    }

static const ifd_param double_params[] = {
    IFD_LIST("radii", LENGTH, 1e-6, 1e6, "[R1, R2], effective radii; R1 belongs to the lower friction",
             .required = true),
    IFD_LIST("friction", NONE, 1e-9, 1, "[mu1, mu2], coefficients of friction, ascending", .required = true),
    SHARED_PARAMS,
    {0}};

static const ifd_param triple_params[] = {
    IFD_LIST("radii", LENGTH, 1e-6, 1e6, "[outer, inner], effective radii: R1 = R4 and R2 = R3", .required = true),
    IFD_LIST("friction", NONE, 1e-9, 1, "[mu2, mu1, mu4], of the inner surfaces and of the two outer ones, ascending",
             .required = true),
    SHARED_PARAMS,
    {0}};

static ifd_status check_lists(const ifd_element *e, const ifd_value *radii, const ifd_value *friction, int surfaces,
                              ifd_note *note)
{
    if (radii->cols != 2)
        return ifd_note_add(note, IFD_SHAPE, &radii->place, "element '%s': 'radii' has %d numbers; expected 2",
                            e->name, radii->cols);
    if (friction->cols != surfaces)
        return ifd_note_add(note, IFD_SHAPE, &friction->place, "element '%s': 'friction' has %d numbers; expected %d",
                            e->name, friction->cols, surfaces);
    for (int i = 1; i < surfaces; i++)
        if (!(friction->data[i] > friction->data[i - 1]))
            return ifd_note_add(note, IFD_RANGE, &friction->place,
                                "element '%s': the coefficients of 'friction' are not ascending (%g after %g)",
                                e->name, friction->data[i], friction->data[i - 1]);
    return IFD_OK;
}

/* S[0] is k_e, S[i] the tangent after surface i slides. */
static ifd_status expand(ifd_element *e, ifd_arena *arena, int n, const double *S, const double *force,
                         ifd_note *note)
{
    double pairs[2 * SURFACES], u = force[0] / S[0];
    char text[200];
    int used = 0;
    for (int i = 0; i < n; i++) {
        pairs[2 * i] = S[i] - S[i + 1];
        pairs[2 * i + 1] = u;
        if (!(pairs[2 * i] > 0.0))
            return ifd_note_add(note, IFD_RANGE, NULL,
                                "element '%s': the stiffness rises from %g to %g N/m where surface %d slides; "
                                "expected a decrease: increase 'stiffness', or correct 'radii'",
                                e->name, S[i], S[i + 1], i + 1);
        used += snprintf(text + used, sizeof text - (size_t)used, "%s[%.9g, %.9g]", i ? ", " : "", pairs[2 * i], u);
        if (i + 1 < n)
            u += (force[i + 1] - force[i]) / S[i + 1];
    }
    ifd_note_remark(note, NULL, "'%s' is computed as sliders: [%s], spring: %.9g N/m", e->name, text, S[n]);
    return sliders_keep(e, arena, n, S[n], pairs, 1.0);
}

static ifd_status bearing_make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const ifd_param *p = e->ops->params;
    const ifd_value *radii = ifd_param_get(p, values, "radii"), *friction = ifd_param_get(p, values, "friction");
    int n = p == triple_params ? 3 : 2;
    double N = ifd__element_number(p, values, "load"), S[SURFACES + 1], force[SURFACES];
    IFD_TRY(check_lists(e, radii, friction, n, note));
    double a = radii->data[0], b = radii->data[1];
    S[0] = ifd__element_number(p, values, "stiffness");
    S[1] = n == 2 ? N / a : N / (2.0 * b);
    S[2] = N / (a + b);
    S[3] = N / (2.0 * a);
    for (int i = 0; i < n; i++)
        force[i] = friction->data[i] * N;
    return expand(e, arena, n, S, force, note);
}

const ifd_element_ops ifd__element_double_pendulum_bearing = {
    SLIDERS,
    .name = "double-pendulum-bearing",
    .summary = "a double friction pendulum with constant friction, computed as sliders in parallel",
    .equation = "k_e to mu1 N, then N/R1 to mu2 N, then N/(R1 + R2)",
    .params = double_params,
    .make = bearing_make,
};

const ifd_element_ops ifd__element_triple_pendulum_bearing = {
    SLIDERS,
    .name = "triple-pendulum-bearing",
    .summary = "a triple friction pendulum with constant friction, computed as sliders in parallel",
    .equation = "k_e to mu2 N, then N/(2 R2) to mu1 N, then N/(R1 + R2) to mu4 N, then N/(2 R1); R1 outer, R2 inner",
    .params = triple_params,
    .make = bearing_make,
};
