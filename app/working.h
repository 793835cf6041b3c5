/* SPDX-License-Identifier: MIT */
/* A line on the terminal while something takes long: what is being done and for how long. Nothing is shown during the
 * first second, nor when stderr is no terminal or text for people is not wanted.
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
    bool shown, over; /* a thread shows it; it is to stop */
} working;

void working_begin(working *w, const app *a, const char *what);
void working_end(working *w);

#endif
