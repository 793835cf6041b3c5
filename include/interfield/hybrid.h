/* SPDX-License-Identifier: MIT */
/* Hybrid test: a model whose specimens stand on a rig.
 *
 *     M u'' + R(u, u') + (measured forces) = P(t)
 *
 * The model is stepped by the stages of its method; each stage starts from forces measured at the displacements
 * the stage before it asked for. A structure may also be cut into parts (couple.h): a part that an interface acts on
 * has its own mass and damping computed and its restoring force measured, in coupling staggered, parallel or
 * pg-alpha. Between two stages the rig is led along the path in `ticks_per_stage` ticks: interpolated, compensated
 * for the actuator's delay, and kept inside every limit by a governor, whatever the solver produced. A state
 * machine with latched faults stands above it all (exchange.h lists its states).
 *
 *     ifd_hybrid_options options;
 *     ifd_hybrid_defaults(&options);
 *     options.model = model;  ...
 *     ifd_hybrid *h;
 *     IFD_TRY(ifd_hybrid_make(arena, &options, &h, note));
 *     ifd_ticked t = ifd_hybrid_ticked(h);
 *     ... give t to an executor, or call t.tick(t.self, &in) yourself ...
 *     ifd_hybrid_close(h);
 *
 * All state is one flat array, the virtual rig's included. */
#ifndef INTERFIELD_HYBRID_H
#define INTERFIELD_HYBRID_H

#include <interfield/channels.h>
#include <interfield/compensator.h>
#include <interfield/couple.h>
#include <interfield/drive.h>
#include <interfield/executor.h>
#include <interfield/remote.h>
#include <interfield/signal.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where ramp-out leaves a specimen. Driving a yielded one to its start destroys it: zero force is the safe choice. */
typedef enum ifd_ramp_out_end { IFD_RAMP_OUT_STAY, IFD_RAMP_OUT_START, IFD_RAMP_OUT_ZERO_FORCE } ifd_ramp_out_end;

/* Of one interface or actuator. INFINITY: no such limit; 0 is refused. Stroke, velocity and acceleration must be
 * finite; force and tracking too, unless the rig is virtual. Begin with ifd_limits_defaults(). */
typedef struct ifd_limits {
    double low, high;                                /* m, stroke of command and measurement */
    double velocity;                                 /* m/s, of the command */
    double acceleration;                             /* m/s2, of the command */
    double force;                                    /* N, measured */
    double force_rate;                               /* N/s, measured */
    double tracking;                                 /* m, |measured - wanted| */
    double energy;                                   /* J, |energy error of tracking| */
    double measured_velocity, measured_acceleration; /* m/s, m/s2, of the measured position */
} ifd_limits;

/* No limit at all: INFINITY everywhere, -INFINITY for low. */
IFD_API void ifd_limits_defaults(ifd_limits *l);

/* An interface whose force is prescribed: gravity on a column, an axial force over time. An
 * outer loop finds the position. */
typedef struct ifd_force_control {
    const ifd_signal *target; /* N over simulated time; its value at 0 is reached in ramp-in */
    double stiffness;         /* N/m, estimate of what resists: the gain of the loop is its inverse */
    double bandwidth;         /* Hz */
    double rate;              /* N/s, the fastest change of what the loop aims at */
    double tolerance;         /* N, from the target, at which ramp-in has arrived */
    double error;             /* N, beyond which the test trips; INFINITY: none */
} ifd_force_control;

/* No limit of the error; target, stiffness, bandwidth, rate and tolerance must be given. */
IFD_API void ifd_force_control_defaults(ifd_force_control *f);

typedef struct ifd_interface_options {
    const char *name;
    int part;            /* of couple; 0 without */
    int from, to;        /* dofs of the model or IFD_GROUND: the specimen's stretch is u_to - u_from; from may be
                          * IFD_SUPPORT(k) of the model, whose motion is then u_from */
    double force_factor; /* how many devices the tested one stands for, > 0 */
    double mass;         /* kg of the model's mass at dof `to` that stand on the rig; 0: none */
    bool taken_out;      /* of the measured force, as mass times the acceleration that an auxiliary input shows;
                          * otherwise of the computed part */
    int accelerometer;   /* which one, in m/s2 */
    const ifd_compensator_kind *compensator; /* NULL: none */
    ifd_value *compensator_values;
    ifd_limits limits;
    const ifd_force_control *force; /* NULL: displacement; with it from and to may both be IFD_GROUND */
    bool tare;                      /* preload: the force measured at the static position is taken off */
    bool floor_motion;              /* moves with the ground as well, where that shakes: a specimen with mass
                                     * of its own, on dof `to` alone */
    bool turns;                     /* characterisation: its motion is an angle, its force a moment */
    bool carried;                   /* stands on the structure alone and has mass of its own: its force is inertia,
                                     * and no part of the base shear */
} ifd_interface_options;

/* One device, no limits, no compensator: name, dofs and limits must be given. */
IFD_API void ifd_interface_defaults(ifd_interface_options *c);

/* How more actuators than dofs share a force. A slow loop moves each of them by d, d' = -2 pi bandwidth P f /
 * stiffness, with P the projection on what moves nothing (J^T d = 0), until what they push against each other is
 * gone: f is then the smallest that carries the specimen. */
typedef struct ifd_sharing {
    double stiffness; /* N/m, of the actuators against each other */
    double bandwidth; /* Hz */
    double limit;     /* m, the most that an actuator is moved for it */
} ifd_sharing;

/* Several actuators that move some interfaces of a test together (drive.h). */
typedef struct ifd_driven {
    ifd_drive_options drive;
    const int *interface;       /* of each dof of the drive */
    const char *const *name;    /* of each actuator */
    const ifd_limits *limits;   /* of each actuator: what it is commanded, and what it measures */
    const ifd_sharing *sharing; /* NULL: nothing is done about actuators that push against each other */
} ifd_driven;

/* What a tick or a part that comes too late does: it holds the test; lets it go on along its path for late_limit
 * ticks, then holds; or ramps out. */
typedef enum ifd_overrun { IFD_OVERRUN_HOLD, IFD_OVERRUN_EXTRAPOLATE, IFD_OVERRUN_STOP } ifd_overrun;

/* Which load cell is stuck that shows the same while the position moves: one that showed noise before; each that
 * gives the same to the bit as well; none. */
typedef enum ifd_stuck { IFD_STUCK_NOISE, IFD_STUCK_BITS, IFD_STUCK_OFF } ifd_stuck;

typedef struct ifd_hybrid_options {
    const ifd_model *model;
    ifd_step_options step;            /* with estimates of the specimens for a grey box */
    const ifd_couple_options *couple; /* instead of model and step; estimates stand in the steps of its parts */
    ifd_remote *remote;  /* another program computes: model gives the names of its dofs, step.h its step */
    double end;          /* s, simulated */
    double lambda;       /* wall clock per simulated time */
    int ticks_per_stage; /* exchanges with the rig between two stages */
    int interfaces;
    const ifd_interface_options *interface;
    int drives;
    const ifd_driven *drive;    /* an interface that no drive moves is its own actuator */
    const ifd_channel_map *map; /* NULL: the rig speaks m and N */
    const ifd_rig_ops *rig;
    const ifd_value *rig_values;
    void *rig_setup; /* what the rig's open expects in rig->data (virtual: an ifd_laboratory) */
    double ramp_in;  /* s of wall clock to the starting position */
    double settle;   /* s to wait there */
    double brake;    /* s in which hold brings simulated time to rest */
    double creep;    /* m/s, of ramp-out, and as a share of an interface's velocity limit: the smaller one counts */
    double creep_fraction;
    ifd_ramp_out_end ramp_out_end;
    ifd_overrun overrun;
    int late_limit;    /* ticks in a row that may be late (extrapolate) */
    int stale_limit;   /* ticks in a row without news from the rig, or none of our commands heard, before a trip, */
    double stale_time; /* and as s: the longer one counts */
    int stuck_limit;   /* ticks in a row with an unchanged measured position while the command moves */
    bool allow_resume; /* after hold at lambda = 1 with a rate-dependent specimen */
    bool rate_dependent;
    /* By which the force of a specimen may have changed on hold when it is resumed, as a share of its mean when it
     * came to rest; 0: not bounded. Not with a remote. */
    double hold_relaxation;
    bool observe;       /* limits are counted, not acted upon: only for a virtual rig in this process */
    bool automatic;     /* arms and runs by itself */
    double arm_timeout; /* s of wall clock: a test that arms by itself ends when it cannot for so long (60) */
    int arm_samples;    /* measurements in a row that must agree before arming (10), */
    double arm_time;    /* and those of so many s at least (0.1) */
    double arm_spread;  /* by which they may scatter, as a fraction of the stroke (0.005) */
    const struct ifd_protocol *protocol;   /* prescribed motions instead of what a method computes (characterise.h) */
    const struct ifd_laboratory *rehearse; /* the rig is told to stay; this twin of it answers (virtual.h) */
    bool preload;                          /* ramp-in goes on to the static equilibrium under the constant loads */
    double preload_tolerance;              /* m, largest correction left, and as a share of the stroke: the larger */
    double preload_fraction;               /* one counts */
    int preload_iterations;
    int dofs; /* those whose motion is recorded, counted through the parts; 0: all, where dofs are recorded */
    const int *dof;
    double until; /* s, simulated: holds there and stops, its state kept to go on from; INFINITY: does not */
    double checkpoint_every;       /* s of wall clock while the test runs; INFINITY: on hold and on order only */
    bool wait_tripped;             /* after a trip waits for reset or quit; otherwise over after a second at rest */
    ifd_stuck force_stuck;         /* for as many ticks as stuck_limit says */
    unsigned what;                 /* IFD_RECORD_..., of a structure that is computed here; AUTO: all up to 50 dofs */
    const ifd_storey_drift *drift; /* the first that is recorded, NULL when there is none */
} ifd_hybrid_options;

/* lambda 1, 1 tick per stage, ramp-in 2 s, settle 0.2 s, brake 0.2 s, creep a tenth of the velocity limit, 5 late
 * ticks, 10 stale ticks and 10 ms, 200 frozen ticks, preload to 1e-6 of the stroke in 20 iterations, no checkpoints
 * by time. Model or couple, end, interfaces and rig must be given. A struct that did not begin with it is refused. */
IFD_API void ifd_hybrid_defaults(ifd_hybrid_options *o);

/* The faults of a test, one list: name, action, sentence. */
#define IFD_TRIP_LIST(X)                                                                                             \
    X(NONE, NOTE, "no fault")                                                                                        \
    X(POSITION, TRIP, "a measured position is outside its stroke")                                                   \
    X(VELOCITY, TRIP, "a measured velocity exceeds its limit")                                                       \
    X(ACCELERATION, TRIP, "a measured acceleration exceeds its limit")                                               \
    X(FORCE, TRIP, "a measured force exceeds its limit")                                                             \
    X(FORCE_RATE, TRIP, "a measured force changes faster than its limit")                                            \
    X(TRACKING, TRIP, "a specimen is too far from where it should be")                                               \
    X(ENERGY, HOLD, "the energy error of tracking exceeds its limit")                                                \
    X(NOT_FINITE, TRIP, "a measurement is not a finite number")                                                      \
    X(STALE, NOTE, "the rig sent nothing new")                                                                       \
    X(LOST, TRIP, "the rig is silent, or does not hear")                                                             \
    X(FROZEN, TRIP, "a measured position does not change although the command moves")                                \
    X(LATE, HOLD, "ticks came late")                                                                                 \
    X(LATE_JOB, HOLD, "a part on a worker was not ready when it was due")                                            \
    X(STOP_PRESSED, TRIP, "the emergency stop is pressed")                                                           \
    X(HYDRAULICS, TRIP, "the hydraulics are off")                                                                    \
    X(RIG_STOPPED, TRIP, "the rig stopped by itself")                                                                \
    X(RANGE, TRIP, "a channel left the range of its sensor")                                                         \
    X(POSE, TRIP, "the actuators' positions belong to no pose of their block")                                       \
    X(FORCE_ERROR, TRIP, "a controlled force is too far from its target")                                            \
    X(SOLVER, RAMP_OUT, "the numerical part diverged or could not be solved")                                        \
    X(GOVERNED, NOTE, "a command was held back by a limit")                                                          \
    X(ORDERED, TRIP, "a trip was ordered")                                                                           \
    X(PRELOAD, RAMP_OUT, "no static equilibrium was found: estimates of stiffness too small, or a stroke was left")  \
    X(MASTER_LOST, RAMP_OUT, "the program that computes the structure went away")                                    \
    X(MASTER_WRONG, RAMP_OUT, "a target of the master is no number, or outside a stroke")                            \
    X(MASTER_LATE, NOTE, "the next target came late: the specimens were braked")                                     \
    X(UNREACHED, RAMP_OUT, "a target of the master was not reached: its compensated command leaves a stroke")        \
    X(UNLOADING, TRIP, "the force does not fall while the specimen is unloaded")                                     \
    X(FORCE_STUCK, TRIP, "a measured force does not change although the position moves")                             \
    X(NOT_ARMED, TRIP, "the test could not be armed in time")                                                        \
    X(MASTER_MISMATCH, RAMP_OUT, "the script does not fit the case: its time step, trials, elements or requests")    \
    X(MASTER_EARLY, RAMP_OUT, "the script ended before the end of the case")                                         \
    X(NOT_UNLOADED, NOTE, "a force was left on the specimen: its load cell is too coarse to watch it fall")

typedef enum ifd_trip {
#define IFD_TRIP_ENUM(name, action, text) IFD_TRIP_##name,
    IFD_TRIP_LIST(IFD_TRIP_ENUM)
#undef IFD_TRIP_ENUM
        IFD_TRIP_COUNT
} ifd_trip;

/* What a test in the state idle waits for, one list: name, sentence. */
#define IFD_WAIT_LIST(X)                                                                                             \
    X(NONE, "nothing")                                                                                               \
    X(NO_MEASUREMENT, "the rig has not measured yet")                                                                \
    X(COMMUNICATION, "the rig is silent, or does not acknowledge what is sent to it")                                \
    X(STOP_PRESSED, "the emergency stop is pressed")                                                                 \
    X(HYDRAULICS, "the hydraulics are off")                                                                          \
    X(RIG_STOPPED, "the rig stopped by itself")                                                                      \
    X(NOT_FINITE, "a measured position is not a finite number")                                                      \
    X(RANGE, "a channel is outside the range of its sensor")                                                         \
    X(POSE, "the actuators' positions belong to no pose of their block")                                             \
    X(OUTSIDE, "a position is outside its stroke")                                                                   \
    X(NOT_AT_REST, "measured positions do not agree: the rig moves, or a sensor is noisy")                           \
    X(MEASURING, "positions are measured until enough of them agree")                                                \
    X(MASTER, "the program that computes the structure has not sent a target yet")                                   \
    X(ORDER, "the order to arm")

typedef enum ifd_wait {
#define IFD_WAIT_ENUM(name, text) IFD_WAIT_##name,
    IFD_WAIT_LIST(IFD_WAIT_ENUM)
#undef IFD_WAIT_ENUM
        IFD_WAIT_COUNT
} ifd_wait;

IFD_API const char *ifd_wait_name(ifd_wait wait);
IFD_API const char *ifd_wait_text(ifd_wait wait);

typedef struct ifd_wait_facts {
    ifd_wait wait;
    int channel;             /* as ifd_hybrid_channel_name has it; -1 when none */
    double value;            /* OUTSIDE: the position, NOT_AT_REST: the scatter; COMMUNICATION: ticks */
    double low, high;        /* its limits */
    double seconds, timeout; /* s: how long the test has waited, and after which time it ends */
} ifd_wait_facts;

typedef enum ifd_action { IFD_ACTION_NOTE, IFD_ACTION_HOLD, IFD_ACTION_RAMP_OUT, IFD_ACTION_TRIP } ifd_action;

/* The row of a fault: its name, its sentence, and what it makes a test do. */
IFD_API const char *ifd_trip_name(ifd_trip trip);
IFD_API const char *ifd_trip_text(ifd_trip trip);
IFD_API ifd_action ifd_trip_action(ifd_trip trip);

/* What an order is answered when it does not simply do what its name says, one list: name, whether it was refused,
 * sentence. The tick decides, and the program prints. */
#define IFD_ANSWER_LIST(X)                                                                                           \
    X(NONE, false, "")                                                                                               \
    X(RAMP_IN_ENDS, false,                                                                                           \
      "the test has not begun, so there is nothing to hold: the specimens ramp out and the test ends")               \
    X(RATE_DEPENDENT, true,                                                                                          \
      "the specimen is rate-dependent and the test runs at time scale 1, so a hold cannot be continued at the "      \
      "right rate. Allow it with `test: {allow-resume: yes}`, or end the test with `ramp-out`")                      \
    X(STILL_MOVING, true, "the specimens still move. Give the order again when they are at rest")                    \
    X(RIG_NOT_READY, true,                                                                                           \
      "the rig is not ready: its inputs, its measurements or its positions do not allow it. See the line "           \
      "`waiting`, or `interfield channels`")                                                                         \
    X(NOT_ARMED, true, "the test is not armed. Give the order `arm` first")                                          \
    X(ARMED_ALREADY, true, "the test is armed already")                                                              \
    X(RUNS_ALREADY, true, "the test runs already")                                                                   \
    X(NOT_STARTED, true, "nothing moves yet. Begin with `arm` and `run`, or end the test with `quit`")               \
    X(NOT_HELD, true, "the test is not on hold. Give the order `hold` first")                                        \
    X(HELD_ALREADY, true, "the test is on hold already. Continue it with `resume`, or end it with `ramp-out`")       \
    X(ENDING, true, "the test is ending already. `trip` still stops the specimens at once")                          \
    X(TRIPPED, true,                                                                                                 \
      "the test is tripped. Find the cause, then give the orders `reset`, `arm` and `run`, or `quit`")               \
    X(NOT_TRIPPED, true, "the test is not tripped, so there is nothing to reset")                                    \
    X(NO_CHECKPOINT, true, "a checkpoint is taken in the states run and hold")                                       \
    X(NO_STATE, true, "another program computes the structure, so there is no state to keep")                        \
    X(UNDER_WAY, true, "the test is under way. End it with `ramp-out` or `trip`")                                    \
    X(OVERTAKEN, true, "a fault acted in the same tick")                                                             \
    X(NOT_OUTSIDE, true, "no position was found at rest outside its stroke, so there is nothing to bring back")      \
    X(RETURNING, true, "the rig moves back into its stroke. Give the order again when it is idle, or `trip`")        \
    X(NO_WAY_BACK, true,                                                                                             \
      "on every straight way back an actuator of the drive would move farther out of its stroke. Move the "          \
      "actuators with the controls of the rig, then give the order `arm`")                                           \
    X(RELAXED, true,                                                                                                 \
      "the force of a specimen has changed on hold by more than `test: {hold-relaxation: ...}` allows, and the "     \
      "structure would feel it at once. End the test with `ramp-out`")                                               \
    X(FORCE_NOT_FRESH, true,                                                                                         \
      "the rig has sent no new measurement in this tick, so the forces cannot be compared with those at the "        \
      "beginning of the hold (`test: {hold-relaxation: ...}`). Give the order again when measurements arrive")

typedef enum ifd_answer {
#define IFD_ANSWER_ENUM(name, refused, text) IFD_ANSWER_##name,
    IFD_ANSWER_LIST(IFD_ANSWER_ENUM)
#undef IFD_ANSWER_ENUM
        IFD_ANSWER_COUNT
} ifd_answer;

IFD_API const char *ifd_answer_text(ifd_answer answer);
IFD_API bool ifd_answer_refuses(ifd_answer answer);
/* Whether a hold of such a test can be resumed; otherwise the answer would be RATE_DEPENDENT. */
IFD_API bool ifd_hybrid_may_resume(const ifd_hybrid_options *o);

/* The latched fault: the first that acted. */
typedef struct ifd_trip_facts {
    ifd_trip trip;
    long tick;
    int channel; /* -1 when none */
    double value, limit;
} ifd_trip_facts;

typedef struct ifd_hybrid ifd_hybrid;

/* Builds the test in the arena and opens its rig, in state idle. opt is copied; what it
 * points to must outlive the test. */
/* The model that a test of one structure computes: that of the options without the mass that is left to the rig. */
IFD_API ifd_status ifd_hybrid_computed(ifd_arena *arena, const ifd_hybrid_options *opt, const ifd_model **out,
                                       ifd_note *note);
IFD_API ifd_status ifd_hybrid_make(ifd_arena *arena, const ifd_hybrid_options *opt, ifd_hybrid **out, ifd_note *note);
/* Lets go of the rig and ends workers; no tick may follow. What the test came to can still be
 * asked. Once more does nothing. */
IFD_API void ifd_hybrid_close(ifd_hybrid *h);
/* For an executor (executor.h), which ticks it. */
IFD_API ifd_ticked ifd_hybrid_ticked(ifd_hybrid *h);

/* Name and unit of each of the values that a tick publishes. */
IFD_API const ifd_column *ifd_hybrid_columns(const ifd_hybrid *h, int *count);
/* Of a test that another program leads; NULL otherwise. */
IFD_API const ifd_remote_options *ifd_hybrid_remote(const ifd_hybrid *h);
/* Channels of a measurement as the rig gives it, and how many of its auxiliary inputs are used. */
IFD_API int ifd_hybrid_sensed(const ifd_hybrid *h, int *aux);
IFD_API double ifd_hybrid_period(const ifd_hybrid *h); /* s of wall clock per tick */
IFD_API ifd_machine ifd_hybrid_state(const ifd_hybrid *h);
IFD_API ifd_trip_facts ifd_hybrid_trip(const ifd_hybrid *h);
/* Between ticks, or after the test: what it waits for in the state idle, or waited for when it was armed last. */
IFD_API ifd_wait_facts ifd_hybrid_wait(const ifd_hybrid *h);
/* The limits that a measured position is held against while a test waits; interface as in ifd_wait_facts. */
IFD_API void ifd_hybrid_wait_limits(const ifd_hybrid *h, int channel, double *low, double *high);
IFD_API long ifd_hybrid_count(const ifd_hybrid *h, ifd_trip trip); /* how often a fault was seen */
IFD_API double ifd_hybrid_time(const ifd_hybrid *h);               /* s, simulated, of the last whole step */
/* Whether the test came to its end: the end of the case, or the word of a remote master. */
IFD_API bool ifd_hybrid_complete(const ifd_hybrid *h);
/* What a remote master put into the last tick; NULL when nothing. */
IFD_API const ifd_remote_target *ifd_hybrid_taken(const ifd_hybrid *h);

/* All of a test between two ticks, from which it can be continued. One is taken when a hold has come to rest, on
 * order checkpoint and every checkpoint_every, at the next tick at which the state is whole. */
typedef struct ifd_snapshot {
    uint64_t tick;
    double time; /* s, simulated */
    ifd_machine state;
    int channels, count, rig_at, rig_size; /* of x; the rig's own slice of it, none when the rig is elsewhere */
    const double *x;
    ifd_measure raw, measure;
    int columns;
    const double *values;
} ifd_snapshot;

/* The newest one, for one thread; false when there is none that was not taken before. It stays valid until it is
 * given back; what is taken meanwhile waits, the newest of several. */
IFD_API bool ifd_hybrid_snapshot(ifd_hybrid *h, ifd_snapshot *out);
IFD_API void ifd_hybrid_give_back(ifd_hybrid *h);
/* Before the first tick: ramp-in leads to where the test stood, which then goes on as it was; a rig in this process
 * is put back as it was. from must outlive the test. Fails when the test has another shape, or when the state was
 * taken in motion that a rig outside this process cannot take up from rest within its limit of acceleration. */
IFD_API ifd_status ifd_hybrid_continue(ifd_hybrid *h, const ifd_snapshot *from, ifd_note *note);
/* Stopped on hold with everything kept to go on from. */
IFD_API bool ifd_hybrid_paused(const ifd_hybrid *h);

/* The whole state: count doubles. Copy it out between two ticks to save, copy it back to restore. */
IFD_API double *ifd_hybrid_save_area(ifd_hybrid *h, int *count);

/* How many actuators the rig has: as many as interfaces, unless there are drives. */
IFD_API int ifd_hybrid_actuators(const ifd_hybrid *h);
/* Limits of an actuator as its rig has to keep them, in the raw units of the channel map. */
IFD_API void ifd_hybrid_rig_limits(const ifd_hybrid *h, int actuator, ifd_limits *out);
/* The name of an interface; behind the interfaces those of actuators of the rig, behind them rows of the channel map.
 * NULL when there is no such number. */
IFD_API const char *ifd_hybrid_channel_name(const ifd_hybrid *h, int channel);
/* Largest so far, per interface (or actuator of a drive, numbered as above): |measured - wanted| (m),
 * |measured force| (N), |command| (m). */
IFD_API void ifd_hybrid_peaks(const ifd_hybrid *h, int channel, double out[3]);
/* Largest |measured - aimed at| force of an interface controlled in force, in run and hold (N). */
IFD_API double ifd_hybrid_force_error(const ifd_hybrid *h, int channel);

/* How well an interface followed, as seen by its indicators (indicator.h) in the states run so far. */
typedef struct ifd_tracking {
    double delay;     /* s of wall clock; positive: late */
    double amplitude; /* measured over wanted */
    double rms, peak; /* of the error over that of the wanted motion; rms fades with 2 lambda s */
    double energy;    /* J, that bad tracking put into the structure */
    double work;      /* J, done on the specimen either way: to compare with */
} ifd_tracking;

/* So far; between ticks, or after the test. */
IFD_API ifd_tracking ifd_hybrid_tracking(const ifd_hybrid *h, int channel);

#ifdef __cplusplus
}
#endif
#endif
