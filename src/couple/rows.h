/* SPDX-License-Identifier: MIT */
/* The rows of the coupling table. */
#ifndef IFD_COUPLE_ROWS_H
#define IFD_COUPLE_ROWS_H

#include <interfield/couple.h>

extern const ifd_coupling ifd__staggered, ifd__parallel, ifd__pg_alpha, ifd__midpoint, ifd__gravouil_combescure,
    ifd__prakash_hjelmstad, ifd__rts_coupling;

#endif
