/* SPDX-License-Identifier: MIT */
/* The rigs of a test: freshness, acknowledgement and inputs of each. A test with one rig keeps them in the state of
 * the test; with several (rig/several.h) each has a block, and the state of the test contains the worst of them.
 *
 * Members of a rig have the number `who` in faults: -1 with one rig, otherwise a number after the channels
 * (ifd_hybrid_channel_name). */
#pragma once

#include "hybrid/state.h"
#include "rig/several.h"

/* Set-up; part of ifd_hybrid. */
typedef struct ifd__rigs {
    const ifd_several *several; /* NULL: one rig */
    ifd__rig_heard *heard;      /* filled by sense */
    int at;                     /* offset of the blocks */
    bool sampled;               /* each rig has sent a measurement since this last was so */
    int delay[IFD__RIGS];       /* ticks from a command to the tick that uses its answer */
    double limit[IFD__RIGS];    /* ticks, of the silence of a rig */
    int of_interface[IFD_RIG_CHANNELS], of_actuator[IFD_RIG_CHANNELS];
} ifd__rigs;

/* A rig as limits and search use it. */
typedef struct ifd__rig_link {
    double *heard, *stale, *acknowledged, *silent, *leads;
    double limit;    /* ticks */
    int who;         /* in faults */
    int delay;       /* ticks */
    bool fresh;      /* a new measurement is in use in this tick */
    bool answers;    /* a measurement has arrived, with `equalise` for a later tick */
    double arrived;  /* tick of the newest acknowledged command, whether it was sent or not */
    uint32_t inputs; /* IFD_INPUT_... */
} ifd__rig_link;

struct ifd_hybrid;

/* Whether a checkpoint can continue: all rigs are in this process, without measurements on their way, or none is. */
bool ifd__rigs_continue(const struct ifd_hybrid *h);

/* Before and after the rig is opened. */
ifd_status ifd__rigs_make(struct ifd_hybrid *h, ifd_note *note);
void ifd__rigs_layout(struct ifd_hybrid *h);
ifd_status ifd__rigs_columns(struct ifd_hybrid *h, ifd_arena *arena);

/* Number of rigs, at least 1; rig r; the rig of an interface, an actuator, a row of the channel map, or itself, by
 * its number in faults. */
IFD_RT int ifd__rigs_count(const struct ifd_hybrid *h);
IFD_RT ifd__rig_link ifd__rigs_link(const struct ifd_hybrid *h, int r);
IFD_RT int ifd__rigs_of(const struct ifd_hybrid *h, int who);

/* sense: takes what several rigs reported. Then, with the new counts of all, their worst. */
IFD_RT void ifd__rigs_take(struct ifd_hybrid *h);
IFD_RT void ifd__rigs_summarise(struct ifd_hybrid *h);
/* After the state of a checkpoint: what the rigs reported in this tick, from the state `old`. It is an input of the
 * tick, and recorded. */
IFD_RT void ifd__rigs_reported(struct ifd_hybrid *h, const double *old);
/* Whether the rig of an interface or actuator has sent a new measurement; fresh: of any rig. */
IFD_RT bool ifd__rigs_fresh(const struct ifd_hybrid *h, int who, bool fresh);
/* Successive ticks without one. */
IFD_RT double ifd__rigs_stale(const struct ifd_hybrid *h, int who);
/* The first rig that has not acknowledged a command after that tick; their number: each has. */
IFD_RT int ifd__rigs_unheard(const struct ifd_hybrid *h, double tick);
/* The first rig whose operator has not allowed motion yet; -1: each has. */
IFD_RT int ifd__rigs_refuse(const struct ifd_hybrid *h);

/* The share of ticks without a new measurement of a rig: of the last second, for arming, and of the state run, for
 * the outcome. Counts of tenths of a second are kept; ticks before the first measurement do not count. A test with
 * elastic time waits for its measurements and is not judged. */

/* After the measurements of a tick. */
IFD_RT void ifd__fresh_count(struct ifd_hybrid *h);
/* The share of stale ticks of the last second, or since the first measurement if that is shorter. */
IFD_RT double ifd__fresh_missed(const struct ifd_hybrid *h);
/* Whether that share permits arming. */
IFD_RT bool ifd__fresh_enough(const struct ifd_hybrid *h);
