/* SPDX-License-Identifier: MIT */
/* Threads of one computation at set-up. They live as long as it does. */
#pragma once

#include <interfield/status.h>

enum { IFD__TEAM_MOST = 16 };

/* Cores that this process may use, at most IFD__TEAM_MOST. */
int ifd__team_cores(void);

/* From now on BLAS uses the calling thread only. Its own threads would wait actively on the cores of a tick. */
void ifd__blas_alone(void);

/* Version of BLAS and the processor type of its kernels, on which results of set-up depend in the last bits;
 * "unknown" if it does not report them. */
const char *ifd__blas_name(void);

typedef struct ifd__team ifd__team;

/* Runs job(shared, team, me) on up to `threads` threads, me = 0 on the calling one; returns when all have ended. If
 * the system refuses a thread, there are fewer of them. */
void ifd__team_run(int threads, void (*job)(void *shared, ifd__team *team, int me), void *shared);

/* In a job: the number of threads; returns when all of them have called it. */
int ifd__team_size(const ifd__team *team);
void ifd__team_meet(ifd__team *team);

/* In a job: the next of the numbers 0, 1, 2, ... of the given counter (0 or 1); each is given once. */
int ifd__team_next(ifd__team *team, int counter);
