/* SPDX-License-Identifier: MIT */
/* Compensators that estimate the delay of the actuator during the test and invert a first-order lag of that delay:
 *
 *     u_k = g [x_k + (tau / D) (x_k - x_{k-1})]
 *
 * tracking-adaptive: tau from the tracking indicator TI, half the difference between the areas that the loop of x_m
 * over x encloses; it grows while x_m is late. frequency-adaptive: tau and g from the frequency evaluation index
 * (FEI) over a Hann window of W samples,
 *
 *     FEI = sum O_f conj(I_f) / sum |I_f|^2,  f_eq = sum f |I_f|^2 / sum |I_f|^2,  delay = -arg(FEI) / (2 pi f_eq)
 *
 * with the spectra I of the target and O of x_m in a band. The spectra are sums over four quarters of the window, to
 * which every tick adds one sample: constant work, and no rounding accumulates. The Hann window is a convolution of
 * three lines.
 *
 * Mercan (2007); Chen, Ricles (2010), J. Struct. Eng. 136(4); Guo, Chen, Chen et al. (2014), Smart Mater. Struct. 23;
 * Xu, Guo, Chen et al. (2020). */
#include "rig/compensator/compensator.h"
#include "rig/fei.h"

#include <math.h>
#include <string.h>

/* The target led by tau and the look-ahead; *last: the target before. The first tick has none. */
static double lead(const ifd_compensator *c, double tau, double x, const double *s, double *last)
{
    double change = s[IFD_COMPENSATOR_TICKS] > 1.0 ? x - *last : 0.0;
    *last = x;
    return x + (tau + c->look_ahead) / c->h * change;
}

/* Values of the last tick; areas A and T; integral of TI; the estimate of tau. */
enum { X, XM, A, T, INTEGRAL, DELAY, TRACKING_STATES };

typedef struct tracking {
    double tau, longest; /* s */
    double kp, ki;       /* 1/m^2, 1/(m^2 s) */
    int s, z;
} tracking;

static const ifd_param tracking_params[] = {
    IFD_NEEDED("delay", TIME, 0, 10, "tau, initial delay of the actuator"),
    IFD_NEEDED("amplitude", LENGTH, 1e-12, 1e3, "largest displacement of the test; it scales the gains"),
    IFD_OPTION("indicator-gain", NONE, 0, 1e6, 1, "gain of the indicator, divided by amplitude^2"),
    IFD_OPTION("integral-gain", NONE, 0, 1e6, 1, "gain of its integral, divided by amplitude^2, in 1/s"),
    IFD_OPTION("longest", TIME, 0, 10, 0.04, "largest value of tau"),
    IFD__COMPENSATOR_PARAMS,
    {0},
};

static ifd_status tracking_make(ifd_compensator *c, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)note;
    tracking *d;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d, 1)));
    double amplitude = ifd__compensator_number(c, values, "amplitude"), scale = 1.0 / (amplitude * amplitude);
    d->tau = ifd__compensator_number(c, values, "delay");
    d->longest = ifd__compensator_number(c, values, "longest");
    d->kp = ifd__compensator_number(c, values, "indicator-gain") * scale;
    d->ki = ifd__compensator_number(c, values, "integral-gain") * scale;
    d->s = ifd__compensator_states(c, "target", 1, IFD_STATE_HISTORY);
    d->z = ifd__compensator_states(c, "indicator", TRACKING_STATES, IFD_STATE_INTEGER);
    c->data = d;
    return IFD_OK;
}

static void tracking_begin(const ifd_compensator *c, double x, double *s)
{
    const tracking *d = c->data;
    double *z = s + d->z;
    s[d->s] = x;
    z[DELAY] = fmin(d->tau, d->longest);
}

static void indicate(const ifd_compensator *c, const ifd_compensator_in *in, bool first, double *z)
{
    const tracking *d = c->data;
    double x = ifd__now_x(in);
    if (first) {
        z[X] = x;
        z[XM] = in->xm;
    }
    if (in->lost == 1.0) /* the areas continue from the last measurement to the next one */
        return;
    z[A] += 0.5 * (x + z[X]) * (in->xm - z[XM]);
    z[T] += 0.5 * (in->xm + z[XM]) * (x - z[X]);
    double ti = 0.5 * (z[A] - z[T]);
    z[INTEGRAL] += ti * c->h;
    z[DELAY] = fmin(fmax(d->tau + c->h * (d->kp * ti + d->ki * z[INTEGRAL]), 0.0), d->longest);
    z[X] = x;
    z[XM] = in->xm;
}

static double tracking_step(const ifd_compensator *c, const ifd_compensator_in *in, const double target[4], double *s)
{
    const tracking *d = c->data;
    (void)target;
    if (!in->frozen && !in->rests)
        indicate(c, in, s[IFD_COMPENSATOR_TICKS] == 1.0, s + d->z);
    return lead(c, s[d->z + DELAY], in->x, s, s + d->s);
}

static void tracking_coefficients(const ifd_compensator *c, const double *s, double out[4])
{
    const tracking *d = c->data;
    memcpy(out, (const double[4]){1.0, s[d->z + DELAY]}, sizeof(double[4]));
}

const ifd_compensator_kind ifd__compensator_tracking_adaptive = {
    .name = "tracking-adaptive",
    .adapts = true,
    .summary = "a first-order inverse of the actuator computes the command; the tracking indicator adapts the delay "
               "of this inverse (Mercan; Chen and Ricles)",
    .equation = "u_k = x_k + (tau / D) (x_k - x_{k-1}), tau = tau_0 + D (kp TI + ki int TI dt)",
    .params = tracking_params,
    .make = tracking_make,
    .begin = tracking_begin,
    .step = tracking_step,
    .coefficients = tracking_coefficients,
};

/* The counters of the index, then the estimates. */
enum { TAU = IFD__FEI_COUNTERS, GAIN, ESTIMATES };

typedef struct frequency {
    double tau, level;
    ifd__fei fei;
    int s, z, sums; /* offsets */
} frequency;

static const ifd_param frequency_params[] = {
    IFD_NEEDED("delay", TIME, 0, 10, "tau, initial delay of the actuator"),
    IFD_OPTION("window", TIME, 1e-3, 1e3, 2,
               "duration of a spectrum; an update follows each quarter of this duration"),
    IFD_OPTION("from", FREQUENCY, 0, 1e6, 0.5, "lowest frequency of the band"),
    IFD_OPTION("to", FREQUENCY, 0, 1e6, 10, "highest frequency of the band"),
    IFD_OPTION("level", LENGTH, 0, 1, 1e-4, "rms of the target below which delay and gain do not change"),
    IFD__COMPENSATOR_PARAMS,
    {0},
};

static ifd_status frequency_make(ifd_compensator *c, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    frequency *d;
    double from = ifd__compensator_number(c, values, "from"), to = ifd__compensator_number(c, values, "to"), lines;
    double window = ifd__compensator_number(c, values, "window");
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d, 1)));
    IFD_TRY(ifd__fei_make(arena, (const double[]){c->h, window, from, to}, &d->fei, &lines));
    if (!d->fei.lines)
        return ifd_note_add(
            note, IFD_RANGE, NULL,
            "compensation '%s': a window of %g ticks has %g lines between %g and %g Hz, expected 1 to "
            "%d lines and 8 ticks or more",
            c->kind->name, 4.0 * round(window / (4.0 * c->h)), fmax(lines, 0.0), from, to, (int)IFD__FEI_LINES);
    if (!(to < 0.5 / c->h - d->fei.spacing))
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "compensation '%s': the band ends at %g Hz, expected less than half of the ticks per "
                            "second, %g Hz",
                            c->kind->name, to, 0.5 / c->h);
    d->tau = ifd__compensator_number(c, values, "delay");
    d->level = ifd__compensator_number(c, values, "level");
    d->s = ifd__compensator_states(c, "target", 1, IFD_STATE_HISTORY);
    d->z = ifd__compensator_states(c, "estimates", ESTIMATES, IFD_STATE_INTEGER);
    d->sums = ifd__compensator_states(c, "spectra", ifd__fei_size(&d->fei), IFD_STATE_INTEGER);
    c->data = d;
    return IFD_OK;
}

static void frequency_begin(const ifd_compensator *c, double x, double *s)
{
    const frequency *d = c->data;
    s[d->s] = x;
    s[d->z + TAU] = d->tau;
    s[d->z + GAIN] = 1.0;
}

/* Three tenths of what is left, at most 1 ms of delay. */
static void update(const frequency *d, double *s)
{
    const double fraction = 0.3, most = 1e-3;
    double fei[2], f_eq, *z = s + d->z;
    if (!(sqrt(ifd__fei_power(&d->fei, s + d->sums)) >= d->level) ||
        !ifd__fei_index(&d->fei, z, s + d->sums, fei, &f_eq))
        return;
    double left = -atan2(fei[1], fei[0]) / (6.28318530717958647693 * f_eq);
    z[TAU] = fmin(fmax(z[TAU] + fmin(fmax(fraction * left, -most), most), 0.0), 10.0);
    z[GAIN] = fmin(fmax(z[GAIN] * pow(hypot(fei[0], fei[1]), -fraction), 0.5), 2.0);
}

static double frequency_step(const ifd_compensator *c, const ifd_compensator_in *in, const double target[4],
                             double *s)
{
    const frequency *d = c->data;
    double *z = s + d->z;
    /* A lost sample is left out of both spectra. */
    double x = in->lost == 1.0 ? 0.0 : ifd__now_x(in), xm = in->lost == 1.0 ? 0.0 : in->xm;
    (void)target;
    if (!in->frozen && !in->rests && ifd__fei_add(&d->fei, x, xm, z, s + d->sums))
        update(d, s);
    return z[GAIN] * lead(c, z[TAU], in->x, s, s + d->s);
}

static void frequency_coefficients(const ifd_compensator *c, const double *s, double out[4])
{
    const frequency *d = c->data;
    double g = s[d->z + GAIN];
    memcpy(out, (const double[4]){g, g * s[d->z + TAU]}, sizeof(double[4]));
}

const ifd_compensator_kind ifd__compensator_frequency_adaptive = {
    .name = "frequency-adaptive",
    .adapts = true,
    .summary = "a first-order inverse of the actuator computes the command; the frequency evaluation index adapts "
               "its delay and gain (Guo, Chen; Xu)",
    .equation = "u_k = g (x_k + (tau / D) (x_k - x_{k-1})), g and tau from spectra of x and x_m over a window",
    .params = frequency_params,
    .make = frequency_make,
    .begin = frequency_begin,
    .step = frequency_step,
    .coefficients = frequency_coefficients,
};
