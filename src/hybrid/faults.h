/* SPDX-License-Identifier: MIT */
/* Faults of a tick: what a module reports that does not see the test. */
#pragma once

#include <interfield/hybrid.h>

typedef struct ifd__faults ifd__faults;

/* Counts a fault of this tick and returns the worse of its action and `so_far`; latches the first of the worst with
 * an action. */
IFD_RT ifd_action ifd__fault_note(ifd__faults *faults, ifd_trip trip, int channel, double value, double limit,
                                  ifd_action so_far);
/* The same with an action of its own; value: found and permitted or expected. */
IFD_RT ifd_action ifd__fault_act(ifd__faults *faults, ifd_trip trip, ifd_action action, int channel,
                                 const double value[2], ifd_action so_far);
/* A fault of the monitor of stability, with the action of its level. */
IFD_RT ifd_action ifd__fault_of_monitor(ifd__faults *faults, ifd_trip trip, ifd_action action, int channel,
                                        const double value[2], ifd_action so_far);
/* Asks for a slower simulated time, by this share of the ordered pace; false: it is as slow already. */
IFD_RT bool ifd__faults_slow(ifd__faults *faults, double share);
/* Latches a fault with its channel, value, limit and this tick. */
IFD_RT void ifd__fault_latch(ifd__faults *faults, ifd_trip trip, int channel, double value, double limit);
