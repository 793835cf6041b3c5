/* SPDX-License-Identifier: MIT */
/* Functions for the replay of tests and of runs. */
#pragma once

#include <interfield/replay.h>

/* Whether all values have equal bits; otherwise *out gets the first difference and the largest one. */
bool ifd__replay_compare(ifd_replay_report *out, const ifd_column *channel, int count, const double *recorded,
                         const double *replayed);
/* The recording machine and this machine. program 0: unknown. */
void ifd__replay_host(ifd_replay_report *out, const char *kernels, const char *cpu, uint64_t program);

/* Compares a closed result.h5 next to a journal with the journal, if it exists; every: interval of its rows in
 * ticks. Differences go to out->result_wrong. */
ifd_status ifd__replay_result(ifd_arena *arena, const char *journal, uint64_t every, ifd_replay_report *out,
                              ifd_note *note);

/* The status of reading a recorded case, with a remedy if native code is missing. c: all of its code is needed;
 * NULL: only the code of the model. */
ifd_status ifd__replay_code(ifd_status status, const ifd_case *c, ifd_note *note);
