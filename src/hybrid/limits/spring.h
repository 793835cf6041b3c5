/* SPDX-License-Identifier: MIT */
/* A force that the computed part commands acts through a spring of stiffness s: f = s (p - x). Position x of the
 * specimen, command p of the actuator one `delay` ago and force f therefore fit
 *
 *     e = x - (p - f/s),        less its mean over the first 20 ticks after arming
 *
 * whatever the specimen does. A position sensor that drifts, a load cell of wrong gain or an actuator that does not
 * follow does not fit. Fault SPRING, in every armed state: the mean of e over 20 ticks exceeds the permitted error of
 * the force over s, six standard deviations of e, and two ticks of travel, by which p and x may differ in time. */
#pragma once

#include "hybrid/hybrid.h"

/* Set-up: the line of past commands. */
void ifd__spring_make(ifd_hybrid *h, int k);
/* The reference begins anew; interface k rests at its command. */
IFD_RT void ifd__spring_begin(ifd_hybrid *h, int k);
IFD_RT ifd_action ifd__spring_guard(ifd_hybrid *h, int k, ifd_action worst);
