/* SPDX-License-Identifier: MIT */
/* Replay: repeats a recorded test or run and compares it bit by bit.
 *
 *     ifd_replay_report report;
 *     IFD_TRY(ifd_replay_with(arena, "runs/demo", &(ifd_replay_options){0}, &report, note));
 *     if (report.verdict == IFD_REPLAY_IDENTICAL) ...
 *
 * The tick is that of the test; the rig is replaced by the recorded measurements, and the clock does not wait. Every
 * tick is compared by the hash of its complete state and by all its values. A run has no inputs: it is computed from
 * its case, and every recorded value is compared. Nothing is written. */
#ifndef INTERFIELD_REPLAY_H
#define INTERFIELD_REPLAY_H

#include <interfield/case.h>
#include <interfield/journal.h>

IFD_BEGIN_DECLS

typedef enum ifd_replay_verdict {
    IFD_REPLAY_IDENTICAL, /* every bit, to the end of the record */
    IFD_REPLAY_PARTIAL,   /* every bit, up to a gap or damage of the record */
    IFD_REPLAY_DIFFERS,
} ifd_replay_verdict;

typedef struct ifd_replay_report {
    ifd_replay_verdict verdict;
    bool test;                                    /* false: a run */
    uint64_t compared;                            /* ticks; rows of a run */
    uint64_t first;                               /* first tick or row that differs or is missing */
    double time;                                  /* s, record time of the last compared tick or row */
    const char *column;                           /* first column that differs; NULL: only the state differs */
    double recorded, replayed;                    /* values of that column */
    double largest;                               /* largest |difference| of all columns in that tick */
    bool other_program, other_kernels, other_cpu; /* not those of the record: bits may differ */
    const char *kernels_then, *kernels_now, *cpu_then;
    ifd_journal_end end; /* of a test: end of its record */
    /* For a test with a closed result.h5: number of rows that are bit-identical to the journal, or a sentence about a
     * difference; the record is then inconsistent, independently of the verdict. */
    uint64_t result_rows;
    const char *result_wrong;
    bool result_unfinished; /* result.h5 is marked as incomplete; the journal has the remainder */
} ifd_replay_report;

typedef struct ifd_replay_options {
    const ifd_case_code *code; /* permitted native code (case.h); NULL: none */
    /* Copies of identified specimens (identify.h) take the recorded parameters, and the filter is not computed. The
     * columns of the filter are not compared, nor is the hash of the state. */
    bool recorded_parameters;
} ifd_replay_options;

/* path: the folder of a result, its journal or its result.h5. IFD_FILE: no record to replay; IFD_PLUGIN: recorded
 * with native code, which is not loaded; IFD_UNSUPPORTED: recorded parameters of a record without `identify`. */
IFD_API ifd_status ifd_replay_with(ifd_arena *arena, const char *path, const ifd_replay_options *o,
                                   ifd_replay_report *out, ifd_note *note);
IFD_END_DECLS
#endif
