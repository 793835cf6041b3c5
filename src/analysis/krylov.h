/* SPDX-License-Identifier: MIT */
/* The largest roots of a recurrence of many numbers, most of them past values that only move on. */
#ifndef IFD_ANALYSIS_KRYLOV_H
#define IFD_ANALYSIS_KRYLOV_H

#include "analysis/probe.h"
#include "analysis/stability.h"

/* Arnoldi's method on the stepped recurrence, started from a random state that was stepped until quickly decaying
 * motion is gone. memory: steps after which no line of past values holds anything of that start; the space would have
 * to span what is left of it. out: the roots that were found, in arena, largest first. IFD_DIVERGED when a step
 * failed, IFD_UNSUPPORTED when the largest did not converge: out has the estimates then, blur their residuals. */
ifd_status ifd__krylov_roots(ifd_arena *arena, const ifd__probe *p, int memory, ifd__roots *out, ifd_note *note);

/* How fast a random state grows, ln per step: its largest size in the last quarter of so many steps against that in
 * the second quarter, so that beats do not count. */
ifd_status ifd__krylov_growth(ifd_arena *arena, const ifd__probe *p, int steps, double *rate);

#endif
