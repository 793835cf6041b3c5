/* SPDX-License-Identifier: MIT */
/* Forces on hold, for `hold_relaxation`. When every command rests and the lag of the actuators has passed, the force
 * of each interface is averaged over its first ticks: the reference. A resume is judged by the running mean of the
 * newest ticks against it. A hold that is resumed before it has a reference is not judged. */
#ifndef IFD_HYBRID_REST_H
#define IFD_HYBRID_REST_H

#include "hybrid/hybrid.h"

/* Where it stands in the state: nowhere in a test without the bound, whose state is as it was. */
void ifd__rest_layout(ifd_hybrid *h);
IFD_RT ifd__hold_force *ifd__rest_of(const ifd_hybrid *h, int k);
/* In every tick, when it has sensed. */
IFD_RT void ifd__rest_tick(ifd_hybrid *h, bool fresh);
/* The test was put back to where it was kept: the reference is that of the old hold, the newest forces begin anew. */
IFD_RT void ifd__rest_again(ifd_hybrid *h);
/* Whether every force has its reference, or none is wanted. */
IFD_RT bool ifd__rest_known(const ifd_hybrid *h);

/* Whether the force that the structure would receive on resume is a measurement of this tick, or no bound asks for
 * it. While the brake works the structure goes on by itself, and a resume makes no step of its force. */
IFD_RT bool ifd__rest_fresh(const ifd_hybrid *h);
/* Numbers that a test with the bound keeps for each interface. */
int ifd__rest_size(void);

/* N: the change of a force on hold and the largest that is permitted. */
typedef struct ifd__rest_change {
    int channel;
    double change, limit;
} ifd__rest_change;
/* The first interface dof whose force has changed by more than is permitted; channel -1: none. */
IFD_RT ifd__rest_change ifd__rest_changed(const ifd_hybrid *h);

#endif
