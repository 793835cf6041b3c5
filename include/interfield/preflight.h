/* SPDX-License-Identifier: MIT */
/* Preflight: predictions for a hybrid test before motion.
 *
 *     ifd_preflight_options o;
 *     ifd_preflight_defaults(&o);
 *     o.test = c->test;
 *     o.twin = c->laboratory;
 *     ifd_preflight p;
 *     IFD_TRY(ifd_preflight_run(arena, &o, &p, note));
 *     for (int i = 0; i < p.checks; i++)
 *         printf("%s: %s (%s)\n", p.check[i].topic, p.check[i].found, ifd_verdict_name(p.check[i].verdict));
 *
 * The test is built on its virtual rig (for a real rig: on its twin) and
 *   - probed as a linear recurrence that includes the rig: spectral radius and damping. It is probed again with more
 *     delay, other gain, stiffness and mass until it becomes unstable: the margins;
 *   - run dry over its complete motion, with and without limits: required motion and forces of the rig;
 *   - compared with the same test on an ideal rig at a quarter of the step: errors of delay, noise and step;
 *   - timed in every tick.
 * Preflight does not access the rig. docs/guide/preflight.md explains each number. */
#ifndef INTERFIELD_PREFLIGHT_H
#define INTERFIELD_PREFLIGHT_H

#include <interfield/hybrid.h>
#include <interfield/link.h>
#include <interfield/virtual.h>

IFD_BEGIN_DECLS

/* Verdicts; the worst check decides. */
#define IFD_VERDICT_LIST(X)                                                                                          \
    X(GO, "GO")                                                                                                      \
    X(CAUTION, "GO WITH CAUTION")                                                                                    \
    X(NO_GO, "NO-GO")

typedef enum ifd_verdict {
#define IFD_VERDICT_ENUM(name, text) IFD_VERDICT_##name,
    IFD_VERDICT_LIST(IFD_VERDICT_ENUM)
#undef IFD_VERDICT_ENUM
        IFD_VERDICT_COUNT
} ifd_verdict;

/* "GO", "GO WITH CAUTION", "NO-GO". */
IFD_API const char *ifd_verdict_name(ifd_verdict verdict);

typedef struct ifd_check {
    const char *topic;  /* "stability", "stroke" */
    const char *found;  /* one line */
    const char *advice; /* recommended change; NULL: none */
    ifd_verdict verdict;
} ifd_check;

/* What the newest characterisation of this rig has found for an interface (characterised.h). */
typedef struct ifd_characterised {
    bool known;
    const char *day;                   /* "12 Nov" */
    double days;                       /* since then */
    const char *refused;               /* why there is no twin; NULL: there is one */
    double delay;                      /* s of wall-clock time, of the position after the command */
    double stiffness, stiffness_error; /* N/m of one device */
    double misfit;                     /* of the twin, relative */
    double force_lag;                  /* s, of the force behind the position, if above half a tick; else 0 */
    double loss;                       /* N, of friction or of the specimen, at rest; 0: none seen */
    double verified;                   /* m/s: peak velocity that the actuator was seen to follow; 0: none */
    double reached;                    /* m/s: peak velocity of an actuator that saturates; 0: it does not */
    double needed;                     /* m/s: peak velocity of the test, predicted without saturation; 0: unknown */
} ifd_characterised;

/* What becomes of the axes at the end of a test: nothing is known of the rig; its server holds them; stated by its
 * settings. */
typedef enum ifd_end { IFD_END_UNKNOWN, IFD_END_SERVED, IFD_END_STATED } ifd_end;

typedef struct ifd_preflight_options {
    const ifd_hybrid_options *test;
    const ifd_laboratory *twin; /* the virtual rig, or the virtual model of a real one */
    bool real;                  /* the rig is outside this process */
    bool stated;                /* of a real rig: the case defines its twin */
    const char *undescribed;    /* of a real rig: an actuator without twin and without model; NULL: none */
    const ifd_characterised *characterised; /* per interface; NULL: this rig has no characterisation */
    double delay; /* s of wall-clock time, additional delay of the rig relative to its twin */
    int ticks;    /* additional ticks: transmission of measurements from another process */
    /* Measured over target motion of a finished test, per interface. The delay and gain of the twin are adjusted to
     * reproduce it. NULL: unknown. */
    const double *seen_delay, *seen_amplitude; /* s; 1 */
    int record_every;                          /* ticks per row of the result; 0 = 1 */
    const char *folder;                        /* of the results; NULL: current folder */
    double error_bound; /* permitted predicted rms error, relative; above it NO-GO on a real rig, CAUTION otherwise */
    bool free_running;  /* test without a clock: lateness and duration of ticks are not assessed */
    const ifd_remote_options *master; /* another program computes the structure (remote.h); NULL: none */
    const ifd_echo *echo;             /* measured answers of the rig; NULL: unknown */
    const ifd_check *proof;           /* checks of the stop chain (stop_chain.h), */
    int proofs;                       /* and their number */
    ifd_end end;
    uint32_t free_at_end; /* bit per actuator of the rig: it loses its power at the end, without a brake */
} ifd_preflight_options;

/* error_bound 0.1, everything else zero. */
IFD_API void ifd_preflight_defaults(ifd_preflight_options *o);

/* Margin: largest change of a quantity without instability. */
typedef struct ifd_reach {
    double value; /* the largest stable value; if not found, the largest examined */
    bool found;
} ifd_reach;

/* Stability and margins of the loop for one choice of the stiffness of nonlinear specimens. */
typedef struct ifd_margins {
    bool stable;            /* radius <= 1 + 1e-6 */
    double radius;          /* over one cycle of ticks */
    double frequency;       /* Hz, of the oscillation with the least damping; NAN: unknown */
    double damping;         /* its damping ratio */
    double perfect_damping; /* the same on an ideal rig; NAN: unknown */
    /* Zero unless stable: */
    ifd_reach delay;                    /* s of wall-clock time, in addition to the assumed delay */
    ifd_reach gain;                     /* factor on the motion */
    ifd_reach stiffer, softer, heavier; /* factors on the specimens; heavier.value 0: no mass on the rig */
    /* Combined margin: the largest stable s with delay increased by s times together_delay, motion larger by 1.05^s
     * and specimens stiffer or softer by 1.2^s. The smaller of both directions. Below one: caution. */
    ifd_reach together;
} ifd_margins;

/* One interface in the dry run without limits. */
typedef struct ifd_preflight_interface {
    const char *name;
    bool angular;     /* a rotation: rad for m, N m for N */
    double assumed;   /* s: lag of its actuator at the frequency with the least damping */
    double stiffness; /* N/m: initial stiffness of its specimen, the tangent at rest */
    double secant;    /* N/m: at the largest deformation of the dry run; for a linear specimen its stiffness */
    double viscous;   /* N s/m: of a specimen without stiffness, force over velocity at the largest velocity; else
                       * 0 */
    bool linear;
    double low, high;              /* m */
    double velocity, acceleration; /* m/s, m/s2 */
    double force, force_rate;      /* N, N/s */
    double tracking, energy;       /* m, J */
    double delay, amplitude;       /* of measured over target motion, after compensation: s, 1 */
    double absorbed;               /* J: work on the specimen in the run */
} ifd_preflight_interface;

enum { IFD_PREFLIGHT_CHECKS = 256 }; /* 7 for each of 16 interfaces and of 16 actuators of drives, and others */

typedef struct ifd_preflight {
    ifd_verdict verdict;
    int checks;
    ifd_check check[IFD_PREFLIGHT_CHECKS];
    double delay, gain; /* additional delay (s) and factor on the motion of the rig relative to its twin */

    bool examined;         /* false: too many states, the loop is not examined */
    int states;            /* order of the amplification matrix */
    bool linear;           /* all specimens are linear: initial and secant are equal */
    ifd_margins initial;   /* with the initial stiffness of the specimens, for motion without yielding */
    ifd_margins secant;    /* with the secant stiffness at the largest deformation of the dry run */
    bool stable_perfect;   /* initial, on an ideal rig; false: the step is too long or the specimen too stiff */
    double together_delay; /* s of wall-clock time: the larger of 0.1 of the assumed delay and one tick */
    double stable_step;    /* s: a stable step if an ideal rig is unstable; 0: none found */
    double pure_delay;     /* s: delay margin on an ideal rig if only the real rig is unstable; NAN: not computed */

    int interfaces;
    ifd_preflight_interface interface[IFD_RIG_ACTUATORS];
    bool finished;  /* the dry run with limits reached its end */
    bool diverged;  /* the dry run without limits exceeded 100 times the stroke */
    double reached; /* s, simulated, of the dry run with limits */
    ifd_trip_facts trip;
    long governed, ticks;
    int actuators; /* of the rig; N: predicted force at the end of ramp-out, and its limit */
    double last_force[IFD_RIG_ACTUATORS], last_limit[IFD_RIG_ACTUATORS];
    /* Error of the run with limits against an ideal rig at a quarter of the step, relative to the largest and the rms
     * value; NAN: unknown. */
    double error_peak, error_rms;
    double error_bound; /* of the options */
    /* Ramp-out: whether it ended, and its duration (s of wall-clock time). Over all interfaces: acceleration of the
     * command (m/s2) and its ratio to that of the run before; force of opposite sign relative to the force at its
     * start. */
    bool out_done;
    double out_time, out_acceleration, out_rougher, out_overshoot;
    ifd_trip_facts out_trip;
    /* Stops of the dry run at the instants of largest velocity, force and change of force and at ten more, in ramp-in
     * and in run: their number, 0: not possible; largest |position| (m) and |force| (N) until all is at rest; the
     * first one that trips, in run or in ramp-in, and when (s, simulated or of ramp-in). */
    int stops;
    double stop_position[IFD_RIG_ACTUATORS], stop_force[IFD_RIG_ACTUATORS];
    ifd_trip_facts stop_trip;
    bool stop_runs;
    double stop_time;

    double period, tick_p99, tick_max; /* s; shortest ticks of three dry runs */
    bool threads;                      /* a worker thread runs in parallel; here its time is included in the tick */
    ifd_executor_report granted;       /* rights and lateness of an idle tick on this machine */
    double duration;                   /* s of wall-clock time, without ramps */
    double rate, bytes, room;          /* bytes per second, total bytes, free bytes for the result (0: unknown) */

    /* Stability with the initial and with the secant stiffness is not decided: the errors of the probe allow growth
     * as well as decay. It is a NO-GO then. resolution: growth per cycle above which all is excluded, or found; at
     * most 1e-6 when the loop is stable; INFINITY when nothing is excluded. */
    bool undecided, undecided_secant;
    double resolution, resolution_secant;

    /* Stability and margins of a structure above 1,000 dofs are those of superelements: text for the user, empty if
     * nothing was reduced. reduced_bound: largest error of a transfer function between interfaces, of its peak, up to
     * reduced_range (Hz). unreduced: why no superelement was possible; NULL otherwise. */
    char reduction[160];
    double reduced_bound, reduced_range;
    const char *unreduced, *unreduced_hint;

    /* Copies of identified specimens at the corners of the ranges of their parameters (learning.md): number of
     * examined corners, 0 without updates; softest and stiffest copies at rest, relative to the start; whether the
     * loop is stable at all corners, the largest radius and the smallest delay margin there. */
    int corners;
    double corner_softest, corner_stiffest;
    bool corners_stable;
    double corners_radius;
    ifd_reach corners_delay;

    /* The same demand on the extensions of the actuators of drives, by the numbers of the actuators of the rig; name
     * NULL: the actuator of an interface. */
    ifd_preflight_interface actuator[IFD_RIG_ACTUATORS];

    char error_of[64]; /* the specimen or dof with error_rms */
} ifd_preflight;

/* Probes, runs dry and times the test. IFD_OK for any verdict; an error means that the test cannot be built. */
IFD_API ifd_status ifd_preflight_run(ifd_arena *arena, const ifd_preflight_options *o, ifd_preflight *out,
                                     ifd_note *note);

IFD_END_DECLS
#endif
