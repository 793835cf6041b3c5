/* SPDX-License-Identifier: MIT */
/* Results: result.h5, summary.json and optionally result.csv of a run (docs/reference/results.md).
 *
 *     ifd_result *res;
 *     IFD_TRY(ifd_result_open(arena, "runs/demo", c, run, &res, note));
 *     ... ifd_result_append(res, ifd_run_values(run)) ...            // after each fresh tick; never on the tick path
 *     IFD_TRY(ifd_result_close(res, &timing, note));                 // also after a fault or an interrupt
 *
 * The arena must not be the sealed one of the run, as closing allocates memory. A folder with a result.h5 is refused
 * with IFD_CONFLICT; a failure to write is IFD_OUTPUT. ifd_table_read reads a result. */
#ifndef INTERFIELD_RESULT_H
#define INTERFIELD_RESULT_H

#include <interfield/case.h>
#include <interfield/hybrid.h>

IFD_BEGIN_DECLS

enum { IFD_RESULT_SCHEMA = 1 }; /* a result of another schema is refused */

typedef struct ifd_result ifd_result;

/* A test with a start instant. */
typedef struct ifd_start_facts {
    int64_t at;         /* ns, UTC, of t = 0 as requested; 0: none */
    const char *source; /* "synchronised" or "realtime" */
    double clock_error; /* s, estimated by the kernel */
} ifd_start_facts;

/* A time without a tick (supervisor.h). */
typedef struct ifd_hung_facts {
    uint64_t tick;           /* the last complete one */
    const char *place, *rig; /* rig NULL: not in a rig */
    double seconds;
} ifd_hung_facts;

typedef struct ifd_timing {
    double wall;                                    /* s, complete run */
    double setup;                                   /* s */
    double step_p50, step_p99, step_p999, step_max; /* s per tick */
    long ticks;
    bool interrupted;
    int aborted_in; /* of an interrupted test: 1 + its ifd_machine at that time; 0: as in its record */
    const struct ifd_opensees_report *master; /* of a test led by another program (opensees.h); else NULL */
    const ifd_start_facts *start;             /* of a test with a start instant; else NULL */
    const ifd_hung_facts *hung;               /* the longest time without a tick that caused an alarm; else NULL */
    /* Of a test with a log of events, else NULL: called when the outcome is known, and again if writing result.h5 has
     * changed it; ends the log and returns its chain (events_chain.h) as text. */
    const char *(*end_events)(void *events, const ifd_result *res);
    void *events;
} ifd_timing;

/* Creates the folder and its parents if missing. */
IFD_API ifd_status ifd_result_open(ifd_arena *arena, const char *folder, const ifd_case *c, const ifd_run *run,
                                   ifd_result **out, ifd_note *note);
/* Appends one row at the present time of the run. */
IFD_API ifd_status ifd_result_append(ifd_result *res, const double *values);
IFD_API ifd_status ifd_result_close(ifd_result *res, const ifd_timing *timing, ifd_note *note);

/* The result of a hybrid test: a row for every or every n-th record of the executor. Its time is simulated time, as
 * in a run. The column "wall time" has the due instant of the tick, in s since the first tick. It precedes the
 * columns of the test, with lateness, duration and order of the tick. report: final report of the executor; no tick
 * of the test may follow. */
IFD_API ifd_status ifd_result_open_test(ifd_arena *arena, const char *folder, const ifd_case *c,
                                        const ifd_hybrid *test, ifd_result **out, ifd_note *note);
IFD_API ifd_status ifd_result_append_record(ifd_result *res, const ifd_tick_record *record);
IFD_API ifd_status ifd_result_close_test(ifd_result *res, const ifd_executor_report *report, const ifd_timing *timing,
                                         ifd_note *note);

/* summary.json as text, after close; the same object as with --json. It is in the arena of open. */
IFD_API const char *ifd_result_summary(const ifd_result *res);

/* The largest |value| of a column so far, its first simulated time (s), in a test also its wall-clock time, and the
 * value of the last row. */
typedef struct ifd_peak {
    double value, time, wall_time, last;
} ifd_peak;
IFD_API const ifd_peak *ifd_result_peaks(const ifd_result *res); /* one per column */
IFD_API long ifd_result_rows(const ifd_result *res);
/* Outcome in one word, after close: "completed", "incomplete", "tripped", "aborted", ...
 * (docs/reference/exit.md) */
IFD_API const char *ifd_result_outcome(const ifd_result *res);
/* Reason of the outcome in one sentence; "" for one completed without a caution. */
IFD_API const char *ifd_result_reason(const ifd_result *res);
/* After close: sentences about findings that limit the worth of the result, the reason of the outcome first. A result
 * that reached its end with one of them has another outcome than "completed". */
IFD_API const char *const *ifd_result_cautions(const ifd_result *res, int *count);

/* After close: the name of the state in which the operator aborted the test; NULL: not aborted. */
IFD_API const char *ifd_result_aborted_in(const ifd_result *res);

/* A complete result.h5. */
typedef struct ifd_table {
    const char *title, *method;
    const char *outcome, *reason; /* as of ifd_result_outcome and ifd_result_reason */
    const char *kernels, *cpu;    /* with which it was computed */
    bool test;                    /* rows are ticks */
    const char *case_text;        /* as ifd_case.text */
    long rows;
    int columns;
    const double *time;      /* s, rows: simulated time, which repeats during hold and ramps */
    const double *wall_time; /* s, rows: of a test, since its first tick; also its first column. NULL: a run */
    const ifd_column *column;
    double *const *value; /* columns x rows */
    long missing;         /* of a test: executed ticks that are not in its record */
} ifd_table;
IFD_API ifd_status ifd_table_read(ifd_arena *arena, const char *path, ifd_table *out, ifd_note *note);
/* The case of a result, with all included files and overrides. */
IFD_API ifd_status ifd_result_case(ifd_arena *arena, const char *path, ifd_case **out, ifd_note *note);

IFD_END_DECLS
#endif
