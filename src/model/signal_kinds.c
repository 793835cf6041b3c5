/* SPDX-License-Identifier: MIT */
/* The table of signal kinds: what each may be told. */
#include "model/wave.h"

#define NEEDED(n, d, low, high, text)                                                                                \
    {                                                                                                                \
        .name = n, .dim = IFD_DIM_##d, .required = true, IFD_WITHIN(low, high), .doc = text                          \
    }
#define OPTION(n, d, low, high, p, text)                                                                             \
    {                                                                                                                \
        .name = n, .dim = IFD_DIM_##d, IFD_WITHIN(low, high), .preset = p, .doc = text                               \
    }
#define WORD(n, w, text)                                                                                             \
    {                                                                                                                \
        .name = n, .shape = IFD_SHAPE_WORD, .words = w, .doc = text                                                  \
    }

#define AMPLITUDE OPTION("amplitude", ANY, -1e12, 1e12, 1, "largest value")
#define DURATION NEEDED("duration", TIME, 1e-6, 1e7, "zero afterwards")
#define PHASE OPTION("phase", ANGLE, -1e6, 1e6, 0, "phase at the start")
#define START OPTION("start", TIME, 0, 1e7, 0, "time at which the signal begins")
#define SEED OPTION("seed", NONE, 0, 1e15, 1, "whole number; the same seed gives the same motion on every machine")
#define INTERPOLATION                                                                                                \
    WORD("interpolation", "linear|spline", "between samples; spline where velocity and acceleration must exist")
#define SCALE OPTION("scale", NONE, -1e9, 1e9, 1, "factor on the samples")
#define PEAK OPTION("peak", ANY, 1e-12, 1e12, 0, "scale the samples so that the largest is this (instead of scale)")

static const ifd_param harmonic[] = {
    AMPLITUDE, NEEDED("frequency", FREQUENCY, 1e-7, 1e6, "in Hz; 'rad/s' is understood too"),  PHASE,
    START,     OPTION("duration", TIME, 1e-6, 1e7, 0, "zero afterwards; endless when absent"), {0},
};

static const ifd_param chirp[] = {
    AMPLITUDE,
    NEEDED("from", FREQUENCY, 1e-7, 1e6, "frequency at the start"),
    NEEDED("to", FREQUENCY, 1e-7, 1e6, "frequency at the end"),
    DURATION,
    PHASE,
    START,
    {0},
};

static const ifd_param pulse[] = {
    AMPLITUDE, DURATION, WORD("shape", "half-sine|rectangle|triangle|versine", "its form"), START, {0},
};

static const ifd_param step[] = {
    AMPLITUDE,
    OPTION("rise", TIME, 0, 1e7, 0, "time of the rise; 0 is a jump"),
    START,
    {0},
};

static const ifd_param ramp[] = {
    AMPLITUDE,
    NEEDED("rise", TIME, 1e-6, 1e7, "time of the rise"),
    START,
    {0},
};

static const ifd_param noise[] = {
    OPTION("sigma", ANY, 1e-12, 1e12, 0, "standard deviation (or psd)"),
    OPTION("psd", SPECTRAL_ACCELERATION, 1e-15, 1e12, 0, "one-sided power spectral density per Hz (or sigma)"),
    NEEDED("max-frequency", FREQUENCY, 1e-6, 1e6, "the density is constant up to here and zero above"),
    OPTION("terms", NONE, 1, 20000, 1000, "cosines; the noise repeats after 2 terms / max-frequency"),
    SEED,
    START,
    {0},
};

static const ifd_param kanai_tajimi[] = {
    OPTION("peak", ANY, 1e-12, 1e12, 2.941995, "largest acceleration; 0.3 g when absent"),
    OPTION("duration", TIME, 1, 300, 20, "zero afterwards"),
    OPTION("rise", TIME, 1e-3, 1e3, 2, "time to full strength"),
    OPTION("decay", TIME, 1e-3, 1e3, 10, "time of dying away, at the end"),
    OPTION("ground-frequency", FREQUENCY, 1e-3, 1e3, 2.5, "resonance of the soil"),
    OPTION("ground-damping", NONE, 1e-3, 10, 0.6, "damping ratio of the soil"),
    OPTION("filter-frequency", FREQUENCY, 1e-3, 1e3, 0.25,
           "little is left below it (high-pass of Clough and Penzien)"),
    OPTION("filter-damping", NONE, 1e-3, 10, 0.6, "damping ratio of the high-pass"),
    OPTION("max-frequency", FREQUENCY, 5, 100, 25, "highest frequency; sampled eight times in its period"),
    SEED,
    START,
    {0},
};

static const ifd_param table[] = {
    {.name = "values",
     .dim = IFD_DIM_ANY,
     .shape = IFD_SHAPE_LIST,
     .required = true,
     IFD_WITHIN(-1e12, 1e12),
     .doc = "samples"},
    {.name = "times",
     .dim = IFD_DIM_TIME,
     .shape = IFD_SHAPE_LIST,
     IFD_WITHIN(-1e7, 1e7),
     .doc = "increasing times of the samples (or dt)"},
    OPTION("dt", TIME, 1e-9, 1e6, 0, "interval of the samples (or times)"),
    INTERPOLATION,
    SCALE,
    PEAK,
    START,
    {0},
};

static const ifd_param record[] = {
    {.name = "file", .shape = IFD_SHAPE_TEXT, .required = true, .doc = "PEER AT2, or CSV of one or two columns"},
    {.name = "unit", .shape = IFD_SHAPE_TEXT, .doc = "of the values when the file does not say: m/s2, g, cm/s2 ..."},
    OPTION("dt", TIME, 1e-9, 1e6, 0, "interval, for a file of one column"),
    INTERPOLATION,
    SCALE,
    PEAK,
    START,
    {0},
};

const ifd_signal_kind ifd_signal_kinds[] = {
    {"sine", "amplitude sin(2 pi frequency t + phase)", harmonic, &ifd__sine_ops},
    {"cosine", "amplitude cos(2 pi frequency t + phase)", harmonic, &ifd__cosine_ops},
    {"chirp", "sine whose frequency moves linearly from one value to another", chirp, &ifd__chirp_ops},
    {"pulse", "one half-sine, rectangle, triangle or versine", pulse, &ifd__pulse_ops},
    {"step", "smooth rise (quintic, two continuous derivatives) to a constant value", step, &ifd__step_ops},
    {"ramp", "linear rise to a constant value", ramp, &ifd__ramp_ops},
    {"noise", "band-limited white noise of given density as a sum of cosines of random phase", noise,
     &ifd__noise_ops},
    {"kanai-tajimi", "generated earthquake: Kanai-Tajimi / Clough-Penzien noise, enveloped, at rest at its end",
     kanai_tajimi, &ifd__kanai_tajimi_ops},
    {"table", "samples written in the case, at a constant interval or at given times", table, &ifd__table_ops},
    {"record", "samples read from a ground-motion file", record, NULL},
    {0},
};
