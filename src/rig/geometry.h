/* SPDX-License-Identifier: MIT */
/* A rigid block that moves far, and what an actuator between it and a fixed point sees of that. */
#ifndef IFD_RIG_GEOMETRY_H
#define IFD_RIG_GEOMETRY_H

#include <interfield/status.h>

/* R = exp([theta]x), by rows. */
IFD_RT void ifd__rotation_of(const double theta[3], double R[9]);

/* An actuator from base to the point at `arm` from the block's reference point, which is at `place` now. pose: x, y,
 * z and the rotation vector. Its length, and the derivatives of that by pose (NULL: not wanted). */
IFD_RT double ifd__actuator_length(const double pose[6], const double place[3], const double arm[3],
                                   const double base[3], double gradient[6]);

#endif
