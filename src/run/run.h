/* SPDX-License-Identifier: MIT */
/* The inside of a run, shared by run.c (the tick), begin.c (set-up) and publish.c (the record). */
#ifndef IFD_RUN_RUN_H
#define IFD_RUN_RUN_H

#include <interfield/run.h>

#include "base/state_block.h"
#include "method/tangent.h"
#include "model/dof_pair.h"
#include "rig/virtual/ideal.h"
#include "substructure/substructure.h"

/* The run's own state, behind the substructures' and the specimens'. */
#define IFD__RUN_STATE(ONE, MANY, BLOCK)                                                                             \
    ONE(step, "", OF_TEST) /* whole steps done */                                                                    \
    ONE(tick, "", OF_TEST) /* within the cycle */                                                                    \
    ONE(fault, "", OF_TEST)                                                                                          \
    ONE(fault_step, "", OF_TEST)                                                                                     \
    ONE(fault_dof, "", OF_TEST)                                                                                      \
    ONE(fault_value, "", OF_TEST)                                                                                    \
    ONE(input, "J", OF_TEST) /* work so far */                                                                       \
    ONE(dissipated, "J", OF_TEST)                                                                                    \
    ONE(specimens, "J", OF_TEST)                                                                                     \
    ONE(joints, "J", OF_TEST)                                                                                        \
    ONE(input_power, "W", OF_TEST) /* at the last step: what it adds to the work of the next */                      \
    ONE(dissipated_power, "W", OF_TEST)                                                                              \
    ONE(joint_power, "W", OF_TEST)                                                                                   \
    ONE(kinetic, "J", OF_TEST)                                                                                       \
    ONE(stored, "J", OF_TEST)                                                                                        \
    ONE(energy_start, "J", OF_TEST) /* kinetic + stored at t = 0 */                                                  \
    ONE(scale, "J", OF_TEST)                                                                                         \
    MANY(gap, 3, "m, m/s, m/s2", OF_TEST)   /* at joints, now */                                                     \
    MANY(worst, 3, "m, m/s, m/s2", OF_TEST) /* so far */
IFD__STATE_BLOCK(ifd__run_state, IFD__RUN_STATE);

/* Where the number of a column stands: index is a dof, coordinate or state of a model, a direction of the ground, or
 * a place in the state array (specimens, multipliers, gaps). */
typedef struct ifd__column_place {
    int model, index;
    bool condensed; /* displacement of a dof without mass */
} ifd__column_place;

/* One model of the run: the only one, or a part. Its u, v, s stand at x + at. */
typedef struct ifd__run_model {
    const char *name; /* NULL when it is the only one */
    const ifd_model *m;
    int at, first_dof;  /* first_dof: counted through all models */
    ifd__tangent *mass; /* M(u) */
    double *a, *q, *qd, *r, *g, *w, *load;
} ifd__run_model;

struct ifd_run {
    ifd__substructure numerical;
    int models; /* of it; none when it steps itself */
    ifd__run_model *model;
    int specimens;
    const ifd_specimen *specimen;
    ifd__ideal *rig;
    const int *rig_at; /* offsets of the rigs' states in x */
    double *x;         /* all state: of the numerical substructure, of the specimens, its own */
    int own, size;
    long steps;
    int every;
    bool fresh;
    unsigned what;
    int columns;
    ifd_column *column;
    ifd__column_place *place; /* of each */
    double *values;
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

ifd_status ifd__publish_make(ifd_run *r, ifd_arena *arena, const ifd_run_options *opt, ifd_note *note);
/* Energy and gaps at the end of a step; first: the start of the run. */
IFD_RT void ifd__publish_energy(ifd_run *r, double t, bool first);
IFD_RT void ifd__publish_values(ifd_run *r, double t);

#endif
