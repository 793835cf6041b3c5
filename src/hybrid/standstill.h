/* SPDX-License-Identifier: MIT */
/* Bound of a test that makes no progress. Progress is
 *
 *     ramp-in     its motion, the change of a prescribed force, a rehearsed stage, or the wait for `start-at`
 *     run         a solved stage
 *     ramp-out    simulated time of a motion within its planned time, of unloading and of a release, which have
 *                 limits of their own. Not a motion beyond its plan, nor the wait after every motion and release,
 *                 for actuators of drives and to settle
 *     hold        every tick: the operator decides how long it lasts. Not while a stop or a park waits for rest
 *     other       every tick
 *
 * Without progress for `give-up` of elastic time, otherwise for 30 s, and in addition for the longest stage, brake
 * and settling time of the case, the test ramps out. A ramp-out without progress trips: the specimens are at
 * rest.
 *
 * The motion of an actuator of a drive is no progress: noise of load sharing or of a computed force can keep it away
 * from its extension at all times. In ramp-in and ramp-out the bound is longer by the time in which the slowest
 * actuator passes its whole stroke. */
#pragma once

#include "hybrid/hybrid.h"

/* s, the bound of this test. */
double ifd__standstill_limit(const ifd_hybrid *h);
/* In every tick after its stage; solved: it has one. */
IFD_RT ifd_action ifd__standstill_tick(ifd_hybrid *h, bool solved, ifd_action worst);
