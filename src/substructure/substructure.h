/* SPDX-License-Identifier: MIT */
/* Numerical substructure: the computation between two exchanges of forces with the specimens.
 *
 * Runs, hybrid tests and analyses step it through the same functions; only the clock and the rig differ. It is one
 * model with its method (model.c), a coupled set (coupled.c), a structure with its own time stepping, such as joined
 * FMUs (external.c), a loading protocol (loading_protocol.c) or a structure that another program computes
 * (hybrid/pace/master.c). A step has a fixed number of exchanges, evenly spaced:
 *
 *     s->ops->initial(s, x);
 *     model[].load := interface forces at the initial state
 *     ifd__substructure_begin(s, x);
 *     for (int k = 0;; k = (k + 1) % s->exchanges) {
 *         t = s->ops->target(s, k, step, x);
 *         model[].load := interface forces at model[].u, model[].v and t
 *         s->ops->exchange(s, k, &step, x);
 *     }
 *
 * Without specimens there are no targets and a step is one exchange. The state is the first `size` doubles of x. A
 * copy of them saves and restores it, except before an exchange at which it is not complete (ops->whole), and never
 * if another program keeps state (held_elsewhere): then probing, resuming and undoing are not possible. */
#pragma once

#include <interfield/couple.h>
#include <interfield/run.h>

#include "couple/coupled.h"
#include "couple/schedule.h"
#include "model/dof_pair.h"
#include "model/model.h"

/* Interfaces between specimens and a numerical substructure. */

typedef struct ifd__specimen_link {
    int part, from, to;        /* dofs of the substructure, or IFD_GROUND */
    const ifd_coordinate *row; /* of a chord, as in ifd_specimen */
    bool carried;              /* supported by the structure alone: its force is inertia, and none of it acts on the
                         * ground */
    double mass;               /* kg of the structure at dof `to` that the measured force accelerates; 0 without */
} ifd__specimen_link;

/* A copy of the options in which the linked substructures are measured. Coupling `rts` gets a link without follower
 * for every linked dof, after its own links. IFD_UNKNOWN_NAME if a substructure does not exist. */
ifd_status ifd__couple_linked(ifd_arena *arena, const ifd_couple_options *opt, int count,
                              const ifd__specimen_link *link, ifd_couple_options *out, ifd_note *note);

typedef struct ifd__substructure ifd__substructure;

typedef struct ifd__substructure_ops {
    const char *name;
    bool held_elsewhere;
    IFD_RT void (*initial)(const ifd__substructure *s, double *x);
    /* Uses the forces at the initial state; computes up to the first exchange. NULL: nothing to do. */
    IFD_RT void (*begin)(const ifd__substructure *s, double *x);
    /* Exchange k of a step, after *step complete steps; the last exchange of a step increments *step. */
    IFD_RT void (*exchange)(const ifd__substructure *s, int k, double *step, double *x);
    /* Motion at which exchange k needs its forces, into model[].u and model[].v; returns its time (s). */
    IFD_RT double (*target)(const ifd__substructure *s, int k, double step, const double *x);
    /* True if exchange k can be computed now. Waits up to `seconds` for the data it needs; 0: without limit. NULL:
     * always true. */
    IFD_RT bool (*ready)(const ifd__substructure *s, int k, double seconds);
    /* True if x contains the complete state before exchange k: a worker may hold part of it. NULL: always. */
    IFD_RT bool (*whole)(const ifd__substructure *s, int k);
    IFD_RT ifd_fault (*fault)(const ifd__substructure *s, const double *x); /* NULL: none */
    /* The end of a rehearsal of the start, with the loads there: returns to the initial state. Largest change of a
     * force since the last rehearsal, relative to the permitted one: tolerance times the largest force, plus the
     * noise of the specimen (N, in the order of the links). NULL: none. */
    IFD_RT double (*rehearsed)(const ifd__substructure *s, double tolerance, const double *noise, double *x);
} ifd__substructure_ops;

typedef struct ifd__numerical_model {
    const char *name; /* NULL for a single model */
    const ifd_model *m;
    int at;               /* offset of u, v, s in x */
    bool measured;        /* a specimen acts on it; otherwise the following are NULL */
    double *load, *u, *v; /* n */
} ifd__numerical_model;

struct ifd__substructure {
    const ifd__substructure_ops *ops;
    double step;   /* s, simulated time */
    int exchanges; /* per step */
    bool lead_in;  /* the first exchange needs its forces at another state than the initial one */
    int rehearsed; /* steps of a start that is rehearsed; 0: none */
    int period;    /* steps after which the recurrence repeats itself */
    int size;      /* number of doubles of the state */
    int models;
    ifd__numerical_model *model;
    int rows; /* rows of the table of its state */
    const ifd_state_row *row;
    ifd_stepper *stepper; /* one model */
    ifd__schedule schedule;
    ifd__coupled *coupled;               /* a coupled set */
    const struct ifd_protocol *protocol; /* a loading protocol */
    ifd_external outside;                /* a structure with its own time stepping; otherwise step is NULL */
};

typedef struct ifd__substructure_options {
    const ifd_model *model;
    const ifd_step_options *step;
    const ifd_couple_options *couple; /* NULL: model and step */
    int links;
    const ifd__specimen_link *link;
} ifd__substructure_options;

/* One model or a coupled set. */
ifd_status ifd__substructure_make(ifd_arena *arena, const ifd__substructure_options *opt, ifd__substructure *out,
                                  ifd_note *note);
/* A structure with its own time stepping. */
ifd_status ifd__substructure_external(ifd_arena *arena, const ifd_external_options *opt, double step,
                                      ifd__substructure *out, ifd_note *note);
/* The two kinds of `make`. The last function completes every kind: storage for models, and for loads and targets of
 * measured ones. */
ifd_status ifd__substructure_model(ifd_arena *arena, const ifd__substructure_options *opt, ifd__substructure *s,
                                   ifd_note *note);
ifd_status ifd__substructure_coupled(ifd_arena *arena, const ifd__substructure_options *opt, ifd__substructure *s,
                                     ifd_note *note);
ifd_status ifd__numerical_models(ifd_arena *arena, ifd__substructure *s, int models);
ifd_status ifd__substructure_room(ifd_arena *arena, ifd__substructure *s);

void ifd__substructure_close(ifd__substructure *s);

IFD_RT static inline void ifd__substructure_begin(const ifd__substructure *s, double *x)
{
    if (s->ops->begin)
        s->ops->begin(s, x);
}

IFD_RT static inline bool ifd__substructure_whole(const ifd__substructure *s, int k)
{
    return !s->ops->whole || s->ops->whole(s, k);
}

/* The largest residual of the elements of all models: above 1, one has not converged in the last step. */
IFD_RT double ifd__substructure_residual(const ifd__substructure *s, const double *x);

IFD_RT static inline ifd_fault ifd__substructure_fault(const ifd__substructure *s, const double *x)
{
    return s->ops->fault ? s->ops->fault(s, x) : IFD_FAULT_NONE;
}

/* The fault that corresponds to a latched fault of a method or coupling. */
IFD_RT ifd_fault ifd__fault_of_step(ifd_step_fault fault);

/* Values of the columns of an external structure after the last step. */
IFD_RT const double *ifd__external_values(const double *x);

/* The mass that a force along a connection moves, from the diagonal of M: 1/sum c_i^2/M_ii. */
double ifd__ends_mass(const ifd_model *m, ifd__ends ends);

/* All loads := 0, before the interface forces are added. */
IFD_RT void ifd__substructure_unload(const ifd__substructure *s);
