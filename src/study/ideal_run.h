/* SPDX-License-Identifier: MIT */
/* The ideal run of a test: the same case with the same step, its specimens computed and without a rig. The reduction
 * `error` compares a column of a test with it. */
#pragma once

#include <interfield/case.h>
#include <interfield/column.h>

typedef struct ifd__ideal_run {
    ifd_run *run; /* while it is computed */
    int *pick;    /* column of value -> column of the run */
    long rows, room;
    double step; /* s */
    int columns;
    int *of;       /* column of the test -> column of value; -1: the run does not have it */
    double *value; /* rows x columns */
} ifd__ideal_run;

/* Prepares the run, which keeps the columns of the test that `needed` marks. */
typedef struct ifd__ideal_run_ask {
    int columns;
    const ifd_column *column; /* of the test */
    const bool *needed;
} ifd__ideal_run_ask;
ifd_status ifd__ideal_run_make(ifd_arena *arena, const ifd_case *c, const ifd__ideal_run_ask *ask,
                               ifd__ideal_run *out, ifd_note *note);
/* Keeps the present row, if it is new: before the first tick of the run and after every tick. */
void ifd__ideal_run_row(ifd__ideal_run *i);
/* All ticks, one run at a time. */
void ifd__ideal_run_compute(ifd__ideal_run *i);
/* After the last tick. IFD_DIVERGED: the run failed. */
ifd_status ifd__ideal_run_end(ifd__ideal_run *i, ifd_note *note);
/* Its value at a time, linear between steps; NAN: none. */
double ifd__ideal_run_at(const ifd__ideal_run *i, int column, double time);
