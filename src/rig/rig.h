/* SPDX-License-Identifier: MIT */
/* Calls of a rig of any interface version (exchange.h). A rig of interface 3 ends before the members wait, warm and
 * why: they must not be read. Its measurement ends before the stamp. */
#ifndef IFD_RIG_RIG_H
#define IFD_RIG_RIG_H

#include <interfield/exchange.h>

static inline bool ifd__rig_stamps(const ifd_rig *rig)
{
    return rig->ops->abi >= 4;
}

/* m: the previous measurement. False: no new one; then only IFD_INPUT_RIG_STOPPED of m->inputs can be new. */
IFD_RT static inline bool ifd__rig_sense(ifd_rig *rig, ifd_measure *m, double *x)
{
    ifd_measure now = *m;
    bool fresh = rig->ops->sense(rig, &now, x);
    if (!ifd__rig_stamps(rig)) {
        now.clock = IFD_CLOCK_NONE;
        now.taken = 0;
        now.inputs = fresh ? now.inputs : m->inputs;
    }
    if (fresh)
        *m = now;
    else
        m->inputs |= now.inputs & IFD_INPUT_RIG_STOPPED;
    return fresh;
}

/* Whether the rig has a clock for a test. */
static inline bool ifd__rig_paces(const ifd_rig *rig)
{
    return ifd__rig_stamps(rig) && rig->ops->wait;
}

IFD_RT static inline int64_t ifd__rig_wait(ifd_rig *rig, int64_t latest)
{
    return ifd__rig_paces(rig) ? rig->ops->wait(rig, latest) : -1;
}

/* Whether the rig has something to prepare; then 1: ready, 0: not yet, -1: never. */
static inline bool ifd__rig_warms(const ifd_rig *rig)
{
    return ifd__rig_stamps(rig) && rig->ops->warm;
}

static inline int ifd__rig_warm(ifd_rig *rig, ifd_note *note)
{
    return ifd__rig_warms(rig) ? rig->ops->warm(rig, note) : 1;
}

IFD_RT static inline const char *ifd__rig_why(const ifd_rig *rig)
{
    return ifd__rig_stamps(rig) && rig->ops->why ? rig->ops->why(rig) : NULL;
}

#endif
