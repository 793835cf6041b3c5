/* SPDX-License-Identifier: MIT */
/* Magnetorheological damper: the modified Bouc-Wen model of Spencer, Dyke, Sain and Carlson (1997), Journal of
 * Engineering Mechanics 123(3):230-238.
 *
 *     r  = c1 y' + k1 (q - x0),    y' = (alpha z + c0 v + k0 (q - y)) / (c0 + c1)
 *     z' = A u - gamma |u| |z|^(n-1) z - beta u |z|^n,    u = v - y'
 *     w' = -eta (w - V)
 *
 * alpha, c0 and c1 are polynomials of w, the voltage (or current) after the lag of the driver. z depends on the
 * motion x = q - y only, and near its limit it relaxes at the rate n A |u| / limit: 2e4 1/s at 0.24 m/s. `follow`
 * therefore divides a step into substeps: w exactly, z exactly along x, y by the implicit midpoint rule.
 *
 * Energy. c1 y' is also the force of the inner branch, alpha z + c0 u + k0 (q - y), so that
 *     r v = k1 (q - x0) v + c1 y'^2 + (alpha z + c0 u + k0 (q - y)) u
 * With the stored energy k1 (q - x0)^2/2 + k0 (q - y)^2/2 + alpha z^2/(2 A) the rest is dissipated; it includes the
 * change of the energy in z by a change of alpha. */
#include <math.h>

#include "model/element/course.h"

enum { TERMS = 4, SAMPLES = 100, MOST_PARTS = 1000, ITERATIONS = 3, OWN = 3 };

/* Largest number of relaxation times of z in a substep. */
static const double parts_rate = 5.0;

typedef struct mr_damper {
    double alpha[TERMS], c0[TERMS], c1[TERMS]; /* polynomials of w */
    double k0, k1, x0, gamma, beta, A, n;
    double limit; /* limit of |z|; infinite without yielding */
    double rate;  /* 1/s, relaxation of z near its limit at the stated velocity */
    int parts;    /* substeps of a step; 0: according to its length */
    ifd__voltage voltage;
} mr_damper;

static const ifd_param params[] = {
    IFD_LIST("alpha", STIFFNESS, -1e12, 1e12,
             "one to four coefficients of a polynomial in w (N/m, N/m/V, ...); default [14000, 69500]"),
    IFD_LIST("c0", DAMPING, -1e12, 1e12,
             "damping of the inner branch, as for alpha (N s/m, ...); default [2100, 350]"),
    IFD_LIST("c1", DAMPING, -1e12, 1e12, "damping in series, above zero, as for alpha; default [28300, 295]"),
    IFD_OPTION("k0", STIFFNESS, 0, 1e12, 4690, "stiffness of the inner branch", IFD_AT(mr_damper, k0)),
    IFD_OPTION("k1", STIFFNESS, 0, 1e12, 500, "stiffness of the accumulator", IFD_AT(mr_damper, k1)),
    IFD_OPTION("x0", LENGTH, 0, 1e3, 0.143, "offset of the accumulator: the force at rest is -k1 x0",
               IFD_AT(mr_damper, x0)),
    IFD_OPTION("gamma", ANY, 0, 1e18, 3.63e6, "1/m^n", IFD_AT(mr_damper, gamma)),
    IFD_OPTION("beta", ANY, 0, 1e18, 3.63e6, "1/m^n; |z| remains below (A/(beta + gamma))^(1/n)",
               IFD_AT(mr_damper, beta)),
    IFD_OPTION("A", NONE, 0, 1e12, 301, "initial slope of z", IFD_AT(mr_damper, A)),
    IFD_OPTION("n", NONE, 1, 100, 2, "sharpness of yielding", IFD_AT(mr_damper, n)),
    IFD__VOLTAGE_PARAMS(mr_damper),
    IFD_OPTION("substeps", NONE, 0, MOST_PARTS, 0,
               "substeps of a step for the states of the element, with LSRT methods and as a specimen; 0: "
               "automatic",
               IFD_AT(mr_damper, parts)),
    IFD_OPTION("velocity", VELOCITY, 1e-6, 1e3, 0.25, "v, largest expected velocity, for automatic substeps"),
    IFD__CONTROL_PARAM,
    {0}};

static IFD_RT double polynomial(const double *a, double w, double *slope)
{
    *slope = a[1] + w * (2.0 * a[2] + 3.0 * w * a[3]);
    return a[0] + w * (a[1] + w * (a[2] + w * a[3]));
}

/* The polynomial of w, if given: zero or more between 0 and max-voltage, or positive. */
static ifd_status read_terms(const ifd_element *e, const ifd_value *values, const char *name, bool positive,
                             double *out, ifd_note *note)
{
    const ifd_value *v = ifd_param_get(params, values, name);
    double most = ifd__element_number(params, values, "max-voltage");
    if (!v->given)
        return IFD_OK;
    if (v->cols < 1 || v->cols > TERMS)
        return ifd_note_add(note, IFD_SHAPE, &v->place, "element '%s': '%s' has %d numbers; expected 1 to %d",
                            e->name, name, v->cols, TERMS);
    for (int i = 0; i < TERMS; i++)
        out[i] = i < v->cols ? v->data[i] : 0.0;
    for (int i = 0; i <= SAMPLES; i++) {
        double w = i * most / SAMPLES, slope, value = polynomial(out, w, &slope);
        if (!(value > 0.0) && (positive || value < 0.0))
            return ifd_note_add(note, IFD_RANGE, &v->place,
                                "element '%s': '%s' is %g at %g V; expected a number %s up to max-voltage", e->name,
                                name, value, w, positive ? "above zero" : "of zero or more");
    }
    return IFD_OK;
}

static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    mr_damper d = {.alpha = {14000, 69500}, .c0 = {2100, 350}, .c1 = {28300, 295}, .voltage = {.own = OWN}};
    ifd_param_store(params, values, &d);
    IFD_TRY(read_terms(e, values, "alpha", false, d.alpha, note));
    IFD_TRY(read_terms(e, values, "c0", false, d.c0, note));
    IFD_TRY(read_terms(e, values, "c1", true, d.c1, note));
    IFD_TRY(ifd__voltage_make(e, params, values, arena, &d.voltage, note));
    d.limit = pow(d.A / (d.beta + d.gamma), 1.0 / d.n);
    if (d.A > 0.0)
        d.rate = d.n * d.A * ifd__element_number(params, values, "velocity") / d.limit;
    e->nroot = 2 + ifd__voltage_roots(&d.voltage);
    return ifd__element_keep(e, arena, &d, sizeof d);
}

/* Quantities that the derivatives share. */
typedef struct at {
    double v, z, w;
    double alpha, alpha_w, c0, c0_w, c1, c1_w;
    double total, y_rate, y_w; /* c0 + c1; y', its derivative with respect to w */
    double u, w_rate;
} at;

static IFD_RT at point(const mr_damper *d, const ifd_element_in *in)
{
    at p = {.v = in->qd[0], .z = in->s[1], .w = in->s[2]};
    p.alpha = polynomial(d->alpha, p.w, &p.alpha_w);
    p.c0 = polynomial(d->c0, p.w, &p.c0_w);
    p.c1 = polynomial(d->c1, p.w, &p.c1_w);
    p.total = p.c0 + p.c1;
    p.y_rate = (p.alpha * p.z + p.c0 * p.v + d->k0 * (in->q[0] - in->s[0])) / p.total;
    p.y_w = (p.alpha_w * p.z + p.c0_w * p.v - p.y_rate * (p.c0_w + p.c1_w)) / p.total;
    p.u = p.v - p.y_rate;
    p.w_rate = -d->voltage.eta * (p.w - ifd__voltage_at(&d->voltage, in));
    return p;
}

/* |z|^(n-1) */
static IFD_RT double power(const mr_damper *d, double z)
{
    double a = fabs(z);
    return d->n == 2.0 ? a : d->n == 1.0 ? 1.0 : pow(a, d->n - 1.0);
}

static IFD_RT void eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const mr_damper *d = e->data;
    at p = point(d, in);
    double zn1 = power(d, p.z), y_q = d->k0 / p.total, y_v = p.c0 / p.total, y_z = p.alpha / p.total;
    double z_u = d->A - zn1 * (d->gamma * ifd__sign(p.u) * p.z + d->beta * fabs(p.z));
    if (out->r)
        out->r[0] = p.c1 * p.y_rate + d->k1 * (in->q[0] - d->x0);
    if (out->r_q)
        out->r_q[0] = p.c1 * y_q + d->k1;
    if (out->r_v)
        out->r_v[0] = p.c1 * y_v;
    if (out->r_s) {
        out->r_s[0] = -p.c1 * y_q;
        out->r_s[e->nq] = p.c1 * y_z;
        out->r_s[2 * e->nq] = p.c1_w * p.y_rate + p.c1 * p.y_w;
    }
    if (out->g) {
        out->g[0] = p.y_rate;
        out->g[1] = d->A * p.u - zn1 * (d->gamma * fabs(p.u) * p.z + d->beta * p.u * fabs(p.z));
    }
    if (out->g_q) {
        out->g_q[0] = y_q;
        out->g_q[1] = -z_u * y_q;
    }
    if (out->g_v) {
        out->g_v[0] = y_v;
        out->g_v[1] = z_u * (1.0 - y_v);
    }
    if (out->g_s) { /* columns y, z, w */
        double *z = out->g_s + e->ns, *w = z + e->ns;
        out->g_s[0] = -y_q;
        out->g_s[1] = z_u * y_q;
        z[0] = y_z;
        z[1] = -d->n * zn1 * (d->gamma * fabs(p.u) + d->beta * p.u * ifd__sign(p.z)) - z_u * y_z;
        w[0] = p.y_w;
        w[1] = -z_u * p.y_w;
    }
    ifd__voltage_rates(&d->voltage, e, in, 2, out);
}

static IFD_RT void energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    const mr_damper *d = e->data;
    at p = point(d, in);
    double pushed = in->q[0] - d->x0, inner = in->q[0] - in->s[0], zn1 = power(d, p.z);
    double yielded = zn1 * (d->gamma * fabs(p.u) * p.z + d->beta * p.u * fabs(p.z)); /* A u - z' */
    double share = d->A > 0.0 ? p.z / d->A : 0.0;
    *stored = 0.5 * (d->k1 * pushed * pushed + d->k0 * inner * inner + p.alpha * p.z * share);
    *dissipated = p.c1 * p.y_rate * p.y_rate + p.c0 * p.u * p.u + p.alpha * share * yielded -
                  0.5 * p.alpha_w * p.w_rate * p.z * share;
}

static IFD_RT int parts_of(const mr_damper *d, double h)
{
    if (d->parts)
        return d->parts;
    double parts = ceil(d->rate * h / parts_rate - 1e-6); /* tolerance: a step that is 1 ulp longer has the same
                                                           * number */
    return parts > MOST_PARTS ? MOST_PARTS : parts > 1.0 ? (int)parts : 1;
}

/* One substep: from q over dq in h, with V = target. y1 = y + h y'(mean of both ends), and z1 is z after the
 * path x1 - x = dq - (y1 - y). The derivative of the equation for y1 is between 1 and 1 + h (alpha A + k0)/2 (c0 +
 * c1). */
static IFD_RT void follow_part(const mr_damper *d, double target, double h, double q, double dq, double *s)
{
    double decay = exp(-d->voltage.eta * h), w1 = target + (s[2] - target) * decay, ignored;
    double w = 0.5 * (s[2] + w1), y0 = s[0], z0 = s[1], moved, z1 = z0, slope = 0.0;
    double alpha = polynomial(d->alpha, w, &ignored), c0 = polynomial(d->c0, w, &ignored);
    double total = c0 + polynomial(d->c1, w, &ignored), middle = q + 0.5 * dq;
    moved = h * (alpha * z0 + c0 * dq / h + d->k0 * (middle - y0)) / total;
    for (int i = 0; i < ITERATIONS; i++) {
        z1 = z0;
        if (d->A > 0.0)
            z1 = ifd__bouc_wen_move(d->gamma / d->A, d->beta / d->A, d->n, z0, d->A * (dq - moved), &slope);
        double rate = 0.5 * alpha * (z0 + z1) + c0 * dq / h + d->k0 * (middle - y0 - 0.5 * moved);
        double miss = moved - h * rate / total;
        moved -= miss / (1.0 + 0.5 * h * (alpha * d->A * slope + d->k0) / total);
    }
    if (d->A > 0.0)
        z1 = ifd__bouc_wen_move(d->gamma / d->A, d->beta / d->A, d->n, z0, d->A * (dq - moved), &slope);
    s[0] = y0 + moved;
    s[1] = z1;
    s[2] = w1;
}

/* V in the middle of substep i, over which the states of the law are advanced. */
static IFD_RT double voltage_in(const mr_damper *d, const ifd_element_move *move, int i, int parts, double *s)
{
    const ifd__voltage *v = &d->voltage;
    double h = move->to - move->from;
    if (!v->law.nin)
        return ifd__voltage_at(v, &(ifd_element_in){.t = move->from + (i - 0.5) * h / parts});
    return ifd__voltage_limited(v, ifd__control_follow(&v->law, move, (i - 1.0) / parts, (double)i / parts, s));
}

static IFD_RT void follow(const ifd_element *e, const ifd_element_move *move, double *s)
{
    const mr_damper *d = e->data;
    double h = move->to - move->from, q = move->q0[0];
    if (!(h > 0.0))
        return;
    int parts = parts_of(d, h);
    for (int i = 1; i <= parts; i++) {
        double next = ifd__move_at(move, 0, (double)i / parts);
        follow_part(d, voltage_in(d, move, i, parts, s), h / parts, q, next - q, s);
        q = next;
    }
}

/* |u| has a kink where the inner branch reverses, |z|^n one at z = 0; then V. */
static void events(const ifd_element *e, const ifd_element_in *in, double *root)
{
    const mr_damper *d = e->data;
    root[0] = point(d, in).u;
    root[1] = in->s[1];
    ifd__voltage_events(&d->voltage, in, root + 2);
}

/* Relaxation times of z in a step, at the stated velocity. */
static double relaxations(const ifd_element *e, double h, bool followed)
{
    const mr_damper *d = e->data;
    return d->rate * h / (followed ? parts_of(d, h) : 1);
}

static double jump(const ifd_element *e, double t)
{
    const mr_damper *d = e->data;
    return ifd__course_jump(&d->voltage.level, t);
}

const ifd_element_ops ifd__element_mr_damper = {
    IFD__ELEMENT_OWN,
    .name = "mr-damper",
    .summary = "a magnetorheological damper (modified Bouc-Wen model) with a delayed voltage or current",
    .equation = "r = c1 y' + k1 (q - x0); y' = (alpha z + c0 v + k0 (q - y))/(c0 + c1); "
                "z' = A u - gamma |u| |z|^(n-1) z - beta u |z|^n, u = v - y'; w' = -eta (w - V)",
    .events = events,
    .follow = follow,
    .relaxations = relaxations,
    .jump = jump,
};
