/* SPDX-License-Identifier: MIT */
/* Characterisation: small motions, under the limits, that tell what stands on a rig before it is tested.
 *
 * Each interface in turn, but for those whose force is controlled, rests, goes through one slow cycle, a step, and a
 * periodic sweep whose period is a whole number of ticks; all others stay. The motions are led by the same
 * machine, governor and limits as a test (hybrid.h):
 *
 *     ifd_protocol *protocol;
 *     IFD_TRY(ifd_protocol_make(arena, &options, &(ifd_protocol_rig){count, interface, period}, &protocol, note));
 *     hybrid.protocol = protocol;
 *     hybrid.model = ifd_protocol_model(protocol);
 *     hybrid.end = ifd_protocol_duration(protocol);
 *     ... run it, keep command, measured position and force of every tick in state run ...
 *     IFD_TRY(ifd_characterise(arena, protocol, k, &record, &found, note));
 *
 * From a whole number of periods of the sweep the spectra U (command), X (position) and F (force) are known
 * without leakage at every multiple of its lowest frequency, with their scatter from period to period. Least
 * squares on them give
 *
 *     U = (a0 + a1 s + a2 s^2 + a3 s^3) X,     F = (k + i d + c s + m s^2) X,     s = i w
 *
 * and the delay is the slope of the lag arg(U/X) at frequency zero. The command counts at the instant it is meant
 * for, the tick after the one that sent it: what is found is what a compensator has to make up for. */
#ifndef INTERFIELD_CHARACTERISE_H
#define INTERFIELD_CHARACTERISE_H

#include <interfield/hybrid.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ifd_characterise_options {
    double stroke_fraction;       /* amplitude, of the way to the nearer end of the stroke */
    double velocity_fraction;     /* peak velocity, of its limit */
    double acceleration_fraction; /* peak acceleration, of its limit */
    double slowest, fastest;      /* Hz, of the sweep */
    int periods;                  /* of the sweep, besides the first */
    double quiet, cycle;          /* s */
    int compensation;             /* which one a fragment chooses: its place in IFD_CHARACTERISE_COMPENSATIONS */
} ifd_characterise_options;

#define IFD_CHARACTERISE_COMPENSATIONS "polynomial|taylor|inverse-1|inverse-2|inverse-3|none"

/* Sets every member to what the case file has when it says nothing. */
IFD_API void ifd_characterise_defaults(ifd_characterise_options *o);

typedef struct ifd_protocol ifd_protocol;

/* Where in the record of one interface its motions stand, in ticks since the state run was reached. */
typedef struct ifd_motions {
    long quiet, cycle, step, sweep; /* where they begin; the sweep includes the period that is not used */
    long end;
    long period;                             /* of the sweep */
    double amplitude, step_size, sweep_size; /* m: of the cycle, of the step, peak of the sweep */
} ifd_motions;

/* What is moved. */
typedef struct ifd_protocol_rig {
    int interfaces;
    const ifd_interface_options *interface; /* limits, and where the rig stands (start, m) */
    double period;                          /* s per tick */
} ifd_protocol_rig;

IFD_API ifd_status ifd_protocol_make(ifd_arena *arena, const ifd_characterise_options *o, const ifd_protocol_rig *rig,
                                     ifd_protocol **out, ifd_note *note);
/* A model without any properties but one dof per interface, for ifd_hybrid_options. */
IFD_API const ifd_model *ifd_protocol_model(const ifd_protocol *p);
IFD_API double ifd_protocol_duration(const ifd_protocol *p); /* s */
IFD_API ifd_motions ifd_protocol_motions(const ifd_protocol *p, int channel);

/* One interface, tick by tick since the state run was reached: what was sent, and what had been measured just
 * before. */
typedef struct ifd_motion_record {
    long ticks;
    double period; /* s */
    const double *command, *position, *force;
} ifd_motion_record;

enum { IFD_CHARACTERISE_POINTS = 512 };

typedef struct ifd_characterisation {
    double stiffness, stiffness_error; /* N/m, and its standard error */
    double damping, damping_error;     /* N s/m, and its standard error; a force measured tau after its position looks
                                             like -k tau */
    double loss;                       /* N/m: of the force that lags, what does not grow with the frequency */
    bool damping_seen;                 /* above three standard errors, and at the top of the sweep above the loss */
    double mass, mass_error;           /* kg, and its standard error */
    double position_noise, force_noise;   /* m, N: deviation at rest */
    double position_offset, force_offset; /* m: measured minus commanded; N: at zero position of the slow cycle */
    double delay, delay_error;            /* s */
    double gain;                          /* x over u at rest */
    double first[2], second[3], third[4]; /* coefficients of the inverse plant, of order one to three */
    double misfit[3];                     /* of each, relative to the command, over the sweep */
    double overshoot, settling;           /* of the step: share of it; s until within 2 % */
    double coherence;                     /* smallest over the sweep: how much of the motion the command explains */
    int points;                           /* of the frequency response, for a picture */
    double frequency[IFD_CHARACTERISE_POINTS], gain_at[IFD_CHARACTERISE_POINTS],
        lag_at[IFD_CHARACTERISE_POINTS]; /* Hz, 1, s */
} ifd_characterisation;

/* What the record of the motions of p tells about an interface. */
IFD_API ifd_status ifd_characterise(ifd_arena *arena, const ifd_protocol *p, int channel,
                                    const ifd_motion_record *record, ifd_characterisation *out, ifd_note *note);

/* Stiffness matrix of all interfaces, row by row: force of the row over position of the column. Each column is from
 * the slow cycle of its interface, in which the others stay; what they move all the same is taken into account. */
typedef struct ifd_stiffness_matrix {
    int n;             /* interfaces */
    double *K, *error; /* n x n; error: standard errors */
    double symmetry;   /* the largest |K_ij - K_ji| over sqrt(|K_ii K_jj|): noise, for an elastic specimen and true
                        * sensors */
} ifd_stiffness_matrix;

/* mass: of each interface as it was found, whose inertia is taken off the diagonal. IFD_SINGULAR: an interface did
 * not move. */
IFD_API ifd_status ifd_characterise_stiffness(ifd_arena *arena, const ifd_protocol *p,
                                              const ifd_motion_record *record, const double *mass,
                                              ifd_stiffness_matrix *out);

#ifdef __cplusplus
}
#endif
#endif
