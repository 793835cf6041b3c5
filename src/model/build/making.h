/* SPDX-License-Identifier: MIT */
/* Data of ifd_model_make, and its functions that only arrange data. */
#pragma once

#include "model/build/attach.h"
#include "model/build/builder.h"
#include "model/build/system.h"
#include "model/equilibrium/relax.h"
#include "model/model.h"

typedef struct ifd__making {
    ifd_arena *arena, *scratch; /* for the model, for temporaries */
    const ifd_builder *b;
    ifd__system s;
    ifd__start_mass mass;
    double *ground; /* 3 x dofs of the builder: load per unit of ground acceleration, before condensation */
    double ground_mass[3];
    const double *along[3]; /* of a reduced model: ifd__ground */
    ifd__relaxed relaxed;   /* first-order states, after the dofs without mass are sorted */
    ifd__rows flexibility;  /* s.F */
    int modal;              /* of a reduced model: modal damping, as Z of its C, ... */
    const double *modal_Z;  /* ... n x modal */
    const bool *lost;       /* by dof of the builder: reduced, and not to be watched; NULL: none */
    ifd_sparse
        added_mass; /* of a stored superelement alone: mass besides its own, without Rayleigh damping; n 0: none */
    ifd_model *m;
    ifd_note *note;
} ifd__making;

/* Before ties and condensation: load and moving mass of the ground. */
ifd_status ifd__making_ground(ifd__making *k);

/* Eliminates the slaves of ties. */
ifd_status ifd__making_tie(ifd__making *k);

/* After condensation: names and initial values, supports, ground, forces, condensed dofs of the model. */
ifd_status ifd__making_layout(ifd__making *k);

/* Reduction of a model while it is made: the system's dofs become the interface dofs and modal dofs "mode1", "mode2",
 * ... of a superelement. Everything after it sees an ordinary model. */

/* After condensation of what has no mass. Dofs that elements or dashpots act on stay as they are, as those that the
 * reduction names; watched and loaded dofs become condensed ones; the others have no row any more. */
ifd_status ifd__making_reduce(ifd__making *k);

/* Whether the parts of the mass prove that their sum is positive definite. False: unknown. */
bool ifd__mass_proved(ifd_arena *scratch, const ifd_builder *b);

/* Removes the dofs without mass from the system: static ones are condensed, those supported by dashpots become the
 * states in k->relaxed, others are refused (IFD_MASSLESS). */
ifd_status ifd__making_massless(ifd__making *k);

int ifd__count_marked(const bool *marked, int n);
