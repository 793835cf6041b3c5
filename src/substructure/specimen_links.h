/* SPDX-License-Identifier: MIT */
/* Where specimens act on a numerical substructure. */
#ifndef IFD_SUBSTRUCTURE_SPECIMEN_LINKS_H
#define IFD_SUBSTRUCTURE_SPECIMEN_LINKS_H

#include <interfield/couple.h>

typedef struct ifd__specimen_link {
    int part, from, to; /* dofs of the part or IFD_GROUND */
    bool carried;       /* stands on the structure alone: its force is inertia, and none of it goes into the ground */
    double mass;        /* kg of the structure at dof `to` that the measured force accelerates; 0: none */
} ifd__specimen_link;

/* A copy of the options in which the parts linked are measured ones; coupling `rts` gets a link without follower for
 * every dof linked, behind its own links. IFD_UNKNOWN_NAME when there is no such part. */
ifd_status ifd__couple_linked(ifd_arena *arena, const ifd_couple_options *opt, int count,
                              const ifd__specimen_link *link, ifd_couple_options *out, ifd_note *note);

#endif
