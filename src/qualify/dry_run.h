/* SPDX-License-Identifier: MIT */
/* Dry run: a test on its virtual rig from the first tick to the end of its motion, as fast as possible, watched. */
#ifndef IFD_QUALIFY_DRY_RUN_H
#define IFD_QUALIFY_DRY_RUN_H

#include "analysis/loop.h"

typedef struct ifd__dry_options {
    ifd__variant variant;
    long every;   /* of the series: each every-th step is kept; 0: none */
    double *time; /* s, of every tick: the smaller of what stands there and what it took now; NULL: not wanted */
    long times;   /* how many */
    bool out;     /* goes on to the end of ramp-out */
} ifd__dry_options;

/* Of one interface, while the test ramped in and ran. */
typedef struct ifd__dry_interface {
    double low, high;              /* m, of command and measurement */
    double velocity, acceleration; /* m/s, m/s2 of wall clock, of the command */
    double force, force_rate;      /* N, N/s, measured */
    double tracking, energy;       /* m, J */
    /* In the state run, of measured force and position inside the stroke: the secant at the largest deformation (N/m;
     * zero where force and deformation differ in sign), and force over velocity at the largest velocity (N s/m). */
    double secant, viscous;
    double deformation;           /* m: at the secant */
    double delay, amplitude;      /* s, positive when late; of measured over wanted motion (indicator.h) */
    double out_acceleration;      /* m/s2, of the command in ramp-out */
    double out_began, out_across; /* N, measured and smoothed: largest after the brake; largest of the other sign */
} ifd__dry_interface;

typedef struct ifd__dry {
    long ticks;
    bool finished;  /* the motion came to its end */
    bool diverged;  /* left the stroke a hundred times behind */
    double reached; /* s, simulated */
    ifd_trip_facts trip;
    long governed; /* commands held back by a limit */
    bool out_done; /* ramp-out came to its end, in so many s of wall clock */
    double out_time;
    ifd_trip_facts out_trip;
    ifd__dry_interface channel[IFD_RIG_CHANNELS];
    long rows;
    int columns;    /* stretches of the interfaces, then displacements as far as they are recorded */
    double *series; /* rows x columns, in the arena given */
} ifd__dry;

ifd_status ifd__dry_run(ifd_arena *arena, const ifd__loop *l, const ifd__dry_options *o, ifd__dry *out,
                        ifd_note *note);

/* Largest difference of two series over all columns, each beside the largest value of its column in the second
 * (a column at rest: beside a thousandth of the largest of all): peak, and root mean square likewise. False when they
 * cannot be compared. */
bool ifd__dry_compare(const ifd__dry *a, const ifd__dry *b, double *peak, double *rms);

#endif
