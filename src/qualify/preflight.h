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
/* Of that the margin of delay alone, and whether the loop is stable. */
ifd_status ifd__preflight_delay(const ifd_preflight_options *o, ifd_preflight *out, ifd_note *note);
/* What a dry run without limits asked of the interfaces. */
void ifd__preflight_interfaces(const ifd_preflight_options *o, const ifd__dry *d, ifd_preflight *out);
/* Whether a margin of delay is cause for caution. */
bool ifd__preflight_little(const ifd_preflight *p, const ifd_reach *delay);
/* Instead of dry runs and margins, of a structure that another program computes. */
ifd_status ifd__preflight_master(const ifd_preflight_options *o, ifd_preflight *out, ifd_note *note);
/* What follows from all that. */
void ifd__preflight_judge(ifd_arena *arena, const ifd_preflight_options *o, ifd_preflight *out);

#endif
