/* SPDX-License-Identifier: MIT */
/* Calls of a rig (exchange.h) whose optional members may be missing. */
#pragma once

#include <interfield/channels.h>

#include "base/beat.h"

IFD_RT static inline void ifd__rig_mark(const ifd_rig *rig, ifd_tick_place place)
{
    ifd__beat_mark(rig->beat, place, rig->number, 0);
}

/* Open and close, which mark their places. A rig without close has nothing to close. */
static inline ifd_status ifd__rig_open(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    ifd__rig_mark(rig, IFD_AT_OPEN);
    ifd_status status = rig->ops->open(rig, values, arena, note);
    ifd__beat_at(rig->beat, IFD_AT_NONE);
    return status;
}

static inline void ifd__rig_close(ifd_rig *rig)
{
    ifd__rig_mark(rig, IFD_AT_CLOSE);
    if (rig->ops->close)
        rig->ops->close(rig);
    ifd__beat_at(rig->beat, IFD_AT_NONE);
}

IFD_RT static inline void ifd__rig_command(ifd_rig *rig, const ifd_command *command, double *x)
{
    ifd__rig_mark(rig, IFD_AT_COMMAND);
    rig->ops->command(rig, command, x);
}

/* m: the previous measurement. False: no new one; then only IFD_INPUT_RIG_STOPPED of m->inputs can be new. */
IFD_RT static inline bool ifd__rig_sense(ifd_rig *rig, ifd_measure *m, double *x)
{
    ifd_measure now = *m;
    ifd__rig_mark(rig, IFD_AT_SENSE);
    bool fresh = rig->ops->sense(rig, &now, x);
    if (fresh)
        *m = now;
    else
        m->inputs |= now.inputs & IFD_INPUT_RIG_STOPPED;
    return fresh;
}

/* Whether the rig has a clock for a test. */
static inline bool ifd__rig_paces(const ifd_rig *rig)
{
    return rig->ops->wait != NULL;
}

IFD_RT static inline int64_t ifd__rig_wait(ifd_rig *rig, int64_t latest)
{
    ifd__rig_mark(rig, IFD_AT_WAIT);
    return rig->ops->wait ? rig->ops->wait(rig, latest) : -1;
}

/* Whether the rig has something to prepare; then 1: ready, 0: not yet, -1: never. */
static inline bool ifd__rig_warms(const ifd_rig *rig)
{
    return rig->ops->warm != NULL;
}

static inline int ifd__rig_warm(ifd_rig *rig, ifd_note *note)
{
    ifd__rig_mark(rig, IFD_AT_WARM);
    return rig->ops->warm ? rig->ops->warm(rig, note) : 1;
}

IFD_RT static inline const char *ifd__rig_why(const ifd_rig *rig)
{
    return rig->ops->why ? rig->ops->why(rig) : NULL;
}

static inline bool ifd__rig_simulated(const ifd_rig *rig)
{
    return rig->ops->simulated && rig->ops->simulated(rig);
}

/* Velocities or accelerations of the actuators in raw units per s or s2, without sign. */
void ifd__channel_map_rates(const ifd_channel_map *map, double rate[IFD_RIG_ACTUATORS]);
