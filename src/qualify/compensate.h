/* SPDX-License-Identifier: MIT */
#pragma once

#include <interfield/compensate.h>

/* u = (a0 + a1 s + a2 s^2 + a3 s^3) x at low frequency: the response of an actuator to commands that arrive a tick
 * before they are due. False: unknown. */
bool ifd__actuator_series(const ifd_virtual_channel *c, bool ramps, double period, double out[4]);

/* Seven digits, as written into a case. */
double ifd__compensate_rounded(double x);

/* Upper bound of the RMS noise of the measured position of an interface, m or rad: the sum over its actuators,
 * however their sensors are correlated. */
double ifd__compensate_noise(const ifd_preflight_options *o, int k);

/* Matrices of a compensator that couples the dofs of the drive of interface k, from the series a of its actuators:
 * with the Jacobian J of the drive at rest, A_n = J^+ diag(a_n) J. Without a drive the matrices are single numbers.
 * Sets why if it cannot be used. */
ifd_status ifd__compensate_couple(ifd_arena *arena, const ifd_preflight_options *o,
                                  const ifd_compensate_actuator *actuator, int k, ifd_value *v, const char **why);

/* Settings of energy-damping at interface k: the estimated stiffness of one device, 0.2 of the moving mass per tick
 * as the largest damping. times: the tick, and the delay to predict (s). *why: the reason if it cannot be used. */
void ifd__compensate_damping(const ifd_preflight_options *o, const ifd_compensator_kind *kind, int k,
                             const double times[2], ifd_value *v, const char **why);
