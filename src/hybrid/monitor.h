/* SPDX-License-Identifier: MIT */
/* The observers of rig/monitor.h in a test: levels, and what the test does when one is reached.
 *
 * Four rules judge the loop in the state run: the energy that the tracking errors of all interfaces add, over what is
 * dissipated; the delay of each interface over the delay margin of preflight; energy that a specimen seems to
 * deliver; growth of the oscillation with the least damping. A rule has the levels caution, act and hold, or some of
 * them. A level that lasts for `persist` is latched until the next resume or reset, and its action is taken once: a
 * note, half of the rate of simulated time, a hold, or a trip. Nothing is judged while the motion is small. */
#pragma once

#include "hybrid/hybrid.h"
#include "rig/monitor.h"

enum { IFD__LEVELS = 3, IFD__RULES = 4 };

#define IFD__WATCHING(ONE, MANY, BLOCK)                                                                              \
    ONE(ratio, "", OF_TEST)                           /* of energies; 0: no verdict */                               \
    MANY(time, IFD__RULES *IFD__LEVELS, "s", OF_TEST) /* of wall clock at each level of each rule */                 \
    ONE(level, "", OF_TEST)                           /* largest latched level, 0 to IFD__LEVELS */
IFD__STATE_BLOCK(ifd__watching, IFD__WATCHING);

/* At the start of a run and on resume: everything is judged anew. */
IFD_RT void ifd__judge_again(ifd_hybrid *h);
/* In every tick after sense; returns the worse of its action and `worst`. */
IFD_RT ifd_action ifd__judge_tick(ifd_hybrid *h, bool fresh, ifd_action worst);
