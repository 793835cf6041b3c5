/* SPDX-License-Identifier: MIT */
/* Scheduling of the host process of an isolated FMU: it follows the thread that sends the orders. A real-time thread
 * waits for the answer inside its tick. The process therefore runs at the next lower priority, and on another core
 * than that thread. Other processes must not delay the answer, and code that hangs must not prevent the thread from
 * ending the process. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

typedef struct ifd__fmu_rank {
    bool realtime; /* the calling thread is FIFO, RR or DEADLINE */
    int priority;  /* FIFO priority of the process that the kernel reports, 0: ordinary */
    bool aside;    /* the process may not use the core of the calling thread */
} ifd__fmu_rank;

/* For the calling thread. It makes a few system calls: only at the first order. */
void ifd__fmu_rank_follow(pid_t pid, ifd__fmu_rank *out);
/* Whether the process could be FIFO; it remains ordinary. */
bool ifd__fmu_rank_grantable(pid_t pid);
