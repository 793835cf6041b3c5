/* SPDX-License-Identifier: MIT */
/* The inside of a hybrid test, shared by hybrid.c (the tick), make.c (set-up) and guard.c (limits). */
#ifndef IFD_HYBRID_HYBRID_H
#define IFD_HYBRID_HYBRID_H

#include <interfield/hybrid.h>
#include <interfield/indicator.h>

#include "base/arena.h"
#include "model/dof_pair.h"
#include "rig/governor.h"
#include "substructure/substructure.h"
#include "hybrid/drives/drives.h"
#include "hybrid/find.h"
#include "hybrid/state.h"
#include "hybrid/states.h"

typedef struct ifd__test_interface {
    const ifd_interface_options *o;
    ifd__bounds bounds;
    ifd_compensator *compensator;
    int at; /* offset of its state; the compensator's follows */
    double factor, creep;
    double stiffness; /* N/m, estimate of one device; 0: none */
    int actuator;     /* of the rig; -1: a drive's */
    ifd_indicator *indicator;
    int indicator_at;
    bool corrects;        /* the compensator chooses the force for the solver */
    const double *ground; /* carried: its displacement and velocity at so many exchanges; NULL when it rests */
    int grounds;
} ifd__test_interface;

struct ifd_hybrid {
    ifd_hybrid_options opt;
    ifd__substructure numerical;
    double stage_time; /* s, simulated, between two measuring stages */
    double period;     /* s, wall, of a tick */
    int interfaces;
    ifd__test_interface *interface;
    int actuators, drives;
    int find_at; /* offset of the state of find.h, a block per actuator */
    ifd__driven *drive;
    ifd_rig rig;
    struct ifd__mailbox *mailbox;        /* of snapshots */
    const struct ifd_snapshot *going_on; /* where ramp-in leads to; NULL: to the start */
    struct ifd__preload *preload;        /* NULL: the test begins as the model does */
    struct ifd__place *place;            /* of the preloaded structure in x */
    double *x;
    int rig_at, own, size;
    int rest_at; /* forces on hold (rest.h) */
    long steps;
    bool frozen; /* probing: compensators do not adapt */
    bool closed;
    bool real;                /* the rig moves something; the recorded one, in a replay */
    ifd_measure raw, measure; /* as the rig said it; in m and N */
    ifd_measure heard;        /* what it said in a tick that is not recorded, until one is */
    bool news, listened;      /* whether there is such a thing; whether the rig was asked in this tick */
    ifd_command command;
    double *value; /* of each row of the channel map, in its unit */
    int columns;
    ifd_column *column;
    double *values;
    int indicated; /* the first column of the indicators */
    bool took;     /* a record of a remote master in this tick: the one input besides the order and the measurement */
    ifd_remote_target taken;
    bool local; /* the structure is computed here: its response is recorded (response.h) */
    ifd__response response;
    int response_at;  /* offset of its state */
    int computed;     /* the first of its columns */
    double *force;    /* of each interface on the structure: scratch */
    int shows, moves; /* numbers of `shown`; displacements, which are the first of them */
    ifd_tick_trace trace;
    int64_t stamp; /* ns, when the present stage of the tick began */
    int *shown; /* offsets in x of what is published besides: displacements, multipliers; -1 - i: condensed dof i */
};

/* Blocks of its state: its own; of an interface; behind it, of that interface's compensator. */
IFD_RT static inline ifd__test_state *ifd__test_of(const ifd_hybrid *h)
{
    return (ifd__test_state *)(h->x + h->own);
}

IFD_RT static inline ifd_machine ifd__state_of(const ifd_hybrid *h)
{
    return (ifd_machine)(int)ifd__test_of(h)->state;
}

IFD_RT static inline ifd__interface_state *ifd__interface_of(const ifd_hybrid *h, int k)
{
    return (ifd__interface_state *)(h->x + h->interface[k].at);
}

IFD_RT static inline double *ifd__compensator_of(const ifd_hybrid *h, int k)
{
    return (double *)(ifd__interface_of(h, k) + 1);
}

/* The values of the columns (publish.c). */
IFD_RT void ifd__hybrid_record(ifd_hybrid *h);
/* One column more; without an arena it is counted only. */
ifd_status ifd__hybrid_column(ifd_hybrid *h, ifd_arena *arena, const char *owner, ifd_quantity quantity,
                              bool rotates);
IFD_RT double ifd__hybrid_shown(const ifd_hybrid *h, int i);

/* exchange.c. Takes the newest measurement; false when there is none. */
IFD_RT bool ifd__exchange_sense(ifd_hybrid *h);
/* Asks the rig, once in a tick. */
IFD_RT void ifd__exchange_listen(ifd_hybrid *h);
/* The force of interface k on the structure (N). */
IFD_RT double ifd__exchange_force(const ifd_hybrid *h, int k);
/* These forces as loads on the numerical substructure. */
IFD_RT void ifd__exchange_load(ifd_hybrid *h);
/* The specimens stand at the start: the substructure begins with the forces there. */
IFD_RT void ifd__exchange_begin(ifd_hybrid *h);
/* What falls due, and where the next exchange needs its forces. */
IFD_RT ifd_action ifd__exchange_solve(ifd_hybrid *h, ifd_action worst);
/* The inertia of the rig's mass that the measured force of interface k holds; whether its acceleration is known. */
IFD_RT double ifd__rig_mass_force(const ifd_hybrid *h, int k);
IFD_RT bool ifd__rig_mass_known(const ifd_hybrid *h, int k);

/* The model at its initial state, every path at its start: before the first tick, and when a trip is reset. */
IFD_RT void ifd__hybrid_restart(ifd_hybrid *h);

/* Notes a fault of this tick: counts it and returns the worse of its action and `so_far`; latches the
 * first of the worst that act. */
IFD_RT ifd_action ifd__guard_note(ifd_hybrid *h, ifd_trip trip, int channel, double value, double limit,
                                  ifd_action so_far);
/* What is latched of a fault: what it is, whose, its value and the limit; the tick is this one. */
IFD_RT void ifd__guard_latch(ifd_hybrid *h, ifd_trip trip, int channel, double value, double limit);
/* A part on a worker was given up in mid-step: there is no state to go on from. */
IFD_RT ifd_action ifd__guard_given_up(ifd_hybrid *h, ifd_action so_far);
/* All limits on what was just measured; the worst action. */
IFD_RT ifd_action ifd__guard_measure(ifd_hybrid *h, bool fresh, const ifd_tick_in *in);
/* An interface, or an actuator of a drive, as its limits see it. */
typedef struct ifd__watched {
    int who; /* as ifd_hybrid_channel_name counts */
    const ifd_limits *limits;
    bool known,
        actuator;     /* all that its force needs is measured; it is one actuator of the rig, not a dof of a drive */
    bool owes;        /* a motion must change its force: the rig is real, or the case gives its stiffness */
    double stiffness; /* N/m, as the case gives it; 0: unknown */
    double xm, xm_old, fm, force_rate, off, energy, motion[2];
    double step; /* m, of the command in the last tick */
    ifd__load_cell *load_cell;
    double *slow_lag;                   /* m, by which a slow actuator would lag behind its command */
    double *stuck_ticks, *stuck_travel; /* in a row with an unchanged position; m of the command meanwhile */
    double *peak_tracking, *peak_force;
} ifd__watched;

IFD_RT ifd_action ifd__guard_watched(ifd_hybrid *h, const ifd__watched *w, ifd_action worst);
/* Whether what falls due can be solved. A part on a worker must have come back; until it has, the exchange waits for
 * the next tick and the specimens where they are, and the overrun policy adds its action to *worst. */
IFD_RT bool ifd__guard_job(ifd_hybrid *h, const ifd_tick_in *in, ifd_action *worst);

/* options.c. Whether the rig moves something: not one in this process, nor a record of one. */
bool ifd__hybrid_real(const ifd_hybrid_options *o);
/* Times, shares and counts; names the function that sets them when they were left at 0. */
ifd_status ifd__hybrid_check_numbers(const ifd_hybrid_options *o, ifd_note *note);

enum { IFD__WHO = 160 }; /* characters of "interface 'bearing'" in a message */

/* rig_mass.c. Set-up: models without the mass that is left to the rig. */
ifd_status ifd__rig_mass_take(ifd_arena *arena, ifd_hybrid_options *o, ifd_note *note);

/* floor_motion.c. Set-up; then what the ground adds to the motion of interface k at the exchange that comes next. */
ifd_status ifd__floor_motion_make(ifd_hybrid *h, ifd_arena *arena, int k, ifd_note *note);
IFD_RT void ifd__floor_motion_now(const ifd_hybrid *h, int k, double *u, double *v);

/* tracking.c. Per interface at set-up; at the beginning of a run; in every tick, when it has sensed. */
ifd_status ifd__indicate_make(ifd_hybrid *h, ifd_arena *arena, int k, ifd_note *note);
ifd_status ifd__indicate_columns(ifd_hybrid *h, ifd_arena *arena);
IFD_RT void ifd__indicate_begin(ifd_hybrid *h);
IFD_RT void ifd__indicate_tick(ifd_hybrid *h);
IFD_RT void ifd__indicate_publish(ifd_hybrid *h);
/* Channel k stands where it is and has done so for a while. */
IFD_RT void ifd__indicate_rest(ifd_hybrid *h, int k);
/* Velocity and acceleration of the measured position of interface k. */
IFD_RT void ifd__indicate_motion(const ifd_hybrid *h, int k, double out[2]);

/* Interface k is commanded what its governor gave, and is to be there. */
IFD_RT void ifd__hybrid_command(ifd_hybrid *h, int k, ifd__governed g);
/* Whether every command, of interfaces and of actuators of drives, moves by no more than this share of the step that
 * its acceleration can end within a tick. */
IFD_RT bool ifd__hybrid_slower(const ifd_hybrid *h, double share);
/* Whether no command moves. */
IFD_RT bool ifd__hybrid_still(const ifd_hybrid *h);
/* Hands the command to the rig. */
IFD_RT void ifd__hybrid_deliver(ifd_hybrid *h);

/* park.c: a tripped test that waits. Whether this is a tick that is not recorded; then it is done. */
IFD_RT bool ifd__park_tick(ifd_hybrid *h, const ifd_tick_in *in);
/* After the measurement of a recorded tick: what was measured before it is too old to tell rates. */
IFD_RT void ifd__park_over(ifd_hybrid *h);
/* Replay: so many ticks were not recorded. */
IFD_RT void ifd__park_pass(ifd_hybrid *h, uint64_t ticks);

/* The trace of a tick: from its begin on faults are gathered, each stage says when it is over, and at
 * the end the state is hashed. */
IFD_RT void ifd__trace_begin(ifd_hybrid *h);
IFD_RT void ifd__trace_stage(ifd_hybrid *h, int stage);
IFD_RT void ifd__trace_end(ifd_hybrid *h);

#endif
