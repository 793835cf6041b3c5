/* SPDX-License-Identifier: MIT */
#ifndef IFD_QUALIFY_PREFLIGHT_H
#define IFD_QUALIFY_PREFLIGHT_H

#include <interfield/preflight.h>

#include "qualify/dry_run.h"
#include "analysis/loop.h"

/* Where caution begins: margin of delay beside what is assumed, of gain, of stiffness and mass. */
#define IFD__LEAST_DELAY 0.1
#define IFD__LEAST_GAIN 1.05
#define IFD__LEAST_FACTOR 1.2

/* Stability and margins. out->interface[].stiffness must be known: of specimens that are not linear it stands for
 * them. */
ifd_status ifd__preflight_loop(const ifd_preflight_options *o, ifd_preflight *out, ifd_note *note);
/* Instead of dry runs and margins, of a structure that another program computes. */
ifd_status ifd__preflight_master(const ifd_preflight_options *o, ifd_preflight *out, ifd_note *note);
/* What follows from all that. */
void ifd__preflight_judge(ifd_arena *arena, const ifd_preflight_options *o, ifd_preflight *out);

#endif
