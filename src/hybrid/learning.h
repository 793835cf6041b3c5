/* SPDX-License-Identifier: MIT */
/* What compensators may learn from in a test: a measurement that has arrived in this tick, and the command that left
 * the program for it.
 *
 * Without a new measurement of its rig the last one is kept. A measured value that is not finite and a pose of a
 * drive without solution count as lost too. In a drive each actuator has a governor: where one reduces its extension,
 * the command of the dofs is the pose of the extensions that were sent. */
#pragma once

#include "hybrid/hybrid.h"

/* A number per interface: ticks since its last lost measurement, that one included; 0: none. */
/* In every tick after sense; outside of run and hold nothing is learnt. */
IFD_RT void ifd__learning_tick(ifd_hybrid *h, bool fresh);
/* Completes the inputs of all compensators: what was lost, and what was sent. */
IFD_RT void ifd__learning_from(const ifd_hybrid *h, ifd_compensator_in *in);
