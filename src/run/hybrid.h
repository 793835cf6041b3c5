/* SPDX-License-Identifier: MIT */
/* The inside of a hybrid test, shared by hybrid.c (the tick), hybrid_make.c (set-up) and guard.c (limits). */
#ifndef IFD_RUN_HYBRID_H
#define IFD_RUN_HYBRID_H

#include <interfield/hybrid.h>
#include <interfield/indicator.h>

#include "rig/governor.h"
#include "run/calm.h"
#include "run/computed.h"
#include "run/drives.h"
#include "run/find.h"
#include "run/machine.h"

/* Rows of a test's own state. */
enum {
    HYB_STATE, /* ifd_machine */
    HYB_TICK,  /* ticks so far */
    HYB_STEP,  /* whole steps done */
    HYB_DUE,   /* the exchange of a step that comes next */
    HYB_PHASE, /* ticks of full rate since the last stage, now and at the last tick */
    HYB_PHASE_OLD,
    HYB_RATE,  /* simulated time per scaled wall time, 0..1 */
    HYB_K,     /* ticks since the order to hold or to resume; of a remote master: of the present path */
    HYB_N,     /* ticks which that takes */
    HYB_RATE0, /* rate and phase at its start and at its end */
    HYB_RATE1,
    HYB_FROM,
    HYB_TO,
    HYB_SLOPE, /* change of the rate in a tick, now and at its start */
    HYB_SLOPE0,
    HYB_RAMP,         /* s of wall clock in the present state */
    HYB_SETTLED,      /* s of wall clock since every channel arrived */
    HYB_STALE,        /* ticks in a row without news */
    HYB_LATE,         /* ticks in a row that were late */
    HYB_LATE_JOB,     /* ticks in a row that waited for a part on a worker */
    HYB_INPUTS,       /* digital inputs as last seen */
    HYB_HEARD,        /* whether the rig has ever said where it stands */
    HYB_ARMED,        /* how often the test was armed */
    HYB_ARMED_TICK,   /* tick at which it was, or began to return into its stroke */
    HYB_COMMANDED,    /* whether positions are commanded */
    HYB_ACKNOWLEDGED, /* tick of the newest command that the rig has acknowledged as it should */
    HYB_SILENT,       /* ticks for which nothing new was heard, or nothing was acknowledged; the larger */
    HYB_LEADS,        /* ticks by which the newest acknowledgement leads what was sent; 0 when it does not */
    HYB_SEARCHED,     /* tick at which the search for the rig's position began */
    HYB_RETURN_TIME,  /* s, of the way back into the stroke */
    HYB_AGREE,        /* idle: samples in a row that agree */
    HYB_FOUND,        /* idle: whether the rig was found */
    HYB_WAIT,         /* idle: ifd_wait, its channel, value and limits; s so far */
    HYB_WAIT_CHANNEL,
    HYB_WAIT_VALUE,
    HYB_WAIT_LOW,
    HYB_WAIT_HIGH,
    HYB_WAITED,
    HYB_TRIP, /* latched fault, its tick, channel, value, limit */
    HYB_TRIP_TICK,
    HYB_TRIP_CHANNEL,
    HYB_TRIP_VALUE,
    HYB_TRIP_LIMIT,
    HYB_PRELOAD, /* corrections of the static equilibrium so far, ticks over which forces are
                  * averaged, the last one's size */
    HYB_PRELOAD_TICKS,
    HYB_PRELOAD_LAST,
    HYB_CHECKPOINT,      /* a snapshot is wanted at the next tick at which the state is whole */
    HYB_CHECKPOINT_AGE,  /* s of wall clock in state run since the last one */
    HYB_CHECKPOINT_HELD, /* one was taken since the test came to rest on hold */
    HYB_PARKED,          /* ticks since the last one that was recorded, of a tripped test that waits */
    HYB_BRAKED,          /* s of wall clock in ramp-out since every command came to rest */
    HYB_CALM,            /* 0..1, share of the calm command (calm.h) in what leaves */
    HYB_COUNTS,          /* IFD_TRIP_COUNT counters follow */
    HYB_ROWS = HYB_COUNTS + IFD_TRIP_COUNT
};

/* Values that a measured motion is fitted to; columns of a channel's indicators. */
enum { IFD__FITTED = 9, IFD__INDICATED = 3 };

/* Rows of what was seen of a channel (observe.h) and of its way out (leave.c). */
enum {
    SEEN_W, /* m, the last step of the command */
    SEEN_A, /* m/s2, its acceleration, smoothed once and twice; largest in ramp-in and run; largest velocity, m/s */
    SEEN_AA,
    SEEN_PEAK_A,
    SEEN_PEAK_V,
    SEEN_LAG_SUM, /* fading sums for the lag of the measured position behind the command */
    SEEN_LAG_SIZE,
    SEEN_FM_OLDER, /* N, the force two ticks ago */
    SEEN_TICKS,    /* measurements so far, up to the memory of the noise */
    SEEN_STEP_F,   /* N, m: the least difference of two forces and positions in a row that is none */
    SEEN_STEP_X,
    SEEN_NOISE_F, /* N2, m2: variance of the noise of force and position */
    SEEN_NOISE_X,
    SEEN_STIFFNESS, /* N/m, of the last cycles, and where its present piece began */
    SEEN_PIECE_X,
    SEEN_PIECE_F,
    SEEN_PEAK_F,    /* N, largest force since the test was armed: what a sensor showed before tells nothing of it */
    SEEN_PIECE_FAR, /* m, the largest distance from there so far, with its sign */
    SEEN_CALM,      /* the command without its zigzag (calm.h) */
    SEEN_CALM_LAST = SEEN_CALM + IFD__CALM_ROWS - 1,
    IFD__OBSERVED
};
/* Rows of what is known of a load cell (force_stuck.h). */
enum {
    STUCK_OLD, /* N, the last force, and its change to it */
    STUCK_CHANGE,
    STUCK_LIVELY, /* share of ticks in which it turned round; N2, variance of its noise; N, the noise last seen */
    STUCK_VARIANCE,
    STUCK_NOISE,
    STUCK_AT, /* N, m: what it has shown since, and where; for so many ticks */
    STUCK_X,
    STUCK_TICKS,
    STUCK_SAMPLES, /* readings so far, one more than the memory of the noise at most */
    STUCK_CHANGED, /* whether it has changed at all since the position was let go */
    IFD__STUCK
};
enum {
    OUT_PHASE, /* of the way out, and s in it */
    OUT_TIME,
    OUT_LENGTH, /* s, of a planned motion; its start: m, m/s, m/s2; its end, m */
    OUT_P,
    OUT_V,
    OUT_A,
    OUT_END,
    OUT_FORCE, /* N, smoothed; more slowly; the position with it, m */
    OUT_SLOW,
    OUT_X,
    OUT_SIDE, /* N, the force that was last told from noise at rest; how often its sign changed */
    OUT_SWINGS,
    OUT_SETTLED,   /* s since it last changed */
    OUT_BEGAN,     /* N, when unloading began */
    OUT_STIFFNESS, /* N/m, that unloading reckons with, what it tends to, and what was known before */
    OUT_TOWARDS,
    OUT_KNOWN,
    OUT_MARK_F, /* N, m: where its present piece began */
    OUT_MARK_X,
    OUT_GAIN,  /* 0..1, how far unloading has engaged */
    OUT_SPEED, /* m/s, of unloading */
    OUT_NOISE, /* N, of the load cell, when it began */
    OUT_SAME,  /* m, where the reading of the load cell changed last */
    IFD__OUT
};

/* Rows of one channel's state, followed by its compensator's. */
enum {
    CH_FROM_U, /* the path between two stages: displacement and velocity (simulated time) at both ends */
    CH_FROM_V,
    CH_FROM_A, /* m per tick squared, where another program leads */
    CH_TO_U,
    CH_TO_V,
    CH_TO_A, /* likewise */
    CH_P,    /* governed command: position and step */
    CH_W,
    CH_ASKED,    /* what the governor was asked for last, m */
    CH_WANTED,   /* where the specimen should be now: what the last tick aimed at */
    CH_AIMED,    /* and what this tick aims at */
    CH_WANTED_V, /* m/s of wall clock */
    CH_AIMED_V,
    CH_XM, /* measured, now and before */
    CH_FM,
    CH_XM_OLD,
    CH_FM_OLD,
    CH_FELT, /* N, as the structure would have felt it at the last tick, and where it should have been, m */
    CH_FELT_AT,
    CH_FROZEN, /* ticks in a row with an unchanged position */
    CH_MOVED,  /* m the command went meanwhile */
    CH_BEHIND, /* m, by which a slow actuator would lag behind it */
    CH_START,  /* m, where it stood when armed */
    CH_ENERGY, /* J: work of the measured force over measured minus wanted motion */
    CH_PEAK_TRACKING,
    CH_PEAK_FORCE,
    CH_PEAK_COMMAND,
    CH_FORCE_START, /* N, controlled force: where ramp-in began, what the loop aims at, s of simulated time */
    CH_FORCE_AIM,
    CH_FORCE_TIME,
    CH_FORCE_STEP, /* N, by which that changed in the last tick */
    CH_OFFSET,     /* N, of the measured force: taken off */
    CH_FORCE_SUM,  /* preload: sum of forces and of their squares */
    CH_FORCE_SQUARES,
    CH_PEAK_OFF, /* N, its largest distance from what it aimed at */
    CH_SEEN,     /* what command and measurement showed (observe.h), then the way out (leave.c) */
    CH_STUCK = CH_SEEN + IFD__OBSERVED + IFD__OUT, /* of its load cell */
    CH_PAST = CH_STUCK + IFD__STUCK,               /* the last measured positions, IFD__FITTED of them */
    CH_ROWS = CH_PAST + IFD__FITTED,
    CH_PEAK_A = CH_SEEN + SEEN_PEAK_A,
    CH_PEAK_V = CH_SEEN + SEEN_PEAK_V
};

typedef struct ifd__way {
    const ifd_channel_options *o;
    ifd__bounds bounds;
    ifd_compensator *compensator;
    int at; /* offset of its rows; the compensator's follow */
    double factor, creep;
    double stiffness; /* N/m, estimate of one device; 0: none */
    int actuator;     /* of the rig; -1: a drive's */
    ifd_indicator *indicator;
    int indicator_at;
    bool corrects;        /* the compensator chooses the force for the solver */
    const double *ground; /* carried: its displacement and velocity at so many exchanges; NULL when it rests */
    int grounds;
} ifd__way;

struct ifd_hybrid {
    ifd_hybrid_options opt;
    ifd__computed computed;
    double stage_time; /* s, simulated, between two measuring stages */
    double period;     /* s, wall, of a tick */
    int channels;
    ifd__way *way;
    int actuators, drives;
    int find_at; /* offset of the rows of find.h */
    ifd__driven *drive;
    ifd_rig rig;
    struct ifd__mailbox *mailbox;        /* of snapshots */
    const struct ifd_snapshot *going_on; /* where ramp-in leads to; NULL: to the start */
    struct ifd__preload *preload;        /* NULL: the test begins as the model does */
    struct ifd__place *place;            /* of the preloaded structure in x */
    double *x;
    int rig_at, own, size;
    long steps;
    bool frozen; /* probing: compensators do not adapt */
    bool closed;
    bool real;                /* the rig moves something; the recorded one, in a replay */
    ifd_measure raw, measure; /* as the rig said it; in m and N */
    ifd_measure heard;        /* what it said in a tick that is not recorded, until one is */
    bool news, listened;      /* whether there is such a thing; whether the rig was asked in this tick */
    ifd_command command;
    double *value; /* of each row of the channel map, in its unit */
    ifd_channel *channel;
    int columns;
    double *values;
    int indicated; /* the first column of the indicators */
    bool took;     /* a record of a remote master in this tick: the one input besides the order and the measurement */
    ifd_remote_target taken;
    int shows;
    ifd_tick_trace trace;
    int64_t stamp; /* ns, when the present stage of the tick began */
    int *shown; /* offsets in x of what is published besides: displacements, multipliers; -1 - i: condensed dof i */
};

IFD_RT static inline double *ifd__hyb(const ifd_hybrid *h, int row)
{
    return &h->x[h->own + row];
}

IFD_RT static inline double *ifd__way_row(const ifd_hybrid *h, int channel, int row)
{
    return &h->x[h->way[channel].at + row];
}

/* How far apart the two ends of a specimen are. */
IFD_RT static inline double ifd__stretch(const ifd_channel_options *o, const double *u)
{
    return (o->to >= 0 ? u[o->to] : 0.0) - (o->from >= 0 ? u[o->from] : 0.0);
}

/* The values of the columns (hybrid_publish.c). */
IFD_RT void ifd__hybrid_publish(ifd_hybrid *h);
IFD_RT double ifd__hybrid_shown(const ifd_hybrid *h, int i);
/* The forces just measured, as loads on the pieces. */
IFD_RT void ifd__hybrid_load(ifd_hybrid *h);

/* The model at its initial state, every path at its start: before the first tick, and when a trip is reset. */
IFD_RT void ifd__hybrid_restart(ifd_hybrid *h);

/* Notes a fault of this tick: counts it and returns the worse of its action and `so_far`; latches the
 * first of the worst that act. */
IFD_RT ifd_action ifd__guard_note(ifd_hybrid *h, ifd_trip trip, int channel, double value, double limit,
                                  ifd_action so_far);
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
    double step;            /* m, of the command in the last tick */
    double *stuck;          /* rows of its load cell (force_stuck.h) */
    double *behind;         /* m, by which a slow actuator would lag behind its command */
    double *frozen, *moved; /* ticks in a row with an unchanged position, and m of the command meanwhile */
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

enum { IFD__WHO = 160 }; /* characters of "channel 'bearing'" in a message */

/* rig_mass.c. Set-up: models without the mass that is left to the rig. Whether the acceleration of channel k is
 * known, and the inertia that its measured force holds besides. */
ifd_status ifd__rig_mass_take(ifd_arena *arena, ifd_hybrid_options *o, ifd_note *note);
IFD_RT bool ifd__rig_mass_known(const ifd_hybrid *h, int k);
IFD_RT double ifd__rig_mass_force(const ifd_hybrid *h, int k);

/* carried.c. Set-up; then what the ground adds to the motion of channel k at the exchange that comes next. */
ifd_status ifd__carried_make(ifd_hybrid *h, ifd_arena *arena, int k, ifd_note *note);
IFD_RT void ifd__carried_now(const ifd_hybrid *h, int k, double *u, double *v);

/* indicate.c. Per channel at set-up; at the beginning of a run; in every tick, when it has sensed. */
ifd_status ifd__indicate_make(ifd_hybrid *h, ifd_arena *arena, int k, ifd_note *note);
ifd_status ifd__indicate_columns(ifd_hybrid *h, ifd_arena *arena);
IFD_RT void ifd__indicate_begin(ifd_hybrid *h);
IFD_RT void ifd__indicate_tick(ifd_hybrid *h);
IFD_RT void ifd__indicate_publish(ifd_hybrid *h);
/* Channel k stands where it is and has done so for a while. */
IFD_RT void ifd__indicate_rest(ifd_hybrid *h, int k);
/* Velocity and acceleration of the measured position of channel k. */
IFD_RT void ifd__indicate_motion(const ifd_hybrid *h, int k, double out[2]);

/* Whether no command moves. */
IFD_RT bool ifd__hybrid_still(const ifd_hybrid *h);
/* Hands the command to the rig. */
IFD_RT void ifd__hybrid_deliver(ifd_hybrid *h);

/* park.c: a tripped test that waits. Whether this is a tick that is not recorded; then it is done. */
IFD_RT bool ifd__park_tick(ifd_hybrid *h, const ifd_tick_in *in);
/* The newest measurement since the last recorded tick; false when there is none. */
IFD_RT bool ifd__park_sense(ifd_hybrid *h, ifd_measure *out);
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
