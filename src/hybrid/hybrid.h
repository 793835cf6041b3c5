/* SPDX-License-Identifier: MIT */
/* Internal data of a hybrid test, shared by hybrid.c (the tick), make.c (set-up) and guard.c (limits). */
#pragma once

#include <stdatomic.h>

#include <interfield/hybrid.h>
#include <interfield/indicator.h>

#include "base/arena.h"
#include "model/dof_pair.h"
#include "rig/governor.h"
#include "substructure/caution.h"
#include "hybrid/drives/drives.h"
#include "hybrid/io.h"
#include "hybrid/position_search.h"
#include "rig/sensors.h"
#include "hybrid/pace/pace.h"
#include "hybrid/rigs.h"
#include "hybrid/state.h"
#include "hybrid/states.h"

/* The faults of a test, whose members only the machinery sees. */
struct ifd__faults {
    ifd_hybrid *test;
};

typedef struct ifd__elastic ifd__elastic;

/* A block of the state: its place, and the pointer that gets its address when the state has memory. */
typedef struct ifd__block {
    int at;
    void *pointer;
} ifd__block;
enum { IFD__BLOCKS = 8 * IFD_RIG_ACTUATORS };

struct ifd_hybrid {
    ifd_hybrid_options opt;
    ifd__facts facts;
    ifd__io io;
    ifd__faults faults;
    const ifd__pace *pace;
    ifd__substructure numerical;
    double stage_time; /* s, simulated, between two stages with a measurement */
    double period;     /* s, wall, of a tick */
    double ramps;      /* s by which the motions of ramps advance in this tick */
    int interfaces;
    ifd__test_interface *interface;
    int actuators, drives;
    int forces;               /* interfaces in force control */
    ifd__finding *finding;    /* of each actuator of the rig (position_search.h) */
    struct ifd__start *start; /* iterative start (start_test.h); NULL: none */
    ifd__driven *drive;
    ifd_rig rig;
    ifd__rigs rigs;                      /* where it is several */
    struct ifd__units *units;            /* unit.h */
    struct ifd__mailbox *mailbox;        /* of snapshots */
    const struct ifd_snapshot *going_on; /* end of ramp-in; NULL: the start */
    struct ifd__preload *preload;        /* NULL: the test starts at the initial state of the model */
    struct ifd__place *place;            /* of the preloaded structure in x */
    double *x;                           /* the state: blocks, and behind them that of the rig */
    int size, hashed, rig_at;            /* its numbers; those before the ones that the hash of a tick leaves out */
    ifd__block block[IFD__BLOCKS];       /* in their order */
    int blocks;
    ifd__test_state *test;
    ifd__orders *orders;
    ifd__interface_state *each[IFD_RIG_ACTUATORS]; /* of each interface, followed by that of its compensator */
    double *line[IFD_RIG_ACTUATORS];               /* past commands of a force that the computed part commands */
    double *pose[IFD_RIG_ACTUATORS]; /* of each drive: whether its pose is lost, then the state of each actuator */
    ifd__response_state *recorded;   /* response.h */
    ifd__work *work;                 /* of each interface */
    ifd__elastic *elastic;           /* constants of elastic time (pace/elastic.h) */
    long steps;
    bool closed;
    ifd_measure raw, measure; /* as received; in m and N */
    ifd_measure heard;        /* measurement in a tick that is not recorded, used at the next recorded tick */
    bool news, listened;      /* whether there is such a measurement; whether the rig was read in this tick */
    ifd_command command;
    double *value; /* of each row of the channel map, in its unit */
    int columns;
    ifd_column *column;
    double *values;
    struct ifd__column_source *column_source; /* of each column (columns.h) */
    double *step_values; /* columns that are written at the end of a step, and kept by a checkpoint */
    int step_columns;
    bool took; /* this tick has an input of a remote master, in addition to order and measurement */
    ifd_remote_target taken;
    bool local; /* this program computes the structure and records its response (response.h) */
    ifd__response response;
    double *force;         /* of each interface on the structure: scratch memory */
    int shows, moves;      /* numbers in `shown`; displacements, which are first */
    ifd_slowdown slowdown; /* of the last run; no tick reads it */
    ifd_tick_trace trace;
    bool untraced; /* nobody records the test: no times of stages, no hash */
    int64_t stamp; /* ns, start of the present stage of the tick */
    ifd_note cold; /* errors of a rig that does not become ready; with its own arena, as the other one is sealed */
    uint32_t gate, gate_before; /* of this tick and of the last one (executor.h) */
    uint32_t rig_gates;         /* those of the rig, once it is warm */
    double wall;                /* s, of this tick (executor.h) */
    ifd_order ordered;          /* order of this tick, and who gave it */
    uint32_t source;
    double standstill;              /* s: longest time without progress (standstill.h) */
    double catch_up;                /* s: longest way of an actuator of a drive */
    int64_t warmed, warm_due;       /* ns: first call, next call (rig_ready.h) */
    _Atomic(const char *) why;      /* what the rig reported at the latched fault */
    _Atomic double fault_number[4]; /* of its sentence (fault_text.h) */
    double late_after;              /* s: a tick that starts later is late */
    atomic_int faulty;              /* 1 + the channel of the latched fault; 0: none. Read by other threads */
    int *shown; /* offsets in x of other published values: displacements, multipliers; -1 - i: condensed dof i */
};

/* Blocks of the state: of the test; of an interface; after it, of its compensator. */
IFD_RT static inline ifd__test_state *ifd__test_of(const ifd_hybrid *h)
{
    return h->test;
}

IFD_RT static inline ifd_machine ifd__state_of(const ifd_hybrid *h)
{
    return (ifd_machine)(int)h->test->state;
}

IFD_RT static inline ifd__interface_state *ifd__interface_of(const ifd_hybrid *h, int k)
{
    return h->each[k];
}

IFD_RT static inline double *ifd__compensator_of(const ifd_hybrid *h, int k)
{
    return (double *)(h->each[k] + 1);
}

/* The place of a block in the state. */
IFD_RT static inline int ifd__place_of(const ifd_hybrid *h, const void *block)
{
    return (int)((const double *)block - h->x);
}

/* Rigs of a test, at least 1; rig r. */
IFD_RT static inline int ifd__rigs_count(const ifd_hybrid *h)
{
    return h->rigs.several ? h->rigs.several->rigs : 1;
}

IFD_RT static inline ifd__rig_link ifd__rigs_link(const ifd_hybrid *h, int r)
{
    ifd__rig_state *s = &h->rigs.block[r];
    bool several = h->rigs.several != NULL, fresh = s->fresh > 0.0;
    const int first = h->interfaces + h->actuators + (h->opt.map ? h->opt.map->rows : 0);
    return (ifd__rig_link){.state = s,
                           .limit = h->rigs.limit[r],
                           .who = several ? first + r : -1,
                           .delay = several ? h->rigs.delay[r] : 1,
                           .fresh = fresh,
                           .answers = fresh || (several && s->arrived > s->acknowledged),
                           .inputs = (uint32_t)s->inputs};
}

/* The rig of an interface, an actuator, a row of the channel map, or itself, by its number in faults; whether it has
 * sent a new measurement; its successive ticks without one. */
IFD_RT static inline int ifd__rigs_of(const ifd_hybrid *h, int who)
{
    return h->rigs.several ? ifd__rigs_owner(h, who) : 0;
}

IFD_RT static inline bool ifd__rigs_fresh(const ifd_hybrid *h, int who)
{
    return h->rigs.block[ifd__rigs_of(h, who)].fresh > 0.0;
}

IFD_RT static inline double ifd__rigs_stale(const ifd_hybrid *h, int who)
{
    return h->rigs.block[ifd__rigs_of(h, who)].stale;
}

/* The first rig that has not acknowledged a command after that tick; their number: each has. */
IFD_RT static inline int ifd__rigs_unheard(const ifd_hybrid *h, double tick)
{
    int r = 0;
    while (r < ifd__rigs_count(h) && h->rigs.block[r].acknowledged > tick)
        r++;
    return r;
}

/* The first rig that reports one of these inputs, -1: none. */
IFD_RT static inline int ifd__rigs_with(const ifd_hybrid *h, uint32_t inputs)
{
    int r = 0;
    while (r < ifd__rigs_count(h) && !((uint32_t)h->rigs.block[r].inputs & inputs))
        r++;
    return r < ifd__rigs_count(h) ? r : -1;
}

/* The first rig whose operator has not allowed motion yet; -1: each has. */
IFD_RT static inline int ifd__rigs_refuse(const ifd_hybrid *h)
{
    return ifd__rigs_with(h, IFD_INPUT_NOT_ALLOWED);
}

/* Owner of a number of ifd_hybrid_owner_name (an interface or an actuator of the rig). */
IFD_RT static inline ifd__owner ifd__owner_of(const ifd_hybrid *h, int who)
{
    int actuator = who - h->interfaces; /* without a drive, that of the interface with its number */
    return h->drives ? ifd__drives_owner(h, who) : (ifd__owner){.interface = actuator >= 0 ? actuator : who};
}

/* Whether the start of another program that computes the structure is known. */
IFD_RT static inline bool ifd__start_known(const ifd_hybrid *h)
{
    return !h->pace->known || h->pace->known(h);
}

/* s since the newest answered command, where simulated time waits for it. */
IFD_RT static inline double ifd__answer_age(const ifd_hybrid *h)
{
    return h->pace->age ? h->pace->age(h) : 0.0;
}

/* A tick in its two halves. Between them the exchange of the numerical substructure is computed if it is due. */
typedef struct ifd__tick {
    const ifd_tick_in *in;
    ifd_action worst;
    bool solves;   /* a stage is due ... */
    bool exchange; /* ... and its loads are finite: the exchange must be computed */
    bool complete; /* there is no second half */
} ifd__tick;
IFD_RT ifd__tick ifd__hybrid_tick_begin(ifd_hybrid *h, const ifd_tick_in *in);
IFD_RT ifd_run_state ifd__hybrid_tick_end(ifd_hybrid *h, const ifd__tick *tick);

/* exchange.c. Takes the newest measurement; false: none. */
IFD_RT bool ifd__exchange_sense(ifd_hybrid *h);
/* What follows from the measurement for each interface: its target in this tick, the energy of the tracking error,
 * its last positions. */
IFD_RT void ifd__exchange_motion(ifd_hybrid *h);
/* Reads the rig, once in a tick. */
IFD_RT void ifd__exchange_listen(ifd_hybrid *h);
/* Applies these forces as loads on the numerical substructure. */
IFD_RT void ifd__exchange_load(ifd_hybrid *h);
/* The specimens are at the start: the substructure starts with the forces there. */
IFD_RT void ifd__exchange_begin(ifd_hybrid *h);
/* solve, the stage that is due, around the exchange of the numerical substructure: its loads before it, false if they
 * are not finite; the targets of the next exchange after it. */
IFD_RT bool ifd__exchange_prepare(ifd_hybrid *h, ifd_action *worst);
IFD_RT ifd_action ifd__exchange_finish(ifd_hybrid *h, int due, ifd_action worst);
/* Whether the acceleration of the mass on the rig of interface k is known. */
IFD_RT bool ifd__rig_mass_known(const ifd_hybrid *h, int k);
/* Auxiliary input with the acceleration that an interface needs; -1: none. */
IFD_RT int ifd__rig_accelerometer(const ifd_interface_options *c);
/* This acceleration, m/s2; 0 without one. */
IFD_RT double ifd__rig_acceleration(const ifd_hybrid *h, int k);

/* make.c. A block of the state for this number of doubles: *pointer points to it when the state has memory. Then what
 * units and links see. */
void ifd__state_reserve(ifd_hybrid *h, int doubles, void *pointer);
void ifd__hybrid_bind(ifd_hybrid *h);

/* The initial state of the model, every path at its start: before the first tick, and after a reset. */
IFD_RT void ifd__hybrid_restart(ifd_hybrid *h);
/* The target of interface k is its position at the initial state of the model, which x contains. */
IFD_RT void ifd__hybrid_aim_at_start(ifd_hybrid *h, int k);

/* Limits and sensors of an interface or an actuator; of interface k what it has asked for, a bit for each rule. */
IFD_RT ifd_action ifd__guard_watched(ifd_hybrid *h, const ifd__watched *w, ifd_action worst);
IFD_RT ifd_action ifd__guard_rules(ifd_hybrid *h, int k, unsigned asked, ifd_action worst);
/* Whether the due stage can be solved. A substructure on a worker must be ready; until then exchange and specimens
 * wait, and the overrun policy adds its action to *worst. */
IFD_RT bool ifd__guard_job(ifd_hybrid *h, const ifd_tick_in *in, ifd_action *worst);

/* Stiffness and damping of one device of interface c from the case; 0: none. */
double ifd__estimate_of(const ifd_hybrid_options *o, const ifd_interface_options *c, double *damping);

/* options.c. Whether the rig moves something: neither virtual nor a record. */
bool ifd__hybrid_real(const ifd_hybrid_options *o);
/* Checks times, fractions and counts; the message for 0 names the function with the defaults. */
ifd_status ifd__hybrid_check_numbers(const ifd_hybrid_options *o, ifd_note *note);

enum { IFD__WHO = 160 }; /* characters of "interface 'bearing'" in a message */

/* rig_mass.c. Set-up: models without the mass on the rig. */
ifd_status ifd__rig_mass_take(ifd_arena *arena, ifd_hybrid_options *o, ifd_note *note);

/* floor_motion.c. Set-up; then the ground motion added to interface k at the next exchange. */
ifd_status ifd__floor_motion_make(ifd_hybrid *h, ifd_arena *arena, int k, ifd_note *note);
IFD_RT void ifd__floor_motion_now(const ifd_hybrid *h, int k, double *u, double *v);

/* Interface k has been at rest for some time: earlier measurements are those of now. */
IFD_RT void ifd__measured_rest(ifd_hybrid *h, int k);

/* preload_test.c. In each tick of a ramp of a test with preload: averages the forces when the specimens rest. At the
 * end of ramp-in: true if the test may run; if no equilibrium is found, *action has the action of the fault. */
IFD_RT void ifd__preload_watch(ifd_hybrid *h);
IFD_RT bool ifd__preload_arrived(ifd_hybrid *h, ifd_action *action);

/* ramps.c. Commands of all interfaces outside of run and hold; true: each has been at its end for the settling
 * time. */
IFD_RT bool ifd__ramps_shape(ifd_hybrid *h, ifd_machine state);
/* Where the present motion of ramp-in of interface k began. */
IFD_RT double ifd__ramps_from(const ifd_hybrid *h, int k);
/* Commands the governed position of interface k as its target. */
IFD_RT void ifd__hybrid_command(ifd_hybrid *h, int k, ifd__governed g);
/* Whether no command moves. */
IFD_RT bool ifd__hybrid_still(const ifd_hybrid *h);
/* Whether a tripped test may end: no command moves, or not even a brake of seconds has brought them to rest. */
IFD_RT bool ifd__hybrid_may_quit(const ifd_hybrid *h);
/* Sends the command to the rig. */
IFD_RT void ifd__hybrid_deliver(ifd_hybrid *h);

/* idle_tripped.c: a tripped test that waits. Whether this tick is not recorded; it is then complete. */
IFD_RT bool ifd__park_tick(ifd_hybrid *h, const ifd_tick_in *in);
/* Replay: this number of ticks was not recorded. */
IFD_RT void ifd__park_pass(ifd_hybrid *h, uint64_t ticks);

/* The trace of a tick: collects faults, the end of each stage, and at the end the hash of the state. */
IFD_RT void ifd__trace_begin(ifd_hybrid *h);
IFD_RT void ifd__trace_stage(ifd_hybrid *h, int stage);
IFD_RT void ifd__trace_end(ifd_hybrid *h);

/* Of a test that nobody records, such as a member of a study. */
void ifd__hybrid_untraced(ifd_hybrid *h);
/* What limits the worth of a test that reached its end: of its structure and method. */
void ifd__hybrid_doubts(const ifd_hybrid *h, ifd__doubts *d);
