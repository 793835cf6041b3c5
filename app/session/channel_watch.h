/* SPDX-License-Identifier: MIT */
/* Watches the channels of a rig: the test of a case in the state idle, in which nothing moves. */
#ifndef APP_CHANNEL_WATCH_H
#define APP_CHANNEL_WATCH_H

#include "app.h"

#include <interfield/executor.h>

/* What a channel showed since it was last cleared. */
typedef struct channel_reading {
    double raw;          /* the newest */
    double mean, square; /* running mean, and sum of squared distances from it */
    long count;
} channel_reading;

typedef struct channel_watch {
    app *a;
    ifd_arena *clock; /* of the executor, which ends with it */
    ifd_case *c;
    ifd_hybrid_options o;
    ifd_hybrid *h;
    ifd_executor *e;
    const ifd_channel_map *map; /* the case's; without one, position and force of every actuator */
    int first;                  /* column of the first row's raw number */
    uint32_t inputs;
    bool heard;
    long ticks; /* with something new */
    channel_reading now[IFD_CHANNEL_ROWS];
} channel_watch;

/* Reads the case that word 0 names, reaches its rig, and lets a struct of this size that begins with a channel_watch
 * be used; the exit status. */
int channel_watch_run(app *a, size_t size, int (*use)(void *watch));
void channel_watch_clear(channel_watch *l);
/* Takes what arrives for so long, or until a signal comes (NULL: none is waited for; then
 * longer when hardly anything came). */
void channel_watch_collect(channel_watch *l, double seconds, const volatile int *leave);
double channel_watch_deviation(const channel_reading *s);

#endif
