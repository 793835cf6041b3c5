/* SPDX-License-Identifier: MIT */
/* The rigs of a test: freshness, acknowledgement and inputs of each. The block of the only rig is in the state of the
 * test; of several (rig/several.h) each has its own, and that of the test contains the worst of them.
 *
 * Members of a rig have the number `who` in faults: -1 with one rig, otherwise a number after the channels
 * (ifd_hybrid_owner_name). */
#pragma once

#include "hybrid/state.h"
#include "rig/several.h"

/* Set-up; part of ifd_hybrid. */
typedef struct ifd__rigs {
    const ifd_several *several; /* NULL: one rig */
    ifd__rig_heard *heard;      /* filled by sense */
    ifd__rig_state *block;      /* of each rig; of one that in the state of the test */
    bool sampled;               /* each rig has sent a measurement since this last was so */
    int delay[IFD__RIGS];       /* ticks from a command to the tick that uses its answer */
    double limit[IFD__RIGS];    /* ticks, of the silence of a rig */
    int of_interface[IFD_RIG_ACTUATORS], of_actuator[IFD_RIG_ACTUATORS];
} ifd__rigs;

/* A rig as limits and search use it. */
typedef struct ifd__rig_link {
    ifd__rig_state *state;
    double limit;    /* ticks */
    int who;         /* in faults */
    int delay;       /* ticks */
    bool fresh;      /* a new measurement is in use in this tick */
    bool answers;    /* a measurement has arrived, with `equalise` for a later tick */
    uint32_t inputs; /* IFD_INPUT_... */
} ifd__rig_link;

struct ifd_hybrid;

/* Whether a checkpoint can continue: all rigs are in this process, without measurements on their way, or none is. */
bool ifd__rigs_continue(const struct ifd_hybrid *h);

/* Before and after the rig is opened. */
ifd_status ifd__rigs_make(struct ifd_hybrid *h, ifd_note *note);
void ifd__rigs_layout(struct ifd_hybrid *h);
void ifd__rigs_opened(struct ifd_hybrid *h);
ifd_status ifd__rigs_columns(struct ifd_hybrid *h, ifd_arena *arena);

/* Of several: the rig of an interface, an actuator, a row of the channel map, or itself, by its number in faults. */
IFD_RT int ifd__rigs_owner(const struct ifd_hybrid *h, int who);

/* sense: takes what several rigs reported. Then, with the new counts of all, their worst. */
IFD_RT void ifd__rigs_take(struct ifd_hybrid *h);
IFD_RT void ifd__rigs_summarise(struct ifd_hybrid *h);
/* After the state of a checkpoint: what the rigs reported in this tick, from the state `old`. It is an input of the
 * tick, and recorded. */
IFD_RT void ifd__rigs_reported(struct ifd_hybrid *h, const double *old);
