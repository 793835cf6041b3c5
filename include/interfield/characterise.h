/* SPDX-License-Identifier: MIT */
/* Characterisation: small motions within the limits that identify specimens and actuators before a test.
 *
 * Each interface in turn, except those in force control, rests and performs a cycle of a quarter of the amplitude, a
 * slow and a fast one of the same amplitude, a step, and a periodic sweep; periods are whole numbers of ticks; all
 * others hold. The motions use the state machine, governor and limits of a test (hybrid.h):
 *
 *     ifd_protocol *protocol;
 *     IFD_TRY(ifd_protocol_make(arena, &options, &(ifd_protocol_rig){count, interface, period}, &protocol, note));
 *     hybrid.protocol = protocol;
 *     hybrid.model = ifd_protocol_model(protocol);
 *     hybrid.end = ifd_protocol_duration(protocol);
 *     ... run it, store command, measured position and force of every tick in state run ...
 *     IFD_TRY(ifd_characterise(arena, protocol, k, &record, &found, note));
 *
 * A whole number of periods of the sweep yields the spectra U (command), X (position) and F (force) without leakage
 * at every multiple of its lowest frequency, with their scatter between periods. Least squares give
 *
 *     U = (a0 + a1 s + a2 s^2 + a3 s^3) X,     F = (k + i d + c s + m s^2) X,     s = i w
 *
 * and the delay is the slope of the lag arg(U/X) at frequency zero. The command is assigned to its due time, the tick
 * after the one that sent it. The result is the delay for which a compensator must correct. */
#ifndef INTERFIELD_CHARACTERISE_H
#define INTERFIELD_CHARACTERISE_H

#include <interfield/hybrid.h>

IFD_BEGIN_DECLS

typedef struct ifd_characterise_options {
    double stroke_fraction;       /* amplitude as a fraction of half the stroke */
    double velocity_fraction;     /* peak velocity as a fraction of its limit */
    double acceleration_fraction; /* peak acceleration as a fraction of its limit */
    double slowest, fastest;      /* Hz, of the sweep */
    int periods;                  /* of the sweep, in addition to the first */
    double quiet, cycle;          /* s */
    int compensation;             /* compensation in a fragment: index in IFD_CHARACTERISE_COMPENSATIONS */
    /* m/s and Hz, one per interface: the motions are one burst each instead (velocity 0: none). NULL: no bursts. */
    const double *burst_velocity, *burst_frequency;
    int bursts; /* numbers of both */
} ifd_characterise_options;

#define IFD_CHARACTERISE_COMPENSATIONS "polynomial|taylor|inverse-1|inverse-2|inverse-3|none"

typedef struct ifd_protocol ifd_protocol;

/* Start of the motions in the record of one interface, in ticks since the beginning of state run. */
typedef struct ifd_motions {
    /* Starts. Each cycle is half a period to fade in, a period, and half a period to fade out; the sweep includes the
     * period that is not used. */
    long quiet, small, cycle, fast, step, sweep;
    long end;
    long period;                             /* of the sweep, or of the burst */
    long burst;                              /* its start, after the rest; 0: none */
    double amplitude, step_size, sweep_size; /* m: of slow and fast cycle, of the step, peak of the sweep */
} ifd_motions;

/* Interfaces and tick of a protocol. */
typedef struct ifd_protocol_rig {
    int interfaces;
    const ifd_interface_options *interface; /* limits, and position of the rig (start, m) */
    double period;                          /* s per tick */
} ifd_protocol_rig;

IFD_API ifd_status ifd_protocol_make(ifd_arena *arena, const ifd_characterise_options *o, const ifd_protocol_rig *rig,
                                     ifd_protocol **out, ifd_note *note);
/* A model with one dof per interface and no other properties, for ifd_hybrid_options. */
/* The protocol of a case instead: a signal over simulated time for each of the specimens, which are the dofs of the
 * model of run or test (NULL: at rest); step as its `time.step`. */
IFD_API ifd_status ifd_protocol_prescribe(ifd_arena *arena, int specimens, const ifd_signal *const *signal,
                                          double step, ifd_protocol **out);
/* NULL: at rest, or a characterisation. */
IFD_API const ifd_signal *ifd_protocol_signal(const ifd_protocol *p, int specimen);
IFD_API bool ifd_protocol_characterises(const ifd_protocol *p);

IFD_API const ifd_model *ifd_protocol_model(const ifd_protocol *p);
IFD_API double ifd_protocol_duration(const ifd_protocol *p); /* s */
IFD_API ifd_motions ifd_protocol_motions(const ifd_protocol *p, int specimen);

/* One interface in every tick of state run: command sent, and values measured just before. */
typedef struct ifd_motion_record {
    long ticks;
    double period; /* s */
    const double *command, *position, *force;
    bool ramps;       /* the rig varies the command linearly over a tick; otherwise it holds it */
    double transport; /* s: delay that preflight adds to every twin of this rig (certificate.h), not part of it */
} ifd_motion_record;

enum { IFD_CHARACTERISE_POINTS = 512 };

#define IFD_TWIN_MISFIT 0.05 /* largest misfit of a twin, relative */

/* Model of the actuator for the key `twin`: x + 2 z/w x' + x''/w^2 = g u(t - delay). */
typedef struct ifd_found_twin {
    bool found;                      /* false: no model has a misfit of IFD_TWIN_MISFIT or less */
    int order;                       /* of the lag; 0: a pure delay */
    double gain, delay;              /* 1, s */
    double frequency, damping_ratio; /* order 2: w / 2 pi (Hz), z */
    double time_constant;            /* s: of order 1; of order 2 it is 2 z / w */
    double misfit;                   /* rms over the sweep, relative to each frequency */
    double velocity;                 /* m/s at which it saturates, of a burst; 0: not seen */
} ifd_found_twin;

typedef struct ifd_characterisation {
    double stiffness, stiffness_error;  /* N/m, and its standard error */
    double damping, damping_error;      /* N s/m, and its standard error; a force measured tau after its position has
                                        * the effect of -k tau */
    double loss;                        /* N/m: part of the lagging force that is independent of frequency */
    double work, work_error;            /* J: of the slow cycle on the specimen, and its standard error */
    bool damping_seen;                  /* above three standard errors, and above the loss at the highest frequency of
                                        * the sweep */
    double mass, mass_error;            /* kg, and its standard error */
    double position_noise, force_noise; /* m, N: standard deviation at rest */
    double period;                      /* s per tick */
    double centre;                      /* m: command about which the specimen moved */
    double position_offset, force_offset; /* m: measured minus commanded; N: at zero position of the slow cycle */
    double delay, delay_error;            /* s */
    double gain;                          /* x over u at rest */
    double slow_gain;                     /* x over u in the slow cycle, with its sign */
    double first[2], second[3], third[4]; /* coefficients of the inverse plant, of order one to three */
    double misfit[3];                     /* of each, relative to the command, over the sweep */
    double overshoot, settling;           /* of the step: fraction of it; s until within 2 % */
    double coherence;                     /* smallest over the sweep */
    /* Lag of the force behind the position, less damping over stiffness: s. The phase that remains at low frequency,
     * rad: positive with friction or hysteresis, negative with play behind the sensor; and what these are (N, m).
     * Total clearance, m. With their standard errors. */
    double force_lag, force_lag_error, rest, rest_error, friction, play, clearance, clearance_error;
    bool loose;      /* the clearance is certain, and no effect of friction or play */
    bool force_late; /* the lag exceeds three standard errors and half a tick */
    bool free;       /* without a specimen: only the actuator was measured */
    bool yields;     /* in the slow cycle: the stiffness is that of a quarter of the amplitude */
    double position_resolution, force_resolution; /* m, N: steps of the converters; 0: none seen */
    ifd_found_twin twin;
    int points; /* of the frequency response, for a plot */
    double frequency[IFD_CHARACTERISE_POINTS], gain_at[IFD_CHARACTERISE_POINTS],
        lag_at[IFD_CHARACTERISE_POINTS];      /* Hz, 1, s */
    double error_at[IFD_CHARACTERISE_POINTS]; /* standard error of the gain relative to it; over w that of the lag */
    double coherence_at[IFD_CHARACTERISE_POINTS]; /* |Sux|^2 / (Suu Sxx) over the periods of the sweep */
    double lag_scatter;                           /* s: standard deviation of lag_at over the sweep */
    bool scatters;                                /* by more than the delay and half a tick: there is no twin */
} ifd_characterisation;

/* Results for an interface from the record of the motions of p. */
IFD_API ifd_status ifd_characterise(ifd_arena *arena, const ifd_protocol *p, int specimen,
                                    const ifd_motion_record *record, ifd_characterisation *out, ifd_note *note);

/* Whether an actuator reaches the velocity of its test: a burst of six periods with the peak velocity of a dry run on
 * the twin just found, at the highest frequency of the sweep at which small motions have a gain of 0.9 or more.
 *
 *     IFD_TRY(ifd_burst_plan(&o, &options, found, free, burst, note));
 *     ... a second protocol with these velocities and frequencies ...
 *     ifd_burst_judge(second, k, &record, &burst[k]);
 */
typedef struct ifd_burst {
    double needed;               /* m/s of wall-clock time: peak of the dry run, at most its limit; 0: unknown */
    double velocity;             /* m/s, commanded peak; 0: no burst */
    double frequency;            /* Hz */
    double gain;                 /* of small motions at this frequency */
    double share;                /* measured over commanded peak velocity, over the gain; 0: not measured */
    double reached;              /* m/s, measured peak */
    const char *undone;          /* why it was not made; NULL: it was, or nothing is asked */
    const char *remedy;          /* of it, or NULL */
    double amplitude, permitted; /* m: that it needs, and that is permitted; 0: for another reason */
} ifd_burst;

#define IFD_BURST_SHARE 0.95 /* of the velocity; less is saturation */

struct ifd_preflight_options;
/* found, out: one per interface of the test; o: without a delay of its own twin. free: no specimen, so that the
 * amplitude may be half the stroke instead of `stroke-share` of it, within the way to the nearer end of the stroke.
 * A specimen that yields permits a quarter. */
IFD_API ifd_status ifd_burst_plan(const struct ifd_preflight_options *o, const ifd_characterise_options *motions,
                                  const ifd_characterisation *found, bool free, ifd_burst *out, ifd_note *note);
IFD_API void ifd_burst_judge(const ifd_protocol *p, int specimen, const ifd_motion_record *record, ifd_burst *out);
/* Whether the actuator is too slow for its test. */
IFD_API bool ifd_burst_saturates(const ifd_burst *b);

/* What is wrong with the sensors of an interface; the texts are those for the user. */
#define IFD_SENSOR_DOUBT_LIST(X)                                                                                     \
    X(NONE, "")                                                                                                      \
    X(POSITION_REVERSED, "the position sensor or its sign is reversed")                                              \
    X(POSITION_SIZE, "the position is not that of the command: check channel, unit and calibration of its sensor")   \
    X(FORCE_REVERSED, "the load cell or its sign is reversed: the specimen would do work")

typedef enum ifd_sensor_doubt {
#define IFD_SENSOR_DOUBT_ENUM(name, text) IFD_SENSOR_DOUBT_##name,
    IFD_SENSOR_DOUBT_LIST(IFD_SENSOR_DOUBT_ENUM)
#undef IFD_SENSOR_DOUBT_ENUM
        IFD_SENSOR_DOUBT_COUNT
} ifd_sensor_doubt;

IFD_API const char *ifd_sensor_doubt_text(ifd_sensor_doubt doubt);

/* expected: the stiffness of one device (ifd_characterise_expected). Its sign is compared, beyond three standard
 * errors; without a significant stiffness that of the damping, else of the work in the slow cycle. */
IFD_API ifd_sensor_doubt ifd_characterise_doubt(const ifd_characterisation *found, double expected);

struct ifd_laboratory;
/* Stiffness of one device on an interface of a test: its estimate, else that of its element at rest; 0: unknown. */
IFD_API double ifd_characterise_expected(const ifd_hybrid_options *test, const struct ifd_laboratory *laboratory,
                                         int interface);

/* Stiffness matrix of all interfaces, by rows: force of the row over position of the column. Each column is from the
 * slow cycle of its interface, while the others hold; their residual motion is corrected. */
typedef struct ifd_stiffness_matrix {
    int n;             /* number of interfaces */
    double *K, *error; /* n x n; error: standard errors */
    double symmetry;   /* the largest |K_ij - K_ji| over sqrt(|K_ii K_jj|): noise only, for an elastic specimen and
                        * correct sensors */
} ifd_stiffness_matrix;

/* mass: identified mass of each interface; its inertia is subtracted from the diagonal. IFD_SINGULAR: an interface
 * did not move. */
IFD_API ifd_status ifd_characterise_stiffness(ifd_arena *arena, const ifd_protocol *p,
                                              const ifd_motion_record *record, const double *mass,
                                              ifd_stiffness_matrix *out);

IFD_END_DECLS
#endif
