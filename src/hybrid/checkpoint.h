/* SPDX-License-Identifier: MIT */
/* Snapshots of a test for checkpoints, and continuation from them. The tick copies its state into a mailbox of three
 * places: one of the tick, one of the watcher, and one between them for exchange. The watcher can take any time to
 * write a snapshot: the newest one waits and is replaced by a newer one. The state does not depend on this. */
#pragma once

#include <math.h>

#include "hybrid/hybrid.h"

ifd_status ifd__checkpoint_make(ifd_hybrid *h, ifd_arena *arena);
/* On hold, simulated time is stopped, and every command can stop within a tick. */
IFD_RT bool ifd__checkpoint_at_rest(const ifd_hybrid *h);

IFD_RT static inline bool ifd__checkpoint_rests(const ifd_hybrid *h)
{
    return ifd__state_of(h) == IFD_MACHINE_HOLD && ifd__checkpoint_at_rest(h);
}

/* Order of a test with `until` to itself. It is an ordinary order, so that a replay includes it. */
IFD_RT ifd_order ifd__checkpoint_wish(const void *self);
/* Whether a tick with this order has to do with a checkpoint: by the order, on hold, or by the interval of the
 * case. */
IFD_RT static inline bool ifd__checkpoint_asked(const ifd_hybrid *h, ifd_order order)
{
    return order == IFD_ORDER_CHECKPOINT || ifd__state_of(h) == IFD_MACHINE_HOLD ||
           isfinite(h->opt.checkpoint_every) || h->test->checkpoint > 0.0;
}

/* At the end of such a tick. */
IFD_RT void ifd__checkpoint_tick(ifd_hybrid *h, ifd_order order);
/* Ramp-in of a continued test moves to the saved position: displacements, and the force of interface k. */
IFD_RT void ifd__checkpoint_aim(ifd_hybrid *h);
IFD_RT double ifd__checkpoint_force(const ifd_hybrid *h, int k);
/* At the end of ramp-in: restores the saved state; true if the test continues. */
IFD_RT bool ifd__checkpoint_resume(ifd_hybrid *h);

/* A specimen that has changed since the checkpoint from which the test continues, before it is armed. */
typedef struct ifd__checkpoint_change {
    bool force; /* otherwise its position */
    int interface;
    double found, stored, permitted;
} ifd__checkpoint_change;
IFD_RT bool ifd__checkpoint_changed(const ifd_hybrid *h, ifd__checkpoint_change *out);
