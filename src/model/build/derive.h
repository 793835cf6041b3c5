/* SPDX-License-Identifier: MIT */
/* Models derived from other models: several pieces joined or reduced by a basis, and a model at rest. */
#ifndef IFD_MODEL_BUILD_DERIVE_H
#define IFD_MODEL_BUILD_DERIVE_H

#include "model/model.h"
#include "model/build/system.h"

/* Displacements of the pieces, counted through, are u = T z: row i of T gives u_i. */
typedef struct ifd__derivation {
    int substructures;
    const ifd_model *const *substructure;
    /* Goes before the names of elements: "tower.bearing"; NULL, or "": they stay as they are. */
    const char *const *substructure_name;
    ifd__rows T;
    int n;                       /* of z */
    const char *const *dof_name; /* n, kept, not copied */
    const ifd_dof_kind *dof_kind;
    const double *u0, *v0;
} ifd__derivation;

/* M := T^T M T and so on for C, K, loads, supports, ground and the coordinates of elements. Elements are shared
 * with the pieces. IFD_UNSUPPORTED when the ground moves pieces with pendulums differently, IFD_NOT_SYMMETRIC
 * beyond 500 dofs. */
ifd_status ifd__model_derive(ifd_arena *arena, const ifd__derivation *how, ifd_model **out, ifd_note *note);

/* The same model without loads, ground or support motion, starting at u = v = 0 with the elements' initial states. */
ifd_status ifd__model_at_rest(ifd_arena *arena, const ifd_model *m, ifd_model **out);

#endif
