/* SPDX-License-Identifier: MIT */
/* Community benchmarks of virtual real-time hybrid simulation.
 *
 * rths (Silva et al., MSSP 135, 2020, 106381): a three-storey frame with the specimen of its first storey on a
 * servo-hydraulic actuator, at 4096 Hz.
 *
 *     M_n y'' + C_n y' + K_n y = -M i ug'' - (f, 0, 0)
 *
 * One step: measure x, f; command u from y; advance y with the previous force held and the ground motion linear;
 * advance the plant with u held. The criteria J1 to J9 are those of the distributed code (lag, then errors in
 * percent).
 *
 * marths (Condori Uribe et al., Front. Built Environ. 9, 2023, 1270996): a frame of three storeys and three bays. One
 * bay of its first storey is moved by two coupled actuators in sway x and in rotation th, at 1024 Hz.
 *
 *     M_n y'' + C_n y' + K_n y = -M_n l ag - F(x, th measured),    targets a1, a2 (mm) from y by the coupler
 *
 * One step: measure the actuators, compute the force from their motion, advance y with it, command u from the
 * targets, advance the plant with u held. The criteria are those of the distributed code, and J7c to J10c against
 * the glued model: both parts in one equation, without actuators. The hybrid model of the benchmark differs from its
 * reference, so that J7 to J10 have floors, the errors of the glued model.
 *
 *     ifd_benchmark_options opt;
 *     ifd_benchmark_defaults(&ifd_rths, &opt);
 *     opt.ground = record;                                   // an ifd_signal in m/s2, unscaled
 *     opt.end = 41.18;
 *     opt.controller = ifd_benchmark_controller_find(&ifd_rths, "adaptive-model");
 *     IFD_TRY(ifd_benchmark_run(&opt, &result, note));
 *     result.value[1]                                        // J2, %
 *
 * Limits of the rig are observed, not enforced: the result of rths lists those at which a real rig would trip. */
#ifndef INTERFIELD_BENCHMARK_H
#define INTERFIELD_BENCHMARK_H

#include <stdint.h>

#include <interfield/compensator.h>
#include <interfield/signal.h>

IFD_BEGIN_DECLS

enum { IFD_RTHS_RATE = 4096, IFD_RTHS_BUILDINGS = 4, IFD_RTHS_CRITERIA = 9 };
enum { IFD_MARTHS_RATE = 1024, IFD_MARTHS_DRAWS = 9, IFD_MARTHS_FLOORS = 12 };

/* The first value of each criterion of marths. Two values: actuators, or x and th of the node; four: x2, th2, x3,
 * th3. Delays in ms, errors in percent. J4 of the distributed code equals J1. */
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

/* A controller: a compensator with its settings of the benchmark; of marths one on each actuator, `decoupling` on
 * both together. Settings of marths are completed by coefficients and delays of the nominal plant. */
typedef struct ifd_benchmark_setting {
    const char *param; /* NULL ends the list */
    double number;
    const char *word; /* NULL: number applies */
} ifd_benchmark_setting;

typedef struct ifd_benchmark_controller {
    const char *name; /* NULL ends the table */
    const char *summary;
    const char
        *compensator; /* NULL: of rths an ideal actuator, the best possible result; of marths one of its laws */
    ifd_benchmark_setting setting[6];
} ifd_benchmark_controller;

typedef struct ifd_benchmark {
    const char *name;
    int rate, values; /* Hz; number of criteria */
    const ifd_benchmark_controller *controllers;
    const char *const *criteria; /* names, "J2 1", "J8 x2" */
    const char *controller;      /* preset */
    uint32_t seed;               /* preset */
} ifd_benchmark;

IFD_API extern const ifd_benchmark ifd_rths;
IFD_API extern const ifd_benchmark ifd_marths;
/* NULL: none of this name. */
IFD_API const ifd_benchmark_controller *ifd_benchmark_controller_find(const ifd_benchmark *b, const char *name);

/* What varies between plants. rths: k_e (N/m), beta1, beta2, a3; marths: normal numbers that perturb the nominal
 * plant, which has zeros. */
typedef struct ifd_benchmark_plant {
    double number[IFD_MARTHS_DRAWS];
} ifd_benchmark_plant;

/* Noise of the sensors. Of marths both have the same noise, as in the distributed code, or independent noise. */
typedef enum ifd_benchmark_noise {
    IFD_BENCHMARK_SILENT,
    IFD_BENCHMARK_NOISE,
    IFD_BENCHMARK_INDEPENDENT
} ifd_benchmark_noise;

typedef struct ifd_benchmark_options {
    const ifd_benchmark *of;
    const ifd_signal *ground; /* m/s2, unscaled */
    double end;               /* s, of the record */
    double scale;             /* 0.4 */
    ifd_benchmark_plant plant;
    ifd_benchmark_noise noise;
    uint32_t seed;
    const ifd_benchmark_controller *controller;
    const ifd_benchmark_setting *setting; /* additional settings of the compensator, which override those of the
                                           * controller; or NULL */
    int building;                         /* of rths: 1 to 4 */
    const char *method; /* of the numerical substructure of rths: a row of ifd_methods[]; NULL: exact for held force
                         * and linear ground motion */
} ifd_benchmark_options;

/* Nominal plant, building 1, noise on, and the presets of the benchmark. */
IFD_API void ifd_benchmark_defaults(const ifd_benchmark *of, ifd_benchmark_options *opt);

typedef struct ifd_benchmark_result {
    long samples;
    bool stable;
    double unstable_at;              /* s; if unstable, the values are undefined, except those of the references */
    double value[IFD_MARTHS_VALUES]; /* criteria, not rounded; rths: J1 in ms, the others in percent */
    double reference[6];             /* signed peaks (m, rad): floors; of marths U27, U21, U26, U22, U13, U3 */
    double coefficients[2][4]; /* of each compensator at the end; of marths taps, or those of x, x', x'', x''' or the
                                * lag; zero if it has none */
    /* rths */
    double delay;                                /* signed delay of the actuator without noise, s */
    double amplitude;                            /* of the actuator over the target */
    double peak_x, peak_v, peak_f;               /* of the actuator: m, m/s, N */
    bool over_force, over_stroke, over_velocity; /* a real rig would trip: 8900 N, 7 mm, 300 mm/s */
    double reference_time;                       /* s, of the peak of the first floor */
    double reference_std;                        /* m, of the first floor */
    /* marths */
    double floor[IFD_MARTHS_FLOORS];                          /* J7 to J10 of the glued model */
    double glued[6];                                          /* its signed peaks */
    double peak_target[2], peak_measured[2], peak_command[2]; /* signed, m */
    double peak_volts[2];                                     /* of the command; 3.8 V is the limit of the rig */
} ifd_benchmark_result;

/* Runs a benchmark once and computes its criteria. Instability is no error: see out->stable. */
IFD_API ifd_status ifd_benchmark_run(const ifd_benchmark_options *opt, ifd_benchmark_result *out, ifd_note *note);

/* A record file as a signal, linear between its samples, and the time of its last sample. */
IFD_API ifd_status ifd_benchmark_record_read(ifd_arena *arena, const char *path, const ifd_signal **out, double *end,
                                             ifd_note *note);
/* A table of plants: lines of their numbers, of marths after the number of the plant; lines that begin with a letter
 * or # are skipped. */
IFD_API ifd_status ifd_benchmark_plants_read(ifd_arena *arena, const char *path, const ifd_benchmark *of,
                                             const ifd_benchmark_plant **out, int *count, ifd_note *note);

IFD_END_DECLS
#endif
