/* SPDX-License-Identifier: MIT */
/* Maxwell branches in parallel with a spring and a dashpot. A branch is a spring k_i in series with a dashpot of
 * force c_i |v|^a_i:
 *
 *     r = k q + c v + sum f_i,    f_i' = k_i (v - sgn(f_i) (|f_i|/c_i)^(1/a_i))
 *
 * Makris and Constantinou (1991); Oohara and Kasai (2002); the power form: Akcelyan, Lignos and Hikino (2018), Soil
 * Dynamics and Earthquake Engineering 113. */
#include <math.h>

#include "model/element.h"
#include "base/arena.h"

enum { PARTS = 4, ITERATIONS = 7 };

typedef struct maxwell {
    int n;
    double k, c;
    const double *ki, *ci, *ai;
} maxwell;

static const ifd_param params[] = {
    {.name = "branches",
     .dim = IFD_DIM_ANY,
     .shape = IFD_SHAPE_MATRIX,
     .required = true,
     .words = "N/m|N s/m|1",
     .preset = 1,
     IFD_WITHIN(1e-9, 1e18),
     .doc = "rows [k_i, c_i] or [k_i, c_i, a_i], in N/m and N (s/m)^a; the exponent a is above 0.1, at most 2, by "
            "default 1"},
    IFD_OPTION("stiffness", STIFFNESS, 0, 1e18, 0, "k, stiffness of the parallel spring", IFD_AT(maxwell, k)),
    IFD_OPTION("damping", DAMPING, 0, 1e18, 0, "c, damping of the parallel dashpot", IFD_AT(maxwell, c)),
    {0}};

static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const ifd_value *rows = ifd_param_get(params, values, "branches");
    if (rows->rows < 1 || rows->cols < 2 || rows->cols > 3)
        return ifd_note_add(note, IFD_SHAPE, &rows->place,
                            "element '%s': 'branches' has %d rows of %d numbers; expected rows [k, c] or [k, c, a]",
                            e->name, rows->rows, rows->cols);
    size_t n = (size_t)rows->rows;
    double *room;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(room, 3 * n)));
    for (size_t i = 0; i < n; i++) {
        const double *row = rows->data + i * (size_t)rows->cols;
        room[i] = row[0];
        room[n + i] = row[1];
        room[2 * n + i] = rows->cols == 3 ? row[2] : 1.0;
        if (!(room[2 * n + i] > 0.1 && room[2 * n + i] <= 2.0))
            return ifd_note_add(
                note, IFD_RANGE, &rows->place,
                "element '%s': the exponent of branch %d is %g; expected a value above 0.1 and at most 2", e->name,
                (int)i + 1, room[2 * n + i]);
    }
    maxwell d = {.n = rows->rows, .ki = room, .ci = room + n, .ai = room + 2 * n};
    ifd_param_store(params, values, &d);
    e->ns = d.n;
    for (int i = 0; i < d.n; i++)
        e->nroot += d.ai[i] != 1.0;
    return ifd__element_keep(e, arena, &d, sizeof d);
}

/* The velocity of the dashpot of branch i under f. */
static IFD_RT double creep(const maxwell *d, int i, double f)
{
    double a = d->ai[i];
    return a == 1.0 ? f / d->ci[i] : copysign(pow(fabs(f) / d->ci[i], 1.0 / a), f);
}

/* Its derivative. For a > 1 it is unbounded at f = 0: |f| is taken as at least 1e-12 c. */
static IFD_RT double creep_slope(const maxwell *d, int i, double f)
{
    double a = d->ai[i], x = fabs(f) / d->ci[i];
    if (a == 1.0)
        return 1.0 / d->ci[i];
    return pow(a > 1.0 ? fmax(x, 1e-12) : x, 1.0 / a - 1.0) / (a * d->ci[i]);
}

static IFD_RT void eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const maxwell *d = e->data;
    double v = in->qd[0], r = d->k * in->q[0] + d->c * v;
    for (int i = 0; i < d->n; i++) {
        r += in->s[i];
        if (out->r_s)
            out->r_s[i] = 1.0;
        if (out->g)
            out->g[i] = d->ki[i] * (v - creep(d, i, in->s[i]));
        if (out->g_v)
            out->g_v[i] = d->ki[i];
        if (out->g_s)
            out->g_s[i + i * d->n] = -d->ki[i] * creep_slope(d, i, in->s[i]);
    }
    if (out->r)
        out->r[0] = r;
    if (out->r_q)
        out->r_q[0] = d->k;
    if (out->r_v)
        out->r_v[0] = d->c;
}

static IFD_RT void energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    const maxwell *d = e->data;
    double v = in->qd[0];
    *stored = 0.5 * d->k * in->q[0] * in->q[0];
    *dissipated = d->c * v * v;
    for (int i = 0; i < d->n; i++) {
        *stored += 0.5 * in->s[i] * in->s[i] / d->ki[i];
        *dissipated += in->s[i] * creep(d, i, in->s[i]);
    }
}

/* The root of a x + b x^m = r, m > 1 and r >= 0, by Newton's method from above, where the left side is at most 2
 * r. */
static IFD_RT double root_of(double a, double b, double m, double r)
{
    double x = fmin(r / a, pow(r / b, 1.0 / m));
    for (int i = 0; i < ITERATIONS && x > 0.0; i++) {
        double p = b * pow(x, m - 1.0);
        x -= (a * x + p * x - r) / (a + m * p);
    }
    return x;
}

/* f + h k creep(f) = r. For a < 1 the unknown is the force, for a > 1 the velocity of the dashpot: both are
 * smooth. */
static IFD_RT double implicit(const maxwell *d, int i, double h, double r)
{
    double a = d->ai[i], c = d->ci[i], hk = h * d->ki[i];
    double f =
        a < 1.0 ? root_of(1.0, hk * pow(c, -1.0 / a), 1.0 / a, fabs(r)) : c * pow(root_of(hk, c, a, fabs(r)), a);
    return copysign(f, r);
}

/* Over h at the constant rate v: two implicit stages, of second order and L-stable. */
static IFD_RT double follow_power(const maxwell *d, int i, double h, double v, double f)
{
    const double gamma = 0.29289321881345247560; /* 1 - sqrt(2)/2 */
    double kv = d->ki[i] * v, first = implicit(d, i, gamma * h, f + gamma * h * kv);
    double rate = kv - d->ki[i] * creep(d, i, first);
    return implicit(d, i, gamma * h, f + (1.0 - gamma) * h * rate + gamma * h * kv);
}

/* In intervals of constant rate; a linear branch has a closed form. */
static IFD_RT void follow(const ifd_element *e, const ifd_element_move *move, double *s)
{
    const maxwell *d = e->data;
    double h = (move->to - move->from) / PARTS, q = move->q0[0];
    if (!(h > 0.0))
        return;
    for (int part = 1; part <= PARTS; part++) {
        double next = ifd__move_at(move, 0, (double)part / PARTS), v = (next - q) / h;
        for (int i = 0; i < d->n; i++)
            s[i] = d->ai[i] == 1.0 ? s[i] - expm1(-h * d->ki[i] / d->ci[i]) * (d->ci[i] * v - s[i])
                                   : follow_power(d, i, h, v, s[i]);
        q = next;
    }
}

/* A power has a kink in a derivative where the force changes sign. */
static void events(const ifd_element *e, const ifd_element_in *in, double *root)
{
    const maxwell *d = e->data;
    int n = 0;
    for (int i = 0; i < d->n; i++)
        if (d->ai[i] != 1.0)
            root[n++] = in->s[i];
}

const ifd_element_ops ifd__element_maxwell = {
    IFD__ELEMENT_OWN,
    .name = "maxwell",
    .summary = "pairs of a spring and a dashpot in series, such as a viscous damper with its brace; a dashpot is "
               "linear or follows a power law",
    .equation = "r = k q + c v + sum f_i; f_i' = k_i (v - sgn(f_i) (|f_i|/c_i)^(1/a_i))",
    .events = events,
    .follow = follow,
};
