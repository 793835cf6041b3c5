/* SPDX-License-Identifier: MIT */
/* How simulated time advances: a test has one of the kinds of the table in pace.c, the first that its case asks for.
 * A kind without a function for a place is not called there. */
#pragma once

#include <interfield/hybrid.h>

typedef struct ifd__pace {
    const char *name, *about; /* as `check --explain` prints them */
    bool elsewhere;           /* another program computes the structure */
    bool awaits;              /* answers of the rig may be of any age: simulated time waits for them */
    bool (*asked)(const ifd_hybrid_options *o);

    /* Set-up. limit: of the silence of a rig; layout: after all hashed state; columns of the targets of another
     * program, after their displacements. */
    ifd_status (*check)(const ifd_hybrid_options *o, ifd_note *note);
    void (*limit)(ifd_hybrid *h);
    ifd_status (*make)(ifd_hybrid *h, ifd_arena *arena, ifd_note *note);
    void (*layout)(ifd_hybrid *h);
    ifd_status (*targets)(ifd_hybrid *h, ifd_arena *arena);
    ifd_status (*columns)(ifd_hybrid *h, ifd_arena *arena);
    double (*slowest)(const ifd_hybrid *h); /* rate */

    /* Before the first tick and after a reset; the rig is armed; the run begins. */
    IFD_RT void (*restart)(ifd_hybrid *h);
    IFD_RT void (*arm)(ifd_hybrid *h);
    IFD_RT void (*begin)(ifd_hybrid *h);

    /* A tick. After sense: what new measurements answer; the rate; nothing to do before the next target; targets are
     * taken and answered instead of solved. */
    IFD_RT void (*hear)(ifd_hybrid *h);
    IFD_RT void (*steer)(ifd_hybrid *h);
    IFD_RT bool (*stands)(const ifd_hybrid *h);
    IFD_RT ifd_action (*meet)(ifd_hybrid *h, ifd_action worst);
    /* Whether the due stage has been reached; whether simulated time is stopped. The stage that is due cannot be
     * solved in this tick; it is solved, and the next one begins. */
    IFD_RT bool (*due)(const ifd_hybrid *h);
    IFD_RT bool (*rests)(const ifd_hybrid *h);
    IFD_RT void (*late)(ifd_hybrid *h, ifd_action action);
    IFD_RT void (*solved)(ifd_hybrid *h);
    /* Of the loads: force of interface k for the due stage (N), NULL: that of its chain; weight of its newest value,
     * 0: the last one. */
    IFD_RT double (*force)(const ifd_hybrid *h, int k);
    IFD_RT double (*share)(const ifd_hybrid *h, int k);

    /* Orders: that of a master; its start is known; it ended before any motion; it gets the end of the test; the test
     * is complete. An accepted order; a hold, a resume. */
    IFD_RT ifd_order (*given)(const ifd_hybrid *h);
    IFD_RT bool (*known)(const ifd_hybrid *h);
    IFD_RT bool (*gone)(const ifd_hybrid *h);
    IFD_RT void (*tell)(ifd_hybrid *h);
    bool (*finished)(const ifd_hybrid *h);
    IFD_RT void (*order)(ifd_hybrid *h, ifd_order order);
    IFD_RT void (*hold)(ifd_hybrid *h);
    IFD_RT void (*resume)(ifd_hybrid *h);

    /* Advances by a tick, in run and hold; in ramps. Simulated per wall-clock time in this tick. */
    IFD_RT void (*advance)(ifd_hybrid *h);
    IFD_RT void (*ramp)(ifd_hybrid *h);
    IFD_RT double (*scale)(const ifd_hybrid *h);
    /* Displacement, velocity and acceleration of interface k, over the time of `scale`. The compensated command of a
     * target, instead of a step of the compensator; whether a calm command replaces *u, after `last`. */
    IFD_RT void (*path)(const ifd_hybrid *h, int k, double out[3]);
    IFD_RT double (*lead)(ifd_hybrid *h, int k, double target);
    IFD_RT bool (*calmed)(ifd_hybrid *h, int k, double last, double *u);
    /* After shape: remembers the command of this tick. s, for a rig that follows commands by it. */
    IFD_RT void (*sent)(ifd_hybrid *h);
    IFD_RT double (*progress)(const ifd_hybrid *h);

    /* Answers that come late: s since the newest answered command, at all and at most as old as it may be; position
     * and step of the command that the newest measurement of interface k answers; the rig with the oldest, as faults
     * name it; every command is answered; the state of a checkpoint of a hold was restored, after the state `old`. */
    IFD_RT double (*age)(const ifd_hybrid *h);
    IFD_RT double (*older)(const ifd_hybrid *h);
    IFD_RT void (*answered)(const ifd_hybrid *h, int k, double out[2]);
    IFD_RT int (*awaited)(const ifd_hybrid *h);
    IFD_RT bool (*complete)(const ifd_hybrid *h);
    IFD_RT void (*continues)(ifd_hybrid *h, const double *old);
} ifd__pace;

extern const ifd__pace ifd__pace_scaled, ifd__pace_elastic, ifd__pace_master;

/* The kind of a test. */
const ifd__pace *ifd__pace_of(const ifd_hybrid_options *o);
