/* SPDX-License-Identifier: MIT */
/* What the limits see of an interface or an actuator of a drive in a tick. */
#pragma once

#include "hybrid/facts.h"
#include "hybrid/state.h"

typedef struct ifd__watched {
    int who; /* as in ifd_hybrid_channel_name */
    const ifd_limits *limits;
    bool fresh; /* it has a new measurement */
    bool moves; /* in a state in which it is commanded */
    bool known,
        actuator;     /* all inputs for its force are measured; it is one actuator of the rig, not a dof of a drive */
    bool owes;        /* a motion must change its force: the rig is real, or the case contains its stiffness */
    double stiffness; /* N/m, from the case; 0: unknown */
    double xm, xm_old, fm, force_rate, off, energy, motion[2];
    double step; /* m, of the command in the last tick */
    ifd__load_cell *load_cell;
    double *slow_lag; /* m, lag of a slow actuator behind its command */
    double lag;       /* s, of its position behind the command */
    ifd__reading *reading;
    double *peak_tracking, *peak_force;
} ifd__watched;
