/* SPDX-License-Identifier: MIT */
/* events.log: what happened in a test, a line each, written out at once:
 *
 *     2026-11-15T09:30:12.345Z  tick 1234  t 2.468 s  order hold, from the operator
 *
 * States, orders and who gave them, faults, rights, checkpoints, late ticks. */
#ifndef APP_EVENTS_H
#define APP_EVENTS_H

#include "progress.h"

typedef struct events {
    FILE *file; /* NULL: nothing is kept */
    uint64_t tick;
    double time; /* s, simulated */
    ifd_machine state;
    ifd_trip fault;
    ifd_wait wait; /* last said, and the channel it was about */
    int wait_channel;
    bool begun;
    long late, said_late;       /* ticks that began or ended late: all, and those that were told */
    double worst;               /* s, since it was last told */
    double late_told;           /* s of wall clock */
    double period;              /* s */
    const char *wisher;         /* who else gives orders: the test itself, because of --until; NULL: nobody */
    int given[IFD_ORDER_COUNT]; /* orders told that no tick has taken yet */
} events;

/* Opens folder/events.log, behind what it holds. False when it cannot be written. */
bool events_open(events *e, const char *folder, double period);
void events_say(events *e, const char *format, ...) IFD_PRINTF(2, 3);
/* Tells what a record changes; shown has taken it already. */
void events_record(events *e, const ifd_tick_record *r, const progress *shown);
void events_order(events *e, ifd_order order, const char *source);
void events_close(events *e);

#endif
