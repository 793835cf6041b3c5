/* SPDX-License-Identifier: MIT */
/* Community benchmark of multi-axial virtual real-time hybrid simulation (maRTHS; Condori Uribe et al., Front. Built
 * Environ. 9, 2023, 1270996): a frame of three storeys and three bays. One bay of its first storey is moved by two
 * coupled actuators in sway x and in rotation th, at 1024 Hz.
 *
 *     M_n y'' + C_n y' + K_n y = -M_n l ag - F(x, th measured),    targets a1, a2 (mm) from y by the coupler
 *
 * One step: measure the actuators, compute the force from their motion, advance y with it, command u from the
 * targets, advance the plant with u held. The criteria are those of the distributed code, and J7c to J10c against
 * the glued model: both parts in one equation, without actuators. The hybrid model of the benchmark differs from its
 * reference, so that J7 to J10 have floors, the errors of the glued model.
 *
 *     ifd_marths_options opt;
 *     ifd_marths_options_defaults(&opt);
 *     opt.ground = record;                                   // an ifd_signal in m/s2, unscaled
 *     opt.end = 41.18;
 *     IFD_TRY(ifd_marths_run(&opt, &result, note));
 *     result.value[IFD_MARTHS_J2]                            // actuator 1; the next one is that of actuator 2
 *
 * Limits of a rig are not part of the benchmark. */
#ifndef INTERFIELD_MARTHS_H
#define INTERFIELD_MARTHS_H

#include <interfield/benchmark.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { IFD_MARTHS_RATE = 1024, IFD_MARTHS_AXES = 2, IFD_MARTHS_DRAWS = 9, IFD_MARTHS_FLOORS = 12 };

/* The first value of each criterion in ifd_marths_result.value. Two values: actuators, or x and th of the node; four:
 * x2, th2, x3, th3. Delays in ms, errors in percent. J4 of the distributed code equals J1. */
enum {
    IFD_MARTHS_J1 = 0,   /* delay of the measured position, whole samples */
    IFD_MARTHS_LAG = 2,  /* the same by a parabola through the correlation */
    IFD_MARTHS_J2 = 4,   /* rms tracking error of the actuators */
    IFD_MARTHS_J3 = 6,   /* peak of the same */
    IFD_MARTHS_J5 = 8,   /* rms error of the measured node against the computed one */
    IFD_MARTHS_J6 = 10,  /* peak of the same */
    IFD_MARTHS_J7 = 12,  /* rms error of the measured node against the reference */
    IFD_MARTHS_J8 = 14,  /* rms error of floors 2 and 3 against the reference */
    IFD_MARTHS_J9 = 18,  /* peak errors as J7 */
    IFD_MARTHS_J10 = 20, /* and as J8 */
    IFD_MARTHS_J7C = 24, /* J7 to J10 against the glued model */
    IFD_MARTHS_J8C = 26,
    IFD_MARTHS_J9C = 30,
    IFD_MARTHS_J10C = 32,
    IFD_MARTHS_VALUES = 36
};
/* Their names, "J2 1", "J8 x2"; IFD_MARTHS_VALUES of them. */
IFD_API extern const char *const ifd_marths_criteria[];

/* A controller: a law of the benchmark, or a compensator on each actuator; `decoupling` on both together.
 * Coefficients and delays are those of the nominal plant. */
typedef struct ifd_marths_controller {
    const char *name; /* NULL ends the table */
    const char *summary;
    const char *compensator; /* NULL: a law of the benchmark */
    ifd_rths_setting setting[6];
} ifd_marths_controller;

IFD_API extern const ifd_marths_controller ifd_marths_controllers[];
IFD_API const ifd_marths_controller *ifd_marths_controller_find(const char *name);

/* Normal numbers that perturb a plant; all zero: the nominal plant. */
typedef struct ifd_marths_plant {
    double draw[IFD_MARTHS_DRAWS];
} ifd_marths_plant;

typedef enum ifd_marths_noise { IFD_MARTHS_SILENT, IFD_MARTHS_SHARED, IFD_MARTHS_INDEPENDENT } ifd_marths_noise;

typedef struct ifd_marths_options {
    const ifd_signal *ground; /* m/s2, unscaled */
    double end;               /* s, of the record */
    double scale;             /* 0.4 */
    ifd_marths_plant plant;
    ifd_marths_noise noise; /* shared: both sensors have the same noise, as in the distributed code */
    uint32_t seed;          /* 123 */
    const ifd_marths_controller *controller;
    const ifd_rths_setting *setting; /* additional settings of the compensator; or NULL */
} ifd_marths_options;

/* Nominal plant, shared noise with seed 123, decoupling. */
IFD_API void ifd_marths_options_defaults(ifd_marths_options *opt);

typedef struct ifd_marths_result {
    long samples;
    bool stable;
    double unstable_at;              /* s; if unstable, the values below are undefined, except floor and reference */
    double value[IFD_MARTHS_VALUES]; /* not rounded */
    double floor[IFD_MARTHS_FLOORS]; /* J7 to J10 of the glued model */
    double reference[6];             /* signed peaks of U27, U21, U26, U22, U13, U3 (m, rad) */
    double glued[6];                 /* the same of the glued model */
    double peak_target[2], peak_measured[2], peak_command[2]; /* signed, m */
    double peak_volts[2];                                     /* of the command; 3.8 V is the limit of the rig */
    double coefficients[2][4]; /* of each actuator at the end: taps, or coefficients of x, x', x'', x''' or the lag */
} ifd_marths_result;

/* Runs the benchmark once and computes its criteria. Instability is no error: see out->stable. */
IFD_API ifd_status ifd_marths_run(const ifd_marths_options *opt, ifd_marths_result *out, ifd_note *note);

/* A table of plants: lines of a number and nine draws; lines that begin with a letter or # are skipped. */
IFD_API ifd_status ifd_marths_plants_read(ifd_arena *arena, const char *path, const ifd_marths_plant **out,
                                          int *count, ifd_note *note);

#ifdef __cplusplus
}
#endif
#endif
