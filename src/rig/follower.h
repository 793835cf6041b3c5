/* SPDX-License-Identifier: MIT */
/* Motion of a served rig in a test with elastic simulated time (hybrid/pace/elastic.h).
 *
 * Commands arrive at irregular times, and for a while not at all. Each contains its progress, s of full rate, which
 * only increases and rests when the test rests. The rig follows the progress of the newest command with a critically
 * damped filter and takes the positions on the way, linear between received ones. So it moves smoothly through a
 * burst of late commands, never passes the newest one, comes to rest there when none arrive, and continues from
 * there. */
#pragma once

#include <interfield/exchange.h>

#include "rig/damped.h"

/* Commands in memory, and ticks of the time constant 1/w: brake/IFD__FOLLOWER_SHARE is its brake time. The lag of the
 * rig behind the commands is 2/w. */
enum { IFD__FOLLOWED = 4096, IFD__FOLLOWER_SHARE = 4 };

typedef struct ifd__followed {
    double progress; /* s */
    uint64_t tick;
    double position[IFD_RIG_ACTUATORS];
} ifd__followed;

typedef struct ifd__follower {
    ifd__damped filter;
    int actuators, first, count;
    double progress, step;  /* s, and s per tick */
    double tick;            /* s */
    ifd__followed *command; /* IFD__FOLLOWED */
} ifd__follower;

/* brake: s, of the test. */
IFD_RT void ifd__follower_begin(ifd__follower *f, double brake);
/* Forgets all commands: the next one is the first. */
IFD_RT void ifd__follower_forget(ifd__follower *f);
/* The first command starts at rest. An older progress than the newest one is refused. */
IFD_RT bool ifd__follower_take(ifd__follower *f, const ifd__followed *c);
/* One tick. Position of each channel; returns the tick of the command that is nearest to it, which can be one that
 * was lost on the way. 0: no command. */
IFD_RT uint64_t ifd__follower_move(ifd__follower *f, double position[IFD_RIG_ACTUATORS]);
/* s by which a rig with such a follower lags behind its commands. */
double ifd__follower_lag(double brake);
