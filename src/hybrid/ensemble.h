/* SPDX-License-Identifier: MIT */
/* Hybrid tests on virtual rigs that tick together: their structures are stepped at once, one in each lane
 * (substructure/lockstep.h). Rig, compensators, governor, limits, states and record belong to each test: all of them
 * work as in a test alone. */
#pragma once

#include <interfield/hybrid.h>

#include "algebra/lanes.h"

typedef struct ifd__hybrid_ensemble ifd__hybrid_ensemble;

/* Why a test cannot be part of an ensemble; NULL: it can. And whether two such tests may be in the same one. */
const char *ifd__hybrid_refuses(const ifd_hybrid *h);
bool ifd__hybrid_joins(const ifd_hybrid *a, const ifd_hybrid *b);

/* test: IFD__LANES of them, NULL for idle lanes. Their arenas outlive the ensemble. */
ifd_status ifd__hybrid_ensemble_make(ifd_arena *arena, ifd_hybrid *const *test, ifd__hybrid_ensemble **out,
                                     ifd_note *note);
/* One tick of every test with an input (NULL: it waits or has ended); state[l] as of its own tick. */
IFD_RT void ifd__hybrid_ensemble_tick(ifd__hybrid_ensemble *e, const ifd_tick_in *const *in, ifd_run_state *state);
