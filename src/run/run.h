/* SPDX-License-Identifier: MIT */
/* The inside of a run, shared by run.c (the tick) and begin.c (set-up). */
#ifndef IFD_RUN_RUN_H
#define IFD_RUN_RUN_H

#include <interfield/run.h>

#include "base/state_block.h"
#include "model/dof_pair.h"
#include "rig/virtual/ideal.h"
#include "substructure/response.h"

/* The run's own state, behind the substructures' and the specimens'. */
#define IFD__RUN_STATE(ONE, MANY, BLOCK)                                                                             \
    ONE(step, "", OF_TEST) /* whole steps done */                                                                    \
    ONE(tick, "", OF_TEST) /* within the cycle */                                                                    \
    ONE(fault, "", OF_TEST)                                                                                          \
    ONE(fault_step, "", OF_TEST)                                                                                     \
    ONE(fault_dof, "", OF_TEST)                                                                                      \
    ONE(fault_value, "", OF_TEST)                                                                                    \
    BLOCK(ifd__energy_state, balance, IFD__ENERGY_STATE)
IFD__STATE_BLOCK(ifd__run_state, IFD__RUN_STATE);

struct ifd_run {
    ifd__substructure numerical;
    ifd__response response;
    int models; /* of it; none when it steps itself */
    int specimens;
    const ifd_specimen *specimen;
    ifd__ideal *rig;
    const ifd__specimen_link *link;
    const int *rig_at; /* offsets of the rigs' states in x */
    double *x;         /* all state: of the numerical substructure, of the specimens, its own */
    int own, size;
    long steps;
    int every;
    bool fresh;
    int columns;
    const ifd_column *column;
    double *force;  /* of each specimen on the structure: scratch */
    double *values; /* of each column */
};

static inline ifd__ideal_state *ifd__run_specimen(const ifd_run *r, int k)
{
    return (ifd__ideal_state *)(r->x + r->rig_at[k]);
}

static inline ifd__run_state *ifd__run_own(const ifd_run *r)
{
    return (ifd__run_state *)(r->x + r->own);
}

/* Force of specimen k on the model, of all the devices it stands for. */
IFD_RT double ifd__run_interface_force(const ifd_run *r, int k);
/* sense: forces of the specimens; load: on the structure. */
IFD_RT void ifd__run_load(ifd_run *r);
/* command: the specimens to where exchange k needs their forces. */
IFD_RT void ifd__run_command(ifd_run *r, int k);
/* Derivative `which` at t of the support that the specimen is tied to; 0 without one. */
IFD_RT double ifd__run_support(const ifd_run *r, const ifd_specimen *s, double t, int which);

/* Energy and gaps at the end of a step; first: the start of the run. */
IFD_RT void ifd__run_energy(ifd_run *r, double t, bool first);
/* The row of a step. */
IFD_RT void ifd__run_publish(ifd_run *r, double t);

#endif
