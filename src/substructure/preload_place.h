/* SPDX-License-Identifier: MIT */
/* Where the dofs and states of the structure that is preloaded stand in a test's state: those of a model, or of
 * the parts of one that was put together again for it. */
#ifndef IFD_SUBSTRUCTURE_PRELOAD_PLACE_H
#define IFD_SUBSTRUCTURE_PRELOAD_PLACE_H

#include <interfield/analysis.h>
#include <interfield/hybrid.h>

#include "substructure/substructure.h"

typedef struct ifd__place {
    const ifd_model *m;
    ifd_step_options step; /* with the estimates, between dofs of m */
    ifd_assembly whole;    /* of parts; model NULL when there is only one */
    int *first;            /* of each part, its first dof counted through */
    int *home;             /* n: where x has the displacement of a dof of m */
    double *u, *all;       /* n; dofs of all parts: scratch */
} ifd__place;

ifd_status ifd__place_make(ifd_arena *arena, const ifd_hybrid_options *opt, const ifd__substructure *s,
                           ifd__place **out, ifd_note *note);
/* The dof of m that a part's dof is, IFD_GROUND for IFD_GROUND; false when it is a sum of several. */
bool ifd__place_dof(const ifd__place *p, int part, int dof, int *out);

/* p->u := the displacements in x; and back, with velocities untouched. */
IFD_RT void ifd__place_get(const ifd__place *p, const double *x);
IFD_RT void ifd__place_put(const ifd__place *p, const ifd__substructure *s, double *x);
/* Element states of m into x. */
IFD_RT void ifd__place_states(const ifd__substructure *s, const double *states, double *x);

#endif
