/* SPDX-License-Identifier: MIT */
/* Elastic simulated time: a test on a rig whose answers arrive late, at irregular times, or for a while not at all.
 *
 * The rate of simulated time follows the answers. Progress counts ticks at full rate. The structure uses the force of
 * the command that was sent one window of progress before, whenever its answer arrived:
 *
 *     window     elastic.delay in ticks of full rate
 *     age        ticks since the newest command that the rig has answered
 *     goal       of the rate: 0 on hold, and when age exceeds `patience`;
 *                otherwise min(1, 0.95 window/(age + 2/w)), w = 3/brake
 *     rate       follows the goal, critically damped with w; the goal is 0 if the rate could otherwise not come to
 *                rest before progress = answered + 0.95 window
 *
 * Hence progress never exceeds answered + window, and the force that a stage needs is always known. All motions of
 * the test follow progress: ramp-in, run and ramp-out. */
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
    ifd__damped filter;               /* of the rate */
    double window;                    /* ticks of full rate */
    double patience;                  /* ticks */
    ifd__ring sent;                   /* commands: tick, progress, command of each interface */
    ifd__ring answers[IFD__RIGS];     /* of each rig: progress, force of each of its interfaces on the structure */
    struct ifd__elastic_state *state; /* followed by that of each interface and of each of several rigs */
};

#define IFD__RING_STATE(ONE, MANY, BLOCK)                                                                            \
    ONE(next, "", OF_TEST) /* place of the next entry */                                                             \
    ONE(count, "", OF_TEST)
IFD__STATE_BLOCK(ifd__ring_state, IFD__RING_STATE);

/* What a rig has answered. */
#define IFD__ELASTIC_RIG(ONE, MANY, BLOCK)                                                                           \
    ONE(answered, "tick", OF_TEST) /* ticks of full rate of the newest answered command */                           \
    ONE(acknowledged, "", OF_TEST) /* tick of the newest answered command */                                         \
    BLOCK(ifd__ring_state, answers, IFD__RING_STATE)
IFD__STATE_BLOCK(ifd__elastic_rig, IFD__ELASTIC_RIG);

/* The entries of the rings follow from this state and that of the interfaces in earlier ticks; they are not part of
 * its hash. */
#define IFD__ELASTIC_STATE(ONE, MANY, BLOCK)                                                                         \
    ONE(progress, "tick", OF_TEST) /* ticks of full rate of the commands */                                          \
    ONE(most, "", OF_TEST)         /* largest rate, by order */                                                      \
    BLOCK(ifd__ring_state, sent, IFD__RING_STATE)                                                                    \
    BLOCK(ifd__elastic_rig, rig, IFD__ELASTIC_RIG) /* of the only rig; the oldest of several */
IFD__STATE_BLOCK(ifd__elastic_state, IFD__ELASTIC_STATE);

#define IFD__ELASTIC_INTERFACE(ONE, MANY, BLOCK)                                                                     \
    ONE(answered, "m", OF_TEST) /* the command that the newest measurement answers, and its last change */           \
    ONE(answered_step, "m", OF_TEST)                                                                                 \
    ONE(lead, "m", OF_TEST) /* of the compensated command at the last and at the next whole tick of full rate */     \
    ONE(next_lead, "m", OF_TEST)
IFD__STATE_BLOCK(ifd__elastic_interface, IFD__ELASTIC_INTERFACE);

IFD_RT static inline ifd__elastic_state *ifd__elastic_of(const ifd_hybrid *h)
{
    return h->elastic->state;
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
