/* SPDX-License-Identifier: MIT */
/* A line on the terminal during a long computation, with its name and elapsed time. It appears after one second if
 * stderr is a terminal and text is printed.
 *
 *     working w;
 *     working_begin(&w, a, "critical step");
 *     status = ...;
 *     working_end(&w); */
#ifndef APP_WORKING_H
#define APP_WORKING_H

#include "app.h"

#include <pthread.h>

typedef struct working {
    const char *what;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool shown, over; /* a thread shows the line; the thread is to stop */
} working;

void working_begin(working *w, const app *a, const char *what);
/* The same during the set-up of a case, with the size of its model. */
void working_set_up(working *w, const app *a, const ifd_case *c);
void working_end(working *w);

#endif
