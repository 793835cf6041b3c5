/* SPDX-License-Identifier: MIT */
/* Numerical substructures of several runs or tests that are stepped together, one in each lane (method/ensemble.h).
 * Everything else, such as rigs, records and faults, belongs to each run or test. One that fails, ends or waits
 * leaves its lane idle. */
#pragma once

#include "algebra/lanes.h"
#include "substructure/substructure.h"

typedef struct ifd__lockstep ifd__lockstep;

/* Why a substructure cannot be part of an ensemble; NULL: it can. And whether two such ones may be together. */
const char *ifd__lockstep_refuses(const ifd__substructure *s);
bool ifd__lockstep_joins(const ifd__substructure *a, const ifd__substructure *b);

/* s: IFD__LANES of them, NULL for idle lanes. */
ifd_status ifd__lockstep_make(ifd_arena *arena, const ifd__substructure *const *s, ifd__lockstep **out,
                              ifd_note *note);

/* An exchange that is due, as of ifd__substructure_ops. */
typedef struct ifd__lane_exchange {
    int k;
    double *step, *x; /* x NULL: this lane waits */
} ifd__lane_exchange;

/* The exchanges that are due. Lanes may be at different exchanges and steps; equal ones are computed at once. */
IFD_RT void ifd__lockstep_exchange(ifd__lockstep *e, const ifd__lane_exchange *due);

/* The lanes themselves, for steps without exchanges. */
struct ifd__ensemble *ifd__lockstep_lanes(const ifd__lockstep *e);
