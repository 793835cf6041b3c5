/* SPDX-License-Identifier: MIT */
/* Friction pendulum bearing: sliding on a concave surface in one or two horizontal directions, with friction that
 * depends on velocity and pressure. Constantinou, Mokha and Reinhorn (1990), Journal of Structural Engineering
 * 116(2); Tsopelas, Constantinou, Kim and Okamoto (1996), EESD 25(1).
 *
 *     r = (N/R) q + mu N Z,    Y Z' = v - Z max(v.Z, 0)
 *     mu = f - (f - fmin) exp(-a |v|),    f = f0 - (f0 - fp) tanh(eps N/area)
 *
 * N is the compression: constant, a function of time, or that of the bearing's own vertical spring (last coordinate,
 * elongation w), N = max(N0 - kv w, 0) with the vertical force r_w = N0 - N; or N0 and the force of another spring of
 * the model, whose elongation is the last coordinate: the same N, and no vertical force here. Or the load follows a
 * measured force: N0 (1 + d), where the last state d has the rate zero and a test writes it between two steps. During
 * uplift (N = 0) Z is constant.
 *
 * The equation of Z depends on the path only. Along a straight move of length x Y in the direction e, its component a
 * along e and its rest b change as a' = 1 - a^2, b' = -a b where a > 0, and as a' = 1, b' = 0 where a < 0, so that
 *
 *     a(x) = (a + t)/(1 + a t),    b(x) = b sech(x)/(1 + a t),    t = tanh(x).
 *
 * `follow` uses this solution: with Y of a millimetre a step may be longer than Y/|v|. Energy: N |q|^2/(2R) and that
 * of the vertical spring are stored; a change of N changes the first without work of r, which is in the other
 * part. During uplift r_w = N0 and N0 (w - N0/(2 kv)) is stored: a change of N0 changes that too. */
#include <math.h>

#include "model/element/course.h"

enum { DIRECTIONS = 2, PARTS = 4 };

typedef struct pendulum {
    int nz;                     /* horizontal directions */
    bool vertical;              /* the coordinate after them */
    bool watched;               /* it is that of another spring */
    bool measured;              /* the state after Z is the relative change of the load */
    ifd__course load;           /* N0, N */
    double k;                   /* kv, N/m */
    double curvature;           /* 1/R, 1/m; 0: flat */
    double Y;                   /* m */
    double f0, fp, fmin;        /* friction: at rest of pressure, at high pressure, at zero velocity */
    double rate, pressure_rate; /* s/m; eps/area, 1/N */
} pendulum;

const ifd_param ifd__pendulum_params[] = {
    IFD_OPTION("load", FORCE, -1e15, 1e15, 0,
               "N, compression; with a vertical spring its value at rest; a negative value counts as zero"),
    IFD_MATRIX("schedule", ANY, -1e15, 1e15,
               "rows [simulated time, N] with ascending times from 0, linear between them; or a CSV file with these "
               "columns",
               .file = true, .words = "s|N"),
    IFD_OPTION("vertical-stiffness", STIFFNESS, 0, 1e18, 0,
               "kv, stiffness of the bearing in the last, vertical pair of `between` (lower end first); the "
               "load then follows the motion",
               IFD_AT(pendulum, k)),
    IFD_OPTION("radius", LENGTH, 0, 1e6, 0, "R, effective radius of the surface; 0: flat"),
    IFD_NEEDED("friction", NONE, 0, 1, "f0, coefficient of friction of fast motion at low pressure",
               IFD_AT(pendulum, f0)),
    IFD_OPTION("friction-high-pressure", NONE, 0, 1, 0, "fp, coefficient of fast motion at high pressure; 0: f0"),
    IFD_OPTION("friction-slow", NONE, 0, 1, 0, "fmin, coefficient at zero velocity; 0: f0"),
    IFD_OPTION("rate", ANY, 0, 1e6, 50, "a, rate of the transition to f, in s/m", IFD_AT(pendulum, rate)),
    IFD_OPTION("pressure-rate", ANY, 0, 1, 0, "eps, in 1/Pa; 0: no effect of the pressure"),
    IFD_OPTION("area", AREA, 1e-9, 1e4, 1, "contact area of the slider"),
    IFD_OPTION("yield-displacement", LENGTH, 1e-9, 1, 1e-3, "Y, elastic displacement before sliding",
               IFD_AT(pendulum, Y)),
    IFD_OPTION("watched", STIFFNESS, 0, 1e18, 0, "set from `load-of:`: stiffness of the named spring"),
    IFD_FLAG("measured", "set from `load-of:`: the load follows the measured force of the named actuator",
             IFD_AT(pendulum, measured)),
    {0}};

static ifd_status check(const ifd_element *e, const pendulum *d, const ifd_value *values, ifd_note *note)
{
    const ifd_value *k = ifd_param_get(ifd__pendulum_params, values, "vertical-stiffness");
    if ((d->watched || d->measured) && k->given)
        return ifd_note_add(note, IFD_CONFLICT, &k->place,
                            "element '%s' has both 'load-of' and 'vertical-stiffness'; expected one of them",
                            e->name);
    if (d->vertical && d->nz < 1)
        return ifd_note_add(note, IFD_SHAPE, &k->place,
                            "element '%s' has 'vertical-stiffness' and one pair of ends; expected the horizontal "
                            "pairs and then the vertical one",
                            e->name);
    if (d->nz > DIRECTIONS)
        return ifd_note_add(note, IFD_SHAPE, NULL,
                            "element '%s' slides in %d directions; expected one or two, and 'vertical-stiffness' for "
                            "a vertical pair after them",
                            e->name, d->nz);
    if (!ifd_param_get(ifd__pendulum_params, values, "load")->given &&
        !ifd_param_get(ifd__pendulum_params, values, "schedule")->given)
        return ifd_note_add(note, IFD_MISSING_KEY, NULL,
                            "element '%s' has no compression; expected 'load' or 'schedule'", e->name);
    return IFD_OK;
}

static double number_or(const ifd_value *values, const char *name, double absent)
{
    const ifd_value *v = ifd_param_get(ifd__pendulum_params, values, name);
    return v->given ? v->number : absent;
}

static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const ifd_param *p = ifd__pendulum_params;
    double radius = ifd__element_number(p, values, "radius"), watched = ifd__element_number(p, values, "watched");
    pendulum d = {.curvature = radius > 0.0 ? 1.0 / radius : 0.0,
                  .pressure_rate =
                      ifd__element_number(p, values, "pressure-rate") / ifd__element_number(p, values, "area")};
    ifd_param_store(p, values, &d);
    d.fp = number_or(values, "friction-high-pressure", d.f0);
    d.fmin = number_or(values, "friction-slow", d.f0);
    d.watched = watched > 0.0;
    d.k = d.watched ? watched : d.k;
    d.vertical = d.k > 0.0;
    d.nz = e->nq - d.vertical;
    IFD_TRY(check(e, &d, values, note));
    const ifd__course_params of = {p, "schedule", "load", "N"};
    IFD_TRY(ifd__course_make(e, &of, values, arena, &d.load, note));
    e->ns = d.nz + d.measured;
    e->nroot = (d.nz == 1 ? 2 : 1) + 1;
    return ifd__element_keep(e, arena, &d, sizeof d);
}

/* Compression, its derivatives with respect to w and time (with the motion), and what is left of it below zero. */
typedef struct load {
    double N, N_w, rate, start, slope, free; /* start: N0, slope: its rate */
} load;

static IFD_RT load load_at(const pendulum *d, double t, const double *q, const double *v, const double *s)
{
    load l;
    double part = d->measured ? 1.0 + s[d->nz] : 1.0;
    l.start = part * ifd__course_linear(&d->load, t, &l.slope);
    l.slope *= part;
    l.free = l.start - (d->vertical ? d->k * q[d->nz] : 0.0);
    bool pressed = l.free > 0.0;
    l.N = pressed ? l.free : 0.0;
    l.N_w = pressed && d->vertical ? -d->k : 0.0;
    l.rate = pressed ? l.slope + (d->vertical ? l.N_w * v[d->nz] : 0.0) : 0.0;
    return l;
}

/* mu and its derivatives with respect to N and |v|. */
typedef struct friction {
    double mu, mu_N, mu_v, speed;
} friction;

static IFD_RT friction friction_at(const pendulum *d, double N, const double *v)
{
    double t = tanh(d->pressure_rate * N), f = d->f0 - (d->f0 - d->fp) * t, vv = 0.0;
    for (int i = 0; i < d->nz; i++)
        vv += v[i] * v[i];
    friction m = {.speed = sqrt(vv)};
    double slow = exp(-d->rate * m.speed);
    m.mu = f - (f - d->fmin) * slow;
    m.mu_N = -(d->f0 - d->fp) * (1.0 - t * t) * d->pressure_rate * (1.0 - slow);
    m.mu_v = (f - d->fmin) * d->rate * slow;
    return m;
}

static IFD_RT void forces(const pendulum *d, const ifd_element_in *in, const ifd_element_out *out)
{
    int nq = d->nz + d->vertical;
    load l = load_at(d, in->t, in->q, in->qd, in->s);
    friction m = friction_at(d, l.N, in->qd);
    double slope, unit = d->measured ? ifd__course_linear(&d->load, in->t, &slope) : 0.0;
    for (int i = 0; i < d->nz; i++) {
        double z = in->s[i], q = in->q[i] * d->curvature;
        if (out->r)
            out->r[i] = l.N * (q + m.mu * z);
        if (out->r_q)
            out->r_q[i + i * nq] = l.N * d->curvature;
        if (out->r_q && d->vertical)
            out->r_q[i + d->nz * nq] = l.N_w * (q + (m.mu + l.N * m.mu_N) * z);
        for (int j = 0; out->r_v && m.speed > 0.0 && j < d->nz; j++)
            out->r_v[i + j * nq] = l.N * z * m.mu_v * in->qd[j] / m.speed;
        if (out->r_s)
            out->r_s[i + i * nq] = l.N * m.mu;
        if (out->r_s && d->measured && l.N > 0.0)
            out->r_s[i + d->nz * nq] = unit * (q + (m.mu + l.N * m.mu_N) * z);
    }
    if (d->watched)
        return;
    if (out->r && d->vertical)
        out->r[d->nz] = l.start - l.N;
    if (out->r_q && d->vertical)
        out->r_q[d->nz + d->nz * nq] = -l.N_w;
}

static IFD_RT double along(int n, const double *v, const double *z)
{
    return n == 1 ? v[0] * z[0] : v[0] * z[0] + v[1] * z[1];
}

static IFD_RT void rates(const pendulum *d, const ifd_element_in *in, const ifd_element_out *out)
{
    int n = d->nz, ns = n + d->measured;
    double p = fmax(along(n, in->qd, in->s), 0.0);
    for (int i = 0; i < n; i++) {
        double z = in->s[i];
        if (out->g)
            out->g[i] = (in->qd[i] - z * p) / d->Y;
        for (int j = 0; j < n; j++) {
            double on = p > 0.0 ? z : 0.0;
            if (out->g_v)
                out->g_v[i + j * ns] = ((i == j) - on * in->s[j]) / d->Y;
            if (out->g_s)
                out->g_s[i + j * ns] = -((i == j ? p : 0.0) + on * in->qd[j]) / d->Y;
        }
    }
}

static IFD_RT void eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const pendulum *d = e->data;
    forces(d, in, out);
    if ((out->g || out->g_v || out->g_s) && load_at(d, in->t, in->q, in->qd, in->s).N > 0.0)
        rates(d, in, out);
}

static IFD_RT void energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    const pendulum *d = e->data;
    load l = load_at(d, in->t, in->q, in->qd, in->s);
    double half = 0.5 * d->curvature * along(d->nz, in->q, in->q);
    *stored = l.N * half;
    *dissipated = friction_at(d, l.N, in->qd).mu * l.N * along(d->nz, in->qd, in->s) - l.rate * half;
    if (!d->vertical || d->watched)
        return;
    *stored += (l.start - l.N) * (in->q[d->nz] - 0.5 * (l.start - l.N) / d->k);
    if (!(l.free > 0.0))
        *dissipated -= l.slope * (in->q[d->nz] - l.start / d->k);
}

/* The closed form along a straight move. */
static IFD_RT void slide(const pendulum *d, const double *dq, double *z)
{
    double length = sqrt(along(d->nz, dq, dq)), x = length / d->Y;
    if (!(length > 0.0))
        return;
    double a = along(d->nz, dq, z) / length, start = a;
    double back = a < 0.0 ? fmin(x, -a) : 0.0;
    a += back;
    x -= back;
    double t = tanh(x), below = 1.0 + a * t, end = (a + t) / below, rest = 1.0 / (cosh(x) * below);
    for (int i = 0; i < d->nz; i++) {
        double e = dq[i] / length;
        z[i] = (z[i] - start * e) * rest + end * e;
    }
}

static IFD_RT void follow(const ifd_element *e, const ifd_element_move *move, double *s)
{
    const pendulum *d = e->data;
    double q[DIRECTIONS + 1], dq[DIRECTIONS + 1], middle[DIRECTIONS + 1] = {0.0}, h = move->to - move->from;
    if (!(h > 0.0))
        return;
    for (int i = 0; i < e->nq; i++)
        q[i] = move->q0[i];
    for (int part = 1; part <= PARTS; part++) {
        for (int i = 0; i < e->nq; i++) {
            double next = ifd__move_at(move, i, (double)part / PARTS);
            dq[i] = next - q[i];
            middle[i] = q[i] + 0.5 * dq[i];
            q[i] = next;
        }
        if (load_at(d, move->from + (part - 0.5) * h / PARTS, middle, dq, s).N > 0.0)
            slide(d, dq, s);
    }
}

/* |Z| <= 1 */
static IFD_RT void settle(const ifd_element *e, double *s, double *rate, double *pseudo)
{
    const pendulum *d = e->data;
    double zz = along(d->nz, s, s);
    for (int i = 0; zz > 1.0 && i < d->nz; i++)
        s[i] /= sqrt(zz);
}

/* Uplift; and where max(v.Z, 0), and in one direction |v|, has a kink. */
static void events(const ifd_element *e, const ifd_element_in *in, double *root)
{
    const pendulum *d = e->data;
    root[0] = load_at(d, in->t, in->q, in->qd, in->s).free;
    root[1] = d->nz == 1 ? in->qd[0] : along(d->nz, in->qd, in->s);
    if (d->nz == 1)
        root[2] = in->s[0];
}

/* The state after Z, if the load is measured. */
static int load_factor(const ifd_element *e)
{
    return e->ns > e->nq ? e->ns - 1 : -1;
}

const ifd_element_ops ifd__element_friction_pendulum = {
    .abi = IFD_ELEMENT_ABI,
    .name = "friction-pendulum",
    .summary = "a friction pendulum or flat slider in one or two directions. The bearing may lift off, and its "
               "friction may depend on velocity and pressure",
    .equation = "r = (N/R) q + mu N Z; Y Z' = v - Z max(v.Z, 0); mu = f - (f - fmin) exp(-a |v|); "
                "f = f0 - (f0 - fp) tanh(eps N/area)",
    .params = ifd__pendulum_params,
    .make = make,
    .eval = eval,
    .energy = energy,
    .settle = settle,
    .events = events,
    .follow = follow,
    .load_factor = load_factor,
    .flags = IFD_ELEMENT_STOREY | IFD_ELEMENT_SEVERAL,
};
