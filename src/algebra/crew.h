/* SPDX-License-Identifier: MIT */
/* Crew: threads that share the solutions of one divided solver. All results are those of one thread, bit by bit.
 *
 *     ifd__crew *crew;
 *     IFD_TRY(ifd__crew_open(arena, solver, threads, &crew));    // NULL: nothing to share
 *     ...
 *     if (!ifd__crew_solve(crew, x))                             // IFD_RT
 *         ...                                                    // busy or late: the caller solves by itself
 *
 * The caller and the other threads take parts in turn, so a thread that sleeps or is late to begin delays nothing. If
 * a thread holds a part for longer than the limit, the crew gives up this solution; x is unchanged, and the caller
 * computes it alone. Threads change memory of the crew only, which nobody else reads before they have finished. There
 * are no locks; a thread that has waited in vain sleeps until the next solution. */
#pragma once

#include "algebra/solver.h"

typedef struct ifd__crew ifd__crew;

/* *out is NULL if the solver is not divided, threads is below 2 or the system refuses all threads. The threads end
 * when the arena is closed. */
ifd_status ifd__crew_open(ifd_arena *arena, const ifd_solver *solver, int threads, ifd__crew **out);

/* x := A^-1 x. False: x is unchanged. */
IFD_RT bool ifd__crew_solve(ifd__crew *crew, double *x);

/* The halves of ifd__solver_forward and ifd__solver_backward; y and z as there. False: nothing is changed. */
IFD_RT bool ifd__crew_forward(ifd__crew *crew, const double *x, double *y, double *z);
IFD_RT bool ifd__crew_backward(ifd__crew *crew, const double *z, double *x);

/* Number of threads, that of the caller included. */
int ifd__crew_size(const ifd__crew *crew);

/* For tests: solutions given up so far; called by a thread that has taken a part, before it computes. */
IFD_RT long ifd__crew_given_up(const ifd__crew *crew);
void ifd__crew_on_part(ifd__crew *crew, void (*call)(void *what, int thread), void *what, double limit);
