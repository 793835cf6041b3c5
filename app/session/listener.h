/* SPDX-License-Identifier: MIT */
/* Receivers of the records of a test: recorder, progress line, live page. The thread that empties the ring buffer of
 * the executor calls them, so none of them may wait: long work is passed to another thread. */
#pragma once

#include <interfield/executor.h>

typedef struct listener {
    void *self;
    void (*add)(void *self, const ifd_tick_record *record); /* every record, in order */
    void (*poll)(void *self, uint64_t now);                 /* every few ms; now in ns of the monotonic clock */
    void (*finish)(void *self);                             /* after the last record */
} listener;

enum { MOST_LISTENERS = 8 };

/* In the order of their list; each function of a listener may be NULL. */
typedef struct listeners {
    int count;
    listener one[MOST_LISTENERS];
} listeners;

void listeners_join(listeners *o, listener one);
void listeners_add(const listeners *o, const ifd_tick_record *record);
void listeners_poll(const listeners *o, uint64_t now);
void listeners_finish(const listeners *o);
