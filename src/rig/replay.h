/* SPDX-License-Identifier: MIT */
/* Replay: a rig that supplies recorded measurements. It has no state and ignores commands; the caller of the tick
 * sets the next measurement.
 *
 *     ifd__replay next;
 *     options.rig = &ifd__replay_rig;
 *     options.rig_setup = &next;                        // must outlive the test */
#pragma once

#include "rig/several.h"

typedef struct ifd__replay {
    bool fresh;
    ifd_measure measure;
    bool real;                       /* the recorded rig moved something */
    const ifd_several *several;      /* the recorded rigs; NULL: one */
    ifd__rig_heard heard[IFD__RIGS]; /* what each reported in this tick */
} ifd__replay;

extern const ifd_rig_ops ifd__replay_rig;
