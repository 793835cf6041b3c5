/* SPDX-License-Identifier: MIT */
/* Interfaces between specimens and a numerical substructure. */
#pragma once

#include <interfield/couple.h>

typedef struct ifd__specimen_link {
    int part, from, to; /* dofs of the substructure, or IFD_GROUND */
    bool carried;       /* supported by the structure alone: its force is inertia, and none of it acts on the
                         * ground */
    double mass;        /* kg of the structure at dof `to` that the measured force accelerates; 0 without */
} ifd__specimen_link;

/* A copy of the options in which the linked substructures are measured. Coupling `rts` gets a link without follower
 * for every linked dof, after its own links. IFD_UNKNOWN_NAME if a substructure does not exist. */
ifd_status ifd__couple_linked(ifd_arena *arena, const ifd_couple_options *opt, int count,
                              const ifd__specimen_link *link, ifd_couple_options *out, ifd_note *note);
