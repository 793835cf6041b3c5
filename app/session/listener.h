/* SPDX-License-Identifier: MIT */
/* Those who look on while a test goes: the recorder, the bar, a live page. All are called by the thread that empties
 * the executor's ring, so none of them may wait for anything: what takes time is handed to a thread of its own. */
#ifndef APP_LISTENER_H
#define APP_LISTENER_H

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

#endif
