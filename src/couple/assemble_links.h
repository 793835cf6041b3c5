/* SPDX-License-Identifier: MIT */
#pragma once

#include <interfield/analysis.h>

/* The whole of a structure with substructures linked by coupling `rts`: a linked support becomes the dof that moves
 * it. */
ifd_status ifd__assemble_links(ifd_arena *arena, const ifd_couple_options *opt, ifd_assembly *out, ifd_note *note);
