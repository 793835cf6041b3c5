/* SPDX-License-Identifier: MIT */
/* The difference of two results: one definition for `interfield compare` and for the error of the report against the
 * ideal run. */
#pragma once

#include <stdbool.h>

#include <interfield/result.h>

typedef struct difference {
    const char *name, *unit;
    double rms, peak; /* relative to rms and peak of the first result; if these are zero, the difference itself */
    double most, at;  /* largest difference and its time */
    double size, rms_size; /* peak and rms of the first result, the reference */
    long rows;             /* times at which both have values */
} difference;

/* The times of a reference at which another result also has values. */
typedef struct sampling {
    long rows;
    double from, to; /* s */
    bool between;    /* some of them are between two rows of the other result, which is interpolated linearly */
} sampling;

/* A column at a time, linear between the rows; *hint is kept from call to call. */
double table_at(const ifd_table *t, int column, double time, long *hint);
/* Column cb of b against column ca of a, the reference, at the times of a up to the end of b. Both over simulated
 * time. */
difference difference_measure(const ifd_table *a, int ca, const ifd_table *b, int cb);
/* The times of difference_measure. */
sampling difference_sampling(const ifd_table *a, const ifd_table *b);
