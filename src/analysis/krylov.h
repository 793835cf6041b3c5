/* SPDX-License-Identifier: MIT */
/* The largest roots of a recurrence with many numbers, most of them delayed values. */
#pragma once

#include "analysis/probe.h"
#include "analysis/stability.h"

/* Arnoldi's method on the stepped recurrence, from a random state that was stepped until quickly decaying motion is
 * gone. Growth that it finds is certain. Where it finds none, it must converge from a second random state, too, and
 * the larger result counts. It is no proof: a root is missed if neither state has a noticeable part of it, or if it
 * is not among the estimates that are followed. memory: steps after which delay lines contain nothing of the start,
 * which the space would otherwise have to span. out: the roots found, in arena, largest first. IFD_DIVERGED if a step
 * failed. IFD_UNSUPPORTED if the largest root did not converge, or the next ones may be outside the circle: out then
 * has the estimates, and blur their residuals. */
ifd_status ifd__krylov_roots(ifd_arena *arena, const ifd__probe *p, int memory, ifd__roots *out, ifd_note *note);

/* The same with a larger space, after thousands of steps, for roots close to each other. The space is that of a power
 * of the matrix, 8, 32 and at last 128 steps, until the sizes of the roots differ enough. Of equal roots at least one
 * appears. Roots within near_one of one count as one; a root of this modulus that turns does not. If no root
 * converges but IFD__GROWTH_STEPS steps of a random state exclude growth, out is the bound that they prove. */
ifd_status ifd__krylov_radius(ifd_arena *arena, const ifd__probe *p, int memory, double near_one, ifd__roots *out,
                              ifd_note *note);

/* Growth of a random state, ln per step. rate: its largest size in the last quarter of the steps against that in the
 * second quarter, so that beats have no effect. excluded: no root grows faster, except with the probability
 * IFD__GROWTH_DOUBT; it is positive unless the state decays fast. */
#define IFD__GROWTH_DOUBT 1e-6
enum { IFD__GROWTH_STEPS = 2000 };
typedef struct ifd__growth {
    double rate, excluded;
} ifd__growth;
ifd_status ifd__krylov_growth(ifd_arena *arena, const ifd__probe *p, int steps, ifd__growth *out);
