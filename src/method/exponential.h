/* SPDX-License-Identifier: MIT */
/* The exponential family, methods with a polynomial force over the step: functions that a coupling needs besides a
 * stepper. */
#pragma once

#include "method/stepper.h"

/* Number of sub-intervals of a step. */
int ifd__exponential_grid(const ifd_stepper *s);

/* One step from t under the loads of the model and `load`, given as grid + 1 rows of n at t, t + h/grid .. t + h (or
 * NULL). */
IFD_RT void ifd__exponential_step(const ifd_stepper *s, double t, const double *load, double *x);
