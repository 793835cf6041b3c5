/* SPDX-License-Identifier: MIT */
/* A small object for an executor: counts, computes a sequence in which every bit depends on all before it, stores its
 * inputs, and examines the tick thread. */
#pragma once

#include <interfield/executor.h>

#include <stdatomic.h>

enum { FAKE_TICK, FAKE_SEQUENCE, FAKE_LATE, FAKE_IS_LATE, FAKE_TINY, FAKE_VALUES };

typedef struct fake {
    long ticks, last;     /* executed; last tick */
    ifd_run_state ending; /* DONE or FAULT */
    long slow;            /* this tick sleeps for nap seconds; 0: none */
    double nap;
    long gate; /* this tick waits until `pass` is set; 0: none */
    atomic_bool waiting, pass;
    long orders[IFD_ORDER_COUNT]; /* number of each order */
    int policy, cores, signals;   /* of the tick thread: policy, permitted cores, signal mask */
    double values[FAKE_VALUES];
} fake;

/* Ends after `last` ticks with DONE. */
void fake_init(fake *f, long last);
ifd_ticked fake_ticked(fake *f);
