/* SPDX-License-Identifier: MIT */
/* Those who look on while a test goes: the recorder, the bar, a live page. All are called by the thread that empties
 * the executor's ring, so none of them may wait for anything: what takes time is handed to a thread of its own. */
#ifndef APP_OBSERVER_H
#define APP_OBSERVER_H

#include <interfield/executor.h>

typedef struct observer {
    void *self;
    void (*add)(void *self, const ifd_tick_record *record); /* every record, in order */
    void (*look)(void *self, uint64_t now);                 /* every few ms; now in ns of the monotonic clock */
    void (*finish)(void *self);                             /* after the last record */
} observer;

enum { MOST_OBSERVERS = 8 };

/* In the order of their list; each function of an observer may be NULL. */
typedef struct observers {
    int count;
    observer one[MOST_OBSERVERS];
} observers;

void observers_join(observers *o, observer one);
void observers_add(const observers *o, const ifd_tick_record *record);
void observers_look(const observers *o, uint64_t now);
void observers_finish(const observers *o);

#endif
