/* SPDX-License-Identifier: MIT */
/* A unit is one behaviour of a test: a block of state, columns, and what it does in a tick. units.def lists the
 * units; the order of its lines is the order of their calls. Set-up takes those that the case asks for into the list
 * of the test. Set-up, restart, tick and columns walk this list:
 *
 *     sense      uses what the rigs reported
 *     observe    learns from the newest measurement
 *     judge      compares it with limits; *worst becomes its action if that is worse
 *     step       before the exchange of the structure, with its loads
 *     begin      the run begins
 *     resume     a hold is resumed
 *     order      an order, or none, was given
 *     aim        changes the inputs of the compensators
 *
 * A unit without a function for a stage is not called there. */
#pragma once

#include "hybrid/hybrid.h"

typedef struct ifd__unit {
    const char *name, *about;            /* as `check --explain` prints them */
    bool (*asked)(const ifd_hybrid *h);  /* NULL: of every test */
    int (*doubles)(const ifd_hybrid *h); /* of its state; NULL: none, or taken by make */
    size_t at;                           /* of the member of ifd_hybrid with its offset */
    ifd_status (*make)(ifd_hybrid *h, ifd_arena *arena, ifd_note *note);
    ifd_status (*columns)(ifd_hybrid *h, ifd_arena *arena);
    IFD_RT void (*restart)(ifd_hybrid *h);
    IFD_RT void (*sense)(ifd_hybrid *h);
    IFD_RT void (*observe)(ifd_hybrid *h, bool fresh);
    IFD_RT void (*judge)(ifd_hybrid *h, const ifd_tick_in *in, bool fresh, ifd_action *worst);
    IFD_RT void (*step)(ifd_hybrid *h);
    IFD_RT void (*begin)(ifd_hybrid *h);
    IFD_RT void (*resume)(ifd_hybrid *h);
    IFD_RT void (*order)(ifd_hybrid *h, ifd_order order);
    IFD_RT void (*aim)(const ifd_hybrid *h, ifd_compensator_in *in);
} ifd__unit;

#define IFD__STAGES(X) X(restart) X(sense) X(observe) X(judge) X(step) X(begin) X(resume) X(order) X(aim)

/* The units of a test; for each stage those with a function for it, then NULL. */
enum {
#define UNIT(name) +1
    IFD__UNITS = 0
#include "hybrid/units.def"
#undef UNIT
};
#define IFD__UNITS_OF(stage) const ifd__unit *stage[IFD__UNITS + 1];
struct ifd__units {
    const ifd__unit *unit[IFD__UNITS + 1];
    int column[IFD__UNITS + 1]; /* the first of each, and the end */
    IFD__STAGES(IFD__UNITS_OF)
};

/* Calls the units of a stage: IFD__EACH(h, sense, h); */
#define IFD__EACH(test, called, ...)                                                                                 \
    for (const ifd__unit *const *each = (test)->units->called; *each; each++)                                        \
    (*each)->called(__VA_ARGS__)

/* Set-up: the list of a test and its state; columns. */
ifd_status ifd__units_make(ifd_hybrid *h, ifd_arena *arena, ifd_note *note);
ifd_status ifd__units_columns(ifd_hybrid *h, ifd_arena *arena);
