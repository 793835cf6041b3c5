/* SPDX-License-Identifier: MIT */
/* Two-stage adaptive compensation (tadc). Stage 1 predicts the target over n ticks; stage 2 weights the prediction:
 *
 *     xh_k = x + T x' + T^2/2 x'' + T^3/6 x''',  T = n D + look-ahead;    u_k = th . (xh_k, xh_{k-s}, xh_{k-2s})
 *
 * th by recursive least squares of u_{k-n} on r = (x_m,k, x_m,k-s, x_m,k-2s), before each command:
 *
 *     P := P/f,   K = P r/(r'P r + R),   th += K (u_{k-n} - r'th),   P -= K r'P,   f = exp(-D/memory)
 *
 * P is kept symmetric, and scaled down where its trace exceeds the initial one, so that rest does not raise it. At
 * rest r is noise, which would draw th towards zero, and with th = 0 the command remains zero: below `level` nothing
 * changes.
 *
 * Wang, Ning, Xu, Zhou, Wu (2019), Mech. Syst. Signal Process. 133. */
#include "rig/compensator/compensator.h"

#include <math.h>
#include <string.h>

enum { COUNT = 3, TICKS_MOST = 1000 };

typedef struct two_stage {
    int ahead, apart, order;       /* n, s */
    double T, forget;              /* s, 1 */
    double residual, doubt, level; /* R, m^2; initial variance of a weight; m^2, sum of squares of r */
    double bound;                  /* of the change of a weight */
    int xh, xm, u;                 /* offsets: histories, newest first, 2 s + 1, 2 s + 1, n */
    int th, P;
} two_stage;

static const ifd_param params[] = {
    IFD_NEEDED("delay", TIME, 0, 10, "delay of the actuator, rounded to ticks"),
    IFD_OPTION("order", NONE, 1, 3, 3, "order of the prediction; lower it if commands accelerate too much"),
    IFD_OPTION("spacing", TIME, 0, 10, 0, "time between the three predictions, rounded to ticks; 0: the delay"),
    IFD_OPTION("memory", TIME, 1e-3, 1e6, 1, "time constant with which older data are forgotten"),
    IFD_OPTION("doubt", NONE, 1e-9, 1e3, 0.2, "expected error of the initial weights (1, 0, 0)"),
    IFD_OPTION("bound", NONE, 0, 1e6, 10, "largest change of a weight"),
    IFD_OPTION("residual", LENGTH, 1e-12, 1, 2e-4, "expected standard deviation of the residual"),
    IFD_OPTION("level", LENGTH, 0, 1, 1e-4, "rms of the measured motion below which the weights do not change"),
    IFD__COMPENSATOR_PARAMS,
    {0},
};

static ifd_status ticks_of(const ifd_compensator *c, const ifd_value *values, const char *name, int *out,
                           ifd_note *note)
{
    const ifd_value *v = ifd_param_get(params, values, name);
    double ticks = round(v->number / c->h);
    *out = ticks < 1.0 ? 1 : (int)fmin(ticks, TICKS_MOST);
    if (ticks <= TICKS_MOST)
        return IFD_OK;
    return ifd_note_add(note, IFD_RANGE, &v->place, "compensation '%s': '%s' has %g ticks, expected at most %d",
                        c->kind->name, name, ticks, (int)TICKS_MOST);
}

static ifd_status make(ifd_compensator *c, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    two_stage *d;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d, 1)));
    bool spaced = ifd__compensator_number(c, values, "spacing") > 0.0;
    IFD_TRY(ticks_of(c, values, "delay", &d->ahead, note));
    IFD_TRY(ticks_of(c, values, spaced ? "spacing" : "delay", &d->apart, note));
    double residual = ifd__compensator_number(c, values, "residual"),
           doubt = ifd__compensator_number(c, values, "doubt"), level = ifd__compensator_number(c, values, "level");
    d->order = (int)ifd__compensator_number(c, values, "order");
    d->T = d->ahead * c->h + c->look_ahead;
    d->forget = exp(-c->h / ifd__compensator_number(c, values, "memory"));
    d->residual = residual * residual;
    d->doubt = doubt * doubt;
    d->bound = ifd__compensator_number(c, values, "bound");
    d->level = COUNT * level * level;
    d->xh = ifd__compensator_states(c, "predicted", 2 * d->apart + 1, IFD_STATE_HISTORY);
    /* Constant while probing, like a latch. */
    d->xm = ifd__compensator_states(c, "measured", 2 * d->apart + 1, IFD_STATE_INTEGER);
    d->u = ifd__compensator_states(c, "commands", d->ahead, IFD_STATE_INTEGER);
    d->th = ifd__compensator_states(c, "weights", COUNT + COUNT * COUNT, IFD_STATE_INTEGER);
    d->P = d->th + COUNT; /* their covariance */
    c->data = d;
    return IFD_OK;
}

static void begin(const ifd_compensator *c, double x, double *s)
{
    const two_stage *d = c->data;
    for (int i = 0; i <= 2 * d->apart; i++)
        s[d->xh + i] = s[d->xm + i] = x;
    for (int i = 0; i < d->ahead; i++)
        s[d->u + i] = x;
    s[d->th] = 1.0;
    for (int i = 0; i < COUNT; i++)
        s[d->P + i * (COUNT + 1)] = d->doubt;
}

static IFD_RT void push(int count, double value, double *history)
{
    memmove(history + 1, history, sizeof *history * (size_t)(count - 1));
    history[0] = value;
}

static IFD_RT void adapt(const two_stage *d, double *s)
{
    const double *xm = s + d->xm;
    double *th = s + d->th, *P = s + d->P, K[COUNT] = {0.0}, scale = d->residual, trace = 0.0;
    double r[COUNT] = {xm[0], xm[d->apart], xm[2 * d->apart]}, e = s[d->u + d->ahead - 1];
    if (!(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] >= d->level))
        return;
    for (int i = 0; i < COUNT * COUNT; i++)
        P[i] /= d->forget;
    for (int i = 0; i < COUNT; i++) {
        for (int j = 0; j < COUNT; j++)
            K[i] += P[i + j * COUNT] * r[j];
        scale += r[i] * K[i];
        e -= r[i] * th[i];
    }
    for (int i = 0; i < COUNT; i++) {
        double start = i == 0;
        th[i] = fmin(fmax(th[i] + K[i] / scale * e, start - d->bound), start + d->bound);
        for (int j = 0; j < COUNT; j++) /* K_i K_j/scale is symmetric to the last bit, and so P remains */
            P[i + j * COUNT] -= K[i] * K[j] / scale;
        trace += P[i * (COUNT + 1)];
    }
    for (int i = 0; trace > COUNT * d->doubt && i < COUNT * COUNT; i++)
        P[i] *= COUNT * d->doubt / trace;
}

static double step(const ifd_compensator *c, const ifd_compensator_in *in, const double target[4], double *s)
{
    const two_stage *d = c->data;
    const double *th = s + d->th, *xh = s + d->xh;
    double used[4] = {0.0};
    memcpy(used, target, sizeof *used * (size_t)(d->order + 1));
    push(2 * d->apart + 1, ifd__target_ahead(used, d->T), s + d->xh);
    if (!in->frozen) {
        push(2 * d->apart + 1, in->xm, s + d->xm);
        if (ifd__learns(in, 2 * d->apart) && s[IFD_COMPENSATOR_TICKS] > 2 * d->apart + d->ahead + 1)
            adapt(d, s);
    }
    return th[0] * xh[0] + th[1] * xh[d->apart] + th[2] * xh[2 * d->apart];
}

static void learn(const ifd_compensator *c, const ifd_compensator_in *in, double u, double *s)
{
    const two_stage *d = c->data;
    push(d->ahead, ifd__now_u(in, u), s + d->u);
}

/* Of the series of the weighted values about the present instant. */
static void coefficients(const ifd_compensator *c, const double *s, double out[4])
{
    const two_stage *d = c->data;
    memset(out, 0, sizeof *out * 4);
    for (int i = 0; i < COUNT; i++) {
        double lead = d->ahead * c->h - i * d->apart * c->h, term = s[d->th + i];
        for (int n = 0; n < 4; n++) {
            out[n] += term;
            term *= lead / (n + 1);
        }
    }
}

const ifd_compensator_kind ifd__compensator_tadc = {
    .name = "tadc",
    .summary = "the command is a weighted sum of three predictions of the target; the weights are identified "
               "recursively (two-stage adaptive)",
    .equation = "u_k = th . (xh_k, xh_{k-s}, xh_{k-2s}), xh = x(t + delay) by Taylor's series; th by recursive least "
                "squares of u_{k-n} on (x_m,k, x_m,k-s, x_m,k-2s)",
    .params = params,
    .make = make,
    .begin = begin,
    .step = step,
    .learn = learn,
    .adapts = true,
    .coefficients = coefficients,
};
