/* SPDX-License-Identifier: MIT */
/* Positions of the dofs and states of the preloaded structure in the state of a test: those of one model, or of the
 * substructures from which it is assembled. */
#pragma once

#include <interfield/analysis.h>
#include <interfield/hybrid.h>

#include "substructure/substructure.h"

typedef struct ifd__place {
    const ifd_model *m;
    ifd_step_options step; /* with the estimates, between dofs of m */
    ifd_assembly whole;    /* of substructures; model is NULL without coupling */
    int *first;            /* first dof of each substructure, counted over all */
    int *home;             /* n: offset in x of the displacement of a dof of m */
    double *u, *all;       /* n; dofs of all substructures: scratch */
} ifd__place;

ifd_status ifd__place_make(ifd_arena *arena, const ifd_hybrid_options *opt, const ifd__substructure *s,
                           ifd__place **out, ifd_note *note);
/* The dof of m that equals a dof of a substructure, IFD_GROUND for IFD_GROUND; false if it is a sum of several. */
bool ifd__place_dof(const ifd__place *p, int part, int dof, int *out);

/* p->u := the displacements in x; and back, without change of velocities. */
IFD_RT void ifd__place_get(const ifd__place *p, const double *x);
IFD_RT void ifd__place_put(const ifd__place *p, const ifd__substructure *s, double *x);
/* Element states of m into x. */
IFD_RT void ifd__place_states(const ifd__substructure *s, const double *states, double *x);
