/* SPDX-License-Identifier: MIT */
/* Iterative start of coupling rts with specimens (phase I).
 *
 * In ramp-in, when the specimens are at their starting positions, the first steps are rehearsed in real time: the
 * structure moves under assumed forces, the actuators move the specimens, and the forces are measured. Then the
 * actuators brake and return to the start. The measured forces are the assumed ones of the next rehearsal, until they
 * no longer change. The test then runs its first steps under them. Sajeeb, Roy, Manohar (2007), section 3. */
#pragma once

#include "hybrid/hybrid.h"

#define IFD__START(ONE, MANY, BLOCK)                                                                                 \
    ONE(phase, "", OF_TEST)      /* IFD__START_... */                                                                \
    ONE(rehearsals, "", OF_TEST) /* completed */                                                                     \
    ONE(change, "", OF_TEST)     /* of the forces in the last one, relative to the permitted change */               \
    ONE(samples, "", OF_TEST)    /* at rest before a rehearsal */                                                    \
    MANY(square, IFD_RIG_ACTUATORS, "N2", OF_TEST) /* sum over them of the squared change of the force in a tick */
IFD__STATE_BLOCK(ifd__start, IFD__START);

/* KNOWN: the forces of the first steps are known, and do not change any more. */
enum {
    IFD__START_UNKNOWN,
    IFD__START_REHEARSES,
    IFD__START_BRAKES,
    IFD__START_RETURNS,
    IFD__START_KNOWN,
    IFD__START_KNOWN_BRAKES,
    IFD__START_KNOWN_RETURNS
};

IFD_RT static inline int ifd__start_phase(const ifd_hybrid *h)
{
    return h->start && ifd__state_of(h) == IFD_MACHINE_RAMP_IN ? (int)h->start->phase : IFD__START_UNKNOWN;
}

/* Whether a rehearsal is under way: the test moves as in run. */
IFD_RT static inline bool ifd__start_rehearses(const ifd_hybrid *h)
{
    return ifd__start_phase(h) == IFD__START_REHEARSES;
}

/* Whether the specimens brake after one; whether they return to the start after one. */
IFD_RT static inline bool ifd__start_brakes(const ifd_hybrid *h)
{
    return ifd__start_phase(h) == IFD__START_BRAKES || ifd__start_phase(h) == IFD__START_KNOWN_BRAKES;
}

IFD_RT static inline bool ifd__start_returns(const ifd_hybrid *h)
{
    return ifd__start_phase(h) == IFD__START_RETURNS || ifd__start_phase(h) == IFD__START_KNOWN_RETURNS;
}

/* At the end of a ramp-in: whether the forces of the first steps are known. Otherwise a rehearsal begins. */
IFD_RT static inline bool ifd__start_arrived(const ifd_hybrid *h)
{
    return !h->start || ifd__state_of(h) != IFD_MACHINE_RAMP_IN || ifd__start_phase(h) == IFD__START_KNOWN_RETURNS;
}
IFD_RT void ifd__start_begin(ifd_hybrid *h);
/* At an exchange of a rehearsal: whether it is the last one. Its forces are compared. */
IFD_RT bool ifd__start_ends(ifd_hybrid *h, ifd_action *worst);
/* In ramp-in, after the commands: the end of the brake, and the noise of the forces at rest. */
IFD_RT void ifd__start_watch(ifd_hybrid *h);

/* Prescribed motions start at the found positions. */
IFD_RT void ifd__start_here(ifd_hybrid *h);
