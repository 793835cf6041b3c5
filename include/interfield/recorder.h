/* SPDX-License-Identifier: MIT */
/* Recorder: records a test while it runs, so that measurements remain readable after a failure of program, disk or
 * machine (docs/reference/record.md).
 *
 *     ifd_recorder *r;
 *     ifd_recorder_options o = {.folder = "runs/demo", .c = c, .test = test};
 *     IFD_TRY(ifd_recorder_open(arena, &o, &r, note));
 *     ... ifd_recorder_add(r, &record) ...             // each record of the executor; never waits for the disk
 *     IFD_TRY(ifd_recorder_close(r, &report, &timing, note));
 *
 * The folder receives a journal of every tick (journal.h) and result.h5, which is made from the journal and can be
 * read concurrently (SWMR of HDF5). ifd_recover makes result.h5 from the journal of an incomplete test. */
#ifndef INTERFIELD_RECORDER_H
#define INTERFIELD_RECORDER_H

#include <interfield/journal.h>
#include <interfield/result.h>

IFD_BEGIN_DECLS

typedef struct ifd_recorder ifd_recorder;

typedef struct ifd_recorder_options {
    const char *folder;
    const ifd_case *c; /* must outlive the recorder, as must the test */
    const ifd_hybrid *test;
    ifd_journal_options journal;
} ifd_recorder_options;

IFD_API ifd_status ifd_recorder_open(ifd_arena *arena, const ifd_recorder_options *o, ifd_recorder **out,
                                     ifd_note *note);
/* For one thread. */
IFD_API void ifd_recorder_add(ifd_recorder *r, const ifd_tick_record *record);
/* IFD_OK, or IFD_OUTPUT if writing has failed or will soon fail; from any thread. */
IFD_API ifd_status ifd_recorder_progress(const ifd_recorder *r);
/* Grows with what is written: records of the journal and rows of result.h5; from any thread. */
IFD_API uint64_t ifd_recorder_written(const ifd_recorder *r);
/* No tick of the test may follow. */
IFD_API ifd_status ifd_recorder_close(ifd_recorder *r, const ifd_executor_report *report, const ifd_timing *timing,
                                      ifd_note *note);
/* Of a test whose tick does not return: closes the journal only, without an end; ifd_recover makes the result. */
IFD_API ifd_status ifd_recorder_abandon(ifd_recorder *r, ifd_note *note);
/* Output and end of the record, after close. */
IFD_API const ifd_result *ifd_recorder_result(const ifd_recorder *r);
IFD_API const ifd_journal_end *ifd_recorder_end(const ifd_recorder *r);

/* Makes a plain result in folder, which must not contain one, from the journal at path, complete or truncated. *end:
 * how the journal ended. If the case cannot be read, for example without its shared object, a remark is added and the
 * data are still written. */
IFD_API ifd_status ifd_recover(ifd_arena *arena, const char *path, const char *folder, ifd_result **out,
                               ifd_journal_end *end, ifd_note *note);

IFD_END_DECLS
#endif
