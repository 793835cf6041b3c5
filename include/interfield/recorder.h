/* SPDX-License-Identifier: MIT */
/* Recorder: keeps a test while it goes, so that whatever happens to the program, the disk or the machine, what was
 * measured can be read (docs/record.md).
 *
 *     ifd_recorder *r;
 *     ifd_recorder_options o = {.folder = "runs/demo", .c = c, .test = test};
 *     IFD_TRY(ifd_recorder_open(arena, &o, &r, note));
 *     ... ifd_recorder_add(r, &record) ...             // each record of the executor; never waits for the disk
 *     IFD_TRY(ifd_recorder_close(r, &report, &timing, note));
 *
 * The folder gets a journal of every tick (journal.h) and, made from the journal as it grows, result.h5, which other
 * programs may read meanwhile (HDF5's SWMR). ifd_recover makes the same from the journal of a test that was cut. */
#ifndef INTERFIELD_RECORDER_H
#define INTERFIELD_RECORDER_H

#include <interfield/journal.h>
#include <interfield/result.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ifd_recorder ifd_recorder;

typedef struct ifd_recorder_options {
    const char *folder;
    const ifd_case *c; /* it and the test must outlive the recorder */
    const ifd_hybrid *test;
    ifd_journal_options journal;
} ifd_recorder_options;

IFD_API ifd_status ifd_recorder_open(ifd_arena *arena, const ifd_recorder_options *o, ifd_recorder **out,
                                     ifd_note *note);
/* For one thread. */
IFD_API void ifd_recorder_add(ifd_recorder *r, const ifd_tick_record *record);
/* A tick that is left out of the record on purpose: counted, not kept. */
IFD_API void ifd_recorder_pass(ifd_recorder *r, const ifd_tick_record *record);
/* IFD_OK, or IFD_OUTPUT when something cannot be written any more, or soon not; from any thread. */
IFD_API ifd_status ifd_recorder_progress(const ifd_recorder *r);
/* The test must not be ticked any more. */
IFD_API ifd_status ifd_recorder_close(ifd_recorder *r, const ifd_executor_report *report, const ifd_timing *timing,
                                      ifd_note *note);
/* What was written, and how the record ended, after close. */
IFD_API const ifd_result *ifd_recorder_result(const ifd_recorder *r);
IFD_API const ifd_journal_end *ifd_recorder_end(const ifd_recorder *r);

/* Makes a plain result in folder, which must not hold one, of the journal at path, whole or cut. How the journal
 * ended goes to *end. A case that cannot be read again, because a shared object is missing, is remarked upon; its
 * data are there all the same. */
IFD_API ifd_status ifd_recover(ifd_arena *arena, const char *path, const char *folder, ifd_result **out,
                               ifd_journal_end *end, ifd_note *note);

#ifdef __cplusplus
}
#endif
#endif
