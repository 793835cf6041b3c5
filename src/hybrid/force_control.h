/* SPDX-License-Identifier: MIT */
/* Force control of interfaces: an outer loop around a position controller.
 *
 * The command p changes so that the measured force f, with estimated stiffness k, follows its reference r:
 *
 *     p' = (r' + w (r - f)) / k,        w = 2 pi bandwidth
 *
 * an integral loop with feedforward of the rate of the reference. With the actual stiffness K and a delay tau of
 * actuator and measurement it is stable for w (K/k) tau < pi/2. r approaches the target with limited rate. The
 * governor of the interface keeps position, velocity and acceleration within their limits. */
#pragma once

#include "hybrid/chain/effective_force.h"
#include "hybrid/limits/spring.h"

/* Starts the loop at the present measured force. */
IFD_RT static inline void ifd__force_begin(ifd_hybrid *h, int k)
{
    ifd__interface_state *s = h->each[k];
    s->force_start = s->force_target = s->measured_f;
    s->force_time = 0.0;
    if (ifd__pushes(&h->interface[k])) {
        ifd__push_begin(&h->io, k);
        ifd__spring_begin(h, k);
    }
}

/* One tick towards `target` (N): the new command passes the governor. True: target reached. */
IFD_RT bool ifd__force_step(ifd_hybrid *h, int k, double target);
/* Ramp-out. Target that holds the present prescribed force, after a smooth end of a change; whether all prescribed
 * forces are within their tolerance of this end. */
IFD_RT double ifd__force_keep(ifd_hybrid *h, int k);
IFD_RT bool ifd__force_rests(const ifd_hybrid *h);
/* Target force at a fraction s of ramp-in, and in run; elapsed: s of simulated time in this tick. */
IFD_RT double ifd__force_ramp(const ifd_hybrid *h, int k, double s);
IFD_RT double ifd__force_run(ifd_hybrid *h, int k, double elapsed);
/* Checks the error of the force against its limit. */
IFD_RT ifd_action ifd__force_guard(ifd_hybrid *h, int k, ifd_action worst);

ifd_status ifd__force_check(const ifd_interface_options *c, ifd_note *note);
