/* SPDX-License-Identifier: MIT */
/* Adaptive compensators that identify the inverse plant during the test:
 *
 *     u = sum th_i x^(i),   th such that   u_f = sum th_i x_mf^(i)
 *
 * where f is the same low-pass filter for both; its states are the required derivatives. Recursive least squares
 * starts with initial coefficients th, their uncertainty and the expected noise of x_m, so that directions without
 * excitation remain unchanged. Derivatives of x_m contain its noise, which would bias least squares towards small
 * coefficients. The filtered target is therefore the instrument: it moves with x_m and has no noise. */
#include "rig/compensator/compensator.h"

#include <math.h>

#include "rig/compensator/butterworth.h"
#include "rig/compensator/recursive.h"

enum { MOST = IFD__RECURSIVE_MOST };
enum { LAW_RLS, LAW_GRADIENT };

typedef struct adaptive {
    ifd__recursive rls; /* of th_i w^i */
    int law;
    bool by_target;     /* the instrument */
    double least, most; /* bounds of th_i relative to its initial value */
    double rate;
    double start[MOST]; /* initial th_i w^i */
    double power[MOST]; /* w^i */
    ifd__butterworth filter;
    int u, xm, x, th, P; /* offsets */
} adaptive;

#define LEARNING_PARAMS(words, memory, doubt)                                                                        \
    IFD_OPTION("filter", FREQUENCY, 1e-3, 1e6, 20, "cut-off of the filter of u and x_m"),                            \
        IFD_OPTION("doubt", NONE, 1e-9, 1e3, doubt, "expected relative error of the initial coefficients"),          \
        IFD_OPTION("noise", LENGTH, 1e-12, 1, 1.6e-5, "standard deviation of the noise in x_m"),                     \
        IFD_OPTION("memory", TIME, 0, 1e6, memory, "time constant with which older data are forgotten; 0: never"),   \
        IFD_WORD("instrument", words, "signal with which the residual is correlated (instrumental variable)")

static const ifd_param series_params[] = {
    IFD__COEFFICIENT_PARAMS("bare|benchmark"),
    LEARNING_PARAMS("measured|target", 1, 0.3),
    IFD_OPTION("bound", NONE, 0, 1, 0.5, "largest relative change of a coefficient"),
    IFD__COMPENSATOR_PARAMS,
    {0},
};

static const ifd_param model_params[] = {
    IFD__COEFFICIENT_PARAMS("bare|benchmark"),
    LEARNING_PARAMS("target|measured", 20, 0.3),
    IFD_OPTION("bound", NONE, 0, 1e9, 10, "largest relative growth of a coefficient"),
    IFD_WORD("law", "rls|gradient", "recursive least squares, or the normalised gradient"),
    IFD_OPTION("rate", NONE, 1e-6, 1e6, 10, "rate of the gradient law, in 1/s"),
    IFD__COMPENSATOR_PARAMS,
    {0},
};

static void scale(const ifd_compensator *c, const ifd_value *values, adaptive *d, const double *a)
{
    double noise = ifd__compensator_number(c, values, "noise"), doubt = ifd__compensator_number(c, values, "doubt");
    double memory = ifd__compensator_number(c, values, "memory");
    d->rls.forget = memory > 0 ? exp(-c->h / memory) : 1.0;
    for (int i = 0; i < d->rls.count; i++) {
        d->power[i] = i ? d->power[i - 1] * d->filter.w : 1.0;
        d->start[i] = a[i] * d->power[i];
        double ratio = doubt * d->start[i] / noise;
        d->rls.prior[i] = ratio * ratio;
    }
}

/* A series bounds its coefficients around the initial values; a model has one more, all above zero and below a
 * multiple. */
static void choose_law(const ifd_compensator *c, const ifd_value *values, adaptive *d)
{
    bool model = c->kind == &ifd__compensator_model;
    double bound = ifd__compensator_number(c, values, "bound");
    d->rls.count = model ? 4 : 3;
    d->by_target = ifd__compensator_number(c, values, "instrument") == (model ? 0 : 1);
    d->law = model ? (int)ifd__compensator_number(c, values, "law") : LAW_RLS;
    d->rate = model ? ifd__compensator_number(c, values, "rate") * c->h : 0.0;
    d->least = model ? 0.0 : 1.0 - bound;
    d->most = 1.0 + bound;
}

/* A bound at zero times the initial value requires an initial value that is not negative. */
static ifd_status refuse(const ifd_compensator *c, const ifd_value *values, ifd_note *note)
{
    const ifd_value *given =
        c->kind == &ifd__compensator_model ? ifd_param_get(c->kind->params, values, "coefficients") : NULL;
    for (int i = 0; given && given->given && i < given->cols; i++)
        if (!(given->data[i] >= 0.0))
            return ifd_note_add(note, IFD_RANGE, &given->place,
                                "compensation '%s': coefficient a%d is %g, expected 0 or more. With a negative value "
                                "the adaptation diverges. Use 0 instead, or use inverse-3",
                                c->kind->name, i, given->data[i]);
    return IFD_OK;
}

static ifd_status adaptive_make(ifd_compensator *c, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    adaptive *d;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d, 1)));
    double a[MOST];
    choose_law(c, values, d);
    int count = d->rls.count;
    IFD_TRY(ifd__compensator_plant(c, values, count, a, note));
    IFD_TRY(refuse(c, values, note));
    IFD_TRY(ifd__butterworth_make(arena, ifd__compensator_number(c, values, "filter"), c->h, &d->filter));
    scale(c, values, d, a);
    d->u = ifd__compensator_states(c, "filters", 3 * IFD__BUTTERWORTH_SIZE, IFD_STATE_REAL);
    d->xm = d->u + IFD__BUTTERWORTH_SIZE;
    d->x = d->xm + IFD__BUTTERWORTH_SIZE;
    /* Constant while probing, like a latch. */
    d->th = ifd__compensator_states(c, "coefficients", count, IFD_STATE_INTEGER);
    d->P = ifd__compensator_states(c, "doubt", count * count, IFD_STATE_INTEGER);
    c->data = d;
    return IFD_OK;
}

static void adaptive_begin(const ifd_compensator *c, double x, double *s)
{
    const adaptive *d = c->data;
    ifd__butterworth_begin(d->start[0] * x, s + d->u);
    ifd__butterworth_begin(x, s + d->xm);
    ifd__butterworth_begin(x, s + d->x);
    for (int i = 0; i < d->rls.count; i++) {
        s[d->th + i] = d->start[i];
        s[d->P + i * (d->rls.count + 1)] = d->rls.prior[i];
    }
}

static void adaptive_coefficients(const ifd_compensator *c, const double *s, double out[4])
{
    const adaptive *d = c->data;
    out[3] = 0.0;
    for (int i = 0; i < d->rls.count; i++)
        out[i] = s[d->th + i] / d->power[i];
}

static double adaptive_step(const ifd_compensator *c, const ifd_compensator_in *in, const double target[4], double *s)
{
    (void)in;
    return ifd__compensator_inverse(c, ((const adaptive *)c->data)->rls.count, target, s);
}

static void gradient(const adaptive *d, const double *phi, const double *z, double e, double *th)
{
    double norm = 1.0;
    for (int i = 0; i < d->rls.count; i++)
        norm += phi[i] * phi[i] * d->rls.prior[i];
    for (int i = 0; i < d->rls.count; i++)
        th[i] += d->rate * d->rls.prior[i] * z[i] * e / norm;
}

static void adaptive_learn(const ifd_compensator *c, const ifd_compensator_in *in, double u, double *s)
{
    const adaptive *d = c->data;
    double *phi = s + d->xm, *z = s + (d->by_target ? d->x : d->xm), *th = s + d->th;
    double e = ifd__butterworth_step(&d->filter, ifd__now_u(in, u), s + d->u);
    ifd__butterworth_step(&d->filter, in->xm, s + d->xm);
    ifd__butterworth_step(&d->filter, ifd__now_x(in), s + d->x);
    if (!ifd__learns(in, ifd__butterworth_memory(&d->filter, c->h)))
        return;
    for (int i = 0; i < d->rls.count; i++)
        e -= th[i] * phi[i];
    if (d->law == LAW_RLS)
        ifd__recursive_step(&d->rls, phi, z, e, th, s + d->P);
    else
        gradient(d, phi, z, e, th);
    for (int i = 0; i < d->rls.count; i++)
        th[i] = fmin(fmax(th[i], d->least * d->start[i]), d->most * d->start[i]);
}

const ifd_compensator_kind ifd__compensator_series = {
    .name = "adaptive-series",
    .summary = "a second-order inverse of the actuator computes the command. The inverse is identified during the "
               "test with a fading memory of one second (adaptive time series, Chae)",
    .equation = "u = a0 x + a1 x' + a2 x'', a by least squares of u against x_m, x_m', x_m''",
    .params = series_params,
    .make = adaptive_make,
    .begin = adaptive_begin,
    .step = adaptive_step,
    .learn = adaptive_learn,
    .adapts = true,
    .coefficients = adaptive_coefficients,
};

const ifd_compensator_kind ifd__compensator_model = {
    .name = "adaptive-model",
    .summary = "a third-order inverse of the actuator computes the command. The inverse is identified recursively, "
               "and its coefficients are never negative",
    .equation = "u = th . (x, x', x'', x'''), th from u_f = th . (x_mf, x_mf', x_mf'', x_mf''')",
    .params = model_params,
    .refuse = refuse,
    .make = adaptive_make,
    .begin = adaptive_begin,
    .step = adaptive_step,
    .learn = adaptive_learn,
    .adapts = true,
    .coefficients = adaptive_coefficients,
};
