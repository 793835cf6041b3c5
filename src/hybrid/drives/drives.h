/* SPDX-License-Identifier: MIT */
/* Drives of a hybrid test: specimens moved by several actuators. The test uses dofs; the drive converts them to
 * actuators of the rig, each with a governor and limits. An interface without a drive has one actuator. */
#pragma once

#include <interfield/hybrid.h>

#include "rig/governor.h"
#include "hybrid/state.h"

typedef struct ifd__driven {
    const ifd_driven *o;
    ifd_drive *drive;
    int first; /* of its actuators at the rig */
    ifd__bounds bounds[IFD_DRIVE_ACTUATORS];
} ifd__driven;

/* The state of actuator j of a drive. */
IFD_RT ifd__actuator_state *ifd__actuator_of(const ifd_hybrid *h, const ifd__driven *d, int j);

/* Owner of a number of ifd_hybrid_owner_name (an interface or an actuator of the rig): actuator j of a drive, or,
 * with drive NULL, an interface. */
typedef struct ifd__owner {
    const ifd__driven *drive;
    int j, interface;
} ifd__owner;
IFD_RT ifd__owner ifd__drives_owner(const ifd_hybrid *h, int who);

/* Assigns actuators of the rig to interfaces; reserves state in x. */
ifd_status ifd__drives_make(ifd_hybrid *h, ifd_arena *arena, ifd_note *note);

/* Positions and forces of the interfaces of drives, from h->measure. */
IFD_RT void ifd__drives_sense(ifd_hybrid *h);
/* Limits of the actuators. ticks: between the last two measurements, per rig. */
IFD_RT ifd_action ifd__drives_guard(ifd_hybrid *h, const double *ticks, ifd_action worst);
/* Shows the inputs of the compensators of all dofs of a drive to each of them. coupled: memory for all. */
IFD_RT void ifd__drives_couple(const ifd_hybrid *h, ifd_compensator_in *in, ifd_compensator_in *coupled);
/* Positions and velocities of the actuators from the commands of the interfaces. */
IFD_RT void ifd__drives_command(ifd_hybrid *h, ifd_command *c);
/* Load sharing: removes the forces between actuators of a drive. anew: the position of the drive was just found. */
IFD_RT void ifd__sharing_step(ifd_hybrid *h, const ifd__driven *d, bool anew);
ifd_status ifd__sharing_check(const ifd_driven *o, ifd_note *note);
/* No position is commanded. */
IFD_RT void ifd__drives_still(ifd_hybrid *h);
/* Number, as in ifd_hybrid_owner_name, of the first actuator that is not commanded to the extension of the pose of
 * its block; -1: none. all: also of drives whose dofs are all forces. */
IFD_RT int ifd__drives_awaited(const ifd_hybrid *h, bool all);
/* s: an actuator of a drive takes at most this from any motion to rest anywhere in its stroke. */
double ifd__drives_longest(const ifd_hybrid *h);

/* Columns of the record and their values: actuators of drives, then rows of the channel map. */
ifd_status ifd__drives_columns(ifd_hybrid *h, ifd_arena *arena);
