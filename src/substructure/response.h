/* SPDX-License-Identifier: MIT */
/* Response: recorded quantities of a numerical substructure at the end of a step, and its energy balance.
 *
 * Runs and tests use it. They differ in their clock, and in the time at which the forces at the end of a step are
 * known: at once with ideal specimens, after the measurement in a test.
 *
 *     ifd__response_energy(r, x, t, first);           every step: energies, gaps, motion of the ground
 *     ifd__response_values(r, x, t, force, values);   a row: one number per column
 *
 * x is the complete flat array; the state of the substructure comes first, the balance is at `balance`. */
#pragma once

#include <interfield/column.h>

#include "base/state_block.h"
#include "method/tangent.h"
#include "substructure/substructure.h"

#define IFD__ENERGY_STATE(ONE, MANY, BLOCK)                                                                          \
    ONE(input, "J", OF_TEST) /* work so far */                                                                       \
    ONE(dissipated, "J", OF_TEST)                                                                                    \
    ONE(specimens, "J", OF_TEST)                                                                                     \
    ONE(joints, "J", OF_TEST)                                                                                        \
    ONE(input_power, "W", OF_TEST) /* at the last step: for the work of the next step */                             \
    ONE(dissipated_power, "W", OF_TEST)                                                                              \
    ONE(joint_power, "W", OF_TEST)                                                                                   \
    ONE(kinetic, "J", OF_TEST)                                                                                       \
    ONE(stored, "J", OF_TEST)                                                                                        \
    ONE(energy_start, "J", OF_TEST) /* kinetic + stored at t = 0 */                                                  \
    ONE(scale, "J", OF_TEST)                                                                                         \
    ONE(updates, "J", OF_TEST)              /* energy that changes of parameters added (hybrid/update.h) */          \
    MANY(gap, 3, "m, m/s, m/s2", OF_TEST)   /* at joints, current */                                                 \
    MANY(worst, 3, "m, m/s, m/s2", OF_TEST) /* at joints, largest so far */                                          \
    MANY(ground, 6, "m, m/s", OF_TEST)      /* displacement and velocity of the ground, integrated from rest */
IFD__STATE_BLOCK(ifd__energy_state, IFD__ENERGY_STATE);

/* Source of a column: index is a dof, coordinate or state of a model, a direction, a support, a gauge, or an index in
 * the state array (specimens, multipliers, gaps). */
typedef struct ifd__column_place {
    int model, index;
    bool condensed; /* displacement of a dof without mass */
    bool gauged;    /* of a spring or member in the matrices: index is a gauge */
} ifd__column_place;

/* A column with its value in the state array. */
typedef struct ifd__state_column {
    const char *owner;
    ifd_quantity quantity;
    int at;
    bool rotates;
} ifd__state_column;

/* One model: the only one, or a substructure. Its u, v, s are at x + at. */
typedef struct ifd__response_model {
    const char *name; /* NULL for a single model */
    const ifd_model *m;
    int at, first_dof;  /* first_dof: counted over all models */
    ifd__forms forms;   /* of its energies; only if the balance is computed */
    ifd__tangent *mass; /* M(u); NULL if no acceleration is needed */
    int inverted;       /* rows of M^-1 that are used instead of a solution; 0: none */
    int *inverted_dof;  /* their dofs */
    double *inverse;    /* the rows, m->n numbers each */
    double *a, *q, *qd, *r, *g, *w, *load;
    double ground[3]; /* m/s2, its acceleration: scratch, as the following */
    int extras;       /* of gauges, besides u and v; NULL if no gauge reads them */
    double *extra;
} ifd__response_model;

/* Numbers that are linear in the motion (response_columns.c): sums of terms, in this order. */
typedef struct ifd__gauges {
    int count;
    int *model, *start, *at;
    double *value, *now;
} ifd__gauges;

/* A drift with its gauges; force -1: it is not in the matrices. */
typedef struct ifd__response_drift {
    const ifd_storey_drift *of;
    int model, deformation, force;
    bool turns;
} ifd__response_drift;

/* A member of a frame, with the first gauges of its deformations and end forces, and their numbers. */
typedef struct ifd__response_member {
    const char *name;
    int model, deformation, force;
    int deformations, forces;
    bool planar;
    int large; /* the element of a member that turns with its nodes; -1: its gauges are sums */
} ifd__response_member;

/* A member with fibres, with the first gauges of its remainders and of the forces at its points. */
typedef struct ifd__response_fibres {
    int model, element, remainder, force;
} ifd__response_fibres;

typedef struct ifd__response_options {
    unsigned what; /* IFD_RECORD_..., none of them IFD_RECORD_AUTO */
    bool balanced; /* energies are computed, recorded or not */
    bool gapless;  /* gaps of joints are not computed */
    int dofs;      /* to record, counted over the models; 0: all */
    const int *dof;
    const ifd_storey_drift *drift;    /* the first */
    const ifd_recorded_frame *frame;  /* the first */
    const ifd_couple_options *couple; /* names of joints; NULL: one model */
    int links;                        /* specimens */
    const ifd__specimen_link *link;
    int states; /* columns after those of elements */
    const ifd__state_column *state;
    int balance; /* offset in x */
} ifd__response_options;

typedef struct ifd__response {
    const ifd__substructure *s;
    ifd__response_options opt;
    ifd__response_model *model; /* s->models */
    ifd__gauges gauge;
    int drifts, members;
    ifd__response_drift *drift;
    ifd__response_member *member;
    int fibred; /* members with fibres */
    ifd__response_fibres *fibres;
    int columns;
    ifd_column *column;
    ifd__column_place *place; /* of each column */
    double *smooth;           /* 2: no load jumps between these times; scratch. NULL: a support may follow a dof */
} ifd__response;

/* Gauges of the recorded drifts and members; their values at t go into gauge.now, after the elements. */
IFD_RT void ifd__gauges_eval(const ifd__response *r, const double *x, double t);

/* True if the deformation of a specimen is an angle and its force a moment. */
bool ifd__link_rotates(const ifd__substructure *s, const ifd__specimen_link *link);

/* Meaning of IFD_RECORD_AUTO: all columns but states of fibres up to 50 dofs; `large` for a larger structure. */
unsigned ifd__response_what(const ifd__substructure *s, unsigned asked, unsigned large);

/* opt and the data it points to are referenced, not copied. */
ifd_status ifd__response_make(ifd_arena *arena, const ifd__substructure *s, const ifd__response_options *opt,
                              ifd__response *out, ifd_note *note);

static inline ifd__energy_state *ifd__energy_state_of(const ifd__response *r, double *x)
{
    return (ifd__energy_state *)(x + r->opt.balance);
}

static inline ifd__point ifd__response_point(const ifd__response_model *b, const double *x, double t)
{
    const double *u = x + b->at;
    return (ifd__point){.t = t, .u = u, .v = u + b->m->n, .s = u + 2 * b->m->n};
}

/* Set-up of the accelerations of model p, if any is needed; and model[p].a at the end of a step. */
ifd_status ifd__response_inertia(ifd__response *r, ifd_arena *arena, int p, ifd_note *note);
/* True if dof, counted over the models, is recorded. */
bool ifd__response_selects(const ifd__response *r, int dof);

/* Energy, gaps and motion of the ground at the end of a step, at t; first: at the start. */
IFD_RT void ifd__response_energy(const ifd__response *r, double *x, double t, bool first);
IFD_RT ifd_energy ifd__balance_energy(const ifd__energy_state *b);
/* The columns at the end of a step. force: interface force of each link (N, against a positive deformation). */
IFD_RT void ifd__response_values(const ifd__response *r, double *x, double t, const double *force, double *values);
/* Before any motion: initial displacements, drifts and elements; all other columns are 0. */
IFD_RT void ifd__response_rest(const ifd__response *r, double *x, double *values);

/* Displacement and velocity of the ground a time T after t, from its acceleration signal, with `pieces` intervals of
 * three Gauss points each. */
IFD_RT void ifd__ground_integrate(const ifd_signal *s, double t, double T, int pieces, double motion[2]);
