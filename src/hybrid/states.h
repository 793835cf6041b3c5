/* SPDX-License-Identifier: MIT */
/* The state machine of a test: a pure function of present state, order, fault and events.
 *
 *     idle --arm--> ready --run--> ramp-in --arrived--> run --end--> ramp-out --arrived--> stopped
 *                                                       run <--resume-- hold <--hold-- run
 *     run --stop--> hold --at rest--> ramp-out          ramp-in --stop--> ramp-out, which brakes on the ramp first
 *     run --park--> hold --at rest--> stopped           ready, hold --unload--> ramp-out
 *     ramp-out, return, or a second time --stop--> tripped
 *     idle, outside the stroke --return--> return --arrived--> idle
 *     any moving state --fault or order trip--> tripped --reset--> idle
 *
 * Order quit ends a test in idle, ready or tripped, order stop in idle or ready. */
#pragma once

#include <interfield/hybrid.h>

#include "rig/limits.h"

/* Who gives an order, as far as it matters to a stop. HOLDER: or a signal. */
typedef enum ifd__from { IFD__FROM_HOLDER, IFD__FROM_VIEWER, IFD__FROM_ITSELF } ifd__from;
/* An order that waits on hold: ramp-out at rest, end at rest, ramp-out after an announcement. */
typedef enum ifd__wants { IFD__WANTS_NOTHING, IFD__WANTS_STOP, IFD__WANTS_PARK, IFD__WANTS_LATER } ifd__wants;

/* Whether motion is commanded. */
IFD_RT static inline bool ifd__machine_moves(ifd_machine s)
{
    return s == IFD_MACHINE_RAMP_IN || s == IFD_MACHINE_RUN || s == IFD_MACHINE_HOLD || s == IFD_MACHINE_RAMP_OUT ||
           s == IFD_MACHINE_RETURN;
}

typedef struct ifd__machine_in {
    ifd_order order;
    ifd__from from;
    ifd__wants wants;
    bool again, second; /* there was a stop before; this one is the second one, which trips */
    bool due;           /* what the test latched is due */
    bool simulated;     /* no iron moves */
    ifd_action action;  /* of the worst fault of this tick; NOTE: none */
    bool arrived;       /* ramp-in or ramp-out has reached its end */
    bool finished;      /* simulated time has reached its end */
    bool ready;         /* inputs set, positions found inside their strokes: may be armed */
    ifd_answer unready; /* otherwise: why not */
    bool alone;         /* the program that computes the structure has not sent its start yet */
    bool unsteady;      /* low pressure is not steady yet, where pressure is ordered */
    bool unseen;        /* a rig whose pressure is ordered does not measure */
    bool pressed;       /* an emergency stop is pressed */
    bool forbidden;     /* the operator of a rig server has not allowed motion yet */
    bool may_return;    /* found at rest outside a stroke, with a return path */
    bool blocked;       /* without a return path */
    ifd_answer kept;    /* outside the stroke: why it is not moved back yet */
    bool may_resume;
    bool relaxed;          /* a force has changed on hold by more than permitted */
    bool silent;           /* present forces are required, but this tick has no new measurement */
    bool rests;            /* hold has brought everything to rest */
    bool still;            /* no command moves */
    bool remote;           /* another program computes the structure */
    bool under_way;        /* elastic: commands of a run are under way, so that no instant of it is complete */
    bool updates;          /* specimens are identified */
    bool paced;            /* this program computes the motion: its pace may change */
    bool slowest, fastest; /* the ordered pace is at its end */
    bool watched;          /* the monitor of stability has slowed the test */
} ifd__machine_in;

IFD_RT ifd_machine ifd__machine_next(ifd_machine now, const ifd__machine_in *in);
/* Reason for which the order has no effect in this state, or its other effect. NONE: normal effect. */
IFD_RT ifd_answer ifd__machine_answer(ifd_machine now, const ifd__machine_in *in);

/* Digital outputs of the rig in a state: IFD_OUTPUT_... */
IFD_RT uint32_t ifd__machine_outputs(ifd_machine state);
