/* SPDX-License-Identifier: MIT */
/* Reads the channels of a rig with the test of a case in the state idle, without motion. */
#pragma once

#include "app.h"

#include <signal.h>

#include <interfield/executor.h>

/* Values of a channel since it was last cleared. */
typedef struct channel_reading {
    double raw;          /* the newest */
    double mean, square; /* running mean, and sum of squared deviations */
    long count;
} channel_reading;

typedef struct channel_watch {
    app *a;
    ifd_arena *clock; /* of the executor, which uses it until its end */
    ifd_case *c;
    ifd_hybrid_options o;
    ifd_hybrid *h;
    ifd_executor *e;
    const ifd_channel_map *map; /* of the case; without one, position and force of every actuator */
    int first;                  /* column of the raw value of the first row */
    uint32_t inputs;
    bool heard;
    long ticks; /* number of records with new values */
    channel_reading now[IFD_CHANNEL_ROWS];
} channel_watch;

/* Reads the case of word 0, connects to its rig and calls the function with a struct of this size, which begins with
 * a channel_watch; returns the exit status. */
int channel_watch_run(app *a, size_t size, int (*use)(void *watch));
void channel_watch_clear(channel_watch *l);
/* Collects values for this time, or until a signal (NULL: without a signal; then
 * longer if few values arrive). */
void channel_watch_collect(channel_watch *l, double seconds, const volatile sig_atomic_t *leave);
double channel_watch_deviation(const channel_reading *s);
