/* SPDX-License-Identifier: MIT */
/* Internal data of a run, shared with ensembles and sweeps. */
#pragma once

#include <interfield/run.h>

#include "base/state_block.h"
#include "model/dof_pair.h"
#include "rig/virtual/ideal.h"
#include "substructure/caution.h"
#include "substructure/response.h"

/* State of the run itself, stored after the states of the substructures and specimens. */
#define IFD__RUN_STATE(ONE, MANY, BLOCK)                                                                             \
    ONE(step, "", OF_TEST) /* completed steps */                                                                     \
    ONE(tick, "", OF_TEST) /* within the cycle */                                                                    \
    ONE(fault, "", OF_TEST)                                                                                          \
    ONE(fault_step, "", OF_TEST)                                                                                     \
    ONE(fault_dof, "", OF_TEST)                                                                                      \
    ONE(fault_value, "", OF_TEST)                                                                                    \
    BLOCK(ifd__energy_state, balance, IFD__ENERGY_STATE)
IFD__STATE_BLOCK(ifd__run_state, IFD__RUN_STATE);

#define IFD__RUN_SIZE_LIMIT 1e12 /* of a displacement or velocity, in its unit */

struct ifd_run {
    ifd__substructure numerical;
    ifd__response response;
    int models; /* number of models of the numerical substructure; 0 if an external program computes it */
    int specimens;
    const ifd_specimen *specimen;
    ifd__ideal *rig;
    const ifd__specimen_link *link;
    const int *rig_at; /* offsets of the rigs' states in x */
    double *x;         /* complete state: numerical substructure, specimens, run */
    int own, size;
    long steps;
    int every;
    bool fresh;
    int columns;
    const ifd_column *column;
    double *force;  /* interface force of each specimen (scratch) */
    double *values; /* value of each column */
};

static inline ifd__ideal_state *ifd__run_specimen(const ifd_run *r, int k)
{
    return (ifd__ideal_state *)(r->x + r->rig_at[k]);
}

static inline ifd__run_state *ifd__run_own(const ifd_run *r)
{
    return (ifd__run_state *)(r->x + r->own);
}

/* A tick without its exchange, which an ensemble computes: whether there is another one, the forces of the specimens
 * before it, and all that follows. */
IFD_RT ifd_run_state ifd__run_next(ifd_run *r);
IFD_RT void ifd__run_sense(ifd_run *r);
IFD_RT ifd_run_state ifd__run_exchanged(ifd_run *r);

/* Latches a fault of the state at the end of a step; true: the run has ended with it. */
IFD_RT bool ifd__run_check(ifd_run *r);
/* What limits the worth of a run that reached its end. */
void ifd__run_doubts(const ifd_run *r, ifd__doubts *d);
/* Writes the values of the columns at the end of a step. */
IFD_RT void ifd__run_publish(ifd_run *r, double t);
