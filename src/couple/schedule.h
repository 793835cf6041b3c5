/* SPDX-License-Identifier: MIT */
/* Schedule: the stages of each tick of a cycle, a constant table made at set-up.
 *
 * A tick begins with the measured force. It contains one measuring stage and all stages up to the next measuring one,
 * also across the end of a step. Stages before the first measuring one are the lead-in; they run once before the
 * first tick. Without a specimen a tick is a complete step.
 *
 *     lsrt2      stage 0 and 1 measure   tick 0: stage 0;   tick 1: stage 1
 *     mg-alpha   stage 1 measures        lead-in: stage 0;  tick 0: stage 1, then stage 0 of the next step */
#pragma once

#include <interfield/method.h>

typedef struct ifd__due {
    int stage, count; /* first stage and number of stages; after the end of a step they continue at 0 */
} ifd__due;

typedef struct ifd__schedule {
    int stages;  /* per step */
    int lead_in; /* stages before the first tick */
    int ticks;   /* per cycle */
    const ifd__due *due;
} ifd__schedule;

/* measured: true with a specimen. IFD_UNSUPPORTED if the method has no measuring stage then. */
ifd_status ifd__schedule_make(ifd_arena *arena, const ifd_stepper *stepper, bool measured, ifd__schedule *out);
