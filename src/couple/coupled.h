/* SPDX-License-Identifier: MIT */
/* Coupled: parts and their coupling, ready to be ticked.
 *
 * A cycle is one step between synchronisations; it has c->ticks ticks, each of which ends where a measured force
 * would be needed next. At the end of a cycle the state of part p stands at x + member[p].at as u, v, s.
 * Everything that must be known to go on is in x at that moment, described by rows.
 *
 * A part may be measured: forces besides its model's own are known only at the instants of ticks, at the
 * displacements and velocities that aim gives for each of them. The caller sets them before the tick:
 *
 *     ifd__coupled_initial(c, x);
 *     ifd__coupled_measured(c, p, force at the initial state);
 *     ifd__coupled_start(c, 0.0, x);
 *     for (every tick k of every cycle) {
 *         ifd__coupled_aim(c, k, x, p, u, v);
 *         ifd__coupled_measured(c, p, force at u, v);
 *         ifd__coupled_tick(c, k, t, x);
 *     } */
#ifndef IFD_COUPLE_COUPLED_H
#define IFD_COUPLE_COUPLED_H

#include <interfield/couple.h>

#include "couple/interface.h"
#include "couple/nearest.h"

typedef struct ifd__member {
    const char *name;
    const ifd_model *model;
    int at;   /* offset of u, v, s in x */
    double h; /* its own step */
    bool measured;
} ifd__member;

/* A force on one dof that is no multiplier: what a link of coupling `rts` brings back. */
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
    ifd__nearest nearest; /* of `project`, in couplings that match accelerations */
    bool project_start;
    int ticks;
    bool measured;              /* whether a part is */
    bool lead_in;               /* the first tick wants its force elsewhere than at the initial state */
    struct ifd__worker *worker; /* of couplings with a job beside the tick; NULL when there is none */
    bool job_runs;
    double patience; /* s: how long the job is waited for */
    int size, rows, most_rows;
    ifd_state_row *row;
    int lambda;                 /* offset of the multipliers of the last synchronisation */
    bool multipliers_are_state; /* make sets it when the recurrence needs them */
    int fault;                  /* offset of the latch */
    int pulls;                  /* how many there are; */
    const ifd__pull *pull;
    int pulled;              /* offset of their forces */
    int period;              /* cycles after which the recurrence repeats itself */
    double started;          /* value of the integer row "start-up" when the start is over */
    ifd__sight *sight;       /* one per part: scratch of gap and of the multipliers at a synchronisation */
    const ifd__sight **seen; /* pointers to them */
    double *theta, *wgap;    /* parts zeros; 4 rows */
    double *accepted;        /* scratch of the start; NULL when no element of any part remembers reversals */
    void *data;
} ifd__coupled;

ifd_status ifd__coupled_make(ifd_arena *arena, const ifd_couple_options *opt, ifd__coupled **out, ifd_note *note);
/* The two halves of begin: the initial state into x; multipliers and rates that follow from it and the forces
 * measured there. */
IFD_RT void ifd__coupled_initial(ifd__coupled *c, double *x);
IFD_RT void ifd__coupled_start(ifd__coupled *c, double t, double *x);
IFD_RT void ifd__coupled_begin(ifd__coupled *c, double t, double *x);
IFD_RT void ifd__coupled_tick(ifd__coupled *c, int k, double t, double *x);
void ifd__coupled_close(ifd__coupled *c);

/* load (n): the measured forces on part p at the instant of the coming tick, or of the start. */
IFD_RT void ifd__coupled_measured(ifd__coupled *c, int p, const double *load);
/* Displacement and velocity (n each) of the measured part p at which tick k, the coming one, wants its force. */
IFD_RT void ifd__coupled_aim(ifd__coupled *c, int k, const double *x, int p, double *u, double *v);

/* During make: appends a row of count numbers; its offset. */
int ifd__coupled_row(ifd__coupled *c, const char *name, int count, ifd_state_kind kind);

/* Appends the stepper's rows; the offset of the first. */
int ifd__coupled_stepper_rows(ifd__coupled *c, const ifd_stepper *stepper);

/* The interface with the drift control of opt. coarse: the step that a = c / coarse of the feedback refers to; 0 for
 * couplings that match velocities, where it has no place. */
ifd_status ifd__coupled_interface(ifd__coupled *c, ifd_arena *arena, const ifd_couple_options *opt, double coarse,
                                  ifd_note *note);

/* A stepper for part p with step h. */
ifd_status ifd__coupled_stepper(ifd_arena *arena, const ifd_couple_options *opt, int p, double h, ifd_stepper **out,
                                ifd_note *note);

/* Latches a fault: the first one stays, but a note about iterations gives way. */
IFD_RT static inline void ifd__raise(double *latch, ifd_step_fault fault)
{
    if (fault != IFD_STEP_OK && (*latch == (double)IFD_STEP_OK || *latch == (double)IFD_STEP_ITERATIONS))
        *latch = (double)fault;
}

/* The job beside the tick; wait is true at once when none runs, false when it is late. */
IFD_RT void ifd__coupled_job_begin(ifd__coupled *c);
IFD_RT bool ifd__coupled_job_wait(ifd__coupled *c);

/* Sees every part as it stands in x and solves for the multipliers at t, into x. */
IFD_RT void ifd__coupled_multipliers(ifd__coupled *c, double t, double *x);

/* With drift control by feedback: the multipliers of I carry that of the gap of the states at `at` (one offset per
 * part; NULL: as they stand) until ifd__interface_rest. */
IFD_RT void ifd__coupled_feed_back(ifd__coupled *c, const int *at, const double *x, ifd__interface *I);

/* Moves displacements (derivative 0) or velocities (1) of all parts to the nearest compatible ones, in the metric of
 * the mass: at the start, and where velocities are matched. */
IFD_RT void ifd__coupled_project(ifd__coupled *c, int derivative, double *x);

/* load := the forces on part p at the end of a cycle that are not its model's own, n numbers. */
IFD_RT void ifd__coupled_load(const ifd__coupled *c, int p, const double *x, double *load);

/* The end of a cycle: projection when the drift control says so, then the multipliers at t. With a measured part
 * the force there is not known yet: the next tick 0 brings it and the multipliers. */
IFD_RT void ifd__coupled_synchronise(ifd__coupled *c, double t, double *x);

/* The joint's gaps at the end of a cycle: out[0..2] the largest |sum G u|, |sum G v|, |sum G a|; out[3] power created
 * at the joint, Lam . sum G v (W). */
IFD_RT void ifd__coupled_gap(ifd__coupled *c, double t, const double *x, double out[4]);

#endif
