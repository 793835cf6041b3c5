/* SPDX-License-Identifier: MIT */
/* The inside of a run, shared by run.c (the tick) and publish.c (the record). */
#ifndef IFD_RUN_RUN_H
#define IFD_RUN_RUN_H

#include <interfield/run.h>

#include "couple/part.h"
#include "couple/schedule.h"
#include "method/tangent.h"
#include "model/model.h"
#include "rig/ideal.h"

/* Rows of the run's own state, behind the part's and the rigs'. */
typedef enum ifd__run_row {
    RUN_STEP, /* whole steps done */
    RUN_TICK, /* within the cycle */
    RUN_FAULT,
    RUN_FAULT_STEP,
    RUN_FAULT_DOF,
    RUN_FAULT_VALUE,
    RUN_INPUT, /* work so far, J */
    RUN_DISSIPATED,
    RUN_SPECIMENS,
    RUN_INPUT_POWER, /* at the last step, W */
    RUN_DISSIPATED_POWER,
    RUN_KINETIC,
    RUN_STORED,
    RUN_ENERGY_START, /* kinetic + stored at t = 0 */
    RUN_SCALE,
    RUN_ROWS
} ifd__run_row;

/* Where the numbers of a channel come from. */
typedef enum ifd__source {
    FROM_DISPLACEMENT,
    FROM_VELOCITY,
    FROM_ACCELERATION,
    FROM_TOTAL_ACCELERATION,
    FROM_DEFORMATION,
    FROM_FORCE,
    FROM_STATE,
    FROM_ENERGY,
    FROM_GROUND,
    FROM_SPECIMEN
} ifd__source;

typedef struct ifd__column {
    ifd__source source;
    int index;
} ifd__column;

struct ifd_run {
    const ifd_model *m;
    ifd_stepper *stepper;
    ifd__part part;
    ifd__schedule schedule;
    int specimens;
    const ifd_specimen *specimen;
    ifd__ideal *rig;
    const int *rig_at; /* offsets of the rigs' states in x */
    double *x;         /* all state: part, rigs, own rows */
    int own, size;
    long steps;
    int every;
    bool fresh;
    unsigned what;
    int channels;
    ifd_channel *channel;
    ifd__column *column;
    double *values;
    ifd__tangent *mass;                          /* M(u) when the model is inertial */
    double *load, *u, *v;                        /* n: measured forces; aim */
    double *a, *q, *qd, *r, *g, *qg, *w;         /* scratch of publish */
};

static inline double ifd__run_own(const ifd_run *r, ifd__run_row row)
{
    return r->x[r->own + (int)row];
}

ifd_status ifd__publish_make(ifd_run *r, ifd_arena *arena, const ifd_run_options *opt, ifd_note *note);
/* Energy at the end of a step; first: the start of the run. */
IFD_RT void ifd__publish_energy(ifd_run *r, double t, bool first);
IFD_RT void ifd__publish_values(ifd_run *r, double t);

#endif
