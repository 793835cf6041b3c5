/* SPDX-License-Identifier: MIT */
/* Models derived from other models: substructures joined or reduced by a basis, and a model at rest. */
#pragma once

#include "model/model.h"
#include "model/build/system.h"

/* Displacements of the substructures, counted over all, are u = T z: row i of T gives u_i. */
typedef struct ifd__derivation {
    int substructures;
    const ifd_model *const *substructure;
    /* Prefix of the names of elements: "tower.bearing"; NULL or "": no prefix. */
    const char *const *substructure_name;
    ifd__rows T;
    int n;                       /* size of z */
    const char *const *dof_name; /* n; referenced, not copied */
    const ifd_dof_kind *dof_kind;
    const double *u0, *v0;
    const ifd_sparse *M, *K; /* n x n in place of the products below; NULL: the products */
    const double *Z;         /* the same for the part of low rank of C, n x rank of the substructures */
} ifd__derivation;

/* M := T^T M T, likewise C, K, loads, supports, ground and the coordinates of elements. Elements are shared with the
 * substructures. IFD_UNSUPPORTED if the ground moves substructures with pendulums differently, IFD_NOT_SYMMETRIC
 * above 500 dofs. */
ifd_status ifd__model_derive(ifd_arena *arena, const ifd__derivation *how, ifd_model **out, ifd_note *note);

/* The same model without loads, ground or support motion, at u = v = 0 with the initial states of elements. */
ifd_status ifd__model_at_rest(ifd_arena *arena, const ifd_model *m, ifd_model **out);
