/* SPDX-License-Identifier: MIT */
/* What the kernel grants to the process of an isolated FMU: it follows the thread that asks it. A real-time thread
 * waits for the answer inside its tick, so the process runs at the next lower priority and off the core that
 * thread is bound to: whatever else runs must not come between question and answer, and code that hangs must not
 * keep the thread from ending it. */
#ifndef IFD_FMI_RANK_H
#define IFD_FMI_RANK_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct ifd__fmu_rank {
    bool realtime; /* the asking thread is FIFO, RR or DEADLINE */
    int priority;  /* FIFO of the process as the kernel now says, 0: ordinary */
    bool aside;    /* it was taken off the core of the asking thread */
} ifd__fmu_rank;

/* For the calling thread. A few system calls: at its first order, not at every one. */
void ifd__fmu_rank_follow(pid_t pid, ifd__fmu_rank *out);
/* Whether the process could be made FIFO; it is left ordinary. */
bool ifd__fmu_rank_grantable(pid_t pid);

#endif
