/* SPDX-License-Identifier: MIT */
/* What the executor asks of Linux. Each wish is answered by what the kernel then says is so, never by what was asked
 * for: a program without privileges runs all the same, only less punctually, and its report says why. */
#ifndef IFD_BASE_OS_LINUX_H
#define IFD_BASE_OS_LINUX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <interfield/status.h>

/* CLOCK_MONOTONIC in ns. Sleeping until an instant that has passed returns at once. */
IFD_RT int64_t ifd__clock_now(void);
IFD_RT void ifd__clock_sleep(int64_t until);
/* What CLOCK_REALTIME and CLOCK_TAI show more than CLOCK_MONOTONIC, ns; to the time that reading a clock takes. */
void ifd__clock_offsets(int64_t *utc, int64_t *tai);

/* A thread for ticks: a stack of fixed size, and all signals blocked, for a handler has no place in
 * a tick. 0 or an error number. */
int ifd__thread_start(pthread_t *out, void *(*serve)(void *), void *self);

/* The following concern the calling thread, before its first tick. */

/* SCHED_FIFO at a priority of 1..99; at 0 ordinary scheduling, also when the thread that made this
 * one had more. Whether the thread is FIFO afterwards. Also asks for timers without slack, which
 * matters only to an ordinary thread. */
bool ifd__thread_schedule(int priority);
/* SCHED_DEADLINE: four fifths of every period (ns) reserved for the thread, half of it where that is too much for the
 * machine. Whether it was granted. */
bool ifd__thread_deadline(int64_t period);
/* Keeps the thread on one core, -1: wherever it may run now. Whether it is bound to a single core afterwards. */
bool ifd__thread_pin(int core);
/* Whether every core the thread may run on is kept free of other work by the kernel (isolcpus). */
bool ifd__thread_isolated(void);
/* Touches the next 256 KiB of stack, so that no page of it is first used in a tick. */
void ifd__thread_touch_stack(void);
/* Locks every page the process has now: arena, stacks, code. What is mapped later is not locked: with a limit on
 * locked memory it could otherwise not be mapped at all. When refused, still locks the stack of the calling
 * thread where that is granted. */
bool ifd__memory_lock(void);
/* Tiny numbers count as zero, in and out. They take a hundred times longer than others to compute with. */
void ifd__denormals_flush(void);
/* Page faults of the calling thread so far, and how often it was preempted. */
void ifd__thread_disturbances(long *faults, long *preempted);

/* Asks for cores that wake at once instead of saving power; holds until closed. -1 when refused. */
int ifd__awake_open(void);
void ifd__awake_close(int handle);

/* Whether a list as the kernel writes it, "1-3,6", names a core. */
bool ifd__core_listed(const char *list, int core);

#endif
