/* SPDX-License-Identifier: MIT */
/* Specimens that several actuators move together, in a hybrid test. The test thinks in dofs; actuators stand between
 * those and the rig, each with its own governor and limits. A channel that no drive moves is its own actuator. */
#ifndef IFD_RUN_DRIVES_H
#define IFD_RUN_DRIVES_H

#include <interfield/hybrid.h>

#include "rig/governor.h"

/* Rows of one actuator of a drive. */
enum {
    ACT_P, /* governed command: extension and step */
    ACT_W,
    ACT_ASKED, /* what its governor was asked for last, m */
    ACT_XM,    /* measured, now and before */
    ACT_FM,
    ACT_XM_OLD,
    ACT_FM_OLD,
    ACT_OFF, /* m, measured minus what the wanted pose takes */
    ACT_FROZEN,
    ACT_MOVED,
    ACT_BEHIND, /* m, by which a slow actuator would lag behind its command */
    ACT_SHARE,  /* m, by which it is moved to share a force (share.c), and by which it was found off its place */
    ACT_FOUND,
    ACT_STUCK, /* of its load cell (force_stuck.h) */
    ACT_STUCK_LAST = ACT_STUCK + 9,
    ACT_PEAK_TRACKING,
    ACT_PEAK_FORCE,
    ACT_PEAK_COMMAND,
    ACT_A, /* m/s2, acceleration of the command, smoothed; largest in ramp-in and run; largest velocity, m/s */
    ACT_PEAK_A,
    ACT_PEAK_V,
    ACT_ROWS
};

typedef struct ifd__driven {
    const ifd_driven *o;
    ifd_drive *drive;
    int first; /* of its actuators at the rig */
    int at;    /* offset of: whether the pose is lost, then rows of each actuator */
    ifd__bounds bounds[IFD_DRIVE_ACTUATORS];
} ifd__driven;

/* The rows of actuator j of drive d. */
IFD_RT double *ifd__drives_row(const ifd_hybrid *h, int d, int j);

/* The dofs of a drive, as one row of its channels says. */
IFD_RT void ifd__drives_gather(const ifd_hybrid *h, const ifd__driven *d, int row, double *q);

/* Which actuator of the rig moves which channel; takes room in x. */
ifd_status ifd__drives_make(ifd_hybrid *h, ifd_arena *arena, ifd_note *note);

/* Channels' positions and forces from h->measure. */
IFD_RT void ifd__drives_sense(ifd_hybrid *h);
/* Limits of the actuators. ticks: from the news before to these. */
IFD_RT ifd_action ifd__drives_guard(ifd_hybrid *h, double ticks, ifd_action worst);
/* Positions and velocities of all actuators from the channels' commands. */
IFD_RT void ifd__drives_command(ifd_hybrid *h, ifd_command *c);
/* Keeps actuators of a drive from pushing against each other: ACT_SHARE of each. anew: it was just found
 * where its commands are. */
IFD_RT void ifd__share_step(ifd_hybrid *h, const ifd__driven *d, bool anew);
ifd_status ifd__share_check(const ifd_driven *o, ifd_note *note);
/* Nothing is commanded. */
IFD_RT void ifd__drives_still(ifd_hybrid *h);
/* No command moves; every actuator is commanded to be where its block wants it. */
IFD_RT bool ifd__drives_rest(const ifd_hybrid *h);
IFD_RT bool ifd__drives_met(const ifd_hybrid *h);

/* Peaks of an actuator of the rig, as ifd_hybrid_peaks; false when no drive has it. */
bool ifd__drives_peaks(const ifd_hybrid *h, int actuator, double out[3]);

/* Columns of the record, and their values: actuators of drives, then rows of the channel map. */
int ifd__drives_columns(const ifd_hybrid *h);
ifd_status ifd__drives_name_columns(ifd_hybrid *h, ifd_arena *arena);
IFD_RT double *ifd__drives_publish(const ifd_hybrid *h, double *v);

#endif
