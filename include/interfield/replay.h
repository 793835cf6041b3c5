/* SPDX-License-Identifier: MIT */
/* Replay: makes a recorded test or run once more and compares every bit.
 *
 *     ifd_replay_report report;
 *     IFD_TRY(ifd_replay(arena, "runs/demo", &report, note));
 *     if (report.verdict == IFD_REPLAY_IDENTICAL) ...
 *
 * Of a test, the tick is the one of the test; only its rig is another, which gives what was recorded, and its clock,
 * which does not wait. Every tick is compared by the hash of its whole state and by each of its values. A run has no
 * inputs: it is made again from its case, and every recorded value is compared. Nothing is written. */
#ifndef INTERFIELD_REPLAY_H
#define INTERFIELD_REPLAY_H

#include <interfield/case.h>
#include <interfield/journal.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ifd_replay_verdict {
    IFD_REPLAY_IDENTICAL, /* every bit, to the end of the record */
    IFD_REPLAY_PARTIAL,   /* every bit, up to a place where the record has a gap or is damaged */
    IFD_REPLAY_DIFFERS,
} ifd_replay_verdict;

typedef struct ifd_replay_report {
    ifd_replay_verdict verdict;
    bool test;                                    /* rather than a run */
    uint64_t compared;                            /* ticks, of a run rows */
    uint64_t first;                               /* tick or row that differs, or the first one missing */
    double time;                                  /* s on the clock of the record, of the last one compared */
    const char *channel;                          /* the first that differs there; NULL: only the state does */
    double recorded, replayed;                    /* its values */
    double largest;                               /* |difference| of all channels in that tick */
    bool other_program, other_kernels, other_cpu; /* than recorded it: then bits may differ */
    const char *kernels_then, *kernels_now, *cpu_then;
    ifd_journal_end end; /* of a test: how its record ended */
    /* Of a test whose result.h5 is there and was closed: rows that agree with the journal to the bit; or a sentence
     * about what does not, and then the record is not whole whatever the verdict. */
    uint64_t result_rows;
    const char *result_wrong;
    bool
        result_unfinished; /* result.h5 says that it was not written to its end; the journal has the rest */
} ifd_replay_report;

/* path: the folder of a result, or its journal or result.h5. IFD_FILE when there is nothing that can be replayed,
 * IFD_PLUGIN when it was made with native code: none is loaded. */
IFD_API ifd_status ifd_replay(ifd_arena *arena, const char *path, ifd_replay_report *out, ifd_note *note);
/* With the native code that the caller allows (case.h); may be NULL. */
IFD_API ifd_status ifd_replay_as(ifd_arena *arena, const char *path, const ifd_case_code *code,
                                 ifd_replay_report *out, ifd_note *note);

#ifdef __cplusplus
}
#endif
#endif
