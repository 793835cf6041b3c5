/* SPDX-License-Identifier: MIT */
/* Signals with a formula. s is the time since the start; out is zero before the call. */
#include "model/signal/wave.h"

#include <math.h>

static const double two_pi = 6.28318530717958647693;

typedef struct wave_data {
    double amplitude, omega, phase; /* rad/s, rad */
    double sweep;                   /* rad/s2: growth of the angular rate */
    double length;                  /* s; HUGE_VAL: unlimited */
} wave_data;

/* A time this near the end counts as past it, because multiples of the step are rounded. */
static bool over(double s, double length)
{
    return s >= length * (1 - 1e-14) - 1e-13;
}

static ifd_status keep(const ifd__signal_ask *ask, ifd__wave *wave, wave_data data,
                       void (*eval)(const void *, double, double[3]))
{
    wave_data *d = ifd_arena_take(ask->arena, sizeof *d);
    if (!d)
        return ifd__ask_no_memory(ask);
    *d = data;
    wave->data = d;
    wave->eval = eval;
    wave->length = data.length;
    wave->start = ifd__ask_number(ask, "start");
    return IFD_OK;
}

/* a sin(p(s)), p = phase + omega s + sweep s^2 / 2 */
static void sine_eval(const void *data, double s, double out[3])
{
    const wave_data *d = data;
    if (over(s, d->length))
        return;
    double p = d->phase + s * (d->omega + 0.5 * d->sweep * s), rate = d->omega + d->sweep * s;
    double sn = d->amplitude * sin(p), cs = d->amplitude * cos(p);
    out[0] = sn;
    out[1] = rate * cs;
    out[2] = d->sweep * cs - rate * rate * sn;
}

static void cosine_eval(const void *data, double s, double out[3])
{
    const wave_data *d = data;
    if (over(s, d->length))
        return;
    double p = d->phase + s * d->omega;
    out[0] = d->amplitude * cos(p);
    out[1] = -d->omega * d->amplitude * sin(p);
    out[2] = -d->omega * d->omega * out[0];
}

static ifd_status harmonic_make(const ifd__signal_ask *ask, ifd__wave *wave)
{
    wave_data d = {.amplitude = ifd__ask_number(ask, "amplitude"),
                   .omega = two_pi * ifd__ask_number(ask, "frequency"),
                   .phase = ifd__ask_number(ask, "phase"),
                   .length = ifd__ask_given(ask, "duration") ? ifd__ask_number(ask, "duration") : HUGE_VAL};
    return keep(ask, wave, d, ask->kind == &ifd__signal_sine ? sine_eval : cosine_eval);
}

static ifd_status chirp_make(const ifd__signal_ask *ask, ifd__wave *wave)
{
    double from = two_pi * ifd__ask_number(ask, "from"), to = two_pi * ifd__ask_number(ask, "to");
    double length = ifd__ask_number(ask, "duration");
    wave_data d = {.amplitude = ifd__ask_number(ask, "amplitude"),
                   .omega = from,
                   .phase = ifd__ask_number(ask, "phase"),
                   .sweep = (to - from) / length,
                   .length = length};
    return keep(ask, wave, d, sine_eval);
}

static void rectangle_eval(const void *data, double s, double out[3])
{
    const wave_data *d = data;
    out[0] = over(s, d->length) ? 0 : d->amplitude;
}

static void triangle_eval(const void *data, double s, double out[3])
{
    const wave_data *d = data;
    if (over(s, d->length))
        return;
    double slope = 2 * d->amplitude / d->length;
    bool rising = s < 0.5 * d->length * (1 - 1e-14);
    out[0] = slope * (rising ? s : d->length - s);
    out[1] = rising ? slope : -slope;
}

/* a (1 - cos(omega s)) / 2, omega = 2 pi / length */
static void versine_eval(const void *data, double s, double out[3])
{
    const wave_data *d = data;
    if (over(s, d->length))
        return;
    double half = 0.5 * d->amplitude, cs = cos(d->omega * s);
    out[0] = half * (1 - cs);
    out[1] = half * d->omega * sin(d->omega * s);
    out[2] = half * d->omega * d->omega * cs;
}

static ifd_status pulse_make(const ifd__signal_ask *ask, ifd__wave *wave)
{
    static void (*const eval[])(const void *, double, double[3]) = {sine_eval, rectangle_eval, triangle_eval,
                                                                    versine_eval};
    int shape = (int)ifd__ask_number(ask, "shape");
    double length = ifd__ask_number(ask, "duration");
    wave_data d = {.amplitude = ifd__ask_number(ask, "amplitude"),
                   .omega = (shape == 0 ? 0.5 : 1.0) * two_pi / length,
                   .length = length};
    return keep(ask, wave, d, eval[shape]);
}

/* a (6 x^5 - 15 x^4 + 10 x^3), x = s / length: value and two derivatives are continuous at both ends */
static void step_eval(const void *data, double s, double out[3])
{
    const wave_data *d = data;
    out[0] = d->amplitude;
    if (over(s, d->length))
        return;
    double x = s / d->length, y = 1 - x;
    out[0] = d->amplitude * x * x * x * (10 + x * (6 * x - 15));
    out[1] = d->amplitude * 30 * x * x * y * y / d->length;
    out[2] = d->amplitude * 60 * x * y * (1 - 2 * x) / (d->length * d->length);
}

static void ramp_eval(const void *data, double s, double out[3])
{
    const wave_data *d = data;
    bool done = over(s, d->length);
    out[0] = done ? d->amplitude : d->amplitude * s / d->length;
    out[1] = done ? 0 : d->amplitude / d->length;
}

static ifd_status rise_make(const ifd__signal_ask *ask, ifd__wave *wave)
{
    wave_data d = {.amplitude = ifd__ask_number(ask, "amplitude"), .length = ifd__ask_number(ask, "rise")};
    return keep(ask, wave, d, ask->kind == &ifd__signal_step ? step_eval : ramp_eval);
}

static const ifd_param harmonic_params[] = {
    IFD__SIGNAL_AMPLITUDE,
    IFD_NEEDED("frequency", FREQUENCY, 1e-7, 1e6, "frequency, in Hz or rad/s"),
    IFD__SIGNAL_PHASE,
    IFD__SIGNAL_START,
    IFD_OPTION("duration", TIME, 1e-6, 1e7, 0, "duration, after which the signal is zero; unlimited if absent"),
    {0},
};

const ifd_signal_kind ifd__signal_sine = {"sine", "the amplitude times sin(2 pi frequency t + phase)",
                                          harmonic_params, harmonic_make};

const ifd_signal_kind ifd__signal_cosine = {"cosine", "the amplitude times cos(2 pi frequency t + phase)",
                                            harmonic_params, harmonic_make};

static const ifd_param chirp_params[] = {
    IFD__SIGNAL_AMPLITUDE,
    IFD_NEEDED("from", FREQUENCY, 1e-7, 1e6, "frequency at the start"),
    IFD_NEEDED("to", FREQUENCY, 1e-7, 1e6, "frequency at the end"),
    IFD__SIGNAL_DURATION,
    IFD__SIGNAL_PHASE,
    IFD__SIGNAL_START,
    {0},
};

const ifd_signal_kind ifd__signal_chirp = {
    "chirp", "a sine with a frequency that changes linearly from one value to another", chirp_params, chirp_make};

static const ifd_param pulse_params[] = {
    IFD__SIGNAL_AMPLITUDE,
    IFD__SIGNAL_DURATION,
    IFD_WORD("shape", "half-sine|rectangle|triangle|versine", "shape of the pulse"),
    IFD__SIGNAL_START,
    {0},
};

const ifd_signal_kind ifd__signal_pulse = {"pulse", "a single half-sine, rectangle, triangle or versine",
                                           pulse_params, pulse_make};

static const ifd_param step_params[] = {
    IFD__SIGNAL_AMPLITUDE,
    IFD_OPTION("rise", TIME, 0, 1e7, 0, "duration of the rise; 0: a jump"),
    IFD__SIGNAL_START,
    {0},
};

const ifd_signal_kind ifd__signal_step = {
    "step", "a smooth rise (quintic, two continuous derivatives) to a constant value", step_params, rise_make};

static const ifd_param ramp_params[] = {
    IFD__SIGNAL_AMPLITUDE,
    IFD_NEEDED("rise", TIME, 1e-6, 1e7, "duration of the rise"),
    IFD__SIGNAL_START,
    {0},
};

const ifd_signal_kind ifd__signal_ramp = {"ramp", "a linear rise to a constant value", ramp_params, rise_make};
