/* SPDX-License-Identifier: MIT */
/* Large motions of a rigid block, and the length of an actuator between it and a fixed point. */
#pragma once

#include <interfield/status.h>

/* R = exp([theta]x), by rows. */
IFD_RT void ifd__rotation_of(const double theta[3], double R[9]);

/* An actuator from base to the point at `arm` from the reference point of the block, which is at `place`. pose: x, y,
 * z and the rotation vector. Returns its length and the derivatives with respect to pose (may be NULL). */
IFD_RT double ifd__actuator_length(const double pose[6], const double place[3], const double arm[3],
                                   const double base[3], double gradient[6]);
