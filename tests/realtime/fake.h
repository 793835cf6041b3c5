/* SPDX-License-Identifier: MIT */
/* Something small to be ticked: counts, computes a sequence whose every bit depends on all before it, keeps what came
 * in, and looks around on the tick's thread. */
#ifndef TESTS_RUN_FAKE_H
#define TESTS_RUN_FAKE_H

#include <interfield/executor.h>

#include <stdatomic.h>

enum { FAKE_TICK, FAKE_SEQUENCE, FAKE_LATE, FAKE_TINY, FAKE_VALUES };

typedef struct fake {
    long ticks, last;     /* made; after which it ends */
    ifd_run_state ending; /* DONE or FAULT */
    long slow;            /* this tick sleeps for nap seconds; 0: none */
    double nap;
    long gate; /* this tick waits until `pass` is set; 0: none */
    atomic_bool waiting, pass;
    long orders[IFD_ORDER_COUNT]; /* how often each came in */
    int policy, cores,
        signals; /* of the tick's thread, seen from inside: policy, cores it may use, signals it takes */
    double values[FAKE_VALUES];
} fake;

/* Ends after `last` ticks with DONE. */
void fake_init(fake *f, long last);
ifd_ticked fake_ticked(fake *f);

#endif
