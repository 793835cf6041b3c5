/* SPDX-License-Identifier: MIT */
/* Signals: functions of time for ground motions, imposed displacements and forces.
 *
 *     out[0] = y(t),   out[1] = y'(t),   out[2] = y''(t)
 *
 * A signal is constant after its creation. It is a row of ifd_signal_kinds[] with its parameters, a table of samples,
 * or a sum:
 *
 *     const ifd_signal *s;
 *     const ifd_signal_kind *kind = ifd_signal_find("sine");
 *     ifd_value v[IFD_SIGNAL_PARAMS];
 *     ifd_param_preset(kind->params, v);
 *     v[ifd_param_find(kind->params, "frequency")] = ifd_number(2.0);            // Hz
 *     IFD_TRY(ifd_signal_make(arena, kind, v, NULL, &s, note));
 *     ifd_signal_eval(s, t, out);                                                // IFD_RT
 *
 * Before its start every signal and its derivatives are zero. Derivatives are analytic; at a corner or a jump they
 * are right-hand derivatives. Values are in the SI unit of the driven quantity. */
#ifndef INTERFIELD_SIGNAL_H
#define INTERFIELD_SIGNAL_H


#include <interfield/arena.h>
#include <interfield/param.h>
#include <interfield/status.h>

IFD_BEGIN_DECLS

enum { IFD_SIGNAL_PARAMS = 16 }; /* largest number of parameters of a kind */

typedef struct ifd_signal ifd_signal;
struct ifd__signal_ask;
struct ifd__wave;

/* A row of the table. Parameters of dimension IFD_DIM_ANY have the dimension of the driven quantity. */
typedef struct ifd_signal_kind {
    const char *name;    /* as in a case file */
    const char *summary; /* one sentence, with the formula */
    const ifd_param *params;
    /* Internal: sets eval, data, length and interval of the wave; may change its factor (initially 1) and start
     * (initially 0). NULL: the case reader makes it from a file. */
    ifd_status (*make)(const struct ifd__signal_ask *ask, struct ifd__wave *wave);
} ifd_signal_kind;

IFD_API extern const ifd_signal_kind *const ifd_signal_kinds[];
IFD_API extern const int ifd_signal_kind_count;
IFD_API const ifd_signal_kind *ifd_signal_find(const char *name);

/* values: one per parameter of kind, checked here; words receive their index. place is the location of the signal in
 * the case; place and note may be NULL. */
IFD_API ifd_status ifd_signal_make(ifd_arena *arena, const ifd_signal_kind *kind, ifd_value *values,
                                   const ifd_place *place, const ifd_signal **out, ifd_note *note);

typedef enum ifd_interpolation {
    IFD_INTERPOLATE_LINEAR, /* y' is the slope, y'' = 0; zero before the first and after the last sample */
    IFD_INTERPOLATE_SPLINE, /* natural cubic spline: y', y'' continuous; constant after the last sample */
    IFD_INTERPOLATE_HELD    /* linear; constant after the last sample, as a displacement is */
} ifd_interpolation;

/* Samples at start + i dt, or at given increasing times. */
typedef struct ifd_samples {
    int count;           /* 2 or more */
    const double *value; /* count */
    const double *time;  /* count, s; NULL: constant interval */
    double start, dt;    /* s; used if time is NULL */
} ifd_samples;

/* Copies the samples. */
IFD_API ifd_status ifd_signal_make_table(ifd_arena *arena, const ifd_samples *samples, ifd_interpolation how,
                                         const ifd_signal **out, ifd_note *note);

/* The sum of count signals, each multiplied by its factor (NULL: all 1) and delayed by its delay >= 0 (s, NULL:
 * none). With count 1 this scales or delays a signal. */
IFD_API ifd_status ifd_signal_make_sum(ifd_arena *arena, int count, const ifd_signal *const *terms,
                                       const double *factor, const double *delay, const ifd_signal **out);

/* y, y', y'' at t. A table with a constant interval takes constant time, one with given times a bisection. */
IFD_API IFD_RT void ifd_signal_eval(const ifd_signal *signal, double t, double out[3]);

/* The largest |y|: over the samples of a table, otherwise over t = 0, dt, 2 dt ... end. */
IFD_API double ifd_signal_peak(const ifd_signal *signal, double end, double dt);

/* The interval between slope discontinuities (s): that of a linear table, the smallest of a sum; 0: none. A step that
 * divides it never contains a corner. */
IFD_API double ifd_signal_interval(const ifd_signal *signal);

/* The time after which the signal is constant (s); HUGE_VAL: never. */
IFD_API double ifd_signal_end(const ifd_signal *signal);

IFD_END_DECLS
#endif
