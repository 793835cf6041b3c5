/* SPDX-License-Identifier: MIT */
/* Worker: a thread that runs one job at a time beside the tick.
 *
 * begin starts a job, wait returns after it. In between, the caller must not access data of the job. Two semaphores
 * order memory: the job sees all that was written before begin, and the caller sees all results after wait. The job
 * runs in the floating-point environment of the thread that called begin (rounding, flushing of denormals), so its
 * results do not depend on the thread, bit by bit. */
#pragma once

#include <interfield/arena.h>

typedef struct ifd__worker ifd__worker;

/* s: limit of the wait for a job under a simulated clock, where no tick is late but a machine may stall */
#define IFD__JOB_PATIENCE 60.0

enum { IFD__THREADS = 8 }; /* largest number of threads of a coupling: the caller and the workers */

/* Pins worker 0 to the last core that the caller may use, 1 to the one before, and so on while cores are left. If the
 * thread that calls begin is pinned, the worker uses another core and the same scheduling policy. The thread ends
 * with close, at the latest when the arena is closed. */
ifd_status ifd__worker_open(ifd_arena *arena, int number, void (*job)(void *), void *argument, ifd__worker **out);
IFD_RT void ifd__worker_begin(ifd__worker *w);
/* False if the job is not finished after `seconds`. */
IFD_RT bool ifd__worker_wait(ifd__worker *w, double seconds);
/* Waits for a running job; drops a job that has not started. May be called twice. */
void ifd__worker_close(ifd__worker *w);
