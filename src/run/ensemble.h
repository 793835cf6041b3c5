/* SPDX-License-Identifier: MIT */
/* Runs that are stepped together (substructure/lockstep.h). */
#ifndef IFD_RUN_ENSEMBLE_H
#define IFD_RUN_ENSEMBLE_H

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

/* A sweep: from the start to the end in the lanes, without energies; only the kept columns are computed. */
typedef struct ifd__sweep {
    int columns[IFD__LANES];
    const int *column[IFD__LANES]; /* kept, of each run */
    void *self;
    void (*row)(void *self, int lane, double time, const double *values); /* values: all columns of the run */
} ifd__sweep;

/* Whether a run has nothing that only ifd__run_ensemble_tick computes: specimens, forces, kept columns besides
 * displacements and velocities, or elements with which the method may create energy. Both agree in every bit. */
bool ifd__run_sweeps(const ifd_run *r, int columns, const int *column);
/* All runs to their ends; instead of ifd__run_ensemble_tick. */
ifd_status ifd__run_ensemble_sweep(ifd__run_ensemble *e, ifd_arena *arena, const ifd__sweep *s);

#endif
