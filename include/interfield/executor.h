/* SPDX-License-Identifier: MIT */
/* Executor: calls a tick at its time, on a real-time thread, and hands its records to one who watches.
 *
 *     ifd_executor_options o;
 *     ifd_executor_defaults(&o);
 *     o.period = 1e-3;                             // s of wall clock between ticks; 0: as fast as possible
 *     ifd_executor *e;
 *     IFD_TRY(ifd_executor_open(arena, &o, &ticked, &e, note));   // seals the arena; ticks one period later
 *     for (bool last = false; !last; nap()) {
 *         last = ifd_executor_finished(e);         // asked first, so that nothing written meanwhile is missed
 *         while (ifd_executor_next(e, &record))    // the records in order, never blocking the tick
 *             ...
 *     }
 *     ifd_executor_say(e, IFD_ORDER_HOLD);         // the one word that goes back
 *     ifd_executor_close(e, &report);              // waits for the last tick
 *
 * Ticks are due on a fixed grid of instants. A tick that runs past the next one is not followed by a burst: the
 * instants that have passed are skipped, counted, and show as the lateness of the tick that comes next.
 *
 * The tick thread allocates nothing, locks nothing and makes no system call but for its clock
 * (and whatever the rig does). */
#ifndef INTERFIELD_EXECUTOR_H
#define INTERFIELD_EXECUTOR_H

#include <interfield/exchange.h>
#include <interfield/remote.h>
#include <interfield/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What comes into a tick from outside; recorded, so that a replay sees the same. */
typedef struct ifd_tick_in {
    ifd_order order;
    double late;     /* s by which this tick began after its time, one period after the tick
                      * before was due; 0 without a clock */
    double patience; /* s for which a part that is solved beside the tick is waited for; 0: as long as it takes */
    bool job_late;   /* replay: such a part was not ready in this tick, its trace has the fault LATE_JOB */
} ifd_tick_in;

/* Where the time of a tick goes; what is left of its duration is publishing. */
enum { IFD_STAGE_SENSE, IFD_STAGE_SOLVE, IFD_STAGE_SHAPE, IFD_STAGE_COMMAND, IFD_STAGES };

/* What a tick took in and what it came to, besides its values: enough to make it once more and to compare. */
typedef struct ifd_tick_trace {
    uint64_t hash;      /* of the whole state but for the rig's own */
    uint64_t faults;    /* bit k: fault k of the list was noted in this tick */
    double fault_value; /* of the latched fault, with its limit and its channel (-1: none) */
    double fault_limit;
    int32_t fault_channel;
    uint32_t fresh;                /* whether the rig had news; otherwise measure is the last that was */
    uint32_t answer;               /* ifd_answer to the order of this tick (hybrid.h) */
    uint32_t quiet;                /* 1: a tripped test waits at rest, this tick is not recorded */
    uint32_t stage_ns[IFD_STAGES]; /* ns */
    ifd_measure measure;           /* as the rig gave it */
    /* What an answer is about: the interface dof, its value and the limit of that. Set with IFD_ANSWER_RELAXED only:
     * the change of a force on hold and the largest that is permitted, N. */
    double answer_value, answer_limit;
    int64_t answer_channel;
    uint64_t took;            /* whether a target of a remote master came into this tick */
    ifd_remote_target target; /* which; not set otherwise */
} ifd_tick_trace;

/* Something that can be ticked: a hybrid test. values: count numbers per record. */
typedef struct ifd_ticked {
    void *self;
    IFD_RT ifd_run_state (*tick)(void *self, const ifd_tick_in *in);
    IFD_RT const double *(*values)(const void *self);
    int count;
    /* An order of its own for the next tick, when nobody gives one; may be NULL. */
    IFD_RT ifd_order (*wish)(const void *self);
    IFD_RT const ifd_tick_trace *(*trace)(const void *self); /* may be NULL */
    /* Whether it waits, at rest, for somebody's order: without a clock its ticks then follow each other slowly. May
     * be NULL. */
    IFD_RT bool (*rests)(const void *self);
} ifd_ticked;

typedef struct ifd_executor_options {
    double period;    /* s, at least 10 us; 0: no clock, and then never SCHED_FIFO */
    int priority;     /* SCHED_FIFO 1..99; 0: ordinary scheduling */
    int core;         /* -1: any */
    bool deadline;    /* SCHED_DEADLINE where granted, which takes any core; otherwise as priority and core say */
    bool lock_memory; /* all the process has when the executor is opened; only with a clock */
    int ring;         /* records kept for the watcher, a power of two */
    bool lossless; /* without a clock: a full ring makes the tick wait for its watcher instead of dropping records */
} ifd_executor_options;

/* 1 ms, FIFO 80, any core, memory locked, 4096 records, lossless. */
IFD_API void ifd_executor_defaults(ifd_executor_options *o);

/* A record as it leaves the tick: header, then the values. */
typedef struct ifd_tick_record {
    uint64_t tick;    /* counts from 1 */
    double wall;      /* s since the first tick's due time */
    double late;      /* s */
    double duration;  /* s, of the tick's own work */
    uint64_t skipped; /* due times passed over just before this tick */
    uint64_t dropped; /* records lost just before this one */
    ifd_order order;  /* that came into this tick */
    const double *values;
    const ifd_tick_trace *trace; /* NULL when what is ticked has none */
    uint64_t thinned;            /* ticks just before this one that were left out of the record on purpose */
} ifd_tick_record;

/* What was granted, whatever was asked for, and how punctual it was. */
typedef struct ifd_executor_report {
    bool fifo;              /* the tick runs under SCHED_FIFO */
    bool deadline;          /* or under SCHED_DEADLINE, with its period reserved */
    bool locked;            /* no page of the process can be taken from memory */
    bool pinned;            /* the tick stays on one core */
    bool isolated;          /* which the kernel keeps free of other work */
    bool awake;             /* processors do not enter deep sleep */
    long ticks, late_ticks; /* late: began more than a tenth of a period after its time, or overran its period */
    long skipped;           /* due times passed over */
    long dropped;           /* records the watcher did not take in time */
    long faults, preempted; /* page faults of the tick thread, and how often it was preempted; known after close */
    double late_p50, late_p99, late_p999, late_max;                 /* s */
    double duration_p50, duration_p99, duration_p999, duration_max; /* s */
    ifd_run_state end;                                              /* GOING before the last tick */
    bool clock; /* ticks were due at their times; otherwise free-running: they followed each other */
    /* ns: the instant from which `wall` of a record counts, on CLOCK_REALTIME (UTC), CLOCK_TAI and CLOCK_MONOTONIC of
     * Linux. Without a clock that serves UTC and TAI are as the machine has them; 0: not known. */
    int64_t start_utc, start_tai, start_monotonic;
} ifd_executor_report;

typedef struct ifd_executor ifd_executor;

/* The last thing made in an arena: it is sealed here. What could not be granted is no
 * error; ifd_executor_progress tells. */
IFD_API ifd_status ifd_executor_open(ifd_arena *arena, const ifd_executor_options *o, const ifd_ticked *ticked,
                                     ifd_executor **out, ifd_note *note);
/* The next record in order; false when there is none yet. For one thread; also after close. The values
 * stay valid until the next call. */
IFD_API bool ifd_executor_next(ifd_executor *e, ifd_tick_record *out);
/* Whether the last tick has been made: it returned DONE or FAULT. */
IFD_API bool ifd_executor_finished(const ifd_executor *e);
/* The order for the next tick, which gets it once. A newer one takes the place of one that was not yet
 * fetched, but for a trip, which nothing replaces, and for ramp-out, which only a trip does. From any
 * thread, and from a signal handler. */
IFD_API void ifd_executor_say(ifd_executor *e, ifd_order order);
/* How it stands, from any thread. */
IFD_API void ifd_executor_progress(const ifd_executor *e, ifd_executor_report *out);
/* Waits for the last tick, however long that takes. report may be NULL. An executor that is still open when its arena
 * is closed ends between two ticks. */
IFD_API void ifd_executor_close(ifd_executor *e, ifd_executor_report *report);

#ifdef __cplusplus
}
#endif
#endif
