/* SPDX-License-Identifier: MIT */
/* Compensators that invert a model of the actuator: of first, second and third order, phase lead, PI with lead. */
#include "rig/compensator/compensator.h"

#include <string.h>

/* First order (Chen and Ricles, 2009): needs no derivatives. */
typedef struct first {
    double slope; /* (tau + T) / D */
    int last;
} first;

static const ifd_param first_params[] = {
    IFD_NEEDED("delay", TIME, 0, 10, "tau, time constant of the actuator"),
    IFD__COMPENSATOR_PARAMS,
    {0},
};

static ifd_status first_make(ifd_compensator *c, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)note;
    first *d;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d, 1)));
    d->slope = (ifd__compensator_number(c, values, "delay") + c->look_ahead) / c->h;
    d->last = ifd__compensator_states(c, "target", 1, IFD_STATE_HISTORY);
    c->data = d;
    return IFD_OK;
}

static void first_begin(const ifd_compensator *c, double x, double *s)
{
    const first *d = c->data;
    s[d->last] = x;
}

static double first_step(const ifd_compensator *c, const ifd_compensator_in *in, const double target[4], double *s)
{
    const first *d = c->data;
    (void)target;
    double u = in->x + d->slope * (in->x - s[d->last]);
    s[d->last] = in->x;
    return u;
}

const ifd_compensator_kind ifd__compensator_inverse_1 = {
    .name = "inverse-1",
    .summary = "the inverse of a first-order lag computes the command; a difference of two targets replaces the "
               "velocity",
    .equation = "u_k = x_k + (tau / D) (x_k - x_{k-1})",
    .params = first_params,
    .fixed = true,
    .make = first_make,
    .begin = first_begin,
    .step = first_step,
};

/* Low-order coefficients of the inverse plant, times e^{T s}. */
typedef struct inverse {
    int count;
    double b[4];
} inverse;

static const ifd_param inverse_params[] = {IFD__COEFFICIENT_PARAMS("benchmark|bare"), IFD__COMPENSATOR_PARAMS, {0}};

static ifd_status inverse_make(ifd_compensator *c, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    inverse *d;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d, 1)));
    double a[4];
    d->count = c->kind == &ifd__compensator_inverse_2 ? 3 : 4;
    IFD_TRY(ifd__compensator_plant(c, values, d->count, a, note));
    ifd__ahead(d->count, a, c->look_ahead, d->b);
    c->data = d;
    return IFD_OK;
}

static double inverse_step(const ifd_compensator *c, const ifd_compensator_in *in, const double target[4], double *s)
{
    const inverse *d = c->data;
    (void)in, (void)s;
    double u = 0.0;
    for (int i = 0; i < d->count; i++)
        u += d->b[i] * target[i];
    return u;
}

static void inverse_coefficients(const ifd_compensator *c, const double *s, double out[4])
{
    const inverse *d = c->data;
    (void)s;
    memcpy(out, d->b, sizeof d->b);
}

const ifd_compensator_kind ifd__compensator_inverse_2 = {
    .name = "inverse-2",
    .summary = "a second-order inverse of the plant (actuator with specimen) computes the command",
    .equation = "u = a0 x + a1 x' + a2 x''",
    .params = inverse_params,
    .fixed = true,
    .make = inverse_make,
    .step = inverse_step,
    .coefficients = inverse_coefficients,
};

const ifd_compensator_kind ifd__compensator_inverse_3 = {
    .name = "inverse-3",
    .summary = "a third-order inverse of the plant (actuator with specimen) computes the command",
    .equation = "u = a0 x + a1 x' + a2 x'' + a3 x'''",
    .params = inverse_params,
    .fixed = true,
    .make = inverse_make,
    .step = inverse_step,
    .coefficients = inverse_coefficients,
};

/* (lead s + p) / (s + p) by Tustin; y_k = b0 r_k + b1 r_{k-1} - a1 y_{k-1}. */
typedef struct lead {
    double b0, b1, a1;
    double proportional, integral; /* 2/D integral: of the Tustin sum */
    bool closed;
    int state; /* last r, last y, last error, sum */
} lead;

#define LEAD_PARAMS                                                                                                  \
    IFD_OPTION("lead", NONE, 1e-3, 1e6, 50.83163360273612, "gain at high frequency; 1: no lead"),                    \
        IFD_OPTION("pole", ANGULAR_RATE, 1e-3, 1e9, 8570.397339444286,                                               \
                   "p; the lead at low frequency is (lead - 1) / p")

static const ifd_param lead_params[] = {LEAD_PARAMS, IFD__COMPENSATOR_PARAMS, {0}};

static const ifd_param pi_params[] = {
    LEAD_PARAMS,
    IFD_OPTION("proportional", NONE, 0, 1e6, 2, "proportional gain"),
    IFD_OPTION("integral", NONE, 0, 1e9, 95, "integral gain, in 1/s"),
    IFD__COMPENSATOR_PARAMS,
    {0},
};

static ifd_status lead_make(ifd_compensator *c, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)note;
    lead *d;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d, 1)));
    double high = ifd__compensator_number(c, values, "lead"), p = ifd__compensator_number(c, values, "pole");
    double w = 2.0 / c->h;
    d->b0 = (high * w + p) / (w + p);
    d->b1 = (p - high * w) / (w + p);
    d->a1 = (p - w) / (w + p);
    d->closed = c->kind == &ifd__compensator_pi_lead;
    if (d->closed) {
        d->proportional = ifd__compensator_number(c, values, "proportional");
        d->integral = ifd__compensator_number(c, values, "integral") * 0.5 * c->h;
    }
    d->state = ifd__compensator_states(c, "lead", 4, IFD_STATE_HISTORY);
    c->data = d;
    return IFD_OK;
}

static void lead_begin(const ifd_compensator *c, double x, double *s)
{
    const lead *d = c->data;
    s[d->state] = s[d->state + 1] = x;
    s[d->state + 3] = x; /* the sum for a constant command at x */
}

static double filtered(const lead *d, double r, double *z)
{
    double y = d->b0 * r + d->b1 * z[0] - d->a1 * z[1];
    z[0] = r;
    z[1] = y;
    return y;
}

static double lead_step(const ifd_compensator *c, const ifd_compensator_in *in, const double target[4], double *s)
{
    const lead *d = c->data;
    (void)in;
    return filtered(d, ifd__target_ahead(target, c->look_ahead), s + d->state);
}

/* Each block of the controller has separate converters, as in the sample controller of the benchmark. */
static double pi_step(const ifd_compensator *c, const ifd_compensator_in *in, const double target[4], double *s)
{
    const lead *d = c->data;
    double *z = s + d->state;
    ifd_converter k = in->frozen ? (ifd_converter){0, 0} : c->converter;
    double y = filtered(d, ifd_converter_in(k, ifd__target_ahead(target, c->look_ahead)), z);
    double error = ifd_converter_in(k, ifd_converter_out(k, y) - in->xm);
    z[3] += d->integral * (error + z[2]);
    z[2] = error;
    return d->proportional * error + z[3];
}

const ifd_compensator_kind ifd__compensator_phase_lead = {
    .name = "phase-lead",
    .summary = "the command is the target, passed through a lead filter",
    .equation = "u = (lead s + p) / (s + p) x",
    .params = lead_params,
    .fixed = true,
    .make = lead_make,
    .begin = lead_begin,
    .step = lead_step,
};

const ifd_compensator_kind ifd__compensator_pi_lead = {
    .name = "pi-lead",
    .summary = "a PI controller moves the actuator to the target, which has passed a lead filter (sample "
               "controller of the benchmark)",
    .equation = "u = (P + I/s) ((lead s + p) / (s + p) x - x_m)",
    .params = pi_params,
    .make = lead_make,
    .begin = lead_begin,
    .step = pi_step,
};
