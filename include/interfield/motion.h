/* SPDX-License-Identifier: MIT */
/* Ground motions: intensity measures, response spectra, scaling, baseline correction, filters, resampling.
 *
 *     ifd_motion m;
 *     ifd_motion_measures i;
 *     ifd_motion_response r;
 *     double period = 1.0;
 *     IFD_TRY(ifd_motion_read(arena, "elcentro.AT2", NULL, &m, note));
 *     ifd_motion_intensity(&m, &i);                                          // i.pga, i.arias, ...
 *     IFD_TRY(ifd_motion_spectrum(&m, 0.05, 1, &period, &r));                // r.psa
 *     ifd_motion_scale(&m, 0.3 * 9.80665 / r.psa);                           // Sa(1 s) = 0.3 g
 *     IFD_TRY(ifd_motion_write(&m, "scaled.csv", note));
 *
 * A motion is an acceleration at a constant interval, linear between its samples. An operation replaces m->a by new
 * numbers in the arena. */
#ifndef INTERFIELD_MOTION_H
#define INTERFIELD_MOTION_H

#include <interfield/arena.h>
#include <interfield/signal.h>
#include <interfield/status.h>

IFD_BEGIN_DECLS

typedef struct ifd_motion {
    const char *name; /* of the file, without folder and ending */
    int count;        /* 2 or more */
    double dt;        /* s */
    double *a;        /* m/s2, count */
} ifd_motion;

typedef struct ifd_motion_options {
    const char *unit; /* of the values; NULL: the unit in the file, or m/s2 without one (g in an AT2) */
    double dt;        /* s, of a file with one column; 0: not given */
    double step;      /* s, interval for a file with times of different spacing; 0: refuse it */
} ifd_motion_options;

/* Reads an AT2 or a CSV file; options may be NULL. Errors as for a record of a case. */
IFD_API ifd_status ifd_motion_read(ifd_arena *arena, const char *path, const ifd_motion_options *options,
                                   ifd_motion *out, ifd_note *note);
/* A signal at 0, dt, 2 dt ... end. */
IFD_API ifd_status ifd_motion_sample(ifd_arena *arena, const ifd_signal *signal, double end, double dt,
                                     ifd_motion *out);
/* Writes time and acceleration in m/s2, or an AT2 file in g if the path ends in .AT2. IFD_OUTPUT. */
IFD_API ifd_status ifd_motion_write(const ifd_motion *m, const char *path, ifd_note *note);

/* Intensity measures. Integrals are by the trapezoidal rule on the samples, without correction; D5-75 and D5-95 are
 * the times between these percentages of the integral of a^2, linear between samples. */
typedef struct ifd_motion_measures {
    double pga, pgv, pgd; /* m/s2, m/s, m */
    double arias, cav;    /* m/s: pi / (2 g) int a^2 dt, int |a| dt */
    double d5_75, d5_95;  /* s */
    double end_v, end_d;  /* m/s, m: velocity and displacement at the end, which a corrected record does not have */
} ifd_motion_measures;
IFD_API void ifd_motion_intensity(const ifd_motion *m, ifd_motion_measures *out);

/* Response of an oscillator at rest, exact for a piecewise linear acceleration. sd, psa, sa: maxima over the samples
 * of the motion; fine: over at least 8 points in an interval and 100 in a period. */
typedef struct ifd_motion_response {
    double period;      /* s */
    double sd, psa, sa; /* max |u|, w^2 sd, max |absolute acceleration|: m, m/s2, m/s2 */
    double fine_sd, fine_psa, fine_sa;
} ifd_motion_response;
/* Periods >= 0; period 0: the ground itself. 0 <= damping < 1. IFD_RANGE, IFD_NO_MEMORY. */
IFD_API ifd_status ifd_motion_spectrum(const ifd_motion *m, double damping, int count, const double *period,
                                       ifd_motion_response *out);

/* A target spectrum: pseudo-acceleration over period, linear between the logarithms of both. */
typedef struct ifd_target_spectrum {
    int count;
    const double *period, *psa; /* s, increasing; m/s2 */
} ifd_target_spectrum;
/* Reads a CSV file: period in s, acceleration (unit in brackets in the heading, or `unit`). */
IFD_API ifd_status ifd_target_spectrum_read(ifd_arena *arena, const char *path, const char *unit,
                                            ifd_target_spectrum *out, ifd_note *note);
/* NAN outside its periods. */
IFD_API double ifd_target_spectrum_at(const ifd_target_spectrum *t, double period);
/* The factor f that minimises the sum of (ln f psa - ln target)^2 over 100 periods from `from` to `to`, equally
 * spaced in their logarithm; misfit: the root mean square of the remaining differences. IFD_RANGE: the target does
 * not contain these periods. */
typedef struct ifd_spectrum_fit {
    double damping, from, to; /* ratio; s */
    double factor, misfit;    /* result */
} ifd_spectrum_fit;
IFD_API ifd_status ifd_motion_fit(const ifd_motion *m, const ifd_target_spectrum *t, ifd_spectrum_fit *fit,
                                  ifd_note *note);

/* Matches the spectrum of a motion to the target at the same 100 periods: scales it, then adds wavelets (Al Atik and
 * Abrahamson 2010) until the largest |ln(psa / target)| is at most the tolerance, for at most `most` steps. Peaks
 * count between the samples too. Velocity and displacement of the wavelets end at zero. Needs dt <= from / 10 and
 * damping > 0. A tolerance that is not reached is not an error: compare `worst`. */
typedef struct ifd_spectrum_match {
    double damping, from, to; /* ratio; s */
    double tolerance;         /* of ln(psa / target) */
    int most;
    int steps; /* result: taken */
    double factor, rms, worst;
} ifd_spectrum_match;
IFD_API ifd_status ifd_motion_match(ifd_arena *arena, ifd_motion *m, const ifd_target_spectrum *t,
                                    ifd_spectrum_match *o, ifd_note *note);

IFD_API void ifd_motion_scale(ifd_motion *m, double factor);

/* Subtracts a polynomial of that degree (0 to 6), whose integral fits the velocity by least squares. */
IFD_API ifd_status ifd_motion_baseline(ifd_arena *arena, ifd_motion *m, int degree, ifd_note *note);

/* Butterworth filter, forward and backward: no phase, gain 1/2 at a corner. */
typedef struct ifd_motion_band {
    double low, high; /* Hz: corners of the high-pass and of the low-pass part; 0: none */
    int order;        /* of one pass, 1 to 10 */
} ifd_motion_band;
IFD_API ifd_status ifd_motion_filter(ifd_arena *arena, ifd_motion *m, const ifd_motion_band *filter, ifd_note *note);

/* Another interval. A longer one is preceded by a low-pass filter of order 8 at 0.4 / dt. */
IFD_API ifd_status ifd_motion_resample(ifd_arena *arena, ifd_motion *m, double dt, ifd_note *note);

IFD_END_DECLS
#endif
