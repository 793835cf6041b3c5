/* SPDX-License-Identifier: MIT */
/* The list of the units of a test, and its walks. */
#include "hybrid/unit.h"

#define UNIT(name) extern const ifd__unit ifd__unit_##name;
#include "hybrid/units.def"
#undef UNIT

#define UNIT(name) &ifd__unit_##name,
static const ifd__unit *const all[] = {
#include "hybrid/units.def"
};
#undef UNIT

ifd_status ifd__units_make(ifd_hybrid *h, ifd_arena *arena, ifd_note *note)
{
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(h->units, 1)));
    const ifd__unit **unit = h->units->unit;
#define FIRST(stage) const ifd__unit **stage = h->units->stage;
    IFD__STAGES(FIRST)
    for (int i = 0; i < IFD__UNITS; i++) {
        const ifd__unit *u = all[i];
        if (u->asked && !u->asked(h))
            continue;
        *unit++ = u;
        if (u->doubles) {
            *(int *)(void *)((char *)h + u->at) = h->size;
            h->size += u->doubles(h);
        }
        if (u->make)
            IFD_TRY(u->make(h, arena, note));
#define TAKE(stage)                                                                                                  \
    if (u->stage)                                                                                                    \
        *stage++ = u;
        IFD__STAGES(TAKE)
    }
    return IFD_OK;
}

ifd_status ifd__units_columns(ifd_hybrid *h, ifd_arena *arena)
{
    struct ifd__units *u = h->units;
    for (int i = 0; u->unit[i]; i++) {
        u->column[i] = h->columns;
        if (u->unit[i]->columns)
            IFD_TRY(u->unit[i]->columns(h, arena));
        u->column[i + 1] = h->columns;
    }
    return IFD_OK;
}
