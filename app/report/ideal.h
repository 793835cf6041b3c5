/* SPDX-License-Identifier: MIT */
/* The ideal run: the same case with computed specimens, without delay, noise and limits, as `interfield run`
 * computes it. The difference is the error of a test. */
#pragma once

#include "app.h"

#include <interfield/result.h>

typedef struct ideal {
    const char *why; /* reason why there is no ideal run; NULL: there is one */
    ifd_table run;   /* over simulated time; rows is 0 without an ideal run */
    ifd_table test;  /* the test in the form of a run, for the comparison */
} ideal;

/* c: the case of a test; NULL if it cannot be read any more. Shows its progress on a terminal. */
void ideal_compute(app *a, const ifd_case *c, const ifd_table *test, ideal *out);
/* The column of the ideal run that corresponds to a column of the test; -1: none. */
int ideal_column(const ideal *i, const ifd_column *of);
