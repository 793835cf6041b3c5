/* SPDX-License-Identifier: MIT */
/* Coupled inverse of several actuators on one specimen:
 *
 *     u = A0 x + A1 x' + A2 x'' + L x_l,   x_l' = w (x - x_l)
 *
 * with a matrix for each term. The inverse of coupled actuators has a pole at every zero of the determinant of their
 * response. A slow one, between the poles of the actuators, makes the series in x, x', x'' useless near its
 * frequency; x_l, a first-order lag at that frequency, represents it.
 *
 * Each interface of a drive has an instance, which computes one row of u. With `doubt` the row is identified during
 * the test by recursive least squares, as in adaptive.c: u and all x_m and x pass the same Butterworth filter, whose
 * states are the derivatives, and the filtered targets are the instruments. Terms whose row is zero stay zero.
 *
 * Scales: coefficient ij is measured in n_i/n_j, the noises of its dofs, so that dofs may have different units. */
#include "rig/compensator/compensator.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "rig/compensator/butterworth.h"
#include "rig/compensator/recursive.h"

enum { AXES = 6, TERMS = 4, MOST = IFD__RECURSIVE_MOST }; /* terms: x, x', x'', lag */
/* Per axis: filters of x_m and x with the lag of the filtered signal; lag of the target, last target. */
enum { FILTER = IFD__BUTTERWORTH_SIZE + 1, LAG = IFD__BUTTERWORTH_SIZE };

typedef struct decoupling {
    int axes, row;
    bool learns;
    ifd__recursive rls; /* by terms, then axes; of th w^term */
    double power[TERMS];
    double w, keep, was, is; /* lag: x_l = keep x_l + was x_{k-1} + is x_k, exact for x linear in a tick */
    ifd__butterworth filter;
    int lagged, last, u, xm, x, th, P; /* offsets */
} decoupling;

static const ifd_param params[] = {
    IFD_MATRIX("position", ANY, -1e12, 1e12, "A0, coefficients of the targets, one row for each dof; default 1"),
    IFD_MATRIX("velocity", ANY, -1e12, 1e12, "A1, coefficients of their velocities, in s; default 0"),
    IFD_MATRIX("acceleration", ANY, -1e12, 1e12, "A2, coefficients of their accelerations, in s2; default 0"),
    IFD_MATRIX("lag", ANY, -1e12, 1e12, "L, coefficients of the targets after a first-order lag; default 0"),
    IFD_OPTION("corner", FREQUENCY, 1e-3, 1e6, 5, "corner frequency of the lag"),
    IFD_OPTION("row", NONE, 1, AXES, 1, "row of this command; a drive sets it"),
    IFD_OPTION(
        "doubt", NONE, 0, 1e3, 0,
        "expected error of the coefficients, relative to the largest of the same term in the row; 0: no adaptation"),
    IFD_OPTION("bound", NONE, 0, 1e3, 2, "largest change of a coefficient, relative in the same way"),
    IFD_OPTION("filter", FREQUENCY, 1e-3, 1e6, 10, "cut-off of the filter of u, x_m and the target"),
    IFD_LIST("noise", ANY, 1e-12, 1,
             "standard deviation of the noise in x_m of each dof, in m or rad; default 1.6e-5"),
    IFD_OPTION("memory", TIME, 0, 1e6, 20, "time constant with which older data are forgotten; 0: never"),
    IFD__COMPENSATOR_PARAMS,
    {0},
};

int ifd__decoupling_size(const ifd_value *values)
{
    static const char *const name[TERMS] = {"position", "velocity", "acceleration", "lag"};
    for (int i = 0; i < TERMS; i++)
        if (ifd_param_get(params, values, name[i])->given)
            return ifd_param_get(params, values, name[i])->rows;
    return 1;
}

/* Sizes of the matrices, and the row. */
static ifd_status refuse(const ifd_compensator *c, const ifd_value *values, ifd_note *note)
{
    static const char *const name[TERMS] = {"position", "velocity", "acceleration", "lag"};
    const ifd_value *noise = ifd_param_get(params, values, "noise");
    int n = ifd__decoupling_size(values);
    for (int i = 0; i < TERMS; i++) {
        const ifd_value *m = ifd_param_get(params, values, name[i]);
        if (m->given && (m->rows != n || m->cols != n || n > AXES))
            return ifd_note_add(
                note, IFD_SHAPE, &m->place,
                "compensation '%s': '%s' is %d x %d, expected a square matrix with a row per dof, the "
                "same in all terms, at most %d",
                c->kind->name, name[i], m->rows, m->cols, (int)AXES);
    }
    if (noise->given && noise->cols != n)
        return ifd_note_add(note, IFD_SHAPE, &noise->place,
                            "compensation '%s': 'noise' has %d numbers, expected %d, one per dof", c->kind->name,
                            noise->cols, n);
    double row = ifd_param_get(params, values, "row")->number;
    if (n > 0 && !(row <= n))
        return ifd_note_add(note, IFD_RANGE, &ifd_param_get(params, values, "row")->place,
                            "compensation '%s': row %g of matrices with %d rows", c->kind->name, row, n);
    return IFD_OK;
}

int ifd__decoupling_axes(const ifd_compensator *c, int *row)
{
    const decoupling *d = c->kind == &ifd__compensator_decoupling ? c->data : NULL;
    *row = d ? d->row + 1 : 0;
    return d ? d->axes : 0;
}

/* The row of each term, its doubt and its bound. */
static void read_row(const ifd_compensator *c, const ifd_value *values, decoupling *d)
{
    static const char *const name[TERMS] = {"position", "velocity", "acceleration", "lag"};
    const ifd_value *noise = ifd_param_get(params, values, "noise");
    double doubt = ifd__compensator_number(c, values, "doubt"), bound = ifd__compensator_number(c, values, "bound");
    int n = d->axes;
    for (int i = 0; i < TERMS; i++) {
        const ifd_value *m = ifd_param_get(params, values, name[i]);
        double largest = 0.0;
        d->power[i] = i == 0 || i == 3 ? 1.0 : d->power[i - 1] * d->filter.w;
        for (int j = 0; j < n; j++) {
            double of = noise->given ? noise->data[j] : 1.6e-5;
            d->rls.start[i * n + j] = m->given ? m->data[d->row * n + j] * d->power[i] : i == 0 && j == d->row;
            largest = fmax(largest, fabs(d->rls.start[i * n + j]) * of);
        }
        for (int j = 0; j < n; j++) {
            double of = noise->given ? noise->data[j] : 1.6e-5, own = noise->given ? noise->data[d->row] : 1.6e-5;
            double ratio = doubt * largest / (of * own);
            d->rls.prior[i * n + j] = ratio * ratio;
            d->rls.bound[i * n + j] = bound * largest / of;
        }
    }
    d->learns = doubt > 0.0;
}

static void lay_out(ifd_compensator *c, decoupling *d)
{
    int n = d->axes, count = d->rls.count;
    d->lagged = ifd__compensator_states(c, "lag", n, IFD_STATE_REAL);
    d->last = ifd__compensator_states(c, "targets", n, IFD_STATE_HISTORY);
    if (d->learns) {
        d->u = ifd__compensator_states(c, "filters", IFD__BUTTERWORTH_SIZE + 2 * n * FILTER, IFD_STATE_REAL);
        d->xm = d->u + IFD__BUTTERWORTH_SIZE;
        d->x = d->xm + n * FILTER;
    }
    d->th = ifd__compensator_states(c, "coefficients", d->learns ? count + count * count : count, IFD_STATE_INTEGER);
    if (d->learns)
        d->P = d->th + count; /* their covariance */
}

static ifd_status make(ifd_compensator *c, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    decoupling *d;
    IFD_TRY(refuse(c, values, note));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d, 1)));
    double memory = ifd__compensator_number(c, values, "memory");
    d->axes = ifd__decoupling_size(values);
    d->row = (int)ifd__compensator_number(c, values, "row") - 1;
    d->rls.count = TERMS * d->axes;
    d->rls.bounded = true;
    d->rls.forget = memory > 0 ? exp(-c->h / memory) : 1.0;
    d->w = 6.28318530717958647693 * ifd__compensator_number(c, values, "corner");
    d->keep = exp(-d->w * c->h);
    double mean = -expm1(-d->w * c->h) / (d->w * c->h);
    d->is = 1.0 - mean;
    d->was = mean - d->keep;
    IFD_TRY(ifd__butterworth_make(arena, ifd__compensator_number(c, values, "filter"), c->h, &d->filter));
    read_row(c, values, d);
    lay_out(c, d);
    c->data = d;
    return IFD_OK;
}

/* The other dofs become known at the first tick. */
static void begin(const ifd_compensator *c, double x, double *s)
{
    const decoupling *d = c->data;
    (void)x;
    memcpy(s + d->th, d->rls.start, sizeof *s * (size_t)d->rls.count);
    for (int i = 0; i < d->rls.count && d->learns; i++)
        s[d->P + i * (d->rls.count + 1)] = d->rls.prior[i];
}

static void begin_filter(double value, double *s)
{
    ifd__butterworth_begin(value, s);
    s[LAG] = value;
}

static void begin_dofs(const decoupling *d, const ifd_compensator_in *axis, double *s)
{
    for (int j = 0; j < d->axes; j++) {
        s[d->lagged + j] = s[d->last + j] = axis[j].x;
        if (!d->learns)
            continue;
        begin_filter(axis[j].xm, s + d->xm + j * FILTER);
        begin_filter(ifd__now_x(&axis[j]), s + d->x + j * FILTER);
    }
}

/* All dofs of the drive; without a drive this one. */
static const ifd_compensator_in *dofs(const decoupling *d, const ifd_compensator_in *in)
{
    const ifd_compensator_in *axis = in->axis ? in->axis : in;
    assert(d->axes == (in->axis ? in->axes : 1));
    return axis;
}

/* The look-ahead T applies to x, x' and x_l by their series to the second derivative. */
static double step(const ifd_compensator *c, const ifd_compensator_in *in, const double target[4], double *s)
{
    const decoupling *d = c->data;
    const ifd_compensator_in *axis = dofs(d, in);
    const double *th = s + d->th;
    double T = c->look_ahead, u = 0.0;
    int n = d->axes;
    (void)target;
    if (s[IFD_COMPENSATOR_TICKS] == 1.0)
        begin_dofs(d, axis, s);
    for (int j = 0; j < n; j++) {
        double x = axis[j].x, v = axis[j].v, a = axis[j].a, *last = &s[d->last + j], *lag = &s[d->lagged + j];
        *lag = d->keep * *lag + d->was * *last + d->is * x;
        *last = x;
        double lag_v = d->w * (x - *lag), lag_a = d->w * (v - lag_v);
        u += th[j] * (x + T * (v + T / 2 * a)) + th[n + j] / d->power[1] * (v + T * a) +
             th[2 * n + j] / d->power[2] * a + th[3 * n + j] * (*lag + T * (lag_v + T / 2 * lag_a));
    }
    return u;
}

/* One sample into a filter and the lag after it; regressors by terms, then axes. */
static void filter(const decoupling *d, double value, double *s)
{
    double before = s[0];
    ifd__butterworth_step(&d->filter, value, s);
    s[LAG] = d->keep * s[LAG] + d->was * before + d->is * s[0];
}

static void regressors(const decoupling *d, const double *s, double *out)
{
    for (int j = 0; j < d->axes; j++) {
        for (int i = 0; i < TERMS - 1; i++)
            out[i * d->axes + j] = s[j * FILTER + i];
        out[(TERMS - 1) * d->axes + j] = s[j * FILTER + LAG];
    }
}

static void learn(const ifd_compensator *c, const ifd_compensator_in *in, double u, double *s)
{
    const decoupling *d = c->data;
    const ifd_compensator_in *axis = dofs(d, in);
    double phi[MOST], z[MOST];
    if (!d->learns)
        return;
    if (s[IFD_COMPENSATOR_TICKS] == 1.0)
        ifd__butterworth_begin(ifd__now_u(in, u), s + d->u);
    double e = ifd__butterworth_step(&d->filter, ifd__now_u(in, u), s + d->u);
    for (int j = 0; j < d->axes; j++) {
        filter(d, axis[j].xm, s + d->xm + j * FILTER);
        filter(d, ifd__now_x(&axis[j]), s + d->x + j * FILTER);
    }
    /* of the filter, then of the lag behind it: exp(-9.2) = 1e-4 */
    if (!ifd__learns(in, ifd__butterworth_memory(&d->filter, c->h) + 9.21 / (d->w * c->h)))
        return;
    regressors(d, s + d->xm, phi);
    regressors(d, s + d->x, z);
    for (int i = 0; i < d->rls.count; i++)
        e -= s[d->th + i] * phi[i];
    ifd__recursive_step(&d->rls, phi, z, e, s + d->th, s + d->P);
}

/* Those of its own dof: x, x', x'', lag. */
static void coefficients(const ifd_compensator *c, const double *s, double out[4])
{
    const decoupling *d = c->data;
    for (int i = 0; i < TERMS; i++)
        out[i] = s[d->th + i * d->axes + d->row] / d->power[i];
}

const ifd_compensator_kind ifd__compensator_decoupling = {
    .name = "decoupling",
    .summary = "a coupled inverse of all actuators of a drive, with a slow lag, computes the command. The inverse is "
               "identified during the test",
    .equation = "u = A0 x + A1 x' + A2 x'' + L x_l, x_l' = w (x - x_l), for all dofs of the drive",
    .params = params,
    .refuse = refuse,
    .make = make,
    .begin = begin,
    .step = step,
    .learn = learn,
    .adapts = true,
    .coefficients = coefficients,
};
