/* SPDX-License-Identifier: MIT */
/* Choosing a compensation: every row of ifd_compensators[] on the rig of a test, set up from what is known of its
 * actuators, probed and run dry (preflight.h).
 *
 *     ifd_compensate *s;
 *     IFD_TRY(ifd_compensate_make(arena, &options, 0.0, &s, note));          // options: those of a preflight
 *     ifd_compensation *row = ifd_arena_array(arena, (size_t)ifd_compensator_count, sizeof *row);
 *     for (int i = 0; i < ifd_compensator_count; i++)
 *         IFD_TRY(ifd_compensate_row(s, ifd_compensators[i], &row[i], note));
 *     int best = ifd_compensate_best(row, ifd_compensator_count);            // -1: none can be used
 *
 * Settings. An actuator answers with x = G(s) u, and 1/G(s) = a0 + a1 s + a2 s^2 + a3 s^3 + ... by the moments of its
 * response to one tick of command, in which a command counts at the instant it is meant for: what characterise.h
 * measures. delay is a1/a0, coefficients are a0, a1, ... A compensator that the test has already keeps its own
 * settings. All others are rounded to seven digits, so that a line of text holds what was examined.
 *
 * The margin of delay, the predicted error and the peak of the acceleration are those of a preflight of the test with
 * that compensation. Noise gain is RMS of the command for white noise of RMS one in what the sensors measure, through
 * the whole loop: computed structure, compensation, actuator and specimen (linear, at rest, adaptation frozen). */
#ifndef INTERFIELD_COMPENSATE_H
#define INTERFIELD_COMPENSATE_H

#include <interfield/compensator.h>
#include <interfield/preflight.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ifd_compensate ifd_compensate;

typedef struct ifd_compensation {
    const ifd_compensator_kind *kind;
    const ifd_value
        *values[IFD_RIG_CHANNELS]; /* per interface; NULL: its force is controlled, without compensation */
    bool turns[IFD_RIG_CHANNELS];  /* a rotation: rad for m, N m for N */
    bool own;                      /* with the settings of the test, on an interface at least */
    bool usable;
    const char *why; /* not usable: the reason; usable: what needs attention, or NULL */
    bool careful;    /* usable, and something needs attention */
    bool stable;     /* with the initial stiffness of the specimens and with their secant */
    ifd_reach delay; /* s of wall clock, with the initial stiffness; where that is unstable, with the secant */
    ifd_reach delay_initial, delay_secant;
    bool finished;                /* the dry run came to its end */
    double error_rms, error_peak; /* against a perfect rig, relative; NAN when unknown */
    double tracking;              /* m: largest tracking error, of all interfaces */
    int hardest;                  /* the interface whose acceleration is nearest to its limit */
    double acceleration, limit;   /* m/s2 of its command in a dry run without limits; the limit */
    long governed;                /* commands that a limit held back */
    int noisiest;                 /* the interface with the largest noise gain */
    double noise_force;           /* its m/N, for noise of the force sensors; NAN when unknown */
    double noise_position;        /* 1, of the position sensors, the largest of all interfaces; NAN when unknown */
} ifd_compensation;

/* look_ahead: s, of every row but those with settings of the test. The run on a perfect rig is made here. */
IFD_API ifd_status ifd_compensate_make(ifd_arena *arena, const ifd_preflight_options *o, double look_ahead,
                                       ifd_compensate **out, ifd_note *note);

/* What is known of the actuator of an interface: a0, a1, a2, a3. False: nothing is. */
IFD_API bool ifd_compensate_plant(const ifd_compensate *s, int interface, double out[4]);

/* IFD_OK also of a compensator that cannot be used. */
IFD_API ifd_status ifd_compensate_row(ifd_compensate *s, const ifd_compensator_kind *kind, ifd_compensation *out,
                                      ifd_note *note);

/* Of the usable rows those that need no attention go first, then the smallest rms error; -1 when none is usable. */
IFD_API int ifd_compensate_best(const ifd_compensation *row, int rows);

#ifdef __cplusplus
}
#endif
#endif
