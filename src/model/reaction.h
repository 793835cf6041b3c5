/* SPDX-License-Identifier: MIT */
/* Reactions: the forces with which the supports of a model are moved as they are.
 *
 *     f = M_sf a + C_sf v + K_sf u + M_ss a_s + C_ss v_s + K_ss u_s + B_s (r + m(q) q'')
 *
 * with the ground's acceleration added to a and a_s where it drives them: what a load cell under a specimen reads. */
#ifndef IFD_MODEL_REACTION_H
#define IFD_MODEL_REACTION_H

#include "model/model.h"

/* IFD_UNSUPPORTED, said about `name`: matrices that are not symmetric; condensed dofs at a support. */
ifd_status ifd__model_reaction_check(const ifd_model *m, const char *name, ifd_note *note);

/* f: nsupport; w: ifd__model_reaction_work(m) doubles. */
IFD_RT void ifd__model_reaction(const ifd_model *m, const ifd__point *y, double *f, double *w);

size_t ifd__model_reaction_work(const ifd_model *m);

#endif
