/* SPDX-License-Identifier: MIT */
/* Released supports: a model whose supports have become dofs, so that it can be assembled
 * with the part that moves them. */
#ifndef IFD_MODEL_RELEASE_H
#define IFD_MODEL_RELEASE_H

#include "model/model.h"

/* Support `support` moves with a dof of the given kind of another part: where the ground drives that kind, it drives
 * the support and what hangs on it as well. Once for each such support. m is a copy that may be changed. */
ifd_status ifd__model_share_ground(ifd_arena *arena, ifd_model *m, int support, ifd_dof_kind kind);

/* The dofs of m and then `count` of its supports. For ifd__model_derive only: without
 * factor, names and initial state. */
ifd_status ifd__model_release(ifd_arena *arena, const ifd_model *m, int count, const int *support, ifd_model **out);

#endif
