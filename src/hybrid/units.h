/* SPDX-License-Identifier: MIT */
/* The list of a test, and its walks: the only code that knows both the test and its units. */
#pragma once

#include "hybrid/part.h"
#include "hybrid/unit.h"

#define UNIT(name) extern const ifd__unit ifd__unit_##name;
#define PART(name) extern const ifd__part ifd__part_##name;
#include "hybrid/units.def"
#undef UNIT
#undef PART

enum {
#define UNIT(name) +1
#define PART(name) +1
    IFD__UNITS = 0
#include "hybrid/units.def"
#undef UNIT
#undef PART
};

/* A unit of a test, or a part of its state machine. */
typedef struct ifd__entry {
    const ifd__unit *unit; /* NULL: a part */
    const ifd__part *part;
    const void *data;             /* of the unit, from make */
    void *own;                    /* its state */
    void *each[IFD_RIG_CHANNELS]; /* its block of each interface */
    unsigned in, gate;            /* states and gates in which it is called */
    int column, columns;          /* the first one, and their number */
} ifd__entry;

#define IFD__STAGES(X) X(restart) X(sense) X(observe) X(judge) X(step) X(begin) X(resume) X(order) X(aim)

/* The list of a test; for each stage those with a function for it, then NULL. */
#define IFD__UNITS_OF(stage) const ifd__entry *stage[IFD__UNITS + 1];
struct ifd__units {
    int units;
    ifd__entry unit[IFD__UNITS];
    IFD__STAGES(IFD__UNITS_OF)
};

/* Set-up: the list of a test with the size of its state; when the state has its place; columns. */
ifd_status ifd__units_make(ifd_hybrid *h, ifd_arena *arena, ifd_note *note);
void ifd__units_place(ifd_hybrid *h);
ifd_status ifd__units_columns(ifd_hybrid *h, ifd_arena *arena);
/* NULL: the case does not ask for it. */
const ifd__entry *ifd__units_find(const ifd_hybrid *h, const ifd__unit *unit);

/* The stages. judge returns the worst action. */
IFD_RT void ifd__units_restart(ifd_hybrid *h);
IFD_RT void ifd__units_sense(ifd_hybrid *h);
IFD_RT void ifd__units_observe(ifd_hybrid *h);
IFD_RT ifd_action ifd__units_judge(ifd_hybrid *h);
IFD_RT void ifd__units_step(ifd_hybrid *h);
IFD_RT void ifd__units_begin(ifd_hybrid *h);
IFD_RT void ifd__units_resume(ifd_hybrid *h);
IFD_RT void ifd__units_order(ifd_hybrid *h, ifd_order order);
IFD_RT void ifd__units_aim(const ifd_hybrid *h, ifd_compensator_in *in);
