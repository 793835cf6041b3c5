/* SPDX-License-Identifier: MIT */
/* Runs that are stepped together (substructure/lockstep.h). */
#pragma once

#include <interfield/run.h>

#include "algebra/lanes.h"

typedef struct ifd__run_ensemble {
    struct ifd__lockstep *numerical;
    ifd_run *run[IFD__LANES]; /* NULL: the lane is idle */
} ifd__run_ensemble;

/* Why a run cannot be part of an ensemble; NULL: it can. And whether two such runs may be in the same one. */
const char *ifd__run_refuses(const ifd_run *r);
bool ifd__run_joins(const ifd_run *a, const ifd_run *b);

/* run: IFD__LANES of them, NULL for idle lanes. Their arenas outlive the ensemble. */
ifd_status ifd__run_ensemble_make(ifd_arena *arena, ifd_run *const *run, ifd__run_ensemble **out, ifd_note *note);
/* One tick of all runs that continue; state[l] as of ifd_run_tick. False: none continues. */
IFD_RT bool ifd__run_ensemble_tick(ifd__run_ensemble *e, ifd_run_state *state);

/* Consecutive rows of one lane. */
typedef struct ifd__swept {
    int rows;
    long first; /* step of the first row, at h times it */
    double h;
    const double *const *value; /* of each kept column, one every `stride` */
    int stride;
} ifd__swept;

/* The ground acceleration of a run at both stages of all steps: factor times values. */
typedef struct ifd__run_motion {
    const double *values; /* NULL: none */
    double factor;
} ifd__run_motion;

/* A sweep: from the start to the end in the lanes, without energies; only the kept columns are computed. */
typedef struct ifd__sweep {
    int columns[IFD__LANES];
    const int *column[IFD__LANES];      /* kept, of each run */
    ifd__run_motion ground[IFD__LANES]; /* without values: the signal of the run */
    void *self;
    void (*row)(void *self, int lane, double time, const double *values); /* values: all columns of the run */
    void (*piece)(void *self, int lane, const ifd__swept *piece); /* instead of row, where possible; or NULL */
} ifd__sweep;

/* Whether a run has nothing that only ifd__run_ensemble_tick computes: specimens, forces, kept columns besides
 * displacements and velocities, or elements with which the method may create energy. Both agree in every bit. */
bool ifd__run_sweeps(const ifd_run *r, int columns, const int *column);
/* All runs of one or two ensembles to their ends; instead of ifd__run_ensemble_tick. */
ifd_status ifd__run_ensemble_sweep(ifd__run_ensemble *const *e, int count, ifd_arena *arena, const ifd__sweep *s);

/* Whether the structure has one dof only: two ensembles of them are faster together. */
bool ifd__run_single(const ifd_run *r);
/* The ground motion of a run of one dof that sweeps; no values: it has several directions, too many steps, or there
 * is no memory. The factor is that of the signal, if it is not a sum. */
ifd__run_motion ifd__run_ground(ifd_arena *arena, const ifd_run *r);
/* A copy for a sweep, with a state of its own; it is not closed. */
ifd_run *ifd__run_copy(ifd_arena *arena, const ifd_run *r);
