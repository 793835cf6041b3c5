/* SPDX-License-Identifier: MIT */
/* Schedule: which stages fall due in which tick of a cycle. A const table made at set-up.
 *
 * A tick begins with the measured force, so it holds one measuring stage and every stage after it up to, not
 * including, the next measuring one, across the end of the step. Stages before the first measuring one are the
 * lead-in: they run once before the first tick. Without a specimen nothing is measured and a tick is a whole step.
 *
 *     lsrt2      stage 0 and 1 measure   tick 0: stage 0;   tick 1: stage 1
 *     mg-alpha   stage 1 measures        lead-in: stage 0;  tick 0: stage 1, then stage 0 of the next step */
#ifndef IFD_COUPLE_SCHEDULE_H
#define IFD_COUPLE_SCHEDULE_H

#include <interfield/method.h>

typedef struct ifd__due {
    int stage, count; /* first stage and how many follow in order, wrapping to 0 at the end of a step */
} ifd__due;

typedef struct ifd__schedule {
    int stages;  /* per step */
    int lead_in; /* stages before the first tick */
    int ticks;   /* per cycle */
    const ifd__due *due;
} ifd__schedule;

/* measured: whether a specimen answers. IFD_UNSUPPORTED when the method has no measuring stage then. */
ifd_status ifd__schedule_make(ifd_arena *arena, const ifd_stepper *stepper, bool measured, ifd__schedule *out);

#endif
