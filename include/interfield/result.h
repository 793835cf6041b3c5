/* SPDX-License-Identifier: MIT */
/* Results: result.h5, summary.json and, on request, result.csv of a run (docs/results.md).
 *
 *     ifd_result *res;
 *     IFD_TRY(ifd_result_open(arena, "runs/demo", c, run, &res, note));
 *     ... ifd_result_append(res, ifd_run_values(run)) ...            // after each fresh tick; never on the tick path
 *     IFD_TRY(ifd_result_close(res, &timing, note));                 // also after a fault or an interrupt
 *
 * The arena must not be the sealed one of the run: closing takes memory. A folder that holds a result.h5 already is
 * refused with IFD_CONFLICT; whatever cannot be written is IFD_OUTPUT. A result is read back with ifd_table_read. */
#ifndef INTERFIELD_RESULT_H
#define INTERFIELD_RESULT_H

#include <interfield/case.h>
#include <interfield/hybrid.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { IFD_RESULT_SCHEMA = 2, IFD_RESULT_OLDEST = 1 /* that is read */ };

typedef struct ifd_result ifd_result;

typedef struct ifd_timing {
    double wall;                                    /* s, whole run */
    double setup;                                   /* s */
    double step_p50, step_p99, step_p999, step_max; /* s per tick */
    long ticks;
    bool interrupted;
    int aborted_in; /* of a test that was interrupted: 1 + the ifd_machine in which it was; 0: as its record has it */
    const struct ifd_opensees_report *master; /* of a test that another program led (opensees.h); NULL: none did */
} ifd_timing;

/* Makes the folder, and those above it, where they are missing. */
IFD_API ifd_status ifd_result_open(ifd_arena *arena, const char *folder, const ifd_case *c, const ifd_run *run,
                                   ifd_result **out, ifd_note *note);
/* Keeps one row, for the time the run has now. */
IFD_API ifd_status ifd_result_append(ifd_result *res, const double *values);
IFD_API ifd_status ifd_result_close(ifd_result *res, const ifd_timing *timing, ifd_note *note);

/* The result of a hybrid test: a row for each record of the executor, or each every-th. Its time is simulated time,
 * as in a run; the instant that the tick had on its grid, in s of wall-clock time since the first, is the column
 * "wall time". It stands before the test's own columns, with lateness, duration and order of the tick. report: how
 * the executor ended; the test must not be ticked any more. */
IFD_API ifd_status ifd_result_open_test(ifd_arena *arena, const char *folder, const ifd_case *c,
                                        const ifd_hybrid *test, ifd_result **out, ifd_note *note);
IFD_API ifd_status ifd_result_append_record(ifd_result *res, const ifd_tick_record *record);
IFD_API ifd_status ifd_result_close_test(ifd_result *res, const ifd_executor_report *report, const ifd_timing *timing,
                                         ifd_note *note);

/* summary.json as text, after close; the same object that --json prints. Lives in the arena given to open. */
IFD_API const char *ifd_result_summary(const ifd_result *res);

/* The largest |value| of a column so far, the simulated time (s) of the first row that has it, of a test also its
 * wall-clock time, and the value of the last row. */
typedef struct ifd_peak {
    double value, time, wall_time, last;
} ifd_peak;
IFD_API const ifd_peak *ifd_result_peaks(const ifd_result *res); /* one per column */
IFD_API long ifd_result_rows(const ifd_result *res);
/* How it ended, in a word, after close: "completed", "incomplete", "tripped", "interrupted", ... (docs/results.md) */
IFD_API const char *ifd_result_outcome(const ifd_result *res);
/* And why, in a sentence; "" of one that completed. */
IFD_API const char *ifd_result_reason(const ifd_result *res);

/* Of a test that the operator ended before its end, after close: the name of the state in which that was. NULL
 * otherwise. */
IFD_API const char *ifd_result_aborted_in(const ifd_result *res);

/* A result.h5, read whole: of this schema or of an earlier one, of which it has the same names, words and time. */
typedef struct ifd_table {
    const char *title, *method;
    const char *outcome, *reason; /* as ifd_result_outcome and ifd_result_reason tell them */
    const char *kernels, *cpu;    /* it was computed with and on */
    bool test;                    /* its rows are ticks */
    const char *case_text;        /* as ifd_case.text */
    long rows;
    int columns;
    const double *time;      /* s, rows: simulated time, which repeats while a test is held or ramped */
    const double *wall_time; /* s, rows: of a test, since its first tick; its first column too. NULL: a run */
    const ifd_column *column;
    double *const *value; /* columns x rows */
    long missing;         /* of a test: ticks that were made and are not in its record */
    int schema;           /* of the file; names, words and times are those of the newest all the same */
} ifd_table;
IFD_API ifd_status ifd_table_read(ifd_arena *arena, const char *path, ifd_table *out, ifd_note *note);
/* The case it was made of, with everything that was included and overridden. */
IFD_API ifd_status ifd_result_case(ifd_arena *arena, const char *path, ifd_case **out, ifd_note *note);

#ifdef __cplusplus
}
#endif
#endif
