/* SPDX-License-Identifier: MIT */
/* What the replays of tests and of runs share. */
#ifndef IFD_RECORD_REPLAY_H
#define IFD_RECORD_REPLAY_H

#include <interfield/replay.h>

/* Whether all values have the same bits; otherwise the first that has not goes to
 * *out, and the largest difference. */
bool ifd__replay_compare(ifd_replay_report *out, const ifd_column *channel, int count, const double *recorded,
                         const double *replayed);
/* Where it was recorded, beside where this is. program 0: not known. */
void ifd__replay_host(ifd_replay_report *out, const char *kernels, const char *cpu, uint64_t program);

/* Compares result.h5 beside a journal with it, where there is one that was closed; every: each which tick it holds.
 * What differs goes to out->result_wrong. */
ifd_status ifd__replay_result(ifd_arena *arena, const char *journal, uint64_t every, ifd_replay_report *out,
                              ifd_note *note);

ifd_status ifd__replay_run(ifd_arena *arena, const char *path, const ifd_case_code *code, ifd_replay_report *out,
                           ifd_note *note);
/* The status of reading a recorded case, with what to do when native code is wanting. c: all of its code is needed;
 * NULL: only that of the model. */
ifd_status ifd__replay_code(ifd_status status, const ifd_case *c, ifd_note *note);

#endif
