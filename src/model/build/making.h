/* SPDX-License-Identifier: MIT */
/* Data of ifd_model_make, and its functions that only arrange data. */
#pragma once

#include "model/build/attach.h"
#include "model/model.h"
#include "model/equilibrium/relax.h"
#include "model/build/system.h"

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

/* Before condensation: load and moving mass of the ground. */
ifd_status ifd__making_ground(ifd__making *k);

/* After condensation: names and initial values, supports, ground, forces, condensed dofs of the model. */
ifd_status ifd__making_layout(ifd__making *k);
