/* SPDX-License-Identifier: MIT */
/* Internal data of coupling `rts`, shared by set-up (rts_make.c) and steps (rts.c). */
#pragma once

#include "couple/coupled.h"
#include "method/tangent.h"
#include "model/support_motion.h"

enum { IFD__RTS_NODES = IFD_EXTRAPOLATE_AHEAD + 4, IFD__RTS_GRID = 8 };

/* Steps of a substructure: a whole step, a sub-interval of an iterated step, and the steps of a block whose length is
 * that of a step halved k times (IFD__RTS_SHORT + k). */
enum { IFD__RTS_WHOLE, IFD__RTS_FINE, IFD__RTS_SHORT, IFD__RTS_STEPS = IFD__RTS_SHORT + IFD_RTS_HALVINGS + 1 };

typedef struct ifd__rts_part {
    const ifd_model *m; /* the given model; its supports follow prescribed motions */
    const ifd_model
        *moved; /* model that is integrated: with ghost masses; in the effective form with supports at rest */
    ifd_stepper *stepper[IFD__RTS_STEPS];
    int at; /* offset of its state in x */
    int subcycles;
    bool leads, follows;
    ifd__support_motion **slot; /* per support; NULL if the model prescribes the motion itself */
    ifd__tangent *mass;         /* mass of m with ghost masses */
    double *a;                  /* n: acceleration at the last evaluated instant */
    double *load;               /* grid + 1 rows of n */
    double *reaction;           /* per support */
    double *rest;               /* n x nsupport: displacement per unit support motion, K rest = Ks; effective form */
    double *inertia;            /* n x nsupport: M rest - Ms */
    double *g, *w;              /* ns; scratch */
} ifd__rts_part;

/* The force of every link as the polynomial through values at start + (first + i) unit, or at given times. */
typedef struct ifd__rts_force {
    int nodes;
    double start, first, unit;
    const double *time;  /* NULL: equidistant */
    const double *value; /* nodes rows of links */
} ifd__rts_force;

typedef struct ifd__rts {
    ifd_rts_options opt;
    ifd_extrapolation *e;
    int links, measured; /* number of all links; of those whose follower is a specimen, which come last */
    int back;            /* number of known values before the newest in the polynomial of a block */
    ifd__rts_part *part;
    double length[IFD__RTS_STEPS];              /* s: of the steps above */
    int forces, nodes, motion, step, most, all; /* offsets in x */
    int kept;                                   /* number of stored motions for the form `force` */
    int guessed, answered, rehearsals;          /* offsets in x, of a start that is rehearsed with specimens */
    double *guess, *answer;                     /* grid + 1 rows of links */
    double *saved, *G;                          /* state; links */
    int times, largest, control;                /* offsets in x, with a variable step */
    int state;                                  /* numbers before the multipliers and the fault */
    double *known, *instant;                    /* values and times of the polynomial of a block, the same */
    double *from, *to;                          /* links x (u, v, a) */
    double added_mass, radius;
} ifd__rts;

ifd_status ifd__rts_make(ifd__coupled *c, ifd_arena *arena, const ifd_couple_options *opt, ifd_note *note);

/* part.a := acceleration at t under the forces of the substructure and f (NULL: r->G). False if the mass is
 * singular. */
IFD_RT bool ifd__rts_acceleration(ifd__rts *r, int p, double t, const ifd__rts_force *f, const double *x);
/* part.reaction at t, from part.a. */
IFD_RT void ifd__rts_reaction(ifd__rts *r, int p, double t, const double *x);

/* The end of a rehearsal of the start: stores the measured forces as those of the next one and returns to the initial
 * state. Returns the largest change of a force relative to tolerance times the largest force of its link plus the
 * noise of its specimen (N, in their order). */
IFD_RT double ifd__rts_rehearsed(ifd__coupled *c, double tolerance, const double *noise, double *x);

/* Steps in blocks, the lengths of which follow the error of the extrapolation. */
ifd_status ifd__rts_variable_check(const ifd__rts *r, const ifd_couple_options *opt, ifd_note *note);
ifd_status ifd__rts_variable_make(ifd__coupled *c, ifd_arena *arena);

void ifd__rts_facts(const ifd__coupled *c, const double *x, ifd_rts_facts *out);
