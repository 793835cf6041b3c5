/* SPDX-License-Identifier: MIT */
/* Preflight: what can be known about a hybrid test before anything moves.
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
 * The test is made on its virtual rig (of a real one: its twin) and
 *   - probed as a linear recurrence, rig and all: spectral radius, damping; and again later, with another gain,
 *     stiffer, softer, heavier, until it becomes unstable: the margins;
 *   - run dry over its whole motion, once with its limits and once without: what it will ask of the rig;
 *   - compared with the same test on a perfect rig at a quarter of the step: what delay, noise and step cost;
 *   - timed, tick by tick.
 * Nothing of it touches the rig. docs/preflight.md says how each number is found and what follows from it. */
#ifndef INTERFIELD_PREFLIGHT_H
#define INTERFIELD_PREFLIGHT_H

#include <interfield/hybrid.h>
#include <interfield/virtual.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The list of verdicts: the worst check decides. */
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

typedef struct ifd_preflight_options {
    const ifd_hybrid_options *test;
    const ifd_laboratory *twin; /* the virtual rig itself, or the virtual model of a real one */
    bool real;                  /* the rig is not the one in this process */
    bool stated;                /* of a real one: the case says what its twin is */
    double delay;               /* s of wall clock that the rig is later than its twin */
    int ticks;                  /* and ticks: measurements on their way from another process */
    /* What a finished test showed of measured over wanted motion, per interface: the twin is taken as much later, and
     * its motion as much larger, as it takes to show the same. NULL: nothing known. */
    const double *seen_delay, *seen_amplitude; /* s; 1 */
    int record_every;                          /* ticks per row of the result; 0 = 1 */
    const char *folder;                        /* where results go; NULL: here */
    double
        error_bound; /* rms error that may be predicted, relative; above it NO-GO on a real rig, CAUTION otherwise */
    bool free_running; /* the test runs without a clock: lateness and length of ticks are not judged */
    const ifd_remote_options
        *master; /* another program computes the structure (remote.h); NULL: it is computed here */
} ifd_preflight_options;

/* error_bound 0.1, everything else zero. */
IFD_API void ifd_preflight_defaults(ifd_preflight_options *o);

typedef struct ifd_check {
    const char *topic;  /* "stability", "stroke" */
    const char *found;  /* one line */
    const char *advice; /* what to change, NULL when nothing need be */
    ifd_verdict verdict;
} ifd_check;

/* How far something can grow before the loop becomes unstable. */
typedef struct ifd_reach {
    double value; /* the largest stable one; when not found, the largest tried */
    bool found;
} ifd_reach;

/* Stability and margins of the loop with one choice of stiffness for specimens that are not linear. */
typedef struct ifd_margins {
    bool stable;            /* radius <= 1 + 1e-6 */
    double radius;          /* over one cycle of ticks */
    double frequency;       /* Hz, of the oscillation that is damped least; NAN when unknown */
    double damping;         /* its damping ratio */
    double perfect_damping; /* and that on a perfect rig; NAN when unknown */
    /* Zero unless stable: */
    ifd_reach delay;                    /* s of wall clock, besides what is assumed */
    ifd_reach gain;                     /* factor of the motion */
    ifd_reach stiffer, softer, heavier; /* factors of the specimens; heavier.value 0: no mass on the rig */
    /* Later by s times together_delay, the motion 1.05^s too large and the specimens 1.2^s stiffer or softer, all at
     * once: the largest stable s, of both ways the smaller. Below one is caution. */
    ifd_reach together;
} ifd_margins;

/* One interface, as the dry run without limits asks it. */
typedef struct ifd_preflight_interface {
    const char *name;
    bool angular;     /* a rotation: rad for m, N m for N */
    double assumed;   /* s: lag of its actuator at the frequency that is damped least */
    double stiffness; /* N/m: initial stiffness of its specimen, the tangent at rest */
    double secant;    /* N/m: at the largest deformation of the dry run; of a linear one its stiffness */
    double viscous;   /* N s/m: of a specimen without stiffness, force over velocity at the largest velocity; or 0 */
    bool linear;
    double low, high;              /* m */
    double velocity, acceleration; /* m/s, m/s2 */
    double force, force_rate;      /* N, N/s */
    double tracking, energy;       /* m, J */
    double delay, amplitude;       /* of measured over wanted motion, after compensation: s, 1 */
} ifd_preflight_interface;

enum { IFD_PREFLIGHT_CHECKS = 96 };

typedef struct ifd_preflight {
    ifd_verdict verdict;
    int checks;
    ifd_check check[IFD_PREFLIGHT_CHECKS];
    double delay, gain; /* by which the rig is taken later than its twin (s), and its motion larger */

    bool examined;         /* false: too many numbers, nothing of the loop is known */
    int states;            /* numbers in the recurrence */
    bool linear;           /* every specimen is: initial and secant are the same */
    ifd_margins initial;   /* with the initial stiffness of the specimens, for motion too small to make them yield */
    ifd_margins secant;    /* with the secant stiffness at the largest deformation that the dry run predicts */
    bool stable_perfect;   /* initial, on a perfect rig: when not, the step is too long or the specimen too stiff */
    double together_delay; /* s of wall clock: a tenth of the assumed delay, or one tick when that is more */
    double stable_step;    /* s: when a perfect rig is unstable, a step at which it is not; 0: none found */
    double pure_delay;     /* s: when only the real rig is unstable, what a perfect one stands; NAN when not asked */

    int interfaces;
    ifd_preflight_interface interface[IFD_RIG_CHANNELS];
    bool finished;  /* the dry run with limits came to its end */
    bool diverged;  /* the one without limits left the stroke a hundred times behind */
    double reached; /* s, simulated, of the dry run with limits */
    ifd_trip_facts trip;
    long governed, ticks;
    /* Of the one with limits against a perfect rig at a quarter of the step, beside the largest and the
     * rms value; NAN when unknown. */
    double error_peak, error_rms;
    double error_bound; /* of the options */
    /* Its ramp-out: whether it came to an end, s of wall clock; over all interfaces m/s2 of the command, beside that
     * of the run before it as a factor, and the force of the other sign as a share of the one it began with. */
    bool out_done;
    double out_time, out_acceleration, out_rougher, out_overshoot;
    ifd_trip_facts out_trip;

    double period, tick_p99, tick_max; /* s; ticks of the better of three dry runs */
    bool threads;                      /* a worker runs beside the tick: its share of the time is in the tick here */
    ifd_executor_report granted;       /* rights and punctuality of an idle tick on this machine */
    double duration;                   /* s of wall clock, the motion alone */
    double rate, bytes, room;          /* bytes per second, in all, free where the result goes (0: unknown) */
} ifd_preflight;

/* Probes, runs dry and times the test. IFD_OK whatever the verdict: an error is a test that cannot be made. */
IFD_API ifd_status ifd_preflight_run(ifd_arena *arena, const ifd_preflight_options *o, ifd_preflight *out,
                                     ifd_note *note);

#ifdef __cplusplus
}
#endif
#endif
