/* SPDX-License-Identifier: MIT */
/* Touch: where specimens act on a structure in parts. */
#ifndef IFD_RUN_TOUCH_H
#define IFD_RUN_TOUCH_H

#include <interfield/couple.h>

typedef struct ifd__touch {
    int part, from, to; /* dofs of the part or IFD_GROUND */
} ifd__touch;

/* A copy of the options in which the parts touched are measured ones; coupling `rts` gets a link without follower for
 * every dof touched, behind its own links. IFD_UNKNOWN_NAME when there is no such part. */
ifd_status ifd__couple_touched(ifd_arena *arena, const ifd_couple_options *opt, int count, const ifd__touch *touch,
                               ifd_couple_options *out, ifd_note *note);

#endif
