/* SPDX-License-Identifier: MIT */
/* The status line of a long computation that reports nothing itself: its name and elapsed time, from the first second
 * on a terminal, every ten seconds in a log.
 *
 *     working w;
 *     working_begin(&w, a, "critical step");
 *     status = ...;
 *     working_end(&w); */
#pragma once

#include "status_line.h"

#include <pthread.h>

typedef struct working {
    const char *what;
    status_line line;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t change;
    bool shown, waits, over; /* a thread shows the line; it waits; it is to stop */
} working;

void working_begin(working *w, const app *a, const char *what);
/* The same during the set-up of a case, with the size of its model. */
void working_set_up(working *w, const app *a, const ifd_case *c);
void working_end(working *w);
