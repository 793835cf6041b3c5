/* SPDX-License-Identifier: MIT */
/* Rides: whether a model moves with its supports as a whole, tied to nothing else. */
#ifndef IFD_MODEL_RIGID_MOTION_H
#define IFD_MODEL_RIGID_MOTION_H

#include "model/model.h"

/* Moves all dofs along direction by one, and so many supports that follow dofs of the given kinds with them: true
 * when no spring and no damping resists. Elements with mass are taken to resist by it alone. */
ifd_status ifd__model_rigid_motion(const ifd_model *m, int count, const int *support, const ifd_dof_kind *kind,
                                   ifd_dof_kind direction, bool *rigid);

#endif
