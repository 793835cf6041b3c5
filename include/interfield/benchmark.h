/* SPDX-License-Identifier: MIT */
/* Community benchmark of virtual real-time hybrid simulation (Silva et al., MSSP 135, 2020, 106381): a three-storey
 * frame with the specimen of its first storey on a servo-hydraulic actuator, at 4096 Hz.
 *
 *     M_n y'' + C_n y' + K_n y = -M i ug'' - (f, 0, 0)
 *
 * One step: measure x, f; command u from y; advance y with the previous force held and the ground motion linear;
 * advance the plant with u held. The criteria J1 to J9 are those of the distributed code (lag, then errors in
 * percent).
 *
 *     ifd_rths_options opt;
 *     ifd_rths_options_defaults(&opt);
 *     opt.ground = record;                                   // an ifd_signal in m/s2, unscaled
 *     opt.end = 41.18;
 *     opt.controller = ifd_rths_controller_find("adaptive-model");
 *     IFD_TRY(ifd_rths_run(&opt, &result, note));
 *
 * Limits of the rig are observed, not enforced: the result lists those at which a real rig would trip. */
#ifndef INTERFIELD_BENCHMARK_H
#define INTERFIELD_BENCHMARK_H

#include <stdint.h>

#include <interfield/compensator.h>
#include <interfield/signal.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { IFD_RTHS_RATE = 4096, IFD_RTHS_BUILDINGS = 4, IFD_RTHS_CRITERIA = 9 };

/* A controller of the benchmark: a compensator with its benchmark settings. */
typedef struct ifd_rths_setting {
    const char *param; /* NULL ends the list */
    double number;
    const char *word; /* NULL: number applies */
} ifd_rths_setting;

typedef struct ifd_rths_controller {
    const char *name; /* NULL ends the table */
    const char *summary;
    const char *compensator; /* NULL: an ideal actuator instead of the plant, which is the best possible result */
    ifd_rths_setting setting[6];
} ifd_rths_controller;

IFD_API extern const ifd_rths_controller ifd_rths_controllers[];
IFD_API const ifd_rths_controller *ifd_rths_controller_find(const char *name);

/* Parameters that vary between plants. */
typedef struct ifd_rths_plant {
    double stiffness; /* k_e, N/m */
    double beta1, beta2, a3;
} ifd_rths_plant;

typedef struct ifd_rths_options {
    const ifd_signal *ground; /* m/s2, unscaled */
    double end;               /* s, of the record */
    double scale;             /* 0.4 */
    int building;             /* 1 to 4 */
    ifd_rths_plant plant;
    bool noise;
    uint64_t seed;
    const ifd_rths_controller *controller;
    const ifd_rths_setting *setting; /* additional settings of the compensator, which override those of the
                                      * controller; or NULL */
    const char
        *method; /* of the numerical substructure: a row of ifd_methods[]; NULL: exact for held force and linear
                  * ground motion */
} ifd_rths_options;

/* Nominal plant, building 1, noise on, seed 1, pi-lead. */
IFD_API void ifd_rths_options_defaults(ifd_rths_options *opt);

typedef struct ifd_rths_result {
    long samples;
    bool stable;
    double unstable_at;            /* s; if unstable, all members below except the reference are undefined */
    double J[IFD_RTHS_CRITERIA];   /* J1 in ms, the others in percent; not rounded */
    double delay;                  /* signed delay of the actuator without noise, s */
    double amplitude;              /* of the actuator over the target */
    double peak_x, peak_v, peak_f; /* of the actuator: m, m/s, N */
    bool over_force, over_stroke, over_velocity; /* a real rig would trip: 8900 N, 7 mm, 300 mm/s */
    double reference[3];                         /* signed peaks of the floors, m */
    double reference_time;                       /* s, of the peak of the first floor */
    double reference_std;                        /* m, of the first floor */
    double coefficients[4];                      /* of the compensator at the end; zero if it has none */
} ifd_rths_result;

/* Runs the benchmark once and computes its criteria. Instability is no error: see out->stable. */
IFD_API ifd_status ifd_rths_run(const ifd_rths_options *opt, ifd_rths_result *out, ifd_note *note);

/* A record file as a signal, linear between its samples, and the time of its last sample. */
IFD_API ifd_status ifd_rths_record_read(ifd_arena *arena, const char *path, const ifd_signal **out, double *end,
                                        ifd_note *note);
/* A table of plants: lines k_e, beta1, beta2, a3; lines that begin with a letter or # are skipped. */
IFD_API ifd_status ifd_rths_plants_read(ifd_arena *arena, const char *path, const ifd_rths_plant **out, int *count,
                                        ifd_note *note);

#ifdef __cplusplus
}
#endif
#endif
