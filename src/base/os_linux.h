/* SPDX-License-Identifier: MIT */
/* Requests of the executor to Linux. Each function returns the state that the kernel then reports, not the requested
 * state. Without privileges a program still runs, with more lateness, and its report gives the cause. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <interfield/status.h>

/* CLOCK_MONOTONIC in ns. Sleeping until a past instant returns immediately. */
IFD_RT int64_t ifd__clock_now(void);
IFD_RT void ifd__clock_sleep(int64_t until);
/* Differences of CLOCK_REALTIME and CLOCK_TAI from CLOCK_MONOTONIC, ns. The error is the duration of one clock
 * reading. */
void ifd__clock_offsets(int64_t *utc, int64_t *tai);

/* Starts a thread for ticks, with a stack of fixed size and all signals blocked, because a signal handler would
 * delay a tick. Returns 0 or an error number. */
int ifd__thread_start(pthread_t *out, void *(*serve)(void *), void *self);

/* Gives a thread the scheduling of the calling thread: no less urgent thread delays it. If the calling thread is
 * pinned, the thread is pinned to another one of the allowed cores, the last one for nth = 0, the one before for
 * nth = 1, ...; otherwise it may use all of them. allowed: a cpu_set_t. A refused request costs time only. */
void ifd__thread_follow(pthread_t thread, const void *allowed, int nth);

/* The following functions concern the calling thread. They are called before its first tick. */

/* SCHED_FIFO with a priority of 1..99; 0: ordinary scheduling, also if the creating thread has a higher priority.
 * Returns whether the thread is then SCHED_FIFO. It also removes timer slack, which only affects ordinary threads. */
bool ifd__thread_schedule(int priority);
/* SCHED_DEADLINE: reserves four fifths of every period (ns) for the thread, or half of it if the machine refuses
 * four fifths. Returns whether the kernel granted it. */
bool ifd__thread_deadline(int64_t period);
/* Binds the thread to one core; -1: no change. Returns whether the thread is then bound to a single core. */
bool ifd__thread_pin(int core);
/* Keeps the thread off one core if it may use another one; -1: no change. */
void ifd__thread_avoid(int core);
/* Whether the kernel keeps every core that the thread may use free of other work (isolcpus). */
bool ifd__thread_isolated(void);
/* Touches the next 256 KiB of the stack, so that a tick causes no page fault there. */
void ifd__thread_touch_stack(void);
/* Locks all present pages of the process: arena, stacks, code. Later mappings are not locked, because a limit on
 * locked memory could make them fail. If the lock is refused, only the stack of the calling thread is locked, if
 * that is granted. */
bool ifd__memory_lock(void);
/* Denormal numbers count as zero, as operands and results. Arithmetic with them can take a hundred times longer. */
void ifd__denormals_flush(void);
/* Page faults and preemptions of the calling thread since its start. */
void ifd__thread_disturbances(long *faults, long *preempted);

/* Requests that cores do not enter sleep states; valid until closed. -1: refused. */
int ifd__awake_open(void);
void ifd__awake_close(int handle);

/* Whether a list of the kernel, such as "1-3,6", contains a core. */
bool ifd__core_listed(const char *list, int core);
