/* SPDX-License-Identifier: MIT */
/* Coupled: substructures and their coupling, ready for ticks.
 *
 * A cycle is one step between synchronisations. It has c->ticks ticks, each of which ends where the next measured
 * force is needed. At the end of a cycle, the state of substructure p is at x + member[p].at as u, v, s. At that
 * moment x, described by rows, contains all that the next cycle needs.
 *
 * A substructure may be measured: forces other than those of its model are known only at the instants of ticks, at
 * the displacements and velocities that aim returns for each of them. The caller sets them before the tick:
 *
 *     ifd__coupled_initial(c, x);
 *     ifd__coupled_measured(c, p, force at the initial state);
 *     ifd__coupled_start(c, 0.0, x);
 *     for (every tick k of every cycle) {
 *         ifd__coupled_aim(c, k, x, p, u, v);
 *         ifd__coupled_measured(c, p, force at u, v);
 *         ifd__coupled_tick(c, k, t, x);
 *     } */
#pragma once

#include <interfield/couple.h>

#include "couple/interface.h"
#include "couple/worker.h"

/* Nearest states without gap in a metric that includes strain energy.
 *
 *     d_p = -W_p^-1 G_p^T (sum_q G_q W_q^-1 G_q^T)^-1 g,     W = M + gamma h C + (gamma h)^2 K
 *
 * h: coarse step, the same for every substructure; gamma: that of the method of the substructure. W is the matrix
 * that a Rosenbrock step of the substructure factors. In the metric of the mass alone, a correction may add any
 * amount of strain energy, which destroys stability (docs/reference/stability.md). Elements enter with their tangents
 * at the initial state. */

typedef struct ifd__nearest {
    double **WG; /* per substructure, n x rows: W^-1 G^T */
    double *LU;  /* rows x rows: factors of sum G W^-1 G^T; NULL without projection */
    int *pivot;
} ifd__nearest;

typedef struct ifd__member {
    const char *name;
    const ifd_model *model;
    int at;   /* offset of u, v, s in x */
    double h; /* step of the substructure */
    bool measured;
} ifd__member;

/* A force on one dof that is not a multiplier: the reaction of a link of coupling `rts`. */
typedef struct ifd__pull {
    int part, dof;
} ifd__pull;

typedef struct ifd__coupled {
    const ifd_coupling *coupling;
    double h;
    int parts;
    ifd__member *member;
    ifd__interface I;
    ifd_constraint_drift drift;
    ifd__nearest nearest; /* for `project`, in couplings that match accelerations */
    bool project_start;
    int ticks;
    bool measured;     /* true if a substructure is measured */
    bool lead_in;      /* the first tick needs its force at other displacements than the initial state */
    int workers, jobs; /* threads beside the tick, jobs that run on the first ones of them */
    struct ifd__worker *worker[IFD__THREADS - 1];
    struct ifd__distributed *distributed; /* NULL: all substructures are stepped in this process */
    double patience;                      /* s: limit of the wait for the job */
    int size, rows, most_rows;
    ifd_state_row *row;
    int lambda;                 /* offset of the multipliers of the last synchronisation */
    bool multipliers_are_state; /* set by make if the recurrence needs them */
    int fault;                  /* offset of the latched fault */
    int pulls;                  /* number of forces of links */
    const ifd__pull *pull;
    int pulled;              /* offset of these forces */
    int period;              /* cycles after which the recurrence repeats itself */
    double started;          /* value of the integer row "start-up" after the start */
    int rehearsed;           /* steps of a start that is rehearsed with specimens; 0: none */
    ifd__sight *sight;       /* one per substructure: scratch of gap and of the multipliers at a synchronisation */
    const ifd__sight **seen; /* pointers to them */
    double *theta, *wgap;    /* parts zeros; 4 rows */
    double *unbalance;       /* rows: sum_p G_p M_p^-1 (P_p - R_p) at the end of a cycle (ifd__coupled_balance) */
    double *accepted;        /* scratch of the start; NULL if no element remembers reversals */
    void *data;
} ifd__coupled;

ifd_status ifd__coupled_make(ifd_arena *arena, const ifd_couple_options *opt, ifd__coupled **out, ifd_note *note);
/* How a run begins: the initial state into x; then the multipliers and rates that follow from it and from the
 * forces measured there. */
IFD_RT void ifd__coupled_initial(ifd__coupled *c, double *x);
IFD_RT void ifd__coupled_start(ifd__coupled *c, double t, double *x);
IFD_RT void ifd__coupled_tick(ifd__coupled *c, int k, double t, double *x);
void ifd__coupled_close(ifd__coupled *c);

/* load (n): measured forces on substructure p at the instant of the next tick, or of the start. */
IFD_RT void ifd__coupled_measured(ifd__coupled *c, int p, const double *load);
/* Displacement and velocity (n each) of the measured substructure p at which tick k, the next one, needs its
 * force. */
IFD_RT void ifd__coupled_aim(ifd__coupled *c, int k, const double *x, int p, double *u, double *v);

/* During make: appends a row of count numbers and returns its offset. */
int ifd__coupled_row(ifd__coupled *c, const char *name, int count, ifd_state_kind kind);

/* Appends the rows of the stepper and returns the offset of the first. */
int ifd__coupled_stepper_rows(ifd__coupled *c, const ifd_stepper *stepper);

/* The interface with the drift control of opt. coarse: step to which a = c / coarse of the feedback refers; 0 for
 * couplings that match velocities, which have no feedback. */
ifd_status ifd__coupled_interface(ifd__coupled *c, ifd_arena *arena, const ifd_couple_options *opt, double coarse,
                                  ifd_note *note);

/* A stepper for substructure p with step h. */
ifd_status ifd__coupled_stepper(ifd_arena *arena, const ifd_couple_options *opt, int p, double h, ifd_stepper **out,
                                ifd_note *note);

/* Latches a fault: the first one is kept; it replaces a fault that only counts iterations. */
IFD_RT static inline void ifd__raise(double *latch, ifd_step_fault fault)
{
    if (fault != IFD_STEP_OK && (*latch == (double)IFD_STEP_OK || *latch == (double)IFD_STEP_ITERATIONS))
        *latch = (double)fault;
}

/* Largest number of threads of a coupling. Couplings that use one thread ignore a second one. */
int ifd__coupling_threads(const ifd_coupling *coupling);
/* One more thread for a job beside the tick. */
ifd_status ifd__coupled_worker(ifd__coupled *c, ifd_arena *arena, void (*job)(void *), void *argument);
/* All jobs beside the tick. wait returns true at once if none runs, and false if one is late. */
IFD_RT void ifd__coupled_jobs_begin(ifd__coupled *c);
IFD_RT bool ifd__coupled_jobs_wait(ifd__coupled *c);

/* Takes the sight of every substructure from x and solves for the multipliers at t, into x. */
IFD_RT void ifd__coupled_multipliers(ifd__coupled *c, double t, double *x);

/* With drift control by feedback: until ifd__interface_rest, the multipliers of I include the feedback of the gap of
 * the states at `at` (one offset per substructure; NULL: the current states). */
IFD_RT void ifd__coupled_feed_back(ifd__coupled *c, const int *at, const double *x, ifd__interface *I);

/* Moves them by the correction of a gap (rows), in the metric of `nearest`, or without it in that of the (constant
 * base) mass: gap := H^-1 gap, then for every substructure x -= W_p^-1 G_p^T gap. */
IFD_RT void ifd__coupled_correct(ifd__coupled *c, const ifd__nearest *nearest, int derivative, double *gap,
                                 double *x);

/* Moves displacements (derivative 0) or velocities (1) of all substructures to the nearest compatible ones in the
 * metric of the mass: at the start, and in couplings that match velocities. */
IFD_RT void ifd__coupled_project(ifd__coupled *c, int derivative, double *x);

/* load := the forces on substructure p at the end of a cycle other than those of its model, n numbers. */
IFD_RT void ifd__coupled_load(const ifd__coupled *c, int p, const double *x, double *load);

/* The end of a cycle: projection if the drift control requires it, then the multipliers at t. With a measured
 * substructure the force at t is not yet known: the next tick 0 supplies it and the multipliers. */
IFD_RT void ifd__coupled_synchronise(ifd__coupled *c, double t, double *x);

/* Computes c->unbalance. In several processes it is collective, so that the cycle ends with it where rank 0 records
 * joints. False if a factorisation failed. */
IFD_RT bool ifd__coupled_balance(ifd__coupled *c, double t, const double *x);

/* Gaps of the joints at the end of a cycle: out[0..2] the largest |sum G u|, |sum G v|, |sum G a|; out[3] power
 * created at the joint, Lam . sum G v (W). */
IFD_RT void ifd__coupled_gap(ifd__coupled *c, double t, const double *x, double out[4]);

/* Rows of the coupling table. */

#define COUPLING(x) extern const ifd_coupling ifd__coupling_##x;
#include "couple/couplings.def"
