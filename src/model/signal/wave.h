/* SPDX-License-Identifier: MIT */
/* Internal data of a signal: a flat list of waves, so that sums of sums need no recursion on the tick path. */
#pragma once

#include <interfield/signal.h>

typedef struct ifd__wave ifd__wave;

/* Parameters of a wave, from which it can be reconstructed: a kind with its values, or a table. */
typedef struct ifd__wave_recipe {
    const ifd_signal_kind *kind;
    const ifd_value *values;
    ifd_samples samples;
    ifd_interpolation how;
} ifd__wave_recipe;

struct ifd__wave {
    IFD_RT void (*eval)(const void *data, double s, double out[3]); /* s = t - start >= 0 */
    const void *data;
    double (*knot)(const void *data, double s); /* the next corner after s; HUGE_VAL: none. May be NULL */
    double factor, start;                       /* y(t) = factor * wave(t - start) for t >= start, zero before */
    double length;                              /* constant for s beyond this; HUGE_VAL: never */
    double interval;                            /* corners at its multiples; 0: none */
    const ifd__wave_recipe *recipe;             /* NULL: cannot be reconstructed */
};

struct ifd_signal {
    int count;
    double interval, end;
    const ifd__wave *wave;
};

/* Arguments of the make of a kind: checked values of kind->params. */
typedef struct ifd__signal_ask {
    ifd_arena *arena;
    const ifd_signal_kind *kind;
    const ifd_value *values;
    const ifd_place *place;
    ifd_note *note;
} ifd__signal_ask;

#define SIGNAL(x) extern const ifd_signal_kind ifd__signal_##x;
#include "model/signal/signals.def"

/* Parameters that several signals have. */
#define IFD__SIGNAL_AMPLITUDE IFD_OPTION("amplitude", ANY, -1e12, 1e12, 1, "largest value")
#define IFD__SIGNAL_DURATION IFD_NEEDED("duration", TIME, 1e-6, 1e7, "duration, after which the signal is zero")
#define IFD__SIGNAL_PHASE IFD_OPTION("phase", ANGLE, -1e6, 1e6, 0, "phase at the start")
#define IFD__SIGNAL_START IFD_OPTION("start", TIME, 0, 1e7, 0, "start of the signal")
#define IFD__SIGNAL_SEED                                                                                             \
    IFD_OPTION("seed", NONE, 0, 1e15, 1, "seed, an integer; the same seed gives the same motion on every computer")
#define IFD__SIGNAL_INTERPOLATION                                                                                    \
    IFD_WORD("interpolation", "linear|spline|held",                                                                  \
             "interpolation between samples; velocity and acceleration require spline. After the last sample, "      \
             "linear is zero; spline and held (linear between samples) are constant. In the displacement of a "      \
             "support, held replaces linear, and a record has the default spline")
#define IFD__SIGNAL_SCALE IFD_OPTION("scale", NONE, -1e9, 1e9, 1, "factor on the samples")
#define IFD__SIGNAL_PEAK                                                                                             \
    IFD_OPTION("peak", ANY, 1e-12, 1e12, 0, "peak value to which the samples are scaled; alternative: scale")

/* The number of a parameter; true if it was given. */
double ifd__ask_number(const ifd__signal_ask *ask, const char *name);
bool ifd__ask_given(const ifd__signal_ask *ask, const char *name);
ifd_status ifd__ask_no_memory(const ifd__signal_ask *ask);

/* A table as a wave; the samples are copied. */
ifd_status ifd__wave_table(ifd_arena *arena, const ifd_samples *samples, ifd_interpolation how, ifd__wave *wave,
                           ifd_note *note);
/* The samples of a wave and their number; NULL if it is not a table. */
const double *ifd__wave_samples(const ifd__wave *wave, int *count);
/* True if the wave consists of straight lines, whose slopes jump. */
bool ifd__wave_polygon(const ifd__wave *wave);
/* Largest distance of a spline from the range between two neighbouring samples, times the factor of the wave, and its
 * time t; 0 for other waves. *range := the range of all samples. */
double ifd__wave_overshoot(const ifd__wave *wave, double *t, double *range);
/* The values of a linear table with a constant interval at many times, with the bits of its function; false: the wave
 * is another one. */
bool ifd__wave_values(const ifd__wave *wave, int count, const double *s, double *out);
/* The values of a signal at many times, with the bits of ifd_signal_eval. */
void ifd__signal_values(const ifd_signal *signal, int count, const double *t, double *out);
