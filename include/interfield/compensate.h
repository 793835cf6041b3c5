/* SPDX-License-Identifier: MIT */
/* Selection of a compensation: every row of ifd_compensators[] on the rig of a test, with settings from the known
 * properties of the actuators, probed and run dry (preflight.h).
 *
 *     ifd_compensate *s;
 *     IFD_TRY(ifd_compensate_make(arena, &options, 0.0, &s, note));          // options of a preflight
 *     ifd_compensation *row = ifd_arena_array(arena, (size_t)ifd_compensator_count, sizeof *row);
 *     for (int i = 0; i < ifd_compensator_count; i++)
 *         IFD_TRY(ifd_compensate_row(s, ifd_compensators[i], &row[i], note));
 *     int best = ifd_compensate_best(row, ifd_compensator_count);            // -1: none usable
 *
 * Settings. The response of an actuator is x = G(s) u with 1/G(s) = a0 + a1 s + a2 s^2 + a3 s^3 + ... The
 * coefficients are from the moments of its response to a command of one tick, relative to the due time of the
 * command. characterise.h measures the same. delay is a1/a0, coefficients are a0, a1, ... With a drive they are those
 * of the slowest actuator that a motion of the interface moves. A compensator of the test keeps its settings. Others
 * are rounded to seven digits, so that their text gives the examined values.
 *
 * Delay margin, predicted error and peak acceleration are those of a preflight of the test with that compensation.
 * Noise gain is the RMS of the command for white sensor noise of RMS one through the complete loop: numerical
 * substructure, compensation, actuator and specimen (linear, at rest, no adaptation). */
#ifndef INTERFIELD_COMPENSATE_H
#define INTERFIELD_COMPENSATE_H

#include <interfield/compensator.h>
#include <interfield/preflight.h>

IFD_BEGIN_DECLS

typedef struct ifd_compensate ifd_compensate;

typedef struct ifd_compensation {
    const ifd_compensator_kind *kind;
    const ifd_value *values[IFD_RIG_ACTUATORS]; /* per interface; NULL: force control without compensation */
    bool turns[IFD_RIG_ACTUATORS];              /* rotation: rad for m, N m for N */
    bool own;                                   /* settings of the test, on at least one interface */
    bool usable;
    const char *why; /* not usable: the reason; usable: a caution, or NULL */
    bool careful;    /* usable with caution */
    bool stable;     /* with the initial stiffness of the specimens and with their secant */
    ifd_reach delay; /* s of wall-clock time, with the initial stiffness; if that is unstable, with the secant
                      * stiffness */
    ifd_reach delay_initial, delay_secant;
    bool finished;                /* the dry run reached its end */
    double error_rms, error_peak; /* against an ideal rig, relative; NAN: unknown */
    double tracking;              /* m: largest tracking error of all interfaces */
    int hardest;                  /* the interface with its acceleration nearest to its limit; see hardest_actuator */
    double acceleration, limit;   /* m/s2 of its command in a dry run without limits; the limit */
    long governed;                /* number of commands reduced by a limit */
    int noisiest;                 /* the interface with the largest noise gain; see noisiest_actuator */
    double noise_force;           /* m/N of its command, for noise of the force sensors; NAN: unknown */
    double noise_position;        /* 1, for noise of the position sensors, the largest of the commands of all
                                   * actuators; NAN: unknown for one of them */
    const char *hardest_actuator; /* the actuator of a drive with this acceleration (m/s2); hardest is then the first
                                   * interface of the drive. NULL: of the interface */
    const char *noisiest_actuator; /* likewise of noise_force */
} ifd_compensation;

/* look_ahead: s, for every row except those with settings of the test; NAN: the lag of the load cells of the twin.
 * Includes the run on an ideal rig. */
IFD_API ifd_status ifd_compensate_make(ifd_arena *arena, const ifd_preflight_options *o, double look_ahead,
                                       ifd_compensate **out, ifd_note *note);

typedef struct ifd_compensate_actuator {
    const char *name, *drive; /* without a drive: the name of the interface, and NULL */
    bool known;               /* the response */
    bool used;   /* for the settings: the only one of its interface, or the slowest for one of its drive */
    double a[4]; /* a0, a1, a2, a3 */
} ifd_compensate_actuator;

/* All actuators of the rig, in its order; their number. */
IFD_API int ifd_compensate_actuators(const ifd_compensate *s, const ifd_compensate_actuator **out);

/* Coefficients a0, a1, a2, a3 of the actuator of an interface; with a drive, of the slowest one that a motion of the
 * interface moves. False: unknown, with a drive if one of these is unknown. */
IFD_API bool ifd_compensate_plant(const ifd_compensate *s, int interface, double out[4]);

/* IFD_OK also for a compensator that is not usable. */
IFD_API ifd_status ifd_compensate_row(ifd_compensate *s, const ifd_compensator_kind *kind, ifd_compensation *out,
                                      ifd_note *note);

/* The smallest rms error of the usable rows without a caution, such as an error above the bound of the options; -1:
 * none is within margins and limits. */
IFD_API int ifd_compensate_best(const ifd_compensation *row, int rows);

IFD_END_DECLS
#endif
