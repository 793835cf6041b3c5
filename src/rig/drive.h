/* SPDX-License-Identifier: MIT */
#pragma once

#include <interfield/drive.h>

/* Velocities v and accelerations a of the dofs from those of the actuators, vs and as: J v = vs, J a = as - J' v.
 * False if the drive is singular. */
IFD_RT bool ifd__drive_rates(const ifd_drive *d, const double *q, const double *vs, const double *as, double *v,
                             double *a);

/* Large motions of a rigid block, and the length of an actuator between it and a fixed point. */

/* R = exp([theta]x), by rows. */
IFD_RT void ifd__rotation_of(const double theta[3], double R[9]);

/* An actuator from base to the point at `arm` from the reference point of the block, which is at `place`. pose: x, y,
 * z and the rotation vector. Returns its length and the derivatives with respect to pose (may be NULL). */
IFD_RT double ifd__actuator_length(const double pose[6], const double place[3], const double arm[3],
                                   const double base[3], double gradient[6]);
