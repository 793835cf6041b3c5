/* SPDX-License-Identifier: MIT */
#pragma once

#include <interfield/preflight.h>

#include "analysis/loop.h"

/* Dry run: a test on its virtual rig from the first tick to the end of its motion, free-running, with observation. */
typedef struct ifd__dry_options {
    ifd__variant variant;
    long every;   /* interval of recorded steps; 0: no series */
    double *time; /* s, of every tick: the smaller of the present value and the new duration; NULL: not recorded */
    long times;   /* number of ticks in time */
    bool out;     /* continues to the end of ramp-out */
    bool stops;   /* stops it at many instants */
} ifd__dry_options;

/* One interface during ramp-in and run. */
typedef struct ifd__dry_interface {
    /* Position of command and measurement, velocity and acceleration of the command, measured force, delay and
     * amplitude (indicator.h). secant and viscous in the state run, from measured force and position inside the
     * stroke: at the largest deformation (zero if force and deformation differ in sign), and force over velocity at
     * the largest velocity. Nothing else. */
    ifd_preflight_interface seen;
    double deformation;                     /* m: at the secant */
    double out_acceleration;                /* m/s2, of the command in ramp-out */
    double stop_low, stop_high, stop_force; /* m, N: extremes after a stop, until all is at rest */
    double out_began, out_across; /* N, measured and smoothed: largest after the brake; largest of the other sign */
} ifd__dry_interface;

/* A column of the series. */
typedef struct ifd__dry_column {
    const char *name; /* of the specimen or the dof */
    bool turns;       /* radians */
    bool specimen;    /* the deformation of one, which is judged by its own size */
} ifd__dry_column;

typedef struct ifd__dry {
    long ticks;
    bool finished;  /* the motion was completed */
    bool diverged;  /* exceeded the stroke a hundred times */
    double reached; /* s, simulated */
    ifd_trip_facts trip;
    long governed; /* commands reduced by a limit */
    bool out_done; /* ramp-out was completed; its duration in s of wall-clock time */
    double out_time;
    ifd_trip_facts out_trip;
    int actuators; /* of the rig; N: force at the end of ramp-out, and its limit */
    double last_force[IFD_RIG_ACTUATORS], last_limit[IFD_RIG_ACTUATORS];
    int stops; /* instants at which it was stopped; the first one that tripped: in run or ramp-in, and when (s) */
    ifd_trip_facts stop_trip;
    bool stop_runs;
    double stop_time;
    ifd__dry_interface interface[IFD_RIG_ACTUATORS];
    ifd__dry_interface actuator[IFD_RIG_ACTUATORS]; /* of the rig, of drives: up to tracking, without energy */
    long rows;
    int columns;    /* deformations of the interfaces, then displacements as far as they are recorded */
    double *series; /* rows x columns, in the given arena; as the columns are */
    ifd__dry_column *column;
} ifd__dry;

bool ifd__dof_turns(ifd_dof_kind kind);
/* Whether interface k is a rotation. */
bool ifd__preflight_turns(const ifd_hybrid_options *test, int k);

ifd_status ifd__dry_run(ifd_arena *arena, const ifd__loop *l, const ifd__dry_options *o, ifd__dry *out,
                        ifd_note *note);

/* Largest difference of two series over all columns, relative to the largest value of its column in the second:
 * peak, and likewise root mean square, and the column of that. A dof counts with a tenth of the largest of its kind
 * at least, a specimen with a thousandth; both with a thousandth of the largest of the other kind. False if they
 * cannot be compared. */
typedef struct ifd__dry_error {
    double peak, rms;
    int column;
} ifd__dry_error;

bool ifd__dry_compare(const ifd__dry *a, const ifd__dry *b, ifd__dry_error *out);

/* Limits of caution: delay margin relative to the assumed delay, margins of gain, of stiffness and mass. */
#define IFD__LEAST_DELAY 0.1
#define IFD__LEAST_GAIN 1.05
#define IFD__LEAST_FACTOR 1.2

/* True if a model with nonlinear elements has a bounded Jacobian: the loop is examined with linear elements, which
 * are in the Jacobian exactly. */
bool ifd__preflight_bounded(const ifd_hybrid_options *test);

/* s: phase lag over frequency (Hz) of an actuator. */
double ifd__actuator_lag(const ifd_virtual_actuator *c, double tick, double frequency);
/* u = (a0 + a1 s + a2 s^2 + a3 s^3) x at low frequency: the response of an actuator to commands that arrive a tick
 * before they are due. False: unknown. */
bool ifd__actuator_series(const ifd_virtual_actuator *c, bool ramps, double period, double out[4]);
/* s: the largest assumed delay of an interface, with that of the rig beyond its twin. */
double ifd__preflight_assumed(const ifd_preflight *p);
/* Stability and margins. out->interface[].stiffness must be set: it represents nonlinear specimens. */
ifd_status ifd__preflight_loop(const ifd_preflight_options *o, ifd_preflight *out, ifd_note *note);
/* Only the delay margin of the above, and whether the loop is stable. */
ifd_status ifd__preflight_delay(const ifd_preflight_options *o, ifd_preflight *out, ifd_note *note);
/* The demand of a dry run without limits on the interfaces. */
void ifd__preflight_interfaces(const ifd_preflight_options *o, const ifd__dry *d, ifd_preflight *out);
/* True if the loop has so many numbers that only the limits of caution are tried, not the margins beyond them. */
bool ifd__preflight_vast(const ifd_preflight *p);
/* Whether a delay margin requires caution. */
bool ifd__preflight_little(const ifd_preflight *p, const ifd_reach *delay);
/* The line of a loop of which neither growth nor decay is proven. */
const char *ifd__preflight_undecided(const ifd_preflight *p, char *text, size_t room);
/* Makes the checks and the verdict. */
void ifd__preflight_judge(ifd_arena *arena, const ifd_preflight_options *o, ifd_preflight *out);

/* Checks of preflight while they are made. */
typedef struct ifd__judging {
    ifd_arena *arena;
    const ifd_preflight_options *o;
    ifd_preflight *out;
} ifd__judging;

/* Adds a check; the advice is dropped if the verdict is GO. A part of an advice in [[ ]] proposes a slower test: it
 * is dropped where the force of a specimen depends on velocity. */
void ifd__judge_add(ifd__judging *j, const char *topic, ifd_verdict verdict, const char *advice, const char *format,
                    ...) IFD_PRINTF(5, 6);
const char *ifd__judge_print(ifd__judging *j, const char *format, ...) IFD_PRINTF(2, 3);
/* "12.3 ms", "84 mm/s", "1.5 MN": three digits and a prefix. */
const char *ifd__judge_quantity(ifd__judging *j, double value, const char *unit);

/* Whether the case describes the rig as it is. */
void ifd__judge_rig(ifd__judging *j);
/* Clock, duration of ticks and disk of this machine. */
void ifd__preflight_machine(ifd__judging *j);
/* Network between the test and its rig. */
void ifd__preflight_network(ifd__judging *j);
/* Travel and force beyond a limit after its trip. */
void ifd__preflight_stopping(ifd__judging *j);
/* True forces with wrong load cells of controlled forces. */
void ifd__preflight_cells(ifd__judging *j);
/* An actuator and the way of a trip to it. */
typedef struct ifd__stopping {
    double lag;           /* s, tau */
    double w, damping;    /* rad/s, z; w 0: no second-order actuator */
    double acceleration;  /* m/s2, A, of the brake */
    double period, ticks; /* s, T; n, of transport */
} ifd__stopping;
/* m: from a limit to rest, at the velocity v (m/s) when it trips. */
double ifd__stopping_travel(const ifd__stopping *s, double v);
