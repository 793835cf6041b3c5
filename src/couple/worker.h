/* SPDX-License-Identifier: MIT */
/* Worker: a thread that runs one job at a time beside the tick.
 *
 * begin hands it a job, wait collects it; between the two the caller must not touch what the job uses. Data passes
 * through two semaphores, so everything written before begin is seen by the job and the reverse after wait. The job
 * runs in the floating-point environment of the thread that called begin (rounding, flushing of denormals): its bits
 * do not depend on where it ran. */
#ifndef IFD_COUPLE_WORKER_H
#define IFD_COUPLE_WORKER_H

#include <interfield/arena.h>

typedef struct ifd__worker ifd__worker;

/* s: how long a job is waited for under a simulated clock, where nothing is ever late but a machine may be
 * stopped. */
#define IFD__JOB_PATIENCE 60.0

enum { IFD__THREADS = 2 }; /* that a coupling runs on at most: the caller and one worker */

/* Pins the thread to the last core the caller may use, beside that of the thread that calls begin when it is pinned
 * itself; scheduling is that thread's too. The thread ends with close, at the latest when the arena is closed. */
ifd_status ifd__worker_open(ifd_arena *arena, void (*job)(void *), void *argument, ifd__worker **out);
IFD_RT void ifd__worker_begin(ifd__worker *w);
/* False when the job is not ready after `seconds`. */
IFD_RT bool ifd__worker_wait(ifd__worker *w, double seconds);
/* A running job is finished first, one that has not begun is dropped. May be called twice. */
void ifd__worker_close(ifd__worker *w);

#endif
