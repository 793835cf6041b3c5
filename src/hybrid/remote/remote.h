/* SPDX-License-Identifier: MIT */
/* The tick's side of a remote master, and the numerical substructure that is made of it. */
#ifndef IFD_HYBRID_REMOTE_REMOTE_H
#define IFD_HYBRID_REMOTE_REMOTE_H

#include <interfield/hybrid.h>
#include <interfield/remote.h>

#include "substructure/substructure.h"

/* The tick's ends of the two rings. take waits for at most a quarter of a second when there is no clock and wait is
 * set. */
IFD_RT bool ifd__remote_take(ifd_remote *r, bool wait, ifd_remote_target *out);
/* Never waits from now on: in a replay what comes is there before the tick. */
void ifd__remote_hurry(ifd_remote *r);
/* The kind of the master's last word, TARGET when there is none; it is taken before any target that waits. */
IFD_RT uint32_t ifd__remote_word(const ifd_remote *r);
IFD_RT bool ifd__remote_take_word(ifd_remote *r, ifd_remote_target *out);
IFD_RT void ifd__remote_answer(ifd_remote *r, const ifd_remote_answer *answer);
const ifd_remote_options *ifd__remote_options(const ifd_remote *r);

enum { IFD__REMOTE_PAST = IFD_REMOTE_ORDER + 1 };

ifd_status ifd__substructure_remote(ifd_arena *arena, const ifd_hybrid_options *opt, ifd__substructure *out,
                                    ifd_note *note);

/* What a tick does for its master between looking at the rig and deciding: takes a target, answers, plans. */
IFD_RT ifd_action ifd__remote_step(ifd_hybrid *h, ifd_action worst);
/* Without a clock: nothing to do before the next target. */
IFD_RT bool ifd__remote_stands(const ifd_hybrid *h);
/* The order that the master's state amounts to. */
IFD_RT ifd_order ifd__remote_order(const ifd_hybrid *h);
IFD_RT bool ifd__remote_known(const ifd_hybrid *h); /* where it starts */
/* A hold begins: the specimens come to rest. */
IFD_RT void ifd__remote_hold(ifd_hybrid *h);
/* Displacement, velocity and acceleration (wall clock) of interface k after path_tick ticks of the present path. */
IFD_RT void ifd__remote_path(const ifd_hybrid *h, int k, double out[3]);
/* It ended before anything moved. */
IFD_RT bool ifd__remote_gone(const ifd_hybrid *h);
/* Tells the master, once, when the test no longer runs. */
IFD_RT void ifd__remote_tell(ifd_hybrid *h);

#endif
