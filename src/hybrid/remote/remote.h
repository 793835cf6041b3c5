/* SPDX-License-Identifier: MIT */
/* The tick side of a remote master, and its numerical substructure. */
#pragma once

#include <interfield/hybrid.h>
#include <interfield/remote.h>

#include "substructure/substructure.h"

/* The tick side of the two ring buffers. With wait set and no clock, take waits for at most a quarter of a second. */
IFD_RT bool ifd__remote_take(ifd_remote *r, bool wait, ifd_remote_target *out);
/* No waiting from now on: in a replay the inputs exist before the tick. */
void ifd__remote_hurry(ifd_remote *r);
/* The kind of the final message of the master, TARGET: none; it is taken before any waiting target. */
IFD_RT uint32_t ifd__remote_word(const ifd_remote *r);
IFD_RT bool ifd__remote_take_word(ifd_remote *r, ifd_remote_target *out);
IFD_RT void ifd__remote_answer(ifd_remote *r, const ifd_remote_answer *answer);
const ifd_remote_options *ifd__remote_options(const ifd_remote *r);

enum { IFD__REMOTE_PAST = IFD_REMOTE_ORDER + 1 };

ifd_status ifd__substructure_remote(ifd_arena *arena, const ifd_hybrid_options *opt, ifd__substructure *out,
                                    ifd_note *note);

/* Work of a tick for its master between sensing and deciding: takes a target, answers, plans. */
IFD_RT ifd_action ifd__remote_step(ifd_hybrid *h, ifd_action worst);
/* Free-running: nothing to do before the next target. */
IFD_RT bool ifd__remote_stands(const ifd_hybrid *h);
/* The order that results from the state of the master. */
IFD_RT ifd_order ifd__remote_order(const ifd_hybrid *h);
IFD_RT bool ifd__remote_known(const ifd_hybrid *h); /* its start */
/* Starts a hold: the specimens come to rest. */
IFD_RT void ifd__remote_hold(ifd_hybrid *h);
/* Displacement, velocity and acceleration (wall-clock time) of interface k after path_tick ticks of the present
 * path. */
IFD_RT void ifd__remote_path(const ifd_hybrid *h, int k, double out[3]);
/* It ended before any motion. */
IFD_RT bool ifd__remote_gone(const ifd_hybrid *h);
/* Informs the master, once, that the test no longer runs. */
IFD_RT void ifd__remote_tell(ifd_hybrid *h);
