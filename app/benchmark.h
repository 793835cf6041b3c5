/* SPDX-License-Identifier: MIT */
/* Parts of the command benchmark. */
#pragma once

#include "app.h"

#include <interfield/benchmark.h>

enum { MOST_RECORDS = 16, MOST_SETTINGS = 16 };

typedef struct motion {
    const char *name;
    const ifd_signal *signal;
    double end; /* s */
    bool comparable;
} motion;

typedef struct motions {
    int count;
    motion motion[MOST_RECORDS];
} motions;

/* Those of --record and --records; without them a generated one. */
ifd_status motions_get(app *a, motions *b);
/* Settings of --set, with the parameters of these compensators; the last row of out is empty. */
ifd_status settings_get(app *a, int kinds, const char *const *kind, ifd_rths_setting *out);

/* Prints the JSON of the runs, if asked for; returns the exit status. */
int benchmark_end(app *a, ifd_status status, ifd_json *j, bool unstable);

int run_marths(app *a);
