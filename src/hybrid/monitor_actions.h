/* SPDX-License-Identifier: MIT */
/* What the monitor of stability may do to the loop without stopping it (docs/guide/monitor.md).
 *
 * Retune: an additional lead d of the target of a compensator,
 *
 *     x := x + d x',
 *
 * of first order, because x'' jumps from stage to stage. d is larger by the measured delay beyond the expected one,
 * by at most 1 ms in a second of wall clock, and at most `most_lead` in all. It changes as a motion from rest to rest
 * within half a second, so that the command does not jump.
 *
 * Damp: a force c v against the motion of the target in the loop of the solver, not at the rig. c removes within 0.2
 * s what the specimen seems to have delivered (the passivity observer of rig/monitor.h, with the work of c v),
 *
 *     c = deficit / (0.2 s mean(v^2)),   0 <= c <= most_damping,
 *
 * and passes from 0 to `most_damping` in no less than 0.1 s. Its work is at most the fraction `damp_energy` of the
 * work done at the specimen in either direction so far. v is a velocity of simulated time.
 *
 * Both last until the end of the run. On hold and without measurements the damping fades; a resume observes anew. */
#pragma once

#include "hybrid/columns.h"
#include "hybrid/io.h"

/* Of an interface. */
#define IFD__REMEDY(ONE, MANY, BLOCK)                                                                                \
    ONE(lead, "s", OF_TEST) /* now; at the start and at the end of its present change */                             \
    ONE(lead_from, "s", OF_TEST)                                                                                     \
    ONE(lead_to, "s", OF_TEST)                                                                                       \
    ONE(tuned, "", OF_TEST)  /* changes so far */                                                                    \
    ONE(since, "s", OF_TEST) /* of wall clock since the start of the last change */                                  \
    ONE(damps, "", OF_TEST)  /* 1: the level was reached; 2: the energy was used up once */                          \
    ONE(c, "N s/m", OF_TEST)                                                                                         \
    ONE(force, "N", OF_TEST) /* c v, of one device */                                                                \
    ONE(work, "J", OF_TEST)  /* of this force since the start; since the monitor observes anew */                    \
    ONE(paid, "J", OF_TEST)                                                                                          \
    ONE(turnover, "J", OF_TEST)   /* sum of |f dx| */                                                                \
    ONE(square, "m2/s2", OF_TEST) /* mean of v^2 */                                                                  \
    ONE(x, "m", OF_TEST)          /* target of the last tick */                                                      \
    ONE(moves, "", OF_TEST)       /* whether it is known */
IFD__STATE_BLOCK(ifd__remedy, IFD__REMEDY);

/* Outcome of a wish to retune: too early after the last change; done; no lead remains, or nothing is late. */
typedef enum ifd__retuning { IFD__RETUNE_WAITS, IFD__RETUNED, IFD__RETUNE_SPENT } ifd__retuning;

/* Whether the monitor may do either. */
bool ifd__remedy_asked(const ifd__facts *f);
ifd_status ifd__remedy_check(const ifd__facts *f, ifd_note *note);
ifd_status ifd__remedy_columns(const ifd__unit_columns *to, const ifd__facts *f, const ifd__remedy *r);
/* The observers start again. r: of all interfaces. */
IFD_RT void ifd__remedy_again(const ifd__facts *f, ifd__remedy *r);
/* late: s of the measured position of each interface beyond what is expected; who: -1 for all. */
IFD_RT ifd__retuning ifd__remedy_retune(const ifd__facts *f, ifd__remedy *all, const double *late, int who);
/* False: it damps already. */
IFD_RT bool ifd__remedy_damp(const ifd__facts *f, ifd__remedy *r, int who);
/* In every tick of run and hold. lack: J, energy that each specimen got less what it has stored (negative: it seems
 * to deliver); NULL: no measurement, or hold. Returns the interface whose energy is used up for the first time; -1:
 * none. */
IFD_RT int ifd__remedy_tick(const ifd__io *io, ifd__remedy *r, const double *lack);
/* In other states no structure is computed, and there is nothing to damp. */
IFD_RT void ifd__remedy_stop(const ifd__facts *f, ifd__remedy *r);
/* J, of the damping of all interfaces and devices. */
IFD_RT double ifd__remedy_work(const ifd__facts *f, const ifd__remedy *r);
/* N, on the structure, of one device. */
IFD_RT double ifd__remedy_force(const ifd__io *io, int k);
