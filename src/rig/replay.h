/* SPDX-License-Identifier: MIT */
/* Replay: a rig that gives what another one gave before, measurement by measurement. It has no state and hears
 * nothing; whoever ticks the test puts the next measurement in front of it.
 *
 *     ifd__replay next;
 *     options.rig = &ifd__replay_rig;
 *     options.rig_setup = &next;                        // must live as long as the test */
#ifndef IFD_RIG_REPLAY_H
#define IFD_RIG_REPLAY_H

#include <interfield/exchange.h>

typedef struct ifd__replay {
    bool fresh;
    ifd_measure measure;
    bool real; /* the recorded rig moved something */
} ifd__replay;

extern const ifd_rig_ops ifd__replay_rig;

#endif
