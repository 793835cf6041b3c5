/* SPDX-License-Identifier: MIT */
#pragma once

#include <interfield/drive.h>

/* Velocities v and accelerations a of the dofs from those of the actuators, vs and as: J v = vs, J a = as - J' v.
 * False if the drive is singular. */
IFD_RT bool ifd__drive_rates(const ifd_drive *d, const double *q, const double *vs, const double *as, double *v,
                             double *a);
