/* SPDX-License-Identifier: MIT */
/* Elastic simulated time: a test on a rig whose answers arrive late, at irregular times, or for a while not at all.
 *
 * The rate of simulated time follows the answers. Progress counts ticks at full rate. The structure uses the force of
 * the command that was sent one window of progress before, whenever its answer arrived:
 *
 *     window     elastic.delay in ticks of full rate
 *     age        ticks since the newest command that the rig has answered
 *     goal       of the rate: 0 on hold, and when age exceeds `patience`;
 *                otherwise min(1, 0.95 window/(age + 2/w)), w = 3/brake
 *     rate       follows the goal, critically damped with w; the goal is 0 if the rate could otherwise not come to
 *                rest before progress = answered + 0.95 window
 *
 * Hence progress never exceeds answered + window, and the force that a stage needs is always known. All motions of
 * the test follow progress: ramp-in, run and ramp-out. */
#pragma once

#include "hybrid/hybrid.h"

/* Set-up: checks of the options; constants and place of the state; place of its rings, after all hashed state; their
 * memory; columns. */
ifd_status ifd__elastic_check(const ifd_hybrid_options *o, ifd_note *note);
ifd_status ifd__elastic_make(ifd_hybrid *h, ifd_arena *arena, ifd_note *note);
void ifd__elastic_limit(ifd_hybrid *h); /* communication is lost after give_up */
void ifd__elastic_layout_rings(ifd_hybrid *h);
void ifd__elastic_place_rings(ifd_hybrid *h);
ifd_status ifd__elastic_columns(ifd_hybrid *h, ifd_arena *arena);

/* Without `elastic` most of these have no effect. Back to the start, nothing is commanded. */
IFD_RT void ifd__elastic_restart(ifd_hybrid *h);
/* The rig is armed: earlier commands have no answers. */
IFD_RT void ifd__elastic_arm(ifd_hybrid *h);
/* The run begins with the forces at the starting position. */
IFD_RT void ifd__elastic_begin(ifd_hybrid *h);
/* After sense: the commands that new measurements answer, and their forces. With several rigs, age and answered
 * command are those of the slowest, and each rig has its own kept forces. */
IFD_RT void ifd__elastic_hear(ifd_hybrid *h);
/* The rate of this tick. */
IFD_RT void ifd__elastic_rate(ifd_hybrid *h);
/* Whether every command is answered: the forces of the structure are complete. */
IFD_RT bool ifd__elastic_complete(const ifd_hybrid *h);
/* After the state of a checkpoint of a hold, with a rig outside this process; old: the state before. */
IFD_RT void ifd__elastic_continue(ifd_hybrid *h, const double *old);
/* Advances by the rate. */
IFD_RT void ifd__elastic_advance(ifd_hybrid *h);
/* After shape: remembers the command of this tick. */
IFD_RT void ifd__elastic_sent(ifd_hybrid *h);
/* The force of interface k for the due stage. */
IFD_RT double ifd__elastic_force(const ifd_hybrid *h, int k);
/* Starts the compensator of interface k; then the compensated command. It is a function of progress only: the
 * compensator makes one step per tick of full rate, and its lead is linear in between. */
IFD_RT void ifd__elastic_lead_begin(ifd_hybrid *h, int k);
IFD_RT double ifd__elastic_lead(ifd_hybrid *h, int k, double target);
/* s of full rate, for a rig that follows commands by it. */
IFD_RT double ifd__elastic_progress(const ifd_hybrid *h);
/* s since the newest answered command. */
IFD_RT double ifd__elastic_age(const ifd_hybrid *h);

/* The smallest rate that answers of the age `patience` permit; infinite without elastic time. */
double ifd__elastic_slowest(const ifd_hybrid *h);
/* The rig with the oldest answer, as faults name it. */
IFD_RT int ifd__elastic_awaited(const ifd_hybrid *h);

/* s by which a motion of ramp-in or ramp-out advances in this tick. */
IFD_RT static inline double ifd__elastic_tick(const ifd_hybrid *h)
{
    return h->opt.elastic ? ifd__test_of(h)->rate * h->period : h->period;
}
