/* SPDX-License-Identifier: MIT */
#ifndef IFD_COUPLE_ASSEMBLE_LINKS_H
#define IFD_COUPLE_ASSEMBLE_LINKS_H

#include <interfield/analysis.h>

/* The whole of a structure whose parts are linked by coupling `rts`: supports become the dofs that move them. */
ifd_status ifd__assemble_links(ifd_arena *arena, const ifd_couple_options *opt, ifd_assembly *out, ifd_note *note);

#endif
