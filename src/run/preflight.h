/* SPDX-License-Identifier: MIT */
#ifndef IFD_RUN_PREFLIGHT_H
#define IFD_RUN_PREFLIGHT_H

#include <interfield/preflight.h>

#include "run/dry.h"
#include "run/loop.h"

/* Stability and margins. out->channel[].stiffness must be known: of specimens that are not linear it stands for
 * them. */
ifd_status ifd__preflight_loop(const ifd_preflight_options *o, ifd_preflight *out, ifd_note *note);
/* What follows from all that. */
void ifd__preflight_judge(ifd_arena *arena, const ifd_preflight_options *o, ifd_preflight *out);

#endif
