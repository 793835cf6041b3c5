/* SPDX-License-Identifier: MIT */
/* Executor: calls a tick periodically on a real-time thread and passes its records to one reader.
 *
 *     ifd_executor_options o;
 *     ifd_executor_defaults(&o);
 *     o.period = 1e-3;                             // s of wall-clock time between ticks; 0: free-running
 *     ifd_executor *e;
 *     IFD_TRY(ifd_executor_open(arena, &o, &ticked, &e, note));   // seals the arena; first tick one period later
 *     for (bool last = false; !last; nap()) {
 *         last = ifd_executor_finished(e);         // before the records, so that none is missed
 *         while (ifd_executor_next(e, &record))    // the records in order, without blocking the tick
 *             ...
 *     }
 *     ifd_executor_order(e, IFD_ORDER_HOLD, IFD_SOURCE_HOLDER); // an order to the tick
 *     ifd_executor_close(e, &report);              // waits for the last tick
 *
 * Ticks are due on a fixed grid of instants. After a tick that exceeds its period there is no burst: missed instants
 * are skipped, counted, and included in the lateness of the next tick.
 *
 * The tick thread allocates nothing, locks nothing and makes no system call except for its clock and those of the
 * rig. */
#ifndef INTERFIELD_EXECUTOR_H
#define INTERFIELD_EXECUTOR_H

#include <interfield/exchange.h>
#include <interfield/remote.h>
#include <interfield/run.h>

IFD_BEGIN_DECLS

/* Who gave an order: the holder of control, a signal to the program, the program itself, or viewer n
 * (IFD_SOURCE_VIEWER + n). */
enum { IFD_SOURCE_HOLDER, IFD_SOURCE_SIGNAL, IFD_SOURCE_AUTOMATIC, IFD_SOURCE_VIEWER, IFD_SOURCES = 1 << 16 };

/* External inputs of a tick, recorded for replay. */
typedef struct ifd_tick_in {
    ifd_order order;
    double late;     /* s by which this tick started late, relative to one period after the due time of the previous
                      * tick; 0 without a clock */
    double patience; /* s for which a tick waits for a substructure on a worker thread; 0: without limit */
    bool job_late;   /* replay: a substructure was not ready in this tick (fault LATE_JOB in its trace) */
    uint32_t gate;   /* IFD_GATE_...: what the clocks do not permit yet */
    uint32_t source; /* IFD_SOURCE_... of the order */
    double wall;     /* s of wall-clock time since the due time of the first tick, also without a clock */
} ifd_tick_in;

/* Conditions of the clocks in a tick, recorded as inputs. */
enum {
    IFD_GATE_COMPARE = 1, /* the clock of the rig is being compared with the tick of the case: no arming */
    IFD_GATE_PERIOD = 2,  /* it has another period: no arming */
    IFD_GATE_READY = 4,   /* before the ramp-in of a test with a start instant: the state ready remains */
    IFD_GATE_START = 8,   /* before its start instant: the specimens wait at the starting position */
    IFD_GATE_LATE = 256,  /* this tick is late: it started more than `late_after` after its instant, or the clock of
                           * the rig has another period. The one definition: every count of late ticks has it */
    /* no conditions; set by the test itself, for its replay: */
    IFD_GATE_ORDERS = 16,     /* it arms and runs by orders only */
    IFD_GATE_SIMULATED = 32,  /* no rig of it moves iron */
    IFD_GATE_CHANGED = 64,    /* a specimen that has changed since the checkpoint is accepted */
    IFD_GATE_FREES = 128,     /* an axis is free after the end of the test */
    IFD_GATE_PRESSURE = 2048, /* its pressure follows the orders low and high */
    /* set by ifd_executor_close_gate: */
    IFD_GATE_CHECKS = 512,  /* people clear the run: it is refused until they did */
    IFD_GATE_CHECKED = 1024 /* they did; counts for the present arming if it rises in the state ready */
};

/* Stages of a tick with measured duration; the remainder of a tick is publishing. */
enum { IFD_STAGE_SENSE, IFD_STAGE_SOLVE, IFD_STAGE_SHAPE, IFD_STAGE_COMMAND, IFD_STAGES };

/* Inputs and results of a tick besides its values, sufficient for its replay and comparison. */
typedef struct ifd_tick_trace {
    uint64_t hash;      /* of the complete state except that of the rig */
    uint64_t faults;    /* bit k: fault k of the list occurred in this tick */
    double fault_value; /* of the latched fault, with its limit and its owner (-1: none) */
    double fault_limit;
    int32_t fault_owner;
    uint32_t fresh;                /* whether the measurement is new; otherwise measure is the previous one */
    uint32_t answer;               /* ifd_answer to the order of this tick (hybrid.h) */
    uint32_t quiet;                /* 1: a tripped test waits at rest and this tick is not recorded */
    uint32_t stage_ns[IFD_STAGES]; /* ns */
    ifd_measure measure;           /* as received from the rig */
    /* Interface dof, value and limit of an answer. RELAXED: change of a force on hold and its permitted value, N;
     * CHANGED_...: found and stored value, m or N; ..._BACK: s. */
    double answer_value, answer_limit;
    int64_t answer_owner;
    uint64_t answer_order;    /* ifd_order that is answered: one of this tick, or one that waited */
    uint64_t gate;            /* IFD_GATE_... of this tick */
    uint64_t took;            /* whether this tick used a target of a remote master */
    ifd_remote_target target; /* set only if took is set */
} ifd_tick_trace;

/* Interface of a hybrid test for an executor. values: count numbers per record. */
typedef struct ifd_ticked {
    void *self;
    IFD_RT ifd_run_state (*tick)(void *self, const ifd_tick_in *in);
    IFD_RT const double *(*values)(const void *self);
    int count;
    /* Order of the test to itself for the next tick, if there is no other; may be NULL. */
    IFD_RT ifd_order (*wish)(const void *self);
    IFD_RT const ifd_tick_trace *(*trace)(const void *self); /* may be NULL */
    /* Whether it waits at rest for an order; a free-running executor then ticks slowly. May be NULL. */
    IFD_RT bool (*rests)(const void *self);
    /* Prepares the rig before the first tick, once per period; waits. 1: ready, 0: not yet, -1: never. May be NULL.
     * A test that is not ready, or that is ended meanwhile, makes one tick with the order quit. */
    int (*warm)(void *self);
    /* Before warm: an instant (ns, CLOCK_MONOTONIC) from which ticks are whole periods away. May be NULL. */
    void (*grid)(void *self, int64_t instant);
    /* The clock of the rig leads: waits for its sample, at most until `latest` (ns), and returns its instant, or -1.
     * NULL: the clock of this machine leads. */
    IFD_RT int64_t (*wait)(void *self, int64_t latest);
    ifd_beat *beat;    /* of a supervisor (supervisor.h); may be NULL */
    double late_after; /* s: a tick that starts later is late; 0: IFD_LATE_AFTER of the period */
} ifd_ticked;

typedef struct ifd_executor_options {
    double period;    /* s, at least 10 us; 0: free-running, without SCHED_FIFO */
    int priority;     /* SCHED_FIFO 1..99; 0: ordinary scheduling */
    int core;         /* -1: any */
    bool deadline;    /* SCHED_DEADLINE if granted, without a fixed core; otherwise priority and core apply */
    bool lock_memory; /* all memory of the process when the executor opens; only with a clock */
    int ring;         /* number of buffered records, a power of two */
    bool lossless; /* free-running: a tick waits for the reader while the ring is full instead of dropping records */
    int64_t start_at; /* ns, CLOCK_MONOTONIC, of t = 0, on which a tick falls; 0: none */
    double lead;      /* s before it, when the ramp-in begins */
} ifd_executor_options;

/* 1 ms, FIFO 80, any core, memory locked, 4096 records, lossless. */
IFD_API void ifd_executor_defaults(ifd_executor_options *o);

/* A record of a tick: header, then the values. */
typedef struct ifd_tick_record {
    uint64_t tick;    /* counts from 1 */
    double wall;      /* s since the first tick's due time */
    double late;      /* s */
    double duration;  /* s, of the work of the tick */
    uint64_t skipped; /* due instants skipped just before this tick */
    uint64_t dropped; /* records lost just before this one */
    ifd_order order;  /* received in this tick */
    uint32_t source;  /* who gave it, IFD_SOURCE_... */
    const double *values;
    const ifd_tick_trace *trace; /* NULL: none */
    uint64_t thinned;            /* ticks just before this one that were deliberately not recorded */
    /* ns: the start of the test, as in ifd_executor_report; the same in every record. 0: unknown. */
    int64_t start_utc, start_tai, start_monotonic;
} ifd_tick_record;

/* Granted real-time properties and measured lateness. */
typedef struct ifd_executor_report {
    bool fifo;              /* the tick runs under SCHED_FIFO */
    bool deadline;          /* or under SCHED_DEADLINE, with its period reserved */
    bool locked;            /* no page of the process can be moved out of memory */
    bool pinned;            /* the tick runs on one fixed core */
    bool isolated;          /* this core is isolated from other work by the kernel */
    bool awake;             /* processors do not enter deep sleep */
    long ticks, late_ticks; /* late: IFD_GATE_LATE, without ticks that a reduced rate of recording omits */
    long skipped;           /* due instants skipped */
    long dropped;           /* records that the reader did not fetch in time */
    long faults, preempted; /* page faults and preemptions of the tick thread; available after close */
    double late_p50, late_p99, late_p999, late_max;                 /* s */
    double duration_p50, duration_p99, duration_p999, duration_max; /* s */
    ifd_run_state end;                                              /* GOING before the last tick */
    bool clock; /* ticks at fixed instants; otherwise free-running */
    /* ns: start of `wall` of the records on CLOCK_REALTIME (UTC), CLOCK_TAI and CLOCK_MONOTONIC of Linux. UTC and TAI
     * have the accuracy of the machine; 0: unknown. */
    int64_t start_utc, start_tai, start_monotonic;
    bool cold;         /* the rig was not ready, or the test was ended before */
    double rig_period; /* s, mean period of a rig whose clock leads; 0: not known */
    long in_vain;      /* ticks without a sample of that clock in time */
} ifd_executor_report;

typedef struct ifd_executor ifd_executor;

/* Call it last for an arena: it seals the arena. Rights that are not granted are no error; ifd_executor_progress
 * reports them. */
IFD_API ifd_status ifd_executor_open(ifd_arena *arena, const ifd_executor_options *o, const ifd_ticked *ticked,
                                     ifd_executor **out, ifd_note *note);
/* The next record in order; false: none yet. For one thread; also after close. The values are valid until the next
 * call. */
IFD_API bool ifd_executor_next(ifd_executor *e, ifd_tick_record *out);
/* Whether the last tick (DONE or FAULT) is complete. */
IFD_API bool ifd_executor_finished(const ifd_executor *e);
/* Sets the order for the next tick, which receives it once, with its source. A newer order replaces an older one,
 * unless the older one is more urgent: off, trip, stop and ramp-out of the holder or a signal, stop of a viewer,
 * automatic stop, all others. From any thread and from a signal handler. */
IFD_API void ifd_executor_order(ifd_executor *e, ifd_order order, uint32_t source);
/* The same, unless another order waits for the next tick; false: it does, and this one is forgotten. */
IFD_API bool ifd_executor_try(ifd_executor *e, ifd_order order, uint32_t source);
/* Orders that no tick will receive, one bit each (1 << order), since the last call: overtaken by a more urgent one
 * before the tick; outdated, one of the holder for a tick that came more than half a second late. From any thread. */
IFD_API void ifd_executor_lost(ifd_executor *e, uint32_t *overtaken, uint32_t *outdated);
/* IFD_GATE_CHECKS, IFD_GATE_CHECKED for the next ticks; from any thread. An order that follows meets it. */
IFD_API void ifd_executor_close_gate(ifd_executor *e, uint32_t gate);
/* Ends the test between two ticks, wherever it is; from any thread. */
IFD_API void ifd_executor_leave(ifd_executor *e);
/* Report so far, from any thread. */
IFD_API void ifd_executor_progress(const ifd_executor *e, ifd_executor_report *out);
/* Waits for the last tick without a time limit. report may be NULL. An executor that is still open when its arena
 * closes ends between two ticks. */
IFD_API void ifd_executor_close(ifd_executor *e, ifd_executor_report *report);

IFD_END_DECLS
#endif
