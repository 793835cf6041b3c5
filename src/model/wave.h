/* SPDX-License-Identifier: MIT */
/* The inside of a signal: a flat list of waves, so that sums of sums need no recursion on the tick path. */
#ifndef IFD_MODEL_WAVE_H
#define IFD_MODEL_WAVE_H

#include <interfield/signal.h>

typedef struct ifd__wave ifd__wave;

/* What a wave was made of, so that the same can be made elsewhere: a kind with its values, or a table. */
typedef struct ifd__wave_recipe {
    const ifd_signal_kind *kind;
    const ifd_value *values;
    ifd_samples samples;
    ifd_interpolation how;
} ifd__wave_recipe;

struct ifd__wave {
    IFD_RT void (*eval)(const void *data, double s, double out[3]); /* s = t - start >= 0 */
    const void *data;
    double factor, start;           /* y(t) = factor * wave(t - start) for t >= start, zero before */
    double length;                  /* constant for s beyond this; HUGE_VAL when it never is */
    double interval;                /* corners at its multiples; 0 when none */
    const ifd__wave_recipe *recipe; /* NULL: cannot be made elsewhere */
};

struct ifd_signal {
    int count;
    double interval, end;
    const ifd__wave *wave;
};

/* What a maker gets: checked values of kind->params. */
typedef struct ifd__signal_ask {
    ifd_arena *arena;
    const ifd_signal_kind *kind;
    const ifd_value *values;
    const ifd_place *place;
    ifd_note *note;
} ifd__signal_ask;

/* make fills eval, data, length, interval; may change factor (arrives 1) and start (arrives 0). */
typedef struct ifd__signal_ops {
    ifd_status (*make)(const ifd__signal_ask *ask, ifd__wave *wave);
} ifd__signal_ops;

extern const ifd__signal_ops ifd__sine_ops, ifd__cosine_ops, ifd__chirp_ops, ifd__pulse_ops, ifd__step_ops,
    ifd__ramp_ops, ifd__noise_ops, ifd__kanai_tajimi_ops, ifd__table_ops;

/* The number of a parameter, and whether it was given. */
double ifd__ask_number(const ifd__signal_ask *ask, const char *name);
bool ifd__ask_given(const ifd__signal_ask *ask, const char *name);
ifd_status ifd__ask_no_memory(const ifd__signal_ask *ask);

/* A table as a wave; the samples are copied. */
ifd_status ifd__wave_table(ifd_arena *arena, const ifd_samples *samples, ifd_interpolation how, ifd__wave *wave,
                           ifd_note *note);
/* The samples behind a wave and how many; NULL when it is not a table. */
const double *ifd__wave_samples(const ifd__wave *wave, int *count);
/* The first s after the given one at which a sample of the table stands; HUGE_VAL behind the last
 * one or when it is not a table. */
double ifd__wave_knot(const ifd__wave *wave, double s);

#endif
