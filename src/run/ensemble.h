/* SPDX-License-Identifier: MIT */
/* Runs that are stepped together (substructure/lockstep.h). */
#ifndef IFD_RUN_ENSEMBLE_H
#define IFD_RUN_ENSEMBLE_H

#include <interfield/run.h>

#include "algebra/lanes.h"

typedef struct ifd__run_ensemble ifd__run_ensemble;

/* Why a run cannot be part of an ensemble; NULL: it can. And whether two such runs may be in the same one. */
const char *ifd__run_refuses(const ifd_run *r);
bool ifd__run_joins(const ifd_run *a, const ifd_run *b);

/* run: IFD__LANES of them, NULL for idle lanes. Their arenas outlive the ensemble. */
ifd_status ifd__run_ensemble_make(ifd_arena *arena, ifd_run *const *run, ifd__run_ensemble **out, ifd_note *note);
/* One tick of all runs that continue; state[l] as of ifd_run_tick. False: none continues. */
IFD_RT bool ifd__run_ensemble_tick(ifd__run_ensemble *e, ifd_run_state *state);

#endif
