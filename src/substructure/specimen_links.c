/* SPDX-License-Identifier: MIT */
/* Links specimens to dofs of the computed structure. */
#include "substructure/specimen_links.h"

#include <string.h>

static bool linked(const ifd_rts_options *rts, int first, int part, int dof)
{
    for (int l = first; l < rts->links; l++)
        if (rts->link[l].leader == part && rts->link[l].dof == dof)
            return true;
    return false;
}

static ifd_status add_links(ifd_arena *arena, const ifd_couple_options *opt, int count,
                            const ifd__specimen_link *specimen, ifd_couple_options *out)
{
    ifd_rts_options *rts = ifd_arena_take(arena, sizeof *rts);
    int first = opt->rts->links;
    ifd_rts_link *link = ifd_arena_array(arena, (size_t)first + 2 * (size_t)count, sizeof *link);
    if (!rts || !link)
        return IFD_NO_MEMORY;
    *rts = *opt->rts;
    memcpy(link, rts->link, sizeof *link * (size_t)first);
    rts->link = link;
    for (int k = 0; k < count; k++) {
        const int dof[2] = {specimen[k].from, specimen[k].to};
        for (int i = 0; i < 2; i++)
            if (dof[i] >= 0 && !linked(rts, first, specimen[k].part, dof[i]))
                link[rts->links++] = (ifd_rts_link){.name = "specimen",
                                                    .leader = specimen[k].part,
                                                    .dof = dof[i],
                                                    .follower = IFD_RTS_SPECIMEN,
                                                    .place = opt->place};
    }
    out->rts = rts;
    return IFD_OK;
}

ifd_status ifd__couple_linked(ifd_arena *arena, const ifd_couple_options *opt, int count,
                              const ifd__specimen_link *specimen, ifd_couple_options *out, ifd_note *note)
{
    ifd_part_options *part = ifd_arena_array(arena, (size_t)opt->parts, sizeof *part);
    if (!part)
        return IFD_NO_MEMORY;
    memcpy(part, opt->part, sizeof *part * (size_t)opt->parts);
    for (int p = 0; p < opt->parts; p++)
        part[p].measured = false;
    for (int k = 0; k < count; k++) {
        if (specimen[k].part < 0 || specimen[k].part >= opt->parts)
            return ifd_note_add(note, IFD_UNKNOWN_NAME, NULL,
                                "a specimen acts on substructure %d, which does not exist", specimen[k].part);
        part[specimen[k].part].measured = true;
    }
    *out = *opt;
    out->part = part;
    return opt->rts && count ? add_links(arena, opt, count, specimen, out) : IFD_OK;
}
