/* SPDX-License-Identifier: MIT */
/* Set-up of the list of the units of a test and of the parts of its state machine. */
#include "hybrid/units.h"

static const struct {
    const ifd__unit *unit;
    const ifd__part *part;
} all[] = {
#define UNIT(name) {&ifd__unit_##name, NULL},
#define PART(name) {NULL, &ifd__part_##name},
#include "hybrid/units.def"
#undef UNIT
#undef PART
};

static ifd_status make_unit(ifd_hybrid *h, ifd_arena *arena, ifd__entry *e, ifd_note *note)
{
    if (e->unit->make)
        IFD_TRY(e->unit->make(&h->facts, arena, &e->data, note));
    ifd__state_reserve(h, e->unit->doubles ? e->unit->doubles(&h->facts, e->data) : 0, &e->own);
    return IFD_OK;
}

static ifd_status make_part(ifd_hybrid *h, ifd_arena *arena, const ifd__part *p, ifd_note *note)
{
    if (p->doubles)
        ifd__state_reserve(h, p->doubles(h), (char *)h + p->own);
    return p->make ? p->make(h, arena, note) : IFD_OK;
}

ifd_status ifd__units_make(ifd_hybrid *h, ifd_arena *arena, ifd_note *note)
{
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(h->units, 1)));
    for (int i = 0; i < IFD__UNITS; i++) {
        const ifd__unit *u = all[i].unit;
        const ifd__part *p = all[i].part;
        if (u ? u->asked && !u->asked(&h->facts) : p->asked && !p->asked(h))
            continue;
        ifd__entry *e = &h->units->unit[h->units->units++];
        unsigned in = u ? u->in : p->in;
        *e = (ifd__entry){.unit = u, .part = p, .in = in ? in : ~0u, .gate = u ? 0 : p->gate};
        IFD_TRY(u ? make_unit(h, arena, e, note) : make_part(h, arena, p, note));
    }
#define TAKE(stage, has)                                                                                             \
    for (int i = 0, n = 0; i < h->units->units; i++) {                                                               \
        const ifd__entry *e = &h->units->unit[i];                                                                    \
        if (has)                                                                                                     \
            h->units->stage[n++] = e;                                                                                \
    }
    TAKE(restart, e->unit ? e->unit->restart != NULL : e->part->restart != NULL)
    TAKE(sense, e->unit ? e->unit->sense != NULL : e->part->sense != NULL)
    TAKE(observe, e->unit ? e->unit->observe != NULL : e->part->observe != NULL)
    TAKE(judge, e->unit ? e->unit->judge != NULL : e->part->judge != NULL)
    TAKE(step, e->unit ? e->unit->step != NULL : e->part->step != NULL)
    TAKE(begin, e->unit && e->unit->begin)
    TAKE(resume, e->unit && e->unit->resume)
    TAKE(order, e->unit && e->unit->order)
    TAKE(aim, e->unit && e->unit->aim)
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
        const ifd__unit *u = e->unit;
        for (int k = 0; u && k < h->interfaces; k++)
            e->each[k] = (char *)h->each[k] + u->each;
        if (u && u->each)
            e->own = e->each;
        if (u && u->shown)
            *(const void **)(void *)((char *)&h->io + u->shown) = e->own;
    }
}

ifd_status ifd__units_columns(ifd_hybrid *h, ifd_arena *arena)
{
    for (int i = 0; i < h->units->units; i++) {
        ifd__entry *e = &h->units->unit[i];
        const ifd__unit_columns to = {.test = h, .arena = arena, .io = &h->io, .data = e->data};
        e->column = h->columns;
        if (e->unit && e->unit->columns)
            IFD_TRY(e->unit->columns(&to, &h->facts, e->data, e->own));
        if (e->part && e->part->columns)
            IFD_TRY(e->part->columns(h, arena));
        e->columns = h->columns - e->column;
    }
    return IFD_OK;
}
