/* SPDX-License-Identifier: MIT */
/* A look at the channels of a rig: the test of a case in the state idle, in which nothing moves. */
#ifndef APP_LOOK_H
#define APP_LOOK_H

#include "app.h"

#include <interfield/executor.h>

/* What a channel showed since it was last cleared. */
typedef struct shown {
    double raw, value;   /* the newest */
    double mean, square; /* running mean, and sum of squared distances from it */
    double low, high;
    long count;
} shown;

typedef struct look {
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
    shown now[IFD_CHANNEL_ROWS];
} look;

/* Reads the case that word 0 names, reaches its rig, and begins. False after saying what was wrong, *exit_status
 * set. */
bool look_open(look *l, app *a, int *exit_status);
void look_clear(look *l);
/* Takes what arrives for so long, or until a signal comes (NULL: none is waited for; then
 * longer when hardly anything came). */
void look_for(look *l, double seconds, const volatile int *leave);
double look_deviation(const shown *s);
void look_close(look *l);

#endif
