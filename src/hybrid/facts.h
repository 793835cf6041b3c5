/* SPDX-License-Identifier: MIT */
/* Constants of a test after set-up, for modules that do not see the test. */
#pragma once

#include <interfield/hybrid.h>

typedef struct ifd__facts {
    double period;         /* s, wall, of a tick */
    ifd_stuck force_stuck; /* what counts as a load cell with a constant value */
    double stuck_limit;    /* ticks, of a constant value */
} ifd__facts;
