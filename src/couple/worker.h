/* SPDX-License-Identifier: MIT */
/* Worker: a thread that runs one job at a time beside the tick.
 *
 * begin hands it a job, wait collects it; between the two the caller must not touch what the job uses. Data passes through two
 * semaphores, so everything written before begin is seen by the job and the reverse after wait. */
#ifndef IFD_COUPLE_WORKER_H
#define IFD_COUPLE_WORKER_H

#include <interfield/arena.h>

typedef struct ifd__worker ifd__worker;

/* core: where to pin the thread, -1 for anywhere. The thread is an OS resource: close it. */
ifd_status ifd__worker_open(ifd_arena *arena, void (*job)(void *), void *argument, int core, ifd__worker **out);
IFD_RT void ifd__worker_begin(ifd__worker *w);
/* False when the job is not ready after `seconds`. */
IFD_RT bool ifd__worker_wait(ifd__worker *w, double seconds);
void ifd__worker_close(ifd__worker *w);

#endif
