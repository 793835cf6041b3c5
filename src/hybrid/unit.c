/* SPDX-License-Identifier: MIT */
/* The list of the units of a test, and its walks. */
#include "hybrid/units.h"

#include "hybrid/response.h"

#define UNIT(name) &ifd__unit_##name,
static const ifd__unit *const all[] = {
#include "hybrid/units.def"
};
#undef UNIT

static bool asked(const ifd_hybrid *h, const ifd__unit *u)
{
    return (!u->asked || u->asked(&h->facts)) && (!u->h.asked || u->h.asked(h));
}

ifd_status ifd__units_make(ifd_hybrid *h, ifd_arena *arena, ifd_note *note)
{
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(h->units, 1)));
#define FIRST(stage) const ifd__entry **stage = h->units->stage;
    IFD__STAGES(FIRST)
    for (int i = 0; i < IFD__UNITS; i++) {
        const ifd__unit *u = all[i];
        if (!asked(h, u))
            continue;
        ifd__entry *e = &h->units->unit[h->units->units++];
        *e = (ifd__entry){.unit = u, .at = h->size};
        if (u->make)
            IFD_TRY(u->make(&h->facts, arena, &e->data, note));
        h->size += u->doubles ? u->doubles(&h->facts, e->data) : 0;
        if (u->h.doubles) {
            *(int *)(void *)((char *)h + u->h.at) = h->size;
            h->size += u->h.doubles(h);
        }
        if (u->h.make)
            IFD_TRY(u->h.make(h, arena, note));
#define TAKE(stage)                                                                                                  \
    if (u->h.stage || HAS_##stage(u))                                                                                \
        *stage++ = e;
#define HAS_restart(u) u->restart
#define HAS_sense(u) u->sense
#define HAS_observe(u) u->observe
#define HAS_judge(u) u->judge
#define HAS_step(u) u->step
#define HAS_begin(u) u->begin
#define HAS_resume(u) u->resume
#define HAS_order(u) u->order
#define HAS_aim(u) u->aim
        IFD__STAGES(TAKE)
    }
    return IFD_OK;
}

const ifd__entry *ifd__units_find(const ifd_hybrid *h, const ifd__unit *unit)
{
    const ifd__entry *found = NULL;
    for (int i = 0; i < h->units->units; i++)
        found = h->units->unit[i].unit == unit ? &h->units->unit[i] : found;
    return found;
}

void ifd__units_place(ifd_hybrid *h)
{
    for (int i = 0; i < h->units->units; i++) {
        ifd__entry *e = &h->units->unit[i];
        for (int k = 0; k < h->interfaces; k++)
            e->each[k] = (char *)(h->x + h->interface[k].at) + e->unit->each;
        e->own = e->unit->each ? (void *)e->each : h->x + e->at;
        if (e->unit->shown)
            *(const void **)(void *)((char *)&h->io + e->unit->shown) = e->own;
    }
}

ifd_status ifd__units_columns(ifd_hybrid *h, ifd_arena *arena)
{
    for (int i = 0; i < h->units->units; i++) {
        ifd__entry *e = &h->units->unit[i];
        const ifd__unit_columns to = {.test = h, .arena = arena, .io = &h->io, .data = e->data};
        e->column = h->columns;
        if (e->unit->columns)
            IFD_TRY(e->unit->columns(&to, &h->facts, e->data, e->own));
        if (e->unit->h.columns)
            IFD_TRY(e->unit->h.columns(h, arena));
        e->columns = h->columns - e->column;
    }
    return IFD_OK;
}

/* A stage with the same arguments for every unit. */
#define WALK(stage)                                                                                                  \
    void ifd__units_##stage(ifd_hybrid *h)                                                                           \
    {                                                                                                                \
        for (const ifd__entry *const *e = h->units->stage; *e; e++)                                                  \
            if ((*e)->unit->stage)                                                                                   \
                (*e)->unit->stage(&h->io, (*e)->data, (*e)->own);                                                    \
            else                                                                                                     \
                (*e)->unit->h.stage(h);                                                                              \
    }
WALK(restart)
WALK(sense)
WALK(begin)
WALK(resume)

void ifd__units_observe(ifd_hybrid *h)
{
    for (const ifd__entry *const *e = h->units->observe; *e; e++)
        if ((*e)->unit->observe)
            (*e)->unit->observe(&h->io, (*e)->data, (*e)->own);
        else
            (*e)->unit->h.observe(h, h->io.fresh);
}

ifd_action ifd__units_judge(ifd_hybrid *h)
{
    ifd_action worst = IFD_ACTION_NOTE;
    for (const ifd__entry *const *e = h->units->judge; *e; e++)
        if ((*e)->unit->judge) {
            ifd_action action = (*e)->unit->judge(&h->io, (*e)->data, (*e)->own);
            worst = action > worst ? action : worst;
        } else
            (*e)->unit->h.judge(h, h->io.in, h->io.fresh, &worst);
    return worst;
}

void ifd__units_step(ifd_hybrid *h)
{
    const ifd__structure s = {.x = h->x, .updates = h->local ? &ifd__response_state_of(h)->balance.updates : NULL};
    for (const ifd__entry *const *e = h->units->step; *e; e++)
        if ((*e)->unit->step)
            (*e)->unit->step(&h->io, (*e)->data, (*e)->own, &s);
        else
            (*e)->unit->h.step(h);
}

void ifd__units_order(ifd_hybrid *h, ifd_order order)
{
    for (const ifd__entry *const *e = h->units->order; *e; e++)
        if ((*e)->unit->order)
            (*e)->unit->order(&h->io, (*e)->data, (*e)->own, order);
        else
            (*e)->unit->h.order(h, order);
}

void ifd__units_aim(const ifd_hybrid *h, ifd_compensator_in *in)
{
    for (const ifd__entry *const *e = h->units->aim; *e; e++)
        if ((*e)->unit->aim)
            (*e)->unit->aim(&h->io, (*e)->data, (*e)->own, in);
        else
            (*e)->unit->h.aim(h, in);
}
