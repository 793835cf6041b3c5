/* SPDX-License-Identifier: MIT */
/* Work of gravity on the deformed structure (P-Delta): W = -1/2 x Kg x with the geometric stiffness Kg, which K
 * contains too. x are displacements of dofs, of condensed dofs and of supports. */
#pragma once

#include "model/build/builder.h"
#include "model/model.h"

typedef struct ifd__gravity {
    int count;
    const int *i, *j;    /* count each: a dof; n + a support; n + nsupport + a condensed dof */
    const double *value; /* of Kg, N/m */
} ifd__gravity;

/* An entry of Kg between two references of b; it is not added to the stiffness. */
void ifd__builder_gravity(ifd_builder *b, int i, int j, double value);

/* m->gravity := that of b. NULL without P-Delta, or if m is reduced: it then has no condensed dofs. */
ifd_status ifd__gravity_make(ifd_arena *arena, const ifd_builder *b, ifd_model *m);

/* J, from the position without displacements. */
IFD_RT double ifd__gravity_work(const ifd_model *m, double t, const double *u, const double *s);
