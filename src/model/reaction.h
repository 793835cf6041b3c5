/* SPDX-License-Identifier: MIT */
/* Reactions: the forces that the supports exert on a model under their prescribed motion.
 *
 *     f = M_sf a + C_sf v + K_sf u + M_ss a_s + C_ss v_s + K_ss u_s + B_s (r + m(q) q'')
 *
 * The acceleration of the ground is added to a and a_s where it drives them. A load cell below a specimen measures
 * f. */
#pragma once

#include "model/model.h"

/* IFD_UNSUPPORTED, with `name` in the note: matrices that are not symmetric; condensed dofs at a support. */
ifd_status ifd__model_reaction_check(const ifd_model *m, const char *name, ifd_note *note);

/* f: nsupport; w: ifd__model_reaction_work(m) doubles. */
IFD_RT void ifd__model_reaction(const ifd_model *m, const ifd__point *y, double *f, double *w);

size_t ifd__model_reaction_work(const ifd_model *m);
