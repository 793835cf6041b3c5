/* SPDX-License-Identifier: MIT */
/* Executor: calls a tick at its time, on a real-time thread, and hands its records to those who watch.
 *
 *     ifd_executor_options o;
 *     ifd_executor_defaults(&o);
 *     o.period = 1e-3;                          // s of wall clock between ticks; 0: as fast as possible, simulated clock
 *     ifd_executor *e;
 *     IFD_TRY(ifd_executor_open(arena, &o, ticked, &e, note));
 *     while (ifd_executor_next(e, &record))     // from another thread: newest records, in order, never blocking the tick
 *         ...
 *     ifd_executor_say(e, IFD_ORDER_HOLD);       // the one word that goes back
 *     ifd_executor_close(e, &report);           // waits for the last tick
 *
 * The tick thread allocates nothing, locks nothing and makes no system call but for its clock (and whatever the rig does). */
#ifndef INTERFIELD_EXECUTOR_H
#define INTERFIELD_EXECUTOR_H

#include <interfield/exchange.h>
#include <interfield/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What comes into a tick from outside; recorded, so that a replay sees the same. */
typedef struct ifd_tick_in {
    ifd_order order;
    double late; /* s by which this tick began after its time */
} ifd_tick_in;

/* Something that can be ticked: a hybrid test. values: count numbers per record. */
typedef struct ifd_ticked {
    void *self;
    IFD_RT ifd_run_state (*tick)(void *self, const ifd_tick_in *in);
    IFD_RT const double *(*values)(const void *self);
    int count;
} ifd_ticked;

typedef struct ifd_executor_options {
    double period;       /* s; 0: no clock */
    int priority;        /* SCHED_FIFO 1..99; 0: ordinary scheduling */
    int core;            /* -1: any */
    bool lock_memory;
    int ring;            /* records kept for the watchers, a power of two */
} ifd_executor_options;

IFD_API void ifd_executor_defaults(ifd_executor_options *o);

/* A record as it leaves the tick: header, then the values. */
typedef struct ifd_tick_record {
    uint64_t tick;
    double wall;     /* s since the first tick's due time */
    double late;     /* s */
    double duration; /* s, of the tick's own work */
    ifd_order order;
    const double *values;
} ifd_tick_record;

/* What was asked for and what was granted, and how punctual it was. */
typedef struct ifd_executor_report {
    bool fifo, locked, pinned, isolated;
    long ticks, late_ticks; /* late: began more than a tenth of a period after its time, or overran its period */
    long dropped;           /* records the watchers did not take in time */
    double late_p50, late_p99, late_p999, late_max;             /* s */
    double duration_p50, duration_p99, duration_p999, duration_max; /* s */
    ifd_run_state end;
} ifd_executor_report;

typedef struct ifd_executor ifd_executor;

IFD_API ifd_status ifd_executor_open(ifd_arena *arena, const ifd_executor_options *o, const ifd_ticked *ticked,
                                     ifd_executor **out, ifd_note *note);
/* The next record in order; false when there is none yet. The values stay valid until the next call. */
IFD_API bool ifd_executor_next(ifd_executor *e, ifd_tick_record *out);
IFD_API bool ifd_executor_finished(const ifd_executor *e);
IFD_API void ifd_executor_say(ifd_executor *e, ifd_order order);
IFD_API void ifd_executor_close(ifd_executor *e, ifd_executor_report *report);

#ifdef __cplusplus
}
#endif
#endif
