/* SPDX-License-Identifier: MIT */
/* The parts of a test, as set-up made them. */
#include "hybrid/chain/chain.h"
#include "hybrid/units.h"
#include "rig/replay.h"

ifd_status ifd_hybrid_explain(ifd_arena *arena, const ifd_hybrid_options *o, const ifd_part **parts, int *count,
                              ifd_note *note)
{
    ifd_hybrid_options options = *o;
    ifd__replay *none;
    ifd_hybrid *h;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(none, 1)));
    none->real = ifd__hybrid_real(o);
    none->several = ifd_several_of(o->rig, o->rig_setup);
    options.rig = &ifd__replay_rig;
    options.rig_setup = none;
    IFD_TRY(ifd_hybrid_make(arena, &options, &h, note));
    int units = h->units->units, n = 0;
    ifd_part *part = ifd_arena_array(arena, (size_t)(1 + units + h->interfaces * IFD__LINKS), sizeof *part);
    if (!part)
        return IFD_NO_MEMORY;
    part[n++] = (ifd_part){.name = h->pace->name, .about = h->pace->about};
    for (int i = 0; i < units; i++) {
        const ifd__entry *e = &h->units->unit[i];
        part[n++] = (ifd_part){.kind = IFD_PART_UNIT,
                               .name = e->unit ? e->unit->name : e->part->name,
                               .about = e->unit ? e->unit->about : e->part->about,
                               .column = h->column + e->column,
                               .columns = e->columns};
    }
    for (int k = 0; k < h->interfaces; k++)
        for (const ifd__link *const *l = h->interface[k].chain; *l; l++)
            part[n++] = (ifd_part){
                .kind = IFD_PART_LINK, .of = h->interface[k].o->name, .name = (*l)->name, .about = (*l)->about};
    for (int i = 0; i < n; i++)
        part[i].of = part[i].of ? part[i].of : "";
    ifd_hybrid_close(h);
    *parts = part;
    *count = n;
    return IFD_OK;
}
