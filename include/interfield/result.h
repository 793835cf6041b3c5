/* SPDX-License-Identifier: MIT */
/* Results: result.h5, summary.json and, on request, result.csv of a run.
 *
 *     ifd_result *res;
 *     IFD_TRY(ifd_result_open(arena, "runs/demo", c, run, &res, note));
 *     ... ifd_result_append(res, ifd_run_values(run)) ...            // after each fresh tick; never on the tick path
 *     IFD_TRY(ifd_result_close(res, &timing, note));                 // also after a fault or an interrupt: what is there is kept */
#ifndef INTERFIELD_RESULT_H
#define INTERFIELD_RESULT_H

#include <interfield/case.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ifd_result ifd_result;

typedef struct ifd_timing {
    double wall;                    /* s, whole run */
    double setup;                   /* s */
    double step_p50, step_p99, step_p999, step_max; /* s per tick */
    long ticks;
    bool interrupted;
} ifd_timing;

IFD_API ifd_status ifd_result_open(ifd_arena *arena, const char *folder, const ifd_case *c, const ifd_run *run,
                                   ifd_result **out, ifd_note *note);
IFD_API ifd_status ifd_result_append(ifd_result *res, const double *values);
IFD_API ifd_status ifd_result_close(ifd_result *res, const ifd_timing *timing, ifd_note *note);

/* summary.json as text, after close; the same object that --json prints. Lives in the arena given to open. */
IFD_API const char *ifd_result_summary(const ifd_result *res);

#ifdef __cplusplus
}
#endif
#endif
