/* SPDX-License-Identifier: MIT */
/* A unit is one behaviour of a test: a block of state, columns, and what it does in a tick. units.def lists the
 * units; the order of its lines is the order of their calls. Set-up takes those that the case asks for into the list
 * of the test. Set-up, restart, tick and columns walk this list:
 *
 *     sense      uses what the rigs reported
 *     observe    learns from the newest measurement
 *     judge      compares it with limits; returns the worse of its action and `worst`
 *     step       before the exchange of the structure, with its loads
 *     begin      the run begins
 *     resume     a hold is resumed
 *     order      an order, or none, was given
 *     aim        changes the inputs of the compensators
 *
 * A unit without a function for a stage is not called there. */
#ifndef IFD_HYBRID_UNIT_H
#define IFD_HYBRID_UNIT_H

#include "hybrid/hybrid.h"

typedef struct ifd__unit {
    const char *name, *about;           /* as `check --explain` prints them */
    bool (*asked)(const ifd_hybrid *h); /* NULL: of every test */
    ifd_status (*make)(ifd_hybrid *h, ifd_arena *arena, ifd_note *note);
    ifd_status (*columns)(ifd_hybrid *h, ifd_arena *arena);
    IFD_RT void (*restart)(ifd_hybrid *h);
    IFD_RT void (*sense)(ifd_hybrid *h);
    IFD_RT void (*observe)(ifd_hybrid *h, bool fresh);
    IFD_RT ifd_action (*judge)(ifd_hybrid *h, const ifd_tick_in *in, bool fresh, ifd_action worst);
    IFD_RT void (*step)(ifd_hybrid *h);
    IFD_RT void (*begin)(ifd_hybrid *h);
    IFD_RT void (*resume)(ifd_hybrid *h);
    IFD_RT void (*order)(ifd_hybrid *h, ifd_order order);
    IFD_RT void (*aim)(const ifd_hybrid *h, ifd_compensator_in *in);
} ifd__unit;

/* Set-up: the list of a test, its state and columns. */
ifd_status ifd__units_make(ifd_hybrid *h, ifd_arena *arena, ifd_note *note);
ifd_status ifd__units_columns(ifd_hybrid *h, ifd_arena *arena);
/* Unit i of a test in the order of calls; NULL: there are fewer. */
const ifd__unit *ifd__units_at(const ifd_hybrid *h, int i);
/* Its first column, and their number. */
int ifd__units_column(const ifd_hybrid *h, int i, int *count);

IFD_RT void ifd__units_restart(ifd_hybrid *h);
IFD_RT void ifd__units_sense(ifd_hybrid *h);
IFD_RT void ifd__units_observe(ifd_hybrid *h, bool fresh);
IFD_RT ifd_action ifd__units_judge(ifd_hybrid *h, const ifd_tick_in *in, bool fresh);
IFD_RT void ifd__units_step(ifd_hybrid *h);
IFD_RT void ifd__units_begin(ifd_hybrid *h);
IFD_RT void ifd__units_resume(ifd_hybrid *h);
IFD_RT void ifd__units_order(ifd_hybrid *h, ifd_order order);
IFD_RT void ifd__units_aim(const ifd_hybrid *h, ifd_compensator_in *in);

#endif
