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
    const void *data;              /* of the unit, from make */
    void *own;                     /* its state */
    void *each[IFD_RIG_ACTUATORS]; /* its block of each interface */
    unsigned in, gate;             /* states and gates in which it is called */
    int column, columns;           /* the first one, and their number */
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

/* The stages: calls of the units and parts that have a function for it, in their states and with their gates. */
IFD_RT static inline bool ifd__entry_acts(const ifd_hybrid *h, const ifd__entry *e)
{
    return (e->in >> ifd__state_of(h) & 1u) && (h->gate & e->gate) == e->gate;
}

#define IFD__EACH(h, e, stage) for (const ifd__entry *const *e = (h)->units->stage; *e; e++)
#define IFD__CALL(h, e, stage)                                                                                       \
    ((*e)->unit ? (*e)->unit->stage(&(h)->io, (*e)->data, (*e)->own) : (*e)->part->stage(h))

IFD_RT static inline void ifd__units_restart(ifd_hybrid *h)
{
    IFD__EACH (h, e, restart)
        IFD__CALL(h, e, restart);
}

IFD_RT static inline void ifd__units_sense(ifd_hybrid *h)
{
    IFD__EACH (h, e, sense)
        if (ifd__entry_acts(h, *e))
            IFD__CALL(h, e, sense);
}

IFD_RT static inline void ifd__units_observe(ifd_hybrid *h)
{
    IFD__EACH (h, e, observe)
        if (ifd__entry_acts(h, *e))
            IFD__CALL(h, e, observe);
}

/* The worst action. */
IFD_RT static inline ifd_action ifd__units_judge(ifd_hybrid *h)
{
    ifd_action worst = IFD_ACTION_NOTE;
    IFD__EACH (h, e, judge) {
        ifd_action action = ifd__entry_acts(h, *e) ? IFD__CALL(h, e, judge) : IFD_ACTION_NOTE;
        worst = action > worst ? action : worst;
    }
    return worst;
}

IFD_RT static inline void ifd__units_step(ifd_hybrid *h)
{
    const ifd__structure s = {.x = h->x, .updates = h->local ? &h->recorded->balance.updates : NULL};
    IFD__EACH (h, e, step)
        if ((*e)->unit)
            (*e)->unit->step(&h->io, (*e)->data, (*e)->own, &s);
        else
            (*e)->part->step(h);
}

/* Of units only. */
IFD_RT static inline void ifd__units_begin(ifd_hybrid *h)
{
    IFD__EACH (h, e, begin)
        (*e)->unit->begin(&h->io, (*e)->data, (*e)->own);
}

IFD_RT static inline void ifd__units_resume(ifd_hybrid *h)
{
    IFD__EACH (h, e, resume)
        (*e)->unit->resume(&h->io, (*e)->data, (*e)->own);
}

IFD_RT static inline void ifd__units_order(ifd_hybrid *h, ifd_order order)
{
    IFD__EACH (h, e, order)
        (*e)->unit->order(&h->io, (*e)->data, (*e)->own, order);
}

IFD_RT static inline void ifd__units_aim(const ifd_hybrid *h, ifd_compensator_in *in)
{
    IFD__EACH (h, e, aim)
        (*e)->unit->aim(&h->io, (*e)->data, (*e)->own, in);
}
