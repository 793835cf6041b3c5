/* SPDX-License-Identifier: MIT */
/* Events: substructures with Rosenbrock methods and individual steps, advanced in the order of time.
 *
 * Every stage of a substructure is due at the instant at which its force is evaluated: LSRT2 at the start and the
 * middle of its step, LSRT1 at the start. The result of a stage is valid up to the next such instant. At every
 * instant each substructure is therefore known, linearly between the two ends of its current segment, and Lam follows
 * from the states at that instant. For one coarse and one fine substructure this is the staggered procedure of Bursi,
 * Jia and Wang. It needs no order between substructures, so their number is free, each with its number of subcycles.
 * A substructure without a stepper here (passive) is given by its segment alone.
 *
 * A measured substructure must have a stage at every instant: its force is known at its stages only. */
#pragma once

#include "couple/interface.h"

typedef struct ifd__due_stage {
    int part, substep, stage;
} ifd__due_stage;

typedef struct ifd__instant {
    double at;        /* fraction of the cycle */
    int first, count; /* range in the array of due stages */
} ifd__instant;

typedef struct ifd__segment {
    ifd__sight sight[2], *from, *to;
    double begins, ends; /* fractions of the cycle */
} ifd__segment;

typedef struct ifd__events {
    /* Set by the caller; arrays are per substructure. */
    ifd__interface *I;
    double h; /* cycle, s */
    const ifd_couple_options *couple;
    const bool *active;    /* false: passive */
    const int *subcycles;  /* steps in a cycle */
    const int *at;         /* offset of the state in x */
    ifd_stepper **stepper; /* NULL: passive, or in another process */
    /* Set by make. */
    ifd__segment *segment;
    int instants;
    ifd__instant *instant;
    ifd__due_stage *due;
    const ifd__sight **from, **to; /* scratch */
    double *theta, *y, *lambda;    /* y: the load of a stage, then the state in the middle of the step */
} ifd__events;

/* IFD_TOO_LARGE if the subcycles have no small common multiple; IFD_CONFLICT if a measured substructure has too few
 * stages. */
ifd_status ifd__events_make(ifd_arena *arena, ifd__events *e, ifd_note *note);

/* Latches the faults of the steppers of active substructures into *fault. */
IFD_RT void ifd__events_latch(const ifd__events *e, const double *x, double *fault);

/* u, v (n each) of the active substructure p at which its stage at instant k needs a measured force. */
IFD_RT void ifd__events_aim(const ifd__events *e, int k, const double *x, int p, double *u, double *v);

/* Start of a cycle: segments of active substructures start at their states in x; the caller sets passive segments. */
IFD_RT void ifd__events_begin(ifd__events *e, const double *x);
/* Runs all stages due at instant k of the cycle that began at t. False if a factorisation failed. lambda (rows)
 * receives the multipliers of this instant; it may be NULL. */
IFD_RT bool ifd__events_instant(ifd__events *e, int k, double t, double *x, double *lambda);
/* Tick k of a coupling with these instants as ticks; latches faults. Returns true at the last tick of a cycle. */
struct ifd__coupled;
IFD_RT bool ifd__events_tick(ifd__events *e, struct ifd__coupled *c, int k, double t, double *x);
