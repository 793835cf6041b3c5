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

/* Reactions: the forces that the supports exert on a model under their prescribed motion.
 *
 *     f = M_sf a + C_sf v + K_sf u + M_ss a_s + C_ss v_s + K_ss u_s + B_s (r + m(q) q'')
 *
 * The acceleration of the ground is added to a and a_s where it drives them. A load cell below a specimen measures
 * f. */

/* IFD_UNSUPPORTED, with `name` in the note: matrices that are not symmetric; condensed dofs at a support. */
ifd_status ifd__model_reaction_check(const ifd_model *m, const char *name, ifd_note *note);

/* f: nsupport; w: ifd__model_reaction_work(m) doubles. */
IFD_RT void ifd__model_reaction(const ifd_model *m, const ifd__point *y, double *f, double *w);

size_t ifd__model_reaction_work(const ifd_model *m);
