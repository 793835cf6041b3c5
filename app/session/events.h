/* SPDX-License-Identifier: MIT */
/* events.log: the events of a test, one line each, written immediately:
 *
 *     2026-11-15T09:30:12.345Z  tick 1234  t 2.468 s  order hold, from the terminal, A. Smith  #5f0c...
 *
 * States, orders with their source, faults, rights, checkpoints, late ticks. The hash at the end of a line depends on
 * all lines before it (events_chain.h). */
#pragma once

#include "progress.h"

#include <stdatomic.h>
#include <sys/types.h>

#include <interfield/events_chain.h>

enum { EVENT_LINE = 16384 }; /* bytes of the longest line */

typedef struct events {
    int file; /* -1: no log */
    off_t bytes;
    ifd_events_chain chain;
    char chain_text[IFD_CHAIN_TEXT + 1];
    atomic_bool busy; /* a line is being written */
    char line[EVENT_LINE];
    uint64_t tick;
    double time; /* s, simulated */
    ifd_machine state;
    ifd_trip fault;
    ifd_wait wait; /* the last fault written, and its channel */
    int wait_owner;
    uint64_t noted; /* faults of the last tick, a bit for each */
    bool begun;
    long late, said_late;       /* ticks that began or ended late: all, and those already written */
    double worst;               /* s, since the last line about late ticks */
    double late_told;           /* s of wall clock */
    const char *wisher;         /* another source of orders: the test itself with --until; NULL: none */
    int given[IFD_ORDER_COUNT]; /* orders written that no tick has received yet */
    uint32_t refused;           /* rigs whose first refused message was written, a bit for each */
} events;

/* Makes folder/events.log. False if it cannot be written, or exists. */
bool events_open(events *e, const char *folder);
void events_say(events *e, const char *format, ...) IFD_PRINTF(2, 3);
/* Writes the changes of a record, after it was added to shown. */
void events_record(events *e, const ifd_tick_record *r, const progress *shown);
/* The line of an order that a tick will receive; IFD_ORDER_NONE: of anything else. */
void events_given(events *e, ifd_order order, const char *format, ...) IFD_PRINTF(3, 4);
/* A line of the thread that ends a hung program: without memory, stdio and locks (supervised.h). */
void events_last_line(events *e, const char *text);
/* Writes the pending line of late ticks. */
void events_late(events *e);
/* The same; the hash of the log so far, which is in summary.json and result.h5. NULL: no log. */
const char *events_chain(events *e);
void events_close(events *e);
/* The fault shown: its text, its place, and the reason that the rig reported in its tick. */
void fault_print(const progress *shown, char *out, size_t size);
/* ", specimen 'bearing'", with several rigs ", specimen 'bearing' of rig 'lab-b'" or ", rig 'lab-b'"; "": none. */
void fault_place(const ifd_hybrid *h, int owner, char *out, size_t size);
