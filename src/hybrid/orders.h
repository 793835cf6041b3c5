/* SPDX-License-Identifier: MIT */
/* What an order leaves behind: a stop or a park that waits for rest, requests to the power supply, and the inputs of
 * people at the rig.
 *
 *     stop in run       hold, at rest ramp-out; latched, so that no other thread leads it
 *     second stop       0.5 s or more after the first one, from the holder, a signal or the source of the first: trip
 *     automatic stop    never a second one; on a hold at rest of a real rig it waits for 10 s, and the order of a
 *                       person in between cancels it
 *     START             its rising edge in ready, 0.5 s or more after ready began, is the order run
 *
 * Ticks count time here, also those that are not recorded. */
#pragma once

#include "hybrid/hybrid.h"

/* The share of ticks without a new measurement of a rig: of the last second, for arming, and of the state run, for
 * the outcome. Ticks before the first measurement do not count. A test with elastic time waits for its measurements
 * and is not judged. After the measurements of a tick: */
IFD_RT void ifd__fresh_count(ifd_hybrid *h);

IFD_RT static inline double ifd__fresh_missed(const ifd_hybrid *h)
{
    return ifd__missed_share(&h->orders->missed, h->period);
}

IFD_RT static inline bool ifd__fresh_enough(const ifd_hybrid *h)
{
    return h->pace->awaits || ifd__fresh_missed(h) <= h->opt.stale_fraction;
}

/* Takes the clearance of people, which belongs to one arming; whether run waits for it. */
IFD_RT void ifd__orders_clear(ifd_hybrid *h);
IFD_RT bool ifd__orders_barred(const ifd_hybrid *h);
/* Whether an emergency stop is pressed, as last measured. */
IFD_RT bool ifd__orders_pressed(const ifd_hybrid *h);
/* s since emergency stop, pressure and rig are right again; what was wrong; IFD_WAIT_NONE: nothing, or long enough
 * ago. */
IFD_RT ifd_wait ifd__orders_wrong(const ifd_hybrid *h, double *since);
/* Whether the start button was pressed in this tick and is the order run. */
IFD_RT bool ifd__orders_started(const ifd_hybrid *h);
/* What the state machine must know of the order of this tick and of earlier ones. */
IFD_RT void ifd__orders_ask(const ifd_hybrid *h, uint32_t source, ifd__machine_in *in);
/* After the decision. */
IFD_RT void ifd__orders_keep(ifd_hybrid *h, const ifd__machine_in *in, uint32_t source, ifd_machine now,
                             ifd_answer answer);
/* Before the command of the tick at the end of a ramp, which is the last one of a ramp-out: pressure ends. */
IFD_RT void ifd__orders_arrived(ifd_hybrid *h);
/* At the end of a tick: the countdown of an automatic stop. */
IFD_RT void ifd__orders_tick(ifd_hybrid *h);
/* IFD_OUTPUT_... of the command of this tick. */
IFD_RT uint32_t ifd__orders_outputs(const ifd_hybrid *h, uint32_t heartbeat);
/* Whether ramp-out unloads the specimens: by `leave` or by the order unload. */
IFD_RT bool ifd__orders_unload(const ifd_hybrid *h);
