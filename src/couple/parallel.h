/* SPDX-License-Identifier: MIT */
/* Internal data of coupling `parallel`, shared by the recurrence (parallel.c) and its start (parallel_start.c). */
#pragma once

#include "couple/coupled.h"
#include "couple/events.h"

typedef struct ifd__parallel_side {
    bool coarse, measured;
    int size;              /* 2 n + ns */
    int now;               /* offset of y at i; for B the state of the stepper */
    int past, before;      /* offsets of y at i-2, i-1 */
    int next;              /* A: offset of y at i+1 */
    ifd_stepper *stepper;  /* A: 4 dt; B: dt/ss */
    double *job;           /* A: private state of the running step */
    ifd__sight at2, at0;   /* copies for the job: y at i-2; B: y at i, A: the stage state */
    int force2, force1;    /* measured B: offsets of the forces at i-2, i-1 */
    double *f2, *f0;       /* copies for the job: at i-2, at i */
    double *middle, *last; /* start of a measured B: u, v at the half step, and at the last measured force */
    int estimates;
    const ifd_estimate *estimate;
} ifd__parallel_side;

/* Several processes (parallel_ranks.c). */
typedef struct ifd__parallel_ranks {
    bool *coarse, *fine;             /* by substructure: its side */
    bool coarse_here, fine_here;     /* this process has some of them, */
    bool coarse_others, fine_others; /* and so has another one */
    int stage, instant;              /* of the job and of the fine side, for which multipliers are solved */
    int columns;                     /* vectors of one substructure in the exchange of a cycle */
    double *ahead;                   /* blocks of that exchange */
} ifd__parallel_ranks;

typedef struct ifd__parallel_coupling {
    double dt;
    int parts;
    ifd__parallel_side *side;
    int *past; /* offsets of all substructures at i-2 */
    int phase; /* offset of the start-up counter in x: 0, 1, then constant at 2 */
    ifd__events fine, start;
    double *xstart; /* private state of the equal-step start */
    int start_size;
    int *start_at;
    ifd__interface twin; /* for the worker */
    double job_time;
    bool job_ok;
    const ifd__sight **seen;
    ifd__parallel_ranks *ranks; /* NULL: one process */
    const ifd__sight **pair[2]; /* in several processes: sights of the exchange, and their fractions */
    double *at;
    double *theta, *lambda, *load, *u, *v, *s;
} ifd__parallel_coupling;

/* Tick k of one of the first two cycles, which began at t. */
IFD_RT void ifd__parallel_start_tick(ifd__coupled *c, int k, double t, double *x);
IFD_RT void ifd__parallel_start_aim(ifd__coupled *c, int k, const double *x, int p, double *u, double *v);

/* With opt->ranks, after all else is made: refuses what cannot be distributed. */
ifd_status ifd__parallel_ranks_make(ifd__coupled *c, ifd_arena *arena, const ifd_couple_options *opt, ifd_note *note);
/* Collective, at the start of a cycle at t: all that one side needs of the other during it. */
IFD_RT void ifd__parallel_exchange(ifd__coupled *c, double t);
/* Sums of ifd__interface_free on the fine side. */
IFD_RT bool ifd__parallel_fine_sum(ifd__coupled *c, ifd__interface *I, const ifd__views *at, double *y);

/* At tick 0 of a cycle, after the measurement of the force at i: the forces at i-2 and i-1 shift. */
IFD_RT void ifd__parallel_shift_forces(ifd__coupled *c, double *x);
