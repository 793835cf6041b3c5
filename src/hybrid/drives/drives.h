/* SPDX-License-Identifier: MIT */
/* Specimens that several actuators move together, in a hybrid test. The test thinks in dofs; actuators stand between
 * those and the rig, each with its own governor and limits. An interface that no drive moves is its own actuator. */
#ifndef IFD_HYBRID_DRIVES_H
#define IFD_HYBRID_DRIVES_H

#include <interfield/hybrid.h>

#include "rig/governor.h"
#include "hybrid/state.h"

typedef struct ifd__driven {
    const ifd_driven *o;
    ifd_drive *drive;
    int first; /* of its actuators at the rig */
    int at;    /* offset of: whether the pose is lost, then the state of each actuator */
    ifd__bounds bounds[IFD_DRIVE_ACTUATORS];
} ifd__driven;

/* The state of actuator j of a drive. */
IFD_RT ifd__actuator_state *ifd__actuator_of(const ifd_hybrid *h, const ifd__driven *d, int j);

/* Who is meant by a number of ifd_hybrid_channel_name, of an interface or an actuator of the rig: actuator j of a
 * drive, or, where drive is NULL, an interface. */
typedef struct ifd__owner {
    const ifd__driven *drive;
    int j, interface;
} ifd__owner;
IFD_RT ifd__owner ifd__owner_of(const ifd_hybrid *h, int who);

/* The dofs of a drive: one member (IFD__MEMBER_AT) of its interfaces' states. */
IFD_RT void ifd__drives_gather(const ifd_hybrid *h, const ifd__driven *d, int member, double *q);

/* Which actuator of the rig moves which interface; takes room in x. */
ifd_status ifd__drives_make(ifd_hybrid *h, ifd_arena *arena, ifd_note *note);

/* Positions and forces of the interfaces that drives move, from h->measure. */
IFD_RT void ifd__drives_sense(ifd_hybrid *h);
/* Limits of the actuators. ticks: from the news before to these. */
IFD_RT ifd_action ifd__drives_guard(ifd_hybrid *h, double ticks, ifd_action worst);
/* Positions and velocities of their actuators from the commands of the interfaces. */
IFD_RT void ifd__drives_command(ifd_hybrid *h, ifd_command *c);
/* Keeps actuators of a drive from pushing against each other: `sharing` of each. anew: it was just found
 * where its commands are. */
IFD_RT void ifd__sharing_step(ifd_hybrid *h, const ifd__driven *d, bool anew);
ifd_status ifd__sharing_check(const ifd_driven *o, ifd_note *note);
/* Nothing is commanded. */
IFD_RT void ifd__drives_still(ifd_hybrid *h);
/* Every actuator is commanded to be where its block wants it. */
IFD_RT bool ifd__drives_met(const ifd_hybrid *h);

/* Columns of the record, and their values: actuators of drives, then rows of the channel map. */
ifd_status ifd__drives_name_columns(ifd_hybrid *h, ifd_arena *arena);
IFD_RT double *ifd__drives_publish(const ifd_hybrid *h, double *v);

#endif
