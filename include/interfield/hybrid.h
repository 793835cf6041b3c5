/* SPDX-License-Identifier: MIT */
/* Hybrid test: a numerical model and specimens on a rig.
 *
 *     M u'' + R(u, u') + (measured forces) = P(t)
 *
 * The stages of the method advance the model. Each stage uses the forces measured at the displacements of the
 * previous stage. A structure can consist of coupled substructures (couple.h) with coupling staggered, parallel or
 * pg-alpha. Mass and damping of a substructure at an interface are then computed and its restoring force is measured.
 * Between two stages, commands follow the path in `ticks_per_stage` ticks. They are interpolated, compensated for the
 * delay of the actuator and limited by a governor. A state machine with latched faults supervises the test (states:
 * exchange.h).
 *
 *     ifd_hybrid_options options;
 *     ifd_hybrid_defaults(&options);
 *     options.model = model;  ...
 *     ifd_hybrid *h;
 *     IFD_TRY(ifd_hybrid_make(arena, &options, &h, note));
 *     ifd_ticked t = ifd_hybrid_ticked(h);
 *     ... give t to an executor, or call t.tick(t.self, &in) ...
 *     ifd_hybrid_close(h);
 *
 * All state is in one flat array, including that of the virtual rig. */
#ifndef INTERFIELD_HYBRID_H
#define INTERFIELD_HYBRID_H

#include <interfield/channels.h>
#include <interfield/compensator.h>
#include <interfield/couple.h>
#include <interfield/drive.h>
#include <interfield/elastic.h>
#include <interfield/executor.h>
#include <interfield/identify.h>
#include <interfield/monitor.h>
#include <interfield/remote.h>
#include <interfield/signal.h>

IFD_BEGIN_DECLS

/* Final position of a specimen after ramp-out. A yielded specimen is damaged by a motion to its start; zero force is
 * safe. */
typedef enum ifd_ramp_out_end { IFD_RAMP_OUT_STAY, IFD_RAMP_OUT_START, IFD_RAMP_OUT_ZERO_FORCE } ifd_ramp_out_end;

/* Measured quantities with a limit. */
typedef enum ifd_limited {
    IFD_LIMITED_STROKE,
    IFD_LIMITED_VELOCITY,
    IFD_LIMITED_ACCELERATION,
    IFD_LIMITED_FORCE,
    IFD_LIMITED_FORCE_RATE,
    IFD_LIMITED_TRACKING,
    IFD_LIMITED_ENERGY,
    IFD_LIMITED
} ifd_limited;

/* Reaction to a value beyond its limit. USUAL: trip; for the energy of tracking hold. Hold and ramp-out are for this
 * energy only. POWER_OFF: trip, and IFD_OUTPUT_ENABLE ends at once. */
typedef enum ifd_limit_action {
    IFD_LIMIT_USUAL,
    IFD_LIMIT_HOLD,
    IFD_LIMIT_RAMP_OUT,
    IFD_LIMIT_TRIP,
    IFD_LIMIT_POWER_OFF
} ifd_limit_action;

/* Limits of one interface or actuator. INFINITY: no limit; 0 is refused. Stroke, velocity and acceleration must be
 * finite, on a real rig also force and tracking. Initialise with ifd_limits_defaults(). */
typedef struct ifd_limits {
    double low, high;                                /* m, stroke of command and measurement */
    double velocity;                                 /* m/s, of the command */
    double acceleration;                             /* m/s2, of the command */
    double force;                                    /* N, measured */
    double force_rate;                               /* N/s, measured */
    double tracking;                                 /* m, |measured - target| */
    double energy;                                   /* J, |energy error of tracking| */
    double measured_velocity, measured_acceleration; /* m/s, m/s2, of the measured position */
    double warn[IFD_LIMITED];                        /* magnitude that is noted as NEAR; 0: none */
    bool warn_holds[IFD_LIMITED];                    /* and holds the test */
    ifd_limit_action action[IFD_LIMITED];
} ifd_limits;

/* No limits: INFINITY, and -INFINITY for low. */
IFD_API void ifd_limits_defaults(ifd_limits *l);

enum { IFD_WALLS = 2 }; /* reaction walls that carry the supports of a specimen */
typedef struct ifd_wall {
    int input;                 /* auxiliary input with the force of the wall on the specimen, N */
    double stiffness, damping; /* N/m, N s/m: of the specimen between wall and mass; 0: not known, one wall only */
} ifd_wall;

/* A force that the computed part commands on a specimen with its mass, through a spring. u: motion of the interface
 * dof, x: measured position of the specimen, a_g: ground acceleration along the dof. The structure receives the
 * measured force without the part -mass a_g:  r = stiffness (u - x) + damping (u' - x') - mass a_g */
typedef struct ifd_force_command {
    double stiffness, damping, mass; /* N/m, N s/m: connection of the dof with the specimen; kg */
    int position;                    /* auxiliary input with the position of the specimen, m */
    double follow;                   /* Hz, bandwidth of the estimate of its motion */
    double delay;                    /* s, delay of the actuator: the command is computed for this time later */
    int walls;                       /* without connection. One: for dof `to`; the first of two: for dof `from` */
    ifd_wall wall[IFD_WALLS];
    bool effective; /* r = -mass (u'' + a_g), u mean by stiffness; else r = K u + C u' - mass a_g, x absolute */
    double balance; /* N: the sum of the measured forces on the specimen, less its inertia, trips above it */
} ifd_force_command;

/* A prescribed force, such as gravity on a column, or a computed one. An outer loop finds the position. */
typedef struct ifd_force_control {
    const ifd_signal *target;          /* N over simulated time; ramp-in ends at its value at 0 */
    double stiffness;                  /* N/m, estimated stiffness at the interface; the loop gain is its inverse */
    double bandwidth;                  /* Hz */
    double rate;                       /* N/s, largest rate of change of the force reference */
    double tolerance;                  /* N, largest deviation from the target at the end of ramp-in */
    double error;                      /* N, deviation at which the test trips; finite */
    const ifd_force_command *computed; /* NULL: prescribed by target; otherwise stiffness is that of the spring */
} ifd_force_control;

/* The caller sets target, stiffness, bandwidth, rate, tolerance and error; without them the test is refused. */
IFD_API void ifd_force_control_defaults(ifd_force_control *f);

/* What a specimen tolerates, for preflight; INFINITY: not stated. */
typedef struct ifd_capacity {
    double stroke, force; /* m, N, in both directions */
} ifd_capacity;

/* End criteria of a protocol: the test then ramps out and is completed. INFINITY, or 0 of force_drop: none. */
typedef struct ifd_end_when {
    double force_drop;                  /* loss of force, relative to the largest one */
    double force, displacement, energy; /* N, m, J */
} ifd_end_when;

typedef struct ifd_interface_options {
    const char *name;
    int part;            /* index of the substructure in couple; 0 without couple */
    int from, to;        /* dofs of the model or IFD_GROUND; the deformation is u_to - u_from. from may be
                          * IFD_SUPPORT(k) of the model: u_from is then the motion of that support */
    double force_factor; /* number of equal devices in the structure that the specimen represents, > 0 */
    double mass;         /* kg, part of the model mass at dof `to` that is on the rig; 0: none */
    bool taken_out;      /* true: mass times the measured acceleration is subtracted from the measured force; false:
                          * mass is subtracted from the numerical substructure */
    int accelerometer;   /* index of the auxiliary input with this acceleration, m/s2 */
    const ifd_compensator_kind *compensator; /* NULL: none */
    ifd_value *compensator_values;
    ifd_limits limits;
    ifd_capacity capacity;
    const ifd_force_control *force; /* NULL: displacement control; otherwise from and to may both be IFD_GROUND */
    bool tare;                      /* preload: the force measured at the static position is subtracted */
    bool floor_motion;              /* the ground motion is added to the target: specimen with mass on dof `to`
                                     * alone */
    bool turns;                     /* characterisation: the motion is an angle and the force a moment */
    double lag;                     /* s, delay of actuator and position sensor; decides when a reading that does
                                     * not change is frozen */
    bool loose;                     /* the specimen has a gap: its force need not change with its position */
    const ifd_coordinate *row;      /* of a chord, as in ifd_specimen; NULL: from and to */
    const double *origin;           /* m, as in ifd_specimen; NULL: 0 */
    const ifd_end_when *end;        /* with a protocol; NULL: none */
    bool carried;                   /* specimen with mass, connected to the structure only: its force is inertial and
                                     * not part of the base shear */
} ifd_interface_options;

/* One device, no limits, no compensator, a lag of 50 ms. The caller sets name, dofs and limits. */
IFD_API void ifd_interface_defaults(ifd_interface_options *c);

/* Load sharing among more actuators than dofs. A slow loop moves each actuator by d, d' = -2 pi bandwidth P f /
 * stiffness. P projects on the motions without effect on the specimen (J^T d = 0). The loop removes the forces
 * between the actuators: f converges to the smallest forces that balance the specimen. */
typedef struct ifd_sharing {
    double stiffness; /* N/m, of the actuators against each other */
    double bandwidth; /* Hz */
    double limit;     /* m, largest correction of one actuator */
} ifd_sharing;

/* Several actuators that move some interfaces of a test together (drive.h). */
typedef struct ifd_driven {
    ifd_drive_options drive;
    const int *interface;       /* interface of each dof of the drive */
    const char *const *name;    /* of each actuator */
    const ifd_limits *limits;   /* of each actuator, for its command and its measurements */
    const ifd_sharing *sharing; /* NULL: no load sharing */
} ifd_driven;

/* Reaction to a tick or a substructure that is late: hold; continue along the path for late_limit ticks or
 * late_time, then hold; or ramp-out. */
typedef enum ifd_overrun { IFD_OVERRUN_HOLD, IFD_OVERRUN_EXTRAPOLATE, IFD_OVERRUN_STOP } ifd_overrun;

/* Detection of a stuck load cell, which shows a constant value while the position moves: cells with noise before;
 * cells with bit-identical values too; none. */
typedef enum ifd_stuck { IFD_STUCK_NOISE, IFD_STUCK_BITS, IFD_STUCK_OFF } ifd_stuck;

typedef struct ifd_hybrid_options {
    const ifd_model *model;
    ifd_step_options step;            /* with estimates of the specimens for implicit methods */
    const ifd_couple_options *couple; /* replaces model and step; the steps of its substructures contain the
                                       * estimates */
    ifd_remote *remote;  /* another program computes the structure: model supplies dof names, step.h the step */
    double end;          /* s, simulated */
    double lambda;       /* seconds of wall-clock time per second of simulated time */
    int ticks_per_stage; /* exchanges with the rig between two stages */
    int interfaces;
    const ifd_interface_options *interface;
    int drives;
    const ifd_driven *drive;    /* an interface without a drive has one actuator */
    const ifd_channel_map *map; /* NULL: the rig uses m and N */
    const ifd_rig_ops *rig;
    const ifd_value *rig_values;
    void *rig_setup;     /* input of the open function of the rig in rig->data (virtual: an ifd_laboratory) */
    ifd_purpose purpose; /* MOVE; READ: only the sensors of the rig are read */
    ifd_beat *beat;      /* of a supervisor (supervisor.h); NULL: none */
    double ramp_in;      /* s of wall-clock time to the starting position */
    double settle;       /* s of waiting at the starting position */
    double brake;        /* s in which hold brings simulated time to rest */
    double creep;        /* m/s, speed of ramp-out; the smaller of this and creep_fraction times the velocity limit
                      * applies */
    double creep_fraction;
    ifd_ramp_out_end ramp_out_end;
    ifd_overrun overrun;
    double late_after; /* s: a tick that starts later is late; 0: half a tick, or less if the rig needs it */
    /* Three limits, as a number of successive ticks and in s: the longer one applies. Late ticks that extrapolate
     * permits; ticks without a new measurement or an acknowledged command before a trip; ticks with an unchanged
     * measured position or force during motion. */
    int late_limit, stale_limit, stuck_limit;
    double late_time, stale_time, stuck_time; /* s */
    double stale_fraction; /* permitted fraction of ticks without a new measurement: for arming and for the outcome */
    bool allow_resume;     /* resume after hold is permitted with a rate-dependent specimen */
    /* The force of a specimen depends on the rate of its motion: by its elements, or as stated. */
    bool rate_dependent;
    const char *rate_from; /* the first specimen whose elements depend on it; NULL: none. Not used by a test itself */
    /* Permitted change of the force of a specimen during hold, for resume. Relative to its mean at the beginning of
     * the rest; 0: no bound. Not with a remote. */
    double hold_relaxation;
    bool observe;       /* limits are counted without a reaction: only for a virtual rig in this process */
    bool automatic;     /* arms and runs without orders */
    bool accept_change; /* a continued test: specimens may have another position or force than at the checkpoint */
    double arm_timeout; /* s of wall-clock time after which an automatic test that cannot arm ends (60) */
    int arm_samples;    /* successive measurements that must agree before arming (10), */
    double arm_time;    /* and their shortest duration, s (0.1) */
    double arm_spread;  /* their permitted scatter, as a fraction of the stroke (0.005) */
    const struct ifd_protocol *protocol;   /* prescribed motions instead of a computed structure (characterise.h) */
    const struct ifd_laboratory *rehearse; /* rehearsal: the rig holds its position and this twin supplies the
                                            * response (virtual.h) */
    bool preload;                          /* ramp-in continues to the static equilibrium under the constant loads */
    double preload_tolerance;              /* m, largest remaining correction; the larger of this and */
    double preload_fraction;               /* this fraction of the stroke applies */
    int preload_iterations;
    int dofs; /* dofs with recorded motion, numbered through all substructures; 0: all, if dofs are recorded */
    const int *dof;
    double until;            /* s, simulated: hold, checkpoint and stop at this time; INFINITY: none */
    double checkpoint_every; /* s of wall-clock time while the test runs; INFINITY: only on hold and on order */
    bool wait_tripped;       /* after a trip, wait for reset or quit; otherwise the test ends after one second
                                    * at rest */
    ifd_stuck force_stuck;   /* after stuck_limit and stuck_time */
    /* Per interface, of one device, measured by a characterisation of this rig: stiffness, N/m (0: unknown), and loss
     * at rest, N. NULL: none. */
    const double *characterised, *characterised_loss;
    unsigned what;                   /* IFD_RECORD_..., of a structure computed by this program; AUTO: all up to 50
                                    * dofs */
    const ifd_storey_drift *drift;   /* first recorded storey drift; NULL: none */
    const ifd_recorded_frame *frame; /* first frame with recorded members; NULL: none */
    bool rig_leads;                  /* the clock of the rig paces the ticks (exchange.h: wait) */
    const char *folder;              /* of the case file, for a rig with files of its own; NULL: the working folder */
    int identified;                  /* specimens that are identified */
    const ifd_identify_options *identify;
    const ifd_monitor_options *monitor; /* NULL: none */
    const ifd_elastic *elastic;         /* NULL: simulated time has a constant rate */
    int measured_loads;
    const ifd_measured_load *measured_load;
} ifd_hybrid_options;

/* lambda 1, 1 tick per stage, ramp-in 2 s, settle 0.2 s, brake 0.2 s, creep 0.1 of the velocity limit, 3 late ticks
 * and 5 ms, 10 stale ticks and 10 ms, 5 % of stale ticks, 20 stuck ticks and 0.2 s, preload to 1e-6 of the stroke in
 * 20 iterations, no periodic checkpoints. The caller sets model or couple, end, interfaces and rig. Options without
 * these defaults are refused. */
IFD_API void ifd_hybrid_defaults(ifd_hybrid_options *o);

/* Faults of a test: name, action, sentence. */
#define IFD_TRIP_LIST(X)                                                                                             \
    X(NONE, NOTE, "no fault")                                                                                        \
    X(POSITION, TRIP, "a measured position is outside its stroke")                                                   \
    X(VELOCITY, TRIP, "a measured velocity exceeds its limit")                                                       \
    X(ACCELERATION, TRIP, "a measured acceleration exceeds its limit")                                               \
    X(FORCE, TRIP, "a measured force exceeds its limit")                                                             \
    X(FORCE_RATE, TRIP, "a measured force changes faster than its limit")                                            \
    X(TRACKING, TRIP, "the tracking error exceeds its limit")                                                        \
    X(ENERGY, HOLD, "the energy error of tracking exceeds its limit")                                                \
    X(NOT_FINITE, TRIP, "a measurement is not a finite number")                                                      \
    X(STALE, NOTE, "the rig sent no new measurement")                                                                \
    X(LOST, TRIP, "communication with the rig is lost: no measurements arrive, or commands are not acknowledged")    \
    X(FROZEN, TRIP, "a measured position does not change although the command moves")                                \
    X(LATE, HOLD, "ticks are late")                                                                                  \
    X(LATE_JOB, HOLD, "a substructure on a worker thread is not ready in time")                                      \
    X(STOP_PRESSED, TRIP, "the emergency stop is pressed")                                                           \
    X(HYDRAULICS, TRIP, "the hydraulics are off")                                                                    \
    X(RIG_STOPPED, TRIP, "the rig stopped by itself")                                                                \
    X(RANGE, TRIP, "a channel left the range of its sensor")                                                         \
    X(POSE, TRIP, "the actuators' positions are inconsistent: no pose of the loading block fits them")               \
    X(FORCE_ERROR, TRIP, "the error of a controlled force exceeds its limit")                                        \
    X(SOLVER, RAMP_OUT, "the numerical substructure diverges or cannot be solved")                                   \
    X(GOVERNED, NOTE, "a command is saturated: the governor reduces it to a limit")                                  \
    X(ORDERED, TRIP, "a trip was ordered")                                                                           \
    X(PRELOAD, RAMP_OUT,                                                                                             \
      "no static equilibrium is found: stiffness estimates are too small, or a stroke is exceeded")                  \
    X(MASTER_LOST, RAMP_OUT, "the program that computes the structure is disconnected")                              \
    X(MASTER_WRONG, RAMP_OUT, "invalid target from master: not a finite number, or outside a stroke")                \
    X(MASTER_LATE, NOTE, "the next target is late: the specimens are brought to rest")                               \
    X(UNREACHED, RAMP_OUT, "a target of the master is not reached: its compensated command is outside a stroke")     \
    X(UNLOADING, TRIP, "the force does not decrease while the specimen is unloaded")                                 \
    X(FORCE_STUCK, TRIP, "a measured force does not change although the position moves")                             \
    X(NOT_ARMED, TRIP, "the test is not armed in time")                                                              \
    X(MASTER_MISMATCH, RAMP_OUT, "the script does not fit the case: its time step, trials, elements or requests")    \
    X(MASTER_EARLY, RAMP_OUT, "the script ends before the end of the case")                                          \
    X(NOT_UNLOADED, NOTE,                                                                                            \
      "a force remains on the specimen: the resolution of its load cell is too coarse to monitor unloading")         \
    X(UPDATES, NOTE, "copies of a specimen are no longer updated: its identification is not reliable")               \
    X(LOOP_ENERGY, HOLD, "the tracking error adds more energy to the structure than is dissipated")                  \
    X(LOOP_DELAY, HOLD, "the measured delay comes close to the delay margin")                                        \
    X(LOOP_CAUTION, NOTE, "the monitor of stability has reached a level: the margin is small")                       \
    X(LOOP_SLOWED, NOTE, "the monitor of stability has halved the rate of simulated time")                           \
    X(STIFFER, NOTE, "copies of a specimen are more than 5 % stiffer than at the start, as preflight examined them") \
    X(UNCONVERGED, HOLD, "an element of the structure has not converged within its passes")                          \
    X(LOOP_PASSIVITY, HOLD, "a specimen seems to deliver more energy than it has stored")                            \
    X(LOOP_GROWTH, HOLD, "an oscillation of the loop grows although the excitation does not")                        \
    X(START, RAMP_OUT, "the forces of the iterative start do not converge")                                          \
    X(STANDSTILL, RAMP_OUT,                                                                                          \
      "the test makes no progress: it waits for answers, a substructure, or a force or an actuator to settle")       \
    X(LOOP_RETUNED, NOTE, "the monitor of stability has added lead to a compensator")                                \
    X(LOOP_DAMPED, NOTE, "the monitor of stability adds damping to the loop")                                        \
    X(BALANCE, TRIP, "the measured forces on a specimen at a wall do not balance its inertia")                       \
    X(STIFFNESS, TRIP, "the force does not change with the position as the stiffness of the specimen requires")      \
    X(NO_FORCE, HOLD, "the force no longer changes with the motion: a dead load cell, or a specimen that broke")     \
    X(SPRING, TRIP, "position, command and force of an actuator do not fit its spring")                              \
    X(NEAR, NOTE, "a measured value is near its limit")                                                              \
    X(MASTER_FAST, NOTE, "a target of the master takes longer than its step, so that no limit is exceeded")          \
    X(END_WHEN, RAMP_OUT, "an end criterion of the loading protocol is reached: the test is completed")

typedef enum ifd_trip {
#define IFD_TRIP_ENUM(name, action, text) IFD_TRIP_##name,
    IFD_TRIP_LIST(IFD_TRIP_ENUM)
#undef IFD_TRIP_ENUM
        IFD_TRIP_COUNT
} ifd_trip;

/* Conditions for which a test in the state idle waits: name, sentence. */
#define IFD_WAIT_LIST(X)                                                                                             \
    X(NONE, "nothing")                                                                                               \
    X(NO_MEASUREMENT, "the rig has not sent a measurement yet")                                                      \
    X(COMMUNICATION, "no measurements arrive from the rig, or it does not acknowledge commands")                     \
    X(STOP_PRESSED, "the emergency stop is pressed")                                                                 \
    X(HYDRAULICS, "the hydraulics are off")                                                                          \
    X(RIG_STOPPED, "the rig stopped by itself")                                                                      \
    X(NOT_FINITE, "a measured position is not a finite number")                                                      \
    X(RANGE, "a channel is outside the range of its sensor")                                                         \
    X(POSE, "the actuators' positions are inconsistent: no pose of the loading block fits them")                     \
    X(OUTSIDE, "a position is outside its stroke")                                                                   \
    X(NOT_AT_REST, "measured positions do not agree: the rig moves, or a sensor is noisy")                           \
    X(MEASURING, "positions are measured until enough successive values agree")                                      \
    X(MASTER, "the program that computes the structure has not sent a target yet")                                   \
    X(ORDER, "the order to arm")                                                                                     \
    X(COMPARE, "the clock of the rig is compared with the tick of the case")                                         \
    X(PERIOD, "the clock of the rig has another tick than the case")                                                 \
    X(CHANGED_POSITION, "a specimen is not where the checkpoint left it")                                            \
    X(CHANGED_FORCE, "the force of a specimen is not that of the checkpoint")                                        \
    X(ALLOW, "the operator of the rig server has not allowed this connection: type allow there")                     \
    X(STALE, "too few ticks of the last second had a new measurement")                                               \
    X(LOW, "pressure is off. Type low")                                                                              \
    X(RISES, "pressure is low; positions and forces must stay for 2 s")                                              \
    X(HIGH, "pressure is low and nothing moved. Type high")                                                          \
    X(INTERLOCK, "a channel is outside its arm-range")

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
    int owner;               /* number as in ifd_hybrid_owner_name; -1: none */
    double value;            /* OUTSIDE: position; NOT_AT_REST: scatter; COMMUNICATION: ticks */
    double low, high;        /* limits of value */
    double seconds, timeout; /* s: elapsed waiting time, and time after which the test ends */
} ifd_wait_facts;

typedef enum ifd_action { IFD_ACTION_NOTE, IFD_ACTION_HOLD, IFD_ACTION_RAMP_OUT, IFD_ACTION_TRIP } ifd_action;

/* Name, sentence and action of a fault. */
IFD_API const char *ifd_trip_name(ifd_trip trip);
IFD_API const char *ifd_trip_text(ifd_trip trip);
IFD_API ifd_action ifd_trip_action(ifd_trip trip);

/* Answers to orders that are refused or have another effect than their name: name, whether the order is refused,
 * sentence. The tick sets the code and the program prints the sentence. */
#define IFD_ANSWER_LIST(X)                                                                                           \
    X(NONE, false, "")                                                                                               \
    X(RAMP_IN_ENDS, false,                                                                                           \
      "the test has not begun, so there is nothing to hold: the specimens ramp out and the test ends")               \
    X(RATE_DEPENDENT, true,                                                                                          \
      "the specimen is rate-dependent: its force has changed at rest, so a hold cannot be continued at the "         \
      "right rate. Allow it with `test: {allow-resume: yes}`, or end the test with `ramp-out`")                      \
    X(STILL_MOVING, true, "the specimens still move. Give the order again when they are at rest")                    \
    X(RIG_NOT_READY, true,                                                                                           \
      "the rig is not ready: its inputs, its measurements or its positions do not allow it. See the line "           \
      "`waiting`, or `interfield channels`")                                                                         \
    X(NOT_ARMED, true, "not armed. Type arm first")                                                                  \
    X(ARMED_ALREADY, true, "the test is already armed")                                                              \
    X(RUNS_ALREADY, true, "the test is already running")                                                             \
    X(NOT_STARTED, true, "nothing moves yet. Begin with `arm` and `run`, or end the test with `quit`")               \
    X(NOT_HELD, true, "the test is not on hold. Give the order `hold` first")                                        \
    X(HELD_ALREADY, true, "the test is already on hold. Continue it with `resume`, or end it with `ramp-out`")       \
    X(ENDING, true, "the test is already ending. `trip` still stops the specimens at once")                          \
    X(TRIPPED, true,                                                                                                 \
      "the test is tripped. Find the cause, then give the orders `reset`, `arm` and `run`, or `quit`")               \
    X(NOT_TRIPPED, true, "the test is not tripped, so there is nothing to reset")                                    \
    X(NO_CHECKPOINT, true, "a checkpoint is taken in the states run and hold")                                       \
    X(NO_STATE, true, "another program computes the structure, so there is no state to save")                        \
    X(UNDER_WAY, true, "the test is under way. End it with `stop` or `trip`")                                        \
    X(OVERTAKEN, true, "a fault occurred in the same tick")                                                          \
    X(NOT_OUTSIDE, true, "no position was found at rest outside its stroke, so there is nothing to bring back")      \
    X(RETURNING, true, "the rig moves back into its stroke. Give the order again when it is idle, or `trip`")        \
    X(NO_WAY_BACK, true,                                                                                             \
      "on every straight return path an actuator of the drive moves farther out of its stroke. Move the "            \
      "actuators with the controls of the rig, then give the order `arm`")                                           \
    X(RELAXED, true,                                                                                                 \
      "the force of a specimen has changed on hold by more than `test: {hold-relaxation: ...}` allows. This ~"       \
      "change would act on the structure as a step. End the test with `ramp-out`")                                   \
    X(FORCE_NOT_FRESH, true,                                                                                         \
      "the rig has sent no new measurement in this tick, so the forces cannot be compared with those at the "        \
      "beginning of the hold (`test: {hold-relaxation: ...}`). Give the order again when measurements arrive")       \
    X(START_AT, true, "the test starts at its start instant. End it with `quit`")                                    \
    X(START_AGREED, false, "agreed: the ramp-in begins at its instant")                                              \
    X(NO_UPDATES, true, "the case has no `identify`, so there are no updates to switch")                             \
    X(SCALE_NOT_NOW, true, "the time scale can be changed in the states run and hold")                               \
    X(SCALE_GIVEN, true,                                                                                             \
      "another program computes the structure, or the motion is prescribed, so the time scale cannot be changed")    \
    X(SCALE_SPECIMEN, true,                                                                                          \
      "the specimen is rate-dependent: another time scale would change its force. "                                  \
      "Allow it with `test: {allow-resume: yes}`")                                                                   \
    X(SCALE_SLOWEST, true, "the test already runs at its slowest, with 16 times the `lambda` of the case")           \
    X(SCALE_FULL, true, "the test already runs with the `lambda` of the case, which is the fastest")                 \
    X(SCALE_MONITOR, true,                                                                                           \
      "the monitor of stability has slowed the test. Give the orders `hold` and `resume` to return to its time "     \
      "scale")                                                                                                       \
    X(STOPS, false, "hold, then ramp-out. A second stop trips")                                                      \
    X(STOPS_RAMP, false, "brakes on its path, then ramp-out. A second stop trips")                                   \
    X(STOPS_AT_REST, false, "ramp-out at rest. A second stop trips")                                                 \
    X(STOP_TRIPS, false, "trip: the specimens are held where they are")                                              \
    X(STOP_SAME, false, "the test stops already. A second stop of its source or of the holder, or `trip`, trips it") \
    X(STOP_REFUSED, true, "at rest already; only the holder may ramp out")                                           \
    X(STOP_LATER, false, "automatic: ramp-out in 10 s. An order in between cancels it; `hold` stays at rest")        \
    X(STOP_CANCELLED, false, "the automatic stop is cancelled. Type resume, ramp-out or park")                       \
    X(GOES_ON, true, "the motion continues to its end")                                                              \
    X(NOTHING_MOVES, true, "nothing moves")                                                                          \
    X(PARKS, false, "hold, then the test ends; the specimens stay loaded")                                           \
    X(STOP_PRESSED, true, "the emergency stop is pressed")                                                           \
    X(PRESSURE_OFF, true, "pressure is off")                                                                         \
    X(RIG_STOPPED, true, "the rig stopped by itself")                                                                \
    X(STOP_BACK, true, "the emergency stop is released since # s; type arm again after 1 s")                         \
    X(PRESSURE_BACK, true, "pressure is back since # s; type arm again after 1 s")                                   \
    X(RIG_BACK, true, "the rig is released since # s; type arm again after 1 s")                                     \
    X(CHANGED_POSITION, true,                                                                                        \
      "a specimen is at # mm, the checkpoint at # mm. Accept this with --accept-change, or begin a new test")        \
    X(CHANGED_FORCE, true,                                                                                           \
      "a specimen has # kN, the checkpoint # kN. Accept this with --accept-change, or begin a new test")             \
    X(ONLY_IDLE, true, "pressure is switched in the state idle")                                                     \
    X(NO_POWER, true, "not every axis has power 5 s after the request. The drives are off again")                    \
    X(POWER_MOVED, true,                                                                                             \
      "the rig moved, or was no longer ready, while its drives were switched on. They are off again")                \
    X(PARK_FREES, true,                                                                                              \
      "a drive is switched off at the end and would release the specimen. Use `stop`, `at-end: brake` or a rig "     \
      "server")                                                                                                      \
    X(QUIT_FREES, true, "switches axis # off: # kN are released. Type quit again")                                   \
    X(QUIT_FREED, false, "switches axis # off: # kN are released")                                                   \
    X(NOT_ALLOWED, true, "the operator of the rig server has to type allow for this connection first")               \
    X(NO_MASTER, true, "the script that computes the structure has not sent its initial state yet. Start it first")  \
    X(STALE, true,                                                                                                   \
      "# % of the ticks of the last second had a new measurement, # % are required (`test: {stale-share: ...}`). "   \
      "Compare the tick of the case with that of the rig, and look at its network")                                  \
    X(NO_HIGH, true, "pressure is not high. Type low, wait 2 s, type high")                                          \
    X(NO_LOW, true, "pressure is not low and steady yet. Type low; 2 s later it is steady, or off again")            \
    X(NO_PRESSURE, true, "no pressure 10 s after the request. It is off again")                                      \
    X(LOW_MOVED, true, "off again: a position moved by # mm at low pressure, permitted are # mm (arm-spread)")       \
    X(LOW_LOADED, true, "off again: a force changed by # kN at low pressure, permitted are # kN")                    \
    X(LOW_STEADY, false, "nothing moved for 2 s. Type high")                                                         \
    X(PRESSURE_LOST, true, "pressure was lost: low and high are off. Type low when the cause is removed")            \
    X(INTERLOCK, true, "a channel is outside its arm-range")                                                         \
    X(NOT_CHECKED, true, "the checklist is not complete, or a second person has not confirmed it")                   \
    X(LOW_SILENT, true,                                                                                              \
      "off again: no measurement for # s at low pressure, permitted are # s (stale-for). Type low when they arrive") \
    X(POWER_AWAITED, true, "the order before still waits for power on every axis")                                   \
    X(POWER_CANCELLED, false, "the order that waited for power on every axis is cancelled")                          \
    X(NOT_FRESH, true, "the rig is not ready: it has sent no new measurement in this tick. Give the order again")

typedef enum ifd_answer {
#define IFD_ANSWER_ENUM(name, refused, text) IFD_ANSWER_##name,
    IFD_ANSWER_LIST(IFD_ANSWER_ENUM)
#undef IFD_ANSWER_ENUM
        IFD_ANSWER_COUNT
} ifd_answer;

IFD_API const char *ifd_answer_text(ifd_answer answer);
IFD_API bool ifd_answer_refuses(ifd_answer answer);
/* The sentence of the answer of a tick, with its numbers instead of the signs #. */
IFD_API void ifd_answer_print(const ifd_tick_trace *trace, char *out, size_t size);
/* Whether an order can have an effect in a state: the words that a terminal or a page offers. Most need control: a
 * viewer may only stop and trip. */
IFD_API bool ifd_order_permitted(ifd_machine state, ifd_order order);
/* Whether a hold of such a test can be resumed; otherwise the answer is RATE_DEPENDENT. */
IFD_API bool ifd_hybrid_may_resume(const ifd_hybrid_options *o);

/* The latched fault: the first fault with an action. */
typedef struct ifd_trip_facts {
    ifd_trip trip;
    long tick;
    int owner; /* number as in ifd_hybrid_owner_name; -1: none */
    double value, limit;
} ifd_trip_facts;

typedef struct ifd_hybrid ifd_hybrid;

/* Builds the test in the arena and opens its rig, in state idle. The options are copied; data they point to must
 * outlive the test. */
/* The model that a test of one structure computes: the model of the options without the mass on the rig. */
IFD_API ifd_status ifd_hybrid_computed(ifd_arena *arena, const ifd_hybrid_options *opt, const ifd_model **out,
                                       ifd_note *note);
IFD_API ifd_status ifd_hybrid_make(ifd_arena *arena, const ifd_hybrid_options *opt, ifd_hybrid **out, ifd_note *note);
/* Releases the rig and ends workers; no tick may follow. The results remain readable. A second call has no effect. */
IFD_API void ifd_hybrid_close(ifd_hybrid *h);
/* For an executor (executor.h). */
IFD_API ifd_ticked ifd_hybrid_ticked(ifd_hybrid *h);

/* Name and unit of each published value. */
IFD_API const ifd_column *ifd_hybrid_columns(const ifd_hybrid *h, int *count);
/* Options of the remote master; NULL: none. */
IFD_API const ifd_remote_options *ifd_hybrid_remote(const ifd_hybrid *h);
/* Whether no rig of the test moves iron: a virtual rig, ticks in lockstep, a rehearsal, or a rig that declares it.
 * Rules about people and machines hold for all other tests. A rig in another process is known when it is open. */
IFD_API bool ifd_hybrid_simulated(const ifd_hybrid *h);
/* Whether an axis of the rig is free after the end of the test (ifd_rig.free_at_end): nothing may be parked. */
IFD_API bool ifd_hybrid_frees(const ifd_hybrid *h);
/* Before the first tick: `automatic` and `wait_tripped` of the options, where they depend on the open rig. */
IFD_API void ifd_hybrid_conduct(ifd_hybrid *h, bool automatic, bool wait_tripped);
IFD_API bool ifd_hybrid_automatic(const ifd_hybrid *h);
/* Number of actuators in a measurement of the rig, and number of its auxiliary inputs in use. */
IFD_API int ifd_hybrid_sensed(const ifd_hybrid *h, int *aux);
IFD_API double ifd_hybrid_period(const ifd_hybrid *h); /* s of wall-clock time per tick */
IFD_API ifd_machine ifd_hybrid_state(const ifd_hybrid *h);
IFD_API ifd_trip_facts ifd_hybrid_trip(const ifd_hybrid *h);
/* The sentence of the latched fault, with its numbers where it has some (LATE, LOST); from any thread. */
IFD_API void ifd_hybrid_fault_print(const ifd_hybrid *h, ifd_trip trip, char *out, size_t size);
/* Between ticks, or after the test: the condition for which the test waits in the state idle, or waited at its last
 * arming. */
IFD_API ifd_wait_facts ifd_hybrid_wait(const ifd_hybrid *h);
/* Limits of a measured position while a test waits; owner as in ifd_wait_facts. */
IFD_API void ifd_hybrid_wait_limits(const ifd_hybrid *h, int owner, double *low, double *high);
IFD_API long ifd_hybrid_count(const ifd_hybrid *h, ifd_trip trip); /* number of occurrences of a fault */
IFD_API double ifd_hybrid_time(const ifd_hybrid *h);               /* s, simulated, of the last complete step */
/* Whether the test is completed: at the end of the case, or by message of a remote master. */
IFD_API bool ifd_hybrid_complete(const ifd_hybrid *h);
/* The reason that the rig reported (exchange.h): at the latched fault, or the present one without a fault. From any
 * thread. NULL: none. */
IFD_API const char *ifd_hybrid_why(const ifd_hybrid *h);
/* The owner of the latched fault (ifd_hybrid_owner_name). From any thread. -1: none. */
IFD_API int ifd_hybrid_faulty(const ifd_hybrid *h);
/* After a test whose rig did not become ready (ifd_executor_report.cold): its errors; NULL: none. */
IFD_API const ifd_note *ifd_hybrid_cold(const ifd_hybrid *h);

/* Complete state of a test between two ticks, for its continuation. A snapshot is taken at the beginning of the rest
 * of a hold, on the order checkpoint and every checkpoint_every, in the next tick with a complete state. */
typedef struct ifd_snapshot {
    uint64_t tick;
    double time; /* s, simulated */
    ifd_machine state;
    int interfaces, count, rig_at, rig_size; /* of x; slice of the state of the rig, empty for a rig outside this
                                            * process */
    const double *x;
    ifd_measure raw, measure;
    int columns;
    const double *values;
} ifd_snapshot;

/* The newest snapshot not taken before, for one thread; false: none. It remains valid until it is released. Of later
 * snapshots the newest is kept. */
IFD_API bool ifd_hybrid_snapshot(ifd_hybrid *h, ifd_snapshot *out);
IFD_API void ifd_hybrid_give_back(ifd_hybrid *h);
/* Before the first tick: ramp-in moves to the position of the snapshot and the test continues from there. The state
 * of a rig in this process is restored. from must outlive the test. Fails for a test of different dimensions. Also
 * fails if the snapshot was taken in motion that a rig outside this process cannot reach from rest within its
 * acceleration limit. */
IFD_API ifd_status ifd_hybrid_continue(ifd_hybrid *h, const ifd_snapshot *from, ifd_note *note);
/* Position (m) and force (N) of an interface in the checkpoint from which the test continues, and their permitted
 * changes until it is armed; false: it does not continue, or ramp-in has reached the checkpoint. */
IFD_API bool ifd_hybrid_stored(const ifd_hybrid *h, int interface, double stored[2], double permitted[2]);
/* Stopped on hold with a state for continuation. */
IFD_API bool ifd_hybrid_paused(const ifd_hybrid *h);

/* The complete state: count doubles. Copy it between two ticks to save it; copy it back to restore it. */
IFD_API double *ifd_hybrid_save_area(ifd_hybrid *h, int *count);

/* Number of actuators of the rig: the number of interfaces, unless there are drives. */
IFD_API int ifd_hybrid_actuators(const ifd_hybrid *h);
/* Limits of an actuator for its rig, in raw units of the channel map. */
IFD_API void ifd_hybrid_rig_limits(const ifd_hybrid *h, int actuator, ifd_limits *out);
/* Name by number: interfaces first, then actuators of the rig, then rows of the channel map, then the rigs if there
 * are several. NULL: no such number. */
IFD_API const char *ifd_hybrid_owner_name(const ifd_hybrid *h, int owner);
/* What it is: "specimen", "actuator", "channel" or "rig". */
IFD_API const char *ifd_hybrid_owner_kind(const ifd_hybrid *h, int owner);
/* With several rigs, the name of the rig with that number, or of the rig of an interface, an actuator or a row of the
 * channel map; otherwise NULL. */
IFD_API const char *ifd_hybrid_rig_name(const ifd_hybrid *h, int owner);
/* The rig of a test; with several rigs the one with this number, from 0. NULL: no such number. */
IFD_API const ifd_rig *ifd_hybrid_rig(const ifd_hybrid *h, int number);
/* Largest values so far, per interface (or actuator of a drive, numbered as above): |measured - target| (m),
 * |measured force| (N), |command| (m). */
IFD_API void ifd_hybrid_peaks(const ifd_hybrid *h, int owner, double out[3]);
/* Largest |measured force - force reference| of an interface in force control, in run and hold (N). */
IFD_API double ifd_hybrid_force_error(const ifd_hybrid *h, int interface);

/* Tracking quality of an interface by its indicators (indicator.h) in the state run so far. */
typedef struct ifd_tracking {
    double delay;     /* s of wall-clock time; positive: measured after target */
    double amplitude; /* measured over target */
    double rms, peak; /* of the tracking error relative to the target; rms with a time constant of 2 lambda s */
    double energy;    /* J, added to the structure by the tracking error */
    double work;      /* J, absolute work done on the specimen, for comparison */
} ifd_tracking;

/* Between ticks, or after the test. */
IFD_API ifd_tracking ifd_hybrid_tracking(const ifd_hybrid *h, int interface);
/* Between ticks, or after the test; false: simulated time had the rate of the case, except for holds. */
IFD_API bool ifd_hybrid_slowdown(const ifd_hybrid *h, ifd_slowdown *out);
/* The energy balance so far, of whole steps that were shown; false where energies are not recorded. */
/* The share of the ticks of the state run without a new measurement of a rig, so far. */
IFD_API double ifd_hybrid_stale_fraction(const ifd_hybrid *h);
IFD_API bool ifd_hybrid_energy(const ifd_hybrid *h, ifd_energy *out);

/* What a test consists of. */
typedef enum ifd_part_kind {
    IFD_PART_PACE, /* what advances simulated time */
    IFD_PART_UNIT, /* a behaviour, in the order of the calls in a tick */
    IFD_PART_LINK, /* between the measured force of an interface and the load, in this order */
} ifd_part_kind;
typedef struct ifd_part {
    ifd_part_kind kind;
    const char *of; /* a link: the interface; otherwise "" */
    const char *name, *about;
    const ifd_column *column; /* those that it adds */
    int columns;
} ifd_part;
/* The parts of the test with these options, whose rig is not opened. */
IFD_API ifd_status ifd_hybrid_explain(ifd_arena *arena, const ifd_hybrid_options *o, const ifd_part **parts,
                                      int *count, ifd_note *note);

IFD_END_DECLS
#endif
