/* SPDX-License-Identifier: MIT */
/* Rigid-body motion: checks if a model can move as a whole with its supports, without other restraint. */
#pragma once

#include "model/model.h"

/* Moves all dofs along direction by one, together with `count` supports that follow dofs of the given kinds. True if
 * no spring and no damping resists. Elements with mass are assumed to resist by their mass only. */
ifd_status ifd__model_rigid_motion(const ifd_model *m, int count, const int *support, const ifd_dof_kind *kind,
                                   ifd_dof_kind direction, bool *rigid);
