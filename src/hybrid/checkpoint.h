/* SPDX-License-Identifier: MIT */
/* Snapshots of a test for its checkpoints, and how one goes on from them. The tick copies its state into a mailbox
 * of three places: its own, the watcher's, and one between that they exchange theirs with. Whoever watches may
 * take as long as it likes to write what it took: the newest one waits, a newer one takes its place, and nothing
 * of the state depends on that. */
#ifndef IFD_HYBRID_CHECKPOINT_H
#define IFD_HYBRID_CHECKPOINT_H

#include "hybrid/hybrid.h"

ifd_status ifd__checkpoint_make(ifd_hybrid *h, ifd_arena *arena);
/* On hold, simulated time stands still, and every command could stop within a tick. */
IFD_RT bool ifd__checkpoint_rests(const ifd_hybrid *h);
/* What a test that is to end before its end orders itself: it goes the way of all orders, so that a replay sees
 * it. */
IFD_RT ifd_order ifd__checkpoint_wish(const void *self);
/* The last thing of a tick. */
IFD_RT void ifd__checkpoint_tick(ifd_hybrid *h, ifd_order order);
/* Ramp-in of a test that goes on leads to where it was kept: displacements, and the force of interface k. */
IFD_RT void ifd__checkpoint_aim(ifd_hybrid *h);
IFD_RT double ifd__checkpoint_force(const ifd_hybrid *h, int k);
/* At the end of ramp-in: true when the test was put back to where it is to go on. */
IFD_RT bool ifd__checkpoint_resume(ifd_hybrid *h);

#endif
