/* SPDX-License-Identifier: MIT */
/* Constants and state of elastic simulated time (elastic.h). */
#pragma once

#include "hybrid/hybrid.h"
#include "rig/damped.h"

enum { IFD__ELASTIC_DENSITY = 2 }; /* kept forces per tick of progress, at most */

/* The newest entries of `width` numbers, sorted by their first number. */
typedef struct ifd__ring {
    double *entry;
    int size, width;
} ifd__ring;

struct ifd__elastic {
    ifd__damped filter;           /* of the rate */
    double window;                /* ticks of full rate */
    double patience;              /* ticks */
    ifd__ring sent;               /* commands: tick, progress, command of each interface */
    ifd__ring answers[IFD__RIGS]; /* of each rig: progress, force of each of its interfaces on the structure */
    int at, rings_at;             /* offsets of the state */
};

#define IFD__RING_STATE(ONE, MANY, BLOCK)                                                                            \
    ONE(next, "", OF_TEST) /* place of the next entry */                                                             \
    ONE(count, "", OF_TEST)
IFD__STATE_BLOCK(ifd__ring_state, IFD__RING_STATE);

/* The entries of the rings follow from this state and that of the interfaces in earlier ticks; they are not part of
 * its hash. */
#define IFD__ELASTIC_STATE(ONE, MANY, BLOCK)                                                                         \
    ONE(progress, "tick", OF_TEST) /* ticks of full rate: of the commands, and of the newest answered command */     \
    ONE(answered, "tick", OF_TEST)                                                                                   \
    ONE(acknowledged, "", OF_TEST) /* tick of the newest answered command */                                         \
    ONE(most, "", OF_TEST)         /* largest rate, by order */                                                      \
    BLOCK(ifd__ring_state, sent, IFD__RING_STATE)                                                                    \
    BLOCK(ifd__ring_state, answers, IFD__RING_STATE)
IFD__STATE_BLOCK(ifd__elastic_state, IFD__ELASTIC_STATE);

#define IFD__ELASTIC_INTERFACE(ONE, MANY, BLOCK)                                                                     \
    ONE(answered, "m", OF_TEST) /* the command that the newest measurement answers, and its last change */           \
    ONE(answered_step, "m", OF_TEST)                                                                                 \
    ONE(lead, "m", OF_TEST) /* of the compensated command at the last and at the next whole tick of full rate */     \
    ONE(next_lead, "m", OF_TEST)
IFD__STATE_BLOCK(ifd__elastic_interface, IFD__ELASTIC_INTERFACE);

/* With several rigs each has a block, and the state above contains the oldest of them. */
#define IFD__ELASTIC_RIG(ONE, MANY, BLOCK)                                                                           \
    ONE(answered, "tick", OF_TEST)                                                                                   \
    ONE(acknowledged, "", OF_TEST)                                                                                   \
    BLOCK(ifd__ring_state, answers, IFD__RING_STATE)
IFD__STATE_BLOCK(ifd__elastic_rig, IFD__ELASTIC_RIG);

IFD_RT static inline ifd__elastic_state *ifd__elastic_of(const ifd_hybrid *h)
{
    return (ifd__elastic_state *)(h->x + h->elastic->at);
}

IFD_RT static inline ifd__elastic_interface *ifd__elastic_interface_of(const ifd_hybrid *h, int k)
{
    return (ifd__elastic_interface *)(ifd__elastic_of(h) + 1) + k;
}

/* Of several rigs. */
IFD_RT static inline ifd__elastic_rig *ifd__elastic_rig_of(const ifd_hybrid *h, int r)
{
    return (ifd__elastic_rig *)ifd__elastic_interface_of(h, h->interfaces) + r;
}
