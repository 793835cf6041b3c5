/* SPDX-License-Identifier: MIT */
/* Released supports: a model with supports converted to dofs, so that it can be assembled with the substructure that
 * moves them. */
#pragma once

#include "model/model.h"

/* Support `support` moves with a dof of the given kind of another substructure. If the ground drives that kind, it
 * also drives the support and the coordinates that depend on it. Called once per such support. m is a copy that may
 * be changed. */
ifd_status ifd__model_share_ground(ifd_arena *arena, ifd_model *m, int support, ifd_dof_kind kind);

/* The dofs of m and then `count` of its supports. For ifd__model_derive only: without factor, names and initial
 * state. */
ifd_status ifd__model_release(ifd_arena *arena, const ifd_model *m, int count, const int *support, ifd_model **out);
