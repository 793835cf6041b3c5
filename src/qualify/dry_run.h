/* SPDX-License-Identifier: MIT */
/* Dry run: a test on its virtual rig from the first tick to the end of its motion, free-running, with observation. */
#pragma once

#include "analysis/loop.h"

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
    double low, high;              /* m, of command and measurement */
    double velocity, acceleration; /* m/s, m/s2 of wall-clock time, of the command */
    double force, force_rate;      /* N, N/s, measured */
    double tracking, energy;       /* m, J */
    /* In the state run, from measured force and position inside the stroke: the secant at the largest deformation
     * (N/m; zero if force and deformation differ in sign), and force over velocity at the largest velocity (N
     * s/m). */
    double secant, viscous;
    double deformation;                     /* m: at the secant */
    double delay, amplitude;                /* s, positive: late; measured motion over target (indicator.h) */
    double out_acceleration;                /* m/s2, of the command in ramp-out */
    double stop_low, stop_high, stop_force; /* m, N: extremes after a stop, until all is at rest */
    double out_began, out_across; /* N, measured and smoothed: largest after the brake; largest of the other sign */
} ifd__dry_interface;

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
    double last_force[IFD_RIG_CHANNELS], last_limit[IFD_RIG_CHANNELS];
    int stops; /* instants at which it was stopped; the first one that tripped: in run or ramp-in, and when (s) */
    ifd_trip_facts stop_trip;
    bool stop_runs;
    double stop_time;
    ifd__dry_interface channel[IFD_RIG_CHANNELS];
    ifd__dry_interface actuator[IFD_RIG_CHANNELS]; /* of the rig, of drives: up to tracking, without energy */
    long rows;
    int columns;    /* deformations of the interfaces, then displacements as far as they are recorded */
    double *series; /* rows x columns, in the given arena */
} ifd__dry;

ifd_status ifd__dry_run(ifd_arena *arena, const ifd__loop *l, const ifd__dry_options *o, ifd__dry *out,
                        ifd_note *note);

/* Largest difference of two series over all columns, relative to the largest value of its column in the second (for
 * a column at rest: a thousandth of the largest of all): peak, and likewise root mean square. False if they cannot
 * be compared. */
bool ifd__dry_compare(const ifd__dry *a, const ifd__dry *b, double *peak, double *rms);
