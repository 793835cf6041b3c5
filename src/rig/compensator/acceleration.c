/* SPDX-License-Identifier: MIT */
/* Compensator of a shaking table that tracks acceleration.
 *
 * A hydraulic table with valve, oil column and platform follows
 *
 *     u = a0 x + a1 x' + a2 x'' + a3 x''' + c0 f + c1 f'
 *
 * where f is the force of its actuator: under the base shear the oil leaks (c0) and compresses (c1), and the table
 * yields. The command is this inverse at the target, with the measured force. The coefficients a are identified from
 * the accelerometer, by recursive least squares of the second derivative,
 *
 *     (u - c0 f - c1 f')'' = a0 x'' + a1 x''' + ...,
 *
 * with the same low-pass filter on both sides. The acceleration of the target is the instrument. A measured position
 * would have to be differentiated five times.
 *
 * The table cannot drift: the command is a bounded combination of target, its derivatives and the force. A measured
 * acceleration only changes a1 to a3, each within `bound`, and is never integrated. a0 is constant: the acceleration
 * hardly depends on it, and its change, times a large displacement, would be a jump of the command.
 *
 * Inverse and several measured quantities: Phillips, Wierschem, Spencer, Model-based control of
 * shake tables with multi-metric feedback. */
#include "rig/compensator/compensator.h"

#include <math.h>
#include <string.h>

#include "rig/compensator/butterworth.h"
#include "rig/compensator/recursive.h"

enum { COUNT = 4, FREE = COUNT - 1 }; /* a1 to a3 are identified */
/* Own state: means of x'' and f, the force at the start; x'' of the last tick. */
enum { SMOOTH_A, SMOOTH_F, START_F, LAST_A, OWN };

typedef struct table {
    double c[2];         /* m/N, m s/N */
    double mass;         /* kg */
    double smooth, rate; /* weight of the newest value in the means of acceleration and force; the same in 1/s */
    double bound;        /* of a, relative to its initial value */
    double start[COUNT]; /* a_i w^i */
    double power[COUNT]; /* w^i */
    ifd__recursive rls;
    ifd__butterworth filter;
    int z, u, m, x, f, th,
        P; /* offsets: own; filters of command, measurement, target, force; a_i w^i; their variance */
} table;

static const ifd_param params[] = {
    IFD__COEFFICIENT_PARAMS("bare|benchmark"),
    IFD_LIST("compliance", ANY, -1, 1,
             "c0, c1: coefficients of the measured force and its rate, in m/N and m s/N; default 0"),
    IFD_OPTION("mass", MASS, 0, 1e12, 0, "mass of the table between load cell and specimen"),
    IFD_OPTION("filter", FREQUENCY, 1e-3, 1e6, 20, "cut-off of the filter of the identification"),
    IFD_OPTION("smooth", FREQUENCY, 1e-3, 1e6, 30, "cut-off of the filter of the measured force and of x'''"),
    IFD_OPTION("doubt", NONE, 0, 1e3, 0.1, "relative standard deviation of the coefficients; 0: no adaptation"),
    IFD_OPTION("noise", ACCELERATION, 1e-9, 1e3, 0.1, "standard deviation of the noise of the accelerometer"),
    IFD_OPTION("memory", TIME, 0, 1e6, 20, "time constant with which older data are forgotten; 0: never"),
    IFD_OPTION("bound", NONE, 0, 1, 0.3, "largest relative change of a coefficient"),
    IFD_OPTION("input", NONE, -1, 31, -1, "auxiliary input with the acceleration in m/s2; -1: that of mass-on-rig"),
    IFD__COMPENSATOR_PARAMS,
    {0},
};

static ifd_status read_compliance(const ifd_compensator *c, const ifd_value *values, double *out, ifd_note *note)
{
    const ifd_value *given = ifd_param_get(c->kind->params, values, "compliance");
    if (given->given && given->cols != 2)
        return ifd_note_add(note, IFD_SHAPE, &given->place,
                            "compensation '%s': 'compliance' has %d numbers, expected 2", c->kind->name, given->cols);
    for (int i = 0; given->given && i < 2; i++)
        out[i] = given->data[i];
    return IFD_OK;
}

static ifd_status refuse(const ifd_compensator *c, const ifd_value *values, ifd_note *note)
{
    double a[COUNT], d[2];
    const ifd_value *input = ifd_param_get(c->kind->params, values, "input");
    IFD_TRY(ifd__compensator_plant(c, values, COUNT, a, note));
    IFD_TRY(read_compliance(c, values, d, note));
    if (input->number != floor(input->number))
        return ifd_note_add(note, IFD_RANGE, &input->place,
                            "compensation '%s': 'input' is %g, expected a whole number", c->kind->name,
                            input->number);
    return IFD_OK;
}

static void prepare(const ifd_compensator *c, const ifd_value *values, const double *a, table *d)
{
    double memory = ifd__compensator_number(c, values, "memory"), noise = ifd__compensator_number(c, values, "noise");
    double doubt = ifd__compensator_number(c, values, "doubt");
    double w = 6.28318530717958647693 * ifd__compensator_number(c, values, "smooth");
    d->mass = ifd__compensator_number(c, values, "mass");
    d->bound = ifd__compensator_number(c, values, "bound");
    d->rls = (ifd__recursive){.count = FREE, .forget = memory > 0 ? exp(-c->h / memory) : 1.0};
    for (int i = 0; i < COUNT; i++) {
        d->power[i] = i ? d->power[i - 1] * d->filter.w : 1.0;
        d->start[i] = a[i] * d->power[i];
        if (i > 0)
            d->rls.prior[i - 1] = pow(doubt * d->start[i] / noise, 2.0);
    }
    d->smooth = 1.0 - exp(-w * c->h);
    d->rate = d->smooth / c->h;
}

static ifd_status make(ifd_compensator *c, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    table *d;
    double a[COUNT];
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d, 1)));
    IFD_TRY(refuse(c, values, note));
    IFD_TRY(ifd__compensator_plant(c, values, COUNT, a, note));
    IFD_TRY(read_compliance(c, values, d->c, note));
    IFD_TRY(ifd__butterworth_make(arena, ifd__compensator_number(c, values, "filter"), c->h, &d->filter));
    prepare(c, values, a, d);
    d->z = ifd__compensator_states(c, "means", OWN, IFD_STATE_REAL);
    d->u = ifd__compensator_states(c, "filters", 4 * IFD__BUTTERWORTH_SIZE, IFD_STATE_INTEGER);
    d->m = d->u + IFD__BUTTERWORTH_SIZE;
    d->x = d->m + IFD__BUTTERWORTH_SIZE;
    d->f = d->x + IFD__BUTTERWORTH_SIZE;
    /* Constant while probing, like a latch. */
    d->th = ifd__compensator_states(c, "coefficients", COUNT, IFD_STATE_INTEGER);
    d->P = ifd__compensator_states(c, "doubt", FREE * FREE, IFD_STATE_INTEGER);
    c->data = d;
    return IFD_OK;
}

static void begin(const ifd_compensator *c, double x, double *s)
{
    const table *d = c->data;
    ifd__butterworth_begin(x, s + d->u);
    memcpy(s + d->th, d->start, sizeof d->start);
    for (int i = 0; i < FREE; i++)
        s[d->P + i * (FREE + 1)] = d->rls.prior[i];
}

static void coefficients(const ifd_compensator *c, const double *s, double out[4])
{
    const table *d = c->data;
    for (int i = 0; i < COUNT; i++)
        out[i] = s[d->th + i] / d->power[i];
}

/* The part of the command that carries the force, from its change since the start. */
static IFD_RT double carry(const table *d, double f, double *z)
{
    double rate = d->rate * (f - z[SMOOTH_F]);
    z[SMOOTH_F] += d->smooth * (f - z[SMOOTH_F]);
    return d->c[0] * (z[SMOOTH_F] - z[START_F]) + (d->c[1] + d->c[0] / d->rate) * rate;
}

static double step(const ifd_compensator *c, const ifd_compensator_in *in, const double target[4], double *s)
{
    const table *d = c->data;
    double *z = s + d->z;
    if (s[IFD_COMPENSATOR_TICKS] <= 1.0) { /* the first tick */
        z[SMOOTH_A] = z[LAST_A] = target[2];
        z[SMOOTH_F] = z[START_F] = in->fm - d->mass * in->am;
    }
    const double y[4] = {target[0], target[1], target[2], d->rate * (target[2] - z[SMOOTH_A])};
    z[SMOOTH_A] += d->smooth * (target[2] - z[SMOOTH_A]);
    return ifd__compensator_inverse(c, COUNT, y, s) + carry(d, in->fm - d->mass * in->am, z);
}

/* A measurement belongs to the command and to the target of the tick before, if these are for the next tick. */
static void learn(const ifd_compensator *c, const ifd_compensator_in *in, double u, double *s)
{
    const table *d = c->data;
    double *z = s + d->z, *th = s + d->th;
    if (!isfinite(in->am))
        return;
    ifd__butterworth_step(&d->filter, ifd__now_u(in, u), s + d->u);
    ifd__butterworth_step(&d->filter, in->fm - d->mass * in->am - z[START_F], s + d->f);
    ifd__butterworth_step(&d->filter, in->am, s + d->m);
    ifd__butterworth_step(&d->filter, in->next ? z[LAST_A] : in->a, s + d->x);
    z[LAST_A] = in->a;
    if (!ifd__learns(in, ifd__butterworth_memory(&d->filter, c->h)))
        return;
    double w = d->filter.w, error = w * w * (s[d->u + 2] - d->c[0] * s[d->f + 2] - w * d->c[1] * s[d->f + 3]);
    for (int i = 0; i < COUNT; i++)
        error -= th[i] * s[d->m + i];
    ifd__recursive_step(&d->rls, s + d->m + 1, s + d->x + 1, error, th + 1, s + d->P);
    for (int i = 1; i < COUNT; i++) {
        double most = d->bound * fabs(d->start[i]);
        th[i] = fmin(fmax(th[i], d->start[i] - most), d->start[i] + most);
    }
}

const ifd_compensator_kind ifd__compensator_acceleration = {
    .name = "acceleration",
    .summary = "the inverse of a model of a shaking table with its base shear computes the command; the model is "
               "identified from the measured acceleration",
    .equation = "u = a . (x, x', x'', x''') + c0 f + c1 f', a from (u - c0 f - c1 f')'' = a . (a_m, a_m', a_m'', "
                "a_m''')",
    .params = params,
    .refuse = refuse,
    .accelerometer = true,
    .make = make,
    .begin = begin,
    .step = step,
    .learn = learn,
    .adapts = true,
    .coefficients = coefficients,
};
